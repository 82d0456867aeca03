#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""recorded.py [--build DIR] - recorded runs of real programs: counts that follow a rule are predicted exactly, sums add up, and
`record --param` and `simulate` keep what the user said of the input.  How near times come is scripts/evaluate-predict's.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "port"), os.path.join(HERE, "..", "lib")]
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402

PARTS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
# program: sizes on 1 and 2 workers, a larger one, whether its tasks have to be exact there
PROGRAMS = {
    "fib": (range(8, 15), 17, True),  # each call is the two before
    "bots/fib": (range(17, 24), 26, True),  # behind its cut-off: 2046
    "bots/fft": (range(9, 13), 13, False),
    "bots/nqueens": (range(4, 8), 8, False),
    "sort": ((5000, 10000, 20000, 40000), 80000, False),
    "bots/sparselu": ((2, 3, 4, 5, 6), 7, False),
    "bots/strassen": ((128, 192, 256, 320), 384, False),
}
# what predict says of work that was mostly noise, as of 1 ms on a busy machine: asked again, then said
REFUSALS = ("is too far from the traces", "no law tells how the work grows")
TRIES = 3


class Wrong(Exception):
    pass


def run(tptrace, *command, status=0, **env):
    done = subprocess.run([tptrace, *map(str, command)], capture_output=True, text=True, check=False,
                          env=tracing.environment(**env))
    if done.returncode != status:
        raise Wrong(f"tptrace {' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


def record(tptrace, path, program, size, env, param):
    run(tptrace, "record", "-q", "--param", param, "-o", path, "--", program, size, **env)


def tasks_of(tptrace, path):
    report = json.loads(run(tptrace, "report", "--json", path))
    return tracing.explicit(report)


def check_program(build, runtime, name, folder):
    tptrace = os.path.join(build, "tptrace")
    sizes, far, exact = PROGRAMS[name]
    program = runtimes.build_program(build, runtime, name)
    paths = []
    for workers in (1, 2):
        env = runtime.environment(workers, folder)
        for size in sizes:
            paths.append(os.path.join(folder, f"{size}-{workers}.tpt"))
            record(tptrace, paths[-1], program, size, env, f"n={size}")
    paths.append(os.path.join(folder, "far.tpt"))
    record(tptrace, paths[-1], program, far, runtime.environment(1, folder), f"n={far}")
    is_tasks = tasks_of(tptrace, paths.pop())
    # the next size is near enough, however much of its time other programs took
    points = ["--at", f"n={sizes[-1]}", "--at", f"n={sizes[-1]},p=64", *(["--at", f"n={far},p=2"] if exact else [])]
    done = subprocess.run([tptrace, "predict", "--json", *points, *paths], capture_output=True, text=True, check=False)
    if done.returncode and any(refusal in done.stderr for refusal in REFUSALS):
        return f"{name}: {done.stderr.strip()}"
    if done.returncode:
        raise Wrong(f"{name}: {done.stderr}")
    said = json.loads(done.stdout)
    for at in said["predictions"]:
        if abs(sum(at[part] for part in PARTS) - at["elapsed_ns"] * at["p"]) > at["p"] + 4:
            raise Wrong(f"{name}: parts are not elapsed x p: {at}")
        if not at["low_ns"] <= at["elapsed_ns"] <= at["high_ns"] or at["elapsed_ns"] < at["bound_ns"] - 2:
            raise Wrong(f"{name}: bounds: {at}")
    if exact and not (at["tasks_exact"] and at["tasks"] == is_tasks):
        raise Wrong(f"{name}: {at['tasks']} tasks predicted for n={far}, of {is_tasks}; exact: {at['tasks_exact']}")
    if len(said["traces"]) != 2 * len(sizes) or any(trace["model"]["elapsed_ns"] <= 0 for trace in said["traces"]):
        raise Wrong(f"{name}: traces {said['traces']}")
    for trace in said["traces"]:  # waits for CPUs were taken out of all parts alike
        if abs(sum(trace[part] for part in PARTS) / (trace["elapsed_ns"] * trace["p"]) - 1) > 1e-4:
            raise Wrong(f"{name}: {trace}")
    return None


def check_some_run(build, runtime, name):
    for _ in range(TRIES):
        with tracing.new_folder("tptrace-predict.") as folder:
            refused = check_program(build, runtime, name, folder)
        if not refused:
            break
    return refused


def check_param(build, runtime, folder):
    """What was said of the input is in the trace, of several options too, and in a simulated one."""
    tptrace = os.path.join(build, "tptrace")
    program = runtimes.build_program(build, runtime, "fib")
    path, virtual = os.path.join(folder, "param.tpt"), os.path.join(folder, "virtual.tpt")
    env = runtime.environment(2, folder)
    run(tptrace, "record", "-q", "--param", "n=10", "--param", "block=a%b c", "-o", path, "--", program, "10", **env)
    if "param: n=10,block=a%b c\n" not in run(tptrace, "info", path):
        raise Wrong(run(tptrace, "info", path))
    run(tptrace, "simulate", "-P", "4", "-o", virtual, path)
    if "param: n=10,block=a%b c\n" not in run(tptrace, "info", virtual):
        raise Wrong(run(tptrace, "info", virtual))
    os.unlink(path)
    run(tptrace, "record", "-q", "-o", path, "--", program, "10", TPTRACE_PARAM="n=11", **env)
    if "param: n=11\n" not in run(tptrace, "info", path):
        raise Wrong(run(tptrace, "info", path))
    for bad in (["n"], ["n="], ["=3"], ["n=1,n=2"], ["n=1,"], ["2n=1"], ["n=1", "--param", "n=2"], ["n=abc"], ["n=0"],
                ["n=-4"], ["n=1k"], ["block=x,n=inf"], ["p=two"], ["p=1.5"]):
        said = run(tptrace, "record", "--param", *bad, "true", status=2)
        if said.count("\n") != 1 or "n=1000,block=32" not in said:
            raise Wrong(f"{bad}: {said}")
    for bad in ("n", "n=abc"):
        run(tptrace, "record", "true", status=2, TPTRACE_PARAM=bad)


def main():
    build = frame.arguments(__doc__).build
    (runtime,) = [r for r in runtimes.find(build) if r.key == "gomp"]
    if runtime.missing:
        print(f"skip predict of recorded runs: {runtime.missing}")
        return 0
    failed, noise = 0, []
    for name in PROGRAMS:
        try:
            noise.append(check_some_run(build, runtime, name))
        except Wrong as wrong:
            print(wrong)
            failed += 1
    with tracing.new_folder("tptrace-predict.") as folder:
        try:
            check_param(build, runtime, folder)
        except Wrong as wrong:
            print(wrong)
            failed += 1
    for line in filter(None, noise):
        print(f"not checked, {line}")
    print(f"predict: {len(PROGRAMS) + 1 - failed} recorded cases passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
