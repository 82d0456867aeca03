#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""generate.py SEED - prints a random valid text trace.

A random task program runs on a random schedule: one event a step, on a random worker, among those
that the semantics allow there.  Time never runs backwards from step to step; in some traces many
steps share one time stamp.  Two kinds of schedule:

    stack   as libgomp: a worker that waits runs other tasks on top of the one that waits, and a
            task goes on where it was
    free    as a work-first runtime: whatever can go on does so on any worker

In a free schedule a worker may go on with the child at once, and the parent goes on elsewhere.

Nothing keeps such a program from getting stuck or being cut off, and that is wanted: the trace then
ends with tasks that never began, or never ended.
"""
import random
import sys

from brute_tasks import depends_on, within

OBJECTS = (0x7f00, 0x7f08, 0x7f10)
NAMES = (0x7f00, 0x7f08, 0xa0, 0xa8)    # some are signalled, too
BAGS = (0xc0, 0xc8)
MEETINGS = (0xb0, 0xb8)
ADDRESSES = (0x100, 0x108, 0x110)
MODES = ("in", "in", "out", "out", "mutex", "set", "set", "all")


class Group:
    def __init__(self, outer):
        self.outer = outer


class Fork:
    def __init__(self, task, total, team, nowait):
        self.task, self.total, self.team, self.nowait = task, total, team, nowait
        self.members, self.workers = [], set()
        self.barriers, self.arrived, self.released = 0, {}, set()
        self.group = None


class Task:
    def __init__(self, ident):
        self.ident = ident
        self.parent = self.fork = self.team = self.group = None
        self.final = self.undeferred = self.empty = self.root = self.frozen = False
        self.begun = self.ended = False
        self.handle = None      # object that completes it
        self.told = False       # its `handle` line is out
        self.groups, self.clauses, self.after, self.siblings = [], [], [], []
        self.bag = self.name_later = None
        self.discarded = self.ending = False
        self.on = []            # (name, who had it, whether it waits for it)
        self.barriers = self.depth = 0
        self.worker = None      # where it ran last
        self.here = None        # undeferred: the worker of its parent
        self.can_go_on = None   # suspended: a test


class Program:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.workers = r.randint(1, 6)
        self.stacked = r.random() < .7
        self.equal_times = r.random() < .3
        self.step_ns = r.choice((3, 10, 1000, 10**6))
        self.budget = r.randint(4, 60)
        self.taste = r.choice(("plain", "plain", "teams", "data", "locks", "events", "names", "names",
                               "bags", "bags", "meetings"))
        self.child_first = r.choice((0, 0, .5, .9))
        self.outside = {} if seed % 5 else {"cond": "message", "sem": "device"}
        self.named, self.named_at, self.meeting, self.global_siblings = {}, {}, {}, []
        self.global_share = r.choice((0, 0, .5))
        self.cut = r.randint(3, 80) if r.random() < .25 else 80
        self.now = r.choice((0, r.randint(0, 10**6)))
        self.addresses = ADDRESSES[:r.randint(1, 3)]
        self.modes = r.sample(MODES, r.choice((3, 4, len(MODES))))
        self.stack = [[] for _ in range(self.workers)]  # free: at most the running task
        self.given = [0] * self.workers
        self.busy = [False] * self.workers              # the top of the stack runs
        self.tasks, self.forks, self.suspended, self.handles = [], [], [], []
        self.signalled = {}                             # object -> steps at which it was
        self.lines = []                                 # (worker, [text of an event, what follows])
        self.newest = [None] * self.workers             # the texts of a worker's last event
        self.events = 0
        self.of_holds = random.Random(f"holds {seed}")   # its own: the program stays as it is
        self.holds = self.of_holds.choice((0, .02, .3)) # how often the recorder holds a worker
        self.sites = {"create": r.randint(1, 4), "team": r.randint(1, 2), "loop": r.randint(1, 2)}

    # ---- output ---------------------------------------------------------------------------

    def emit(self, worker, text, later=False):
        step = self.r.randint(1, self.step_ns)
        same = self.equal_times and not later and self.r.random() < .4
        self.now += 0 if same or not self.events else step
        self.newest[worker] = [f"{self.now} w{worker} {text}"]
        self.lines.append((worker, self.newest[worker]))
        self.events += 1
        if self.r.random() < .02:
            self.more(worker, f"tracer {self.r.randint(1, 20)}")
        self.hold(worker)

    def hold(self, worker):
        if self.of_holds.random() < self.holds:
            most = self.step_ns * self.of_holds.choice((1, 3, 50))
            self.newest[worker].append(f"- w{worker} tracer {self.of_holds.randint(1, most)}")

    def more(self, worker, text):
        self.newest[worker].append(f"- w{worker} {text}")
        self.hold(worker)

    def new_id(self, worker):
        self.given[worker] += 1
        return f"{worker}.{self.given[worker]}"

    def site(self, what="create"):
        """Every site is of one use."""
        first = {"create": 1, "team": 5, "loop": 7}[what]
        return self.r.randrange(first, first + self.sites[what])

    def text(self):
        r = self.r
        out = ["tptrace text 2", "clock ns", "meta host test"]
        seen = r.choice((self.workers, self.workers, self.workers + 2, 1, self.workers + 1))
        out.append(f"runtime 0 name=libgomp version=x workers={seen}")
        runtimes = r.choice((1, 1, 2, 3))
        if self.of_holds.random() < .5:
            out.append(f"meta cpus {self.of_holds.randint(1, 6)}")
        for runtime in range(1, runtimes):
            out.append(f"runtime {runtime} name=r{runtime} version=y workers={r.randint(0, 4)}")
        for site in range(1, 9):
            style = r.random()
            if style < .7:
                out.append(f"site {site} runtime={r.randrange(runtimes)} name=kind{site} file=a%20{site}.c line={site + 10}")
            elif style < .85:
                out.append(f"site {site} name=kind{site}")
        lines = self.lines
        if not self.equal_times and r.random() < .3:    # the workers in any order
            queues = [[x for x in lines if x[0] == w] for w in range(self.workers)]
            order = [w for w, _ in lines]
            order.sort() if r.random() < .5 else r.shuffle(order)
            lines = [queues[w].pop(0) for w in order]
        for _, texts in lines:
            out += texts
        return "\n".join(out) + "\n"

    # ---- what the program waits for -------------------------------------------------------

    def complete(self, task):
        if task.discarded:
            return True
        if task.empty:
            return all(map(self.complete, task.after))
        return task.ended and (task.handle is None or task.handle in self.signalled)

    def ready(self, task):
        return all(map(self.complete, task.after)) and all(
            not waits or name in self.signalled or holder and self.complete(holder)
            for name, holder, waits in task.on)

    def all_complete(self, wanted, loops):
        """All tasks that are `wanted`, and all members, begun or not, of forks that are in `loops`."""
        return all(self.complete(t) for t in self.tasks if wanted(t)) and \
            all(len(f.members) == f.total for f in self.forks if loops(f))

    def team_idle(self, team):
        return self.all_complete(lambda t: t.team is team and not (t.fork and t.fork.team),
                                 lambda f: not f.team and f.task.team is team)

    def suspend(self, worker, task, test):
        task.worker = worker
        task.can_go_on = test
        self.busy[worker] = False
        if not self.stacked:
            self.stack[worker].pop()
            self.suspended.append(task)

    def go_on(self, worker, task):
        # A task takes time to move, or nobody could tell its two strands' order.
        if hasattr(task.can_go_on, "released"):
            task.can_go_on.released()
        self.emit(worker, f"resume {task.ident}", later=worker != task.worker or task.name_later)
        if worker != task.worker:
            self.more(worker, "moved")
        if task.name_later:
            self.tell_name(worker, *task.name_later)
            task.name_later = None
        if not self.stacked:
            self.suspended.remove(task)
            self.stack[worker].append(task)
        task.can_go_on = None
        self.busy[worker] = True

    def run(self, worker, task):
        task.begun = True
        self.tasks.append(task) if task not in self.tasks else None
        self.stack[worker].append(task)
        self.busy[worker] = True
        if task.handle and self.r.random() < .6:
            self.tell_handle(worker, task)

    def tell_handle(self, worker, task):
        task.told = True
        self.more(worker, f"handle {task.handle:#x}")

    def tell_name(self, worker, name, child):
        self.more(worker, f"name {name:#x}")
        self.named[name], self.named_at[name] = child, self.now

    def discard(self, worker):
        """Any worker may do so at any time.  False if there is nothing to discard."""
        choice = [t for t in self.tasks if not t.begun and not t.empty and not t.discarded and
                  not t.fork and not t.root and t.here is None]
        if not choice:
            return False
        task = self.r.choice(choice)
        names = [n for n, t in self.named.items() if t is task and self.named_at[n] < self.now]
        self.emit(worker, f"discard-named {names[0]:#x}" if names and self.r.random() < .7 else
                  f"discard {task.ident}", later=True)
        task.discarded = True
        return True

    # ---- what a running task may do -------------------------------------------------------

    def clauses(self):
        chosen = self.r.sample(self.addresses, min(self.r.choice((1, 1, 2)), len(self.addresses)))
        return list(dict.fromkeys((m, None if m == "all" else a) for m, a in
                                  ((self.r.choice(self.modes), a) for a in chosen)))

    def tell_clauses(self, worker, clauses):
        for mode, address in clauses:
            self.more(worker, f"depend {mode}" + ("" if address is None else f" {address:#x}"))

    def create(self, worker, task):
        r = self.r
        child = Task(self.new_id(worker))
        child.parent, child.team, child.depth = task, task.team, task.depth + 1
        child.group = task.groups[-1] if task.groups else task.group
        flags = []
        final = r.random() < .06
        if r.random() < .08:
            flags.append("undeferred")
        if final:
            flags.append("final")
        if r.random() < .1:
            flags.append("untied")
        child.final = final or task.final
        child.undeferred = task.final or "undeferred" in flags
        waits = child.undeferred
        if not child.undeferred and r.random() < (.3 if self.taste == "events" else .05):
            flags.append("detached")
            child.handle = 0x9000 + 16 * len(self.tasks)
            self.handles.append(child.handle)
        with_clauses = r.random() < (.8 if self.taste in ("data", "events") else .15)
        if with_clauses and not child.undeferred and not child.handle and r.random() < .15:
            flags.append("empty")
            child.empty = True
        siblings = task.siblings
        if with_clauses and r.random() < self.global_share:
            flags.append("global")
            siblings = self.global_siblings
        child.frozen = not waits and r.random() < .01
        # Only names that nobody else speaks of at that time, or it isn't known who is meant.
        name = r.choice(NAMES) if not child.handle and \
            r.random() < (.7 if self.taste == "names" else .2) else None
        on = [] if waits or child.empty or child.handle or r.random() > (
            .3 if self.taste == "names" else .03) else r.sample(NAMES, r.choice((1, 1, 2)))
        self.emit(worker, " ".join([f"create {child.ident} site={self.site()}"] + flags),
                  later=name is not None or "global" in flags)
        if with_clauses:
            child.clauses = self.clauses()
            child.after = depends_on(siblings, child.clauses)
            siblings.append(child)
            self.tell_clauses(worker, child.clauses)
        for other in on:
            child.on.append((other, self.named.get(other), r.random() < .8))
            self.more(worker, f"depend on {other:#x}")
        if not waits and not child.handle and not child.empty and \
                r.random() < (.7 if self.taste == "bags" else .03):
            child.bag = r.choice(BAGS)
            child.parent = child.team = child.group = None
            self.more(worker, f"bag {child.bag:#x}")
        child.here = worker if waits else None
        self.tasks.append(child)
        child_first = not self.stacked and not child.empty and self.ready(child) and \
            r.random() < self.child_first
        if name and not (child_first and r.random() < .7):
            self.tell_name(worker, name, child)
            name = None
        task.name_later = (name, child) if name else None
        self.suspend(worker, task, (lambda: self.complete(child)) if waits else None)
        if child_first:
            self.begin(worker, child)

    def fork(self, worker, task):
        r = self.r
        team = r.random() < .6
        if team:
            room = 1 + sum(not s for s in self.stack) if self.stacked else 6
            fork = Fork(task, r.randint(1, min(6, room)), True, False)
            fork.barriers = r.choice((0, 1, 1, 2, 3) if self.taste == "teams" else (0, 0, 1, 1, 2))
        else:
            fork = Fork(task, r.randint(0, 4), False, not task.final and r.random() < .4)
        outer = task.groups[-1] if task.groups else task.group
        fork.group = None if team else outer if fork.nowait else Group(outer)
        fork.ident, fork.final = self.new_id(worker), task.final and not team
        self.forks.append(fork)
        words = [f"fork {fork.ident} site={self.site('team' if team else 'loop')}",
                 "team" if team else "loop"]
        if fork.nowait:
            words.append("nowait")
        elif not team and r.random() < .2:
            words.append("undeferred")
        elif not team and r.random() < .1:
            words.append("final")
            fork.final = True
        self.emit(worker, " ".join(words))

        def done():
            return len(fork.members) == fork.total and all(map(self.complete, fork.members)) and (
                self.team_idle(fork) if team else
                self.all_complete(lambda t: within(t.group, fork.group),
                                  lambda f: within(f.group, fork.group)))
        self.suspend(worker, task, None if fork.nowait else done)

    def wait_children(self, worker, task, word="children"):
        self.emit(worker, f"wait {word} site={self.site()}")
        self.suspend(worker, task, lambda: self.all_complete(
            lambda t: t.parent is task, lambda f: f.nowait and f.task is task))

    def wait_group(self, worker, task):
        if not task.groups:
            return self.wait_children(worker, task, "group")
        self.emit(worker, f"wait group site={self.site()}")
        group = task.groups.pop()
        self.suspend(worker, task, lambda: self.all_complete(
            lambda t: within(t.group, group), lambda f: within(f.group, group)))

    def barrier(self, worker, task):
        if task.fork is None or not task.fork.team:
            return self.wait_children(worker, task, "team")
        team = task.fork
        self.emit(worker, f"wait team site={self.site()}")
        if task.barriers == 0 or self.r.random() < .1:
            self.more(worker, "nowait")
            return self.suspend(worker, task, None)
        task.barriers -= 1
        episode = team.barriers - task.barriers
        team.arrived[episode] = team.arrived.get(episode, 0) + 1

        def test():
            return episode in team.released or \
                team.arrived[episode] == team.total and self.team_idle(team)
        test.released = lambda: team.released.add(episode)
        self.suspend(worker, task, test)

    def wait_depend(self, worker, task):
        clauses = self.clauses()
        among_all = self.r.random() < self.global_share
        self.emit(worker, f"wait depend site={self.site()}" + " global" * among_all)
        self.tell_clauses(worker, clauses)
        awaited = depends_on(self.global_siblings if among_all else task.siblings, clauses)
        self.suspend(worker, task, lambda: all(map(self.complete, awaited)))

    def wait_object(self, worker, task):
        obj = self.r.choice(OBJECTS)
        word = self.r.choice(("object", "object", "mutex", "rwlock", "cond", "sem", "thread", "address", "future", "futex"))
        outside = self.outside.get(word)
        self.emit(worker, f"wait {outside or word} site={self.site()}")
        if not outside:
            self.more(worker, f"object {obj:#x}")
        since, heeded = self.events, self.r.random() < .7 and not outside
        self.suspend(worker, task, lambda: not heeded or self.r.random() < .1 or
                     self.signalled.get(obj, 0) > since)

    def wait_for(self, worker, task, word, obj, test):
        """Or not: 'nowait'."""
        self.emit(worker, f"wait {word} site={self.site()}")
        self.more(worker, f"object {obj:#x}")
        if self.r.random() < .05:
            self.more(worker, "nowait")
            test = None
        self.suspend(worker, task, test)
        return test is not None

    def wait_named(self, worker, task):
        name, heeded = self.r.choice(NAMES), self.r.random() < .9
        then = self.named.get(name)
        self.wait_for(worker, task, self.r.choice(("named", "named", "word")), name, lambda: (
            name in self.signalled or then and self.complete(then) and not then.discarded or
            not heeded or self.r.random() < .05))

    def wait_bag(self, worker, task):
        bag, heeded = self.r.choice(BAGS), self.r.random() < .8
        self.wait_for(worker, task, "bag", bag, lambda: all(
            self.complete(t) or t.ending for t in self.tasks if t.bag == bag) or
            not heeded and self.r.random() < .3)

    def meet(self, worker, task):
        obj, n = self.r.choice(MEETINGS), self.r.choice((1, 2, 2, 3))
        mine = self.meeting.get(obj) or {"waiting": 0, "released": False}

        def test():
            return mine["released"] or mine["waiting"] >= n or self.r.random() < .03

        def released():
            mine["released"] = True
            if self.meeting.get(obj) is mine:
                del self.meeting[obj]
        test.released = released
        if self.wait_for(worker, task, self.r.choice(("barrier", "threads")), obj, test):
            self.meeting[obj] = mine
            mine["waiting"] += 1

    def yield_(self, worker, task):
        self.emit(worker, f"yield site={self.site()}")
        self.suspend(worker, task, None)

    def signal(self, worker, task):
        obj = self.r.choice(OBJECTS)
        if self.handles and self.r.random() < .8:
            obj = self.handles.pop(self.r.randrange(len(self.handles)))
        self.emit(worker, f"signal {obj:#x}")
        self.signalled[obj] = self.events
        self.suspend(worker, task, None)

    def end(self, worker, task):
        self.emit(worker, "end")
        task.ended = True
        self.stack[worker].pop()
        self.busy[worker] = False

    def open_group(self, worker, task):
        self.more(worker, "group")
        task.groups.append(Group(task.groups[-1] if task.groups else task.group))
        if self.r.random() < .8:
            self.create(worker, task)

    def act(self, worker, task):
        r = self.r
        if task.handle and not task.told and r.random() < .5:
            self.tell_handle(worker, task)
        if r.random() < .01:
            self.more(worker, "cancel 1")
        may_end = not task.groups and not task.barriers
        if task.bag and may_end and r.random() < .3:
            task.ending = True          # to the program it is over; its end is late
        if task.ending:
            return self.end(worker, task) if r.random() < .5 else None
        if r.random() < (.06 if self.taste in ("bags", "names") else .01) and self.discard(worker):
            return None
        locks = self.taste == "locks"
        choice = [(self.wait_children, 1), (self.barrier, 2 * task.barriers), (self.yield_, .3),
                  (self.wait_group, 4 * len(task.groups)), (self.wait_object, 1.5 if locks else .2),
                  (self.signal, (3 if locks else 1 if self.taste == "names" else .3) + len(self.handles)),
                  (self.wait_named, 3 if self.taste == "names" else .1),
                  (self.wait_bag, 2 if self.taste == "bags" else .1),
                  (self.meet, 2.5 if self.taste == "meetings" else .05)]
        if self.events < self.budget:
            if task.depth < 6:
                choice += [(self.create, 6), (self.open_group, .7), (self.fork, 3 if task.root else
                                              1.5 if self.taste == "teams" else .4)]
            choice += [(self.wait_depend, .7 if task.siblings else self.global_share if
                        self.global_siblings else 0), (self.wait_group, .1),
                       (self.barrier, .1 if task.team else .02)]
        if may_end:
            choice.append((self.end, .2 if task.root and self.events < self.budget else
                           3 if self.events < self.budget else 9))
        action = r.choices([a for a, _ in choice], [w for _, w in choice])[0]
        if action == self.end and task.handle and not task.told:
            self.tell_handle(worker, task)
        action(worker, task)

    # ---- what a worker may take up --------------------------------------------------------

    def may_take(self, worker, team):
        """In a stack, who waits in a team takes only tasks of that team."""
        stack = self.stack[worker]
        if not stack:
            return True
        top = stack[-1]
        forked = [f for f in self.forks if f.task is top]
        return team is top.team or bool(forked) and team is forked[-1]

    def begin(self, worker, task):
        names = [n for n, t in self.named.items() if t is task and self.named_at[n] < self.now]
        ident = task.ident
        if names and self.r.random() < .8:
            ident = self.new_id(worker)
            self.emit(worker, f"start {ident} named {self.r.choice(names):#x}", later=True)
        else:
            self.emit(worker, f"begin {ident}")
        if self.r.random() < .8:
            task.ident = ident
        self.run(worker, task)

    def member(self, worker, fork):
        task = Task(self.new_id(worker))
        task.fork, task.group, task.final = fork, fork.group, fork.final
        task.team = fork if fork.team else fork.task.team
        task.parent = fork.task if fork.nowait else None
        task.barriers, task.depth = fork.barriers, fork.task.depth + 1
        fork.members.append(task)
        fork.workers.add(worker)
        self.emit(worker, f"member {task.ident} of {fork.ident}")
        self.run(worker, task)

    def root(self, worker, _):
        task = Task(self.new_id(worker))
        task.root = True
        self.emit(worker, f"root {task.ident}")
        for _ in range(self.r.choice((0, 0, 1, 1, 2))):
            self.more(worker, f"follows {self.r.choice(OBJECTS):#x}")
        self.run(worker, task)

    def idle(self, worker):
        """One event of a worker that runs nothing; False if there is none."""
        stack, r, choice = self.stack[worker], self.r, []
        for task in stack[-1:] if self.stacked else self.suspended:
            if task.can_go_on is None or task.can_go_on():
                choice.append((self.go_on, task, 6))
                if task.can_go_on is None and stack and r.random() < .9:
                    self.go_on(worker, task)
                    return True
        for task in self.tasks:
            if not task.begun and not task.empty and not task.frozen and not task.discarded and \
                    self.ready(task) and (
                    not self.stacked or (task.here == worker and stack[-1] is task.parent
                                         if task.here is not None else
                                         self.may_take(worker, task.team))):
                choice.append((self.begin, task, 3))
        for fork in self.forks:
            if len(fork.members) < fork.total and (
                    not self.stacked or not stack or
                    (stack[-1] is fork.task and not fork.workers & {worker} if fork.team else
                     self.may_take(worker, fork.task.team))):
                choice.append((self.member, fork, 4))
        roots = sum(t.root for t in self.tasks)
        if not stack and (not roots or roots < 3 and self.events < self.budget and r.random() < .03):
            choice.append((self.root, None, 1))
        if not choice:
            return False
        action, what, _ = r.choices(choice, [c[2] for c in choice])[0]
        action(worker, what)
        return True

    def simulate(self):
        idle = 0
        while self.events < self.cut and idle < 30:     # idle: who waits for an object may give up
            idle += 1
            for worker in self.r.sample(range(self.workers), self.workers):
                if self.busy[worker]:
                    self.act(worker, self.stack[worker][-1])
                elif not self.idle(worker):
                    continue
                idle = 0
                break
        return self.text()


def generate(seed):
    return Program(seed).simulate()


if __name__ == "__main__":
    sys.stdout.write(generate(int(sys.argv[1])))
