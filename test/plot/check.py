#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - pictures of traces with known answers: their marks and their csv are what `report --json` says."""
import argparse
import collections
import csv
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
REPORTS = os.path.join(HERE, "..", "golden", "report")
TRACES = ("fib3", "critical", "collapsed", "depend_chain", "flat_loop", "full_empty", "gap", "barrier_tasks", "tied_parent")
ONE = ("profile", "timelines", "histogram", "steals")
SEVERAL = ("breakdown", "states", "speedup")
COMPONENTS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")
STATES = ("running", "runtime", "blocked", "idle", "tracer")
POINTS = 72 / 25.4
HOSTILE = ("<img src=x>&amp;\"'", "</svg><script/>", "\u202egnp.exe\u202c", "red\x1b[31m", "\u0645\u0647\u0645\u0629", "no \udcff utf-8", "x" * 4000)


def trace_text(names, workers):
    """The first task of each worker but 0 creates nothing, and has one of these names."""
    lines = ["tptrace text 2", "clock ns", f"runtime 0 name=x version=1 workers={workers}"]
    for i, name in enumerate(names, 1):
        word = "".join(c if c.isascii() and c.isalnum() else "".join(f"%{byte:02x}" for byte in c.encode(errors="surrogateescape")) for c in name)
        lines.append(f"site {i} runtime=0 name={word} file={word[:9] if word.isalnum() else 'f'}.c line={i}")
    lines.append("0 w0 root 0.1")
    for i in range(1, workers):
        lines += [f"{100 * i} w0 create 0.{i + 1} site={1 + i % len(names)}", f"{100 * i + 10} w0 resume 0.1"]
    end = 100 * workers
    lines.append(f"{end} w0 wait children site=1")
    events = [(100 * i + 50, f"w{i} begin 0.{i + 1}") for i in range(1, workers)]
    events += [(100 * i + 70000, f"w{i} end") for i in range(1, workers)]
    lines += [f"{ns} {event}" for ns, event in sorted(events)]
    return "\n".join(lines + [f"{2 * end + 70000} w0 resume 0.1", f"{2 * end + 70100} w0 end"]) + "\n"


class Wrong(Exception):
    """What a check found."""


def same(what, found, want, off=0.0):
    if abs(found - want) > off:
        raise Wrong(f"{what}: {found}, not {want}")


def page_colours():
    """{name: [0xRRGGBB..]} of the page, on white."""
    text = open(os.path.join(ROOT, "tools/view/page/colours.js"), encoding="utf-8").read()
    text = text[text.index("const LIGHT"):text.index("const DARK")]
    found = {name: colour for name, colour in re.findall(r'(\w+): "(#\w{6})"', text)}
    return found, re.findall(r'"(#\w{6})"', re.search(r"kinds: \[(.*?)\]", text).group(1))


class Plot:
    def __init__(self, tptrace, folder):
        self.tptrace, self.folder = tptrace, folder

    def run(self, *words, status=0):
        done = subprocess.run([self.tptrace, "plot", *words], capture_output=True, check=False, timeout=60)
        if done.returncode != status:
            raise Wrong(f"plot {' '.join(words)}: status {done.returncode}, not {status}: {done.stderr.decode()}")
        return done.stderr.decode()

    def out(self, name):
        return os.path.join(self.folder, name)

    def report(self, path, *words):
        done = subprocess.run([self.tptrace, "report", "--json", *words, path], capture_output=True, check=True)
        return json.loads(done.stdout)

    def csv(self, what, *words):
        self.run("--what", what, "-o", self.out("x.csv"), *words)
        with open(self.out("x.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def areas(self, *words):
        """{colour: [(left, top, right, bottom)..]} of the filled paths of an svg, in points; and its size."""
        self.run(*words, "-o", self.out("x.svg"))
        root, areas = ElementTree.parse(self.out("x.svg")).getroot(), collections.defaultdict(list)
        for path in root.iter("{http://www.w3.org/2000/svg}path"):
            fill = re.search(r"rgb\(([\d.]+)%, ?([\d.]+)%, ?([\d.]+)%\)",  # of cairo 1.18, or older
                             path.get("fill") or "".join(re.findall(r"fill:[^;]*", path.get("style", ""))))
            number = [float(n) for n in re.findall(r"-?[\d.]+", path.get("d", ""))]
            if fill and number:
                colour = "#" + "".join(f"{round(float(part) * 2.55):02x}" for part in fill.groups())
                x, y = number[::2], number[1::2]
                areas[colour].append((min(x), min(y), max(x), max(y)))
        return areas, tuple(float(re.fullmatch(r"([\d.]+)pt", root.get(key))[1]) for key in ("width", "height"))


def columns(rows, *names):
    return [sum(int(row[name]) for row in rows) for name in names]


def state_sums(report):
    return [sum(report["states"][state].values()) for state in STATES]


def check_bars(plot, paths, reports, colours):
    """Rows of csv are those of the reports; widths of bars are in proportion to them, from top to bottom."""
    for what, names, want in (
            ("breakdown", COMPONENTS, [[r[c] for c in COMPONENTS] for r in reports]),
            ("states", [f"{s}_ns" for s in STATES], [state_sums(r) for r in reports])):
        rows = plot.csv(what, *paths)
        for row, path, numbers in zip(rows, paths, want, strict=True):
            if [int(row[n]) for n in names] != numbers or row["trace"] != path:
                raise Wrong(f"{what}: {row}, not {numbers}")
    # the key's squares come before the bars
    want = [[r[c] for c in COMPONENTS] for r in reports]
    areas, _ = plot.areas("--what", "breakdown", *paths)
    bars = [areas[colours[name]][1:] for name in ("work", "delay", "no_work_sched", "no_work_app")]
    scale = max(r["cumulative_ns"] for r in reports) / max(bar[2] - min(b[0] for part in bars for b in part) for part in bars for bar in part)
    for i, part in enumerate(bars):
        numbers = [row[i] for row in want if row[i]]
        if len(part) != len(numbers):
            raise Wrong(f"breakdown: {len(part)} bars of {COMPONENTS[i]}, not {len(numbers)}")
        for bar, number in zip(part, numbers):
            same(f"breakdown: a bar of {COMPONENTS[i]}", (bar[2] - bar[0]) * scale, number, scale * .01 + number * 1e-4)


def check_losses(plot, paths, reports):
    for row, report in zip(plot.csv("losses", *paths), reports, strict=True):
        same("losses: stretch", int(row["work_stretch_ns"]), report["work_ns"] - reports[0]["work_ns"])
        same("losses: delay", int(row["delay_ns"]), report["delay_ns"])
    plot.areas("--what", "losses", *paths)


def check_speedup(plot, paths, reports):
    base = min(reports, key=lambda r: r["workers"])
    told = [plot.report(path, "--bounds") for path in paths]
    burdened = min((r for r in told if r["bounds"]["migration_ns"] is not None), key=lambda r: r["workers"])
    for row, path, report in zip(plot.csv("speedup", *paths), paths, reports, strict=True):
        same("speedup: elapsed", int(row["elapsed_ns"]), report["elapsed_ns"])
        same("speedup: span", int(row["span_ns"]), report["span_ns"])
        same("speedup", float(row["speedup"]), base["work_ns"] / report["elapsed_ns"], 1e-6)
        same("speedup: bound", int(row["bound_ns"]), max(base["work_ns"] // report["workers"], base["span_ns"]))
        lower = [p for p in burdened["bounds"]["speedup"] if p["workers"] == report["workers"]]
        if lower:
            same("speedup: lower", float(row["cilkview_lower"]), lower[0]["lower"], .01)


def check_simulated(plot):
    """Points of --simulate are those of `tptrace simulate`; a trace that it wrote is not taken for a measured one."""
    path, virtual = os.path.join(REPORTS, "taskloop.txt"), plot.out("virtual.tpt")
    simulate = lambda *words: subprocess.run([plot.tptrace, "simulate", *words, path], capture_output=True, check=True).stdout
    simulate("-P", "1", "-o", virtual)
    points, report = json.loads(simulate("--json", "-P", "1,2,4,8"))["points"], plot.report(path)
    rows = plot.csv("speedup", "--simulate", "8,1,2,4", virtual, path)
    if [row["source"] for row in rows] != ["simulated", "measured"] + ["simulated"] * len(points):
        raise Wrong(f"simulated: {rows}")
    same("simulated: file", int(rows[0]["elapsed_ns"]), plot.report(virtual)["elapsed_ns"])
    for row, point in zip(rows[2:], points, strict=True):
        found = [int(row[key]) for key in ("workers", "elapsed_ns", "low_ns", "high_ns")]
        if found != [point[key] for key in ("workers", "elapsed_ns", "low_ns", "high_ns")]:
            raise Wrong(f"simulated: {row}, not {point}")
        same("simulated: speed-up", float(row["speedup"]), report["work_ns"] / point["elapsed_ns"], 1e-6)
    areas, _ = plot.areas("--what", "speedup", "--simulate", "1,2,4,8", virtual, path)
    same("simulated: marks", len(areas["#009e73"]), len(points) + 1)
    bounds = plot.report(path, "--bounds")["bounds"]
    same("Cilkview's range: areas, with the key's", len(areas["#fbe9c6"]), 2 if bounds["migration_ns"] is not None else 0)


def loop_text(n, workers, per=1000):
    """n tasks on so many workers, in turns, that a producer makes at once."""
    lines = ["0 w0 root 0.1"]
    for i in range(n):
        lines += [f"{i * 10} w0 create 0.{i + 2} site=1", f"{i * 10 + 10} w0 resume 0.1"]
    lines.append(f"{n * 10} w0 wait children site=1")
    for i in range(n):
        begin = n * 10 + i // workers * per
        lines += [f"{begin} w{i % workers} begin 0.{i + 2}", f"{begin + per} w{i % workers} end"]
    end = n * 10 + -(-n // workers) * per
    lines += [f"{end} w0 resume 0.1", f"{end + 1} w0 end"]
    return (f"tptrace text 2\nclock ns\nmeta exe /bin/loop\nmeta param n={n}\nruntime 0 name=x workers={workers}\n"
            "site 1 name=t file=t.c line=1\n" + "\n".join(lines) + "\n")


def check_predicted(plot):
    """Points of --predict are those of `tptrace predict`; only the largest size is shown."""
    paths = []
    for n in (8, 16, 32, 64):
        for workers in (1, 2):
            paths.append(plot.out(f"{n}-{workers}.tpt"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(loop_text(n, workers))
    at = [word for p in (1, 2, 4, 8) for word in ("--at", f"n=64,p={p}")]
    points = json.loads(subprocess.run([plot.tptrace, "predict", "--json", *at, *paths], capture_output=True, check=True).stdout)["predictions"]
    rows = plot.csv("speedup", "--predict", "8,1,2,4", *paths)
    if [row["source"] for row in rows] != ["measured"] * 2 + ["predicted"] * 4 or any(row["trace"] not in paths[-2:] for row in rows):
        raise Wrong(f"predicted: {rows}")
    for row, point in zip(rows[2:], points, strict=True):
        for key in ("elapsed_ns", "low_ns", "high_ns"):
            same(f"predicted: {key}", int(row[key]), point[key], 1)
        same("predicted: workers", int(row["workers"]), point["p"])
    areas, _ = plot.areas("--what", "speedup", "--predict", "1,2,4,8", "--simulate", "1,2", *paths)
    same("predicted: marks", len(areas["#7a3db8"]), 4)
    same("simulated beside predicted: marks", len(areas["#009e73"]), 2)
    for words, status, says in ((["--predict", "2", *paths[:6]], 1, "3 different n"), (["--predict", "128", *paths], 1, "p=128 is too far"),
                                (["--predict", "0", *paths], 2, "--predict takes"), (["--predict", "2", "--to", "5ns", *paths], 2, "whole runs")):
        told = plot.run("--what", "speedup", "-o", plot.out("refused.svg"), *words, status=status)
        if told.count("\n") > 2 or says not in told or os.path.exists(plot.out("refused.svg")):
            raise Wrong(f"{words}: {told!r}")


def check_profile(plot, path, report):
    rows = plot.csv("profile", path)
    found = columns(rows, *(f"{s}_ns" for s in STATES))
    if found != state_sums(report):
        raise Wrong(f"profile: {found}, not {state_sums(report)}")
    same("profile: begin", int(rows[0]["from_ns"]), 0)
    same("profile: end", int(rows[-1]["to_ns"]), report["elapsed_ns"])


def check_timelines(plot, path, report, colours, kinds):
    rows = plot.csv("timelines", path)
    sums = collections.Counter()
    for row in rows:
        if int(row["to_ns"]) > report["elapsed_ns"] or int(row["ns"]) > int(row["to_ns"]) - int(row["from_ns"]):
            raise Wrong(f"timelines: {row}")
        sums[row["state"]] += int(row["ns"])
    collapsed = "collapsed" in path
    same("timelines: running", sums["running"], report["work_ns"])
    for state, want in zip(STATES, state_sums(report)):
        if state in ("runtime", "blocked", "tracer") and not collapsed:
            same(f"timelines: {state}", sums[state], want)
    # areas of kinds and other kinds are their work: of the page's colours, without the key's squares
    areas, _ = plot.areas("--what", "timelines", "--height", "150", path)
    row = areas[colours["idle"]][1]
    whole = (row[2] - row[0]) * (row[3] - row[1]) / report["elapsed_ns"]
    found = sum((b[2] - b[0]) * (b[3] - b[1]) for colour in [*kinds, colours["others"]] for b in areas[colour][1:])
    same(f"timelines: area of work, in ns", found / whole, report["work_ns"], report["work_ns"] * .002 + report["elapsed_ns"] * 1e-3)


def check_cut(plot, path, report):
    """Pictures of a part of the run have the numbers that the report of that part has."""
    cut = ("--from", f"{report['elapsed_ns'] // 4}ns", "--to", f"{report['elapsed_ns'] * 2 // 3}ns")
    want = plot.report(path, *cut)
    rows = plot.csv("profile", *cut, path)
    if columns(rows, *(f"{s}_ns" for s in STATES)) != state_sums(want):
        raise Wrong(f"profile of a part: not {state_sums(want)}")
    sums = collections.Counter()
    for row in plot.csv("timelines", *cut, path):
        if not want["selected"][0][0] <= int(row["from_ns"]) < int(row["to_ns"]) <= want["selected"][0][1]:
            raise Wrong(f"timelines of a part: {row}")
        sums[row["state"]] += int(row["ns"])
    if "collapsed" not in path:
        same("timelines of a part: running", sums["running"], want["work_ns"])
        same("timelines of a part: blocked", sums["blocked"], sum(want["states"]["blocked"].values()))
    row, = plot.csv("breakdown", *cut, path)
    if [int(row[c]) for c in COMPONENTS] != [want[c] for c in COMPONENTS]:
        raise Wrong(f"breakdown of a part: {row}")
    if [{key: int(value) for key, value in row.items()} for row in plot.csv("steals", *cut, path)] != want["steal_pairs"]:
        raise Wrong(f"steals of a part: not {want['steal_pairs']}")


def check_phase(plot):
    """A phase that is not one stretch of time."""
    path = os.path.join(REPORTS, "stopped.txt")
    want = plot.report(path, "--phase", "two")
    rows = [row for row in plot.csv("timelines", "--phase", "two", path) if row["state"] == "running"]
    same("phase: running", sum(int(row["ns"]) for row in rows), want["work_ns"])
    if not all(any(a <= int(r["from_ns"]) and int(r["to_ns"]) <= b for a, b in want["selected"]) for r in rows):
        raise Wrong(f"phase: {rows}, selected is {want['selected']}")
    if "has no phase" not in plot.run("--phase", "none", "-o", plot.out("x.svg"), path, status=2):
        raise Wrong("phase: an unknown one")


def check_arcs(plot, path, report):
    """As many as the report counts, between its pairs of workers, and after as much time."""
    rows = [row for row in plot.csv("timelines", "--arcs", "steals,leaps,migrations", path) if row["from_worker"]]
    n = collections.Counter(row["state"] for row in rows)
    if (n["steals"] + n["leaps"], n["leaps"], n["migrations"]) != (report["steals"], report["leaps"], report["migrations"]):
        raise Wrong(f"arcs: {dict(n)}")
    pairs = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        if row["state"] != "migrations":
            pairs[int(row["worker"]), int(row["from_worker"])][0] += 1
            pairs[int(row["worker"]), int(row["from_worker"])][1] += int(row["ns"])
    if dict(pairs) != {(p["thief"], p["victim"]): [p["steals"], p["ready_ns"]] for p in report["steal_pairs"]}:
        raise Wrong(f"arcs: {dict(pairs)}")
    steals = [row["state"] for row in plot.csv("timelines", "--arcs", "steals", path) if row["from_worker"]]
    same("arcs: leaps are steals, too", len(steals), report["steals"])
    areas, _ = plot.areas("--what", "timelines", "--arcs", "leaps", path)
    same("arcs: leaps that are drawn", len(areas["#c800c8"]), report["leaps"])


def check_histogram(plot, path, report):
    want = sum(n for kind in report["kinds"] for _, n in kind["distributions"].get("work", {"buckets": []})["buckets"])
    rows = plot.csv("histogram", path)
    same("histogram: tasks", columns(rows, "tasks")[0], want)
    powers = collections.Counter()
    for kind in report["kinds"]:
        for least, n in kind["distributions"].get("work", {"buckets": []})["buckets"]:
            powers[1 << int(math.log2(least)) if least else 0] += n
    found = collections.Counter()
    for row in rows:
        found[int(row["from_ns"])] += int(row["tasks"])
    if powers != found:
        raise Wrong(f"histogram: {found}, not {powers}")


def check_steals(plot, path, report):
    rows = [{key: int(value) for key, value in row.items()} for row in plot.csv("steals", path)]
    if rows != report["steal_pairs"]:
        raise Wrong(f"steals: {rows}, not {report['steal_pairs']}")
    same("steals: all", sum(row["steals"] for row in rows), report["steals"])
    if not rows:
        return
    # a square of each pair that has the most; on paper with no room for numbers, one of the key as well
    most = sum(row["steals"] == rows[0]["steals"] for row in rows)
    for width, squares in (("400", most), ("25", most + 1)):
        areas, _ = plot.areas("--what", "steals", "--width", width, path)
        same(f"steals: darkest squares, {width} mm wide", len(areas["#0072b2"]), squares)


def streams(data):
    """Of a pdf, what it has compressed: since cairo 1.18 pages, too."""
    found = b""
    for begin in re.finditer(rb"stream\r?\n", data):
        try:
            found += zlib.decompressobj().decompress(data[begin.end():])
        except zlib.error:  # the end of one, or not compressed
            pass
    return found


def check_formats(plot, path):
    size = ("--width", "100", "--height", "60", "--font-size", "6", "--font", "DejaVu Serif")
    _, (width, height) = plot.areas(*size, path)
    same("svg: width", width, 100 * POINTS, .01)
    same("svg: height", height, 60 * POINTS, .01)
    plot.run(*size, "--dpi", "254", "-o", plot.out("x.png"), path)
    data = open(plot.out("x.png"), "rb").read()
    if data[:8] != b"\x89PNG\r\n\x1a\n" or struct.unpack(">II", data[16:24]) != (1000, 600) or b"IEND" not in data[-12:]:
        raise Wrong("png: header, size or end")
    plot.run(*size, "-o", plot.out("x.pdf"), path)
    data = open(plot.out("x.pdf"), "rb").read()
    box = re.search(rb"/MediaBox \[ ?([\d. ]+)\]", data + streams(data))
    if not data.startswith(b"%PDF-1.") or b"%%EOF" not in data[-16:] or not box:
        raise Wrong("pdf: header or end")
    same("pdf: width", float(box.group(1).split()[2]), 100 * POINTS, .01)


def check_special(plot):
    """Names that could be markup, or cannot be drawn; 1,000 workers; a task alone, and none."""
    for name, text in (("<&>\x1b\u202e", trace_text(HOSTILE, 9)), ("many", trace_text("f", 1000))):
        path = plot.out(name + ".tpt")
        open(path, "w", encoding="utf-8").write(text)
        for what in ONE + SEVERAL:
            plot.areas("--what", what, path)
            if b"\x1b" in open(plot.out("x.svg"), "rb").read():
                raise Wrong(f"{what}: ESC in the svg")
    report = plot.report(plot.out("many.tpt"))
    check_profile(plot, plot.out("many.tpt"), report)
    same("timelines: rows", len({row["worker"] for row in plot.csv("timelines", plot.out("many.tpt"))}), 1000)
    plot.areas("--what", "breakdown", *[os.path.join(REPORTS, "fib3.txt")] * 60)
    for name, status in (("root_alone", 0), ("none", 1)):
        root = "0 w0 root 0.1\n10 w0 end\n" if status == 0 else ""
        open(plot.out(name), "w", encoding="utf-8").write("tptrace text 2\nclock ns\nruntime 0 name=x version=1 workers=2\n" + root)
        for what in ONE + SEVERAL:
            told = plot.run("--what", what, "-o", plot.out("none.svg"), plot.out(name), status=status)
            if status and (told.count("\n") != 1 or os.path.exists(plot.out("none.svg"))):
                raise Wrong(f"no task: {told!r}")
            if not status:
                os.remove(plot.out("none.svg"))


def check_no_time(plot):
    """A run that took no time, as a clock may say: pictures are empty, and there."""
    path = plot.out("no_time.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("tptrace text 2\nclock ns\nruntime 0 name=x version=1 workers=2\n5 w0 root 0.1\n5 w0 end\n")
    for what in (*ONE, *SEVERAL):
        for end in ("svg", "csv"):
            out = plot.out(f"no_time_{what}.{end}")
            plot.run("--what", what, "-o", out, path)
            if not os.path.getsize(out):
                raise Wrong(f"{out} is empty")


def check_calls(plot, path):
    """One line, status 2, and no file."""
    out = plot.out("call.svg")
    for words in (["--what", "nothing", "-o", out, path], ["--width", "0", "-o", out, path], ["--width", "nan", "-o", out, path],
                  ["--height", "1e9", "-o", out, path], ["--font-size", "-3", "-o", out, path], ["--dpi", "x", "-o", out, path],
                  [path], ["-o", plot.out("x.gif"), path], ["-o", plot.out("x"), path], ["-o", out, path, path],
                  ["--what", "losses", "-o", out, path], ["-o", plot.out("call.csv"), "--csv", "y.csv", path],
                  ["--arcs", "steals", "-o", out, path], ["--simulate", "2", "-o", out, path], ["--what", "speedup", "--simulate", "0", "-o", out, path],
                  ["--what", "speedup", "--simulate", "2", "--to", "5ns", "-o", out, path], ["--what", "timelines", "--arcs", "steals,", "-o", out, path],
                  ["--what", "timelines", "--arcs", "steals", "-o", out, path, path],
                  ["--from", "soon", "-o", out, path], ["--from", "5s", "--to", "1s", "-o", out, path]):
        told = plot.run(*words, status=2)
        if told.count("\n") > 2 or not told.startswith("tptrace") or os.path.exists(out):
            raise Wrong(f"{words}: {told!r}")
    told = plot.run("-o", plot.out("no/x.svg"), path, status=1)
    if told.count("\n") != 1 or "no/x.svg" not in told:
        raise Wrong(f"no folder: {told!r}")


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def held(plot, path, ignored=None):
    """One that has written its numbers, and waits before they get their name; a job of a shell ignores some signals."""
    def decide():
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN if number == ignored else signal.SIG_DFL)

    env = dict(os.environ, LD_PRELOAD=plot.out("hold.so"), HOLD=plot.out("go"))
    run = subprocess.Popen([plot.tptrace, "plot", "-o", plot.out("slow.csv"), path], env=env,
                           preexec_fn=decide)
    while run.poll() is None and not any(name.startswith("slow.csv.part") for name in os.listdir(plot.folder)):
        time.sleep(0.005)
    time.sleep(0.05)
    return run


def check_signals(plot, path):
    """One that is ended leaves nothing; a signal that it was told to ignore does not end it."""
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", os.path.join(HERE, "hold.c"), "-o", plot.out("hold.so"), "-ldl"], check=True)
    before = set(os.listdir(plot.folder))
    for number in ENDING:
        run = held(plot, path)
        run.send_signal(number)
        if run.wait(60) != -number or set(os.listdir(plot.folder)) != before:
            raise Wrong(f"signal {number}: {run.returncode}, {set(os.listdir(plot.folder)) - before}")
    run = held(plot, path, ignored=signal.SIGHUP)
    run.send_signal(signal.SIGHUP)
    open(plot.out("go"), "wb").close()
    if run.wait(60) != 0 or set(os.listdir(plot.folder)) - before != {"slow.csv", "go"}:
        raise Wrong(f"an ignored signal: {run.returncode}, {set(os.listdir(plot.folder)) - before}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    tptrace = os.path.abspath(os.path.join(parser.parse_args().build, "tptrace"))
    colours, kinds = page_colours()
    with tempfile.TemporaryDirectory() as folder:
        plot, at = Plot(tptrace, folder), "all"
        paths = [os.path.join(REPORTS, name + ".txt") for name in TRACES]
        try:
            reports = [plot.report(path) for path in paths]
            for at, path, report in zip(TRACES, paths, reports):
                check_profile(plot, path, report)
                check_timelines(plot, path, report, colours, kinds)
                check_histogram(plot, path, report)
                check_steals(plot, path, report)
                check_cut(plot, path, report)
                check_arcs(plot, path, report)
                for what in ONE:
                    plot.areas("--what", what, path)
            at = "several traces"
            check_bars(plot, paths, reports, colours)
            check_losses(plot, paths, reports)
            check_speedup(plot, paths, reports)
            check_simulated(plot)
            check_predicted(plot)
            at = "one trace"
            check_phase(plot)
            check_formats(plot, paths[0])
            check_no_time(plot)
            check_calls(plot, paths[0])
            at = "signals"
            check_signals(plot, paths[0])
            at = "special traces"
            check_special(plot)
        except Wrong as wrong:
            print(f"plot: {at}: {wrong}")
            return 1
    print(f"plot: {len(TRACES)} traces, {len(ONE + SEVERAL) + 1} pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
