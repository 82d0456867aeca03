# SPDX-License-Identifier: MIT
"""grain_cases.py - cases (cases.py) of tasks that stretch, and of what each costs."""
from plant import case, given, loop, planted, spread, started


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


planted(
    # Medians are known to an eighth: 1984 is in 1920 to 2047, 1000 in 960 to 1023.
    stretch=lambda: (stretched(1984), {("stretch", "work"): 40 * (1920 - 960), ("chain", "work"): 24000}),
    stretch_not=lambda: (stretched(1000), {("chain", "work"): 24000}),
)


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


planted(
    # Cases 12 and 13 at the fine end.  Of each task the recorder has 4 x 5 ns, 4 % of all.
    fine=lambda: (grain(100, 5000), {("fine", "work"): 200 * (250 + 150 - 20)}),
)


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
    """A region of many threads, which start in turn, for nearly nothing; all is lost until the last begins."""
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


planted(
    # Nine in ten are short: the mean says how much more work each has to do.
    fine_uneven=lambda: (grain(100, 5000, tenth=1900),
                         {("fine", "work"): 180 * (250 + 150 - 20) + 20 * (2050 + 150 - 20)}),
    # All work is in a few tasks, and all of them do enough in the mean: there is nothing to be made longer.
    fine_few_long=lambda: (grain(100, 5000, tenth=10 ** 6),
                           {("fine", "work"): 180 * (250 + 150 - 20) + 20 * (10 ** 6 + 300 - 20)}),
)


def grain_locked(outside):
    """As grain(), and each task has a lock for 80, and works besides for as long as it says; the last two meet."""
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


planted(
    # 4/5 of their work is under one lock: it decides, and not how large they are.
    fine_locked=lambda: (grain_locked(20),
                         {("fine", "work"): 200 * (250 + 150) - 202 * 20, ("tracer", "work"): 202 * 20}),
    # 1/10 of it: they are too small all the same.
    fine_beside_lock=lambda: (grain_locked(720), {("fine", "work"): 200 * (950 + 150) - 202 * 20}),
    # Of each task the recorder has 4 x 10 ns: 8 % of all.
    recorder=lambda: (grain(100, 10000), {("fine", "work"): 200 * (250 + 150 - 40), ("tracer", "work"): 200 * 40}),
)


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


planted(
    # The same, where a tenth of the tasks begin at the reading of the clock that ended another strand.
    recorder_shared=lambda: (grain(100, 10000, at_once=10),
                             {("fine", "work"): 200 * (250 + 150 - 40), ("tracer", "work"): 200 * 40}),
    # The same, and each task waits once, for 6: these gaps are fewer than the others, which bear out what was measured.
    recorder_quick_waits=lambda: (grain(100, 10000, waits=6),
                                  {("fine", "work"): 200 * (250 + 150 + 6 - 40), ("tracer", "work"): 200 * 40}),
)


@case
def recorder_held():
    """A task yields again and again, and once its worker waits for the collector: no fault of what is ready."""
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


planted(
    # Of a call of 250 the two events have no more than 250, and of 150 no more than that, whatever was measured.
    recorder_measured_high=lambda: (grain(100, 400000),
                                    {("tracer", "work"): 200 * 288, ("fine", "work"): 200 * (400 - 288)}),
)


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


planted(
    # As many tasks, with more work than they cost.
    fine_not=lambda: (loop(2, [("work", 10000)] * 200), {}),
)
