# SPDX-License-Identifier: MIT
"""brute_signals.py - what follows a signal of an object: waits for it, and roots of threads."""
from brute_names import Names


class Signals(Names):
    def signals_during(self, task):
        past = self.signals.get(task.pause[1], [])
        if task.strands[-1].wait == "thread":       # it ends once, also before it is waited for
            return [(t, s) for t, s in past[-1:] if s.task is not task]
        return [(t, s) for t, s in past if t >= task.strands[-1].end and s.task is not task]

    def released_by(self, task):
        during = self.signals_during(task)
        asked, obj = task.strands[-1].end, task.pause[1]
        if self.signalled_now(obj, (self.now, asked)) or len({t for t, _ in during}) < len(during):
            self.ties.add("order")
        return [("sync", max(during, key=lambda x: x[0])[1])] if during else []

    def follows(self, root, obj):
        """The root begins after the last signal of the object; what its thread did since is not recorded."""
        if root is None or root.task.site is not None or root.start != self.now or len(root.task.strands) > 1:
            self.bad("follows does not follow a root")
        past = self.signals.get(obj, [])
        if self.signalled_now(obj, (self.now,)) or sum(t == past[-1][0] for t, _ in past) > 1:
            self.ties.add("order")
        if past and past[-1][1] not in [p for _, p in root.preds]:
            root.preds.append(("sync", past[-1][1]))

    def signalled_now(self, obj, times):
        return any(e[0] in times and e[2][0] == "signal" and self.number(e[2][1]) == obj
                   for mine in self.events.values() for e in mine)
