#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - names and regions that programs give by ITT and NVTX (record --annotations)."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD = ARGS.build
TPTRACE = ARGS.tptrace
TASKS = 50


def program():
    out = os.path.join(BUILD, "itt", "program")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-g", "-fopenmp",
                    os.path.join(HERE, "program.c"), "-o", out, "-ldl"], check=True)
    return out


def printed(tasks):
    return f"{1 + tasks + tasks + 3 * tasks + 2 * tasks}\n"


def record(folder, *options, tasks=TASKS, **env):
    trace = os.path.join(folder, "t.tpt")
    done = subprocess.run([TPTRACE, "record", "-q", "--force", *options, "-o", trace, "--", program(), str(tasks)],
                          capture_output=True, text=True, check=False, timeout=300, env=tracing.environment(**env))
    assert (done.returncode, done.stdout) == (0, printed(tasks)), done
    return trace


def kinds(trace):
    return {k["name"]: k["tasks"] for k in tracing.report_of(TPTRACE, trace)["kinds"] if k["what"] == "task"}


def tasks_in(trace, region):
    kinds_there = tracing.report_of(TPTRACE, trace, "--region", region)["kinds"]
    return sum(k["tasks"] for k in kinds_there if k["what"] == "task")


@frame.test
def names_and_regions(folder):
    trace = record(folder, "--annotations")
    found = kinds(trace)
    assert found.get("tile") == 1 + 4 * TASKS and found.get("panel") == 3 * TASKS, found
    regions = {"read": TASKS, "set up": TASKS, "solver": 3 * TASKS, "write": 2 * TASKS}
    for region, n in regions.items():
        got = tasks_in(trace, region)
        assert got == n, (region, n, got)


@frame.test
def without(folder):
    """Who does not ask has none of it; who has another collector keeps it."""
    assert "tile" not in kinds(record(folder))
    other = "/nonexistent.so"
    trace = record(folder, "--annotations", INTEL_LIBITTNOTIFY64=other, NVTX_INJECTION64_PATH=other)
    assert not {"tile", "panel"} & set(kinds(trace))


def marks_of(trace):
    """(begin or end, name) of each mark."""
    text = subprocess.run([TPTRACE, "dump", trace], capture_output=True, text=True, check=True).stdout
    words = [line.split() for line in text.splitlines() if line.startswith("mark ")]
    return [(w[2], " ".join(w[3:])) for w in words if w[2] in ("begin", "end")]


@frame.test
def share(folder):
    """A place has its share of marks, and no more; an end is told if its begin was."""
    marks = marks_of(record(folder, "--annotations", tasks=1500))
    for name, most in (("tile", 500), ("panel", 500), ("solver", 3), ("read", 1)):
        begins, ends = (marks.count((what, name)) for what in ("begin", "end"))
        assert begins == ends <= most, (name, begins, ends)
    assert marks.count(("begin", "solver")) == 3 and marks.count(("begin", "read")) == 1, marks[:10]


@frame.test
def alone(_):
    """Without a recorder the collector does nothing."""
    library = os.path.join(BUILD, "libtpprobe_itt.so")
    done = subprocess.run([program(), str(TASKS)], capture_output=True, text=True, check=False,
                          env={**os.environ, "INTEL_LIBITTNOTIFY64": library, "NVTX_INJECTION64_PATH": library})
    assert (done.returncode, done.stdout, done.stderr) == (0, printed(TASKS), ""), done


if __name__ == "__main__":
    sys.exit(frame.run("itt", ARGS))
