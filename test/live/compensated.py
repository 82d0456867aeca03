#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compensated.py - real runs without what recording took: never shorter than the span, nor longer than they were."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE = ARGS.build, ARGS.tptrace
SICK = os.path.join(HERE, "..", "sick")
# the program; how it is recorded; whether that takes so long that something must be taken out
RUNS = [("fine", {"TPTRACE_COLLAPSE": "off"}, True), ("fine", {}, True),
        ("fine", {"TPTRACE_COLLAPSE": "off", "TPTRACE_BUFFER": "64K"}, True),
        ("lock", {}, False), ("tail", {}, False)]


def run(command, **env):
    done = subprocess.run(command, capture_output=True, env=tracing.environment(**env), timeout=120, text=True,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (command, done.returncode, done.stderr)
    return done.stdout


def record(program, trace, env):
    if os.path.exists(trace):
        os.unlink(trace)
    run([TPTRACE, "record", "-q", "-o", trace, "--", program], **env)
    return json.loads(run([TPTRACE, "report", "--json", "--compensate", trace]))


def check(report, costs):
    without = report["compensated"]
    less = without["cpu_ns"] + without["events_ns"]
    assert report["work_ns"] - less <= without["work_ns"] <= report["work_ns"], without
    assert report["span_ns"] - less <= without["span_ns"] <= report["span_ns"], without
    assert without["span_ns"] <= without["elapsed_ns"] <= report["elapsed_ns"], (report["elapsed_ns"], without)
    assert without["cpu_ns"] <= (report["machine"]["cpu_wait_ns"] or 0), without
    assert without["cumulative_ns"] == without["elapsed_ns"] * report["workers"], without
    assert sum(without[part] for part in tracing.PARTS) == without["cumulative_ns"], without
    assert sum(without["ready_path"].values()) <= without["elapsed_ns"], without
    taken = without["events_ns"] + without["waits_ns"]
    assert taken + without["cpu_ns"] <= report["cumulative_ns"] - without["work_ns"], (taken, without)
    assert not costs or 0 < without["events_ns"] and without["elapsed_ns"] < report["elapsed_ns"], without
    return without


def main():
    with tracing.new_folder("tptrace-compensated.") as folder:
        for name, env, costs in RUNS:
            program = f"{folder}/{name}"
            subprocess.run(["gcc", "-O2", "-fopenmp", "-o", program, f"{SICK}/{name}.c"], check=True)
            report = record(program, f"{folder}/{name}.tpt", env)
            assert report["events_lost"] == 0, report["losses"]
            check(report, costs)
            print(f"{name} {env}: {report['elapsed_ns']} ns, {report['compensated']['elapsed_ns']} without recording")
    print(f"{len(RUNS)} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
