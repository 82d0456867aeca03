#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shim.py [--build DIR] - what is recorded of random messages is what the program says of them.

On Open MPI and on MPICH, in C and in Fortran.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "many"))
sys.path.insert(0, os.path.join(HERE, "..", "export"))
import archive as archives  # noqa: E402
import readers  # noqa: E402

ARGS = argparse.ArgumentParser(description=__doc__)
ARGS.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
BUILD = os.path.abspath(ARGS.parse_args().build)
TPTRACE = f"{BUILD}/tptrace"
Message = collections.namedtuple("Message", "field rank comm order tag bytes ranks")
LIBRARIES = {  # its compilers, and what starts ranks
    "Open MPI": ("mpicc.openmpi", "mpif90.openmpi", ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]),
    "MPICH": ("mpicc.mpich", "mpif90.mpich", ["mpirun.mpich"]),
}


def run(*command, **env):
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "2",
           **env}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, check=False)
    assert done.returncode == 0, (command, done)
    return done.stdout


def waits_of(path):
    """Of each wait for messages, in order of time: its ns, and the messages."""
    text = run(TPTRACE, "dump", path)
    rank = int(re.search(r"^meta rank (\d+)", text, re.M).group(1))
    waits, at = [], {}
    for time, worker, kind, *rest in (line.split() for line in text.splitlines() if re.match(r"(\d+|-) w\d+ ", line)):
        if kind == "wait" and rest[0] == "message":
            at[worker] = {"began": int(time), "messages": []}
            waits.append(at[worker])
        elif kind == "message":
            field, value = rest[0], int(rest[1])
            messages = at[worker]["messages"]
            if field in ("to", "from", "all", "from-root", "to-root", "scan", "near"):
                messages.append({"field": field, "rank": value})
            else:
                messages[-1][field] = value
        elif kind == "resume" and at.get(worker) and "ended" not in at[worker]:
            at[worker]["ended"] = int(time)
    for wait in waits:
        assert "ended" in wait, (path, wait)
        wait["messages"] = [Message(**{**dict.fromkeys(Message._fields), **m}) for m in wait["messages"]
                            if not m.pop("again", 0)]
    return rank, waits


def record(start, n, folder, *program, **env):
    os.mkdir(folder)
    out = run(*start, "-n", str(n), TPTRACE, "record", "-q", "--collapse", "off", "-o", f"{folder}/", *program, **env)
    ranks = dict(waits_of(os.path.join(folder, name)) for name in os.listdir(folder))
    assert sorted(ranks) == list(range(n)), ranks.keys()
    return out, ranks


def check_report(folder, ranks):
    """The report of the job matches the same, and says how long its ranks were in the calls, as the traces do."""
    mpi = json.loads(run(TPTRACE, "report", "--json", folder))["total"]["mpi"]
    waits = [wait for of in ranks.values() for wait in of if wait["messages"]]
    ends = collections.Counter("call" if m.ranks else "message" for wait in waits for m in wait["messages"])
    assert mpi["unmatched"] == mpi["on_several_hosts"] == 0, mpi
    assert (mpi["messages"] * 2, mpi["collective_calls"] * len(ranks)) == (ends["message"], ends["call"]), (mpi, ends)
    assert mpi["late_ns"] <= mpi["in_calls_ns"], mpi


ELSEWHERE = ["unshare", "--uts", "--time", "--monotonic", "100000", "--fork"]  # seconds
ON_TWO_HOSTS = f"""#!/bin/sh
[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 1 ] || exec "$@"
exec {" ".join(ELSEWHERE)} sh -c 'hostname other; exec "$0" "$@"' "$@"
"""


def check_late(start, folder, program, wrapper=()):
    """The tasks of the late rank are named, and the wait for them is within what MPI_Wtime() says."""
    said = int(run(*start, "-n", "2", *wrapper, TPTRACE, "record", "-q", "-o", f"{folder}/", program))
    report = json.loads(run(TPTRACE, "report", "--json", folder))
    with open(f"{HERE}/late.c", encoding="utf-8") as file:
        lines = list(file)
    line, asking = (1 + next(i for i, text in enumerate(lines) if part in text)
                    for part in ("the late tasks", "shared(ns)"))
    late = [found for found in report["total"]["findings"] if (found["id"], found["line"]) == ("late_sender", line)]
    assert len(late) == 1 and os.path.basename(late[0]["file"]) == "late.c", report["total"]
    found = late[0]
    facts = {fact["id"]: fact["value"] for fact in found["facts"]}
    assert facts["rank"] == 0, found
    waited = sum(kind.get("message_ns", 0) for kind in report["processes"][1]["kinds"] if kind["line"] == asking)
    error = report["total"]["mpi"]["clock_error_ns"]
    assert (report["total"]["hosts"] == 2) == (error > 0) == bool(wrapper), report["total"]["mpi"]
    assert found["lost_ns"] - facts["idle"] - error <= waited <= said < 2 * waited, (found, waited, said)


def check_two_hosts(start, folder, program):
    """Rank 1 has another host's name and clock, which is 28 hours ahead."""
    if subprocess.run([*ELSEWHERE, "true"], capture_output=True, check=False).returncode:
        print("skip ranks on two hosts: unshare(1) may make no time namespace here")
        return
    wrapper = f"{folder}.sh"
    with open(wrapper, "w", encoding="utf-8") as file:
        file.write(ON_TWO_HOSTS)
    os.chmod(wrapper, 0o755)
    check_late(start, folder, program, [wrapper])


def check_matched(ranks):
    """Each message has one sender and one receiver, that name each other, and each collective call all its ranks."""
    sent, received, calls = collections.Counter(), collections.Counter(), collections.Counter()
    for rank, waits in ranks.items():
        for m in (m for wait in waits for m in wait["messages"]):
            assert m.comm and m.order, (rank, m)
            if m.field == "to":
                sent[(m.comm, rank, m.rank, m.tag, m.order)] += 1
            elif m.field == "from":
                received[(m.comm, m.rank, rank, m.tag, m.order)] += 1
            else:
                calls[(m.comm, m.order, m.field, m.ranks)] += 1
    assert sent == received and set(sent.values()) == {1}, (sent - received, received - sent)
    assert calls and all(n == key[3] for key, n in calls.items()), calls
    return len(sent)


def check_pattern(told, ranks):
    """In the order in which the program got them, with the order that each message says."""
    comms = {1: 0}
    for rank, waits in ranks.items():
        with open(f"{told}/{rank}", encoding="utf-8") as file:
            lines = file.read().splitlines()
        assert lines[-1] == "ends", lines
        said = [tuple(map(int, line.split())) for line in lines[lines.index("begins") + 1:-1]]
        got = [m for wait in waits for m in wait["messages"] if m.field == "from"]
        assert len(said) == len(got) > 20, (rank, len(said), len(got))
        for (source, tag, comm, nth), m in zip(said, got):
            assert (m.rank, m.tag, m.order, m.bytes) == (source, tag, nth, 32), (rank, said, m)
            assert comms.setdefault(m.comm, comm) == comm, (rank, comms, m)
    assert len(comms) == 3, comms


def check_workers(folder):
    """The program's threads are workers; MPI's are none, as the one that MPICH_ASYNC_PROGRESS makes."""
    for name in os.listdir(folder):
        dump = run(TPTRACE, "dump", f"{folder}/{name}")
        workers = set(re.findall(r"^(?:\d+|-) (w\d+) ", dump, re.M))
        assert workers == {"w0", "w1"} and "no-worker" not in dump, (name, workers)


def check_archive(folder, ranks):
    """One archive has the ranks, and each message and call of their traces."""
    if not archives.is_possible(TPTRACE):
        print("skip an archive of MPI's ranks: libotf2 or otf2-print is missing")
        return
    archive = archives.read(TPTRACE, folder)
    archives.check_matched(archive)
    sent, calls = collections.Counter(), collections.Counter()
    for rank, waits in ranks.items():
        for m in (m for wait in waits for m in wait["messages"]):
            comm = "MPI_COMM_WORLD" if m.comm == 1 else f"comm {m.comm}"
            if m.field == "to":
                sent[(rank, m.rank, comm, m.tag)] += 1
            elif m.field != "from":
                calls[(rank, comm)] += 1
    got = collections.Counter((rank, comm) for (_, comm, _), at in archive.calls.items()
                              for rank, _ in at)
    assert archive.ranks == sorted(ranks) and got == calls, (archive, calls)
    assert {key: len(at) for key, at in archive.sent.items()} == sent, (archive, sent)


def check_arrows(folder, ranks):
    """In Perfetto's file an arrow leads from each message's sender to its receiver, and from a root to all others."""
    run(TPTRACE, "export", "--to", "perfetto", "-o", f"{folder}.pftrace", folder)
    processes, arrows = readers.perfetto_messages(f"{folder}.pftrace")
    wanted, calls = collections.Counter(), collections.defaultdict(set)
    for rank, waits in ranks.items():
        for m in (m for wait in waits for m in wait["messages"]):
            if m.field == "to":
                wanted[(rank, m.rank)] += 1
            elif m.field == "from-root":
                calls[(m.comm, m.order, m.rank)].add(rank)
    wanted.update((root, *sorted(on - {root})) for (_, _, root), on in calls.items())
    got = collections.Counter(tuple(process - 1 for process, _ in at) for at in arrows.values())
    assert sorted(processes) == [rank + 1 for rank in sorted(ranks)], processes
    assert got == wanted, (got - wanted, wanted - got)
    assert all(sent <= received for (_, sent), *others in arrows.values() for _, received in others), arrows


def compiled(compiler, folder, name, *options):
    run(compiler, "-w", "-O1", "-g", "-fopenmp", "-o", f"{folder}/{name}", f"{HERE}/{name}.c", *options)
    return f"{folder}/{name}"


def compiled_between(compiler, folder, name):
    """With a library between the program and MPI."""
    between = f"{folder}/lib{name}.so"
    run(compiler, "-w", "-shared", "-fPIC", "-DBETWEEN", "-o", between, f"{HERE}/{name}.c")
    return compiled(compiler, folder, name, "-Wl,--no-as-needed", between, f"-Wl,-rpath,{folder}")


def check_threads(compiler, start, folder):
    """Of two threads, one is given the handle that the other's request just had: both messages are reported."""
    said, ranks = record(start, 1, f"{folder}/threads.of", compiled_between(compiler, folder, "threads"))
    n, same = map(int, said.split())
    assert same, "MPI gives no handle anew"
    assert check_matched(ranks) == n, (n, same)


def check_full(compiler, start, folder):
    """Each communicator has a number of its own, however many orders there are."""
    _, ranks = record(start, 2, f"{folder}/full.of", compiled(compiler, folder, "full"))
    calls = collections.Counter((m.comm, m.order) for waits in ranks.values() for wait in waits
                                for m in wait["messages"] if m.field == "all" and m.comm != 1)
    assert len({comm for comm, _ in calls}) == 4 and set(calls) == {(comm, 1) for comm, _ in calls}, calls
    assert set(calls.values()) == {2}, calls


def check_freed(compiler, start, folder):
    """A communicator that is freed while it has pending receives is known until the last of them is over."""
    _, ranks = record(start, 2, f"{folder}/freed.of", compiled_between(compiler, folder, "freed"))
    assert check_matched(ranks) == 12, ranks


def check_cancelled(compiler, start, folder):
    """A receive that is cancelled receives nothing, and later ones have the orders that they would have without it."""
    _, ranks = record(start, 1, f"{folder}/cancelled.of", compiled(compiler, folder, "cancelled"))
    assert check_matched(ranks) == 5, ranks


def check_posted(compiler, start, folder):
    """Of receives from anybody the one that was posted first has the earlier message, whichever ends first."""
    looks, ranks = record(start, 1, f"{folder}/posted.of", compiled_between(compiler, folder, "posted"))
    assert check_matched(ranks) == 13 + 3 + 40
    orders = collections.defaultdict(dict)
    for m in (m for wait in ranks[0] for m in wait["messages"] if m.tag in (5, 6)):
        orders[m.field][m.tag, m.order] = m.bytes
    assert orders["from"] == orders["to"], orders
    assert looks == "0\n", looks


def check_exposed(compiler, start, folder):
    """What exposes a window is a message to each who accesses it, and back when it has done so."""
    out, ranks = record(start, 3, f"{folder}/exposed.of", compiled(compiler, folder, "exposed"))
    assert sorted(out.splitlines()) == ["0 of 3: 10", "1 of 3: 4", "2 of 3: 4"], out
    assert check_matched(ranks) == 3 * 2 * (2 + 2 + 1 + 1), ranks
    check_report(f"{folder}/exposed.of", ranks)
    check_archive(f"{folder}/exposed.of", ranks)
    check_arrows(f"{folder}/exposed.of", ranks)


def check_detached(compiler, start, folder, by):
    """The thread that fulfills tasks' events has received their messages, and is no worker."""
    own = f"{folder}/detached.{by}"
    run(compiler, "-w", "-O1", "-g", "-fopenmp", "-o", own, f"{HERE}/detached.c", OMPI_CC=by, MPICH_CC=by)
    _, ranks = record(start, 2, f"{own}.of", own)
    assert check_matched(ranks) == 2, ranks
    texts = [run(TPTRACE, "dump", entry.path) for entry in os.scandir(f"{own}.of")]
    (text,) = (text for text in texts if " handle " in text)
    order = r"^- (w\d+) no-worker\n" + 2 * r"(?s:.*)^- \1 message from 0\n(?s:.*?)^\d+ \1 signal (0x\w+)\n"
    signals = re.search(order, text, re.M)
    assert signals and set(re.findall(r" handle (0x\w+)", text)) == set(signals.groups()[1:]), (by, text)


def check_connected(compiler, start, folder):
    """Ranks of one mpirun that connect find one number for what they connect by."""
    if compiler != "mpicc.openmpi":
        return  # its release here has no ports: they are "not supported with ucx netmod"
    _, ranks = record(start, 2, f"{folder}/connected.of", compiled(compiler, folder, "connected"))
    assert check_matched(ranks) == 9, ranks


def check_spawned(compiler, start, folder):
    """Ranks that others have spawned count from 0, too, and are not taken for those."""
    if compiler != "mpicc.openmpi":
        return  # as above
    spawned = compiled(compiler, folder, "spawned")
    run(TPTRACE, "record", "-q", "-o", f"{folder}/spawned.of/", *start, "-n", "2", spawned)
    mpi = json.loads(run(TPTRACE, "report", "--json", f"{folder}/spawned.of"))["total"]["mpi"]
    assert (mpi["messages"], mpi["collective_calls"], mpi["unmatched"]) == (20, 6, 0), mpi
    os.mkdir(f"{folder}/parents.of")
    for name in os.listdir(f"{folder}/spawned.of"):
        if "MPI_Comm_spawn" in run(TPTRACE, "dump", f"{folder}/spawned.of/{name}"):
            shutil.copy(f"{folder}/spawned.of/{name}", f"{folder}/parents.of")
    mpi = json.loads(run(TPTRACE, "report", "--json", f"{folder}/parents.of"))["total"]["mpi"]
    assert mpi["messages"] == 6, mpi
    if archives.is_possible(TPTRACE):
        archive = archives.read(TPTRACE, f"{folder}/spawned.of")
        archives.check_matched(archive)
        assert archive.ranks == [(2, 0), (2, 1), 0, 1] and sum(map(len, archive.sent.values())) == 20, archive


def check_killed(compiler, start, folder):
    """Whenever a rank is killed, the report has what it did until then, and all of the other rank, which MPI ends."""
    killed = compiled(compiler, folder, "killed")
    for stage, turns in (("init", 0), ("wait", 5), ("finalize", 5)):
        done = subprocess.run([*start, "-n", "2", TPTRACE, "record", "-q", "-o", f"{folder}/killed.{stage}/", killed,
                               stage], capture_output=True, timeout=300, check=False,
                              env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        report = json.loads(run(TPTRACE, "report", "--json", f"{folder}/killed.{stage}"))
        tasks = [sum(kind["tasks"] for kind in process["kinds"] if kind["name"] != "main" or kind["line"])
                 for process in report["processes"]]
        assert done.returncode and report["processes"][1]["ended"] == "killed by signal 9", (stage, done, report)
        assert len(set(tasks)) == 1 and tasks[0] > turns, (stage, tasks)
        mpi = report["total"].get("mpi", {"messages": 0, "unmatched": 0})
        assert mpi["messages"] == 2 * turns and mpi["unmatched"] <= (stage == "finalize"), (stage, mpi)


def check_waits(compiler, start, folder):
    """Calls that wait and name nobody are no work."""
    waits, is_open_mpi = compiled(compiler, folder, "waits"), compiler == "mpicc.openmpi"
    record(start, 1, f"{folder}/waits.of", waits, f"{folder}/waits.out", *["1"] * is_open_mpi)  # MPICH's mpirun here cannot
    text = run(TPTRACE, "dump", *(entry.path for entry in os.scandir(f"{folder}/waits.of")))
    own = ["MPI_Comm_spawn"] if is_open_mpi else ["MPI_File_write_at", "MPI_File_write_all", "MPI_Win_allocate"]
    for name in ("MPI_Init_thread", "MPI_File_set_view", "MPI_File_write_all_begin", "MPI_File_write_all_end",
                 "MPI_Comm_free", "MPI_Buffer_detach", *own):
        site = re.search(rf"^site (\d+) .*\bname={name} ", text, re.M)
        assert site and f" wait message site={site.group(1)}\n" in text, (name, text)


def check_ignored(compiler, start, folder):
    """What MPI does not read, or refuses, it gets as the program gave it, and the program goes on."""
    ignored = compiled(compiler, folder, "ignored")
    alone = run(*start, "-n", "2", ignored)
    out, _ = record(start, 2, f"{folder}/ignored.of", ignored)
    assert sorted(out.split("\n")) == sorted(alone.split("\n")) and out.count("rank") == 2, (alone, out)


def check_logical(compiler, start, folder):
    """All that is not 0 is true in a Fortran's logical."""
    _, ranks = record(start, 1, f"{folder}/logical.of", compiled_between(compiler, folder, "logical"))
    assert check_matched(ranks) == 1, ranks


def check_parts(compiler, start, folder):
    """A message in parts has the bytes of all of them."""
    if compiler == "mpicc.openmpi":
        return  # its release here is of MPI 3
    said, ranks = record(start, 1, f"{folder}/parts.of", compiled_between(compiler, folder, "parts"))
    told = [(m.field, m.bytes) for wait in ranks[0] for m in wait["messages"] if m.field != "all"]
    assert sorted(told) == [("from", int(said)), ("to", int(said))], (said, told)


def check_pending(compiler, start, folder):
    """Many receives at once: each has its message, or is counted as lost."""
    pending = compiled_between(compiler, folder, "pending")
    for n in (50, 1500):
        _, ranks = record(start, 1, f"{folder}/pending.{n}", pending, str(n), "-1")
        assert check_matched(ranks) == 2 * n, n
    _, ranks = record(start, 1, f"{folder}/pending.own", pending, "6000", "0")
    told = {(m.tag, m.order) for wait in ranks[0] for m in wait["messages"] if m.field == "from"}
    info = run(TPTRACE, "dump", *(entry.path for entry in os.scandir(f"{folder}/pending.own")))
    lost = int(re.search(r"^meta unrecorded_calls (\d+)", info, re.M).group(1))
    assert lost and len(told) + lost == 12000 and max(told) <= (1, 6000), (lost, len(told))


def check_session(compiler, start, folder):
    """A session outlives MPI_Finalize, and is asked nothing that has not."""
    if compiler != "mpicc.openmpi":  # its release here is of MPI 3
        _, ranks = record(start, 1, f"{folder}/session.of", compiled_between(compiler, folder, "session"))
        assert [m.field for wait in ranks[0] for m in wait["messages"]] == ["all"], ranks


def check_library(name, folder):
    compiler, fortran, start = LIBRARIES[name]
    if not shutil.which(compiler):
        print(f"skip MPI's shim with {name}: there is no {compiler}")
        return
    pattern = f"{folder}/pattern"
    run(compiler, "-w", "-O1", "-g", "-fopenmp", "-o", pattern, f"{HERE}/pattern.c")
    for check in (check_ignored, check_threads, check_full, check_freed, check_cancelled, check_posted, check_exposed,
                  check_connected, check_spawned, check_killed, check_waits, check_logical, check_parts, check_pending,
                  check_session):
        check(compiler, start, folder)
    for by in filter(shutil.which, ("gcc", "clang")):
        check_detached(compiler, start, folder, by)
    n = 0
    for seed, ranks in ((1, 2), (2, 3)):
        told = f"{folder}/told{seed}"
        os.mkdir(told)
        _, traces = record(start, ranks, f"{folder}/{seed}", pattern, str(seed), "48", told,
                           MPICH_ASYNC_PROGRESS=str(seed - 1))
        check_workers(f"{folder}/{seed}")
        check_pattern(told, traces)
        n += check_matched(traces)
        check_report(f"{folder}/{seed}", traces)
        check_archive(f"{folder}/{seed}", traces)
        check_arrows(f"{folder}/{seed}", traces)
    print(f"{name}: {n} messages are matched")
    run(compiler, "-w", "-O1", "-g", "-fopenmp", "-o", f"{folder}/late", f"{HERE}/late.c")
    check_late(start, f"{folder}/late.of", f"{folder}/late")
    check_two_hosts(start, f"{folder}/hosts", f"{folder}/late")
    if not shutil.which(fortran) or subprocess.run([fortran, "--version"], capture_output=True, check=False).returncode:
        print(f"skip MPI's shim with {name} from Fortran: there is no {fortran}")
        return
    for binding in ("mpif.h", "F08") + ("F08_LARGE",) * (name == "MPICH"):  # Open MPI's release here is of MPI 3
        ring = f"{folder}/ring.{binding}"
        run(fortran, "-w", "-cpp", "-D" + binding.replace(".", "_"), "-fallow-argument-mismatch", "-O1", "-g",
            "-fopenmp", "-o", ring, f"{HERE}/fortran.f90")
        out, traces = record(start, 3, f"{folder}/fortran.{binding}", ring)
        assert out.split() == ["3.0"], out
        assert check_matched(traces) == 9, (binding, traces)
        assert {m.bytes for wait in traces[0] for m in wait["messages"] if m.field in ("from", "to")} == {8}, traces[0]
        assert os.path.exists(f"{ring}.out"), os.listdir(folder)
        assert all("MPI_File_open" in run(TPTRACE, "dump", f"{folder}/fortran.{binding}/{name}")
                   for name in os.listdir(f"{folder}/fortran.{binding}")), binding
        dump = run(TPTRACE, "dump", f"{folder}/fortran.{binding}/" + os.listdir(f"{folder}/fortran.{binding}")[0])
        for site in set(re.findall(r" wait message site=(\d+)", dump)):
            assert re.search(rf"^site {site} .* at-file=\S*fortran.f90 ", dump, re.M), (binding, site)


def main():
    for name in LIBRARIES:
        with tempfile.TemporaryDirectory(prefix="tptrace-mpi.") as folder:
            check_library(name, folder)
    print("what MPI's shim records is right")


if __name__ == "__main__":
    sys.exit(main())
