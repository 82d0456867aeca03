#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py --build DIR [--random N] [--schedules N] [--kept N] [--seed S] - a collapsed trace says the same.

One full trace is analysed twice: as it is, and after build/collapse has taken out of it what the
collector would have while it was recorded.

    random      test/prop's traces, all that can be collapsed collapsed however small, in slices of
                random size: tasks, work, span, steals, edges and kinds must be equal.  Left out are
                those with bags, whose tasks the dag may end before their END.  Collapsed tasks
                count as joined, also if nobody joins them.  Where tasks depend on a name, or wait
                for one, they may do so no more: then joins, dependences and paths do not count
    pieces      the same traces, and schedule.py's: the figures are the same in whatever slices they
                are collapsed
    schedules   schedule.py's: these, and every other figure within 1 % of elapsed x P; but delay by edge
                within 3 %
    real        programs of test/port, each recorded three times: likewise, but for the rounding of ticks to ns, and
                on average.  How often workers are idle at once is not in a collapsed trace; under a lock of them
                all (libgomp's) that is more often than by chance, as the machine has it at the time
    alone       of schedule.py's on one worker, of each kind, next to nothing remains
    loop        a task that creates thousands, on one worker: run at once, or at its waits, or now and then by
                another worker.  Next to nothing remains but what that one ran, and the figures are exact
    kept        schedule.py's, and loops, recorded by a flight recorder: what is left says what the full trace
                says once as many of each worker's first events are taken out as the gaps count
    calls       a program of oneTBB that spawns one half and calls the other is collapsed as it is recorded

Prints each failure with its seed, and `N passed, M failed`.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from multiprocessing import Pool

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "prop"), os.path.join(HERE, "..", "port"), os.path.join(HERE, "..", "lib")]
from generate import generate
from schedule import Run
import frame
import runtimes

EXACT = ("workers", "elapsed_ns", "tasks", "tasks_begun", "tasks_ended", "strands", "steals",
         "span_tasks", "edges")
TIMES = ("work_ns", "span_ns")
CLOSE = ("delay_ns", "no_work_sched_ns", "no_work_app_ns")
COLUMNS = ("work_ns",) + CLOSE
PARTS = 128             # as the collector has it
TOLERANCE = .01         # of elapsed x P
RECORDINGS = 3
EDGE_TOLERANCE = .03    # how delay is split over edges is less sure with many workers
PROGRAMS = (("fib", 17), ("nqueens", 11), ("sort", 100000), ("flat", 10000), ("sparselu", 12), ("bots/uts", 100))


def report(build, path):
    done = subprocess.run([f"{build}/tptrace", "report", "--json", path], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def collapse(build, path, strand, task, parts, least, piece, out, thin=0):
    """How many tasks stand for others in `out`; looking closely at each event comes to the same."""
    words = [f"{build}/collapse", path, *map(str, (strand, task, parts, least, piece, thin))]
    short, closely = (subprocess.run([*words, how], stdout=subprocess.PIPE, text=True, check=True).stdout for how in "01")
    if short != closely:
        raise RuntimeError(f"{path}: the pass in short is not the same as the one that looks closely: {words}")
    with open(out, "w", encoding="utf-8") as file:
        file.write(short)
    return short.count(" collapsed made ")


def kinds(got):
    return {(k["name"], k["line"], k["what"]): k for k in got["kinds"]}


def differences(want, got, slack):
    """What must be equal; times within `slack` of one another, as a share."""
    for key in EXACT:
        if want[key] != got[key]:
            yield f"{key}: {want[key]} in full, {got[key]} collapsed"
    lost = got["cumulative_ns"] - got["work_ns"]
    if got["tracer_ns"] not in (want["tracer_ns"], min(got["tracer_ns"], lost)):  # what events took is an estimate
        yield f"tracer_ns: {want['tracer_ns']} in full, {got['tracer_ns']} of {lost} collapsed"
    for key in TIMES:
        if abs(want[key] - got[key]) > slack * want[key] + slack * 1e5:
            yield f"{key}: {want[key]} in full, {got[key]} collapsed"
    mine, theirs = kinds(got), kinds(want)
    if mine.keys() != theirs.keys():
        yield f"kinds: {sorted(theirs)} in full, {sorted(mine)} collapsed"
        return
    for name, kind in theirs.items():
        if kind["tasks"] != mine[name]["tasks"]:
            yield f"{name}: {kind['tasks']} tasks in full, {mine[name]['tasks']} collapsed"
        for key in ("work_ns", "min_ns", "max_ns"):
            if abs(kind[key] - mine[name][key]) > slack * kind[key] + slack * 1e5:
                yield f"{name}.{key}: {kind[key]} in full, {mine[name][key]} collapsed"
        if abs(kind["median_ns"] - mine[name]["median_ns"]) > kind["median_ns"] / 8 + 1 + slack * 1e3:
            yield f"{name}: median {kind['median_ns']} in full, {mine[name]['median_ns']} collapsed"
    for row in [got] + [row for row in got["runtimes"] if row["tasks"]]:
        for column in COLUMNS:
            if sum(state.get(column, 0) for state in row["states"].values()) != row[column]:
                yield f"{row.get('name', 'process')}: states: {column} does not add up"
    if sum(path["tasks"] for path in got["paths"]) != got["tasks"]:
        yield "paths: the tasks do not add up"
    for rows in ("kinds", "paths", "workers_profile"):
        for column in COLUMNS:
            if sum(row[column] for row in got.get(rows, ())) != got[column] and rows in got:
                yield f"{rows}: {column} does not add up"


def figures(got):
    yield from ((key, got[key]) for key in CLOSE)
    yield from ((f"ready_path.{key}", ns) for key, ns in got["ready_path"].items())
    yield from ((f"delay_by_edge.{key}", ns) for key, ns in got["delay_by_edge"].items())
    yield from ((f"states.tracer.{key}", ns) for key, ns in got["states"]["tracer"].items())


def shares(want, got):
    """Of each figure: what it is of elapsed x P, in full and collapsed."""
    whole = want["elapsed_ns"] * want["workers"]
    if not whole:
        return {}
    return {key: (ns / whole, mine / whole) for (key, ns), (_, mine) in zip(figures(want), figures(got))}


def too_far(shares):
    for key, (full, collapsed) in shares.items():
        if abs(full - collapsed) > (EDGE_TOLERANCE if "edge" in key else TOLERANCE):
            yield f"{key}: {100 * full:.2f} % in full, {100 * collapsed:.2f} % collapsed"


def distances(want, got):
    return too_far(shares(want, got))


def allow_joins(want, got, any_number=False):
    """A collapsed task counts as joined, also if nobody joins it."""
    if any_number or want["edges"]["join"] <= got["edges"]["join"] <= got["tasks"]:
        want["edges"]["join"] = got["edges"]["join"]


def one_random(args):
    build, seed = args
    r = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        full, less = f"{folder}/full.txt", f"{folder}/less.txt"
        text = generate(seed)
        if " bag " in text:
            return f"random {seed}", 0, []
        with open(full, "w") as out:
            out.write(text)
        n_collapsed = collapse(build, full, r.choice((50, 10**12)), r.choice((500, 10**12)), 0, r.choice((0, 3)),
                               r.choice((1, 5, 40, 4000)), less, r.randint(0, 1))
        try:
            want, got = report(build, full), report(build, less)
            allow_joins(want, got, " name " in text)
            if " depend on " in text:
                want["edges"]["depend"] = got["edges"]["depend"]
                want["span_tasks"], want["span_ns"] = got["span_tasks"], got["span_ns"]
            if "runtime 1 " in text:    # which worker ran a collapsed task is unknown
                want["workers"] = got["workers"]
            if want["workers"] < got["workers"] <= len(set(re.findall(r" (w\d+) ", text))):
                return f"random {seed}", n_collapsed, []  # .. and so is who ran none, and is no worker
            return f"random {seed}", n_collapsed, list(differences(want, got, 0))
        except RuntimeError as error:
            return f"random {seed}", n_collapsed, [str(error)]


def one_in_pieces(args):
    build, seed = args
    r = random.Random(seed)
    text = Run(seed, yields=0).text() if seed % 4 == 0 else generate(seed)
    least = 1 if text.count("\n") < 1000 else 30  # what is less than that grows
    limits = r.choice((50, 10**12)), r.choice((500, 10**12)), 0, least
    with tempfile.TemporaryDirectory() as folder:
        full, whole, pieces = f"{folder}/full.txt", f"{folder}/whole.txt", f"{folder}/pieces.txt"
        with open(full, "w") as out:
            out.write(text)
        n_collapsed = collapse(build, full, *limits, 32768, whole)
        collapse(build, full, *limits, r.choice((1, 5, 40, 1000)), pieces, r.randint(0, 1))
        want, got = report(build, whole), report(build, pieces)
        return f"pieces {seed}", n_collapsed, list(differences(want, got, 0)) + list(distances(want, got))


def with_holds(text, r):
    """Some of the time in which workers run nothing is the recorder's."""
    share, most = r.choice(((.02, 10**12), (.5, 500)))
    out, began = [], {}     # worker -> since when it runs nothing
    for line in text.splitlines():
        words = line.split()
        if len(words) > 2 and words[0].isdigit():
            time, worker, event = int(words[0]), words[1], words[2]
            free = time - began.pop(worker, time)
            begins = event in ("root", "begin", "member", "start", "resume")
            if begins and free > 1 and r.random() < share:
                out.append(f"- {worker} tracer {r.randint(1, min(free, most))}")
            if not begins:
                began[worker] = time
        out.append(line)
    return "\n".join(out) + "\n"


def one_schedule(args):
    build, seed = args
    sys.setrecursionlimit(100000)
    r = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        full, less = f"{folder}/full.txt", f"{folder}/less.txt"
        with open(full, "w") as out:
            out.write(with_holds(Run(seed).text(), r))
        want = report(build, full)
        strand = want["elapsed_ns"] // r.choice((PARTS, 10 * PARTS))
        n_collapsed = collapse(build, full, strand, want["elapsed_ns"] // (10 * PARTS), PARTS, r.choice((10, 48)),
                               r.choice((100, 1000, 4096)), less, r.randint(0, 1))
        try:
            got = report(build, less)
        except RuntimeError as error:
            return f"schedule {seed}", n_collapsed, [str(error)]
        return f"schedule {seed}", n_collapsed, list(differences(want, got, 0)) + list(distances(want, got))


def one_alone(args):
    """Whatever is inside what: one worker's trees are collapsed whole."""
    build, seed, child_first, calls, yields, empty = args
    sys.setrecursionlimit(100000)
    run = Run(seed, workers=1, child_first=child_first, calls=calls, odd=0, yields=yields, empty=empty)
    with tempfile.TemporaryDirectory() as folder:
        full, less = f"{folder}/full.txt", f"{folder}/less.txt"
        with open(full, "w") as out:
            out.write(run.text())
        n_collapsed = collapse(build, full, 10**12, 10**12, 0, 30, 1000, less, seed % 2)
        with open(full) as one, open(less) as other:
            n_full, n_less = len(one.readlines()), len(other.readlines())
        return (f"alone {seed} {calls} {'child' if child_first else 'help'} first {yields} {empty}", n_collapsed,
                [f"{n_less} of {n_full} lines remain"] if n_less > 40 + n_full // 20 else [])


class Loop:
    """Tasks of one creator.  batch: so many before it waits, 0: each begins as it is created; stolen: each so manieth;
    queue: when so many are waiting, the others begin as they are created."""

    def __init__(self, seed, batch, stolen, queue=0):
        self.r, self.batch, self.stolen, self.now, self.lines = random.Random(seed), batch, stolen, 0, []
        self.queue = queue

    def emit(self, text, worker=0):
        self.now += self.r.randint(1, 30)
        self.lines.append(f"{self.now} w{worker} {text}")

    def run(self, ident, worker=0):
        self.emit(f"begin {ident}", worker)
        self.now += self.r.choice((5, 200, 900))
        self.emit("end", worker)

    def wait(self, waiting):
        self.emit("wait children site=2")
        for ident in waiting:
            self.run(ident)
        self.emit("resume 0.1")

    def text(self, n):
        waiting, created = [], 0
        self.emit("root 0.1")
        for i in range(2, n + 2):
            self.emit(f"create 0.{i} site=1")
            stolen = self.stolen and i % self.stolen == 0
            created += 1
            if self.batch and not stolen and not 0 < self.queue <= len(waiting):
                waiting.append(f"0.{i}")
            elif not stolen:
                self.run(f"0.{i}")
            self.emit("resume 0.1")
            if stolen:
                self.run(f"0.{i}", 1)
            if created == self.batch > 0:
                self.wait(waiting)
                waiting, created = [], 0
        self.wait(waiting)
        self.emit("end")
        return "tptrace text 2\nclock ns\nruntime 0 name=x workers=2\nsite 1 runtime=0 name=k\n" + "\n".join(self.lines) + "\n"


def one_loop(args):
    build, seed, batch, stolen, queue = args
    with tempfile.TemporaryDirectory() as folder:
        full, less = f"{folder}/full.txt", f"{folder}/less.txt"
        with open(full, "w") as out:
            out.write(Loop(seed, batch, stolen, queue).text(20000 if queue else 6000))
        n_collapsed = collapse(build, full, 10**12, 10**12, 0, 48, 4096, less, seed % 2)
        with open(full) as one, open(less) as other:
            n_full, n_less = len(one.readlines()), len(other.readlines())
        most = 400 + (30 * 6000 // stolen if stolen else 0) + (16 * queue if batch > 6000 else 0)
        wrong = list(differences(*(report(build, path) for path in (full, less)), 0))
        return (f"loop {seed} of {batch}, {stolen} stolen, {queue} waiting", n_collapsed,
                wrong + ([f"{n_less} of {n_full} lines remain"] if n_less > most else []))


STRANDS = {word: "begins" for word in ("root", "begin", "member", "start", "resume")} | \
    {word: "ends" for word in ("create", "fork", "wait", "yield", "signal", "end")}


def cut(lines, w, n_gone):
    """The lines of a worker without its first n_gone, and what stands in their place."""
    ids, last, running, ran = 0, 0, None, None
    for line in lines[:n_gone]:
        words = line.split()
        last = int(words[0]) if words[0] != "-" else last
        ids += words[2] in ("root", "create", "fork", "member", "start")
        if STRANDS.get(words[2]) == "begins":
            running = words[3]
        elif STRANDS.get(words[2]) == "ends":
            running = None
    gap = [f"- w{w} lost {n_gone} old", f"- w{w} since 0", f"- w{w} until {last}", f"- w{w} next-id {ids}"]
    return gap + [f"{last} w{w} resume {running}"] * bool(running), lines[n_gone:]


def cut_as(kept, text):
    """The full trace, cut where the kept one is; and what is wrong with its gaps."""
    events, gaps, wrong = {}, {}, []
    for line in text.splitlines():
        if line[0] in "-0123456789":
            events.setdefault(line.split()[1][1:], []).append(line)
    for line in kept:
        words = line.split()
        if words[2:3] == ["lost"]:
            gaps[words[1][1:]] = int(words[3])
    for w, lines in events.items():
        if not gaps.get(w):
            continue
        gap, rest = cut(lines, w, gaps[w])
        theirs = [line for line in kept if line.split()[1] == "w" + w]
        if rest and gap != theirs[:len(gap)]:
            wrong.append(f"worker {w} goes on with {theirs[:len(gap)]}, and not {gap}")
        events[w] = gap + rest if rest else theirs
    return [line for lines in events.values() for line in lines], sum(gaps.values()), wrong


def is_definition(line):
    return line.split()[0] in ("tptrace", "clock", "runtime", "site")


def one_kept(args):
    """The parts of the trace that a flight recorder has are what they are of the full trace."""
    build, seed, looped = args
    sys.setrecursionlimit(100000)
    r = random.Random(seed)
    text = Loop(seed, *looped).text(20000) if looped else with_holds(Run(seed, tasks=r.randint(4000, 12000)).text(), r)
    name = f"kept {seed} {looped or ''}"
    with tempfile.TemporaryDirectory() as folder:
        full, tpt, want, got = (f"{folder}/{word}" for word in ("full.txt", "kept.tpt", "want.txt", "got.txt"))
        with open(full, "w") as out:
            out.write(text)
        elapsed = 10**12 if looped else report(build, full)["elapsed_ns"]
        subprocess.run([f"{build}/keep", full, *map(str, (elapsed // PARTS, elapsed // (4 * PARTS), r.choice((3000, 10000, 30000)),
                                                          r.randint(0, 1), seed)), tpt], check=True)
        kept = subprocess.run([f"{build}/tptrace", "dump", tpt], capture_output=True, text=True, check=True).stdout.splitlines()
        events = [line for line in kept if line[0] in "-0123456789"]
        said = sum(int(line.split()[5]) for line in events if line.split()[2] == "tally" and line.split()[4] == "tasks")
        there = sum(int(line.split()[4]) for line in events if line.split()[2:4] == ["collapsed", "tasks"])
        mine, n_gone, wrong = cut_as(events, text)
        if said != there:
            wrong.append(f"{there} tasks are collapsed, and {said} tallied")
        definitions = [line for line in text.splitlines() if is_definition(line)]
        for path, lines in ((want, mine), (got, events)):
            with open(path, "w") as out:
                out.write("\n".join(definitions + lines) + "\n")
        try:
            one, other = report(build, want), report(build, got)
            allow_joins(one, other)
        except RuntimeError as error:
            return name, there, wrong + [str(error)]
        return name, there * (n_gone > 0), wrong + list(differences(one, other, 0)) + list(distances(one, other))


def one_recorded(build, name, size, runtime):
    with tempfile.TemporaryDirectory() as folder:
        full, less = f"{folder}/full.tpt", f"{folder}/less.txt"
        env = dict(runtimes.clean_environment(), **runtime.environment(2, folder), TPTRACE_COLLAPSE="off")
        subprocess.run([f"{build}/tptrace", "record", "-q", "-o", full, "--", name, str(size), "2"],
                       env=env, stdout=subprocess.DEVNULL, check=True)
        want = report(build, full)
        n_collapsed = collapse(build, full, 200000, 20000, PARTS, 48, 4096, less)
        got = report(build, less)
        return n_collapsed, list(differences(want, got, .002)), shares(want, got)


def one_real(build, program, size, runtime):
    name = runtimes.build_program(build, runtime, program)
    n_collapsed, wrong, of = zip(*(one_recorded(build, name, size, runtime) for _ in range(RECORDINGS)))
    mean = {key: [sum(one[key][i] for one in of) / RECORDINGS for i in (0, 1)] for key in of[0]}
    return f"{program} on {runtime.name}", sum(n_collapsed), sum(wrong, []) + list(too_far(mean))


def calls(build):
    """Events for tasks; in full there are more than five each."""
    name, trace = f"{build}/calls", f"{build}/calls.tpt"
    if subprocess.run(["g++", "-O2", "-o", name, f"{HERE}/calls.cc", "-ltbb"], capture_output=True).returncode:
        print("skip calls: no oneTBB to compile with")
        return "calls", 1, []
    done = subprocess.run([f"{build}/tptrace", "record", "-o", trace, "--", name, "24"], capture_output=True,
                          text=True, env=runtimes.clean_environment(), check=True)
    said = re.search(r"([0-9]+) events of ([0-9]+) tasks", done.stderr)
    tasks = report(build, trace)["tasks"]
    os.unlink(trace)
    wrong = [] if said and int(said[2]) == tasks > 40000 and int(said[1]) < 2 * tasks else [done.stderr.strip()]
    return "calls", 1, wrong


def main():
    args = frame.options(__doc__, random=600, schedules=60, kept=40, seed=1)
    seeds = lambda n: ((args.build, args.seed + i) for i in range(n))
    passed = failed = 0
    collapsed = {}

    def judge(result):
        nonlocal passed, failed
        name, n_collapsed, wrong = result
        what = name.split()[0] if name.split()[0] in ("random", "pieces", "schedule", "alone", "loop", "kept") else "programs"
        collapsed[what] = collapsed.get(what, 0) + n_collapsed
        passed, failed = passed + (not wrong), failed + bool(wrong)
        for line in wrong:
            print(f"{name}: {line}")

    with Pool() as pool:
        for result in pool.imap_unordered(one_random, seeds(args.random), 20):
            judge(result)
        for result in pool.imap_unordered(one_in_pieces, seeds(args.random // 4), 20):
            judge(result)
        for result in pool.imap_unordered(one_schedule, seeds(args.schedules)):
            judge(result)
        for result in pool.imap_unordered(one_alone, [(args.build, args.seed, child_first, calls, yields, empty)
                                                      for child_first in (False, True)
                                                      for calls in (None, "bag", "group") for yields in (0, 1)
                                                      for empty in ((0, 1) if calls else (0,))]):
            judge(result)
        for result in pool.imap_unordered(one_loop, [(args.build, args.seed + i, batch, stolen, queue) for i in range(2)
                                                     for batch, stolen, queue in ((0, 0, 0), (100, 0, 0), (0, 500, 0),
                                                                                  (1000, 0, 64), (20000, 0, 64))]):
            judge(result)
        for result in pool.imap_unordered(one_kept, [(args.build, args.seed + i, None) for i in range(args.kept)] +
                                          [(args.build, args.seed + i, looped) for i in range(2)
                                           for looped in ((0, 0), (100, 0), (0, 500), (1000, 0, 64))]):
            judge(result)
    for program, size in PROGRAMS:
        for runtime in runtimes.find(args.build):
            if not runtime.missing and not runtime.cannot(program):
                judge(one_real(args.build, program, size, runtime))
    judge(calls(args.build))
    for what, n in collapsed.items():
        if n == 0:
            failed += 1
            print(f"{what}: nothing could be collapsed, so nothing was tested")
    print(f"collapse: {passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
