#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""orders.py - the collector is killed, and the program ends, in every order.

test/kill/orders.c kills its collector and counts its tasks.  When `tptrace record` returns, each process has
a trace with its end: all tasks are in it, or the report says how many are not, and --strict exits with 3.  It
says that the collector died, of what and when; the program's output and status are its own.  A cell is MODE
BEFORE AFTER [HOW], as orders.c has them.

--deaths N prints the table of N runs of each {MODE} x {AFTER} instead.
"""
import collections
import concurrent.futures
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib")]
import frame  # noqa: E402
import tracing  # noqa: E402
from tracing import Wrong, must  # noqa: E402

DIED = "the collector (was killed by signal 9|died) at"   # record may come too late to say of what
MODES = {"default": [], "last": ["--keep=last"], "inside": ["--inside"], "full": ["--collapse=off"]}
AFTER = ("0", "2", "20", "300")
CELLS = [(mode, "60", after, "") for mode in ("default", "last", "inside") for after in AFTER] + \
    [(mode, "0", "0", "") for mode in MODES] + \
    [(mode, "60", "0", how) for mode in ("default", "last") for how in ("killed", "stopped", "twice")] + \
    [("full", "60", "2", ""), ("full", "60", "0", "killed"), ("full", "60", "20", "twice"),
     ("default", "60", "20", "exec"), ("default", "60", "20", "fork"), ("full", "60", "20", "limited"), ("default", "60", "100", "orphan")]
WATCHDOG_S = 300


def run_program(options, cell, folder):
    """Status, lines of output, what record said; None if it hangs."""
    mode, before, after, how = cell
    command = [options.tptrace, "record", *MODES[mode], "-o", f"{folder}/%p.tpt", "--",
               os.path.join(options.build, "kill", "orders"), before, after, *([how] if how else [])]
    with subprocess.Popen(command, env=tracing.environment(), cwd=folder, text=True, start_new_session=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(timeout=WATCHDOG_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, None, None
        return process.returncode, out.splitlines(), err


def traces_of(folder, pid):
    """Of that process, and of the programs that it was before: by name, so in their order."""
    return sorted(glob.glob(f"{folder}/{pid}.tpt*"))


def check_trace(options, path, n_tasks, died, why):
    """(in the trace, told as lost)"""
    json_said = subprocess.run([options.tptrace, "report", "--json", path], capture_output=True, text=True, check=False)
    strict = subprocess.run([options.tptrace, "report", "--strict", path], capture_output=True, text=True, check=False)
    must(json_said.returncode == 0, f"report says {json_said.stderr}")
    report = json.loads(json_said.stdout)
    must(report["complete"], "the trace has no end")
    tasks, lost = report["tasks"], report["tasks_lost"]
    must(tasks + lost == n_tasks, f"{tasks} tasks are there and {lost} are said to be lost, of {n_tasks}")
    must((lost or report["events_lost"]) == 0 or strict.returncode == 3, "--strict is content")
    must(lost or report["events_lost"] or strict.returncode == 0, f"--strict says {strict.returncode}: {strict.stdout}")
    must(not why or {loss["why"] for loss in report["losses"]} == {why}, f"the reasons are {report['losses']}")
    must(report["collector_died"] == died, f"collector_died is {report['collector_died']}")
    if died:
        must(report["collector_died_ns"] is not None and re.search(DIED, strict.stdout),
             "it does not say when the collector died")
        must(report["collector_signal"] in (0, 9), f"the signal is {report['collector_signal']}")
        must(report["collector_status"] is None, f"its exit status is {report['collector_status']}")
    return tasks, lost


def run_cell(options, cell):
    """(tasks that the program counted, in traces, told as lost)"""
    mode, how = cell[0], cell[3]
    with tracing.new_folder("orders-") as folder:
        status, lines, err = run_program(options, cell, folder)
        must(lines is not None, "it hangs")
        want = -9 if how in ("killed", "orphan") else 7
        must(status == want, f"its status is {status}: {err}")
        must(len(lines) == {"exec": 2, "fork": 2}.get(how, 1), f"it prints {lines}")
        counted, there, lost = 0, 0, 0
        for i, line in enumerate(lines):
            pid, n_tasks = (int(word) for word in line.split())
            paths = traces_of(folder, pid)
            must(len(paths) == (len(lines) if how == "exec" else 1), f"no trace, or others: {os.listdir(folder)}, {err}")
            died = mode != "inside" and i == (1 if how == "fork" else 0)  # the child ends, and prints, first
            found = check_trace(options, paths[i if how == "exec" else 0], n_tasks, died,
                                "file size limit reached" if how == "limited" else None)
            counted, there, lost = counted + n_tasks, there + found[0], lost + found[1]
        return counted, there, lost


def try_cell(options, cell):
    try:
        return cell, run_cell(options, cell), None
    except Wrong as wrong:
        return cell, None, str(wrong)


def put_table(options, jobs):
    """A row for each {MODE} x {AFTER}."""
    print("| mode | after | runs | tasks counted | in the trace | told as lost | no trace | hung | wrong |\n" + 9 * "| --- " + "|")
    for mode in ("default", "last", "inside"):
        for after in AFTER:
            cells = options.deaths * [(mode, "300", after, "")]
            sums, wrong = [0, 0, 0], collections.Counter()
            for _, found, said in jobs.map(lambda cell: try_cell(options, cell), cells):
                if said:
                    wrong["no trace" if "no trace" in said else "hung" if "hangs" in said else "else"] += 1
                    print(f"{mode} {after}: {said}", file=sys.stderr)
                else:
                    sums = [a + b for a, b in zip(sums, found)]
            print(f"| {mode} | {after} | {len(cells)} | {sums[0]} | {sums[1]} | {sums[2]} | {wrong['no trace']} | "
                  f"{wrong['hung']} | {wrong['else']} |", flush=True)


def main():
    tracing.heed_signals()
    options = frame.options(__doc__, cell=(str, "MODE,BEFORE,AFTER,HOW"), n=1, deaths=int)
    tempfile.tempdir = os.path.join(options.build, "kill")
    cells = options.n * ([tuple(options.cell.split(","))] if options.cell else CELLS)
    with concurrent.futures.ThreadPoolExecutor(2) as jobs:
        if options.deaths:
            return put_table(options, jobs)
        failed = 0
        for cell, found, wrong in jobs.map(lambda cell: try_cell(options, cell), cells):
            failed += found is None
            if wrong:
                print(f"FAIL --cell {','.join(cell)}: {wrong}")
    print(f"orders: {len(cells)} deaths, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
