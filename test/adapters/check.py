#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - the adapters of shims/adapters, each on the runtime that an environment variable names:
TASKFLOW_PREFIX (with taskflow/taskflow.hpp), QUARK_SOURCE (with quark.c), WOOL_SOURCE (with wool.c), LACE_SOURCE (with
lace.c), LIBFORK_PREFIX (with libfork/core.hpp), NOSV_PREFIX (where nOS-V is installed) and NANOS6_PREFIX (where Nanos6
is installed, built with its marks).  Tasks, dependences and names are those of the program, and it does the same with
and without the recorder."""
import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SHIMS = os.path.abspath(os.path.join(HERE, "..", "..", "shims"))
MARKS = [f"-I{SHIMS}/task", "-O2", "-g"]


def run(*command, cwd=None, **variables):
    done = subprocess.run(command, env=tracing.environment(**variables), capture_output=True, text=True, timeout=300,
                          cwd=cwd, check=False)
    assert done.returncode == 0, (command, done.stderr[-2000:])
    return done.stdout


def recorded(build, folder, program, **variables):
    """The report of the program, which prints the same without the recorder."""
    trace = os.path.join(folder, "adapter.tpt")
    plain = run(program)
    traced = run(os.path.join(build, "tptrace"), "record", "-o", trace, "--", program, **variables)
    assert traced == plain == "done\n", plain
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


def libfork(build, folder, prefix):
    marks = f"{SHIMS}/adapters/libfork/libfork.sed"
    shutil.copytree(f"{prefix}/libfork", f"{folder}/libfork")
    shutil.copy(f"{SHIMS}/task/tptrace_task.h", f"{folder}/libfork")
    if "tptrace" not in open(f"{folder}/libfork/core/impl/frame.hpp", encoding="utf-8").read():
        run("sh", "-c", f"sed -i -f {marks} core/impl/*.hpp core/*.hpp schedule/*.hpp", cwd=f"{folder}/libfork")
    for pool in ("lazy_pool", "busy_pool"):
        program = os.path.join(folder, pool)
        run("g++", "-std=c++20", *MARKS, f"-I{folder}", f"-DPOOL=lf::{pool}", f"{HERE}/libfork.cpp", "-o", program,
            "-lpthread")
        report = recorded(build, folder, program)
        forked = [0, 0]
        while len(forked) <= 10: # by fib, of 0, 1, ..
            forked.append(1 + forked[-1] + forked[-2])
        tasks = 3 + 2 + 2 * forked[10] # those of sync_wait(), the children of `both` and `catches`, and fib's
        assert sum(k["tasks"] for k in report["kinds"] if k["what"] == "task") == tasks, report["kinds"]
        assert report["edges"]["create"] == report["edges"]["join"] == tasks, report["edges"]
        assert all(k["file"].endswith("libfork.cpp") and k["line"] for k in report["kinds"]), report["kinds"]
        assert report["workers"] == 2, report["workers"]


def nosv(build, folder, prefix):
    marks, program = os.path.join(folder, "libtptrace_nosv.so"), os.path.join(folder, "nosv")
    run("gcc", *MARKS, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"{SHIMS}/adapters/nosv/tptrace_nosv.c", "-o",
        marks)
    run("gcc", *MARKS, f"-I{prefix}/include", f"{HERE}/nosv.c", "-o", program, f"-L{prefix}/lib",
        f"-Wl,-rpath,{prefix}/lib", "-lnosv")
    report = recorded(build, folder, program, LD_PRELOAD=marks)
    tasks = {name: n for name, n in kinds(report).items() if name != "killer"} # nOS-V's own
    assert tasks == {"leaf": 40, "pauses": 20, "suspends": 1, "blocks": 1}, tasks
    # main() pauses four times and waits for one task; all that pause but one are let go on
    assert (report["edges"]["join"], report["edges"]["sync"]) == (5, 19), report["edges"]


def nanos6(build, folder, prefix):
    program = os.path.join(folder, "nanos6")
    run("g++", "-std=c++17", *MARKS, f"-I{prefix}/include", f"{HERE}/nanos6.cpp", "-o", program, f"-L{prefix}/lib",
        f"-Wl,-rpath,{prefix}/lib", f"{prefix}/lib/nanos6-main-wrapper.o", "-lnanos6")
    report = recorded(build, folder, program)
    tasks = {"potrf": 12, "trsm": 66, "syrk": 66, "gemm": 220, "set": 9, "other": 9, "main": 1}
    assert kinds(report) == tasks, kinds(report)
    # of the two sets of three: each is after a task and before one
    assert report["edges"]["depend"] == 858 + 12, report["edges"]
    assert report["edges"]["join"] == sum(tasks.values()), report["edges"]


def main():
    build = frame.arguments(__doc__).build
    for check, variable in ((taskflow, "TASKFLOW_PREFIX"), (quark, "QUARK_SOURCE"), (wool, "WOOL_SOURCE"),
                            (lace, "LACE_SOURCE"), (libfork, "LIBFORK_PREFIX"),
                            (nosv, "NOSV_PREFIX"), (nanos6, "NANOS6_PREFIX")):
        if os.environ.get(variable):
            with tracing.new_folder("adapters") as folder:
                check(build, folder, os.environ[variable])
        else:
            print(f"skip adapter of {check.__name__}: no {variable}")


main()
