# SPDX-License-Identifier: MIT
"""
patience.py - how long a test waits for programs until it says that they hang.

A machine with other work may give a program next to no CPU for minutes: then it does not hang, it starves.  So
patience counts only what the program could have used.  While none of the threads is kept waiting for a CPU, that
is all time.  While one is, it is the CPU time that all of them got: who spins and gets on with nothing is found
out, too, but later.  In such a time a program that gets on (`progress` gives another value) begins anew.

At MOST times the patience it is over in any case.
"""
import contextlib
import os
import signal
import subprocess
import time

LOOK_S = 1      # between two looks at the threads
STEP_S = 2      # no more counts of the time between them: who looks may starve, too
WAITED = .5     # of that time: who was kept waiting for longer, or got less than ..
RAN = .5        # .. that though it could run at both looks, starves
MOST = 15


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def descendants(pid):
    """Of whom /proc says so; zombies among them."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        stat = read(f"/proc/{name}/stat").rpartition(")")[2].split()
        if stat:
            parents.setdefault(int(stat[1]), []).append(int(name))
    found = [pid]
    for parent in found:
        found += parents.get(parent, [])
    return found[1:]


class Thread:
    """Seconds that it ran and waited for a CPU until now; None where the kernel does not count them."""

    def __init__(self, task):
        stat, times = read(f"{task}/stat").rpartition(")")[2].split(), read(f"{task}/schedstat").split()
        self.runs = stat[:1] == ["R"]
        self.ran_s, self.waited_s = (int(ns) / 1e9 for ns in times[:2]) if len(times) == 3 else (None, None)


def threads_of(pids):
    found = {}
    for pid in pids:
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        found.update((int(task), Thread(f"/proc/{pid}/task/{task}")) for task in tasks)
    return found


class Patience:
    """Of so many seconds, with all processes that this one has started, or `root`, or with those of `pids`."""

    def __init__(self, seconds, progress=lambda: None, pids=None, root=None):
        self.seconds, self.progress, self.pids, self.root = seconds, progress, pids, root
        self.began = self.looked = time.monotonic()
        self.spent_s = 0
        self.threads, self.seen = self.look(), progress()

    def look(self):
        if self.root:
            return threads_of([self.root, *descendants(self.root)])
        return threads_of(self.pids if self.pids is not None else descendants(os.getpid()))

    def is_left(self):
        """To be asked again and again while something is waited for."""
        now = time.monotonic()
        if now - self.looked >= LOOK_S:
            self.spend(now)
        return self.spent_s < self.seconds and now - self.began < MOST * self.seconds

    def spend(self, now):
        threads, seen, took_s = self.look(), self.progress(), now - self.looked
        both = [(self.threads[task], thread) for task, thread in threads.items()
                if task in self.threads and thread.ran_s is not None]
        if not any(starves(before, after, took_s) for before, after in both):
            self.spent_s += min(took_s, STEP_S)
        elif seen != self.seen:
            self.spent_s = 0
        else:
            self.spent_s += min(took_s, STEP_S, sum(after.ran_s - before.ran_s for before, after in both))
        self.threads, self.seen, self.looked = threads, seen, now

    def __str__(self):
        return f"{time.monotonic() - self.began:.0f} s, of which {self.spent_s:.0f} s count"


def starves(before, after, took_s):
    """The kernel counts a wait when it is over: a thread that could run at both looks and did not waits still."""
    if after.waited_s - before.waited_s > WAITED * took_s:
        return True
    return before.runs and after.runs and after.ran_s - before.ran_s < RAN * took_s


def run(command, seconds, progress=lambda: None, **options):
    """subprocess.run() with such a patience; who hangs is killed, and all that it started: TimeoutExpired."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        patience = Patience(seconds, progress, root=process.pid)
        while True:
            try:
                said = process.communicate(timeout=LOOK_S)
                return subprocess.CompletedProcess(command, process.returncode, *said)
            except subprocess.TimeoutExpired:
                if patience.is_left():
                    continue
                for pid in [*descendants(process.pid), process.pid]:
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(command, seconds, *process.communicate()) from None
