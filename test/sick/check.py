#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - programs with one known fault each, run for real: the report names it first; repaired, it is gone.

How long what takes is the machine's affair: what counts is which finding is first, and that it has half of the loss.
A run beside which others used the cores proves nothing when it fails, and is repeated.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

PROGRAMS = {  # the finding that it shall have, and its place
    "fine": ("fine", "fine.c"), "tail": ("tail", "tail.c"), "producer": ("producer", "producer.c"),
    "lock": ("lock", "lock.c"), "chain": ("chain", "chain.c"), "taskwait": ("wait", "taskwait.c"),
    "away": ("away", "away.c"), "serial": ("serial", "serial.c"), "imbalance": ("imbalance", "imbalance.c"),
    "coarse": ("coarse", "coarse.c"), "sharing": ("stretch", "sharing.c"), "over": ("oversubscribed", "main"),
    "asleep": ("asleep", "asleep.c"), "barriers": ("barrier", "barriers.c"),
    "buried": ("buried", "buried.c"), "cutoff": ("cutoff", "cutoff.c"), "locking": ("locking", "locking.c"),
    "tbb_mutex": ("lock", "tbb_mutex.cc"), "tbb_fine": ("fine", "tbb_fine.cc"), "tbb_serial": ("serial", "tbb_serial.cc"),
    "tbb_unshared": ("unshared", "tbb_unshared.cc"),
    "ordered": ("lock", "ordered.c"),
    "qth_word": ("lock", "qth_word.c"), "mth_mutex": ("lock", "mth_mutex.c"),
}
SAMPLED = {"stretch": "contention"}  # what samples make of it
OTHERS = {  # neither gcc's nor clang's runtime: the compiler, and what it needs of the stand-ins
    "tbb": ("g++", "-ltbb"), "qth": ("gcc", "qthread"), "mth": ("gcc", "myth"),
}
TWO_WORKERS = {"QTHREAD_NUM_SHEPHERDS": "2", "QTHREAD_NUM_WORKERS_PER_SHEPHERD": "1", "MYTH_NUM_WORKERS": "2"}
ATTEMPTS = 12
QUIET = .05  # of the time of all cores, others may have so much
CURED = .05  # of elapsed x P, the finding may have so much in the repaired program


def source_of(name):
    return os.path.join(HERE, name + (".cc" if name.startswith("tbb_") else ".c"))


def compilers_of(name):
    other = OTHERS.get(name.split("_")[0])
    return (other[0],) if other else ("gcc", "clang")


def link_flags(build, name):
    flag = OTHERS.get(name.split("_")[0], ("", "-fopenmp"))[1]
    if flag.startswith("-"):
        return [flag]
    libraries = os.path.join(build, "runtime")
    return [f"-I{HERE}/../runtime/{flag}", f"-L{libraries}", f"-Wl,-rpath,{libraries}", f"-l{flag}"]


def compile_program(build, name, compiler, fixed):
    out = os.path.join(build, "sick", f"{name}-{compiler}{'-fixed' if fixed else ''}")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    sources = [source_of(name), os.path.join(HERE, "spin.h")]
    if not os.path.exists(out) or os.path.getmtime(out) < max(map(os.path.getmtime, sources)):
        subprocess.run([compiler, "-O2", "-g", *(["-DFIXED"] if fixed else []), sources[0], "-o", out,
                        *link_flags(build, name)], check=True)
    return out


def busy_s():
    """CPU time of the whole machine so far, without idle time."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def record(tptrace, program, path):
    """The report of a run, and which part of the machine others used meanwhile."""
    before, own, began = busy_s(), os.times(), time.monotonic()
    # idle workers that spin would take the cores from those that work
    subprocess.run([tptrace, "record", "-q", "-o", path, "--", program], check=True, timeout=120,
                   env=tracing.environment(OMP_WAIT_POLICY="passive", **TWO_WORKERS))
    after, whole = os.times(), (time.monotonic() - began) * os.cpu_count()
    mine = after.children_user + after.children_system - own.children_user - own.children_system
    report = tracing.report_of(tptrace, path)
    os.unlink(path)
    return report, (busy_s() - before - mine) / whole


def wrong_sick(report, cause, place):
    not_its_own = [f for f in report["findings"] if f["id"] in ("loaded", "tracer")]
    findings = [f for f in report["findings"] if f not in not_its_own]
    lost = report["cumulative_ns"] - report["work_ns"] - sum(f["lost_ns"] - f["in_work_ns"] for f in not_its_own)
    first = findings[0] if findings else None
    said = [(f["id"], f["where"], round(f["lost_ns"] / lost, 3)) for f in findings]
    if not first or first["id"] not in (cause, SAMPLED.get(cause)) or place not in first["where"]:
        return f"want {cause} in {place} first, found {said}"
    if cause == "oversubscribed" and any(f["id"] == "stretch" for f in findings):
        return f"work that had no CPU is said to be stretched: {said}"
    if first["in_work"] or cause == "locking":  # recording such calls costs as much as they do, and more where it waits
        return None
    same = sum(f["lost_ns"] for f in report["findings"] if f["id"] == cause)
    return f"{cause} has less than half of the loss: {said}" if same < lost / 2 else None


STRETCHED = 1.5  # sharing.c's work on two workers, over one: 3 and more where a line moves between caches


def wrong_fixed(report, cause):
    left = sum(f["lost_ns"] for f in report["findings"] if f["id"] == cause) / report["cumulative_ns"]
    return f"{cause} is still there, {left:.3f}" if left > CURED else None


def is_stretched(args, program, path):
    """Whether a second worker makes the work longer: not where the cores share their caches."""
    work = []
    for n in ("1", "2"):
        subprocess.run([os.path.join(args.build, "tptrace"), "record", "-q", "-o", path, "--", program], check=True,
                       env={**os.environ, "OMP_NUM_THREADS": n}, stdout=subprocess.DEVNULL)
        work.append(json.loads(subprocess.run([os.path.join(args.build, "tptrace"), "report", "--json", path],
                                              check=True, capture_output=True).stdout)["work_ns"])
        os.unlink(path)
    print(f"{os.path.basename(program)}: work {work[0]} ns on one worker, {work[1]} ns on two")
    return work[1] > STRETCHED * work[0]


def try_out(args, name, compiler, fixed, path):
    """What is wrong, if it is not the machine; None if nothing is."""
    cause, place = PROGRAMS[name]
    program = compile_program(args.build, name, compiler, fixed)
    disturbed = 0
    for attempt in range(ATTEMPTS):
        report, others = record(os.path.join(args.build, "tptrace"), program, path)
        wrong = wrong_fixed(report, cause) if fixed else wrong_sick(report, cause, place)
        if not wrong:
            return None
        disturbed += others > QUIET
        if attempt + 1 - disturbed >= 3:
            if cause != "stretch" or fixed or is_stretched(args, program, path):
                return wrong
            print(f"skip {name}, {compiler}: two workers do not stretch the work here; {wrong}")
            return None
    print(f"skip {name}, {compiler}{', fixed' if fixed else ''}: others always used the cores; {wrong}")
    return None


def results(args, folder):
    for name in (name for name in PROGRAMS if args.only in name):
        for compiler in filter(shutil.which, compilers_of(name)):
            for fixed in (False, True):
                yield (f"{name}, {compiler}{', fixed' if fixed else ''}",
                       try_out(args, name, compiler, fixed, os.path.join(folder, "run.tpt")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    parser.add_argument("--only", default="", help="programs whose name holds this")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    with tracing.new_folder("tptrace-sick.") as folder:
        return frame.verdict("sick", results(args, folder))


if __name__ == "__main__":
    sys.exit(main())
