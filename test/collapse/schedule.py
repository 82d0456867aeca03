#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schedule.py SEED - prints the text trace of a random fork-join program on a random schedule.

Thousands of tasks on 1 to 8 workers that steal from one another, either help first (a task that waits
runs its children, or others, on top of itself: libgomp, oneTBB) or child first (who steals, steals what
follows a spawn: MassiveThreads, Cilk).  Phases with little parallelism and long strands are in it,
and runtimes that are slow.  Help first, some programs spawn one half and call the other, which spawns and
waits in turn: their bags (oneTBB's task_group) or taskgroups are inside one another.  No two events of a
trace have the same time.
"""
import heapq
import random
import sys

WORK, SPAWN, WAIT, CALL, RETURN = range(5)


class Task:
    def __init__(self, parent, steps, site):
        self.parent, self.steps, self.site = parent, steps, site
        self.at = self.open = 0
        self.scopes = []            # help first, of calls that it is in: what they wait for, and how much is open
        self.scope = None           # of its parent's
        self.ident = None
        self.waits = False          # suspended at a wait
        self.left = None            # the worker of its last strand


class Run:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.workers = self.r.choice((1, 2, 2, 3, 4, 8))
        self.child_first = self.r.random() < .5
        self.grain = self.r.choice((20, 100, 1000, 5000))
        self.slow = self.r.choice((10, 60, 400))        # ns of an operation of the runtime
        self.tasks = self.r.randint(500, 8000)
        self.uneven = self.r.choice((.1, .4, .8))
        self.serial = self.r.choice((0, 0, .002, .02))  # share of tasks with a long strand
        self.anything = self.r.random() < .5            # help first: a wait runs any task
        self.calls = None if self.child_first else self.r.choice((None, "bag", "group"))
        self.depth = [0] * self.workers                 # scopes on its stack
        self.lines, self.given = [], [0] * self.workers
        self.deque = [[] for _ in range(self.workers)]
        self.used = set()

    def emit(self, now, worker, text):
        while now in self.used:
            now += 1
        self.used.add(now)
        self.lines.append((now, f"{now} w{worker} {text}"))
        return now

    def more(self, now, worker, text):
        """Of the worker's event before."""
        self.lines.append((now, f"- w{worker} {text}"))

    def resume(self, now, worker, task):
        now = self.emit(now, worker, f"resume {task.ident}")
        if task.left != worker:     # on the same line, so to speak: the time stands for both
            self.more(now, worker, "moved")
        return now

    def new_id(self, worker):
        self.given[worker] += 1
        return f"{worker}.{self.given[worker]}"

    def length(self):
        if self.r.random() < self.serial:
            return self.r.randint(20, 400) * self.grain
        return 1 + int(self.r.expovariate(1 / self.grain))

    def tree(self, n, parent=None):
        """A task with n - 1 below it."""
        steps, left = [(WORK, self.length())], n - 1
        task = Task(parent, steps, self.r.randint(1, 3))
        if self.calls:
            self.call(task, left)
            return task
        while left > 0:
            for _ in range(self.r.choice((1, 2, 2, 2, 3))):
                part = left if left < 3 else max(1, int(left * self.r.uniform(self.uneven / 2, 1 - self.uneven / 2)))
                if left > 0:
                    steps += [(SPAWN, self.tree(part, task)), (WORK, self.length())]
                    left -= part
            steps += [(WAIT, None), (WORK, self.length())]
        return task

    def call(self, task, left):
        """What a function does: with some luck it spawns a part, calls another, and waits."""
        if left == 0:
            return
        n = max(1, int(left * self.r.uniform(self.uneven / 2, 1 - self.uneven / 2)))
        steps = task.steps
        steps += [(CALL, None), (SPAWN, self.tree(n, task)), (WORK, self.length())]
        left -= n
        for _ in range(self.r.choice((0, 1, 1, 1, 2))):
            n = self.r.randint(0, left)
            self.call(task, n)
            left -= n
        if left:
            steps += [(SPAWN, self.tree(left, task)), (WORK, self.length())]
        steps += [(WAIT, None), (RETURN, None), (WORK, self.length())]

    def cost(self):
        return 1 + int(self.r.expovariate(1 / self.slow))

    # ---- a worker: a generator that yields the time at which it goes on ----------------------

    def begin(self, worker, task, now):
        return self.emit(now, worker, f"begin {task.ident}")

    def take(self, worker, below):
        """A ready task: one's own newest, or another's oldest."""
        if self.deque[worker] and (below is None or self.anything or self.deque[worker][-1].parent is below):
            return self.deque[worker].pop()
        victims = [v for v in range(self.workers) if v != worker and self.deque[v]]
        if not victims or not (below is None or self.anything):
            return None
        return self.deque[self.r.choice(victims)].pop(0)

    def finish(self, worker, task, now):
        now = self.emit(now, worker, "end")
        if task.scope:
            task.scope[1] -= 1
        if task.parent:
            task.parent.open -= 1
        else:
            self.done = True
        return now

    def help_first(self, worker, task, now):
        for what, arg in task.steps:
            if what == WORK:
                now += arg
                yield now
            elif what == SPAWN:
                arg.ident = self.new_id(worker)
                now = self.emit(now, worker, f"create {arg.ident} site={arg.site}")
                task.open += 1
                if task.scopes:
                    arg.scope = task.scopes[-1]
                    arg.scope[1] += 1
                if self.calls == "bag":
                    self.more(now, worker, f"bag {arg.scope[0]:#x}")
                self.deque[worker].append(arg)
                now += self.cost()
                yield now
                now = self.emit(now, worker, f"resume {task.ident}")
            elif what == CALL:
                self.depth[worker] += 1
                task.scopes.append([0x7ffc00000000 + 4096 * worker + 16 * self.depth[worker], 0])
                if self.calls == "group":
                    self.more(now - 1, worker, "group")
            elif what == RETURN:
                self.depth[worker] -= 1
                task.scopes.pop()
            else:
                now = self.emit(now, worker, f"wait {self.calls or 'children'} site=4")
                if self.calls == "bag":
                    self.more(now, worker, f"object {task.scopes[-1][0]:#x}")
                while True:
                    now += self.cost()
                    yield now
                    if (task.scopes[-1][1] if task.scopes else task.open) == 0:
                        break
                    other = self.take(worker, task)
                    if other:
                        now = self.begin(worker, other, now)
                        for now in self.help_first(worker, other, now):
                            yield now
                        now = self.last[worker]
                now = self.emit(now, worker, f"resume {task.ident}")
        self.last[worker] = self.finish(worker, task, now)

    def idle(self, worker, now, first=None):
        """Help first: the loop of a worker that has nothing on its stack."""
        while not self.done:
            task = first or self.take(worker, None)
            if task:
                now = self.begin(worker, task, now) if not first else now
                first = None
                for now in self.help_first(worker, task, now):
                    yield now
                now = self.last[worker]
            now += self.cost()
            yield now

    def work_first(self, worker, now, first=None):
        """Child first: whatever is in a deque is a task that goes on after a spawn."""
        task = first
        while not self.done:
            if task is None:
                task = self.take(worker, None)
                if task is None:
                    now += self.cost()
                    yield now
                    continue
                now = self.resume(now, worker, task)
            while task is not None:
                if task.at == len(task.steps):
                    now = self.finish(worker, task, now)
                    parent, task = task.parent, None
                    now += self.cost()
                    yield now
                    if parent and parent.waits and parent.open == 0:
                        parent.waits = False
                        task = parent
                    elif self.deque[worker]:
                        task = self.deque[worker].pop()
                    if task:
                        now = self.resume(now, worker, task)
                    continue
                what, arg = task.steps[task.at]
                task.at += 1
                if what == WORK:
                    now += arg
                    yield now
                elif what == SPAWN:
                    arg.ident = self.new_id(worker)
                    now = self.emit(now, worker, f"create {arg.ident} site={arg.site}")
                    task.open, task.left = task.open + 1, worker
                    now += self.cost()
                    yield now
                    now = self.begin(worker, arg, now)
                    self.deque[worker].append(task)
                    task = arg
                else:
                    now = self.emit(now, worker, "wait children site=4")
                    task.left = worker
                    now += self.cost()
                    yield now
                    if task.open == 0:
                        now = self.resume(now, worker, task)
                    else:
                        task.waits = True
                        task = None

    def text(self):
        root = self.tree(self.tasks)
        root.ident = self.new_id(0)
        self.done, self.last = False, [0] * self.workers
        start = self.emit(1000, 0, f"root {root.ident}")
        loop = self.work_first if self.child_first else self.idle
        heap = [(start if w == 0 else start + 1 + w, w, loop(w, start if w == 0 else start + 1 + w,
                 root if w == 0 else None)) for w in range(self.workers)]
        heapq.heapify(heap)
        while heap:
            _, worker, loop = heapq.heappop(heap)
            for now in loop:
                heapq.heappush(heap, (now, worker, loop))
                break
        out = ["tptrace text 2", "clock ns", f"runtime 0 name=test version=1 workers={self.workers}"]
        out += [f"site {s} runtime=0 name=kind{s}" for s in range(5)]
        out += [line for _, line in sorted(self.lines, key=lambda line: line[0])]
        return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    sys.stdout.write(Run(int(sys.argv[1])).text())
