#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - answers, worked out by hand, that no single JSON report holds.

The signs of diff's rows, what --strict ends with, selections to the nanosecond, exports' times, and the span and work
of tasks that are collapsed (by the program of test/collapse).
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../lib"))
import frame  # noqa: E402
import texts  # noqa: E402
HEAD = "tptrace text 2\nclock ns\nruntime 0 name=x version=1 workers=2\nsite 1 name=k file=k.c line=1\nsite 2 name=m file=k.c line=2\n"


def one_task(end):
    """Worker 1 runs a task over [10, end); main works on worker 0 over [0, 60) and [60, 70)."""
    return HEAD + f"""0 w0 root 0.1
10 w0 create 0.2 site=1
10 w0 resume 0.1
10 w1 begin 0.2
{end} w1 end
60 w0 wait children site=9
60 w0 resume 0.1
70 w0 end
"""


def children(*lengths):
    """A task creates a child of each length and waits for them all; each has worked 5 ns itself, 3 after the wait."""
    text, now = HEAD + "0 w0 root 0.1\n0 w0 create 0.2 site=1\n0 w0 resume 0.1\n0 w0 wait children site=9\n0 w0 begin 0.2\n", 5
    for i in range(len(lengths)):
        text += f"{now} w0 create 0.{i + 3} site=2\n{now} w0 resume 0.2\n"
    text += f"{now} w0 wait children site=9\n"
    for i, length in enumerate(lengths):
        text += f"{now} w0 begin 0.{i + 3}\n{now + length} w0 end\n"
        now += length
    return text + f"{now} w0 resume 0.2\n{now + 3} w0 end\n{now + 3} w0 resume 0.1\n{now + 4} w0 end\n"


class Lab(texts.Texts):
    def __init__(self, build, folder):
        super().__init__(folder)
        self.tptrace, self.collapse = f"{build}/tptrace", f"{build}/collapse"

    def run(self, *command, status=0):
        done = subprocess.run([self.tptrace, *command], capture_output=True, text=True)
        assert done.returncode == status, (command, done)
        return done.stdout

    def report(self, path, *options):
        return json.loads(self.run("report", "--json", *options, path))


def test_signs_of_diff(lab):
    """Worker 1 is idle for 40 ns of A and 20 of B, and the other way round."""
    a, b = lab.put(one_task(40)), lab.put(one_task(60))
    for sides, change in (((a, b), "40 ns 20 ns -20 ns -50.0 %"), ((b, a), "20 ns 40 ns +20 ns +100.0 %")):
        text = " ".join(lab.run("diff", *sides).split())
        assert f"not working: idle {change}" in text and f"no-work-app {change}" in text, text


def test_strict(lab):
    """Status 3 for each kind of loss, alone; 0 without one, and where the user stopped the recording."""
    whole = one_task(40)
    assert lab.run("report", "--strict", lab.put(whole))
    lost = "40 w1 end\n- w1 lost 7\n- w1 since 41\n- w1 until 42\n"
    counts = ("unrecorded_threads 1", "unrecorded_calls 1", "unplaced_calls 1", "unrecovered_rings 1", "lost_marks 1",
              "refused_turns 1", "tasks_after_end 1", "made_tasks 3")
    for text in (whole.replace("40 w1 end\n", lost), *(whole.replace("site 1 ", f"meta {of}\nsite 1 ") for of in counts)):
        path = lab.put(text)
        lab.run("report", "--strict", path, status=3)
        assert lab.report(path)["events_lost"] == (7 if "lost 7" in text else 0), text
    stopped = lab.put(whole.replace("40 w1 end\n", lost.replace("lost 7", "lost 7 stopped")))
    assert lab.report(stopped, "--strict")["events_lost"] == 0


def test_selection(lab):
    """Selections that meet at any nanosecond add up to the whole, and have what lies in them."""
    path = lab.put(one_task(40))
    whole = lab.report(path)
    assert (whole["work_ns"], whole["elapsed_ns"]) == (100, 70), whole
    for at in (1, 9, 10, 11, 39, 40, 41, 59, 60, 61, 69):
        first, last = lab.report(path, "--to", f"{at}ns"), lab.report(path, "--from", f"{at}ns")
        work = at + min(max(at - 10, 0), 30)
        assert (first["elapsed_ns"], last["elapsed_ns"]) == (at, 70 - at), (at, first["elapsed_ns"], last["elapsed_ns"])
        assert (first["work_ns"], last["work_ns"]) == (work, 100 - work), (at, first["work_ns"], last["work_ns"])
        assert (first["span_ns"], last["span_ns"]) == (at, 70 - at), (at, first["span_ns"], last["span_ns"])


def test_collapsed(lab):
    """A collapsed task has its work, and the span by the longest of its children, wherever that one is; kinds lose nothing."""
    for lengths in ((90, 10), (10, 90), (20, 90, 10), (50,)):
        full = lab.put(children(*lengths))
        trace = full[:-4] + ".tpt"
        lab.run("load", "-o", trace, full)
        done = subprocess.run([lab.collapse, trace, "1000000", "1000000", "0", "1", "4096"], capture_output=True, text=True, check=True)
        assert len(re.findall("w0 collapsed work", done.stdout)) == 1, done.stdout
        for path in (full, lab.put(done.stdout)):
            report = lab.report(path)
            got = (report["work_ns"], report["span_ns"], report["tasks"])
            assert got == (sum(lengths) + 9, max(lengths) + 9, len(lengths) + 2), (lengths, got)
            kinds = {row["name"]: [row[key] for key in ("tasks", "work_ns", "min_ns", "max_ns", "delay_ns")] for row in report["kinds"]}
            # the other worker is free while one of them or more are ready
            assert kinds["m"] == [len(lengths), sum(lengths), min(lengths), max(lengths), sum(lengths[:-1])], (lengths, kinds)
            assert kinds["k"] == [1, 8, 8, 8, 0], (lengths, kinds)


def test_exports(lab):
    """The task's begin and length, in the units of each format."""
    path, out = lab.put(one_task(40)), os.path.join(lab.folder, "out")
    lab.run("export", "--to", "chrome", "-o", out + ".json", path)
    with open(out + ".json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    got = sorted((e["ph"], round(e["ts"] * 1000), e.get("tid")) for e in events if e.get("name", "").startswith("k") and "ts" in e)
    assert got, events
    assert ("B", 10, 1) in got or ("X", 10, 1) in got, got


if __name__ == "__main__":
    ARGS = frame.arguments(__doc__)
    sys.exit(frame.run("answers", ARGS, frame.tests_in(globals(), lambda folder: Lab(ARGS.build, folder))))
