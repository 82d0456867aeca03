#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""preloaded.py - which libraries record preloads, and what happens where there is no room for their names."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)


def run(folder, *command, **env):
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120, check=False,
                          env=tracing.environment(**env))


def preloaded(folder, *command, **env):
    """Of a program under record, by those options and whatever comes before it: the names of files."""
    done = run(folder, ARGS.tptrace, "record", *(command or ("--",)), "sh", "-c", "echo $LD_PRELOAD", **env)
    return [os.path.basename(path) for path in done.stdout.strip().split(":")]


def exports(shim):
    """What a library takes the place of, by the golden file of its symbols."""
    path = os.path.join(HERE, "..", "golden", "symbols", f"libtpshim_{shim}.so.txt")
    with open(path, encoding="utf-8") as f:
        return set(f.read().split("exports:\n")[1].split("\ncalls:")[0].split())


@frame.test
def one_library_in_the_place_of_all(folder):
    """It has the functions of all; where one of them is not wanted, each of the others is preloaded."""
    together, single = preloaded(folder), preloaded(folder, "--no-pthread", "--")
    assert together == ["libtptrace.so", "libtpshim_all.so"], together
    assert len(single) == 9 and all(re.fullmatch(r"libtpshim_\w+\.so", name) for name in single), single
    shims = [re.sub(r"libtpshim_|\.so", "", name) for name in single] + ["pthread"]
    assert exports("all") == set().union(*(exports(shim) for shim in shims)), exports("all")


@frame.test
def a_shim_that_is_there_already(folder):
    """Whoever put it into LD_PRELOAD, each function has one wrapper, and others' libraries stay."""
    together, again = ["libtptrace.so", "libtpshim_all.so"], ("sh", "-c", 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"')
    single = preloaded(folder, "--no-pthread", "--")
    shims = run(folder, ARGS.tptrace, "record", "--print-shim").stdout.strip()
    elsewhere = os.path.join(folder, "libtpshim_omp.so")
    for path in (ARGS.shim_omp, os.path.join(ARGS.build, "libtptrace.so")):
        shutil.copy(path, folder)
    for before in (shims, ARGS.shim_omp, elsewhere):
        assert preloaded(folder, LD_PRELOAD=f"{before}:libm.so.6") == [*together, "libm.so.6"], before
        assert preloaded(folder, "--no-pthread", "--", LD_PRELOAD=before) == single, before
        assert preloaded(folder, "--", *again, before) == together, before
    nested, device = ("--", ARGS.tptrace, "record"), os.path.join(ARGS.build, "libtpshim_device.so")
    assert preloaded(folder, *nested, "--no-pthread", "--") == single
    assert preloaded(folder, *nested, "--") == together
    assert preloaded(folder, LD_PRELOAD=device) == [*together, "libtpshim_device.so"]


PAIR = """#include <oneapi/tbb/task_group.h>
int main() { oneapi::tbb::task_group group; for (int i = 0; i < 40; i++) group.run([] {}); group.wait(); }
"""


@frame.test
def two_shims_for_one_runtime(folder):
    """In LD_PRELOAD, by hand: each task is recorded once, and a line says that there are two."""
    program, source = os.path.join(folder, "pair"), os.path.join(folder, "pair.cc")
    with open(source, "w", encoding="utf-8") as f:
        f.write(PAIR)
    if run(folder, "g++", "-O1", source, "-o", program, "-ltbb").returncode:
        return "no oneTBB"
    every, tbb = (os.path.join(ARGS.build, f"libtpshim_{name}.so") for name in ("all", "tbb"))
    for preloads in ((every,), (every, tbb), (tbb, every)):
        done = run(folder, program, LD_PRELOAD=":".join(preloads), TPTRACE_VERBOSE="1")
        assert ("has a shim twice" in done.stderr) == (len(preloads) > 1), (preloads, done)
        assert " events of 41 tasks; " in done.stderr, (preloads, done)
    return None


@frame.test
def an_environment_that_just_fits_alone(folder):
    """What a program starts so runs as it does alone, without ours; record says how many did."""
    program = os.path.join(folder, "full")
    subprocess.run(["gcc", "-O1", "-D_GNU_SOURCE", os.path.join(HERE, "full.c"), "-o", program], check=True)
    plain = run(folder, program)
    if plain.returncode == 77:
        return "no such environment here"
    assert plain.stdout == "".join(f"ran\n{way}: 0\n" for way in range(6)) + "ran\n" * 2 + "0 pages more\n", plain
    apart = os.path.join(folder, "a b")
    os.mkdir(apart)
    for name in ("tptrace", "libtptrace.so", "libtpshim_omp.so", "libtpshim_all.so", "libtpprobe_itt.so"):
        shutil.copy(os.path.join(ARGS.build, name), apart)
    for tptrace, options, env in ((ARGS.tptrace, (), {}), (ARGS.tptrace, ("--annotations",), {}),
                                  (ARGS.tptrace, (), {"ASAN_OPTIONS": "verbosity=0"}), (f"{apart}/tptrace", (), {})):
        done = run(folder, tptrace, "record", *options, "--", program, **env)
        assert (done.stdout, done.returncode) == (plain.stdout, 0), (options, env, done)
        assert "tptrace: 48 of the processes have arguments and an environment that leave no" in done.stderr, done
    return None


if __name__ == "__main__":
    sys.exit(frame.run("preloaded", ARGS))
