#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""live.py [--build DIR] - records real programs in two versions, and checks what `tptrace diff` says of them.

No time is compared with another but where one kind of task does LONGER times as much.
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

LONGER = 20
LEAVES = 64
LATE = 120
LISTS = ("kinds", "places")


class Lab:
    def __init__(self, build, folder):
        self.tptrace, self.build, self.folder = f"{build}/tptrace", build, folder
        self.omp = self.compile("omp", "gcc", "twins.c", "-fopenmp")
        self.tbb = self.compile("tbb", "g++", "twins_tbb.cc", "-ltbb")

    def compile(self, name, compiler, source, *flags):
        """The program as it is, and with tasks of one kind that are longer; None without the compiler or library."""
        programs = []
        for version, longer in (("old", 1), ("new", LONGER)):
            programs.append(os.path.join(self.folder, f"{name}-{version}"))
            done = subprocess.run([compiler, "-O1", "-g", f"-DLONGER={longer}", os.path.join(HERE, source), "-o",
                                   programs[-1], *flags], capture_output=True, text=True)
            if done.returncode:
                print(f"skip diff of {name}: {done.stderr.splitlines()[:1]}")
                return None
        return programs

    def run(self, *arguments, status=0, **env):
        done = subprocess.run([self.tptrace, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              env=tracing.environment(**env), timeout=LATE)
        assert done.returncode == status, (arguments, done)
        return done

    def record(self, to, program, n=1, workers=2, *, options=("--collapse", "off"), status=0):
        self.run("record", "-q", *options, "--repeat", n, "-o", to, program, status=status, OMP_NUM_THREADS=workers)
        return os.path.join(self.folder, to)

    def diff(self, *arguments):
        done = subprocess.run([self.tptrace, "diff", "--json", *arguments], capture_output=True, text=True,
                              cwd=self.folder, timeout=LATE)
        assert done.returncode in (0, 1), done
        got = json.loads(done.stdout)
        assert done.returncode == (got["verdict"] == "worse"), got
        for rows in LISTS:
            for part in tracing.PARTS:
                assert sum(row["delta"][part] for row in got[rows]) == got["delta"][part], (rows, part)
        return got


def kind_of(got, name):
    (row,) = [row for row in got["kinds"] if name in row["name"] and row["a"] and row["b"]]
    return row


def longer(lab, programs, old, new):
    """The kind that does more is named, with what it costs; the other one is not."""
    got = lab.diff(old, new)
    planted = got["kinds"][0]
    assert planted["a"]["tasks"] == planted["b"]["tasks"] == LEAVES, planted
    assert planted["delta"]["work_ns"] > got["delta"]["work_ns"] / 2, (planted, got["delta"])
    assert planted["stretch"] > 2, planted
    assert got["lineage"]["stolen"]["tasks"] + got["lineage"]["local"]["tasks"] == got["lineage"]["matched"]["tasks"]
    back = lab.diff(new, old)
    assert back["delta"]["work_ns"] == -got["delta"]["work_ns"]
    text = subprocess.run([lab.tptrace, "diff", old, new], capture_output=True, text=True, cwd=lab.folder).stdout
    assert planted["name"] in text.split("\n\n")[0] or got["verdict"] != "worse", text
    assert max(map(len, text.splitlines())) <= 100, text
    return got


def test_versions(lab):
    """Under libgomp: also tasks are matched, all of them, though lines have moved."""
    lab.record("old/", lab.omp[0], 3)
    lab.record("new/", lab.omp[1], 3)
    got = longer(lab, lab.omp, "old", "new")
    assert got["sides"][0]["runs"] == got["sides"][1]["runs"] == 3
    assert got["kinds"][0]["noise"]["work_ns"] == "beyond", got["kinds"][0]
    tasks = got["lineage"]
    assert tasks["matched"]["tasks"] == tasks["tasks_a"] == tasks["tasks_b"] == 4 * LEAVES - 2, tasks
    assert tasks["other_kind"] == 0
    same = lab.diff("old", "old")
    assert same["verdict"] == "same" and not any(same["delta"][part] for part in tracing.PARTS)


def test_tbb(lab):
    if not lab.tbb:
        return
    lab.record("tasks-old/", lab.tbb[0])
    lab.record("tasks-new/", lab.tbb[1])
    got = longer(lab, lab.tbb, "tasks-old", "tasks-new")
    assert "changed" in got["kinds"][0]["name"], got["kinds"][0]


def test_runtimes(lab):
    """Of two runtimes, kinds have other names; the tasks are as many."""
    if not lab.tbb:
        return
    got = lab.diff("old", "tasks-old")
    assert [side["runtimes"].split()[0] for side in got["sides"]] == ["libgomp", "oneTBB"], got["sides"]
    assert got["a"]["runtimes"][0]["name"] == "libgomp"


def test_workers(lab):
    """A table over numbers of workers, of directories or of one that holds all; not mixed with others."""
    for workers in (1, 2, 3):
        lab.record(f"p{workers}/", lab.omp[0], 1, workers)
        lab.record("all/", lab.omp[0], 2, workers)
    for arguments in (["p1", "p2", "p3"], ["all"]):
        got = lab.diff(*arguments)
        assert [side["workers"] for side in got["sides"]] == [1, 2, 3], got["sides"]
        assert abs(got["sides"][0]["speedup"] - 1) < 1e-9
        for side in got["sides"]:
            assert abs(side["efficiency"] - side["speedup"] / side["workers"]) < 1e-3, side
    mixed = lab.run("diff", "all", "p1", status=2).stderr
    assert "different numbers of workers" in mixed and mixed.count("\n") == 1, mixed
    base = lab.diff("--baseline", "p1", "p2", "p3")
    assert base["lineage"]["matched"]["tasks"] == 4 * LEAVES - 2
    assert lab.diff("--baseline", "0.5s", "p2", "p3")["baseline_ns"] == 500000000


def test_kind(lab):
    """One kind can be judged by itself: it is worse beyond any threshold but a huge one."""
    name = lab.diff("old", "new")["kinds"][0]["name"]
    assert name in lab.run("diff", "--kind", name, "old", "new", status=1).stdout
    lab.run("diff", "--kind", name, "--threshold", "100000", "old", "new")
    lab.run("diff", "--kind", name, "new", "old")


def test_groups(lab):
    """Sides of several traces: with commas, or `--` between."""
    a, b = (sorted(glob.glob(os.path.join(lab.folder, folder, "*"))) for folder in ("old", "new"))
    for arguments in ([",".join(a), ",".join(b)], [*a, "--", *b]):
        assert [side["runs"] for side in lab.diff(*arguments)["sides"]] == [3, 3]


def test_repeat(lab):
    """A trace each, numbered; the status of the first run that failed; what cannot begin is not tried again."""
    lab.record("many/", lab.omp[0], 11)
    names = sorted(os.listdir(os.path.join(lab.folder, "many")))
    assert [re.fullmatch(r"tptrace\.omp-old\.(\d+)\.\d+\.tpt", name)[1] for name in names] == \
        [f"{i:02}" for i in range(1, 12)], names
    lab.record("x.tpt", lab.omp[0], 2)
    assert sorted(glob.glob("x.*", root_dir=lab.folder)) == ["x.1.tpt", "x.2.tpt"]
    assert lab.run("record", "--repeat", 2, lab.omp[0], "7", status=7).stderr.count("7: ") == 0
    (made,) = glob.glob("tptrace.omp-old.*", root_dir=lab.folder)
    assert len(os.listdir(os.path.join(lab.folder, made))) == 2
    missing = lab.run("record", "-q", "--repeat", 5, "-o", "none/", "./no-such", status=127).stderr
    assert missing.count("\n") == 1, missing
    for bad in ("0", "x", "-1", ""):
        lab.run("record", "--repeat", bad, lab.omp[0], status=2)
    killed = subprocess.run([lab.tptrace, "record", "-q", "--repeat", "2", "-o", "killed/", "sh", "-c", "kill -9 $$"],
                            cwd=lab.folder, env=tracing.environment(), capture_output=True, timeout=LATE)
    assert killed.returncode == -signal.SIGKILL, killed


def test_interrupt(lab):
    """A signal goes to the run at hand, and is the end of the series."""
    tracing.heed_signals()
    for number in (signal.SIGINT, signal.SIGTERM):
        marker = os.path.join(lab.folder, f"marker{number}")
        with subprocess.Popen([lab.tptrace, "record", "-q", "--repeat", "50", "-o", "cut/", "sh", "-c",
                               f"echo x >> {marker}; exec sleep 60"], cwd=lab.folder, env=tracing.environment(),
                              stderr=subprocess.DEVNULL) as series:
            until = time.monotonic() + LATE
            while not (os.path.exists(marker) and os.path.getsize(marker)) and time.monotonic() < until:
                time.sleep(.02)
            series.send_signal(number)
            assert series.wait(LATE) == -number, series.returncode
        with open(marker, encoding="utf-8") as f:
            assert f.read() == "x\n"


def report_total(lab, *paths, options=()):
    return json.loads(lab.run("report", "--json", *options, *paths).stdout)["total"]


def test_jobs(lab):
    """Runs are not added up; processes of one job are: a fork's, ranks', those below one record."""
    old = sorted(glob.glob(os.path.join(lab.folder, "old", "*")))
    assert report_total(lab, *old) is None and report_total(lab, "old") is None
    text = lab.run("report", *old[:2]).stdout
    words = " ".join(text.split())  # lines are no longer than the screen
    assert f"tptrace diff {old[0]} {old[1]}" in words and "--together" in words, text
    assert report_total(lab, "old", options=["--together"])["processes"] == 3
    os.mkdir(os.path.join(lab.folder, "fork"))
    lab.run("record", "-q", "-o", "fork/", lab.omp[0], "fork")
    assert report_total(lab, "fork")["processes"] == 2
    shim = lab.run("record", "--print-shim", "omp").stdout.strip()
    for name, wanted, envs in (
            ("ranks", 2, [{"PMIX_RANK": str(i), "PMIX_NAMESPACE": "j1"} for i in range(2)]),
            ("same", None, [{"PMIX_RANK": "0", "PMIX_NAMESPACE": "j1"} for _ in range(2)]),
            ("named", 2, [{"TPTRACE_JOB": "one"}] * 2),
            ("other", None, [{"TPTRACE_JOB": str(i)} for i in range(2)])):
        folder = os.path.join(lab.folder, name)
        os.mkdir(folder)
        for together in ([[0], [1]] if name != "ranks" else [[0, 1]]):
            running = [subprocess.Popen([lab.omp[0]], cwd=folder,
                                        env=tracing.environment(LD_PRELOAD=shim, OMP_NUM_THREADS=2, **envs[i]))
                       for i in together]
            assert all(process.wait(LATE) in (0, 1) for process in running)
        total = report_total(lab, folder)
        assert (total and total["processes"]) == wanted, (name, total)
    got = lab.diff("fork", "ranks")
    assert [side["processes"] for side in got["sides"]] == [2, 2], got["sides"]
    assert got["lineage"] is None and len(got["a"]["processes"]) == 2


def test_one_line(lab):
    """Tasks that write to one cache line, on one worker and on two: how much slower they are is the machine's affair,
    but what is said of it agrees with the figures, and names their code where it is said."""
    program = os.path.join(lab.folder, "one_line")
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", os.path.join(HERE, "one_line.c"), "-o", program], check=True)
    sides = [os.path.join(lab.folder, f"line{workers}.tpt") for workers in (1, 2)]
    for workers, path in enumerate(sides, 1):
        lab.run("record", "-q", "--collapse", "off", "-o", path, program, OMP_NUM_THREADS=workers, OMP_WAIT_POLICY="passive")
    for arguments in (sides, sides[::-1]):
        got = lab.diff(*arguments)
        matched, found = got["lineage"]["matched"], got["work_stretch"]
        waits = got["delta"]["cpu_wait_ns"]
        grew = matched["work_b_ns"] - matched["work_a_ns"]
        assert matched["tasks"] == 64, matched
        slower = arguments is sides and matched["work_b_ns"] >= 1.1 * matched["work_a_ns"] and waits < grew // 2
        assert (found is not None) == slower, (found, matched, waits)
        text = lab.run("diff", *arguments, status=got["verdict"] == "worse").stdout
        assert ("WORK STRETCH: 64 tasks" in text) == slower, text
        if found:
            (kind,) = [row for row in got["kinds"] if row["stolen"]["tasks"] + row["local"]["tasks"] == 64]
            assert found["all"] == matched and kind["file"] == "one_line.c" and found["share"] == 1, found
            assert found["kind"]["stretch"] == kind["stretch"] == found["all"]["stretch"], (found, kind)


def test_bad(lab):
    """One line, exit status 2, and what there is."""
    old = glob.glob(os.path.join(lab.folder, "old", "*"))[0]
    with open(os.path.join(lab.folder, "bad.tpt"), "w", encoding="utf-8") as f:
        f.write("what is this")
    for arguments, says in (((), "name two runs"), ((old,), "name another one"), ((old, "no-such.tpt"), "No such file"),
                            ((old, "bad.tpt"), "bad.tpt"), (("--threshold", "x", old, old), "percentage"),
                            (("--threshold", "-1", old, old), "percentage"), (("--thresold=3", old, old), "--threshold"),
                            (("--kind", "no-such", old, old), "unknown kind"), (("--by", "worker", old, old), "site"),
                            (("--phase", "no-such", old, old), "no phase"), (("--baseline", "none", old, old), "none")):
        done = lab.run("diff", *arguments, status=2)
        assert says in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, (arguments, done)
    assert "no phase" in lab.run("report", "--phase", "no-such", old, status=2).stderr
    for typed, meant in (("recrod", "record"), ("repotr", "report"), ("dif", "diff")):
        assert f"did you mean `{meant}`" in lab.run(typed, status=2).stderr
    assert "record --" in lab.run("quux", status=2).stderr


def main():
    build = frame.arguments(__doc__).build
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    with tracing.new_folder("tptrace-diff-live.") as folder:
        lab = Lab(build, folder)
        for test in tests:
            test(lab)
    print(f"{len(tests)} passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
