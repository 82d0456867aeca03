#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cut_files.py [--build DIR] [--seed S] [--n N] - a trace that was cut is reported up to where it is whole.

Traces of test/golden, random ones, made-up ones of many blocks, and recorded ones (full and collapsed; 1, 2 and 8
workers) are cut at the end of each block and in the middle of some.  Where one block of events is left, the report
has figures that add up, exit status 0 (3 with --strict), says what it covers, and has the more tasks the longer the
file is (but for tasks that get a second id by their name: where that is missing they are two).  Where no such block is
left, one line says so.
"""
import glob
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../lib")]
import frame
from generate import generate
from tracing import environment, wrong_sums

SHAPES = ("fork-join", "flat-loop", "breadth-first")
LENGTHS = 12    # of a recorded trace
HEADER, BLOCK, EVENTS = 32, 64, 1


def blocks(data):
    """The end and the type of each block."""
    at = HEADER
    while data[at:at + 4] == b"TBLK":
        kind, = struct.unpack_from("<H", data, at + 4)
        at += BLOCK + struct.unpack_from("<I", data, at + 8)[0]
        yield at, kind


def lengths(data, rng, most):
    ends = list(blocks(data))
    cuts = [end for end, _ in ends] + [rng.randrange(HEADER, len(data)) for _ in range(2)]
    cuts = [cut for cut in cuts if cut < len(data)]
    first = min(end for end, kind in ends if kind == EVENTS)
    late = [cut for cut in cuts if cut >= first]
    return first, sorted(set(cuts[:1] + [first] + rng.sample(late, min(most, len(late)))))


def wrong_of(build, path, data, cut, first, tasks):
    """What is wrong with the report of the trace cut there; and its number of tasks."""
    with open(path, "wb") as file:
        file.write(data[:cut])
    said = [subprocess.run([f"{build}/tptrace", "report", "--json", *strict, path], capture_output=True, text=True,
                           env=environment(), check=False) for strict in ((), ("--strict",))]
    status = [done.returncode for done in said]
    if cut < first:
        lines = said[0].stderr.splitlines()
        return [] if status == [1, 1] and len(lines) == 1 and not said[0].stdout else [f"{status}, {lines}"], tasks
    if status != [0, 3]:
        return [f"exit status {status}: {said[0].stderr}"], tasks
    report = json.loads(said[0].stdout)
    wrong = list(wrong_sums(report, skewed=True))
    if "the figures cover" not in said[0].stderr or report["complete"]:
        wrong.append(f"says {said[0].stderr!r}, complete: {report['complete']}")
    if report["tasks"] < tasks:
        wrong.append(f"{tasks} tasks are {report['tasks']}")
    return wrong, report["tasks"]


def text_of(loaded):
    with open(loaded.removesuffix(".tpt"), encoding="ascii") as file:
        return file.read()


def check(build, folder, path, seed, most):
    rng = random.Random(seed)
    with open(path, "rb") as file:
        data = file.read()
    if EVENTS not in [kind for _, kind in blocks(data)]:
        return 0, []
    first, cuts = lengths(data, rng, most)
    tasks, bad = 0, []
    named = "random-" in path and " named " in text_of(path)
    for cut in cuts:
        wrong, tasks = wrong_of(build, f"{folder}/cut.{os.path.basename(path)}", data, cut, first, 0 if named else tasks)
        bad += [f"{path}, {cut} of {len(data)} bytes: {line}" for line in wrong]
    return len(cuts), bad


def traces(build, folder, seeds, made):
    for path in sorted(glob.glob(os.path.join(HERE, "../golden/report/*.txt"))):
        yield path
    for seed in seeds:
        with open(f"{folder}/random-{seed}.txt", "w", encoding="ascii") as file:
            file.write(generate(seed))
        yield file.name
    for shape in SHAPES:
        subprocess.run([f"{build}/bench/synth", shape, "60000", f"{folder}/{shape}.tpt"], check=True,
                       stdout=subprocess.DEVNULL)
        yield f"{folder}/{shape}.tpt"
    if made:
        return
    subprocess.run(["gcc", "-O1", "-fopenmp", os.path.join(HERE, "../work/omp/fib.c"), "-o", f"{folder}/fib"], check=True)
    for workers in (1, 2, 8):
        for collapse in ("off", "1ms"):
            path = f"{folder}/{collapse}-{workers}.tpt"
            subprocess.run([f"{build}/tptrace", "record", "--collapse", collapse, "-o", path, "--", f"{folder}/fib", "20"],
                           env=environment(OMP_NUM_THREADS=workers), check=True, capture_output=True)
            yield path


def main():
    args = frame.options(__doc__, seed=random.randrange(2**31), n=(40, "random traces"),
                         made=(False, "record none: a sanitizer's library wants to be the first preloaded"))

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = []
        for path in traces(args.build, folder, range(args.seed, args.seed + args.n), args.made):
            if path.endswith(".txt"):
                loaded = f"{folder}/{os.path.basename(path)}.tpt"
                subprocess.run([args.tptrace, "load", "-o", loaded, path], check=True)
                path = loaded
            paths.append(path)
        done = list(pool.map(lambda path: check(args.build, folder, path, args.seed, LENGTHS), paths))
    bad = [line for _, wrong in done for line in wrong]
    for line in bad:
        print(line)
    print(f"cut files: {sum(n for n, _ in done)} lengths of {len(done)} traces" +
          (f": {len(bad)} are wrong, --seed {args.seed}" if bad else " are reported as far as they go"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
