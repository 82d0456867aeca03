# SPDX-License-Identifier: MIT
"""producer_cases.py - cases (cases.py) of who creates tasks, who takes them, and what holds them."""
from plant import case, given, planted, spread, started


# ---- producers ----

def producer(own, length, tasks=50):
    """Main creates a task every `own`; they run on the other workers in turn, and begin at once."""
    trace, main = started(4)
    for number in range(1, tasks + 1):
        task = trace.create(own * number, 0, "use", task=main)
        trace.run(task, 1 + number % 3, own * number, own * number + length)
    trace.wait(own * tasks, 0)
    return trace.over(own * tasks + length, main)


planted(
    # One of three others is fed; the first strand of main and the last task are no production.
    producer_slow=lambda: (producer(1000, 1000), {("producer", "main"): 49 * 2000}),
    # The same, and the three others are busy all the time but for the first tasks.
    producer_enough=lambda: (producer(1000, 3000, 200), {}),
)


def holder(steal):
    """Case 5: 30 tasks lie at w0; w1, w2 and w3 take one each time, for so long."""
    trace, main, tasks = given(4, "work", 40)
    for worker in range(4):
        for number in range(10):
            begin = number * (1000 + steal) + (steal if worker else 0)
            begin = number * (1000 + steal) if not worker else begin
            trace.run(tasks.pop(0), worker, begin, begin + 1000 + (0 if worker else steal))
    return trace.over(10 * (1000 + steal), main)


planted(
    producer_holds=lambda: (holder(500), {("producer", "main"): 30 * 500}),
    # Case 6: the same shape, with fast steals.
    producer_holds_little=lambda: (holder(10), {}),
)


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


planted(
    producer_stolen_little=lambda: (stolen_loop(300)[0], {}),
)


def away_by(undeferred):
    """The creator runs a long task of its own, as the program asked for, or not; 3 run dry."""
    trace, main = started(4)
    first = [(trace.create(0, 0, "tile", task=main), 1000) for _ in range(21)]
    long = trace.make(0)
    trace.put(0, 0, f"create {long} site={trace.site('tile')}{undeferred}")
    trace.run(long, 0, 0, 20000)
    trace.resume(20000, 0, main)
    rest = [(trace.create(20000, 0, "tile", task=main), 1000) for _ in range(40)]
    trace.wait(20000, 0)
    spread(trace, first, (1, 2, 3))
    spread(trace, rest, range(4), 20000)
    return trace.over(30000, main)


planted(
    # Case 8, and b of the consequence graphs.
    away=lambda: (away_by(""), {("away", "main"): 3 * 13000}),
    # With if(0) no runtime is to blame, so it is the program's serial code.
    away_asked_for=lambda: (away_by(" undeferred"), {("tail", "tile"): 3 * 13000}),
)


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


planted(
    # All but one are cut off: 2 have nothing to do, and 3 from 1000 on.
    cutoff=lambda: (tree(20, True), {("cutoff", "part"): 2000 + 3 * 19000}),
    # The runtime does it, and was not asked: that its queue is full is another cause.
    cutoff_not=lambda: (tree(20, False), {("away", "top"): 2000 + 3 * 19000}),
)


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
    """Of a task's children so many run at once, one after the other; 60 others are for whoever is free, at the end."""
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


planted(
    # The long ones run at once, and the short ones do not.
    cutoff_inverted=lambda: (conditional(20, 50000, 10000), {("cutoff", "part"): 20 * 50000}),
    # Those that run at once are hardly longer: no condition has them apart.
    cutoff_inverted_not=lambda: (conditional(20, 30000, 10000), {("wait", "part"): 20 * 30000}),
)


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


planted(
    yields=lambda: (yielding(200, 20), {("yields", "spinner"): 4000}),
    yields_few=lambda: (yielding(90, 20), {}),
)


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


planted(
    unshared_tbb=lambda: unshared_of("oneTBB"),
    unshared_libgomp=lambda: unshared_of("libgomp"),
    # The creator runs them all once it ends: the runtime holds none of them back, since nobody else takes one then.
    unshared_own=lambda: (unshared_by(0, own=20000), {("unshared", "work"): 3 * 219000}),
    unshared_nearly=lambda: (unshared_by(1, range(0, 200, 20)), {("unshared", "work"): 3 * 199000}),
)


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


planted(
    # In each round one worker takes all, as of a taskloop that libgomp runs in the thread that meets it.
    unshared_each=lambda: (unshared_rounds(), {("unshared", "work"): 4 * 15900000}),
    # There is but one worker free, and it comes late: it is not barred from them.
    unshared_each_late=lambda: (unshared_rounds(late=400000), {}),
)


@case
def unshared_slow():
    """There is but one other worker, and it takes that long to come by each: it is not barred from them."""
    trace, main = started(2)
    tasks = [trace.create(0, 0, "work", task=main) for _ in range(99)]
    for number, task in enumerate(tasks):
        trace.run(task, 1, 2000 * number + 1000, 2000 * number + 2000)
    trace.end(198000, 0)
    return trace, {("producer", "main"): 99000}


planted(
    # One in twelve runs elsewhere.
    unshared_not=lambda: (unshared_by(1, range(0, 200, 12)), {}),
    # There is no CPU for the others; whether that one was used is not known.
    unshared_cpus=lambda: (unshared_by(1, cpus=1), {}),
)


def over_idle_by(run_ns, waits=0):
    """Three are too many, all the time; what that worker waits in its tasks is a part of that, and all wait with it."""
    trace = unshared_by(1, cpus=1, cpu_times="clock")
    trace.cpu(1, (0, 0, 0), (200000, run_ns, waits))
    return trace, {("oversubscribed", "main"): 600000}


# It was used; for more than half of the time.
planted(over_idle=lambda: over_idle_by(180000), over_idle_half=lambda: over_idle_by(110000),
        over_both=lambda: over_idle_by(150000, 50000))


@case
def over_idle_two():
    """Two of the three that have nothing to do are too many."""
    trace = unshared_by(1, cpus=2, cpu_times="clock")
    for worker in (1, 2):
        trace.cpu(worker, (0, 0, 0), (200000, 180000, 0))
    return trace, {("oversubscribed", "main"): 400000}


@case
def over_then_idle():
    """Four share two CPUs for 100000, and wait for 200000; then one has all tasks for 200000, and 600000 are lost.

    Two are too many, for 600000 in all: of the second time it is 400000 of them."""
    trace, main = started(4, cpus=2, cpu_times="clock")
    busy = [trace.create(0, 0, "busy", task=main) for _ in range(3)]
    tasks = [trace.create(0, 0, "work", task=main) for _ in range(200)]
    for worker, task in enumerate(busy, 1):
        trace.run(task, worker, 0, 100000)
    trace.end(100000, 0)
    for number, task in enumerate(tasks, 100):
        trace.run(task, 1, 1000 * number, 1000 * number + 1000)
    for worker in (0, 2, 3):
        trace.cpu(worker, (0, 0, 0), (100000, 50000, 50000))
    trace.cpu(1, (0, 0, 0), (100000, 50000, 50000), (300000, 250000, 50000))
    return trace, {("oversubscribed", "main"): 200000 + 400000}


@case
def over_idle_not():
    """The CPUs were used for less than half of the time, and nobody waited for one."""
    trace = unshared_by(1, cpus=2, cpu_times="clock")
    trace.cpu(1, (0, 0, 0), (200000, 180000, 0))
    return trace, {}
