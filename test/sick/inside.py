#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inside.py [--runs N] - tasks that hinder one another inside their code: the report says why.

A program with 22 causes (inside.cpp), each planted and repaired, run for real.  One of three runs
has to name cause and line, and one of the repaired program to have none of it.  --runs measures how
often it does so, and the gain that it promises.
"""
import math
import os
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

SOURCE = os.path.join(HERE, "inside.cpp")
CAUSES = {  # findings that name it, and their variants
    "draws": {"contention": "rand"}, "allocates": {"contention": "allocator"},
    "histograms": {"contention": "lock", "lock": None},
    "looks": {"contention": "lock", "lock": None},
    "counts": {"contention": "atomic"}, "refers": {"contention": "shared pointer"},
    "spins": {"contention": "spin atomic"}, "awaits": {"contention": "spin"},
    "shares": {"contention": "cache line"}, "faults": {"faults": "anew"},
    "writes": {"syscalls": None}, "opens": {"syscalls": None},
    "throws": {"exceptions": None}, "formats": {"formatting": "formatting"}, "touches": {"faults": "first use"},
    "parses": {"formatting": "regular expression"}, "criticals": {"locking": None, "lock": None},
    "copies": {"copies": None}, "gathers": {"contention": "library"},
    "logs": {"lock": None, "contention": "lock", "formatting": "formatting"}, "polls": {"asleep": None},
    "scans": {"asleep": None},
}
AT_ONCE = ("shares",)  # costs nothing unless both workers have a CPU at once: measured only
INSIDE = ("contention", "faults", "syscalls", "exceptions", "formatting", "locking", "copies")
NOT_ITS_OWN = ("loaded", "tracer", "oversubscribed")
ATTEMPTS = 3
CURED = .05  # of elapsed x P


def lines_of(cause):
    with open(SOURCE, encoding="utf-8") as file:
        return [f"inside.cpp:{n}" for n, line in enumerate(file, 1)
                if line.rstrip().endswith(f"// {cause}")]


def run(tptrace, program, cause, fixed, path):
    command = [tptrace, "record", "-q", "--force", "-o", path, "--", program, cause]
    command += ["fixed"] if fixed else []
    done = subprocess.run(command, check=True, timeout=120, capture_output=True, text=True,
                          env=tracing.environment(OMP_WAIT_POLICY="passive", TPTRACE_SAMPLE="500"))
    report = tracing.report_of(tptrace, path)
    rows = [tuple(row[key] for key in ("kind", "state", "function", "file", "caller")) for row in report["code"]]
    assert len(rows) == len(set(rows)), f"{cause} has rows twice: {sorted(rows)}"
    return report


def own_findings(report):
    return [f for f in report["findings"] if f["id"] not in NOT_ITS_OWN]


def names_it(finding, cause):
    variants = CAUSES[cause]
    facts = {fact["id"]: fact["value"] for fact in finding["facts"]}
    if finding["id"] not in variants:
        return False
    if variants[finding["id"]] and facts["variant"] not in variants[finding["id"]]:
        return False
    text = " ".join([finding["what"], finding["where"]]).split()
    return any(line in word.rstrip(";,:") for word in text for line in lines_of(cause))


def wrong_sick(report, cause):
    found = own_findings(report)
    if found and names_it(found[0], cause):
        return None
    return f"not named first: {[(f['id'], f['what'][:160], f['lost_ns']) for f in found]}"


def wrong_fixed(report, cause):
    whole = report["cumulative_ns"]
    left = [(f["id"], f["what"][:160], round(f["lost_ns"] / whole, 3)) for f in own_findings(report)
            if f["id"] in INSIDE and f["lost_ns"] > CURED * whole]
    return f"repaired, {cause} has {left}" if left else None


def alone(program, cause, fixed):
    """Elapsed and CPU time without tptrace, in ns."""
    done = subprocess.run([program, cause, *(["fixed"] if fixed else [])], check=True, timeout=120,
                          capture_output=True, text=True, env=tracing.environment(OMP_WAIT_POLICY="passive"))
    return [int(ns) for ns in done.stdout.split()]


def its_findings(report, cause):
    return [f for f in report["findings"] if f["id"] in CAUSES[cause]]


def waits(report, cause):
    """Whether workers lost time outside of work, blocked say, of which a CPU knows nothing."""
    return any(f["in_work_ns"] < f["lost_ns"] for f in its_findings(report, cause))


def promised(report, cause):
    """The part that its findings say a repair brings, of the CPU time or of the workers' own time."""
    if waits(report, cause):
        others = sum(f["lost_ns"] for f in report["findings"] if f["id"] in NOT_ITS_OWN)
        return sum(f["lost_ns"] for f in its_findings(report, cause)) / max(report["cumulative_ns"] - others, 1)
    return sum(fact["value"] for f in its_findings(report, cause) for fact in f["facts"] if fact["id"] == "of_cpu")


def measure(tptrace, program, folder, n, causes):
    """One line a cause: named, clean when repaired, and shares of the CPU time or of the run."""
    for cause in causes:
        sick, fixed = ([run(tptrace, program, cause, repaired, os.path.join(folder, "run.tpt"))
                        for _ in range(n)] for repaired in (False, True))
        named = [not wrong_sick(report, cause) for report in sick]
        clean = [not wrong_fixed(report, cause) for report in fixed]
        is_cpu = not any(waits(report, cause) for report in sick)
        own = [statistics.median(alone(program, cause, repaired)[is_cpu] for _ in range(n))
               for repaired in (False, True)]
        said, got = statistics.median(promised(report, cause) for report in sick), 1 - own[1] / own[0]
        print(f"{cause:12} named {sum(named):2} of {n}  clean {sum(clean):2} of {n}  "
              f"{'CPU' if is_cpu else 'run'} {own[0] / 1e6:5.0f} ms  repaired {own[1] / 1e6:5.0f} ms  "
              f"promised {said:.2f}  got {got:.2f}  {said / got if got > .05 else math.nan:.2f}", flush=True)
        for reports, wrong in ((sick, wrong_sick), (fixed, wrong_fixed)):
            for what in filter(None, (wrong(report, cause) for report in reports)):
                print(f"   {what}")
                break


def try_out(tptrace, program, cause, path):
    for fixed, wrong in ((False, wrong_sick), (True, wrong_fixed)):
        for _ in range(ATTEMPTS):
            what = wrong(run(tptrace, program, cause, fixed, path), cause)
            if not what:
                break
        if what:
            return f"{cause}: {what}"
    return None


def main():
    args = frame.options(__doc__, runs=(0, "measure so many of each"), only=("", "causes whose name holds this"))
    tptrace = args.tptrace
    causes = [cause for cause in CAUSES if args.only in cause]
    if not shutil.which("g++") or os.uname().machine != "x86_64":
        print("skip inside: it wants g++, and instructions of x86-64")
        return 0
    with tracing.new_folder("tptrace-inside.") as folder:
        program, path = os.path.join(folder, "inside"), os.path.join(folder, "run.tpt")
        subprocess.run(["g++", "-O2", "-g", "-fopenmp", SOURCE, "-o", program], check=True)
        if args.runs:
            measure(tptrace, program, folder, args.runs, causes)
            return 0
        run(tptrace, program, "draws", False, path)
        dump = subprocess.run([tptrace, "dump", path], check=True, capture_output=True, text=True).stdout
        if "sample_kernel 1" not in dump:
            print("skip inside: samples of this kernel are not permitted")
            return 0
        causes = [cause for cause in causes if cause not in AT_ONCE]
        wrongs = list(filter(None, (try_out(tptrace, program, cause, path) for cause in causes)))
    print(*wrongs, sep="\n", end="\n" if wrongs else "")
    print(f"inside: {len(causes) - len(wrongs)} passed, {len(wrongs)} failed")
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
