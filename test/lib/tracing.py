# SPDX-License-Identifier: MIT
"""tracing.py - what the checks of traced programs share: how they are run, and what must hold of any report."""
import json
import os
import subprocess

PARTS = ("work_ns", "delay_ns", "no_work_sched_ns", "no_work_app_ns")


def environment(**more):
    """Ours, without what tptrace would hear, but for the clock: all checks run with either."""
    env = {key: value for key, value in os.environ.items()
           if not key.startswith("TPTRACE_") or key == "TPTRACE_CLOCK"}
    env.update((key, str(value)) for key, value in more.items())
    return env


def wrong_sums(report, skewed=False):
    """What is wrong with a report's sums; skewed: workers' clocks may disagree."""
    whole = report["elapsed_ns"] * report["workers"]
    if sum(report[part] for part in PARTS) != whole or report["cumulative_ns"] != whole:
        yield f"the parts are not elapsed x workers = {whole}"
    for rows in ("kinds", "workers_profile"):
        for part in PARTS:
            if sum(row[part] for row in report[rows]) != report[part]:
                yield f"the column {part} of {rows} is not {report[part]}"
    for part in PARTS:
        if sum(state.get(part, 0) for state in report["states"].values()) != report[part]:
            yield f"the column {part} of the states is not {report[part]}"
    if sum(report["delay_by_edge"].values()) != report["delay_ns"]:
        yield "the delays by edge are not the delay"
    if sum(report["ready_path"].values()) > report["elapsed_ns"]:
        yield "the ready path is longer than the run"
    if report["clock"]["skew_ns"] and not skewed:
        yield f"an event was before its cause by {report['clock']['skew_ns']} ns"
    if sum(end - begin for begin, end in report["selected"]) != report["elapsed_ns"]:
        yield "what is selected is not what is told of"


def report_of(tptrace, path, *options, status=0, skewed=False):
    """The figures of a trace; they add up."""
    done = subprocess.run([tptrace, "report", "--json", *options, path], capture_output=True, text=True,
                          errors="replace", timeout=120, env=environment(), check=False)
    assert done.returncode == status, (path, done.returncode, done.stderr)
    report = json.loads(done.stdout)
    wrong = list(wrong_sums(report, skewed))
    assert not wrong, (wrong, report)
    return report


def explicit(report):
    """Tasks that the program made, but for loops and regions."""
    return sum(kind["tasks"] for kind in report["kinds"] if kind["what"] == "task")
