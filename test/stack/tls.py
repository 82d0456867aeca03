#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tls.py - programs with much static thread-local storage, and with an audit library, are recorded as others are.

libc takes that storage out of the stack of each thread, those of the recorder included: the one that compares the
clocks of CPUs, the collector inside, and the successor of a collector outside that was killed.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 120  # for a run of some ms, on a machine that is busy
KIBS = (1, 450, 1024)
TASKS = 103  # 100, two implicit ones, the main one


class Runs:
    def __init__(self, build, folder):
        self.tptrace = os.path.join(os.path.abspath(build), "tptrace")
        self.trace = os.path.join(folder, "tls.tpt")
        self.failed = 0

    def fails(self, what, why):
        print(f"{what}: {why}")
        self.failed += 1

    def report(self):
        done = subprocess.run([self.tptrace, "report", "--json", self.trace], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def record(self, program, options, **env):
        what = " ".join([os.path.basename(program), *options, *env])
        done = subprocess.run([self.tptrace, "record", "--force", "-o", self.trace, *options, "--", program],
                              env=dict(os.environ, **env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=SECONDS, check=False)
        report = self.report() if done.returncode == 0 else None
        if done.returncode != 0 or done.stdout != "4950 1\n":
            self.fails(what, f"ended with {done.returncode}, printed {done.stdout!r}; {done.stderr}")
        elif not report or report["tasks"] != TASKS:
            self.fails(what, f"no trace of {TASKS} tasks: {done.stderr}")

    def succeed(self, program):
        """The collector is killed while the program waits; then it makes more tasks."""
        what = os.path.basename(program) + ", its collector killed"
        with subprocess.Popen([self.tptrace, "record", "--force", "-o", self.trace, "--", program, "waits"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdout.readline()
            collector = collectors_of(run.pid)
            for pid in collector:
                os.kill(pid, signal.SIGKILL)
            out, err = run.communicate(b"\n", timeout=SECONDS)
        report = self.report()
        if run.returncode != 0 or out != b"4950 1\n" or not collector:
            self.fails(what, f"ended with {run.returncode}, printed {out!r}; killed {collector}; {err}")
        elif not report or b"none can be started" in err or b"collecting inside" not in err:
            self.fails(what, f"it has no successor: {err}")


def collectors_of(pid):
    listed = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid=,comm="], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "tptrace" in line]


def main():
    args = frame.options(__doc__)
    gcc = tracing.compilers()[0]
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(args.build, folder)
        auditor = os.path.join(folder, "auditor.so")
        subprocess.run([gcc, "-shared", "-fPIC", "-o", auditor, os.path.join(HERE, "auditor.c")], check=True)
        for kib in KIBS:
            program = os.path.join(folder, f"tls-{kib}")
            subprocess.run([gcc, "-O1", "-fopenmp", f"-DKIB={kib}", "-o", program, os.path.join(HERE, "tls.c")],
                           check=True)
            for options in ([], ["--inside"]):
                runs.record(program, options)
            runs.record(program, [], LD_AUDIT=auditor)
        runs.succeed(program)
        return 1 if runs.failed else 0


if __name__ == "__main__":
    sys.exit(main())
