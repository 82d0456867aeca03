#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--tptrace CMD] - each table of the report is the same in JSON, CSV, SQLite, diff and the man pages.

A table or column that is in one of them and not in another fails, unless it is listed here.
"""
import argparse
import collections
import csv
import glob
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MAN = os.path.join(HERE, "../../../tools/man")
OF_RUN = {"meta", "task", "strand", "edge", "interval", "operation", "data"}  # tables that the report does not have
SITES = {"site"}  # whose numbers the others have instead of a place
IN_JSON = {"kind": "kinds", "wait": "waits", "lock": "locks", "grain": "grains", "path": "paths", "finding": "findings",
           "worker": "workers_profile", "loss": "losses", "runtime": "runtimes", "team": "small_teams",
           "phase": "phases", "steal_pair": "steal_pairs", "code": "code", "stretch": "stretch",
           "distribution": None, "counter": None, "fact": None}
# Columns of a database alone, which there name code, or count what is exported; and of JSON alone.
SQL_ALONE = {"id", "site", "function", "place", "kind", "strands", "idle", "what", "note", "unit", "value"}
JSON_ALONE = {"name", "function", "where", "worker", "idle", "file", "line", "module"}
IN_DIFF = ("kinds", "paths", "findings", "locks", "waits")
# Those of the run are views of what is stored.
TABLES = ("SELECT name FROM sqlite_master AS of WHERE name NOT LIKE '%/_stored' ESCAPE '/' "
          "AND (type = 'table' OR EXISTS (SELECT 1 FROM sqlite_master WHERE name = of.name || '_stored'))")
BY = {"lock": "locks", "wait": "waits", "grain": "grains", "code": "code", "stretch": "stretch",
      "operation": "operations", "data": "data"}


def nested(report, key):
    """The rows of objects that kinds have by name."""
    return [{**row, "name" if key == "counters" else "what": name} for kind in report["kinds"]
            for name, row in kind.get(key, {}).items()]


def json_rows(report, table):
    if table == "distribution":
        return [{key: value for key, value in row.items() if key not in ("what", "idle")}
                for row in nested(report, "distributions") + report["steals_by_idle"]]
    if table == "fact":
        return [{"finding": i + 1, "text": fact["value"] if fact["unit"] == "text" else None}
                for i, finding in enumerate(report["findings"]) for fact in finding["facts"]]
    return nested(report, "counters") if table == "counter" else report[IN_JSON[table]]


def scalars(rows):
    return {key for row in rows for key, value in row.items() if not isinstance(value, (list, dict))}


def bag(rows, columns):
    return collections.Counter(tuple(row.get(column) if not isinstance(row.get(column), bool) else int(row[column])
                                     for column in columns) for row in rows)


def of_database(path):
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    names = [name for name, in database.execute(TABLES)]
    found = {}
    for name in names:
        cursor = database.execute(f"SELECT * FROM {name}")
        found[name] = [column[0] for column in cursor.description], [dict(row) for row in cursor]
    database.close()
    return found


def csv_text(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def compare(table, columns, wanted, rows):
    """Whether JSON has other rows than the database, by the columns that both have."""
    both = [column for column in columns if column in scalars(wanted) - SQL_ALONE - JSON_ALONE]
    wanted = [row for row in wanted if table != "worker" or row["worker"] is not None]
    missing, more = bag(wanted, both) - bag(rows, both), bag(rows, both) - bag(wanted, both)
    # kinds without tasks and charge, and stops, are not in JSON
    return not missing and (not more or table in ("kind", "loss", "counter"))


def number(text):
    """As it compares, whatever its decimals."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return text or None


class Checker:
    def __init__(self, tptrace, folder):
        self.tptrace, self.folder, self.words = tptrace, folder, set()
        for page in ("report", "export"):
            with open(os.path.join(MAN, f"tptrace-{page}.1"), encoding="utf-8") as file:
                self.words.update(re.findall(r"\w+", file.read()))
        self.rows = collections.Counter()
        self.in_diff = set()
        self.columns, self.keys = {}, collections.defaultdict(set)

    def out(self, *arguments):
        return subprocess.run([self.tptrace, *arguments], capture_output=True, text=True, check=False).stdout

    def trace(self, path):
        text = self.out("report", "--json", "--by", "grain", path)
        if not text:
            return
        report = json.loads(text)
        base = os.path.join(self.folder, os.path.basename(path))
        for form in ("sqlite", "csv"):
            self.out("export", "--to", form, "-o", f"{base}.{form}", path)
        for table, (columns, rows) in of_database(f"{base}.sqlite").items():
            found = csv_text(f"{base}.csv/{table}.csv")
            self.rows[table] += len(rows)
            if found[0] != columns or len(found) != len(rows) + 1:
                yield f"{table}: export --to csv has other columns or rows"
            yield from (f"no man page has {table}.{column}" for column in {table, *columns} - self.words)
            if table not in OF_RUN | SITES and table not in IN_JSON:
                yield f"{table} is not in JSON"
            elif table in IN_JSON:
                wanted = json_rows(report, table)
                self.columns[table] = set(columns)
                self.keys[table] |= scalars(wanted)
                if not compare(table, columns, wanted, rows):
                    yield f"{table}: JSON has other rows"
        for by, key in BY.items():
            found = list(csv.DictReader(io.StringIO(self.out("report", "--csv", "--by", by, path))))
            both = [column for column in (found[0] if found else ()) if column in scalars(report.get(key, []))]
            rows = [[{c: number(row[c]) for c in both} for row in of] for of in (report.get(key, []), found)]
            if found and bag(rows[0], both) != bag(rows[1], both):
                yield f"{by}: report --csv has other rows"
        yield from self.diff(path, report)

    def diff(self, path, report):
        """The values that a diff has of both: of all rows, since it puts those of one place together."""
        rows = json.loads(self.out("diff", "--json", path, path) or "{}")
        for key in IN_DIFF:
            for value in scalars([row["a"] for row in rows.get(key, ()) if row["a"]]) & scalars(report[key]):
                wanted = sum(row.get(value) or 0 for row in report[key])
                # a diff counts the times that somebody waited, and no ratios
                if value not in ("ipc", "times") and sum(row["a"][value] for row in rows[key] if row["a"]) != wanted:
                    yield f"{key}[].{value}: diff has another sum than report"
                self.in_diff.add(value)

    def whole(self):
        """Over all traces, since some have no row of a table."""
        for table, columns in self.columns.items():
            yield from (f"{table}.{column} is not in JSON" for column in columns - self.keys[table] - SQL_ALONE)
            yield from (f"{table}.{key} is not in the database" for key in self.keys[table] - columns - JSON_ALONE)
        yield from (f"no diff has {value}" for value in ("work_ns", "tasks", "collapsed", "lost_ns", "wait_ns")
                    if value not in self.in_diff)
        yield from (f"no trace has a row of {table}" for table, rows in self.rows.items() if not rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tptrace", default=os.path.join(HERE, "../../../build/tptrace"))
    wrong, n = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(parser.parse_args().tptrace, folder)
        for path in sorted(glob.glob(f"{HERE}/../report/*.txt") + glob.glob(f"{HERE}/../code/*.txt")):
            n += 1
            for what in checker.trace(path):
                wrong.setdefault(what, os.path.basename(path))
    wrong.update((what, "all") for what in checker.whole())
    print(*(f"{path}: {what}" for what, path in wrong.items()), sep="\n", end="\n" if wrong else "")
    print(f"tables: {len(checker.rows)} tables, {sum(checker.rows.values())} rows of {n} traces, {len(wrong)} wrong")
    return 1 if wrong or len(checker.rows) < len(IN_JSON) else 0


if __name__ == "__main__":
    sys.exit(main())
