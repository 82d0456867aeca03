# SPDX-License-Identifier: MIT
"""brute_waits.py - waits for tasks by place, and the idle time below them, instant by instant: brute.py's choices.

25. A wait by name that a signal ended is none for tasks.
    A wait for tasks lasts up to the task's next strand; it waited if another strand than its own was the last to
    release that one, and for as long as that took.
26. An idle worker is below the wait that began last of those that began on it and are not over.
"""
from brute_states import BLOCKING


def waits_of(trace):
    """(strand, the task's next one or None) of the waits for tasks."""
    for task in trace.tasks:
        for strand, following in zip(task.strands, task.strands[1:] + [None]):
            if strand.by == "wait" and strand.wait is not None and strand.wait not in BLOCKING and \
                    not (strand.wait == "named" and strand.object is not None):
                yield strand, following


def causing(node):
    """Whom a barrier's node was released by in the end."""
    while node is not None and not node.real:
        node = node.cause[1]
    return node


def waits(trace):
    rows, mine = {}, {}
    for strand, following in waits_of(trace):
        row = rows.setdefault((strand.wait_site, strand.wait), {"times": 0, "waited": 0, "wait_ns": 0, "max_ns": 0,
                                                               "idle_ns": 0, "last": {}})
        mine.setdefault(strand.worker, []).append((strand, following))
        if following and not following.cause:   # it goes on behind a gap: nobody saw the wait's end
            continue
        row["times"] += 1
        by = causing(following.cause[1]) if following else None
        ns = (following.ready if following else trace.last) - strand.end
        if by is strand or ns == 0:
            continue
        row["waited"] += 1
        row["wait_ns"] += ns
        row["max_ns"] = max(row["max_ns"], ns)
        if by:
            n, before = row["last"].get(by.task.site, (0, 0))
            row["last"][by.task.site] = n + 1, before + ns
    stamps = sorted({t for s in trace.strands for t in (s.ready, s.start, s.end)} | {trace.first, trace.last} |
                    {t for _, begin, end, _ in trace.held for t in (begin, end)})
    scope = set(trace.strands)
    for t, after in zip(stamps, stamps[1:]):
        for worker, waiting in mine.items():
            if trace.worker_state(worker, t, scope)[0] == "idle":
                below = [s for s, following in waiting if s.end <= t and (following is None or t < following.start)]
                if below:
                    top = max(below, key=lambda s: trace.order[s])
                    rows[top.wait_site, top.wait]["idle_ns"] += after - t
    return [{"site": site, "kind": kind, **row} for (site, kind), row in rows.items() if row["times"]]


def wrong_waits(want, got, names):
    """Places have no names in random traces: rows are compared in their order."""
    def key(row):
        return tuple(row[k] for k in ("idle_ns", "times", "waited", "wait_ns", "max_ns"))
    mine, theirs = sorted(map(key, got)), sorted(map(key, want))
    if mine != theirs:
        yield f"waits: {mine}, brute force {theirs}"
    last = sorted((k["name"], k["times"], k["wait_ns"]) for row in got for k in row["last"])
    told = sorted((names(site)[0], n, ns) for row in want for site, (n, ns) in row["last"].items())
    if last != told and all(len(row["last"]) <= 4 for row in want):
        yield f"waits.last: {last}, brute force {told}"
