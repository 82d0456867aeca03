#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - under mpirun, report, diff, export and plot print what they print without, once, and name the rank that has trouble."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "many"))
import jobs  # noqa: E402
import ranks as ranks_of  # noqa: E402
import report as many  # noqa: E402

MPIRUN = ["mpirun", "--oversubscribe"]
LINE = re.compile(r"tptrace: rank (\d+): (.*)")
BROKEN = "tptrace text 2\nclock ns\n# " + "x" * 20000 + "\n5 w0 end\n"  # nobody's task; the largest of all
AGENT = """#!/bin/sh
# instead of ssh: the other machine, with a /tmp of its own, is this one
while [ "${1#-}" != "$1" ]; do shift; done
mkdir -p "$TMPDIR/$1"
TMPDIR=$TMPDIR/$1
shift
exec sh -c "$*"
"""
ARGS = argparse.ArgumentParser(description=__doc__)
ARGS.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
BUILD = os.path.abspath(ARGS.parse_args().build)
TPTRACE = f"{BUILD}/tptrace"


def run(*command, cwd=None, **env):
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **env}
    env.pop("COLUMNS", None)
    with tempfile.TemporaryDirectory(prefix="tptrace-mpi.") as own:  # no two mpiruns share what they keep there
        done = subprocess.run(command, capture_output=True, text=True, env={**env, "TMPDIR": own}, timeout=120, check=False,
                              cwd=cwd)
    if done.returncode > 3:
        print(command, done.returncode, done.stderr, file=sys.stderr)
    # what mpirun itself says of a status
    done.stderr = "".join(line for line in done.stderr.splitlines(True) if line.startswith("tptrace"))
    return done


def mixes_output():
    """Open MPI 5.0 does, of any program's rank that writes to both its outputs; and it loses output of one that fails."""
    return "Open MPI) 5.0" in run("mpirun", "--version").stdout


def read_all(folder, prefix):
    """What all ranks have in files of that name, in their order."""
    text = ""
    for name in sorted(name for name in os.listdir(folder) if name.startswith(prefix)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text += file.read()
    return text


def started(mpirun, *command, cwd=None, **env):
    """By mpirun; where it mixes up output, ranks of tptrace write theirs to files, and the worst status counts."""
    if command[0] != TPTRACE or env or not mixes_output():
        return run(*mpirun, *command, cwd=cwd, **env)
    script = 'r=$OMPI_COMM_WORLD_RANK; "$@" >"$0/out.$r" 2>"$0/err.$r"; echo $? >"$0/status.$r"'
    with tempfile.TemporaryDirectory(prefix="tptrace-mpi.") as told:
        done = run(*mpirun, "sh", "-c", script, told, *command, cwd=cwd, TPTRACE_MPI="on")
        assert done.returncode == 0, done
        done.returncode = max(map(int, read_all(told, "status.").split()))
        done.stdout = read_all(told, "out.")
        done.stderr = "".join(line for line in read_all(told, "err.").splitlines(True) if line.startswith("tptrace"))
    return done


def on_ranks(cwd, arguments):
    return started([*MPIRUN, "-n", "3"], TPTRACE, *arguments, cwd=cwd)


def ranks(n, *command, **env):
    return started([*MPIRUN, "-n", str(n)], *command, **env)


def lines(done):
    """Sorted: of two ranks that print, mpirun mixes them."""
    return sorted(done.stdout.splitlines())


def fill(folder, n, broken):
    for i in range(n):
        folder.process(f"{i:02}.tpt", rank=n - 1 - i, host=f"node{i // 8}", pid=i, seed=i % 5)
    for i in broken:
        folder.put(f"{i:02}.tpt", BROKEN + "#" * i + "\n")


def test_same(folder):
    """To the byte, with the same status; a broken trace is named by the rank that read it, and the others are reported."""
    fill(folder, 40, (5, 17, 23))
    folder.put("30.tpt", "what is this")
    largest = [f"{folder.path}/{i}.tpt" for i in (23, 17)]  # handed out first, to the last rank last
    for n, options in ((2, ["--strict"]), (3, ["--json"]), (2, ["--csv"]), (3, ["--each", "-j2"])):
        alone, shared = run(TPTRACE, "report", *options, folder.path), ranks(n, TPTRACE, "report", *options, folder.path)
        assert alone.stdout == shared.stdout and len(alone.stdout) > 3000, (options, shared)
        assert alone.returncode == shared.returncode == 1, (options, shared)
        told = [LINE.fullmatch(line) for line in shared.stderr.splitlines()]
        assert [f"tptrace: {line[2]}" for line in told] == alone.stderr.splitlines(), (alone.stderr, shared.stderr)
        assert len(told) == 4 and {int(line[1]) for line in told} <= set(range(n)), shared.stderr
        for rank, path in enumerate(largest[:n - 1], 1):
            assert f"tptrace: rank {rank}: {path}: " in shared.stderr, (rank, path, shared.stderr)


def test_job(folder):
    """What ranks wait for each other, on one host and on three, and what changes would bring."""
    for hosts in ("nnn", "nmk"):
        ranks_of.put(folder.path, [re.sub("(?m)^meta host .*", f"meta host {host}", text)
                                   for host, text in zip(hosts, ranks_of.round_trips(60))])
        for options in ([], ["--json", "--what-if"], ["--csv", "--by", "host"]):
            call = (TPTRACE, "report", *options, folder.path)
            alone, shared = run(*call), ranks(3, *call)
            assert (alone.returncode, alone.stdout) == (shared.returncode, shared.stdout), (call, alone, shared)
            assert options or "LATE SENDER" in alone.stdout, alone.stdout


def test_others(folder):
    """diff, export and plot, to the byte."""
    jobs.fill(folder.path)
    for call, wanted, got in jobs.compare(on_ranks, folder.path, jobs.CALLS[1:]):
        assert wanted[0] == got[0] < 2, (call, wanted, got)


def test_others_broken(folder):
    """They name the rank that read a broken trace, and go on with the others."""
    jobs.fill(folder.path, (3, 7))
    for call, wanted, got in jobs.compare(on_ranks, folder.path, jobs.CALLS[0::3], same_stderr=False):
        assert wanted[0] == got[0] == (2 if call[0] == "diff" else 1), (call, wanted, got)
        told = [LINE.fullmatch(line) for line in got[2].splitlines()]
        named = [line for line in told if line and ".tpt: " in line[2] and "byte" not in line[2]]
        assert len(named) == 2 and all(f"tptrace: {line[2]}\n" in wanted[2] for line in named), (call, got[2])


def test_others_once(folder):
    """What is wrong with a call, one side that is missing, and one trace: told, and written, once."""
    jobs.fill(folder.path)
    for arguments in (["diff", "a"], ["diff", "a/a00.tpt", "a/a01.tpt"], ["diff", "a", "no"], ["plot", "--what", "losses", "-o", "x.svg", "a/a00.tpt"],
                      ["export", "--to", "folded", "-o", "-", "a/a00.tpt"], ["export", "--to", "folded", "-o", "-", "a"]):
        alone, shared = run(TPTRACE, *arguments, cwd=folder.path), on_ranks(folder.path, arguments)
        assert (alone.returncode, alone.stdout) == (shared.returncode, shared.stdout), (alone, shared)
        assert shared.stderr.replace("rank 0: ", "") == alone.stderr and shared.stderr.count("\n") <= 1, (alone, shared)


def test_lost(folder):
    """--strict counts what any rank finds missing."""
    fill(folder, 6, ())
    text = many.TRACE.format(rank="meta rank 7\n", host="n", pid=3, other="o", program="app", workers=2,
                             **dict(zip("abcdefgh", range(20, 28))))
    folder.put("7.tpt", text + "- w0 lost 3\n# " + "x" * 9000 + "\n")  # the largest: rank 1 reads it
    for options, status in ((["--strict"], 3), ([], 0)):
        alone, shared = run(TPTRACE, "report", *options, folder.path), ranks(2, TPTRACE, "report", *options, folder.path)
        assert (alone.returncode, alone.stdout) == (shared.returncode, shared.stdout), (alone, shared)
        assert shared.returncode == status, (options, shared)


def test_once(folder):
    """One rank prints: also one trace, help, and what is wrong with a call; a command for one process says so."""
    path = folder.process("a.tpt")
    for arguments in (["report", path], ["report", "--help"], ["report", "--no-such"], ["report", folder.path + "/no"]):
        alone, shared = run(TPTRACE, *arguments), ranks(2, TPTRACE, *arguments)
        assert (alone.returncode, alone.stdout) == (shared.returncode, shared.stdout), (alone, shared)
        assert shared.stderr in (alone.stderr, alone.stderr.replace("tptrace: ", "tptrace: rank 0: ")), (alone, shared)
    shared = ranks(3, TPTRACE, "info", path)
    assert shared.returncode == 2 and not shared.stdout and len(shared.stderr.splitlines()) == 1, shared
    assert "without mpirun" in shared.stderr, shared


def test_scripts(folder):
    """What a rank's script starts is by itself, as other ranks need not start it; unless TPTRACE_MPI says that they do."""
    path = folder.process("a.tpt")
    script = ["sh", "-c", 'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then "$0" report --csv "$1"; fi; true', TPTRACE, folder.path]
    alone = run(TPTRACE, "report", "--csv", folder.path)
    assert ranks(2, *script).stdout == alone.stdout
    script[2] = '"$0" report --csv "$1"; true'
    assert lines(ranks(2, *script)) == sorted(2 * lines(alone))
    assert ranks(2, *script, TPTRACE_MPI="on").stdout == alone.stdout
    alone = run(TPTRACE, "report", "--csv", path)
    assert lines(ranks(2, TPTRACE, "report", "--csv", path, TPTRACE_MPI="off")) == sorted(2 * lines(alone))


def test_commands(folder):
    """Whatever name Open MPI's command has."""
    fill(folder, 3, ())
    alone = run(TPTRACE, "report", "--csv", folder.path)
    for name in filter(shutil.which, ("mpiexec", "orterun", "mpirun.openmpi", "mpiexec.openmpi")):
        shared = run(name, "--oversubscribe", "-n", "2", TPTRACE, "report", "--csv", folder.path)
        assert (alone.returncode, alone.stdout) == (shared.returncode, shared.stdout), (name, shared)


def test_without(folder):
    """Where tptrace-mpi is not, rank 0 reads all, and says so."""
    fill(folder, 3, ())
    bare = shutil.copy(TPTRACE, folder.path + "/tptrace")
    shared = ranks(2, bare, "report", folder.path)
    assert shared.returncode == 0 and shared.stdout == run(bare, "report", folder.path).stdout, shared
    assert shared.stderr.startswith("tptrace: rank 0: tptrace-mpi is not") and shared.stderr.count("\n") == 1, shared


def test_machines(folder):
    """Ranks that a daemon of mpirun starts on another machine take part; here, it is one that only looks like two."""
    agent = folder.put("agent", AGENT)
    os.chmod(agent, 0o755)
    there = [*MPIRUN, "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", agent, "--host", "tptrace-a:1,tptrace-b:1"]
    if run(*there, "true").returncode:
        print("skip ranks of two machines: the daemons of mpirun do not find each other here")
        return
    fill(folder, 9, (3,))
    alone, shared = run(TPTRACE, "report", "--json", folder.path), started(there, TPTRACE, "report", "--json", folder.path)
    assert shared.stdout == alone.stdout and shared.returncode == alone.returncode == 1, shared
    assert shared.stderr.startswith(f"tptrace: rank 1: {folder.path}/03.tpt: "), shared


def test_unlike(folder):
    """Ranks that were called differently do not work together; nobody waits forever."""
    if run(*MPIRUN, "-n", "1", "true", ":", "-n", "1", "true").returncode:
        print("skip ranks that are called differently: this mpirun cannot start two commands")
        return
    fill(folder, 3, ())
    shared = run(*MPIRUN, "-n", "1", TPTRACE, "report", folder.path, ":", "-n", "1", TPTRACE, "report", "--each", folder.path)
    assert shared.returncode and not shared.stdout, shared
    assert "rank 0: rank 1 is of another version, or was called with other arguments" in shared.stderr, shared


def in_folder(test):
    with tempfile.TemporaryDirectory(prefix="tptrace-mpi.") as path:
        test(many.Folder(TPTRACE, path))


def main():
    if not os.access(f"{BUILD}/tptrace-mpi", os.X_OK):
        print("skip ranks of mpirun: there was no mpicc to build tptrace-mpi with (libopenmpi-dev)")
        return 0
    if not shutil.which("mpirun") or "Open MPI" not in run("mpirun", "--version").stdout:
        print("skip ranks of mpirun: Open MPI's mpirun is missing (openmpi-bin)")
        return 0
    tests = [f for name, f in globals().items() if name.startswith("test_")]
    with concurrent.futures.ThreadPoolExecutor(len(tests)) as pool:  # mpirun mostly sleeps
        for _ in pool.map(in_folder, tests):
            pass
    print(f"{len(tests)} passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
