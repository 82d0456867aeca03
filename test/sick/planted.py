#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""planted.py - programs that measure their one loss themselves: the finding has as much, within a tenth.

No other finding has more than 5 % of elapsed x workers, and in the repaired program that cause has no more, but for
what a busy machine made of it, as the program measures, too.  All work is sleep, and runs
go on beside each other; one that fails is repeated alone.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

OMP = {"lock": "scan", "serial": "planted.c", "tail": "planted.c", "wait": "taskwait", "chain": "chain"}
TBB = {"lock": "planted_tbb.cc", "serial": "planted_tbb.cc", "wait": "planted_tbb.cc"}
# clang does not inline all of task_group::wait(): where the program calls it is not known
CLANG_TBB = {cause: place for cause, place in TBB.items() if cause != "wait"}
PROGRAMS = (("gcc", "planted.c", "-fopenmp", OMP), ("clang", "planted.c", "-fopenmp", OMP),
            ("g++", "planted_tbb.cc", "-ltbb", TBB), ("clang++", "planted_tbb.cc", "-ltbb", CLANG_TBB))
ATTEMPTS = 3
EXACT = .1  # of the planted loss
OTHERS = .05  # of elapsed x workers
MACHINE = ("loaded", "oversubscribed")  # not the program's
SLEEP = ("asleep",)  # what the programs do instead of work, so that they need no quiet machine


class Disturbed(Exception):
    """A run of which the machine made more loss than what is planted: it shows nothing."""


def wrong(tptrace, program, cause, place, fixed, path):
    """What is wrong with the findings of a run."""
    done = subprocess.run([tptrace, "record", "-q", "-o", path, "--", program, cause, *(["fixed"] if fixed else [])],
                          check=True, timeout=60, capture_output=True, text=True,
                          env=tracing.environment(OMP_WAIT_POLICY="passive"))
    report = tracing.report_of(tptrace, path)
    os.unlink(path)
    planted, whole = int(done.stdout), report["cumulative_ns"]
    found = [f for f in report["findings"] if f["id"] not in MACHINE + SLEEP]
    said = f"{planted} ns planted of {whole}; {[(f['id'], f['where'], f['lost_ns']) for f in found]}"
    ours = sum(f["lost_ns"] for f in found if f["id"] == cause)
    # a sleep that ends late for want of a CPU is planted to the program, and the machine's to the report
    machine = sum(f["lost_ns"] for f in report["findings"] if f["id"] in MACHINE)
    if not fixed and not planted * (1 - EXACT) - machine <= ours <= planted * (1 + EXACT):
        return f"{cause} has not what is planted: {said}"
    if not fixed and not ours:
        raise Disturbed(f"the machine's {machine} ns of {said}")
    if not fixed and place not in next(f["where"] for f in found if f["id"] == cause):
        return f"{cause} is not in {place}: {said}"
    if fixed and ours > planted + OTHERS * whole:
        return f"{cause} is still there: {said}"
    if any(f["lost_ns"] > OTHERS * whole for f in found if f["id"] != cause):
        return f"what nobody planted: {said}"
    return None


def try_out(tptrace, program, cause, place, fixed, attempts):
    what = "not tried"
    for attempt in range(attempts):
        disturbed = None
        try:
            what = wrong(tptrace, program, cause, place, fixed, f"{program}-{cause}-{fixed}-{attempt}.tpt")
        except Disturbed as disturbed_by:
            disturbed = what = str(disturbed_by)
        if not what:
            return None
    if disturbed and attempts > 1:
        print(f"skip planted_{cause}, {program.rpartition('-')[2]}: others always used the cores; {disturbed}")
        return None
    return f"{os.path.basename(program)} {cause}{' fixed' if fixed else ''}: {what}"


def main():
    tptrace = frame.arguments(__doc__).tptrace
    with tracing.new_folder("tptrace-planted.") as folder, concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = []
        for compiler, source, flag, causes in PROGRAMS:
            if not shutil.which(compiler):
                print(f"skip planted, {compiler}: there is none")
                continue
            program = os.path.join(folder, f"planted-{compiler}")
            subprocess.run([compiler, "-O2", "-g", os.path.join(HERE, source), "-o", program, flag], check=True)
            runs += [(tptrace, program, cause, place, fixed)
                     for cause, place in causes.items() for fixed in (False, True)]
        at_once = list(pool.map(lambda run: try_out(*run, 1), runs))
        again = [run for run, what in zip(runs, at_once) if what]
        wrongs = list(filter(None, (try_out(*run, ATTEMPTS - 1) for run in again)))
    print(*wrongs, sep="\n", end="\n" if wrongs else "")
    print(f"planted: {len(runs) - len(wrongs)} passed, {len(wrongs)} failed")
    return 1 if wrongs or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
