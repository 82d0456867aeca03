# SPDX-License-Identifier: MIT
"""room.py - outputs for which there is no room, on the disk or in memory."""
import functools
import os
import re
import resource
import signal
import subprocess

import readers

FOREVER = 120


def no_room(most):
    """For a child: its files end after so many bytes, as on a full disk.  The signal is the command's own concern."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


BYTES_A_TASK = 250  # of a database: 160 to 200, and 600 if each row was stored as it is seen


def full(check, formats):
    """Where a file does not fit, one line says so, by the name that the call gave; nothing is left."""
    path, out = os.path.join(check.folder, "many.tpt"), os.path.join(check.folder, "full")
    os.mkdir(out)
    check.run("record", "-q", "--collapse", "off", "-o", path, "--", os.path.join(check.build, "export/tree-omp"), "17")
    big = os.path.join(check.folder, "big.tpt")  # its tables have more pages than one has children
    check.run("record", "-q", "--collapse", "off", "-o", big, "--", os.path.join(check.build, "export/tree-omp"), "23")
    base = check.export("sqlite", big)[0]
    n_tasks = readers.sqlite(base).execute("SELECT count(*) FROM task").fetchone()[0]
    assert n_tasks > 50_000 and os.path.getsize(base) <= BYTES_A_TASK * n_tasks, (n_tasks, os.path.getsize(base))
    calls = [["export", "--to", to, "-o", os.path.join(out, "x")] for to in formats if to != "folded"]
    calls += [["plot", "--what", "timelines", "-o", os.path.join(out, f"x.{end}")] for end in ("svg", "csv")]
    calls += [["view", "-o", os.path.join(out, "x.html")], ["simulate", "-P", "2", "-o", os.path.join(out, "x.tpt")]]
    # libotf2 says only to its callback what it writes in part: after a chunk, in the middle of one, or in a definition
    calls = [(call, most) for call in calls for most in ((0, 1000, 1 << 12, 1 << 18, 300_000) if "otf2" in call else
                                                         (1 << 8,) if call[-1].endswith(".csv") else (1 << 12,))]
    calls = [(call, path, most) for call, most in [*calls, (["dump"], 1 << 12)]]
    # it frees a buffer that it could not write, and would write it once more at the end
    archive = ["export", "--to", "otf2", "-o", os.path.join(out, "x")]
    calls += [(archive, big, most) for most in (1 << 12, 1 << 20) if "otf2" in formats]
    for call, trace, most in calls:
        with open(os.path.join(check.folder, "answer"), "wb") as answer:
            done = subprocess.run([check.tptrace, *call, trace], stdout=answer, stderr=subprocess.PIPE, text=True, timeout=FOREVER,
                                  preexec_fn=functools.partial(no_room, most), check=False)
        assert done.returncode == 1 and done.stderr.count("\n") == 1, (call, most, done.returncode, done.stderr)
        if call == ["dump"]:
            continue
        assert re.search(r"/full/x[.a-z]*: .*(File (is )?too large|disk I/O error)\n", done.stderr), (call, done.stderr)
        assert ".part" not in done.stderr, (call, done.stderr)
        assert not os.listdir(out), (call, os.listdir(out))
    text, made = os.path.join(check.folder, "many.txt"), os.path.join(out, "x.tpt")
    with open(text, "wb") as file:
        file.write(check.run("dump", path).stdout)
    done = subprocess.run([check.tptrace, "load", "-o", made, text], capture_output=True, text=True, timeout=FOREVER,
                          preexec_fn=functools.partial(no_room, 1 << 12), check=False)
    said = f"tptrace: {made}: cannot write: File too large\n"
    assert (done.returncode, done.stderr) == (1, said) and not os.listdir(out), done
    with open(text, "wb") as file:
        file.write(check.run("dump", big).stdout)
    for call, file in ((["load"], text), (["simulate", "-P", "2"], big)):
        no_memory(check, [*call, "-o", made, file], out)
    for call in (["export", "--to", "perfetto", "-o", "-"], ["view", "-o", "-"]) if os.path.exists("/dev/full") else ():
        with open("/dev/full", "wb") as answer:
            done = subprocess.run([check.tptrace, *call, path], stdout=answer, stderr=subprocess.PIPE, text=True, timeout=FOREVER, check=False)
        assert done.returncode == 1 and done.stderr.count("\n") == 1 and "No space left" in done.stderr, (call, done)


def little_memory(most):
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def no_memory(check, call, out):
    """In more and more memory, until it is enough: a line says that it is not, and nothing is left."""
    most, ends = 8 << 20, set()
    while 0 not in ends:
        done = subprocess.run([check.tptrace, *call], capture_output=True, text=True, timeout=FOREVER,
                              preexec_fn=functools.partial(little_memory, most), check=False)
        ends.add(done.returncode)
        assert done.returncode in (0, 1, 127), (call, most, done)  # 127: not even the libraries fit
        said = done.stderr.count("\n") == 1 and "memory" in done.stderr and not os.listdir(out)
        assert done.returncode != 1 or said, (call, most, done, os.listdir(out))
        most += most // 20
    assert 1 in ends, (call, ends)
    for name in os.listdir(out):
        os.unlink(os.path.join(out, name))
