# SPDX-License-Identifier: MIT
"""machine_cases.py - cases (cases.py) of workers that wait for CPUs, or sleep."""
from plant import case, given, loop, planted, started, team


def crowded(cpus, waits):
    """Four workers with ten tasks each; a worker waits so long for a CPU."""
    trace = loop(4, [("work", 1000)] * 40, cpus=cpus, cpu_times="clock")
    for worker in range(4):
        trace.cpu(worker, (0, 0, 0), (10000, 10000 - waits, waits))
    return trace


planted(
    oversubscribed=lambda: (crowded(2, 5000), {("oversubscribed", "main"): 20000}),
    # More workers than CPUs, but each had what it needed.
    oversubscribed_not=lambda: (crowded(2, 0), {}),
)


@case
def over_nested():
    """Each of a team's two members opens a region of two, so that four run on two CPUs."""
    trace, main = started(4, cpus=2, cpu_times="clock")

    def fork(opener, name, *workers):
        team = trace.make(opener)
        trace.put(0, opener, f"fork {team} site={trace.site(name)} team")
        members = [trace.make(worker) for worker in workers]
        for worker, member in zip(workers, members):
            trace.put(0, worker, f"member {member} of {team}")
        return members

    outer = fork(0, "outer", 0, 1)
    inner = {worker: task for opener in (0, 1)
             for worker, task in zip((opener, opener + 2), fork(opener, "inner", opener, opener + 2))}
    for worker, task in inner.items():
        trace.wait(10000, worker, "team", "barrier")
        trace.leave(10000, worker, task)
        trace.cpu(worker, (0, 0, 0), (10000, 5000, 5000))
    for worker, task in enumerate(outer):
        trace.resume(10000, worker, task)
        trace.wait(10000, worker, "team", "barrier")
        trace.leave(10000, worker, task)
    return trace.over(10000, main), {("oversubscribed", "main"): 20000}


@case
def loaded():
    return crowded(4, 3000), {("loaded", "main"): 12000}


def beside(run):
    """The same, and other threads of the process had so much CPU time."""
    trace, want = loaded()
    trace.head += ["process 0 run=5000", f"process 10000 run={5000 + 4 * 7000 + run}"]
    return trace, want


def collected(cpu_ns):
    """The same, and the collector, another process, had so much."""
    trace, want = loaded()
    trace.head += ["meta collector 77", f"meta collector_cpu_ns {cpu_ns}"]
    return trace, want


planted(
    # Nothing shows that other programs had a CPU.
    loaded_collector=lambda: collected(30000),
    loaded_collector_too=lambda: collected(3000),
    # So long other threads of the program had a CPU.
    loaded_own=lambda: beside(12000),
    loaded_both=lambda: beside(3000),
    loaded_own_little=lambda: beside(700),
)


def late_member(waits):
    """A member takes 2000 with its waits for a CPU; the others take 1000, and sleep."""
    trace = team(2000, 1000, 1000, 1000, cpus=4, cpu_times="clock")
    trace.cpu(0, (0, 0, 0), (2000, 2000 - waits, waits))
    for worker in range(1, 4):
        trace.cpu(worker, (0, 0, 0), (1000, 1000, 0), (2000, 1000, 0))
    return trace


planted(
    # With a CPU it would have come with the others.
    loaded_member=lambda: (late_member(1000), {("loaded", "main"): 4000}),
    # It would have come half as late.
    loaded_member_half=lambda: (late_member(500), {("loaded", "main"): 2000, ("imbalance", "barrier"): 1500}),
)


def chain_with(run):
    """The worker of a chain has a CPU for so much of each 1000: the other one lacked that for the chain."""
    trace, main = started(2, cpus=2, cpu_times="clock")
    links = [trace.create(0, 0, "link", "out 0x10", task=main) for _ in range(10)]
    trace.wait(0, 0)
    for number, link in enumerate(links):
        trace.run(link, 0, 1000 * number, 1000 * number + 1000)
    trace.cpu(0, (0, 0, 0), *((1000 * n, run * n, (1000 - run) * n) for n in range(1, 11)))
    trace.cpu(1, (0, 0, 0), (10000, 0, 0))
    return trace.over(10000, main), {("loaded", "main"): 20 * (1000 - run), ("chain", "link"): 10 * run}


planted(
    loaded_chain=lambda: chain_with(200),
    # A hundredth of elapsed x P, and half of what the machine left.
    loaded_chain_little=lambda: chain_with(20),
)


@case
def loaded_between():
    """A worker has no CPU when it could begin, and takes its tasks later."""
    trace, main, tasks = given(2, "work", 15, cpus=2, cpu_times="clock")
    for number, task in enumerate(tasks[:10]):
        trace.run(task, 0, 1000 * number, 1000 * number + 1000)
    for number, task in enumerate(tasks[10:]):
        trace.run(task, 1, 5000 + 1000 * number, 6000 + 1000 * number)
    trace.over(10000, main)
    trace.cpu(0, (0, 0, 0), (10000, 10000, 0))
    trace.cpu(1, (0, 0, 0), (5000, 0, 5000), (10000, 5000, 5000))
    return trace, {("loaded", "main"): 5000}


def alternating(run):
    """Two workers with tasks of 50 us: after each it cannot go on for as long."""
    trace, main, tasks = given(2, "work", 400, cpus=2, cpu_times="clock")
    for number, task in enumerate(tasks):
        begin = 50000 * number
        trace.run(task, number % 2, begin, begin + 50000)
    trace.over(20000000, main)
    for worker in range(2):
        trace.cpu(worker, (0, 0, 0), *((at, run * at // 1000000, at - run * at // 1000000)
                                       for at in range(1000000, 21000000, 1000000)))
    return trace


planted(
    # What the runtime takes for a task nobody knows: each begin waits for a CPU.
    loaded_gaps=lambda: (alternating(500000), {("loaded", "main"): 15000000}),
    # The same, and the workers had their CPUs: the runtime is that slow.
    fine_gaps=lambda: (alternating(1000000), {("fine", "work"): 19950000}),
    loaded_not=lambda: (crowded(4, 0), {}),
)


def sleepy(cpus, rest, waits=0, goes_on=True):
    """Two workers with twenty tasks each; of the second half of their time a worker has a CPU for `rest` only."""
    trace = loop(2, [("work", 1000)] * 20 + [("read", 1000)] * 20, cpus=cpus, cpu_times="clock")
    for worker in range(2):
        trace.cpu(worker, (0, 0, 0), (10000, 10000, 0), (20000, 10000 + rest, waits), goes_on=goes_on)
    return trace


def sleepy_in(function, called):
    """Three of four samples of those that sleep are in there, and one elsewhere."""
    trace = sleepy(2, 1000)
    trace.head += ["meta sample_period_ns 100", "frame 0 pc=0x1010 fn=0x1000 name=scan file=planted.c line=4",
                   "frame 1 pc=0x1020 fn=0x1000 name=scan file=planted.c line=5",
                   f"frame 2 pc=0x9010 fn=0x9000 name={called}", f"frame 3 pc=0xa010 fn=0xa000 name={function} op=syscall",
                   "frame 4 pc=0xb010 fn=0xb000 name=read op=syscall", "stack 1 frame=0", "stack 2 frame=2 parent=1",
                   "stack 3 frame=3 parent=2", "stack 4 frame=1", "stack 5 frame=4 parent=4"]
    for worker in range(2):
        trace.head += [f"sample w{worker} {12000 + 1000 * n} stack={3 if n % 4 else 5} asleep=1000" for n in range(8)]
    return trace, {("asleep", "read"): 18000}


planted(
    # Each task of the second kind sleeps for nine tenths.
    asleep=lambda: (sleepy(2, 1000), {("asleep", "read"): 18000}),
    asleep_timed=lambda: sleepy_in("__clock_nanosleep", "usleep"),
    asleep_stored=lambda: sleepy_in("fdatasync", "fsync"),
)


@case
def asleep_beside():
    """A sample is some tasks too early, and so the last tasks before it seem to sleep for a part, too."""
    trace = loop(2, [("work", 1000)] * 20 + [("read", 1000)] * 20, cpus=2, cpu_times="clock")
    for worker in range(2):
        trace.cpu(worker, (0, 0, 0), (7000, 7000, 0), (20000, 7000, 0))
    return trace, {("asleep", "read"): 20000}


@case
def asleep_waited():
    """The other worker waits for the one that sleeps."""
    trace = loop(2, *[[("work", 1000)] * 2 + [("read", 4000)]] * 10, cpus=2, cpu_times="clock")
    for worker in range(2):
        trace.cpu(worker, (0, 0, 0), *((at + 5000 * n, 1000 * (n + 1), 0) for n in range(10) for at in (1000, 5000)))
    return trace, {("asleep", "read"): 40000, ("wait", "wait"): 40000}


@case
def asleep_mutex():
    """Two tasks that have a mutex for two thirds, in which they sleep: nobody sees since when they have it."""
    trace, main, tasks = given(2, "save", 2, cpus=2, cpu_times="clock")
    for worker, task in enumerate(tasks):
        trace.put(0, worker, f"begin {task}")
        samples = [(0, 0, 0)]
        for turn in range(20):
            free = 4000 * turn + 2000 * worker  # since when nobody else has it
            since = max(0, free - 2000) + 1000 if turn or worker else 0
            if turn or worker:
                trace.block(since, free, worker, task, "mutex", "guard")
            samples += [(free, 1000 * (turn + 1), 0), (free + 2000, 1000 * (turn + 1), 0)]
            trace.signal(free + 2000, worker, task)
        trace.cpu(worker, *samples)
        trace.end(free + 2000, worker)
    return trace.over(80000, main), {("asleep", "save"): 80000, ("lock", "guard"): 41000}


planted(
    # They waited for a CPU, and did not sleep.
    asleep_not=lambda: (sleepy(2, 1000, 9000), {("loaded", "main"): 18000}),
    # The kernel counts a wait when it ends, and nobody saw the workers go on: they may have waited for a CPU.
    asleep_perhaps=lambda: (sleepy(2, 1000, goes_on=False), {}),
)


@case
def asleep_perhaps_to_the_end():
    """Likewise, and some samples say that nothing happened; a last one has CPU time only."""
    trace = loop(2, [("work", 1000)] * 20 + [("read", 1000)] * 20, cpus=2, cpu_times="clock")
    for worker in range(2):
        trace.cpu(worker, (0, 0, 0), (10000, 10000, 0), *((at, 11000, 0) for at in range(12000, 19000, 1000)),
                  goes_on=False)
        trace.head += [f"cpu w{worker} 20000 run=12000"]
    return trace, {}


planted(
    # There are more workers than CPUs, as is advised.
    asleep_already=lambda: (sleepy(1, 1000), {}),
)


@case
def serial_blocked():
    """Case 15: at the end a file is written; the worker sleeps."""
    trace = loop(4, [("work", 1000)] * 40, tail=5000, cpus=4, cpu_times="clock")
    trace.cpu(0, (0, 0, 0), (10000, 10000, 0), (15000, 10100, 0))
    return trace, {("serial", "main"): 15000}


@case
def serial_thread(**meta):
    """A thread, no worker, begins when tasks are over, and works in pieces: its first strand is the shortest.

    Nothing says what it waited for before that."""
    trace = loop(2, [("work", 1000)] * 8, **meta)
    trace.put(9000, 2, "root 2.1")
    for now in (9010, 12010, 13010):
        trace.put(now, 2, "signal 0x10")
        trace.resume(now, 2, "2.1")
    trace.end(14010, 2)
    return trace, {("serial", "main"): 5010}
