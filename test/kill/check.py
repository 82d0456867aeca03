#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - kills traced programs at random moments and looks at what is left.

test/kill/victim.c counts its tasks in a file, so that it is known how many had begun when it died.
Collected from outside (tptrace record) the trace must have exactly those, and say how the program
ended; collected by itself, whatever the kill left must open, and must have exactly those once
`tptrace recover` is done.  A failure prints its seed; --seed runs that one again.
"""
import glob
import json
import os
import random
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

SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "segv": signal.SIGSEGV,
           "abort": signal.SIGABRT}
ORDERLY = ("_exit", "abort")    # the recorder is told, and ends the trace
HOWS = ("kill", "term", "segv", "abort", "_exit", "outside", "none")
WORKERS = 2
RINGS = "/dev/shm/tptrace."


class Run:
    """One program, one end."""

    def __init__(self, options, runtime, seed):
        self.options, self.runtime, self.seed = options, runtime, seed
        self.random = random.Random(seed)
        self.how = self.random.choice(HOWS)
        self.inside = self.random.random() < .5
        # few tasks: before there is a block; many: rings have gone round
        self.at = int(2 ** self.random.uniform(0, 17))
        self.buffer = self.random.choice(["16K", "64K", "1M"])
        self.keep = self.random.choice(["first", "first", "last"])  # more than all events take
        self.threads = self.random.choice("123")  # that collect
        self.folder = tempfile.mkdtemp(prefix="kill-", dir=options.scratch)
        self.counter = os.path.join(self.folder, "counter")
        self.pid = 0
        self.others = set(glob.glob(f"{RINGS}*"))  # that other programs of some pid left behind

    def __str__(self):
        where = "inside" if self.inside else "outside"
        return (f"{self.runtime.key}: {self.how} at {self.at}, collected {where}, "
                f"buffer {self.buffer}, keep {self.keep}: --seed {self.seed} --runtime {self.runtime.key}")

    def tptrace(self, *arguments):
        return subprocess.run([self.options.tptrace, *arguments], capture_output=True, text=True,
                              check=False, timeout=60, cwd=self.folder)

    def counted(self):
        with open(self.counter, "rb") as f:
            return struct.unpack("Q", f.read(8))[0]

    def rings(self):
        return sorted(set(glob.glob(f"{RINGS}{self.pid}.*")) - self.others)

    def environment(self):
        environment = runtimes.clean_environment()
        environment.update(self.runtime.environment(WORKERS, self.folder))
        environment.update(KILL_COUNTER=self.counter, KILL_HOW=self.how,
                           TPTRACE_BUFFER=self.buffer, TPTRACE_KEEP=self.keep, TPTRACE_VERBOSE="0",
                           TPTRACE_COLLECTOR_THREADS=self.threads, TPTRACE_OUTPUT="%p.tpt")
        if self.how != "outside":
            environment["KILL_AT"] = str(self.at)
        return environment

    def go(self):
        """Runs it to its end: the status, as subprocess has it."""
        process = runtimes.begun(self)
        if self.how == "outside":
            self.kill_from_outside(process)
        patience = Patience(60, self.counted)
        while process.poll() is None:
            if not patience.is_left():
                process.kill()
                raise Wrong(f"it hangs: {patience}")
            time.sleep(.002)
        return process.returncode

    def victim_of(self, process):
        """The program's own pid: record's child that is not the collector."""
        if self.inside:
            return process.pid
        listed = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid=,comm="],
                                capture_output=True, text=True, check=False).stdout
        for line in listed.splitlines():
            pid, name = line.split(None, 1)
            if not name.startswith("tptrace"):
                return int(pid)
        return 0

    def kill_from_outside(self, process):
        patience = Patience(120, self.counted)
        while self.counted() < self.at and patience.is_left() and process.poll() is None:
            time.sleep(.001)
        must(self.counted() >= self.at, "it does not get that far")
        pid = self.victim_of(process)
        must(pid, "the program is not there")
        os.kill(pid, signal.SIGKILL)

    def said(self):
        with open(os.path.join(self.folder, "out"), errors="replace", encoding="utf-8") as f:
            return f.read()

    def report(self, trace):
        done = self.tptrace("report", "--json", trace)
        must(done.returncode == 0, f"report fails: {done.stderr}")
        return json.loads(done.stdout)

    def check_tasks(self, report, counted):
        """
        All that were counted, and at most those that had begun and not yet counted themselves.  While one
        worker ends the program in order, the other goes on and counts.
        """
        begun = report["tasks_begun"]
        if self.how in ORDERLY and report["ended"] != "recovered":
            must(begun >= self.at, f"at least {self.at} tasks were counted and {begun} are there")
            counted = min(counted, begun)
        must(report["events_lost"] == 0, f"{report['events_lost']} events are lost")
        must(begun >= counted, f"{counted} tasks were counted and {begun} are there")
        more = begun - counted
        must(more <= 8 * WORKERS, f"{counted} tasks were counted and {more} more are there")

    def check_status(self, status):
        how = "kill" if self.how == "outside" else self.how
        want = -SIGNALS[how] if how in SIGNALS else 3 if how == "_exit" else 0
        must(status == want, f"its status is {status}, not {want}: {self.said()}")

    def check_ended(self, report):
        how = "kill" if self.how == "outside" else self.how
        ended = report["ended"]
        if how in SIGNALS:
            must(ended == f"killed by signal {int(SIGNALS[how])}", f"ended: {ended}")
        elif how == "_exit":
            must(ended in ("by _exit with status 3", "by _exit", "cleanly"), f"ended: {ended}")
        else:
            must(ended == "cleanly", f"ended: {ended}")

    def check_outside(self):
        traces = glob.glob(os.path.join(self.folder, "*.tpt"))
        must(len(traces) == 1, f"there are {len(traces)} traces")
        report = self.report(traces[0])
        must(report["complete"], "the trace has no end")
        self.check_ended(report)
        self.check_tasks(report, self.counted())
        wrong = tracing.untallied(self.tptrace("dump", traces[0]).stdout)
        must(not wrong, wrong)
        strict = self.tptrace("report", "--strict", traces[0])
        must(strict.returncode == 0, f"report --strict says {strict.returncode}: {strict.stderr}")

    def recover(self, traces, rings):
        """By the trace if there is one, else by the ring file."""
        done = self.tptrace("recover", (traces or rings)[0])
        must(done.returncode == 0, f"recover fails: {done.stderr}")
        must(not done.stderr, f"recover says {done.stderr}")
        must(not self.rings(), "the ring file is still there")

    def report_before(self, trace):
        """None if it was killed before all workers' events were there for any moment."""
        done = self.tptrace("report", "--json", trace)
        torn = done.returncode == 1 and "cut off in the middle of a block" in done.stderr
        if done.returncode == 0 or torn and done.stdout:
            return json.loads(done.stdout)
        missing = torn or done.returncode == 1 and "ended without closing its trace" in done.stderr
        must(missing and len(done.stderr.splitlines()) == 1, f"report fails: {done.stderr}")
        return None

    def check_inside(self):
        traces = glob.glob(os.path.join(self.folder, "*.tpt"))
        rings = self.rings()
        before = self.report_before(traces[0]) if traces else None
        if before and before["ended"]:
            must(self.how in ("none", *ORDERLY) and before["complete"], "it ended before its end")
            must(not rings, "a ring file is left")
            return self.check_tasks(before, self.counted())
        must(self.how != "none", "the trace has no end")
        must(len(rings) == 1, f"there are {len(rings)} ring files")
        if before:
            strict = self.tptrace("report", "--strict", traces[0])
            must(strict.returncode in (1, 3), f"report --strict says {strict.returncode}")
            must("INCOMPLETE" in strict.stdout, "it does not say that something is missing")
        self.recover(traces, rings)
        traces = glob.glob(os.path.join(self.folder, "*.tpt"))
        must(len(traces) == 1, f"there are {len(traces)} traces after recovery")
        after = self.report(traces[0])
        must(after["complete"] and after["ended"] == "recovered", f"ended: {after['ended']}")
        must(not before or before["tasks_begun"] <= after["tasks_begun"], "tasks got lost")
        return self.check_tasks(after, self.counted())

    def check(self):
        self.check_status(self.go())
        if self.inside:
            self.check_inside()
        else:
            self.check_outside()
        subprocess.run(["rm", "-rf", self.folder], check=True)


def main():
    options = runtimes.arguments(__doc__, 70).parse_args()
    there = runtimes.build_for_all(options, "kill", "../kill/victim", True)
    made, failed = runtimes.each_run(options, there, Run, (Wrong, subprocess.TimeoutExpired, ValueError))
    print(f"{len(made) + failed} programs ended, {len(made)} as they should")
    return 1 if failed or not made else 0


if __name__ == "__main__":
    sys.exit(main())
