#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""programs.py [--build DIR] [NAME...] - programs that no one here wrote, as Debian packages them.

Each runs twice, by itself and under `tptrace record`, which preloads all shims.  What it prints, the
files that it writes and its exit status must be the same; its trace must add up and have tasks of
the runtime that it uses.  One that is not installed is skipped.
"""
import argparse
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tracing  # noqa: E402

IDEAL = "/usr/share/doc/mathicgb/examples/hyclic8-101-trimmed.ideal"


def picture(path):
    dice = random.Random(1)
    with open(path, "wb") as f:
        f.write(b"P6 320 240 255\n" + dice.randbytes(320 * 240 * 3))


def reads(path):
    """Transcripts, their index, and reads that were drawn from them."""
    draw = random.Random(5)
    folder = os.path.dirname(path)
    genes = ["".join(draw.choices("ACGT", k=draw.randint(500, 1500))) for _ in range(100)]
    with open(f"{folder}/t.fa", "w", encoding="ascii") as file:
        for i, gene in enumerate(genes):
            file.write(f">t{i}\n{gene}\n")
    with open(path, "w", encoding="ascii") as file:
        for i in range(5000):
            gene = draw.choice(genes)
            at = draw.randint(0, len(gene) - 100)
            file.write(f"@r{i}\n{gene[at:at + 100]}\n+\n{'I' * 100}\n")
    subprocess.run(["salmon", "index", "-t", "t.fa", "-i", "index"], cwd=folder, check=True,
                   capture_output=True)


def ideal(path):
    shutil.copy(IDEAL, path)


def sphere(path):
    subprocess.run(["vdb_tool", "-sphere", "-write", path], check=True, capture_output=True)


ANY = r"(?s).*"
NUMBERS = r"[-+]?([0-9][0-9.e+-]*|nan|inf)"

# name: runtime, arguments, input and what makes it, output files, what of the output is a time: then
# only its words are compared, not how often there is a line for each worker
PROGRAMS = {
    "gm": ("libgomp", ["convert", "in.ppm", "-blur", "0x3", "-resize", "150%", "out.ppm"],
           ("in.ppm", picture), ["out.ppm"], None),
    "convert": ("libgomp", ["in.ppm", "-blur", "0x3", "-resize", "150%", "out.ppm"],
                ("in.ppm", picture), ["out.ppm"], None),
    "mgb": ("oneTBB", ["gb", "in", "-reducer", "26", "-threadCount", "4", "-outputResult", "on"],
            ("in.ideal", ideal), ["in.gb"], ANY),
    "embree_tests": ("oneTBB", [], None, [], None),
    "buildbench": ("oneTBB", ["--benchmark", "0", "1", "0", "1", "0"], None, [], NUMBERS),
    "vdb_render": ("oneTBB", ["in.vdb", "out.ppm", "-res", "160x120"], ("in.vdb", sphere),
                   ["out.ppm"], None),
    # the order of its threads moves the last digits of what it writes
    "salmon": ("oneTBB", ["quant", "-i", "index", "-l", "A", "-r", "in.fq", "-p", "2", "-o", "."],
               ("in.fq", reads), [], ANY),
}
STARPU = [
    ["cholesky_implicit", "-size", "640", "-nblocks", "8"],
    ["cholesky_tag", "-size", "640", "-nblocks", "8"],
    ["cholesky_tile_tag", "-size", "640", "-nblocks", "8"],
    ["lu_implicit_example_double", "-size", "320", "-nblocks", "8"],
    ["lu_example_float", "-size", "320", "-nblocks", "8"],
    ["heat"], ["mlr"], ["pipeline"], ["mult"],
    ["dgemm"], ["dot_product"], ["minmax_reduction"], ["callback"], ["prologue"],
    ["fmultiple_submit_implicit"], ["frecursive"], ["f90_example"], ["nf_sched_ctx"],
    ["tag_example", "-iter", "32"], ["tag_example3"], ["tag_restartable"], ["task_end_dep"],
    ["task_end_dep_add"], ["sched_ctx"], ["two_cpu_contexts"], ["vector_scal_spmd"],
    ["sequential_consistency"], ["shadow2d"], ["incrementer_cpp"], ["custom_mf_filter"],
    ["mandelbrot", "-no-x11", "-width", "160", "-height", "80", "-niter", "2", "-nblocks", "8"],
]
PROGRAMS |= {name: ("StarPU", arguments, None, [], NUMBERS) for name, *arguments in STARPU}
FOLDERS = os.pathsep.join([os.environ["PATH"], *glob.glob("/usr/lib/*/starpu/examples")])


def environment(folder):
    return tracing.environment(OMP_NUM_THREADS=2, STARPU_NCPU=3, STARPU_SILENT=1, STARPU_HOME=folder,
                               STARPU_WORKERS_NOBIND=1, LC_ALL="C")


def run(path, program, folder, before):
    """What the program did in a folder of its own: status, output, files."""
    _, arguments, needed, files, times = program
    os.makedirs(folder)
    if needed:
        needed[1](os.path.join(folder, needed[0]))
    done = subprocess.run([*before, path, *arguments], cwd=folder, env=environment(folder), timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    said = sorted(set(re.sub(times, "#", done.stdout).split())) if times else done.stdout
    written = []
    for name in files:
        with open(os.path.join(folder, name), "rb") as f:
            written.append(f.read())
    return done.returncode, said, written


def wrong_with_trace(tptrace, path, runtime):
    try:
        tasks = {r["name"]: r["tasks"] for r in tracing.report_of(tptrace, path)["runtimes"]}
    except AssertionError as wrong:
        return str(wrong)
    return None if tasks.get(runtime) else f"no task of {runtime}: {tasks}"


def check(tptrace, path, program, folder):
    alone = run(path, program, f"{folder}/alone", [])
    traced = run(path, program, f"{folder}/traced",
                 [tptrace, "record", "-q", "-o", f"{folder}/%p.tpt", "--"])
    for what, a, b in zip(("exit status", "output", "a file"), alone, traced):
        if a != b:
            return f"{what} differs: {str(a)[-400:]!r}, traced {str(b)[-400:]!r}"
    traces = [name for name in os.listdir(folder) if name.endswith(".tpt")]
    if len(traces) != 1:
        return f"{len(traces)} traces"
    return wrong_with_trace(tptrace, f"{folder}/{traces[0]}", program[0])


def missing(path, runtime, needed):
    """Why the program cannot be run here, or None."""
    if not path:
        return "is not installed"
    if needed and needed[1] is ideal and not os.path.exists(IDEAL):
        return f"{IDEAL} is not there"
    libraries = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    return "uses classic TBB" if runtime == "oneTBB" and "libtbb.so.2 " in libraries else None


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--build", default=os.path.join(here, "../../build"))
    p.add_argument("name", nargs="*", choices=[[], *PROGRAMS], help="all by default")
    args = p.parse_args()
    tptrace = os.path.abspath(os.path.join(args.build, "tptrace"))
    passed = failed = skipped = 0
    for name in args.name or PROGRAMS:
        path = shutil.which(name, path=FOLDERS)
        why = missing(path, PROGRAMS[name][0], PROGRAMS[name][2])
        if why:
            skipped += 1
            print(f"skip program {name}: {why}")
            continue
        with tempfile.TemporaryDirectory(prefix="tptrace-live.") as folder:
            wrong = check(tptrace, path, PROGRAMS[name], folder)
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        if wrong:
            print(f"FAIL {name}: {wrong}")
    print(f"programs: {passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


sys.exit(main())
