#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""small.py [--build DIR] - what `tptrace diff` says of small traces, worked out by hand."""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
import frame  # noqa: E402
import texts  # noqa: E402
HEAD = "tptrace text 2\nclock ns\nruntime 0 name=x version=1 workers=2\n"


def serial(sites, *lengths):
    """main on worker 0 creates a task of each site in turn; each of them runs on worker 1."""
    text = HEAD + "".join(f"site {i} {site}\n" for i, site in enumerate(sites, 1)) + "0 w0 root 0.1\n"
    now = 10
    for i, length in enumerate(lengths, 1):
        text += f"{now} w0 create 0.{i + 1} site={i}\n{now} w0 resume 0.1\n{now} w1 begin 0.{i + 1}\n{now + length} w1 end\n"
        now += length + 1
    return text + f"{now} w0 wait children site=99\n{now} w0 resume 0.1\n{now + 1} w0 end\n"


def team(creators):
    """The members of a team of two create a task each time that they are named."""
    text = HEAD + "site 1 name=m\nsite 2 name=T\n0 w0 root 0.1\n10 w0 fork 0.2 site=1 team\n" \
        "10 w0 member 0.3 of 0.2\n10 w1 member 1.1 of 0.2\n"
    made, now, own = [], 20, [3, 1]
    for w in creators:
        own[w] += 1
        made.append(f"{w}.{own[w]}")
        text += f"{now} w{w} create {made[-1]} site=2\n{now} w{w} resume {('0.3', '1.1')[w]}\n"
        now += 10
    text += f"{now} w0 wait team site=9\n{now} w1 wait team site=9\n"
    for task in made:
        text += f"{now} w0 begin {task}\n{now + 5} w0 end\n"
        now += 5
    return text + f"{now} w0 resume 0.3\n{now} w1 resume 1.1\n{now} w0 end\n{now} w1 end\n{now} w0 resume 0.1\n" \
        f"{now + 1} w0 end\n"


class Lab(texts.Texts):
    def __init__(self, tptrace, folder):
        super().__init__(folder)
        self.tptrace = tptrace

    def diff(self, *sides, options=()):
        paths = [",".join(self.put(text) for text in ([side] if isinstance(side, str) else side)) for side in sides]
        done = subprocess.run([self.tptrace, "diff", "--json", *options, *paths], capture_output=True, text=True)
        assert done.returncode in (0, 1), done
        return json.loads(done.stdout)

    def rows(self, *sides):
        """{lines: work in A and B} of all kinds but main."""
        return sorted((row["name"], row["a"] and row["a"]["work_ns"], row["b"] and row["b"]["work_ns"])
                      for row in self.diff(*sides)["kinds"] if row["name"] != "main")


def test_matches(lab):
    moved = lab.rows(serial(["name=f file=old.c line=5"], 10), serial(["name=f file=new.c line=50"], 20))
    assert moved == [("f", 10, 20)], moved
    pairs = lab.rows(serial(["name=f file=a.c line=10", "name=f file=a.c line=20"], 10, 30),
                     serial(["name=f file=a.c line=15", "name=f file=a.c line=25"], 20, 40))
    assert pairs == [("f", 10, 20), ("f", 30, 40)], pairs
    few, many = [[f"name=f file=a.c line={line}" for line in lines]
                 for lines in ((10, 14), (14, 17))]
    stayed = lab.rows(serial(few + few[1:] * 9, *[10] * 11), serial(many + many[:1] * 9, *[10] * 11))
    assert stayed == [("f", 10, 10), ("f", 100, 100)], stayed
    by_line = lab.rows(serial(["name=f file=a.c line=10", "name=f file=a.c line=20"], 10, 30),
                       serial(["name=f file=a.c line=20"], 40))
    assert sorted(map(str, by_line)) == ["('f', 10, None)", "('f', 30, 40)"], by_line
    renamed = lab.rows(serial(["name=f file=a.c line=10"], 10), serial(["name=g file=a.c line=10"], 30))
    assert renamed == [("g", 10, 30)], renamed
    others = lab.rows(serial(["name=f file=a.c line=10"], 10), serial(["name=g file=a.c line=11"], 30))
    assert others == [("f", 10, None), ("g", None, 30)], others


def test_median(lab):
    """The figures are those of the middle run, by elapsed time; of two, the shorter one's."""
    runs = [serial(["name=f"], length) for length in (300, 100, 200)]
    got = lab.diff(runs, runs[:2])
    assert (got["a"]["elapsed_ns"], got["b"]["elapsed_ns"]) == (212, 112), got["sides"]
    assert got["sides"][0]["interval"]["elapsed_ns"] == [112, 312]
    assert got["verdict"] == "same" and got["noise"]["elapsed_ns"] == "within"
    apart = lab.diff(runs, [serial(["name=f"], length) for length in (500, 400)])
    assert apart["verdict"] == "worse" and apart["noise"]["elapsed_ns"] == "beyond"
    assert lab.diff(runs[0], runs[1])["noise"]["elapsed_ns"] == "unknown"


def test_calls(lab):
    """Runs of one side that were called in several ways are told, as their range is more than noise."""
    def called(how, length):
        return serial(["name=f"], length).replace("clock ns", f"clock ns\nmeta command {how}", 1)

    def text(*sides):
        paths = [",".join(lab.put(run) for run in side) for side in sides]
        done = subprocess.run([lab.tptrace, "diff", *paths], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done
        return " ".join(done.stdout.split())

    one, other = called("./x%201", 100), called("./x%202", 300)
    for sides, said in ((([one, other, one], [one, one]), ["3 runs of A were called in 2 ways, like ./x 1 and ./x 2:"]),
                        (([one], [other]), []), (([one, one], [other]), []),
                        (([other], [one, other]), ["2 runs of B were called in 2 ways, like ./x 1 and ./x 2:"])):
        got = text(*sides)
        assert got.count("called in") == len(said) and all(words in got for words in said), (sides, got)
    words = text([spread(1, 10, 10), spread(2, 10, 10)])
    assert ", 1 worker:" in words and ", 2 workers:" in words and " on 2 workers, " in words, words


def test_long_names(lab):
    """A name that is cut is cut between its characters, whatever their bytes."""
    for more in ("", " file=a.c line=7"):
        for shift in ("", "x"):
            name = shift + "%C3%A9" * 90
            paths = [lab.put(serial([f"name={name}{more}"], length)) for length in (100, 300)]
            said = subprocess.run([lab.tptrace, "diff", *paths], capture_output=True, check=False).stdout.decode()
            assert "\u00e9.." in said and "?" not in said, said


def test_threshold(lab):
    a, b = serial(["name=f"], 88), serial(["name=f"], 93)  # 100 ns, 105 ns
    for percent, verdict in ((4.9, "worse"), (5, "same"), (6, "same")):
        assert lab.diff(a, b, options=["--threshold", str(percent)])["verdict"] == verdict, percent
    assert lab.diff(b, a, options=["--threshold", "4"])["verdict"] == "better"


def test_lineage(lab):
    """Tasks of a team that one member creates are matched, whoever it is; if several do, without a barrier, they are chance."""
    for creators, matched in (([0, 0, 0], 3), ([1, 1, 1], 3), ([0, 1, 0], 0), ([1, 0, 1], 0)):
        got = lab.diff(team(creators), team(creators))["lineage"]
        assert (got["matched"]["tasks"], got["tasks_a"]) == (matched, 3), (creators, got)
    other = lab.diff(team([0, 0, 0]), team([1, 1, 1]))["lineage"]
    assert other["matched"]["tasks"] == 3, other
    kinds = lab.diff(serial(["name=f line=1 file=a.c"], 10), serial(["name=g line=2 file=a.c"], 10))["lineage"]
    assert (kinds["matched"]["tasks"], kinds["other_kind"]) == (0, 1), kinds
    longer = lab.diff(serial(["name=f"], 10), serial(["name=f"], 40))["lineage"]
    assert longer["most"][0]["lineage"] == "R-1" and longer["matched"]["stretch"] == 4, longer
    assert longer["stolen"]["tasks"] == 1
    (task,) = [row for row in lab.diff(serial(["name=f"], 10), serial(["name=f"], 40))["kinds"] if row["name"] == "f"]
    assert task["stolen"] == {"tasks": 1, "work_a_ns": 10, "work_b_ns": 40, "stretch": 4} and not task["local"]["tasks"]


def test_waits(lab):
    """Who waited for the lock of a golden trace, and along which path tasks were created; against a run without it."""
    with open(os.path.join(HERE, "../golden/report/critical.txt"), encoding="utf-8") as f:
        critical = f.read()
    for sides, sign in (((critical, serial(["name=t"], 30)), -1), ((serial(["name=t"], 30), critical), 1)):
        got = lab.diff(*sides)
        (lock,) = got["locks"]
        assert (lock["name"], lock["what"], lock["file"], lock["line"]) == ("critical", "lock", "orders.c", 14), lock
        assert lock["delta"] == {"times": sign * 3, "wait_ns": sign * 82}, lock
        assert lock["b" if sign < 0 else "a"] is None and lock["a" if sign < 0 else "b"]["wait_ns"] == 82, lock
        (path,) = [row for row in got["paths"] if row["name"] == "main > t"]
        assert path["delta"]["work_ns"] == sign * (4 * 32 - 30) and path["delta"]["tasks"] == sign * 3, path
        assert {row["name"] for row in got["waits"]} == {"waits", "children"}, got["waits"]


def test_many(lab):
    """Two processes of one job, each with 2000 kinds, half of them in both; then all of them renamed, each in its line."""
    n = 2000

    def job(letter, first):
        sites = [f"name={letter}{i} file=a.c line={i + 1}" for i in range(first, first + n)]
        return serial(sites, *(1 + i % 97 for i in range(first, first + n))).replace("clock ns", "clock ns\nmeta job one", 1)

    want = {i: (1 + i % 97) * ((i < n) + (i >= n // 2)) for i in range(n * 3 // 2)}
    for letter in "fg":
        got = lab.diff([job("f", 0), job("f", n // 2)], [job(letter, 0), job(letter, n // 2)])
        rows = [row for row in got["kinds"] if row["name"] != "main"]
        assert len(rows) == len(want) and len(got["sides"]) == 2 and got["sides"][0]["processes"] == 2, len(rows)
        for row in rows:
            i = int(row["name"][1:])
            assert row["name"][0] == letter and row["line"] == i + 1, row
            assert row["a"]["work_ns"] == row["b"]["work_ns"] == want[i], (row, want[i])


def test_same_hash(lab):
    """Two kinds whose names and lines have one hash (FNV-1a of the names differs by what the lines do)."""
    alike = ["name=f386014 file=a.c line=147244087", "name=f329161 file=a.c line=1"]
    one, other = (serial(alike, *ns).replace("clock ns", "clock ns\nmeta job one", 1) for ns in ((10, 20), (30, 40)))
    rows = lab.rows([one, other], one)
    assert rows == [("f329161", 60, 20), ("f386014", 40, 10)], rows


def spread(workers, *lengths, more=""):
    """main creates tasks of f and g by turns, waits, and the workers take them by turns."""
    text = f"tptrace text 2\nclock ns\nruntime 0 name=x version=1 workers={workers}\nsite 1 name=f file=a.c line=1\n" \
        f"site 2 name=g file=a.c line=2\n{more}0 w0 root 0.1\n"
    for i in range(len(lengths)):
        text += f"10 w0 create 0.{i + 2} site={1 + i % 2}\n10 w0 resume 0.1\n"
    text += "11 w0 wait children site=99\n"
    now = [11] * workers
    for i, length in enumerate(lengths):
        w = i // 2 % workers
        text += f"{now[w]} w{w} begin 0.{i + 2}\n{now[w] + length} w{w} end\n"
        now[w] += length
    return text + f"{max(now)} w0 resume 0.1\n{max(now) + 1} w0 end\n"


def test_work_stretch(lab):
    """Tasks that work longer on two workers than on one are named, with how much; what has other causes is not."""
    one, two = spread(1, *[100, 50] * 4), spread(2, *[250, 50] * 4)
    got = lab.diff(one, two)["work_stretch"]
    assert (got["name"], got["share"]) == ("f", 1), got
    assert got["kind"] == {"tasks": 4, "work_a_ns": 400, "work_b_ns": 1000, "stretch": 2.5}, got
    assert got["all"] == {"tasks": 8, "work_a_ns": 600, "work_b_ns": 1200, "stretch": 2}, got
    both = lab.diff(one, spread(2, *[250, 100] * 4))["work_stretch"]
    assert (both["name"], both["share"], both["all"]["stretch"]) == ("f", .75, 2.3333), both
    text = subprocess.run([lab.tptrace, "diff", lab.put(one), lab.put(two)], capture_output=True, text=True).stdout
    words = " ".join(text.split())
    for said in ("WORK STRETCH: 8 tasks, the same in both, work for ", "(2.00 x); 100 % of that growth is in f a.c:1 (2.50 x)."):
        assert said in words, text
    waits = "".join(f"cpu w{w} {at} run={run} wait={wait}\n" for w in range(2)
                    for at, run, wait in ((0, 0, 0), (611, 300, 300)))
    for a, b in ((two, one), (spread(2, *[100, 50] * 4), spread(1, *[250, 50] * 4)), (one, spread(2, *[105, 50] * 4)), (one, one), (spread(2, *[100, 50] * 4), two),
                 (one, spread(2, *[250, 50] * 4, more=waits))):
        assert lab.diff(a, b)["work_stretch"] is None, (a, b)
    # A waited, too, but in a task that B does not have
    waited = "cpu w0 0 run=0 wait=0\ncpu w0 5611 run=611 wait=5000\n"
    waits = waits.replace("run=300 wait=300", "run=100 wait=500")
    got = lab.diff(spread(1, *[100, 50] * 4, 5000, more=waited), spread(2, *[250, 50] * 4, more=waits))
    assert (got["lineage"]["matched"]["tasks"], got["work_stretch"]) == (8, None), got


def test_undecided(lab):
    """Whatever other programs took decides nothing; else what is told adds up in the direction of elapsed time."""
    def waits(workers, elapsed, waited):
        return "meta cpus 2\nmeta cpu_times schedstat\n" + "".join(
            f"cpu w{w} {at} run={at - at // elapsed * waited} wait={at // elapsed * waited}\n"
            for w in range(workers) for at in (0, elapsed))

    lengths = [100000, 50000] * 4
    one, two, idle = spread(1, *lengths), spread(2, *lengths), spread(2, *[2 * ns for ns in lengths])
    busy = spread(2, *[2 * ns for ns in lengths], more=waits(2, 600011, 300000))
    for a, b, undecided, says in (
            (one, two, False, "B is 2.00 x faster than A (300 us on 2 workers, 600 us on 1; efficiency 100 %): work shrank by 300 us a worker"),
            (two, one, False, "work grew by 300 us a worker, 67 % of it in f a.c:1"),
            (two, idle, False, "B is 2.00 x slower than A (600 us, 300 us): work grew by 600 us of core time"),
            (busy, busy, False, "B takes as long as A"),
            (two, busy, True, "B cannot be judged against A (600 us, 300 us; waits for a CPU took 0 of A and 300 us of B a worker"),
            (busy, two, True, "waits for a CPU took 300 us of A and 0 of B a worker"),
            (busy, idle, True, "B cannot be judged against A (600 us, 600 us;")):
        got = lab.diff(a, b)
        assert got["undecided"] == undecided and says in got["why"], got["why"]
        assert not undecided or got["verdict"] == "same", got["verdict"]


def tree(leaves, last, workers, collapsed):
    """main creates p, which runs leaves of 100 ns, and then a leaf of its own; p's leaves are collapsed, or not."""
    n, tallies = len(leaves), ""
    text = HEAD.replace("workers=2", f"workers={workers}") + "site 1 name=f file=a.c line=1\nsite 2 name=p file=a.c line=2\n"
    if collapsed:
        work = sum(leaves)
        tallies = "".join(f"- w0 tally site=1 {part}\n" for part in (f"tasks {n}", f"work {work}", "min 100", "max 100", f"by-work 36 {n}"))
    text += "0 w0 root 0.1\n10 w0 create 0.2 site=2\n12 w0 resume 0.1\n20 w0 wait children site=0\n24 w0 begin 0.2\n"
    now = 24
    if collapsed:
        for field, value in (("made", n), ("own", n), ("work", n + work), ("span", n + work), ("path", n + work), ("chain", 1), ("tasks", n),
                             ("busy-0", n + work)):
            text += f"- w0 collapsed {field} {value}\n"
        now += n + work
    else:
        for i, leaf in enumerate(leaves, 3):
            text += f"{now + 1} w0 create 0.{i} site=1\n{now + 1} w0 begin 0.{i}\n{now + 1 + leaf} w0 end\n{now + 1 + leaf} w0 resume 0.2\n"
            now += 1 + leaf
    text += f"{now} w0 end\n{now} w0 resume 0.1\n{now + 1} w0 create 0.{n + 3} site=1\n{now + 1} w0 resume 0.1\n{now + 2} w0 wait children site=0\n"
    return text + f"{now + 2} w0 begin 0.{n + 3}\n{now + 2 + last} w0 end\n{now + 2 + last} w0 resume 0.1\n{now + 3 + last} w0 end\n" \
        + tallies


def test_collapsed(lab):
    """Of collapsed tasks those are left that were long: no sample.  All of a kind are the same tasks, if both runs have as many."""
    one, all_two = tree([100] * 3, 100, 1, False), tree([100] * 3, 300, 2, False)
    two, more = tree([100] * 3, 300, 2, True), tree([100] * 4, 300, 2, True)
    for a, b in ((one, all_two), (one, two), (tree([100] * 3, 100, 1, True), two)):
        got = lab.diff(a, b)
        (kind,) = [row for row in got["kinds"] if row["name"] == "f"]
        assert kind["stretch"] == got["work_stretch"]["kind"]["stretch"] == 1.5, (kind, got["work_stretch"])
        assert got["work_stretch"]["kind"] == {"tasks": 4, "work_a_ns": 400, "work_b_ns": 600, "stretch": 1.5}, got["work_stretch"]
        assert got["work_stretch"]["all"]["tasks"] == 5, got["work_stretch"]
    assert got["lineage"]["matched"]["tasks"] == 2, got["lineage"]
    got = lab.diff(one, more)
    assert got["work_stretch"] is None and [row["stretch"] for row in got["kinds"] if row["name"] == "f"] == [1.75], got["kinds"]
    for b, said in ((two, True), (all_two, False)):
        text = subprocess.run([lab.tptrace, "diff", lab.put(one), lab.put(b)], capture_output=True, text=True).stdout
        assert ("collapsed tasks are left out here" in text) == said, text


def test_cut_off(lab):
    """What is left of a damaged trace is compared, but no verdict: exit status 2, alone or as one of several."""
    long = serial(["name=f file=a.c line=1"] * 4, *[1000] * 4)
    whole, part = lab.put(long), os.path.join(lab.folder, "part.tpt")
    subprocess.run([lab.tptrace, "load", "-o", os.path.join(lab.folder, "whole.tpt"), whole], check=True)
    with open(os.path.join(lab.folder, "whole.tpt"), "rb") as f:
        data = f.read()
    with open(part, "wb") as f:
        f.write(data[:-20])  # of the index: all events are there
    for sides in ((whole, part), (part, whole), (f"{whole},{part}", whole), (whole, whole, part)):
        for options in ((), ("--json",)):
            done = subprocess.run([lab.tptrace, "diff", *options, *sides], capture_output=True, text=True)
            assert done.returncode == 2 and done.stdout and "part.tpt: at byte" in done.stderr and done.stderr.count("\n") == 1, done
    assert "B takes as long as A (4.01 us, 4.01 us)" in subprocess.run([lab.tptrace, "diff", whole, part], capture_output=True, text=True).stdout
    assert subprocess.run([lab.tptrace, "diff", whole, whole], capture_output=True).returncode == 0


WIDTHS = {60: ("elapsed",), 80: ("low - high", "stretch", "~ in noise"), 100: ("efficiency", "low - high", "B's work", "~ in noise"), None: ("B's work",)}


def test_widths(lab):
    """No line is longer than the screen; the less important columns go first.  Without a screen there are 100 columns."""
    name = "name=a_function_with_a_name_that_is_rather_long<%20of,several,parts%20> file=some/folder/with/a/file.c line=1234"
    slow, fast = (serial([name] * 3, *lengths) for lengths in ((9000, 10000, 11000), (1000, 2000, 3000)))
    calls = [[[fast], [slow]], [[fast, fast, fast], [slow, slow]], [[fast], [slow], [fast]], [[fast] * 2] * 9,
             [[counted(["PAPI_L3_TCM", "page-faults"], 5, 6)], [counted(["PAPI_L3_TCM", "page-faults"], 900, 6000, meta="meta counters_missing " + "why%20" * 30 + "\n")]],
             [[tree([100] * 3, 100, 1, False)], [tree([100] * 3, 300, 2, True)]], [[spread(1, *[100, 50] * 4)], [spread(2, *[250, 50] * 4)]]]
    for width, columns in WIDTHS.items():
        env = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | ({"COLUMNS": str(width)} if width else {})
        for options in ((), ("--by", "path"), ("--baseline", "1us")):
            for call in calls:
                paths = [",".join(map(lab.put, side)) for side in call]
                text = subprocess.run([lab.tptrace, "diff", *options, *paths], capture_output=True, text=True, env=env).stdout
                long = [line for line in text.splitlines() if len(line) > (width or 100) and "/" not in line]
                assert text and not long, (width, long)
                assert not re.search(" $", text, re.M), text
                if call == calls[1] and not options:
                    assert all(column in text for column in columns) and ("B's work" in text) == ("B's work" in columns), (width, text)


def counted(names, *counts, tasks=1, meta=""):
    """The tasks of f work for 1000 ns each; each of them counts so much."""
    text = serial(["name=f file=a.c line=1"] * tasks, *[1000] * tasks)
    text = text.replace("clock ns\n", "clock ns\n" + meta + "".join(
        f"counter {i} name={name}\n" for i, name in enumerate(names)))
    notes = "".join(f"- w1 counter {i} {n}\n" for i, n in enumerate(counts))
    return "".join(notes + line if line.endswith("w1 end\n") else line for line in text.splitlines(keepends=True))


def test_counters(lab):
    """Totals, ratios and instructions a cycle, of all and by kind; what one side did not count; as text and as CSV."""
    names = ["page-faults", "PAPI_TOT_INS", "PAPI_TOT_CYC"]
    a = counted([*names, "cpu-time unit=ns"], 6, 300, 200, 900, tasks=2)
    b = counted([names[1], names[2], names[0]], 600, 800, 4, tasks=3, meta="meta counters_missing why\n")
    got = lab.diff(a, b)
    rows = {c["name"]: c for c in got["counters"]}
    n_tasks = [got[side]["tasks"] for side in "ab"]
    work = [got[side]["work_ns"] for side in "ab"]
    for name, unit, totals in (("page-faults", None, (12, 12)), ("PAPI_TOT_INS", None, (600, 1800)),
                               ("PAPI_TOT_CYC", None, (400, 2400)), ("cpu-time", "ns", (1800, None))):
        row = rows.pop(name)
        assert row["unit"] == unit, row
        for side, total, n, ns in zip("ab", totals, n_tasks, work):
            assert total is None and row[side] is None or row[side]["total"] == total and \
                abs(row[side]["per_task"] - total / n) < 1e-4 * total and \
                abs(row[side]["per_work_s"] - total * 1e9 / ns) < 1e-4 * total * 1e9 / ns, row
        assert (row["delta"] and row["delta"]["total"]) == (totals[1] - totals[0] if totals[1] else None), row
    assert not rows and got["ipc"] == {"a": 1.5, "b": .75, "delta": -.75}, (rows, got["ipc"])
    (kind,) = [row for row in got["kinds"] if row["name"] == "f"]
    assert kind["a"]["counters"]["page-faults"] == {"total": 12, "per_task": 6, "per_work_s": 6e6}, kind
    assert kind["delta"]["counters"]["page-faults"] == {"total": 0, "per_task": -2, "per_work_s": -2e6}, kind
    assert kind["b"]["ipc"] == .75 and kind["delta"]["ipc"] == -.75 and "cpu-time" not in kind["delta"]["counters"], kind
    paths = [lab.put(text) for text in (a, b)]
    text, csv = (subprocess.run([lab.tptrace, "diff", *options, *paths], capture_output=True, text=True).stdout
                 for options in ([], ["--csv"]))
    for line in ("f a.c:1", "PAPI_TOT_INS 600 1800 +1200 300 600", "instructions a cycle 1.50 0.75 -0.75", "cpu-time 1.80 us - -",
                 "cpu-time: only A counted it", "B: not counted: why"):
        assert re.search(r"^ +" + r" +".join(map(re.escape, line.split())), text, re.M), (line, text)
    (row,) = [dict(zip(csv.splitlines()[0].split(","), line.split(","))) for line in csv.splitlines()[1:] if line.startswith('"f"')]
    want = {"a_PAPI_TOT_CYC": "400", "b_PAPI_TOT_CYC": "2400", "b_page-faults_per_task": "4", "a_cpu-time": "1800", "b_cpu-time": "",
            "a_page-faults_per_work_s": "6e+06"}
    assert all(row[f'"{key}"'] == value for key, value in want.items()) and row["b_ipc"] == "0.75", row
    none = lab.diff(serial(["name=f"], 10), serial(["name=f"], 20))
    assert none["counters"] == [] and "counters" not in none["kinds"][0]["delta"], none["counters"]


def test_counters_of_jobs(lab):
    """A process of two did not count: its tasks are in no ratio; the noise is that of the runs that counted."""
    job = "meta job one\n"
    got = lab.diff([counted(["page-faults"], 5, meta=job), counted([], meta=job)], counted(["page-faults"], 7))
    assert got["counters"][0]["a"] == {"total": 5, "per_task": None, "per_work_s": None}, got["counters"]
    assert got["counters"][0]["delta"] == {"total": 2, "per_task": None, "per_work_s": None}, got["counters"]
    runs = [counted(["page-faults"], n) for n in (5, 9, 6)]
    for other, noise in ((7, "within"), (10, "unknown")):
        got = lab.diff(runs, counted(["page-faults"], other))
        assert got["counters"][0]["noise"] == noise, got["counters"]
    got = lab.diff(runs, [counted(["page-faults"], n) for n in (10, 12)])
    (kind,) = [row for row in got["kinds"] if row["name"] == "f"]
    assert got["counters"][0]["noise"] == kind["noise"]["counters"]["page-faults"] == "beyond", kind


if __name__ == "__main__":
    ARGS = frame.arguments(__doc__)
    sys.exit(frame.run("diff", ARGS, frame.tests_in(globals(), lambda folder: Lab(ARGS.tptrace, folder))))
