#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] [NAME..] - runs in virtual time: the runtime's schedule, with times that are drawn.

What must hold does so on a machine of any speed and load, since no time is measured: which tasks there are and what
is before what; that no worker is free for a ns while a task is ready, if the runtime costs nothing; that strands take
what was drawn.
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("lib", "port", "model")]
import runtimes  # noqa: E402
import tiles  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402
from tracing import run  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD = ARGS.build
TPTRACE = ARGS.tptrace
BODIES = os.path.join(BUILD, "virtual", "bodies")
BODIES_OMP = BODIES + "-omp"  # by clang, on libomp: undeferred tasks run their code, as clang's code calls it itself
ALGORITHMS = {"tiles/cholesky": tiles.cholesky, "tiles/qr": tiles.qr}


def record(path, program, *options, status=0, **env):
    for old in (path, path + ".db"):
        if os.path.exists(old):
            os.unlink(old)
    return run(TPTRACE, "record", "-q", "-o", path, *options, "--", *program, status=status, **env)


def model(path, program, runtime=None, workers=1, **env):
    where = runtime.environment(workers, os.path.dirname(path)) if runtime else {"OMP_NUM_THREADS": 1}
    return record(path, program, "--collapse=off", **{**where, **env})


def report(path):
    found = tracing.report_of(TPTRACE, path)
    wrong = list(tracing.wrong_sums(found))
    assert not wrong and found["events_lost"] == found["calls_lost"] == 0, (path, wrong)
    assert not any(r.get("note") for r in found["runtimes"]), found["runtimes"]
    return found


def kinds(found):
    """Tasks by kind; their own code alone is known to be the same in each run."""
    return sorted((k["name"], k["line"], k["tasks"]) for k in found["kinds"] if k["what"] in ("task", "loop"))


def creator(path):
    """How long the strands of the task that creates took, in their order, but for the last ones."""
    run(TPTRACE, "export", "--to", "sqlite", "-o", path + ".db", path)
    with tiles.sqlite3.connect(path + ".db") as db:
        found = db.execute("SELECT s.end_ns - s.start_ns FROM strand s JOIN task t ON t.id = s.task JOIN kind k ON "
                           "k.id = t.kind WHERE k.what = 'implicit' AND t.id = (SELECT task FROM strand GROUP BY task "
                           "ORDER BY count(*) DESC LIMIT 1) ORDER BY s.start_ns").fetchall()
    return [ns for ns, in found][:-4]


def both():
    return [BODIES, *([BODIES_OMP] if os.path.exists(BODIES_OMP) else [])]


def other_libomps():
    """The folders of those that `make libomps` has fetched and clang's code can run on: none older than clang."""
    clang = run("clang", "-dumpversion").stdout.split(".")[0] if os.path.exists(BODIES_OMP) else "0"
    return [folder for folder in glob.glob(os.path.join(BUILD, "omp[0-9]*", "usr", "lib", "llvm-*", "lib"))
            if int(re.search(r"/llvm-(\d+)/", folder)[1]) >= int(clang) > 0]


def greedy(runtime, command, path, workers):
    """Of tiles, where the runtime costs nothing: while a task is ready and has not begun, all workers run tasks."""
    free = path + ".free.tpt"
    record(free, command, "--virtual", path, "-P", str(workers), "--virtual-costs", "0", status=None)
    report(free)
    run(TPTRACE, "export", "--to", "sqlite", "-o", free + ".db", free)
    with tiles.sqlite3.connect(free + ".db") as db:
        ran = db.execute("SELECT t.id, t.created_ns, s.start_ns, s.end_ns FROM task t JOIN kind k ON k.id = t.kind JOIN "
                         "strand s ON s.task = t.id WHERE k.what = 'task'").fetchall()
        before = db.execute("SELECT b.task, max(a.end_ns) FROM edge e JOIN strand a ON a.id = e.from_strand JOIN strand "
                            "b ON b.id = e.to_strand WHERE e.kind = 'depend' GROUP BY b.task").fetchall()
        creator = db.execute("SELECT s.start_ns, s.end_ns FROM strand s JOIN task t ON t.id = s.task JOIN kind k ON "
                             "k.id = t.kind WHERE k.what IN ('implicit', 'root')").fetchall()
    ends, busy = dict(before), [(start, end) for _, _, start, end in ran]
    busy += [] if runtime.key == "starpu" else creator
    for task, created, start, _ in ran:
        ready = max(created, ends.get(task, 0))
        n = min((sum(a <= at < b for a, b in busy) for at in {ready, *(b for _, b in busy if ready < b < start)}),
                default=workers) if ready < start else workers
        assert n >= workers, f"{runtime.name}, {workers} workers: {n} ran while task {task} waited {start - ready} ns"


# ---- the checks ----

def check_tiles(folder):
    """Tile Cholesky and QR: tasks of each kind, and what is before each, as the algorithm and real runs have them."""
    if runtimes.missing_lapack():
        print(f"skip virtual tiles: {runtimes.missing_lapack()}")
        return
    for runtime in runtimes.find(BUILD):
        if runtime.key not in REPLACED or runtime.missing:
            continue
        for program, algorithm in ALGORITHMS.items():
            command = [runtimes.build_program(BUILD, runtime, program, ["TILE=32"]), str(tiles.N)]
            inserted = list(algorithm())
            names, before = [name for name, _, _ in inserted], tiles.expected(inserted)
            path, real, virtual = (os.path.join(folder, name) for name in ("model.tpt", "real.tpt", "virtual.tpt"))
            model(path, command, runtime)
            model(real, command, runtime, workers=2)
            reals = [(kinds(report(of)), *tiles.traced(TPTRACE, of)) for of in (path, real)]
            for workers in (1, 2, 4 if runtime.key == "starpu" else 7):
                record(virtual, command, "--virtual", path, "-P", str(workers), status=None)
                found, has = tiles.traced(TPTRACE, virtual)
                assert len(found) == len(names) and len(set(zip(found, names))) == len(set(names)), (found, names)
                assert has == before, f"{runtime.name}, {program}, {workers} workers: other precedence"
                for by_kind, in_order, had in reals:
                    assert by_kind == kinds(report(virtual)), (runtime.name, by_kind, kinds(report(virtual)))
                    assert len(set(zip(in_order, found))) == len(set(found)), (runtime.name, in_order, found)
                    assert had == has, f"{runtime.name}, {program}, {workers} workers: a real run has other precedence"
                assert report(virtual)["workers"] == workers, runtime.name
                greedy(runtime, command, path, workers)


def check_bodies(folder):
    """No task's code runs, in whatever form it is handed over, and all tasks are there."""
    for program in both():
        one_program(folder, program, "0 ran\n" if program == BODIES else "12 ran\n")


def one_program(folder, program, expected):
    path, virtual = (os.path.join(folder, name) for name in ("model.tpt", "virtual.tpt"))
    ran = model(path, [program]).stdout
    plain = report(path)
    assert ran == "54 ran\n" and plain["virtual"] is None, (ran, plain["virtual"])
    for workers in (1, 2, 5, 16):
        ran = record(virtual, [program], "--virtual", path, "-P", str(workers)).stdout
        found = report(virtual)
        assert ran == expected, ran
        assert kinds(found) == kinds(plain), (kinds(found), kinds(plain))
        assert found["virtual"].startswith(path) and "54 tasks" in found["virtual"], found["virtual"]
        assert found["workers"] == workers, (workers, found["workers"])
        assert found["machine"]["cpus"] is None, found["machine"]
        assert found["head_ns"] is None and found["tail_ns"] is None
    text = run(TPTRACE, "report", virtual).stdout
    assert "VIRTUAL TIME: no task ran its code" in text, text


def check_settled(folder):
    """Where the runtime costs nothing, no worker is free while a task is ready: no task left too early."""
    path, virtual = (os.path.join(folder, name) for name in ("model.tpt", "virtual.tpt"))
    runs = [(program, {}) for program in both()]
    runs += [(BODIES_OMP, {"LD_LIBRARY_PATH": folder}) for folder in other_libomps()]
    for program, env in runs:
        model(path, [program], **env)
        for workers in (1, 2, 3, 8):
            record(virtual, [program], "--virtual", path, "-P", str(workers), "--virtual-costs", "0",
                   OMP_WAIT_POLICY="passive", **env)
            found = report(virtual)
            assert found["delay_ns"] == 0, (program, env, workers, found["delay_ns"])
            assert workers > 1 or found["work_ns"] == found["elapsed_ns"], found


def check_drawn(folder):
    """A creator takes what is drawn, and no more, though it sleeps while tasks are in the queue."""
    path, virtual = (os.path.join(folder, name) for name in ("model.tpt", "virtual.tpt"))
    model(path, [BODIES])
    found = []
    for workers in (1, 2, 4):
        record(virtual, [BODIES], "--virtual", path, "-P", str(workers))
        found.append(creator(virtual))
    assert len(found[0]) > 40 and found[0] == found[1] == found[2], [
        [(i, a, b) for i, (a, b) in enumerate(zip(found[0], other)) if a != b] for other in found[1:]]


def check_seeds(folder):
    """A seed gives the same times again, another one others; costs are what they are told to be."""
    path, virtual = (os.path.join(folder, name) for name in ("model.tpt", "virtual.tpt"))
    model(path, [BODIES])

    def once(*options):
        record(virtual, [BODIES], "--virtual", path, "-P", "1", *options)
        return report(virtual)

    first, again, other = once(), once(), once("--virtual-seed", "2")
    assert first["work_ns"] == again["work_ns"] and first["elapsed_ns"] == again["elapsed_ns"], (first, again)
    free, twice = once("--virtual-costs", "0"), once("--virtual-costs", "2")
    assert free["work_ns"] == first["work_ns"] == twice["work_ns"], [r["work_ns"] for r in (free, first, twice)]
    assert free["elapsed_ns"] == free["work_ns"]
    cost, double = (r["elapsed_ns"] - r["work_ns"] for r in (first, twice))
    assert abs(double - 2 * cost) <= 2 * first["strands"], (cost, double)
    assert other["elapsed_ns"] != first["elapsed_ns"]


def check_told(folder):
    """Commands that compare or learn from runs say that time was virtual, or refuse it."""
    path, virtual = (os.path.join(folder, name) for name in ("model.tpt", "virtual.tpt"))
    model(path, [BODIES])
    record(virtual, [BODIES], "--virtual", path)
    diff = run(TPTRACE, "diff", path, virtual, status=None).stdout
    assert "B ran in virtual time" in diff and "A ran" not in diff, diff
    assert "of virtual time" in run(TPTRACE, "simulate", virtual).stderr
    assert "of virtual time" in run(TPTRACE, "predict", "--at", "n=9", virtual, virtual, status=None).stderr
    run(TPTRACE, "view", "-o", os.path.join(folder, "page.html"), virtual)
    run(TPTRACE, "plot", "--what", "timelines", "-o", os.path.join(folder, "run.svg"), virtual)
    assert "virtual: " in run(TPTRACE, "info", virtual).stdout


def check_refused(folder):
    """One line and status 2, and the program does not run."""
    path, virtual, nested, collapsed = (os.path.join(folder, name) for name in (
        "model.tpt", "virtual.tpt", "nested.tpt", "collapsed.tpt"))
    model(path, [BODIES])
    record(virtual, [BODIES], "--virtual", path)
    gomp = next(r for r in runtimes.find(BUILD) if r.key == "gomp")
    fib = [runtimes.build_program(BUILD, gomp, "fib"), "8"]
    model(nested, fib)
    record(collapsed, fib, OMP_NUM_THREADS=1)

    def refused(say, *options, program=(BODIES,), **env):
        done = record(os.path.join(folder, "no.tpt"), program, *options, status=2, **env)
        assert say in done.stderr and "ran" not in done.stdout, (options, done.stderr)
        assert not os.path.exists(os.path.join(folder, "no.tpt"))

    refused("create tasks, so their code has to run", "--virtual", nested, program=fib)
    refused("record it with --collapse=off", "--virtual", collapsed, program=fib)
    tbb = next(r for r in runtimes.find(BUILD) if r.key == "tbb")
    if not tbb.missing:
        other = [runtimes.build_program(BUILD, tbb, "fib"), "8"]
        model(os.path.join(folder, "other.tpt"), other, tbb)
        refused("needs a program on libgomp, libomp or StarPU", "--virtual", os.path.join(folder, "other.tpt"),
                program=other)
    refused("needs another STARPU_SCHED", "--virtual", path, STARPU_SCHED="dmdas")
    refused("was recorded with --virtual", "--virtual", virtual)
    refused("No such file", "--virtual", os.path.join(folder, "none.tpt"))
    refused("-P needs --virtual", "-P", "3")
    refused("--workers takes", "-P", "0", "--virtual", path)
    refused("--virtual-costs", "--virtual-costs", "x", "--virtual", path)
    refused("do not go together", "--virtual", path, "--counters", "cpu-time")
    refused("do not go together", "--virtual", path, "--inside")
    with open(os.path.join(folder, "odd"), "wb") as odd:
        odd.write(b"tptvirt1" + bytes(1000))
    shim, probe = (os.path.join(BUILD, f"libtp{name}.so") for name in ("shim_omp", "probe_virtual"))
    for preload, line in ((f"{shim}:{probe}", "time is not virtual"), (shim, "probe_virtual.so is not in LD_PRELOAD")):
        said = run(BODIES, LD_PRELOAD=preload, TPTRACE_OUTPUT=virtual, TPTRACE_VIRTUAL=odd.name)
        assert said.stdout == "54 ran\n" and line in said.stderr and said.stderr.count("TPTRACE_VIRTUAL") == 1, said


REPLACED = ("gomp", "omp", "starpu")


if __name__ == "__main__":
    CHECKS = [(name[6:], function) for name, function in globals().items() if name.startswith("check_")]
    sys.exit(frame.run("virtual", ARGS, CHECKS))
