# SPDX-License-Identifier: MIT
"""lossy.py - takes events out of text traces, as the recorder loses them, and keeps what is known then.

A worker's gap ends with an event that can stand first: one that begins a strand, or one that ends the
strand of a task that is known, which RESUME then names.  Every kind of loss ends and begins anywhere:

    random_spans    a full ring, recording that was stopped, older events that were thrown away at
                    the head, a file that had its size at the tail; for each worker by itself
    window_spans    all workers lose what is between two instants
"""

BEGINS = {"root", "begin", "member", "start", "resume"}
ENDS = {"create", "fork", "wait", "yield", "signal", "end"}
MAKES = {"root", "member", "start", "create", "fork"}


class Event:
    def __init__(self, line):
        words = line.split("#")[0].split()
        self.line, self.kind = line, words[2]
        self.time = None if words[0] == "-" else int(words[0])
        self.id = words[3] if self.kind in BEGINS else None


def parse(text):
    """The lines before the events, and the events of each worker."""
    head, workers = [], {}
    for line in text.splitlines():
        words = line.split()
        if words and (words[0] == "-" or words[0].isdigit()):
            workers.setdefault(int(words[1][1:]), []).append(Event(line))
        else:
            head.append(line)
    return head, workers


def running_before(events):
    """For each event, the task whose strand is open before it, or None."""
    now, out = None, []
    for event in events:
        out.append(now)
        if event.kind in BEGINS:
            now = event.id
        elif event.kind in ENDS:
            now = None
    return out


def gap_end(events, at, running):
    """Where events are there again from `at` on: one that can stand first."""
    while at < len(events):
        event = events[at]
        if event.kind in BEGINS or (event.kind in ENDS and running[at]):
            return at
        at += 1
    return len(events)


def random_spans(rng, events, often=.05):
    """Gaps (from, to, why)."""
    running, at, spans = running_before(events), 0, []
    while at < len(events):
        if rng.random() < often or (at == 0 and rng.random() < 4 * often):
            end = gap_end(events, at + 1 + int(rng.expovariate(0.15)), running)
            why = rng.choice(["", " stopped"] + [" old"] * (at == 0) + [" size"] * (end == len(events)))
            spans.append((at, end, why))
            at = end
        at += 1
    return spans


def window_spans(events, windows, why):
    """A gap in each window [t, u): events at u are there, if they can be first."""
    running, spans = running_before(events), []
    for begin, end in windows:
        inside = [i for i, e in enumerate(events) if e.time is not None and e.time >= begin]
        if not inside or (spans and inside[0] <= spans[-1][1]):
            continue
        after = [i for i in inside if events[i].time >= end]
        to = gap_end(events, after[0] if after else len(events), running)
        if to > inside[0]:
            spans.append((inside[0], to, why))
    return spans


class Lossy:
    """A worker's events with gaps; its lines, and what they leave to be counted."""

    def __init__(self, rng, worker, events, spans):
        self.rng, self.worker, self.events = rng, worker, events
        self.lines, self.work, self.n_lost = [], 0, 0
        self.gaps = []          # (events, why, since, until)
        self.open = None        # (begin, id)
        self.last = self.edge = 0
        self.n_strands = self.n_ended = 0
        self.first = None       # of its timed lines
        self.n_begun = [0, 0]   # at least, at most
        running = running_before(events)
        at, given, previous = 0, 0, 0
        for begin, end, why in [*spans, (len(events), len(events), None)]:
            for event in events[at:begin]:
                self.keep(event)
            given += sum(e.kind in MAKES for e in events[at:begin])
            previous = max([previous] + [e.time for e in events[at:begin] if e.time is not None])
            if begin < end:
                self.lose(begin, end, why, running, given, previous)
            given += sum(e.kind in MAKES for e in events[begin:end])
            previous = max([previous] + [e.time for e in events[begin:end] if e.time is not None])
            at = end

    def put(self, word):
        self.lines.append(f"- w{self.worker} {word}")

    def lose(self, at, end, why, running, given, previous):
        lost, rng = self.events[at:end], self.rng
        first = lost[0].time if lost[0].time is not None else previous
        since = rng.choice([first, first, rng.randint(previous, first)])
        self.close(since)
        self.edge = max(self.edge, since) if running[at] else self.edge
        if end == len(self.events):
            return self.tell([(len(lost), why, since, None)])
        event = self.events[end]
        until = event.time
        if event.kind in ENDS:  # it runs since it began, or since recording goes on
            begun = [e.time for e in lost if e.kind in BEGINS]
            until = max(begun[-1:] + [since])
            until = rng.choice([until, until, rng.randint(until, event.time)])
        gaps = [(len(lost), why, since, until)]
        if len(lost) > 1 and rng.random() < .2:     # one after the other, told at once
            between, n = rng.randint(since, until), rng.randint(1, len(lost) - 1)
            other = rng.choice(["", " stopped", " size"])
            gaps = [(n, why, since, between), (len(lost) - n, other, between, until)]
        self.tell(gaps)
        self.put(f"next-id {given + sum(e.kind in MAKES for e in lost)}")
        if event.kind in ENDS:
            self.begin("resume", running[end], until)
            self.lines.append(f"{until} w{self.worker} resume {running[end]}")
        return None

    def tell(self, gaps):
        for n, why, since, until in gaps:
            self.put(f"lost {n}{why}")
            self.put(f"since {since}")
            if until is not None:
                self.put(f"until {until}")
            self.n_lost += n * (why != " stopped")
        self.gaps += gaps

    def close(self, time):
        if self.open:
            self.work += time - self.open[0]
        self.open = None

    def begin(self, kind, ident, time):
        self.open, self.last = (time, ident), time
        self.first = time if self.first is None else self.first
        self.n_strands += 1
        self.n_begun[0] += kind != "resume"
        self.n_begun[1] += 1

    def keep(self, event):
        self.lines.append(event.line)
        if event.time is None:
            return
        if event.kind in ENDS:
            self.close(event.time)
            self.n_ended += event.kind == "end"
        elif event.kind in BEGINS:
            self.begin(event.kind, event.id, event.time)
        self.last = event.time
        self.first = event.time if self.first is None else self.first


def told(head, lossy):
    """The text of a trace, and what its report must say."""
    last = max([max(w.last, w.edge) for w in lossy])
    made = {line.split()[3]: line.split()[2] for w in lossy for line in w.lines
            if line.split()[2] in MAKES}
    seen = {ident for ident, kind in made.items() if kind == "root"}
    # it is taken for the program's main task, which does not begin
    seen |= {"0.1"} - set(made) - {line.split()[3] for w in lossy for line in w.lines if line.split()[2] == "begin"}
    for w in lossy:
        if w.open:
            w.close(w.last if w.open[1] in seen else last)
    lines = [line for w in lossy for line in w.lines]
    begun = [w.first for w in lossy if w.first is not None]
    want = {"work": sum(w.work for w in lossy), "by_worker": {w.worker: w.work for w in lossy if w.n_strands},
            "lost": sum(w.n_lost for w in lossy),
            "gaps": sorted((w.worker, n, why.strip() or "ring") for w in lossy for n, why, _, _ in w.gaps
                           if why != " stopped"),
            "stopped": sum(n for w in lossy for n, why, _, _ in w.gaps if why == " stopped"),
            "strands": sum(w.n_strands for w in lossy), "ended": sum(w.n_ended for w in lossy),
            "begun": [sum(w.n_begun[i] for w in lossy) for i in (0, 1)],
            "elapsed": max([last] + begun) - min(begun) if begun else 0,
            "empty": not begun,
            # a waiter of a bag ends its tasks before their END (test/prop/brute.py, 13)
            "exact": not any(" bag" in line for line in lines)}
    return "\n".join(head + lines) + "\n", want
