#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--tptrace CMD] - tptrace report on small traces whose answers were worked out by hand.

NAME.txt is a text trace, with the reasoning in its comments; NAME.want is the part of the JSON
report that follows from it, with its OPTIONS, in which FOLDER is that of the trace.  Rows are matched by those of
ROW_KEYS that they have, and [lo, hi] stands for a range.
"""
import argparse
import glob
import json
import os
import shlex
import subprocess
import sys


ROW_KEYS = ("name", "function", "workers", "count", "from_ns", "others", "id", "what")
OPTIONS = {"bounds": "--bounds", "compensated": "--compensate", "grains": "--by=grain"}


def differences(want, got, where=""):
    if isinstance(want, dict):
        for key, value in want.items():
            if not isinstance(got, dict) or key not in got:
                yield f"{where}{key}: missing"
            else:
                yield from differences(value, got[key], f"{where}{key}.")
    elif isinstance(want, list) and want and isinstance(want[0], dict):
        for value in want:
            keys = [k for k in ROW_KEYS if k in value]
            key = keys[0]
            named = [g for g in got if all(g.get(k) == value[k] for k in keys)]
            if len(named) != 1:
                yield f"{where}{value[key]}: {len(named)} of that name"
            else:
                yield from differences(value, named[0], f"{where}{value[key]}.")
    elif isinstance(want, list):
        if not want[0] <= got <= want[1]:
            yield f"{where[:-1]}: {got}, want {want[0]} to {want[1]}"
    elif got != want:
        yield f"{where[:-1]}: {got}, want {want}"


def folded(command, path, options, got, few):
    """What lines of --folded add up to, against the figures of the report; few: of all time alone."""
    states = got["states"]["blocked"]
    totals = {"work": got["work_ns"], "delay": got["delay_ns"], "blocked": sum(states.values()),
              "no-work": got["no_work_sched_ns"] + got["no_work_app_ns"], "all": got["cumulative_ns"]}
    for what, total in [("all", totals["all"])] if few else totals.items():
        run = subprocess.run([*command, "report", "--folded", what, *options, path], capture_output=True, text=True)
        stacks = [line.rsplit(" ", 1) for line in run.stdout.splitlines()]
        if run.returncode or sum(int(ns) for _, ns in stacks) != total:
            yield f"--folded {what}: does not add up to {total}: {stacks} {run.stderr}"
        if len(set(stack for stack, _ in stacks)) != len(stacks):
            yield f"--folded {what}: a stack stands twice: {stacks}"
        want = f"{path[:-4]}.{what}.folded"
        if os.path.exists(want) and open(want).read() != run.stdout:
            yield f"--folded {what}: {run.stdout}"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--tptrace", default=os.path.join(here, "../../../build/tptrace"),
                   help="a command; 'python3 ../../prop/brute.py' can stand in")
    p.add_argument("--few", action="store_true", help="of --folded only what has all time: the others are sums by the same code")
    args = p.parse_args()
    command = shlex.split(args.tptrace)
    passed = failed = 0
    for path in sorted(glob.glob(f"{here}/*.txt") + glob.glob(f"{here}/../code/*.txt")):
        with open(path[:-4] + ".want") as f:
            want = json.load(f)
        part = [option.replace("FOLDER", os.path.dirname(path)) for option in want.pop("OPTIONS", [])]
        options = part + [option for key, option in OPTIONS.items() if key in want]
        run = subprocess.run([*command, "report", "--json", *options, path], capture_output=True, text=True)
        try:
            wrong = list(differences(want, json.loads(run.stdout)))
            if "brute" not in command[-1]:
                part = [] if "bounds" in want or "--baseline" in part else part
                wrong += folded(command, path, part, json.loads(run.stdout), args.few)
        except ValueError:
            wrong = [f"no JSON, exit status {run.returncode}: {run.stderr.strip()}"]
        if run.returncode:
            wrong.append(f"exit status {run.returncode}")
        if not wrong and "brute" not in command[-1]:
            strict = subprocess.run([*command, "report", "--strict", path], capture_output=True).returncode
            if strict != (3 if json.loads(run.stdout)["losses"] else 0):
                wrong.append(f"--strict ends with {strict}")
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(os.path.basename(path), *wrong, sep="\n    ")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
