#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tiles.py [--build DIR] - tile Cholesky and tile QR: which tasks there are, by kind, and which comes before which, as the algorithm has it.

Of the recorded run, on OpenMP's depend and on StarPU's data, and of its simulation on seven workers.
"""
import itertools
import os
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "port"), os.path.join(HERE, "..", "lib")]
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402

N = 5  # tiles a side


def cholesky():
    """Kernel, what it writes, what it reads; in the order of insertion."""
    for k in range(N):
        yield "potrf", {(k, k)}, set()
        for i in range(k + 1, N):
            yield "trsm", {(i, k)}, {(k, k)}
        for i in range(k + 1, N):
            yield "syrk", {(i, i)}, {(i, k)}
            for j in range(k + 1, i):
                yield "gemm", {(i, j)}, {(i, k), (j, k)}


def qr():
    for k in range(N):
        yield "geqrt", {(k, k), (k, k, "lower")}, set()
        for j in range(k + 1, N):
            yield "ormqr", {(k, j)}, {(k, k, "lower")}
        for i in range(k + 1, N):
            yield "tsqrt", {(k, k), (i, k)}, set()
            for j in range(k + 1, N):
                yield "tsmqr", {(k, j), (i, j)}, {(i, k)}


def closure(before):
    """All that come before each, of those that come just before it; earlier ones have smaller numbers."""
    for i, some in enumerate(before):
        before[i] = some.union(*(before[k] for k in some))
    return before


def expected(inserted):
    """One is before another that it shares data with, unless both only read."""
    return closure([{k for k in range(i) if writes & (inserted[k][1] | inserted[k][2]) or reads & inserted[k][1]}
                    for i, (_, writes, reads) in enumerate(inserted)])


def traced(tptrace, path):
    """Kinds of the tasks in the order of their creation, and which were before each."""
    base = path + ".db"
    subprocess.run([tptrace, "export", "--to", "sqlite", "-o", base, path], check=True, capture_output=True)
    with sqlite3.connect(base) as db:
        tasks = db.execute("SELECT t.id, t.kind FROM task t JOIN kind k ON k.id = t.kind WHERE k.what = 'task' "
                           "ORDER BY t.created_ns, t.id").fetchall()
        edges = db.execute("SELECT a.task, b.task FROM edge e JOIN strand a ON a.id = e.from_strand JOIN strand b ON "
                           "b.id = e.to_strand WHERE e.kind = 'depend'").fetchall()
    number = {task: i for i, (task, _) in enumerate(tasks)}
    before = [set() for _ in tasks]
    for a, b in edges:
        before[number[b]].add(number[a])
    return [kind for _, kind in tasks], closure(before)


def wrong(tptrace, path, inserted):
    virtual = path + ".virtual.tpt"
    subprocess.run([tptrace, "simulate", "-P", "7", "-o", virtual, path], check=True, capture_output=True)
    names, before = [name for name, _, _ in inserted], expected(inserted)
    for what, trace in (("recorded", path), ("simulated", virtual)):
        kinds, has = traced(tptrace, trace)
        if len(kinds) != len(names) or len(set(zip(kinds, names))) != len(set(names)):
            yield f"{what}: {len(kinds)} tasks of {len(set(kinds))} kinds, not {len(names)} of {len(set(names))}"
        elif has != before:
            i = next(i for i, (a, b) in enumerate(zip(has, before)) if a != b)
            yield f"{what}: before task {i}, {names[i]}, are {sorted(has[i])}, not {sorted(before[i])}"


def main():
    build = frame.arguments(__doc__).build
    tptrace = os.path.join(build, "tptrace")
    missing, passed, failed = runtimes.missing_lapack(), 0, 0
    if missing:
        print(f"skip model of tiles: {missing}")
        return 0
    usable = [r for r in runtimes.find(build) if r.key in ("gomp", "starpu") and not r.missing]
    for runtime, (program, algorithm) in itertools.product(usable, (("tiles/cholesky", cholesky), ("tiles/qr", qr))):
        command = [runtimes.build_program(build, runtime, program, ["TILE=32"]), str(N)]
        with tracing.new_folder("tptrace-tiles.") as folder:
            path = os.path.join(folder, "run.tpt")
            subprocess.run([tptrace, "record", "-q", "-o", path, "--", *command], check=True, stdout=subprocess.DEVNULL,
                           env=tracing.environment(TPTRACE_COLLAPSE="off", **runtime.environment(1, folder)))
            said = list(wrong(tptrace, path, list(algorithm())))
        for line in said:
            print(f"{runtime.name}, {program}: {line}")
        failed += bool(said)
        passed += not said
    print(f"tiles: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
