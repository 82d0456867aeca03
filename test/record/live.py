#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""live.py - tools tell a trace that is still being written from one that nobody closed, with both collectors."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.options(__doc__)
BUILD = ARGS.build
TPTRACE = os.path.join(BUILD, "tptrace")
PROGRAM = os.path.join(BUILD, "record", "tasks-gcc")
PATIENCE = 45
LIVE, CLOSED = "is still being recorded (pid {})", "whole"


def compile_program():
    os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
    if not os.path.exists(PROGRAM):
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", os.path.join(HERE, "tasks.c"), "-o", PROGRAM],
                       check=True)


def tptrace(*words):
    return subprocess.run([TPTRACE, *words], capture_output=True, text=True, timeout=60, check=False,
                          env=tracing.environment())


def state(path):
    (line,) = [line for line in tptrace("info", path).stdout.splitlines() if line.startswith("state: ")]
    return line[len("state: "):]


def awaited(get, what):
    """What `get` returns as soon as it is something."""
    for _ in range(PATIENCE * 20):
        value = get()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited for {what} in vain")


def has_tasks(folder):
    """The trace, once a task is in it; and its process."""
    for path in glob.glob(f"{folder}/*.tpt"):
        done = tptrace("report", "--json", path)
        if done.returncode == 0 and json.loads(done.stdout)["tasks"] >= 40:
            return path, json.loads(done.stdout)["pid"]
    return None


def not_claimed(path):
    words = state(path)
    assert "still" not in words and "without closing" in words, words


def check(inside):
    with tempfile.TemporaryDirectory(prefix="tptrace-live.") as folder:
        command = [TPTRACE, "record", "-q", "-o", f"{folder}/", *(["--inside"] if inside else []), PROGRAM, "pause"]
        for number in (signal.SIGKILL, signal.SIGTERM):
            with subprocess.Popen(command, env=tracing.environment(), stdout=subprocess.DEVNULL) as run:
                pid = None
                try:
                    path, pid = awaited(lambda: has_tasks(folder), "a trace with tasks")
                    live = LIVE.format(pid)
                    assert state(path).startswith(live), state(path)
                    report = tptrace("report", path)
                    assert report.returncode == 0 and live in report.stdout and live in report.stderr, report
                    assert "without closing" not in report.stdout + report.stderr, report
                    assert tptrace("report", "--strict", path).returncode == 3
                    both = tptrace("report", path, path)
                    assert both.stdout.count("  running") == 2, both
                    copy = shutil.copy(path, f"{folder}/copy")
                    not_claimed(copy)  # which nobody writes
                finally:
                    os.kill(pid or run.pid, number)
                    run.wait(PATIENCE)
            if inside:
                not_claimed(path)
                assert tptrace("recover", path).returncode == 0 and state(path) == CLOSED, state(path)
            else:
                assert awaited(lambda: state(path) == CLOSED, "the collector's end"), state(path)
            os.unlink(path)
            # another process has that number now: one of ours, that does not write the trace
            text = tptrace("dump", copy).stdout
            own = text.replace(f"meta pid {pid}\n", f"meta pid {os.getpid()}\n")
            assert own != text
            lines = [line for line in own.splitlines() if not line.startswith(("meta ended", "whole "))]
            with open(f"{folder}/text", "w", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")
            done = tptrace("load", "-o", f"{folder}/loaded", f"{folder}/text")
            assert done.returncode == 0, done
            cut_at_its_end(f"{folder}/loaded")
            with open(f"{folder}/loaded", "rb"):  # read, not written
                not_claimed(f"{folder}/loaded")
            with open(f"{folder}/loaded", "ab"):
                assert state(f"{folder}/loaded").startswith(LIVE.format(os.getpid()))
            for name in ("copy", "text", "loaded"):
                os.unlink(f"{folder}/{name}")


def cut_at_its_end(path):
    """Takes the footer away; the index is a block like others."""
    os.truncate(path, os.path.getsize(path) - 16)


def main():
    compile_program()
    for inside in (False, True):
        check(inside)
    print("ok live: told by both collectors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
