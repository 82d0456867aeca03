#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - programs that end, double, are replaced or get into trouble, traced and not.

What a program prints and how it ends must be the same as without tptrace; its traces must add up,
hold all tasks that were made, and say how the process ended.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ARGS = argparse.ArgumentParser()
ARGS.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
ARGS.add_argument("--only", default="", help="tests whose name holds this")
ARGS = ARGS.parse_args()
BUILD = os.path.abspath(ARGS.build)
TPTRACE = os.path.join(BUILD, "tptrace")
SHIM = os.path.join(BUILD, "libtpshim_omp.so")
TESTS = []


def test(function):
    TESTS.append((function.__name__, function))
    return function


def compile_program(name, *flags, cc="gcc", omp=True, source=None):
    suffix = "".join(flags).replace("-", "").replace("/", "_").replace(",", "_")
    out = os.path.join(BUILD, "life", f"{name}-{cc}{'' if omp else '-serial'}{suffix}")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    source = os.path.join(HERE, source or name + ".c")
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(source):
        subprocess.run([cc, "-D_GNU_SOURCE", "-O2", "-g", "-w", source, "-o", out + ".part",
                        *(["-fopenmp"] if omp else []), *flags, "-lpthread", "-ldl"], check=True)
        os.rename(out + ".part", out)
    return out


def run(command, preload=None, timeout=120, before=None, **env):
    full = {key: value for key, value in os.environ.items() if not key.startswith("TPTRACE_")}
    full.update({key: str(value) for key, value in env.items()})
    if preload:
        full["LD_PRELOAD"] = preload
    return subprocess.run(command, capture_output=True, env=full, timeout=timeout, check=False,
                          errors="replace", text=True, preexec_fn=before)


def traces(folder):
    return sorted(glob.glob(f"{folder}/*.tpt*"), key=os.path.getmtime)


def figures(path):
    done = run([TPTRACE, "report", "--json", path])
    assert done.returncode == 0, (path, done.returncode, done.stderr)
    f = json.loads(done.stdout)
    columns = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
    assert sum(f[c] for c in columns) == f["elapsed_ns"] * f["workers"] == f["cumulative_ns"], f
    return f


def explicit(f):
    return sum(kind["tasks"] for kind in f["kinds"] if kind["what"] == "task")


def ended(path):
    lines = run([TPTRACE, "dump", path]).stdout.splitlines()
    (words,) = [line.split(" ", 2)[2] for line in lines if line.startswith("meta ended ")]
    return words.replace("%20", " ")


def same(folder, program, *arguments, shim=SHIM, status=None, before=None, **env):
    """Runs it without tptrace and with it; what it says and how it ends must not differ."""
    plain = run([program, *arguments], before=before, **env)
    traced = run([program, *arguments], preload=shim, before=before,
                 TPTRACE_OUTPUT=f"{folder}/", **env)
    assert (plain.stdout, plain.stderr, plain.returncode) == \
        (traced.stdout, traced.stderr, traced.returncode), (plain, traced)
    assert status is None or traced.returncode == status, traced
    return traced


TASKS = 1000

# way: exit status, and the traces in order of their ends: explicit tasks, how it ended
WAYS = {
    "exit": (20, [(TASKS, "cleanly")]),
    "_exit": (21, [(TASKS, "by _exit")]),
    "_Exit": (22, [(TASKS, "by _Exit")]),
    "quick_exit": (23, [(TASKS + 10, "by quick_exit")]),
    "abort": (-6, [(TASKS, "by abort")]),
    "assert": (-6, [(TASKS, "by assert")]),
    "threads": (32, [(TASKS, "by _exit")]),
    "handler": (31, [(TASKS, "by _exit")]),
    "caught_abort": (33, [(2 * TASKS, "cleanly")]),
    "exec_fails": (34, [(2 * TASKS, "cleanly")]),
    "exec_self": (20, [(TASKS, "by exec"), (TASKS, "cleanly")]),
    "execl": (35, [(TASKS, "by exec")]),
    "execlp": (35, [(TASKS, "by exec")]),
    "execle": (35, [(TASKS, "by exec")]),
    "execv": (35, [(TASKS, "by exec")]),
    "execvp": (35, [(TASKS, "by exec")]),
    "execve": (35, [(TASKS, "by exec")]),
    "execvpe": (35, [(TASKS, "by exec")]),
    "vfork": (36, [(2 * TASKS, "cleanly")]),
    "spawn": (37, [(2 * TASKS, "cleanly")]),
    "fork": (38, [(TASKS, "cleanly"), (TASKS, "by _exit"), (2 * TASKS, "cleanly")]),
    "fork_inside": (39, [(2 * TASKS + 1, "cleanly")]),
    "bare_fork": (40, [(TASKS, "by _exit")] * 2 + [(TASKS, "cleanly")]),
    "double_fork": (42, [(TASKS, "cleanly"), (TASKS, "cleanly")]),
    "daemon": (0, [(TASKS, "by daemon"), (TASKS, "cleanly")]),
    "late_fork": (38, [(TASKS, "cleanly"), (TASKS, "by _exit"), (TASKS, "cleanly")]),
    "late_daemon": (0, [(TASKS, "cleanly")]),
}


def way_test(way, status, wanted):
    def check(folder):
        program = compile_program("ends")
        same(folder, program, way, status=status)
        for _ in range(100):  # a daemon's end is not the run's
            found = sorted((explicit(figures(path)), ended(path)) for path in traces(folder)
                           if b"tptrend" in open(path, "rb").read()[-16:])
            if found == sorted(wanted):
                return
            subprocess.run(["sleep", "0.05"], check=True)
        raise AssertionError((way, "found", found, "wanted", wanted))
    return check


TESTS += [(f"way_{way}", way_test(way, *wanted)) for way, wanted in WAYS.items()]


@test
def fork_ignored(folder):
    same(folder, compile_program("ends"), "fork", status=38, TPTRACE_FORK="ignore")
    assert [explicit(figures(path)) for path in traces(folder)] == [2 * TASKS], traces(folder)


@test
def fork_beside_others(folder):
    same(folder, compile_program("ends"), "fork_beside", status=43)
    counts = [explicit(figures(path)) for path in traces(folder)]
    assert len(counts) == 61 and sorted(counts)[:60] == [10] * 60, counts


def one(named, folder):
    name, function = named
    try:
        return name, function(folder), None
    except Exception as error:  # every kind is a failure
        return name, None, f"{type(error).__name__}: {str(error)[:1500]}"


def main():
    passed = failed = skipped = 0
    for named in TESTS:
        if ARGS.only not in named[0]:
            continue
        with tempfile.TemporaryDirectory(prefix="tptrace-life.") as folder:
            name, why, error = one(named, folder)
        failed += error is not None
        skipped += why is not None
        passed += error is None and why is None
        if error:
            print(f"FAIL {name}: {error}")
        if why:
            print(f"skip {name}: {why}")
    print(f"life: {passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


sys.exit(main())
