# SPDX-License-Identifier: MIT
"""planted.py - text traces of one run by clocks that jump, drift, or do neither.

The run: worker 0 creates, 100 times, a task that worker 1 runs for 60 ms, and waits for it; 0.1 s a
turn, 10 s in all.  Every second task stands for a
collapsed one below it, too, which did half of its work.
"""
MS = 10 ** 6
SECOND = 1000 * MS
TURNS = 100
TURN_NS = 100 * MS
TASK_NS = 60 * MS
BEGIN_NS = 7 * SECOND


class Clock:
    """Units at a time: `rate` units a ns from each of its times on, and steps at others."""

    def __init__(self, rates, steps=()):
        self.rates, self.steps = sorted(rates), sorted(steps)

    def units(self, ns):
        units = 10 ** 13
        for i, (since, rate) in enumerate(self.rates):
            until = self.rates[i + 1][0] if i + 1 < len(self.rates) else ns
            units += max(0, min(ns, until) - since) * rate
        return int(units + sum(step for at, step in self.steps if at <= ns))


def trace(clock, every_ns=SECOND, looks=(), behind_ns=0, end_ns=TURNS * TURN_NS):
    """The lines; snapshots are every so often, and at `looks`; none if every_ns is 0.  Worker 1's clock is behind."""
    events = []

    def at(ns, text, *more):
        events.append((ns, len(events), text, more))

    at(0, "w0 root 0.1")
    for turn in range(TURNS):
        t, n = turn * TURN_NS, turn + 2
        at(t + 10 * MS, f"w0 create 0.{n} site=1")
        at(t + 11 * MS, "w0 resume 0.1")
        at(t + 15 * MS, "w0 wait children site=2")
        at(t + 20 * MS, f"w1 begin 0.{n}", turn % 2)
        at(t + 20 * MS + TASK_NS, "w1 end")
        at(t + 85 * MS, "w0 resume 0.1")
    at(end_ns, "w0 end")
    latest, lines = {}, []
    for ns, _, text, hides in sorted(events):
        worker = text.split()[0]
        late = behind_ns if worker == "w1" else 0
        latest[worker] = max(latest.get(worker, 0), clock.units(ns - late))  # as the encoder has it
        lines.append((latest[worker], f"{latest[worker]} {text}"))
        if hides and hides[0]:
            took = clock.units(ns - late + TASK_NS) - clock.units(ns - late)
            half = max(0, took) // 2
            lines += [(latest[worker], f"- {worker} collapsed {field} {value}")
                      for field, value in (("made", 1), ("own", half), ("work", 2 * half), ("span", 2 * half),
                                           ("path", 2 * half), ("chain", 1), ("tasks", 1), ("busy-0", 2 * half),
                                           ("idle-0", max(0, took) - 2 * half))]
    marks = sorted({*range(every_ns or end_ns, end_ns, every_ns or end_ns), *looks})
    pairs = [(clock.units(ns), BEGIN_NS + ns) for ns in marks]
    head = ["tptrace text 2", "clock tsc", f"sync {clock.units(0)} {BEGIN_NS}"]
    head += [f"sync {units} {ns} snapshot" for units, ns in pairs]
    head += [f"sync {clock.units(end_ns)} {BEGIN_NS + end_ns}", f"whole {max(latest.values())}"]
    head += ["runtime 0 name=libgomp version=x workers=2", "site 1 name=k", "site 2"]
    tallies = (f"tasks {TURNS // 2}", f"work {TURNS // 2 * TASK_NS // 2}", "min 1", "max 2", f"by-work 1 {TURNS // 2}")
    return "\n".join(head + [line for _, line in lines] + [f"- w0 tally site=1 {tally}" for tally in tallies]) + "\n"
