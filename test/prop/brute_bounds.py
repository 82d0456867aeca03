# SPDX-License-Identifier: MIT
"""brute_bounds.py - how fast a run could be, from the nodes of brute.py's Trace.

Strands are put as early as their predecessors allow, and every instant is looked at alone.
"""
from fractions import Fraction

from brute_times import bucket

BURDENED = ("create_cont", "join")
HANDED_OVER = ("create", *BURDENED)


def burdened_of(node):
    """(predecessor, whether the burden is paid): not from the own task's arrival at a barrier."""
    for kind, pred in node.preds:
        if node.real and not pred.real and any(p.real and p.task is node.task for _, p in pred.preds):
            yield from ((p, not (p.real and p.task is node.task)) for _, p in pred.preds)
        else:
            yield pred, node.real and kind in BURDENED


def ends(trace, burden):
    """When each node ends at the earliest; edges of those kinds into strands cost the burden."""
    index = {id(n): i for i, n in enumerate(trace.nodes)}
    preds = [[(index[id(p)], burden * pays) for p, pays in burdened_of(n)] for n in trace.nodes]
    best = [n.end - n.start for n in trace.nodes]
    moved = True
    while moved:
        moved = False
        for i, node in enumerate(trace.nodes):
            for pred, cost in preds[i]:
                far = best[pred] + cost + node.end - node.start
                if far > best[i]:
                    best[i], moved = far, True
    return best


def handovers(trace):
    """What it took to go on with a strand that another worker let go, when its own had nothing else to run."""
    for i, s in enumerate(trace.strands):
        if s.cause and s.cause[0] in HANDED_OVER and s.cause[1].worker != s.worker:
            before = [x.end for x in trace.strands[:i] if x.worker == s.worker]
            yield s.start - max([s.ready] + before)


def steps(trace, early):
    """The ideal profile: (how long, how many nodes run)."""
    at = [(e - (n.end - n.start), e) for n, e in zip(trace.nodes, early)]
    stamps = sorted({t for pair in at for t in pair})
    return [(after - t, sum(begin <= t < end for begin, end in at)) for t, after in zip(stamps, stamps[1:])]


def elapsed(profile, workers):
    """On so many workers."""
    return Fraction(sum(ns * max(workers, k) for ns, k in profile), workers)


def wrong_bounds(trace, want, got):
    """How "bounds" differs from what it should be, where no tie has a say in it."""
    ties, row = set(want["ties"]), got["bounds"]
    if ties & {"order", "work"}:
        return
    early = ends(trace, 0)
    span, work = max(early), want["work_ns"]
    serial = max((lock["serial_ns"] or 0 for lock in want["locks"]), default=0)
    if (row["work_ns"], row["span_ns"], row["serial_ns"]) != (work, span, serial):
        yield f"bounds: work {row['work_ns']}, span {row['span_ns']}, serial {row['serial_ns']}; brute force {work}, {span}, {serial}"
    if work and got["lower_bound_ns"] != max(work // want["workers"], span, serial) and not got["machine"]["inflated"]:
        yield f"lower_bound_ns: {got['lower_bound_ns']}, brute force {max(work // want['workers'], span, serial)}"
    if not ties & {"release", "edge"}:
        took = sorted(handovers(trace))
        if row["handovers"] != len(took) or \
                took and bucket(row["migration_ns"]) != bucket(took[(len(took) - 1) // 2]):
            yield f"bounds: a migration of {row['handovers']} took {row['migration_ns']}; brute force {took}"
    if row["migration_ns"] is not None:
        burdened = max(ends(trace, row["migration_ns"]))
        if row["burdened_span_ns"] != burdened or row["burdened_span_most_ns"] != burdened:
            yield f"bounds.burdened_span_ns: {row['burdened_span_ns']}, brute force {burdened}"
    if len(row["speedup"]) != (4 * want["workers"] if work and span else 0):
        yield f"bounds.speedup: {len(row['speedup'])} rows for {want['workers']} workers"
    profile = steps(trace, early)
    for point in row["speedup"]:
        p = point["workers"]
        cap = Fraction(work, serial) if serial else p
        right = {"ideal": min(work / elapsed(profile, p), cap), "upper": min(Fraction(p), Fraction(work, span), cap)}
        if row["migration_ns"] is not None:
            right["lower"] = min(1 / (Fraction(1, p) + Fraction(17, 10) * row["burdened_span_ns"] / work), cap)
        for key, value in right.items():
            if abs(point[key] - value) > 1e-4 * (1 + value):
                yield f"bounds.speedup of {p}: {key} {point[key]}, brute force {float(value)}"
    if work and span:
        enough = next(p for p in range(1, len(trace.nodes) + 2)
                      if elapsed(profile, p) * Fraction(95, 100) <= span)
        if row["workers_95"] != enough:
            yield f"bounds.workers_95: {row['workers_95']}, brute force {enough}"
