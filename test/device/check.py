#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] [TEST..] - waits for devices are recorded: where tasks call what blocks, and nowhere else.

A stand-in for the libraries says what it got, and programs print it: so what they print is the same, recorded or not.
Their sources mark the lines that wait.
"""
import collections
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ARGS = frame.arguments(__doc__)


def run(*command, **env):
    return subprocess.run(command, env=tracing.environment(**env), capture_output=True, text=True, timeout=100,
                          check=False)


def build(*command):
    subprocess.run(command, check=True)


def lines(source, mark):
    with open(f"{HERE}/{source}", encoding="utf-8") as file:
        return [n for n, text in enumerate(file, 1) if mark in text]


def stand_in(folder):
    """The library, under the name of one that is wanted."""
    library = f"{folder}/libOpenCL.so.1"
    build("gcc", "-g", "-shared", "-fPIC", f"{HERE}/stand_in.c", "-o", library, "-Wl,-soname,libOpenCL.so.1")
    return "-fopenmp", library, f"-Wl,-rpath,{folder}"


def waits(trace):
    """How often a task waited for a device, by the line that calls: 0 if the trace has no names of places."""
    dump = run(ARGS.tptrace, "dump", trace).stdout
    at = dict(re.findall(r"^site (\d+) .* at-line=(\d+)", dump, re.M))
    sites = re.findall(r"^\d+ w\d+ wait device site=(\d+)", dump, re.M)
    return collections.Counter(int(at.get(site, 0)) for site in sites)


def alike(trace, alone, *command, **env):
    """It says and returns what it does alone; nothing is lost.  Its report, and waits()."""
    done = run(*command, **env)
    assert (done.stdout, done.stderr, done.returncode) == (alone.stdout, alone.stderr, alone.returncode), (done, alone)
    strict = run(ARGS.tptrace, "report", "--strict", trace)
    assert strict.returncode == 0, strict
    return tracing.report_of(ARGS.tptrace, trace), waits(trace)


def recorded(folder, alone, *command, **env):
    trace = f"{folder}/recorded.tpt"
    return alike(trace, alone, ARGS.tptrace, "record", "-q", "--force", "--collapse=off", "-o", trace, *command, **env)


def check_calls(report, found, named=True):
    wanted = lines("calls.c", "\t\tWAITS(")
    assert found == (collections.Counter(wanted) if named else {0: len(wanted)}), (found, wanted)
    kinds = {kind["line"]: kind for kind in report["kinds"] if kind["line"] >= wanted[0]}
    assert len([line for line in kinds if line <= wanted[-1]]) == 10, kinds
    for line, kind in kinds.items():
        assert line > wanted[-1] or (kind["tasks"], kind["device_ns"] > 0) == (1, line in wanted), kind
    told = {finding["line"] for finding in report["findings"] if finding["id"] == "device"}
    assert told and told <= set(wanted) and sum(report["states"]["device"].values()) > 0, (told, report["states"])


@frame.test
def linked(folder):
    """A program that is linked to the library."""
    build("gcc", "-g", f"{HERE}/calls.c", "-o", f"{folder}/calls", *stand_in(folder))
    alone = run(f"{folder}/calls")
    assert alone.returncode == 3 and alone.stdout, alone
    check_calls(*recorded(folder, alone, f"{folder}/calls"))


@frame.test
def plug_in(folder):
    """By hand, of a plug-in whose library only itself can see."""
    build("gcc", "-g", "-DPLUG_IN", "-shared", "-fPIC", f"{HERE}/calls.c", "-o", f"{folder}/calls.so",
          *stand_in(folder))
    build("gcc", "-g", "-DLOADS", f"{HERE}/calls.c", "-o", f"{folder}/loads")
    command, trace = (f"{folder}/loads", f"{folder}/calls.so"), f"{folder}/by_hand.tpt"
    alone = run(*command)
    assert alone.returncode == 3 and alone.stdout, alone
    shims = run(ARGS.tptrace, "record", "--print-shim", "omp", "device").stdout.strip()
    env = {"LD_PRELOAD": shims, "TPTRACE_OUTPUT": trace, "TPTRACE_COLLAPSE": "off"}
    check_calls(*alike(trace, alone, *command, **env), named=False)


@frame.test
def not_linked(folder):
    """Others do not have the shim in memory."""
    maps = run(ARGS.tptrace, "record", "-q", "-o", f"{folder}/none.tpt", "cat", "/proc/self/maps").stdout
    assert "libtpshim_all.so" in maps and "libtpshim_device.so" not in maps, maps


@frame.test
def libomptarget(folder):
    """Regions, data and updates are waits where there is a device; without one the program runs the regions itself."""
    program = f"{folder}/target"
    if not shutil.which("clang") or run("clang", "-g", "-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu",
                                        f"{HERE}/target.c", "-o", program).returncode:
        return "no clang that builds for the host as a device"
    alone = run(program, OMP_TARGET_OFFLOAD="MANDATORY")
    if alone.returncode != 4:
        return "libomptarget has no plug-in for the host"
    report, found = recorded(folder, alone, program, OMP_TARGET_OFFLOAD="MANDATORY")
    times = {"region": 4, "data": 2, "league": 1, "update": 1, "rest": 1}
    at = {what: lines("target.c", f"/* the {what} */")[0] for what in (*times, "tasks")}
    assert found == {at[what]: n for what, n in times.items()}, found
    (tasks,) = (kind for kind in report["kinds"] if kind["line"] == at["tasks"])
    assert tasks["tasks"] == 4 and tasks["device_ns"] > 0, tasks
    assert at["region"] in (finding["line"] for finding in report["findings"] if finding["id"] == "device")
    report, found = recorded(folder, alone, program, OMP_TARGET_OFFLOAD="DISABLED")
    assert not found and "device" not in report["states"], (found, report["states"])
    return None


sys.exit(frame.run("device", ARGS))
