# SPDX-License-Identifier: MIT
"""brute_states.py - what each worker is in at an instant, looked up in the strands around it: brute.py's choices.

20. From the end of a strand to the start of the next on its worker, the worker is blocked if the
    task waits for a lock and runs next there; in the runtime if it went on at once after a create, yield or
    signal, or if the lock was free, or it came last to a barrier; else idle, but in the runtime once
    the next strand is ready, if that is the worker's own: its task stopped there, or what released it ran there.
21. A task that went on elsewhere before the worker's next strand starts is not on it any more.
22. Ready strands are charged to idle workers, then to those in the runtime, then to blocked ones,
    last to those that the recorder held; where more were seen than P, the held ones count first,
    then the blocked ones, then those in the runtime, and all of a state share what counts of it.
23. Who waits for a message or a device counts between those in the runtime and blocked ones, and is ready only
    when it goes on.
"""
from fractions import Fraction

from brute_events import Events

OUTSIDE = ("message", "device")
BLOCKING = ("object", "mutex", "rwlock", "cond", "sem", "thread", "threads", "address", "future", "word", "futex", *OUTSIDE)
STATES = ("running", "runtime", "blocked", "idle", "tracer", *OUTSIDE)
CHARGED = ("idle", "runtime", *OUTSIDE, "blocked", "tracer")
CALLS = ("create", "fork", "wait", "lock", "yield", "signal", "begin")
FREE = ("delay_ns", "no_work_sched_ns", "no_work_app_ns")


class States(Events):
    def lay_out(self):
        """Each worker's strands in order, and each strand's number."""
        self.on = {}
        self.order = {}
        for strand in self.strands:
            self.on.setdefault(strand.worker, []).append(strand)
            self.order[strand] = len(self.order)

    def call(self, strand):
        if strand.by in ("wait", ("nowait", None)):
            return "lock" if strand.wait in BLOCKING else "wait"
        return strand.by if strand.by in CALLS else "begin"

    def in_pause(self, before, after, now):
        """(state, call, whose) of the worker that ran `before` and will run `after`, or None, next."""
        mine, task = before.task.strands, before.task
        further = mine[mine.index(before) + 1:]
        gone = bool(further) and further[0] is not after and (
            after is None or self.order[further[0]] < self.order[after])
        if after is not None and further and further[0] is not after and further[0].start == after.start:
            self.ties.add("release")    # which of the two starts first is a matter of taste
        lock = before.by == "wait" and before.wait in BLOCKING
        blocked = before.wait if before.wait in OUTSIDE else "blocked"
        at_once = before.by in ("create", "yield", "signal")
        if after is None:
            if lock and not gone:
                return blocked, None, task
            return ("runtime", before.by, task) if at_once and not gone else ("idle", None, None)
        if after.cause is None:
            return "idle", None, None
        back = after.task is task
        if lock and not gone and back:
            if after.cause[1] is before and before.wait in ("object", "word", "threads"):
                return "runtime", "lock", task
            return blocked, None, task
        if at_once and not gone and not (back and after.ready > before.end):
            return "runtime", before.by, task
        earlier = after.task.strands[after.task.strands.index(after) - 1] if after is not after.task.strands[0] \
            else None
        own = before.worker in (after.cause[1].worker, earlier and earlier.worker)
        if not own or now < after.ready:
            return "idle", None, None
        if earlier is not None:
            return "runtime", "begin" if earlier is before and gone else self.call(earlier), after.task
        if gone or self.call(before) == "begin":
            return "runtime", "begin", after.task
        return "runtime", self.call(before), task

    def worker_state(self, worker, now, scope):
        """(state, call, whose) to those whose strands are in `scope`."""
        mine = self.on[worker]
        running = [s for s in mine if s.start <= now < s.end]
        if running:
            return ("running" if running[0] in scope else "idle"), None, None
        if any(w == worker and begin <= now < end for w, begin, end, _ in self.held):
            return "tracer", None, None
        past = [s for s in mine if s.end <= now]
        if not past or past[-1] not in scope:
            return "idle", None, None
        rest = mine[len(past):]
        return self.in_pause(past[-1], rest[0] if rest else None, now)

    def split(self, now, scope, workers, q):
        """What the free workers are in: state -> how many count; and [(state, call, whose)] of those in calls."""
        seen = {s.worker for s in scope} - self.beside
        found = [self.worker_state(w, now, scope) for w in seen]
        counts, left = {}, q
        for state in reversed(CHARGED[1:]):
            counts[state] = min(left, sum(f[0] == state for f in found))
            left -= counts[state]
        counts["idle"] = left
        return counts, [f for f in found if f[0] in ("blocked", "runtime", *OUTSIDE)]

    def empty_states(self):
        return {s: {"work_ns": 0} if s == "running" else dict.fromkeys(FREE, 0) for s in STATES}

    def add_states(self, row, interval):
        """Charges an interval's time to the states, calls and tasks of `row`."""
        ns, running, ready, q, now, at, state, scope, workers = interval
        no_work = FREE[1] if state == "late" else FREE[2]
        counts, inside = self.split(now, scope, workers, q)
        row["states"]["running"]["work_ns"] += int(ns * sum(map(self.part_of, running)))
        left = len(ready)
        for name in CHARGED:
            delayed = min(counts[name], left)
            left -= delayed
            row["states"][name]["delay_ns"] += ns * delayed
            row["states"][name][no_work] += ns * (counts[name] - delayed)
            if "calls" not in row:
                continue
            if name == "idle":
                row["starved"][at.task.site] = row["starved"].get(at.task.site, 0) + ns * (counts[name] - delayed)
                for s in ready if delayed else ():
                    row["starved"][s.task.site] = row["starved"].get(s.task.site, 0) + Fraction(ns * delayed, len(ready))
            those = [f for f in inside if f[0] == name]
            for _, call, task in those:
                row[name][task.site] = row[name].get(task.site, 0) + Fraction(ns * counts[name], len(those))
                if call and name == "runtime":
                    row["calls"][call]["delay_ns"] += Fraction(ns * delayed, len(those))
                    row["calls"][call][no_work] += Fraction(ns * (counts[name] - delayed), len(those))
