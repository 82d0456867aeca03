#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""regions.py [--build DIR] - `simulate --curve` and `--fewest-changes` on traces whose answers can be worked out by hand."""
import itertools
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
import frame  # noqa: E402
import texts  # noqa: E402
from simulated import json_of  # noqa: E402
from small import HEAD  # noqa: E402

FREE = ("--cost", "all=0", "--runs", "1")
THREE_WAYS = texts.trace(__file__, "three_ways")
TIE = THREE_WAYS.replace("1210", "1200")  # w 250

# trace, kind: lines as (elsewhere, kind, from so many parts on), slack, {parts: span}, without end
CURVES = (
    (THREE_WAYS, "t", [(0, 600, 1, "?"), (250, 100, 2, "u"), (260, 0, 10, "w")], 0, {1: 600, 2: 300, 4: 275, 8: 263, 16: 260}, 260),
    (THREE_WAYS, "u", [(600, 0, 1, "t")], 250, {1: 600, 2: 600, 4: 600, 8: 600}, 600),
    (THREE_WAYS, "w", [(600, 0, 1, "t")], 340, {1: 600, 2: 600, 4: 600, 8: 600}, 600),
    (TIE, "t", [(0, 600, 1, "?"), (250, 100, 2, "u")], 0,
     {1: 600, 2: 300, 4: 275, 8: 263, 16: 257, 32: 254, 64: 252}, 250),
)


def write(path, events, runtime="x"):
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD.format(runtime=runtime) + events)


def wrong_curve(tptrace, path, case):
    trace, kind, lines, slack, spans, no_end = case
    write(path, trace)
    told = json_of(tptrace, "simulate", "--curve", kind, "--json", "-P", "1,4", *FREE, path)
    got = [(line["elsewhere_ns"], line["region_ns"], line["from_parts"], line["most_of"] or "?") for line in told["lines"]]
    if got != lines or not told["exact"] or told["slack_ns"] != slack or told["no_end_span_ns"] != no_end:
        yield f"{told}, not {lines}"
    if {row["parts"]: row["span_ns"] for row in told["parts"]} != spans:
        yield f"{told['parts']}, not {spans}"
    for row in told["parts"]:
        change = ("--split", f"{kind}:{row['parts']}") if row["parts"] > 1 else ()
        points = json_of(tptrace, "simulate", "--json", "-P", "1,4", *FREE, *change, path)["points"]
        if {str(p["workers"]): p["elapsed_ns"] for p in points} != row["elapsed_ns"]:
            yield f"{row}, and simulate says {points}"
        if points[0]["span_ns"] < row["span_ns"] - 1:
            yield f"{row}, and the span of simulate is {points[0]['span_ns']}"


def phases(rounds, create=0):
    """The root creates the tasks of each round, (length, site) each, and waits for them."""
    lines, now, task = ["0 w0 root 0.1"], 0, 2
    for tasks in rounds:
        first = task
        for _, site in tasks:
            lines += [f"{now} w0 create 0.{task} site={site}", f"{now + create} w0 resume 0.1"]
            now, task = now + create, task + 1
        lines.append(f"{now} w0 wait children site=3")
        for i, (length, _) in enumerate(tasks):
            lines += [f"{now} w0 begin 0.{first + i}", f"{now + length} w0 end"]
            now += length
        lines.append(f"{now} w0 resume 0.1")
    return "\n".join([*lines, f"{now} w0 end"]) + "\n"


# 600, 600, 800 in eight: on 4 workers 600 + 600 + 200, and at most 2000 / .8 / 4 = 625
TWO_LONG = phases([[(600, 1)], [(600, 2)], [(100, 3)] * 8])
# 4000 of creations, 1000 of these tasks, then three of 5000
TINY = phases([[(10, 1)] * 100 + [(5000, 2)] * 3], create=40)

# name, trace, workers, options, goal, elapsed, ceiling, {size: (sets, by span, simulated, suffice)}, {set: elapsed}
FEWEST = (
    ("two have to be split", TWO_LONG, 4, FREE, 625, 1400, 500, {0: (1, 1, 0, 0), 1: (3, 3, 0, 0), 2: (3, 0, 3, 1)},
     {"--split t:4 --split u:4": 500}),
    ("nothing to do", phases([[(100, 1)] * 8]), 4, FREE, 250, 200, 200, {0: (1, 0, 1, 1)}, {"": 200}),
    ("waits take too long", TWO_LONG, 4, ("--runs", "1", "--cost", "wait=2us"), 625, 7400, 6000, {}, None),
    # called, they take 2000; a part of them is not worth its creation
    ("parts cost too much", TWO_LONG, 4, ("--runs", "1", "--cost", "create=500ns"), 625, None, 500, {3: (8, 0, 8, 0)}, None),
    ("made serial again", TINY, 3, ("--runs", "1"), 6666, 9120, 5334, {0: (1, 0, 1, 0), 1: (3, 0, 3, 1)}, {"--call t": 6120}),
)


BRUTE = tuple((seed,) for seed in range(8))


def options_of(a_set):
    return [f"{c['option']} {c['kind']}" + (f":{c['parts']}" if "parts" in c else "") for c in a_set["changes"]]


def wrong_fewest(tptrace, path, case):
    _, trace, workers, options, goal, elapsed, ceiling, sizes, sets = case
    write(path, trace)
    told = json_of(tptrace, "simulate", "--fewest-changes", "--json", "-P", str(workers), *options, path)
    if told["goal_ns"] != goal or elapsed not in (None, told["elapsed_ns"]) or told["ceiling_ns"] != ceiling:
        yield f"{told}, not goal {goal}, elapsed {elapsed}, ceiling {ceiling}"
    got = {s["changes"]: (s["sets"], s["by_span"], s["simulated"], s["suffice"]) for s in told["sizes"]}
    if {n: got.get(n) for n in sizes} != sizes or (ceiling > goal) != (not got):
        yield f"sizes {got}, not {sizes}"
    if told["suffice"] != (sets is not None):
        yield f"suffice is {told['suffice']}: {told['sets']}"
    if sets is not None and {" ".join(options_of(s)): s["elapsed_ns"] for s in told["sets"]} != sets:
        yield f"{told['sets']}, not {sets}"
    for a_set in told["sets"]:
        typed = " ".join(options_of(a_set)).split()
        point = json_of(tptrace, "simulate", "--json", "-P", str(workers), *options, *typed, path)["points"][0]
        if any(point[key] != a_set[key] for key in ("elapsed_ns", "low_ns", "high_ns")):
            yield f"{a_set}, and simulate says {point}"


def brute(tptrace, path, workers, goal):
    """All sets of splits that suffice, of the smallest size at which any does: each at the best of its parts."""
    kinds = "tuw"
    for size in range(len(kinds) + 1):
        good = {}
        for chosen in itertools.combinations(kinds, size):
            for parts in (workers, 4 * workers, 16 * workers) if size else (1,):
                splits = " ".join(f"--split {kind}:{parts}" for kind in chosen)
                told = json_of(tptrace, "simulate", "--json", "-P", str(workers), *FREE, *splits.split(), path)
                elapsed = told["points"][0]["elapsed_ns"]
                if elapsed <= goal and elapsed < good.get(chosen, (goal + 1,))[0]:
                    good[chosen] = (elapsed, splits)
        if good:
            return {splits: elapsed for elapsed, splits in good.values()}
    return {}


def wrong_brute(tptrace, path, case):
    """A random trace of some rounds; what the search excludes by span, brute force simulates."""
    seed, = case
    random.seed(seed)
    workers = random.choice((3, 4, 6))
    write(path, phases([[(random.choice((40, 300, 900)), site) for _ in range(random.choice((1, 1, 2, workers)))]
                        for site in (1, 2, 3, random.randint(1, 3))]))
    told = json_of(tptrace, "simulate", "--fewest-changes", "--json", "-P", str(workers), *FREE, path)
    got = {" ".join(sorted(options_of(s))): s["elapsed_ns"] for s in told["sets"]} if told["suffice"] else {}
    want = brute(tptrace, path, workers, told["goal_ns"])
    if got != want:
        yield f"{workers} workers: {got}, not {want}"


REFUSED = (
    (("--curve", "nobody"), 2, "no kind `nobody`"),
    (("--curve", "t", "-P", "1", "--output", "no.tpt"), 2, "leave out --output"),
    (("--fewest-changes", "-P", "1", "--output", "no.tpt"), 2, "leave out --output"),
    (("--fewest-changes", "-P", "1,2"), 2, "one number of workers"),
    (("--fewest-changes", "--curve", "t"), 2, "exclude each other"),
)


def wrong_refusal(tptrace, path, case):
    options, status, says = case
    write(path, THREE_WAYS)
    done = subprocess.run([tptrace, "simulate", *options, path], capture_output=True, text=True, check=False)
    if done.returncode != status or says not in done.stderr or done.stderr.count("\n") != 1 or done.stdout:
        yield f"exit status {done.returncode}: {done.stderr}{done.stdout}"


def main():
    tptrace = frame.arguments(__doc__).tptrace
    with tempfile.TemporaryDirectory(prefix="tptrace-regions.") as folder:
        path = os.path.join(folder, "trace.txt")
        return frame.verdict("regions", (
            (case[-5] if check is wrong_curve else case[0], check(tptrace, path, case)) for cases, check in
            ((CURVES, wrong_curve), (FEWEST, wrong_fewest), (BRUTE, wrong_brute), (REFUSED, wrong_refusal))
            for case in cases))


if __name__ == "__main__":
    sys.exit(main())
