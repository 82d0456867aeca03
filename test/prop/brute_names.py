# SPDX-License-Identifier: MIT
"""brute_names.py - who lets go on whoever waits for a name or a counter: of brute.py's Trace.

A counter's signals all count: those since a task came to depend on it, or since all that waited for it went on.
"""
from brute_tasks import Task


class Names:
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

    def by_names(self, worker, task):
        """Of a counter, all signals since the task came to depend on it."""
        preds = []
        for name, then, n_before in task.on:
            self.may_swap(name, self.now, worker)
            found = self.by_name(task, name, then)
            if isinstance(found, Task):
                preds += [("depend", s) for s in self.lasts(found)]
            elif found:
                preds += [("depend", s) for _, s in self.signals[name][n_before:-1] if s.task is not task]
                preds.append(("depend", found))
        return preds

    def may_swap(self, name, time, worker):
        """Others say something of the name at that very time."""
        if any(t == time and w != worker for t, w in self.said.get(name, ())):
            self.ties.add("order")

    def counted(self, task):
        """The signals of a bag since all that waited for it went on; the last, if there are none."""
        name = task.pause[1]
        signals = self.signals.get(name, [])
        since = min(self.counted_before.get(name, 0), max(0, len(signals) - 1))
        if not any(t is not task and t.pause and t.pause[:2] == ("bag", name) for t in self.tasks):
            self.counted_before[name] = len(signals)
        return [("sync", s) for _, s in signals[since:] if s.task is not task]

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
        if found:
            task.strands[-1].object = name
        return [("sync", found)] if found else []
