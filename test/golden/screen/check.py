#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - no line of a report is longer than the terminal, whatever is asked for.

Names, files and hosts are long, and one trace has as many kinds as a trace may have; no part of the report takes
time that grows with their square.  A row's share is that of the columns beside it, and the largest is first.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
import frame  # noqa: E402
import texts  # noqa: E402

WIDTHS = (60, 80, 100, 150)
BY = ("kind", "site", "worker", "edge", "phase", "state", "lock", "wait", "path")
KINDS = 60000
PATIENCE_S = 240  # of what takes some 2 s
LONG = "namespace_of_the_library::function_template_with_a_long_name"
WAITED, MASKED, ROOT, ALONE = (texts.trace(__file__, name) for name in ("waited", "masked", "root", "alone"))


def locked(number):
    """Four tasks of as many kinds at one lock."""
    lines = ["tptrace text 2", "clock ns", "meta host a-node-with-a-long-name.cluster.example.org", f"meta pid {number}",
             f"meta exe /opt/bin/program-with-a-long-name-{number}", f"meta rank {number}",
             "runtime 0 name=libgomp version=GOMP_5.1 workers=4", "0 w0 root 0.1"]
    lines[-1:-1] = [f"site {i} name={LONG}_{i} file=/src/a_file_with_a_long_name.cpp line={1000 + i}" for i in range(1, 7)]
    events = []
    for i in range(4):
        events += [(10, f"w0 create 0.{i + 2} site={i + 1}"), (10, "w0 resume 0.1"), (20, f"w{i} begin 0.{i + 2}"),
                   (20, f"w{i} wait object site=5"), (None, f"w{i} object 0x10"),
                   (1000 * i + 20, f"w{i} resume 0.{i + 2}"), (1000 * i + 1020, f"w{i} signal 0x10"),
                   (1000 * i + 1020, f"w{i} resume 0.{i + 2}"), (1000 * i + 1030, f"w{i} end")]
    events.insert(8, (15, "w0 wait children site=6"))
    rank, at = [], 0
    for order, (time, text) in enumerate(events):
        at = at if time is None else time
        rank.append((at, order, f"{'-' if time is None else time} {text}"))
    rank += [(5000, len(events), "5000 w0 resume 0.1"), (5010, len(events) + 1, "5010 w0 end")]
    create = [line for line in sorted(rank) if " create " in line[2] or line[2] == "10 w0 resume 0.1"]
    rest = [line for line in sorted(rank) if line not in create]
    wait = [line for line in rest if "children" in line[2]]
    return "\n".join(lines + [text for *_, text in create + wait + [line for line in rest if line not in wait]]) + "\n"


def kinds(number):
    lines = ["tptrace text 2", "clock ns", "runtime 0 name=x version=1 workers=2"]
    lines += [f"site {i} name={LONG}_{i} file=planted.c line={i}" for i in range(1, number + 1)]
    lines.append("0 w0 root 0.1")
    for i in range(1, number + 1):
        lines += [f"{10 * i} w0 create 0.{i + 1} site={i}", f"{10 * i + 2} w0 resume 0.1", f"{10 * i + 3} w1 begin 0.{i + 1}",
                  f"{10 * i + 9} w1 end"]
    end = 10 * number + 20
    return "\n".join(lines + [f"{end} w0 wait children site=1", f"{end + 1} w0 resume 0.1", f"{end + 2} w0 end"]) + "\n"


def reported(tptrace, path, text, *options):
    """What report says of that trace."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([tptrace, "report", *options, path], capture_output=True, text=True, check=True).stdout


def untold(tptrace, folder):
    """One worker waited for its CPU inside the runtime: the machine is charged with that."""
    said = " ".join(reported(tptrace, os.path.join(folder, "waited.txt"), WAITED).split())
    for words in ("lost (90 %); 99 % of that is one cause: loaded machine.", "LOADED MACHINE other programs",
                  "workers waited 891 us for one", "allow on 1 worker ("):
        if words not in said:
            yield f"`{words}` is not in {said}"


def masked(tptrace, folder):
    """Workers that were bound to fewer CPUs than the process had: no other program had those."""
    path = os.path.join(folder, "masked.txt")
    few = ["1 of 2 cores, by affinity: oversubscribed", "by affinity that the program or OMP_PROC_BIND", "bind no"]
    whole_machine = ["2 of 4 cores", "other programs"]
    for n_cpus in (1, 2, 0, None):
        meta = f"meta workers_affinity {n_cpus}\n" if n_cpus is not None else ""
        text = " ".join(reported(tptrace, path, MASKED % meta).split())
        for words in few + whole_machine:
            if (words in text) != (words in (few if n_cpus == 1 else whole_machine)):
                yield f"`{words}`, workers_affinity {n_cpus}: {text}"


def settings(tptrace, folder):
    """How many workers there are is set by the variable of the run's own runtime; others' waits are of no runtime."""
    path = os.path.join(folder, "settings.txt")
    beside = "runtime 1 name=%s version=1 workers=2\nsite 2 runtime=1 name=u\n"
    made = "0 w0 create 0.2 site=1\n0 w0 resume 0.1\n0 w1 begin 0.2\n"
    most = "OMP_NUM_THREADS, max_allowed_parallelism, .."
    for name, other, want in (("libgomp", "", "OMP_NUM_THREADS"), ("StarPU", "pthread", "STARPU_NCPU"), ("x", "", most),
                              ("MassiveThreads", "", "MYTH_NUM_WORKERS"), ("libgomp", "StarPU", most)):
        text = (MASKED % "meta workers_affinity 1\n").replace("name=x", f"name={name}")
        if other:
            text = text.replace("site 1 ", beside % other + "site 1 ")
        if other == "StarPU":
            text = text.replace(made, made.replace("w1 begin 0.2", "w0 create 0.3 site=2") + "0 w0 resume 0.1\n0 w1 begin 0.2\n")
            text = text.replace("1000 w1 end\n", "1000 w1 end\n1000 w1 begin 0.3\n1000 w1 end\n")
        text = " ".join(reported(tptrace, path, text, "--verbose").split())
        if f"start 1 worker ({want}" not in text or ("OMP_MAX_ACTIVE" in text) != (want == "OMP_NUM_THREADS"):
            yield f"{name}, {other}: {text}"


def copies(tptrace, folder):
    """A line of which a compiler made two copies: the rows of its lock are told apart, others need not be."""
    path = os.path.join(folder, "copies.txt")
    at = f"ret-module=1 at={LONG}_5 at-file=/src/a_file_with_a_long_name.cpp at-line=1005"
    text = locked(1).replace("w3 wait object site=5", "w3 wait object site=7").replace(
        "site 6 ", f"site 7 ret=0x1200 {at}\nsite 6 ").replace(
        "site 5 ", f"meta names kept\nmodule 1 start=0x1000 end=0x2000 bias=0x1000 path=/x\nsite 5 ret=0x1100 {at} ")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    for more, wanted, want in (((), ["+0x100", "+0x200"], True), (("--csv",), ["+0x100", "+0x200"], True),
                               ((), ["+0x"], False), ((), [", x+0x"], False)):
        trace = path if want else os.path.join(folder, "1.txt")
        if wanted == [", x+0x"]:  # a place without a name has its address once
            trace = path + ".txt"
            with open(trace, "w", encoding="utf-8") as file:
                file.write(text.replace("meta names kept\n", ""))
        said = subprocess.run([tptrace, "report", "--by", "lock", *more, trace], capture_output=True, text=True, check=True,
                              env={**os.environ, "COLUMNS": "200"}).stdout
        for words in wanted:
            if (words in said) != want:
                yield f"`{words}` is{' not' if want else ''} in {said}"


def rooted(tptrace, folder):
    """Main begins on the line that creates its task: it is no copy of that call."""
    said = reported(tptrace, os.path.join(folder, "rooted.txt"), ROOT, "--by", "site")
    if "+0x" in said or "app.c:7-9" not in said or "main  app.c:7 " not in said:
        yield f"the rows of main and of its call: {said}"


def apart(tptrace, folder):
    """Instances of one template, at one line: however narrow the screen is, no two rows look the same."""
    path = os.path.join(folder, "apart.txt")
    text = kinds(4)
    for i, instance in enumerate(("int", "double", "std::vector<int>", "std::vector<float>"), 1):
        text = text.replace(f"name={LONG}_{i} file=planted.c line={i}", f"name=Work<{instance}>::go file=planted.c line=7")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    for columns in range(40, 100, 5):
        for more in ((), ("--by", "path"), (path,)):
            said = subprocess.run([tptrace, "report", *more, path], capture_output=True, text=True, check=True,
                                  env={**os.environ, "COLUMNS": str(columns)}).stdout
            rows = [line.split("  planted")[0].strip() for line in said.splitlines() if "%" in line and "  planted" in line]
            if not 4 <= len(rows) == len({*rows}):
                yield f"{more}, {columns} columns: {rows} in {said}"


WAITERS = """tptrace text 2
clock ns
runtime 0 name=x version=1 workers=3
site 1 name=Work<int>::goes_on_for_ever file=planted.c line=7
site 2 name=Work<double>::goes_on_for_ever file=planted.c line=7
site 3 at=lock at-file=planted.c at-line=9
0 w0 root 0.1
10 w0 create 0.2 site=1
10 w0 resume 0.1
10 w0 create 0.3 site=2
10 w0 resume 0.1
20 w1 begin 0.2
20 w2 begin 0.3
30 w1 wait mutex site=3
- w1 object 0x10
30 w2 wait mutex site=3
- w2 object 0x10
50 w0 signal 0x10
60 w0 resume 0.1
60 w1 resume 0.2
70 w1 signal 0x10
80 w1 resume 0.2
90 w2 resume 0.3
100 w0 end
100 w1 end
100 w2 end
"""


def waiters(tptrace, folder):
    """Likewise the rows below a lock's."""
    path = os.path.join(folder, "waiters.txt")
    for columns in range(55, 100, 5):
        os.environ["COLUMNS"] = str(columns)
        said = reported(tptrace, path, WAITERS, "--by", "lock")
        rows = [line.split("  planted")[0] for line in said.splitlines() if line.startswith("  waits: ")]
        if len(rows) != 2 or len({*rows}) != 2:
            yield f"{columns} columns: {rows} in {said}"
    del os.environ["COLUMNS"]


def jumped(tptrace, folder):
    """A wait that returns to a shim was the last thing that a task's code did, by a jump: the shim is no place of it."""
    path = os.path.join(folder, "jumped.txt")
    at = "ret-module=1 at=task_run at-file=shims/gomp/gomp_task.c at-line=67"
    for kept in ("meta names kept\n", ""):
        for module, wanted in (("libtpshim_omp.so", "children the end of a task's code 1 1"), ("libapp.so", None)):
            text = ALONE.replace("site 1 ", f"{kept}module 1 start=0x1000 end=0x2000 bias=0x1000 path=/x/{module}\n"
                                 f"site 2 ret=0x1100 {at}\nsite 1 ").replace("children site=1", "children site=2")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([tptrace, "report", "--by", "wait", path], capture_output=True, text=True, check=True)
            said = " ".join(done.stdout.split())
            if wanted not in said if wanted else "end of a task" in said or (kept and "task_run, gomp_task.c:67" not in said):
                yield f"{module}: {said}"


def whole(tptrace, folder):
    """However long names are, a finding's sentences have their ends, and each name its line."""
    path = os.path.join(folder, "longer.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(locked(1).replace(LONG, LONG * 3))
    said = " ".join(subprocess.run([tptrace, "report", path], capture_output=True, text=True, check=True).stdout.split())
    wanted = [f"a_file_with_a_long_name.cpp:{1000 + i} (1 x)" for i in (2, 3, 4)]
    wanted += [f"a_file_with_a_long_name.cpp:{1000 + i} ({4 - i}.00 us)" for i in (1, 2, 3)]
    for words in [*wanted, "work while it is held: 4.00 us in all"]:
        if words not in said:
            yield f"`{words}` is not in {said}"


NOTHING = "tptrace text 2\nclock ns\nruntime 0 name=x version=1 workers=1\n0 w0 root 0.1\n10 w0 end\n"


def few(tptrace, folder):
    """Of one task, and of none; how long the program ran besides is not known, and not told."""
    path = os.path.join(folder, "few.txt")
    for text, wanted in ((ALONE, "1 task (f, a.c:42) is too few or too long for 2 workers"), (NOTHING, "1.0 of 1 worker was in tasks"),
                         (ALONE[:ALONE.index("11 w1")], " 1 task created and never begun "),
                         (ALONE[:ALONE.index("1000 w1")] + "20 w0 resume 0.1\n", " 1 task begun, but not ended at ")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([tptrace, "report", path], capture_output=True, text=True, check=True)
        said = " ".join(done.stdout.split())
        if wanted not in said or "the program" in said:
            yield f"`{wanted}`, and not `the program`, should be in {said}"


def verdict(tptrace, folder):
    """What else there is to be won: CPUs without a worker, time outside of the runtime; and no more than the CPUs allow."""
    path = os.path.join(folder, "verdict.txt")
    tasks = "".join(f"0 w0 create 0.{n} site=1\n0 w0 resume 0.1\n" for n in range(2, 12))
    runs = "".join(f"{1000 * n} w0 begin 0.{n + 2}\n{1000 * n + 1000} w0 end\n" for n in range(10))
    text = "tptrace text 2\nclock ns\n%sruntime 0 name=x version=1 workers=%d\nsite 1 name=f\n0 w0 root 0.1\n" + tasks + \
        "0 w0 wait children site=1\n" + runs + "10000 w0 resume 0.1\n10000 w0 end\n"
    little, cpus, outside = "Little is lost:", "The process may use 4 CPUs, and as many workers need 2.50 us", "% of the program's time"
    for meta, workers, wanted, not_wanted in (
            ("meta cpus 1\n", 1, [little], [cpus, outside]), ("meta cpus 4\n", 1, [cpus], [little, outside]),
            ("", 1, [little], ["CPU"]), ("meta ended_ns 12000\n", 1, [little], [outside]),
            ("meta ended_ns 25000\n", 1, ["All this is about 40 % of the program's time"], [little]),
            ("meta cpus 2\n", 4, ["1.0 of 4 workers were in tasks on 2 CPUs.", "5.00 us is the best that these tasks allow on 2 CPUs"],
             [cpus, "allow on 4"])):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text % (meta, workers))
        done = subprocess.run([tptrace, "report", path], capture_output=True, text=True, check=True)
        said = " ".join(done.stdout.split())
        for words in [*wanted, *not_wanted]:
            if (words in said) != (words in wanted):
                yield f"`{words}` is{' not' if words in wanted else ''} in {said}"


def unseen(tptrace, folder):
    """That --baseline would tell whether workers slow each other is said once five tasks alone took less."""
    path = os.path.join(folder, "unseen.txt")
    hint = "Workers may slow each other: `tptrace record --baseline` tells"
    for alone, length, said_so in ((4, 700, False), (5, 700, True), (5, 800, False)):
        lines, now = [], 0
        tasks = [f"0 w0 create 0.{n} site=1\n0 w0 resume 0.1\n" for n in range(2, 402 + alone)]
        for n in range(2, 402, 2):
            lines += [f"{now} w0 begin 0.{n}\n", f"{now} w1 begin 0.{n + 1}\n", f"{now + 1000} w0 end\n", f"{now + 1000} w1 end\n"]
            now += 1000
        for n in range(402, 402 + alone):
            lines += [f"{now} w0 begin 0.{n}\n", f"{now + length} w0 end\n"]
            now += length
        with open(path, "w", encoding="utf-8") as file:
            file.write("tptrace text 2\nclock ns\nruntime 0 name=x version=1 workers=2\nsite 1 name=f\n0 w0 root 0.1\n" + "".join(tasks) +
                       "0 w0 wait children site=1\n" + "".join(lines) + f"{now} w0 resume 0.1\n{now} w0 end\n")
        said = " ".join(subprocess.run([tptrace, "report", path], capture_output=True, text=True, check=True).stdout.split())
        if (hint in said) != said_so:
            yield f"{alone} alone, of {length}: {said}"


def on_cpus(tptrace, _folder):
    """CPU time by kind stands beside the work where there is room for it, and samples."""
    for name, columns, there in (("code/code", 120, True), ("code/code", 80, False), ("report/called", 150, False)):
        path = os.path.join(os.path.dirname(__file__), "..", f"{name}.txt")
        said = subprocess.run([tptrace, "report", path], capture_output=True, text=True, check=True,
                              env={**os.environ, "COLUMNS": str(columns)}).stdout
        if ("on a CPU" in said) != there or (" 60 ns " in said) != there:
            yield f"{name}, {columns} columns: {said}"


def named(tptrace, folder):
    """Where the figures of one task stand beside kinds, the kinds' names are not cut for them."""
    path = os.path.join(folder, "named.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(kinds(4).replace(f"{LONG}_", "update_block_"))
    for columns in range(60, 110):
        call = ["env", f"COLUMNS={columns}", tptrace, "report", path]
        said = subprocess.run(call, capture_output=True, text=True, check=True).stdout
        if ("median  " in said or "max\n" in said) and "update_block_2  planted.c:2 " not in said:
            yield f"{columns} columns: {said}"


def once(tptrace, _folder):
    """What was but once is not told as if it had been more often."""
    path = os.path.join(os.path.dirname(__file__), "../report/nested_regions.txt")
    said = subprocess.run([tptrace, "report", "--verbose", path], capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "150"}).stdout
    for words in ("once the others waited at this barrier for the last one (i), 16 ns of elapsed, with", "asked for 2 of 3 workers, once, "):
        if words not in said:
            yield f"`{words}` is not in {said}"


def rest(tptrace, folder):
    """The rows that are left out have no median of their own, and the longest of theirs."""
    path = os.path.join(folder, "rest.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(kinds(14))
    said = subprocess.run([tptrace, "report", path], capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "150"}).stdout
    (row,) = [line.split() for line in said.splitlines() if line.startswith("(5 more)")]
    if row[-4:] != ["5", "-", "6", "ns"]:
        yield f"{row} in {said}"


def sums(tptrace, folder):
    """The rows of --csv add up to the figures, whatever they are grouped by; what has no tasks of its own says none, not 0."""
    path = os.path.join(folder, "1.txt")
    said = json.loads(subprocess.run([tptrace, "report", "--json", path], capture_output=True, text=True, check=True).stdout)
    for by in ("kind", "site", "path", "worker", "state", "edge", "phase"):
        table = subprocess.run([tptrace, "report", "--csv", "--by", by, path], capture_output=True, text=True, check=True).stdout
        rows = list(csv.DictReader(table.splitlines()))
        for key in ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns"):
            if not rows or sum(int(row[key]) for row in rows) != said[key]:
                yield f"--csv --by {by}: {key} is not {said[key]} in {table}"
        tasks = [row["tasks"] for row in rows]
        if by in ("kind", "site", "path") and sum(map(int, tasks)) != said["tasks"] or by not in ("kind", "site", "path") and any(tasks):
            yield f"--csv --by {by}: tasks {tasks}, of {said['tasks']}"


def bound(tptrace, folder):
    """Where all work may have been waits for a CPU, no bound of 0 is given; one CPU is no CPUs."""
    path = os.path.join(folder, "waits.txt")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../report/machine.txt"), encoding="utf-8") as file:
        some = file.read()
    waits = some
    for a, b in (("1205 wait=607", "5 wait=2007"), ("400 wait=150", "0 wait=800"), ("100 wait=100", "0 wait=400"),
                 ("1206 wait=607", "6 wait=2007"), ("401 wait=150", "1 wait=800")):
        waits = waits.replace(f"run={a}", f"run={b}")
    for text, said, unsaid in ((some, "; no run on 1 CPU is shorter than 600 ns", " CPUs is"), (waits, "on a CPU at most ", "no run")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([tptrace, "report", "--verbose", path], capture_output=True, text=True, check=True)
        words = " ".join(done.stdout.split())
        if said not in words or unsaid in words:
            yield f"`{said}` is missing, or `{unsaid}` is not: {words}"


def longer(tptrace, width, *arguments):
    """What is wrong with the lines of that report."""
    env = {**os.environ, "COLUMNS": str(width)}
    done = subprocess.run([tptrace, "report", *arguments], capture_output=True, text=True, check=False, env=env,
                          timeout=PATIENCE_S)
    said = " ".join(a for a in arguments if a.startswith("--"))
    if done.returncode or len(done.stdout) < 100:
        yield f"{said}: {done}"
    for line in done.stdout.splitlines():
        if len(line) > width:
            yield f"{said or 'report'}, {width} columns: {len(line)}: {line}"


def ns(cell):
    """A time of a screen."""
    number, unit = (cell.split() + ["ns"])[:2]
    return float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]


def uneven(tptrace, by, path):
    """Which rows of the profile have another share than their times have, or stand behind a smaller one."""
    env = {**os.environ, "COLUMNS": "150"}
    said = subprocess.run([tptrace, "report", "--by", by, path], capture_output=True, text=True, check=True, env=env,
                          timeout=PATIENCE_S).stdout.splitlines()
    at = next(i for i, line in enumerate(said) if line.startswith(by + " ") and " share " in line)
    ends = [said[at].index(f" {title}") + 1 + len(title) for title in ("work", "blocked", "runtime", "starved", "tptrace")
            if f" {title}" in said[at]]
    share_end = said[at].index(" share") + 6
    rows = [(line, float(line[share_end - 6:share_end].rstrip("%")), sum(ns(line[end - 9:end].strip()) for end in ends))
            for line in said[at + 1:]]
    total = sum(time for *_, time in rows)
    if len(rows) < 3 or total <= 0:
        yield f"--by {by}: no profile in {said}"
    for i, (line, share, time) in enumerate(rows):
        if abs(share - 100 * time / total) > .6: # three digits of each
            yield f"--by {by}: its times are {100 * time / total:.1f} % of all: {line}"
        if i and time > rows[i - 1][2] * 1.01:
            yield f"--by {by}: behind a smaller one: {line}"


def serial(tptrace, _):
    """What tasks do under one lock bounds all that the screen says of the best elapsed time."""
    path = os.path.join(os.path.dirname(__file__), "../report/lock_serial.txt")
    done = subprocess.run([tptrace, "report", "--verbose", "--bounds", path], capture_output=True, text=True, check=True)
    said = " ".join(done.stdout.split())
    for words in ("60 ns is the best that these tasks allow on 2 workers (work under one lock)", "no run on 2 workers is shorter than 60 ns",
                  "no number of workers is more than 1.58 times as fast as 1"):
        if words not in said:
            yield f"`{words}` is not in {said}"


def described(tptrace, folder):
    """info breaks lines where COLUMNS says so, and none by itself in a pipe."""
    path = os.path.join(folder, "info.txt")
    words = "one of many words " * 20
    escaped = words.strip().replace(" ", "%20")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"tptrace text 2\nclock ns\nmeta command {escaped}\n0 w0 root 0.1\n1 w0 end\n")
    for columns in (None, 60, 200):
        env = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        env.update({"COLUMNS": str(columns)} if columns else {})
        said = subprocess.run([tptrace, "info", path], capture_output=True, text=True, check=True, env=env).stdout
        longest = max(map(len, said.splitlines()))
        if words.strip() not in " ".join(said.split()) or (longest > columns if columns else longest < len(words)):
            yield f"info, COLUMNS={columns}: {said}"


def main():
    tptrace = frame.arguments(__doc__).tptrace
    wrong, n = [], 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{number}.txt") for number in (1, 2)]
        for number, path in enumerate(paths, 1):
            with open(path, "w", encoding="utf-8") as file:
                file.write(locked(number))
        calls = [(w, *more, paths[0]) for w in WIDTHS
                 for more in [("--verbose",), ("--distribution",), *(("--by", by) for by in BY)]]
        traces = os.path.join(os.path.dirname(__file__), "../report")
        calls += [(w, "--distribution", f"{traces}/{name}.txt") for w in WIDTHS for name in ("collapsed", "strand_counters")]
        calls += [(w, *more, *paths) for w in WIDTHS for more in ((), ("--together",))]
        calls += [(w, "--explain", cause) for w in WIDTHS for cause in ("lock", "word", "barred", "tail")]
        many = os.path.join(folder, "many.txt")
        with open(many, "w", encoding="utf-8") as file:
            file.write(kinds(KINDS))
        calls.append((WIDTHS[0], many))
        for call in calls:
            n += 1
            wrong += longer(tptrace, *call)
        for look in (untold, masked, settings, copies, rooted, apart, waiters, jumped, whole, few, verdict, named, once, rest, sums, bound, serial, unseen, on_cpus, described):
            n += 1
            wrong += look(tptrace, folder)
        n += 1
        part = subprocess.run([tptrace, "report", "--distribution", "--phase=b", f"{traces}/collapsed_phase.txt"],
                              capture_output=True, text=True, check=True).stdout
        wrong += [part] * ("\n5 collapsed tasks count for work alone" not in part)
        for by in ("kind", "site"):
            n += 1
            wrong += uneven(tptrace, by, paths[0])
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    print(f"{n} reports, {len(wrong)} lines wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
