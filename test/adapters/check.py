#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - the adapters of shims/adapters, each on the runtime whose source an environment variable
names: TASKFLOW_PREFIX (with taskflow/taskflow.hpp), QUARK_SOURCE (with quark.c), WOOL_SOURCE (with wool.c) and
LACE_SOURCE (with lace.c).  Tasks, dependences and names are those of the program, and it does the same with and without
the recorder."""
import argparse
import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import tracing  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SHIMS = os.path.abspath(os.path.join(HERE, "..", "..", "shims"))
MARKS = [f"-I{SHIMS}/task", "-O2", "-g"]


def run(*command, cwd=None):
    done = subprocess.run(command, env=tracing.environment(), capture_output=True, text=True, timeout=300, cwd=cwd,
                          check=False)
    assert done.returncode == 0, (command, done.stderr[-2000:])
    return done.stdout


def recorded(build, folder, program):
    """The report of the program, which prints the same without the recorder."""
    trace = os.path.join(folder, "adapter.tpt")
    plain = run(program)
    assert run(os.path.join(build, "tptrace"), "record", "-o", trace, "--", program) == plain == "done\n", plain
    report = tracing.report_of(os.path.join(build, "tptrace"), trace, "--strict")
    assert not any(r.get("note") for r in report["runtimes"]), report["runtimes"]
    return report


def kinds(report):
    return {k["name"]: k["tasks"] for k in report["kinds"] if k["what"] == "task"}


def taskflow(build, folder, prefix):
    program = os.path.join(folder, "wavefront")
    run("g++", "-std=c++20", *MARKS, f"-I{SHIMS}/adapters/taskflow", f"-I{prefix}", f"{HERE}/wavefront.cpp", "-o",
        program, "-lpthread")
    report = recorded(build, folder, program)
    assert kinds(report) == {"block": 2 * 240, "diagonal": 2 * 16}, kinds(report)
    assert report["edges"]["depend"] == 2 * 480, report["edges"]
    assert report["workers"] == 2, report["workers"]


def marked(folder, source, name, *files):
    """The runtime's source in the folder, with its marks."""
    for file in glob.glob(f"{source}/*"):
        if os.path.isfile(file):
            shutil.copy(file, folder)
    if "tptrace" not in open(f"{folder}/{files[0]}", encoding="utf-8").read():
        run("sed", "-i", "-f", f"{SHIMS}/adapters/{name}/{name}.sed", *files, cwd=folder)


def quark(build, folder, source):
    marked(folder, source, "quark", "quark.c")
    program = os.path.join(folder, "cholesky")
    run("gcc", *MARKS, "-w", f"-I{folder}", "quark.c", "quarkos.c", "icl_list.c", "icl_hash.c", f"{HERE}/cholesky.c", "-o",
        program, "-lpthread", "-lm", cwd=folder)
    report = recorded(build, folder, program)
    assert kinds(report) == {"potrf": 12, "trsm": 66, "syrk": 66, "gemm": 220}, kinds(report)
    assert report["edges"]["depend"] == 858, report["edges"]
    assert all(k["file"].endswith("cholesky.c") and k["line"] for k in report["kinds"]), report["kinds"]


def fork_join(build, folder, outermost, *command):
    """What a program of SPAWN and SYNC has: each task is joined by one wait."""
    run("gcc", *MARKS, "-w", f"-I{folder}", f"{HERE}/fork_join.c", "-o", "fork_join", *command, "-lpthread", cwd=folder)
    report = recorded(build, folder, os.path.join(folder, "fork_join"))
    spawned = {"fib_CALL": 232, "tree_CALL": 63, "stacked_CALL": 2, **outermost}
    assert kinds(report) == spawned, kinds(report)
    assert report["edges"]["create"] == report["edges"]["join"] == sum(spawned.values()), report["edges"]
    assert report["workers"] == 2, report["workers"]


def wool(build, folder, source):
    marked(folder, source, "wool", "wool-common.h", "wool-gen.sh", "wool.c")
    with open(f"{folder}/wool.h", "w", encoding="utf-8") as f:
        f.write(run("bash", "wool-gen.sh", "30", cwd=folder))
    fork_join(build, folder, {}, "wool.c")


def lace(build, folder, source):
    marked(folder, source, "lace", "lace.sh", "lace.c")
    run("bash", "gen.sh", cwd=folder)
    counted = ("PIE_TIMES", "COUNT_TASKS", "COUNT_STEALS", "COUNT_SPLITS")
    with open(f"{folder}/lace_config.h", "w", encoding="utf-8") as f:
        f.write("".join(f"#define LACE_{name} 0\n" for name in counted))
    for file, flags in (("lace.c", []), ("lace14.c", ["-include", "lace14.h"])):
        fork_join(build, folder, {"all_CALL": 1}, "-DLACE", *flags, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    build = os.path.abspath(parser.parse_args().build)
    for check, variable in ((taskflow, "TASKFLOW_PREFIX"), (quark, "QUARK_SOURCE"), (wool, "WOOL_SOURCE"),
                            (lace, "LACE_SOURCE")):
        if os.environ.get(variable):
            with tracing.new_folder("adapters") as folder:
                check(build, folder, os.environ[variable])
        else:
            print(f"skip adapter of {check.__name__}: no {variable}")


main()
