#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""small.py [--tptrace CMD] - predictions from traces as text, whose answer can be worked out by hand, and input that is refused."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

PARTS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
TASK, OWN, COST = 100, 5, 10  # ns of a task, of its creator before each creation and at the end, of the creation


def flat(n, param=None, workers=1, runtime="x", exe="/bin/flat", more="", task=TASK):
    """One producer, then n tasks one after the other."""
    lines, now = ["0 w0 root 0.1"], 0
    for i in range(n):
        lines += [f"{now + OWN} w0 create 0.{i + 2} site=1", f"{now + OWN + COST} w0 resume 0.1"]
        now += OWN + COST
    lines.append(f"{now} w0 wait children site=1")
    for i in range(n):
        lines += [f"{now} w0 begin 0.{i + 2}", f"{now + task} w0 end"]
        now += task
    lines += [f"{now} w0 resume 0.1", f"{now + OWN} w0 end", more]
    said = f"n={n}" if param is None else param
    return (f"tptrace text 2\nclock ns\nmeta exe {exe}\n" + (f"meta param {said}\n" if said else "")
            + f"runtime 0 name={runtime} workers={workers}\nsite 1 name=t file=t.c line=1\n" + "\n".join(lines) + "\n")


def elapsed(n):
    return n * (OWN + COST + TASK) + OWN


SIZES = (4, 8, 16, 32, 64)
GOOD = {f"{n}.tpt": flat(n) for n in SIZES}
ROWS = {f"{n}.tpt": flat(n, f"n={n},block=3") for n in SIZES}
AT = ("--at", "n=256,p=1")
# traces, options, exit status, what the one line says
REFUSED = [
    ({}, AT, 2, "name the traces"),
    (GOOD, (), 2, "--at n=..,p=.."),
    (GOOD, ("--at", "p=4"), 2, "--at takes a size"),
    (GOOD, ("--at", "n=0"), 2, "--at takes a size"),
    (GOOD, ("--at", "n=12x"), 2, "--at takes a size"),
    (GOOD, ("--at", "n=12,p=1.5"), 2, "--at takes a size"),
    (GOOD, ("--at", "n=12,n=13"), 2, "--at takes a size"),
    (GOOD, ("--at", "n=12,m=13"), 2, "--at takes a size"),
    (GOOD, ("--at", "n=256") * 65, 2, "more than 64 points"),
    (GOOD, ("--at", "n=12,p=0"), 2, "--at takes a size"),
    ({k: GOOD[k] for k in ("4.tpt", "8.tpt", "16.tpt")}, AT, 1, "3 different n in 3 traces; a prediction needs 4"),
    ({"8.tpt": GOOD["8.tpt"]}, AT, 1, "1 different n in 1 trace;"),
    ({"a.tpt": flat(8), "b.tpt": flat(8)}, AT, 1, "1 different n"),
    ({"a.tpt": flat(8), "b.tpt": flat(8, workers=2)}, AT, 1, "all 2 traces have n=8"),
    ({**GOOD, "x.tpt": flat(7, "")}, AT, 1, "x.tpt: does not say its n; record it with --param n=.."),
    ({**GOOD, "x.tpt": flat(7, "m=7")}, AT, 1, "x.tpt: does not say its n"),
    ({**GOOD, "x.tpt": flat(7, "n=big")}, AT, 1, "invalid size n=big: it must be above 0"),
    ({**GOOD, "x.tpt": flat(7, "n=7,p=4")}, AT, 1, "x.tpt: says p=4, and ran on 1 worker"),
    ({**GOOD, "x.tpt": flat(40, "n=8")}, AT, 1, "both say n=8 and ran on 1 worker, but made"),
    ({**ROWS, "x.tpt": flat(7, "n=7,block=4")}, AT, 1, "--param besides n is"),
    ({**GOOD, "x.tpt": flat(7, runtime="y")}, AT, 1, "the runtime is"),
    ({**GOOD, "x.tpt": flat(7, exe="/bin/other")}, AT, 1, "the program is"),
    ({**GOOD, "x.tpt": flat(7, more="- w0 lost 3")}, AT, 1, "x.tpt: 3 events are missing"),
    ({**GOOD, "x.tpt": flat(7).replace("runtime", "mark 3 stop\nmark 4 start\nruntime")}, AT, 1, "recording was stopped"),
    ({**GOOD, "x.tpt": "no trace\n"}, AT, 1, "1 of the traces is invalid, so nothing is predicted"),
    ({"x.tpt": "no trace\n"}, AT, 1, "x.tpt: is not a tptrace trace"),
    (GOOD, ("--at", "n=100000,p=1"), 1, "times the work of the largest (n=64)"),
    (GOOD, ("--at", "n=100000,p=1"), 1, "n up to about "),
    (GOOD, ("--beyond", "--at", "n=2,p=1"), 1, "n=2 is below all traces"),
    (GOOD, ("--at", "n=2,p=1"), 1, "n=2 is below all traces"),
    (GOOD, ("--at", "n=64,p=4"), 1, "all traces are of 1 worker"),
]


def predict(tptrace, folder, traces, *options):
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    for name, text in traces.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return subprocess.run([tptrace, "predict", *options, *sorted(traces)], capture_output=True, text=True, check=False,
                          cwd=folder)


def wrong_refusal(tptrace, folder, case):
    traces, options, status, says = case
    done = predict(tptrace, folder, traces, *options)
    lines = [line for line in done.stderr.splitlines() if len(traces) == 1 or line != "tptrace: x.tpt: is not a tptrace trace"]
    if done.returncode != status or says not in done.stderr or done.stdout or len(lines) != 1:
        return f"{says}: exit status {done.returncode}: {done.stderr}{done.stdout}"
    return None


def wrong_flat(tptrace, folder):
    """n tasks take as long as they do, exactly: n (creation + task) and a constant."""
    points = [f"n={n},p=1" for n in (64, 128, 256, 1000)]
    done = predict(tptrace, folder, GOOD, "--json", *[word for point in points for word in ("--at", point)])
    if done.returncode:
        return done.stderr
    said = json.loads(done.stdout)
    for at in said["predictions"]:
        n, is_ns = int(at["n"]), elapsed(int(at["n"]))
        if abs(at["elapsed_ns"] - is_ns) > .005 * is_ns:
            return f"n={n}: elapsed {at['elapsed_ns']}, not {is_ns}"
        if not at["low_ns"] <= is_ns <= at["high_ns"]:
            return f"n={n}: {is_ns} is not in the interval {at['low_ns']} .. {at['high_ns']}"
        if abs(at["work_ns"] - n * (TASK + OWN) - OWN) > .005 * is_ns or abs(at["delay_ns"] - n * COST) > .005 * is_ns:
            return f"n={n}: work {at['work_ns']}, delay {at['delay_ns']}"
        exact = n & n - 1 == 0  # the row of sizes goes on 128, 256, ..
        if abs(sum(at[part] for part in PARTS) - at["elapsed_ns"]) > 4 or at["tasks_exact"] != exact or at["tasks"] != n:
            return f"n={n}: {at}"
    if [trace["n"] for trace in said["traces"]] != list(SIZES):
        return f"traces {said['traces']}"
    return None


def far_off(tptrace, folder, traces, n, is_ns, *words, by=.02):
    """What is wrong with the work at n on one worker, or with the model."""
    done = predict(tptrace, folder, traces, "--json", "--at", f"n={n},p=1")
    if done.returncode:
        return done.stderr
    at = json.loads(done.stdout)["predictions"][0]
    missing = [word for word in words if word not in done.stdout]
    if missing or abs(at["work_ns"] - is_ns) > by * is_ns:
        return f"n={n}: work {at['work_ns']}, not {is_ns}; {missing} missing in {done.stdout}"
    return None


def wrong_repeats(tptrace, folder):
    """Of several runs of a size the shortest one counts, however many are longer."""
    traces = {**GOOD, **{f"{n}-{i}.tpt": flat(n, task=TASK * i) for n in SIZES for i in (2, 3)}}
    return far_off(tptrace, folder, traces, 128, 128 * (TASK + OWN) + OWN)


def wrong_lag(tptrace, folder):
    """A wait for a CPU that lag of the kernel's figures explains was none."""
    lag = f"meta cpu_times schedstat\nruntime 0 name=x workers=1\ncpu w0 0 run=0 wait=0\ncpu w0 {elapsed(32)} run=100 wait={elapsed(32) - 100}"
    traces = {**GOOD, "32.tpt": flat(32).replace("runtime 0 name=x workers=1", lag)}
    return far_off(tptrace, folder, traces, 128, 128 * (TASK + OWN) + OWN)


def wrong_loops(tptrace, folder):
    """Loops to n - 1, n - 2 ..: as many tasks as pairs, n (n - 1) / 2."""
    sizes = (5, 7, 8, 11, 13, 17)
    traces = {f"{n}.tpt": flat(n * (n - 1) // 2, f"n={n}") for n in sizes}
    pairs = 40 * 39 // 2
    return far_off(tptrace, folder, traces, 40, pairs * (TASK + OWN) + OWN, by=.05)


def wrong_stairs(tptrace, folder):
    """Tasks that grow in steps, to five times as many at once: no more than half as many again as the work has room for."""
    counts, work = (2, 2, 2, 3, 3, 12, 60), 7200
    traces = {f"{n}.tpt": flat(count, f"n={n}", task=work * n // count - OWN)
              for n, count in zip((16 << i for i in range(7)), counts)}
    done = predict(tptrace, folder, traces, "--json", "--at", "n=16384,p=1")
    if done.returncode:
        return done.stderr
    at = json.loads(done.stdout)["predictions"][0]
    if at["tasks_exact"] or at["tasks"] > 1.51 * 60 * 16 or at["delay_ns"] > 1.51 * 60 * 16 * COST:
        return f"stairs: {at['tasks']} tasks, of at most {60 * 16} that long; delay {at['delay_ns']}"
    return None


def wrong_golden(tptrace, folder):
    """Tasks that call Fibonacci's function of n, with a disturbance of 5 % in the largest one."""
    golden = (1 + 5 ** .5) / 2
    lengths = {n: round(1000 + golden ** n * (1.05 if n == 24 else 1)) for n in range(14, 25)}
    traces = {f"{n}.tpt": flat(4, f"n={n}", task=length) for n, length in lengths.items()}
    return far_off(tptrace, folder, traces, 29, 4 * (1000 + golden ** 29 + OWN) + OWN, by=.08)


def wrong_disturbed(tptrace, folder):
    """The same, with runs that took half as long again at several sizes, the largest among them."""
    golden = (1 + 5 ** .5) / 2
    lengths = {n: round(1000 + golden ** n * (1.5 if n in (18, 21, 24) else 1)) for n in range(14, 27)}
    traces = {f"{n}.tpt": flat(4, f"n={n}", task=length) for n, length in lengths.items()}
    return far_off(tptrace, folder, traces, 30, 4 * (1000 + golden ** 30 + OWN) + OWN, by=.05)


def wrong_waits(tptrace, folder):
    """The worker waits for a CPU half of the time: without that, the work takes half as long."""
    traces = {}
    for n in SIZES:
        halves = [f"cpu w0 {ns} run={ns // 2} wait={ns // 2}" for ns in (0, elapsed(n), elapsed(n) + 2)]
        traces[f"{n}.tpt"] = flat(n, more="\n".join(halves)).replace("clock ns", "clock ns\nmeta cpu_times clock")
    return far_off(tptrace, folder, traces, 256, (elapsed(256) - 256 * COST) / 2)


def divided(n):
    """Tasks of a division into quarters, and of one loop in 32nds at each level."""
    return 0 if n < 32 else 4 * divided(n // 4) + n // 32 + 4


def wrong_division(tptrace, folder):
    """Counts that follow from those two sizes before, exactly."""
    traces = {f"{n}.tpt": flat(divided(n), f"n={n}") for n in (32, 64, 128, 256, 512, 1024)}
    for n in (2048, 4096):
        done = predict(tptrace, folder, traces, "--json", "--at", f"n={n}")
        at = json.loads(done.stdout)["predictions"][0] if done.stdout else {}
        if at.get("tasks") != divided(n) or not at["tasks_exact"] or "4 f(n / 4) +0.03125 n +4" not in done.stdout:
            return f"{at.get('tasks')} tasks at n={n}, not {divided(n)}: {done.stdout}{done.stderr}"
    return None


def wrong_reach(tptrace, folder):
    """Sixteen times the work, as the traces reach; farther only if the largest sizes were told well."""
    noisy = {f"{n}.tpt": flat(n, task=TASK * (3 if n in (8, 32) else 2)) for n in SIZES}
    for traces, n, status in ((GOOD, 64 * 100, 0), (noisy, 64 * 100, 1), (noisy, 128, 0)):
        done = predict(tptrace, folder, traces, "--json", "--at", f"n={n}")
        if done.returncode != status or (status and "is too far from the traces" not in done.stderr):
            return f"reach to n={n}: exit status {done.returncode}: {done.stderr}"
    return None


def wrong_beyond(tptrace, folder):
    """--beyond goes as far as it is asked to, and the farther the wider is the interval."""
    widths = []
    for n in (1000, 100000, 10000000):
        done = predict(tptrace, folder, GOOD, "--json", "--beyond", "--at", f"n={n}")
        if done.returncode:
            return done.stderr
        at = json.loads(done.stdout)["predictions"][0]
        widths.append(at["high_ns"] / at["low_ns"])
        if abs(at["elapsed_ns"] / elapsed(n) - 1) > .01 or not at["low_ns"] <= elapsed(n) <= at["high_ns"]:
            return f"--beyond, n={n}: {at}, not {elapsed(n)}"
    return None if widths[0] < widths[1] < widths[2] else f"--beyond: ends of the intervals {widths} times apart"


def wrong_kinds(tptrace, folder):
    """Each kind has its law, also from the shortest of several runs; one that comes and goes with n, or that one size has, has none."""
    traces = {**GOOD, **{f"{n}-long.tpt": flat(n, task=3 * TASK) for n in SIZES}}
    sites = "site 2 name=rare file=t.c line=9\nsite 3 name=odd file=t.c line=8\nsite 1 name=t"
    for n in (16, 64):
        traces[f"{n}.tpt"] = traces[f"{n}.tpt"].replace(f"create 0.{n + 1} site=1", f"create 0.{n + 1} site={2 if n == 64 else 3}").replace(
            "site 1 name=t", sites)
    traces["64.tpt"] = traces["64.tpt"].replace("create 0.2 site=1", "create 0.2 site=3")
    done = predict(tptrace, folder, traces, "--json", "--at", "n=256,p=1", "--at", "n=512,p=1")
    if done.returncode:
        return done.stderr
    kinds = {kind["kind"]: kind for kind in json.loads(done.stdout)["kinds"]}
    true = {"t t.c:1": TASK, "main": OWN}
    for name, each in true.items():
        for n, told in zip((256, 512), kinds[name]["work_ns"]):
            if abs(told - n * each) > .06 * n * each:
                return f"{name}: {told} at n={n}, not {n * each}: {kinds[name]}"
    for name in ("rare t.c:9", "odd t.c:8"):
        if kinds[name]["work_ns"] or "law" in kinds[name]:
            return f"few sizes have it: {kinds[name]}"
    text = predict(tptrace, folder, traces, "--at", "n=256,p=1").stdout
    missing = [word for word in ("work by kind", "too few sizes have it", "256,1", "all of these, over all work") if word not in text]
    return f"{missing} missing: {text}" if missing else None


def two_kinds(n):
    """A task of 20 n^(5/2) and one of 2000 n^(5/4) ns: no law of all work has both."""
    first, second, cost = round(20 * n ** 2.5), round(2000 * n ** 1.25), COST
    return (f"tptrace text 2\nclock ns\nmeta exe /bin/two\nmeta param n={n}\nruntime 0 name=x workers=1\n"
            "site 1 name=steep file=t.c line=1\nsite 2 name=flat file=t.c line=2\n0 w0 root 0.1\n"
            f"{OWN} w0 create 0.2 site=1\n{OWN + cost} w0 resume 0.1\n{2 * OWN + cost} w0 create 0.3 site=2\n"
            f"{2 * OWN + 2 * cost} w0 resume 0.1\n{3 * OWN + 2 * cost} w0 wait children site=1\n"
            f"{3 * OWN + 2 * cost} w0 begin 0.2\n{3 * OWN + 2 * cost + first} w0 end\n"
            f"{3 * OWN + 2 * cost + first} w0 begin 0.3\n{3 * OWN + 2 * cost + first + second} w0 end\n"
            f"{3 * OWN + 2 * cost + first + second} w0 resume 0.1\n{4 * OWN + 2 * cost + first + second} w0 end\n"), first + second + 4 * OWN


def wrong_sum(tptrace, folder):
    """Kinds that follow a law each: the work is the mean of their sum and of a law of all; one kind alone has no sum."""
    traces = {f"{n}.tpt": two_kinds(n)[0] for n in (12, 16, 20, 24, 32, 40, 48, 64)}
    for n in (96, 128):
        done = predict(tptrace, folder, traces, "--json", "--at", f"n={n},p=1")
        if done.returncode:
            return done.stderr
        said, is_ns = json.loads(done.stdout), two_kinds(n)[1]
        total = sum(kind["work_ns"][0] for kind in said["kinds"])
        at = said["predictions"][0]
        if not said["models"]["work_is_mean_with_kinds"] or abs(total - is_ns) > .002 * is_ns:
            return f"sum at n={n}: {total}, not {is_ns}: {done.stdout}"
        if not at["low_ns"] <= total <= at["high_ns"] or abs(at["work_ns"] - is_ns) > .01 * is_ns:
            return f"mean at n={n}: {at['work_ns']}, not {is_ns}: {done.stdout}"
    alone = predict(tptrace, folder, GOOD, "--json", *AT)
    return None if '"work_is_mean_with_kinds":false' in alone.stdout else f"one kind: {alone.stdout}"


SERIAL = 3  # ns of the creator before each task of a level


def levels(widths, p, param, late=0):
    """Levels of so many tasks, each after the last one's end, on p workers in turns; creations cost nothing.  Each wait
    ends so late, and tasks begin late by a tenth of that for each worker."""
    lines, now, made = ["0 w0 root 0.1"], 0, 1
    for width in widths:
        now += SERIAL * width
        for i in range(width):
            lines += [f"{now} w0 create 0.{made + i + 1} site=1", f"{now} w0 resume 0.1"]
        lines.append(f"{now} w0 wait children site=1")
        for i in range(width):
            begin = now + i // p * TASK + late * p // 10
            lines += [f"{begin} w{i % p} begin 0.{made + i + 1}", f"{begin + TASK} w{i % p} end"]
        now += -(-width // p) * TASK + late
        made += width
        lines.append(f"{now} w0 resume 0.1")
    lines.append(f"{now} w0 end")
    return (f"tptrace text 2\nclock ns\nmeta exe /bin/levels\nmeta param {param}\nruntime 0 name=x workers={p}\n"
            "site 1 name=t file=t.c line=1\n" + "\n".join(lines) + "\n")


def wrong_workers(tptrace, folder):
    """T(n, p) of programs in levels, from one and two workers to 64, and of `simulate` for the largest trace."""
    programs = {"one level": lambda n: [n], "levels of four": lambda n: [4] * (n // 4), "wide and narrow": lambda n: [n // 2] + [2] * (n // 4)}
    for name, of in programs.items():
        sizes = (64, 128, 256, 512)
        traces = {f"{n}-{p}.tpt": levels(of(n), p, f"n={n}") for n in sizes for p in (1, 2)}
        points = [(n, p) for n in (512, 1024, 2048) for p in (1, 2, 4, 8, 16, 32, 64)]
        done = predict(tptrace, folder, traces, "--json", *[word for n, p in points for word in ("--at", f"n={n},p={p}")])
        if done.returncode:
            return f"{name}: {done.stderr}"
        for (n, p), at in zip(points, json.loads(done.stdout)["predictions"]):
            is_ns = sum(SERIAL * width + -(-width // p) * TASK for width in of(n))
            # the shape knows no whole turns of tasks: 2 % besides
            if abs(at["elapsed_ns"] - is_ns) > .03 * is_ns or not .98 * at["low_ns"] <= is_ns <= 1.02 * at["high_ns"]:
                return f"{name}: n={n}, p={p}: {at['elapsed_ns']} ({at['low_ns']} .. {at['high_ns']}), not {is_ns}"
            if n == 512 and p > 2:
                simulated = subprocess.run([tptrace, "simulate", "--json", "-P", str(p), "512-1.tpt"], capture_output=True, text=True,
                                           check=True, cwd=folder)
                told = json.loads(simulated.stdout)["points"][0]["elapsed_ns"]
                if abs(told - at["elapsed_ns"]) > .05 * told:
                    return f"{name}: p={p}: {at['elapsed_ns']}, simulated {told}"
    return None


def asked(tptrace, folder, *command):
    return subprocess.run([tptrace, *command], capture_output=True, text=True, check=False, cwd=folder)


def wrong_report(tptrace, folder):
    """`report --bounds` has the same curves as `simulate` and `predict`, in JSON and in its table, and refuses what they cannot be of."""
    traces = {f"{n}-{p}.tpt": levels([n], p, f"n={n}") for n in (64, 128, 256, 512) for p in (1, 2)}
    traces |= {"other.tpt": levels([64], 2, "n=64").replace("/bin/levels", "/bin/other"), "bare.tpt": levels([64], 2, "m=64")}
    widths, train = (1, 2, 4, 8, 16), ",".join(name for name in traces if "-" in name)
    predict(tptrace, folder, traces)  # writes them
    curves = ("--bounds", "--simulate", "16,1,2,..,8", "--predict-from", train)
    bounds = json.loads(asked(tptrace, folder, "report", "--json", *curves, "512-2.tpt").stdout)["bounds"]
    points = [word for p in widths for word in ("--at", f"n=512,p={p}")]
    told = json.loads(asked(tptrace, folder, "predict", "--json", *points, *train.split(",")).stdout)["predictions"]
    run = json.loads(asked(tptrace, folder, "simulate", "--json", "-P", "1,2,4,8,16", "512-2.tpt").stdout)["points"]
    each = [json.loads(asked(tptrace, folder, "report", "--json", f"512-{p}.tpt").stdout)["elapsed_ns"] for p in (1, 2)]
    if [(at["workers"], at["elapsed_ns"]) for at in bounds["curves"]["measured"]] != list(zip((1, 2), each)):
        return f"measured: {bounds['curves']['measured']}, not {each}"
    for curve, want, workers in (("simulated", run, "workers"), ("predicted", told, "p")):
        have = [[at[key] for key in ("workers", "elapsed_ns", "low_ns", "high_ns")] for at in bounds["curves"][curve]]
        if len(have) != len(want) or any(abs(a - b) > 1 for of, at in zip(want, have) for a, b in
                                         zip(at, [of[key] for key in (workers, "elapsed_ns", "low_ns", "high_ns")])):
            return f"{curve}: {have}, not {want}"
    if len(bounds["speedup"]) != 16 or any(not point["upper"] for point in bounds["speedup"]):
        return f"bounds: {bounds['speedup']}"
    usual = json.loads(asked(tptrace, folder, "report", "--json", "--bounds", "--predict-from", train, "512-2.tpt").stdout)["bounds"]
    if [at["workers"] for at in usual["curves"]["predicted"]] != [1, 2, 4, 8] or "simulated" in usual["curves"] or usual["measured"] is not True:
        return f"usual: {usual}"
    table = asked(tptrace, folder, "report", *curves, "512-2.tpt").stdout
    row = next((line.split() for line in table.splitlines() if line.startswith("         16")), [])
    speedups = [f"{bounds['work_ns'] / at['elapsed_ns']:.2f}" for at in (run[-1], told[-1])]
    if row[4:] != ["-", *speedups]:
        return f"{row}, not {speedups}: {table}"
    for words, status, says in ((curves[1:], 2, "add --bounds"), ((*curves, "--from", "1us"), 2, "whole runs"), ((*curves, "--csv"), 2, "--csv"),
                                (("--bounds", "--simulate", "0"), 2, "--simulate takes"), ((*curves, "bare.tpt"), 1, "does not say its n"),
                                ((*curves, "other.tpt"), 1, "the program is"), ((*curves[:3], "--predict-from", "64-1.tpt"), 1, "1 different n")):
        done = asked(tptrace, folder, "report", *words, *(() if words[-1] in traces and words[-2] != "--predict-from" else ("512-2.tpt",)))
        if done.returncode != status or done.stderr.count("\n") != 1 or says not in done.stderr or done.stdout:
            return f"{words}: exit status {done.returncode}, {done.stderr}"
    return None


def wrong_text(tptrace, folder):
    done = predict(tptrace, folder, ROWS, *AT)
    words = ("traces: 5 of flat, x; n = 4 .. 64 (5 sizes), p = 1", "exactly 256 tasks", "direct regression", "residuals",
             "the longest trace took 7.37 us, of which")
    missing = [word for word in words if word not in done.stdout]
    return f"{missing} missing: {done.stdout}{done.stderr}" if missing or done.returncode else None


def wrong_widths(tptrace, folder):
    """No line is longer than the screen; the less important columns go first, and a law is beside
    what it does where both fit.  Without a screen there are 100 columns."""
    points = [word for n in (128, 256, 512) for word in ("--at", f"n={n},p=1")]
    for width, titles in ((60, "n p elapsed low high"), (80, "n p elapsed low high work delay nw-sch nw-app"),
                          (100, "n p elapsed low high bound work delay nw-sch nw-app direct"), (None, "n p elapsed low high bound work delay nw-sch nw-app direct")):
        os.environ["COLUMNS"] = str(width or "")
        done = predict(tptrace, folder, ROWS, *points)
        del os.environ["COLUMNS"]
        longer = [line for line in done.stdout.splitlines() if len(line) > (width or 100)]
        if done.returncode or longer:
            return f"{width} columns: {longer}{done.stderr}"
        apart = [line for line in done.stdout.splitlines() if line.lstrip().startswith(("residual ", "exact: "))]
        if bool(apart) != (width in (60, 80)):
            return f"{width} columns: laws are {'' if apart else 'not '}apart from what they do: {apart}"
        if titles not in [" ".join(line.split()) for line in done.stdout.splitlines()]:
            return f"{width} columns: no line of titles `{titles}` in {done.stdout}"
    return None


def wrong_margin(tptrace, folder):
    """What a part of the model is stands below that of the others, on a screen where it takes two lines as well."""
    traces = {f"{n}-{p}.tpt": levels([n // 2] + [2] * (n // 4), p, f"n={n}", 10000 // n + 50 * p) for n in (64, 128, 256, 512) for p in (1, 2)}
    os.environ["COLUMNS"] = "60"
    done = predict(tptrace, folder, traces, *AT)
    del os.environ["COLUMNS"]
    lines = [line for line in done.stdout.splitlines() if line.startswith(("  stretch ", "  delay ", "  no-work-"))]
    wrong = [line for line in lines if re.match(r"  \S+ +", line).end() != 17]
    if wrong or len(lines) != 4 or f"\n{'':21}+ " not in done.stdout:
        return f"not below each other, or on one line each: {wrong}: {done.stdout}{done.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tptrace", default="build/tptrace")
    tptrace = os.path.abspath(parser.parse_args().tptrace)
    with tempfile.TemporaryDirectory(prefix="tptrace-predict.") as folder:
        wrong = [wrong_refusal(tptrace, folder, case) for case in REFUSED]
        wrong += [check(tptrace, folder) for check in
                  (wrong_flat, wrong_repeats, wrong_lag, wrong_loops, wrong_stairs, wrong_golden, wrong_disturbed, wrong_waits,
                   wrong_division, wrong_reach, wrong_beyond, wrong_kinds, wrong_sum, wrong_workers, wrong_report, wrong_text, wrong_widths, wrong_margin)]
    for what in filter(None, wrong):
        print(what)
    print(f"predict: {wrong.count(None)} small cases passed, {len(wrong) - wrong.count(None)} failed")
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
