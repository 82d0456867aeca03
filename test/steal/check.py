#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py - the example of tptrace-task(7), as it stands there: it compiles as C and as C++ without a warning, does the
same with and without the recorder, its trace has each task and edge, and without its marks there is none."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PAGE = os.path.join(ROOT, "tools/man/tptrace-task.7")
STRICT = ["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{ROOT}/shims/task"]
WAYS = (  # compiler, language, whether there are marks
    ("gcc", ["-xc", "-std=c90"], True),
    ("g++", ["-xc++", "-std=c++98"], True),
    ("clang", ["-xc", "-std=gnu11"], True),
    ("clang++", ["-xc++", "-std=c++17"], True),
    ("gcc", ["-xc", "-std=gnu11", "-DTPTRACE_TASK_OFF"], False),
)
N_TASKS = 464  # fib(n) creates c(n) = 2 + c(n - 1) + c(n - 2) tasks from n = 2 on: 2 F(13) - 2, as F(13) = 233


def example():
    """The program, as man(1) shows it."""
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    code = re.search(r"^\.SH A RUNTIME WITH MARKS\n.*?^\.nf\n(.*?)^\.fi$", page, re.M | re.S).group(1)
    code = code.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
    return re.sub("^    ", "", code, flags=re.M)


def run(*command, **env):
    return subprocess.run(command, env=tracing.environment(**env), capture_output=True, text=True, timeout=60,
                          check=False)


def check_trace(report, what):
    assert [(r["name"], r["version"], r["workers"], r["tasks"]) for r in report["runtimes"] if r["name"] == "pool"] == \
        [("pool", "1.0", 2, N_TASKS)], (what, report["runtimes"])
    assert not any(r.get("note") for r in report["runtimes"]), (what, report["runtimes"])
    assert tracing.explicit(report) == N_TASKS == report["tasks_ended"], (what, report)
    assert report["edges"]["create"] == report["edges"]["join"] == N_TASKS, (what, report["edges"])
    assert sorted(k["name"] for k in report["kinds"]) == ["fib", "main"], (what, report["kinds"])


def check_way(build, folder, compiler, language, has_marks):
    what = " ".join([compiler, *language])
    program, trace = os.path.join(folder, "pool"), os.path.join(folder, "pool.tpt")
    libc = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
    done = run(compiler, *STRICT, *language, os.path.join(folder, "pool.c"), "-o", program, "-lpthread",
               *(["-ldl"] if libc < (2, 34) else []))  # clang 11 makes no position-independent programs
    assert done.returncode == 0 and done.stderr == "", (what, done)
    plain = run(program)
    assert (plain.returncode, plain.stdout, plain.stderr) == (0, "fib(12) = 144\n", ""), (what, plain)
    done = run(os.path.join(build, "tptrace"), "record", "-o", trace, "--", program)
    assert (done.returncode, done.stdout) == (0, plain.stdout), (what, done)
    assert os.path.exists(trace) == has_marks, (what, done)
    if has_marks:
        check_trace(tracing.report_of(os.path.join(build, "tptrace"), trace, "--strict"), what)
        os.unlink(trace)
    else:  # what it calls is what it would call without the header
        done = run("nm", "-u", program)
        assert "dlsym" not in done.stdout, done.stdout


def check_fortran(build, folder):
    """The module compiles as Fortran 2008, and each mark of the program is recorded."""
    program, trace = os.path.join(folder, "marked"), os.path.join(folder, "marked.tpt")
    strict = ["-std=f2008", "-O2", "-g", "-Wall", "-Werror", f"-J{folder}", "-o", program]
    done = run("gfortran", *strict, f"{ROOT}/shims/task/tptrace_task.f90", f"{ROOT}/test/steal/marked.f90", "-ldl")
    assert done.returncode == 0 and done.stderr == "", done
    done = run(os.path.join(build, "tptrace"), "record", "-o", trace, "--", program)
    assert run(program).stdout == done.stdout == "10\n" and done.returncode == 0, done
    report = tracing.report_of(os.path.join(build, "tptrace"), trace)
    of = [r for r in report["runtimes"] if r["name"] == "fortran"]
    assert [(r["version"], r["workers"], r.get("note")) for r in of] == [("2.5", 1, None)], report["runtimes"]
    kinds = {k["name"]: k["tasks"] for k in report["kinds"]}
    assert kinds == {"main": 1, "leaf": 3, "last [n=512, priority=3]": 1, "never": 1}, kinds
    assert ("solve.f90", 12) in [(k["file"], k["line"]) for k in report["kinds"]], report["kinds"]
    assert [(o["device"], o["times"], o["bytes"]) for o in report["operations"]] == [("gpu", 4, 256)], report
    # last: after all three, as they read what it writes
    assert [report["edges"][key] for key in ("create", "join", "depend")] == [4, 4, 3], report["edges"]
    assert [(d["node"], d["bytes"]) for d in report["data"]] == [(1, 16), (2, 16), (3, 16)], report["data"]
    done = run(os.path.join(build, "tptrace"), "check-marks", program)
    assert done.returncode == 0 and "5 tasks, 0 of them wrong" in done.stderr, done


def check_versions(build):
    """A header of 0.3, with 10 marks, gets the table; a later one, whose table is larger, gets none."""
    code = "import ctypes; f = ctypes.CDLL(None).tptrace_task_find; f.restype = ctypes.c_void_p; " \
           "print([bool(f(n)) for n in (0, 80, 112, 120, 144, 145, 4096)])"
    done = run(sys.executable, "-c", code, LD_PRELOAD=os.path.join(build, "libtpshim_task.so"))
    assert done.stdout == "[True, True, True, True, True, False, False]\n", done


def main():
    build = frame.arguments(__doc__).build
    with tracing.new_folder("task") as folder:
        with open(os.path.join(folder, "pool.c"), "w", encoding="utf-8") as f:
            f.write(example())
        for compiler, language, has_marks in WAYS:
            if shutil.which(compiler):
                check_way(build, folder, compiler, language, has_marks)
            else:
                print(f"skip marks by {compiler}: there is none")
        if shutil.which("gfortran"):
            check_fortran(build, folder)
        else:
            print("skip marks by gfortran: there is none")
    check_versions(build)


main()
