#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""marks.py - check-marks names the wrong mark of each program of wrong.c, its line and the other mark's, and nothing
else; of right programs it says nothing but their number of marks, and ends as they do."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402
from check import example  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
WRONG = os.path.join(ROOT, "test/steal/wrong.c")
LINE = re.compile(r"^tptrace: (?:\S*/)?wrong\.c:(\d+), in \w+: (.*)$", re.M)
LAST = re.compile(r"^tptrace: \S+: (\d+) marks of (\d+) tasks, (\d+) of them wrong$", re.M)
STEAL = ["test/steal/steal.c"]
RIGHT = (("test/work/task/fib.c", STEAL), ("test/work/task/moves.c", STEAL),
         ("test/work/task/objects.cc", []), ("test/work/task/marks.cc", []), ("test/dags/task_needs.c", []))


def run(*command):
    env = tracing.environment(STEAL_WORKERS=2)
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


def build(source, program, *more):
    compiler = "g++" if source.endswith("cc") else "gcc"
    sources = [source, *(os.path.join(ROOT, name) for name in more)]
    done = run(compiler, "-O2", "-g", f"-I{ROOT}", f"-I{ROOT}/shims/task", *sources, "-o", program, "-lpthread", "-ldl")
    assert done.returncode == 0, done.stderr


def expected(case):
    """[line, text] of a case's comments; the line of its other mark, or 0."""
    wrong, other, inside = [], 0, False
    with open(WRONG, encoding="utf-8") as f:
        lines = list(enumerate(f, 1))
    helpers = {"begins_on_two_threads": "begin_copy", "waits_in_no_task": "rest"}
    for number, line in lines:
        head = re.match(r"static .*?(\w+)\(void ?\*?\w*\)$", line)
        inside = head.group(1) in (case, helpers.get(case)) if head else inside
        mark = re.search(r"/\* wrong: (.*?) \*/", line)
        if inside and mark:
            wrong.append((number, mark.group(1)))
        if inside and "/* other: */" in line:
            other = number
    assert len(wrong) == 1, (case, wrong)
    return wrong[0], other


def check_wrong(tptrace, program, case):
    done = run(tptrace, "check-marks", program, case)
    (line, text), other = expected(case)
    said = LINE.findall(done.stderr)
    last = LAST.search(done.stderr)
    assert done.returncode == 1 and last and int(last.group(3)) == len(said), (case, done)
    assert [int(at) for at, _ in said] == [line] and text in said[0][1], (case, line, text, done.stderr)
    assert not other or f"wrong.c:{other}, in" in said[0][1], (case, other, said)
    assert ("killed by signal 6" in done.stderr) == (case == "dies"), (case, done)


def check_right(tptrace, program, what):
    plain = run(program)
    done = run(tptrace, "check-marks", program)
    last = LAST.search(done.stderr)
    assert last and int(last.group(1)) > 0 and last.group(3) == "0", (what, done.stderr)
    times = re.compile(r"\d{6,}")
    assert done.returncode == plain.returncode, (what, plain, done)
    assert times.sub("T", done.stdout) == times.sub("T", plain.stdout), (what, plain, done)


def check_space(tptrace, folder, program):
    """A space ends a name in LD_PRELOAD."""
    moved = os.path.join(folder, "with a space")
    os.mkdir(moved)
    for name in ("tptrace", "libtpprobe_marks.so"):
        shutil.copy(os.path.join(os.path.dirname(tptrace), name), moved)
    check_right(os.path.join(moved, "tptrace"), program, "with a space")


def main():
    tptrace = frame.arguments(__doc__).tptrace
    with tracing.new_folder("tptrace-marks.") as folder:
        program = os.path.join(folder, "program")
        build(WRONG, program)
        cases = run(program).stdout.split()
        for case in cases:
            if case != "is_right":
                check_wrong(tptrace, program, case)
        done = run(tptrace, "check-marks", "--", program, "is_right")
        assert done.returncode == 7 and LAST.search(done.stderr).groups() == ("6", "1", "0"), done
        for source, more in RIGHT:
            build(os.path.join(ROOT, source), program, *more)
            check_right(tptrace, program, source)
        with open(os.path.join(folder, "pool.c"), "w", encoding="utf-8") as f:
            f.write(example())
        build(f.name, program)
        check_right(tptrace, program, "tptrace-task(7)")
        check_space(tptrace, folder, program)
        done = run(tptrace, "check-marks", "true")
        assert done.returncode == 1 and "made no mark" in done.stderr, done
    print(f"check-marks: {len(cases) - 1} wrong programs, {len(RIGHT) + 2} right ones")


if __name__ == "__main__":
    main()
