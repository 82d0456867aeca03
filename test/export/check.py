#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - exports are read back by what others wrote; counts and times are the report's, exactly."""
import argparse
import collections
import glob
import json
import os
import pty
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
import readers  # noqa: E402
import room  # noqa: E402
import traces  # noqa: E402
import tracing  # noqa: E402

FORMATS = ["perfetto", "sqlite", "csv", "chrome", "otf2", "graphml", "dot", "folded", "speedscope", "paje"]
GRAPHS = {"graphml": readers.graphml, "dot": readers.dot}
SLICES = {"perfetto": readers.perfetto, "chrome": readers.chrome, "otf2": readers.otf2, "paje": readers.paje,
          "speedscope": readers.speedscope}
SLOW = {"otf2", "paje", "dot"}  # to read: other programs do
GOLDEN_SLOW = 6  # of so many golden traces one is read from these, too
FOREVER = 120


class Check:
    def __init__(self, build, folder):
        self.tptrace, self.folder, self.build = os.path.join(build, "tptrace"), folder, build
        self.exports = 0

    def run(self, *arguments, status=0):
        done = subprocess.run([self.tptrace, *arguments], capture_output=True, timeout=FOREVER, check=False,
                              env=tracing.environment())
        assert done.returncode == status, (arguments, done.returncode, done.stderr)
        return done

    def report(self, path, *options):
        return json.loads(self.run("report", "--json", *options, path).stdout)

    def export(self, to, path, *options):
        """The new file or folder; what was said."""
        self.exports += 1
        out = os.path.join(self.folder, f"{self.exports}.{to}")
        said = self.run("export", "--to", to, "-o", out, *options, path).stderr.decode()
        assert re.search(r"\d+ tasks?, \d+ strands?", said), said
        return out, said


# ---- the trace by its text: an independent count ----

BEGINS = {"root", "begin", "member", "start", "resume"}
ENDS = {"create", "fork", "wait", "yield", "signal", "end"}


def text_counts(text):
    """Tasks and strands of a whole trace in which nothing is collapsed; their work, where times are ns."""
    tasks = strands = work = 0
    begun, last = {}, collections.defaultdict(list)
    for line in text.splitlines():
        word = line.split("#")[0].split()
        if len(word) < 3 or not word[0].isdigit() or word[1][0] != "w":
            continue
        tasks += word[2] in ("root", "create", "member")
        if word[2] in BEGINS:
            strands += 1
            begun[word[1]] = int(word[0])
        elif word[2] in ENDS:
            work += int(word[0]) - begun.pop(word[1])
        last[word[1]] = [*last[word[1]][-1:], word[2]]
        latest = last[word[1]]
    if begun and latest == ["yield", "resume"]:  # a root goes on when all is done: after the window
        strands -= 1
    return {"tasks": tasks, "strands": strands, "work_ns": work}


# ---- what must hold of each format ----

def expected(report, db):
    """What all formats must have: tasks that began, strands, work, arrows; collapsed ones are one of each."""
    one = lambda query: db.execute(query).fetchone()[0]  # noqa: E731
    return {
        "strands": one("SELECT count(*) FROM strand WHERE task IS NOT NULL"),
        "ns": one("SELECT ifnull(sum(end_ns - start_ns), 0) FROM strand WHERE task IS NOT NULL"),
        "starts": one("SELECT ifnull(sum(start_ns), 0) FROM strand WHERE task IS NOT NULL"),
        "tasks": {name for name, in db.execute("SELECT name FROM task WHERE begin_ns IS NOT NULL")},
        "ids": {number for number, in db.execute("SELECT id FROM task WHERE begin_ns IS NOT NULL")},
        "flows": one("""SELECT count(*) FROM task WHERE created_ns IS NOT NULL AND parent IS NOT NULL
                        AND begin_ns IS NOT NULL"""),
        "crossing": one("""SELECT count(*) FROM edge e JOIN strand a ON a.id = from_strand
                           JOIN strand b ON b.id = to_strand WHERE kind = 'create' AND a.worker <> b.worker"""),
        "kinds": {name for name, in db.execute("SELECT DISTINCT function FROM named_task WHERE begin_ns IS NOT NULL")},
        "events_lost": report["events_lost"],
    }


def check_tables(check, db, report, whole):
    """The database says what the report says."""
    rows = lambda query: db.execute(query).fetchall()  # noqa: E731
    collapsed, waits = (int(dict(rows("SELECT key, value FROM meta"))[f"collapsed_{word}"])
                        for word in ("tasks", "waits"))
    assert rows("SELECT count(*) FROM task") == [(report["tasks"] - collapsed,)], "tasks"
    assert rows("SELECT count(*) FROM strand WHERE task IS NOT NULL") == \
        [(report["strands"] - 2 * collapsed - waits,)], "strands"
    assert rows("SELECT ifnull(sum(collapsed), 0) FROM task") == [(collapsed,)] or not whole, "collapsed"
    assert rows("SELECT count(*) FROM steal") == [(report["steals"],)], "steals"
    assert rows("SELECT count(*) FROM strand WHERE move = 'migration'") == [(report["migrations"],)], "migrations"
    work = rows("SELECT ifnull(sum(work_ns), 0) FROM strand")[0][0]
    assert work == rows("SELECT ifnull(sum(work_ns), 0) FROM task")[0][0]
    # a strand that ran while nothing was recorded is whole here, and only in part in the report
    assert work == report["work_ns"] or work > report["work_ns"] and report["not_recorded"], (work, report["work_ns"])
    for column in ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns", "tasks", "blocked_ns", "tracer_ns"):
        want = sum(kind[column] for kind in report["kinds"])
        for table in ("kind", "path", "grain"):
            assert rows(f"SELECT sum({column}) FROM {table}") == [(want,)], (table, column)
    want = sum(spread["n"] for kind in report["kinds"] for spread in kind["distributions"].values())
    assert rows("SELECT ifnull(sum(n), 0) FROM distribution WHERE kind IS NOT NULL") == [(want,)], "distribution"
    for table, key in (("finding", "findings"), ("lock", "locks"), ("wait", "waits"), ("loss", "losses"), ("path", "paths")):
        found = rows(f"SELECT count(*) FROM {table} " + ("WHERE why <> 'stopped'" if table == "loss" else ""))
        assert found == [(len(report[key]),)], table
    check_states(rows, report)
    check_edges(rows)


def check_states(rows, report):
    seen = rows("SELECT count(DISTINCT worker) FROM interval")[0][0]
    if seen != report["workers"] or report["not_recorded"]:
        return
    got = dict(rows("SELECT state, sum(ns) FROM state_time GROUP BY state"))
    for state, charge in report["states"].items():
        assert got.get(state, 0) == sum(charge.values()), (state, got, charge)


def check_edges(rows):
    assert not rows("""SELECT * FROM edge e JOIN strand a ON a.id = e.from_strand JOIN strand b ON b.id = e.to_strand
                       WHERE a.end_ns > b.start_ns"""), "an edge runs backwards"
    assert not rows("""SELECT * FROM strand s WHERE released_by IS NOT NULL AND ready_ns <>
                       (SELECT max(f.end_ns) FROM edge e JOIN strand f ON f.id = e.from_strand
                        WHERE e.to_strand = s.id)
                       AND NOT (ready_ns = start_ns AND
                       ((SELECT ended_by FROM strand f WHERE f.id = s.released_by) IN ('message', 'device')
                        OR (SELECT parent IS NULL AND begin_ns = s.start_ns FROM task t WHERE t.id = s.task)))"""), \
        "a strand is ready when the last of its predecessors has ended, or when it goes on after a wait for what is outside"
    assert not rows("""SELECT * FROM task t WHERE begin_ns <> (SELECT min(start_ns) FROM strand WHERE task = t.id)
                       OR end_ns <> (SELECT max(end_ns) FROM strand WHERE task = t.id)
                       OR strands <> (SELECT count(*) FROM strand WHERE task = t.id)"""), "a task is its strands"
    assert not rows("SELECT * FROM task WHERE parent NOT IN (SELECT id FROM task)"), "a parent is a task"


def check_csv(check, db, folder):
    """The same rows as the database has."""
    tables = readers.csv_tables(folder)
    assert sorted(tables) == sorted(readers.table_names(db)), tables.keys()
    for name, rows in tables.items():
        of = db.execute(f"SELECT * FROM {name}")
        assert rows[0] == [column[0] for column in of.description], name
        want = [["" if value is None else str(value) for value in row] for row in of]
        assert sorted(rows[1:]) == sorted(want), name


def check_graph(check, to, path, db):
    """However far it is contracted, work and tasks add up, and each task is created once."""
    one = lambda query: db.execute(query).fetchone()[0]  # noqa: E731
    tasks, work = db.execute("SELECT count(*) + ifnull(sum(collapsed), 0), sum(work_ns) FROM task").fetchone()
    whole = GRAPHS[to](check.export(to, path, "--nodes", "0")[0])
    assert whole["of_one"] == {name for name, in db.execute("SELECT name FROM task")}, to
    for n in (0, 40, 5):
        got = whole if n == 0 else GRAPHS[to](check.export(to, path, "--nodes", str(n))[0])
        assert (got["tasks"], got["work"]) == (tasks, work), (to, n, got, tasks, work)
        assert n == 0 or got["nodes"] <= max(n, one("SELECT count(*) FROM task WHERE parent IS NULL")), (to, n, got)
        assert int(got["facts"]["tasks_exported"]) == one("SELECT count(*) FROM task"), got["facts"]
    roots = one("SELECT count(*) + sum(collapsed) FROM task WHERE parent IS NULL")
    assert whole["created"] == tasks - roots, (to, whole["created"], tasks, roots)
    assert whole["depends"] == one("""SELECT count(*) FROM edge JOIN strand a ON a.id = from_strand
        JOIN strand b ON b.id = to_strand WHERE kind = 'depend' AND a.task <> b.task"""), to


def check_slices(to, got, want):
    sums = readers.sums(got["slices"])
    assert (sums["strands"], sums["ns"], sums["starts"]) == (want["strands"], want["ns"], want["starts"]), (to, sums, want)
    if "tasks" in got:
        assert got["tasks"] in (want["tasks"], want["ids"]), (to, got["tasks"] ^ want["tasks"])
    for word in ("flows", "crossing"):
        if word in got:
            assert got[word] == want[word], (to, word, got[word], want[word])
    if "created" in got:
        assert got["created"] == len(want["tasks"]), (to, got["created"])
    if got["facts"]:
        assert int(got["facts"]["events_lost"]) == want["events_lost"], (to, got["facts"])
        assert {"tptrace", "clock", "overhead_ns", "tasks_left_out"} <= got["facts"].keys(), (to, got["facts"])
    counters = got.get("integrals") or {name: readers.integral(of) for name, of in got.get("counters", {}).items()
                                        if not name.startswith("events lost")}
    if counters:
        assert counters["running"] == want["ns"], (to, counters, want["ns"])
        held = [ns for name, ns in counters.items() if "held" in name]
        assert not held or sum(held) == counters["ready"], (to, counters)


def check_all(check, path, formats, whole=True):
    """All formats of a trace without a cut."""
    report = check.report(path)
    db = readers.sqlite(check.export("sqlite", path)[0])
    check_tables(check, db, report, whole)
    want = expected(report, db)
    for to in formats:
        out, said = check.export(to, path)
        assert bool(report["events_lost"]) == ("events were lost" in said), said
        if to in SLICES:
            check_slices(to, SLICES[to](out), want)
        elif to in GRAPHS:
            check_graph(check, to, path, db)
        elif to == "csv":
            check_csv(check, db, out)
        elif to == "folded":
            assert readers.folded(out) == report["work_ns"], (to, report["work_ns"])
    return report, db, want


# ---- stack samples ----

def samples(check):
    """All three formats have the stacks that the trace has, below the kinds, with the CPU time of report's rows."""
    part = "part (draws.c:10)", "part"
    want = {"code.txt": {(*part, "rand"): 20, (*part, "rand", "[kernel]"): 10, part: 30, ("main",): 10,
                         ("[idle]", "futex_wait"): 10},
            "code_collapsed.txt": {("k1", "k1"): 10, ("k2", "k2"): 10, ("k2", "k2", "lib"): 10}}
    for name, stacks in want.items():
        path = os.path.join(HERE, "..", "golden", "code", name)
        assert sum(row["cpu_ns"] for row in check.report(path)["code"]) == sum(stacks.values()), name
        for to, options, read in (("folded", ("--stacks", "code"), readers.folded_stacks), ("pprof", (), readers.pprof),
                                  ("speedscope", (), readers.speedscope_samples)):
            found = read(check.export(to, path, *options)[0])
            assert found == stacks, (name, to, found)
    path = os.path.join(HERE, "..", "golden", "code", "code.txt")
    found = readers.pprof(check.export("pprof", path, "--kind", "main")[0])
    assert found == {("main",): 10}, found
    none = os.path.join(HERE, "..", "golden", "report", "called.txt")
    assert b"no samples" in check.run("export", "--to", "pprof", none, status=1).stderr
    print(f"samples: {len(want)} traces")


# ---- golden, live and made traces ----

def golden(check):
    paths = sorted(glob.glob(os.path.join(HERE, "..", "golden", "report", "*.txt")))
    assert paths
    for i, path in enumerate(paths):
        formats = [to for to in FORMATS if to != "sqlite" and (to not in SLOW or i % GOLDEN_SLOW == 0)]
        try:
            report, _, _ = check_all(check, path, formats, whole=False)
            counts_by_text(path, report)
        except AssertionError as wrong:
            raise AssertionError(os.path.basename(path), *wrong.args) from wrong
    operations(check, os.path.join(os.path.dirname(paths[0]), "operations.txt"))
    print(f"golden: {len(paths)} traces")


def operations(check, path):
    """Of what a device did, the task waited for the second kernel; that may begin before the first one ends."""
    with open(path, encoding="utf-8") as file:
        beside = write(check, "beside.txt", file.read().replace("began 50\n", "began 100\n"))
    for to in ("perfetto", "chrome"):
        for trace, begin in ((path, 55), (beside, 5)):
            got = SLICES[to](check.export(to, trace)[0])["operations"]
            assert sorted(got) == [("device", "(unknown)", 102, 105), ("gpu", "copy", 100, 104),
                                   ("gpu", "kernel", 0, 15), ("gpu", "kernel", begin, 95, (95, "worker 1"))], (to, got)
    assert not SLICES["chrome"](check.export("chrome", path, "--from", "110ns")[0])["operations"]


def counts_by_text(path, report):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    special = r"^(whole|collapsed|- w\d+ (collapsed|lost|nowait|tracer)|\d+ w\d+ (discard|start))"
    plain = not re.search(special, text, re.M)
    if plain and "meta lost_events" not in text and report["tasks_begun"] == report["tasks_ended"]:
        want = text_counts(text)
        assert {key: report[key] for key in want} == want, want


def live(check):
    for runtime in ("omp", "tbb"):
        program = os.path.join(check.build, "export", f"tree-{runtime}")
        if not os.path.exists(program):
            print(f"skip export of {runtime}: its program cannot be built here")
            continue
        for collapse in ("off", "1ms"):
            path = os.path.join(check.folder, f"{runtime}-{collapse}.tpt")
            check.run("record", "-q", "--collapse", collapse, "-o", path, "--", program, "11")
            report, db, _ = check_all(check, path, FORMATS)
            collapsed = db.execute("SELECT sum(collapsed) FROM task").fetchone()[0]
            assert (collapsed > 0) == (collapse != "off"), (path, collapsed)
            if collapse == "off":
                counts = text_counts(check.run("dump", path).stdout.decode())
                assert (counts["tasks"], counts["strands"]) == (report["tasks"], report["strands"]), counts
                entries = questions(db)[10]  # of tree.c's critical section
                assert sum(row[4] for row in entries) == (64 if runtime == "omp" else 0), entries
            else:
                names_say_collapsed(check, path, db)
            print(f"{runtime}, collapse {collapse}: {report['tasks']} tasks, {collapsed} of them collapsed")
            if runtime == "omp":  # each member of its team runs something, which no worker of oneTBB has to
                cuts(check, path)
        questions(db)


def names_say_collapsed(check, path, db):
    want = {n for n, in db.execute("SELECT DISTINCT collapsed FROM task WHERE collapsed > 0")}
    for to in ("perfetto", "chrome", "speedscope"):
        got = SLICES[to](check.export(to, path)[0])["names"]
        said = {int(n) for name in got for n in re.findall(r"\((\d+) tasks collapsed\)$", name)}
        assert said == want, (to, got, want)


def questions(db):
    """The manual's: all run; some have answers that are known otherwise."""
    with open(os.path.join(HERE, "..", "..", "tools", "man", "tptrace-export.1"), encoding="utf-8") as file:
        section = re.search(r"^\.SH QUESTIONS\n(.*?)^\.SH", file.read(), re.M | re.S)[1]
    queries = re.findall(r"^\.nf\n(.*?)^\.fi", section, re.M | re.S)
    assert len(queries) == 12, len(queries)
    answers = [db.execute(query).fetchall() for query in queries]
    assert sum(row[2] for row in answers[2]) == db.execute("SELECT count(*) FROM steal").fetchone()[0]
    assert sum(row[1] for row in answers[7]) == db.execute("SELECT count(*) FROM task").fetchone()[0]
    assert sum(n * ns for n, ns in answers[8]) == \
        db.execute("SELECT sum(end_ns - start_ns) FROM strand WHERE task IS NOT NULL").fetchone()[0]
    return answers


def cuts(check, path):
    """What is left is what the whole has of it."""
    whole = readers.sqlite(check.export("sqlite", path)[0])
    starts = [ns for ns, in whole.execute("SELECT start_ns FROM strand WHERE task IS NOT NULL ORDER BY start_ns")]
    low, high = starts[len(starts) // 4], starts[len(starts) // 2]
    kinds = [name for name, in whole.execute("SELECT function FROM named_task GROUP BY function ORDER BY count(*)")]
    named = "SELECT id, task, worker, start_ns, end_ns FROM strand WHERE task IS NOT NULL "
    cases = [(("--worker", "1"), named + "AND worker = 1"),
             (("--kind", kinds[0]), named + "AND task IN (SELECT id FROM named_task WHERE function = ?)"),
             (("--top", "3"), named + "AND task IN (SELECT id FROM task ORDER BY work_ns DESC LIMIT 3)"),
             (("--from", f"{low}ns", "--until", f"{high}ns"),
              named + f"AND start_ns < {high} AND max(end_ns, start_ns + 1) > {low}")]
    if len(kinds) == 1:  # all others are collapsed: nothing would be left out
        del cases[1]
    for options, query in cases:
        want = whole.execute(query + " ORDER BY id", (kinds[0],) if "?" in query else ()).fetchall()
        assert want, options
        out, said = check.export("sqlite", path, *options)
        db = readers.sqlite(out)
        assert db.execute(named + " ORDER BY id").fetchall() == want, options
        assert "left out" in said, said
        facts = dict(db.execute("SELECT key, value FROM meta"))
        assert int(facts["strands_exported"]) == len(want) and int(facts["strands_left_out"]), facts
        check_edges_kept(whole, db)
        for to in SLICES:
            sums = readers.sums(SLICES[to](check.export(to, path, *options)[0])["slices"])
            assert (sums["strands"], sums["ns"]) == (len(want), sum(row[4] - row[3] for row in want)), (to, options)
        work = db.execute("SELECT sum(work_ns) FROM strand WHERE task IS NOT NULL").fetchone()[0]
        if "--from" in options:  # exactly the work in between, of strands that reach beyond it, too
            beyond = db.execute("SELECT max(0, ? - start_ns) + max(0, end_ns - ?), work_ns = end_ns - start_ns FROM strand "
                                "WHERE task IS NOT NULL AND (start_ns < ? OR end_ns > ?)", (low, high, low, high)).fetchall()
            if not all(plain for _, plain in beyond):  # collapsed: how much of it lies beyond is the report's to say
                continue
            work -= sum(ns for ns, _ in beyond)
        assert readers.folded(check.export("folded", path, *options)[0]) == work, options


def check_edges_kept(whole, db):
    kept = {number for number, in db.execute("SELECT id FROM strand")}
    want = [row for row in whole.execute("SELECT * FROM edge") if row[0] in kept and row[1] in kept]
    assert db.execute("SELECT * FROM edge").fetchall() == want


def made(check):
    text, names = traces.hostile()
    path = write(check, "hostile.txt", text)
    _, db, _ = check_all(check, path, FORMATS)
    assert {name for name, in db.execute("SELECT function FROM kind WHERE what = 'task'")} == set(names)
    for to, read in SLICES.items():
        got = read(check.export(to, path)[0])["names"]
        for name in names:
            want = name if to != "paje" else paje_name(name)
            assert any(found.startswith(want) for found in got), (to, name, got)
    for to, read in GRAPHS.items():
        got = read(check.export(to, path)[0])["names"]
        for name in names:
            assert any(found.startswith(graph_name(to, name)) for found in got), (to, name, got)
    check_all(check, write(check, "many.txt", traces.many_workers(1000)), FORMATS)
    check_all(check, write(check, "nothing.txt", traces.nothing()), FORMATS)
    for seed in range(40):
        formats = [to for to in FORMATS if to not in SLOW or seed < 3]
        check_all(check, write(check, f"turn{seed}.txt", traces.out_of_turn(seed)), formats)
    print("made: hostile names, 1000 workers, no task, slices out of turn")


def graph_name(to, name):
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]" if to == "graphml" else "[\x00-\x09\x0b-\x1f\x7f]", "\ufffd", name)


def paje_name(name):
    name = name.replace('"', "'")
    return re.sub("[\x00-\x1f\x7f]", "\ufffd", name)


def write(check, name, text):
    path = os.path.join(check.folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


# ---- the call and the output ----

def on_terminal(command):
    """The exit status, and what a terminal got."""
    master, slave = pty.openpty()
    with subprocess.Popen(command, stdout=slave, stderr=subprocess.PIPE, env=tracing.environment()) as process:
        os.close(slave)
        said = process.stderr.read().decode()
        try:
            got = os.read(master, 100)
        except OSError:
            got = b""
    os.close(master)
    return process.returncode, got, said


def calls(check):
    path = write(check, "few.txt", traces.hostile()[0])
    for to in ("perfetto",):
        status, got, said = on_terminal([check.tptrace, "export", "--to", to, "-o", "-", path])
        assert (status, got) == (2, b"") and "terminal" in said, (status, got, said)
        piped = check.run("export", "--to", to, "-o", "-", path).stdout
        with open(check.export(to, path)[0], "rb") as file:
            assert file.read() == piped
    for to in {"sqlite", "csv", "otf2"}.intersection(FORMATS):
        said = check.run("export", "--to", to, "-o", "-", path, status=2).stderr.decode()
        assert "standard output" in said, said
    for arguments in ((), ("--to", "xml"), ("--to", "chrome", "-o", "-", path, path), ("--to", "chrome", "--worker", "1-", path)):
        check.run("export", *arguments, status=2)
    for arguments in (("--kind", "none"), ("--worker", "77"), ("--from", "1h2"), ("--phase", "x")):
        status = 1 if "77" in arguments else 2
        said = check.run("export", "--to", "chrome", "-o", "/dev/null", *arguments, path, status=status).stderr.decode()
        assert status == 2 or said.endswith("nothing ran on --worker 77\n"), said
    empty = write(check, "empty.txt", "tptrace text 2\nclock ns\nruntime 0 name=x version=1 workers=1\n")
    said = check.run("export", "--to", "chrome", "-o", "-", empty, status=1).stderr.decode()
    assert "no task" in said, said
    room.full(check, FORMATS)
    outputs(check, path)
    damaged(check)
    late(check, path)
    print("calls: outputs, terminals, cuts that leave nothing, a damaged trace, libraries that are missing")


def damaged(check):
    """What a command makes of a part of the run is there, and is told of in a line."""
    whole, cut, out = (os.path.join(check.folder, name) for name in ("whole.tpt", "torn.tpt", "torn"))
    program = os.path.join(check.build, "export/tree-omp")
    check.run("record", "-q", "--collapse", "off", "-o", whole, "--", program, "11")
    with open(whole, "rb") as file, open(cut, "wb") as part:
        trace = file.read()
        part.write(trace[:-12])  # all tasks are there, and no end
    for command, *options in (("report",), ("export", "--to", "chrome", "-o", "/dev/null"), ("plot", "-o", out + ".svg"),
                              ("view", "-o", out + ".html"), ("simulate", "-P", "2")):
        for trace, n_said in ((whole, 0), (cut, 1)):
            said = check.run(command, *options, trace).stderr.decode()
            assert said.count("cut off") == n_said, (command, n_said, said)


def outputs(check, path):
    """A file takes another's place when it is whole; a full disk leaves what was there."""
    out = os.path.join(check.folder, "out")
    os.mkdir(out)
    for to in FORMATS:
        check.run("export", "--to", to, "-o", os.path.join(out, "x"), path)
        if os.path.isdir(os.path.join(out, "x")):
            said = check.run("export", "--to", to, "-o", os.path.join(out, "x"), path, status=1).stderr.decode()
            assert "not an empty directory" in said, said
            check.run("export", "--to", "chrome", "-o", os.path.join(out, "x"), path, status=1)
            os.rename(os.path.join(out, "x"), os.path.join(check.folder, f"kept.{to}"))
        else:
            check.run("export", "--to", to, "-o", os.path.join(out, "x"), path)
            os.unlink(os.path.join(out, "x"))
        check.run("export", "--to", to, "-o", os.path.join(out, "no", "x"), path, status=1)
        assert not os.listdir(out), os.listdir(out)
    if os.path.exists("/dev/full"):
        said = check.run("export", "--to", "chrome", "-o", "/dev/full", path, status=1).stderr.decode()
        assert "cannot write" in said, said
    by_default = subprocess.run([os.path.abspath(check.tptrace), "export", "--to", "perfetto", path], cwd=out,
                                capture_output=True, check=True)
    assert os.listdir(out) == ["few.pftrace"], (os.listdir(out), by_default)


LATE = re.compile(rb"lib(?:cairo|sqlite3|open-trace-format2)\.so[.0-9]*")


def late(check, path):
    """Each library of one command is loaded by it: where it cannot be, a line says so, and all else works."""
    folder, out = os.path.join(check.folder, "broken"), os.path.join(check.folder, "late")
    os.mkdir(folder)
    os.mkdir(out)
    with open(check.tptrace, "rb") as file:
        libraries = {name.decode() for name in LATE.findall(file.read())}
    for name in libraries:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("no library\n")
    linked = subprocess.run(["objdump", "-p", check.tptrace], capture_output=True, text=True, check=True).stdout
    assert "libdw" in linked and not LATE.search(linked.encode()), linked
    calls = [(["export", "--to", to], {"sqlite": "libsqlite3", "otf2": "libopen-trace-format2"}.get(to)) for to in FORMATS]
    calls += [(["plot"], None if end == "csv" else "libcairo", "." + end) for end in ("svg", "pdf", "png", "csv")]
    for call, library, *end in [*calls, (["view"], None), (["simulate", "-P", "2"], None)]:
        done = subprocess.run([check.tptrace, *call, "-o", os.path.join(out, "-".join(call + end)).replace("-.", "."), path], capture_output=True,
                              text=True, env=tracing.environment(LD_LIBRARY_PATH=folder), timeout=FOREVER, check=False)
        assert done.returncode == (2 if library else 0), (call, done)
        if library:
            assert done.stderr.count("\n") == 1 and f"/{library}.so" in done.stderr and "too short" in done.stderr, (call, done)
    assert len(os.listdir(out)) == len(calls) + 2 - len({"sqlite", "otf2"}.intersection(FORMATS)) - 3, os.listdir(out)


def leave_out(check, to):
    """A build without a format's library says so, in a line, and has all else."""
    done = subprocess.run([check.tptrace, "export", "--to", to, "-o", "x", "x"], capture_output=True, text=True, check=False)
    if f"this build has no {to}" not in done.stderr:
        return
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    FORMATS.remove(to)
    SLICES.pop(to, None)
    print(f"skip export to {to}: this build does not have it")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("parts", nargs="*", help="samples, golden, live, made, calls; all by default")
    args = parser.parse_args()
    with tracing.new_folder("tptrace-export-") as folder:
        check = Check(os.path.abspath(args.build), folder)
        for to in ("otf2", "sqlite"):
            leave_out(check, to)
        for part in args.parts or ["samples", "golden", "live", "made", "calls"]:
            {"samples": samples, "golden": golden, "live": live, "made": made, "calls": calls}[part](check)
        print(f"{check.exports} exports read back")
    return 0


if __name__ == "__main__":
    sys.exit(main())
