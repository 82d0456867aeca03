#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""samples.py - samples of stacks name the function that a task calls, and only where they are asked for; a baseline."""
import ctypes
import os
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)
BUILD, TPTRACE = ARGS.build, ARGS.tptrace
PROGRAM = os.path.join(BUILD, "record", "samples")


def record(folder, *options):
    """The lines of definitions of a trace, in words."""
    path = os.path.join(folder, "x.tpt")
    subprocess.run([TPTRACE, "record", "--force", "-q", "-o", path, *options, "--", PROGRAM], check=True, timeout=120,
                   env=tracing.environment())
    text = subprocess.run([TPTRACE, "dump", path], capture_output=True, text=True, check=True, timeout=60).stdout
    return [line.split() for line in text.splitlines()]


def fields(words):
    return dict(word.split("=", 1) for word in words if "=" in word)


def range_of(function):
    """Its addresses in the program's file."""
    symbols = subprocess.run(["nm", "-S", PROGRAM], capture_output=True, text=True, check=True).stdout
    (words,) = [line.split() for line in symbols.splitlines() if line.endswith(f" {function}")]
    return int(words[0], 16), int(words[0], 16) + int(words[1], 16)


def of_program(lines):
    """By the number of a frame, its place in the program's file."""
    modules = {words[1]: fields(words) for words in lines if words[0] == "module"}
    for words in lines:
        if words[0] == "frame":
            module = modules.get(fields(words).get("module"), {})
            if os.path.basename(module.get("path", "")) == "samples":
                yield words[1], int(fields(words)["pc"], 16) - int(module["bias"], 16)


@frame.test
def samples(folder):
    lines = record(folder, "--sample=off")
    assert not any(words[0] == "sample" or words[1].startswith("sample") for words in lines), "samples, though off"
    lines = record(folder, "--sample=1000")
    meta = {words[1]: words[2] for words in lines if words[0] == "meta" and len(words) > 2}
    if "samples_off" in meta:
        return meta["samples_off"].replace("%20", " ")
    assert meta["sample_period_ns"] == "999993", meta
    stacks = {words[1]: fields(words) for words in lines if words[0] == "stack"}
    places = dict(of_program(lines))
    first, last = range_of("burn")
    taken = [fields(words) for words in lines if words[0] == "sample" and "asleep=" not in " ".join(words)]
    inside = [s for s in taken if first <= places.get(stacks[s["stack"]]["frame"], 0) < last]
    # the collector may come late to the thread, but not by all of its time on a CPU
    assert inside, f"no sample of burn() in {len(taken)}"
    if os.uname().machine == "x86_64":
        callers = [stacks[stacks[s["stack"]]["parent"]] for s in inside]
        assert all(c["frame"] in places for c in callers), "burn() is not called by the program"
    return None


@frame.test
def kept(folder):
    """What stands at the frames of stacks is kept in the trace: it reports the same without the program."""
    program, path = os.path.join(folder, "samples"), os.path.join(folder, "x.tpt")
    shutil.copy(PROGRAM, program)
    for option in ("--no-names", "--quiet"):
        subprocess.run([TPTRACE, "record", "--force", "-q", option, "-o", path, "--sample=1000", "--", program],
                       check=True, timeout=120, env=tracing.environment())
        if option == "--no-names":
            before = tracing.report_of(TPTRACE, path)
            subprocess.run([TPTRACE, "info", "--embed", path], check=True, capture_output=True, timeout=120)
        os.rename(program, program + ".away")
        after = tracing.report_of(TPTRACE, path)
        os.rename(program + ".away", program)
        assert after == before or option == "--quiet", (before["code"], after["code"])
        burns = [row for row in after["code"] if row["function"] == "burn" and row["line"]]
        assert burns or not after["code"], after["code"]


def refuse_perf():
    """As containers do: perf_event_open() fails with EPERM, in this process and those that it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    # load the number; skip unless it is 298, perf_event_open of x86-64; fail with EPERM; else allow
    code = struct.pack("HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 298, 0x06, 0, 0, 0x50000 | 1, 0x06, 0, 0, 0x7fff0000)
    kept = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(kept)))
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()


@frame.test
def refused(folder):
    """Where perf_event_open() is forbidden, record says what permits it, if asked; report does anyway."""
    if os.uname().machine != "x86_64":
        return "made for x86-64"
    path = os.path.join(folder, "refused.tpt")
    for options in ([], ["--sample"]):
        said = subprocess.run([TPTRACE, "record", "--force", "-o", path, *options, "--", PROGRAM], check=True,
                              preexec_fn=refuse_perf, capture_output=True, text=True, timeout=120,
                              env=tracing.environment()).stderr
        assert ("no samples of stacks: a seccomp filter forbids" in said) == bool(options), said
        shown = subprocess.run([TPTRACE, "report", "--by", "code", path], check=True, capture_output=True, text=True)
        shown = " ".join(shown.stdout.split())
        assert "no samples of stacks a seccomp filter forbids perf_event_open" in shown, shown
    return None


@frame.test
def rate(folder):
    """Without a rate record chooses one by what a sample costs, and says so."""
    meta = {words[1]: int(words[2]) for words in record(folder)
            if words[0] == "meta" and words[1] in ("sample_period_ns", "sample_cost_ns")}
    if "sample_period_ns" not in meta:
        return  # not permitted
    hz = 1e9 / (meta["sample_period_ns"] + 7)
    assert 99 < hz < 501 and meta["sample_cost_ns"] > 0, meta
    assert hz < 101 or hz * meta["sample_cost_ns"] < .005e9, meta
    shown = subprocess.run([TPTRACE, "report", "--by", "code", os.path.join(folder, "x.tpt")], check=True,
                           capture_output=True, text=True).stdout
    assert "a second); to take one cost" in shown, shown


@frame.test
def baseline(folder):
    """Two runs, of which the second has one worker; report takes both for one."""
    both = os.path.join(folder, "both")
    said = subprocess.run([TPTRACE, "record", "--baseline", "-o", f"{both}/", "--", PROGRAM], check=True, timeout=120,
                          capture_output=True, text=True, env=tracing.environment()).stderr
    assert "2 runs, the second with one worker" in said, said
    runs = [tracing.report_of(TPTRACE, os.path.join(both, name)) for name in sorted(os.listdir(both))]
    dumps = [subprocess.run([TPTRACE, "dump", run["file"]], capture_output=True, check=True).stdout for run in runs]
    assert [b"meta baseline" in dump for dump in dumps] == [False, True], "which is the baseline"
    # the program asks for two workers itself: the CPU is one
    assert runs[1]["machine"]["affinity"] == 1, runs[1]["machine"]
    together = tracing.report_of(TPTRACE, both)
    assert together["file"] == runs[0]["file"] and together["elapsed_ns"] == runs[0]["elapsed_ns"], together["file"]
    tasks = {row["what"]: row["tasks"] for row in together["stretch"] if row["name"] == "main" and row["work_ns"] > 1e8}
    assert tasks.get("baseline") == tasks.get("run") == 1, together["stretch"]
    refused = subprocess.run([TPTRACE, "record", "--baseline", "--repeat", "2", "--", PROGRAM], capture_output=True,
                             check=False)
    assert refused.returncode == 2, refused


if __name__ == "__main__":
    os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
    subprocess.run(["gcc", "-O1", "-g", "-fopenmp", os.path.join(HERE, "samples.c"), "-o", PROGRAM], check=True)
    sys.exit(frame.run("samples", ARGS))
