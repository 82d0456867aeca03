# SPDX-License-Identifier: MIT
"""cost.py - what a fine task costs when it is recorded, by runtime, workers and cores.

All of it is of fib without cut-off, in units of the clock readings that a task needs: timed events a task,
from a trace of all events, times the cost of a reading, measured in each turn.  What starting and stopping takes
is taken out: the same is run with next to no tasks.
"""
import os
import re
import statistics

import runtimes

RUNTIMES = ("gomp", "omp", "tbb", "mth", "qth")
SMALL = 5  # next to no tasks
# name: workers, on one core
CASES = {"1 worker, pinned": (1, True), "1 worker, a spare core": (1, False),
         "2 workers, 1 core": (2, True), "2 workers, 2 cores": (2, False)}


def measure(bench):
    for runtime, called in bench.some_runtimes(RUNTIMES):
        sizes = [24 if bench.quick else 27, SMALL]
        needs = readings(bench, runtime, sizes[0])
        turns = [one_turn(bench, runtime, sizes) for _ in range(bench.n_turns(9, 3))]
        rows(bench, called, needs, turns)


def readings(bench, runtime, size):
    """Timed events a task."""
    tasks = bench.way("record", runtime, "fib", size, threads=1, env={"TPTRACE_COLLAPSE": "off"})["tasks"]
    return bench.figures("encode", bench.trace, 1)["timed"] / tasks


def one_turn(bench, runtime, sizes):
    """ns a task by case, way and clock; all without what a run with next to no tasks takes."""
    turn = {"clock": bench.figures("clock")["clock_ns"]}
    for case, (threads, pinned) in CASES.items():
        for way in ("alone", "record"):
            large, small = (bench.way(way, runtime, "fib", size, threads=threads, pinned=pinned) for size in sizes)
            tasks = large["tasks"] - small["tasks"]
            turn[case, way] = {"cpu": (large["cpu"] - small["cpu"]) * 1e9 / tasks,
                               "elapsed": (large["seconds"] - small["seconds"]) * 1e9 / tasks}
    return turn


def slowdown(turn, case):
    return turn[case, "record"]["elapsed"] / turn[case, "alone"]["elapsed"]


def rows(bench, called, needs, turns):
    for case, key, bar in (("1 worker, pinned", "cpu", 1.8), ("1 worker, a spare core", "elapsed", 1.6)):
        alone = statistics.median(t[case, "alone"][key] for t in turns)
        more = [t[case, "record"][key] - t[case, "alone"][key] for t in turns]
        clock = statistics.median(t["clock"] for t in turns)
        bench.row(f"cost: {called}, {case}", [m / needs / t["clock"] for m, t in zip(more, turns)],
                  "x its clock readings", bar, positive=True,
                  note=f"{statistics.median(more):.1f} ns of {'processor time' if key == 'cpu' else 'time'} a task more "
                       f"than {alone:.1f}, for {needs:.2f} readings of {clock:.2f}")
    for case in CASES:
        bench.row(f"cost: {called}, {case}, slower", [slowdown(t, case) for t in turns], "x as long")
    bench.row(f"cost: {called}, 2 workers on 2 cores and 1 on 1",
              [apart(slowdown(t, "2 workers, 2 cores"), slowdown(t, "1 worker, pinned")) for t in turns],
              "x apart", 1.25, note="slowdown of one over that of the other")


def apart(a, b):
    return max(a / b, b / a)


def switched_off(bench):
    """Instructions of one task with the shim preloaded and switched off."""
    for runtime, called in bench.some_runtimes(RUNTIMES):
        program = runtimes.build_program(bench.build, runtime, "fib")
        env = runtime.environment(1, bench.tmp)
        off = {**env, "TPTRACE_DISABLE": "1", "LD_PRELOAD": runtimes.shim_of(bench.build, runtime)}
        alone, more = (instructions(bench, program, e) for e in (env, off))
        bench.row(f"disabled: fib, {called}, instructions", [more / alone], "x as many", 1.01,
                  note=f"{alone:.1f} a task alone, {more - alone:+.1f}")


def instructions(bench, program, env):
    """Retired by a task, under valgrind."""
    counted, out = [], os.path.join(bench.tmp, "callgrind")
    for size in (20, SMALL):
        words = bench.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", program, "-t",
                           str(size)], env)[0].split()
        tasks = float(words[words.index("tasks") + 1])
        with open(out, encoding="utf-8") as file:
            counted.append((tasks, int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M).group(1))))
    (many, whole), (few, start) = counted
    return (whole - start) / (many - few)
