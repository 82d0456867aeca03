#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stands.py - a collector that stands still or dies in ways that deaths.py does not come upon.

It is stopped until rings of the default size are full; for longer than a worker waits; killed where
the program may start no thread; where its trace is gone; where nobody reads what is said of it; where
the one who finds it dead has a stack of 16 KiB (test/kill/shallow.c); and where the file system is gone
with it (test/kill/stuck.c).  As deaths.py, with test/kill/victim.c.
"""
import ctypes
import glob
import json
import multiprocessing
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

import deaths
from deaths import must
import frame
import runtimes
import tracing
from patience import Patience

CELL = ("collector", "STOP", "16K", "full")


def read_all(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        return str(error)


class Stand(deaths.Death):
    """The collector stands or dies; the parts are methods."""

    def __init__(self, options, runtime, seed, part):
        super().__init__(options, runtime, seed, CELL)
        self.part, self.more = part, 5000
        self.extra = {}

    def __str__(self):
        return f"{self.part} on {self.runtime.key}: --seed {self.seed}"

    def environment(self):
        environment = super().environment()
        environment.update(self.extra)
        return {name: value for name, value in environment.items() if value is not None}

    def begin(self, **extra):
        self.extra = extra
        self.start()
        self.await_moment()

    def await_standstill(self):
        """Until the program does nothing for a while, as its rings are full."""
        patience, seen, since = Patience(deaths.WATCHDOG_S), -1, time.monotonic()
        while time.monotonic() - since < 1:
            must(patience.is_left(), f"it never waits for the collector: {patience}")
            if self.counted() != seen:
                seen, since = self.counted(), time.monotonic()
            time.sleep(.01)
        return seen

    def where(self):
        """What the threads of the program and of its collector do."""
        return [(name, *(read_all(f"{task}/{what}").split(maxsplit=3)[:3] for what in ("stat", "syscall")))
                for name, process in (("program", self.program), ("collector", self.collector))
                for task in glob.glob(f"/proc/{process[0]}/task/*")]

    def await_progress(self, seen):
        patience = Patience(deaths.WATCHDOG_S, self.progress)
        while self.counted() < seen + 1000:
            must(patience.is_left(), f"it hangs after {seen} tasks, {patience}: {self.where()}")
            time.sleep(.01)

    def collector_gets(self, number):
        os.kill(self.collector[0], number)
        patience = Patience(20, pids=self.collector)
        while number == signal.SIGKILL and not deaths.is_gone(self.collector[0]):
            must(patience.is_left(), f"the collector does not die: {patience}")
            time.sleep(.001)

    def read(self, trace=None):
        trace = trace or glob.glob(os.path.join(self.folder, "*.tpt*"))[0]
        done = self.report(trace, "--json")
        must(done.returncode == 0, f"report fails: {done.stderr}")
        report = json.loads(done.stdout)
        must(not list(tracing.wrong_sums(report)), "the report does not add up")
        must(report["complete"], "the trace has no end")
        return report, self.report(trace, "--strict")

    def ended_well(self):
        self.reap()
        self.process.returncode = self.status.get(self.record)
        self.check_program(self.counted())

    def default_rings(self):
        """Filled, and nothing is lost."""
        self.begin(TPTRACE_BUFFER=None)
        self.collector_gets(signal.SIGSTOP)
        seen = self.await_standstill()
        self.collector_gets(signal.SIGCONT)
        self.await_progress(seen)
        self.let_end()
        self.ended_well()
        must(self.check_trace(self.counted()) == "whole", "it is not whole")
        dump = subprocess.run([self.options.tptrace, "dump", glob.glob(self.folder + "/*.tpt")[0]],
                              capture_output=True, text=True, check=True).stdout
        must(" tracer " in dump, "the wait is not the tracer's")

    def too_long(self):
        """Workers drop, then record again; and drop at the end, when nobody comes back."""
        self.begin()
        self.collector_gets(signal.SIGSTOP)
        self.await_progress(self.await_standstill())
        self.collector_gets(signal.SIGCONT)
        time.sleep(.5)
        after = self.counted()
        self.collector_gets(signal.SIGSTOP)
        self.let_end()
        patience = Patience(deaths.WATCHDOG_S, self.progress)
        while deaths.state_of(self.program[0]) not in ("Z", ""):
            must(patience.is_left(), f"the program does not end: {patience}")
            time.sleep(.01)
        self.collector_gets(signal.SIGCONT)
        self.ended_well()
        report, strict = self.read()
        must(report["events_lost"] > 0 and strict.returncode == 3, "nothing is said to be lost")
        must({gap["why"] for gap in report["losses"]} == {"ring"}, f"why: {report['losses']}")
        must(tracing.explicit(report) <= self.counted(), "more tasks than there were")
        must(after > 0 and not report["collector_died"], "the collector is said to be dead")

    def no_threads(self):
        """The events go on being dropped; what is in the rings gets into the trace at the end."""
        self.begin(KILL_FORBID="threads", TPTRACE_VERBOSE="1")
        self.collector_gets(signal.SIGKILL)
        self.await_progress(self.counted() + 10000)
        self.let_end()
        self.ended_well()
        report, strict = self.read()
        must(report["collector_died"] and report["events_lost"] > 0, "nothing is said to be lost")
        must(strict.returncode == 3, f"--strict says {strict.returncode}")
        must({gap["why"] for gap in report["losses"]} >= {"ring"}, f"why: {report['losses']}")
        must(self.said("err").count("none can be started inside") == 1, f"it says {self.said('err')}")

    def trace_is_gone(self):
        """A new one begins, and names the old."""
        self.begin(TPTRACE_VERBOSE="1")
        time.sleep(.3)
        old = glob.glob(os.path.join(self.folder, "*.tpt"))[0]
        os.unlink(old)
        self.collector_gets(signal.SIGKILL)
        self.let_end()
        self.ended_well()
        report, strict = self.read()
        must(report["collector_died"] and report["events_lost"] > 0 and strict.returncode == 3,
             "nothing is said to be lost")
        must(f"could not go on with {old}" in " ".join(strict.stdout.split()), "the old one is not named")
        must(self.said("err").count("collecting inside") == 1, f"it says {self.said('err')}")


    def mute(self):
        """A full pipe gets what tptrace says in the program, and nobody reads it: nobody waits for that."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, b".")
        except BlockingIOError:
            os.set_blocking(writer, True)
        self.by, self.fds = ["sh", "-c", f'exec "$0" 2>/proc/self/fd/{writer}'], [writer]
        self.begin(TPTRACE_VERBOSE="1")
        self.collector_gets(signal.SIGKILL)
        self.await_progress(self.counted() + 10000)
        self.let_end()
        self.ended_well()
        report, _ = self.read()
        must(report["collector_died"], "it is not said that the collector died")
        must("ring" not in {gap["why"] for gap in report["losses"]}, f"it was waited for: {report['losses']}")
        os.close(reader)
        os.close(writer)

    def successor_is_stuck(self):
        """Who goes on with the trace never gets to: the program does without."""
        self.begin(LD_PRELOAD=os.path.join(self.options.scratch, "stuck.so"))
        self.collector_gets(signal.SIGKILL)
        self.await_progress(self.counted() + 10000)
        self.let_end()
        self.ended_well()

    def small_stack(self):
        """Who starts the collector inside needs no more of a task's stack than any call may."""
        self.begin(QTHREAD_STACK_SIZE="16384", LD_BIND_NOW="1", TPTRACE_VERBOSE="1")
        self.collector_gets(signal.SIGKILL)
        self.await_progress(self.counted() + 10000)
        self.let_end()
        self.reap()
        self.process.returncode = self.status.get(self.record)
        must(self.process.returncode == 0, f"its status is {self.process.returncode}")
        report, _ = self.read()
        must(report["collector_died"], "it is not said that the collector died")
        with open(self.counter, "rb") as f:
            most = struct.unpack("QQQ", f.read(24))[2]
        must(0 < most <= 4096, f"a call takes {most} bytes of a task's stack")


def one(job):
    options, runtime, seed, part = job
    ctypes.CDLL(None).prctl(deaths.SUBREAPER, 1, 0, 0, 0)
    stand = Stand(options, runtime, seed, part)
    try:
        getattr(stand, part)()
        shutil.rmtree(stand.folder)
        return None
    except (deaths.Wrong, OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as wrong:
        stand.end_all()
        return f"FAIL {stand}: {type(wrong).__name__} {wrong} ({stand.folder})"


def main():
    options = frame.options(__doc__, seed=random.randrange(10 ** 9))
    options.scratch = os.path.join(options.build, "kill")
    options.pause_s, options.runtime = 0, ["gomp", "qth"]
    os.makedirs(options.scratch, exist_ok=True)
    there = {runtime.key: runtime for runtime in runtimes.build_for_all(options, "stands", "../kill/victim", False)}
    jobs = [(options, there["gomp"], options.seed, part)
            for part in ("too_long", "default_rings", "no_threads", "trace_is_gone", "mute", "successor_is_stuck")
            if "gomp" in there]
    if "qth" in there:
        options.program["qth"] = runtimes.build_program(options.build, there["qth"], "../kill/shallow")
        jobs += [(options, there["qth"], options.seed, "small_stack")]
    with multiprocessing.Pool(max(1, len(jobs))) as pool:
        wrong = [w for w in pool.imap_unordered(one, jobs) if w]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(jobs)} stands, {len(wrong)} failed")
    return 1 if wrong or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
