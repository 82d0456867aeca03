#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lost.py - `record` ends although what would wake it is lost: a signal, a question, a child that stands still."""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402
from patience import Patience, descendants, read  # noqa: E402

PATIENCE_S = 40
LONG_S = 10         # on a machine with much else to do; 30 s without the bound
STATUS = 5          # of tasks.c
ORPHANS = 1500      # more than the socket to the collector has room for messages
LEAVE_ORPHANS = """
import os
for _ in range(%d):
    if os.fork() == 0:
        os._exit(os.fork() and 0)
    os.wait()
""" % ORPHANS
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def start(tptrace, folder, command, **env):
    # pylint: disable-next=consider-using-with
    return subprocess.Popen([tptrace, "record", "-q", "-o", "t.tpt", "--", *command], cwd=folder,
                            stdout=subprocess.DEVNULL, env=tracing.environment(**env))


def found(record, name):
    """The first descendant of that name, once it is there."""
    patience = Patience(PATIENCE_S)
    while patience.is_left():
        for pid in descendants(record.pid):
            if read(f"/proc/{pid}/comm").startswith(name):
                return pid
        time.sleep(.002)
    raise ValueError(f"no {name}: {patience}")


def ends(record, status):
    """None, or why it is wrong."""
    patience = Patience(PATIENCE_S)
    while patience.is_left():
        if record.poll() is not None:
            return None if record.returncode == status else f"it returns {record.returncode}"
        time.sleep(.01)
    for pid in [record.pid, *descendants(record.pid)]:
        os.kill(pid, signal.SIGKILL)
    record.wait()
    return f"it hangs: {patience}"


@test
def signal_of_a_child(build, folder):
    """No signal comes when a child ends."""
    deaf = os.path.join(build, "kill", "deaf.so")
    tasks = os.path.join(build, "kill", "tasks")
    return ends(start(os.path.join(build, "tptrace"), folder, [tasks, "once"], LD_PRELOAD=deaf), STATUS)


@test
def question_to_the_collector(build, folder):
    """The collector is stopped until no message to it has room, and the program has ended."""
    record = start(os.path.join(build, "tptrace"), folder, [sys.executable, "-c", LEAVE_ORPHANS])
    collector = found(record, "tptrace-collect")
    os.kill(collector, signal.SIGSTOP)
    patience = Patience(PATIENCE_S)
    while patience.is_left() and descendants(record.pid) != [collector]:
        time.sleep(.05)
    time.sleep(1)
    os.kill(collector, signal.SIGCONT)
    return ends(record, 0)


@test
def names_of_a_trace(build, folder):
    """Whoever looks up the trace's names stands still.  In a build that waits a few seconds for that."""
    record = start(os.path.join(build, "points", "tptrace"), folder, [os.path.join(build, "kill", "tasks"), "once"],
                   POINTS="outside names:begin 1 b", POINTS_FOLDER=folder)
    patience, at = Patience(PATIENCE_S), os.path.join(folder, "at.b")
    while not read(at).endswith("\n"):
        if not patience.is_left():
            return f"nobody looks up names: {patience}"
        time.sleep(.01)
    os.kill(int(read(at)), signal.SIGSTOP)
    return ends(record, STATUS)


@test
def names_that_take_long(build, folder):
    """Names that take for ever are left to the report, and the prompt is back soon."""
    before = time.monotonic()
    record = start(os.path.join(build, "points", "tptrace"), folder, [os.path.join(build, "kill", "tasks"), "once"],
                   POINTS="outside names:begin 1 b", POINTS_FOLDER=folder)
    wrong, took = ends(record, STATUS), time.monotonic() - before
    said = subprocess.check_output([os.path.join(build, "tptrace"), "dump", "t.tpt"], cwd=folder, text=True)
    if not wrong and "\nmeta names later\n" not in said:
        return "the trace does not say that names are left"
    return wrong or (f"it took {took:.1f} s" if took > LONG_S else None)


def main():
    tracing.heed_signals()
    options = frame.options(__doc__, only="")
    build, failed = options.build, 0
    for function in TESTS:
        if options.only in function.__name__:
            with tempfile.TemporaryDirectory(prefix="lost.", dir=os.path.join(build, "kill")) as folder:
                wrong = function(build, folder)
            failed += wrong is not None
            print(f"{'FAIL' if wrong else 'ok'} lost {function.__name__}{': ' + wrong if wrong else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
