# SPDX-License-Identifier: MIT
"""brute_width.py - how many workers there are at once, and which threads are none: brute.py's choices 20 and 21."""


def lasting(strands):
    """Of each strand, whether its worker is still there when it has ended."""
    meets, stays = {}, []
    for s in strands:
        ends = s.by == "end"
        if s.task.site is None:
            meets[s.worker] = False
            stays.append(not ends)
        elif s.task.fork and s.task.fork.team:
            meets[s.worker] = ends or s.wait == "team"
            stays.append(not meets[s.worker])
        else:
            stays.append(not (ends and meets.get(s.worker)))
    return stays


def at_once(strands, workers):
    """The most of these workers that are there when a strand begins."""
    stays, last, most = lasting(strands), {}, 0
    for i, s in enumerate(strands):
        if s.worker in workers:
            last[s.worker] = i
        most = max(most, sum(stays[k] or strands[k].end > s.start or k == i for k in last.values()))
    return most


def parents(strands, said):
    """Workers that make threads which run tasks, and wait for them: those are none."""
    roots = [s for s in strands if s.task.site is None and s is s.task.strands[0]]
    made = {p.task for s in roots for _, p in s.preds}
    makers = {s.worker for s in roots if s.task in made} - {s.worker for s in roots if s.task not in made}
    others = {s.worker for s in strands} - makers
    if not makers or len(makers | others) <= said or not others:
        return set()
    stays, last, most, most_made = lasting(strands), {}, 0, 0
    for i, s in enumerate(strands):
        if s.worker in others:
            last[s.worker] = i
        there = sum(stays[k] or strands[k].end > s.start or k == i for k in last.values())
        own = sum(x.worker in makers and x.task.site is not None and (x.end > s.start or x is s)
                  for x in strands[:i + 1])
        most, most_made = max(most, there), max(most_made, there + own if own else 0)
    return makers if most_made <= max(most, said) else set()
