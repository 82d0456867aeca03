#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--tptrace CMD] - tptrace report on small traces whose answers were worked out by hand.

NAME.txt is a text trace, with the reasoning in its comments; NAME.want is the part of the JSON
report that follows from it.  Kinds are matched by name, and [lo, hi] stands for a range.
"""
import argparse
import glob
import json
import os
import shlex
import subprocess
import sys


def differences(want, got, where=""):
    if isinstance(want, dict):
        for key, value in want.items():
            if not isinstance(got, dict) or key not in got:
                yield f"{where}{key}: missing"
            else:
                yield from differences(value, got[key], f"{where}{key}.")
    elif isinstance(want, list) and want and isinstance(want[0], dict):
        for value in want:
            named = [g for g in got if g["name"] == value["name"]]
            if len(named) != 1:
                yield f"{where}{value['name']}: {len(named)} of that name"
            else:
                yield from differences(value, named[0], f"{where}{value['name']}.")
    elif isinstance(want, list):
        if not want[0] <= got <= want[1]:
            yield f"{where[:-1]}: {got}, want {want[0]} to {want[1]}"
    elif got != want:
        yield f"{where[:-1]}: {got}, want {want}"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--tptrace", default=os.path.join(here, "../../../build/tptrace"),
                   help="a command; 'python3 ../../prop/brute.py' can stand in")
    command = shlex.split(p.parse_args().tptrace)
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(here, "*.txt"))):
        with open(path[:-4] + ".want") as f:
            want = json.load(f)
        run = subprocess.run(command + ["report", "--json", path], capture_output=True, text=True)
        try:
            wrong = list(differences(want, json.loads(run.stdout)))
        except ValueError:
            wrong = [f"no JSON, exit status {run.returncode}: {run.stderr.strip()}"]
        if run.returncode:
            wrong.append(f"exit status {run.returncode}")
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(os.path.basename(path), *wrong, sep="\n    ")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
