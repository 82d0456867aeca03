#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""depth.py - how deep nested tasks get: a program that is recorded reaches nearly the depth that it reaches alone.

The deepest chain alone is found by bisection, on a stack of a given size; then the program is recorded at a share of
that depth, and has to print and end as it did.  --table also bisects how deep it gets when it is recorded.

A call takes at least 16 bytes of stack.  What a task of oneTBB's takes is some 500 bytes, and it needs one call of ours
on each side of the runtime: 6 %.  libgomp's needs one, behind the runtime: before it, our call lies where the program's
arguments were, if they are not kept.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tracing  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STACK_BYTES = 2 << 20
SECONDS = 60  # for a run of some ms, on a machine that is busy
OPENMP = ("PLAIN", "GROUP", "LOOP", "IF0", "FINAL", "LOCK")
SHARES = {("g++", "PLAIN"): .92, ("gcc, kept", "PLAIN"): .92}  # else .94


def little_stack():
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (STACK_BYTES, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def works(command, n, env):
    """Whether the chain of n tasks ends as it should."""
    done = subprocess.run([*command, str(n)], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          preexec_fn=little_stack, timeout=SECONDS, check=False)
    return done.returncode == 0 and done.stdout == b"done\n"


def deepest(command, env):
    """To 1 %."""
    low, high = 1, 2
    while works(command, high, env):
        low, high = high, high * 2
    while high - low > low // 100 + 1:
        middle = (low + high) // 2
        low, high = (middle, high) if works(command, middle, env) else (low, middle)
    return low


def built(folder):
    """(compiler's kind, how tasks nest, program) of each that can be compiled here."""
    gcc, _, clang, libomp = tracing.compilers()
    for kind, compiler, source, nests, flags in (
            ("gcc", gcc, "deep.c", OPENMP, ["-fopenmp"]),
            ("gcc, kept", gcc, "deep.c", ("PLAIN", "LOOP"), ["-fopenmp", "-maccumulate-outgoing-args"]),
            ("clang", clang, "deep.c", OPENMP, ["-fopenmp", f"-Wl,-rpath,{libomp}"]),
            ("g++", gcc.replace("gcc", "g++"), "deep.cc", ("PLAIN",), ["-ltbb"])):
        for nest in nests:
            program = os.path.join(folder, f"{kind}-{nest}")
            try:
                done = subprocess.run([compiler, "-O1", f"-DNEST={nest}", "-o", program, os.path.join(HERE, source),
                                       *flags], stderr=subprocess.PIPE, check=False)
            except FileNotFoundError:
                done = None
            if done is None or done.returncode != 0:
                print(f"skip stack by {kind}: {compiler} cannot compile {source}")
                break
            yield kind, nest, program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "KMP_", "TPTRACE_"))}
        record = [os.path.join(os.path.abspath(args.build), "tptrace"), "record", "--force", "-o",
                  os.path.join(folder, "deep.tpt"), "--"]
        for kind, nest, program in built(folder):
            alone = deepest([program], env)
            share = SHARES.get((kind, nest), .94)
            text = f"{kind} {nest}: {alone} levels alone"
            if args.table:
                recorded = deepest([*record, program], env)
                text += f", {recorded} recorded, {100 * recorded / alone:.1f} %"
            if not works([*record, program], int(alone * share), env):
                text += f"; FAILS when recorded with {int(alone * share)}"
                failed += 1
            print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
