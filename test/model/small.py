#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""small.py [--build DIR] - simulations whose answer can be worked out by hand, and input that is refused."""
import json
import os
import re
import subprocess
import sys
import tempfile

from laws import POLICIES, exclusive

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import texts  # noqa: E402

HEAD = "tptrace text 2\nclock ns\nruntime 0 name={runtime} version=x workers=2\n" \
       "site 1 name=t file=t.c line=1\nsite 2 name=u file=t.c line=2\nsite 3 name=w file=t.c line=3\n"
FREE = ("--cost", "all=0", "--runs", "1")
COLLAPSED, REGION, DISCARDED, EMPTY, THIEVES = (
    texts.trace(__file__, name) for name in ("collapsed", "region", "discarded", "empty", "thieves"))


def flat(lengths, create=10, site=1):
    """One producer, then tasks of these lengths one after the other; nothing but `create` costs anything."""
    lines, now = ["0 w0 root 0.1"], 0
    for i in range(len(lengths)):
        lines += [f"{now + 5} w0 create 0.{i + 2} site={site}", f"{now + 5 + create} w0 resume 0.1"]
        now += 5 + create
    lines.append(f"{now} w0 wait children site=3")
    for i, length in enumerate(lengths):
        lines += [f"{now} w0 begin 0.{i + 2}", f"{now + length} w0 end"]
        now += length
    return "\n".join(lines + [f"{now} w0 resume 0.1", f"{now + 5} w0 end"]) + "\n"


def rounds(lengths, create=10):
    """A task of each length, and a wait for it."""
    lines, now = ["0 w0 root 0.1"], 0
    for i, length in enumerate(lengths):
        lines += [f"{now} w0 create 0.{i + 2} site=1", f"{now + create} w0 resume 0.1", f"{now + create} w0 wait children site=3",
                  f"{now + create} w0 begin 0.{i + 2}", f"{now + create + length} w0 end", f"{now + create + length} w0 resume 0.1"]
        now += create + length
    return "\n".join(lines + [f"{now} w0 end"]) + "\n"


def nested(length):
    """A task that creates one, of the other kind, and waits for it."""
    return f"""0 w0 root 0.1
0 w0 create 0.2 site=1
0 w0 resume 0.1
0 w0 wait children site=3
0 w0 begin 0.2
0 w0 create 0.3 site=2
0 w0 resume 0.2
0 w0 wait children site=3
0 w0 begin 0.3
{length} w0 end
{length} w0 resume 0.2
{length} w0 end
{length} w0 resume 0.1
{length} w0 end
"""


def locked(n, inside):
    """n tasks that hold one lock all the time."""
    lines, now = ["0 w0 root 0.1"], 0
    for i in range(n):
        lines += [f"{now} w0 create 0.{i + 2} site=1", f"{now} w0 resume 0.1"]
    lines.append("0 w0 wait children site=2")
    for i in range(n):
        lines += [f"{now} w0 begin 0.{i + 2}", f"{now} w0 wait object site=3", "- w0 object 0x10",
                  f"{now} w0 resume 0.{i + 2}", f"{now + inside} w0 signal 0x10",
                  f"{now + inside} w0 resume 0.{i + 2}", f"{now + inside} w0 end"]
        now += inside
    return "\n".join(lines + [f"{now} w0 resume 0.1", f"{now} w0 end"]) + "\n"


ENTERED_TWICE = locked(4, 50).replace("resume 0.2\n50 w0 signal 0x10\n", """resume 0.2
10 w0 wait object site=3
- w0 object 0x10
10 w0 resume 0.2
40 w0 signal 0x10
40 w0 resume 0.2
50 w0 signal 0x10
""")


def handed_over(early):
    """Two tasks hold one lock all the time; one has read the clock `early` ns before the other leaves it."""
    return f"""0 w0 root 0.1
0 w0 create 0.2 site=1
0 w0 resume 0.1
0 w0 create 0.3 site=1
0 w0 resume 0.1
0 w0 wait children site=2
0 w0 begin 0.2
0 w0 wait object site=3
- w0 object 0x10
0 w0 resume 0.2
0 w1 begin 0.3
0 w1 wait object site=3
- w1 object 0x10
{10000 - early} w1 resume 0.3
10000 w0 signal 0x10
10000 w0 resume 0.2
10000 w0 end
{20000 - early} w1 signal 0x10
{20000 - early} w1 resume 0.3
{20000 - early} w1 end
{20000 - early} w0 resume 0.1
{20000 - early} w0 end
"""


# and w1 ran another task, so that it could have stolen from the collapsed ones
COLLAPSED_BY_TWO = COLLAPSED.replace("create 0.2 site=1", "create 0.2 site=2\n0 w0 resume 0.1\n0 w0 create 0.3 site=1") \
    .replace("0 w0 begin 0.2", "0 w1 begin 0.2\n0 w1 end\n0 w0 begin 0.3")


# Three threads, none of them a worker, of which two at a time take the places of the two workers.
BY_TURNS = "".join(f"- w{w} no-worker\n" for w in range(3)) + "0 w0 root 0.1\n" + "".join(
    f"0 w0 create 0.{i} site=1\n0 w0 resume 0.1\n" for i in range(2, 6)) + """0 w0 wait children site=3
0 w1 begin 0.2
0 w2 begin 0.3
100 w1 end
100 w2 end
100 w0 begin 0.4
100 w2 begin 0.5
200 w0 end
200 w2 end
200 w0 resume 0.1
200 w0 end
"""

MS = 1000000


def late(waits):
    """Ten tasks of 1 ms; w1's thread takes 5 ms to start, runs one of them, and waits 3 ms for a CPU before another, if it is to."""
    events = [(0, 0, "root 0.1"), *((0, 0, e) for i in range(10) for e in (f"create 0.{i + 2} site=1", "resume 0.1")),
              (0, 0, "wait children site=3")]
    for worker, numbers, now in ((0, range(2, 10 if waits else 11), 0), (1, range(11, 12), 5 * MS), (1, range(10, 11) if waits else (), 9 * MS)):
        for number in numbers:
            events += [(now, worker, f"begin 0.{number}"), (now + MS, worker, "end")]
            now += MS
    end = (10 if waits else 9) * MS
    events += [(end, 0, "resume 0.1"), (end, 0, "end")]
    cpu = f"cpu w1 0 run=0 wait=0\ncpu w1 {end} run={2 * MS} wait={3 * MS}\n" if waits else ""
    return cpu + "".join(f"{ns} w{worker} {event}\n" for ns, worker, event in sorted(events, key=lambda e: e[0]))


# name, runtime, events, options, {workers: elapsed}
CASES = (
    ("four equal tasks", "x", flat([100] * 4), FREE, {1: 425, 2: 225, 4: 125, 1024: 125}),
    ("a long one begun last is the tail", "x", flat([100, 100, 400]), FREE, {2: 5 + 100 + 400 + 5}),
    ("the longest way first", "x", flat([100, 100, 400]), (*FREE, "--policy", "critical-path"),
     {1: 620, 2: 15 + 400 + 5}),
    ("creations cost what they did", "x", flat([100] * 4), ("--runs", "1"), {1: 465}),
    ("creations cost a fixed time", "x", flat([100] * 4), (*FREE, "--cost", "create=2ns"), {1: 433}),
    ("creations cost twice as much", "x", flat([100] * 4), ("--runs", "1", "--cost", "create=x2"), {1: 505}),
    ("twice as fast", "x", flat([100] * 4), (*FREE, "--speed", "t=x2"), {1: 225, 2: 125}),
    ("merged tasks are not taken up", "x", flat([100] * 8), (*FREE, "--cost", "steal=40ns", "--merge", "t:4"),
     {1: 845, 2: 5 + 40 + 400 + 5}),
    ("tasks on both sides of a wait are not merged", "x", rounds([100] * 4), ("--runs", "1", "--merge", "t:4"), {1: 440}),
    ("split into four", "x", flat([400]), (*FREE, "--split", "t:4"), {1: 410, 2: 210, 4: 110, 8: 110}),
    ("split pays for its parts", "x", flat([400]), ("--runs", "1", "--cost", "begin=0", "--cost", "create=10ns", "--split",
                                                    "t:4"), {1: 410 + 10 + 30}),
    ("a taskwait takes the parts of its children's strands", "libgomp", nested(80), (*FREE, "--split", "u:4"),
     {1: 80, 4: 20}),
    ("fitted times of equal tasks are equal", "x", flat([100] * 30), (*FREE, "--times", "fitted"), {1: 30 * 105 + 5, 2: 5 + 16 * 100 + 5}),
    ("few times are as recorded", "x", flat([100, 100, 400]), (*FREE, "--times", "fitted"), {1: 620}),
    ("twice as fast, fitted", "x", flat([100] * 30), (*FREE, "--times", "fitted", "--speed", "t=x2"), {1: 30 * 55 + 5}),
    ("merged by two", "x", flat([100] * 4), ("--runs", "1", "--merge", "t:2"), {1: 445}),
    ("split no finer than it pays for", "x", flat([400]), ("--runs", "1", "--cost", "begin=0", "--cost", "create=10ns",
                                                           "--split", "t:100"), {1: 410 + 10 + 390}),
    ("created first, the long one is no tail", "x", flat([100, 100, 400]), (*FREE, "--longest-first", "t"),
     {1: 620, 2: 5 + 400 + 5}),
    ("called, tasks cost nothing and run in turn", "x", flat([100] * 4), ("--runs", "1", "--call", "t"), {1: 425, 2: 425}),
    ("only short ones are called", "x", flat([100, 100, 400, 400]), (*FREE, "--call", "t=200ns"),
     {1: 1025, 2: 105 + 105 + 5 + 5 + 400 + 5}),
    ("a called child is its parent's work", "libgomp", nested(80), (*FREE, "--call", "u"), {1: 80, 4: 80}),
    ("a task above one that stays, stays", "libgomp", nested(80), (*FREE, "--call", "t", "--split", "u:4"), {4: 20}),
    ("one lock", "libgomp", locked(4, 50), FREE, {1: 200, 2: 200, 4: 200}),
    ("a lock entered twice is one", "libgomp", ENTERED_TWICE, FREE, {1: 200, 2: 200, 4: 200}),
    ("what holds a lock is not split", "libgomp", locked(4, 50), (*FREE, "--split", "t:4"), {1: 200, 2: 200, 4: 200}),
    ("without it", "libgomp", locked(4, 50), (*FREE, "--without-lock", "t.c:3"), {1: 200, 2: 100, 4: 50}),
    ("a lock that is handed over early is one", "libgomp", handed_over(100), FREE, {1: 20000, 2: 20000}),
    ("two that have an object at once do not wait for it", "libgomp", handed_over(1000), FREE, {1: 20000, 2: 10000}),
    ("children held until the wait", "x", flat([100] * 4), (*FREE, "--policy", "held"), {2: 20 + 200 + 5}),
    ("collapsed: whole on as many workers as recorded, as wide as work / span on more", "x", COLLAPSED, ("--runs", "1", "--cost", "inside=0"),
     {1: 80, 2: 80, 4: 20, 8: 20}),
    ("collapsed: as wide as work / span under another policy", "x", COLLAPSED_BY_TWO,
     ("--runs", "1", "--cost", "inside=0", "--policy", "greedy"), {1: 80, 2: 40, 4: 20, 8: 20}),
    ("collapsed: whole, as recorded, beside another worker", "x", COLLAPSED_BY_TWO, ("--runs", "1", "--cost", "inside=0"), {2: 80, 4: 20}),
    ("who never came stays away", "x", COLLAPSED, ("--runs", "1", "--cost", "inside=0"), {2: 80}),
    ("unless steals cost something else", "x", COLLAPSED, ("--runs", "1", "--cost", "inside=0", "--cost", "steal=0"), {2: 40}),
    ("threads take the places of workers by turns", "x", BY_TURNS, ("--runs", "1", "--cost", "begin=0"), {1: 400, 2: 200, 4: 100}),
    ("tasks in turn", "x", flat([100, 1, 100, 1]), (*FREE, "--policy", "in-turn"), {2: 5 + 200 + 15 + 5}),
    ("a thread starts once", "oneTBB", late(False), ("--runs", "1", "--policy", "libgomp"), {2: 8 * MS}),
    ("a wait for a CPU is no steal", "oneTBB", late(True), ("--runs", "1", "--policy", "libgomp"), {2: 8 * MS}),
    ("collapsed: whole", "x", COLLAPSED, ("--runs", "1", "--whole"), {1: 100, 4: 100}),
)

# name, runtime, events, options, {workers: tasks that their creation ran}
BOUNDED = (
    ("64 tasks a worker, and one more", "libgomp", flat([1] * 200), (), {1: 200 - 65}),
    ("256 tasks in a deque", "libomp", flat([1] * 300), (), {1: 300 - 256}),
    ("no bound", "libgomp", flat([1] * 200), ("--no-throttle",), {1: 0}),
    ("no bound in other policies", "libgomp", flat([1] * 300), ("--policy", "help-first"), {1: 0}),
)

# name, [(workers, events)] of traces, options, {workers: elapsed}, {workers: of all t's work over that on one}
SCALED = (
    ("two traces: what moves", [(1, flat([100] * 4)), (2, flat([150] * 4))], FREE, {1: 425, 2: 325, 4: 200}, {2: 1.5, 4: 1.75}),
    ("the same from the second", [(2, flat([150] * 4)), (1, flat([100] * 4))], FREE, {1: 425, 2: 325, 4: 200}, {2: 1.5, 4: 1.75}),
    ("three traces: what is crowded", [(1, flat([100] * 4)), (2, flat([150] * 4)), (4, flat([250] * 4))], FREE, {1: 425, 8: 475},
     {2: 1.5, 8: 4.5}),
    ("four traces: both", [(p, flat([2000 + 2000 * (p - 1) // p + 100 * (p - 1)] * 4)) for p in (1, 2, 4, 8)], FREE, {1: 8025},
     {2: 1.55, 16: 1 + 15 / 16 + .75}),
    ("no less than on one", [(1, flat([100] * 4)), (2, flat([80] * 4))], FREE, {1: 425, 2: 225}, {2: 1}),
    ("the least of a number of workers", [(1, flat([100] * 4)), (2, flat([150] * 4)), (2, flat([180] * 4))], FREE, {1: 425, 2: 325}, {2: 1.5}),
)
UNSCALED = (
    ("one number of workers", [(2, flat([100] * 4)), (2, flat([150] * 4))], (), 1, "all traces are on 2 workers"),
    ("other tasks", [(1, flat([100] * 4)), (2, flat([100] * 20))], (), 1, "cannot be compared"),
    ("a curve of two traces", [(1, flat([100] * 4)), (2, flat([150] * 4))], ("--curve", "t"), 2, "take one trace"),
)

LOCKING = tuple((policy,) for policy in POLICIES)

# name, lengths of tasks, of their group in JSON
FITTED = (
    ("two speeds", [100, 900] * 40, {"n": 79, "sum_ns": 39900 + 0, "first_n": 1, "first_sum_ns": 100, "family": "empirical"}),
)

LOSSY = "0 w0 root 0.1\n1 w0 create 0.2 site=1\n2 w0 resume 0.1\n- w0 lost 5\n- w0 since 3\n- w0 until 4\n9 w0 resume 0.1\n9 w0 end\n"
ALONE = "0 w0 root 0.1\n9 w0 end\n"
GOOD = flat([100] * 2)

# name, events or None, options, exit status, what the line says
REFUSED = (
    ("no workers", GOOD, ("-P", "0"), 2, "numbers of workers"),
    ("no list", GOOD, ("-P", "1,,2"), 2, "numbers of workers"),
    ("no policy", GOOD, ("--policy", "best"), 2, "takes greedy, critical-path"),
    ("no cost", GOOD, ("--cost", "sleep=0"), 2, "with a time or a factor"),
    ("no speed", GOOD, ("--speed", "t=0"), 2, "takes a kind and a factor"),
    ("no time to call below", GOOD, ("--call", "t=0"), 2, "a kind and a time"),
    ("no times", GOOD, ("--times", "guessed"), 2, "recorded"),
    ("no kind", GOOD, ("--speed", "nobody=2"), 2, "no kind `nobody`"),
    ("no lock", GOOD, ("--without-lock", "t.c:1"), 2, "no lock at `t.c:1`"),
    ("no place", GOOD, ("--cost", "create@nowhere=0"), 2, "no site `nowhere`"),
    ("two numbers for a trace", GOOD, ("-P", "1,2", "-o", "v.tpt"), 2, "needs one number of workers"),
    ("events missing", LOSSY, (), 1, "events are missing"),
    ("no tasks", ALONE, (), 1, "no task was created"),
    ("no events", "", (), 1, ""),
    ("no file", None, (), 1, "No such file"),
)


def simulate_all(tptrace, folder, traces, *options):
    paths = []
    for i, (workers, events) in enumerate(traces):
        paths.append(os.path.join(folder, f"trace{i}.txt"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(HEAD.format(runtime="x").replace("workers=2", f"workers={workers}") + events)
    return subprocess.run([tptrace, "simulate", *options, *paths], capture_output=True, text=True, check=False)


def wrong_scaling(tptrace, folder, case):
    _, traces, options, expected, stretch = case
    workers = sorted({*expected, *stretch})
    done = simulate_all(tptrace, folder, traces, "--json", "-P", ",".join(map(str, workers)), *options)
    if done.returncode:
        return f"status {done.returncode}: {done.stderr}"
    told = json.loads(done.stdout)
    elapsed = {p["workers"]: p["elapsed_ns"] for p in told["points"] if p["workers"] in expected}
    (of_t,) = [dict(zip(workers, k["stretch"])) for k in told["stretch"]["kinds"] if k["kind"] == "t"]
    if elapsed != expected:
        return f"elapsed {elapsed}, not {expected}"
    far = [p < min(w for w, _ in traces) or p > max(w for w, _ in traces) for p in workers]
    if told["stretch"]["extrapolated"] != far:
        return f"extrapolated: {told['stretch']['extrapolated']}, not {far}"
    return "" if all(abs(of_t[p] - s) < .002 for p, s in stretch.items()) else f"stretch {of_t}, not {stretch}"


def wrong_not_scaled(tptrace, folder, case):
    _, traces, options, status, says = case
    done = simulate_all(tptrace, folder, traces, *options)
    if done.returncode != status or says not in done.stderr or done.stdout:
        return f"status {done.returncode}, says {done.stderr}{done.stdout}"
    return ""


def simulate(tptrace, folder, runtime, events, *options):
    path = os.path.join(folder, "trace.txt")
    if os.path.exists(path):
        os.unlink(path)
    if events is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD.format(runtime=runtime) + events)
    return subprocess.run([tptrace, "simulate", *options, path], capture_output=True, text=True, check=False, cwd=folder)


def wrong_case(tptrace, folder, case):
    _, runtime, events, options, want = case
    done = simulate(tptrace, folder, runtime, events, "--json", "-P", ",".join(map(str, want)), *options)
    if done.returncode:
        return done.stderr.strip()
    points = json.loads(done.stdout)["points"]
    if any(p["forced"] for p in points):
        return f"{[p['forced'] for p in points]} strands were forced"
    got = {p["workers"]: p["elapsed_ns"] for p in points}
    if any(p["elapsed_ns"] < p["bound_ns"] for p in points):
        return f"below the bound: {points}"
    return None if got == want else f"elapsed {got}, not {want}"


def wrong_bound(tptrace, folder, case):
    _, runtime, events, options, want = case
    done = simulate(tptrace, folder, runtime, events, "--json", "-P", ",".join(map(str, want)), *options)
    got = {p["workers"]: p["run_at_once"] for p in json.loads(done.stdout)["points"]}
    return None if got == want else f"run at once {got}, not {want}"


# events, options, no run on so many workers is shorter
LEAST = [
    ("work and span", flat([100] * 4), (), {1: 425, 2: 212, 8: 20 + 100 + 5}),
    ("work under a lock", locked(4, 50), (), {1: 200, 2: 200, 8: 200}),
    ("less of it", locked(4, 50), ("--speed", "t=2"), {1: 100, 8: 100}),
    ("no lock", locked(4, 50), ("--without-lock", "t.c:3"), {1: 200, 2: 100, 8: 50}),
    ("a lock entered twice counts once", ENTERED_TWICE, (), {1: 200, 8: 200}),
]


def wrong_least(tptrace, folder, case):
    _, events, options, want = case
    done = simulate(tptrace, folder, "libgomp", events, "--json", "-P", ",".join(map(str, want)), *options)
    got = {p["workers"]: p["bound_ns"] for p in json.loads(done.stdout)["points"]}
    return None if got == want else f"bound {got}, not {want}"


def wrong_exclusion(tptrace, folder, policy):
    """Whoever holds the lock of locked() is alone in it, in the trace that is written."""
    out = os.path.join(folder, "virtual.tpt")
    done = simulate(tptrace, folder, "x", locked(4, 50), "-P", "3", "--policy", policy[0], "-o", out)
    if done.returncode:
        return done.stderr.strip()
    text = subprocess.run([tptrace, "dump", out], capture_output=True, text=True, check=True).stdout
    os.unlink(out)
    good, bad = exclusive(text)
    return None if good == {"0x10"} and not bad else f"good {good}, bad {bad}"


READ_AGAIN = [*((f"thieves, seed {seed}", THIEVES, 4, *FREE, "--policy", "work-first", "--seed", str(seed)) for seed in range(1, 9)),
              ("region", REGION, 2), ("tasks", flat([100] * 8), 2), ("tasks on more", flat([100] * 8), 5), ("a task discarded by name", DISCARDED, 1), ("an empty task", EMPTY, 2)]


def wrong_again(tptrace, folder, case):
    """The trace that is written has what the simulation says."""
    _, events, workers, *options = case
    out = os.path.join(folder, "virtual.tpt")
    done = simulate(tptrace, folder, "libgomp", events, "--json", "-P", str(workers), "-o", out, *options)
    if done.returncode:
        return done.stderr.strip()
    (point,) = json.loads(done.stdout)["points"]
    done = subprocess.run([tptrace, "report", "--json", out], capture_output=True, text=True, check=False)
    os.unlink(out)
    if done.returncode:
        return done.stderr.strip()
    report = json.loads(done.stdout)
    # of a task that a dependence let begin, a report says no steal
    keys = ("elapsed_ns", "work_ns") if " depend " in events else ("elapsed_ns", "work_ns", "steals")
    told, read = ([told[key] for key in keys] for told in (point, report))
    return None if told == read else f"elapsed, work, steals: {told}, read again {read}"


def wrong_fits(tptrace, folder, case):
    """Fitted times: a seed gives the same again; several differ, within the bounds of their bins; JSON says what fits."""
    _, lengths, group = case
    texts = [simulate(tptrace, folder, "x", flat(lengths), "--json", "-P", "1", *FREE, "--times", "fitted", "--seed", seed).stdout
             for seed in ("1", "1", "2")]
    got = [json.loads(text) for text in texts]
    elapsed = [g["points"][0]["elapsed_ns"] for g in got]
    if texts[0] != texts[1] or elapsed[0] == elapsed[2]:
        return f"elapsed by seeds 1, 1, 2: {elapsed}"
    least, most = (len(lengths) * 5 + 5 + len(lengths) * f(lengths) for f in (min, max))
    if not all(least <= e <= most for e in elapsed):
        return f"elapsed {elapsed}, not in {least} .. {most}"
    fits = [f for f in got[0]["fits"] if f["kind"] == "t" and f["ends"] == "ends"]
    told = {key: fits[0][key] for key in group} if len(fits) == 1 else fits
    return None if told == group else f"fits {told}, not {group}"


# events, change, numbers of workers, what the line below the table says
TAKES_OVER = [
    ("a lock takes over", locked(4, 50), ("--speed", "t=2"), "1,4", "pays from 1 worker on; on 4 then 75 % is lost, most of it to locks"),
    ("one task is left", flat([400]), ("--speed", "t=2"), "1,8", "pays from 1 worker on; on 8 then 88 % is lost, most of it to too little parallelism"),
    ("work alone is left", flat([400] * 50), ("--speed", "t=2"), "1", "pays from 1 worker on; on 1 then 100 % is work"),
    ("what gains nothing pays nothing", locked(4, 50), ("--split", "t:4"), "1,4", "does not pay on 4 workers; on 4 then 75 % is lost, most of it to locks"),
]


# options, numbers of workers, what the note on collapsed tasks says
NOTED = [
    ("whole where recorded", (), "1,2,4", ": on up to 2 workers they run whole, as they did; on more, 1 run in equal parts, as wide as"),
    ("whole", (), "1,2", ": on up to 2 workers they run whole, as they did\n"),
    ("parted", (), "4", ": 1 run in equal parts, as wide as"),
    ("parted where steals cost else", ("--cost", "steal=0"), "1,2,4", ": 1 run in equal parts, as wide as"),
    ("and said", ("--cost", "steal=0"), "1,2,4", "all); with steals as recorded they run whole on up to 2 workers, as they did\n"),
    ("whole as asked", ("--whole",), "1,2,4", ": they run whole\n"),
]


def wrong_note(tptrace, folder, case):
    _, options, workers, says = case
    done = simulate(tptrace, folder, "x", COLLAPSED_BY_TWO, "-P", workers, *options)
    note = "1 strand stands for 7 collapsed tasks"
    return None if (note if says.startswith(":") else "") + says in done.stdout else f"no {says!r}: {done.stdout}"


def wrong_cause(tptrace, folder, case):
    _, events, change, workers, says = case
    done = simulate(tptrace, folder, "libgomp", events, "-P", workers, *FREE, *change)
    return None if f"{says}\n" in done.stdout else f"no {says!r}: {done.stdout}{done.stderr}"


def wrong_refusal(tptrace, folder, case):
    _, events, options, status, says = case
    done = simulate(tptrace, folder, "x", events, *options)
    if done.returncode != status or done.stderr.count("\n") != 1 or says not in done.stderr or done.stdout:
        return f"exit status {done.returncode}: {done.stderr}{done.stdout}"
    return None


# How wide the terminal is, and the columns that then are there besides those that always are.
CHANGES = re.compile(r"( {1,9}[\d.]+ (ns|us|ms|s)(?= |$)( {6}~| +[-+]\d+%| {7})?)+(  \S.*)?$")
WIDTHS = (("in 60 columns", 60, ["work", "delay"]), ("in 80 columns", 80, ["work", "delay", "no-work", "steals"]),
          ("in 100 columns", 100, ["work", "delay", "no-work", "steals", "least", "-", "most"]),
          ("where nobody says", None, ["work", "delay", "no-work", "steals", "least", "-", "most"]))


def wrong_width(tptrace, folder, case):
    """Lines of the table fit, and each has what its head says."""
    _, width, titles = case
    path = os.path.join(folder, "width.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write(HEAD.format(runtime="x") + flat([5 * MS] * 4))
    env = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | ({"COLUMNS": str(width)} if width else {})
    run = subprocess.run([tptrace, "simulate", "-P", "1,2,32768", path], capture_output=True, text=True, check=False, env=env)
    lines = run.stdout.splitlines()
    at = [i for i, line in enumerate(lines) if line.startswith("workers ")]
    if run.returncode or len(at) != 1:
        return f"status {run.returncode}, {run.stdout} {run.stderr}"
    table = lines[at[0]:at[0] + 4]
    if table[0].split()[5:] != titles or len({len(line) for line in table}) != 1 or len(table[0]) > (width or 1000):
        return "\n".join(table)
    for more in ((), ("--split", "t:2"), ("--fewest-changes",), ("--curve", "t")):
        run = subprocess.run([tptrace, "simulate", "-P", "8", *more, path], capture_output=True, text=True, check=False, env=env)
        longer = [line for line in run.stdout.splitlines() if len(line) > (width or 1000)]
        if run.returncode or longer or not run.stdout:
            return f"{more}: status {run.returncode}, {longer}, {run.stderr}"
        if ("\nwith --split t:2: work " in run.stdout) != ("--split" in more):
            return f"{more}: whether the table is of the run with the change: {run.stdout}"
    run = subprocess.run([tptrace, "simulate", "--split", "t:2", "-P", "1,2,4,8,16,32", path], capture_output=True, text=True, check=False, env=env)
    part = run.stdout.split("(~ within chance)\n")[1].split("--split t:2 pays")[0].splitlines()
    words = [word for line in part for word in re.findall(r"(?<![-+.\d])\d+(?:\.\d+)? (?:ns|us|ms)\b", line)]
    odd = [line for line in part if "ms" in line and not CHANGES.match(line)]
    if odd or len(words) != 12 or run.stdout.count("as recorded") != sum("as recorded" in line for line in part):
        return f"{odd}, {words}, {run.stdout}"
    return None


def results(tptrace, folder):
    for cases, check in ((CASES, wrong_case), (BOUNDED, wrong_bound), (LEAST, wrong_least), (LOCKING, wrong_exclusion), (READ_AGAIN, wrong_again), (FITTED, wrong_fits),
                         (SCALED, wrong_scaling), (UNSCALED, wrong_not_scaled), (TAKES_OVER, wrong_cause), (REFUSED, wrong_refusal), (NOTED, wrong_note), (WIDTHS, wrong_width)):
        for case in cases:
            yield case[0], check(tptrace, folder, case)


def main():
    tptrace = frame.arguments(__doc__).tptrace
    with tempfile.TemporaryDirectory(prefix="tptrace-model.") as folder:
        return frame.verdict("model, small cases", results(tptrace, folder))


if __name__ == "__main__":
    sys.exit(main())
