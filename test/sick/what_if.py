#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""what_if.py - a program with a known fault: what `report --what-if` predicts for the repair, and the repaired program.

Both shall lose less of elapsed x workers than the sick one, and each number is that of `tptrace simulate`.  A run beside
which others used the cores proves nothing when it fails, and is repeated.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
import check  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402
from simulated import json_of, unlike  # noqa: E402

ATTEMPTS = 12
PROGRAM, CAUSE, CHANGE = "coarse", "coarse", "--split "


def record(tptrace, program, path):
    """As check.record(), but the trace stays."""
    before, own = check.busy_s(), os.times()
    subprocess.run([tptrace, "record", "-q", "-o", path, "--", program], check=True, timeout=120,
                   env=tracing.environment(OMP_WAIT_POLICY="passive"))
    after = os.times()
    mine = after.children_user + after.children_system - own.children_user - own.children_system
    return (check.busy_s() - before - mine) / ((after.elapsed - own.elapsed) * os.cpu_count())


def report_of(tptrace, path):
    return json_of(tptrace, "report", "--what-if", "--json", path)


def wrong_pair(tptrace, sick, fixed):
    """What contradicts what; the shares of both, which one machine gives both, count, not their times."""
    report, repaired = report_of(tptrace, sick), report_of(tptrace, fixed)
    told = report["what_if"]
    yield from unlike(tptrace, sick, report)
    changes = [c for f in report["findings"] if f["id"] == CAUSE for c in f.get("what_if", ())]
    if not told["trusted"] or not changes or not changes[0]["change"].startswith(CHANGE):
        yield f"{told}: no {CHANGE}of {CAUSE}: {[(f['id'], f.get('what_if')) for f in report['findings']]}"
        return
    if changes[0]["high_ns"] >= told["low_ns"]:
        yield f"predicts no gain: {changes[0]}, {told}"
    busy = [r["work_ns"] / r["cumulative_ns"] for r in (report, repaired)]
    if busy[1] <= busy[0]:
        yield f"repaired, {busy[1]:.3f} of its time is work, and {busy[0]:.3f} before"


def main():
    args = frame.options(__doc__)
    tptrace = args.tptrace
    if not shutil.which("gcc"):
        print("skip sick what if: no gcc")
        return 0
    programs = [check.compile_program(args.build, PROGRAM, "gcc", fixed) for fixed in (False, True)]
    disturbed = 0
    with tracing.new_folder("tptrace-sick.") as folder:
        for attempt in range(ATTEMPTS):
            paths = [os.path.join(folder, f"{attempt}.{i}.tpt") for i in range(2)]
            others = max(record(tptrace, program, path) for program, path in zip(programs, paths))
            wrong = list(wrong_pair(tptrace, *paths))
            if not wrong:
                print("sick: what if: what it predicts for the repair is true of it")
                return 0
            disturbed += others > check.QUIET
            if attempt + 1 - disturbed >= 3:
                print(*wrong, sep="\n")
                return 1
    print(f"skip sick what if: others always used the cores; {wrong}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
