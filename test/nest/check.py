#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - the programs test/work/omp/nest_*.c, each N times on each libomp and libgomp: their traces hold as
many explicit tasks, implicit tasks and regions as the programs count themselves, and nothing was lost.

Runs differ in threads, in what libomp keeps of inner teams, in collapsing, and in what else the machine does.
A program that fails untraced in the same environment is the runtime's fault: it is told, and shows nothing.
"""
import collections
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(HERE, "..", "work", "omp")
SECONDS = 60  # for a run of half a second, on a machine that is busy


def directives(source, name):
    with open(source, encoding="utf-8") as file:
        return " ".join(re.findall(rf"^// {name}: *(.*)$", file.read(), re.M)).split()


def built(source, compiler, folder):
    """The program's path, or None where the compiler is missing."""
    program = os.path.join(folder, f"{os.path.basename(source)[:-2]}.{compiler}")
    flags = ["-fopenmp-version=51", "-latomic"] if compiler.startswith("clang") else []
    try:
        subprocess.run([compiler, "-O2", "-g", "-std=gnu11", "-fopenmp", "-o", program, source,
                        *directives(source, "flags"), *flags], check=True)
    except FileNotFoundError:
        return None
    return program


def runtimes(build):
    """(name, compiler, environment, words that a program may refuse) of each runtime here."""
    gcc, older_gcc, clang, libomp = tracing.compilers()
    for compiler in (older_gcc, gcc):
        yield f"libgomp {compiler}", compiler, {}, {"libgomp"}
    for path in (libomp, *sorted(glob.glob(os.path.join(build, "omp[0-9]*/usr/lib/llvm-*/lib")))):
        if not os.path.exists(os.path.join(path, "libomp.so.5")):
            continue
        name = "libomp " + re.search(r"llvm-(\d+)", path)[1]
        env = {"LD_LIBRARY_PATH": path, "KMP_TEAMS_THREAD_LIMIT": 64, "KMP_WARNINGS": 0}
        yield name, clang, env, {"libomp", "clang"}
        yield name + " gcc", gcc, dict(env, LD_PRELOAD=os.path.join(path, "libomp.so.5")), {"libomp", "gcc-on-libomp"}


def run(program, env):
    """(exit status, stdout), the status None if it hung."""
    try:
        done = subprocess.run([program], env=tracing.environment(**env), timeout=SECONDS, text=True,
                              capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout


def counted(text):
    return {name: int(n) for name, n in re.findall(r"^tptrace-(\w+) (\d+)$", text, re.M)}


def wrong(tptrace, trace, want, whole):
    """What the trace says otherwise than the program."""
    done = subprocess.run([tptrace, "report", "--strict", "--json", trace], capture_output=True, text=True,
                          timeout=120, env=tracing.environment(), check=False)
    if done.returncode:
        return f"report --strict: {done.returncode}: {done.stderr.strip()}"
    report = tracing.report_of(tptrace, trace)
    of = collections.Counter()
    for kind in report["kinds"]:
        of[kind["what"]] += kind["tasks"]
    got = {"tasks": of["task"] + of["loop"], "members": of["implicit"]}
    if whole:
        text = subprocess.run([tptrace, "dump", trace], capture_output=True, text=True, timeout=120, check=True,
                              env=tracing.environment()).stdout
        got["regions"] = len(re.findall(r"^\d+ w\d+ fork .*\bteam\b", text, re.M))
    bad = [f"{name} {got[name]}, not {want[name]}" for name in got if name in want and got[name] != want[name]]
    if report["tasks_never_begun"]:
        bad.append(f"{report['tasks_never_begun']} tasks never began")
    return ", ".join(bad)


def one(args, program, base, more, rng):
    """"", what is wrong, or None if the program fails untraced, too."""
    collapse = rng.choice(("off", "on"))
    env = dict(base, **more, OMP_NUM_THREADS=rng.choice((2, 3, 8)))
    if "LD_LIBRARY_PATH" in base and "KMP_HOT_TEAMS_MAX_LEVEL" not in env:
        env.update(KMP_HOT_TEAMS_MAX_LEVEL=rng.choice((1, 2, 3)), KMP_HOT_TEAMS_MODE=rng.choice((0, 1)))
    with tempfile.TemporaryDirectory() as folder:
        shim = os.path.join(args.build, "libtpshim_omp.so")
        traced = dict(env, TPTRACE_OUTPUT=os.path.join(folder, "%p.tpt"),
                      LD_PRELOAD=":".join(filter(None, (shim, env.get("LD_PRELOAD")))))
        if collapse == "off":
            traced["TPTRACE_COLLAPSE"] = "off"
        status, text = run(program, traced)
        if status != 0:
            if any(run(program, env)[0] != 0 for _ in range(8)):
                return None
            return f"exit status {status}, 0 untraced: {traced}"
        said = wrong(args.tptrace, glob.glob(os.path.join(folder, "*.tpt"))[0], counted(text), collapse == "off")
    return said and f"{said}: {traced}"


def main():
    args = frame.options(__doc__, n=100, seed=random.randrange(1 << 30),
                         only=(str, "programs whose name has this in it"))
    rng = random.Random(args.seed)
    print(f"nest: {args.n} runs each, --seed {args.seed}")
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, compiler, base, words in runtimes(args.build):
            for source in sorted(glob.glob(os.path.join(WORK, "nest_*.c"))):
                with open(source, encoding="utf-8") as file:
                    if '#include "' not in file.read() or (args.only and args.only not in source):
                        continue
                if words & set(directives(source, "not-on")):
                    continue
                program = built(source, compiler, folder)
                if not program:
                    continue
                more = dict(word.split("=", 1) for word in directives(source, "env"))
                exact = alone = 0
                for _ in range(args.n):
                    said = one(args, program, base, more, rng)
                    exact += said == ""
                    alone += said is None
                    if said:
                        print(f"FAIL {name}: {os.path.basename(source)}: {said}")
                count.update(runs=args.n, exact=exact, alone=alone)
                print(f"{name:16} {os.path.basename(source):24} {exact} of {args.n} exact"
                      + (f", {alone} fail untraced" if alone else ""), flush=True)
    print(f"{count['exact']} of {count['runs']} exact, {count['alone']} fail untraced")
    return 0 if count["runs"] and count["exact"] + count["alone"] == count["runs"] else 1


if __name__ == "__main__":
    sys.exit(main())
