#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""family.py - a family of processes is recorded, and some of those who take part are hit.

Programs fork, become others and go on as daemons (family.c), beside as many busy processes as --load says.
One of them, the collector or `tptrace record` is killed, stopped for a while or left next to no CPU time.  What
each process has made is in its traces, or they say how much is not; what nobody hit goes on as it does alone.

A failure prints its seed; --seed S --n 1 runs that one again.
"""
import contextlib
import ctypes
import glob
import os
import random
import signal
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib")]
import frame  # noqa: E402
import own_shm  # noqa: E402
import tracing  # noqa: E402
from patience import Patience  # noqa: E402
from tracing import Wrong, must  # noqa: E402

MODES = {"default": [], "last": ["--keep=last"], "inside": ["--inside"], "full": ["--collapse=off"],
         "slow": ["--slow=work=1.5"], "no locks": ["--no-pthread"], "drop": ["--overflow=drop", "--buffer=16K"],
         "small": ["--max-size=256K"], "disk": ["--collapse=off"]}
LOSE = ("last", "drop", "small", "disk")  # what nobody hit, too
WHO = ("program", "collector", "record", "nobody")
DEEDS = ("kill", "stop", "starve")
STEPS = ("f", "d", "e", "x", "fe", "fd", "dfe", "ffx", "xd", "exfd", "fxe")
SUBREAPER = 36     # PR_SET_CHILD_SUBREAPER
ROWS = 255
TEAM = 2


def rows(path):
    """(pid, tasks) of each program that began."""
    with open(path, "rb") as file:
        words = struct.unpack(f"{2 + 2 * ROWS}q", file.read(8 * (2 + 2 * ROWS)))
    return [(words[2 + 2 * i], words[3 + 2 * i]) for i in range(words[0])]


def state_of(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]
    return "Z"


def named(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
        return file.read().strip()
    return ""


def children(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]
    return []


def each_thread(pid, call):
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                call(int(thread))


class Family:
    def __init__(self, options, seed, folder):
        chosen = random.Random(seed)
        self.options, self.folder, self.path = options, folder, f"{folder}/family"
        self.mode, self.who, self.deed = chosen.choice(list(MODES)), chosen.choice(WHO), chosen.choice(DEEDS)
        self.steps, self.ms = chosen.choice(STEPS), chosen.choice(("5", "30", "100"))
        self.moment_s, self.pause_s = 2 ** chosen.uniform(-7, 0), chosen.uniform(.2, 1.5)
        self.nth, self.hit = chosen.random(), []
        self.told = (f"{self.mode}: {self.deed} {self.who} at {self.moment_s:.3f} s, {self.steps} {self.ms}: "
                     f"--seed {seed} --n 1")
        self.more = [*MODES[self.mode], *(["--slow-of", options.plain] if self.mode == "slow" else [])]

    def run(self):
        self.out = f"{self.folder}/out"
        begin(self.path)
        os.mkdir(self.out)
        if self.mode == "disk":
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tptrace", self.out], check=True)
        command = [self.options.tptrace, "record", *self.more, "-o", f"{self.out}/%p.tpt", "--",
                   self.options.program, self.path, self.steps, self.ms]
        with subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=tracing.environment()) as record:
            try:
                self.strike(record)
                self.await_all(record)
            finally:
                for pid in [record.pid, *children(record.pid), *self.alive()]:
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
            said = record.stdout.read(), record.stderr.read()
        recovered = tracing.run(self.options.tptrace, "recover", "--all", folder=self.folder, status=None)
        must(self.mode == "disk" or recovered.returncode == 0 and not os.listdir(own_shm.SHM), f"recover: {recovered}")
        killed = self.deed == "kill" and self.who in ("record", "program")
        must(said[0] == "" and (killed or record.returncode in (7, 0 if "d" in self.steps else 7)),
             f"status {record.returncode}, {said}")
        self.check(f"{said[1]}, {recovered}")

    def alive(self):
        return [pid for pid in {pid for pid, _ in rows(self.path)} if pid and state_of(pid) != "Z"]

    def strike(self, record):
        patience = Patience(60)
        while not any(n for _, n in rows(self.path)):
            must(patience.is_left() and record.poll() is None, f"it does not begin: {patience}")
            time.sleep(.002)
        time.sleep(self.moment_s)
        collectors = [pid for pid in children(record.pid) if named(pid).startswith("tptrace")]
        there = {"program": self.alive(), "collector": collectors, "record": [record.pid], "nobody": []}[self.who]
        if not there or record.poll() is not None:
            return
        pid = there[int(self.nth * len(there))]
        self.hit = [pid]
        with contextlib.suppress(OSError):
            if self.deed == "starve":
                each_thread(pid, lambda thread: os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0)))
                return
            os.kill(pid, signal.SIGKILL if self.deed == "kill" else signal.SIGSTOP)
            if self.deed == "stop":
                time.sleep(self.pause_s)
                os.kill(pid, signal.SIGCONT)
                os.kill(record.pid, signal.SIGCONT)

    def await_all(self, record):
        """Those that record left behind are ours."""
        patience = Patience(120, lambda: rows(self.path))
        while record.poll() is None or self.alive() or self.collectors_left():
            must(patience.is_left(), f"it hangs: record {record.poll()}, {self.alive()}, {patience}")
            for pid in children(os.getpid()):
                if pid != record.pid and state_of(pid) == "Z" and pid not in self.options.load_pids:
                    os.waitpid(pid, 0)
            if record.poll() is None and state_of(record.pid) == "T":
                os.kill(record.pid, signal.SIGCONT)  # it was late in stopping
            time.sleep(.01)

    def collectors_left(self):
        return [pid for pid in children(os.getpid()) if named(pid).startswith("tptrace-coll") and state_of(pid) != "Z"]

    def check(self, said):
        made, n_programs = {}, {}
        for pid, n in rows(self.path):
            made[pid] = made.get(pid, 0) + n
            n_programs[pid] = n_programs.get(pid, 0) + 1
        for pid, n in made.items():
            there = lost = 0
            for trace in glob.glob(f"{self.out}/{pid}.tpt*"):
                report = tracing.report_of(self.options.tptrace, trace)
                must(report["complete"], f"{trace} has no end")
                there += max(tracing.explicit(report), report["tasks_begun"] if pid in self.hit else 0)
                dropped = max(report["tasks_lost"], report["events_lost"])
                must(not dropped or self.hit or self.mode in LOSE, f"{trace}: {dropped} lost, and nobody was hit")
                lost += dropped + report.get("tasks_after_end", 0)
                strict = tracing.run(self.options.tptrace, "report", "--strict", trace, status=None)
                must(strict.returncode in (0, 3), f"--strict says {strict}")
            must(n - there <= lost + TEAM * n_programs[pid],
                 f"process {pid}: {n} tasks made, {there} in traces, {lost} lost; {os.listdir(self.out)}; {said}")
            must(there <= n or pid in self.hit, f"process {pid}: {n} tasks made, {there} in traces")


def begin(path):
    with open(path, "wb") as file:
        file.truncate(1 << 13)


def make(options, folder):
    """The program, and a trace of it, for --slow-of."""
    options.program, options.plain = os.path.join(options.build, "kill", "family"), f"{folder}/plain.tpt"
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", "-g", "-fopenmp", "-o", options.program,
                    os.path.join(HERE, "family.c")], check=True)
    begin(f"{folder}/family")
    begins = options.program, f"{folder}/family", "", "5"
    tracing.run(options.tptrace, "record", "-o", options.plain, "--", *begins, status=7)


def run_all(options):
    """How many failed."""
    failed = 0
    with tracing.new_folder("family-") as plain:
        make(options, plain)
        for seed in range(options.seed, options.seed + options.n):
            with tracing.new_folder("family-") as folder:
                family = Family(options, seed, folder)
                try:
                    family.run()
                except (Wrong, AssertionError, OSError, KeyError, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"FAIL {family.told}: {type(error).__name__} {error}", flush=True)
                subprocess.run(["umount", "-q", family.out], check=False, stderr=subprocess.DEVNULL)
    return failed


def main():
    tracing.heed_signals()
    options = frame.options(__doc__, n=6, seed=random.randrange(10 ** 9), load=2)
    own_shm.enter("family")
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    load = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.load)]  # pylint: disable=R1732
    options.load_pids = {process.pid for process in load}
    try:
        failed = run_all(options)
    finally:
        for process in load:
            process.kill()
            process.wait()
    print(f"family: {options.n} families, {failed} failed (--seed {options.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
