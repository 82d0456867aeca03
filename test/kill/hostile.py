#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py --build DIR [--n N] [--seed S] - rings that somebody wrote into.

Programs are killed, words of what they leave in /dev/shm are overwritten, the header's more often than
others, and tptrace recover is run on it: it may refuse it with one line, or make a trace of it that report
reads or refuses with one line.  It never crashes, hangs, or takes more than its share of memory.

The same is handed to the collector of tptrace record by test/kill/hostile.c, which overwrites more of it
meanwhile.  That neither dies nor hangs, takes the next program in, and makes files nowhere but where record was
told to.
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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402

MEMORY = 4 << 30
VALUES = (0, 1, 2, 0xffffffff, 1 << 32, 1 << 47, (1 << 64) - 1, 0x8000000000000000, 4096, 65536, 0x3fff)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(*command, limit=False, cwd=None, **env):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=60,
                          preexec_fn=limited if limit else None, cwd=cwd, env=dict(os.environ, **env))


def killed(build, folder):
    """A killed program's ring file."""
    env = dict(os.environ, LD_PRELOAD=f"{os.path.abspath(build)}/libtpshim_omp.so",
               TPTRACE_OUTPUT=f"{folder}/t.tpt", OMP_NUM_THREADS="2", TPTRACE_BUFFER="64K", TPTRACE_VERBOSE="0")
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
            done = run(f"{build}/tptrace", "recover", ring, limit="asan" not in build, cwd=folder)
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


def names_in(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def recorded(build, ring, folder, *arguments):
    """A liar under record, and an honest program after it: what is wrong, or None."""
    done = run(f"{build}/tptrace", "record", "-q", "-o", "%e.%p.tpt", "--", "sh", "-c", '"$@" && exec "$0"',
               f"{build}/kill/tasks", f"{build}/kill/hostile", ring, *arguments, cwd=folder, OMP_NUM_THREADS="2")
    if done.returncode != 5 or "collector was killed" in done.stderr:
        return f"record: status {done.returncode}: {done.stderr[-400:]}"
    if not glob.glob(f"{folder}/tasks.*.tpt"):
        return f"record: the next program is not collected: {done.stderr[-400:]}"
    return None


def beside(build, seed):
    """The collector outside, with what is to be overwritten told by the seed."""
    with tempfile.TemporaryDirectory() as folder:
        ring = killed(build, folder)
        os.mkdir(f"{folder}/here")
        try:
            wrong = recorded(build, ring, f"{folder}/here", str(seed))
            for trace in names_in(f"{folder}/here"):
                done = run(f"{build}/tptrace", "report", trace)
                if not wrong and (done.returncode not in (0, 1) or (done.returncode and not done.stderr)):
                    wrong = f"report: status {done.returncode}: {done.stderr[-400:]}"
            return wrong
        finally:
            os.unlink(ring)


def with_events(build, folder):
    """A ring file of which a collector makes a trace: not all that was recorded had been taken of it."""
    for _ in range(20):
        ring, here = killed(build, folder), tempfile.mkdtemp(dir=folder)
        if ring and not recorded(build, ring, here, "0") and len(names_in(here)) == 2:
            return ring
        if ring:
            os.unlink(ring)
    return None


def elsewhere(build):
    """It says where its trace is to be: that does not count."""
    with tempfile.TemporaryDirectory() as folder:
        ring = with_events(build, folder)
        if not ring:
            return "no ring file of 20 has events that are in no trace"
        try:
            for output, where, program in ((f"{folder}/evil.tpt", folder, "p"), ("", folder, "p"),
                                           ("evil.tpt", folder, "p"), ("../evil.tpt", "", "p"),
                                           ("", "", ".."), ("", "", "../p"), ("", "", "")):
                here = tempfile.mkdtemp(dir=folder)
                before = names_in(folder)
                wrong = recorded(build, ring, here, "0", output, where, program)
                new = set(names_in(folder)) - set(before)
                if wrong or len(new) != 2 or not all(path.startswith(here) for path in new):
                    return f"it says {output!r} in {where!r}, {program!r}: {wrong} {new}"
                # the name of a program cannot be the folder above
                os.mkdir(f"{here}/in")
                run(f"{build}/tptrace", "record", "-q", "-o", "in/%e/t.tpt", "--", f"{build}/kill/hostile", ring, "0",
                    output, where, program, cwd=here)
                if set(names_in(folder)) - set(before) != new:
                    return f"{program!r} leads to {set(names_in(folder)) - set(before) - new}"
        finally:
            os.unlink(ring)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--n", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    tests = [(f"seed {seed}", test, (build, seed)) for seed in range(args.seed, args.seed + args.n)
             for test in (one, beside)] + [("elsewhere", elsewhere, (build,))]

    def wrong(test, arguments):
        try:
            return test(*arguments)
        except subprocess.TimeoutExpired as late:
            return f"hangs: {late.cmd}"

    return frame.verdict("hostile", ((f"{test.__name__}, {name}", wrong(test, arguments)) for name, test, arguments in tests))


if __name__ == "__main__":
    sys.exit(main())
