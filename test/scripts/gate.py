#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gate.py - scripts/gate-example on runs that are as good as before and on worse ones: what it says, and its exit status.

Made traces have times of their own; the real runs are judged by their tasks alone, whatever the machine does.
"""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path[1:1] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "golden", "findings")]
import frame  # noqa: E402
import tracing  # noqa: E402
from cases import CASES  # noqa: E402

BUILD = frame.options(__doc__).build
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


def children(n):
    """main makes n tasks and runs them itself."""
    text = "tptrace text 2\nclock ns\nruntime 0 name=made version=1 workers=1\nsite 1 name=work\n0 w0 root 0.1\n"
    for i in range(n):
        text += f"{10 * i} w0 create 0.{i + 2} site=1\n{10 * i} w0 begin 0.{i + 2}\n" \
            f"{10 * i + 9} w0 end\n{10 * i + 9} w0 resume 0.1\n"
    return text + f"{10 * n} w0 end\n"


def forgiven(folder):
    """What a commit that adds a comment, another machine, and runs that differ anyway may bring."""
    path = {}
    for name in ("chain", "chain_fixed", "loaded", "loaded_not"):
        path[name] = f"{folder}/{name}.txt"
        with open(path[name], "w", encoding="utf-8") as f:
            f.write(CASES[name]()[0].text())
    path["moved"] = f"{folder}/moved.txt"
    with open(path["chain"], encoding="utf-8") as old, open(path["moved"], "w", encoding="utf-8") as new:
        new.write(re.sub(r"line=(\d+)", lambda line: f"line={int(line[1]) + 7}", old.read()))
    gate(0, path["chain"], path["moved"], says=["no worse"])
    gate(1, path["chain_fixed"], path["moved"], says=["new cause: chain at work, "], PERCENT=1000000)
    gate(0, path["loaded_not"], path["loaded"], says=["no worse"], PERCENT=1000000, TASKS_PERCENT=1000000)
    for side, runs in (("base", (5, 9)), ("new", (9, 9))):
        os.makedirs(f"{folder}/{side}")
        for i, n in enumerate(runs):
            with open(f"{folder}/text.txt", "w", encoding="utf-8") as f:
                f.write(children(n))
            subprocess.run([TPTRACE, "load", "-o", f"{folder}/{side}/{i}.tpt", f"{folder}/text.txt"], check=True)
    gate(0, f"{folder}/base", f"{folder}/new", says=["no worse"], **COUNTS)


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
        for test in (made, forgiven, wrong, real):
            test(folder)
            print(f"ok gate {test.__name__}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
