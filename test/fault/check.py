#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - every call that the recorder makes fails once, in turn, and the program never notices.

What the program prints and its exit status must be right each time, in bounded time; a trace that
is left opens, or is refused with one line; what tptrace says is its own lines, and few; and where
it says nothing, nothing is missing.
"""
import concurrent.futures
import glob
import json
import os
import re
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import patience  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.options(__doc__, most=(12, "places of one call and error to try; 0 all"), only=("", "this call alone"))
BUILD = ARGS.build
TPTRACE = os.path.join(BUILD, "tptrace")
FAULT = os.path.join(BUILD, "fault", "libfault.so")
WORK = os.path.join(BUILD, "fault", "work")
SHIM = os.path.join(BUILD, "libtpshim_omp.so")

CALLS = re.findall(r"X\((\w+)\)", open(os.path.join(HERE, "fault.c"), encoding="utf-8").read())
ENOENT, EINTR, EIO, EAGAIN, ENOMEM, EMFILE, EINVAL, EFBIG, ENOSPC, ENOSYS, EPERM, EOPNOTSUPP = (
    2, 4, 5, 11, 12, 24, 22, 27, 28, 38, 1, 95)
ERRORS = {  # of each call; what is not here is a call that tptrace has no reason to make
    "open": (EMFILE, ENOSPC), "openat": (EMFILE,), "write": (ENOSPC, EIO, EINTR, "short", EFBIG),
    "pwrite": (ENOSPC, EIO, EINTR, "short"), "ftruncate": (EIO,), "fallocate": (ENOSPC, EIO, EOPNOTSUPP),
    "posix_fallocate": (ENOSPC,), "mmap": (ENOMEM,), "pthread_create": (EAGAIN,),
    "fopen": (ENOMEM,), "fcntl": (EMFILE,), "fstat": (EIO,),
    "lseek": (EINVAL,), "memfd_create": (ENOSYS,), "readlink": (ENOENT,), "read": (EIO,),
    "futex": (EPERM,), "pthread_key_create": (EAGAIN,), "dlopen": (ENOMEM,),
    "sigprocmask": (EPERM,), "unlink": (EPERM,), "linkat": (ENOSPC, EPERM),
    "mremap": (ENOMEM,), "madvise": (ENOMEM, EINVAL),
}
# These must be made at all, or the library does not reach what it is for.
VITAL = ("open", "write", "mmap", "mremap", "pthread_create", "fstat", "pthread_key_create")
REFUSED = ("futex", 1, EPERM, True)  # by the kernel, which does not count it
HARMLESS = {EINTR, "short", EOPNOTSUPP}  # the trace is whole all the same
# After a failure the trace has its end, and says what it lacks; without memory from then on, too.
WRITING = ("write", "fallocate", "mmap")


# tasks, the events that are missing, and what the tasks are called
WHOLE = (865, 0, {"fib", "main"})


def what_of(figures):
    return figures["tasks"], figures["events_lost"], {kind["name"] for kind in figures["kinds"]}


def is_closed(report):
    figures = json.loads(report.stdout or "{}")
    whole = figures and what_of(figures) == WHOLE and not figures["calls_lost"]  # of a region, whose tasks may be there
    return figures and figures["complete"] and report.returncode == (0 if whole else 3) and bool(figures["losses"]) != whole


def run(folder, fault=None):
    count = f"{folder}/count"
    with open(count, "wb") as out:
        out.truncate(4096)
    env = tracing.environment(LD_PRELOAD=f"{FAULT}:{SHIM}", TPTRACE_OUTPUT=f"{folder}/t.tpt",
                              TPTRACE_BUFFER=16384, TPTRACE_VERBOSE=0, FAULT_COUNT=count)
    if fault:
        env["FAULT"] = fault
    done = patience.run([WORK], 60, env=env)
    data = open(count, "rb").read()
    numbers = struct.unpack_from(f"{2 * len(CALLS)}I", data)
    return done, dict(zip(CALLS, numbers)), dict(zip(CALLS, numbers[len(CALLS):]))


def check(case):
    call, n, how, more = case
    fault = f"{call}:{n}:{'0' if how == 'short' else how}{':more' if more else ''}"
    with tracing.new_folder("tptrace-fault.") as folder:
        try:
            done, _, failed = run(folder, fault)
        except subprocess.TimeoutExpired:
            return fault, "hangs", 0
        said = done.stderr.splitlines()
        if (done.stdout, done.returncode) != ("267 42\n", 7):
            return fault, f"the program: {done}", 0
        if len(said) > 2 or not all(line.startswith("tptrace: ") for line in said):
            return fault, f"says {said}", 0
        for path in glob.glob(f"{folder}/t.tpt*"):
            report = patience.run([TPTRACE, "report", "--json", "--strict", path], 60)
            lines = report.stderr.splitlines()
            if report.returncode not in (0, 1, 3) or len(lines) > 2:
                return fault, f"the trace: {report}", 0
            if report.returncode and not all(line.startswith("tptrace: ") for line in lines):
                return fault, f"the trace: {report}", 0
            figures = json.loads(report.stdout or "{}")
            if not said and not lines and what_of(figures) != WHOLE and not figures["calls_lost"]:
                return fault, f"is silent: {what_of(figures)}", 0
            if how in HARMLESS and not more and report.returncode:
                return fault, f"the trace is not whole: {report.stderr}", 0
            is_empty = more and "nothing is recorded" in done.stderr and "no task was recorded" in report.stderr
            if call in WRITING and (not more or how == ENOMEM) and not (
                    is_closed(report) or is_empty or "events are lost" in report.stderr):
                return fault, f"the trace has no end, or does not say what it lacks: {said}, {report}", 0
        mute = call == "write" and more  # no word gets out
        if not said and not mute and not glob.glob(f"{folder}/t.tpt*"):
            return fault, "there is no trace, and not a word of it", 0
        return fault, None, failed[call]


def places(made):
    """All, or some from the front, where each call is another, and some spread over the rest."""
    if not ARGS.most or made <= ARGS.most:
        return list(range(1, made + 1))
    front = ARGS.most // 2
    step = (made - front) / (ARGS.most - front)
    return sorted({*range(1, front + 1),
                   *(front + round(step * i) for i in range(1, ARGS.most - front + 1))})


def main():
    with tracing.new_folder("tptrace-fault.") as folder:
        done, made, _ = run(folder)
    assert (done.stdout, done.stderr, done.returncode) == ("267 42\n", "", 7), done
    missed = [call for call in VITAL if not made[call]]
    cases = [(call, n, how, more) for call in CALLS if ARGS.only in ("", call)
             for how in ERRORS[call] for n in places(made[call])
             for more in ((False, True) if n == 1 or how in (ENOSPC, ENOMEM) else (False,))
             if not (more and how in HARMLESS)]
    cases += [REFUSED] * (ARGS.only in ("", "futex"))
    hit = 0
    wrong = [f"{call} was never called by tptrace" for call in missed]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for fault, why, failed in pool.map(check, cases):
            hit += failed > 0
            if why:
                wrong.append(f"FAULT={fault}: {why}")
    for line in wrong[:20]:
        print("FAIL", line[:1500])
    if not wrong and hit < len(cases) * 2 // 3:
        wrong.append("")
        print(f"FAIL only {hit} of {len(cases)} runs had their fault")
    print(f"fault: {len(cases)} runs, {hit} with a fault, {len(wrong)} wrong; calls:",
          " ".join(f"{call} {n}" for call, n in made.items() if n))
    return bool(wrong)


sys.exit(main())
