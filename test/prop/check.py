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
from brute_bounds import wrong_bounds
from brute_compensate import CALLS_PS, EVENT_PS, STRAND_PS, wrong_compensated
from brute_locks import wrong_locks
from brute_waits import wrong_waits
from brute_times import bucket
from generate import generate

BATCH = 100
COMPENSATED = 5     # one in so many traces is compensated, too
SAFE = ("workers", "elapsed_ns", "cumulative_ns", "work_ns", "tasks", "strands", "events_lost",
        "tracer_ns", "tasks_begun", "tasks_ended", "tasks_cancelled", "tasks_never_begun")
SHAPE = ("delay_ns", "span_ns", "span_tasks", "edges")
BLAMED = (("tracer_ns", "tracer"), ("runtime_ns", "runtime"), ("blocked_ns", "blocked"), ("starved_ns", "idle"),
          ("message_ns", "message"), ("device_ns", "device"))
NEVER = dict.fromkeys(("delay_ns", "no_work_sched_ns", "no_work_app_ns"), 0)   # in a state that the report leaves out
BY_PATH = ("steals", "migrations", "ready_path", "no_work_sched_ns", "no_work_app_ns")


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
        for rows in ("kinds", "paths", "grains", "workers_profile"):
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
    for key, state in BLAMED:
        held = sum(got["states"].get(state, NEVER).values())
        for rows in ("kinds", "paths", "grains"):
            if rows in got and key in got[rows][0] and abs(sum(r[key] for r in got[rows]) - held) > 1e-9:
                yield f"{rows}: {key} adds up to {sum(r[key] for r in got[rows])}, not {held}"
    for c in COLUMNS[1:]:
        if sum(call[c] for call in got["runtime_calls"].values()) != got["states"]["runtime"][c]:
            yield f"runtime_calls: {c} is not {got['states']['runtime'][c]}"
    if sum(k["tasks"] for k in got["kinds"]) != got["tasks"]:
        yield "kinds: the tasks do not add up"
    for rows in ("paths", "grains"):
        if rows in got and sum(row["tasks"] for row in got[rows]) != got["tasks"]:
            yield f"{rows}: the tasks do not add up"


def wrong_states(want, got, by_path):
    """Which no-work is whose depends on the path; what of it is the tracer's does not.  Whose own a strand is
    depends on who released it."""
    for mine, row, where in [(got, want, "")] + [
            (m, w, f"runtimes.{w['name']}.") for m, w in zip(got["runtimes"], want["runtimes"]) if "states" in w]:
        for name in ("running", "tracer") if "release" in want["ties"] else row["states"]:
            found, state = mine["states"].get(name, NEVER), row["states"][name]
            sums_ = [sum(s.get(c, 0) for c in COLUMNS[2:]) for s in (found, state)]
            if by_path and found != state or sums_[0] != sums_[1] or found.get("delay_ns") != state.get("delay_ns"):
                yield f"{where}states.{name}: {found}, brute force {state}"


PERCENTILES = ("p10_ns", "median_ns", "p90_ns", "p99_ns")


def without_percentiles(spread):
    return {k: v for k, v in spread.items() if k not in PERCENTILES}


def wrong_percentiles(where, spread):
    """They are in order, and each lies in the bucket of the value of its rank."""
    values = [spread["min_ns"], *(spread[k] for k in PERCENTILES), spread["max_ns"]]
    if values != sorted(values):
        yield f"{where}: percentiles out of order: {values}"
    for name, part in zip(PERCENTILES, (.1, .5, .9, .99)):
        rank, low = int((spread["n"] - 1) * part), 0
        for low, n in spread["buckets"]:
            if rank < n:
                break
            rank -= n
        if bucket(spread[name]) != low:
            yield f"{where}: {name} {spread[name]} is not in its bucket, {low}"


def wrong_times(want, got, ties):
    """How times are spread.  Of equal ends either may have released, so steals are as they were told."""
    moved = ("steal",) if ties & {"release", "edge", "end"} else ()
    for row, kind in kind_pairs(want, got):
        mine = {k: without_percentiles(v) for k, v in row["distributions"].items() if k not in moved}
        told = {k: v for k, v in kind["distributions"].items() if k not in moved}
        if mine != told:
            yield f"kinds.{kind['name']}.distributions: {mine}, brute force {told}"
        for key in ("fate", "max_at_ns"):
            if row[key] != kind[key]:
                yield f"kinds.{kind['name']}.{key}: {row[key]}, brute force {kind[key]}"
        for name, spread in row["distributions"].items():
            yield from wrong_percentiles(f"kinds.{kind['name']}.{name}", spread)
    if moved:
        return
    mine = {"leaps": got["leaps"], "binding_path": got["binding_path"],
            "steal_pairs": sorted(got["steal_pairs"], key=lambda p: (p["thief"], p["victim"])),
            "steals_by_idle": [without_percentiles(s) for s in got["steals_by_idle"]]}
    for key, value in mine.items():
        if value != want[key]:
            yield f"{key}: {value}, brute force {want[key]}"


def kind_pairs(want, got):
    """(tptrace's, brute force's) of each kind that both have."""
    rows = {(k["name"], k["file"] or None, k["line"]): k for k in got["kinds"]}
    keys = [((k["name"], k["file"], k["line"]), k) for k in want["kinds"]]
    return [(rows[key], kind) for key, kind in keys if key in rows]


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
    of_runtime = ["name", "tasks", "workers", *(k for k in ("steals", "migrations", *COLUMNS) if k in keys)]
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
    if not ties & {"order", "release"}:
        yield from wrong_locks(want["locks"], got["locks"], lambda site: want["names"][site])
        yield from wrong_waits(want["waits"], got["waits"], lambda site: want["names"][site])
    for name, call in want["runtime_calls"].items():
        for c in COLUMNS[1:] if shares and not ties & {"release", "end"} else ():
            if abs(got["runtime_calls"][name][c] - call[c]) >= slack:
                yield f"runtime_calls.{name}.{c}: {got['runtime_calls'][name][c]}, brute force {float(call[c])}"
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
        for c in ("runtime_ns", "blocked_ns", "message_ns", "device_ns", "starved_ns") if shares and "release" not in ties else ():
            if abs(row.get(c, 0) - kind[c]) >= slack and (c != "starved_ns" or "end" not in ties):
                yield f"kinds.{kind['name']}.{c}: {row.get(c, 0)}, brute force {float(kind[c])}"
        if shares and abs(row["delay_ns"] - kind["delay_ns"]) >= slack:
            yield f"kinds.{kind['name']}.delay_ns: {row['delay_ns']}, " \
                  f"brute force {float(kind['delay_ns'])}"
    if not ties & {"order", "work"}:
        yield from wrong_times(want, got, ties)
    paths = {p["name"]: p for p in got["paths"]}
    if sorted(paths) != sorted(p["name"] for p in want["paths"]) or len(paths) != len(got["paths"]):
        yield f"paths: {sorted(p['name'] for p in got['paths'])}, " \
              f"brute force {sorted(p['name'] for p in want['paths'])}"
    for path in want["paths"]:
        row = paths.get(path["name"], path)
        for c in columns:
            if c in path and row[c] != path[c]:
                yield f"paths.{path['name']}.{c}: {row[c]}, brute force {path[c]}"
        if shares and abs(row["delay_ns"] - path["delay_ns"]) >= slack:
            yield f"paths.{path['name']}.delay_ns: {row['delay_ns']}, " \
                  f"brute force {float(path['delay_ns'])}"
    if "grains" in got:
        yield from wrong_grains(want, got, columns, slack if shares else None)
    yield from sums(got)


def wrong_grains(want, got, columns, slack):
    grains = {row["from_ns"]: row for row in got["grains"]}
    mine = {row["from_ns"]: row for row in want["grains"]}
    if "work_ns" in columns and (grains.keys() != mine.keys() or len(grains) != len(got["grains"])):
        yield f"grains: {[row['from_ns'] for row in got['grains']]}, brute force {list(mine)}"
        return
    for grain, row in mine.items() if "work_ns" in columns else ():
        for c in columns:
            if c in row and grains[grain][c] != row[c]:
                yield f"grains.{grain}.{c}: {grains[grain][c]}, brute force {row[c]}"
        if slack is not None and abs(grains[grain]["delay_ns"] - row["delay_ns"]) >= slack:
            yield f"grains.{grain}.delay_ns: {grains[grain]['delay_ns']}, brute force {float(row['delay_ns'])}"


def reports(command, paths, *options):
    """tptrace's reports of these files, or None where there is none."""
    run = subprocess.run([*command, "report", "--json", *options, *paths], capture_output=True, text=True)
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
    return [reports(command, [p], *options)[0] for p in paths]


def compensated(command, path, trace, want):
    """The same trace, of a recorder that says what its events cost."""
    with open(path) as f:
        head, *lines = f.readlines()
    lines = [f"{line[:-1]} calls-ps={CALLS_PS}\n" if line.startswith("runtime ") else line for line in lines]
    with open(path[:-4] + ".cost.txt", "w") as f:
        f.writelines([head, f"meta event_cost_ps {EVENT_PS}\nmeta strand_cost_ps {STRAND_PS}\n", *lines])
    got, = reports(command, [f.name], "--compensate")
    wrong = ["no report with --compensate"] if got is None else list(wrong_compensated(trace, want, got))
    if not wrong:
        os.remove(f.name)
    return wrong


def batch(args):
    command, directory, seeds = args
    results, paths = [], []
    for seed in seeds:
        paths.append(os.path.join(directory, f"{seed}.txt"))
        with open(paths[-1], "w") as f:
            f.write(generate(seed))
    for seed, path, got in zip(seeds, paths, reports(command, paths, "--bounds", "--by=grain")):
        trace = Trace(path)
        want = trace.report()
        wrong = ["no report"] if got is None else [*differences(want, got), *wrong_bounds(trace, want, got)]
        wrong += [f"brute.py itself: {w}" for w in sums(want)]
        wrong += ["no grains"] * (got is not None and "grains" not in got)
        if got and seed % COMPENSATED == 0:
            wrong += compensated(command, path, trace, want)
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
