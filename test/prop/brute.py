#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""brute.py FILE... - the report of a text trace by brute force, one JSON object a line.

The second opinion on `tptrace report --json`: no sweep, no topological order.  Every elementary
interval between two time stamps is looked at alone, with a scan of all strands; shares are exact
fractions; the longest path is relaxed until nothing changes.  Slow, and easy to believe.

Where the contract leaves a choice, this is what was chosen:

 1. Equal times on different workers: what releases comes before what it releases (a create before
    the begin, the last child's end before the resume of the wait); else in the order of the file.
 2. Two predecessors end at the same latest time: the task's own previous (or its creating) strand
    releases; else the first in a fixed order, and "ties" says so: "release" (which one is a matter
    of taste), "edge" (even the kind of the edge is), "end" (several strands end last), "order" (a
    signal at the very time of the wait or the resume of its object, or two at once; a name that is
    given then; two who join at once what only one can), "work" (what that ends early).
 3. `wait team` by an explicit task, or outside any team, is `wait children`.
 4. A task with two different clauses on one address counts as an `out` there.
 5. An EMPTY task is complete when its predecessors are, and whoever joins it or depends on it gets
    edges from their last strands.  It counts as a task of its kind, and it never ran.
 6. A group wait joins every complete task below the group, whether its parent still lives or not.
 7. An undeferred child that is complete when its parent resumes is joined by that resume.
 8. Blame by worker goes to the worker of the strand that is blamed; for a ready strand, that is
    the worker on which it starts.
 9. Kinds are sites: two sites of one name are two kinds.  Only kinds that have tasks are listed.
10. A final task may be deferred; the tasks that it creates are undeferred and final.  The members
    of a loop that a final task forks are final, and so are those of a loop whose fork says `final`;
    implicit tasks are not.  A fork with nowait joins nothing, whatever else it says.
11. A task of a bag belongs to the bag alone: waits for children, groups and teams leave it out, and
    what it creates belongs to no group or team.
12. A wait by name is for who has the name when it begins; if that one does not end in time, for who
    has it when it ends.  "Signalled later" is later than that task's end.  A task can be joined by
    name, or by `wait depend`, more than once, but all others leave out what was joined before.
13. When a task that waits for a bag goes on, a running task of the bag is over, too, if its next
    event is its end, and nobody else waits for the bag or that end is less than 100 us away.
14. At a barrier of an object all meet who wait for it when the first of them goes on; who comes
    later meets others.
15. A discarded task is neither joined nor depended on, and nothing passes through it.  If tasks are
    discarded, they are the cancelled ones; else, if anything was cancelled, all that never began.
16. Two edges from one strand to another are one, and none leads from a task to itself but from its
    strand before.  An edge is explicit (and counted in "edges") if
    the task is that it makes (create, depend) or that it comes from (the others); but an arrival
    at a barrier does not count.
17. A root is of the runtimes whose tasks it creates, and of all if it creates none.
18. With tasks of several runtimes, P is the largest P of those, the CPUs if their workers together
    are more, or the most strands at one instant; a runtime's own breakdown is of the time from the
    first create or strand of its tasks to the last strand of one, or the last that one let go on.
19. The recorder held a worker up to the event that begins a strand after `tracer`, or from any
    other event on that follows it (from the timed one before, if that is untimed), but only while
    the worker ran nothing; what does not fit there is taken from its free time before, the latest
    first.  What is held while a strand runs, by an untimed event, is none.
"""
import json
import sys
from fractions import Fraction
from itertools import groupby
from urllib.parse import unquote

EDGES = ("create", "create_cont", "wait_cont", "join", "depend", "sync")
COLUMNS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
UNTIMED = {"depend", "moved", "object", "name", "bag", "group", "nowait", "handle", "cancel", "lost",
           "since", "until", "next-id", "tracer"}
BEGINS = ("root", "begin", "member", "start", "resume")
BETWEEN = ("tracer", "lost", "since", "until", "next-id")     # a hold and the event that waits
WORDS = {"end": 0, "moved": 0, "group": 0, "nowait": 0, "yield": 0, "member": 3, "start": 3}   # that follow; else 1
END_NEAR_NS = 100000
MAX_WORKERS = 65536


class Bad(Exception):
    """The trace contradicts itself or is no trace."""


class Node:
    """A strand, or (real=False) the zero-length node of a barrier."""
    def __init__(self, task, worker, start, real=True):
        self.task, self.worker, self.start, self.real = task, worker, start, real
        self.end = None
        self.preds = []         # (edge kind, Node); a strand's own or creating strand is the first
        self.meets = False      # it is where tasks of no team met
        self.own = False        # preds[0] is the own or the creating strand
        self.cause = None       # the releasing predecessor: (edge kind, Node)
        self.ready = None


class Group:
    """A taskgroup, explicit or that of a taskloop."""
    def __init__(self, outer):
        self.outer = outer


class Fork:
    """What `fork` names: a team, or the tasks of a loop."""
    def __init__(self, ident, site, task, strand, words):
        self.ident, self.site, self.task, self.strand = ident, site, task, strand
        self.team = "team" in words
        self.nowait = "nowait" in words
        self.final = not self.team and ("final" in words or task.final)
        self.members = []
        self.barrier = {}       # episode -> Node
        self.group = None


class Task:
    def __init__(self, ident, site):
        self.ident, self.site = ident, site
        self.parent = self.fork = self.team = self.group = self.creator = None
        self.final = self.undeferred = self.empty = self.discarded = self.is_global = False
        self.bag = self.newest = None   # newest: created last
        self.on = []            # (name, who had it): what it depends on by name
        self.created_ns = self.joined_at = None     # joined_at: (time, worker)
        self.strands = []
        self.running = self.ended = self.joined = False
        self.explicit = True
        self.handle = None
        self.groups = []        # taskgroups that it has open
        self.clauses = []       # (mode, address) of its create
        self.after = []         # tasks that it depends on
        self.siblings = []      # its children that have clauses, in order of creation
        self.pause = None       # why it does not run: a tuple, the event first
        self.arrivals = 0       # at barriers of its team


def within(group, outer):
    while group is not None and group is not outer:
        group = group.outer
    return group is outer


def mode_at(task, address):
    modes = {m for m, a in task.clauses if a == address or m == "all"}
    if not modes:
        return None
    return modes.pop() if len(modes) == 1 else "out"


def depends_on(siblings, clauses):
    """The tasks among `siblings` (in order of creation) that one with these clauses comes after."""
    found = []
    if ("all", None) in clauses:    # an out of each address, and of all others
        found += [s for s in siblings if ("all", None) in s.clauses][-1:]
        said = dict.fromkeys(a for s in siblings for _, a in s.clauses if a is not None)
        clauses = [("out", a) for a in said]
    for mode, address in clauses:
        past = [(mode_at(s, address), s) for s in siblings]
        past = [("out" if m in ("all", "mutex") else m, s) for m, s in past if m]
        runs = [(m, [s for _, s in run]) for m, run in groupby(past, key=lambda x: x[0])]
        if mode == "in":
            runs = [r for r in runs if r[0] != "in"][-1:]
            found += runs[0][1][-1:] if runs and runs[0][0] == "out" else runs[0][1] if runs else []
            continue
        if mode == "set" and runs and runs[-1][0] == "set":
            runs.pop()
        while runs:             # back to the last writer, and with it
            m, run = runs.pop()
            found += run[-1:] if m == "out" else run
            if m != "in":
                break
    return list(dict.fromkeys(found))


class Trace:
    def __init__(self, path):
        self.sites, self.runtimes = {}, {}
        self.tasks, self.strands, self.nodes = [], [], []
        self.by_id = {}         # id -> Task or Fork
        self.given = {}         # worker -> ids given out
        self.current = {}       # worker -> strand
        self.stopped = {}       # worker -> task whose strand ended last there
        self.signals = {}       # object -> [(time, strand)]
        self.named = {}         # name -> Task
        self.over = set()       # workers whose task was over before its END
        self.meeting = {}       # object -> the tasks that wait there
        self.said = {}          # name -> {(time, worker)} of its signals and of who is given it
        self.at_once = {}       # what must not be done by two at one time -> (time, worker)
        self.global_siblings = []
        self.cancelled = False
        self.ties = set()
        self.tracer_ns = self.lost = self.cpus = 0
        self.read(path)
        self.build()

    # ---- the text -------------------------------------------------------------------------

    def read(self, path):
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            lines = f.read().split("\n")
        self.events = {}        # worker -> [(time, line number, words, untimed lines)]
        self.early = []
        first = True
        for number, line in enumerate(lines, 1):
            words = line.split("#", 1)[0].split()
            if not words:
                continue
            self.line = number
            if first:
                if words != ["tptrace", "text", "1"]:
                    raise Bad(f"{number}: not a text trace: '{' '.join(words)}', not 'tptrace text 1'")
                first = False
            elif words[0] in ("clock", "sync", "meta", "module"):
                if words[:2] == ["meta", "cpus"]:
                    self.cpus = self.number(words[2])
                if words[0] == "clock" and words[1:] != ["ns"]:
                    raise Bad(f"{number}: '{' '.join(words)}': only 'clock ns' is understood here")
            elif words[0] == "runtime":
                values = dict(w.split("=", 1) for w in words[2:])
                self.runtimes[self.number(words[1])] = (values["name"], self.number(values["workers"]))
            elif words[0] == "site":
                values = (w.split("=", 1) for w in words[2:])
                self.sites[self.number(words[1])] = {k: unquote(v) for k, v in values}
            else:
                self.read_event(words)
        if first:
            raise Bad("1: not a text trace: it is empty")

    def number(self, word):
        try:
            value = int(word, 16 if word.lower().startswith("0x") else 10)
        except ValueError:
            raise Bad(f"{self.line}: '{word}' is not a number") from None
        if not 0 <= value < 1 << 64:
            raise Bad(f"{self.line}: {word} does not fit into 64 bits")
        return value

    def read_event(self, words):
        if len(words) < 3 or words[1][:1] != "w":
            raise Bad(f"{self.line}: '{' '.join(words)}' is not 'TIME wK EVENT'")
        worker = self.number(words[1][1:])
        if not 0 <= worker < MAX_WORKERS:
            raise Bad(f"{self.line}: worker number {worker} is too large")
        mine = self.events.setdefault(worker, [])
        if words[2] not in (UNTIMED if words[0] == "-" else EVENTS):
            raise Bad(f"{self.line}: unknown event '{words[2]}'")
        if len(words) - 3 < WORDS.get(words[2], 1):
            raise Bad(f"{self.line}: '{words[2]}' lacks something")
        if words[0] == "-":
            (mine[-1][3] if mine else self.early).append((worker, self.line, words[2:]))
            if words[2] == "name" and mine:
                self.said.setdefault(self.number(words[3]), set()).add((mine[-1][0], worker))
            return
        time = self.number(words[0])
        if mine and time < mine[-1][0]:
            raise Bad(f"{self.line}: time runs backwards on w{worker}: {time} after {mine[-1][0]}")
        mine.append((time, self.line, words[2:], []))
        if words[2] == "signal":
            self.said.setdefault(self.number(words[3]), set()).add((time, worker))

    # ---- from events to nodes ---------------------------------------------------------------

    def build(self):
        heads = {w: 0 for w, mine in self.events.items() if mine}
        times = [e[0] for mine in self.events.values() for e in mine]
        if not times:
            raise Bad("1: no events")
        self.first, self.last = min(times), max(times)
        self.heads = dict(heads)
        for extra in self.early:
            self.apply_untimed(*extra)
        while heads:
            time = min(self.events[w][i][0] for w, i in heads.items())
            ready = sorted((self.events[w][i][1], w) for w, i in heads.items()
                           if self.events[w][i][0] == time)
            worker = ready[0][1]
            if len(ready) > 1:
                can = {w: self.possible(w, heads[w]) for _, w in ready}
                worker = max(ready, key=lambda x: (can[x[1]], -x[0]))[1]
                if can[worker] < 2 and sum(c < 2 for c in can.values()) > 1:
                    self.ties.add("order")  # several give up at once, and one may free another
            self.now, self.line, words, extras = self.events[worker][heads[worker]]
            self.worker = worker
            self.before_event(worker)
            getattr(self, EVENTS[words[0]])(worker, words)
            for extra in extras:
                self.apply_untimed(*extra)
            heads[worker] = self.heads[worker] = heads[worker] + 1
            if heads[worker] == len(self.events[worker]):
                del heads[worker]
        self.close_open()

    def close_open(self):
        for worker, strand in self.current.items():
            if strand is not None:
                root = strand.task.site is None
                strand.end = self.events[worker][-1][0] if root else self.last

    def before_event(self, worker):
        """For brute_gaps.py."""

    def possible(self, worker, index):
        """2: this event can be next; 1: it can, but misses what it waits for; 0: a contradiction."""
        words = self.events[worker][index][2]
        if words[0] in ("begin", "resume", "start", "discard", "discard-named"):
            task = self.named.get(self.number(words[-1])) if words[0] in ("start", "discard-named") \
                else self.by_id.get(words[1])
            if not isinstance(task, Task) or task.running:
                return 0
            if words[0] in ("begin", "start"):
                after = [t for t in task.after if not t.discarded]
                return 0 if not all(map(self.complete, after)) else \
                    2 if all(then is None or self.complete(then) for _, then in task.on) else 1
            return 2 if words[0] != "resume" or task.pause and self.satisfied(task) else 1
        if words[0] == "member":
            return 2 if words[3] in self.by_id else 0
        return 2

    def bad(self, text):
        raise Bad(f"{self.line}: {text}")

    def next_id(self, worker, word):
        self.given[worker] = self.given.get(worker, 0) + 1
        want = f"{worker}.{self.given[worker]}"
        if word != want:
            self.bad(f"id {word} where {want} is the next")
        return want

    def complete(self, task):
        if task.empty:
            return all(t.discarded or self.complete(t) for t in task.after)
        return task.ended and (task.handle is None or task.handle in self.signals)

    def lasts(self, task):
        """The strands with which a complete task ended."""
        if task.empty:
            return [s for t in task.after if not t.discarded for s in self.lasts(t)]
        return [task.strands[-1]] + ([self.signals[task.handle][0][1]] if task.handle else [])

    def done_ns(self, task):
        """When a complete task's code was over."""
        if task.empty:
            return max([task.created_ns] + [self.done_ns(t) for t in task.after if not t.discarded])
        return task.strands[-1].end

    def by_name(self, task, name, then):
        """What let `task` go on that waits for a name which `then` had: a task, a strand, or None."""
        for holder in (then, self.named.get(name)):
            if holder and not holder.discarded and self.complete(holder):
                break
        else:
            holder = None
        signals = self.signals.get(name, [])
        if holder and not any(t > self.done_ns(holder) for t, _ in signals):
            return holder
        if len({s for t, s in signals if t == signals[-1][0]}) > 1:
            self.ties.add("order")
        return signals[-1][1] if signals and signals[-1][1].task is not task else None

    def may_swap(self, name, time, worker):
        """Others say something of the name at that very time."""
        if any(t == time and w != worker for t, w in self.said.get(name, ())):
            self.ties.add("order")

    def once(self, what, worker):
        if self.at_once.get(what, (None, worker)) == (self.now, worker):
            return
        time, other = self.at_once.get(what, (None, worker))
        if time == self.now and other != worker:
            self.ties |= {"order", "work"}
        self.at_once[what] = (self.now, worker)

    def awaited(self, task):
        """The tasks, complete or not, that the wait, fork or create of `task` is for."""
        kind, what = task.pause[0], task.pause[1]
        todo = [t for t in self.tasks if t is not task and not t.discarded and
                (not t.joined or t.joined_at[0] == self.now and t.joined_at[1] != self.worker)]
        if kind == "create":
            return [what] if what.undeferred and what in todo else []
        if kind == "fork":
            if what.nowait:
                return []
            if what.team:
                return [t for t in todo if t.fork is what or t.team is what]
            return [t for t in todo if within(t.group, what.group)]
        if kind == "children":
            return [t for t in todo if t.parent is task]
        if kind == "bag":
            return [t for t in todo if t.bag == what]
        if kind == "group":
            return [t for t in todo if within(t.group, what)]
        if kind == "team":
            return [t for t in todo if t.team is what and not (t.fork and t.fork.team)]
        if kind == "depend":
            return [t for t in depends_on(task.pause[3], task.pause[2]) if not t.discarded]
        return []

    def satisfied(self, task):
        kind = task.pause[0]
        if kind == "team":
            team, episode = task.pause[1:3]
            if episode in team.barrier:
                return True
            if any(m.arrivals < episode and not m.ended for m in team.members):
                return False
        if kind == "object":
            return bool(self.signals_during(task))
        if kind == "named":
            return all(t is None or t.discarded or self.complete(t)
                       for t in (task.pause[2], self.named.get(task.pause[1])))
        if kind == "barrier":
            return False
        return all(map(self.complete, self.awaited(task)))

    def signals_during(self, task):
        since = task.strands[-1].end
        return [(t, s) for t, s in self.signals.get(task.pause[1], [])
                if t >= since and s.task is not task]

    def start(self, worker, task, preds):
        if self.current.get(worker):
            self.bad(f"w{worker} already runs {self.current[worker].task.ident}")
        node = Node(task, worker, self.now)
        node.own = bool(preds)
        for kind, pred in preds:
            if pred not in [p for _, p in node.preds] and (pred.task is not task or not node.preds):
                node.preds.append((kind, pred))
        self.strands.append(node)
        self.nodes.append(node)
        task.strands.append(node)
        task.running = True
        self.current[worker] = node

    def stop(self, worker, what):
        node = self.current.get(worker)
        if node is None:
            self.bad(f"{what} on w{worker}, which runs no strand (nothing is running there)")
        node.end = self.now
        node.task.running = False
        self.current[worker] = None
        self.stopped[worker] = node.task
        return node

    def site(self, words):
        for word in words:
            if word.startswith("site="):
                return self.number(word[5:])
        return 0

    def add_task(self, task):
        self.tasks.append(task)
        self.by_id[task.ident] = task

    def on_root(self, worker, words):
        task = Task(self.next_id(worker, words[1]), None)
        task.explicit = False
        self.add_task(task)
        self.start(worker, task, [])

    def on_create(self, worker, words):
        strand = self.stop(worker, "create")
        parent = strand.task
        task = Task(self.next_id(worker, words[1]), self.site(words))
        task.creator, task.parent, task.team = strand, parent, parent.team
        task.created_ns, task.is_global, parent.newest = self.now, "global" in words, task
        task.group = parent.groups[-1] if parent.groups else parent.group
        task.final = "final" in words or parent.final
        task.undeferred = "undeferred" in words or parent.final
        task.empty = "empty" in words
        self.add_task(task)
        parent.pause = ("create", task)

    def on_begin(self, worker, words):
        task = self.by_id.get(words[1])
        if not isinstance(task, Task) or task.creator is None:
            self.bad(f"begin of {words[1]}, which was not created")
        self.begin(worker, task)

    def on_start(self, worker, words):
        name = self.number(words[3])
        task = self.named.get(name)
        if task is None:
            self.bad(f"start of {words[3]}, which no task is named")
        self.may_swap(name, self.now, worker)
        self.by_id[self.next_id(worker, words[1])] = task
        self.begin(worker, task)

    def begin(self, worker, task):
        if task.strands or task.empty or task.discarded:
            self.bad(f"{task.ident} begins twice, or cannot begin")
        preds = [("create", task.creator)]
        for other in task.after:
            if other.discarded:
                continue
            if not self.complete(other):
                self.bad(f"{task.ident} begins before {other.ident}, on which it depends, ended")
            preds += [("depend", s) for s in self.lasts(other)]
        for name, then in task.on:
            self.may_swap(name, self.now, worker)
            found = self.by_name(task, name, then)
            if found is not None:
                preds += [("depend", s) for s in
                          (self.lasts(found) if isinstance(found, Task) else [found])]
        self.start(worker, task, preds)

    def on_discard(self, worker, words):
        self.discard(self.by_id.get(words[1]))

    def on_discard_named(self, worker, words):
        self.may_swap(self.number(words[1]), self.now, worker)
        self.discard(self.named.get(self.number(words[1])))

    def discard(self, task):
        if not isinstance(task, Task) or task.strands or task.discarded:
            self.bad("discard of what was not created, has begun, or was discarded")
        task.discarded = True

    def on_fork(self, worker, words):
        strand = self.stop(worker, "fork")
        task = strand.task
        fork = Fork(self.next_id(worker, words[1]), self.site(words), task, strand, words)
        outer = task.groups[-1] if task.groups else task.group
        fork.group = None if fork.team else outer if fork.nowait else Group(outer)
        self.by_id[fork.ident] = fork
        task.pause = ("fork", fork)

    def on_member(self, worker, words):
        fork = self.by_id.get(words[3])
        if not isinstance(fork, Fork):
            self.bad(f"member of {words[3]}, which is no group")
        task = Task(self.next_id(worker, words[1]), fork.site)
        task.fork, task.group, task.final = fork, fork.group, fork.final
        task.explicit = not fork.team
        task.team = fork if fork.team else fork.task.team
        task.parent = fork.task if fork.nowait else None
        fork.members.append(task)
        self.add_task(task)
        self.start(worker, task, [("create", fork.strand)])

    def on_resume(self, worker, words):
        task = self.by_id.get(words[1])
        if not isinstance(task, Task):
            self.bad(f"resume of {words[1]}, which is no task")
        if task.running:
            self.bad(f"resume of {words[1]}, which is running")
        if task.ended or task.pause is None:
            self.bad(f"resume of {words[1]}, which does not wait")
        kind = task.pause[0]
        cont = "create_cont" if kind in ("create", "fork") else "wait_cont"
        preds = [(cont, task.strands[-1])]
        if kind == "team":
            preds.append(("join", self.barrier(task)))
        elif kind == "object":
            preds += self.released_by(task)
        elif kind == "named":
            preds += self.resume_named(worker, task)
        elif kind == "barrier":
            preds.append(("join", self.meet(task)))
        else:
            if kind == "fork" and any(e[0] == self.now and e[2][0] == "member" and e[2][3] == task.pause[1].ident
                                      for w, mine in self.events.items() for e in mine[self.heads.get(w, 0):]):
                self.ties.add("order")      # a member that could have run before
            if kind == "bag":
                self.once(("bag", task.pause[1]), worker)
                self.end_early(task)
            preds += self.join(self.awaited(task), again=kind == "depend")
        task.pause = None
        self.start(worker, task, preds)

    def resume_named(self, worker, task):
        _, name, then = task.pause
        self.may_swap(name, task.strands[-1].end, task.strands[-1].worker)
        self.may_swap(name, self.now, worker)
        if not self.satisfied(task) and any(e[0] == self.now for w, mine in self.events.items()
                                            for e in mine if w != worker):
            self.ties.add("order")      # it gave up
        found = self.by_name(task, name, then)
        if isinstance(found, Task):
            if found.joined and found.joined_at[0] == self.now and found.joined_at[1] != worker:
                self.ties.add("order")      # or who joined it otherwise need not have
            found.joined, found.joined_at = True, (self.now, worker)
            return [("join", s) for s in self.lasts(found)]
        return [("sync", found)] if found else []

    def end_early(self, task):
        bag = task.pause[1]
        alone = all(t is task or t.pause is None or t.pause[:2] != ("bag", bag) for t in self.tasks)
        for worker, strand in list(self.current.items()):
            events = self.events[worker][self.heads[worker]:]
            if worker != self.worker and (
                    strand and strand.task.bag == bag and strand.start == self.now or
                    events and events[0][0] == self.now and events[0][2][0] not in ("end", "wait")):
                self.ties |= {"order", "work"}
            if strand and strand.task.bag == bag and events and events[0][2][0] == "end" and \
                    (alone or events[0][0] - self.now < END_NEAR_NS):
                self.on_end(worker, ["end"])
                self.over.add(worker)

    def meet(self, task):
        """The node of those that wait at the object, made when the first goes on."""
        obj, node = task.pause[1:3]
        if node is None:
            node = Node(None, None, None, real=False)
            node.preds = [("join", t.strands[-1]) for t in self.meeting[obj]]
            node.start = node.end = max(s.end for _, s in node.preds)
            node.meets = True
            self.nodes.append(node)
            for t in self.meeting.pop(obj):
                t.pause = ("barrier", obj, node)
        return node

    def join(self, tasks, again=False):
        preds = []
        for task in tasks:
            if task.joined and not again:       # at this very time
                self.ties.add("order")
            elif self.complete(task):
                task.joined, task.joined_at = True, (self.now, self.worker)
                preds += [("join", s) for s in self.lasts(task)]
        return preds

    def barrier(self, task):
        team, episode = task.pause[1:3]
        if episode not in team.barrier:
            node = Node(None, None, None, real=False)
            waiting = [m for m in team.members if m.pause and m.pause[0] == "team" and
                       m.pause[2] == episode]
            node.preds = list({id(s): (k, s) for k, s in [("join", m.strands[-1]) for m in waiting] +
                               self.join(self.awaited(task))}.values())
            node.start = node.end = max(s.end for _, s in node.preds)
            team.barrier[episode] = node
            self.nodes.append(node)
        return team.barrier[episode]

    def released_by(self, task):
        during = self.signals_during(task)
        asked, obj = task.strands[-1].end, task.pause[1]
        late = [1 for mine in self.events.values() for e in mine
                if e[0] in (self.now, asked) and e[2][0] == "signal" and self.number(e[2][1]) == obj]
        if late or len({t for t, _ in during}) < len(during):
            self.ties.add("order")
        return [("sync", max(during, key=lambda x: x[0])[1])] if during else []

    def on_wait(self, worker, words):
        strand = self.stop(worker, "wait")
        task, kind = strand.task, words[1]
        if kind not in ("children", "group", "team", "depend", "object", "named", "bag", "barrier"):
            self.bad(f"wait for '{kind}'")
        task.pause = (kind, None)
        if kind == "group":
            task.pause = (kind, task.groups.pop()) if task.groups else ("children", None)
        elif kind == "team" and task.fork and task.fork.team:
            task.arrivals += 1
            task.pause = (kind, task.fork, task.arrivals)
        elif kind == "team":
            task.pause = ("children", None)
        elif kind == "depend":
            is_global = "global" in words
            task.pause = (kind, None, [], list(self.global_siblings if is_global else task.siblings))
            if is_global:
                self.once("global", worker)

    def on_yield(self, worker, words):
        self.stop(worker, "yield").task.pause = ("yield", None)

    def on_signal(self, worker, words):
        strand = self.stop(worker, "signal")
        self.signals.setdefault(self.number(words[1]), []).append((self.now, strand))
        strand.task.pause = ("signal", None)

    def on_end(self, worker, words):
        if worker in self.over:
            self.over.remove(worker)
            return
        self.stop(worker, "end").task.ended = True

    def apply_untimed(self, worker, line, words):
        self.line = line
        strand = self.current.get(worker)
        before = self.stopped.get(worker) if strand is None else None
        if words[0] == "tracer":
            self.tracer_ns += self.number(words[1])
        elif words[0] == "lost":
            self.lost += self.number(words[1])
        elif words[0] == "next-id":
            self.given[worker] = self.number(words[1])
        elif words[0] == "depend":
            clause = (words[1], None if words[1] == "all" else self.number(words[2]))
            pause = before.pause if before else None
            if pause and pause[0] == "create":
                child = pause[1]
                if words[1] == "on":
                    self.may_swap(clause[1], self.now, worker)
                    child.on.append((clause[1], self.named.get(clause[1])))
                    return
                if child.is_global:
                    self.once("global", worker)
                among = self.global_siblings if child.is_global else before.siblings
                child.clauses.append(clause)
                child.after = depends_on([s for s in among if s is not child], child.clauses)
                if child not in among:
                    among.append(child)
            elif pause and pause[0] == "depend":
                pause[2].append(clause)
            else:
                self.bad("depend follows neither a create nor a wait depend")
        elif words[0] == "object":
            kind = before.pause[0] if before and before.pause else None
            if kind not in ("object", "named", "bag", "barrier"):
                self.bad("object does not follow a wait for one")
            obj = self.number(words[1])
            before.pause = (kind, obj, self.named.get(obj) if kind == "named" else None)
            if kind == "barrier":
                self.meeting.setdefault(obj, []).append(before)
        elif words[0] == "nowait":
            if not before or not before.pause:
                self.bad("nowait does not follow a wait")
            if before.pause[0] == "team":
                before.arrivals -= 1
            if before.pause[0] == "barrier":
                self.meeting[before.pause[1]].remove(before)
            before.pause = ("nowait", None)
        elif words[0] in ("name", "bag"):
            child = (strand.task if strand else before).newest
            if words[0] == "name":
                self.named[self.number(words[1])] = child
            else:
                child.bag = self.number(words[1])
                child.parent = child.team = child.group = None
        elif words[0] == "cancel":
            self.cancelled = True
        elif strand is None:
            self.bad(f"{words[0]} on w{worker}, which runs no strand")
        elif words[0] == "group":
            task = strand.task
            task.groups.append(Group(task.groups[-1] if task.groups else task.group))
        elif words[0] == "handle":
            strand.task.handle = self.number(words[1])

    # ---- the figures ------------------------------------------------------------------------

    def release(self):
        """Every node's releasing predecessor and ready time."""
        for node in self.nodes:
            if not node.preds:
                node.ready = node.start
                continue
            node.ready = max(s.end for _, s in node.preds)
            latest = [p for p in node.preds if p[1].end == node.ready]
            node.cause = latest[0]
            if not (node.own and latest[0] is node.preds[0]):
                if len({id(s) for _, s in latest}) > 1:
                    self.ties.add("release")
                if len({k for k, _ in latest}) > 1:
                    self.ties.add("edge")
            if not node.real:
                node.worker = node.cause[1].worker

    def path(self, strands):
        """The ready path to the last of them, from its first node to its last."""
        last = [s for s in strands if s.end == max(x.end for x in strands)]
        if len(last) > 1:
            self.ties.add("end")
        node, path = last[-1], []
        while node is not None:
            path.append(node)
            node = node.cause[1] if node.cause else None
        return path[::-1]

    def longest(self, weights):
        """The largest sum of the nodes' weights along any path."""
        index = {id(n): i for i, n in enumerate(self.nodes)}
        preds = [[index[id(p)] for _, p in n.preds] for n in self.nodes]
        best = list(weights)
        moved = True
        while moved:            # Bellman-Ford
            moved = False
            for i, mine in enumerate(preds):
                for pred in mine:
                    far = best[pred] + weights[i]
                    if far > best[i]:
                        best[i], moved = far, True
        return max(best)

    def edges(self):
        found = dict.fromkeys(EDGES, 0)
        for node in self.nodes:
            for kind, pred in node.preds:
                end = node if kind in ("create", "depend") else pred
                found[kind] += end.real and end.task.explicit and not node.meets
        return found

    # ---- runtimes -----------------------------------------------------------------------------

    def runtime(self, task):
        return self.number(self.sites.get(task.site, {}).get("runtime", "0"))

    def runtimes_of(self, task):
        if task.site is not None:
            return {self.runtime(task)}
        made = {self.runtime(t) for t in self.tasks if
                (t.fork.task if t.fork else t.creator and t.creator.task) is task}
        return made or set(self.runtimes)

    def find_runtimes(self):
        """Strands and P by runtime, and P of the process."""
        of = {t: self.runtimes_of(t) for t in self.tasks}
        mine = {r: [s for s in self.strands if r in of[s.task]] for r in self.runtimes}
        seen = {r: len({s.worker for s in mine[r]}) for r in mine}
        workers = {r: max(n, seen[r]) for r, (_, n) in self.runtimes.items()}
        used = [r for r in mine if any(t.site is not None and self.runtime(t) == r for t in self.tasks)]
        together = len({s.worker for s in self.strands}) + sum(
            workers[r] - seen[r] for r in used or mine)
        self.several = len(used) > 1
        if not self.several:
            return mine, workers, together
        at_once = max(sum(s.start <= t < s.end for s in self.strands)
                      for t in {s.start for s in self.strands})
        return mine, workers, max([workers[r] for r in used] + [at_once] +
                                  ([self.cpus] if self.cpus and together > self.cpus else []))

    def activity(self, number):
        """When a runtime's tasks were made, ran, and were waited for."""
        def is_of(node):
            return node.real and node.task.site is not None and self.runtime(node.task) == number
        times = []
        for s in self.strands:
            if is_of(s):
                created = s is s.task.strands[0] and s.preds
                times += [s.preds[0][1].end if created else s.start, s.end]
            elif any(is_of(p) for _, p in s.preds):
                times.append(s.start)
        return (min(times), max(times)) if times and self.several else (self.first, self.last)

    # ---- the recorder -------------------------------------------------------------------------

    def holds(self):
        """(worker, from, to, site of the task that had to wait)."""
        return [(worker, *hold) for worker in self.events for hold in self.holds_of(worker)]

    def holds_of(self, worker):
        mine = [s for s in self.strands if s.worker == worker]
        pieces = list(zip([self.first] + [s.end for s in mine], [s.start for s in mine] + [self.last]))
        taken, passed, began, last, open_ = [], {}, 0, None, False

        def free(lo, hi):
            parts = []
            for begin, end, _ in sorted(taken, key=lambda t: t[:2]):
                if lo < end and begin < hi:
                    parts += [(lo, begin)] if lo < begin else []
                    lo = end
            return parts + [(lo, hi)] * (lo < hi)

        def backward(length, site, before):
            for lo, hi in pieces[::-1]:
                for begin, end in free(lo, min(hi, before))[::-1]:
                    begin = max(begin, end - length)
                    length -= end - begin
                    taken.extend([(begin, end, site)] * (begin < end))

        def forward(length, at):
            lo, hi = pieces[began]
            site = mine[began - 1].task.site if began else None
            begin = min(max(at, lo, passed.get(began, lo)), hi)
            end = passed[began] = min(begin + length, hi)
            taken.extend([(begin, end, site)] * (begin < end))
            backward(length - (end - begin), site, begin)

        stream = [(None, x[2]) for x in self.early if x[0] == worker]
        for time, _, words, extras in self.events[worker]:
            stream += [(time, words)] + [(None, x[2]) for x in extras]
        pending = 0
        for time, words in stream + [(None, ["the end"])]:
            if words[0] == "tracer":
                pending += self.number(words[1])
            elif words[0] not in BETWEEN and pending:
                if words[0] in BEGINS:
                    backward(pending, mine[began].task.site, time)
                elif time is not None or last is not None and not open_:
                    forward(pending, last if time is None else time)
                pending = 0
            if time is not None:
                last, began = time, began + (words[0] in BEGINS)
                open_ = words[0] in BEGINS or open_ and words[0].startswith("discard")
        return taken

    def kind(self, strand):
        return strand.task.site

    def what(self, task):
        if task.fork:
            return "implicit" if task.fork.team else "loop"
        return "root" if task.site is None else "task"

    def kind_name(self, site):
        if site is None:
            return "main", None, 0
        about = self.sites.get(site, {})
        return about.get("name", f"site {site}"), about.get("file"), int(about.get("line", 0))

    def intervals(self, strands, path, workers, window=None):
        """(ns, running, ready, q, held, the path's strand, whether it runs, is delayed, or neither)."""
        first, last = window or (self.first, self.last)
        whose = {s.worker for s in strands}
        holds = [h for h in self.held if h[0] in whose]
        stamps = sorted({t for s in strands + path for t in (s.ready, s.start, s.end) if first < t < last} |
                        {t for h in holds for t in h[1:3] if first < t < last} | {first, last})
        for t, after in zip(stamps, stamps[1:]):
            running = [s for s in strands if s.start <= t < s.end]
            ready = [s for s in strands if s.ready <= t < s.start]
            held = sum(begin <= t < end for _, begin, end, _ in holds)
            runs = [s for s in path if s.start <= t < s.end]
            late = [s for s in path if s.ready <= t < s.start]
            state = "runs" if runs else "late" if late else None
            at = (runs + late + [path[0] if t < path[0].start else path[-1]])[0]
            q = workers - len(running)
            yield after - t, running, ready, q, min(held, q), at, state

    def states(self):
        return {"running": {"work_ns": 0}, "other": dict.fromkeys(COLUMNS[1:], 0),
                "tracer": dict.fromkeys(COLUMNS[1:], 0)}

    def add_states(self, states, ns, running, ready, q, held, state):
        """A free worker that is not held is delayed first; the rest has no work."""
        no_work = "no_work_sched_ns" if state == "late" else "no_work_app_ns"
        states["running"]["work_ns"] += ns * len(running)
        delayed = min(q - held, len(ready))
        states["other"]["delay_ns"] += ns * delayed
        states["other"][no_work] += ns * (q - held - delayed)
        delayed = min(held, len(ready) - delayed)
        states["tracer"]["delay_ns"] += ns * delayed
        states["tracer"][no_work] += ns * (held - delayed)

    def steals(self, strands):
        return sum(s.cause is not None and s.cause[1].worker != s.worker for s in strands)

    def of_runtime(self, number, strands, workers):
        """The breakdown with nothing but these strands."""
        row = {"name": self.runtimes[number][0],
               "tasks": sum(t.site is not None and self.runtime(t) == number for t in self.tasks)}
        if not row["tasks"]:
            return row
        first, last = self.activity(number)
        row |= {"workers": workers, "steals": self.steals(strands), **dict.fromkeys(COLUMNS, 0),
                "from_ns": (first - self.first) * (first < last), "elapsed_ns": last - first,
                "states": self.states()}
        if not strands:
            row["no_work_app_ns"] = row["states"]["other"]["no_work_app_ns"] = (last - first) * workers
            return row
        for ns, running, ready, q, held, _, state in self.intervals(
                strands, self.path(strands), workers, (first, last)):
            self.add_states(row["states"], ns, running, ready, q, held, state)
            row["work_ns"] += ns * len(running)
            row["delay_ns"] += ns * min(q, len(ready))
            row["no_work_sched_ns" if state == "late" else "no_work_app_ns"] += \
                ns * max(0, q - len(ready))
        return row

    def report(self):
        """All figures, exact: shares of delay are Fractions."""
        self.release()
        self.held = self.holds()
        path = self.path(self.strands)
        strands_of, workers_of, workers = self.find_runtimes()
        total = dict.fromkeys(COLUMNS, 0)
        by_kind, by_worker, by_edge = {}, {}, dict.fromkeys(EDGES, Fraction(0))
        states, held_by_kind = self.states(), {}
        on_path = {"work_ns": 0, "scheduler_delay_ns": 0, "busy_delay_ns": 0}
        for task in self.tasks:
            by_kind.setdefault(task.site, dict.fromkeys(COLUMNS, 0))
        for strand in self.strands:
            by_worker.setdefault(strand.worker, dict.fromkeys(COLUMNS, 0))

        def charge(column, strand, ns):
            by_kind[self.kind(strand)][column] += ns
            by_worker[strand.worker][column] += ns

        for _, begin, end, site in self.held:
            held_by_kind[site] = held_by_kind.get(site, 0) + end - begin
        for ns, running, ready, q, held, at, state in self.intervals(
                self.strands, [s for s in path if s.real], workers):
            self.add_states(states, ns, running, ready, q, held, state)
            delay, idle = min(q, len(ready)) * ns, max(0, q - len(ready)) * ns
            for s in running:
                charge("work_ns", s, ns)
            share = ns if q >= len(ready) else Fraction(delay, len(ready))
            for s in ready if share else ():
                charge("delay_ns", s, share)
                by_edge[s.cause[0]] += share
            if state == "runs":
                on_path["work_ns"] += ns
            elif state == "late":
                on_path["scheduler_delay_ns" if q > 0 else "busy_delay_ns"] += ns
            if idle:
                column = "no_work_sched_ns" if state == "late" else "no_work_app_ns"
                charge(column, at, idle)
                total[column] += idle
            total["work_ns"] += len(running) * ns
            total["delay_ns"] += delay
        span = self.longest([n.end - n.start for n in self.nodes])
        begun = sum(bool(t.strands) for t in self.tasks)
        gone = sum(t.discarded for t in self.tasks)
        never = sum(not (t.strands or t.discarded or t.empty) for t in self.tasks)
        if not gone and self.cancelled:
            gone, never = len(self.tasks) - begun, 0
        result = {"workers": workers, "elapsed_ns": self.last - self.first,
                  "cumulative_ns": (self.last - self.first) * workers, **total,
                  "tasks": len(self.tasks), "strands": len(self.strands),
                  "steals": self.steals(self.strands), "tasks_begun": begun,
                  "tasks_ended": sum(t.ended for t in self.tasks), "tasks_cancelled": gone,
                  "tasks_never_begun": never,
                  "edges": self.edges(), "span_tasks": self.longest(
                      [int(n.real and n.task.explicit and n.task.strands[0] is n)
                       for n in self.nodes]),
                  "runtimes": [self.of_runtime(r, strands_of[r], workers_of[r])
                               for r in sorted(self.runtimes)],
                  "events_lost": self.lost, "tracer_ns": self.tracer_ns, "span_ns": span,
                  "parallelism": total["work_ns"] / span if span else 0,
                  "ready_path": on_path, "delay_by_edge": by_edge, "states": states, "kinds": [],
                  "workers_profile": [{"worker": w, **by_worker[w]} for w in sorted(by_worker)]}
        held_ns = sum(held_by_kind.values())    # more than P may be held, where more were seen
        of_held = Fraction(sum(states["tracer"].values()), held_ns) if held_ns else 0
        for site, columns in by_kind.items():
            mine = [t for t in self.tasks if t.site == site]
            work = sorted(sum(s.end - s.start for s in t.strands) for t in mine if t.strands) or [0]
            name, file, line = self.kind_name(site)
            result["kinds"].append({"name": name, "file": file, "line": line, "tasks": len(mine),
                                    "what": self.what(mine[0]),
                                    **columns,
                                    "tracer_ns": of_held * held_by_kind.get(site, 0),
                                    "min_ns": work[0],
                                    "median_ns": work[(len(work) - 1) // 2], "max_ns": work[-1]})
        result["ties"] = sorted(self.ties)
        return result


EVENTS = {name[3:].replace("_", "-"): name for name in dir(Trace) if name.startswith("on_")}


def rounded(shares, total):
    """The shares as integers with the same sum: those with the largest remainders get one more."""
    whole = [int(s) for s in shares]
    order = sorted(range(len(shares)), key=lambda i: whole[i] - shares[i])
    for i in order[:total - sum(whole)]:
        whole[i] += 1
    return whole


def as_json(report):
    edges = report["delay_by_edge"]
    edges.update(zip(edges, rounded(list(edges.values()), report["delay_ns"])))
    for row, ns in zip(report["kinds"], rounded([k["tracer_ns"] for k in report["kinds"]],
                                                sum(report["states"]["tracer"].values()))):
        row["tracer_ns"] = ns
    for rows in (report["kinds"], report["workers_profile"]):
        for row, ns in zip(rows, rounded([r["delay_ns"] for r in rows], report["delay_ns"])):
            row["delay_ns"] = ns
    return json.dumps(report)


def main(argv):
    if argv[:1] == ["report"]:  # to stand in for tptrace
        argv = [a for a in argv[1:] if a != "--json"]
    status = 0
    for path in argv:
        try:
            print(as_json(Trace(path).report()))
        except (Bad, OSError) as e:
            print(f"{path}:{e}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
