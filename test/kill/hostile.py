#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py --build DIR [--n N] [--seed S] - ring files that somebody wrote into.

Programs are killed, words of what they leave in /dev/shm are overwritten, the header's more often than
others, and tptrace recover is run on it: it may refuse it with one line, or make a trace of it that report
reads or refuses with one line.  It never crashes, hangs, or takes more than its share of memory.
"""
import argparse
import glob
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time

MEMORY = 4 << 30
VALUES = (0, 1, 2, 0xffffffff, 1 << 32, 1 << 47, (1 << 64) - 1, 0x8000000000000000, 4096, 65536, 0x3fff)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*command, limit=False):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=60,
                          preexec_fn=limited if limit else None)


def killed(build, folder):
    """A killed program's ring file."""
    env = dict(os.environ, LD_PRELOAD=f"{os.path.abspath(build)}/libtpshim_omp.so", TPTRACE_OUTPUT=f"{folder}/t.tpt",
               OMP_NUM_THREADS="2", TPTRACE_BUFFER="64K", TPTRACE_VERBOSE="0")
    process = subprocess.Popen([os.path.abspath(f"{build}/kill/tasks"), "sleep"], env=env, stdout=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(.05)
    process.kill()
    process.wait()
    found = glob.glob(f"/dev/shm/tptrace.{process.pid}.*")
    return found[0] if found else None


def spoil(path, r):
    """Overwrites some words; the file is sparse and huge, so only of where it begins."""
    with open(path, "r+b") as f:
        for _ in range(r.choice((1, 1, 2, 12))):
            near = r.choice((256, 256, 256, 1024, 4096, 1 << 16, 1 << 20, 8 << 20))
            f.seek(r.randrange(2, near // 8) * 8)   # not its magic: that would be seen at once
            f.write(struct.pack("Q", r.choice(VALUES + (r.getrandbits(64), r.getrandbits(16)))))
        if r.random() < .1:
            f.truncate(r.choice((0, 100, 4096, 1 << 20)))


def one(build, seed):
    r = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        ring = killed(build, folder)
        if not ring:
            return "no ring file"
        spoil(ring, r)
        try:
            done = run(f"{build}/tptrace", "recover", ring, limit="asan" not in build)
            if done.returncode not in (0, 1) or len(done.stderr.splitlines()) > 1:
                return f"recover: status {done.returncode}: {done.stderr[-400:]}"
            for trace in glob.glob(f"{folder}/*.tpt"):
                done = run(f"{build}/tptrace", "report", trace)
                if done.returncode not in (0, 1) or (done.returncode and not done.stderr):
                    return f"report: status {done.returncode}: {done.stderr[-400:]}"
        finally:
            if os.path.exists(ring):
                os.unlink(ring)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--n", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    failed = 0
    for seed in range(args.seed, args.seed + args.n):
        wrong = one(args.build, seed)
        if wrong:
            failed += 1
            print(f"seed {seed}: {wrong}")
    print(f"hostile: {args.n - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
