#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""parts.py [--build DIR] [--n N] [--seed S] - the parts of a run add up to it, with collapsed tasks, too.

Random traces are collapsed, and the window is cut into random parts.  The components, their states and the ready path
of the reports on these (--from, --to) add up to those of the whole, to the ns; and what --json says of each phase is
what the report on that --phase says.
"""
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "collapse"), os.path.join(HERE, "..", "lib")]
import frame  # noqa: E402
from generate import generate  # noqa: E402
from tracing import PARTS, environment  # noqa: E402

SPEC = importlib.util.spec_from_file_location("collapsing", os.path.join(HERE, "..", "collapse", "check.py"))
collapsing = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(collapsing)


def figures(report):
    """All that must add up; waits for messages and devices are told where there are any."""
    flat = {part: report[part] for part in PARTS} | {f"path {key}": ns for key, ns in report["ready_path"].items()}
    for state, charge in report["states"].items():
        flat |= {f"{state} {part}": ns for part, ns in charge.items()}
    return flat


def report_of(build, path, *options):
    done = subprocess.run([f"{build}/tptrace", "report", "--json", *options, path], capture_output=True, text=True,
                          env=environment(), check=False)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def cpu_times(rng, text, first, last):
    """Lines with what workers had and wanted of CPUs, by chance: whatever the trace says they did meanwhile."""
    for worker in sorted(set(re.findall(r"^\d+ (w\d+) ", text, re.M))):
        at, run, wait = first, 0, 0
        yield f"cpu {worker} {at} run=0 wait=0\n"
        while at < last:
            step = rng.randint(1, max(1, (last - first) // 2))
            at, waited = at + step, rng.choice((0, rng.randint(0, step), step))
            run, wait = run + rng.choice((0, rng.randint(0, step - waited), step - waited)), wait + waited
            yield f"cpu {worker} {at} run={run} wait={wait}\n"


def overclaimed(report):
    """Findings that have more than there is: of work, of the rest, and with what is not explained; each is rounded."""
    findings, work = report["findings"], report["work_ns"]
    lost = report["cumulative_ns"] - work
    in_work = sum(f["in_work_ns"] for f in findings)
    beside = sum(f["lost_ns"] for f in findings) - in_work
    if max(in_work - work, beside - lost, abs(beside + report["not_explained_ns"] - lost)) > len(findings):
        yield f"findings have {in_work} of {work} of work, {beside} of {lost}, {report['not_explained_ns']} is left"


def check(build, folder, seed):
    """How many tasks are collapsed, how many parts there were, and what is wrong."""
    rng = random.Random(seed)
    full, path = f"{folder}/{seed}.full.txt", f"{folder}/{seed}.txt"
    text = generate(seed)
    times = [int(line.split()[0]) for line in text.splitlines() if line[:1].isdigit()]
    first, last = min(times), max(times)
    marks = sorted(rng.randint(first, last) for _ in range(rng.randint(1, 4)))
    head, _, rest = text.partition("clock ns\n")
    with open(full, "w", encoding="ascii") as file:
        times = cpu_times(rng, text, first, last) if rng.random() < .7 else ()
        file.write(head + "clock ns\n" + "".join(times) + "".join(f"mark {ns} phase p{i}\n" for i, ns in enumerate(marks)) + rest)
    n_collapsed = collapsing.collapse(build, full, 10**12, 10**12, 0, 0, 4000, path)
    whole = report_of(build, path)
    if isinstance(whole, str):
        return 0, 0, [whole]
    cuts = sorted({0, whole["window_ns"], *(rng.randint(0, whole["window_ns"]) for _ in range(rng.randint(1, 12)))})
    parts = [report_of(build, path, "--from", f"{a}ns", "--to", f"{b}ns") for a, b in zip(cuts, cuts[1:])]
    wrong = [part for part in parts if isinstance(part, str)]
    wrong += [line for part in [whole, *parts] if not isinstance(part, str) for line in overclaimed(part)]
    if not wrong:
        want, got = figures(whole), Counter()
        for part in parts:
            got.update(figures(part))
        wrong += [f"{key}: {got[key]} in parts {cuts}, {want.get(key, 0)} in the whole"
                  for key in {*want, *got} if got[key] != want.get(key, 0)]
    for row in whole["phases"]:
        phase = report_of(build, path, "--phase", row["name"])
        if isinstance(phase, str):
            wrong += [phase] if sum(row[part] for part in PARTS) else []
        elif any(row[part] != phase[part] for part in PARTS):
            wrong.append(f"phase {[row[part] for part in PARTS]}, --phase {[phase[part] for part in PARTS]}")
    return n_collapsed, len(parts), [f"seed {seed}: {line}" for line in wrong]


def main():
    args = frame.options(__doc__, seed=random.randrange(2**31), n=40)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda seed: check(args.build, folder, seed), range(args.seed, args.seed + args.n)))
    bad = [line for _, _, wrong in done for line in wrong]
    for line in bad[:20]:
        print(line)
    print(f"parts: {sum(n for _, n, _ in done)} parts of {args.n} traces, "
          f"{sum(n > 0 for n, _, _ in done)} of them collapsed, {len(bad)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
