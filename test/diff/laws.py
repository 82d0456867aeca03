#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""laws.py [--tptrace CMD] [--seed S] [--n N] - what must hold of `tptrace diff`, whatever the traces.

Of each golden trace and N random ones: a diff with itself is all zeros; `diff A B` is the opposite of `diff B A`, to
the ns; the differences of kinds, places and states add up to those of the components; A and B are as `report` has them.
So it is with counters, which the random traces have several sets of.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from multiprocessing import Pool

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("prop", "lib")]
import frame  # noqa: E402
from generate import generate  # noqa: E402

LISTS = ("kinds", "places", "paths", "findings", "locks", "waits")
COLUMNS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
OPPOSITE = {"better": "worse", "worse": "better", "same": "same"}
WIDTH = 100
COUNTERS = (("page-faults", "PAPI_TOT_INS", "PAPI_TOT_CYC"), ("cpu-time unit=ns", "page-faults"), (),
            ("PAPI_TOT_CYC", "page-faults", "PAPI_TOT_INS"))


def counting(text, seed):
    """The trace with counters: a strand that creates, or ends its task, has counted something."""
    chance, names = random.Random(seed), COUNTERS[seed % len(COUNTERS)]
    lines = []
    for line in text.splitlines():
        at = re.match(r"\S+ (w\d+) (create|end)\b", line)
        for i in range(len(names) if at else 0):
            if chance.random() < .7:
                lines.append(f"- {at[1]} counter {i} {chance.randrange(1000)}")
        lines.append(line)
    return "\n".join(lines[:2] + [f"counter {i} name={name}" for i, name in enumerate(names)] + lines[2:]) + "\n"


def run(tptrace, *arguments):
    return subprocess.run([tptrace, *arguments], capture_output=True, text=True, check=False)


def diff(tptrace, a, b):
    done = run(tptrace, "diff", "--json", a, b)
    if done.returncode not in (0, 1) or done.stdout.count("\n") != 1:
        raise AssertionError(f"exit status {done.returncode}: {done.stderr}")
    got = json.loads(done.stdout)
    assert done.returncode == (got["verdict"] == "worse"), "the exit status is not the verdict"
    return got


def negative(value):
    if isinstance(value, dict):
        return {key: negative(inner) for key, inner in value.items()}
    return None if value is None else -value


def leaves(value, where=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{where}.{key}")
    else:
        yield where, value


def wrong_sums(got):
    for c in COLUMNS:
        for rows in ("kinds", "places", "paths"):
            if sum(row["delta"][c] for row in got[rows]) != got["delta"][c]:
                yield f"{rows}: the differences of {c} do not add up"
        if sum(state[c] for state in got["delta"]["states"].values()) != got["delta"][c]:
            yield f"states: the differences of {c} do not add up"
    if sum(got["delta"]["delay_by_edge"].values()) != got["delta"]["delay_ns"]:
        yield "the differences by edge do not add up"
    if sum(got["delta"][c] for c in COLUMNS) != got["delta"]["cumulative_ns"]:
        yield "the differences of the components do not add up"
    for where in ("stolen", "local") if got["lineage"] else ():
        for key in ("tasks", "work_a_ns", "work_b_ns"):
            if sum(row[where][key] for row in got["kinds"]) != got["lineage"][where][key]:
                yield f"{key} of {where} tasks: the kinds do not add up"
    for key in COLUMNS + ("elapsed_ns", "tasks", "steals", "span_ns"):
        if got["b"][key] - got["a"][key] != got["delta"][key]:
            yield f"{key}: the difference is not that of the reports"


def wrong_counters(got):
    reports = [{c["name"]: c for c in got[side]["counters"]} for side in "ab"]
    rows = {c["name"]: c for c in got["counters"]}
    if set(rows) != set(reports[0]) | set(reports[1]):
        yield f"counters are {list(rows)}"
    for name, row in rows.items():
        for side, report in zip("ab", reports):
            if (row[side] is None) != (name not in report):
                yield f"{name}: {side} does not say whether it was counted"
            if row[side] and any(row[side][key] != report[name][key] for key in row[side]):
                yield f"{name}: {side} is not that of the report"
            for which in ("kinds", "places", "paths") if row[side] else ():
                if sum(item[side]["counters"][name]["total"] for item in got[which] if item[side]) != row[side]["total"]:
                    yield f"{name}: {which} of {side} do not add up"
        both = row["a"] and row["b"]
        if bool(both) != bool(row["delta"]) or both and row["delta"]["total"] != row["b"]["total"] - row["a"]["total"]:
            yield f"{name}: the difference is {row['delta']}"
        for which in ("kinds", "places", "paths") if both else ():
            if sum(item["delta"]["counters"][name]["total"] for item in got[which]) != row["delta"]["total"]:
                yield f"{name}: the differences of {which} do not add up"
    for side in "ab":
        if not abs((got["ipc"][side] or 0) - got[side].get("ipc", 0)) < 1e-4:
            yield f"ipc of {side} is {got['ipc'][side]}, not {got[side].get('ipc')}"


def wrong_self(got):
    parts = [got["delta"], {c["name"]: c["delta"] for c in got["counters"]}, {"ipc": got["ipc"]["delta"]}] + [row["delta"] for rows in LISTS for row in got[rows]]
    yield from (f"{where} of a trace with itself is {value}" for part in parts for where, value in leaves(part)
                if value)
    if got["verdict"] != "same" or got["ratio"] not in (None, 1):
        yield f"a trace is {got['verdict']} than itself, {got['ratio']}"
    tasks = got["lineage"]
    if tasks["other_kind"] or tasks["most"] or tasks["matched"]["work_a_ns"] != tasks["matched"]["work_b_ns"]:
        yield f"a task is not itself: {tasks}"


def named(rows):
    """By name and where it is; a name that moved is called as the last side has it."""
    return sorted(json.dumps([row.get("id"), row.get("what"), row["a"], row["b"], row["delta"]], sort_keys=True) for row in rows)


def turned(rows):
    return [{**row, "a": row["b"], "b": row["a"], "delta": negative(row["delta"])} for row in rows]


def wrong_turned(got, back):
    if [(where, -value) for where, value in leaves(got["delta"])] != list(leaves(back["delta"])):
        yield "the differences are not the opposites when turned round"
    if (sorted(map(str, leaves({c["name"]: negative(c["delta"]) for c in got["counters"]}))) !=
            sorted(map(str, leaves({c["name"]: c["delta"] for c in back["counters"]})))):
        yield "the differences of counters are not the opposites when turned round"
    if negative(got["ipc"]["delta"]) != back["ipc"]["delta"]:
        yield "the difference of ipc is not the opposite when turned round"
    for rows in LISTS:
        if named(got[rows]) != named(turned(back[rows])):
            yield f"{rows} are not the opposites when turned round"
    if OPPOSITE[got["verdict"]] != back["verdict"]:
        yield f"{got['verdict']}, and turned round {back['verdict']}"
    one, other = got["lineage"]["matched"], back["lineage"]["matched"]
    if (one["tasks"], one["work_a_ns"], one["work_b_ns"]) != (other["tasks"], other["work_b_ns"], other["work_a_ns"]):
        yield "not the same tasks are matched when turned round"


def wrong_text(tptrace, a, b):
    done = run(tptrace, "diff", a, b)
    widest = max(map(len, done.stdout.splitlines()), default=0)
    if widest > WIDTH:
        yield f"a line of {widest} columns"


def wrong(tptrace, a, b):
    try:
        itself, got, back = diff(tptrace, a, a), diff(tptrace, a, b), diff(tptrace, b, a)
        return [*wrong_self(itself), *wrong_sums(got), *wrong_sums(back), *wrong_counters(got), *wrong_turned(got, back),
                *wrong_text(tptrace, a, b)]
    except AssertionError as error:
        return [str(error)]


def try_pair(work):
    tptrace, a, b = work
    return a, b, wrong(tptrace, a, b)


def goldens(tptrace, folder):
    """The golden traces that are not refused: with counters, unless these are."""
    found = []
    for n, path in enumerate(sorted(glob.glob(os.path.join(HERE, "../golden/report/*.txt")))):
        counts = os.path.join(folder, os.path.basename(path))
        with open(path, encoding="utf-8") as golden, open(counts, "w", encoding="utf-8") as out:
            out.write(counting(golden.read(), n))
        found += [one for one in (counts, path) if run(tptrace, "report", one).returncode == 0][:1]
    return found


def main():
    args = frame.options(__doc__, seed=1, n=100)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tptrace-diff.") as folder:
        golden = goldens(args.tptrace, folder)
        randoms = [os.path.join(folder, f"{seed}.txt") for seed in range(args.seed, args.seed + args.n)]
        for seed, path in enumerate(randoms, args.seed):
            with open(path, "w", encoding="utf-8") as f:
                f.write(counting(generate(seed), seed))
        pairs = [(args.tptrace, a, b) for paths in (golden, randoms) for a, b in zip(paths, paths[1:] + paths[:1])]
        with Pool(2) as pool:
            for a, b, found in pool.imap(try_pair, pairs):
                failed += bool(found)
                if found:
                    print(f"{os.path.basename(a)}, {os.path.basename(b)}:", *found[:6], sep="\n    ")
    print(f"{len(pairs) - failed} passed, {failed} failed")
    return 1 if failed or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
