#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""brute.py FILE... - the report of a text trace by brute force, one JSON object a line.

The second opinion on `tptrace report --json`: no sweep, no topological order.  Every elementary
interval between two time stamps is looked at alone, with a scan of all strands; shares are exact
fractions; the longest path is relaxed until nothing changes.  Slow, and easy to believe.

Where the contract leaves a choice, this is what was chosen:

 1. Equal times on different workers: what releases comes before what it releases (a create before
    the begin, the last child's end before the resume of the wait); else in the order of the file.
 2. Two predecessors end at the same latest time: the task's own previous (or its creating) strand
    releases; else the first in a fixed order, and "ties" says so: "release" (which one is a matter
    of taste), "edge" (even the kind of the edge is), "end" (several strands end last), "order" (a
    signal at the very time of the wait or the resume of its object, or two at once; a name that is
    given then; two who join at once what only one can), "work" (what that ends early).
 3. `wait team` by an explicit task, or outside any team, is `wait children`.
 4. A task with two different clauses on one address counts as an `out` there.
 5. An EMPTY task is complete when its predecessors are, and whoever joins it or depends on it gets
    edges from their last strands.  It counts as a task of its kind, and it never ran.
 6. A group wait joins every complete task below the group, whether its parent still lives or not.
 7. An undeferred child that is complete when its parent resumes is joined by that resume; if only its
    code is over, and its handle not signalled, the resume follows that, and a later wait joins it.
 8. Blame by worker goes to the worker of the strand that is blamed; for a ready strand, that is
    the worker on which it starts.
 9. Kinds are sites: two sites of one name are two kinds.  Only kinds that have tasks are listed.
    On a path, they are one if file and line are the same, too.
10. A final task may be deferred; the tasks that it creates are undeferred and final.  The members
    of a loop that a final task forks are final, and so are those of a loop whose fork says `final`;
    implicit tasks are not.  A fork with nowait joins nothing, whatever else it says.
11. A task of a bag belongs to the bag alone: waits for children, groups and teams leave it out, and
    what it creates belongs to no group or team.
12. A wait by name is for who has the name when it begins; if that one does not end in time, for who
    has it when it ends.  "Signalled later" is later than that task's end.  A task can be joined by
    name, or by `wait depend`, more than once, but all others leave out what was joined before.
13. When a task that waits for a bag goes on, a running task of the bag is over, too, if its next
    event is its end, and nobody else waits for the bag or that end is less than 100 us away.
14. At a barrier of an object all meet who wait for it when the first of them goes on; who comes
    later meets others.
15. A discarded task is neither joined nor depended on, and nothing passes through it.  If tasks are
    discarded, they are the cancelled ones; else, if anything was cancelled, all that never began.
16. Two edges from one strand to another are one, and none leads from a task to itself but from its
    strand before.  An edge is explicit (and counted in "edges") if
    the task is that it makes (create, depend) or that it comes from (the others); but an arrival
    at a barrier does not count.
17. A root is of the runtimes whose tasks it creates, and of all if it creates none.
18. With tasks of several runtimes, P is the largest P of those, the CPUs if their workers together
    are more, or the most strands at one instant; a runtime's own breakdown is of the time from the
    first create or strand of its tasks to the last strand of one, or the last that one let go on.
19. The recorder held a worker up to the event that begins a strand after `tracer`, or from any
    other event on that follows it (from the timed one before, if that is untimed), but only while
    the worker ran nothing; what does not fit there is taken from its free time before, the latest
    first.  What is held while a strand runs, by an untimed event, is none; but what is told behind
    a worker's last event, which began a strand, is of the time before that strand.
20. A worker is there from its first strand on, but not between the end of a root, or of its member's
    way to the team's barrier or end and of what it runs there, and its next strand.  P of a runtime
    is what it said, or the most that were there at once.
21. A worker all of whose roots signalled what another root follows is none, if more ran strands than
    a runtime said, unless its tasks ran while as many of the others were there as are workers.
22. A root that follows a signal is ready when it begins: what its thread did before is unseen.

brute_states.py goes on with what workers are in while they run nothing.
"""
import json
import sys
from fractions import Fraction

from brute_events import BEGINS, BETWEEN
from brute_locks import locks
from brute_states import CALLS, FREE, OUTSIDE, States
from brute_tasks import Bad
from brute_waits import waits
from brute_width import at_once, parents
from brute_times import binding_path, longest_at, of_kind, steals

EDGES = ("create", "create_cont", "wait_cont", "join", "depend", "sync")
COLUMNS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
SPENT = ("runtime", "blocked", "starved", *OUTSIDE)


class Trace(States):
    # ---- the figures ------------------------------------------------------------------------

    def release(self):
        """Every node's releasing predecessor and ready time."""
        for node in self.nodes:
            if not node.preds:
                node.ready = node.start
                continue
            node.ready = max(s.end for _, s in node.preds)
            latest = [p for p in node.preds if p[1].end == node.ready]
            node.cause = latest[0]
            if not (node.own and latest[0] is node.preds[0]):
                if len({id(s) for _, s in latest}) > 1:
                    self.ties.add("release")
                if len({k for k, _ in latest}) > 1:
                    self.ties.add("edge")
            if not node.real:
                node.worker = node.cause[1].worker
            if node.real and (not node.own or node.preds[0][1].wait in OUTSIDE):
                node.ready = node.start         # a thread's root, or after what is outside

    def path(self, strands):
        """The ready path to the last of them, from its first node to its last."""
        last = [s for s in strands if s.end == max(x.end for x in strands)]
        if len(last) > 1:
            self.ties.add("end")
        node, path = last[-1], []
        while node is not None:
            path.append(node)
            node = node.cause[1] if node.cause else None
        return path[::-1]

    def longest(self, weights):
        """The largest sum of the nodes' weights along any path."""
        index = {id(n): i for i, n in enumerate(self.nodes)}
        preds = [[index[id(p)] for _, p in n.preds] for n in self.nodes]
        best = list(weights)
        moved = True
        while moved:            # Bellman-Ford
            moved = False
            for i, mine in enumerate(preds):
                for pred in mine:
                    far = best[pred] + weights[i]
                    if far > best[i]:
                        best[i], moved = far, True
        return max(best)

    def edges(self):
        found = dict.fromkeys(EDGES, 0)
        for node in self.nodes:
            for kind, pred in node.preds:
                end = node if kind in ("create", "depend") else pred
                found[kind] += end.real and end.task.explicit and not node.meets
        return found

    # ---- runtimes -----------------------------------------------------------------------------

    def runtime(self, task):
        return self.number(self.sites.get(task.site, {}).get("runtime", "0"))

    def runtimes_of(self, task):
        if task.site is not None:
            return {self.runtime(task)}
        made = {self.runtime(t) for t in self.tasks if
                (t.fork.task if t.fork else t.creator and t.creator.task) is task}
        return made or set(self.runtimes)

    def find_runtimes(self):
        """Strands and P by runtime, and P of the process."""
        of = {t: self.runtimes_of(t) for t in self.tasks}
        mine = {r: [s for s in self.strands if r in of[s.task]] for r in self.runtimes}
        ran = {r: {s.worker for s in mine[r]} for r in mine}
        tasks = {r: {s.worker for s in mine[r] if s.task.site is not None and not s.task.target} for r in mine}
        crowded = {r for r, (_, n) in self.runtimes.items() if n and len(ran[r]) > max(n, len(tasks[r]))}
        own = {w: [r for r, (_, n) in self.runtimes.items() if w in ran[r] and (n or tasks[r])]
               for w in set().union(*ran.values())}
        self.beside = {w for w in own if own[w] and all(r in crowded and w not in tasks[r] for r in own[w])}
        self.beside |= parents(self.strands, max(n for _, n in self.runtimes.values()))
        seen = {r: at_once(self.strands, ran[r] - self.beside) for r in mine}
        workers = {r: max(n, seen[r]) for r, (_, n) in self.runtimes.items()}
        used = [r for r in mine if any(t.site is not None and self.runtime(t) == r for t in self.tasks)]
        together = at_once(self.strands, {s.worker for s in self.strands} - self.beside) + sum(
            workers[r] - seen[r] for r in used or mine)
        self.several = len(used) > 1
        if not self.several:
            return mine, workers, together
        running = max(sum(s.start <= t < s.end for s in self.strands if s.worker not in self.beside)
                      for t in {s.start for s in self.strands})
        return mine, workers, max([workers[r] for r in used] + [running] +
                                  ([self.cpus] if self.cpus and together > self.cpus else []))

    def activity(self, number):
        """When a runtime's tasks were made, ran, and were waited for."""
        def is_of(node):
            return node.real and node.task.site is not None and self.runtime(node.task) == number
        times = []
        for s in self.strands:
            if is_of(s):
                created = s is s.task.strands[0] and s.preds
                times += [s.preds[0][1].end if created else s.start, s.end]
            elif any(is_of(p) for _, p in s.preds):
                times.append(s.start)
        return (min(times), max(times)) if times and self.several else (self.first, self.last)

    # ---- the recorder -------------------------------------------------------------------------

    def holds(self):
        """(worker, from, to, site of the task that had to wait)."""
        return [(worker, *hold) for worker in self.events for hold in self.holds_of(worker)]

    def holds_of(self, worker):
        mine = [s for s in self.strands if s.worker == worker]
        pieces = list(zip([self.first] + [s.end for s in mine], [s.start for s in mine] + [self.last]))
        taken, passed, began, last, open_ = [], {}, 0, None, False

        def free(lo, hi):
            parts = []
            for begin, end, _ in sorted(taken, key=lambda t: t[:2]):
                if lo < end and begin < hi:
                    parts += [(lo, begin)] if lo < begin else []
                    lo = end
            return parts + [(lo, hi)] * (lo < hi)

        def backward(length, site, before):
            for lo, hi in pieces[::-1]:
                for begin, end in free(lo, min(hi, before))[::-1]:
                    begin = max(begin, end - length)
                    length -= end - begin
                    taken.extend([(begin, end, site)] * (begin < end))

        def forward(length, at):
            lo, hi = pieces[began]
            site = mine[began - 1].task.site if began else None
            begin = min(max(at, lo, passed.get(began, lo)), hi)
            end = passed[began] = min(begin + length, hi)
            taken.extend([(begin, end, site)] * (begin < end))
            backward(length - (end - begin), site, begin)

        stream = [(None, x[2]) for x in self.early if x[0] == worker]
        for time, _, words, extras in self.events[worker]:
            stream += [(time, words)] + [(None, x[2]) for x in extras]
        pending = 0
        for time, words in stream + [(None, ["the end"])]:
            if words[0] == "tracer":
                pending += self.number(words[1])
            elif words[0] not in BETWEEN and pending:
                if words[0] in BEGINS:
                    backward(pending, mine[began].task.site, time)
                elif words[0] == "the end" and open_:
                    backward(pending, mine[began - 1].task.site, mine[began - 1].start)
                elif time is not None or last is not None and not open_:
                    forward(pending, last if time is None else time)
                pending = 0
            if words[0] == "since" and open_:   # what ran ended in a gap
                last, open_ = self.number(words[1]), False
            if time is not None:
                last, began = time, began + (words[0] in BEGINS)
                open_ = words[0] in BEGINS or open_ and words[0].startswith("discard")
        return taken

    def kind(self, strand):
        return strand.task.site

    def what(self, task):
        if task.fork:
            return "implicit" if task.fork.team else "loop"
        return "root" if task.site is None else "task"

    def kind_name(self, site):
        if site is None:
            return "main", None, 0
        about = self.sites.get(site, {})
        return about.get("name", f"site {site}"), about.get("file"), int(about.get("line", 0))

    def creator_of(self, task):
        return task.fork.task if task.fork else task.creator and task.creator.task

    def find_cycles(self):
        """Codes are recursive with those that they create, directly or not, and that create them."""
        creates = {(self.kind_name(self.creator_of(t).site), self.kind_name(t.site))
                   for t in self.tasks if self.creator_of(t)}
        reaches = set(creates)
        while more := {(a, d) for a, b in reaches for c, d in creates if b == c} - reaches:
            reaches |= more
        self.cycle_of = {k: frozenset({k} | {b for a, b in reaches if a == k and (b, k) in reaches})
                         for k in map(self.kind_name, {t.site for t in self.tasks})}

    def path_of(self, task):
        """Groups of kinds that are recursive with one another, from the root's, and the task's kind."""
        kind = self.kind_name(task.site)
        cycle = self.cycle_of[kind]
        creator = self.creator_of(task)
        if not creator:
            return (cycle,), kind
        above, _ = self.path_of(creator)
        if above[-1] != cycle:
            return above + (cycle,), kind
        self.recursive.add(above)
        return above, kind

    def path_name(self, path, paths):
        """Of a group, the kinds that have a task there stand in alphabetical order."""
        groups, kind = path
        names = []
        for i in range(len(groups)):
            here = sorted({k[0] for g, k in paths if g == groups[:i + 1]})
            name = "|".join(here[:3] + ["..."] * (len(here) > 3)) if i + 1 < len(groups) else kind[0]
            names.append(name + " (recursive)" * (groups[:i + 1] in self.recursive))
        return " > ".join(names)

    def grain_of(self, task):
        """The power of two that its work reaches, 0 for less than 2 ns; None if it has no grain."""
        if not task.strands or self.what(task) in ("root", "implicit"):
            return None
        work = sum(s.end - s.start for s in task.strands)
        return 1 << work.bit_length() - 1 if work > 1 else 0

    def tasks_of(self, tasks):
        work = sorted(sum(s.end - s.start for s in t.strands) for t in tasks if t.strands) or [0]
        return {"tasks": len(tasks), "min_ns": work[0], "median_ns": work[(len(work) - 1) // 2],
                "max_ns": work[-1]}

    def intervals(self, strands, path, workers, window=None):
        """(ns, running, ready, q, when, the path's strand, whether it runs, is delayed, or neither; and what is given)."""
        first, last = window or (self.first, self.last)
        stamps = sorted({t for s in self.strands for t in (s.ready, s.start, s.end) if first < t < last} |
                        {t for h in self.held for t in h[1:3] if first < t < last} | {first, last})
        scope = set(strands)
        for t, after in zip(stamps, stamps[1:]):
            running = [s for s in strands if s.start <= t < s.end]
            ready = [s for s in strands if s.ready <= t < s.start]
            runs = [s for s in path if s.start <= t < s.end]
            late = [s for s in path if s.ready <= t < s.start]
            state = "runs" if runs else "late" if late else None
            at = (runs + late + [s for s in path if t < s.start] + [path[-1]])[0]
            beside = sum(s.worker in self.beside for s in running)
            q = max(0, workers - len(running))
            self.filled = Fraction(min(beside, workers - len(running) + beside), beside) if beside else 0
            yield after - t, running, ready, q, t, at, state, scope, workers

    def part_of(self, strand):
        """Of a strand that runs now, what is P's time."""
        return self.filled if strand.worker in self.beside else 1

    def moves(self, strands):
        """Steals: a create let it start elsewhere.  Migrations: it waited elsewhere than it goes on."""
        steals = migrations = 0
        for s in strands:
            if s.cause is None:
                continue
            first = s is s.task.strands[0]
            if s.cause[0] in ("create", "create_cont"):
                steals += s.cause[1].worker != s.worker
            elif not first and s.own:
                migrations += s.preds[0][1].worker != s.worker
        return {"steals": steals, "migrations": migrations}

    def of_runtime(self, number, strands, workers):
        """The breakdown with nothing but these strands."""
        row = {"name": self.runtimes[number][0],
               "tasks": sum(t.site is not None and self.runtime(t) == number for t in self.tasks)}
        if not row["tasks"]:
            return row
        first, last = self.activity(number)
        row |= {"workers": workers, **self.moves(strands), **dict.fromkeys(COLUMNS, 0),
                "from_ns": (first - self.first) * (first < last), "elapsed_ns": last - first,
                "states": self.empty_states()}
        if not strands:
            row["no_work_app_ns"] = row["states"]["idle"]["no_work_app_ns"] = (last - first) * workers
            return row
        for interval in self.intervals(strands, self.path(strands), workers, (first, last)):
            ns, running, ready, q, _, _, state = interval[:7]
            self.add_states(row, interval)
            row["work_ns"] += int(ns * sum(map(self.part_of, running)))
            row["delay_ns"] += ns * min(q, len(ready))
            row["no_work_sched_ns" if state == "late" else "no_work_app_ns"] += \
                ns * max(0, q - len(ready))
        return row

    def report(self):
        """All figures, exact: shares of delay are Fractions."""
        self.release()
        self.held = self.holds()
        self.lay_out()
        path = self.path(self.strands)
        strands_of, workers_of, workers = self.find_runtimes()
        total = dict.fromkeys(COLUMNS, 0)
        by_kind, by_worker, by_edge = {}, {}, dict.fromkeys(EDGES, Fraction(0))
        blame, held_by_kind = {"states": self.empty_states(), **{s: {} for s in SPENT},
                               "calls": {c: dict.fromkeys(FREE, 0) for c in CALLS}}, {}
        states = blame["states"]
        on_path = {"work_ns": 0, "scheduler_delay_ns": 0, "busy_delay_ns": 0}
        self.recursive = set()
        self.find_cycles()
        paths = {t: self.path_of(t) for t in self.tasks}
        by_path = {path: dict.fromkeys(COLUMNS, 0) for path in paths.values()}
        grains = {t: self.grain_of(t) for t in self.tasks}
        by_grain = {grain: dict.fromkeys(COLUMNS, 0) for grain in grains.values()}
        for task in self.tasks:
            by_kind.setdefault(task.site, dict.fromkeys(COLUMNS, 0))
        for strand in self.strands:
            by_worker.setdefault(strand.worker, dict.fromkeys(COLUMNS, 0))

        def charge(column, strand, ns):
            by_kind[self.kind(strand)][column] += ns
            by_path[paths[strand.task]][column] += ns
            by_grain[grains[strand.task]][column] += ns
            by_worker[strand.worker][column] += ns

        for _, begin, end, site in (h for h in self.held if h[0] not in self.beside):
            held_by_kind[site] = held_by_kind.get(site, 0) + end - begin
        for interval in self.intervals(self.strands, [s for s in path if s.real], workers):
            ns, running, ready, q, _, at, state = interval[:7]
            self.add_states(blame, interval)
            delay, idle = min(q, len(ready)) * ns, max(0, q - len(ready)) * ns
            for s in running:
                charge("work_ns", s, ns * self.part_of(s))
            share = ns if q >= len(ready) else Fraction(delay, len(ready))
            for s in ready if share else ():
                charge("delay_ns", s, share)
                by_edge[s.cause[0]] += share
            if state == "runs":
                on_path["work_ns"] += ns
            elif state == "late":
                on_path["scheduler_delay_ns" if q > 0 else "busy_delay_ns"] += ns
            if idle:
                column = "no_work_sched_ns" if state == "late" else "no_work_app_ns"
                charge(column, at, idle)
                total[column] += idle
            total["work_ns"] += int(ns * sum(map(self.part_of, running)))
            total["delay_ns"] += delay
        span = self.longest([n.end - n.start for n in self.nodes])
        begun = sum(bool(t.strands) for t in self.tasks)
        gone = sum(t.discarded for t in self.tasks)
        never = sum(not (t.strands or t.discarded or t.empty) for t in self.tasks)
        if not gone and self.cancelled:
            gone, never = len(self.tasks) - begun, 0
        result = {"workers": workers, "elapsed_ns": self.last - self.first,
                  "cumulative_ns": (self.last - self.first) * workers, **total,
                  "tasks": len(self.tasks), "strands": len(self.strands),
                  **self.moves(self.strands), "tasks_begun": begun,
                  "tasks_ended": sum(t.ended for t in self.tasks), "tasks_cancelled": gone,
                  "tasks_never_begun": never,
                  "edges": self.edges(), "span_tasks": self.longest(
                      [int(n.real and n.task.explicit and n.task.strands[0] is n)
                       for n in self.nodes]),
                  "runtimes": [self.of_runtime(r, strands_of[r], workers_of[r])
                               for r in sorted(self.runtimes)],
                  "events_lost": self.lost, "tracer_ns": self.tracer_ns, "span_ns": span,
                  "parallelism": total["work_ns"] / span if span else 0,
                  "ready_path": on_path,
                  **steals(self.strands, max(workers, len(by_worker))), **binding_path(self.strands, path[-1]), "delay_by_edge": by_edge, "states": states,
                  "runtime_calls": blame["calls"], "locks": locks(self), "waits": waits(self), "kinds": [],
                  "workers_profile": [{"worker": w, **by_worker[w]} for w in sorted(by_worker)]}
        held_ns = sum(held_by_kind.values())    # more than P may be held, where more were seen
        of_held = Fraction(sum(states["tracer"].values()), held_ns) if held_ns else 0
        for site, columns in by_kind.items():
            mine = [t for t in self.tasks if t.site == site]
            name, file, line = self.kind_name(site)
            result["kinds"].append({"name": name, "file": file, "line": line,
                                    "what": self.what(mine[0]), **columns, **self.tasks_of(mine),
                                    **{f"{s}_ns": blame[s].get(site, 0) for s in SPENT},
                                    "tracer_ns": of_held * held_by_kind.get(site, 0),
                                    "max_at_ns": longest_at(mine, self.first),
                                    **of_kind(self.strands, site)})
        result["paths"] = [{"name": self.path_name(path, by_path), **columns,
                            **self.tasks_of([t for t in self.tasks if paths[t] == path])}
                           for path, columns in by_path.items()]
        result["grains"] = [{"from_ns": grain, **columns, "tasks": sum(g == grain for g in grains.values())}
                            for grain, columns in by_grain.items()]
        result["names"] = {site: self.kind_name(site) for site in by_kind}
        result["ties"] = sorted(self.ties)
        return result


def rounded(shares, total):
    """The shares as integers with the same sum: those with the largest remainders get one more."""
    whole = [int(s) for s in shares]
    order = sorted(range(len(shares)), key=lambda i: whole[i] - shares[i])
    for i in order[:total - sum(whole)]:
        whole[i] += 1
    return whole


def as_json(report):
    edges = report["delay_by_edge"]
    edges.update(zip(edges, rounded(list(edges.values()), report["delay_ns"])))
    for key, state in (("tracer_ns", "tracer"), ("blocked_ns", "blocked"), ("message_ns", "message"),
                       ("device_ns", "device"), ("runtime_ns", "runtime"),
                       ("starved_ns", "idle")):
        for row, ns in zip(report["kinds"], rounded([k[key] for k in report["kinds"]],
                                                    sum(report["states"][state].values()))):
            row[key] = ns
    for column in FREE:
        calls = report["runtime_calls"]
        for call, ns in zip(calls, rounded([c[column] for c in calls.values()], report["states"]["runtime"][column])):
            calls[call][column] = ns
    for rows in (report["kinds"], report["paths"], report["grains"], report["workers_profile"]):
        for row, ns in zip(rows, rounded([r["delay_ns"] for r in rows], report["delay_ns"])):
            row["delay_ns"] = ns
    return json.dumps(report)


def main(argv):
    if argv[:1] == ["report"]:  # to stand in for tptrace
        argv = [a for a in argv[1:] if not a.startswith("--")]
    status = 0
    for path in argv:
        try:
            print(as_json(Trace(path).report()))
        except (Bad, OSError) as e:
            print(f"{path}:{e}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
