#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""advice.py [--build DIR] - `report --what-if` on traces whose answers can be worked out by hand.

Each number that it prints is that of `tptrace simulate` with the same change.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
import frame  # noqa: E402
from simulated import json_of, unlike  # noqa: E402
from small import HEAD, LOSSY  # noqa: E402


def run_of(strands, runtime="x"):
    """A trace of (ns, worker, event) in any order of workers."""
    return HEAD.format(runtime=runtime) + "".join(f"{ns} w{worker} {event}\n" for ns, worker, event in sorted(strands, key=lambda e: e[0]))


def two(lengths, first=0, each=5):
    """One producer that works `first`, creates tasks at no cost, every `each` ns, and waits; w1 and w0 take them in order."""
    now, free, events = first, [0, 0], [(0, 0, "root 0.1")]
    for i in range(len(lengths)):
        now += each
        events += [(now, 0, f"create 0.{i + 2} site=1"), (now, 0, "resume 0.1")]
    events.append((now, 0, "wait children site=3"))
    free = [now, first + each]  # w1 waits for the first task
    for i, length in enumerate(lengths):
        worker = 1 if free[1] <= free[0] else 0
        events += [(free[worker], worker, f"begin 0.{i + 2}"), (free[worker] + length, worker, "end")]
        free[worker] += length
    end = max(free)
    return run_of([*events, (end, 0, "resume 0.1"), (end + each, 0, "end")])


def rounds(lengths, n=10):
    """n times tasks that take no time to create, and a wait for them; both workers take them in order, w0 first."""
    now, events, made = 0, [(0, 0, "root 0.1")], 1
    for _ in range(n):
        first = made + 1
        for task in range(first, first + len(lengths)):
            events += [(now, 0, f"create 0.{task} site=1"), (now, 0, "resume 0.1")]
        events.append((now, 0, "wait children site=3"))
        free = [now, now]
        for made, length in enumerate(lengths, first):
            worker = free.index(min(free))
            events += [(free[worker], worker, f"begin 0.{made}"), (free[worker] + length, worker, "end")]
            free[worker] += length
        now = max(free)
        events.append((now, 0, "resume 0.1"))
    return run_of([*events, (now, 0, "end")])


# w0 did all of it, though two workers had been there
ALONE = run_of([(0, 0, "root 0.1"), *((0, 0, e) for i in range(4) for e in (f"create 0.{i + 2} site=1", "resume 0.1")),
                (0, 0, "wait children site=3"), *((100 * (i + (e == "end")), 0, e if e == "end" else f"begin 0.{i + 2}")
                                                  for i in range(4) for e in ("begin", "end")),
                (400, 0, "resume 0.1"), (400, 0, "end")])

# w1 did all of it, while w0 waited
IDLE = run_of([(0, 0, "root 0.1"), *((0, 0, e) for i in range(4) for e in (f"create 0.{i + 2} site=1", "resume 0.1")),
               (0, 0, "wait children site=3"), *((100 * (i + (e == "end")), 1, e if e == "end" else f"begin 0.{i + 2}")
                                                 for i in range(4) for e in ("begin", "end")),
               (400, 0, "resume 0.1"), (400, 0, "end")])

# name, trace, simulated baseline, finding, {change: elapsed}
CASES = (
    # w1: 100 100 100 600 from 5 on; then w1: 600 from 5 on, w0: six times 100 from 35 on
    ("the long one last", two([100] * 6 + [600]), 910, "tail", {"--longest-first t": 640}),
    # 1000 1000 1000; then thirty of 100, fifteen for each: w0's from 15 on
    ("three for two", two([1000] * 3), 2010, "coarse", {"--split t:10": 1520}),
    # ten times 100 100 and 100 100 300; then 300 and 100 100 100 100
    ("rounds with a long one last", rounds([100] * 4 + [300]), 5000, "wait", {"--longest-first t": 4000}),
    # ten times 1000 1000 and 1000; then 21 parts, of each task six of 142 and one of 148: 11 for one, of which one is longer
    ("rounds of three for two", rounds([1000] * 3), 20000, "wait", {"--split t:7": 15680}),
    # 1000 by one, then 1000 by both; then 500 and 1000
    ("a serial head", two([1000] * 2, first=1000, each=0), 2000, "serial", {"--split main:20": 1500}),
)


def wrong_case(tptrace, path, case):
    _, _, baseline, cause, want = case
    report = json_of(tptrace, "report", "--what-if", "--json", path)
    told = report["what_if"]
    if told["why_not"] or not told["trusted"] or told["elapsed_ns"] != baseline or told["recorded_ns"] != baseline:
        yield f"baseline {told}, not {baseline}"
        return
    found = [f for f in report["findings"] if f["id"] == cause]
    got = {c["change"]: c["elapsed_ns"] for f in found for c in f["what_if"]}
    if any(got.get(change) != ns for change, ns in want.items()):
        yield f"{cause} has {got}, not {want}"
    if any(f["what_if"] != sorted(f["what_if"], key=lambda c: c["elapsed_ns"]) for f in report["findings"]):
        yield "the best change is not the first"
    yield from unlike(tptrace, path, report)
    screen = subprocess.run([tptrace, "report", "--what-if", path], capture_output=True, text=True, check=True).stdout
    if screen.count("simulated: ") != sum(bool(f["what_if"]) for f in report["findings"]):
        yield f"not a line for each: {screen}"


def wrong_refusals(tptrace, path):
    """Where nothing is simulated, it says so once, and gives no number."""
    for name, text, key in (("idle", IDLE, "trusted"), ("alone", ALONE, "why_not"), ("lossy", HEAD.format(runtime="x") + LOSSY, "why_not")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        report = json_of(tptrace, "report", "--what-if", "--json", path)
        screen = subprocess.run([tptrace, "report", "--what-if", path], capture_output=True, text=True, check=True).stdout
        if any("what_if" in f for f in report["findings"]) or report["what_if"].get(key) in (True, None):
            yield f"{name}: {report['what_if']}"
        if screen.count("no advice is simulated") != 1 or "simulated: " in screen.replace("is simulated: ", ""):
            yield f"{name}: {screen}"
        if "what_if" in json_of(tptrace, "report", "--json", path):
            yield f"{name}: simulated although nobody asked"
    done = subprocess.run([tptrace, "report", "--what-if", "--from", "0.1s", path], capture_output=True, text=True, check=False)
    if done.returncode != 2 or "whole runs" not in done.stderr or done.stderr.count("\n") != 1:
        yield f"a part of a run: {done.returncode}, {done.stderr}"


def results(tptrace, path):
    for case in CASES:
        with open(path, "w", encoding="utf-8") as file:
            file.write(case[1])
        yield case[0], wrong_case(tptrace, path, case)
    yield "refusals", wrong_refusals(tptrace, path)


def main():
    tptrace = frame.arguments(__doc__).tptrace
    with tempfile.TemporaryDirectory(prefix="tptrace-advice.") as folder:
        return frame.verdict("advice", results(tptrace, os.path.join(folder, "trace.txt")))


if __name__ == "__main__":
    sys.exit(main())
