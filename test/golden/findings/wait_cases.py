# SPDX-License-Identifier: MIT
"""wait_cases.py - cases (cases.py) of waits for tasks, locks, messages, devices and words."""
from plant import case, given, loop, planted, spread, started


# ---- waits ----


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


planted(
    buried=lambda: (tied(10000), {("buried", "outer"): 6000}),
    buried_not=lambda: (tied(4000), {}),
)


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


planted(
    lock_mutex=lambda: (waited("mutex", "guard"), {("lock", "guard"): 36000}),
    blocked=lambda: (waited("cond", "ready"), {("blocked", "ready"): 36000}),
    blocked_futex=lambda: (waited("futex", "latch"), {("blocked", "latch"): 36000}),
)


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


planted(
    message=lambda: (exchanged(4000), {("message", "receive"): 4000}),
    # The other worker has nothing to do from 6000 on: that waits for the message, too.
    message_alone=lambda: (exchanged(4000, 6000), {("message", "receive"): 4000 + 3000}),
    # The sender is early.
    message_fixed=lambda: (exchanged(10), {}),
    # The same in dependences of tasks: no worker is kept.
    blocked_not=lambda: (loop(4, [("scan", 3000)] * 4), {}),
)


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


planted(
    locking=lambda: (calls(300, 20), {("locking", "count"): 2 * 300 * 2 * 20}),
    # Tasks are ready while the workers are in these calls: that is no fault of the tasks.
    locking_beside_others=lambda: (calls(300, 20, more=6), {("locking", "count"): 2 * 300 * 2 * 20}),
)


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


planted(
    # As often, at little cost.
    locking_not=lambda: (calls(300, 1), {}),
    locking_seldom=lambda: (calls(40, 20), {}),
    # Six locks, of which none takes a fiftieth of the time, but all together more than that.
    locking_several=lambda: (calls(1260, 20, work=400, places=6), {("locking", "count"): 2 * 1260 * 2 * 20}),
    locking_several_seldom=lambda: (calls(60, 20, work=400, places=6), {}),
)


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


planted(
    # One word is the lock of all: from 5000 on one worker has nothing.
    word_lock=lambda: (two_workers(1), {("lock", "take"): 20000}),
    # That main could go on is no loss: it would only wait for the next one.
    word_lock_over_main=lambda: (two_workers(1, join=True), {("lock", "take"): 20000}),
    word_lock_fixed=lambda: (two_workers(2), {}),
)


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


planted(
    # Many short waits, while the worker runs the other one.
    word_short=lambda: (turns(400), {("lock", "take"): 199 * 400}),
    word_short_fixed=lambda: (turns(2), {}),
    # As word_short(), by a condition: nobody holds one, and the worker runs the other task meanwhile.
    blocked_lightly=lambda: (turns(400, "cond"), {("blocked", "take"): 199 * 400}),
)


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


planted(
    # The user waits for 1000 and 19 x 700, and the worker of the maker at the end for 300.
    word=lambda: (handed_over(1000), {("word", "take"): 1000 + 19 * 700 + 300}),
    # Both are as fast.
    word_fixed=lambda: (handed_over(300), {}),
)
