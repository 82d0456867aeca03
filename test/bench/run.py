#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py [--quick] [--only NAME] [--json FILE] - what tptrace costs, beside what it may cost.

What is compared is run in turns, many times: medians and quartiles are of the single turns.
`of bar` is how much of its bar a figure takes up: met up to 1.  Programs come from `make bench`.

  task      ns added a task on one thread, as a multiple of the clock readings that the task needs
            (timed events a task, from the trace, times the cost of a reading, measured in each
            turn); ring: the same without a runtime.  And what the collector's thread takes
  clock     ns that a reading of the counter takes, one with the offset of its CPU (0: not used on
            this machine), and one of CLOCK_MONOTONIC; how far the counters of
            CPUs are apart, at rest and with all CPUs busy
  runtimes  the same for each other runtime that is here, on one worker, by the programs of
            test/port: fib; on StarPU, flat
  cost      the same and more of fib on five runtimes, under `tptrace record`, by workers and cores (cost.py)
  grain     slowdown of tasks of 1, 10 and 100 us of work on two threads
  disabled  slowdown of fib with TPTRACE_DISABLE=1, and how many times the instructions it takes
  lock      ns that the shim for pthread adds to locking and unlocking a free mutex in a task
  fib       fib(28) without cut-off, on oneTBB and MassiveThreads: how many times as long
  compensate  fine tasks on libgomp, libomp, oneTBB and MassiveThreads: how far off the time is that `report
            --compensate` says the program would take untraced
  bots      slowdown of the ten programs of test/bench/bots on 1 and 2 threads, on libgomp, libomp
            and oneTBB: `off`, preloaded with TPTRACE_DISABLE=1; `inside`, preloaded, so that a
            thread of the program writes the trace; `record`, by `tptrace record`.  It is of what
            the program measures itself; of the whole process it stands beside
  collector ns an event to pack, and to collapse, each by itself
  streams   recorded streams of 64 and 256 workers, taken by one and two threads: millions of events a
            second and thread, and how much faster two are; and how much of their time workers would
            wait for the collector, by these rates, with a CPU for each thread
  bytes     bytes of the trace a task: full, with TPTRACE_COLLAPSE=off, and as by default
  memory    MiB that a program has more at its peak when it is traced
  analysis  `tptrace report --json` on one core: events a second of processor time; bytes a strand:
            the most memory it had (wait4's ru_maxrss, libraries and all, and while it reads the
            trace, which is mapped); linear: time an event at the largest size, over that
            at 10^6
  scale     seconds and GiB that `tptrace report` takes for 10^8 events, and how much faster two threads are
  page      `tptrace view` of 10^6 and 10^7 events, and 10^8: how many times the processor time and the memory of the
            report of the same trace, and MB of the page
  job       MiB that `tptrace report` takes at its peak for 8, 64 and 256 ranks of 10^6 events, with messages
  simulate  fib in full on 1,024 workers under each policy: tasks a second of processor time that two more runs take
"""
import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from statistics import median

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", name) for name in ("port", "model")]
import cost  # pylint: disable=wrong-import-position
import runtimes  # pylint: disable=wrong-import-position
import streams  # pylint: disable=wrong-import-position
from laws import POLICIES  # pylint: disable=wrong-import-position

SHAPES = ("fork-join", "flat-loop", "breadth-first")

# program: its size with --quick, and what it may be slowed down by, in %
BOTS = {"alignment": (40, 3), "fft": (18, 3), "fib": (37, 3), "floorplan": (13, 3),
        "health": (200, 25), "nqueens": (12, 3), "sort": (1500000, 3), "sparselu": (14, 3),
        "strassen": (512, 3), "uts": (6000, 25)}
WAYS = ("alone", "off", "inside", "record")


class Failure(Exception):
    pass


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    cut = statistics.quantiles(values, n=4, method="inclusive")
    return cut[0], cut[2]


class Bench:
    def __init__(self, args, tmp):
        self.build, self.tmp, self.quick = os.path.abspath(args.build), tmp, args.quick
        self.turns, self.only_runtimes = args.turns, args.runtime
        self.rows, self.measured, self.results = [], [], {}
        self.core = max(os.sched_getaffinity(0))
        self.env = runtimes.clean_environment()
        self.trace = os.path.join(tmp, "trace.tpt")

    def path(self, name):
        return os.path.join(self.build, name)

    def say(self, text):
        print(f"# {text}", file=sys.stderr, flush=True)

    def run(self, argv, env=None, pinned=False):
        """Standard output and rusage of one run."""
        pin = (lambda: os.sched_setaffinity(0, {self.core})) if pinned else None
        child = subprocess.Popen(argv, env={**self.env, **(env or {})}, preexec_fn=pin,
                                 stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        out = child.stdout.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stdout.close()
        if child.returncode:
            raise Failure(f"{' '.join(argv)}: exit status {child.returncode}")
        return out, usage

    def figures(self, name, *args, env=None):
        """A program of the benchmark prints names and numbers; cpu is the process's seconds."""
        out, usage = self.run([self.path(os.path.join("bench", name)), *map(str, args)], env)
        words = out.split()
        return {**dict(zip(words[::2], map(float, words[1::2]))),
                "cpu": usage.ru_utime + usage.ru_stime}

    def traced(self, name, *args, shim="omp", disable=False, **env):
        if os.path.exists(self.trace):
            os.unlink(self.trace)
        env = {**env, "TPTRACE_OUTPUT": self.trace,
               "LD_PRELOAD": ":".join(self.path(f"libtpshim_{s}.so") for s in shim.split())}
        if disable:
            env["TPTRACE_DISABLE"] = "1"
        got = self.figures(name, *args, env=env)
        if os.path.exists(self.trace) == disable:
            raise Failure(f"{name}: " + ("a trace, though disabled" if disable else "no trace"))
        return got

    def pairs(self, n, name, *args, shim="omp", disable=False, **env):
        """n turns of: the program alone, with the shim (either comes first), and the clock."""
        turns = []
        for i in range(n):
            if i % 2:
                traced = self.traced(name, *args, shim=shim, disable=disable, **env)
                plain = self.figures(name, *args, env=env)
            else:
                plain = self.figures(name, *args, env=env)
                traced = self.traced(name, *args, shim=shim, disable=disable, **env)
            turns.append((plain, traced, self.figures("clock")["clock_ns"]))
        return turns

    def n_turns(self, whole, quick):
        return self.turns or (quick if self.quick else whole)

    def way(self, way, runtime, program, *args, threads, env=None, pinned=False):
        """One run of a program of test/port, one of WAYS; `whole` is the process's seconds, `cpu` those of
        processor time, with a recorder's."""
        path = runtimes.build_program(self.build, runtime, program)
        env = {**runtime.environment(threads, self.tmp), **(env or {}),
               "TPTRACE_OUTPUT": self.trace}
        command = [path, "-t", *map(str, args)]
        if os.path.exists(self.trace):
            os.unlink(self.trace)
        if way == "record":
            command = [self.path("tptrace"), "record", "-q", "--", *command]
        elif way != "alone":
            env["LD_PRELOAD"] = runtimes.shim_of(self.build, runtime)
        if way == "off":
            env["TPTRACE_DISABLE"] = "1"
        begin = time.monotonic()
        out, usage = self.run(command, env, pinned)
        words = out.split()
        got = {**dict(zip(words[::2], map(float, words[1::2]))), "whole": time.monotonic() - begin,
               "cpu": usage.ru_utime + usage.ru_stime}
        what = f"{program} on {runtime.name}, {way}"
        if os.path.exists(self.trace) != (way in ("inside", "record")):
            raise Failure(f"{what}: " + ("no trace" if way in ("inside", "record") else "a trace"))
        if self.results.setdefault((program, args), got["result"]) != got["result"]:
            raise Failure(f"{what}: another result than before")
        return got

    def in_turns(self, n, ways, *args, **options):
        """n turns of the same run in each of the ways, none of them always the first."""
        turns = []
        for i in range(n):
            order = ways[i % len(ways):] + ways[:i % len(ways)]
            turns.append({way: self.way(way, *args, **options) for way in order})
        return turns

    def some_runtimes(self, keys):
        for runtime in runtimes.find(self.build):
            if runtime.key not in keys or self.only_runtimes and (runtime.key
                                                                  not in self.only_runtimes):
                continue
            if runtime.missing:
                self.say(f"no {runtime.name}: {runtime.missing}")
                continue
            yield runtime, runtime.name + (" (stand-in)" if runtime.stand_in else "")

    def row(self, name, values, unit, bar=None, least=False, note="", positive=False):
        """One line of the table; `least`: a lower bar; `positive`: 0 or less is noise."""
        middle, (low, high) = median(values), quartiles(values)
        ratio = None if bar is None else (bar / middle if least else middle / bar)
        verdict = "" if ratio is None else ("met" if ratio <= 1 else "MISSED")
        if positive and middle <= 0:
            verdict = "NOISE"
        self.measured.append({"what": name, "median": middle, "low": low, "high": high,
                              "turns": list(values), "unit": unit, "bar": bar,
                              "least": least, "verdict": verdict.lower(), "note": note})
        self.rows.append((name, f"{middle:.4g}", f"{low:.4g} .. {high:.4g}", str(len(values)),
                          unit, "" if bar is None else f"{'>=' if least else '<='} {bar:g}",
                          "" if ratio is None else f"{ratio:.3f}", verdict, note))
        self.say("  ".join(self.rows[-1]))

    def table(self):
        head = ("what", "median", "quartiles", "n", "unit", "bar", "of bar", "verdict", "")
        rows = [head, *self.rows]
        wide = [max(len(row[i]) for row in rows) for i in range(len(head))]
        for row in rows:
            print("  ".join(cell.ljust(w) for cell, w in zip(row, wide)).rstrip())
        judged = [row[7] for row in self.rows if row[7]]
        print(f"\n{judged.count('met')} of {len(judged)} bars met")

    def write_json(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"cores": os.cpu_count(), "quick": self.quick, "rows": self.measured}, file,
                      indent=1)
            file.write("\n")

    # ---- what is measured ----

    def task_row(self, what, turns, full, bar):
        """What the turns' traces took a task; full: what encode says of one that is not collapsed."""
        trace = self.figures("encode", self.trace, 1)
        tasks = turns[0][1]["tasks"]
        needs = full["timed"] / tasks

        def added(key):
            return [b[key] - a[key] for a, b, _ in turns]

        def ratios(key):
            return [d / (needs * clock) for d, (_, _, clock) in zip(added(key), turns)]

        self.row(what, ratios("ns_per_task"), "x its clock readings", bar, positive=True,
                 note=f"{median(added('ns_per_task')):.1f} ns a task more than "
                      f"{median(a['ns_per_task'] for a, _, _ in turns):.1f}, for {needs:.2f} "
                      f"readings of {median(c for _, _, c in turns):.2f}; "
                      f"{median(ratios('cpu_ns_per_task')):.3f} x by processor time; "
                      f"{trace['held_ns'] / tasks:.1f} ns a task held by a full ring")

    def full(self, name, *args, shim="omp", **env):
        """What encode says of a trace of all events."""
        last = self.trace
        self.trace = os.path.join(self.tmp, "full.tpt")
        try:
            self.traced(name, *args, shim=shim, **env, TPTRACE_COLLAPSE="off")
            return self.figures("encode", self.trace, 1)
        finally:
            self.trace = last

    def task(self):
        for name, size in (("fib", 27), ("flat", 500000)):
            turns = self.pairs(7 if self.quick else 21, name, size, OMP_NUM_THREADS="1")
            trace = self.full(name, size, OMP_NUM_THREADS="1")
            self.task_row(f"task: {name}, 1 thread", turns, trace, 1.25)
            thread = [(b["cpu"] * 1e9 - b["thread_cpu_ns"]) - (a["cpu"] * 1e9 - a["thread_cpu_ns"])
                      for a, b, _ in turns]
            self.row(f"collector: its thread, {name}", [t / trace["events"] for t in thread],
                     "ns an event", 15, note="processor time beside the program's thread")
        turns = [self.figures("ring") for _ in range(3 if self.quick else 11)]
        self.row("task: ring alone", [t["record_ns"] / t["clock_ns"] for t in turns],
                 "x its clock readings", 1.25,
                 note=f"{median(t['record_ns'] for t in turns):.1f} ns for 4 events, "
                      f"{median(t['clock_ns'] for t in turns):.1f} for 4 readings")

    def clock(self):
        turns = [{**self.figures("clock"), **self.figures("clock", "offsets")}
                 for _ in range(self.n_turns(11, 5))]
        for what, key in (("the counter", "clock_ns"), ("CLOCK_MONOTONIC", "gettime_ns")):
            self.row(f"clock: reading {what}", [t[key] for t in turns], "ns")
        for what, prefix in (("at rest", ""), ("all busy", "busy_")):
            self.row(f"clock: CPUs apart, {what}", [t[prefix + "off_ns"] for t in turns], "ns", 20,
                     note=f"+- {median(t[prefix + 'unsure_ns'] for t in turns):.0f} ns")

    def runtimes(self):
        """Of those other than libgomp; on one worker.  StarPU's main() is no worker beside it."""
        for runtime, called in self.some_runtimes(("omp", "tbb", "qth", "mth", "starpu", "cilk")):
            name, size = ("fib", 23) if runtime.nests else ("flat", 100000)
            what = (runtimes.build_program(self.build, runtime, name), "-t", size)
            options = {"shim": runtime.shim, **runtime.environment(1, self.tmp)}
            turns = self.pairs(7 if self.quick else 21, *what, **options)
            self.task_row(f"task: {name} on {called}", turns, self.full(*what, **options),
                          1.5 if runtime.key in ("omp", "starpu") else 1.35)

    def grain(self):
        rate = median(self.figures("grain")["iterations_per_us"] for _ in range(3))
        for us, bar in ((1, None), (10, 1.5), (100, .3)):
            turns = self.pairs(5 if self.quick else 15, "grain", us, 2, 0.2 if self.quick else 0.5,
                               rate, OMP_NUM_THREADS="2")
            self.row(f"grain: {us} us a task, 2 threads",
                     [(b["seconds"] / a["seconds"] - 1) * 100 for a, b, _ in turns], "% slower",
                     bar, note=f"{median((b['cpu'] / a['cpu'] - 1) * 100 for a, b, _ in turns):.2f}"
                               " % more processor time; "
                               f"{median(a['seconds'] for a, _, _ in turns):.3f} s alone")

    def lock(self):
        turns = [[self.traced("lock", shim=shim)["ns_per_pair"] for shim in ("omp", "omp pthread")]
                 for _ in range(self.n_turns(25, 7))]
        self.row("lock: free mutex", [b - a for a, b in turns], "ns a pair", 5,
                 note=f"of {median(a for a, _ in turns):.1f} without the shim")

    def disabled(self):
        for threads in (1, 2):
            turns = self.pairs(7 if self.quick else 21, "fib", 29 - 2 * threads,
                               OMP_NUM_THREADS=str(threads), disable=True)
            added = median(b["ns_per_task"] - a["ns_per_task"] for a, b, _ in turns)
            self.row(f"disabled: fib, {threads} thr.",
                     [(b["ns_per_task"] / a["ns_per_task"] - 1) * 100 for a, b, _ in turns],
                     "% slower", note=f"{added:.1f} ns a task")
        cost.switched_off(self)

    def cost(self):
        cost.measure(self)

    def fib(self):
        """Nothing but tasks: what tracing one multiplies its cost by."""
        n = 24 if self.quick else 28
        for runtime, called in self.some_runtimes(("tbb", "mth")):
            for threads in (1, 2):
                turns = self.in_turns(self.n_turns(15, 5), WAYS, runtime, "fib", n, threads=threads)
                most = 1.7 if runtime.key == "tbb" else 2.2
                for way, bar in (("off", 1.02), ("inside", most), ("record", most)):
                    self.row(f"fib({n}): {called}, {threads} thr., {way}",
                             [t[way]["seconds"] / t["alone"]["seconds"] for t in turns],
                             "x as long", bar,
                             note=f"{median(t['alone']['ns_per_task'] for t in turns):.1f} ns a "
                                  "task alone")

    def compensated(self):
        """Seconds that the report takes out of the run that was traced last."""
        words = [self.path("tptrace"), "report", "--json", "--compensate", self.trace]
        found = json.loads(self.run(words)[0])
        return (found["elapsed_ns"] - found["compensated"]["elapsed_ns"]) / 1e9

    def compensate(self):
        """What `report --compensate` makes of fine tasks, beside what they take untraced."""
        for runtime, called in self.some_runtimes(("gomp", "omp", "tbb", "mth")):
            for (name, size), threads, how in itertools.product(
                    (("fib", 26), ("flat", 500000)), (1, 2), ("full", "collapsed")):
                env = {"TPTRACE_COLLAPSE": "off"} if how == "full" else {}
                options = {"threads": threads, "env": env}
                turns = []
                for _ in range(self.n_turns(11, 3)):
                    alone = self.way("alone", runtime, name, size, **options)["seconds"]
                    traced = self.way("record", runtime, name, size, **options)["seconds"]
                    turns.append((alone, traced, traced - self.compensated()))
                self.row(f"compensate: {name}, {called}, {threads} thr., {how}",
                         [(less / alone - 1) * 100 for alone, _, less in turns], "% off",
                         note=f"{median((b / a - 1) * 100 for a, b, _ in turns):.1f} % slower, "
                              "as recorded")

    def bots(self):
        for runtime, called in self.some_runtimes(("gomp", "omp", "tbb")):
            for program, (size, bar) in BOTS.items():
                for threads in (1, 2):
                    turns = self.in_turns(self.n_turns(11, 3), WAYS, runtime, "bots/" + program,
                                          *([size] if self.quick else []), threads=threads)
                    for way in WAYS[1:]:
                        self.bots_row(f"bots: {program}, {called}, {threads} thr., {way}", turns,
                                      way, None if way == "off" else bar)

    def bots_row(self, what, turns, way, bar):
        def slower(key):
            return [(t[way][key] / t["alone"][key] - 1) * 100 for t in turns]

        alone = turns[0]["alone"]
        self.row(what, slower("seconds"), "% slower", bar,
                 note=f"{median(t['alone']['seconds'] for t in turns):.3f} s alone, "
                      f"{alone['tasks']:.0f} tasks; whole process {median(slower('whole')):.2f} %")

    def collector(self):
        for name, size, threads in (("fib", 27, 1), ("fib", 25, 2), ("flat", 500000, 2)):
            self.traced(name, size, OMP_NUM_THREADS=str(threads), TPTRACE_COLLAPSE="off")
            turns = [self.figures("encode", self.trace, 5) for _ in range(3 if self.quick else 7)]
            self.row(f"collector: packing {name}, {threads} thr.",
                     [t["ns_per_event"] for t in turns], "ns an event", 15,
                     note=f"{turns[0]['bytes_per_event']:.3f} bytes an event")
            self.row(f"collector: collapsing {name}, {threads} thr.",
                     [t["collapse_ns_per_event"] for t in turns], "ns an event",
                     note=f"{turns[0]['left_of_1000'] / 10:.1f} % of the events remain")

    def streams(self):
        streams.measure(self)

    def bytes(self):
        for name, size, threads, bar in (("fib", 27, 1, 2.5), ("fib", 25, 2, 2.5),
                                         ("flat", 500000, 2, None)):
            for how, env in (("full", {"TPTRACE_COLLAPSE": "off"}), ("collapsed", {})):
                per_task = []
                for _ in range(self.n_turns(5, 3)):
                    tasks = self.traced(name, size, OMP_NUM_THREADS=str(threads), **env)["tasks"]
                    per_task.append(os.path.getsize(self.trace) / tasks)
                self.row(f"bytes: {name}, {threads} thr., {how}", per_task, "bytes a task", bar)
        n = 27 if self.quick else 32
        for runtime, called in self.some_runtimes(("gomp", "omp", "tbb", "mth")):
            whole = []
            for _ in range(self.n_turns(3, 1)):
                self.way("record", runtime, "fib", n, threads=1)
                whole.append(os.path.getsize(self.trace) / 1e3)
            self.row(f"bytes: fib({n}) by one worker, {called}", whole, "kB in all", 100)
            per_task = []
            for _ in range(self.n_turns(5, 3)):
                tasks = self.way("record", runtime, "fib", 24, threads=2, env={"TPTRACE_COLLAPSE": "off"})["tasks"]
                per_task.append(os.path.getsize(self.trace) / tasks)
            self.row(f"bytes: fib, {called}, 2 thr., full", per_task, "bytes a task", 2.5)
        for runtime, called in self.some_runtimes(("gomp", "omp", "tbb")):
            for program in ("health", "uts"):
                self.bots_bytes(runtime, called, program)

    def bots_bytes(self, runtime, called, program):
        args = [BOTS[program][0]] if self.quick else []
        for how, env in (("full", {"TPTRACE_COLLAPSE": "off"}), ("collapsed", {})):
            per_task, steals = [], []
            for _ in range(self.n_turns(3, 1)):
                tasks = self.way("record", runtime, "bots/" + program, *args, threads=2,
                                 env=env)["tasks"]
                per_task.append(os.path.getsize(self.trace) / tasks)
                steals.append(self.report(self.trace)[2]["steals"] / tasks)
            self.row(f"bytes: {program}, {called}, 2 thr., {how}", per_task, "bytes a task", 3,
                     note=f"{median(steals):.4f} steals a task")

    def memory(self):
        """The program alone is that under `tptrace record`; what that itself has comes beside."""
        for runtime, called in self.some_runtimes(("gomp", "omp", "tbb")):
            for program, size, threads in (("fib", 24, 1), ("fib", 24, 2), ("fib", 20, 16),
                                           ("bots/sort", 1000000, 2)):
                turns = [self.peaks(runtime, program, size, threads)
                         for _ in range(self.n_turns(5, 3))]
                for way in WAYS[1:]:
                    self.row(f"memory: {program}, {called}, {threads} thr., {way}",
                             [(t[way] - t["alone"]) / 1024 for t in turns], "MiB more",
                             note=f"{median(t['alone'] for t in turns) / 1024:.1f} MiB alone" +
                                  (f"; the larger of it and its recorder has "
                                   f"{median(t['both'] for t in turns) / 1024:.1f} MiB"
                                   if way == "record" else ""))

    def peaks(self, runtime, program, size, threads):
        """KiB at the peak, for each of WAYS; both: of `tptrace record` and what it runs."""
        command = [runtimes.build_program(self.build, runtime, program), str(size)]
        peak, got = self.path("bench/peak"), {}
        record = [self.path("tptrace"), "record", "-q", "--"]
        for way in (*WAYS, "both"):
            env = {**runtime.environment(threads, self.tmp), "TPTRACE_OUTPUT": self.trace}
            if way in ("off", "inside"):
                env["LD_PRELOAD"] = runtimes.shim_of(self.build, runtime)
            if way == "off":
                env["TPTRACE_DISABLE"] = "1"
            before = {"record": [*record, peak], "both": [peak, *record]}.get(way, [peak])
            out, _ = self.run([*before, *command], env)
            got[way] = int(out.split()[-1])
            if os.path.exists(self.trace):
                os.unlink(self.trace)
        return got

    def scale(self):
        n = 10**7 if self.quick else 10**8
        for shape in SHAPES:
            made = self.figures("synth", shape, n, self.trace)
            seconds, gib, cpu = {1: [], 2: []}, [], []
            for _ in range(self.n_turns(3, 1)):
                for threads in (1, 2):
                    begin = time.monotonic()
                    out, usage = self.run([self.path("bench/peak"), self.path("tptrace"), "report", "-j", str(threads),
                                           self.trace])
                    seconds[threads].append(time.monotonic() - begin)
                cpu.append(usage.ru_utime + usage.ru_stime)
                gib.append(int(out.split()[-1]) / 2**20)
            what = f"scale: {shape}, 10^{len(str(n)) - 1} events"
            self.row(what, seconds[2], "s to report", None if self.quick else 9,
                     note=f"{median(cpu):.2f} s of processor time; a trace of {made['bytes'] / 2**20:.0f} MiB")
            self.row(f"{what}, 2 threads", [a / b for a, b in zip(seconds[1], seconds[2])], "x as fast as one", 1.7, least=True)
            self.row(what, gib, "GiB at its peak", None if self.quick else 1.6)
            os.unlink(self.trace)

    def page(self):
        page = os.path.join(self.tmp, "page.html")
        for shape, n in itertools.product(SHAPES, (10**6, 10**7) if self.quick else (10**6, 10**7, 10**8)):
            self.figures("synth", shape, n, self.trace)
            got = {"report": [], "view": []}
            for _ in range(self.n_turns(3, 1)):
                for command, more in (("report", []), ("view", ["-o", page])):
                    out, usage = self.run([self.path("bench/peak"), self.path("tptrace"), command, *more, self.trace])
                    got[command].append((usage.ru_utime + usage.ru_stime, int(out.split()[-1])))
            what = f"page: {shape}, 10^{len(str(n)) - 1} events"
            for i, unit in enumerate(("x the report's processor time", "x its memory")):
                self.row(what, [a[i] / b[i] for a, b in zip(got["view"], got["report"])], unit, 2)
            self.row(what, [os.path.getsize(page) / 1e6], "MB of the page", 15)
            os.unlink(self.trace)

    def job(self):
        folder = os.path.join(self.tmp, "job")
        for n in (8, 64) if self.quick else (8, 64, 256):
            os.makedirs(folder)
            for rank in range(n):
                self.run([self.path("bench/synth"), "ranks", str(10**6), f"{folder}/{rank}.tpt", str(rank), str(n)])
            _, usage = self.run([self.path("tptrace"), "report", folder])
            # the kernel maps 64 KiB around each fault: some 0.5 MiB for a rank that is looked at
            self.row(f"job: {n} ranks of 10^6 events", [usage.ru_maxrss / 1024], "MiB at its peak", 96 + n / 2)
            shutil.rmtree(folder)

    def report(self, trace):
        """Processor seconds, most memory, and the report of one trace."""
        out, usage = self.run([self.path("tptrace"), "report", "--json", trace], pinned=True)
        got = json.loads(out)
        whole = got["elapsed_ns"] * got["workers"]
        if sum(got[f"{k}_ns"] for k in ("work", "delay", "no_work_sched", "no_work_app")) != whole:
            raise Failure(f"{trace}: the breakdown does not add up")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, got

    def analysis(self):
        turns = {10**5: 15, 10**6: 15, 10**7: 5}
        if not self.quick:
            turns[10**8] = 3
        for shape in SHAPES:
            made, runs = {}, {size: [] for size in turns}
            for size in turns:
                trace = os.path.join(self.tmp, f"{shape}.{size}.tpt")
                made[size] = {**self.figures("synth", shape, size, trace), "trace": trace}
            for turn in range(max(turns.values())):  # the sizes in turns, from the largest
                for size in sorted(turns, reverse=True):
                    if turn < turns[size]:
                        runs[size].append(self.report(made[size]["trace"]))
            self.analysed(shape, made, runs)
            for size in turns:
                os.unlink(made[size]["trace"])

    def analysed(self, shape, made, runs):
        ns = {size: [t * 1e9 / made[size]["events"] for t, _, _ in runs[size]] for size in runs}
        for size in runs:
            what = f"analysis: {shape} 10^{len(str(size)) - 1}"
            got = runs[size][0][2]
            if got["tasks"] != made[size]["tasks"]:
                raise Failure(f"{what}: {got['tasks']} tasks of {made[size]['tasks']:.0f}")
            self.row(what, [1e3 / t for t in ns[size]], "M events/s",
                     5 if size >= 10**6 else None, True)
            if size >= 10**7:  # below, it is the program's own few MiB that count
                self.row(what, [rss / got["strands"] for _, rss, _ in runs[size]], "bytes a strand",
                         32, note=f"{got['strands']} strands, at most {runs[size][0][1] >> 20} MiB")
        most = max(runs)
        self.row(f"analysis: {shape}, linear", [a / b for a, b in zip(ns[most], ns[10**6])],
                 f"x 10^6's ns at 10^{len(str(most)) - 1}", 1.25)

    def simulate(self):
        tasks = self.traced("fib", 27 if self.quick else 33, OMP_NUM_THREADS="2", TPTRACE_COLLAPSE="off")["tasks"]
        for policy in POLICIES:
            speeds, rss = [], 0
            for _ in range(self.n_turns(2, 1)):
                took = []
                for runs in "13":
                    usage = self.run([self.path("tptrace"), "simulate", "--json", "--policy", policy, "-P", "1024", "--runs",
                                      runs, "--jobs", "1", self.trace], pinned=True)[1]
                    took.append(usage.ru_utime + usage.ru_stime)
                    rss = max(rss, usage.ru_maxrss)
                speeds.append(2 * tasks / (took[1] - took[0]) / 1e6)
            self.row(f"simulate: {policy}", speeds, "M tasks/s", 2, True, note=f"{tasks:.3g} tasks, {rss >> 10} MiB")


def main():
    names = ("task", "clock", "runtimes", "cost", "grain", "disabled", "lock", "fib", "compensate", "bots",
             "collector", "streams", "bytes", "memory", "analysis", "scale", "page",
             "job", "simulate")
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quick", action="store_true", help="fewer turns, and no trace of 10^8 events")
    p.add_argument("--only", action="append", choices=names, help="may be given several times")
    p.add_argument("--runtime", action="append", metavar="KEY",
                   help="of the programs of test/port and test/bench/bots, only on this one")
    p.add_argument("--turns", type=int, metavar="N", help="of fib, bots, bytes, memory and scale")
    p.add_argument("--json", metavar="FILE", help="write the results there as well")
    p.add_argument("--build", default="build", help="where `make` put the programs (build)")
    args = p.parse_args()
    tmp = tempfile.mkdtemp(prefix="tptrace-bench.")
    try:
        bench = Bench(args, tmp)
        load = os.getloadavg()[0]
        for name in args.only or names:
            bench.say(name)
            getattr(bench, name)()
        print(f"{os.cpu_count()} cores; load {load:.1f} before, {os.getloadavg()[0]:.1f} after")
        bench.table()
        if args.json:
            bench.write_json(args.json)
    except (Failure, runtimes.Failure, OSError) as e:
        print(f"run.py: {e}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(tmp)
    return 0


if __name__ == "__main__":
    sys.exit(main())
