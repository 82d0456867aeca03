# SPDX-License-Identifier: MIT
"""brute_events.py - from the lines of a text trace to strands and what each follows: brute.py's choices."""
from urllib.parse import unquote

from brute_signals import Signals
from brute_tasks import Bad, Fork, Group, Node, Task, depends_on, within

# Waits that end by the rules of another.
ENDS_AS = dict.fromkeys(("mutex", "rwlock", "cond", "sem", "thread", "address", "future", "futex", "message", "device"), "object") | {"threads": "barrier", "word": "named"}
UNTIMED = {"depend", "moved", "object", "name", "bag", "group", "nowait", "handle", "cancel", "lost",
           "since", "until", "next-id", "tracer", "follows"}
WORDS = {"end": 0, "moved": 0, "group": 0, "nowait": 0, "yield": 0, "member": 3, "start": 3}   # that follow; else 1
BEGINS = ("root", "begin", "member", "start", "resume")
BETWEEN = ("tracer", "lost", "since", "until", "next-id")     # a hold and the event that waits
END_NEAR_NS = 100000
MAX_WORKERS = 65536


class Events(Signals):
    def __init__(self, path):
        self.sites, self.runtimes = {}, {}
        self.tasks, self.strands, self.nodes = [], [], []
        self.by_id = {}         # id -> Task or Fork
        self.given = {}         # worker -> ids given out
        self.current = {}       # worker -> strand
        self.stopped = {}       # worker -> task whose strand ended last there
        self.signals = {}       # object -> [(time, strand)]
        self.counted_before = {}    # bag -> how many of those its waits are done with
        self.named = {}         # name -> Task
        self.over = set()       # workers whose task was over before its END
        self.meeting = {}       # object -> the tasks that wait there
        self.said = {}          # name -> {(time, worker)} of its signals and of who is given it
        self.at_once = {}       # what must not be done by two at one time -> (time, worker)
        self.global_siblings = []
        self.cancelled = False
        self.ties = set()
        self.tracer_ns = self.lost = self.cpus = 0
        self.read(path)
        self.build()

    # ---- the text -------------------------------------------------------------------------

    def read(self, path):
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            lines = f.read().split("\n")
        self.events = {}        # worker -> [(time, line number, words, untimed lines)]
        self.early = []
        first = True
        for number, line in enumerate(lines, 1):
            words = line.split("#", 1)[0].split()
            if not words:
                continue
            self.line = number
            if first:
                if words != ["tptrace", "text", "2"]:
                    raise Bad(f"{number}: not a text trace: '{' '.join(words)}', not 'tptrace text 2'")
                first = False
            elif words[0] in ("clock", "sync", "meta", "module", "frame", "stack", "sample"):
                if words[:2] == ["meta", "cpus"]:
                    self.cpus = self.number(words[2])
                if words[0] == "clock" and words[1:] != ["ns"]:
                    raise Bad(f"{number}: '{' '.join(words)}': only 'clock ns' is understood here")
            elif words[0] == "runtime":
                values = dict(w.split("=", 1) for w in words[2:])
                self.runtimes[self.number(words[1])] = (values["name"], self.number(values["workers"]))
            elif words[0] == "site":
                values = (w.split("=", 1) for w in words[2:])
                self.sites[self.number(words[1])] = {k: unquote(v) for k, v in values}
            else:
                self.read_event(words)
        if first:
            raise Bad("1: not a text trace: it is empty")

    def number(self, word):
        try:
            value = int(word, 16 if word.lower().startswith("0x") else 10)
        except ValueError:
            raise Bad(f"{self.line}: '{word}' is not a number") from None
        if not 0 <= value < 1 << 64:
            raise Bad(f"{self.line}: {word} does not fit into 64 bits")
        return value

    def read_event(self, words):
        if len(words) < 3 or words[1][:1] != "w":
            raise Bad(f"{self.line}: '{' '.join(words)}' is not 'TIME wK EVENT'")
        worker = self.number(words[1][1:])
        if not 0 <= worker < MAX_WORKERS:
            raise Bad(f"{self.line}: worker number {worker} is too large")
        mine = self.events.setdefault(worker, [])
        if words[2] not in (UNTIMED if words[0] == "-" else EVENTS):
            raise Bad(f"{self.line}: unknown event '{words[2]}'")
        if len(words) - 3 < WORDS.get(words[2], 1):
            raise Bad(f"{self.line}: '{words[2]}' lacks something")
        if words[0] == "-":
            (mine[-1][3] if mine else self.early).append((worker, self.line, words[2:]))
            if words[2] == "name" and mine:
                self.said.setdefault(self.number(words[3]), set()).add((mine[-1][0], worker))
            return
        time = self.number(words[0])
        if mine and time < mine[-1][0]:
            raise Bad(f"{self.line}: time runs backwards on w{worker}: {time} after {mine[-1][0]}")
        mine.append((time, self.line, words[2:], []))
        if words[2] == "signal":
            self.said.setdefault(self.number(words[3]), set()).add((time, worker))

    # ---- from events to nodes ---------------------------------------------------------------

    def build(self):
        heads = {w: 0 for w, mine in self.events.items() if mine}
        times = [e[0] for mine in self.events.values() for e in mine]
        if not times:
            raise Bad("1: no events")
        self.first, self.last = min(times), max(times)
        self.heads = dict(heads)
        for extra in self.early:
            self.apply_untimed(*extra)
        while heads:
            time = min(self.events[w][i][0] for w, i in heads.items())
            ready = sorted((self.events[w][i][1], w) for w, i in heads.items()
                           if self.events[w][i][0] == time)
            worker = ready[0][1]
            if len(ready) > 1:
                can = {w: self.possible(w, heads[w]) for _, w in ready}
                worker = max(ready, key=lambda x: (can[x[1]], -x[0]))[1]
                if can[worker] < 2 and sum(c < 2 for c in can.values()) > 1:
                    self.ties.add("order")  # several give up at once, and one may free another
            self.now, self.line, words, extras = self.events[worker][heads[worker]]
            self.worker = worker
            self.before_event(worker)
            getattr(self, EVENTS[words[0]])(worker, words)
            for extra in extras:
                self.apply_untimed(*extra)
            heads[worker] = self.heads[worker] = heads[worker] + 1
            if heads[worker] == len(self.events[worker]):
                del heads[worker]
        self.close_open()
        self.cut_window()

    def close_open(self):
        for worker, strand in self.current.items():
            if strand is not None:
                root = strand.task.site is None
                strand.end = self.events[worker][-1][0] if root else self.last

    def cut_window(self):
        """The window ends before what roots did at last: a yield, or a wait for a lock or a thread, and nobody else."""
        def suspended(node):
            return node.by == "yield" or node.by == "wait" and (node.wait == "object" or node.wait in ENDS_AS)

        def idle(node):
            return node.real and node.task.site is None and not node.task.fork and len(node.preds) == 1 and \
                node.preds[0][1].task is node.task and suspended(node.preds[0][1]) and \
                (node.by is None or suspended(node))

        rest = list(self.nodes)
        while rest and idle(rest[-1]):
            rest.pop()
        gone = self.nodes[len(rest):]
        if not gone or not any(n.real and n.task.site is not None for n in rest):
            return
        last = [n.preds[0][1] for n in gone if n.preds[0][1] not in gone]
        end = max([n.start for n in last] + [n.end for n in rest if n not in last])
        gone = [n for n in gone if n.start > end]
        if not gone:
            return
        self.nodes = [n for n in self.nodes if n not in gone]
        self.strands = [n for n in self.strands if n not in gone]
        last = [n.preds[0][1] for n in gone if n.preds[0][1] not in gone]
        self.last = end
        for node in gone:
            node.task.strands.remove(node)
            self.drop(node.worker, node.start, BEGINS)
            if node.by:
                self.drop(node.worker, node.end, ("yield", "wait"))
        for node in (n for n in last if n.end >= self.last):
            self.drop(node.worker, node.end, ("yield", "wait"))
            node.end, node.by, node.wait, node.wait_site, node.object = self.last, None, None, None, None

    def drop(self, worker, time, words):
        """That event of a worker, and what held it up to there, or behind it."""
        mine = self.events[worker]
        i = max(i for i, e in enumerate(mine) if e[0] == time and e[2][0] in words)
        before = [x for x in (mine[i - 1][3] if i else self.early) if x[0] == worker]
        last = max((n for n, x in enumerate(before) if x[2][0] not in BETWEEN), default=-1)
        for extra in before[last + 1:] + mine[i][3]:
            if extra[2][0] == "tracer":
                self.tracer_ns -= self.number(extra[2][1])
                extra[2][:] = ["next-id", "0"]
        del mine[i]

    def before_event(self, worker):
        """For brute_gaps.py."""

    def possible(self, worker, index):
        """2: this event can be next; 1: it can, but misses what it waits for; 0: a contradiction."""
        words = self.events[worker][index][2]
        if words[0] in ("begin", "resume", "start", "discard", "discard-named"):
            task = self.named.get(self.number(words[-1])) if words[0] in ("start", "discard-named") \
                else self.by_id.get(words[1])
            if not isinstance(task, Task) or task.running:
                return 0
            if words[0] in ("begin", "start"):
                after = [t for t in task.after if not t.discarded]
                return 0 if not all(map(self.complete, after)) else \
                    2 if all(then is None or self.complete(then) for _, then, _ in task.on) else 1
            return 2 if words[0] != "resume" or task.pause and self.satisfied(task) else 1
        if words[0] == "member":
            return 2 if words[3] in self.by_id else 0
        return 2

    def bad(self, text):
        raise Bad(f"{self.line}: {text}")

    def next_id(self, worker, word):
        self.given[worker] = self.given.get(worker, 0) + 1
        want = f"{worker}.{self.given[worker]}"
        if word != want:
            self.bad(f"id {word} where {want} is the next")
        return want

    def complete(self, task):
        if task.empty:
            return all(t.discarded or self.complete(t) for t in task.after)
        return task.ended and (task.handle is None or task.handle in self.signals)

    def lasts(self, task):
        """The strands with which a complete task ended."""
        if task.empty:
            return [s for t in task.after if not t.discarded for s in self.lasts(t)]
        return [task.strands[-1]] + ([self.signals[task.handle][0][1]] if task.handle else [])

    def done_ns(self, task):
        """When a complete task's code was over."""
        if task.empty:
            return max([task.created_ns] + [self.done_ns(t) for t in task.after if not t.discarded])
        return task.strands[-1].end

    def once(self, what, worker):
        if self.at_once.get(what, (None, worker)) == (self.now, worker):
            return
        time, other = self.at_once.get(what, (None, worker))
        if time == self.now and other != worker:
            self.ties |= {"order", "work"}
        self.at_once[what] = (self.now, worker)

    def awaited(self, task):
        """The tasks, complete or not, that the wait, fork or create of `task` is for."""
        kind, what = task.pause[0], task.pause[1]
        todo = [t for t in self.tasks if t is not task and not t.discarded and
                (not t.joined or t.joined_at[0] == self.now and t.joined_at[1] != self.worker)]
        if kind == "create":
            return [what] if what.undeferred and what in todo else []
        if kind == "fork":
            if what.nowait:
                return []
            if what.team:
                return [t for t in todo if t.fork is what or t.team is what]
            return [t for t in todo if within(t.group, what.group)]
        if kind == "children":
            return [t for t in todo if t.parent is task]
        if kind == "bag":
            return [t for t in todo if t.bag == what]
        if kind == "group":
            return [t for t in todo if within(t.group, what)]
        if kind == "team":
            return [t for t in todo if t.team is what and not (t.fork and t.fork.team)]
        if kind == "depend":
            return [t for t in depends_on(task.pause[3], task.pause[2]) if not t.discarded]
        return []

    def satisfied(self, task):
        kind = task.pause[0]
        if kind == "team":
            team, episode = task.pause[1:3]
            if episode in team.barrier:
                return True
            if any(m.arrivals < episode and not m.ended for m in team.members):
                return False
        if kind == "object":
            return bool(self.signals_during(task))
        if kind == "named":
            return all(t is None or t.discarded or self.complete(t)
                       for t in (task.pause[2], self.named.get(task.pause[1])))
        if kind == "barrier":
            return False
        return all(map(self.complete, self.awaited(task)))

    def start(self, worker, task, preds):
        if self.current.get(worker):
            self.bad(f"w{worker} already runs {self.current[worker].task.ident}")
        node = Node(task, worker, self.now)
        node.own = bool(preds)
        for kind, pred in preds:
            if pred not in [p for _, p in node.preds] and (pred.task is not task or not node.preds):
                node.preds.append((kind, pred))
        self.strands.append(node)
        self.nodes.append(node)
        task.strands.append(node)
        task.running = True
        self.current[worker] = node

    def stop(self, worker, what):
        node = self.current.get(worker)
        if node is None:
            self.bad(f"{what} on w{worker}, which runs no strand (nothing is running there)")
        node.end, node.by = self.now, what
        node.task.running = False
        self.current[worker] = None
        self.stopped[worker] = node.task
        return node

    def site(self, words):
        for word in words:
            if word.startswith("site="):
                return self.number(word[5:])
        return 0

    def add_task(self, task):
        self.tasks.append(task)
        self.by_id[task.ident] = task

    def on_root(self, worker, words):
        task = Task(self.next_id(worker, words[1]), None)
        task.explicit = False
        self.add_task(task)
        self.start(worker, task, [])

    def on_create(self, worker, words):
        strand = self.stop(worker, "create")
        parent = strand.task
        task = Task(self.next_id(worker, words[1]), self.site(words))
        task.creator, task.parent, task.team = strand, parent, parent.team
        task.created_ns, task.is_global, parent.newest = self.now, "global" in words, task
        task.group = parent.groups[-1] if parent.groups else parent.group
        task.final = "final" in words or parent.final
        task.undeferred = "undeferred" in words or parent.final
        task.target, task.empty = "target" in words, "empty" in words
        self.add_task(task)
        parent.pause = ("create", task)

    def on_begin(self, worker, words):
        task = self.by_id.get(words[1])
        if not isinstance(task, Task) or task.creator is None:
            self.bad(f"begin of {words[1]}, which was not created")
        self.begin(worker, task)

    def on_start(self, worker, words):
        name = self.number(words[3])
        task = self.named.get(name)
        if task is None:
            self.bad(f"start of {words[3]}, which no task is named")
        self.may_swap(name, self.now, worker)
        self.by_id[self.next_id(worker, words[1])] = task
        self.begin(worker, task)

    def begin(self, worker, task):
        if task.strands or task.empty or task.discarded:
            self.bad(f"{task.ident} begins twice, or cannot begin")
        preds = [("create", task.creator)]
        for other in task.after:
            if other.discarded:
                continue
            if not self.complete(other):
                self.bad(f"{task.ident} begins before {other.ident}, on which it depends, ended")
            preds += [("depend", s) for s in self.lasts(other)]
        self.start(worker, task, preds + self.by_names(worker, task))

    def on_discard(self, worker, words):
        self.discard(self.by_id.get(words[1]))

    def on_discard_named(self, worker, words):
        self.may_swap(self.number(words[1]), self.now, worker)
        self.discard(self.named.get(self.number(words[1])))

    def discard(self, task):
        if not isinstance(task, Task) or task.strands or task.discarded:
            self.bad("discard of what was not created, has begun, or was discarded")
        task.discarded = True

    def on_fork(self, worker, words):
        strand = self.stop(worker, "fork")
        task = strand.task
        fork = Fork(self.next_id(worker, words[1]), self.site(words), task, strand, words)
        outer = task.groups[-1] if task.groups else task.group
        fork.group = None if fork.team else outer if fork.nowait else Group(outer)
        self.by_id[fork.ident] = fork
        task.pause = ("fork", fork)

    def on_member(self, worker, words):
        fork = self.by_id.get(words[3])
        if not isinstance(fork, Fork):
            self.bad(f"member of {words[3]}, which is no group")
        task = Task(self.next_id(worker, words[1]), fork.site)
        task.fork, task.group, task.final = fork, fork.group, fork.final
        task.explicit = not fork.team
        task.team = fork if fork.team else fork.task.team
        task.parent = fork.task if fork.nowait else None
        fork.members.append(task)
        self.add_task(task)
        self.start(worker, task, [("create", fork.strand)])

    def on_resume(self, worker, words):
        task = self.by_id.get(words[1])
        if not isinstance(task, Task):
            self.bad(f"resume of {words[1]}, which is no task")
        if task.running:
            self.bad(f"resume of {words[1]}, which is running")
        if task.ended or task.pause is None:
            self.bad(f"resume of {words[1]}, which does not wait")
        kind = task.pause[0]
        cont = "create_cont" if kind in ("create", "fork") else "wait_cont"
        preds = [(cont, task.strands[-1])]
        if kind == "team":
            preds.append(("join", self.barrier(task)))
        elif kind == "object":
            preds += self.released_by(task)
        elif kind == "named":
            preds += self.resume_named(worker, task)
        elif kind == "barrier":
            preds.append(("join", self.meet(task)))
        else:
            if kind == "fork" and any(e[0] == self.now and e[2][0] == "member" and e[2][3] == task.pause[1].ident
                                      for w, mine in self.events.items() for e in mine[self.heads.get(w, 0):]):
                self.ties.add("order")      # a member that could have run before
            if kind == "bag":
                self.once(("bag", task.pause[1]), worker)
                self.end_early(task)
                preds += self.counted(task)
            preds += self.join(self.awaited(task), again=kind == "depend")
        task.pause = None
        self.start(worker, task, preds)

    def end_early(self, task):
        bag = task.pause[1]
        alone = all(t is task or t.pause is None or t.pause[:2] != ("bag", bag) for t in self.tasks)
        for worker, strand in list(self.current.items()):
            events = self.events[worker][self.heads[worker]:]
            if worker != self.worker and (
                    strand and strand.task.bag == bag and strand.start == self.now or
                    events and events[0][0] == self.now and events[0][2][0] not in ("end", "wait")):
                self.ties |= {"order", "work"}
            if strand and strand.task.bag == bag and events and events[0][2][0] == "end" and \
                    (alone or events[0][0] - self.now < END_NEAR_NS):
                self.on_end(worker, ["end"])
                self.over.add(worker)

    def meet(self, task):
        """The node of those that wait at the object, made when the first goes on."""
        obj, node = task.pause[1:3]
        if node is None:
            node = Node(None, None, None, real=False)
            node.preds = [("join", t.strands[-1]) for t in self.meeting[obj]]
            node.start = node.end = max(s.end for _, s in node.preds)
            node.meets = True
            self.nodes.append(node)
            for t in self.meeting.pop(obj):
                t.pause = ("barrier", obj, node)
        return node

    def join(self, tasks, again=False):
        preds = []
        for task in tasks:
            if task.joined and not again:       # at this very time
                self.ties.add("order")
            elif self.complete(task):
                task.joined, task.joined_at = True, (self.now, self.worker)
                preds += [("join", s) for s in self.lasts(task)]
            elif task.undeferred and task.ended and not again and self.creates(task):
                preds.append(("join", task.strands[-1]))    # its code is over, its handle not signalled
        return preds

    def creates(self, child):
        """Whether its creator goes on now, for the first time."""
        pause = child.creator.task.pause
        return bool(pause) and pause[:2] == ("create", child)

    def barrier(self, task):
        team, episode = task.pause[1:3]
        if episode not in team.barrier:
            node = Node(None, None, None, real=False)
            waiting = [m for m in team.members if m.pause and m.pause[0] == "team" and
                       m.pause[2] == episode]
            node.preds = list({id(s): (k, s) for k, s in [("join", m.strands[-1]) for m in waiting] +
                               self.join(self.awaited(task))}.values())
            node.start = node.end = max(s.end for _, s in node.preds)
            team.barrier[episode] = node
            self.nodes.append(node)
        return team.barrier[episode]

    def on_wait(self, worker, words):
        strand = self.stop(worker, "wait")
        task, kind = strand.task, words[1]
        strand.wait, strand.wait_site = kind, self.site(words)
        kind = ENDS_AS.get(kind, kind)
        if kind not in ("children", "group", "team", "depend", "object", "named", "bag", "barrier"):
            self.bad(f"wait for '{kind}'")
        task.pause = (kind, None)
        if kind == "group":
            task.pause = (kind, task.groups.pop()) if task.groups else ("children", None)
        elif kind == "team" and task.fork and task.fork.team:
            task.arrivals += 1
            task.pause = (kind, task.fork, task.arrivals)
        elif kind == "team":
            task.pause = ("children", None)
        elif kind == "depend":
            is_global = "global" in words
            task.pause = (kind, None, [], list(self.global_siblings if is_global else task.siblings))
            if is_global:
                self.once("global", worker)

    def on_yield(self, worker, words):
        self.stop(worker, "yield").task.pause = ("yield", None)

    def on_signal(self, worker, words):
        strand = self.stop(worker, "signal")
        strand.object = self.number(words[1])
        self.signals.setdefault(strand.object, []).append((self.now, strand))
        strand.task.pause = ("signal", None)

    def on_end(self, worker, words):
        if worker in self.over:
            self.over.remove(worker)
            return
        self.stop(worker, "end").task.ended = True

    def apply_untimed(self, worker, line, words):
        self.line = line
        strand = self.current.get(worker)
        before = self.stopped.get(worker) if strand is None else None
        if words[0] == "tracer":
            self.tracer_ns += self.number(words[1])
        elif words[0] == "lost":
            self.lost += self.number(words[1])
        elif words[0] == "next-id":
            self.given[worker] = self.number(words[1])
        elif words[0] == "depend":
            clause = (words[1], None if words[1] == "all" else self.number(words[2]))
            pause = before.pause if before else None
            if pause and pause[0] == "create":
                child = pause[1]
                if words[1] == "on":
                    self.may_swap(clause[1], self.now, worker)
                    child.on.append((clause[1], self.named.get(clause[1]), len(self.signals.get(clause[1], []))))
                    return
                if child.is_global:
                    self.once("global", worker)
                among = self.global_siblings if child.is_global else before.siblings
                child.clauses.append(clause)
                child.after = depends_on([s for s in among if s is not child], child.clauses)
                if child not in among:
                    among.append(child)
            elif pause and pause[0] == "depend":
                pause[2].append(clause)
            else:
                self.bad("depend follows neither a create nor a wait depend")
        elif words[0] == "object":
            kind = before.pause[0] if before and before.pause else None
            if kind not in ("object", "named", "bag", "barrier"):
                self.bad("object does not follow a wait for one")
            obj = self.number(words[1])
            if kind != "named" or before.strands[-1].wait == "word":
                before.strands[-1].object = obj
            before.pause = (kind, obj, self.named.get(obj) if kind == "named" else None)
            if kind == "barrier":
                self.meeting.setdefault(obj, []).append(before)
        elif words[0] == "nowait":
            if not before or not before.pause:
                self.bad("nowait does not follow a wait")
            if before.pause[0] == "team":
                before.arrivals -= 1
            if before.pause[0] == "barrier":
                self.meeting[before.pause[1]].remove(before)
            before.strands[-1].by = before.pause = ("nowait", None)
            before.strands[-1].wait = None
        elif words[0] in ("name", "bag"):
            child = (strand.task if strand else before).newest
            if words[0] == "name":
                self.named[self.number(words[1])] = child
            else:
                child.bag = self.number(words[1])
                child.parent = child.team = child.group = None
        elif words[0] == "follows":
            self.follows(strand, self.number(words[1]))
        elif words[0] == "cancel":
            self.cancelled = True
        elif strand is None:
            self.bad(f"{words[0]} on w{worker}, which runs no strand")
        elif words[0] == "group":
            task = strand.task
            task.groups.append(Group(task.groups[-1] if task.groups else task.group))
        elif words[0] == "handle":
            strand.task.handle = self.number(words[1])


EVENTS = {name[3:].replace("_", "-"): name for name in dir(Events) if name.startswith("on_")}
