# SPDX-License-Identifier: MIT
"""inside_cases.py - runs whose tasks meet inside their code, as stack samples show, or do not."""
from grain_cases import fine_copies, stretched
from plant import case, loop, planted


def draw(trace, workers, begin, n, spots):
    """Samples of the workers, each 100 ns from then on; those of which `spots` holds are in rand()."""
    trace.head += ["frame 0 pc=0x1010 fn=0x1000 name=part file=planted.c line=7",
                   "frame 1 pc=0x9010 fn=0x9000 name=__random",
                   "frame 2 pc=0x9110 fn=0x9100 name=rand",
                   "stack 1 frame=0", "stack 2 frame=2 parent=1", "stack 3 frame=1 parent=2"]
    for number in range(n):
        trace.head += [f"sample w{worker} {begin + number * 100 + 50 + worker} stack={3 if spots(number) else 1}"
                       for worker in workers]
    return trace


def drawn(repaired=False):
    """Two workers run `part` side by side for 40 us; three of four samples of 100 ns are in rand().

    At 198 of w0's samples there the last one of w1 was there, too, and at all 298 of w1's that of w0.
    """
    trace = loop(2, [("part", 20000)] * 4, sample_period_ns=100)
    return draw(trace, range(2), 0, 398, lambda n: n % 4 and not repaired)


planted(
    code_rand=lambda: (drawn(), {("contention", "part"): 49600}),
    code_none=lambda: (drawn(repaired=True), {}),
)


def hot(op="", words=(0, 0), library="", kernel=False, in_turns=False, tasks=(("part", 20000),) * 4):
    """Three of four samples of each worker stand behind one instruction, of `part` or a function.

    `op` is what that did, at the word of each worker; in turns: the second worker only after 20 us,
    when the first does so no more.
    """
    trace = loop(2, tasks, sample_period_ns=100)
    op = f" op={op}" if op else ""
    trace.head += ["frame 0 pc=0x1010 fn=0x1000 name=part file=planted.c line=7",
                   f"frame 1 pc=0x9010 fn=0x9000 name={library.replace(' ', '%20')}{op}" if library else
                   f"frame 1 pc=0x1020 fn=0x1000 name=part file=planted.c line=9{op}",
                   "stack 1 frame=0", f"stack 2 frame=1{' parent=1' if library else ''}"]
    for n in range(398):
        for worker, word in enumerate(words):
            there = n % 4 and (not in_turns or (n >= 199 + 12 * worker) == bool(worker))
            more = (f" word={word:#x}" if word else "") + (" in=kernel" if kernel else "")
            trace.head.append(f"sample w{worker} {n * 100 + 50 + worker} " +
                              (f"stack=2{more}" if there else "stack=1"))
    return trace


planted(
    # At all of 298 samples of each but the first one of w0.
    code_atomic=lambda: (hot("atomic", (0x5000, 0x5000)), {("contention", "part"): 59500}),
    code_atomic_own=lambda: (hot("atomic", (0x5000, 0x6000)), {}),
    # 1.2 us later: longer than the 10 periods that a sample counts for.
    code_atomic_in_turns=lambda: (hot("atomic", (0x5000, 0x5000), in_turns=True), {}),
    # But for the first sample of w0 after each pause: w1's last one is longer ago than a period.
    code_false_sharing=lambda: (hot("store", (0x5000, 0x5008)), {("contention", "part"): 49600}),
    code_read_alone=lambda: (hot("load", (0x5000, 0x5000)), {}),
)


def without_cpu(sleeps):
    """From a fourth of its task on w1 has no CPU, or sleeps elsewhere."""
    trace = hot("atomic", (0x5000, 0x5000))
    trace.head = [line for line in trace.head if not (line.startswith("sample w1") and int(line.split()[2]) > 10000)]
    trace.head += ["sample w1 10060 stack=1 asleep=20000"] * sleeps
    return trace


planted(
    # All 298 of w0 but the first one, and the 75 of w1: nobody knows that w1 has left it.
    code_atomic_no_cpu=lambda: (without_cpu(False), {("contention", "part"): 37200}),
    # Of w0 the 74 before, and 7 within the next 10 periods.
    code_atomic_asleep=lambda: (without_cpu(True), {("contention", "part"): 15600}),
)


@case
def code_library_lock():
    """No variable of the program's own, and no function whose lock is known."""
    return hot("atomic", (0x5000, 0x5000), "getgrnam_r"), {("contention", "part"): 59500}


@case
def code_mutex():
    return hot("atomic", (0x5000, 0x5000), "__pthread_mutex_lock"), {("contention", "part"): 59500}


@case
def code_mutex_waited():
    """At 6 us, w1 has waited 1 us for it, too, at that line: one cause, without its 8 samples meanwhile."""
    trace, _ = code_mutex()
    trace.wait(5000, 1, "mutex", "guard")
    trace.note(5000, 1, "object 0x5000")
    trace.put(6000, 0, "signal 0x5000")
    trace.resume(6000, 0, "0.2")
    trace.resume(6000, 1, "0.3")
    trace.head = [line.replace("line=7", f"line={trace.site('guard')}") for line in trace.head]
    return trace, {("lock", "guard"): 59500 - 800 + 1000}


planted(
    # Each has a lock that nobody else wants.
    code_mutex_own=lambda: (hot("atomic", (0x5000, 0x6000), "__pthread_mutex_lock"), {}),
    code_spin=lambda: (hot("spin"), {("contention", "part"): 59600}),
    code_faults=lambda: (hot(kernel=True), {("faults", "part"): 59600}),
    code_syscalls=lambda: (hot("syscall", library="write", kernel=True), {("syscalls", "part"): 59600}),
    # On its way out of the kernel, and in what libc does around the call.
    code_syscalls_end=lambda: (hot("syscall", library="__libc_write"), {("syscalls", "part"): 59600}),
    # A task gives back what it mapped: its calls for memory are one cause with the page faults.
    code_unmaps=lambda: (hot("syscall", library="munmap", kernel=True), {("faults", "part"): 59600}),
    code_syscalls_cancel=lambda: (hot(library="__pthread_disable_asynccancel"), {("syscalls", "part"): 59600}),
)


def called(function, inner=None, **how):
    """Three of four samples of each worker are in a library's function, perhaps in one that it calls."""
    trace = hot(library=inner or function, **how)
    if inner:
        at = trace.head.index("stack 2 frame=1 parent=1")
        trace.head[at:at + 1] = [f"frame 2 pc=0xa010 fn=0xa000 name={function.replace(' ', '%20')}",
                                 "stack 2 frame=2 parent=1", "stack 3 frame=1 parent=2"]
        trace.head = [line.replace("stack=2", "stack=3") if line.startswith("sample") else line for line in trace.head]
    return trace


planted(
    # malloc() of an exception is one cause with it.
    code_exceptions=lambda: (called("__cxa_allocate_exception", "malloc"), {("exceptions", "part"): 59600}),
    code_formatting=lambda: (called("std::ostream& std::ostream::_M_insert<long>(long)",
                                    "std::locale::id::_M_id() const"),
                             {("formatting", "part"): 59600}),
    code_printf=lambda: (called("__vfprintf_internal"), {("formatting", "part"): 59600}),
    # All of what it does is under that lock.
    code_zone=lambda: (called("__tz_convert", "__offtime"), {("contention", "part"): 49600}),
    # Its locales are one cause with it.
    code_regex=lambda: (called("std::__detail::_Compiler<..>::_Compiler", "std::locale::id::_M_id() const"),
                        {("formatting", "part"): 59600}),
    # It sleeps and wakes others, and asks for no memory; where a name of libc's inside is known, as without.
    code_allocator_waits=lambda: (called("__libc_malloc", "futex_wait", op="syscall", kernel=True),
                                  {("contention", "part"): 49600}),
)


def cut(function, inner):
    """The sample's piece of the stack ends before the task's code."""
    trace = called(function, inner)
    trace.head = [line.replace("stack 2 frame=2 parent=1", "stack 2 frame=2") for line in trace.head]
    return trace


planted(
    code_format_cut=lambda: (cut("__vfprintf_internal", "__printf_fp_l"), {("formatting", "part"): 59600}),
    code_regex_cut=lambda: (cut("std::__detail::_Compiler<..>::_Compiler", "__dynamic_cast"),
                            {("formatting", "part"): 59600}),
)


def allocates():
    """Of eight samples of each worker three are in malloc(), of one line's call, and three in memcpy(), of another's."""
    trace = hot(library="malloc")
    trace.head += ["frame 2 pc=0xa010 fn=0xa000 name=__memcpy_avx512_unaligned_erms",
                   "frame 3 pc=0x1030 fn=0x1000 name=part file=planted.c line=9", "stack 3 frame=3",
                   "stack 4 frame=2 parent=3", "frame 4 pc=0x1040 fn=0x1000 name=part file=planted.c line=11",
                   "stack 5 frame=4"]
    for at, line in enumerate(trace.head):
        if line.startswith("sample"):
            there = 4 if int(line.split()[2]) // 100 % 8 > 4 else 2
            trace.head[at] = line.replace("stack=1", "stack=5").replace("stack=2", f"stack={there}")
    return trace


def allocates_in_lambdas():
    """malloc() is called where a lambda is copied, and where its copy is dropped, in one line, and in another line."""
    trace = allocates_everywhere()
    trace.head = [line.replace("stack=1", "stack=5") if line.startswith("sample") else
                  line.replace("name=part", "name=<lambda>") if "pc=0x1010" in line else
                  line.replace("name=part", "name=~<lambda>").replace("line=9", "line=7") if "pc=0x1030" in line else line
                  for line in trace.head]
    return trace


def allocates_everywhere():
    """malloc() is called in three lines, as often in each."""
    trace = hot(library="malloc")
    trace.head += ["frame 2 pc=0x1030 fn=0x1000 name=part file=planted.c line=9", "stack 3 frame=2",
                   "stack 4 frame=1 parent=3", "frame 3 pc=0x1040 fn=0x1000 name=part file=planted.c line=11",
                   "stack 5 frame=3", "stack 6 frame=1 parent=5"]
    for at, line in enumerate(trace.head):
        if line.startswith("sample"):
            trace.head[at] = line.replace("stack=2", f"stack={int(line.split()[2]) // 100 % 3 * 2 + 2}")
    return trace


def hot_own_of_kinds():
    """Three kinds of tasks run that instruction; in the first one, half of them, four of five samples are in what its
    line calls."""
    trace = hot(tasks=[("part", 20000)] * 2 + [("also", 20000), ("more", 20000)])
    trace.head += ["frame 2 pc=0xa010 fn=0xa000 name=getenv", "stack 3 frame=2 parent=2"]
    for at, line in enumerate(trace.head):
        if line.startswith("sample") and int(line.split()[2]) < 20000 and int(line.split()[2]) // 100 % 5:
            trace.head[at] = line.replace("stack=2", "stack=3")
    return trace


planted(
    # No loss: it is what the tasks do.  The screen says where.
    code_hot=lambda: (hot(library="getenv"), {}),
    code_hot_own=lambda: (hot(), {}),
    code_hot_own_of_kinds=lambda: (hot_own_of_kinds(), {}),
    code_hot_memory=lambda: (allocates(), {}),
    code_hot_chosen=lambda: (hot(library="__strcmp_evex"), {}),
    code_hot_memory_lambdas=lambda: (allocates_in_lambdas(), {}),
    code_hot_memory_everywhere=lambda: (allocates_everywhere(), {}),
)


def serial_hot(inner):
    """The main task runs alone at the end; there `inner` of four samples are in what one line of it calls."""
    trace = loop(2, [("part", 1000)] * 8, tail=4000, sample_period_ns=100)
    trace.head += ["frame 0 pc=0x1010 fn=0x1000 name=merge file=planted.c line=30",
                   "frame 1 pc=0x1020 fn=0x1000 name=merge file=planted.c line=40",
                   "frame 2 pc=0x9010 fn=0x9000 name=strcoll",
                   "stack 1 frame=0", "stack 2 frame=1", "stack 3 frame=2 parent=2"]
    trace.head += [f"sample w0 {4050 + 100 * n} stack={3 if n % 4 < inner else 1}" for n in range(39)]
    return trace


planted(
    serial_hot=lambda: (serial_hot(3), {("serial", "main"): 4000}),
    serial_cold=lambda: (serial_hot(1), {("serial", "main"): 4000}),
)


@case
def code_faults_anew():
    """A fourth of the samples in the kernel are in munmap(), which free() calls."""
    trace = hot(kernel=True)
    trace.head += ["frame 2 pc=0xa010 fn=0xa000 name=free", "frame 3 pc=0xb010 fn=0xb000 name=__munmap op=syscall",
                   "stack 3 frame=2 parent=1", "stack 4 frame=3 parent=3"]
    for at, line in enumerate(trace.head):
        if line.startswith("sample") and int(line.split()[2]) // 100 % 4 == 1:
            trace.head[at] = line.replace("stack=2", "stack=4")
    return trace, {("faults", "part"): 59600}


planted(
    # It waits for another thread, and asks for nothing else of the kernel.
    code_yield=lambda: (hot("syscall", library="__GI___sched_yield", kernel=True), {("contention", "part"): 59600}),
)


def with_loads(words):
    """Two workers change a word atomically; each loads what `words` says first."""
    trace = hot("atomic", (0x5000, 0x5000))
    trace.head += ["frame 2 pc=0x1030 fn=0x1000 name=part file=planted.c line=9 op=load", "stack 3 frame=2"]
    for at, line in enumerate(trace.head):
        if line.startswith("sample") and "word=" in line and int(line.split()[2]) // 100 % 4 == 1:
            worker = int(line.split()[1][1:])
            trace.head[at] = line.split(" stack")[0] + f" stack=3 word={words[worker]:#x}"
    return trace


planted(
    # Also where the other one was there longer ago than a period.
    code_atomic_loaded=lambda: (with_loads((0x5000, 0x5000)), {("contention", "part"): 59400}),
    # It loads other memory, which nobody writes.
    code_atomic_beside=lambda: (with_loads((0x7000, 0x7000)), {("contention", "part"): 39500}),
)


@case
def code_stretched():
    """40 tasks take 960 longer beside each other, and a fourth of their samples are in rand(): the rest is stretched.

    Of the 50 of each of four workers, those of w0 come first, and the others are not there yet."""
    trace = draw(stretched(1984, sample_period_ns=100), range(4), 8000, 198, lambda n: n % 4 == 0)
    return trace, {("contention", "work"): 15000, ("stretch", "work"): 38400 - 15000, ("chain", "work"): 24000}


@case
def stretch_at_memory():
    """40 tasks take 960 longer beside each other; three of four of their samples are behind a load of own memory."""
    trace = stretched(1984, sample_period_ns=100)
    trace.head += ["frame 0 pc=0x1010 fn=0x1000 name=part file=planted.c line=7",
                   "frame 1 pc=0x1020 fn=0x1000 name=part file=planted.c line=9 op=load",
                   "stack 1 frame=0", "stack 2 frame=1"]
    for number in range(198):
        where = [f" stack=2 word={0x10000 * worker + 64 * number:#x}" if number % 4 else " stack=1"
                 for worker in range(4)]
        trace.head += [f"sample w{worker} {8050 + 100 * number + worker}{where[worker]}" for worker in range(4)]
    return trace, {("stretch", "work"): 38400, ("chain", "work"): 24000}


def copied(n_copying, function="__memcpy_avx_unaligned_erms"):
    """fine_copies(), and of six samples in the calls so many are in memcpy(), as far as that is known."""
    trace, _ = fine_copies()
    trace.head += ["meta sample_period_ns 10000",
                   f"frame 0 pc=0x1010 fn=0x1000 name=main file=planted.c line={trace.site('work')}",
                   f"frame 1 pc=0x9010 fn=0x9000 name={function}",
                   "frame 2 pc=0xa010 fn=0xa000 name=GOMP_task", "stack 1 frame=0", "stack 2 frame=2 parent=1",
                   "stack 3 frame=1 parent=2"]
    trace.head += [f"sample w0 {10000 * n + 1000} stack={3 if n % 6 < n_copying else 2}" for n in range(60)]
    return trace


planted(
    # What the samples stand for, and the rest is that its tasks are so short.
    copies=lambda: (copied(5), {("copies", "work"): 500000, ("fine", "work"): 296000}),
    # A compiler clears what it knows to be a copy of zeros.
    copies_cleared=lambda: (copied(5, "__memset_avx2_unaligned_erms"),
                            {("copies", "work"): 500000, ("fine", "work"): 296000}),
    # Most of what the calls take is something else.
    copies_not=lambda: (copied(2), {("fine", "work"): 796000}),
)
