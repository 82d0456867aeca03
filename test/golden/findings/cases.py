# SPDX-License-Identifier: MIT
"""cases.py - runs with one known cause each, and the same programs repaired.

A case gives a trace and what must be found in it: {(id, where): core-ns}.
"""
from plant import CASES, Trace, case, given, loop, spread, started  # noqa: F401


# ---- serial stretches ----

@case
def serial_head():
    return loop(4, [("work", 1000)] * 40, head=5000), {("serial", "main"): 15000}


@case
def serial_middle():
    """Case 14: images are read between parallel loops."""
    return loop(4, *[[("work", 1000)] * 8] * 5, between=2000), {("serial", "main"): 4 * 6000}


@case
def serial_tail():
    """Cases 3 and 15."""
    return loop(4, [("work", 1000)] * 40, tail=5000), {("serial", "main"): 15000}


@case
def serial_none():
    return loop(4, [("work", 1000)] * 40), {}


@case
def serial_merge():
    """Case 1: after the parts of a task its merge falls back to serial code, and all others wait."""
    trace, main = started(4)
    sort = trace.create(0, 0, "sort", task=main)
    trace.wait(0, 0)
    trace.put(0, 1, f"begin {sort}")
    parts = [(trace.create(0, 1, "part", task=sort), 1000) for _ in range(40)]
    trace.wait(0, 1)
    now = spread(trace, parts, range(4))
    trace.resume(now, 1, sort)
    trace.end(now + 6000, 1)
    return trace.over(now + 6000, main), {("serial", "sort"): 18000}


@case
def serial_row():
    """Each task creates the next one when it is done."""
    trace, main = started(2)
    trace.note(0, 0, "group")
    task = trace.create(0, 0, "stage", task=main)
    trace.wait(0, 0, "group")
    for number in range(20):
        worker, now = number % 2, 1000 * number + 1000
        trace.put(now - 1000, worker, f"begin {task}")
        following = trace.create(now, worker, "stage", task=task) if number < 19 else None
        trace.end(now, worker)
        task = following
    return trace.over(20000, main), {("serial", "stage"): 19000, ("coarse", "stage"): 1000}


@case
def serial_recursion():
    """Case 2: serial code before the tasks of a task, while nothing else is there."""
    trace, main = started(4)
    whole = trace.create(0, 0, "strassen", task=main)
    trace.wait(0, 0)
    trace.put(0, 0, f"begin {whole}")
    parts = [(trace.create(3000, 0, "part", task=whole), 1000) for _ in range(40)]
    trace.wait(3000, 0)
    now = spread(trace, parts, range(4), 3000)
    trace.leave(now, 0, whole)
    return trace.over(now, main), {("serial", "strassen"): 9000}


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

@case
def tail():
    """Case 9: a long task happens to begin last."""
    return loop(4, [("work", 1000)] * 40 + [("work", 10000)]), {("tail", "work"): 30000}


@case
def tail_of_three():
    """Three long ones, of which one begins last."""
    return loop(4, [("work", 10000)] * 2 + [("work", 1000)] * 38 + [("work", 10000)]), {("tail", "work"): 28000}


@case
def tail_fixed():
    return loop(4, [("work", 10000)] + [("work", 1000)] * 30), {}


@case
def tail_copies():
    """The long one is of a copy of that code, as compilers make them of unrolled loops."""
    return loop(4, [("work", 1000)] * 20 + [("work/2", 1000)] * 20 + [("work/3", 10000)]), {("tail", "work"): 30000}


@case
def coarse():
    """Case 13 at the coarse end; case c of the scheduling consequence graphs."""
    return loop(4, [("work", 1000)] * 5), {("coarse", "work"): 3000}


@case
def coarse_fixed():
    return loop(4, [("work", 125)] * 40), {}


@case
def wait():
    return loop(4, *[[("work", 1000)] * 3 + [("work", 3000)]] * 10), {("wait", "wait"): 60000}


@case
def wait_each():
    """Each task is waited for before the next one is created."""
    return loop(4, *[[("work", 1000)]] * 10), {("wait", "wait"): 30000}


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


@case
def wait_each_child():
    """Each task of a tree waits for its first child before it creates the second: nobody else ever has anything."""
    return wait_recursive(True), {("wait", "wait"): 16 * 20000, ("wait", "last"): 16 * 20000}


@case
def wait_each_long():
    """One of them is much longer: to begin it first is no way, as there is one task at a time."""
    return wait_recursive(True, 100000), {("wait", "wait"): 16 * 20000, ("wait", "last"): 15 * 20000 + 100000}


@case
def wait_both_children():
    """It waits for both: there is something for others, and they do not come."""
    return wait_recursive(False), {("unshared", "tree"): 31 * 20000}


@case
def wait_few():
    """As many rounds of one task more than there are workers."""
    return loop(4, *[[("work", 1000)] * 5] * 10), {("wait", "wait"): 30000}


@case
def wait_many():
    """There are enough tasks, and none is long: what is next should not wait for them."""
    return loop(4, *[[("work", 1000)] * 13] * 10), {("wait", "wait"): 30000}


@case
def wait_below():
    """A group waits for what a task of it creates, too."""
    trace, main = started(2)
    now = 0
    for _ in range(10):
        trace.note(now, 0, "group")
        part = trace.create(now, 0, "part", task=main)
        trace.wait(now, 0, "group")
        trace.put(now, 1, f"begin {part}")
        log = trace.create(now + 1000, 1, "log", task=part)
        trace.end(now + 1000, 1)
        trace.run(log, 1, now + 1000, now + 3000)
        now += 3000
        trace.resume(now, 0, main)
    trace.end(now, 0)
    return trace, {("wait", "wait"): 20000, ("serial", "part"): 10000}


@case
def tail_only():
    """The long one has code of its own, and begins last."""
    return loop(4, [("work", 1000)] * 40 + [("solve", 10000)]), {("tail", "solve"): 30000}


@case
def coarse_only():
    """It began first, and is too long anyhow."""
    return loop(4, [("solve", 20000)] + [("work", 1000)] * 30), {("coarse", "solve"): 30000}


@case
def wait_fixed():
    return loop(4, [("work", 3000)] * 12 + [("work", 1000)] * 24), {}


@case
def imbalance():
    return team(4000, 1000, 1000, 1000), {("imbalance", "barrier"): 9000}


@case
def imbalance_fixed():
    return team(2000, 2000, 2000, 2000), {}


def fork_team(workers, **meta):
    """A run whose main task forks a team: the trace, main and the members."""
    trace, main = started(workers, **meta)
    fork = trace.make(0)
    trace.put(0, 0, f"fork {fork} site={trace.site('loop')} team")
    members = [trace.make(worker) for worker in range(workers)]
    for worker, member in enumerate(members):
        trace.put(0, worker, f"member {member} of {fork}")
    return trace, main, members


def team(*lengths, **meta):
    trace, main, members = fork_team(len(lengths), **meta)
    for worker, length in enumerate(lengths):
        trace.wait(length, worker, "team", "barrier")
        trace.leave(max(lengths), worker, members[worker])
    return trace.over(max(lengths), main)


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


@case
def imbalance_steps():
    """The same member comes last each time, so that the ready path never leaves it."""
    return steps(10, ((4000, 1000, 1000, 1000), "barrier")), {("imbalance", "barrier"): 10 * 9000}


@case
def imbalance_turns():
    """Each time another member comes last."""
    return steps(5, ((4000, 1000, 1000, 1000), "barrier"), ((1000, 1000, 4000, 1000), "barrier")), {("imbalance", "barrier"): 10 * 9000}


@case
def serial_member():
    """One member does the work of all before one barrier, and its share before another."""
    return steps(10, ((4000, 0, 0, 0), "master"), ((1000, 1000, 1000, 1000), "barrier")), \
        {("serial", "master"): 10 * 12000}


@case
def serial_region():
    """One member has a chunk that is forty times as long as the others', up to the end of the region."""
    trace, main, members = fork_team(4)
    for worker in range(4):
        trace.wait(5000, worker, "team", "barrier")
    for worker, member in enumerate(members):
        trace.resume(5000, worker, member)
        trace.end(25000 if worker == 2 else 5500, worker)
    return trace.over(25000, main), {("serial", "loop"): 3 * 19500}


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


@case
def barriers():
    return meetings(200, 1000, 500), {("barrier", "barrier"): 4 * 200 * 500}


@case
def barriers_cheap():
    """Each costs less than a tenth of the work."""
    return meetings(200, 1000, 90), {}


@case
def barriers_few():
    return meetings(20, 1000, 500), {}


@case
def barriers_long():
    """A sixth is lost, but who works for so long does not meet too often."""
    return meetings(200, 300000, 50000), {}


# ---- dependences ----

@case
def chain():
    trace, main = started(4)
    tasks = [trace.create(0, 0, "work", "out 0x10", task=main) for _ in range(20)]
    trace.wait(0, 0)
    for number, task in enumerate(tasks):
        trace.run(task, number % 4, 1000 * number, 1000 * number + 1000)
    return trace.over(20000, main), {("chain", "work"): 60000}


@case
def chain_fixed():
    """Each on an element of its own."""
    trace, main = started(4)
    tasks = [(trace.create(0, 0, "work", f"out {16 * i:#x}", task=main), 1000) for i in range(20)]
    trace.wait(0, 0)
    trace.resume(spread(trace, tasks, range(4)), 0, main)
    trace.end(5000, 0)
    return trace, {}


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


@case
def serial_gate():
    """One task that depends on all before it, and all after it on that."""
    return gates(2), {("serial", "decide"): 4000}


@case
def serial_gates():
    """Six of them: each alone, but not one after the other."""
    return gates(6), {("serial", "decide"): 12000}


@case
def chain_between():
    """Where each time four follow each other, that is a chain."""
    return gates(6, 4), {("chain", "decide"): 6 * 4 * 2000}


@case
def chain_of_kinds():
    """Tasks of two kinds that alternate, each depending on the one before: a chain of both."""
    trace, main = started(2)
    links = [trace.create(0, 0, name, "out 0x10", task=main) for _ in range(10) for name in ("read", "write")]
    trace.wait(0, 0)
    for number, link in enumerate(links):
        trace.run(link, 0, 1000 * number, 1000 * number + 1000)
    return trace.over(20000, main), {("chain", "read"): 10000, ("chain", "write"): 10000}


# ---- producers ----

def producer(own, length, tasks=50):
    """Main creates a task every `own`; they run on the other workers in turn, and begin at once."""
    trace, main = started(4)
    for number in range(1, tasks + 1):
        task = trace.create(own * number, 0, "use", task=main)
        trace.run(task, 1 + number % 3, own * number, own * number + length)
    trace.wait(own * tasks, 0)
    return trace.over(own * tasks + length, main)


@case
def producer_slow():
    """One of three others is fed; the first strand of main and the last task are no production."""
    return producer(1000, 1000), {("producer", "main"): 49 * 2000}


@case
def producer_enough():
    """The same, and the three others are busy all the time but for the first tasks."""
    return producer(1000, 3000, 200), {}


@case
def producer_interrupted():
    """It creates 20 tasks of 1000, one each 10; one of the calls takes 6000, as the thread had no CPU: no producer's fault."""
    trace, main = started(2)
    tasks = []
    for number in range(20):
        since = 10 * number + (6000 if number > 3 else 0)
        tasks.append((trace.create(since, 0, "use", back=since + (6000 if number == 3 else 5), task=main), 1000))
    trace.wait(6200, 0)
    spread(trace, tasks[:3], (1,), 50)
    end = spread(trace, tasks[3:], range(2), 6200)
    return trace.over(end, main), {}


def holder(steal):
    """Case 5: 30 tasks lie at w0; w1, w2 and w3 take one each time, for so long."""
    trace, main, tasks = given(4, "work", 40)
    for worker in range(4):
        for number in range(10):
            begin = number * (1000 + steal) + (steal if worker else 0)
            begin = number * (1000 + steal) if not worker else begin
            trace.run(tasks.pop(0), worker, begin, begin + 1000 + (0 if worker else steal))
    return trace.over(10 * (1000 + steal), main)


@case
def producer_holds():
    return holder(500), {("producer", "main"): 30 * 500}


@case
def producer_holds_little():
    """Case 6: the same shape, with fast steals."""
    return holder(10), {}


def stolen_loop(steal):
    """Case 4: work-first; at each creation the creating loop itself is stolen, for so long."""
    trace, main = started(3)
    now, worker, last = 0, 0, 0
    for _ in range(40):
        task = trace.create(now, worker, "work")
        trace.run(task, worker, now, now + 900)
        last = now + 900
        now, worker = now + steal, (worker + 1) % 3
        trace.resume(now, worker, main)
    trace.wait(now, worker)
    trace.leave(last, worker, main)
    return trace, last


@case
def producer_stolen():
    """Each 450 a task of 900, so two of three workers run; no other strand is ready."""
    trace, last = stolen_loop(450)
    return trace, {("producer", "main"): 3 * last - 40 * 900 - 2 * 450}


@case
def producer_stolen_little():
    return stolen_loop(300)[0], {}


@case
def away():
    """Case 8, and b of the consequence graphs: the creator runs a long task of its own; 3 run dry."""
    trace, main = started(4)
    first = [(trace.create(0, 0, "tile", task=main), 1000) for _ in range(21)]
    long = trace.create(0, 0, "tile")
    trace.run(long, 0, 0, 20000)
    trace.resume(20000, 0, main)
    rest = [(trace.create(20000, 0, "tile", task=main), 1000) for _ in range(40)]
    trace.wait(20000, 0)
    spread(trace, first, (1, 2, 3))
    spread(trace, rest, range(4), 20000)
    return trace.over(30000, main), {("away", "main"): 3 * 13000}


@case
def away_asked_for():
    """The program asked for it, if(0): no runtime is to blame, so it is the program's serial code."""
    trace, main = started(4)
    first = [(trace.create(0, 0, "tile", task=main), 1000) for _ in range(21)]
    long = trace.make(0)
    trace.put(0, 0, f"create {long} site={trace.site('tile')} undeferred")
    trace.run(long, 0, 0, 20000)
    trace.resume(20000, 0, main)
    rest = [(trace.create(20000, 0, "tile", task=main), 1000) for _ in range(40)]
    trace.wait(20000, 0)
    spread(trace, first, (1, 2, 3))
    spread(trace, rest, range(4), 20000)
    return trace.over(30000, main), {("tail", "tile"): 3 * 13000}


def tree(calls, asked):
    """A task of main's creates as many, one after another, each 1000 long: it runs them itself, the first one apart."""
    trace, main = started(4)
    top = trace.create(0, 0, "top", task=main)
    trace.wait(0, 0)
    trace.put(0, 0, f"begin {top}")
    trace.run(trace.create(0, 0, "part", task=top), 1, 0, 1000)
    for number in range(calls):
        part = trace.make(0)
        trace.put(1000 * number, 0, f"create {part} site={trace.site('part')}{' undeferred' if asked else ''}")
        trace.run(part, 0, 1000 * number, 1000 * number + 1000)
        trace.put(1000 * number + 1000, 0, f"resume {top}")
    trace.end(1000 * calls, 0)
    return trace.over(1000 * calls, main)


@case
def cutoff():
    """All but one are cut off: 2 have nothing to do, and 3 from 1000 on."""
    return tree(20, True), {("cutoff", "part"): 2000 + 3 * 19000}


@case
def cutoff_not():
    """The runtime does it, and was not asked: that its queue is full is another cause."""
    return tree(20, False), {("away", "top"): 2000 + 3 * 19000}


@case
def cutoff_fixed():
    """Most are cut off, of so many others that all have something to do."""
    trace, main, tops = given(4, "top", 8)
    for number, top in enumerate(tops):
        worker, at = number % 4, number // 4 * 3000
        trace.put(at, worker, f"begin {top}")
        for _ in range(3):
            part = trace.make(worker)
            trace.put(at, worker, f"create {part} site={trace.site('part')} undeferred")
            trace.run(part, worker, at, at + 1000)
            at += 1000
            trace.put(at, worker, f"resume {top}")
        trace.end(at, worker)
    return trace.over(6000, main), {}


def conditional(called, long, short):
    """Of a task's children so many run at once, one after the other, and 60 others are for whoever is free, at the end."""
    trace, main = started(2)
    top = trace.create(0, 0, "top", task=main)
    trace.wait(0, 0)
    trace.put(0, 0, f"begin {top}")
    now = 0
    for _ in range(called):
        part = trace.make(0)
        trace.put(now, 0, f"create {part} site={trace.site('part')} undeferred")
        trace.run(part, 0, now, now + long)
        now += long
        trace.put(now, 0, f"resume {top}")
    parts = [(trace.create(now, 0, "part", task=top), short) for _ in range(60)]
    trace.wait(now, 0)
    now = spread(trace, parts, range(2), now)
    trace.leave(now, 0, top)
    return trace.over(now, main)


@case
def cutoff_inverted():
    """The long ones run at once, and the short ones do not."""
    return conditional(20, 50000, 10000), {("cutoff", "part"): 20 * 50000}


@case
def cutoff_inverted_not():
    """Those that run at once are hardly longer: no condition has them apart."""
    return conditional(20, 30000, 10000), {("wait", "part"): 20 * 30000}


@case
def held():
    """Cases 7 and 11: tasks begin only when their creator waits."""
    trace, main = started(4)
    tasks = [(trace.create(0, 0, "half", task=main), 1000) for _ in range(8)]
    trace.wait(8000, 0)
    trace.resume(spread(trace, tasks, range(4), 8000), 0, main)
    trace.end(10000, 0)
    return trace, {("held", "half"): 24000}


@case
def held_fixed():
    trace, main = started(4)
    tasks = [(trace.create(0, 0, "half", task=main), 1000) for _ in range(24)]
    trace.wait(8000, 0)
    trace.resume(spread(trace, tasks, range(1, 4)), 0, main)
    trace.end(8000, 0)
    return trace, {}


def yielding(n, pause):
    """w1 runs a task that yields so often, each time for so long, while others are ready; w0 works until the end."""
    trace, main = started(2)
    spinner = trace.create(0, 0, "spinner", task=main)
    others = [(trace.create(0, 0, "other", task=main), 100) for _ in range(5)]
    trace.put(0, 1, f"begin {spinner}")
    now = 0
    for _ in range(n):
        now += 10
        trace.put(now, 1, f"yield site={trace.site('spinner')}")
        now += pause
        trace.resume(now, 1, spinner)
    trace.end(now, 1)
    trace.end(spread(trace, others, (1,), now), 0)
    return trace


@case
def yields():
    return yielding(200, 20), {("yields", "spinner"): 4000}


@case
def yields_few():
    return yielding(90, 20), {}


@case
def yields_collapsed():
    """All but one in a hundred yields are collapsed: 10 parts, of 99 yields each."""
    trace = Trace(2)
    spinner = trace.create(0, 0, "spinner", task=trace.root(0))
    trace.put(0, 1, f"begin {spinner}")
    for now in range(0, 40000, 4000):
        for field, value in (("made", 0), ("own", 2000), ("work", 2000), ("span", 2000), ("path", 2000), ("next-wait-cont", 1980),
                             ("idle-0", 1980), ("busy-0", 2000), ("waited", 99)):
            trace.note(now, 1, f"collapsed {field} {value}")
        trace.put(now + 3980, 1, f"yield site={trace.site('spinner')}")
        trace.resume(now + 4000, 1, spinner)
    trace.note(0, 0, "tally site=0 waits 990")
    trace.end(40000, 1)
    trace.end(40000, 0)
    return trace, {("yields", "spinner"): 10 * (1980 + 20)}


@case
def yields_taken():
    """Its worker runs another task in each yield, as it should."""
    trace, main = started(2)
    spinner = trace.create(0, 0, "spinner", task=main)
    others = [trace.create(0, 0, "other", task=main) for _ in range(120)]
    trace.put(0, 1, f"begin {spinner}")
    now = 0
    for other in others:
        trace.put(now + 10, 1, f"yield site={trace.site('spinner')}")
        trace.run(other, 1, now + 20, now + 130)
        now += 150
        trace.resume(now, 1, spinner)
    trace.end(now, 1)
    trace.end(now, 0)
    return trace, {}


@case
def yields_beside():
    """One worker is kept by a task that yields, so that the other one runs all that is ready."""
    trace, main = started(2)
    spinner = trace.create(0, 0, "spinner", task=main)
    others = [trace.create(0, 0, "other", task=main) for _ in range(40)]
    trace.end(0, 0)
    trace.put(0, 1, f"begin {spinner}")
    for now in range(0, 40000, 200):
        trace.put(now + 10, 1, f"yield site={trace.site('spinner')}")
        trace.resume(now + 200, 1, spinner)
    trace.end(40000, 1)
    for number, other in enumerate(others):
        trace.run(other, 0, 1000 * number, 1000 * number + 1000)
    return trace, {("yields", "spinner"): 38000}


@case
def chain_late():
    """A chain that begins once all else is done; it needs none of that."""
    trace, main = started(2)
    others = [(trace.create(0, 0, "other", task=main), 1000) for _ in range(20)]
    links = [trace.create(0, 0, "link", "out 0x10", task=main) for _ in range(10)]
    trace.wait(0, 0)
    now = spread(trace, others, range(2))
    for number, link in enumerate(links):
        trace.run(link, 0, now, now + 1000)
        now += 1000
    return trace.over(now, main), {("chain", "link"): 10000}


@case
def chain_after():
    """A chain after another one: it cannot begin earlier."""
    trace, main = started(2)
    links = [trace.create(0, 0, name, "out 0x10", task=main) for name in ["first"] * 10 + ["second"] * 10]
    trace.wait(0, 0)
    for number, link in enumerate(links):
        trace.run(link, 0, 1000 * number, 1000 * number + 1000)
    return trace.over(20000, main), {("chain", "first"): 10000, ("chain", "second"): 10000}


def unshared_by(worker, others=(), own=0, **meta):
    """200 tasks of main's on one worker; each of some runs on another one."""
    trace, main = started(4, **meta)
    tasks = [trace.create(0, 0, "work", task=main) for _ in range(200)]
    trace.end(own, 0)
    now = own
    for number, task in enumerate(tasks):
        runs = 3 if number in others else worker
        trace.run(task, runs, now, now + 1000)
        now += 1000
    return trace


@case
def unshared():
    """Three have nothing to do, until the last task of all has begun."""
    return unshared_by(1), {("unshared", "work"): 3 * 199000}


@case
def unshared_without_cpu():
    """Two of the others wait for a CPU from the beginning to the end, as all have one and the same."""
    trace, want = unshared()
    trace.head[2:2] = ["meta cpus 4", "meta cpu_times clock"]
    for worker in range(4):
        waits = 200000 if worker in (2, 3) else 0
        trace.cpu(worker, (0, 0, 0), (200000, 200000 if worker == 1 else 0, waits))
    return trace, want


def unshared_of(runtime):
    """The same on a runtime whose usual causes are known."""
    trace, want = unshared()
    trace.head = [line.replace("name=planted", f"name={runtime}") for line in trace.head]
    return trace, want


@case
def unshared_tbb():
    return unshared_of("oneTBB")


@case
def unshared_libgomp():
    return unshared_of("libgomp")


@case
def unshared_own():
    """The creator runs them all once it ends: the runtime holds none of them back, since nobody else takes one then."""
    return unshared_by(0, own=20000), {("unshared", "work"): 3 * 219000}


@case
def unshared_nearly():
    return unshared_by(1, range(0, 200, 20)), {("unshared", "work"): 3 * 199000}


def unshared_rounds(late=0):
    """Rounds of 160 tasks, each of a creator's own; one worker takes them all, or the one that is not its creator's,
    each tenth that late, while the creator goes on.  The last task of a round creates the next creator."""
    trace, main = started(2)
    lead = trace.create(0, 0, "lead", task=main)
    trace.end(0, 0)
    now = 0
    for turn, creator in enumerate((0, 1, 1, 0)):
        trace.put(now, creator, f"begin {lead}")
        tasks = [trace.create(now, creator, "work", task=lead) for _ in range(160)]
        worker = 1 - creator if late else creator
        if not late:
            trace.end(now, creator)
        for number, task in enumerate(tasks):
            now += late if number % 10 == 0 else 0
            trace.put(now, worker, f"begin {task}")
            now += 100000
            if number == 159 and turn < 3:
                lead = trace.create(now, worker, "lead", task=task)
            trace.end(now, worker)
        if late:
            trace.end(now, creator)
    return trace


@case
def unshared_each():
    """In each round one worker takes all, as of a taskloop that libgomp runs in the thread that meets it."""
    return unshared_rounds(), {("unshared", "work"): 4 * 15900000}


@case
def unshared_each_late():
    """There is but one worker free, and it comes late: it is not barred from them."""
    return unshared_rounds(late=400000), {}


@case
def unshared_slow():
    """There is but one other worker, and it takes that long to come by each: it is not barred from them."""
    trace, main = started(2)
    tasks = [trace.create(0, 0, "work", task=main) for _ in range(99)]
    for number, task in enumerate(tasks):
        trace.run(task, 1, 2000 * number + 1000, 2000 * number + 2000)
    trace.end(198000, 0)
    return trace, {("producer", "main"): 99000}


@case
def unshared_not():
    """One in twelve runs elsewhere."""
    return unshared_by(1, range(0, 200, 12)), {}


@case
def unshared_cpus():
    """There is no CPU for the others; whether that one was used is not known."""
    return unshared_by(1, cpus=1), {}


@case
def over_idle():
    """It was used."""
    trace = unshared_by(1, cpus=1, cpu_times="clock")
    trace.cpu(1, (0, 0, 0), (200000, 180000, 0))
    return trace, {("oversubscribed", "main"): 600000}


@case
def over_idle_half():
    """It was used for more than half of the time."""
    trace = unshared_by(1, cpus=1, cpu_times="clock")
    trace.cpu(1, (0, 0, 0), (200000, 110000, 0))
    return trace, {("oversubscribed", "main"): 600000}


@case
def over_idle_two():
    """Two of the three that have nothing to do are too many."""
    trace = unshared_by(1, cpus=2, cpu_times="clock")
    for worker in (1, 2):
        trace.cpu(worker, (0, 0, 0), (200000, 180000, 0))
    return trace, {("oversubscribed", "main"): 400000}


@case
def over_idle_not():
    """The CPUs were used for less than half of the time, and nobody waited for one."""
    trace = unshared_by(1, cpus=2, cpu_times="clock")
    trace.cpu(1, (0, 0, 0), (200000, 180000, 0))
    return trace, {}


# ---- waits ----

@case
def barred(**meta):
    """Case 10: w1 waits for a child that w2 runs, while tasks of others are ready."""
    trace, main = started(3, **meta)
    outer = trace.create(0, 0, "outer", task=main)
    others = [(trace.create(0, 0, "other", task=main), 1000) for _ in range(22)]
    trace.wait(0, 0)
    trace.put(0, 1, f"begin {outer}")
    child = trace.create(0, 1, "child", task=outer)
    trace.wait(0, 1, name="inner_wait")
    trace.run(child, 2, 0, 10000)
    trace.leave(10000, 1, outer)
    spread(trace, others[:10], (0,))
    trace.resume(spread(trace, others[10:], range(3), 10000), 0, main)
    trace.end(14000, 0)
    return trace, {("barred", "inner_wait"): 10000}


@case
def barred_starpu():
    """The same on StarPU, where no wait runs tasks."""
    trace, want = barred()
    trace.head = [line.replace("name=planted", "name=StarPU") for line in trace.head]
    return trace, want


@case
def barred_later():
    """First w1 runs another child of its own: from its end on it is barred."""
    trace, main = started(3)
    outer = trace.create(0, 0, "outer", task=main)
    others = [(trace.create(0, 0, "other", task=main), 1000) for _ in range(22)]
    trace.wait(0, 0)
    trace.put(0, 1, f"begin {outer}")
    child, own = (trace.create(0, 1, "child", task=outer) for _ in range(2))
    trace.wait(0, 1, name="inner_wait")
    trace.run(child, 2, 0, 10000)
    trace.run(own, 1, 0, 2000)
    trace.leave(10000, 1, outer)
    spread(trace, others[:10], (0,))
    trace.resume(spread(trace, others[10:], range(3), 10000), 0, main)
    trace.end(14000, 0)
    return trace, {("barred", "inner_wait"): 8000}


@case
def barred_not():
    """The same, but the waiting worker takes other tasks meanwhile."""
    trace, main = started(3)
    outer = trace.create(0, 0, "outer", task=main)
    others = [(trace.create(0, 0, "other", task=main), 1000) for _ in range(20)]
    trace.wait(0, 0)
    trace.put(0, 1, f"begin {outer}")
    child = trace.create(0, 1, "child", task=outer)
    trace.wait(0, 1, name="inner_wait")
    trace.run(child, 2, 0, 10000)
    spread(trace, others, range(2))
    trace.leave(10000, 1, outer)
    return trace.over(10000, main), {}


def tied(length):
    """X waits for its child, and its worker takes another task meanwhile, of that length."""
    trace, main = started(2)
    other = trace.create(0, 0, "other", task=main)
    outer = trace.create(0, 0, "outer", task=main)
    trace.wait(0, 0)
    trace.put(0, 1, f"begin {outer}")
    child = trace.create(0, 1, "child", task=outer)
    trace.wait(0, 1)
    trace.run(child, 0, 0, 4000)
    trace.run(other, 1, 0, length)
    trace.resume(length, 1, outer)
    more = [(trace.create(length, 1, "child", task=outer), 1000) for _ in range(20)]
    trace.wait(length, 1)
    now = spread(trace, more, range(2), length)
    trace.leave(now, 1, outer)
    return trace.over(now, main)


@case
def buried():
    return tied(10000), {("buried", "outer"): 6000}


@case
def buried_by_child():
    """In a wait for one child the worker runs another one; the creator goes on when that ends."""
    trace, main = started(2)
    read = trace.create(0, 0, "read", "out 0x10", task=main)
    archive = trace.create(0, 0, "archive", task=main)
    trace.wait(0, 0, "depend")
    trace.note(0, 0, "depend in 0x10")
    trace.run(read, 1, 0, 1000)
    trace.run(archive, 0, 0, 10000)
    trace.resume(10000, 0, main)
    parts = [(trace.create(10000, 0, "part", task=main), 1000) for _ in range(10)]
    trace.wait(10000, 0)
    spread(trace, parts, range(2), 10000)
    return trace.over(15000, main), {("buried", "main"): 9000}


@case
def buried_not():
    return tied(4000), {}


@case
def lock():
    """Four tasks want one lock at once: 18000 blocked, 18000 of those that have had it."""
    trace, main, tasks = given(4, "scan", 4)
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
        trace.block(0, 3000 * worker, worker, task)
        trace.signal(3000 * worker + 3000, worker, task)
        trace.end(3000 * worker + 3000, worker)
    return trace.over(12000, main), {("lock", "critical"): 36000}


@case
def lock_ordered():
    """Four iterations of an ordered loop, each all in its ordered part."""
    trace, want = lock()
    trace.lines = [(at, number, text.replace("0x10", "0x800000000002")) for at, number, text in trace.lines]
    return trace, want


@case
def lock_asleep():
    """As lock(), on as many CPUs, and whoever has it sleeps for two thirds."""
    trace, want = lock()
    trace.head.insert(2, "meta cpus 4")
    trace.head.insert(2, "meta cpu_times clock")
    for worker in range(4):
        trace.cpu(worker, (0, 0, 0), (3000 * worker, 0, 0), (3000 * worker + 3000, 1000, 0))
    return trace, {("asleep", "scan"): 8000, **want}


@case
def lock_places():
    """As lock(), from two places of the code: one lock is one finding."""
    trace, main, tasks = given(4, "scan", 4)
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
        trace.block(0, 3000 * worker, worker, task, "object", "critical" if worker > 1 else "other")
        trace.signal(3000 * worker + 3000, worker, task)
        trace.end(3000 * worker + 3000, worker)
    return trace.over(12000, main), {("lock", "critical"): 36000}


@case
def lock_two():
    """Two locks, one at two places and one at a third: two findings, each with its own."""
    trace, main, tasks = given(4, "scan", 4)
    for worker, task in enumerate(tasks):
        place = ("other", "critical", "write", "write")[worker]
        held = 2000 if place == "write" else 3000
        taken = held * (worker % 2)
        trace.put(0, worker, f"begin {task}")
        trace.block(0, taken, worker, task, "object", place, f"{0x20 if place == 'write' else 0x10:#x}")
        trace.signal(taken + held, worker, task, f"{0x20 if place == 'write' else 0x10:#x}")
        trace.end(taken + held, worker)
    return trace.over(6000, main), {("lock", "critical"): 12000, ("lock", "write"): 2000}


def waited(what, name):
    """As lock(), with a wait of another kind: nobody sees who takes the object when it is free."""
    trace, main = started(4)
    tasks = [trace.create(0, 0, "scan" if worker else "other", task=main) for worker in range(4)]
    trace.wait(0, 0)
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
        if worker:
            trace.block(0, 3000 * worker, worker, task, what, name)
        trace.signal(3000 * worker + 3000, worker, task)
        trace.end(3000 * worker + 3000, worker)
    return trace.over(12000, main)


@case
def lock_mutex():
    return waited("mutex", "guard"), {("lock", "guard"): 36000}


@case
def lock_beside_others():
    """Who is blocked could run other tasks, which are ready: that is the lock's doing, too."""
    trace, main, tasks = given(2, "scan", 8)
    for number, task in enumerate(tasks):
        worker, since = number % 2, max(0, 1000 * (number - 1))
        trace.put(since, worker, f"begin {task}")
        if number:
            trace.block(since, 1000 * number, worker, task, "mutex", "guard")
        trace.signal(1000 * number + 1000, worker, task)
        trace.end(1000 * number + 1000, worker)
    return trace.over(8000, main), {("lock", "guard"): 8000}


@case
def blocked():
    return waited("cond", "ready"), {("blocked", "ready"): 36000}


@case
def blocked_futex():
    return waited("futex", "latch"), {("blocked", "latch"): 36000}


def exchanged(late, other=9000):
    """Two workers; of each a task computes; one up to `other`, one waits, so late, for a message that comes at 9000."""
    trace, main, tasks = given(2, "scan", 2)
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
    trace.wait(9000 - late, 1, "message", "receive")
    for part in ("from 3", "comm 1", "order 1", "tag 7", "bytes 8"):
        trace.note(9000 - late, 1, f"message {part}")
    trace.end(other, 0)
    trace.resume(9000, 1, tasks[1])
    trace.end(9001, 1)
    return trace.over(9001, main)


@case
def message():
    return exchanged(4000), {("message", "receive"): 4000}


@case
def message_alone():
    """The other worker has nothing to do from 6000 on: that waits for the message, too."""
    return exchanged(4000, 6000), {("message", "receive"): 4000 + 3000}


@case
def device():
    """Two workers; of each a task computes, and one then waits for a device up to 9000."""
    trace, main, tasks = given(2, "scan", 2)
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
    trace.wait(5000, 1, "device", "launch")
    trace.resume(9000, 1, tasks[1])
    trace.end(9000, 0)
    trace.end(9000, 1)
    return trace.over(9000, main), {("device", "launch"): 4000}


@case
def message_fixed():
    """The sender is early."""
    return exchanged(10), {}


@case
def blocked_not():
    """The same in dependences of tasks: no worker is kept."""
    return loop(4, [("scan", 3000)] * 4), {}


def calls(times, ns, more=0, work=80, places=1):
    """
    Two tasks, each with a lock of its own that it takes so many times, at so many places; taking and releasing take so
    long.  So many more tasks are ready meanwhile.
    """
    trace, main = started(2)
    tasks = [trace.create(0, 0, "scan", task=main) for _ in range(2)]
    rest = [(trace.create(0, 0, "rest", task=main), 1000) for _ in range(more)]
    trace.wait(0, 0)
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
        now = 0
        for turn in range(times):
            place = turn % places
            thing = f"{16 + worker + 2 * place:#x}"
            now += work
            trace.block(now, now + ns, worker, task, "object", f"count{place or ''}", thing)
            trace.put(now + ns + 10, worker, f"signal {thing}")
            now += 2 * ns + 10
            trace.resume(now, worker, task)
        trace.end(now, worker)
    now = spread(trace, rest, range(2), now)
    return trace.over(now, main)


@case
def locking():
    return calls(300, 20), {("locking", "count"): 2 * 300 * 2 * 20}


@case
def locking_beside_others():
    """Tasks are ready while the workers are in these calls: that is no fault of the tasks."""
    return calls(300, 20, more=6), {("locking", "count"): 2 * 300 * 2 * 20}


@case
def locking_waited():
    """Two tasks hand a mutex to each other: of the times that it was free there is no event; to release it takes 100.
    One finding has both."""
    trace, main, tasks = given(2, "scan", 2)
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
    for turn in range(600):
        worker, now = turn % 2, 1000 * turn
        if turn:
            since = now - 800 if turn > 1 else 0
            trace.block(since, now, worker, tasks[worker], "mutex", "guard")
        trace.signal(now + 1000, worker, tasks[worker], back=now + 1100)
    for worker, task in enumerate(tasks):
        trace.end(599000 + 1200 if worker == 0 else 600000 + 1200, worker)
    return trace.over(601200, main), {("lock", "guard"): 1000 + 598 * 800 + 599 * 100}


@case
def locking_not():
    """As often, at little cost."""
    return calls(300, 1), {}


@case
def lock_not():
    """A lock that nobody waits for long."""
    trace, main, tasks = given(2, "scan", 2)
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
        if worker:
            trace.block(5000, 5010, worker, task)
        trace.signal(5010 if not worker else 5020, worker, task)
        trace.end(10000, worker)
    return trace.over(10000, main), {}


# ---- full/empty words ----

def take(trace, at, worker, word=0x10, what="word"):
    trace.wait(at, worker, what, "take")
    trace.note(at, worker, f"object {word:#x}")


def fill(trace, at, worker, task, word=0x10):
    trace.signal(at, worker, task, f"{word:#x}")


def two_workers(words, join=False):
    """20 tasks on two workers: each works for 500, takes a word for 1000, and fills it.  Meanwhile its worker goes on.

    Main waits for all of them, or first for the first one, and goes on before the last one.
    """
    trace, main = started(2)
    tasks = []
    for number in range(20):
        tasks.append(trace.create(0, 0, "scan", task=main))
        if join and not number:
            trace.note(0, 0, "name 0x100")
    trace.wait(0, 0, "named" if join else "children")
    if join:
        trace.note(0, 0, "object 0x100")
    for number, task in enumerate(tasks):
        trace.put(500 * (number // 2), number % 2, f"begin {task}")
        take(trace, 500 * (number // 2) + 500, number % 2, 0x10 + number % words * 16)
    for number, task in enumerate(tasks):
        worker, since = number % words, 5000 + 1000 * (number // words)
        if join and number == 19:
            trace.resume(since, 0, main)
            trace.wait(since, 0)
        trace.resume(since, worker, task)
        fill(trace, since + 1000, worker, task, 0x10 + number % words * 16)
        trace.end(since + 1000, worker)
    return trace.over(5000 + 20000 // words, main)


@case
def word_lock():
    """One word is the lock of all: from 5000 on one worker has nothing."""
    return two_workers(1), {("lock", "take"): 20000}


@case
def word_lock_over_main():
    """That main could go on is no loss: it would only wait for the next one."""
    return two_workers(1, join=True), {("lock", "take"): 20000}


@case
def word_lock_fixed():
    return two_workers(2), {}


def turns(cost, what="word"):
    """Two tasks on one worker take turns at a word, 100 each time; the worker goes to the other one for so long."""
    trace, main, tasks = given(1, "scan", 2)
    trace.put(0, 0, f"begin {tasks[0]}")
    take(trace, 0, 0, what=what)
    trace.put(0, 0, f"begin {tasks[1]}")
    take(trace, 0, 0, what=what)
    for turn in range(200):
        now, task = (100 + cost) * turn, tasks[turn % 2]
        trace.resume(now, 0, task)
        fill(trace, now + 100, 0, task)
        if turn < 198:
            take(trace, now + 100, 0, what=what)
        else:
            trace.end(now + 100, 0)
    return trace.over((100 + cost) * 200 - cost, main)


@case
def word_short():
    """Many short waits, while the worker runs the other one."""
    return turns(400), {("lock", "take"): 199 * 400}


@case
def word_short_fixed():
    return turns(2), {}


@case
def blocked_lightly():
    """As word_short(), by a condition: nobody holds one, and the worker runs the other task meanwhile."""
    return turns(400, "cond"), {("blocked", "take"): 199 * 400}


def handed_over(making):
    """One task takes so long to fill a word, 20 times, for another one that needs 300 each time."""
    trace, main = started(2)
    maker, user = (trace.create(0, 0, name, task=main) for name in ("make", "use"))
    trace.wait(0, 0)
    trace.put(0, 0, f"begin {maker}")
    trace.put(0, 1, f"begin {user}")
    for turn in range(20):
        take(trace, making * turn + 300 if turn else 0, 1)
        trace.resume(making * (turn + 1), 1, user)
        fill(trace, making * (turn + 1), 0, maker)
    trace.end(making * 20, 0)
    trace.end(making * 20 + 300, 1)
    return trace.over(making * 20 + 300, main)


@case
def word():
    """The user waits for 1000 and 19 x 700, and the worker of the maker at the end for 300."""
    return handed_over(1000), {("word", "take"): 1000 + 19 * 700 + 300}


@case
def word_fixed():
    """Both are as fast."""
    return handed_over(300), {}


# ---- stretch ----

def stretched(beside, **meta):
    """8 tasks of 1000 alone, one by one, and then 40 beside each other, of that length."""
    trace, main = started(4, **meta)
    first = [trace.create(0, 0, "work", "out 0x10", task=main) for _ in range(8)]
    more = [(trace.create(0, 0, "work", "in 0x10", task=main), beside) for _ in range(40)]
    trace.wait(0, 0)
    for number, task in enumerate(first):
        trace.run(task, 0, 1000 * number, 1000 * number + 1000)
    end = spread(trace, more, range(4), 8000)
    return trace.over(end, main)


@case
def stretch():
    """Medians are known to an eighth: 1984 is in 1920 to 2047, 1000 in 960 to 1023."""
    return stretched(1984), {("stretch", "work"): 40 * (1920 - 960), ("chain", "work"): 24000}


@case
def stretch_not():
    return stretched(1000), {("chain", "work"): 24000}


@case
def stretch_of_two_sizes():
    """The long ones were created first, so most of them were stolen; some were not, and are as long."""
    trace, main = started(2)
    tasks = [trace.create(0, 0, "tile", task=main) for _ in range(8 + 2000)]
    trace.wait(0, 0)
    for number in range(5):
        trace.run(tasks[number], 1, 50000 * number, 50000 * number + 50000)
    for number in range(3):
        trace.run(tasks[5 + number], 0, 50000 * number, 50000 * number + 50000)
    for number in range(2000):
        trace.run(tasks[8 + number], 0, 150000 + 50 * number, 150000 + 50 * number + 50)
    return trace.over(250000, main), {}


@case
def stretch_without_cpu():
    """They take longer since they wait for CPUs."""
    trace = stretched(1984, cpus=2, cpu_times="clock")
    for worker in range(4):
        trace.cpu(worker, (8000, 0, 0), (27840, 9840, 10000))
    return trace, {("oversubscribed", "main"): 40000, ("chain", "work"): 24000}


# ---- grain ----

def grain(usual, cost_ps, at_once=0, waits=0, tenth=None):
    """Two workers: main creates 200 tasks, 250 a call; w1 runs each 150 after its creation, every so many-th at once;
    each tenth may be of another length."""
    trace, main = started(2, event_cost_ps=cost_ps)
    end = 0
    for number in range(200):
        length = tenth if tenth and number % 10 == 0 else usual
        created, end = end, end + length + 150
        task = trace.create(created, 0, "work", task=main, back=created + length + 150)
        begun = created + (0 if at_once and number % at_once == 0 else 150)
        trace.put(begun, 1, f"begin {task}")
        if waits:
            trace.wait(begun + length // 2, 1)
            trace.resume(begun + length // 2 + waits, 1, task)
        trace.end(begun + length, 1)
    trace.wait(end, 0)
    return trace.over(end, main)


@case
def fine():
    """Cases 12 and 13 at the fine end.  Of each task the recorder has 4 x 5 ns, 4 % of all."""
    return grain(100, 5000), {("fine", "work"): 200 * (250 + 150 - 20)}


@case
def fine_not_regions():
    """Each task opens a region, whose member does its work: that it does little itself says nothing."""
    trace, main, tasks = given(2, "opens", 200)
    for number, task in enumerate(tasks):
        worker, now = number % 2, number // 2 * 10000
        trace.put(now + 500, worker, f"begin {task}")
        region, member = trace.make(worker), trace.make(worker)
        trace.put(now + 600, worker, f"fork {region} site={trace.site('region')} team")
        trace.put(now + 700, worker, f"member {member} of {region}")
        trace.end(now + 9700, worker)
        trace.resume(now + 9900, worker, task)
        trace.end(now + 10000, worker)
    return trace.over(1000000, main), {}


@case
def fine_one_region():
    """A region of many threads, which start one after the other, for nearly nothing; all is lost until the last begins."""
    trace, main = started(128)
    region = trace.make(0)
    trace.put(0, 0, f"fork {region} site={trace.site('region')} team")
    for worker in range(128):
        trace.put(1000 * (worker + 1), worker, f"member {trace.make(worker)} of {region}")
        trace.end(1000 * (worker + 1) + 20, worker)
    return trace.over(128100, main), {("fine", "region"): 128 * 128000 - 127 * 20}


@case
def fine_copies():
    """To create a task takes 3000, each time: more than a call that copies little."""
    trace, main = started(2, event_cost_ps=5000)
    for number in range(200):
        task = trace.create(3000 * number, 0, "work", task=main, back=3000 * number + 3000)
        trace.run(task, 1, 3000 * number + 500, 3000 * number + 2500)
    trace.wait(600000, 0)
    return trace.over(600000, main), {("fine", "work"): 796000}


@case
def fine_uneven():
    """Nine in ten are short: the mean says how much more work each has to do."""
    return grain(100, 5000, tenth=1900), {("fine", "work"): 180 * (250 + 150 - 20) + 20 * (2050 + 150 - 20)}


@case
def fine_few_long():
    """All work is in a few tasks, and all of them do enough in the mean: there is nothing to be made longer."""
    return grain(100, 5000, tenth=10 ** 6), {("fine", "work"): 180 * (250 + 150 - 20) + 20 * (10 ** 6 + 300 - 20)}


def grain_locked(outside):
    """As grain(), and each task has a lock for 80, and works for as long as it says besides; the last two meet there."""
    trace = grain(80 + outside, 5000)
    main, end = "0.1", 200 * (80 + outside + 150)
    del trace.lines[-3:]
    for begin, _, text in [line for line in trace.lines if " begin " in line[2]]:
        task = text.split()[-1]
        trace.block(begin, begin, 1, task)
        trace.signal(begin + 80, 1, task)
    lines, trace.lines = trace.lines, []
    last = [trace.create(end, 0, "work", task=main) for _ in range(2)]
    trace.wait(end, 0)
    for worker, task in enumerate(last):
        trace.put(end, worker, f"begin {task}")
        trace.block(end, end + 80 * worker, worker, task)
        trace.signal(end + 80 * worker + 80, worker, task)
        trace.end(end + 160, worker)
    trace.over(end + 160, main)
    trace.lines = lines + [(at, len(lines) + number, text) for at, number, text in trace.lines]
    return trace


@case
def fine_locked():
    """4/5 of their work is under one lock: it decides, and not how large they are."""
    return grain_locked(20), {("fine", "work"): 200 * (250 + 150) - 202 * 20, ("tracer", "work"): 202 * 20}


@case
def fine_beside_lock():
    """1/10 of it: they are too small all the same."""
    return grain_locked(720), {("fine", "work"): 200 * (950 + 150) - 202 * 20}


@case
def recorder():
    """Of each task the recorder has 4 x 10 ns: 8 % of all."""
    return grain(100, 10000), {("fine", "work"): 200 * (250 + 150 - 40), ("tracer", "work"): 200 * 40}


@case
def recorder_both():
    """Each task waits once, for 6, and main waits for the collector in a last creation: one finding has both."""
    trace, end = grain(100, 10000, waits=6), 200 * 250
    trace.lines, main = trace.lines[:-3], "0.1"  # without main's wait and end
    task = trace.create(end, 0, "work")
    trace.note(end, 0, "tracer 8000")
    trace.resume(end + 8150, 0, main)
    trace.run(task, 1, end + 150, end + 250)
    trace.wait(end + 8250, 0)
    return trace.over(end + 8250, main), {("fine", "work"): 81360, ("tracer", "work"): 8000 + 201 * 40}


@case
def recorder_shared():
    """The same, where a tenth of the tasks begin at the reading of the clock that ended another strand."""
    return grain(100, 10000, at_once=10), {("fine", "work"): 200 * (250 + 150 - 40), ("tracer", "work"): 200 * 40}


@case
def recorder_quick_waits():
    """The same, and each task waits once, for 6: these gaps are fewer than the others, which bear out what was measured."""
    return grain(100, 10000, waits=6), {("fine", "work"): 200 * (250 + 150 + 6 - 40), ("tracer", "work"): 200 * 40}


@case
def recorder_held():
    """A task yields again and again, and once its worker waits for the collector: it is not the fault of what is ready."""
    trace, main = started(2)
    spinner, long = (trace.create(0, 0, name, task=main) for name in ("spinner", "long"))
    others = [(trace.create(0, 0, "other", task=main), 100) for _ in range(5)]
    trace.wait(0, 0)
    trace.run(long, 0, 0, 5000)
    trace.put(0, 1, f"begin {spinner}")
    for now in (*range(10, 2010, 10), 4000):
        trace.put(now, 1, f"yield site={trace.site('spinner')}")
        if now == 2000:
            trace.note(now, 1, "tracer 1900")
        trace.resume(3900 if now == 2000 else now + 1, 1, spinner)
    trace.end(4500, 1)
    now = spread(trace, others, (1,), 4500)
    return trace.over(now, main), {("tracer", "spinner"): 1900, ("yields", "spinner"): 200}


@case
def recorder_measured_high():
    """Of a call of 250 the two events have no more than 250, and of 150 no more than that, whatever was measured."""
    return grain(100, 400000), {("tracer", "work"): 200 * 288, ("fine", "work"): 200 * (400 - 288)}


@case
def fine_beside_queue():
    """100 tasks lie ready while main is in 200 calls for others: these calls are what the time was lost to."""
    trace, main = started(2)
    trace.run(trace.create(0, 0, "first", task=main), 1, 0, 2000)
    queue = [trace.create(20 * number, 0, "queue", task=main, back=20 * number + 20) for number in range(100)]
    work = [trace.create(2000 + 250 * number, 0, "work", task=main, back=2250 + 250 * number) for number in range(200)]
    for number, task in enumerate(work):
        trace.run(task, 1, 2000 + 250 * number, 2250 + 250 * number)
    trace.wait(52000, 0)
    end = spread(trace, [(task, 20) for task in queue], (0, 1), 52000)
    return trace.over(end, main), {("fine", "work"): 200 * 250}


@case
def fine_not():
    """As many tasks, with more work than they cost."""
    return loop(2, [("work", 10000)] * 200), {}


import more_cases  # noqa: E402,F401  pylint: disable=wrong-import-position
import machine_cases  # noqa: E402,F401  pylint: disable=wrong-import-position,cyclic-import
import inside_cases  # noqa: E402,F401  pylint: disable=wrong-import-position,cyclic-import
