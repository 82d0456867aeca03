#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""brute_gaps.py FILE... - brute.py for traces with gaps.

What is chosen where events are missing, besides brute.py's choices:

18. A gap ends what runs on its worker where it begins, and the task forgets what it waited for.
19. From the first gap of any worker on, an event may speak of a task that nobody saw: it is made then, of
    the kind of no site, and belongs to nobody.  0.1 is the main task, unless it begins.
20. A task that goes on on the worker that had a gap since its last strand there, or that a gap cut off,
    has no predecessor; but where recording was stopped it follows its own last strand.
21. Whoever begins, or goes on, though that task has begun, ended or runs, was another one: the task that
    a name stood for was made in a gap.  The kind goes to the one with the id.
22. A strand that has not ended releases nobody.
23. What a task that never ended has not joined itself nobody joins, nor what is in its open taskgroups; but
    a barrier what its team created.
24. Who leaves a barrier of its team after others left a later one leaves that one: waits were lost.
"""
import sys

from brute import Trace, as_json
from brute_tasks import Fork, Task

FOUND = 0   # the site of no site


class LossyTrace(Trace):
    def __init__(self, path):
        self.now = 0
        self.lossy_ns = None        # the first gap of any worker
        self.gap = {}               # worker -> [why, since] of the newest, until its next event
        self.cut = {}               # worker -> the strand that a gap cut off
        self.last_ns = {}           # worker -> of its last timed event
        self.late = [0]             # where strands were cut off
        self.guessed = set()        # tasks that began by a name, after the first gap
        super().__init__(path)
        if any(t.site == FOUND for t in self.tasks) and FOUND not in self.sites:
            self.sites[FOUND] = {"name": "(creation not recorded)"}

    def lossy(self):
        return self.lossy_ns is not None and self.now >= self.lossy_ns

    # ---- gaps ----

    def apply_untimed(self, worker, line, words):
        if words[0] == "lost":
            self.on_lost(worker, words[2] if len(words) > 2 else "ring", self.number(words[1]))
        elif words[0] == "since":
            self.on_since(worker, self.number(words[1]))
        elif words[0] not in ("until", "moved") and not (self.lossy() and self.of_lost(worker, words)):
            super().apply_untimed(worker, line, words)
            if words[0] == "group":
                task = self.current[worker].task
                task.groups[-1].owner = task

    def of_lost(self, worker, words):
        """Whether a loss names it."""
        strand, before = self.current.get(worker), self.stopped.get(worker)
        task = strand.task if strand else before
        if words[0] in ("tracer", "next-id", "cancel"):
            return False
        if words[0] in ("name", "bag"):
            return task is None or task.newest is None or words[0] == "bag" and bool(task.newest.strands)
        if words[0] == "handle":
            return strand is None or task.handle is not None
        if words[0] in ("group", "follows"):
            return strand is None
        return strand is not None or before is None or not before.pause or before.pause[0] == "lost"

    def on_lost(self, worker, why, n):
        strand = self.current.get(worker)
        if why != "stopped":
            self.lost += n
        self.gap[worker] = [why, 0]
        self.cut.pop(worker, None)
        if strand:
            strand.task.running = False
            strand.task.pause = ("lost", None)
            strand.lost = True
            self.cut[worker] = strand
        self.current[worker] = self.stopped[worker] = None
        self.over.discard(worker)
        self.on_since(worker, self.last_ns.get(worker, 0))

    def on_since(self, worker, ns):
        self.gap[worker][1] = ns
        self.lossy_ns = ns if self.lossy_ns is None else min(self.lossy_ns, ns)
        if worker in self.cut:
            self.cut[worker].end = ns
            self.late.append(ns)

    def before_event(self, worker):
        self.last_ns[worker] = self.now
        self.ended_gap = self.gap.pop(worker, None)

    def satisfied(self, task):
        if task.pause[0] in ("object", "named", "bag", "barrier") and task.pause[1] is None:
            return True     # nobody said what for
        return super().satisfied(task)

    def barrier(self, task):
        team, episode = task.pause[1:3]
        later = [e for e in team.barrier if e > episode]
        return team.barrier[max(later)] if self.lossy() and later else super().barrier(task)

    def awaited(self, task):
        found = super().awaited(task)
        if not self.lossy() or task.pause[0] not in ("group", "team", "fork"):
            return found
        return [t for t in found if t.fork is not None and t.fork is task.pause[1] or self.gives_up(task, t)]

    @staticmethod
    def gives_up(waiter, task):
        """Whether others than its creator, and who opened its taskgroups, may join the task."""
        group = task.group
        while group is not None and group is not waiter.pause[1]:
            owner = getattr(group, "owner", None)
            if owner and not owner.ended and owner is not waiter and owner.fork is not waiter.pause[1]:
                return False
            group = group.outer
        creator = task.fork.task if task.fork else task.creator and task.creator.task
        if creator is None:
            return True
        member = waiter.pause[0] == "team" and creator.fork is waiter.pause[1]
        return creator is waiter or member or creator.ended or not creator.strands

    # ---- what nobody saw ----

    def found(self, ident, main=False):
        task = Task(ident, None if main else FOUND)
        task.explicit = not main
        self.tasks.append(task)
        if ident:
            self.by_id[ident] = task
        return task

    def other(self, ident, task):
        """The task with that id is not the one that it was taken for."""
        new = self.found(ident)
        new.site, task.site = task.site, FOUND
        new.explicit, task.explicit = task.explicit, True
        return new

    def what(self, task):
        mine = [t for t in self.tasks if t.site == task.site and t.fork]
        return super().what(mine[0] if mine else task)

    def close_open(self):
        self.last = max([self.last] + self.late)
        super().close_open()

    @staticmethod
    def may_begin(task):
        return task is not None and not (task.strands or task.empty or task.discarded)

    def start(self, worker, task, preds):
        if self.lossy():
            preds = [(kind, s) for i, (kind, s) in enumerate(preds)
                     if s.end is not None and s.end <= self.now]
        super().start(worker, task, preds)
        self.strands[-1].lost = False

    def lasts(self, task):
        return [s for s in super().lasts(task) if not self.lossy() or s.end is not None and s.end <= self.now]

    def on_begin(self, worker, words):
        task = self.by_id.get(words[1])
        if isinstance(task, Fork):
            self.bad("begin of a group")
        if self.lossy():
            if task is None:
                task = self.found(words[1])
            elif not self.may_begin(task):
                task = self.other(words[1], task)
            return self.begin_lossy(worker, task)
        return super().on_begin(worker, words)

    def begin_lossy(self, worker, task):
        preds = [("create", task.creator)] if task.creator else []
        for other in task.after:
            if not other.discarded and self.complete(other):
                preds += [("depend", s) for s in self.lasts(other)]
        self.start(worker, task, preds + self.by_names(worker, task))
        self.strands[-1].own = task.creator is not None
        return None

    def on_start(self, worker, words):
        if not self.lossy():
            return super().on_start(worker, words)
        name = self.number(words[3])
        task = self.named.get(name)
        self.may_swap(name, self.now, worker)
        if not self.may_begin(task):
            task = self.found(None)
        self.begin_lossy(worker, task)
        self.by_id[self.next_id(worker, words[1])] = task
        self.guessed.add(task)
        return None

    def on_member(self, worker, words):
        if self.lossy() and words[3] not in self.by_id:
            task = self.found(self.next_id(worker, words[1]))
            return self.start(worker, task, [])
        return super().on_member(worker, words)

    def on_discard(self, worker, words):
        task = self.by_id.get(words[1])
        if not self.lossy() or self.may_begin(task):
            super().on_discard(worker, words)

    def on_discard_named(self, worker, words):
        task = self.named.get(self.number(words[1]))
        if not self.lossy() or task and not task.strands and not task.discarded:
            super().on_discard_named(worker, words)

    def on_resume(self, worker, words):
        task = self.by_id.get(words[1])
        if not self.lossy() or isinstance(task, Fork):
            return super().on_resume(worker, words)
        if task is None:
            task = self.found(words[1], main=words[1] == "0.1")
        elif task.ended or not task.strands and not self.may_begin(task) or \
                task.running and task in self.guessed:
            task = self.other(words[1], task)
        if not task.strands:
            return self.start(worker, task, [])
        if task.running:
            self.bad(f"resume of {words[1]}, which is running")
        last = task.strands[-1]
        if task.pause[0] != "lost" and not (self.ended_gap and last.worker == worker):
            if task.pause[0] in ("object", "named", "bag", "barrier") and task.pause[1] is None:
                task.pause = ("yield", None)    # nobody said what for
            return super().on_resume(worker, words)
        if task.pause[0] == "barrier" and task in self.meeting.get(task.pause[1], ()):
            self.meeting[task.pause[1]].remove(task)
        follows = self.ended_gap and self.ended_gap[0] == "stopped" and last.end <= self.now
        kind = "create_cont" if task.pause[0] in ("create", "fork") else "wait_cont"
        task.pause = None
        return self.start(worker, task, [(kind, last)] if follows else [])


def main(argv):
    for path in argv:
        print(as_json(LossyTrace(path).report()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
