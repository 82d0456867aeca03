# SPDX-License-Identifier: MIT
"""tracing.py - what the checks of traced programs share: how they are run, and what must hold of any report."""
import contextlib
import fcntl
import glob
import json
import os
import signal
import subprocess
import tempfile

import patience

HEAD_BYTES = 16 << 20  # of a ring file: in these the session and its strings are
PARTS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")


class Wrong(Exception):
    """What a check found."""


def must(condition, what):
    if not condition:
        raise Wrong(what)


def environment(**more):
    """Ours, without what tptrace would hear, but for the clock: all checks run with either."""
    env = {key: value for key, value in os.environ.items()
           if not key.startswith("TPTRACE_") or key == "TPTRACE_CLOCK"}
    env.update((key, str(value)) for key, value in more.items())
    return env


def run(*command, status=0, folder=None, **env):
    """What came of it, whose exit status is that one; None: any."""
    done = patience.run(command, 120, errors="replace", cwd=folder, env=environment(**env))
    assert status in (None, done.returncode), (command, done.returncode, done.stdout, done.stderr)
    return done


def compilers():
    """Names of gcc, an older gcc and clang, and the folder of clang's libomp; each may be missing."""
    return subprocess.check_output([os.path.join(os.path.dirname(__file__), "compilers")], text=True).split()


def untallied(dump):
    """What is wrong with the tallies of a trace, by its text: each collapsed task is tallied, once."""
    said = there = 0
    for line in dump.splitlines():
        words = line.split()
        if words[2:4] == ["collapsed", "tasks"]:
            there += int(words[4])
        elif words[2:3] == ["tally"] and words[4] == "tasks":
            said += int(words[5])
    return "" if said == there else f"{there} tasks are collapsed, and {said} tallied"


def heed_signals():
    """A job in the background, or under nohup, ignores some signals, which what is tested would inherit."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def is_left(ring, folder):
    """Whether the process of a ring file is gone, and had that folder to write or to work in."""
    with open(ring, "rb") as file:
        if os.fsencode(folder) not in file.read(HEAD_BYTES):
            return False  # not locked, either: somebody may be about to recover it
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True


@contextlib.contextmanager
def new_folder(prefix):
    """A temporary folder; ring files of programs that were traced into it are gone with it, and no others."""
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        try:
            yield folder
        finally:
            for ring in glob.glob("/dev/shm/tptrace.*"):
                with contextlib.suppress(OSError):  # it is somebody else's, or its process lives
                    if is_left(ring, folder):
                        os.unlink(ring)


def wrong_sums(report, skewed=False):
    """What is wrong with a report's sums; skewed: workers' clocks may disagree."""
    whole = report["elapsed_ns"] * report["workers"]
    if sum(report[part] for part in PARTS) != whole or report["cumulative_ns"] != whole:
        yield f"the parts are not elapsed x workers = {whole}"
    for rows in ("kinds", "workers_profile"):
        for part in PARTS:
            if sum(row[part] for row in report[rows]) != report[part]:
                yield f"the column {part} of {rows} is not {report[part]}"
    for part in PARTS:
        if sum(state.get(part, 0) for state in report["states"].values()) != report[part]:
            yield f"the column {part} of the states is not {report[part]}"
    # of each finding's part of the loss less than a ns is rounded
    lost = whole - report["work_ns"]
    explained = sum(finding["lost_ns"] - finding["in_work_ns"] for finding in report["findings"])
    if not 0 <= explained + report["not_explained_ns"] - lost <= len(report["findings"]):
        yield f"findings of {explained} and {report['not_explained_ns']} not explained are not the loss, {lost}"
    if sum(report["delay_by_edge"].values()) != report["delay_ns"]:
        yield "the delays by edge are not the delay"
    if sum(report["ready_path"].values()) > report["elapsed_ns"]:
        yield "the ready path is longer than the run"
    if report["clock"]["skew_ns"] and not skewed:
        yield f"an event was before its cause by {report['clock']['skew_ns']} ns"
    if sum(end - begin for begin, end in report["selected"]) != report["elapsed_ns"]:
        yield "what is selected is not what is told of"


def report_of(tptrace, path, *options, status=0, skewed=False):
    """The figures of a trace; they add up."""
    report = json.loads(run(tptrace, "report", "--json", *options, path, status=status).stdout)
    wrong = list(wrong_sums(report, skewed))
    assert not wrong, (wrong, report)
    return report


def explicit(report):
    """Tasks that the program made, but for loops and regions."""
    return sum(kind["tasks"] for kind in report["kinds"] if kind["what"] == "task")
