# SPDX-License-Identifier: MIT
"""brute_times.py - how times are spread, who stole from whom, and what became of children: for brute.py."""

FATES = ("inlined", "done", "waited_for")


def bucket(value):
    """The least value of its bucket: its three highest bits."""
    low = max(value.bit_length() - 4, 0)
    return value >> low << low


def spread(values):
    buckets = {}
    for value in values:
        buckets[bucket(value)] = buckets.get(bucket(value), 0) + 1
    return {"n": len(values), "sum_ns": sum(values), "min_ns": min(values), "max_ns": max(values),
            "buckets": [list(b) for b in sorted(buckets.items())]}


def is_steal(strand):
    return strand.cause is not None and strand.cause[0] in ("create", "create_cont") and \
        strand.cause[1].worker != strand.worker


def waited(strand):
    """The strand before, if that ended with a wait."""
    before = strand.preds[0][1] if strand.own and strand is not strand.task.strands[0] else None
    return before if before and before.by == "wait" else None


def children(strand):
    """The last strands of the children that the strand's task waited for."""
    return [s for _, s in strand.preds[1:] if s.real and s.by == "end"]


def fate(strand, child):
    wait = waited(strand)
    return "inlined" if child.worker == wait.worker else "done" if child.end <= wait.end else "waited_for"


def of_kind(strands, site):
    """How the times of a kind are spread, and the fates of its tasks."""
    mine = [s for s in strands if s.task.site == site]
    first = [s for s in mine if s is s.task.strands[0]]
    fates = [fate(s, c) for s in strands if waited(s) for c in children(s) if c.task.site == site]
    values = {"work": [sum(s.end - s.start for s in f.task.strands) for f in first],
              "ready": [s.start - s.ready for s in first if s.cause],
              "steal": [s.start - s.ready for s in mine if is_steal(s)],
              "wait": [s.start - waited(s).end for s in mine if waited(s)]}
    return {"distributions": {name: spread(v) for name, v in values.items() if v},
            "fate": {name: fates.count(name) for name in FATES}}


def longest_at(tasks, first):
    """When the longest began: the first of equals."""
    work = [(-sum(s.end - s.start for s in t.strands), t.strands[0].start - first)
            for t in tasks if t.strands]
    return min(work)[1] if work else None


def is_leap(steal, strands):
    """Whether the thief's task waits then, and a child that it waits for runs on the victim."""
    now = steal.start
    return any(waited(s) and waited(s).worker == steal.worker and fate(s, c) == "waited_for" and
               c.worker == steal.cause[1].worker and
               max(waited(s).end, c.task.strands[0].start) <= now < c.end
               for s in strands for c in children(s))


def steals(strands, workers):
    """Leaps, pairs of thief and victim, and latency by the number of idle workers."""
    found = [s for s in strands if is_steal(s)]
    pairs, idle = {}, {}
    for s in found:
        pair = pairs.setdefault((s.worker, s.cause[1].worker), [0, 0])
        pair[0] += 1
        pair[1] += s.start - s.ready
        running = sum(r.start < s.start < r.end for r in strands)
        idle.setdefault(workers - running, []).append(s.start - s.ready)
    return {"leaps": sum(is_leap(s, strands) for s in found),
            "steal_pairs": [{"thief": t, "victim": v, "steals": n, "ready_ns": ns}
                            for (t, v), (n, ns) in sorted(pairs.items())],
            "steals_by_idle": [{"idle": n, **spread(v)} for n, v in sorted(idle.items())]}


def binding_path(strands, last):
    """Back from the last strand, each time to what ended last: a predecessor, or the strand before on its worker."""
    before, newest = {}, {}
    for s in strands:
        before[id(s)], newest[s.worker] = newest.get(s.worker), s
    running, latency, turns, at = 0, 0, 0, last
    while at is not None:
        running += at.end - at.start
        source, own = at.cause and at.cause[1], before[id(at)]
        while source and not source.real:
            source = source.cause and source.cause[1]
        cause = own if own and (source is None or own.end >= source.end) else source
        if cause:
            latency += at.start - cause.end
            turns += cause.worker != at.worker
        at = cause
    return {"binding_path": {"running_ns": running, "latency_ns": latency, "turns": turns}}
