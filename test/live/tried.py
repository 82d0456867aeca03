#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tried.py - a task that takes a lock by omp_test_lock() or omp_test_nest_lock() is known to hold it.

The program prints how long it held the lock at least and at most: the trace says a time in between, that it entered,
and that the other task waited for it.  What fails is no entry.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

CLOCK_NS = 1000000  # what the recorder's clock may differ by from the program's, in 30 ms and more
COMPILERS = ("gcc", "clang")


def wrong(tptrace, program, arguments, path):
    done = subprocess.run([tptrace, "record", "-q", "-o", path, "--", program, *arguments], check=True, timeout=60,
                          env=tracing.environment(TPTRACE_CLOCK="monotonic"), capture_output=True, text=True)
    report = tracing.report_of(tptrace, path)
    os.unlink(path)
    words = done.stdout.split()
    if len(words) != 2:
        return f"the program says {done.stdout!r}"
    least, most = map(int, words)
    locks = [lock for lock in report["locks"] if lock["what"] == "lock"]
    entries = sum(lock["entries"] for lock in locks)
    held = sum(lock["held_ns"] or 0 for lock in locks if lock["function"] == "first")
    if entries != 2 + len(arguments) or not least - CLOCK_NS <= held <= most + CLOCK_NS:
        return f"held {least} to {most} ns; the trace: {entries} entries, {held} ns: {locks}"
    return None if any(lock["holders"] for lock in locks) else f"nobody holds it: {locks}"


def results(tptrace, folder):
    for compiler in filter(shutil.which, COMPILERS):
        program = os.path.join(folder, f"tried-{compiler}")
        subprocess.run([compiler, "-O2", "-g", "-fopenmp", os.path.join(HERE, "tried.c"), "-o", program], check=True)
        for arguments in ([], ["nest"]):
            yield f"tried, {compiler} {arguments}", wrong(tptrace, program, arguments, os.path.join(folder, "run.tpt"))


def main():
    args = frame.arguments(__doc__)
    with tracing.new_folder("tptrace-tried.") as folder:
        return frame.verdict("tried locks", results(args.tptrace, folder))


if __name__ == "__main__":
    sys.exit(main())
