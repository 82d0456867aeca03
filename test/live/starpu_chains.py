#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""starpu_chains.py - starpu_chain.c on StarPU: who must wait for whom is in the trace."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE = ARGS.build, ARGS.tptrace
SHIM = os.path.join(BUILD, "libtpshim_starpu.so")
ENV = {k: v for k, v in os.environ.items() if not re.match("STARPU_|TPTRACE_|LD_PRELOAD", k)}
ENV.update(STARPU_NCPU="3", STARPU_WORKERS_NOBIND="1", STARPU_SILENT="1",
           STARPU_HOME=os.path.join(BUILD, "live", "starpu"))

CHAINS = ["written", "passed_on", "through_nowhere", "declared", "tagged", "called_back",
          "regenerated", "acquired", "held", "synchronous", "waited_for", "unregistered", "ended"]
BY_PROGRAM = ["acquired", "held", "synchronous", "waited_for", "unregistered"]
PIECE_NS = 500000  # at least, as starpu_chain.c has it


def run(command, **env):
    return subprocess.run(command, capture_output=True, env={**ENV, **env}, timeout=60,
                          errors="replace", text=True, stdin=subprocess.DEVNULL)


def figures(path):
    f = tracing.report_of(TPTRACE, path)
    assert f["events_lost"] == 0, f
    return f


def traced(command, path):
    if os.path.exists(path):
        os.unlink(path)
    return run(command, LD_PRELOAD=SHIM, TPTRACE_OUTPUT=path)


def chain(folder, program, reason):
    """No piece of a chain runs beside another, however long each was kept from a core: their work fits
    into the span.  Where the program does a piece, too, between two tasks, so does that."""
    done = traced([program, reason], f"{folder}/chain.tpt")
    assert done.returncode == 0, (done.returncode, done.stderr)
    f = figures(f"{folder}/chain.tpt")
    by_tasks = sum(k["work_ns"] for k in f["kinds"] if k["name"] in ("free", "write", "write and read"))
    assert by_tasks >= 30 * PIECE_NS, f
    if reason == "ended":  # what a task does after it released the end of another is no part of the chain
        by_tasks = 30 * PIECE_NS
    by_program = 30 * PIECE_NS if reason in BY_PROGRAM else 0
    assert by_tasks + by_program <= f["span_ns"], (by_tasks, by_program, f["span_ns"])


def no_chain(folder, program, reason):
    """In any order, the span is the longest piece and what was before; a busy machine may lengthen that."""
    for _ in range(10):
        done = traced([program, reason], f"{folder}/free.tpt")
        assert done.returncode == 0, (done.returncode, done.stderr)
        parallelism = figures(f"{folder}/free.tpt")["parallelism"]
        if parallelism > 1.5:
            return
    assert False, parallelism


def main():
    os.makedirs(ENV["STARPU_HOME"], exist_ok=True)
    n_failed = n_passed = 0
    program = os.path.join(BUILD, "live", "starpu_chain")
    tests = []
    with tempfile.TemporaryDirectory() as folder:
        flags = run(["sh", "-c", "pkg-config --cflags --libs starpu-1.3 || pkg-config --cflags --libs starpu-1.4"])
        if flags.returncode == 0:
            subprocess.run(["cc", "-O2", "-g", "-o", program,
                            os.path.join(HERE, "starpu_chain.c"), *shlex.split(flags.stdout)], check=True)
            tests.append(("no chain", no_chain, (folder, program, "free")))
            for reason in CHAINS:
                tests.append((f"chain {reason}", chain, (folder, program, reason)))
        if not tests:
            print("skip starpu_chains: pkg-config knows no StarPU")
            return 0
        for name, test, arguments in tests:
            try:
                test(*arguments)
                n_passed += 1
            except (AssertionError, subprocess.TimeoutExpired) as e:
                print(f"FAIL {name}: {str(e)[:600]}")
                n_failed += 1
    print(f"starpu_chains: {n_passed} passed, {n_failed} failed")
    return n_failed != 0


sys.exit(main())
