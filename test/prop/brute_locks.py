# SPDX-License-Identifier: MIT
"""brute_locks.py - who waited for which object, and who held it, by looking at every instant: brute.py's choices.

23. An entry of an object lasts from the end of the strand that waited to its task's next strand, or to the end;
    it waited if something else let it go on, or if it is recorded only then; else nobody is charged for it.  Where
    that strand does not follow from it, what was lost had the end of the wait: it is none of the entries, and the
    object is busy.  A wait by name is one of an object if a signal let it go on.
24. Who enters one of the runtime's objects, or takes a word, holds it up to its signal.  How long is known if a holder
    signalled it, and no one else ever entered or signalled it meanwhile; and, but for words, nobody signalled what
    was not held.  Of an instant at which nobody holds it, whoever signals it next is the holder; likewise of a word
    once somebody else than its holder has signalled it.  Who enters it up to HANDOVER_NS before its holder leaves it, in
    a strand that goes on, has it from then on; who enters and leaves it within that time had it, too.
25. What is serial is the work of an object's holders while they hold it.
"""
from brute_states import BLOCKING

WORDS = {"object": "lock", "named": "bit", "cond": "condition", "sem": "semaphore", "threads": "thread barrier",
         "address": "oneTBB's own"}
HOLDS = ("object", "word")
HANDOVER_NS = 500


class Entry:
    def __init__(self, strand, following, last):
        self.strand, self.task, self.wait = strand, strand.task, strand.wait
        self.torn = following is not None and following.cause is None
        self.begin, self.back = strand.end, following is not None and not self.torn
        self.end = following.start if following else last
        self.goes_on = following.end if following else last
        self.waited = not self.back or self.wait not in ("object", "named", "word", "threads") or following.cause[1] is not strand


def entries_of(trace):
    """By object."""
    found = {}
    for task in trace.tasks:
        for strand, following in zip(task.strands, task.strands[1:] + [None]):
            if strand.object is not None and (strand.wait in BLOCKING or strand.wait == "named" and following):
                found.setdefault(strand.object, []).append(Entry(strand, following, trace.last))
    return found


def replay(entries, signals):
    """[(time, who holds it from then on)], from when to when each entry held it, and whether that is known."""
    story = [(e.end, 1, e.task, e) for e in entries if e.back and e.wait in HOLDS]
    story += [(time, 2 if s.start == time else 0, s.task, None) for time, s in signals]
    holder, at, depth, since, former, known, told, held, when = None, None, 0, 0, None, True, False, {}, []
    is_word = any(e.wait == "word" for e in entries)
    for time, _, task, entry in sorted(story, key=lambda x: x[:2]):
        if entry is None and former and former[0] is task:
            known &= former[2] == 1 and time - since <= HANDOVER_NS and at.goes_on > time
            if known:
                held[former[1]], since, told = (former[3], time), time, True
            former = None
        elif entry is None and former and holder is task and depth == 1 and time - since <= HANDOVER_NS:
            held[at] = since, time
            (holder, at, depth, since), former = former, None
        elif entry is None:
            known &= former is None
            former = None
            if holder is not task:
                known &= holder is None and is_word
                holder = None
            else:
                depth, told = depth - 1, True
                if depth == 0:
                    held[at], holder = (since, time), None
        elif holder is task:
            depth += 1
        else:
            known &= former is None
            former = (holder, at, depth, since) if holder is not None else None
            holder, at, depth, since = task, entry, 1, time
        when.append((time, None if is_word and not known else holder))
    return when, held, known and told and not former, (holder, at, since)


def serial_of(held):
    """What the tasks of the entries worked while they held it."""
    return sum(max(0, min(s.end, to) - max(s.start, since)) for e, (since, to) in held.items() for s in e.task.strands)


def holders(trace, entries, signals, when):
    """Site of the holder's task -> time that others waited meanwhile."""
    found = {}
    stamps = sorted({t for e in entries for t in (e.begin, e.end)} | {t for t, _ in when})
    for t, after in zip(stamps, stamps[1:]):
        n = sum(e.begin <= t < e.end for e in entries if e.waited)
        who = next((h for time, h in reversed(when) if time <= t), None)
        if who is None:
            following = sorted((time, trace.order[s]) for time, s in signals if time > t)
            who = trace.strands[following[0][1]].task if following else None
        if n and who:
            found[who.site] = found.get(who.site, 0) + n * (after - t)
    return {site: ns for site, ns in found.items() if ns}


def locks(trace):
    """A row for each object and what it is waited for as, as in the report, but for its places."""
    rows = []
    for name, entries in entries_of(trace).items():
        signals = trace.signals.get(name, [])
        when, held, known, (holder, at, since) = replay(entries, signals)
        if holder is not None:
            held[at] = since, trace.last
        stamps = sorted({t for e in entries for t in (e.begin, e.end)})
        busy = sum(b - a for a, b in zip(stamps, stamps[1:]) if any(e.begin <= a < e.end for e in entries if e.waited))
        whole = [e for e in entries if not e.torn]
        for what in sorted({e.wait for e in whole}):
            mine = [e for e in whole if e.wait == what]
            waits = sorted(e.end - e.begin for e in mine if e.waited)
            waiters = {}
            for e in mine:
                if e.waited:
                    n, ns = waiters.get(e.task.site, (0, 0))
                    waiters[e.task.site] = n + 1, ns + e.end - e.begin
            rows.append({"what": WORDS.get(what, what), "object": f"{name:#x}", "entries": len(mine),
                         "sites": len({e.strand.wait_site for e in mine}), "waits": len(waits), "wait_ns": sum(waits),
                         "median_ns": waits[(len(waits) - 1) // 2] if waits else 0, "max_ns": max(waits, default=0),
                         "busy_ns": busy, "held_ns": sum(to - since for e, (since, to) in held.items() if e in mine) if known else None,
                         "serial_ns": serial_of(held) if known else None,
                         "waiters": waiters, "holders": holders(trace, entries, signals, when)})
    return rows


def wrong_locks(want, got, names):
    """How tptrace's rows differ; rows of one object at several places are added up."""
    mine = {}
    for row in got:
        mine.setdefault((row["what"], row["object"]), []).append(row)
    if len(mine) != len(want):
        yield f"locks: {sorted(mine)}, brute force {sorted((r['what'], r['object']) for r in want)}"
    for row in want:
        rows = mine.get((row["what"], row["object"]), [])
        where = f"locks.{row['what']} {row['object']}"
        if len(rows) != row["sites"]:
            yield f"{where}: {len(rows)} rows, brute force {row['sites']}"
            continue
        found = {key: sum(r[key] for r in rows) for key in ("entries", "waits", "wait_ns")}
        found["max_ns"], found["busy_ns"] = max(r["max_ns"] for r in rows), rows[0]["busy_ns"]
        found["held_ns"] = None if rows[0]["held_ns"] is None else sum(r["held_ns"] for r in rows)
        found["serial_ns"] = rows[0]["serial_ns"]
        if len(rows) == 1:
            found["median_ns"] = rows[0]["median_ns"]
        for key, value in found.items():
            if value != row[key]:
                yield f"{where}.{key}: {value}, brute force {row[key]}"
        if len(rows) > 1 or max(len(row["waiters"]), len(row["holders"])) > 4:
            continue
        for key, told in (("waiters", {names(s): ns for s, (_, ns) in row["waiters"].items()}),
                          ("holders", {names(s): ns for s, ns in row["holders"].items()})):
            theirs = {(k["name"], k["file"], k["line"]): k["wait_ns"] for k in rows[0][key]}
            if theirs != told:
                yield f"{where}.{key}: {theirs}, brute force {told}"
