#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""log.py [--build DIR] - what `tptrace log` says of small series of versions, worked out by hand."""
import csv
import io
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../golden/findings")]
import frame  # noqa: E402  pylint: disable=wrong-import-position
from cases import CASES  # noqa: E402  pylint: disable=wrong-import-position

DAY = 86400


def flat(length, recorded=None, end=True):
    """A task of that length beside main: elapsed is length + 22."""
    text = "tptrace text 2\nclock ns\n" + (f"meta recorded {recorded}\n" if recorded else "")
    text += "runtime 0 name=x version=1 workers=2\nsite 1 name=f file=a.c line=1\n0 w0 root 0.1\n"
    text += f"10 w0 create 0.2 site=1\n10 w0 resume 0.1\n10 w1 begin 0.2\n{10 + length} w1 end\n"
    waited = f"{20 + length} w0 wait children site=99\n{20 + length} w0 resume 0.1\n{22 + length} w0 end\n"
    return text + (waited if end else "")


class Lab:
    def __init__(self, tptrace, folder):
        self.tptrace, self.folder, self.n = tptrace, folder, 0

    def put(self, versions):
        """A folder of {name: one trace, or several}."""
        self.n += 1
        series = os.path.join(self.folder, str(self.n))
        for name, runs in versions.items():
            for i, text in enumerate([runs] if isinstance(runs, str) else runs):
                path = os.path.join(series, f"{name}.tpt" if isinstance(runs, str) else f"{name}/{i}.tpt")
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
        return series

    def run(self, *arguments, columns="100"):
        return subprocess.run([self.tptrace, "log", *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "COLUMNS": columns})

    def judged(self, lengths, *options):
        """(verdicts, first bad, first suspect, exit status) of versions 1, 2, .. with runs of these lengths."""
        made = {str(i): [flat(each) for each in (runs if isinstance(runs, tuple) else (runs,))]
                for i, runs in enumerate(lengths, 1)}
        done = self.run("--json", *options, self.put(made))
        got = json.loads(done.stdout)
        words = "".join({None: "-", "same": "=", "better": "+", "worse": "!"}[v["verdict"]] for v in got["versions"])
        return words, got["first_bad"], got["first_suspect"], done.returncode


def test_first_bad(lab):
    """The first of the bad ones that the last is of; what was mended does not count."""
    for lengths, want in (
            ([1000], ("-", None, None, 0)),
            ([1000, 1010, 1020], ("-==", None, None, 0)),
            ([1000, 1010, 2000, 2010], ("-=!!", "3", None, 1)),
            ([1000, 2000, 1000], ("-!=", None, None, 0)),
            ([1000, 2000, 1000, 1500], ("-!=!", "4", None, 1)),
            ([1000, 1030, 1060, 1090], ("-=!!", "3", None, 1))):  # small steps add up: the mark stays
        got = lab.judged(lengths)
        assert got == want, (lengths, got)
    assert lab.judged([1000, 1300], "--threshold", "40%") == ("-=", None, None, 0)


def test_reference(lab):
    """A better version is the new mark only if runs show that it is no luck."""
    runs, quick, between = (1000, 1010, 1020), (500, 505, 510), (700, 705, 710)
    assert lab.judged([runs, quick, between]) == ("-+!", "3", None, 1)
    assert lab.judged([1000, 500, 700]) == ("-++", None, None, 0)
    wide = (900, 1010, 1300)  # slower by its median's range: within noise
    assert lab.judged([runs, wide]) == ("-=", None, None, 0)


def test_loaded(lab):
    """Other programs make the difference: no verdict, and no bad version; as diff says of the two."""
    quiet, loaded = CASES["loaded_not"]()[0].text(), CASES["loaded"]()[0].text()
    series = lab.put({"1": quiet, "2": loaded})
    done = lab.run("--json", series)
    got = json.loads(done.stdout)
    both = subprocess.run([lab.tptrace, "diff", "--json", *(os.path.join(series, f"{i}.tpt") for i in (1, 2))],
                          capture_output=True, text=True, check=False)
    assert json.loads(both.stdout)["undecided"], both.stdout[:300]
    assert (got["versions"][1]["undecided"], got["first_bad"], done.returncode) == (True, None, 0), got
    assert "cannot be judged" in lab.run(series).stdout


def test_damaged(lab):
    """A version that cannot be judged is no bad one, and no mark; it may be the first bad one."""
    series = lab.put({"1": flat(1000), "2": flat(3000, end=False), "3": flat(2000)})
    whole = os.path.join(series, "whole.tpt")
    with open(os.path.join(series, "2.tpt"), encoding="utf-8") as file:
        text = file.read()
    subprocess.run([lab.tptrace, "load", "-o", whole, os.path.join(series, "3.tpt")], check=True, capture_output=True)
    with open(whole, "rb") as file:
        data = file.read()
    os.remove(whole)
    with open(os.path.join(series, "2.tpt"), "wb") as file:
        file.write(data[:len(data) * 2 // 3])
    done = lab.run("--json", series)
    got = json.loads(done.stdout)
    assert [v["undecided"] for v in got["versions"]] == [False, True, False], (got, text)
    assert (got["first_bad"], got["first_suspect"], done.returncode) == ("3.tpt", "2.tpt", 2), (got, done)
    assert "or one from 2 on" in lab.run(series).stdout


def test_order(lab):
    """By time, unless one does not say; by name 2 is before 10; as given."""
    days = {"10": 1, "9": 2, "2": 3}
    series = lab.put({name: flat(100, DAY * day) for name, day in days.items()})

    def names(*arguments):
        done = lab.run("--json", *arguments)
        return [v["name"].split("/")[-1][:-4] for v in json.loads(done.stdout)["versions"]], done.stderr

    assert names(series) == (["10", "9", "2"], ""), names(series)
    assert names("--order", "name", series)[0] == ["2", "9", "10"]
    assert names(series + "/")[0] == ["10", "9", "2"]
    given = [os.path.join(series, f"{name}.tpt") for name in ("9", "10", "2")]
    assert names(*given)[0] == ["9", "10", "2"]
    with open(given[0], "w", encoding="utf-8") as file:
        file.write(flat(100))
    order, said = names(series)
    assert order == ["2", "9", "10"] and "does not say when it was recorded" in said, (order, said)


def test_findings(lab):
    """A serial stretch from version 3 on: a row that is blank before it, the finding's share, and the reason."""
    serial, none = CASES["serial_middle"]()[0].text(), CASES["serial_none"]()[0].text()
    series = lab.put({"1": none, "2": none, "3": serial})
    done = lab.run("--json", series)
    got = json.loads(done.stdout)
    found = [[f for f in v["findings"] if f["id"] == "serial"] for v in got["versions"]]
    assert not found[0] and not found[1] and len(found[2]) == 1, found
    both = subprocess.run([lab.tptrace, "diff", "--json", *(os.path.join(series, f"{i}.tpt") for i in (1, 3))],
                          capture_output=True, text=True, check=False)
    diff, last = json.loads(both.stdout), got["versions"][2]
    assert (last["verdict"], last["why"], last["noise"]) == (diff["verdict"], diff["why"], diff["noise"]["elapsed_ns"])
    assert done.returncode == both.returncode
    share = found[2][0]["lost_ns"] / last["cumulative_ns"]
    assert abs(found[2][0]["share"] - share) < 1e-4
    text = lab.run(series).stdout
    row = [line for line in text.splitlines() if line.startswith("  serial ")]
    tenths = "." if share < .1 else str(int(share * 10))
    assert len(row) == 1 and row[0].endswith(f"|  {tenths}|"), text
    rows = list(csv.DictReader(io.StringIO(lab.run("--csv", series).stdout)))
    assert [r["elapsed_ns"] for r in rows] == [str(v["elapsed_ns"]) for v in got["versions"]]
    assert [r["verdict"] for r in rows] == ["", "same", last["verdict"]] and rows[1]["against"] == "1.tpt"


def slower(text, times):
    return re.sub(r"^(\d+)(?= w)", lambda at: str(int(at.group()) * times), text, flags=re.M)


def test_findings_of_runs(lab):
    """A finding that most runs have is there, though the middle one by time lacks it; the reverse is not."""
    serial, none = CASES["serial_middle"]()[0].text(), CASES["serial_none"]()[0].text()
    for few, many, wanted in ((none, serial, 1), (serial, none, 0)):
        done = lab.run("--json", lab.put({"1": [many, slower(few, 3), slower(many, 9)]}))
        (version,) = json.loads(done.stdout)["versions"]
        found = [f for f in version["findings"] if f["id"] == "serial"]
        assert len(found) == wanted, (wanted, version)
        assert not wanted or 0.05 < found[0]["share"] < 1, found
    done = lab.run(lab.put({"1": [serial, slower(none, 3), slower(serial, 9)]}))
    assert any(line.startswith("  serial ") for line in done.stdout.splitlines()), done


def test_lines(lab):
    """No line is longer than the screen, and each version has one."""
    series = lab.put({"a-very-long-name-of-a-branch-with-a-hash-1234567": [flat(1000)] * 3,
                      **{f"{i:05}": flat(1000 + i) for i in range(80)}})
    for columns in (60, 80, 100, 150):
        done = lab.run(series, columns=str(columns))
        lines = done.stdout.splitlines()
        assert not [line for line in lines if len(line) > columns], (columns, done.stdout)
        assert sum("\u0020\u0020000" in line for line in lines) == 80


def test_trouble(lab):
    """Exit status 2, and a line that says what to do."""
    empty = lab.put({"x/y": "z"})
    for arguments, words in (([], "name a folder"), ([os.path.join(empty, "no")], "No such file"),
                             ([lab.put({"1": "nothing"})], "1.tpt"), (["--json", "--csv", empty], "exclude"),
                             (["--threshold", "x", empty], "takes a percentage")):
        done = lab.run(*arguments)
        assert done.returncode == 2 and words in done.stderr, (arguments, done)


if __name__ == "__main__":
    ARGS = frame.arguments(__doc__)
    sys.exit(frame.run("log", ARGS, frame.tests_in(globals(), lambda folder: Lab(ARGS.tptrace, folder))))
