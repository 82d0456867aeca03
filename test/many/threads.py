#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""threads.py --build DIR [--tptrace CMD] [--seed S] [--few] - tptrace report says the same on any number of threads.

Of all traces of test/golden, of random ones, and of made-up runs of many blocks, whole, cut off anywhere and with
bytes changed: the same figures, the same error lines, the same exit status.
"""
import glob
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("prop", "lib")]
import frame
from generate import generate

THREADS = (1, 2, 5)
SHAPES = ("fork-join", "flat-loop", "breadth-first")
EVENTS = 120_000    # some 15 blocks of several workers
BROKEN = 8          # ways of each shape
RANDOM = 15


def put(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def broken(folder, shape, whole, rng):
    """Cut off, or with some bytes changed behind the header."""
    for i in range(BROKEN):
        data = bytearray(whole)
        if i % 2:
            del data[rng.randrange(40, len(data)):]
        for _ in range(i % 4):
            data[rng.randrange(40, len(data))] ^= rng.randrange(1, 256)
        yield put(folder, f"{shape}-{i}.tpt", data)


def traces(args, folder):
    rng = random.Random(args.seed)
    if not args.few:
        yield from sorted(glob.glob(os.path.join(HERE, "../golden/report/*.txt")))
    yield from sorted(glob.glob(os.path.join(HERE, "../golden/bad/*")))[:4 if args.few else None]
    for seed in range(args.seed, args.seed + (2 if args.few else RANDOM)):
        yield put(folder, f"random-{seed}.txt", generate(seed).encode())
    for shape in SHAPES[:1 if args.few else None]:
        path = os.path.join(folder, f"{shape}.tpt")
        subprocess.run([os.path.join(args.build, "bench/synth"), shape, str(EVENTS), path], check=True,
                       stdout=subprocess.DEVNULL)
        yield path
        with open(path, "rb") as f:
            yield from broken(folder, shape, f.read(), rng)


def report(tptrace, path, threads):
    run = subprocess.run([*tptrace, "report", "--json", "-j", str(threads), path], capture_output=True, check=False)
    return run.returncode, run.stdout, run.stderr


def main():
    args = frame.options(__doc__, seed=random.randrange(2**31), few=(False, "a few traces, for a slow build"))
    tptrace = [args.tptrace]
    status, n, n_bad = {0: 0, 1: 0}, 0, 0

    with tempfile.TemporaryDirectory() as folder:
        for path in traces(args, folder):
            one = report(tptrace, path, THREADS[0])
            status[one[0]] += 1 # and no other status, nor a signal
            n += 1
            for threads in THREADS[1:]:
                more = report(tptrace, path, threads)
                if more != one:
                    n_bad += 1
                    print(f"{path}: -j {threads} says {more[2] or more[1][:200]}, not {one[2] or one[1][:200]}")
    if not status[0] or not status[1]:
        n_bad += 1
        print(f"of {n} traces {status[0]} could be read: too few or too many")
    print(f"check-many: {n} traces say the same on {THREADS} threads" if not n_bad else
          f"check-many: {n_bad} differences, --seed {args.seed}")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
