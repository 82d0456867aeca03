#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""storms.py [--build DIR] [--n N] [--seed S] [--runtime R]... - stops, starts and copies the recording of
real programs at random, with every kind of loss, and looks at each trace and each snapshot.

Each must open, add up exactly, and say by --strict whether events are missing.  test/control/storm.c
counts its tasks in a file: those of a trace, and those whose events it says are missing, must be
these.  A failure prints its seed; --seed runs that one again, and --keep leaves its files.
"""
import glob
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "port")]
import runtimes  # noqa: E402
import tracing  # noqa: E402
from tracing import Wrong, must  # noqa: E402

WORKERS = 3
PATIENCE = 120  # s: a machine may be busy
NO_TROUBLE = ("nothing was recorded yet", "has reached its size", "starts and stops too often")  # that start, stop and snapshot may say


def explicit_begun(report):
    """Tasks of the program that began: not those of its threads and regions."""
    return report["tasks_begun"] - sum(kind["tasks"] for kind in report["kinds"] if kind["what"] in ("root", "implicit"))


class Storm:
    """One program, recorded in one way, and what is done to it meanwhile."""

    def __init__(self, options, runtime, seed):
        self.options, self.runtime, self.seed = options, runtime, seed
        r = self.random = random.Random(seed)
        self.inside = r.random() < .5
        self.collapse = r.choice([None, None, None, "10us", "off"])
        self.buffer = r.choice(["16K", "16K", "64K", "1M"])
        self.drop = r.random() < .4
        self.start_off = r.random() < .4
        self.keep = r.choice([None] * 4 + ["first", "last"])
        self.size = r.choice(["280K", "400K", "1M"])
        self.every = r.choice([0, 7, 50, 400, 3000])
        self.controls = r.choice([0, 2, 5])
        self.end = r.choice(["over", "over", "kill", "term"])
        self.rounds = r.choice([30, 100, 300])
        self.folder = tempfile.mkdtemp(prefix="storm-", dir=options.scratch)
        self.counter = os.path.join(self.folder, "counter")
        self.snapshots = []
        self.others = set(glob.glob("/dev/shm/tptrace.*"))  # that other programs of some pid left behind

    def __str__(self):
        how = [f"{key} {value}" for key, value in (("collapse", self.collapse), ("keep", self.keep)) if value]
        how += [word for word, on in (("drop", self.drop), ("start=off", self.start_off)) if on]
        return (f"{self.runtime.key}: {'inside' if self.inside else 'outside'}, buffer {self.buffer}, "
                f"{', '.join(how) or 'as always'}, turn every {self.every}, {self.controls} commands, ends by "
                f"{self.end}: --seed {self.seed} --runtime {self.runtime.key}")

    def words(self):
        """n, over, rounds"""
        with open(self.counter, "rb") as f:
            return struct.unpack("3Q", f.read(24))

    def environment(self):
        environment = runtimes.clean_environment()
        environment.update(self.runtime.environment(WORKERS, self.folder))
        environment.update(STORM_COUNTER=self.counter, STORM_EVERY=str(self.every),
                           STORM_SNAPSHOTS="3", TPTRACE_VERBOSE="0", TPTRACE_OUTPUT="t.tpt",
                           TPTRACE_BUFFER=self.buffer, TPTRACE_COLLECTOR_THREADS=self.random.choice("123"))
        if self.collapse:
            environment["TPTRACE_COLLAPSE"] = self.collapse
        if self.drop:
            environment["TPTRACE_OVERFLOW"] = "drop"
        if self.start_off:
            environment["TPTRACE_START"] = "off"
        if self.keep:
            environment.update(TPTRACE_KEEP=self.keep, TPTRACE_MAX_SIZE=self.size)
        return environment

    def tptrace(self, *arguments):
        return subprocess.run([self.options.tptrace, *map(str, arguments)], capture_output=True, text=True,
                              errors="replace", check=False, timeout=PATIENCE, cwd=self.folder)

    def victim_of(self, process):
        """The program's own pid: record's child that is not the collector."""
        if self.inside:
            return process.pid
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="utf-8") as f:
            for pid in map(int, f.read().split()):
                if os.readlink(f"/proc/{pid}/exe") != self.options.tptrace:
                    return pid
        raise Wrong("the program is not there")

    def wait_for_rounds(self, process, n):
        until = time.monotonic() + PATIENCE
        while self.words()[2] < n and process.poll() is None:
            must(time.monotonic() < until, "it does not go on")
            time.sleep(.002)

    def command(self, word, pid):
        """The collector may hear of the program some time after its first tasks."""
        until = time.monotonic() + PATIENCE
        done = self.tptrace(word, pid)
        while "is not traced" in done.stderr and time.monotonic() < until:
            time.sleep(.02)
            done = self.tptrace(word, pid)
        return done

    def control(self, process):
        """Starts, stops and copies it by its pid."""
        pid, n = self.victim_of(process), 0
        words = ["start"] * self.start_off + [self.random.choice(["start", "stop", "snapshot"])
                                              for _ in range(self.controls)]
        for word in words:
            done = self.command(word, pid)
            may_fail = any(said in done.stderr for said in NO_TROUBLE)
            must(done.returncode == 0 or may_fail or process.poll() is not None, f"{word}: {done.stderr}")
            if word == "snapshot" and done.returncode == 0:
                self.snapshots.append(os.path.join(self.folder, done.stdout.strip()))
            n += self.random.randint(1, 10)
            self.wait_for_rounds(process, self.words()[2] + self.random.randint(1, 10))

    def go(self):
        process = runtimes.begun(self)
        try:
            self.wait_for_rounds(process, 1)
            self.control(process)
            self.wait_for_rounds(process, self.rounds)
            self.finish(process)
        finally:
            self.clean_up(process)

    def clean_up(self, process):
        """No victim outlives its storm, whatever went wrong."""
        if process.poll() is None:
            try:
                os.kill(self.victim_of(process), signal.SIGKILL)
            except (Wrong, OSError):
                pass
            process.kill()
        process.wait()

    def finish(self, process):
        if self.end == "over":
            with open(self.counter, "r+b") as f:
                f.seek(8)
                f.write(struct.pack("Q", 1))
        else:
            os.kill(self.victim_of(process), signal.SIGKILL if self.end == "kill" else signal.SIGTERM)
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired as late:
            raise Wrong("it hangs") from late
        want = 0 if self.end == "over" else -9 if self.end == "kill" else -15
        must(status in (want, 128 - want), f"its status is {status}, not {want}")

    # ---- what is left ----

    def report(self, path):
        try:
            return tracing.report_of(self.options.tptrace, path)
        except AssertionError as wrong:
            raise Wrong(str(wrong)) from wrong

    def check_trace(self, path):
        """It opens, adds up, and --strict says whether something is missing."""
        report = self.report(path)
        missing = report["losses"]
        must(missing or not report["events_lost"] and report["complete"], f"{path}: losses are empty")
        strict = self.tptrace("report", "--strict", path)
        must(strict.returncode == (3 if missing else 0),
             f"{path}: --strict ends with {strict.returncode}, and the losses are {missing}")
        wrong = tracing.untallied(self.dump(path))
        must(not wrong, wrong)
        return report

    def check_counts(self, path, counted):
        """The tasks that are there, and those whose events it says are missing, are all that there were."""
        report = self.check_trace(path)
        stopped = sum(map(int, re.findall(r" lost (\d+) stopped", self.dump(path))))
        begun, missing = explicit_begun(report), report["events_lost"] + stopped
        # begun, and not counted when it was killed; or of a region, which a gap does not tell from others
        slack = (2 if self.end == "over" else 8) * WORKERS
        must(begun <= counted + slack, f"{counted} tasks were counted and {begun} are there")
        must(begun + missing + slack >= counted,
             f"{counted} tasks were counted, {begun} are there, and {missing} events are said to be missing")

    def dump(self, path):
        done = self.tptrace("dump", path)
        must(done.returncode == 0, f"dump: {done.stderr}")
        return done.stdout

    def rings(self):
        return sorted(set(glob.glob(f"/dev/shm/tptrace.{self.pid}.*")) - self.others) if self.inside else []

    def recover(self, path):
        """What a killed program left; the flight recorder's is all in its ring file."""
        rings = self.rings()
        if rings:
            done = self.tptrace("recover", path if os.path.exists(path) else rings[0])
            must(done.returncode == 0, f"recover: {done.stderr}")
        must(not self.rings(), "a ring file is left")

    def check(self):
        self.go()
        counted, _, self.n_rounds = self.words()
        path = os.path.join(self.folder, "t.tpt")
        if self.inside and self.end != "over":
            self.recover(path)
        found = sorted(set(self.snapshots) | set(glob.glob(self.folder + "/*.tpt*")))
        for trace in found:
            if trace == path:
                self.check_counts(trace, counted)
            elif not self.torn(trace):
                self.check_trace(trace)
        self.leave()
        return len(found)

    def torn(self, snapshot):
        """Whether the program was killed while it wrote that, and so its end is not there."""
        if not self.inside or self.end == "over" or snapshot in self.snapshots:
            return False
        with open(snapshot, "rb") as f:
            return f.read()[-8:] != b"tptrend\n"

    def leave(self):
        for ring in self.rings():
            os.remove(ring)
        if not self.options.keep:
            subprocess.run(["rm", "-rf", self.folder], check=True)
        return 0


def main():
    parser = runtimes.arguments(__doc__, 12)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    there = runtimes.build_for_all(options, "storms", "../control/storm", True)
    made, failed = runtimes.each_run(options, there, Storm,
                                     (Wrong, AssertionError, subprocess.SubprocessError, OSError, ValueError))
    print(f"{len(made) + failed} storms, {sum(made)} traces, {failed} failed")
    return 1 if failed or not sum(made) else 0


if __name__ == "__main__":
    sys.exit(main())
