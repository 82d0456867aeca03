#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schedule.py SEED - prints the text trace of a random fork-join program on a random schedule.

Thousands of tasks on 1 to 8 workers that steal from one another, either help first (a task that waits
runs its children, or others, on top of itself: libgomp, oneTBB) or child first (who steals, steals what
follows a spawn: MassiveThreads, Cilk).  Phases with little parallelism and long strands are in it,
and runtimes that are slow.  Some programs spawn one part and call another, which spawns and waits in turn:
their bags (oneTBB's task_group) or taskgroups are inside one another; and sometimes a task is put into a bag
further out or of the task that made its maker, or a wait is for all children.  Calls may spawn nothing and wait
all the same.  Tasks may yield, all of them
before they do anything (libomp's untied ones); they go on where they were, or are stolen.  No two events of a trace have the
same time.
"""
import heapq
import random
import sys

WORK, SPAWN, WAIT, WAIT_ALL, CALL, RETURN, YIELD = range(7)
INNERMOST, OUTER, MAKERS = range(3)     # which bag a task is put into


class Scope:
    def __init__(self, owner, bag):
        self.owner, self.bag, self.open = owner, bag, 0


class Task:
    def __init__(self, parent, steps, site):
        self.parent, self.steps, self.site = parent, steps, site
        self.at = self.open = 0
        self.scopes = []            # of the calls that it is in
        self.scope = None           # that it was put into
        self.ident = None
        self.waits = None           # suspended at a wait: it is over once this gives True
        self.left = None            # the worker of its last strand


class Run:
    def __init__(self, seed, **fixed):
        """fixed: attributes that are not drawn."""
        self.r = random.Random(seed)
        self.workers = self.r.choice((1, 2, 2, 3, 4, 8))
        self.child_first = self.r.random() < .5
        self.grain = self.r.choice((20, 100, 1000, 5000))
        self.slow = self.r.choice((10, 60, 400))        # ns of an operation of the runtime
        self.tasks = self.r.randint(500, 8000)
        self.uneven = self.r.choice((.1, .4, .8))
        self.serial = self.r.choice((0, 0, .002, .02))  # share of tasks with a long strand
        self.anything = self.r.random() < .5            # help first: a wait runs any task
        self.calls = self.r.choice((None, "bag", "group"))
        self.odd = self.r.choice((0, .02, .2))          # share of calls that are not plain
        self.yields = random.Random(seed + 1).choice((0, 0, .1, 1))     # share of tasks that yield first
        self.empty = random.Random(seed + 2).choice((0, 0, .1, 1))      # share of calls that spawn nothing, and wait
        self.__dict__.update(fixed)
        self.n_scopes, self.depth = 0, [0] * self.workers   # depth: of the stacks, in scopes
        if self.calls == "bag" and self.odd:
            self.anything = True    # else two could wait for what is below the other's
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
        if self.yields and self.r.random() < self.yields:
            steps[:0] = [(WORK, 1 + int(self.r.random() * 20)), (YIELD, None)]
        task = Task(parent, steps, self.r.randint(1, 3))
        if self.calls:
            self.call(task, left)
            return task
        while left > 0:
            for _ in range(self.r.choice((1, 2, 2, 2, 3))):
                part = left if left < 3 else max(1, int(left * self.r.uniform(self.uneven / 2, 1 - self.uneven / 2)))
                if left > 0:
                    steps += [(SPAWN, (self.tree(part, task), INNERMOST)), (WORK, self.length())]
                    left -= part
            steps += [(WAIT, None), (WORK, self.length())]
        return task

    def call(self, task, left, depth=0):
        """What a function does: it spawns a part, calls another, and waits."""
        steps, places = task.steps, (INNERMOST, INNERMOST)
        if left == 0:
            if self.empty and self.r.random() < self.empty:
                steps += [(CALL, None), (WAIT, None), (RETURN, None), (WORK, self.length())]
            return
        odd = self.r.random() < self.odd
        if odd and self.calls == "bag":
            places = self.r.choice((INNERMOST, OUTER, MAKERS)), self.r.choice((INNERMOST, OUTER, MAKERS))
        n = max(1, int(left * self.r.uniform(self.uneven / 2, 1 - self.uneven / 2)))
        steps += [(CALL, None), (SPAWN, (self.tree(n, task), places[0])), (WORK, self.length())]
        left -= n
        for _ in range(self.r.choice((0, 1, 1, 1, 2)) if depth < 50 else 0):
            n = self.r.randint(0, left)
            self.call(task, n, depth + 1)
            left -= n
        if left:
            steps += [(SPAWN, (self.tree(left, task), places[1])), (WORK, self.length())]
        if odd and self.calls == "group":
            steps += [(WAIT_ALL, None), (WORK, self.length())]
        steps += [(WAIT, None), (RETURN, None), (WORK, self.length())]

    def cost(self):
        return 1 + int(self.r.expovariate(1 / self.slow))

    # ---- what a task does, whoever runs it ----------------------------------------------------

    def enter(self, worker, task, now):
        self.depth[worker] += 1
        self.n_scopes += 1
        place = self.n_scopes if self.child_first else 4096 * worker + self.depth[worker]
        task.scopes.append(Scope(task, 0x7ffc00000000 + 16 * place))
        if self.calls == "group":
            self.more(now - 1, worker, "group")

    def leave(self, worker, task):
        self.depth[worker] -= 1
        task.scopes.pop()

    def scope_for(self, task, where):
        if where == OUTER and len(task.scopes) > 1:
            return task.scopes[-2]
        if where == MAKERS and task.scope:
            return task.scope
        return task.scopes[-1] if task.scopes else None

    def create(self, worker, task, made, now):
        child, where = made
        child.ident, child.scope = self.new_id(worker), self.scope_for(task, where)
        now = self.emit(now, worker, f"create {child.ident} site={child.site}")
        task.open, task.left = task.open + 1, worker
        if child.scope:
            child.scope.open += 1
        if self.calls == "bag":
            self.more(now, worker, f"bag {child.scope.bag:#x}")
        return now

    def wait(self, worker, task, what, now):
        """When it is over is in task.waits."""
        scope = task.scopes[-1] if what == WAIT and task.scopes else None
        now = self.emit(now, worker, f"wait {self.calls if scope else 'children'} site=4")
        if scope and self.calls == "bag":
            self.more(now, worker, f"object {scope.bag:#x}")
        task.left = worker
        task.waits = (lambda: scope.open == 0) if scope else (lambda: task.open == 0)
        return now

    def step_aside(self, worker, task, now):
        task.left = worker
        return self.emit(now, worker, "yield site=4")

    def begin(self, worker, task, now):
        return self.emit(now, worker, f"begin {task.ident}")

    def finish(self, worker, task, now):
        now = self.emit(now, worker, "end")
        if task.scope:
            task.scope.open -= 1
        if task.parent:
            task.parent.open -= 1
        else:
            self.done = True
        return now

    # ---- a worker: a generator that yields the time at which it goes on ----------------------

    def take(self, worker, below):
        """A ready task: one's own newest, or another's oldest."""
        own = self.deque[worker]
        if own and (below is None or self.anything or own[-1].parent is below or
                    own[-1].scope and own[-1].scope.owner is below):
            return own.pop()
        victims = [v for v in range(self.workers) if v != worker and self.deque[v]]
        if not victims or not (below is None or self.anything):
            return None
        return self.deque[self.r.choice(victims)].pop(0)

    def help_first(self, worker, task, now):
        for what, arg in task.steps:
            if what == WORK:
                now += arg
                yield now
            elif what == SPAWN:
                now = self.create(worker, task, arg, now)
                self.deque[worker].append(arg[0])
                now += self.cost()
                yield now
                now = self.emit(now, worker, f"resume {task.ident}")
            elif what == CALL:
                self.enter(worker, task, now)
            elif what == RETURN:
                self.leave(worker, task)
            elif what == YIELD:
                now = self.step_aside(worker, task, now) + self.cost()
                yield now
                now = self.resume(now, worker, task)
            else:
                now = self.wait(worker, task, what, now)
                while True:
                    now += self.cost()
                    yield now
                    if task.waits():
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
                    after = [task.scope.owner if task.scope else None, task.parent]
                    now += self.cost()
                    yield now
                    task = next((t for t in after if t and t.waits and t.waits()), None)
                    if task:
                        task.waits = None
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
                    now = self.create(worker, task, arg, now)
                    now += self.cost()
                    yield now
                    now = self.begin(worker, arg[0], now)
                    self.deque[worker].append(task)
                    task = arg[0]
                elif what == CALL:
                    self.enter(worker, task, now)
                elif what == RETURN:
                    self.leave(worker, task)
                elif what == YIELD:     # perhaps another goes on with it
                    now = self.step_aside(worker, task, now)
                    self.deque[worker].append(task)
                    task, now = None, now + self.cost()
                    yield now
                else:
                    now = self.wait(worker, task, what, now)
                    over, task.waits = task.waits, None     # only who is suspended can be woken
                    now += self.cost()
                    yield now
                    if over():
                        now = self.resume(now, worker, task)
                    else:
                        task.waits = over
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
