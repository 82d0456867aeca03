#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cuts.py [--build DIR] [--n N] [--seed S] [--jobs J] - no cut makes a trace unreadable.

Random whole traces lose events in every way that the recorder loses them, at random instants of each
worker.  Each is read, adds up in all components and columns, and says of what is left what is known:

    gaps        each worker by itself has a full ring, is stopped, loses its head (old) or its tail
                (size): work, by worker too, strands, tasks that ended and each loss are exact
    windows     all workers are stopped, or lose events, between the same instants; marks say so, or not
    whole       a snapshot is whole up to an instant, at an event or between two; workers have more, or
    killed      are torn off anywhere behind it: all figures are brute.py's of what is before it

And each of these is collapsed after it was cut, as the collector does it: tasks, work, span, strands,
steals and kinds are those of the full trace with the same cut.  Where `whole` cuts a collapsed task in two,
its part is an expectation: work is off by what that one took at most.

Only a gap explains a task of which nobody saw how it was made: the same events without the notes of their
gaps are refused.  Prints each failure with its seed, and how many cuts there were.

The small traces in found/, to which failures of former seeds shrank, come first: brute_gaps.py reports on
them, and they are collapsed, too.
"""
import glob
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from multiprocessing import Pool

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "collapse"), os.path.join(HERE, "..", "lib")]
import frame  # noqa: E402
from brute import Trace  # noqa: E402
from brute_gaps import LossyTrace  # noqa: E402
from check import differences as from_brute  # noqa: E402
from check import BLAMED, sums  # noqa: E402
from generate import generate  # noqa: E402
from lossy import Lossy, parse, random_spans, told, window_spans  # noqa: E402
from schedule import Run  # noqa: E402

BATCH = 25
WAYS = ("gaps", "gaps", "windows", "whole", "killed")


def load(name, path):
    """A module of a name that another one has, too."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


collapsing = load("collapsing", os.path.join(HERE, "..", "collapse", "check.py"))


def whole_trace(rng, seed):
    if rng.random() < .3:
        run = Run(seed, calls=None) # which of several groups is open is not known behind a gap
        run.tasks = rng.randint(5, 60)
        return run.text()
    return generate(seed)


def any_instant(rng, times):
    """At an event, or between two."""
    at = rng.choice(times)
    return at if rng.random() < .5 else rng.randint(times[0], times[-1] + 1)


class Cut:
    """A trace that was cut; `want` is what lossy.py knows of it, `before` the text that is whole."""

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.seed, self.way = seed, WAYS[seed % len(WAYS)]
        self.want = self.before = None
        head, workers = parse(whole_trace(rng, seed))
        self.times = sorted(e.time for events in workers.values() for e in events if e.time is not None)
        self.text = getattr(self, self.way)(head, workers) if self.times else "\n".join(head) + "\n"

    def __str__(self):
        return f"seed {self.seed} ({self.way})"

    def limits(self):
        """Of what is collapsed (test/collapse/collapse.c), and how many events at a time."""
        return (self.rng.choice((50, 10**12)), self.rng.choice((500, 10**12)), 0, self.rng.choice((0, 3)),
                self.rng.choice((1, 5, 40, 4000)))

    def gaps(self, head, workers):
        often = self.rng.choice((.02, .05, .2))
        lossy = [Lossy(self.rng, w, events, random_spans(self.rng, events, often) if self.rng.random() < .8 else [])
                 for w, events in workers.items()]
        text, self.want = told(head, lossy)
        return text

    def windows(self, head, workers):
        rng = self.rng
        ends = sorted(any_instant(rng, self.times) for _ in range(2 * rng.randint(1, 4)))
        if rng.random() < .3:
            ends[0] = 0             # it was off at first
        if rng.random() < .2:
            ends[-1] = self.times[-1] + 1
        windows = [(a, b) for a, b in zip(ends[::2], ends[1::2]) if a < b]
        why = rng.choice((" stopped", " stopped", ""))
        lossy = [Lossy(rng, w, events, window_spans(events, windows, why)) for w, events in workers.items()]
        if why and rng.random() < .5:
            head = head + [f"mark {t} {what}" for a, b in windows for t, what in ((a, "stop"), (b, "start"))]
        text, self.want = told(head, lossy)
        if head[-1:] and head[-1].startswith("mark"):   # stopped time is outside of all figures
            for key in ("work", "by_worker", "elapsed", "strands"):
                self.want[key] = None
        return text

    def cut_at(self, head, workers, more):
        """What is whole up to an instant; `more` says how many events of a worker are kept behind it."""
        at, lines, before = max(1, any_instant(self.rng, self.times)), [], []   # 0 is not told
        for events in workers.values():
            inside = [i for i, e in enumerate(events) if e.time is not None and e.time > at]
            n = inside[0] if inside else len(events)
            before += [e.line for e in events[:n]]
            lines += [e.line for e in events[:min(len(events), n + more(len(events) - n))]]
        self.before = "\n".join(head + before) + "\n"
        return "\n".join(head + [f"whole {at}"] + lines) + "\n"

    def whole(self, head, workers):
        return self.cut_at(head + ["meta snapshot 1"], workers, lambda n: n)

    def killed(self, head, workers):
        return self.cut_at(head, workers, lambda n: self.rng.randint(0, n))

    # ---- what the report says ----

    def nothing(self):
        """Of a trace with nothing left."""
        lost = [f"all {self.want['lost']} events are lost"] if self.want and self.want["empty"] else []
        return ("no task was recorded", *lost)

    def wrong(self, got, folder):
        """Of the cut trace, as it is."""
        yield from sums(got)
        if self.before is not None:
            yield from self.wrong_whole(got, folder)
        elif self.want:
            yield from self.wrong_lossy(got, folder)

    def wrong_whole(self, got, folder):
        path = os.path.join(folder, f"before{self.seed}.txt")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(self.before)
        want = Trace(path).report()
        if " bag " not in self.text:    # whose tasks end early if their END is near, also behind the cut
            yield from from_brute(want, got)
        os.remove(path)

    def wrong_gaps(self, got, folder):
        try:
            brute = LossyTrace(os.path.join(folder, f"{self.seed}.full.txt")).report()
            # Whether a hold lies in a gap is not known, nor when what was lost of a runtime began and ended.
            # Of two events at one time the first may speak of what the other one makes: who knows.
            found = () if "order" in brute["ties"] else from_brute(brute, got)
            yield from (line for line in found if not line.startswith(("states.", "runtimes.", "runtime_calls.")) and
                        not any(f"{key}:" in line for key, _ in BLAMED))
        except Exception as problem:    # whatever it is, its seed is told
            yield f"brute_gaps.py: {type(problem).__name__}: {problem}"

    def wrong_lossy(self, got, folder):
        want = self.want
        if not want["empty"] and want["work"] is not None and want["exact"]:
            yield from self.wrong_gaps(got, folder)
        losses = sorted((row["worker"], row["events"], row["why"]) for row in got["losses"])
        if losses != want["gaps"] or got["events_lost"] != want["lost"]:
            yield f"losses {losses}, want {want['gaps']}"
        if not want["begun"][0] <= got["tasks_begun"] <= want["begun"][1]:
            yield f"tasks_begun {got['tasks_begun']}, want {want['begun']}"
        if got["tasks_ended"] != want["ended"]:
            yield f"tasks_ended {got['tasks_ended']}, want {want['ended']}"
        # The window ends before what roots do at last, which is but to wait; and a thread without a task may be none of
        # the workers, whose work it is.
        less = want["elapsed"] is not None and (got["window_ns"] < want["elapsed"] or
                                                got["workers"] < len(want["by_worker"]))

        def differs(now, then):
            return now > then if less else now != then

        if want["strands"] is not None and differs(got["strands"], want["strands"]):
            yield f"strands {got['strands']}, want {want['strands']}"
        if want["elapsed"] is not None and differs(got["window_ns"], want["elapsed"]):
            yield f"window_ns {got['window_ns']}, want {want['elapsed']}"
        if want["work"] is not None and want["exact"]:
            mine = {row["worker"]: row["work_ns"] for row in got["workers_profile"] if row["worker"] is not None}
            if differs(got["work_ns"], want["work"]):
                yield f"work_ns {got['work_ns']}, want {want['work']}"
            for worker, work in want["by_worker"].items():
                if differs(mine.get(worker, 0), work):
                    yield f"worker {worker}: work {mine.get(worker)}, want {work}"

    def wrong_collapsed(self, full, less, text):
        """Of the collapsed one."""
        yield from sums(less)
        if self.before is not None:
            if less["events_lost"] or less["window_ns"] > full["window_ns"]:
                yield f"window_ns {less['window_ns']}, in full {full['window_ns']}"
            return
        if " bag " in text:
            return      # tasks that end before their END
        unlike = set()
        full = {**full, "edges": dict(full["edges"])}
        collapsing.allow_joins(full, less)
        if " name " in text:        # who joins a collapsed task again, by its name, is not seen to
            unlike |= {"edges", "steals", "span_ns", "span_tasks"}
        if "runtime 1 " in text:    # which worker ran a collapsed task is unknown
            unlike |= {"workers"}
        if full["not_recorded"]:    # a part of a collapsed task is an expectation
            unlike |= {"work_ns", "span_ns"}
        # delay of a collapsed task with none below it is nobody's
        kinds = full["kinds"] + [k for k in less["kinds"] if k["name"] == "main" and not k["tasks"] and
                                 "main" not in (row["name"] for row in full["kinds"])]
        if full["not_recorded"]:
            kinds = less["kinds"]
        yield from collapsing.differences({**full, **{key: less[key] for key in unlike}, "kinds": kinds}, less, 0)
        if full["losses"] != less["losses"] or full["not_recorded"] != less["not_recorded"]:
            yield f"losses {full['losses']} in full, {less['losses']} collapsed"


class Found(Cut):
    """A small trace that is there."""

    def __init__(self, path):       # not a random one
        self.seed, self.way = os.path.basename(path)[:-len(".txt")], "found"
        self.rng = self.want = self.before = None
        with open(path, encoding="utf-8") as f:
            self.text = f.read()

    def limits(self):
        return (10**12, 10**12, 0, 0, 4000)

    def wrong(self, got, folder):
        yield from sums(got)
        yield from self.wrong_gaps(got, folder)


def reports(build, paths):
    """Reports by path, and the messages about refused traces."""
    done = subprocess.run([f"{build}/tptrace", "report", "--json", *paths], capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 1):
        return {}, f"exit status {done.returncode}: {done.stderr[-300:]}"
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if found and "processes" in found[0]:
        found = found[0]["processes"]
    return {got["file"]: got for got in found}, done.stderr


def untold(text):
    """The same events, and nothing of gaps."""
    return "\n".join(line for line in text.split("\n")
                     if line.split()[2:3] not in (["lost"], ["since"], ["until"]))


def needs_gap(got):
    """Whether tasks ran that were not created."""
    return any(kind["tasks"] for kind in got["kinds"] if kind["name"] == "(creation not recorded)")


def refusal(said, path):
    return next((line for line in said.splitlines() if path + ":" in line), "no answer")


def batch(args):
    build, seeds = args
    results, unexplained = [], []
    with tempfile.TemporaryDirectory() as folder:
        cuts = [Found(seed) if isinstance(seed, str) else Cut(seed) for seed in seeds]
        for cut in cuts:
            cut.full, cut.less = f"{folder}/{cut.seed}.full.txt", f"{folder}/{cut.seed}.less.txt"
            with open(cut.full, "w", encoding="utf-8", errors="surrogateescape") as f:
                f.write(cut.text)
            cut.n_collapsed = collapsing.collapse(build, cut.full, *cut.limits(), cut.less)
        got, said = reports(build, [path for cut in cuts for path in (cut.full, cut.less)])
        for cut in cuts:
            wrong = []
            for path in (cut.full, cut.less):
                if path not in got and not any(why in refusal(said, path) for why in cut.nothing()):
                    wrong.append(refusal(said, path))
            if cut.full in got:
                wrong += cut.wrong(got[cut.full], folder)
            for path in (cut.full, cut.less):
                if path in got and needs_gap(got[path]):
                    unexplained.append((cut, path + ".untold"))
            if cut.full in got and cut.less in got:
                wrong += (f"collapsed: {line}" for line in
                          cut.wrong_collapsed(got[cut.full], got[cut.less], cut.text))
            results.append((cut, wrong))
        for cut, path in unexplained:
            with open(path[:-len(".untold")], encoding="utf-8", errors="surrogateescape") as f, \
                    open(path, "w", encoding="utf-8", errors="surrogateescape") as out:
                out.write(untold(f.read()))
        got, said = reports(build, [path for _, path in unexplained]) if unexplained else ({}, "")
        for cut, path in unexplained:
            if path in got or "contradicts the trace" not in refusal(said, path):
                next(wrong for other, wrong in results if other is cut).append(
                    f"without its gaps: read, or {refusal(said, path)}")
    return [(str(cut), cut.way, cut.n_collapsed, wrong) for cut, wrong in results], len(unexplained)


def main():
    args = frame.options(__doc__, n=500, seed=1, jobs=2)
    seeds = range(args.seed, args.seed + args.n)
    found = sorted(glob.glob(os.path.join(HERE, "found", "*.txt")))
    work = [(args.build, found)] + [(args.build, seeds[i:i + BATCH]) for i in range(0, len(seeds), BATCH)]
    failed, n_unexplained, collapsed = 0, 0, dict.fromkeys((*WAYS, "found"), 0)
    with Pool(args.jobs) as pool:
        for results, n in pool.imap(batch, work):
            n_unexplained += n
            for name, way, n_collapsed, wrong in results:
                collapsed[way] += n_collapsed
                failed += bool(wrong)
                if wrong:
                    print(name, *wrong[:6], sep="\n    ", flush=True)
    for way, n in collapsed.items():
        if n == 0 and args.n >= 100 and way in WAYS:
            failed += 1
            print(f"{way}: nothing could be collapsed, so nothing was tested")
    print(f"cuts: {args.n} traces and {len(found)} found before, full and collapsed, "
          f"{n_unexplained} of them refused without their gaps, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    sys.exit(main())
