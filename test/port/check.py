#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - the same programs on every runtime have the same graph.

Each program of test/port runs under the shim of each runtime that is there, on several numbers of
workers; if asked for, those of test/bench/bots as well.  What it prints, its tasks, the edges that they make and the most tasks on one path have
to be those that the reference counts without any runtime (serial.h); the breakdown has to add up.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import runtimes  # noqa: E402
import tracing  # noqa: E402

WORKERS = (1, 2, 4)
EDGES = ("create", "create_cont", "wait_cont", "join", "depend", "sync")

# What a runtime honestly gives otherwise: runtime, program or None for all of them, what, how much
# it is then, from the reference's counts (None: it depends on the schedule), and the reason.
EXCEPTIONS = (
    ("qth", None, "wait_cont", lambda want: want["wait_each"],
     "a task is waited for by its own return word, so there is a wait for each"),
    ("mth", None, "wait_cont", lambda want: want["wait_each"],
     "a join is for one task"),
    ("cilk", None, "wait_cont", lambda want: want["wait_some"],
     "the compiler makes no call for a sync in a function that has spawned nothing"),
    ("tbb", "wave", "create_cont", lambda want: want["create"] - 1,
     "in a flow graph a task is created when the last it depends on ends, and by that one"),
    ("tbb", "wave", "depend", lambda want: want["depend"] - (want["create"] - 1), "likewise: it has the others'"),
    ("tbb", "wave", "wait_cont", None,
     "who puts a message that may not be the last goes on behind it: of two at once neither may be"),
    ("starpu", "wave", "join", lambda want: 4 * want["create"],
     "to unregister data is to wait for all tasks that used it, which are three a task"),
    ("starpu", "sort", "join", lambda want: 4 * want["create"] - (want["create"] + 2) // 2,
     "likewise; who sorts a piece, which are half of them and one, used the same data twice"),
)


def expected(want, runtime, program, key):
    for who, which, what, how, _ in EXCEPTIONS:
        if who == runtime.key and which in (None, program) and what == key:
            return how and how(want)
    return want.get(key, 0)


def differences(report, want, runtime, program, workers):
    yield from tracing.wrong_sums(report)
    tasks = sum(k["tasks"] for k in report["kinds"] if k["what"] in ("task", "loop"))
    got = {**report["edges"], "tasks": tasks, "span_tasks": report["span_tasks"]}
    want = {**want, "tasks": want["create"]}
    for key in ("tasks", *EDGES, "span_tasks"):
        right = expected(want, runtime, program, key)
        if right is not None and got[key] != right:
            yield f"{key} {got[key]}, should be {right}"
    roots = sum(k["tasks"] for k in report["kinds"] if k["what"] == "root")
    if not report["tasks_begun"] - roots <= report["tasks_ended"] <= report["tasks_begun"]:
        yield f"{report['tasks_begun']} tasks began, {report['tasks_ended']} ended"
    for key in ("tasks_never_begun", "tasks_cancelled", "events_lost"):
        if report[key]:
            yield f"{key} {report[key]}"
    if report["workers"] < workers:
        yield f"{report['workers']} workers of {workers}"


class Check:
    def __init__(self, build, before):
        self.build = os.path.abspath(build)
        self.before = [before] if before else []  # libraries to preload before the shim
        self.scratch = tempfile.TemporaryDirectory(prefix="tptrace-port.")
        self.env = runtimes.clean_environment()

    def run(self, runtime, program, workers):
        """What is wrong, line by line."""
        path = runtimes.build_program(self.build, runtime, program)
        prints, want = runtimes.reference(self.build, program, runtime)
        trace = os.path.join(self.scratch.name, f"{program}-{runtime.key}-{workers}.tpt")
        home = trace + ".home"  # StarPU's: two that start at once must not share one
        os.makedirs(home)
        env = {**self.env, **runtime.environment(workers, home),
               "LD_PRELOAD": ":".join(self.before + [runtimes.shim_of(self.build, runtime)]),
               "TPTRACE_OUTPUT": trace}
        try:
            done = subprocess.run([path, *runtimes.small(program)], env=env, capture_output=True, text=True, timeout=60,
                                  check=False)
        except subprocess.TimeoutExpired:
            yield "does not end"
            return
        if done.returncode or done.stdout.splitlines() != prints:
            yield f"exit status {done.returncode}, prints {done.stdout!r}, should print {prints}"
            yield from done.stderr.splitlines()[:5]
            return
        report = subprocess.run([os.path.join(self.build, "tptrace"), "report", "--json", trace],
                                capture_output=True, text=True, env=self.env, check=False)
        if report.returncode:
            yield f"tptrace report: {report.stderr.strip()}"
            return
        yield from differences(json.loads(report.stdout), want, runtime, program, workers)
        os.unlink(trace)

    def job(self, runtime, program, workers):
        try:
            wrong = list(self.run(runtime, program, workers))
        except (runtimes.Failure, OSError, subprocess.CalledProcessError) as e:
            wrong = [str(e)]
        if wrong:
            print(f"FAIL {program} on {runtime.name}, {workers} workers", flush=True)
            for line in wrong:
                print(f"    {line}", flush=True)
        return not wrong


def check_rebuilt(build):
    """A program is there, and whole, while another check compiles it anew: here, with a compiler that breaks off."""
    serial = runtimes.Runtime(*runtimes.REFERENCE)
    program = runtimes.build_program(build, serial, "fib")
    with open(program, "rb") as file:
        whole = file.read()
    serial.compiler = os.path.join(build, "breaks-off")
    with open(serial.compiler, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho half >"$2"\nexit 1\n')
    os.chmod(serial.compiler, 0o755)
    try:
        runtimes.build_program(build, serial, "fib")
    except runtimes.Failure:
        with open(program, "rb") as file:
            return file.read() == whole
    return False


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build", help="where `make` put everything (build)")
    p.add_argument("--runtime", action="append", metavar="KEY", help="only this one, by key")
    p.add_argument("--program", action="append", choices=runtimes.PROGRAMS + runtimes.BOTS,
                   help="only this one")
    p.add_argument("--workers", type=int, action="append", help="only so many")
    p.add_argument("--preload-before", metavar="LIB", help="a sanitizer's, that must come first")
    args = p.parse_args()
    check = Check(args.build, args.preload_before)
    if not check_rebuilt(check.scratch.name):
        print("FAIL a program that is compiled anew is cut short meanwhile")
        return 1
    n_skipped, jobs, builds = 0, [], []
    for runtime in runtimes.find(check.build):
        if args.runtime and runtime.key not in args.runtime:
            continue
        if runtime.missing:
            print(f"skip port of {runtime.name}: {runtime.missing}")
            n_skipped += 1
            continue
        if runtime.stand_in:
            print(f"skip port of the real {runtime.name}: only its stand-in is here")
        for program in args.program or runtimes.PROGRAMS:
            why = runtime.cannot(program)
            if why:
                print(f"no {program} on {runtime.name}: {why}")
                continue
            builds.append((runtime, program))
            jobs += [(runtime, program, n) for n in args.workers or WORKERS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        built = [(b, pool.submit(prepare, check.build, *b)) for b in builds]
        broken = [b for b, said in built if said.result()]
        passed = list(pool.map(lambda job: check.job(*job),
                               [j for j in jobs if j[:2] not in broken]))
    n_failed = len(broken) + passed.count(False)
    print(f"{passed.count(True)} passed, {n_failed} failed, {n_skipped} runtimes skipped")
    return 1 if n_failed or not passed else 0


def prepare(build, runtime, program):
    """Builds it and its reference; says whether that failed."""
    try:
        runtimes.build_program(build, runtime, program)
        runtimes.reference(build, program, runtime)
    except (runtimes.Failure, OSError, subprocess.CalledProcessError) as e:
        print(f"FAIL {program} on {runtime.name}: {e}", flush=True)
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
