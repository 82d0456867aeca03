#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""laws.py [--seed S] [--n N] [--tptrace CMD] - what must hold of a simulation of any graph.

Random traces of test/prop/generate.py, seeds S..S+N-1, by each policy in turn.  Of each:

    greedy without costs   T1 / P <= T <= T1 / P + span [Graham 1969], T >= span; on one worker T = T1
    each policy in turn    the trace that --output writes is one: report reads it, with the same work, span, tasks and
                           strands, and the elapsed time and delay of the table; nobody enters a lock that another task holds
    any                    equal seeds give equal results, in one thread or two

Where it is the order of time that says who waits for whom (signals, names, bags, meetings, dependences among all tasks), another schedule is
another graph: the trace has to be read, but its sums may be others.  Where a trace has locks, their order is the simulation's: neither the upper bound nor the span holds then.
Prints the seed of each failure, and ends with how many traces were simulated.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from multiprocessing import Pool

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("prop", "lib")]
import frame  # noqa: E402
from generate import generate  # noqa: E402

POLICIES = ("greedy", "critical-path", "work-first", "help-first", "held", "shepherds", "in-turn", "libgomp", "libomp", "starpu")
WORKERS = (1, 2, 3, 7)
BY_TIME = re.compile(r"signal|bag|named|depend on| global|wait (barrier|threads|word)|discard-named")
SAME = ("work_ns", "span_ns", "tasks", "strands")
TOLD = ("elapsed_ns", "work_ns", "delay_ns")
REFUSED = ("no task was created", "no task was recorded", "was stopped for a part", "creation of some tasks")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr.strip()


def bounds(point):
    t1, span, workers, elapsed = (point[k] for k in ("work_ns", "span_ns", "workers", "elapsed_ns"))
    if elapsed * workers < t1 or elapsed < span:
        yield f"P={workers}: {elapsed} is less than work {t1} / P or span {span}"
    if elapsed * workers > t1 + span * workers:
        yield f"P={workers}: {elapsed} is more than work {t1} / P + span {span}"


def greedy(tptrace, path):
    status, out, err = run(tptrace, "simulate", "--json", "--policy", "greedy", "--cost", "all=0", "--runs", "1",
                           "--jobs", "1", "-P", ",".join(map(str, WORKERS)), path)
    if "deadlock" in err:  # of objects that the trace has two tasks in for less than a handover takes
        return [], True
    if status:
        return err, False
    got = json.loads(out)
    wrong = [f"one worker takes {p['elapsed_ns']}, not the work {p['work_ns']}" for p in got["points"]
             if p["workers"] == 1 and p["elapsed_ns"] != p["work_ns"]]
    if not got["locks"]:
        wrong += [w for p in got["points"] for w in bounds(p)]
    return wrong, got["locks"]


def holders(text):
    """(time, task, object, whether it enters) of a dump, in the order of time, leaves first."""
    task, waits, steps = {}, {}, []
    begins = {"root": 0, "begin": 0, "resume": 0, "member": 0, "start": 0}
    for number, line in enumerate(text.splitlines()):
        words = line.split()
        if len(words) < 3 or not words[1].startswith("w") or not words[1][1:].isdigit():
            continue
        at, worker, kind = words[:3]
        if kind in begins:
            task[worker] = words[3]
            if kind == "resume" and waits.get(words[3]):
                steps.append((int(at), 1, number, words[3], waits.pop(words[3])))
        elif kind == "wait":
            waits[task[worker]] = "?" if words[3] == "object" else None
        elif kind == "object" and waits.get(task[worker]) == "?":
            waits[task[worker]] = words[3]
        elif kind == "signal":
            steps.append((int(at), 0, number, task[worker], words[3]))
    return sorted(s for s in steps if s[4] != "?")


def exclusive(text):
    """Objects that only who entered leaves, and that nobody enters meanwhile; and those of which that does not hold."""
    holder, good, bad = {}, set(), set()
    for _, enters, _, task, obj in holders(text):
        have, depth = holder.get(obj, (None, 0))
        good.add(obj)
        if enters and have not in (None, task) or not enters and have != task:
            bad.add(obj)
        depth += 1 if enters else -1
        holder[obj] = (task, depth) if depth > 0 else (None, 0)
    return good - bad, bad


def virtual(tptrace, path, folder, policy, workers, locks, by_time, threads):
    out = os.path.join(folder, "virtual.tpt")
    if os.path.exists(out):
        os.unlink(out)
    command = (tptrace, "simulate", "--json", "--policy", policy, "-P", str(workers), "--runs", "3")
    status, told, err = run(*command, "-o", out, path)
    if status:
        return [] if any(r in err for r in REFUSED) or locks and "deadlock" in err else [err]
    again = run(*command, "--whole", "--jobs", "1", path)[1]
    wrong = [] if told == again else ["another result with the same seed"]
    reports = [run(tptrace, "report", "--json", p) for p in (path, out)]
    if reports[1][0]:
        return wrong + [f"the virtual trace: {reports[1][2]}"]
    was, now = (json.loads(r[1]) for r in reports)
    with open(path, encoding="utf-8") as file:
        n_threads = len(set(re.findall(r" (w\d+) ", file.read())))
    # what a thread that is no worker ran is no work, until it runs on one
    changed = {"span_ns": locks, "work_ns": n_threads > was["workers"]}
    wrong += [f"virtual {key}: {now[key]}, not {was[key]}" for key in SAME
              if now[key] != was[key] and not by_time and not changed.get(key)]
    point = json.loads(told)["points"][0]
    wrong += [f"{key} is {now[key]} in the virtual trace, and {point[key]} in the table" for key in TOLD
              if not by_time and not threads and now["workers"] == workers and now[key] != point[key]]
    if point["work_ns"] + point["delay_ns"] + point["no_work_ns"] != point["elapsed_ns"] * workers:
        wrong.append("work, delay and no-work do not add up")
    if locks:
        were = exclusive(run(tptrace, "dump", path)[1])[0]
        broken = were & exclusive(run(tptrace, "dump", out)[1])[1]
        wrong += [f"two tasks in lock {obj}" for obj in broken]
    return wrong


def try_seed(job):
    seed, tptrace = job
    with tempfile.TemporaryDirectory(prefix="tptrace-model.") as folder:
        path = os.path.join(folder, "trace.txt")
        text = generate(seed)
        by_time = bool(BY_TIME.search(text))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        wrong, locks = greedy(tptrace, path)
        if isinstance(wrong, str):
            return seed, [] if any(r in wrong for r in REFUSED) else [wrong], 0, 0
        policy, workers = POLICIES[seed % len(POLICIES)], WORKERS[seed // len(POLICIES) % len(WORKERS)]
        wrong += [f"{policy} P={workers}: {w}"
                  for w in virtual(tptrace, path, folder, policy, workers, locks, by_time, text.count(" root ") > 1)]
        return seed, wrong, 1, int(not by_time)


def main():
    args = frame.options(__doc__, seed=1, n=600)
    failed = n = n_virtual = 0
    with Pool(os.cpu_count()) as pool:
        for seed, wrong, one, same in pool.imap(try_seed, ((args.seed + i, args.tptrace) for i in range(args.n))):
            n, n_virtual, failed = n + one, n_virtual + same, failed + bool(wrong)
            for line in wrong:
                print(f"seed {seed}: {line}")
    print(f"model: {n} graphs bounded, {n_virtual} virtual traces read; {failed} failed")
    return 1 if failed or not n_virtual else 0


if __name__ == "__main__":
    sys.exit(main())
