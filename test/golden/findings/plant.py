# SPDX-License-Identifier: MIT
"""plant.py - text traces of runs whose losses are known, since each was planted."""

import glob
import os
import re

CASES = {}  # by name, what makes a trace and what must be found in it: {(cause, where): core-ns}


def planted(**made):
    assert not CASES.keys() & made, f"two cases are called {CASES.keys() & made}"
    CASES.update(made)


def case(function):
    planted(**{function.__name__: function})
    return function


class Read:
    """A trace that was written by hand; its comments say what it is about, and `want CAUSE at WHERE: NS`."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = file.readlines()

    def text(self):
        return "".join(line for line in self.lines if not line.startswith("#"))

    def wanted(self):
        found = (re.fullmatch(r"# want (\w+) at (.+): (\d+)\n", line) for line in self.lines)
        return {(want[1], want[2]): int(want[3]) for want in found if want}


def plant_files(folder):
    """The case of each of its files, by the file's name."""
    def made(path):
        trace = Read(path)
        return trace, trace.wanted()

    planted(**{os.path.basename(path)[:-4]: lambda path=path: made(path)
               for path in sorted(glob.glob(os.path.join(folder, "*.txt")))})


class Trace:
    """The events of a run; times in ns.  A task is its id, "worker.number"."""

    def __init__(self, workers, **meta):
        self.lines, self.made, self.sites = [], [0] * workers, {}
        self.head = ["tptrace text 2", "clock ns", *(f"meta {key} {value}" for key, value in meta.items()),
                     f"runtime 0 name=planted version=1 workers={workers}"]

    def cpu(self, worker, *samples, goes_on=True):
        """Samples of its CPU time and of its wait for a CPU: (at, run, wait); then it is seen to go on."""
        at, run, waits = samples[-1]
        samples += ((at + 1, run + 1, waits),) if goes_on else ()
        self.head += [f"cpu w{worker} {at} run={run} wait={waits}" for at, run, waits in samples]

    def site(self, name):
        """Of code by name; `name/copy` is the same code, created at another place."""
        return self.sites.setdefault(name, len(self.sites) + 1)

    def put(self, at, worker, text):
        self.lines.append((at, len(self.lines), f"{at} w{worker} {text}"))

    def note(self, at, worker, text):
        self.lines.append((at, len(self.lines), f"- w{worker} {text}"))

    def make(self, worker):
        self.made[worker] += 1
        return f"{worker}.{self.made[worker]}"

    def root(self, at, worker=0):
        task = self.make(worker)
        self.put(at, worker, f"root {task}")
        return task

    def create(self, at, worker, name, *depends, back=None, task=None):
        """A task of that name; its creator goes on at `back`, if that is given."""
        child = self.make(worker)
        self.put(at, worker, f"create {child} site={self.site(name)}")
        for depend in depends:
            self.note(at, worker, f"depend {depend}")
        if task:
            self.put(at if back is None else back, worker, f"resume {task}")
        return child

    def run(self, task, worker, begin, end):
        self.put(begin, worker, f"begin {task}")
        self.put(end, worker, "end")

    def wait(self, at, worker, what="children", name="wait"):
        self.put(at, worker, f"wait {what} site={self.site(name)}")

    def block(self, since, until, worker, task, what="object", name="critical", thing="0x10"):
        """The task waits for something: a lock, say."""
        self.wait(since, worker, what, name)
        self.note(since, worker, f"object {thing}")
        self.resume(until, worker, task)

    def signal(self, at, worker, task, thing="0x10", back=None):
        """It releases it, and goes on at `back`, if that is given."""
        self.put(at, worker, f"signal {thing}")
        self.resume(at if back is None else back, worker, task)

    def resume(self, at, worker, task):
        self.put(at, worker, f"resume {task}")

    def end(self, at, worker):
        self.put(at, worker, "end")

    def leave(self, at, worker, task):
        """The task goes on, and ends."""
        self.resume(at, worker, task)
        self.end(at, worker)

    def over(self, at, main):
        """Main goes on, and ends; the trace."""
        self.leave(at, 0, main)
        return self

    def text(self):
        first = {name: number for name, number in self.sites.items() if "/" not in name}
        sites = [f"site {number} name={name.split('/')[0]} file=planted.c line={first.get(name.split('/')[0], number)}"
                 for name, number in self.sites.items()]
        return "\n".join(self.head + sites + [line for _, _, line in sorted(self.lines)]) + "\n"


def started(workers, **meta):
    """A run, and the task of its main()."""
    trace = Trace(workers, **meta)
    return trace, trace.root(0)


def given(workers, name, n, **meta):
    """A run, main, and n tasks that it creates at once and waits for."""
    trace, main = started(workers, **meta)
    tasks = [trace.create(0, 0, name, task=main) for _ in range(n)]
    trace.wait(0, 0)
    return trace, main, tasks


def spread(trace, tasks, workers, since=0):
    """Runs (task, length) in that order on whichever worker is free first; when the last one ends."""
    free = dict.fromkeys(workers, since)
    for task, length in tasks:
        worker = min(free, key=free.get)
        trace.run(task, worker, free[worker], free[worker] + length)
        free[worker] += length
    return max(free.values())


def loop(workers, *rounds, head=0, between=0, tail=0, **meta):
    """Main creates the tasks of each round, (name, length) each, at once, and waits for them."""
    trace, main = started(workers, **meta)
    now = head
    for number, lengths in enumerate(rounds):
        if number:
            now += between
        tasks = [(trace.create(now, 0, name, task=main), length) for name, length in lengths]
        trace.wait(now, 0)
        now = spread(trace, tasks, range(workers), now)
        trace.resume(now, 0, main)
    trace.end(now + tail, 0)
    return trace


def fork_team(workers, **meta):
    """A run whose main task forks a team: the trace, main and the members."""
    trace, main = started(workers, **meta)
    fork = trace.make(0)
    trace.put(0, 0, f"fork {fork} site={trace.site('loop')} team")
    members = [trace.make(worker) for worker in range(workers)]
    for worker, member in enumerate(members):
        trace.put(0, worker, f"member {member} of {fork}")
    return trace, main, members


def team(*lengths, **meta):
    trace, main, members = fork_team(len(lengths), **meta)
    for worker, length in enumerate(lengths):
        trace.wait(length, worker, "team", "barrier")
        trace.leave(max(lengths), worker, members[worker])
    return trace.over(max(lengths), main)
