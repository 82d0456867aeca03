# SPDX-License-Identifier: MIT
"""brute_tasks.py - what brute.py keeps of a trace: strands, tasks, groups, and what tasks depend on."""
from itertools import groupby


class Bad(Exception):
    """The trace contradicts itself or is no trace."""


class Node:
    """A strand, or (real=False) the zero-length node of a barrier."""
    def __init__(self, task, worker, start, real=True):
        self.task, self.worker, self.start, self.real = task, worker, start, real
        self.end = self.by = self.wait = None   # by: the event that ended it; wait: and what for
        self.wait_site = self.object = None     # where it waits; what for, or what it signals
        self.preds = []         # (edge kind, Node); a strand's own or creating strand is the first
        self.meets = False      # it is where tasks of no team met
        self.own = False        # preds[0] is the own or the creating strand
        self.cause = None       # the releasing predecessor: (edge kind, Node)
        self.ready = None


class Group:
    """A taskgroup, explicit or that of a taskloop."""
    def __init__(self, outer):
        self.outer = outer


class Fork:
    """What `fork` names: a team, or the tasks of a loop."""
    def __init__(self, ident, site, task, strand, words):
        self.ident, self.site, self.task, self.strand = ident, site, task, strand
        self.team = "team" in words
        self.nowait = "nowait" in words
        self.final = not self.team and ("final" in words or task.final)
        self.members = []
        self.barrier = {}       # episode -> Node
        self.group = None


class Task:
    def __init__(self, ident, site):
        self.ident, self.site = ident, site
        self.parent = self.fork = self.team = self.group = self.creator = None
        self.final = self.target = self.undeferred = self.empty = self.discarded = self.is_global = False
        self.bag = self.newest = None   # newest: created last
        self.on = []            # (name, who had it, how many had signalled it): what it depends on
        self.created_ns = self.joined_at = None     # joined_at: (time, worker)
        self.strands = []
        self.running = self.ended = self.joined = False
        self.explicit = True
        self.handle = None
        self.groups = []        # taskgroups that it has open
        self.clauses = []       # (mode, address) of its create
        self.after = []         # tasks that it depends on
        self.siblings = []      # its children that have clauses, in order of creation
        self.pause = None       # why it does not run: a tuple, the event first
        self.arrivals = 0       # at barriers of its team


def within(group, outer):
    while group is not None and group is not outer:
        group = group.outer
    return group is outer


def mode_at(task, address):
    modes = {m for m, a in task.clauses if a == address or m == "all"}
    if not modes:
        return None
    return modes.pop() if len(modes) == 1 else "out"


def depends_on(siblings, clauses):
    """The tasks among `siblings` (in order of creation) that one with these clauses comes after."""
    found = []
    if ("all", None) in clauses:    # an out of each address, and of all others
        found += [s for s in siblings if ("all", None) in s.clauses][-1:]
        said = dict.fromkeys(a for s in siblings for _, a in s.clauses if a is not None)
        clauses = [("out", a) for a in said]
    for mode, address in clauses:
        past = [(mode_at(s, address), s) for s in siblings]
        past = [("out" if m in ("all", "mutex") else m, s) for m, s in past if m]
        runs = [(m, [s for _, s in run]) for m, run in groupby(past, key=lambda x: x[0])]
        if mode == "in":
            runs = [r for r in runs if r[0] != "in"][-1:]
            found += runs[0][1][-1:] if runs and runs[0][0] == "out" else runs[0][1] if runs else []
            continue
        if mode == "set" and runs and runs[-1][0] == "set":
            runs.pop()
        while runs:             # back to the last writer, and with it
            m, run = runs.pop()
            found += run[-1:] if m == "out" else run
            if m != "in":
                break
    return list(dict.fromkeys(found))
