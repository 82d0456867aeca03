#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - starts and stops the recording of real programs, names their phases,
bounds their traces, and looks at what comes out."""
import concurrent.futures
import contextlib
import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
ARGS = frame.arguments(__doc__)
BUILD, TPTRACE, SHIM = ARGS.build, ARGS.tptrace, ARGS.shim_omp
NOTE_EVENTS = 5  # at most, that tell of dropped ones: lost, since, until, next-id, resume
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]


def program(cc="gcc", flags=(), source="program.c"):
    """Compiled as a user would, against the header as it is installed."""
    include = os.path.join(BUILD, "control", "include")
    os.makedirs(include, exist_ok=True)
    header = os.path.join(include, "tptrace.h")
    with open(os.path.join(ROOT, "preload", "tptrace.h")) as f, open(header, "w") as to:
        to.write(f.read())
    out = os.path.join(BUILD, "control", "-".join([cc, *flags, source]).replace("=", ""))
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(os.path.join(HERE, source)):
        subprocess.run([cc, *STRICT, *flags, "-fopenmp", "-I", include,
                        os.path.join(HERE, source), "-o", out], check=True)
    return out


def environment(env):
    return tracing.environment(**dict(env, TPTRACE_VERBOSE="0"))


def traced(command, directory, **env):
    env = environment(dict(env, LD_PRELOAD=SHIM, TPTRACE_OUTPUT=directory + "/t.tpt"))
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def begin(command, directory, **env):
    """A program in the background, once it runs its tasks."""
    env = environment(dict(env, LD_PRELOAD=SHIM, TPTRACE_OUTPUT=directory + "/t.tpt"))
    p = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    assert p.stdout.read(1) == b".", p.stderr.read()
    return p


def end(p):
    p.send_signal(signal.SIGTERM)
    p.communicate(timeout=60)


def rounds(p, n=3):
    """Waits until the program has gone round so often from now on."""
    n += int.from_bytes(fcntl.ioctl(p.stdout, termios.FIONREAD, bytes(4)), sys.byteorder)
    while n > 0:
        got = len(p.stdout.read(n))
        assert got > 0
        n -= got


def tptrace(*args, status=0, **kwargs):
    done = subprocess.run([TPTRACE, *map(str, args)], capture_output=True, text=True, timeout=120,
                          env=environment({}), **kwargs)
    assert done.returncode == status, (args, done.returncode, done.stdout, done.stderr)
    return done


def report(path, *options, status=0):
    return tracing.report_of(TPTRACE, path, *options, status=status)


def explicit(f):
    return sum(k["tasks"] for k in f["kinds"] if k["what"] == "task" and "creation" not in k["name"])


@frame.test
def header_does_nothing_alone(_):
    for cc, flags, source in (("gcc", ("-std=c99", "-D_GNU_SOURCE"), "program.c"),
                              ("gcc", ("-no-pie", "-fno-pie"), "program.c"),
                              ("g++", ("-std=c++11",), "program_cxx.cc")):
        done = subprocess.run([program(cc, flags, source), "2", "10", "middle"],
                              env=environment({}), capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "80\n", ""), done


@frame.test
def phases_and_regions(d):
    for cc, flags, source in (("gcc", ("-no-pie", "-fno-pie"), "program.c"),
                              ("g++", ("-std=c++11",), "program_cxx.cc")):
        at = os.path.join(d, cc)
        os.mkdir(at)
        # a collapsed task that two phases share is split by expectation, not to the ns
        done = traced([program(cc, flags, source), "3", "50", "phases"], at, TPTRACE_COLLAPSE="off")
        assert (done.returncode, done.stdout, done.stderr) == (0, "600\n", ""), done
        whole = report(at + "/t.tpt", "--strict")
        assert explicit(whole) == 600, whole
        names = [p["name"] for p in whole["phases"]]
        assert names == ["before the work", "work", "after"], names
        parts = [report(at + "/t.tpt", "--phase", name) for name in names]
        assert [explicit(p) for p in parts] == [150, 300, 150], [explicit(p) for p in parts]
        for part, row in zip(parts, whole["phases"]):
            for c in ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns"):
                assert part[c] == row[c], (c, part, row)
        assert len(report(at + "/t.tpt", "--region", "tasks")["selected"]) == 9
        both = report(at + "/t.tpt", "--region", "tasks", "--phase", "work")
        assert len(both["selected"]) == 3 and explicit(both) == 300, both
        half = whole["elapsed_ns"] // 2
        first = report(at + "/t.tpt", "--to", f"{half}ns")
        second = report(at + "/t.tpt", "--from", f"{half}ns")
        assert first["work_ns"] + second["work_ns"] == whole["work_ns"]
        assert first["delay_ns"] + second["delay_ns"] == whole["delay_ns"]
        text = tptrace("report", "--by", "phase", at + "/t.tpt").stdout
        assert "before the work" in text and text.count("core-seconds by phase") == 1, text
        assert "no phase `x`" in tptrace("report", "--phase", "x", at + "/t.tpt", status=2).stderr
        assert "no region `x`" in tptrace("report", "--region", "x", at + "/t.tpt", status=2).stderr
        tptrace("report", "--from", "noon", at + "/t.tpt", status=2)


@frame.test
def on_in_the_middle_alone(d):
    done = traced([program(), "5", "100", "middle"], d)
    assert (done.stdout, done.stderr) == ("2000\n", ""), done
    f = report(d + "/t.tpt", "--strict")    # what was not to be recorded is no loss
    assert f["events_lost"] == 0 and f["losses"] == [], f
    assert 990 <= explicit(f) <= 1000, explicit(f)
    assert all(p["work_ns"] == 0 for p in f["phases"] if p["name"] != "work"), f["phases"]
    text = tptrace("report", d + "/t.tpt").stdout
    assert re.search(r"\nrecording was stopped (at|from \S+ \S+ to) the end, as requested\n", text), text
    f = traced([program(), "5", "100", "middle"], d, TPTRACE_START="off", TPTRACE_BUFFER="16K")
    f = report(d + "/t.tpt.1", "--strict")
    assert f["events_lost"] == 0 and 990 <= explicit(f) <= 1000, f


@frame.test
def on_before_a_fork(d):
    """What the parent did was not to be recorded, nor that it is in no task: its child is, all the same."""
    done = traced([program(), "5", "100", "forked"], d)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2000\n", ""), done
    assert os.listdir(d) == ["t.tpt"], os.listdir(d)
    f = report(d + "/t.tpt", "--strict")
    assert f["events_lost"] == 0 and explicit(f) == 1000, f


@frame.test
def never_on(d):
    done = traced([program(), "2", "100", "phases"], d, TPTRACE_START="off")
    assert (done.returncode, done.stdout, done.stderr) == (0, "800\n", ""), done
    assert os.listdir(d) == [], os.listdir(d)
    for verbose in ("0", "1"):
        done = subprocess.run([TPTRACE, "record", "--start=off", "--", program(), "2", "100", "phases"], timeout=120,
                              capture_output=True, text=True, env=environment({}) | {"TPTRACE_VERBOSE": verbose})
        assert (done.returncode, done.stdout) == (0, "800\n"), done
        assert len(done.stderr.splitlines()) == int(verbose), done
        assert verbose == "0" or "--start=off, no task ran" in done.stderr, done


def marks_check(mode, n, outside=False, **env):
    def check(d):
        """Each mark is in the trace, or counted as lost; none of a start or stop is lost."""
        command = [program(source="marks.c"), mode, str(n)]
        if outside:
            done = subprocess.run([TPTRACE, "record", "-q", "-o", d + "/t.tpt", "--", *command], timeout=120,
                                  env=environment(env), capture_output=True, text=True, check=False)
        else:
            done = traced(command, d, **env)
        assert done.returncode == 0, done
        made, starts, stops = map(int, done.stdout.split())
        dump = tptrace("dump", d + "/t.tpt").stdout.splitlines()
        marks = [line.split()[2] for line in dump if line.startswith("mark ")]
        meta = dict(line.split(" ")[1:] for line in dump if line.startswith("meta "))
        lost = int(meta.get("lost_marks", 0))
        assert marks.count("begin") + marks.count("end") + lost == made, (len(marks), lost, made)
        turns = [what for what in marks if what in ("start", "stop")]
        refused = int(meta.get("refused_turns", 0))
        assert len(turns) <= starts + stops and set(turns[::2]) <= {"stop"} and set(turns[1::2]) <= {"start"}
        assert mode != "turns" or len(turns) + refused >= starts + stops, (len(turns), refused, starts, stops)
        whole = report(d + "/t.tpt", "--strict", status=3 if lost or refused else 0)
        assert whole["marks_lost"] == lost and whole["complete"], whole
        text = tptrace("report", d + "/t.tpt").stdout
        assert (f"LOST: {lost} phases and regions, between " in text) == (lost > 0), text
        assert ("phases and regions were lost" in done.stderr) == (lost > 0), done.stderr
        return lost
    return check


frame.TESTS += [("marks_" + mode + "_outside" * outside, marks_check(mode, n, outside))
                for mode, n in (("flood", 20000), ("turns", 4000), ("handler", 300), ("alone", 20000)) for outside in (False, True)]


@frame.test
def marks_are_lost(d):
    """As many as there are places, and a few for starts and stops, when nobody takes them."""
    assert marks_check("flood", 200000, TPTRACE_OVERFLOW="drop")(d) > 0


@frame.test
def by_pid(d):
    p = begin([program(), "2", "100", "forever"], d, TPTRACE_START="off")
    tptrace("snapshot", p.pid, status=1)
    tptrace("start", p.pid)
    rounds(p, 20)
    assert tptrace("start", p.pid).stdout == f"process {p.pid}: it was recording\n"
    snapshot = tptrace("snapshot", p.pid).stdout.strip()
    first = report(snapshot, "--strict")
    assert explicit(first) >= 1000, first
    tptrace("stop", p.pid)
    assert "was stopped" in tptrace("stop", p.pid).stdout
    rounds(p, 50)
    second = report(tptrace("snapshot", p.pid).stdout.strip(), "--strict")
    assert first["tasks"] < second["tasks"], second
    rounds(p, 50)
    third = report(tptrace("snapshot", p.pid).stdout.strip(), "--strict")
    assert third["tasks"] == second["tasks"], (second["tasks"], third["tasks"])
    tptrace("start", p.pid)
    rounds(p, 20)
    fourth = report(tptrace("snapshot", p.pid).stdout.strip(), "--strict")
    assert fourth["tasks"] > third["tasks"] and fourth["not_recorded"], (third, fourth)
    assert not os.path.islink(snapshot) and os.stat(snapshot).st_uid == os.getuid()
    end(p)


@frame.test
def by_pid_refused(d):
    p = begin([program(), "2", "10", "forever"], d)
    for command in ("start", "stop", "snapshot"):
        assert "not traced" in tptrace(command, os.getpid(), status=1).stderr
        assert "no such process" in tptrace(command, 2 ** 22 + 1, status=1).stderr
        tptrace(command, status=2)
        tptrace(command, "x", status=2)
    if os.getuid() == 0:
        with tempfile.TemporaryDirectory() as where:  # that user may not get to this one
            os.chmod(where, 0o755)
            shutil.copy(TPTRACE, where)
            nobody = subprocess.run([f"{where}/tptrace", "stop", str(p.pid)], text=True, cwd="/", check=False,
                                    capture_output=True, preexec_fn=lambda: os.setuid(65534))
        assert nobody.returncode == 1 and "not yours" in nobody.stderr, nobody
    end(p)
    p = begin([program(), "2", "10", "forever"], d, TPTRACE_CONTROL="off")
    tptrace("stop", p.pid, status=1)
    end(p)


@contextlib.contextmanager
def squatter(*names):
    """Another user's process that listens by these names."""
    ready, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setgid(65534)
        os.setuid(65534)
        held = [socket.socket(socket.AF_UNIX) for _ in names]
        for one, name in zip(held, names):
            one.bind("\0" + name)
            one.listen(1)
        os.write(tell, b".")
        signal.pause()
    try:
        assert os.read(ready, 1) == b"."
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(ready)
        os.close(tell)


@frame.test
def names_are_taken(d):
    """By another user, before the process has its number's: it can be asked all the same; and who is not traced has them said."""
    if os.getuid() != 0:
        print("skip names_are_taken: needs root", flush=True)
        return
    for ways in ([TPTRACE, "record", "-q", "--"], ["env", f"LD_PRELOAD={SHIM}"], [TPTRACE, "record", "-q", "--inside", "--"]):
        script = "echo $$; read line; exec \"$@\""
        with subprocess.Popen([*ways, "sh", "-c", script, "sh", program(), "2", "100", "forever"], bufsize=0, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=environment({"TPTRACE_OUTPUT": d + "/t.tpt"})) as p:
            pid = int(p.stdout.readline())
            with squatter(f"tptrace.{pid}", f"tptrace.{pid}.0123456789abcdef") as other:
                said = tptrace("stop", pid, status=1).stderr
                assert "user 65534 has taken its name" in said and f"process {other}, `" in said, said
                p.stdin.write(b"\n")
                rounds(p, 20)
                assert tptrace("start", pid).stdout == f"process {pid}: it was recording\n"
                assert explicit(report(tptrace("snapshot", pid).stdout.strip(), "--strict")) >= 100
                tptrace("stop", pid)
                os.kill(pid, signal.SIGTERM)
                p.wait(60)


@frame.test
def by_signal(d):
    p = begin([program(), "2", "100", "forever"], d, TPTRACE_START="off",
              TPTRACE_TOGGLE_SIGNAL="USR2", TPTRACE_SNAPSHOT_SIGNAL="SIGUSR1")
    p.send_signal(signal.SIGUSR2)
    rounds(p, 30)
    p.send_signal(signal.SIGUSR1)
    path = d + "/t.snapshot1.tpt"
    for _ in range(1000):
        rounds(p)
        if os.path.exists(path) and b"tptrend" in open(path, "rb").read()[-8:]:
            break
    first = report(path, "--strict")
    assert explicit(first) > 500, first
    p.send_signal(signal.SIGUSR2)
    rounds(p, 60)
    a = report(tptrace("snapshot", p.pid).stdout.strip())
    rounds(p, 60)
    b = report(tptrace("snapshot", p.pid).stdout.strip())
    assert a["tasks"] == b["tasks"] >= first["tasks"], (a, b)
    end(p)


@frame.test
def bounded(d):
    """In full: how much of it could be collapsed would depend on how fast the machine is."""
    for keep, phases, gone in (("first", "before the work", "after"),
                               ("last", "after", "before the work")):
        path = os.path.join(d, keep + ".tpt")
        done = tptrace("record", "--collapse", "off", "--max-size", "300K", "--keep", keep, "-o", path, "--",
                       program(), "2", "250000", "phases")
        assert done.stdout == "2000000\n", done
        assert os.path.getsize(path) <= 300 << 10, os.path.getsize(path)
        f = report(path)
        report(path, "--strict", status=3)
        assert f["events_lost"] > 1000000 and f["complete"], f
        assert {row["why"] for row in f["losses"]} == {"size" if keep == "first" else "old"}, f
        busy = [p["name"] for p in f["phases"] if p["work_ns"]]
        assert phases in busy and gone not in busy, busy
        text = tptrace("report", path).stdout
        losses, figures = text.split("\n\n", 1)[0], "were in tasks"
        assert "LOST" in losses and losses.index("LOST") < losses.index(figures), text
        assert ("maximum size" if keep == "first" else "only the newest") in " ".join(losses.split()), text
        assert "memory_bytes" in tptrace("info", path).stdout
    assert "size limit reached" in done.stderr or keep == "last", done.stderr


@frame.test
def bounded_anywhere(d):
    """Wherever the end of the file cuts a ring, what is before it is whole."""
    def bound(size):
        path = os.path.join(d, f"{size}.tpt")
        tptrace("record", "-q", "--max-size", f"{size}K", "-o", path, "--", program(), "1", "60000", "phases")
        f = report(path)
        assert os.path.getsize(path) <= size << 10 and f["complete"], f
        os.unlink(path)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # each waits most of the time
        list(pool.map(bound, range(260, 460, 5)))


@frame.test
def flight_recorder_on_demand(d):
    p = begin([program(), "2", "20000", "forever"], d, TPTRACE_KEEP="last", TPTRACE_MAX_SIZE="256K", TPTRACE_COLLAPSE="off")
    rounds(p, 30)
    f = report(tptrace("snapshot", p.pid).stdout.strip())
    assert f["complete"] and explicit(f) > 10000, f
    rounds(p, 30)
    g = report(tptrace("snapshot", p.pid).stdout.strip())
    assert g["events_lost"] > f["events_lost"] > 0, (f["events_lost"], g["events_lost"])
    end(p)


def wait_for(path):
    """The collector makes it in its own time, and gives it its name with its header only."""
    for _ in range(200):
        if os.path.exists(path) and tptrace_ended(path):
            return
        time.sleep(.05)
    raise AssertionError(f"there is no {path}")


def tptrace_ended(path):
    with open(path, "rb") as f:
        return f.read()[-8:] == b"tptrend\n"


def begin_outside(directory, *options, **env):
    """The same with the collector outside: the one who records, and the program's PID."""
    p = subprocess.Popen([TPTRACE, "record", "-o", directory + "/t.tpt", *options, "--", program(),
                          "2", "1000", "forever"], env=environment(env), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, bufsize=0)
    assert p.stdout.read(1) == b".", p.stderr.read()
    with open(f"/proc/{p.pid}/task/{p.pid}/children") as f:
        for pid in map(int, f.read().split()):
            if os.readlink(f"/proc/{pid}/exe") == program():
                return p, pid
    raise AssertionError("the program is not there")


@frame.test
def outside(d):
    p, pid = begin_outside(d, "--start=off", "--snapshot-signal=USR1")
    tptrace("start", pid)
    rounds(p, 20)
    tptrace("stop", pid)
    first = report(tptrace("snapshot", pid).stdout.strip(), "--strict")
    rounds(p, 40)
    second = report(tptrace("snapshot", pid).stdout.strip(), "--strict")
    assert explicit(first) > 1000 and first["tasks"] == second["tasks"], (first, second)
    tptrace("start", pid)
    rounds(p, 20)
    os.kill(pid, signal.SIGUSR1)
    rounds(p, 40)
    wait_for(d + "/t.snapshot3.tpt")
    third = report(d + "/t.snapshot3.tpt", "--strict")
    assert third["tasks"] > second["tasks"] and third["not_recorded"], third
    os.kill(pid, signal.SIGKILL)
    p.communicate(timeout=60)
    assert report(d + "/t.tpt", "--strict")["tasks"] > third["tasks"]


@frame.test
def flight_recorder_of_the_killed(d):
    p, pid = begin_outside(d, "--keep=last", "--max-size=256K")
    rounds(p, 200)
    os.kill(pid, signal.SIGKILL)
    p.communicate(timeout=60)
    f = report(d + "/t.tpt")
    assert f["complete"] and explicit(f) > 10000, f
    assert os.path.getsize(d + "/t.tpt") <= 256 << 10


@frame.test
def flight_recorder_collapses(d):
    """Workers do, and their collector, wherever it is; what they collapsed is there by kind.  One worker: what
    it creates and another runs stays as it is."""
    for is_outside in (False, True):
        if is_outside:
            p, pid = begin_outside(d, "--keep=last", "--buffer=16K", OMP_THREAD_LIMIT="1")
        else:
            p = begin([program(), "2", "20000", "forever"], d, TPTRACE_KEEP="last", TPTRACE_BUFFER="16K",
                      OMP_THREAD_LIMIT="1")
            pid = p.pid
        rounds(p, 30)
        path = tptrace("snapshot", pid).stdout.strip()
        f, lines = report(path, "--strict"), tptrace("dump", path).stdout.splitlines()
        collapsed = sum(int(line.split()[4]) for line in lines if line.split()[2:4] == ["collapsed", "tasks"])
        meta = dict(line.split()[1:3] for line in lines if line.startswith("meta ") and len(line.split()) == 3)
        # most of them: all but those at the ends of what was there at once, a chunk of 64 tasks or more
        assert collapsed > explicit(f) / 2 and not tracing.untallied("\n".join(lines)), (collapsed, f)
        # the flight recorder's; of each worker up to five chunks of 4 KiB
        n_chunks = (int(meta["memory_bytes"]) - (64 << 20) + (64 << 10)) / (4 << 10)
        assert int(meta["rings"]) <= n_chunks <= 5 * int(meta["rings"]) and n_chunks % 1 == 0, meta
        os.kill(pid, signal.SIGKILL)
        p.communicate(timeout=60)


@frame.test
def dropped(d):
    done = traced([program(), "1", "100000", "phases"], d, TPTRACE_BUFFER="16K",
                  TPTRACE_OVERFLOW="drop")
    assert done.stdout == "400000\n", done
    f = report(d + "/t.tpt")
    assert f["events_lost"] > 0 and {row["why"] for row in f["losses"]} == {"ring"}, f["events_lost"]
    assert sum(row.get("events", 0) for row in f["losses"]) == f["events_lost"]
    report(d + "/t.tpt", "--strict", status=3)
    back = d + "/back.tpt"
    dump = tptrace("dump", d + "/t.tpt").stdout
    subprocess.run([TPTRACE, "load", "-o", back], input=dump, text=True, check=True)
    assert tptrace("dump", back).stdout == dump
    assert report(back)["losses"] == f["losses"]


@frame.test
def dropped_and_too_old(d):
    """The flight recorder throws away notes of dropped events: it counts these, too.  By one thread, whose events are
    as many each time."""
    command = ["env", "OMP_THREAD_LIMIT=1", program(), "1", "60000", "phases"]

    def n_events(trace):
        return int(re.search(r"(\d+) events of", tptrace("info", trace).stdout)[1])

    traced(command, d, TPTRACE_COLLAPSE="off")
    most, tasks = n_events(d + "/t.tpt"), report(d + "/t.tpt")["tasks"]
    for way in ([], ["--inside"]):
        trace = f"{d}/{len(way)}.tpt"
        said = tptrace("record", *way, "--collapse=off", "--buffer=16K", "--overflow=drop", "--keep=last",
                       "--max-size=256K", "-o", trace, "--", *command).stderr
        f = report(trace)
        dropped = sum(map(int, re.findall(r"(\d+) lost because a ring was full", said)))
        found = n_events(trace) + f["events_lost"]
        assert "old" in {row["why"] for row in f["losses"]}, (way, f["losses"])
        assert most <= found <= most + NOTE_EVENTS * dropped, (way, found, most, dropped)
        there = f["tasks"] + sum(row["count"] for row in f["losses"] if row["what"] == "tasks")
        assert there == tasks, (way, there, tasks)


@frame.test
def bad_values(d):
    for option, value in (("--max-size", "12"), ("--max-size", "big"), ("--keep", "some"),
                          ("--start", "later"), ("--toggle-signal", "KILL"), ("--buffer", "1X"),
                          ("--snapshot-signal", "11"), ("--overflow", "spill"), ("--clock", "sundial")):
        done = tptrace("record", option, value, "--", "true", status=2)
        assert len(done.stderr.splitlines()) == 1 and option in done.stderr, done
    for name in ("BUFFER", "OVERFLOW", "START", "MAX_SIZE", "KEEP", "TOGGLE_SIGNAL",
                 "SNAPSHOT_SIGNAL", "CONTROL", "CLOCK"):
        out = os.path.join(d, name)
        os.mkdir(out)
        done = traced([program(), "1", "10", "phases"], out, **{"TPTRACE_" + name: "nonsense"})
        assert done.returncode == 0 and done.stdout == "40\n", done
        lines = done.stderr.splitlines()
        assert len(lines) == 1 and lines[0].startswith(f"tptrace: TPTRACE_{name}=nonsense: "), done
        assert explicit(report(out + "/t.tpt", "--strict")) == 40


@frame.test
def stand_in(d):
    """Threads that move between workers, stopped and started while they do."""
    source = os.path.join(d, "p.c")
    with open(source, "w") as f:
        f.write('#include <myth/myth.h>\n#include <tptrace.h>\n#include <stdio.h>\n'
                'static void *fib(void *p) { long n = (long)p; void *a, *b; myth_thread_t t;\n'
                ' if (n < 2) return p;\n t = myth_create(fib, (void *)(n - 1));\n'
                ' b = fib((void *)(n - 2)); myth_join(t, &a);\n'
                ' return (void *)((long)a + (long)b); }\n'
                'int main(void) { long r = 0; for (int i = 0; i < 30; i++) {\n'
                ' if (i % 3 == 0) tptrace_stop();\n if (i % 3 == 1) tptrace_start();\n'
                ' r += (long)fib((void *)15L); }\n printf("%ld\\n", r); return 0; }\n')
    out = os.path.join(d, "p")
    runtime = os.path.join(BUILD, "runtime")
    subprocess.run(["gcc", "-O1", source, "-o", out, "-I", os.path.join(BUILD, "control/include"),
                    "-I", os.path.join(ROOT, "test/runtime/myth"), "-L", runtime, "-lmyth",
                    "-Wl,-rpath," + runtime, "-lpthread"], check=True)
    for drop in ("flush", "drop"):
        env = environment({"LD_PRELOAD": os.path.join(BUILD, "libtpshim_mth.so"),
                           "TPTRACE_OUTPUT": os.path.join(d, drop + ".tpt"), "TPTRACE_BUFFER": "16K",
                           "TPTRACE_OVERFLOW": drop, "MYTH_NUM_WORKERS": "3"})
        done = subprocess.run([out], env=env, capture_output=True, text=True, timeout=120)
        assert done.stdout == "18300\n", done
        f = report(os.path.join(d, drop + ".tpt"))
        assert f["not_recorded"] and explicit(f) > (10000 if drop == "flush" else 100), f


if __name__ == "__main__":
    sys.exit(frame.run("control", ARGS))
