#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] [NAME..] - probes: one made by the public header alone, and what of ours is in a program."""
import collections
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "port")]
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402
from tracing import run  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD = ARGS.build
TPTRACE = ARGS.tptrace
RECORDER, SHIM = (os.path.join(BUILD, name) for name in ("libtptrace.so", "libtpshim_omp.so"))
COUNT = os.path.join(BUILD, "probe", "libtpprobe_count.so")
ASKED = {"libcalls": ("TPTRACE_CALLS", "on"), "counters": ("TPTRACE_COUNTERS", "cpu-time"),
         "callpath": ("TPTRACE_CALLPATHS", "on"), "slow": ("TPTRACE_SLOW", "x=2000@root"),
         "virtual": ("TPTRACE_VIRTUAL", "/none"), "timer": ("TPTRACE_TIMER", "10000000")}


def fib():
    gomp = next(runtime for runtime in runtimes.find(BUILD) if runtime.key == "gomp")
    return [runtimes.build_program(BUILD, gomp, "fib"), "12"]


def check_example(folder):
    """It counts as many events of each worker as the trace has, with other probes beside it and without."""
    path = os.path.join(folder, "count.tpt")
    for env in ({}, {"TPTRACE_COUNTERS": "page-faults", "TPTRACE_CALLPATHS": "on"}, {"TPTRACE_BUFFER": "4K"}):
        done = run(*fib(), LD_PRELOAD=f"{SHIM}:{COUNT}", TPTRACE_OUTPUT=path, TPTRACE_COLLAPSE="off", **env)
        said = {worker: int(n) for worker, n in re.findall(r"^count: (w\d+) (\d+)$", done.stderr, re.M)}
        dump = run(TPTRACE, "dump", path).stdout
        events = re.findall(r"^(?:\d+|-) (w\d+) (?!counter|path|tracer)", dump, re.M)
        assert said == collections.Counter(events) and sum(said.values()) > 1000, (env, said)
        os.unlink(path)


def check_mapped(_):
    """Only the probe that is asked for is mapped into a program, and nothing of any is in the recorder."""
    def mapped(**env):
        done = run(TPTRACE, "record", "-q", "--", "cat", "/proc/self/maps", **env)
        return set(re.findall(r"libtpprobe_\w+|libpapi|libunwind", done.stdout))

    assert mapped() == set()
    for name, (variable, value) in ASKED.items():
        if name == "timer":  # record writes its variable
            variable, value = "TPTRACE_SAMPLE", "timer"
        assert mapped(**{variable: value}) == {f"libtpprobe_{name}"}, name
    assert "libtpprobe" not in run("ldd", RECORDER, SHIM).stdout
    with open(RECORDER, "rb") as recorder:
        code = recorder.read()
    assert not [word for word in (b"libpapi", b"libunwind", b"virtual queue", b"page-faults") if word in code]
    exported = run("nm", "-D", "--defined-only", RECORDER).stdout
    assert not re.search(r"counting|callpath|slowed|virtual_queue|kinds_", exported), exported


def check_alone(folder):
    """With the variable alone the recorder loads the probe; if that is missing, or is to be preloaded, it says so."""
    path = os.path.join(folder, "alone.tpt")
    for name in ("counters", "callpath"):
        done = run(*fib(), LD_PRELOAD=SHIM, TPTRACE_OUTPUT=path, **dict([ASKED[name]]))
        report = tracing.report_of(TPTRACE, path, "--callpaths") if name == "callpath" else \
            tracing.report_of(TPTRACE, path)
        assert report["counters" if name == "counters" else "paths"] and "tptrace: TPTRACE_" not in done.stderr, done
        os.unlink(path)
    for library in (RECORDER, SHIM):
        shutil.copy(library, folder)
    for variable, value in ASKED.values():
        done = run(*fib(), LD_PRELOAD=os.path.join(folder, os.path.basename(SHIM)), TPTRACE_OUTPUT=path,
                   **{variable: value})
        lines = re.findall(r"^tptrace: TPTRACE_\w+=.*: libtpprobe_\w+\.so is not .*; recording without$", done.stderr,
                           re.M)
        assert len(lines) == done.stderr.count("TPTRACE_") == 1, done.stderr
        assert tracing.report_of(TPTRACE, path)["tasks"] > 100
        os.unlink(path)


def check_calls(folder):
    """Calls of the allocator and of random() by kind: those that the program makes in a task, and none in others."""
    path = os.path.join(folder, "calls.tpt")
    run(TPTRACE, "record", "-q", "--calls", "-o", path, "--", os.path.join(BUILD, "probe", "calls"))
    found = {kind["line"]: {name: count["total"] for name, count in kind["counters"].items()}
             for kind in tracing.report_of(TPTRACE, path)["kinds"] if kind["what"] == "task"}
    counts = {"allocations": 150, "frees": 100, "random": 500}
    assert list(found.values()).count(counts) == 1 and len(found) == 2, found
    assert sum(sum(each.values()) for each in found.values()) == sum(counts.values()), found


def check_early(folder):
    """A constructor that makes tasks before those of the probes have run: they are there all the same."""
    path = os.path.join(folder, "early.tpt")
    run(TPTRACE, "record", "-q", "-o", path, "--counters", "cpu-time", "--callpaths", "--",
        os.path.join(BUILD, "probe", "early"))
    report = tracing.report_of(TPTRACE, path, "--callpaths")
    assert [counter["name"] for counter in report["counters"]] == ["cpu-time"] and report["paths"], report


if __name__ == "__main__":
    CHECKS = [(name[6:], function) for name, function in globals().items() if name.startswith("check_")]
    sys.exit(frame.run("probe", ARGS, CHECKS))
