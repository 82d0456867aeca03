#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] [TEST...] - the recorder's clock: which one it takes, and what a trace says of it."""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import tracing  # noqa: E402

ARGS = argparse.ArgumentParser(description=__doc__.splitlines()[0])
ARGS.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
ARGS.add_argument("--other", action="store_true", help="say which clock is not the default one, and stop")
ARGS.add_argument("only", nargs="*")
ARGS = ARGS.parse_args()
BUILD = os.path.abspath(ARGS.build)
TPTRACE = os.path.join(BUILD, "tptrace")
SHIM = os.path.join(BUILD, "libtpshim_omp.so")
CLOCKS = {"tsc": ("tsc", "cntvct", "monotonic"), "monotonic": ("monotonic",)}
TASKS, SMALL = 2049, 2046
LEAST_NS = 150_000_000  # its three naps
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def built(source, *flags):
    out = os.path.join(BUILD, "clock", source.rsplit(".", 1)[0] + (".so" if "-shared" in flags else ""))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    path = os.path.join(HERE, source)
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(path):
        subprocess.run(["gcc", "-O1", "-g", *flags, path, "-o", out], check=True)
    return out


def run(command, **env):
    return subprocess.run(command, env=tracing.environment(**env), capture_output=True, text=True,
                          timeout=60, check=False)


def ways(out, **env):
    """The program, recorded by a collector outside and inside; the trace of each."""
    program = built("program.c", "-fopenmp")
    outside = out + "/outside.tpt"
    done = run([TPTRACE, "record", "-q", "-o", outside, "--", program], **env)
    assert done.returncode == 0 and done.stdout == f"tasks {TASKS}\n" and not done.stderr, done
    yield outside
    inside = out + "/inside.tpt"
    preload = ":".join(filter(None, [env.pop("LD_PRELOAD", ""), SHIM]))
    done = run([program], LD_PRELOAD=preload, TPTRACE_OUTPUT=inside, **env)
    assert done.returncode == 0 and done.stdout == f"tasks {TASKS}\n" and not done.stderr, done
    yield inside


def clock_of(path):
    text = run([TPTRACE, "dump", path]).stdout
    return next(line.split()[1] for line in text.splitlines() if line.startswith("clock "))


@test
def either_clock(folder):
    for asked, clocks in CLOCKS.items():
        for path in ways(folder, TPTRACE_CLOCK=asked):
            assert clock_of(path) in clocks, (asked, clock_of(path))
            report = tracing.report_of(TPTRACE, path, "--strict")
            assert tracing.explicit(report) == TASKS, report
            assert report["elapsed_ns"] >= LEAST_NS, report["elapsed_ns"]
            os.remove(path)
        path = f"{folder}/{asked}.tpt"
        done = run([TPTRACE, "record", "-q", "--clock", asked, "-o", path, "--", built("program.c", "-fopenmp")])
        assert done.returncode == 0 and not done.stderr, done
        assert clock_of(path) in clocks, (asked, clock_of(path))


@test
def collapsed_or_not(folder):
    """What is collapsed depends on lengths in ticks: with either clock some of it is, and nothing is lost."""
    for asked in CLOCKS:
        for collapse in ("off", "100us"):
            for path in ways(folder, TPTRACE_CLOCK=asked, TPTRACE_COLLAPSE=collapse):
                report = tracing.report_of(TPTRACE, path, "--strict")
                assert tracing.explicit(report) == TASKS, report
                said = run([TPTRACE, "info", path]).stdout
                n = next(int(line.split()[-1]) for line in said.splitlines() if line.startswith("collapsed"))
                assert n > SMALL / 4 if collapse != "off" else n == 0, (path, n)
                os.remove(path)


@test
def faked_clock(folder):
    """The trace has the machine's time, whatever the program is made to believe."""
    faked = built("faked.c", "-shared", "-fPIC")
    for asked in CLOCKS:
        for path in ways(folder, TPTRACE_CLOCK=asked, LD_PRELOAD=faked):
            report = tracing.report_of(TPTRACE, path, "--strict")
            assert report["elapsed_ns"] >= LEAST_NS, (path, asked, report["elapsed_ns"])
            os.remove(path)


def main():
    failed = 0
    if ARGS.other:
        with tempfile.TemporaryDirectory(prefix="tptrace-clock.") as folder:
            print("tsc" if clock_of(next(ways(folder))) == "monotonic" else "monotonic")
        return 0
    for function in TESTS:
        if ARGS.only and function.__name__ not in ARGS.only:
            continue
        with tempfile.TemporaryDirectory(prefix="tptrace-clock.") as folder:
            try:
                function(folder)
                result = "ok"
            except (AssertionError, subprocess.SubprocessError, OSError, ValueError) as problem:
                failed += 1
                result = f"FAILED\n    {type(problem).__name__}: {str(problem)[:1500]}"
            print(f"{function.__name__}: {result}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
