#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""baseline.py - record --baseline of each runtime: the second run has one worker, and report says the stretch.

The tasks of stretched.c take twice the CPU time where the process has two CPUs: that is their stretch.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
sys.path.insert(0, os.path.join(HERE, "..", "port"))
import runtimes  # noqa: E402
import frame  # noqa: E402
import tracing  # noqa: E402

TASKS = 40   # of stretched.c
NEAR = .2    # of the factor: some 40 samples at 100 a second


def record_both(tptrace, program, folder, environment):
    """The first run, the second one, and both as one."""
    said = subprocess.run([tptrace, "record", "--baseline", "-o", folder + "/", "--", program], check=True, timeout=240,
                          capture_output=True, text=True, env={**tracing.environment(), **environment}).stderr
    assert "2 runs, the second with one worker" in said, said
    run, alone = (tracing.report_of(tptrace, os.path.join(folder, name)) for name in sorted(os.listdir(folder)))
    together = tracing.report_of(tptrace, folder)
    assert together["file"] == run["file"], together["file"]
    return run, alone, together


def check(tptrace, build, runtime, folder):
    program = runtimes.build_program(build, runtime, "../record/stretched")
    os.makedirs(folder, exist_ok=True)
    for stretch in (2, 1):
        environment = {**runtime.environment(2, folder), **({"EVEN": "1"} if stretch == 1 else {})}
        run, alone, together = record_both(tptrace, program, os.path.join(folder, f"{runtime.key}{stretch}"),
                                           environment)
        # port.h tells these how many workers they have: they take turns
        told = runtime.key in ("tbb", "steal")
        assert alone["machine"]["affinity"] == 1 and (alone["workers"] == 1 or told), \
            (alone["workers"], alone["machine"])
        assert run["workers"] > 1, run["workers"]
        rows = {row["what"]: row["factor"] for row in together["stretch"]
                if row["tasks"] == TASKS and row["what"] in ("run", "baseline")}
        assert abs(rows.get("run", 0) - stretch) < NEAR * stretch, (stretch, together["stretch"])
        facts = [{f["id"]: f["value"] for f in finding["facts"]} for finding in together["findings"]
                 if finding["id"] == "stretch"]
        # where other programs have the CPUs for most of the time, there is no finding
        assert all(stretch > 1 and round(f["factor"], 3) == round(rows["run"], 3) for f in facts), (stretch, facts)


def main():
    args = frame.options(__doc__, only="")
    build = args.build
    tptrace = os.path.join(build, "tptrace")
    with tempfile.TemporaryDirectory() as folder:
        for runtime in runtimes.find(build):
            if args.only not in runtime.key:
                continue
            if runtime.missing:
                print(f"skip baseline of {runtime.name}: {runtime.missing}")
                continue
            for left in (2, 1, 0): # where others use the CPUs, two tasks may never run side by side
                try:
                    check(tptrace, build, runtime, os.path.join(folder, str(left)))
                    break
                except AssertionError:
                    if not left:
                        raise
    print("baseline: passed")


if __name__ == "__main__":
    main()
