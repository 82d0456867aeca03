# SPDX-License-Identifier: MIT
"""cases.py - runs with one known cause each, and the same programs repaired: all of them.

A case gives a trace and what must be found in it: {(id, where): core-ns}.  Those of few events are files of traces/.
"""
import os

import grain_cases  # noqa: F401
import inside_cases  # noqa: F401
import machine_cases  # noqa: F401
import more_cases  # noqa: F401
import producer_cases  # noqa: F401
import wait_cases  # noqa: F401
from plant import CASES, Trace, case, fork_team, loop, plant_files, planted, spread, started, team  # noqa: F401


# ---- serial stretches ----

planted(
    serial_head=lambda: (loop(4, [("work", 1000)] * 40, head=5000), {("serial", "main"): 15000}),
    # Case 14: images are read between parallel loops.
    serial_middle=lambda: (loop(4, *[[("work", 1000)] * 8] * 5, between=2000), {("serial", "main"): 4 * 6000}),
    # Cases 3 and 15.
    serial_tail=lambda: (loop(4, [("work", 1000)] * 40, tail=5000), {("serial", "main"): 15000}),
    serial_none=lambda: (loop(4, [("work", 1000)] * 40), {}),
)


@case
def serial_threads_in_turn():
    """Threads begin one after the other, each with tasks of its own: that the last one began late is not its fault."""
    trace = Trace(2)
    for now in range(0, 30000, 1000):
        root = trace.root(now)
        tasks = [(trace.create(now, 0, "work", task=root), 200) for _ in range(2)]
        trace.wait(now, 0)
        now = spread(trace, tasks, range(2), now)
        trace.resume(now, 0, root)
        trace.end(now + 3, 0)
    return trace, {}


# ---- the last tasks ----

planted(
    # Case 9: a long task happens to begin last.
    tail=lambda: (loop(4, [("work", 1000)] * 40 + [("work", 10000)]), {("tail", "work"): 30000}),
    # Three long ones, of which one begins last.
    tail_of_three=lambda: (loop(4, [("work", 10000)] * 2 + [("work", 1000)] * 38 + [("work", 10000)]),
                           {("tail", "work"): 28000}),
    tail_fixed=lambda: (loop(4, [("work", 10000)] + [("work", 1000)] * 30), {}),
    # The long one is of a copy of that code, as compilers make them of unrolled loops.
    tail_copies=lambda: (loop(4, [("work", 1000)] * 20 + [("work/2", 1000)] * 20 + [("work/3", 10000)]),
                         {("tail", "work"): 30000}),
    # Case 13 at the coarse end; case c of the scheduling consequence graphs.
    coarse=lambda: (loop(4, [("work", 1000)] * 5), {("coarse", "work"): 3000}),
    coarse_fixed=lambda: (loop(4, [("work", 125)] * 40), {}),
    wait=lambda: (loop(4, *[[("work", 1000)] * 3 + [("work", 3000)]] * 10), {("wait", "wait"): 60000}),
    # Each task is waited for before the next one is created.
    wait_each=lambda: (loop(4, *[[("work", 1000)]] * 10), {("wait", "wait"): 30000}),
)


def wait_recursive(each, longest=20000):
    """A tree of depth 5 on one worker of two: each task waits for each of its two children, or for both.

    The last of the leaves may be longer."""
    trace = Trace(2)
    root, leaves = trace.root(0), []

    def visit(task, depth, now):
        if not depth:
            leaves.append(now)
            return now + (longest if len(leaves) == 32 else 20000)
        children = []
        for child_number in range(2):
            children.append(trace.create(now, 0, "tree", task=task))
            if not each and len(children) < 2:
                continue
            trace.wait(now, 0, name="wait" if len(children) < 2 and child_number == 0 else "last")
            for child in children:
                trace.put(now, 0, f"begin {child}")
                now = visit(child, depth - 1, now)
                trace.end(now, 0)
            trace.resume(now, 0, task)
            children = []
        return now

    trace.end(visit(root, 5, 0), 0)
    return trace


planted(
    # Each task of a tree waits for its first child before it creates the second: nobody else ever has anything.
    wait_each_child=lambda: (wait_recursive(True), {("wait", "wait"): 16 * 20000, ("wait", "last"): 16 * 20000}),
    # One of them is much longer: to begin it first is no way, as there is one task at a time.
    wait_each_long=lambda: (wait_recursive(True, 100000),
                            {("wait", "wait"): 16 * 20000, ("wait", "last"): 15 * 20000 + 100000}),
    # It waits for both: there is something for others, and they do not come.
    wait_both_children=lambda: (wait_recursive(False), {("unshared", "tree"): 31 * 20000}),
    # As many rounds of one task more than there are workers.
    wait_few=lambda: (loop(4, *[[("work", 1000)] * 5] * 10), {("wait", "wait"): 30000}),
    # There are enough tasks, and none is long: what is next should not wait for them.
    wait_many=lambda: (loop(4, *[[("work", 1000)] * 13] * 10), {("wait", "wait"): 30000}),
    # The long one has code of its own, and begins last.
    tail_only=lambda: (loop(4, [("work", 1000)] * 40 + [("solve", 10000)]), {("tail", "solve"): 30000}),
    # It began first, and is too long anyhow.
    coarse_only=lambda: (loop(4, [("solve", 20000)] + [("work", 1000)] * 30), {("coarse", "solve"): 30000}),
    wait_fixed=lambda: (loop(4, [("work", 3000)] * 12 + [("work", 1000)] * 24), {}),
    imbalance=lambda: (team(4000, 1000, 1000, 1000), {("imbalance", "barrier"): 9000}),
    imbalance_fixed=lambda: (team(2000, 2000, 2000, 2000), {}),
)


def steps(n, *episodes):
    """A team that meets after each episode: how long each member works in it, and the barrier's name."""
    workers = len(episodes[0][0])
    trace, main, members = fork_team(workers)
    now = 0
    for lengths, name in episodes * n:
        for worker, length in enumerate(lengths):
            trace.wait(now + length, worker, "team", name)
        now += max(lengths)
        for worker, member in enumerate(members):
            trace.resume(now, worker, member)
    for worker in range(workers):
        trace.end(now, worker)
    return trace.over(now, main)


planted(
    # The same member comes last each time, so that the ready path never leaves it.
    imbalance_steps=lambda: (steps(10, ((4000, 1000, 1000, 1000), "barrier")), {("imbalance", "barrier"): 10 * 9000}),
    # Each time another member comes last.
    imbalance_turns=lambda: (steps(5, ((4000, 1000, 1000, 1000), "barrier"), ((1000, 1000, 4000, 1000), "barrier")),
                             {("imbalance", "barrier"): 10 * 9000}),
    # One member does the work of all before one barrier, and its share before another.
    serial_member=lambda: (steps(10, ((4000, 0, 0, 0), "master"), ((1000, 1000, 1000, 1000), "barrier")),
                           {("serial", "master"): 10 * 12000}),
)


def meetings(n, work, on):
    """A team of four that meets n times, and goes on so long after the last one has come."""
    trace, main, members = fork_team(4)
    now = 0
    for _ in range(n):
        now += work
        for worker in range(4):
            trace.wait(now, worker, "team", "barrier")
        now += on
        for worker, member in enumerate(members):
            trace.resume(now, worker, member)
    for worker in range(4):
        trace.end(now + work, worker)
    return trace.over(now + work, main)


planted(
    barriers=lambda: (meetings(200, 1000, 500), {("barrier", "barrier"): 4 * 200 * 500}),
    # Each costs less than a tenth of the work.
    barriers_cheap=lambda: (meetings(200, 1000, 90), {}),
    barriers_few=lambda: (meetings(20, 1000, 500), {}),
    # A sixth is lost, but who works for so long does not meet too often.
    barriers_long=lambda: (meetings(200, 300000, 50000), {}),
)


# ---- dependences ----


def gates(rounds, links=1):
    """Rounds of eight tasks, each with links that depend on all of them and on each other, and that the next ones
    depend on."""
    trace, main = started(2)
    tasks = [[[trace.create(0, 0, name, how, task=main) for _ in range(n)] for name, how, n in
              (("work", "in 0x10", 8), ("decide", "out 0x10", links))] for _ in range(rounds)]
    trace.wait(0, 0)
    now = 0
    for work, decide in tasks:
        now = spread(trace, [(task, 1000) for task in work], range(2), now)
        for task in decide:
            trace.run(task, 0, now, now + 2000)
            now += 2000
    return trace.over(now, main)


planted(
    # One task that depends on all before it, and all after it on that.
    serial_gate=lambda: (gates(2), {("serial", "decide"): 4000}),
    # Six of them: each alone, but not one after the other.
    serial_gates=lambda: (gates(6), {("serial", "decide"): 12000}),
    # Where each time four follow each other, that is a chain.
    chain_between=lambda: (gates(6, 4), {("chain", "decide"): 6 * 4 * 2000}),
)


plant_files(os.path.join(os.path.dirname(os.path.abspath(__file__)), "traces"))
