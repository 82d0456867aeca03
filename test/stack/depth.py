#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""depth.py - how deep nested tasks get: a program that is recorded reaches nearly the depth that it reaches alone.

The deepest chain alone is found by bisection, on a stack of a given size; then the program is recorded at a share of
that depth, with and without locks, and has to print and end as it did.  --table also bisects how deep it gets then.

A call of ours takes 16 bytes of stack, unless it lies aside (shims/common/aside.h): up to 8 % of what a task takes.
"""
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "port")]
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402

STACK_BYTES = 8 << 20  # it begins somewhere in the first 8 KiB
SECONDS = 60  # for a run of some ms, on a machine that is busy
OPENMP = ("PLAIN", "GROUP", "LOOP", "IF0", "FINAL", "LOCK", "DEPEND", "PRIORITY", "DETACH")
ELSE = {"qth": "QTH", "mth": "MTH"}
ONE_WORKER = {"QTHREAD_NUM_SHEPHERDS": "1", "QTHREAD_NUM_WORKERS_PER_SHEPHERD": "1", "MYTH_NUM_WORKERS": "1",
              "QTHREAD_STACK_SIZE": "262144", "MYTH_DEF_STKSIZE": "262144", "OMP_STACKSIZE": "256k"}
SHARE = .95


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
    """To 0.1 %."""
    low, high = 1, 2
    while works(command, high, env):
        low, high = high, high * 2
    while high - low > low // 1000 + 1:
        middle = (low + high) // 2
        low, high = (middle, high) if works(command, middle, env) else (low, middle)
    return low


def sources(build):
    """(compiler's kind, compiler, source, how tasks nest, flags)"""
    gcc, _, clang, libomp = tracing.compilers()
    yield "gcc", gcc, "deep.c", OPENMP, ["-fopenmp"]
    yield "gcc, kept", gcc, "deep.c", ("PLAIN", "LOOP"), ["-fopenmp", "-maccumulate-outgoing-args"]
    yield "gcc, queued", gcc, "deep.c", ("PLAIN", "GROUP"), ["-fopenmp", "-DTHREADS=32"]
    yield "clang", clang, "deep.c", OPENMP[:-1], ["-fopenmp", f"-Wl,-rpath,{libomp}"]
    yield "clang, queued", clang, "deep.c", ("GROUP",), ["-fopenmp", f"-Wl,-rpath,{libomp}", "-DTHREADS=2"]
    yield "g++", gcc.replace("gcc", "g++"), "deep.cc", ("PLAIN", "INVOKE", "FOR"), ["-ltbb"]
    yield "header", gcc, "deep_else.c", ("MARKS",), ["-I" + runtimes.ROOT]
    for runtime in runtimes.find(build):
        if runtime.key in ELSE:
            if runtime.missing:
                print(f"skip stack by {runtime.name}: {runtime.missing}")
            else:
                yield runtime.name, gcc, "deep_else.c", (ELSE[runtime.key],), runtime.flags + runtime.libs


def built(build, folder):
    """(compiler's kind, how tasks nest, program) of each that can be compiled here."""
    for kind, compiler, source, nests, flags in sources(build):
        for nest in nests:
            program = os.path.join(folder, f"{kind}-{nest}")
            try:
                done = subprocess.run([compiler, "-O1", f"-DNEST_{nest}", "-o", program, os.path.join(HERE, source),
                                       *flags], stderr=subprocess.PIPE, check=False)
            except FileNotFoundError:
                done = None
            if done is None or done.returncode != 0:
                print(f"skip stack by {kind}: {compiler} cannot compile {source}")
                break
            yield kind, nest, program


def main():
    args = frame.options(__doc__, table=False)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "KMP_", "TPTRACE_"))} | ONE_WORKER
        record = [os.path.join(args.build, "tptrace"), "record", "--force", "-o", os.path.join(folder, "deep.tpt")]
        for kind, nest, program in built(args.build, folder):
            alone = deepest([program], env)
            text = f"{kind} {nest}: {alone} levels alone"
            for how in ((), ("--no-pthread",)):
                run, least = [*record, *how, program], int(alone * SHARE)
                if args.table:
                    text += f", {(got := deepest(run, env))} recorded, {100 * got / alone:.1f} %"
                if not works(run, least, env):
                    text += f"; FAILS when recorded{' '.join(('', *how))} with {least}"
                    failed += 1
            print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
