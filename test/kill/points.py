#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""points.py - kills each part of a recording at each point of the hand-over (collector/session/point.h).

A build of its own stops the thread that passes a point (point.c); then the program, its collector or
`record` is killed, and the thread goes on, if it is still there.  Or the thread's process exits there by
itself, and the trace says of which status.  All pairs of CASES, in each of which
the point must be passed: nothing hangs, the program prints and returns what it does alone, the trace has
its end, and each task is in it or in the number of events that are lost.
"""
import ctypes
import json
import multiprocessing
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402
from deaths import SUBREAPER, Wrong, is_gone, must, on_one_cpu, reap_one  # noqa: E402
from patience import Patience, descendants, read  # noqa: E402

PATIENCE_S = 60
TASKS = 12000       # some rings as they begin, and some of what workers thin
OTHERS = 3          # tasks that OpenMP makes besides
MARKS = 2
STATUS = 7
FLIGHT = "--keep=last"
GAVE_UP = 5         # what a collector exits with (point.c)
TRIES = 3           # of a program that collects by itself

WORKER = ["chunk:begun 2", "chunk:ends 1", "chunk:full 1", "chunk:thinned 2", "chunk:replaced 2", "chunk:dropped 2",
          "chunk:reopened 2"]
TAKE = ["chunk:seen 2", "chunk:pinned 2", "take:noted 2", "take:moved 2", "chunk:released 2", "block:next 2",
        "block:put 2"]
END = ["end:marked 1", "end:last 1", "end:whole 1"]
SUCCESSOR = ["successor:begins 1", "successor:resumed 1", "successor:checkpoint 1", "successor:put 1"]
COLLECTOR_FIRST = "outside take:moved 1"     # there it holds what no block has, and is killed: a thread of the program is next; ..
SUCCESSOR_THERE = "inside successor:put 1"
COLLECTOR_LAST = "outside end:marked 1"       # .. or there, so that record starts another


def cases():
    """Where the collector is killed first, or None; the point; who is killed there; until when the program makes tasks:
    it has passed that point (b), or SUCCESSOR_THERE (c), or it ends by itself (""); an option of record's."""
    def pairs(first, where, points, victims, until="b", option="--keep=first"):
        for point in points:
            for victim in victims:
                yield first, f"{where} {point}", victim, until, option
    yield from pairs(None, "inside", WORKER, ("program", "collector", "record"))
    yield from pairs(None, "outside", ["join:kept 1", *TAKE], ("program", "collector", "record"))
    yield from pairs(None, "outside", ["block:next 4", "block:put 4"], ("program", "collector", "record"), "b", FLIGHT)
    yield from pairs(COLLECTOR_FIRST, "inside", [*SUCCESSOR, *TAKE], ("program",), "b", FLIGHT)
    yield from pairs(COLLECTOR_FIRST, "inside", END, ("program",), "c", FLIGHT)
    yield from pairs(None, "outside", [*END, "leave:whole 1", "leave:said 1"], ("collector", "record"), "")
    yield from pairs(None, "outside", END, ("collector",), "", FLIGHT)
    yield from pairs(None, "outside", [*END[:2]], ("itself",), "")
    yield from pairs(COLLECTOR_FIRST, "inside", [*SUCCESSOR, *TAKE], ("program", "record"))
    yield from pairs(COLLECTOR_FIRST, "inside", END, ("program", "record"), "c")
    yield from pairs(COLLECTOR_LAST, "outside", [*SUCCESSOR[:3], *END[1:]], ("collector", "record"), "")
    yield from pairs(None, "outside", ["record:held 1", "record:reaps 1"], ("collector", "record"), "")
    yield from pairs(COLLECTOR_FIRST, "outside", ["record:dead 1"], ("program", "record"))


class Run:
    def __init__(self, options, first, point, victim, until, option):
        self.first, self.point, self.victim, self.until, self.option = first, point, victim, until, option
        self.tptrace = os.path.join(options.build, "points", "tptrace")
        self.folder = tempfile.mkdtemp(prefix="points-", dir=os.path.join(options.build, "kill"))
        self.program = os.path.join(options.build, "kill", "tasks")
        self.counter = os.path.join(self.folder, "counter")
        self.status = {}

    def start(self):
        stops = [f"{self.first} a"] * (self.first is not None) + [f"{SUCCESSOR_THERE} c"] * (self.until == "c")
        stops.append(f"{self.point} b")
        if self.victim == "itself":
            self.go("b", "exit")
        with open(self.counter, "wb") as f:
            f.write(bytes(8))
        with open(os.path.join(self.folder, "out"), "wb") as out, open(os.path.join(self.folder, "err"), "wb") as err:
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen(
                [self.tptrace, "record", "-q", self.option, "-o", "t.tpt", "--",
                 self.program, "count", self.counter, str(TASKS),
                 *[os.path.join(self.folder, f"go.{tag}") for tag in self.until]],
                env=tracing.environment(POINTS=";".join(stops), POINTS_FOLDER=self.folder, TPTRACE_BUFFER="16K" if self.first else "256K",
                                        TPTRACE_NAMES="off", OMP_WAIT_POLICY="passive"),
                cwd=self.folder, stdout=out, stderr=err, stdin=subprocess.DEVNULL, preexec_fn=on_one_cpu)
        self.record = self.process.pid

    def at(self, tag):
        """The process that stands there."""
        patience = Patience(PATIENCE_S)
        path = os.path.join(self.folder, f"at.{tag}")
        while not os.path.exists(path) or not self.read(path).endswith("\n"):
            must(self.process.poll() is None, f"record ends with {self.process.returncode} before it is there")
            must(patience.is_left(), f"nobody comes to {tag}: {patience}")
            time.sleep(.001)
        return int(self.read(path))

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as f:
            return f.read()

    def go(self, tag, how="go"):
        with open(os.path.join(self.folder, f"{how}.{tag}"), "wb"):
            pass

    def pid_of(self, who):
        """The last of record's children of that name."""
        found = [pid for pid in sorted(descendants(self.record)) if
                 read(f"/proc/{pid}/comm").startswith("tptrace") == (who == "collector")]
        return self.record if who == "record" else found[-1] if found else None

    @staticmethod
    def kill(pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        patience = Patience(PATIENCE_S, pids=[pid])
        while not is_gone(pid):
            must(patience.is_left(), f"{pid} does not die: {patience}")
            time.sleep(.001)

    def strike(self):
        if self.first:
            self.kill(self.at("a"))
        if self.until == "c":
            self.at("c")
            self.go("c")
        self.at("b")
        self.child = self.pid_of("program")
        if self.victim != "itself":
            victim = self.pid_of(self.victim)
            must(victim, f"record has no {self.victim}")
            self.kill(victim)
        self.go("b")
        self.go("a")

    def reap(self):
        patience = Patience(PATIENCE_S)
        while patience.is_left():
            is_left, is_one = reap_one(self.status)
            if not is_left:
                return
            if not is_one:
                time.sleep(.002)
        raise Wrong(f"it hangs: {descendants(os.getpid())}, {patience}")

    def end_all(self):
        for tag in "abc":
            self.go(tag)
        for pid in descendants(os.getpid()):
            if pid not in self.status:
                self.kill(pid)

    def check(self):
        with open(self.counter, "rb") as f:
            made = struct.unpack("Q", f.read(8))[0]
        status = -signal.SIGKILL if self.victim in ("program", "record") else STATUS
        must(self.status[self.record] == status, f"record returns {self.status[self.record]}")
        if self.victim != "program":
            must(self.read("out") == f"{made}\n", f"the program says {self.read('out')!r} of {made}")
            must(self.status.get(self.child, STATUS) == STATUS, f"the program returns {self.status.get(self.child)}")
        if not made and not os.path.exists(os.path.join(self.folder, "t.tpt")):
            return
        done = subprocess.run([self.tptrace, "report", "--strict", "--json", "t.tpt"], cwd=self.folder, text=True,
                              capture_output=True, check=False, timeout=120)
        must(done.stdout, f"there is no report: {done.stderr}")
        report = json.loads(done.stdout)
        must(report["complete"], "the trace has no end")
        died = report["collector_signal"], report["collector_status"]
        if self.victim == "itself":
            must(report["collector_died"] and died == (0, GAVE_UP), f"the collector died of {died}")
        elif report["collector_died"]:
            must(died == (signal.SIGKILL, None) or self.until and died == (0, None), f"the collector died of {died}")
        must(self.option != FLIGHT or self.first or self.has_first_block(), "what was kept is not there")
        lost, tasks = report["events_lost"], report["tasks_begun"]
        must(done.returncode == (3 if lost else 0), f"--strict says {done.returncode}, {lost} events are lost")
        must(tasks + lost >= made, f"{tasks} tasks are there of {made}, and {lost} events are not")
        marks = re.findall(r"^mark .*", self.dump(), re.M)
        must(self.victim == "program" or len(marks) + report["marks_lost"] == MARKS,
             f"marks are {marks}, {report['marks_lost']} are lost")
        must(self.victim == "program" or tasks <= made + OTHERS, f"{tasks} tasks are there of {made}")

    def dump(self):
        return subprocess.run([self.tptrace, "dump", "t.tpt"], cwd=self.folder, text=True, capture_output=True,
                              check=True).stdout

    def has_first_block(self):
        """The thread that creates the tasks has blocks by then.  If they are lost, its first event is a gap."""
        return re.search(r"^[-0-9]+ w0 (\w+)", self.dump(), re.M)[1] == "root"

    def is_alone(self):
        """Whether the program, on a machine that has no CPU for its collector, gave up on it and collects by itself."""
        done = subprocess.run([self.tptrace, "info", "t.tpt"], cwd=self.folder, text=True, capture_output=True, check=False)
        return done.returncode == 0 and "\ncollector: " not in done.stdout

    def run(self):
        self.start()
        try:
            self.strike()
            self.reap()
        except (Wrong, OSError):
            self.end_all()
            raise
        finally:
            self.process.returncode = self.status.get(self.record, 0)     # we reaped it, not subprocess
        self.check()


def one(job):
    """In a process of its own, which inherits orphans."""
    options, *case = job
    first, point, victim, _, option = case
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    for left in range(TRIES - 1, -1, -1):
        run = Run(options, *case)
        try:
            run.run()
            shutil.rmtree(run.folder)
            return None
        except (Wrong, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
            if left and run.is_alone():
                shutil.rmtree(run.folder)
                continue
            what = f"{type(error).__name__} {error}"
        before = f"the collector killed at {first}, then " if first else ""
        return f"FAIL {before}{victim} killed at {point}, {option}: {what} ({run.folder})"
    return None


def main():
    tracing.heed_signals()
    options = frame.options(__doc__, only=("", "cases that have this in them"), jobs=2)
    jobs = [(options, *case) for case in cases() if options.only in " ".join(map(str, case))]
    with multiprocessing.Pool(options.jobs, maxtasksperchild=1) as pool:
        failed = [wrong for wrong in pool.imap_unordered(one, jobs, chunksize=1) if wrong]
    print("\n".join([*sorted(failed), f"{len(jobs)} deaths at points, {len(failed)} wrong"]), flush=True)
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
