#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - the shim for the toy runtime, which is made as shims/HOWTO.md says: a small trace is right to the
event, larger ones have as many tasks as the program creates, and a shim without a wrapper is noticed."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

SMALL = """\
w0 root 0.1
w0 create 0.2 site=1
w0 resume 0.1
w0 name task
w0 wait named site=2
w0 object task
w0 begin 0.2
w0 end
w0 resume 0.1
"""


def run(toy, shim, n, workers, trace):
    """What the program prints when it is traced with that shim."""
    env = tracing.environment(LD_PRELOAD=os.path.join(toy, shim), TPTRACE_OUTPUT=trace, TOY_WORKERS=workers)
    done = subprocess.run([os.path.join(toy, "fib"), str(n)], env=env, capture_output=True, text=True, timeout=120,
                          check=False)
    assert done.returncode == 0 and done.stderr == "", (n, workers, done)
    return done.stdout


def events_of(tptrace, trace):
    """The events as text, without times, the one address as `task`."""
    done = subprocess.run([tptrace, "dump", trace], capture_output=True, text=True, check=True, timeout=120)
    events = re.findall(r"^(?:\d+|-) (w.*)$", done.stdout, re.M)
    assert len(set(re.findall("0x[0-9a-f]+", "\n".join(events)))) == 1, events
    return "".join(re.sub("0x[0-9a-f]+", "task", event) + "\n" for event in events)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def main():
    build = frame.arguments(__doc__).build
    toy, tptrace = os.path.join(build, "toy"), os.path.join(build, "tptrace")
    with tracing.new_folder("toy") as folder:
        trace = os.path.join(folder, "small.tpt")
        run(toy, "libtpshim_toy.so", 2, 1, trace)
        events = events_of(tptrace, trace)
        assert events == SMALL, events
        for workers in (1, 4):
            trace = os.path.join(folder, f"{workers}.tpt")
            assert run(toy, "libtpshim_toy.so", 15, workers, trace) == f"{fib(15)}\n"
            report = tracing.report_of(tptrace, trace, "--strict")
            # fib(n) creates c(n) = 1 + c(n - 1) + c(n - 2) tasks, that is fib(n + 1) - 1
            assert tracing.explicit(report) == fib(16) - 1, report
            assert report["workers"] == workers, report
        trace = os.path.join(folder, "broken.tpt")
        run(toy, "libtpshim_broken.so", 2, 1, trace)
        assert events_of(tptrace, trace) != SMALL
        done = subprocess.run([tptrace, "report", "--strict", trace], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "contradicts" in done.stderr, done


main()
