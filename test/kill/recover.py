#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""recover.py - what `tptrace recover` makes of ring files, and which of them it removes.

Ring files are in /dev/shm, where others have theirs: so the test runs in a mount namespace with a
/dev/shm of its own.  Where it cannot have one that is said, and nothing is tested.
"""
import fcntl
import glob
import json
import os
import platform
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "port")]
import own_shm  # noqa: E402
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402

FLAT, TREE = 200, 465  # tasks of a round of victim.c: of one creator, and of a tree
SHM = own_shm.SHM
LATE = 60
CHUNKS, CHUNK_SLOTS = 5, 256     # of a worker, with TPTRACE_BUFFER=16K
WORKER_PAGE = 8192 if platform.machine() == "x86_64" else 65536
ROUND = 4 * FLAT + 5 * TREE    # events of one


class Check:
    def __init__(self, options):
        self.build = options.build
        self.tptrace = os.path.join(self.build, "tptrace")
        self.scratch = os.path.join(self.build, "kill", "recover")
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch)
        gomp = next(r for r in runtimes.find(self.build) if r.key == "gomp")
        self.shim = runtimes.shim_of(self.build, gomp)
        self.victim = runtimes.build_program(self.build, gomp, "../kill/victim")
        self.random = random.Random(options.seed)
        self.n = self.failed = 0
        self.what = ""

    def must(self, condition, what):
        self.n += 1
        if not condition:
            self.failed += 1
            print(f"FAIL {self.what}: {what}", flush=True)
        return condition

    def begin(self, what):
        """A new folder, to be in; nothing of earlier tests is there."""
        self.what = what
        for ring in glob.glob(f"{SHM}/*"):
            os.unlink(ring)
        return tempfile.mkdtemp(prefix="r-", dir=self.scratch)

    def run(self, folder, at, how="kill", **more):
        """The victim, to its end: its status, and how many tasks it counted."""
        counter = f"{folder}/counter"
        with open(counter, "wb") as f:
            f.write(bytes(64))
        environment = {**runtimes.clean_environment(), "OMP_NUM_THREADS": "2", "KILL_COUNTER": counter, "KILL_HOW": how,
                       "KILL_AT": str(at), "LD_PRELOAD": self.shim, "TPTRACE_OUTPUT": "v.tpt", "TPTRACE_VERBOSE": "0",
                       **more}
        done = subprocess.run([self.victim], env=environment, cwd=folder, timeout=LATE,
                              capture_output=True, text=True, check=False)
        with open(counter, "rb") as f:
            return done, struct.unpack("Q", f.read(8))[0]

    def recover(self, folder, *arguments):
        done = subprocess.run([self.tptrace, "recover", *arguments], cwd=folder, timeout=LATE,
                              capture_output=True, text=True, check=False)
        for recovered, all_events in re.findall(r"(\d+) events recovered, (\d+) in all", done.stdout):
            self.must(int(recovered) <= int(all_events), f"more than all: {done.stdout}")
        return done

    def report(self, trace):
        """The figures and what --strict says."""
        done = subprocess.run([self.tptrace, "report", "--json", "--strict", trace], timeout=LATE,
                              capture_output=True, text=True, check=False)
        if not self.must(done.returncode in (0, 3), f"report fails: {done.stderr}"):
            return None, 1
        return json.loads(done.stdout), done.returncode

    def dump(self, trace):
        return subprocess.run([self.tptrace, "dump", trace], timeout=LATE, capture_output=True, text=True,
                              check=False).stdout

    @staticmethod
    def rings():
        return sorted(glob.glob(f"{SHM}/tptrace.*"))

    def keep_last(self, at, size, collapse):
        """The newest are there, and what is missing is counted to the event."""
        folder = self.begin(f"keep=last {size}, collapse {collapse}, killed at {at}")
        _, counted = self.run(folder, at, TPTRACE_KEEP="last", TPTRACE_MAX_SIZE=size, TPTRACE_COLLAPSE=collapse)
        self.must(len(self.rings()) == 1, f"ring files: {self.rings()}")
        done = self.recover(folder, *self.rings())
        self.must(done.returncode == 0 and not done.stderr, f"recover says {done}")
        self.must(not self.rings(), "the ring file is still there")
        report, strict = self.report(f"{folder}/v.tpt")
        if not report:
            return
        info = subprocess.run([self.tptrace, "info", f"{folder}/v.tpt"], timeout=LATE, capture_output=True, text=True,
                              check=True).stdout
        memory = re.search(r"^memory_bytes: (\d+)$", info, re.M)
        self.must(memory and int(memory[1]) < 1 << 30, f"memory that nobody had: {memory}")
        match = re.search(r"(\d+) events recovered, (\d+) in all", done.stdout)
        recovered = int(match[1])
        self.must(report["ended"] == "recovered", f"ended: {report['ended']}")
        lost = report["events_lost"]
        all_events = recovered + lost
        # a task is four events: created, and what goes on; begun and ended; of a tree a fifth, its share of waits
        flat = counted // (FLAT + TREE) * FLAT + min(counted % (FLAT + TREE), FLAT)
        events = 5 * counted - flat
        if collapse == "off":
            self.must(.98 * events <= all_events <= 1.02 * events + 200,
                      f"{counted} tasks, {recovered} events and {lost} lost")
        else:   # of each task that is missing all events are
            gone = (counted - report["tasks_begun"]) * events / counted
            self.must(.98 * gone - ROUND <= lost <= 1.02 * gone + ROUND, f"{gone:.0f} events are missing, and {lost} lost")
            self.must(recovered < .8 * (events - lost), f"{recovered} events are there: nothing is collapsed")
            wrong = tracing.untallied(self.dump(f"{folder}/v.tpt"))
            self.must(not wrong, wrong)
        self.must(strict == (3 if lost else 0), f"{lost} lost, and --strict says {strict}")
        if size == "64M":
            self.must(lost == 0 and counted <= report["tasks_begun"] <= counted + 20,
                      f"{lost} lost, {report['tasks_begun']} tasks of {counted}")
        else:
            self.must(lost > 0 and report["tasks_begun"] > 5000, f"{recovered} recovered, {lost} lost of {counted} tasks")

    @staticmethod
    def events_ns(dump):
        """From the first event of any worker to the last, by the clocks as the collector read them.  (The report of a
        cut trace ends with the worker whose last block is the earlier.)"""
        at = [int(units) for units in re.findall(r"^(\d+) w\d+ ", dump, re.M)]
        pair = [tuple(map(int, both)) for both in re.findall(r"^sync (\d+) (\d+)$", dump, re.M)]
        return (max(at) - min(at)) * (pair[1][1] - pair[0][1]) / (pair[1][0] - pair[0][0])

    def spoil(self, ring, n_workers):
        """Overwrites `head` of the first workers; of chunks of 16 KiB in all."""
        with open(ring, "r+b") as f:
            words = memoryview(f.read(8192)).cast("Q")
            at = [i for i, word in enumerate(words) if word == CHUNKS | CHUNK_SLOTS << 32]
            self.must(len(at) == 1, f"the chunks' sizes are at {at}")
            head_bytes, stride = words[at[0] + 2], words[at[0] + 3]
            for i in range(n_workers):
                f.seek(head_bytes + i * stride + WORKER_PAGE)
                f.write(struct.pack("<Q", 1 << 40))

    def unreadable(self):
        """A ring file of which something could not be read is kept, and the trace says so."""
        folder = self.begin("a ring that makes no sense")
        self.run(folder, 40000, TPTRACE_BUFFER="16K")
        ring = self.rings()[0]
        self.spoil(ring, 1)
        done = self.recover(folder, "v.tpt")
        self.must(done.returncode == 1 and "is kept" in done.stderr, f"recover says {done}")
        self.must("does not continue the trace, and is lost (workers: 1 of 2)" in done.stderr, f"recover says {done}")
        self.must(self.rings() == [ring], "the ring file was removed")
        report, strict = self.report(f"{folder}/v.tpt")
        self.must(report and strict == 3, f"--strict says {strict}")
        done = subprocess.run([self.tptrace, "report", f"{folder}/v.tpt"], capture_output=True,
                              text=True, check=False)
        self.must("could not read" in done.stdout, "the report does not say so")
        again = self.recover(folder, ring)
        self.must(again.returncode == 0 and "can be removed" in again.stdout, f"then {again}")
        folder = self.begin("no ring makes sense")
        self.run(folder, 40000, TPTRACE_BUFFER="16K", TPTRACE_COLLAPSE="off")
        written_ns = self.events_ns(self.dump(f"{folder}/v.tpt"))
        self.spoil(self.rings()[0], 2)
        done = self.recover(folder, "v.tpt")
        self.must("(workers: 2 of 2)" in done.stderr, f"recover says {done}")
        report, strict = self.report(f"{folder}/v.tpt")
        self.must(report and strict == 3 and abs(report["elapsed_ns"] / written_ns - 1) < .01,
                  f"the trace has no times: {report and report['elapsed_ns']} of {written_ns:.0f} ns")
        folder = self.begin("a flight recorder that makes no sense")
        self.run(folder, 40000, TPTRACE_KEEP="last")
        ring = self.rings()[0]
        with open(ring, "r+b") as f:
            f.seek(os.path.getsize(ring) - (66 << 20))
            at = f.tell() + f.read(8 << 20).find(b"tptlast\n")
            f.seek(at + 4096 + 200)
            f.write(b"garbage!" * 100)
        done = self.recover(folder, ring)
        self.must(self.rings() == [ring] or done.returncode == 0, f"recover says {done}")
        if self.rings():
            self.must(done.returncode == 1 and "lost" in done.stderr, str(done))

    def empty(self):
        """Files of programs that died before they recorded; those of the living stay."""
        folder = self.begin("empty ring files")
        name = f"{SHM}/tptrace.%d.0123456789abcdef0123456789abcde%d"
        for i, size in enumerate((0, 4096, 70 << 30)):
            with open(name % (4000000 + i, i), "wb") as f:
                f.truncate(size)
            os.chmod(name % (4000000 + i, i), 0o600)
        with open(f"{SHM}/tptrace.notes", "w", encoding="ascii") as f:
            f.write("mine\n")
        os.chmod(f"{SHM}/tptrace.notes", 0o600)
        with open(name % (4000009, 9), "wb") as alive:
            os.chmod(name % (4000009, 9), 0o600)
            fcntl.flock(alive, fcntl.LOCK_EX)
            done = self.recover(folder, "--all", "--dry-run")
            self.must(len(self.rings()) == 5, "--dry-run removes")
            self.must(done.stdout.count("holds nothing") == 3 and "is alive" in done.stdout,
                      f"--dry-run says {done}")
            done = self.recover(folder, "--all")
            self.must(self.rings() == [name % (4000009, 9), f"{SHM}/tptrace.notes"],
                      f"left: {self.rings()}: {done}")
            self.must(done.stdout.count("; removed") == 3, f"it says {done}")
        os.unlink(f"{SHM}/tptrace.notes")
        done = self.recover(folder, "--all")
        self.must(not self.rings() and done.returncode == 0, f"then {done}, {self.rings()}")

    def first_millisecond(self, n):
        """Killed while it begins: whatever is left, --all has an answer to."""
        folder = self.begin("killed in its first milliseconds")
        environment = runtimes.clean_environment()
        environment.update(OMP_NUM_THREADS="2", KILL_COUNTER=f"{folder}/counter", KILL_HOW="none",
                           LD_PRELOAD=self.shim, TPTRACE_OUTPUT="%p.tpt", TPTRACE_VERBOSE="0")
        with open(f"{folder}/counter", "wb") as f:
            f.write(bytes(64))
        left = 0
        for _ in range(n):
            process = subprocess.Popen([self.victim], env=environment, cwd=folder,
                                       stdout=subprocess.DEVNULL)
            until = time.monotonic() + LATE
            if self.random.random() < .7:  # as soon as its ring file is there
                while not glob.glob(f"{SHM}/tptrace.{process.pid}.*") and process.poll() is None and time.monotonic() < until:
                    pass
                time.sleep(self.random.choice([0, 0, .0001, .0005, .002]))
            else:
                time.sleep(self.random.uniform(0, .02))
            process.send_signal(signal.SIGKILL)
            process.wait()
            left += len(glob.glob(f"{SHM}/tptrace.{process.pid}.*"))
        done = self.recover(folder, "--all")
        self.must(left > 0, "no ring file was left at all")
        self.must(done.returncode == 0 and not done.stderr, f"recover says {done.stderr}")
        self.must(not self.rings(), f"left: {self.rings()}")
        for trace in glob.glob(f"{folder}/*.tpt"):
            said = subprocess.run([self.tptrace, "report", "--json", trace], capture_output=True,
                                  text=True, check=False)
            self.must(said.returncode == 0, f"{trace}: {said.stderr}")

    def begun_late(self, folder, **more):
        """Killed before its trace exists: recover creates the trace in the program's directory."""
        self.run(folder, 3, **more)
        self.must(not glob.glob(f"{folder}/*.tpt"), "there is a trace already")

    def places(self):
        """The trace is made where the user finds it."""
        here = self.begin("a trace that was not begun")
        there = f"{here}/there"
        os.mkdir(there)
        self.begun_late(there, TPTRACE_KEEP="last")
        done = self.recover(here, "--all")
        self.must(os.path.exists(f"{there}/v.tpt") and f"{there}/v.tpt: " in done.stdout, str(done))
        self.begun_late(f"{tempfile.mkdtemp(dir=here)}", TPTRACE_KEEP="last")
        gone = f"{here}/gone"
        os.mkdir(gone)
        self.begun_late(gone, TPTRACE_KEEP="last", TPTRACE_OUTPUT=f"{gone}/x/y.tpt")
        shutil.rmtree(gone)
        done = self.recover(here, "--all")
        found = re.findall(r"^(/\S+\.tpt): \d+ events recovered.*cannot be used", done.stdout, re.M)
        self.must(done.returncode == 0 and len(found) == 1 and os.path.dirname(found[0]) == here
                  and os.path.exists(found[0]), f"its folder is gone: {done}")
        self.must(not os.path.exists(gone), "its folder is there again")

    def place_is_refused(self):
        """Where its own place takes no trace, it is made in the working directory; what is there stays."""
        here = self.begin("a place that takes no trace")
        there, small = f"{here}/there", f"{here}/small"
        os.mkdir(there)
        os.mkdir(small)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tptrace", small], check=True)
        places = {"a pipe": (f"{there}/v.tpt", lambda: os.mkfifo(f"{there}/v.tpt")),
                  "a name that is too long": (f"{there}/{'x' * 300}", lambda: None),
                  "a full disk": (f"{small}/v.tpt", lambda: self.fill(f"{small}/file"))}
        for what, (output, spoil) in places.items():
            self.what = what
            _, counted = self.run(here, 20000, TPTRACE_KEEP="last", TPTRACE_OUTPUT=output)
            spoil()
            done = self.recover(here, *self.rings())
            traces = glob.glob(f"{here}/*.tpt")
            self.must(done.returncode == 0 and len(traces) == 1 and not self.rings(), str(done))
            self.must("its own place cannot be used" in done.stdout and traces[0] in done.stdout, str(done))
            for trace in traces:
                report, _ = self.report(trace)
                self.must(report and counted <= report["tasks_begun"], str(done))
                os.unlink(trace)
        self.must(os.listdir(small) == ["file"] and os.listdir(there) == ["v.tpt"], "half a trace is left")
        self.what = "no place at all"
        self.run(here, 20000, TPTRACE_KEEP="last", TPTRACE_OUTPUT=f"{small}/v.tpt")
        done = self.recover(small, *self.rings())
        self.must(done.returncode == 1 and len(self.rings()) == 1 and "working directory" in done.stderr, str(done))
        subprocess.run(["umount", small], check=True)

    @staticmethod
    def fill(path):
        try:
            with open(path, "wb", buffering=0) as f:
                while True:
                    f.write(bytes(4096))
        except OSError:
            pass

    def ring_stays(self):
        """A ring file that cannot be removed is told of, and makes one trace, however often it is recovered."""
        for at, keep, output in ((20000, "last", "v.tpt"), (3, "first", "v.tpt"), (20000, "last", "gone/v.tpt")):
            folder = self.begin(f"{SHM} that cannot be written to; keep={keep}, {output}")
            os.mkdir(f"{folder}/gone")
            self.run(folder, at, TPTRACE_KEEP=keep, TPTRACE_OUTPUT=output)
            begun = keep == "first" and os.path.exists(f"{folder}/{output}")  # where others had the CPU
            if output == "v.tpt":  # a trace of another run
                self.run(folder, 1000, "none", TPTRACE_OUTPUT=output)
            shutil.rmtree(f"{folder}/gone")
            subprocess.run(["mount", "-o", "remount,ro", SHM], check=True)
            there = set(os.listdir(folder))
            done = self.recover(folder, *self.rings())
            made = set(os.listdir(folder)) - there
            self.must(done.returncode == 1 and len(made) == 1 - begun and f"{self.rings()[0]} cannot be removed" in done.stderr
                      and "the file is kept" in done.stderr, str(done))
            for arguments in (self.rings(), ["--all"]):
                done = self.recover(folder, *arguments)
                self.must(done.returncode == 0 and f"{self.rings()[0]} can be removed" in done.stdout, str(done))
            self.must(set(os.listdir(folder)) == there | made, f"more traces: {os.listdir(folder)}")
            subprocess.run(["mount", "-o", "remount,rw", SHM], check=True)

    def looked_at(self):
        """Who only looks at a ring file, as `report` does, is in nobody's way; one who does not end is named."""
        for arguments in ("--all",), ("v.tpt",):
            at, folder = 5000, ""
            while not os.path.exists(f"{folder}/v.tpt"):  # others had the CPU: it died before its trace began
                at, folder = 4 * at, self.begin(f"recover {arguments} while others look")
                self.run(folder, at)
            (ring,) = self.rings()
            with open(ring, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                done = self.recover(folder, "--dry-run", ring)
                self.must("in use" not in done.stdout, str(done))
                done = self.recover(folder, *arguments)
                self.must(done.returncode == 1 and f"{ring}: is being read by another" in done.stderr, str(done))
                threading.Timer(.3, fcntl.flock, (file, fcntl.LOCK_UN)).start()
                done = self.recover(folder, *arguments)
                self.must(done.returncode == 0 and not self.rings(), f"it did not wait: {done}")

    def killed_at_its_end(self):
        """A process that dies when its trace has its end, and its ring file is still there: that goes."""
        source, kills = f"{self.scratch}/kills.c", f"{self.scratch}/kills.so"
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <signal.h>\n#include <string.h>\n#include <unistd.h>\n#include <stdio.h>\n"
                       "int unlink(const char *path)\n{\n"
                       f'\tif (strncmp(path, "{SHM}/tptrace.", 17) == 0)\n\t\traise(SIGKILL);\n'
                       "\treturn remove(path);\n}\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", kills, source], check=True)
        folder = self.begin("killed at its end")
        self.run(folder, 1000, "_exit", LD_PRELOAD=f"{kills}:{self.shim}")
        report, _ = self.report(f"{folder}/v.tpt")
        self.must(report and report["ended"] == "by _exit", f"not at its end: {report and report['ended']}")
        self.must(len(self.rings()) == 1, f"ring files: {self.rings()}")
        done = self.recover(folder, "--all")
        self.must(done.returncode == 0 and "is removed" in done.stdout and not self.rings(), str(done))

    def recovered_marks(self, folder, *arguments, **environment):
        """tasks.c dies; names of the marks in the trace that has its events, and how many are said to be lost."""
        environment = {**runtimes.clean_environment(), "OMP_NUM_THREADS": "2", "LD_PRELOAD": self.shim,
                       "TPTRACE_OUTPUT": "%p.tpt", "TPTRACE_VERBOSE": "0", **environment}
        subprocess.run([os.path.join(os.path.abspath(self.build), "kill", "tasks"), *arguments], env=environment, cwd=folder,
                       timeout=LATE, capture_output=True, check=False)
        done = self.recover(folder, "--all")
        self.must(done.returncode == 0 and not self.rings(), str(done))
        traces = [trace for trace in glob.glob(f"{folder}/*.tpt") if "\nmeta ended recovered\n" in self.dump(trace)]
        if not self.must(len(traces) == 1, f"recovered: {traces}"):
            return None, None
        return re.findall(r"^mark \d+ phase (.*)", self.dump(traces[0]), re.M), self.report(traces[0])[0]["marks_lost"]

    def killer(self):
        """A library that kills whom it is preloaded to before its $KILL_WRITE. write, or change of a trace's name."""
        source, kills = f"{self.scratch}/write.c", f"{self.scratch}/write.so"
        calls = ("write", "(int)a > 2"), ("unlinkat", f'strncmp((char *)b, "{SHM}", {len(SHM)})'), ("renameat2", "1")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <signal.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/syscall.h>\n"
                       "long syscall(long, ...);\nstatic void count(void)\n{\n\tstatic int n;\n"
                       '\tif (getenv("KILL_WRITE") && ++n == atoi(getenv("KILL_WRITE")))\n\t\traise(SIGKILL);\n}\n')
            file.writelines(f"long {name}(long a, long b, long c, long d, long e)\n{{\n\tif ({counts})\n\t\tcount();\n"
                            f"\treturn syscall(SYS_{name}, a, b, c, d, e);\n}}\n" for name, counts in calls)
            file.write("int unlink(const char *path)\n{\n\treturn unlinkat(-100 /* AT_FDCWD */, (long)path, 0, 0, 0);\n}\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", kills, source], check=True)
        return kills

    def dies(self):
        """`recover` is killed at its first write, the next one at a later one ..: the last makes the whole trace."""
        kills = self.killer()
        for at, keep in ((60000, "first"), (3, "first"), (60000, "last"), (3, "last")):
            folder = self.begin(f"recover is killed, and again; keep={keep}, {at} tasks")
            _, counted = self.run(folder, at, TPTRACE_KEEP=keep, TPTRACE_BUFFER="16K", TPTRACE_COLLAPSE="off")
            status, nth = -signal.SIGKILL, 0
            while status == -signal.SIGKILL:
                nth += 1 + (nth // 4 if at > 3 else 0)
                environment = {**os.environ, "LD_PRELOAD": kills, "KILL_WRITE": str(nth)}
                status = subprocess.run([self.tptrace, "recover", "--all"], cwd=folder, capture_output=True,
                                        check=False, env=environment).returncode
                traces = [name for name in os.listdir(folder) if "tpt" in name]  # hidden ones, too
                self.must(len(traces) < 2, f"after {nth} writes: {traces}")
            self.must(nth > 4 and not self.rings() and traces == ["v.tpt"], f"{nth} kills, {traces}")
            for trace in glob.glob(f"{folder}/*.tpt*"):
                report, strict = self.report(trace)
                self.must(strict == 0 and counted <= report["tasks_begun"] <= counted + 20,
                          f"{counted} tasks, {report['tasks_begun']} recovered; --strict says {strict}")

    def marks(self):
        """Each is there once: also those that the collector took and did not write, and those of a forked child."""
        kills = self.killer()
        for nth in range(2, 10):
            folder = self.begin(f"marks of a program killed at its {nth}. write")
            with open(f"{folder}/counter", "wb") as file:
                file.write(bytes(8))
            names, lost = self.recovered_marks(folder, "count", "counter", "50000", LD_PRELOAD=f"{kills}:{self.shim}",
                                               KILL_WRITE=str(nth), TPTRACE_BUFFER="16K")
            self.must(names in (["first"], ["first", "last"]) and lost == 0, f"marks: {names}, {lost} lost")
        for keep in ("first", "last"):
            folder = self.begin(f"marks of a forked child, keep={keep}")
            names, lost = self.recovered_marks(folder, "forked", TPTRACE_KEEP=keep)
            self.must(names == ["first", "last"] and lost == 0, f"marks: {names}, {lost} lost")

    def pool(self):
        """Workers of a pool, which end by _exit() or SIGTERM: report and recover --all find what each left."""
        library = f"{self.scratch}/run.so"
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "-shared", "-fPIC", "-DLIBRARY=run", "-w",
                        os.path.join(HERE, "..", "life", "load.c"), "-o", library], check=True)
        script = ("import ctypes, multiprocessing, sys\n"
                  "library = ctypes.CDLL(sys.argv[1])\n"
                  "def run(_):\n    return library.run()\n"
                  "if __name__ == '__main__':\n"
                  "    with multiprocessing.Pool(2) as pool:\n"
                  "        print(sum(pool.map(run, range(20))))\n")
        folder = self.begin("a pool of Python's")
        with open(f"{folder}/pool.py", "w", encoding="utf-8") as file:
            file.write(script)
        environment = {**runtimes.clean_environment(), "LD_PRELOAD": self.shim, "TPTRACE_VERBOSE": "0"}
        done = subprocess.run([sys.executable, "pool.py", library], env=environment, cwd=folder, timeout=LATE,
                              capture_output=True, text=True, check=False)
        self.must(done.stdout == "1000\n", str(done))
        if self.rings():
            _, said = self.says(folder)
            self.must("`tptrace recover --all`" in said, f"{self.rings()}, and report says {said}")
        done = self.recover(folder, "--all")
        self.must(done.returncode == 0 and not self.rings(), str(done))
        reports = [self.report(trace)[0] for trace in glob.glob(f"{folder}/*.tpt")]
        tasks = sum(kind["tasks"] for report in reports if report for kind in report["kinds"] if kind["what"] == "task")
        self.must(tasks == 1000, f"{tasks} tasks in {len(reports)} traces")

    def by_new_name(self, folder, counted):
        """The trace is moved.tpt now: --all says so, and by that name all of it is there."""
        done = self.recover(folder, "--all")
        self.must(done.returncode == 1 and "by its new name" in done.stderr and self.rings(), str(done))
        done = self.recover(folder, "moved.tpt")
        report, strict = self.report(f"{folder}/moved.tpt")
        self.must(done.returncode == 0 and not self.rings() and strict == 0, str(done))
        self.must(report and counted <= report["tasks_begun"] <= counted + 20, "tasks are missing")

    def another_took_its_name(self):
        """The trace was moved, and another run has its name by now: that says nothing of the ring file."""
        folder = self.begin("a name that another trace has")
        _, counted = self.run(folder, 60000, TPTRACE_BUFFER="16K")
        os.rename(f"{folder}/v.tpt", f"{folder}/moved.tpt")
        self.run(folder, 1000, "none", TPTRACE_BUFFER="16K")
        self.by_new_name(folder, counted)

    def trace_gone(self):
        """Moved: by its new name.  Removed: what would continue it is of no use."""
        folder = self.begin("a trace that was moved")
        _, counted = self.run(folder, 60000, TPTRACE_BUFFER="16K")
        os.rename(f"{folder}/v.tpt", f"{folder}/moved.tpt")
        self.by_new_name(folder, counted)
        folder = self.begin("a trace that was removed")
        self.run(folder, 60000, TPTRACE_BUFFER="16K")
        os.unlink(f"{folder}/v.tpt")
        done = self.recover(folder, *self.rings())
        self.must(done.returncode == 1 and "is gone" in done.stderr and f"remove {self.rings()[0]}" in done.stderr, str(done))
        self.must(not glob.glob(f"{folder}/*.tpt"), "a trace was made of the rest")
        os.unlink(self.rings()[0])

    def no_room(self):
        """A trace that cannot grow: nothing is removed, and it can be tried again."""
        folder = self.begin("no room for the trace")
        _, counted = self.run(folder, 20000, TPTRACE_KEEP="last")

        def limit():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        done = subprocess.run([self.tptrace, "recover", *self.rings()], cwd=folder, text=True,
                              capture_output=True, preexec_fn=limit, check=False)
        self.must(done.returncode == 1 and len(self.rings()) == 1, f"it says {done}")
        self.must(not glob.glob(f"{folder}/*.tpt"), "half a trace is left")
        done = self.recover(folder, *self.rings())
        report, _ = self.report(f"{folder}/v.tpt")
        self.must(done.returncode == 0 and report and counted <= report["tasks_begun"], str(done))

    def says(self, folder, *arguments):
        """What `report` says on stderr of what ended programs left."""
        done = subprocess.run([self.tptrace, "report", *arguments], cwd=folder, timeout=LATE,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def report_tells(self):
        """A report finds what the user's ended programs left, and says what to do; nothing else."""
        for how in ("exit_group", "kill", "term", "segv"):
            folder = self.begin(f"{how}, then report")
            other = tempfile.mkdtemp(prefix="other-", dir=self.scratch)
            barrier = os.path.join(HERE, "..", "golden", "report", "barrier.txt")
            subprocess.run([self.tptrace, "load", barrier, "-o", f"{other}/b.tpt"], check=True)
            _, counted = self.run(folder, 3000, how, TPTRACE_KEEP="last")
            if not self.must(len(self.rings()) == 1, f"ring files: {self.rings()}"):
                continue
            ring = self.rings()[0]
            named = f"(pid {ring.split('.')[1]}) ended and left its events in {SHM}; `tptrace recover --all`"
            status, said = self.says(folder)
            self.must(status == 1 and named in said and "no trace" in said, said)
            status, said = self.says(other)
            self.must(status == 0 and not said, f"of a trace elsewhere: {said}")
            shutil.copy(f"{other}/b.tpt", folder)
            status, said = self.says(folder)
            self.must(status == 0 and named in said and said.count("\n") == 1, f"beside a trace: {said}")
            status, said = self.says(folder, "b.tpt")
            self.must(status == 0 and not said, f"of a trace that is named: {said}")
            os.unlink(f"{other}/b.tpt")
            status, said = self.says(other)
            self.must(status == 1 and named in said, said)
            with open(ring, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                self.must("recover" not in self.says(other)[1], "names a program that lives")
            if os.geteuid() == 0:
                os.chown(ring, 65534, 65534)
                self.must("recover" not in self.says(other)[1], "names another user's")
                os.chown(ring, 0, 0)
            self.recover(folder, "--all")
            report, strict = self.report(f"{folder}/v.tpt")
            self.must(report and strict == 0 and counted <= report["tasks_begun"] <= counted + 20,
                      f"{counted} tasks, {report and report['tasks_begun']} recovered")
            self.must("recover" not in self.says(other)[1], "names what is recovered")

    def in_a_chroot(self):
        """The ring file grows also where the program cannot see it any more."""
        for at, how in ((60000, "kill"), (60000, "none")):
            folder = self.begin(f"a chroot, {how}")
            os.mkdir(f"{folder}/root")
            _, counted = self.run(folder, at, how, TPTRACE_KEEP="last", TPTRACE_COLLAPSE="off", KILL_ROOT=f"{folder}/root")
            self.must(len(self.rings()) == 1, f"ring files: {self.rings()}")
            done = self.recover(folder, *self.rings())
            self.must(done.returncode == 0 and not self.rings(), f"recover says {done}")
            report, strict = self.report(f"{folder}/v.tpt")
            self.must(report and strict == 0 and counted <= report["tasks_begun"] <= counted + 20,
                      f"{counted} tasks, {report and report['tasks_begun']} recovered")

    def shm_is_full(self):
        """Without ring memory the program goes on, and recover reports the right losses."""
        for size, keep in (("9M", "first"), ("9M", "last"), ("300k", "first")):
            folder = self.begin(f"{SHM} of {size}, keep={keep}")
            subprocess.run(["mount", "-o", f"remount,size={size}", SHM], check=True)
            done, counted = self.run(folder, 60000, "none", TPTRACE_KEEP=keep)
            self.must(done.returncode == 0, f"the program: {done}")
            report, strict = self.report(f"{folder}/v.tpt")
            self.must(report and strict == 0 and counted <= report["tasks_begun"] <= counted + 20,
                      f"{counted} tasks; --strict says {strict}")
            self.must(not self.rings(), "a ring file is left")
        subprocess.run(["mount", "-o", "remount,size=1G", SHM], check=True)


def main():
    options = frame.options(__doc__, n=(40, "programs killed as they begin"), seed=random.randrange(10 ** 9))
    own_shm.enter("recover")
    check = Check(options)
    for at, size, collapse in ((100000, "64M", "off"), (400000, "256K", "off"), (800000, "512K", "off"), (300, "64M", "off"),
                               (100000, "64M", "100us"), (6000000, "256K", "100us")):
        check.keep_last(at, size, collapse)
    check.first_millisecond(options.n)
    for test in (check.unreadable, check.empty, check.places, check.place_is_refused, check.ring_stays, check.looked_at,
                 check.killed_at_its_end, check.marks, check.dies, check.pool, check.another_took_its_name,
                 check.trace_gone, check.no_room, check.report_tells, check.in_a_chroot, check.shm_is_full):
        test()
    print(f"recover: {check.n} checks, {check.failed} failed (--seed {options.seed})")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
