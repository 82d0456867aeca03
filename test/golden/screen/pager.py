#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pager.py [--build DIR] [TEST..] - a report on a terminal: through a pager if it is taller, as it is else."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import frame  # noqa: E402

ARGS = frame.arguments(__doc__)
TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../report/barrier.txt")
# Stands for less: says that it was there, how it is set up, and how many lines it got.
PAGER = 'echo "PAGED ${LESS} $(wc -l) lines"'


def on_terminal(*arguments, rows, tool="report", **variables):
    """Exit status, and what the terminal shows, of standard output and standard error."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # newlines as they are
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    names = ("PAGER", "TPTRACE_PAGER", "LESS", "NO_COLOR", "COLUMNS")
    env = {k: v for k, v in os.environ.items() if k not in names} | {"TERM": "xterm"} | variables
    call = [ARGS.tptrace, tool, *arguments]
    with subprocess.Popen(call, stdin=slave, stdout=slave, stderr=slave, env=env) as process:
        os.close(slave)
        shown = b""
        try:
            while chunk := os.read(master, 65536):
                shown += chunk
        except OSError:  # the terminal of Linux ends so
            pass
        os.close(master)
    return process.returncode, shown.decode()


def want(condition, what):
    if not condition:
        raise AssertionError(what)


def plain(**variables):
    return on_terminal(TRACE, rows=200, **variables)[1]


@frame.test
def taller_goes_to_the_pager(_):
    report = plain(PAGER=PAGER)
    lines = report.count("\n")
    want(lines > 10 and "PAGED" not in report, report)
    for rows, paged in ((lines + 1, False), (lines, True), (10, True)):
        status, shown = on_terminal(TRACE, rows=rows, PAGER=PAGER)
        want((status, shown) == (0, f"PAGED FRX {lines} lines\n" if paged else report), f"{rows} rows: {shown}")


@frame.test
def whose_pager(_):
    report = plain()
    own = on_terminal(TRACE, rows=10, PAGER="echo others", TPTRACE_PAGER="echo own")[1]
    want(own == "own\n", own)
    for none in ("", "cat"):
        want(on_terminal(TRACE, rows=10, PAGER=PAGER, TPTRACE_PAGER=none)[1] == report, f"with pager `{none}`")
    dumb = on_terminal(TRACE, rows=10, PAGER=PAGER, TERM="dumb")[1]
    want(dumb.count("\n") == report.count("\n"), f"on a dumb terminal: {dumb}")
    missing = on_terminal(TRACE, rows=10, PAGER="/nowhere/pager 2>/dev/null")
    want(missing == (0, report), f"a pager that is not there: {missing}")


@frame.test
def status_and_messages_stay(_):
    status, shown = on_terminal("/nowhere.tpt", rows=10, PAGER=PAGER)
    want(status == 1 and "tptrace: /nowhere.tpt: " in shown and "PAGED" not in shown, f"{status}: {shown}")
    status, shown = on_terminal(TRACE, "/nowhere.tpt", rows=4, PAGER=PAGER, tool="info")
    said = shown.find("tptrace: /nowhere.tpt: ")
    want(status == 1 and 0 <= shown.find("PAGED") < said and shown.count("PAGED") == 1,
         f"the message is behind what was printed before it: {shown}")
    status, shown = on_terminal(TRACE, TRACE, rows=4, PAGER="exit 3", tool="diff")
    want(status == 0 and shown == "", f"diff, and a pager with a status of its own: {status}: {shown}")


@frame.test
def keys_are_the_pagers(_):
    """Ctrl-C in the pager reaches everybody at the terminal: the command must not leave it alone there."""
    status, shown = on_terminal(TRACE, rows=10, PAGER="trap '' INT; kill -INT $PPID; sleep .1; echo goes on")
    want((status, shown) == (0, "goes on\n"), f"{status}: {shown}")
    piped = subprocess.run([ARGS.tptrace, "report", TRACE], stdout=subprocess.PIPE, check=True, env=os.environ |
                           {"PAGER": "echo PAGED; false"}).stdout
    want(b"PAGED" not in piped, "a pipe is no terminal")


@frame.test
def states_have_colours(_):
    shown = on_terminal(TRACE, rows=200)[1]
    strip = [line for line in shown.split("\n") if line.startswith(("workers", "  "))]
    want(any("\033[32m#" in line for line in strip), shown)
    want(all(line.count("\033[3") == 0 or line.rfind("\033[39m") > line.rfind("\033[32m") for line in strip), shown)
    want("\033[" not in plain(NO_COLOR="1"), "NO_COLOR")


sys.exit(frame.run("pager", ARGS))
