#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""jobs.py [--build DIR] - diff, export and plot of many traces: in several processes what they give in one; a broken trace is named."""
import csv
import filecmp
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import report as many  # noqa: E402
from report import frame  # noqa: E402

ARGS = frame.arguments(__doc__)
BROKEN = "tptrace text 2\nclock ns\n5 w0 end\n"  # nobody's task
# command and options; the outputs that it writes beside stdout
CALLS = (
    (("diff",), ()), (("diff", "--json"), ()), (("diff", "--csv", "--by", "site"), ()),
    (("export", "--to", "sqlite", "-o", "out"), ("out",)), (("export", "--to", "csv", "-o", "out"), ("out",)),
    (("plot", "--what", "speedup", "-o", "x.svg", "--csv", "x.csv"), ("x.svg", "x.csv")),
    (("plot", "--what", "states", "-o", "x.svg"), ("x.svg",)),
    (("plot", "--what", "timelines", "-o", "x.svg"), ("x.svg",)),
)


def run(place, arguments, *more):
    return subprocess.run([ARGS.tptrace, *arguments, *more], cwd=place, capture_output=True, text=True, check=False)


def fill(path, broken=()):
    """Two jobs of 12 ranks: path/a, path/b; of b, those that are broken."""
    for name, seed in (("a", 0), ("b", 20)):
        os.mkdir(os.path.join(path, name))
        folder = many.Folder(ARGS.tptrace, os.path.join(path, name))
        for i in range(12):
            folder.process(f"{name}{i:02}.tpt", rank=f"{11 - i}\nmeta job {name}", host=f"node{i // 4}", pid=i, seed=seed + i % 5, other=f"o{i % 3}")
        for i in broken if name == "b" else ():
            folder.put(f"b{i:02}.tpt", BROKEN + "#" * i + "\n")


def in_processes(n):
    return lambda place, arguments: run(place, arguments, f"-j{n}")


def outcome(called, place, arguments, outputs):
    """(status, stdout, stderr, {file: bytes}) of the call; its outputs are removed."""
    done = called(place, arguments)
    files = {}
    for output in outputs:
        path = os.path.join(place, output)
        for folder, _, names in os.walk(path):
            files.update({os.path.relpath(os.path.join(folder, name), place): None for name in names})
        files.update({output: None} if os.path.isfile(path) else {})
        for file in [file for file, got in files.items() if got is None]:
            with open(os.path.join(place, file), "rb") as f:
                files[file] = f.read()
        shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
    return done.returncode, done.stdout, done.stderr, files


def compare(other, place, calls=CALLS, same_stderr=True):
    """The calls of path/a and path/b, by one process and by `other`: each call, and what came of both."""
    for call, outputs in calls:
        wanted, got = (outcome(called, place, (*call, "a", "b"), outputs) for called in (in_processes(1), other))
        assert wanted[:2] == got[:2] and wanted[3] == got[3], (call, wanted[:3], got[:3])
        assert not same_stderr or wanted[2] == got[2], (call, wanted[2], got[2])
        assert wanted[1] or wanted[3], call
        yield call, wanted, got


def test_same(place):
    fill(place)
    for n in (2, 5):
        for call, wanted, _ in compare(in_processes(n), place):
            assert wanted[0] in ((0, 1) if call[0] == "diff" else (0,)), (call, wanted)


def test_broken(place):
    """Each broken trace is named, the others count, and the exit status says so."""
    fill(place, (3, 7))
    for call, wanted, _ in compare(in_processes(3), place):
        assert wanted[0] == (2 if call[0] == "diff" else 1), (call, wanted)
        for name in ("b/b03.tpt: ", "b/b07.tpt: "):
            assert wanted[2].count(f"tptrace: {name}") == 1, (call, wanted[2])
        if call[0] == "diff":
            assert "2 traces are left out" in wanted[2], wanted[2]
        if "sqlite" in call:
            assert len(wanted[3]) == 22, sorted(wanted[3])
    done = run(place, ("plot", "--what", "losses", "-o", "x.svg", "a", "b"), "-j3")
    assert done.returncode == 1 and "not all can be read" in done.stderr and not os.path.exists(place + "/x.svg"), done
    for i in range(12):
        many.Folder(ARGS.tptrace, place + "/b").put(f"b{i:02}.tpt", BROKEN)
    done = run(place, ("diff", "a", "b"), "-j3")
    assert done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 12, done


def test_sums(place):
    """diff has of each folder what report has, and the differences are those of the sums."""
    fill(place)

    def output(*arguments):
        return json.loads(run(place, arguments).stdout)

    diff, a, b = output("diff", "--json", "-j3", "a", "b"), output("report", "--json", "a"), output("report", "--json", "b")
    assert (diff["a"], diff["b"]) == (a, b)
    for key in ("work_ns", "delay_ns", "no_work_app_ns", "cumulative_ns"):
        sums = [sum(process[key] for process in side["processes"]) for side in (a, b)]
        assert diff["delta"][key] == sums[1] - sums[0] != 0, (key, sums, diff["delta"])


def test_order(place):
    """A picture shows traces as they were given, those of a directory by name: not by rank, nor by size."""
    fill(place)
    assert run(place, ("plot", "--what", "states", "-j3", "-o", "x.csv", "b/", "a/a05.tpt", "a/a02.tpt")).returncode == 0
    with open(place + "/x.csv", encoding="utf-8") as file:
        rows = [row["trace"] for row in csv.DictReader(file)]
    assert list(dict.fromkeys(rows)) == [f"b/b{i:02}.tpt" for i in range(12)] + ["a/a05.tpt", "a/a02.tpt"], rows


def test_names(place):
    """No export takes the place of another one."""
    fill(place)
    shutil.copy(place + "/a/a00.tpt", place + "/a/a00.tpt.1")

    def export(*arguments):
        return run(place, ("export", "--to", "folded", *arguments))

    assert export("-o", "out", "a").returncode == 0 and len(os.listdir(place + "/out")) == 13
    assert filecmp.cmp(place + "/out/a00.folded", place + "/out/a00.1.folded", shallow=False)
    shutil.copy(place + "/a/a03.tpt", place + "/b/a03.tpt")
    done = export("-o", "new", "a", "b")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and not os.path.exists(place + "/new"), done
    assert "a/a03.tpt" in done.stderr and "b/a03.tpt" in done.stderr and "new/a03.folded" in done.stderr, done.stderr
    done = export("-o", "a/a00.tpt", "b")
    assert done.returncode == 1 and "need a directory" in done.stderr, done


def test_ended(place):
    """What ends the command ends its children, and what they had not finished is removed."""
    lines = "".join(f"{i} w0 create 0.{i} site=1\n{i} w0 resume 0.1\n" for i in range(2, 400000))
    os.mkdir(place + "/big")
    for name in "xy":
        many.Folder(ARGS.tptrace, place + "/big").put(
            f"{name}.tpt", "tptrace text 2\nclock ns\nruntime 0 name=x workers=2\nsite 1 name=f\n0 w0 root 0.1\n" + lines)
    with subprocess.Popen([ARGS.tptrace, "export", "--to", "csv", "-j2", "-o", "out", "big"], cwd=place,
                          stderr=subprocess.DEVNULL) as export:
        while export.poll() is None and not (os.path.isdir(place + "/out") and len(os.listdir(place + "/out")) == 2):
            time.sleep(.01)
        assert export.poll() is None, "it was done too early"
        export.send_signal(signal.SIGTERM)
        assert export.wait(60) == -signal.SIGTERM
    end = time.monotonic() + 60
    while os.listdir(place + "/out") and time.monotonic() < end:
        time.sleep(.01)
    assert not os.listdir(place + "/out"), os.listdir(place + "/out")


if __name__ == "__main__":
    sys.exit(frame.run("jobs", ARGS, frame.tests_in(globals())))
