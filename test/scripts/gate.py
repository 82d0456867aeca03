#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gate.py - scripts/gate-example on runs that are as good as before and on worse ones: what it says, and its exit status.

Made traces have times of their own; the real runs are judged by their tasks alone, whatever the machine does.
"""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path[1:1] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "golden", "findings")]
import tracing  # noqa: E402
from cases import CASES  # noqa: E402

ARGS = argparse.ArgumentParser(description=__doc__.splitlines()[0])
ARGS.add_argument("--build", default=os.path.join(ROOT, "build"))
BUILD = os.path.abspath(ARGS.parse_args().build)
TPTRACE = os.path.join(BUILD, "tptrace")
COUNTS = {"PERCENT": 1000000, "SHARE": 100}


def gate(status, *sides, says=(), **env):
    done = subprocess.run([f"{ROOT}/scripts/gate-example/gate", *sides], capture_output=True, text=True, check=False,
                          timeout=60, env=tracing.environment(TPTRACE=TPTRACE, **env))
    assert done.returncode == status and (not done.stderr or status == 2), (sides, done)
    lines = done.stdout.splitlines()
    assert status != 2 or len(done.stderr.splitlines()) == 1, done
    assert len(lines) == len(says) and all(words in line for words, line in zip(says, lines)), (sides, says, done)


def made(folder):
    """Planted causes and the same programs repaired."""
    path = {}
    for name in ("serial_none", "serial_head"):
        path[name] = f"{folder}/{name}.txt"
        with open(path[name], "w", encoding="utf-8") as f:
            f.write(CASES[name]()[0].text())
    good, worse = path["serial_none"], path["serial_head"]
    gate(0, good, good, says=["no worse"])
    gate(0, worse, good, says=["no worse"])
    gate(0, worse, worse, says=["no worse"])
    gate(1, good, worse, says=["time: B is 1.50 x slower", "new cause: serial at main, 25 % of all time of workers (0 %"])
    gate(1, good, worse, says=["new cause: serial at main"], PERCENT=60)
    gate(1, good, worse, says=["time: B is 1.50 x slower"], SHARE=26)
    gate(0, good, worse, says=["no worse"], SHARE=26, PERCENT=60)
    gap = f"{ROOT}/test/golden/report/gap.txt"
    gate(1, gap, gap, says=["events are missing"])


def wrong(folder):
    """One line, and 2: not a comparison that went well."""
    empty = f"{folder}/empty"
    os.makedirs(empty)
    good = f"{folder}/serial_none.txt"
    for sides in ((), (good,), (good, empty), (empty, good), (good, f"{folder}/none.tpt"), (f"{folder}/none", good)):
        gate(2, *sides)


def real(folder):
    """A task for each number, and one for a thousand of them (test/sick/fine.c)."""
    for name, flags in (("coarse", ["-DFIXED"]), ("fine", [])):
        app = f"{folder}/{name}.d/fine"
        os.makedirs(os.path.dirname(app))
        subprocess.run(["gcc", "-O2", "-g", "-fopenmp", *flags, f"{ROOT}/test/sick/fine.c", "-o", app], check=True)
        subprocess.run([TPTRACE, "record", "-q", "--repeat", "2", "-o", f"{folder}/{name}", "--", app], check=True,
                       timeout=120, env=tracing.environment(OMP_WAIT_POLICY="passive"))
    coarse, fine = f"{folder}/coarse", f"{folder}/fine"
    gate(0, coarse, coarse, says=["no worse"], **COUNTS)
    gate(0, fine, coarse, says=["no worse"], **COUNTS)
    gate(1, coarse, fine, says=["tasks: 43 before, 40003 now"], **COUNTS)


def main():
    if not shutil.which("jq"):
        print("skip gate: jq is missing")
        return
    with tracing.new_folder("tptrace-gate.") as folder:
        for test in (made, wrong, real):
            test(folder)
            print(f"ok gate {test.__name__}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
