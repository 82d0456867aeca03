#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] [NAME..] - counters of strands, and call paths of tasks, against programs that know theirs.

pages.c touches 16 new pages in each of 400 tasks, and none in 400 others, on each runtime that is there.  A page
is one fault whatever the machine, the load or the clock; besides, a thread may touch a page of its own stack or
of its code for the first time: SLACK is more than those are.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "port"), os.path.join(HERE, "..", "format"),
                os.path.join(HERE, "..", "diff")]
import laws  # noqa: E402
import reader  # noqa: E402
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402
from tracing import run  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD = ARGS.build
TPTRACE = ARGS.tptrace
TASKS, PAGES, SLACK = 400, 16, 150
ALL = TASKS * PAGES


def built(runtime):
    return runtimes.build_program(BUILD, runtime, "../counters/pages")


def record(path, program, *options, status=0, **env):
    return run(TPTRACE, "record", "-o", path, *options, "--", *program, status=status,
               **{"OMP_NUM_THREADS": 2, **env})


def sums(report, counter):
    """By the letter that tells the kinds apart: touch, still, and all the others."""
    found = {"touch": 0, "still": 0, "all": 0}
    for kind in report["kinds"]:
        n = kind["counters"][counter]["total"]
        found["all"] += n
        line = LINES.get(kind["line"]) or LINES.get(kind["site"]["line"])
        if kind["what"] == "task" and line:
            found[line] += n
    return found


def lines():
    """Where pages.c creates its tasks, or has their code: line -> which."""
    with open(os.path.join(HERE, "pages.c"), encoding="utf-8") as source:
        text = source.read().split("\n")
    marks = {"touch": r"PORT_CREATE\(group, touch|^static void touch\(|PORT_BODY\(touch",
             "still": r"PORT_CREATE\(group, still|^static void still\(|PORT_BODY\(still"}
    return {n: which for which, mark in marks.items() for n, line in enumerate(text, 1) if re.search(mark, line)}


LINES = lines()
GOMP = None  # set in main()


def is_all(n, slack=SLACK):
    assert ALL <= n <= ALL + slack, (n, ALL)


# ---- the checks ----

def check_runtimes(folder):
    """What each runtime's tasks touch is counted there, and nowhere else."""
    n = 0
    for runtime in runtimes.find(BUILD):
        if runtime.missing:
            print(f"    skip counters on {runtime.name}: {runtime.missing}")
            continue
        path = os.path.join(folder, f"{runtime.key}.tpt")
        record(path, [built(runtime)], "--counters", "minor-faults,major-faults,page-faults",
               **runtime.environment(2, folder))
        report = tracing.report_of(TPTRACE, path)
        total = {c["name"]: c["total"] for c in report["counters"]}
        faults = sums(report, "page-faults")
        assert faults["all"] == total["page-faults"] == total["minor-faults"] + total["major-faults"], (total, faults)
        assert faults["touch"] + faults["still"] >= ALL, (runtime.key, faults)
        is_all(faults["touch"], SLACK + runtime.stand_in * TASKS)
        assert faults["still"] <= SLACK + runtime.stand_in * TASKS, (runtime.key, faults)
        n += 1
    assert n >= 2, "too few runtimes"


def check_off(folder):
    """Nothing of counters is in a trace without them."""
    path = os.path.join(folder, "off.tpt")
    record(path, [built(GOMP)])
    dump = run(TPTRACE, "dump", path).stdout
    assert not re.search(r"^(counter|meta counter|- w\d+ counter)", dump, re.M), dump[:500]
    report = tracing.report_of(TPTRACE, path)
    assert report["counters"] == [] and report["counters_missing"] is None
    assert all("counters" not in kind for kind in report["kinds"])


def check_forms(folder):
    """Text, CSV, JSON by path, dump and load, and the reader that shares no code all say the same."""
    path, text, again = (os.path.join(folder, name) for name in ("forms.tpt", "forms.txt", "again.tpt"))
    record(path, [built(GOMP)], "--counters", "page-faults,cpu-time")
    dump = run(TPTRACE, "dump", path).stdout
    with open(text, "w", encoding="utf-8") as out:
        out.write(dump)
    run(TPTRACE, "load", "-o", again, text)
    assert run(TPTRACE, "dump", again).stdout == dump
    with open(path, "rb") as trace:
        assert reader.text_of(trace.read()) == dump.splitlines()
    counted = sum(int(n) for n in re.findall(r"^- w\d+ counter 0 (\d+)$", dump, re.M))
    report = tracing.report_of(TPTRACE, path)
    assert counted == report["counters"][0]["total"], (counted, report["counters"])
    for rows in ("kinds", "paths"):
        for i, name in enumerate(("page-faults", "cpu-time")):
            total = report["counters"][i]["total"]
            assert sum(row["counters"][name]["total"] for row in report[rows]) == total, (rows, name)
    for by in ("kind", "site", "path"):
        table = run(TPTRACE, "report", "--by", by, path).stdout
        assert f"counters by {by}" in table and re.search(r"page-faults +6\d\d\d +\d", table), table
        csv = run(TPTRACE, "report", "--by", by, "--csv", path).stdout.splitlines()
        assert csv[0].endswith(',"page-faults","cpu-time"'), csv[0]
        assert sum(int(line.rsplit(",", 2)[1]) for line in csv[1:]) == counted, csv
    half = tracing.report_of(TPTRACE, path, "--to", f"{report['elapsed_ns'] // 2}ns")
    assert 0 < half["counters"][0]["total"] < counted, half["counters"]


def check_names(folder):
    """Bad names are one line that lists what there is; what is missing is told of once, and the rest goes on."""
    path, program = os.path.join(folder, "names.tpt"), built(GOMP)
    for bad in ("nonsense", "page-faults,PAPI_NONSENSE_X", "page-faults,,x", "a" * 70, ",".join(["x"] * 9)):
        # a PAPI that is there, but has none of the kernel's events, knows its own names all the same
        known = "PAPI" not in bad or has_papi()
        done = run(TPTRACE, "record", "-o", path, "--counters", bad, "--", program, status=2 if known else None)
        if done.returncode:
            assert done.returncode == 2 and done.stderr.count("\n") == 1 and not os.path.exists(path), done.stderr
        else:
            assert "PAPI_NONSENSE_X" in done.stderr, done.stderr
            os.unlink(path)
    assert "page-faults, minor-faults" in run(TPTRACE, "record", "--counters", "nonsense", "--", "true",
                                              status=2).stderr
    for inside in ((), ("--inside",)):
        done = record(path, [program], *inside, "--counters", "PAPI_TOT_INS,minor-faults")
        told = [line for line in done.stderr.splitlines() if "PAPI_TOT_INS" in line]
        report = tracing.report_of(TPTRACE, path)
        names = [counter["name"] for counter in report["counters"]]
        if "PAPI_TOT_INS" in names:
            assert not told and not report["counters_missing"], done.stderr
        else:
            assert names == ["minor-faults"] and len(told) == 1, (names, done.stderr)
            assert report["counters_missing"].startswith("PAPI_TOT_INS: "), report["counters_missing"]
            assert "not counted: PAPI_TOT_INS" in run(TPTRACE, "report", path).stdout
        is_all(sums(report, "minor-faults")["touch"])
        os.unlink(path)
    # by hand, the process says it; a bad list counts nothing
    shim = os.path.join(BUILD, "libtpshim_omp.so")
    done = run(program, LD_PRELOAD=shim, TPTRACE_OUTPUT=path, TPTRACE_COUNTERS="nonsense", OMP_NUM_THREADS=2)
    assert "unknown counter `nonsense`" in done.stderr, done.stderr
    assert not tracing.report_of(TPTRACE, path)["counters"]


def has_papi():
    return "perf::" in run(TPTRACE, "record", "--counters", "nonsense", "--", "true", status=2).stderr


def check_papi(folder):
    """PAPI counts the same faults, on stacks of any size; no set and no descriptor is left."""
    if not has_papi():
        print("    skip counters of PAPI: not there, or it counts no page faults")
        return
    for runtime in runtimes.find(BUILD):
        if runtime.missing or runtime.key not in ("gomp", "tbb", "qth", "mth"):
            continue
        path = os.path.join(folder, f"papi-{runtime.key}.tpt")
        record(path, [built(runtime)], "--counters", "minor-faults,perf::MINOR-FAULTS",
               **runtime.environment(2, folder))
        report = tracing.report_of(TPTRACE, path)
        ours, theirs = (sums(report, name) for name in ("minor-faults", "perf::MINOR-FAULTS"))
        assert abs(ours["touch"] - theirs["touch"]) <= 2 * TASKS // 100, (runtime.key, ours, theirs)
        assert theirs["touch"] >= ALL, (runtime.key, theirs)


def check_threads(folder):
    """Threads that come and go: their memory, descriptors and counts."""
    counters = "page-faults,perf::MINOR-FAULTS" if has_papi() else "page-faults"
    path = os.path.join(folder, "200.tpt")
    few, many = (record(os.path.join(folder, f"{n}.tpt"), [PROGRAM, "threads", n], "--counters",
                        counters).stdout.split() for n in ("10", "200"))
    assert abs(int(many[0]) - int(few[0])) <= 4 and abs(int(many[1]) - int(few[1])) <= 8192, (few, many)
    report = tracing.report_of(TPTRACE, path)
    assert 200 * PAGES <= report["counters"][0]["total"] <= 200 * (PAGES + 60), report["counters"]


def check_fork(folder):
    """A forked child counts into a trace of its own."""
    counters = "page-faults,perf::MINOR-FAULTS" if has_papi() else "page-faults"
    record(os.path.join(folder, "fork.%p.tpt"), [PROGRAM, "fork"], "--counters", counters)
    totals = []
    for name in os.listdir(folder):
        if name.startswith("fork."):
            report = tracing.report_of(TPTRACE, os.path.join(folder, name))
            totals.append([counter["total"] for counter in report["counters"]])
    assert len(totals) == 2, totals
    for total in totals:
        assert all(100 * PAGES <= n <= 100 * PAGES + SLACK for n in total), totals


def check_kill(folder):
    """Counts of a program that is killed are there up to its death."""
    for inside in ((), ("--inside",)):
        path = os.path.join(folder, f"kill{len(inside)}.tpt")
        with subprocess.Popen([TPTRACE, "record", "-o", path, *inside, "--counters", "page-faults,cpu-time", "--",
                               PROGRAM, "forever"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=tracing.environment(OMP_NUM_THREADS=2)) as process:
            pid = int(process.stdout.readline())
            time.sleep(1)
            os.kill(pid, signal.SIGKILL)
            process.communicate(timeout=60)
        if inside:
            run(TPTRACE, "recover", path)
        report = tracing.report_of(TPTRACE, path)
        tasks = tracing.explicit(report)
        total = report["counters"][0]["total"]
        # the last 50 may not have begun
        assert tasks > 60 and (tasks - 54) * PAGES <= total <= tasks * PAGES + SLACK, (tasks, total)


def check_small_rings(folder):
    """A ring that is full at once: nothing is lost where workers wait, and counts never exceed what there was."""
    for overflow in ("flush", "drop"):
        path = os.path.join(folder, f"{overflow}.tpt")
        record(path, [PROGRAM, "fine"], "--buffer", "16K", "--overflow", overflow, "--counters",
               "page-faults,cpu-time,context-switches")
        report = tracing.report_of(TPTRACE, path, skewed=True)
        if overflow == "flush":
            assert report["events_lost"] == 0 and report["counters"][0]["total"] >= 2000, report["counters"]
        assert report["counters"][0]["total"] <= 2000 + SLACK, report["counters"]


def check_turns(folder):
    """What runs while the recording is stopped is not counted; tasks that are whole are."""
    path = os.path.join(folder, "turns.tpt")
    record(path, [PROGRAM, "turns"], "--counters", "page-faults")
    report = tracing.report_of(TPTRACE, path)
    total = report["counters"][0]["total"]
    assert 2 * 100 * PAGES <= total <= 2 * 100 * PAGES + SLACK, total


def check_last(folder):
    """The newest events keep their counts."""
    path = os.path.join(folder, "last.tpt")
    record(path, [PROGRAM, "fine"], "--keep", "last", "--max-size", "256K", "--counters", "page-faults,cpu-time")
    report = json.loads(run(TPTRACE, "report", "--json", path).stdout)
    assert 0 < report["counters"][0]["total"] <= 2000 + SLACK and report["events_lost"], report["counters"]


STACKS = {("once", "make"): 200, ("twice", "make"): 400, ("deep",) * 4 + ("make",): 200, ("sized", "make"): 200}


def stacks_of(report):
    """By the user's functions, the outermost first: how many tasks; and how many paths."""
    found, n = {}, 0
    for path in report["paths"]:
        names = [call["name"] for call in path["path"][-1].get("calls", [])]
        names = tuple(name for name in names if name in ("once", "twice", "deep", "sized", "make"))
        if names:
            found[names] = found.get(names, 0) + path["tasks"]
            n += 1
    return found, n


def check_callpaths(folder):
    """Each context has its stack, on each runtime; it is unwound once, and costs the tracer."""
    probe = record(os.path.join(folder, "probe.tpt"), [built(GOMP)], "--callpaths")
    if "not installed" in probe.stderr:
        print("    skip call paths: no libunwind")
        return
    for runtime in runtimes.find(BUILD):
        if runtime.missing or not runtime.nests or runtime.key == "cilk":  # which creates by calls of the program's
            continue
        path = os.path.join(folder, f"calls-{runtime.key}.tpt")
        program = runtimes.build_program(BUILD, runtime, "../counters/calls")
        record(path, [program], "--callpaths", **runtime.environment(2, folder))
        report = tracing.report_of(TPTRACE, path, "--callpaths")
        found, n = stacks_of(report)
        assert found == STACKS and n == 5, (runtime.key, n, found)
        dump = run(TPTRACE, "dump", path).stdout
        assert re.search(r"^- w\d+ tracer ", dump, re.M), "what it took is not told"
        with open(path, "rb") as trace:
            assert reader.text_of(trace.read()) == dump.splitlines(), runtime.key
        folded = run(TPTRACE, "report", "--folded", "all", "--callpaths", path).stdout
        assert sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()) == report["cumulative_ns"]
        assert re.search(r";sized \(calls\.c:\d+\);", folded), folded
        table = run(TPTRACE, "report", "--by", "path", "--callpaths", path).stdout
        assert "sized > make" in table or runtime.key != "gomp", table
    plain = os.path.join(folder, "plain.tpt")
    record(plain, [built(GOMP)])
    assert "no call paths" in run(TPTRACE, "report", "--callpaths", plain, status=1).stderr


def check_both(folder):
    """Call paths and counters of one run; a forked child numbers its paths anew; a full ring."""
    for name, options in (("fork", ()), ("fine", ("--buffer", "16K"))):
        record(os.path.join(folder, f"{name}.%p.tpt"), [PROGRAM, name], "--callpaths", "--counters", "page-faults",
               *options)
    for name in os.listdir(folder):
        report = tracing.report_of(TPTRACE, os.path.join(folder, name), "--callpaths", skewed=True)
        assert report["counters"][0]["total"] >= 100 * PAGES, report["counters"]
        assert any(path["path"][-1]["calls"] for path in report["paths"]), name


def check_diff(folder):
    """`diff` of two runs: what each side counted, by kind, place and path, and what only one of them counted."""
    paths = [os.path.join(folder, name) for name in ("one.tpt", "other.tpt")]
    for path, counters in zip(paths, ("page-faults,cpu-time", "context-switches,page-faults")):
        record(path, [built(GOMP)], "--counters", counters)
    got = json.loads(run(TPTRACE, "diff", "--json", *paths, status=None).stdout)
    assert not [*laws.wrong_counters(got)], [*laws.wrong_counters(got)]
    assert {c["name"]: c["delta"] is None for c in got["counters"]} == {
        "page-faults": False, "cpu-time": True, "context-switches": True}, got["counters"]
    for side in "ab":
        is_all(sum(kind[side]["counters"]["page-faults"]["total"] for kind in got["kinds"]
                   if kind[side] and LINES.get(kind["line"]) == "touch"))
    text = run(TPTRACE, "diff", *paths, status=None).stdout
    assert "counters by kind" in text and "cpu-time: only A counted it" in text, text


PROGRAM = os.path.join(BUILD, "counters", "program")
CHECKS = {name[6:]: check for name, check in list(globals().items()) if name.startswith("check_")}


def main():
    global GOMP
    GOMP = next(runtime for runtime in runtimes.find(BUILD) if runtime.key == "gomp")
    return frame.run("counters", ARGS, CHECKS.items())


if __name__ == "__main__":
    sys.exit(main())
