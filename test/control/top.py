#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""top.py [--build DIR] - what `tptrace top` says of real programs while they run."""
import json
import os
import pty
import select
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
ARGS = frame.arguments(__doc__)
BUILD, TPTRACE = ARGS.build, ARGS.tptrace
COMPONENTS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
LOOKS = 600  # on a busy machine a program may take so many seconds to begin


def program(source):
    out = os.path.join(BUILD, "control", f"top-{source}")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-I", os.path.join(ROOT, "preload"), os.path.join(HERE, source),
                    "-o", out], check=True)
    return out


def record(folder, command, *options):
    return subprocess.Popen([TPTRACE, "record", "-q", *options, "-o", os.path.join(folder, "t.tpt"), "--", *command],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=tracing.environment())


def child_of(pid, name):
    """The recorded program, once it runs."""
    while True:
        done = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(pid)], capture_output=True, text=True,
                              check=False)
        for line in done.stdout.splitlines():
            if line.split()[1] == name[:15]:
                return int(line.split()[0])


def top(*arguments, **more):
    return subprocess.run([TPTRACE, "top", *map(str, arguments)], capture_output=True, text=True, check=False,
                          timeout=900, **more)


def looks(pid, until=lambda look: look["state"] == "recording"):
    """The first look for which `until` holds; before its first task a program is not traced."""
    for _ in range(LOOKS):
        with subprocess.Popen([TPTRACE, "top", "--json", "--interval", "200ms", "-n", "5", str(pid)],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as p:
            for line in p.stdout:
                if until(json.loads(line)):
                    p.terminate()
                    return json.loads(line)
    raise AssertionError("it never came to that")


@frame.test
def held(folder):
    """Two tasks run for as long as nobody writes; the others are ready, and no event says so."""
    p = record(folder, [program("held.c"), "7"])
    pid = child_of(p.pid, "top-held.c")
    got = looks(pid, lambda look: look["state"] == "recording" and look["work_ns"] == look["cumulative_ns"] > 0)
    assert got["not_begun"] == 5 and got["ready"] == 5 and got["workers"] == 2, got
    assert got["states"]["running"]["work_ns"] == got["cumulative_ns"], got
    busiest = got["kinds"][0]
    assert busiest["file"].endswith("held.c") and busiest["line"] == 17, busiest
    assert busiest["work_ns"] == got["work_ns"], busiest
    assert p.communicate("xxxxxxx", timeout=120)[0] == "7\n" and p.returncode == 0


@frame.test
def off_and_on(folder):
    p = record(folder, [program("held.c"), "3"], "--start=off")
    pid = child_of(p.pid, "top-held.c")
    got = looks(pid, lambda look: "nothing was recorded yet" in look["why"])
    assert got["state"] == "none", got
    assert p.communicate("xxx", timeout=120)[0] == "3\n"


@frame.test
def as_report_says(folder):
    """Of the same time, of which all is there: what the report says once the program has ended."""
    p = record(folder, [program("program.c"), "2", "20", "forever"])
    pid = child_of(p.pid, "top-program.c")
    looks(pid)
    done = top("--json", "-n", 4, "--interval", "300ms", pid)
    got = [json.loads(line) for line in done.stdout.splitlines()]
    got = [look for look in got if look["state"] == "recording" and look["whole"]]
    os.kill(pid, signal.SIGTERM)
    p.communicate(timeout=120)
    assert got, done
    for look in got:
        assert sum(look[c] for c in COMPONENTS) == look["cumulative_ns"], look
        for c in COMPONENTS:
            assert sum(state.get(c, 0) for state in look["states"].values()) == look[c], (c, look)
        want = tracing.report_of(TPTRACE, os.path.join(folder, "t.tpt"), "--from", f"{look['from_ns']}ns",
                                 "--until", f"{look['until_ns']}ns")
        # the clock's last piece was not known then: some 200 ppm
        assert abs(want["work_ns"] - look["work_ns"]) <= 1000 + want["work_ns"] / 1000, (want["work_ns"], look)
        assert abs(want["cumulative_ns"] - look["cumulative_ns"]) <= 1000, look
        assert want["workers"] == look["workers"], look


@frame.test
def part_of_a_long_run(folder):
    """Of a run of many events only the last are read; what is missing before them is no contradiction."""
    p = record(folder, [program("program.c"), "1", "3000", "forever"], "--collapse", "off")
    pid = child_of(p.pid, "top-program.c")
    got = looks(pid, lambda look: look["state"] == "recording" and not look["whole"])
    os.kill(pid, signal.SIGTERM)
    p.communicate(timeout=120)
    assert sum(got[c] for c in COMPONENTS) == got["cumulative_ns"] == 2 * (got["until_ns"] - got["from_ns"]), got
    assert got["from_ns"] > 0 and got["tasks"] > 0, got


@frame.test
def lines_and_screens(folder):
    p = record(folder, [program("held.c"), "5"])
    pid = child_of(p.pid, "top-held.c")
    looks(pid, lambda look: look["state"] == "recording" and look["work_ns"] == look["cumulative_ns"] > 0)
    for env in ({}, {"TERM": "dumb"}):
        done = top("-n", 2, "--interval", "100ms", pid, env={**os.environ, **env})
        assert done.returncode == 0 and done.stdout.count("\n") == 2 and "\033" not in done.stdout, done
        assert done.stdout.startswith(f"pid {pid} at ") and "ready 3.0" in done.stdout, done
    screen, end = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen([TPTRACE, "top", "-n", "1", str(pid)], stdout=end, env=env) as shown:
        shown.wait(timeout=120)
    os.close(end)
    text = b""
    while select.select([screen], [], [], 0)[0]:
        try:
            text += os.read(screen, 65536)
        except OSError:
            break
    os.close(screen)
    text = text.decode()
    assert text.startswith("\033[H\033[J"), text
    rows = text[len("\033[H\033[J"):].replace("\r\n", "\n").splitlines()
    assert len(rows) < 24 and all(len(row) <= 80 for row in rows), rows
    assert any(row.startswith("work  ") and "#" in row for row in rows), rows
    p.communicate("xxxxx", timeout=120)
    done = top("-n", 5, pid)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done


@frame.test
def refusals(folder):
    p = record(folder, [program("held.c"), "3"], "--keep=last")
    pid = child_of(p.pid, "top-held.c")
    looks(pid, lambda look: "tptrace snapshot" in look["why"])
    p.communicate("xxx", timeout=120)
    for arguments, words, status in (([], "missing PID", 2), (["x"], "invalid PID", 2), (["1", "2"], "one PID", 2),
                                     (["--interval", "1ms", "1"], "100ms or more", 2),
                                     ([os.getpid()], "is not traced", 1)):
        done = top(*arguments)
        assert done.returncode == status and words in done.stderr and not done.stdout, (arguments, done)


if __name__ == "__main__":
    sys.exit(frame.run("top", ARGS))
