#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""losses.py [--tptrace CMD] [--n N] [--seed S] - reports on traces that lack some of their events.

Random whole traces (test/prop/generate.py) lose stretches of some workers' events, told as the
recorder tells of them: none is refused, the work of what is left is exact to the ns, the four
components add up, each loss is there, and --strict ends with 3.  Half of them lose lines at
random and are told something at random: those may be refused, and that is all.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("prop", "lib")]
import frame  # noqa: E402
from check import state_sums  # noqa: E402
from generate import generate  # noqa: E402
from lossy import MAKES, Lossy, parse, random_spans, told  # noqa: E402

BATCH = 40


def cut(seed):
    """A trace with gaps, and what its report must say."""
    rng = random.Random(seed)
    head, workers = parse(generate(seed))
    text, want = told(head, [Lossy(rng, w, events, random_spans(rng, events)) for w, events in workers.items()])
    return text, want and {**want, "threads": len(workers)}


def garbled(seed):
    """A trace that lacks lines at random, and says of it what it likes."""
    rng = random.Random(seed)
    out = []
    for line in generate(seed).splitlines():
        words = line.split()
        if not words or not (words[0] == "-" or words[0].isdigit()):
            out.append(line)
            continue
        if rng.random() < 0.03:
            at = words[0] if words[0] != "-" else str(rng.randrange(1000))
            out.append(f"- {words[1]} lost {rng.randrange(5)}{rng.choice(['', ' old', ' stopped'])}")
            if rng.random() < 0.8:
                out.append(f"- {words[1]} since {at}")
            if rng.random() < 0.5:
                out.append(f"- {words[1]} until {int(at) + rng.randrange(20)}")
            continue
        if rng.random() < 0.02 and words[2] not in MAKES:
            continue
        out.append(line)
    return "\n".join(out) + "\n", None


def wrong(want, got):
    if got["events_lost"] != want["lost"]:
        yield f"events_lost {got['events_lost']}, want {want['lost']}"
    if len(got["losses"]) != len(want["gaps"]):
        yield f"{len(got['losses'])} losses, want {len(want['gaps'])}"
    # a thread that is left without any task may count as none of the workers, whose work it is; and the window ends
    # before what roots do at last, which is but to wait
    fewer = (got["workers"] < want["threads"] or got["elapsed_ns"] < want["elapsed"]) and got["work_ns"] < want["work"]
    if want["exact"] and got["work_ns"] != want["work"] and not fewer:
        yield f"work_ns {got['work_ns']}, want {want['work']}"
    total = sum(got[c] for c in ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns"))
    if total != got["elapsed_ns"] * got["workers"]:
        yield f"the components are {total}, not {got['elapsed_ns']} x {got['workers']}"
    if sum(k["work_ns"] for k in got["kinds"]) != got["work_ns"]:
        yield "the kinds do not add up"
    yield from state_sums(got, "")
    for row in got["runtimes"]:
        yield from state_sums(row, f"{row['name']}: ") if row["tasks"] else ()
    if sum(k["tracer_ns"] for k in got["kinds"]) != sum(got["states"]["tracer"].values()):
        yield "the kinds do not add up to what the recorder held"


def run(command, paths, *options):
    done = subprocess.run(command + ["report", "--json", *options, *paths], capture_output=True,
                          text=True, timeout=60)
    if done.returncode not in (0, 1, 3):
        raise AssertionError(f"exit status {done.returncode} for {paths}: {done.stderr[-500:]}")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if found and "processes" in found[0]:
        found = found[0]["processes"]
    return {got["file"]: got for got in found}, done


def check_batch(command, directory, seeds, make):
    traces = {}
    for seed in seeds:
        path = os.path.join(directory, f"{seed}.txt")
        text, want = make(seed)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(text)
        traces[path] = (seed, want)
    got, done = run(command, list(traces))
    failed = 0
    for path, (seed, want) in traces.items():
        problems = []
        if want and path in got:
            problems = list(wrong(want, got[path]))
        elif want and not want["empty"] and "no task was recorded" not in done.stderr:
            problems = [line for line in done.stderr.splitlines() if path in line] or ["no answer"]
        if problems:
            failed += 1
            print(f"seed {seed}:", *problems, sep="\n    ")
    lossy = [p for p, (_, want) in traces.items() if want and want["lost"] and p in got]
    if lossy and run(command, lossy[:1], "--strict")[1].returncode != 3:
        print(f"{lossy[0]}: --strict does not end with 3")
        failed += 1
    return failed


def main():
    args = frame.options(__doc__, n=2000, seed=1)
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for first in range(args.seed, args.seed + args.n, BATCH):
            seeds = range(first, min(first + BATCH, args.seed + args.n))
            make = garbled if (first - args.seed) // BATCH % 2 else cut
            failed += check_batch([args.tptrace], directory, seeds, make)
    print(f"losses: {args.n} traces, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
