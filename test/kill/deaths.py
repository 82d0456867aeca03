#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""deaths.py - kills and stops whatever takes part in a recording, at random moments.

The program, its collector, `tptrace record`, these two together, or record's process group get a
signal; with rings of two sizes, collapsing on and off, the flight recorder, workers that drop events
rather than wait, recordings that are stopped and started, and many workers, on every runtime that can
run here.  test/kill/victim.c counts its tasks in a file, so the trace is held against a number
that the program kept itself: all tasks are in it, or the report says how many events are lost, and
--strict exits with 3.  The program prints what it prints alone, ends as it would alone, and in time,
and all processes end after it.

A failure prints its seed; --seed S --n 1 runs that one again.  --long: the whole matrix, at random.
"""
import argparse
import collections
import ctypes
import glob
import itertools
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "port"), os.path.join(HERE, "..", "lib")]
import runtimes  # noqa: E402
import tracing  # noqa: E402
from patience import Patience  # noqa: E402
from tracing import Wrong, must  # noqa: E402

WHO = ("program", "collector", "record", "both", "group")
SIGNALS = ("KILL", "TERM", "INT", "HUP", "QUIT", "SEGV", "ABRT", "USR1", "STOP")
FATAL_TO_ALL = ("KILL", "SEGV", "ABRT")     # the others record hands on, and the collector ignores
RINGS = ("16K", "64K", "1M")
# thin: on one CPU, so that workers collapse; gaps: recording is stopped and started; many: MANY workers, with
# gaps, or that drop; with gaps, too, the flight recorder is on half the time
MODES = ("collapse", "thin", "full", "last", "drop", "gaps", "many")
WORKERS = 2
MANY = {"gomp": 200, "omp": 200, "tbb": 200}
MANY_ELSE = 16
WATCHDOG_S = 120
REPORT_S = 600                              # a trace of some seconds, on a machine with other work
SUBREAPER = 36                              # PR_SET_CHILD_SUBREAPER

# what the short form must have in it; the rest of it is random
SHORT = [("collector", "KILL", ring, mode) for ring in ("16K", "1M") for mode in MODES] + \
    [("collector", "KILL", ring, "collapse") for ring in ("16K", "1M")] * 2 + \
    [("record", "KILL", "16K", "collapse"), ("record", "KILL", "1M", "full"),
     ("both", "KILL", "16K", "collapse"), ("both", "KILL", "1M", "full"),
     ("group", "KILL", "16K", "collapse"), ("group", "TERM", "1M", "full"),
     ("group", "INT", "16K", "collapse"), ("group", "HUP", "1M", "collapse"),
     ("collector", "STOP", "16K", "collapse"), ("collector", "STOP", "16K", "full"),
     ("collector", "TERM", "16K", "collapse"), ("collector", "SEGV", "1M", "collapse"),
     ("program", "KILL", "1M", "collapse"), ("program", "STOP", "16K", "full")] + \
    [("collector", "SEGV", "64K", "thin")] * 4 + \
    [("both", "KILL", "1M", "thin"), ("group", "KILL", "16K", "thin"),
     ("program", "KILL", "1M", "thin"), ("collector", "STOP", "16K", "thin")]


def state_of(pid):
    """R, S, T, .. as in /proc; Z if it is dead; "" if it is not there any more."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_gone(pid):
    """All threads of it: the first may be dead before the others."""
    try:
        return state_of(pid) in ("Z", "") and len(os.listdir(f"/proc/{pid}/task")) <= 1
    except OSError:
        return True


def reap_one(statuses):
    """Whether there is a child, and whether one had ended: its status is there now, by its pid."""
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False, False
    if pid:
        statuses[pid] = os.waitstatus_to_exitcode(status)
    return True, bool(pid)


def children_of(pid):
    listed = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid=,comm="], capture_output=True,
                            text=True, check=False).stdout
    return [(int(line.split(None, 1)[0]), line.split(None, 1)[1].strip())
            for line in listed.splitlines()]


def size_of(path):
    """0 if it is not there any more."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def on_one_cpu():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Death:
    """One recorded program, and what befalls it."""

    def __init__(self, options, runtime, seed, cell):
        self.options, self.runtime, self.seed = options, runtime, seed
        self.random = random.Random(seed)
        self.who, self.signal, self.ring, self.mode = cell
        self.moment_s = 2 ** self.random.uniform(-9, -2)    # after its first tasks
        self.more = int(2 ** self.random.uniform(0, 17))    # tasks, until it may end
        self.threads = self.random.choice("123")            # that collect
        self.workers = MANY.get(runtime.key, MANY_ELSE) if self.mode == "many" else WORKERS
        self.drops = self.mode == "drop" or self.mode == "many" and self.random.random() < .5
        self.gaps = self.mode == "gaps" or self.mode == "many" and not self.drops
        self.keeps = self.mode == "last" or self.gaps and self.random.random() < .5    # the newest events, ..
        self.size = self.random.choice(["64M", "256K"]) if self.keeps else None        # .. which may be all, or ..
        if self.size == "256K" and self.runtime.key in MANY:
            self.more += 200000                                                         # .. are not all
        self.pause_s = options.pause_s
        self.folder = tempfile.mkdtemp(prefix="deaths-", dir=options.scratch)
        self.counter = os.path.join(self.folder, "counter")
        self.status = {}
        self.by, self.fds = [], []              # who becomes the program, with these descriptors

    def __str__(self):
        return (f"{self.runtime.key}: {self.who} SIG{self.signal} after {self.moment_s:.3f} s, {self.more} tasks more, "
                f"{self.ring}, {self.mode}, "
                f"size {self.size}: --seed {self.seed} --n 1 --runtime {self.runtime.key} "
                f"--cell {self.who},{self.signal},{self.ring},{self.mode}")

    def counted(self):
        with open(self.counter, "rb") as f:
            return struct.unpack("Q", f.read(8))[0]

    def environment(self):
        environment = runtimes.clean_environment()
        environment.update(self.runtime.environment(self.workers, self.folder))
        environment.update(KILL_COUNTER=self.counter, KILL_HOW="none",
                           TPTRACE_BUFFER=self.ring, TPTRACE_VERBOSE="0", TPTRACE_OUTPUT="%p.tpt",
                           TPTRACE_COLLECTOR_THREADS=self.threads,
                           TPTRACE_COLLAPSE="off" if self.mode == "full" else "100us",
                           TPTRACE_OVERFLOW="drop" if self.drops else "flush",
                           TPTRACE_KEEP="last" if self.keeps else "first")
        if self.size:
            environment["TPTRACE_MAX_SIZE"] = self.size
        return environment

    def start(self):
        with open(self.counter, "wb") as f:
            f.write(bytes(64))
        with open(os.path.join(self.folder, "out"), "wb") as out, \
                open(os.path.join(self.folder, "err"), "wb") as err:
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen(
                [self.options.tptrace, "record", "--", *self.by, self.options.program[self.runtime.key]],
                env=self.environment(), cwd=self.folder, stdout=out, stderr=err, pass_fds=self.fds,
                stdin=subprocess.DEVNULL, start_new_session=True,
                preexec_fn=on_one_cpu if self.mode == "thin" else None)
        self.record = self.process.pid

    def await_moment(self):
        patience = Patience(WATCHDOG_S)
        while self.counted() == 0:
            must(patience.is_left(), f"it does not begin: {patience}")
            time.sleep(.001)
        there = children_of(self.record)
        self.collector = [pid for pid, name in there if name.startswith("tptrace")]
        self.program = [pid for pid, name in there if not name.startswith("tptrace")]
        must(len(self.collector) == 1 and len(self.program) == 1, f"record has the children {there}")
        self.turn("stop")
        time.sleep(self.moment_s / 2)
        self.turn("start")
        time.sleep(self.moment_s / 2)
        if self.random.random() < .5 and not (self.keeps and self.collector_is_hit()):
            self.turn("stop")           # and nobody starts it again: a collector that dies has all that was kept

    def turn(self, word):
        """Stops or starts the recording, in a mode with gaps."""
        if not self.gaps:
            return
        said, status = self.await_turn(self.begin_turn(word))
        must(status == 0, f"{word} says {status}: {said}")

    def begin_turn(self, word):
        return subprocess.Popen([self.options.tptrace, word, str(self.program[0])], text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    @staticmethod
    def await_turn(turns):
        """What it says, and its status."""
        patience = Patience(WATCHDOG_S)
        with turns:
            while turns.poll() is None:
                if not patience.is_left():
                    turns.kill()
                    raise Wrong(f"{turns.args[1]} hangs: {patience}")
                time.sleep(.001)
            return turns.stderr.read(), turns.returncode

    def turn_at_once(self):
        """Others stop and start it while somebody dies: each gets an answer, or hears that there is none."""
        words = self.random.choices(("stop", "start"), k=4 if self.gaps else 0)
        self.turns = [self.begin_turn(word) for word in words]

    def await_turns(self):
        for turns in self.turns:
            said, status = self.await_turn(turns)
            must(status in (0, 1) and len(said.splitlines()) == status, f"{turns.args[1]} says {status}: {said}")

    def let_end(self):
        """After so many tasks more."""
        with open(self.counter, "r+b") as f:
            f.seek(8)
            f.write(struct.pack("Q", self.counted() + self.more))

    def targets(self):
        return {"program": self.program, "collector": self.collector, "record": [self.record],
                "both": self.collector + [self.record], "group": [-self.record]}[self.who]

    def send(self, number):
        for pid in self.targets():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def strike(self):
        self.send(getattr(signal, "SIG" + self.signal))
        if self.signal == "STOP":
            time.sleep(self.pause_s)
            self.send(signal.SIGCONT)
            if self.who in ("program", "group"):
                os.kill(self.record, signal.SIGCONT)    # it stopped with the program
        elif self.who in ("collector", "both") and self.signal in FATAL_TO_ALL:
            patience = Patience(20, pids=self.collector)
            while not is_gone(self.collector[0]):
                must(patience.is_left(), f"the collector does not die: {patience}")
                time.sleep(.001)

    def reap(self):
        """Until all are gone; the orphans are ours."""
        patience = Patience(WATCHDOG_S, self.progress)
        while patience.is_left():
            is_left, is_one = reap_one(self.status)
            if not is_left:
                return
            if is_one:
                continue
            if self.who in ("program", "group", "record") and state_of(self.record) == "T":
                os.kill(self.record, signal.SIGCONT)    # it was late in stopping
            else:
                time.sleep(.002)
        left = [f"{pid} {name} {state_of(pid)}" for pid, name in children_of(os.getpid())]
        raise Wrong(f"it hangs: {left}, {self.counted()} tasks, {patience}")

    def progress(self):
        """Tasks, bytes of the trace, and who has ended."""
        with os.scandir(self.folder) as files:  # one that is renamed meanwhile is none
            return self.counted(), len(self.status), sorted(size_of(f.path) for f in files if ".tpt" in f.name)

    def end_all(self):
        for pid in (self.record, *getattr(self, "program", ()), *getattr(self, "collector", ())):
            if pid not in self.status and state_of(pid) not in ("", "Z"):
                os.kill(pid, signal.SIGKILL)
        try:
            while True:
                os.waitpid(-1, 0)
        except ChildProcessError:
            pass

    def kills_program(self):
        if self.signal == "STOP" or self.who == "collector":
            return False
        return self.who in ("program", "group") or self.signal not in FATAL_TO_ALL

    def check_program(self, counted):
        """Its end, and what it said."""
        number = int(getattr(signal, "SIG" + self.signal))
        record = self.status.get(self.record)
        program = self.status.get(self.program[0], record)
        if self.signal in FATAL_TO_ALL and self.who in ("record", "both", "group"):
            must(record == -number, f"the status of record is {record}")
        elif self.kills_program():
            must(record in (-number, 0), f"the status of record is {record}")
        else:
            must(record == 0, f"the status of record is {record}: {self.said('err')}")
        if self.kills_program() and program == -number:
            return
        must(program == 0, f"the program's status is {program}: {self.said('err')}")
        want = f"size 1000000: 0\ntptrace-tasks {counted}\n"
        must(self.said("out") == want, f"it prints {self.said('out')!r}, not {want!r}")

    def said(self, name):
        with open(os.path.join(self.folder, name), errors="replace", encoding="utf-8") as f:
            return f.read()

    def report(self, trace, *more):
        return subprocess.run([self.options.tptrace, "report", *more, trace], capture_output=True, text=True,
                              check=False, timeout=REPORT_S, cwd=self.folder)

    def check_trace(self, counted):
        """What became of it, in a word."""
        traces = glob.glob(os.path.join(self.folder, "*.tpt*"))
        must(len(traces) == 1, f"there are {len(traces)} traces")
        done, strict = self.report(traces[0], "--json"), self.report(traces[0], "--strict")
        must(done.returncode == 0, f"report fails: {done.stderr}")
        report = json.loads(done.stdout)
        wrong = list(tracing.wrong_sums(report))
        must(not wrong, f"the report does not add up: {wrong}")
        must(report["complete"], "the trace has no end")
        if self.collector_is_hit():
            must(report["collector_died"], "it is not said that the collector died")
            must(re.search(r"the collector (was killed by signal \d+|died)", strict.stdout), "the text does not say so")
        tasks, lost = tracing.explicit(report), report["events_lost"]
        stopped = self.stopped(traces[0])
        if self.kills_program():
            tasks = report["tasks_begun"]               # that have not ended are not counted yet
            must(lost or counted <= tasks + stopped and tasks <= counted + 8 * self.workers,
                 f"{tasks} tasks are there of {counted}, and {stopped} events are not")
        if not lost:
            must(self.kills_program() or tasks == counted or tasks < counted <= tasks + stopped,
                 f"{tasks} tasks are there of {counted}, and {stopped} events are not")
            must(strict.returncode == 0, f"--strict says {strict.returncode}: {strict.stderr}")
            return "whole"
        must(self.collector_is_hit() or self.drops or self.size == "256K", f"{lost} events are lost")
        must(strict.returncode == 3, f"--strict says {strict.returncode}")
        must(f"LOST: {lost} events" in strict.stdout, "how many are lost is not said")
        # a collector that dies has the number of what was not recorded, as asked
        must(counted - tasks <= lost + stopped or self.gaps and self.collector_is_hit(),
             f"{counted - tasks} tasks are not there, and {lost} events are lost")
        spans = [gap for gap in report["losses"] if gap["why"] == "died"]
        must(not spans or all(gap["from_ns"] <= gap["to_ns"] for gap in spans), "a gap has no time")
        return "loss said"

    def stopped(self, trace):
        """Events that were not recorded, as asked."""
        if not self.gaps:
            return 0
        done = subprocess.run([self.options.tptrace, "dump", trace], capture_output=True, text=True, check=True,
                              timeout=REPORT_S)
        return sum(map(int, re.findall(r" lost (\d+) stopped", done.stdout)))

    def collector_is_hit(self):
        return self.who in ("collector", "both") and self.signal in FATAL_TO_ALL

    def run(self):
        self.start()
        try:
            self.await_moment()
            self.turn_at_once()
            self.strike()
            self.await_turns()
            self.let_end()
            self.reap()
        except (Wrong, OSError, subprocess.TimeoutExpired):
            self.end_all()
            raise
        self.process.returncode = self.status.get(self.record)      # we reaped it, not subprocess
        counted = self.counted()
        self.check_program(counted)
        return self.check_trace(counted)


def one(job):
    """In a process of its own, which inherits orphans."""
    options, runtime, seed, cell = job
    if time.monotonic() > options.until:
        return cell, None, None
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    death = Death(options, runtime, seed, cell)
    try:
        outcome, wrong = death.run(), None
        shutil.rmtree(death.folder)
    except (Wrong, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        outcome, wrong = "FAIL", f"FAIL {death}: {type(error).__name__} {error} ({death.folder})"
    return cell, outcome, wrong


def jobs_of(options, there):
    """So many cells of the matrix, each with a runtime and a seed."""
    choose = random.Random(options.seed)
    if options.cell:
        cells = itertools.repeat(tuple(options.cell.split(",")))
    elif options.long:
        cells = list(itertools.product(WHO, SIGNALS, RINGS, MODES))
        choose.shuffle(cells)
        cells = itertools.cycle(cells)
    else:
        cells = itertools.cycle(SHORT)
    order = there[:]
    choose.shuffle(order)
    turn = itertools.cycle(order)
    for i, cell in zip(range(options.n), cells):
        yield options, next(turn), options.seed + i, cell


def print_table(counts):
    outcomes = sorted({outcome for _, outcome in counts})
    print(f"{'':22}" + "".join(f"{outcome:>15}" for outcome in outcomes))
    for who, number in itertools.product(WHO, SIGNALS):
        row = [counts[(f"{who} {number}", outcome)] for outcome in outcomes]
        if any(row):
            print(f"{who + ' SIG' + number:22}" + "".join(f"{n or '':>15}" for n in row))


def main():
    tracing.heed_signals()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--n", type=int, default=len(SHORT))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--runtime", action="append")
    parser.add_argument("--cell", help="WHO,SIGNAL,RING,MODE")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--pause", dest="pause_s", type=float, help="seconds between STOP and CONT")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop then, however many there were")
    options = parser.parse_args()
    options.pause_s = options.pause_s or (5 if options.long else .4)
    if options.seed is None:
        options.seed = random.randrange(10 ** 9)
    there = runtimes.build_for_all(options, "deaths", "../kill/victim", False)
    counts = collections.Counter()
    options.until = time.monotonic() + options.minutes * 60
    with multiprocessing.Pool(options.jobs) as pool:
        for cell, outcome, wrong in pool.imap_unordered(one, jobs_of(options, there)):
            counts[(" ".join(cell[:2]), outcome)] += outcome is not None
            if wrong:
                print(wrong, flush=True)
    counts = +counts
    failed = sum(n for (_, outcome), n in counts.items() if outcome == "FAIL")
    if options.long or failed:
        print_table(counts)
    outcomes = collections.Counter()
    for (_, outcome), n in counts.items():
        outcomes[outcome] += n
    said = ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items()))
    print(f"{sum(counts.values())} deaths (--seed {options.seed}): {said}")
    return 1 if failed or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
