#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--seed S] [--n N] [--tptrace CMD] [--jobs J] - tptrace report against brute.py.

Makes N random traces, seeds S.., and compares every figure of `tptrace report --json`.  Integers
must be equal.  Shares of delay may be off by less than 1 ns a strand, but every column must add up
exactly.  Prints the seed of each failure, keeps its trace, and ends with `N passed, M failed`.

Where a trace has ties (see brute.py), only what no tie can change is compared.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from multiprocessing import Pool

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from brute import COLUMNS, Trace
from generate import generate

BATCH = 100
SAFE = ("workers", "elapsed_ns", "cumulative_ns", "work_ns", "tasks", "strands", "events_lost",
        "tracer_ns", "tasks_begun", "tasks_ended", "tasks_cancelled", "tasks_never_begun")
SHAPE = ("delay_ns", "span_ns", "span_tasks", "edges")
BY_PATH = ("steals", "ready_path", "no_work_sched_ns", "no_work_app_ns")


def state_sums(got, where):
    for c in COLUMNS:
        if sum(state.get(c, 0) for state in got["states"].values()) != got[c]:
            yield f"{where}states: {c} is not {got[c]}"


def sums(got):
    """What must hold of any report, whatever the trace."""
    components = {c: got[c] for c in COLUMNS}
    if sum(components.values()) != got["elapsed_ns"] * got["workers"]:
        yield f"components add up to {sum(components.values())}, not elapsed x workers " \
              f"{got['elapsed_ns'] * got['workers']}"
    for c in COLUMNS:
        for rows in ("kinds", "workers_profile"):
            if rows in got and sum(r[c] for r in got[rows]) != got[c]:
                yield f"{rows}: {c} adds up to {sum(r[c] for r in got[rows])}, not {got[c]}"
    if sum(got["delay_by_edge"].values()) != got["delay_ns"]:
        yield f"delay_by_edge adds up to {sum(got['delay_by_edge'].values())}, not {got['delay_ns']}"
    yield from state_sums(got, "")
    for row in got["runtimes"]:
        if row["tasks"] and sum(row[c] for c in COLUMNS) != row["elapsed_ns"] * row["workers"]:
            yield f"runtimes.{row['name']}: the components do not add up to elapsed x workers"
        if row["tasks"]:
            yield from state_sums(row, f"runtimes.{row['name']}.")
    held = sum(got["states"]["tracer"].values())
    if sum(k["tracer_ns"] for k in got["kinds"]) != held:
        yield f"kinds: tracer_ns adds up to {sum(k['tracer_ns'] for k in got['kinds'])}, not {held}"
    if sum(k["tasks"] for k in got["kinds"]) != got["tasks"]:
        yield "kinds: the tasks do not add up"


def wrong_states(want, got, by_path):
    """Which no-work is whose depends on the path; what of it is the tracer's does not."""
    for mine, row, where in [(got, want, "")] + [
            (m, w, f"runtimes.{w['name']}.") for m, w in zip(got["runtimes"], want["runtimes"]) if "states" in w]:
        for name, state in row["states"].items():
            sums_ = [sum(s["states"][name].get(c, 0) for c in COLUMNS[2:]) for s in (mine, row)]
            if by_path and mine["states"][name] != state or sums_[0] != sums_[1] or \
                    mine["states"][name].get("delay_ns") != state.get("delay_ns"):
                yield f"{where}states.{name}: {mine['states'][name]}, brute force {state}"


def differences(want, got):
    """How `got`, from tptrace, differs from `want`, from brute.py."""
    ties = set(want["ties"])
    keys = SAFE + SHAPE + BY_PATH
    columns = ["tasks", "what", "min_ns", "median_ns", "max_ns", "work_ns", "no_work_sched_ns",
               "no_work_app_ns"]
    if "order" in ties:
        keys = SAFE
    elif ties & {"end", "release"}:
        keys = [k for k in keys if k not in BY_PATH]
    if ties & {"order", "end", "release"}:
        columns = columns[:-2]
    if "work" in ties:
        keys = [k for k in keys if k != "work_ns"]
        columns = columns[:2]
    for key in keys:
        if got.get(key) != want[key]:
            yield f"{key}: {got.get(key)}, brute force {want[key]}"
    if "order" not in ties:
        yield from wrong_states(want, got, "no_work_app_ns" in keys)
    of_runtime = ["name", "tasks", "workers", *(k for k in ("steals", *COLUMNS) if k in keys)]
    if "order" not in ties:
        of_runtime += ["from_ns", "elapsed_ns"]
    if [r["name"] for r in got["runtimes"]] != [r["name"] for r in want["runtimes"]]:
        yield f"runtimes: {[r['name'] for r in got['runtimes']]}"
    for mine, row in zip(got["runtimes"], want["runtimes"]):
        for key in of_runtime:
            if key in row and mine.get(key) != row[key]:
                yield f"runtimes.{row['name']}.{key}: {mine.get(key)}, brute force {row[key]}"
    shares = "order" not in ties
    slack = want["strands"]
    if shares and abs(got["parallelism"] - want["parallelism"]) > .01 + 1e-4 * want["parallelism"]:
        yield f"parallelism: {got['parallelism']}, brute force {want['parallelism']}"
    for edge, ns in want["delay_by_edge"].items():
        if shares and "edge" not in ties and abs(got["delay_by_edge"].get(edge, 0) - ns) >= slack:
            yield f"delay_by_edge.{edge}: {got['delay_by_edge'].get(edge)}, brute force {float(ns)}"
    rows = {(k["name"], k["file"] or None, k["line"]): k for k in got["kinds"]}
    if len(rows) != len(got["kinds"]) or len(rows) != len(want["kinds"]):
        yield f"kinds: {sorted(k['name'] for k in got['kinds'])}, " \
              f"brute force {sorted(k['name'] for k in want['kinds'])}"
    for kind in want["kinds"]:
        row = rows.get((kind["name"], kind["file"], kind["line"]))
        if row is None:
            yield f"kinds: no {kind['name']} ({kind['file']}:{kind['line']})"
            continue
        for c in columns:
            if row[c] != kind[c]:
                yield f"kinds.{kind['name']}.{c}: {row[c]}, brute force {kind[c]}"
        if shares and abs(row["tracer_ns"] - kind["tracer_ns"]) >= 1:
            yield f"kinds.{kind['name']}.tracer_ns: {row['tracer_ns']}, " \
                  f"brute force {float(kind['tracer_ns'])}"
        if shares and abs(row["delay_ns"] - kind["delay_ns"]) >= slack:
            yield f"kinds.{kind['name']}.delay_ns: {row['delay_ns']}, " \
                  f"brute force {float(kind['delay_ns'])}"
    yield from sums(got)


def reports(command, paths):
    """tptrace's reports of these files, or None where there is none."""
    run = subprocess.run(command + ["report", "--json"] + paths, capture_output=True, text=True)
    try:
        found = [json.loads(line) for line in run.stdout.splitlines()]
        if found and "processes" in found[0]:
            found = found[0]["processes"]
    except ValueError:
        found = []
    if run.returncode == 0 and len(found) == len(paths):
        return found
    if len(paths) == 1:
        sys.stderr.write(f"exit status {run.returncode}: {run.stderr}")
        return [None]
    return [reports(command, [p])[0] for p in paths]


def batch(args):
    command, directory, seeds = args
    results, paths = [], []
    for seed in seeds:
        paths.append(os.path.join(directory, f"{seed}.txt"))
        with open(paths[-1], "w") as f:
            f.write(generate(seed))
    for seed, path, got in zip(seeds, paths, reports(command, paths)):
        want = Trace(path).report()
        wrong = ["no report"] if got is None else list(differences(want, got))
        wrong += [f"brute.py itself: {w}" for w in sums(want)]
        results.append((seed, wrong, want["ties"]))
        if not wrong:
            os.remove(path)
    return results


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--n", type=int, default=1000)
    p.add_argument("--tptrace", default=os.path.join(here, "../../build/tptrace"),
                   help="a command; 'python3 brute.py' can stand in")
    p.add_argument("--jobs", type=int, default=2)
    args = p.parse_args()
    directory = tempfile.mkdtemp(prefix="tptrace-prop.")
    seeds = range(args.seed, args.seed + args.n)
    work = [(shlex.split(args.tptrace), directory, seeds[i:i + BATCH])
            for i in range(0, len(seeds), BATCH)]
    failed = tied = 0
    with Pool(args.jobs) as pool:
        for results in pool.imap(batch, work):
            for seed, wrong, ties in results:
                tied += bool(ties)
                if wrong:
                    failed += 1
                    print(f"seed {seed}: {directory}/{seed}.txt", *wrong[:8], sep="\n    ", flush=True)
    if not failed:
        shutil.rmtree(directory)
    print(f"{args.n - tied} of {args.n} traces have no ties")
    print(f"{args.n - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
