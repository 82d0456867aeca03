#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memory.py - a program with many threads in a memory cgroup lives as long as it does untraced.

A group with a limit is made for each run; where none can be made (no root, no memory controller)
that is said, and nothing is tested.  test/kill/victim.c counts its tasks in a file: a trace that
says of no loss has them all, and one that lacks threads says so, and --strict makes that 3.
"""
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("port", "lib")]
import frame  # noqa: E402
import patience  # noqa: E402
import runtimes  # noqa: E402

MIB = 1 << 20
LATE = 120  # s until a program hangs
SLOW = {"omp": 50}  # with more threads than CPUs: so many times fewer tasks


class Version1:
    """The memory controller's own hierarchy."""
    limit, tasks = "memory.limit_in_bytes", "cgroup.procs"

    @staticmethod
    def is_at(words, kind, options):
        return kind == "cgroup" and "memory" in options.split(",") and words

    @staticmethod
    def prepare(point):
        return os.path.exists(f"{point}/memory.limit_in_bytes")

    @staticmethod
    def kills(folder):
        with open(f"{folder}/memory.oom_control", encoding="ascii") as f:
            return next((int(line.split()[1]) for line in f if line.startswith("oom_kill ")), 0)


class Version2(Version1):
    """The one hierarchy of all controllers."""
    limit = "memory.max"

    @staticmethod
    def is_at(words, kind, options):
        return kind == "cgroup2" and words and options

    @staticmethod
    def prepare(point):
        try:
            with open(f"{point}/cgroup.controllers", encoding="ascii") as f:
                if "memory" not in f.read().split():
                    return False
            with open(f"{point}/cgroup.subtree_control", "w", encoding="ascii") as f:
                f.write("+memory")
            return True
        except OSError:
            return False

    @staticmethod
    def kills(folder):
        with open(f"{folder}/memory.events", encoding="ascii") as f:
            return next((int(line.split()[1]) for line in f if line.startswith("oom_kill ")), 0)


def hierarchies():
    with open("/proc/self/mountinfo", encoding="utf-8") as f:
        for line in f:
            head, tail = line.split(" - ", 1)
            kind, _, options = (tail.split() + ["", ""])[:3]
            for version in (Version1, Version2):
                if version.is_at(head, kind, options):
                    yield version, head.split()[4]


class Group:
    """A memory cgroup with a limit; None of it is left behind."""

    def __init__(self, version, point, limit):
        self.version = version
        self.folder = tempfile.mkdtemp(prefix="tptrace-test.", dir=point)
        with open(f"{self.folder}/{version.limit}", "w", encoding="ascii") as f:
            f.write(str(limit))

    def enter(self):
        with open(f"{self.folder}/{self.version.tasks}", "w", encoding="ascii") as f:
            f.write(str(os.getpid()))

    def kills(self):
        return self.version.kills(self.folder)

    def remove(self):
        for _ in range(100):
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(.1)  # who was in it is not gone yet
        return print(f"FAIL {self.folder} cannot be removed")


def usable():
    """Where groups can be made: a version and a folder, or None and why not."""
    why = "no memory cgroup is mounted"
    for version, point in hierarchies():
        if not version.prepare(point):
            continue
        try:
            group = Group(version, point, 64 * MIB)
            process = subprocess.run(["true"], preexec_fn=group.enter, check=False)
            group.remove()
            if process.returncode == 0:
                return version, point, None
        except OSError as error:
            why = f"{error.strerror}: {error.filename}"
        except subprocess.SubprocessError:
            why = "no process may enter a new group"
    return None, None, why


class Run:
    def __init__(self, options, place, runtime, threads, limit, way, collapse, keep="first"):
        self.options, self.place, self.runtime = options, place, runtime
        self.threads, self.limit, self.way = threads, limit, way
        self.collapse, self.keep = collapse, keep
        self.folder = tempfile.mkdtemp(prefix="memory-", dir=options.scratch)
        self.killed = 0

    def __str__(self):
        return (f"{self.runtime.key}: {self.threads} threads in {self.limit} MiB, {self.way}, "
                f"collapse {self.collapse}, keep {self.keep} ({self.folder})")

    def environment(self):
        environment = runtimes.clean_environment()
        environment.update(self.runtime.environment(self.threads, self.folder))
        environment.update(KILL_COUNTER=f"{self.folder}/counter", KILL_HOW="none",
                           KILL_AT=str(self.options.tasks // SLOW.get(self.runtime.key, 1)), TPTRACE_VERBOSE="0",
                           TPTRACE_COLLAPSE=self.collapse, TPTRACE_KEEP=self.keep,
                           TPTRACE_OUTPUT=f"{self.folder}/%p.tpt")
        if self.way == "inside":
            environment["LD_PRELOAD"] = runtimes.shim_of(self.options.build, self.runtime)
        return environment

    def go(self):
        """Its status and what it says."""
        command = [self.options.program[self.runtime.key]]
        if self.way == "record":
            command = [self.options.tptrace, "record", "-q", "--", *command]
        with open(f"{self.folder}/counter", "wb") as f:
            f.write(bytes(64))
        group = Group(*self.place, self.limit * MIB)
        try:
            done = patience.run(command, LATE, self.counted, env=self.environment(), cwd=self.folder,
                                preexec_fn=group.enter)
            self.killed = group.kills()
            return done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            return "it hangs", ""
        finally:
            group.remove()

    def counted(self):
        with open(f"{self.folder}/counter", "rb") as f:
            return struct.unpack("Q", f.read(8))[0]

    def wrong_trace(self, said):
        traces = glob.glob(f"{self.folder}/*.tpt")
        if not traces:
            return None if "nothing is recorded" in said else "there is no trace, and no word of it"
        done = patience.run([self.options.tptrace, "report", "--json", "--strict", traces[0]], LATE)
        if done.returncode not in (0, 3):
            return f"report says {done.returncode}: {done.stderr}"
        report, n = json.loads(done.stdout), self.counted()
        thrown = self.keep == "last" and report["events_lost"]
        most = n + self.threads + 2  # those of the region
        if done.returncode == 0 and not thrown and not n <= report["tasks_begun"] <= most:
            return f"{n} tasks were counted, {report['tasks_begun']} are there, and no word of it"
        if done.returncode == 3 and report["tasks_begun"] > most:
            return f"{n} tasks were counted, and {report['tasks_begun']} are there"
        if report["ended"] != "cleanly":
            return f"ended: {report['ended']}"
        return None

    def wrong(self):
        status, said = self.go()
        if self.killed or status != 0:
            return f"status {status}, {self.killed} killed for memory: {said}"
        return None if self.way == "bare" else self.wrong_trace(said)


def runs(options, place, there):
    """Each runtime bare first, which must do; then traced."""
    cases = [(64, 48, "inside", "100us", "first"), (64, 48, "record", "off", "first"),
             (16, 16, "record", "100us", "first"), (200, 32, "record", "off", "first")]
    if not options.short:
        cases = [(threads, limit, way, collapse, keep)
                 for threads, limit in ((64, 48), (64, 24), (200, 48), (200, 32), (16, 16))
                 for way in ("inside", "record")
                 for collapse, keep in (("100us", "first"), ("off", "first"), ("off", "last"), ("100us", "last"))]
    for runtime in there:
        for threads, limit in sorted({case[:2] for case in cases}):
            if Run(options, place, runtime, threads, limit, "bare", "off").wrong():
                print(f"skip memory of {runtime.key}: {threads} threads do not run in {limit} MiB bare")
                continue
            for case in cases:
                if case[:2] == (threads, limit):
                    yield Run(options, place, runtime, *case)


def main():
    options = frame.options(__doc__, short=False, tasks=300000)
    options.scratch = os.path.join(options.build, "fault", "memory")
    shutil.rmtree(options.scratch, ignore_errors=True)
    os.makedirs(options.scratch)
    version, point, why = usable()
    if not version:
        print(f"skip memory: no cgroup can be made here ({why})")
        return 0
    options.program, there = {}, []
    for runtime in runtimes.find(options.build):
        if runtime.missing or not runtime.nests:
            continue
        options.program[runtime.key] = runtimes.build_program(options.build, runtime,
                                                              "../kill/victim")
        there.append(runtime)
    n = failed = 0
    for run in runs(options, (version, point), there):
        n += 1
        wrong = run.wrong()
        if wrong:
            failed += 1
            print(f"FAIL {run}: {wrong}", flush=True)
        else:
            shutil.rmtree(run.folder)
    print(f"memory: {n} programs in a cgroup of {version.__name__}, {failed} wrong")
    return 1 if failed or not n else 0


if __name__ == "__main__":
    sys.exit(main())
