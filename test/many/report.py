#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py [--build DIR] - tptrace report on several traces: each, and all together."""
import csv
import io
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402

TRACE = """tptrace text 2
clock ns
meta host {host}
meta pid {pid}
meta exe /opt/bin/{program}
{rank}runtime 0 name=x workers={workers}
site 1 name=fib file=/src/fib.c line=7
site 2 name={other} file=/src/other.c line=9
0 w0 root 0.1
10 w0 create 0.2 site=1
12 w0 resume 0.1
{a} w1 begin 0.2
{b} w0 create 0.3 site=2
{b} w0 resume 0.1
{c} w1 end
{d} w1 begin 0.3
{e} w1 end
{f} w0 wait children site=2
{g} w0 resume 0.1
{h} w0 end
"""
SUMS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns", "cumulative_ns", "tasks",
        "strands", "steals", "workers", "tracer_ns", "events_lost")


class Folder:
    def __init__(self, tptrace, path):
        self.tptrace, self.path = tptrace, path

    def put(self, name, text):
        path = os.path.join(self.path, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def process(self, name, rank=None, host="node0", pid=1, seed=0, other="other", program="app"):
        roll = random.Random(seed)
        times = dict(zip("abcdefgh", sorted(roll.sample(range(20, 5000), 8))))
        return self.put(name, TRACE.format(
            rank="" if rank is None else f"meta rank {rank}\n", host=host, pid=pid, other=other,
            program=program, workers=roll.choice((2, 3, 8)), **times))

    def report(self, *arguments, status=0, says=()):
        run = subprocess.run([self.tptrace, "report", *arguments], capture_output=True, text=True,
                             check=False)
        assert run.returncode == status, (arguments, run)
        assert len(run.stderr.splitlines()) == len(says), (arguments, run)
        for word in says:
            assert word in run.stderr, (word, run.stderr)
        return run.stdout

    def json(self, *arguments, **keys):
        out = self.report("--json", *arguments, **keys)
        assert out.endswith("}\n") and out.count("\n") == 1, out
        return json.loads(out)


def test_order(folder):
    """By rank as a number, those without last, by host and pid; else as they were given."""
    wanted = [folder.process("z", rank=2, host="b"), folder.process("y", rank=10, host="a"),
              folder.process("x", host="a", pid=9), folder.process("w", host="a", pid=10),
              folder.process("v", host="b", pid=3), folder.process("u", host="b", pid=3)]
    given = [wanted[i] for i in (4, 3, 1, 0, 2, 5)]
    got = [p["file"] for p in folder.json(*given)["processes"]]
    assert got == wanted, got


def test_sums(folder):
    """The total is the sum of the processes; the objects are those of one file each."""
    paths = [folder.process(f"p{i}.tpt", rank=i, host=f"node{i % 3}", pid=100 + i, seed=i,
                            other=f"other{i % 2}") for i in range(7)]
    got = folder.json(*paths)
    assert got["version"] == 1
    assert got["processes"] == [folder.json(p) for p in paths]
    total = got["total"]
    assert (total["processes"], total["hosts"], total["ranks"], total["not_read"]) == (7, 3, 7, 0)
    for key in SUMS:
        assert total[key] == sum(p[key] for p in got["processes"]), key
    for edge, ns in total["delay_by_edge"].items():
        assert ns == sum(p["delay_by_edge"][edge] for p in got["processes"]), edge
    for what in ("work", "elapsed"):
        values = [p[what + "_ns"] for p in got["processes"]]
        assert total[what + "_max_ns"] == max(values)
        assert abs(total[what + "_imbalance"] - max(values) * 7 / sum(values)) < 1e-3
    names = {k["name"]: k for k in total["kinds"]}
    assert sorted(names) == ["fib", "main", "other0", "other1"]
    assert (names["other0"]["processes"], names["other1"]["processes"]) == (4, 3)
    for name, kind in names.items():
        of = [k for p in got["processes"] for k in p["kinds"] if k["name"] == name]
        assert kind["min_ns"] == min(k["min_ns"] for k in of)
        assert kind["max_ns"] == max(k["max_ns"] for k in of)
        for key in SUMS[:4] + ("tasks",):
            assert kind[key] == sum(k[key] for k in of), (name, key)


def test_collapsed(folder):
    """Tasks that are collapsed count, in all and in each process."""
    golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/report/gap_collapsed.txt")
    with open(golden, encoding="utf-8") as f:
        text = f.read()
    paths = [folder.put(name, text) for name in ("a.tpt", "b.tpt")]
    total = folder.json(*paths)["total"]
    assert total["tasks"] == sum(folder.json(path)["tasks"] for path in paths) == 8, total
    rows = [line.split() for line in folder.report(*paths).splitlines()]
    assert [row[-2] for row in rows if row[1:2] in (["a.tpt"], ["b.tpt"])] == ["4", "4"], rows


def test_folder(folder):
    """A folder is all *.tpt in it; it is many files even if it holds but one."""
    paths = [folder.process(f"{i}.tpt", rank=i) for i in range(3)]
    folder.put("readme.txt", "no trace")
    assert [p["file"] for p in folder.json(folder.path)["processes"]] == paths
    inner = os.path.join(folder.path, "inner.tpt.d")
    os.mkdir(inner)
    folder.report(inner, status=1, says=["no trace (*.tpt) in this directory"])
    os.rename(paths[0], os.path.join(inner, "a.tpt.1"))
    assert len(folder.json(inner)["processes"]) == 1
    folder.report(os.path.join(folder.path, "none"), paths[1], status=1, says=["none"])


def test_missing(folder):
    """Ranks of the job that no trace is of are said."""
    for there, missing, said in (((0, 3), 2, "2 ranks have no trace here, rank 1 the first"),
                                 ((1, 2, 3), 1, "rank 0 has no trace here"), ((0, 1, 2), 1, "rank 3 has no trace here"),
                                 ((0, 1, 2, 3), 0, None)):
        paths = []
        for i, rank in enumerate(there):
            path = folder.process(f"{rank}.{i}.tpt", rank=rank, pid=i)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            paths.append(folder.put(f"{rank}.{i}.tpt", text.replace("meta rank", "meta ranks 4\nmeta rank")))
        lines = [line for line in folder.report(*paths).splitlines() if line.startswith("MISSING: ")]
        assert lines == [f"MISSING: {said}"] * bool(said), (there, lines)
        assert json.loads(folder.report("--json", *paths))["total"]["ranks_missing"] == missing, there


def test_bad(folder):
    """An invalid trace gets one line; the others are reported."""
    paths = [folder.process("0.tpt", rank=0), folder.put("1.tpt", "what is this"),
             folder.process("2.tpt", rank=2),
             folder.put("3.tpt", "tptrace text 2\nclock ns\n5 w0 end\n")]
    got = folder.json(folder.path, status=1, says=["1.tpt", "3.tpt"])
    assert [p["file"] for p in got["processes"]] == [paths[0], paths[2]]
    assert got["total"]["processes"] == 2 and got["total"]["not_read"] == 2
    out = folder.report(folder.path, status=1, says=["1.tpt", "3.tpt"])
    assert "2 processes on 1 host," in out, out
    folder.report(paths[1], paths[3], status=1, says=["1.tpt", "3.tpt"])


def test_text(folder):
    """A line each; with --each the reports, too; control characters do not reach the terminal."""
    paths = [folder.process("0.tpt", rank=0, program="app%1b[31m"),
             folder.process("1.tpt", rank=1, seed=1, other="o%1b]0;x%07%c2%9bx")]
    out = folder.report(*paths)
    assert len([l for l in out.splitlines() if "node0" in l]) == 2, out
    assert "app?[31m" in out and "o?]0;x??x" in out, out
    each = folder.report("--each", *paths)
    assert each.endswith(out) and each.count(" were in tasks") == 2, each
    info = subprocess.run([folder.tptrace, "info", *paths], capture_output=True, check=True)
    for text in (out, each, info.stdout.decode()):
        assert not set(text) & set("\x1b\x07\x9b"), text


def test_runs(folder):
    """Processes of a job are told apart by what they are, runs of several jobs by their traces."""
    paths = [folder.process(f"{name}.tpt", pid=i) for i, name in enumerate(("small", "large"))]
    for jobs, title, names in (("aa", "program", ["app", "app"]), ("ab", "trace", ["small.tpt", "large.tpt"])):
        for path, job in zip(paths, jobs):
            with open(path, encoding="utf-8") as file:
                text = file.read().replace("clock ns", f"clock ns\nmeta job {job}", 1)
            with open(path + job, "w", encoding="utf-8") as file:
                file.write(text)
        rows = [line.split() for line in folder.report(*(path + job for path, job in zip(paths, jobs))).splitlines()]
        got = [row[1] for row in rows if row[2:3] == ["node0"]]
        assert got == [name + job * name.endswith(".tpt") for name, job in zip(names, jobs)], got
        assert [row[1] for row in rows if row[:1] == ["pid"]] == [title], rows


def test_at_once(folder):
    """However many are read at once, the output is the same to the byte; and what went wrong is said in the same order."""
    for i in range(40):
        folder.process(f"{i:02}.tpt", rank=39 - i, host=f"node{i // 8}", pid=i, seed=i % 5)
    folder.put("17.tpt", "what is this")
    folder.put("23.tpt", "tptrace text 2\nclock ns\n5 w0 end\n")
    for options in ([], ["--json"], ["--csv"], ["--each"], ["--folded", "work"]):
        runs = [subprocess.run([folder.tptrace, "report", f"-j{n}", *options, folder.path], capture_output=True, check=False)
                for n in (1, 2, 7)]
        assert runs[0].returncode == 1 and runs[0].stderr.count(b"\n") == 2, runs[0]
        assert len({(run.returncode, run.stdout, run.stderr) for run in runs}) == 1, options
    folder.report("-j0", folder.path, status=2, says=["-"])


def test_messages(folder):
    """Nor do they in messages about invalid traces."""
    path = folder.put("x.tpt", "tptrace text 2\nclock a%1b[31m%0ab\n1 w0 root 0.1\n")
    folder.report(path, status=1, says=["`a?[31m?b`"])
    folder.report(folder.put("y\x1b\n.tpt", "x"), status=1, says=["y??.tpt"])


def test_csv(folder):
    paths = [folder.process(f"{i}.tpt", rank=i, seed=i) for i in range(2)]
    rows = list(csv.DictReader(io.StringIO(folder.report("--csv", *paths))))
    assert [r["file"] for r in rows] == [paths[0]] * 3 + [paths[1]] * 3
    for p in folder.json(*paths)["processes"]:
        assert p["work_ns"] == sum(int(r["work_ns"]) for r in rows if r["file"] == p["file"])
    assert folder.report("--csv", paths[0]).startswith("kind,place,")


if __name__ == "__main__":
    ARGS = frame.arguments(__doc__)
    sys.exit(frame.run("many", ARGS, frame.tests_in(globals(), lambda folder: Folder(ARGS.tptrace, folder))))
