# SPDX-License-Identifier: MIT
"""more_cases.py - cases (cases.py) of rounds, members of regions, threads, and sums of a run."""
from plant import case, given, loop, planted, started


@case
def asleep_by_sums():
    """Sample by sample all of it may be waits for a CPU, which lag by one; the sums of the run prove the half."""
    trace = loop(2, [("work", 1000)] * 20 + [("read", 1000)] * 20, cpus=2, cpu_times="clock")
    for worker in range(2):
        trace.cpu(worker, (0, 0, 0), (10000, 10000, 0),
                  *((10000 + 1000 * n, 10000 + 100 * n, 450 * n) for n in range(1, 11)))
    return trace, {("asleep", "read"): 2 * 10 * 450, ("loaded", "main"): 2 * 450}


@case
def blocked_thread():
    """Each task waits for a thread that it made, of whose work there is no event; the place is one."""
    trace, main, tasks = given(2, "load", 6)
    for number, task in enumerate(tasks):
        at, worker = 4000 * (number // 2), number % 2
        trace.put(at, worker, f"begin {task}")
        trace.block(at, at + 3900, worker, task, "thread", "join", f"0x{number + 1}0")
        trace.end(at + 4000, worker)
    return trace.over(12000, main), {("blocked", "join"): 23400}


@case
def fine_long_copies():
    """Most are short, some long, and to create one takes 3000 of both workers: what is copied comes first.

    Main works as long as the task does, behind each creation; what is behind the last is its own."""
    trace, main = started(2, event_cost_ps=5000)
    now = 0
    for number in range(200):
        length = 100 if number % 50 else 5 * 10 ** 6
        task = trace.create(now, 0, "work", task=main, back=now + 3000)
        trace.run(task, 1, now + 500, now + 500 + length)
        now += 3000 + length
    trace.wait(now, 0)
    return trace.over(now, main), {("fine", "work"): 200 * (2 * 3000 - 20) - 100}


@case
def wait_bag():
    """Who waits creates one task, which creates the two others of the round: too few, and not one by one."""
    trace, main = started(2)

    def create(worker, now, task):
        child = trace.create(now, worker, "work")
        trace.note(now, worker, "bag 0x1")
        trace.resume(now, worker, task)
        return child

    for now in range(0, 20000, 2000):
        first = create(0, now, main)
        trace.wait(now, 0, "bag")
        trace.note(now, 0, "object 0x1")
        trace.put(now, 0, f"begin {first}")
        rest = [create(0, now, first) for _ in range(2)]
        trace.end(now + 1000, 0)
        for number, task in enumerate(rest):
            trace.run(task, 1, now + 1000 * number, now + 1000 * number + 1000)
        trace.resume(now + 2000, 0, main)
    trace.end(20000, 0)
    return trace, {("wait", "wait"): 10000}


def regions(n, length, cost=1000):
    """So many regions of two members that work so long; to begin and to end one takes so long."""
    trace, main = started(2)
    now = 0
    for _ in range(n):
        fork = trace.make(0)
        trace.put(now, 0, f"fork {fork} site={trace.site('loop')} team")
        for worker in range(2):
            member = trace.make(worker)
            trace.put(now + cost, worker, f"member {member} of {fork}")
            trace.wait(now + cost + length, worker, "team", "barrier")
            trace.leave(now + cost + length, worker, member)
        now += cost + length
        trace.resume(now, 0, main)
    trace.end(now, 0)
    return trace


planted(
    fine_regions=lambda: (regions(100, 500), {("fine", "loop"): 100 * 2 * 1000}),
    fine_regions_fixed=lambda: (regions(1, 50000), {}),
)
