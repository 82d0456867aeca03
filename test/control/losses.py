#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""losses.py [--tptrace CMD] [--n N] [--seed S] - reports on traces that lack some of their events.

Random whole traces (test/prop/generate.py) lose stretches of some workers' events, told as the
recorder tells of them: none is refused, the work of what is left is exact to the ns, the four
components add up, each loss is there, and --strict ends with 3.  Half of them lose lines at
random and are told something at random: those may be refused, and that is all.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "prop"))
from generate import generate  # noqa: E402

BEGINS = {"root", "begin", "member", "start", "resume"}
ENDS = {"create", "fork", "wait", "yield", "signal", "end"}
MAKES = {"root", "member", "start", "create", "fork"}
BATCH = 40


class Event:
    def __init__(self, line):
        words = line.split("#")[0].split()
        self.line, self.kind = line, words[2]
        self.time = None if words[0] == "-" else int(words[0])
        self.id = words[3] if self.kind in BEGINS else None


def parse(text):
    head, workers = [], {}
    for line in text.splitlines():
        words = line.split()
        if words and (words[0] == "-" or words[0].isdigit()):
            workers.setdefault(int(words[1][1:]), []).append(Event(line))
        else:
            head.append(line)
    return head, workers


def running_before(events):
    """For each event, the task whose strand is open before it, or None."""
    now, out = None, []
    for event in events:
        out.append(now)
        if event.kind in BEGINS:
            now = event.id
        elif event.kind in ENDS:
            now = None
    return out


class Lossy:
    """A worker's events with some gaps; its lines, and what they leave to be counted."""
    def __init__(self, rng, worker, events):
        self.worker, self.events = worker, events
        self.lines, self.work, self.n_lost, self.n_gaps = [], 0, 0, 0
        self.open = None        # (begin, id)
        self.last = self.edge = 0
        running = running_before(events)
        at, given, previous = 0, 0, 0
        while at < len(events):
            if rng.random() < 0.05 or (at == 0 and rng.random() < 0.2):
                end = self.gap_end(rng, at, running)
                self.lose(rng, at, end, running, given, previous)
                given += sum(e.kind in MAKES for e in events[at:end])
                previous = max([previous] + [e.time for e in events[at:end] if e.time is not None])
                at = end
                if at == len(events):
                    break
            self.keep(events[at])
            given += events[at].kind in MAKES
            previous = events[at].time if events[at].time is not None else previous
            at += 1

    def gap_end(self, rng, at, running):
        """Where events are there again: one that can stand first."""
        end = at + 1 + int(rng.expovariate(0.15))
        while end < len(self.events):
            event = self.events[end]
            if event.kind in BEGINS or (event.kind in ENDS and running[end]):
                return end
            end += 1
        return len(self.events)

    def lose(self, rng, at, end, running, given, previous):
        lost = self.events[at:end]
        since = lost[0].time if lost[0].time is not None else previous
        begun = [e.time for e in lost if e.kind in BEGINS]
        why = rng.choice(["", " stopped"] + [" old"] * (at == 0) + [" size"] * (end == len(self.events)))
        makes = sum(e.kind in MAKES for e in lost)
        self.close(since)
        self.edge = max(self.edge, since) if running[at] else self.edge
        put = lambda word: self.lines.append(f"- w{self.worker} {word}")
        put(f"lost {end - at}{why}")
        put(f"since {since}")
        self.n_gaps += why != " stopped"
        self.n_lost += (end - at) * (why != " stopped")
        if end == len(self.events):
            return
        event = self.events[end]
        until = event.time
        if event.kind in ENDS:
            until = begun[-1] if begun else since
        put(f"until {until}")
        put(f"next-id {given + makes}")
        if event.kind in ENDS:
            self.lines.append(f"{until} w{self.worker} resume {running[end]}")
            self.open, self.last = (until, running[end]), until

    def close(self, time):
        if self.open:
            self.work += time - self.open[0]
        self.open = None

    def keep(self, event):
        self.lines.append(event.line)
        if event.time is not None:
            self.last = event.time
        if event.kind in ENDS:
            self.close(event.time)
        elif event.kind in BEGINS:
            self.open = (event.time, event.id)


def told(seed):
    """A trace and what its report must say."""
    rng = random.Random(seed)
    head, workers = parse(generate(seed))
    lossy = [Lossy(rng, w, events) for w, events in workers.items()]
    last = max([max(w.last, w.edge) for w in lossy])
    made = {line.split()[3]: line.split()[2] for w in lossy for line in w.lines
            if line.split()[2] in MAKES}
    seen = {ident for ident, kind in made.items() if kind == "root"}
    seen |= {"0.1"} - set(made)     # it is taken for the program's main task
    for w in lossy:
        if w.open:
            w.close(w.last if w.open[1] in seen else last)
    timed = [line for w in lossy for line in w.lines if line[0] != "-"]
    want = {"work": sum(w.work for w in lossy), "lost": sum(w.n_lost for w in lossy),
            "gaps": sum(w.n_gaps for w in lossy), "empty": not timed,
            # a waiter of a bag ends its tasks before their END (test/prop/brute.py, 13)
            "exact": not any(" bag" in line for w in lossy for line in w.lines)}
    return "\n".join(head + [line for w in lossy for line in w.lines]) + "\n", want


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
    if len(got["losses"]) != want["gaps"]:
        yield f"{len(got['losses'])} losses, want {want['gaps']}"
    if want["exact"] and got["work_ns"] != want["work"]:
        yield f"work_ns {got['work_ns']}, want {want['work']}"
    total = sum(got[c] for c in ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns"))
    if total != got["elapsed_ns"] * got["workers"]:
        yield f"the components are {total}, not {got['elapsed_ns']} x {got['workers']}"
    if sum(k["work_ns"] for k in got["kinds"]) != got["work_ns"]:
        yield "the kinds do not add up"


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
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--tptrace", default=os.path.join(HERE, "../../build/tptrace"))
    p.add_argument("--n", type=int, default=2000)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for first in range(args.seed, args.seed + args.n, BATCH):
            seeds = range(first, min(first + BATCH, args.seed + args.n))
            make = garbled if (first - args.seed) // BATCH % 2 else told
            failed += check_batch([args.tptrace], directory, seeds, make)
    print(f"losses: {args.n} traces, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
