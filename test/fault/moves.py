#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""moves.py - there is memory for one ring alone: tasks go on on threads that are not recorded.

With runtimes whose tasks move from thread to thread, they come back from there, too.  The program
does what it does without tptrace; the trace is read, and says what is missing.  What tasks of an
unrecorded thread call on a recorded one is not said to be signal handlers'.
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "port"), os.path.join(HERE, "..", "lib")]
import runtimes  # noqa: E402
import frame  # noqa: E402
import patience  # noqa: E402
import tracing  # noqa: E402

ENOMEM = 12
WORKERS = 2
TASKS = ("20", "23", "26")  # fib(20): 21890 tasks; more, if one thread alone had them all
NONE_MISSING = "it does not say that threads were not recorded"


def run(command, env, folder):
    return patience.run(command, 60, env=env, cwd=folder)


def wrong_with(build, runtime, program, argument, wanted):
    """What is not as it should be, or None."""
    tptrace = f"{build}/tptrace"
    with tracing.new_folder("tptrace-moves.") as folder:
        env = runtimes.clean_environment()
        env.update(runtime.environment(WORKERS, folder))
        plain = run([program, argument], env, folder)
        # the first mremap() tries whether there is one at all, the second maps the first ring
        env.update(LD_PRELOAD=f"{build}/fault/libfault.so", TPTRACE_BUFFER="64K",
                   FAULT=f"mremap:3:{ENOMEM}:more")
        traced = run([tptrace, "record", "-q", "-o", "t.tpt", "--", program, argument], env, folder)
        if (plain.stdout, plain.returncode) != (traced.stdout, traced.returncode):
            return f"it was {plain}, and is {traced}"
        found = glob.glob(f"{folder}/t.tpt*")
        if len(found) != 1:
            return f"{len(found)} traces"
        report = run([tptrace, "report", "--strict", found[0]], runtimes.clean_environment(), folder)
        said = report.stderr.splitlines()
        if report.returncode not in (0, 3) or len(said) > 2:
            return f"{report}"
        if not re.search("threads? (was|were) not recorded", report.stdout + report.stderr):
            return f"{NONE_MISSING}: {report}"
        dump = run([tptrace, "dump", found[0]], runtimes.clean_environment(), folder).stdout
        if "meta unrecorded_calls " in dump or wanted not in dump or \
                bool(wanted) and "of tasks that unrecorded threads created" not in report.stdout:
            return f"whose calls are missing: {re.findall('meta un.*', dump)}, {report}"
    return None


def main():
    args = frame.options(__doc__, runtime=list)
    build = args.build
    failed = n = 0
    for runtime in runtimes.find(build):
        if args.runtime and runtime.key not in args.runtime:
            continue
        if runtime.missing or runtime.cannot("fib"):
            print(f"skip moves of {runtime.key}: {runtime.missing or runtime.cannot('fib')}")
            continue
        cases = [(runtimes.build_program(build, runtime, "fib"), TASKS, "")]
        if runtime.key == "gomp":
            cases.append((f"{build}/fault/foreign", ("",), "meta unplaced_calls "))
        for program, arguments, wanted in cases:
            for argument in arguments:
                wrong = wrong_with(build, runtime, program, argument, wanted)
                if not (wrong or "").startswith(NONE_MISSING):
                    break
            n += 1
            failed += wrong is not None
            if wrong:
                print(f"FAIL {runtime.key} {os.path.basename(program)}: {wrong[:1500]}")
    print(f"moves: {n} runs, {failed} wrong")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
