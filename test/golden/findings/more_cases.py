# SPDX-License-Identifier: MIT
"""more_cases.py - cases (cases.py) of rounds, members of regions, threads, locks, and sums of a run."""
from cases import calls
from plant import CASES, Trace, case, given, loop, spread, started


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
def blocked_not_main():
    """Main waits for a thread of the program, beside tasks of two others."""
    trace = Trace(3)
    main, other = trace.root(0), trace.root(0, 1)
    trace.wait(0, 0, "thread", "join")
    trace.note(0, 0, "object 0x10")
    tasks = [(trace.create(0, 1, "work", task=other), 1000) for _ in range(20)]
    trace.wait(0, 1)
    trace.resume(spread(trace, tasks, [1, 2]), 1, other)
    trace.end(10000, 1)
    return trace.over(10000, main), {}


@case
def blocked_in_library():
    """As blocked_thread(), in a library without lines: the place is that of the task's code."""
    trace, _ = blocked_thread()
    trace.sites["task"] = trace.sites.pop("join")
    trace.head += ["module 0 start=0x1000 end=0x2000 bias=0x1000 path=/nowhere/libx.so",
                   "site 9 runtime=0 ret=0x1500 fn=0x0 ret-module=0 line=0 at=join"]
    trace.lines = [(at, n, line.replace("wait thread site=3", "wait thread site=9")) for at, n, line in trace.lines]
    return trace, {("blocked", "load"): 6 * 3900}


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
def coarse_rounds():
    """Two rounds, each with a wait of its own, and one cause."""
    trace, main = started(2)
    for now in (0, 2000):
        tasks = [(trace.create(now, 0, "work", task=main), 1000) for _ in range(3)]
        trace.wait(now, 0, name=f"wait{now}")
        trace.resume(spread(trace, tasks, range(2), now), 0, main)
    trace.end(4000, 0)
    return trace, {("coarse", "work"): 2000}


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


@case
def fine_regions():
    return regions(100, 500), {("fine", "loop"): 100 * 2 * 1000}


@case
def fine_regions_fixed():
    return regions(1, 50000), {}


@case
def serial_token():
    """As serial_row(), in a pipeline that lets in one item at a time."""
    trace, wanted = CASES["serial_row"]()
    trace.head = [line + " tokens=1" if line.startswith("runtime ") else line for line in trace.head]
    return trace, wanted


@case
def submitter():
    """Main creates and waits, and the one worker, a thread of its own, begins late: main is no worker that is barred."""
    trace, main = started(1)
    trace.made.append(0)
    tasks = [(trace.create(0, 0, "work", task=main), 1000) for _ in range(20)]
    trace.wait(0, 0)
    return trace.over(spread(trace, tasks, (1,), 2000), main), {}


@case
def locking_several():
    """Six locks, of which none takes a fiftieth of the time, but all together more than that."""
    return calls(1260, 20, work=400, places=6), {("locking", "count"): 2 * 1260 * 2 * 20}


@case
def locking_several_seldom():
    return calls(60, 20, work=400, places=6), {}


@case
def locking_seldom():
    return calls(40, 20), {}
