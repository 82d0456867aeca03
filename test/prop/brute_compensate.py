# SPDX-License-Identifier: MIT
"""brute_compensate.py - a run without what recording took: strands are moved until nothing changes any more."""
COLUMNS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
EVENT_PS = 1700     # what an event costs
STRAND_PS = 1300    # what two cost in the strand between them
CALLS_PS = 900      # what the shim's calls cost for a strand, in the gap before it


class Events:
    """What events take of a worker's strands and gaps, one after the other."""
    def __init__(self):
        self.owed_ps = self.taken = 0

    def of(self, cost_ps, ns):
        if ns == 0:
            return 0
        self.owed_ps += cost_ps
        less = min(ns, self.owed_ps // 1000)
        self.owed_ps = min(self.owed_ps - less * 1000, STRAND_PS // 2 + 999)
        self.taken += less
        return less

    def owe(self, calls_ps):
        """No gap: the calls are in the strand."""
        self.owed_ps = min(self.owed_ps, STRAND_PS // 2 + 999) + calls_ps


def without_recorder(trace, calls_ps):
    """Moves the trace's nodes.  What the recorder took out of strands and gaps: by events, and by waits for it."""
    after, gap = {}, {}
    taken = [0, 0]
    length = {n: n.end - n.start for n in trace.nodes}
    for node in trace.nodes:
        gap[node] = max(node.start - max([p.end for _, p in node.preds] + [trace.first]), 0)
    for worker in {s.worker for s in trace.strands}:
        before, events = None, Events()
        for s in [s for s in trace.strands if s.worker == worker]:
            since = max([p.end for _, p in s.preds] + [before.end if before else trace.first])
            gap[s] = s.start - since
            held = sum(max(0, min(s.start, end) - max(since, begin))
                       for w, begin, end, _ in trace.held if w == worker)
            gap[s] -= held
            if gap[s] == 0 and before:
                events.owe(calls_ps)
            gap[s] -= events.of(2 * EVENT_PS - STRAND_PS + calls_ps, gap[s])
            length[s] -= events.of(STRAND_PS, length[s])
            taken[1] += held
            after[s] = before
            before = s
        taken[0] += events.taken
    rest = trace.last - max(n.end for n in trace.nodes)
    for node in trace.nodes:
        node.start, node.end = trace.first, trace.first + length[node]
    moved = True
    while moved:
        moved = False
        for node in trace.nodes:
            causes = [p for _, p in node.preds] + [after.get(node)]
            start = max([p.end for p in causes if p] + [trace.first]) + gap[node]
            if start != node.start:
                node.start, node.end, moved = start, start + length[node], True
    trace.last = max(n.end for n in trace.nodes) + rest
    return taken


def wrong_compensated(trace, want, got):
    """Spoils the trace, whose report is `want`; `got` is tptrace's, with EVENT_PS."""
    row = got["compensated"]
    if not row["span_ns"] <= row["elapsed_ns"] <= got["elapsed_ns"]:
        yield f"compensated: elapsed {row['elapsed_ns']} not between span and {got['elapsed_ns']}"
    if sum(row[c] for c in COLUMNS) != row["cumulative_ns"]:
        yield f"compensated: does not add up: {row}"
    for key in ("span_ns",) if trace.beside else ("work_ns", "span_ns"):  # P takes more of it, or less
        if not got[key] - row["events_ns"] <= row[key] <= got[key]:
            yield f"compensated.{key}: {row[key]}, of {got[key]} without {row['events_ns']}"
    if want["ties"]:
        return
    taken = without_recorder(trace, CALLS_PS if any(r["tasks"] for r in got["runtimes"]) else 0)
    if [row["events_ns"], row["waits_ns"]] != taken:
        yield f"compensated: took out {row['events_ns']}, {row['waits_ns']}; brute force {taken}"
    trace.holds = list
    moved = trace.report()
    if row["elapsed_ns"] != moved["elapsed_ns"]:
        yield f"compensated.elapsed_ns: {row['elapsed_ns']}, brute force {moved['elapsed_ns']}"
    if moved["workers"] != want["workers"] or set(moved["ties"]) & {"order", "release", "end"}:
        return
    for key in (*COLUMNS, "span_ns", "ready_path"):
        if row[key] != moved[key]:
            yield f"compensated.{key}: {row[key]}, brute force {moved[key]}"
