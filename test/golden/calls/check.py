#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--tptrace CMD] - calls that contradict themselves are refused, and calls that are told work.

Exit status 2, nothing on stdout, and one line on stderr with the words that are wanted.  Each call is
also made without what contradicts, so that what is refused is not the rest of it.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../lib"))
import frame  # noqa: E402
TRACE = os.path.join(HERE, "../report/barrier.txt")
MANY = os.path.join(HERE, "../report/breadth_first.txt")
NAMES = ("plain.txt", "a name", "it's", "$(echo x);`y` \"z\"", "Ωμέγα", "''")
EXCLUDE = "exclude each other"
# The command, what it takes as well, what not with that, and words of the refusal.
CALLS = (
    ("report", ["--json"], ["--csv"], EXCLUDE),
    ("report", ["--csv"], ["--folded", "work"], EXCLUDE),
    ("report", ["--folded", "work"], ["--json"], EXCLUDE),
    ("report", ["--csv"], ["--bounds"], "leave out --csv"),
    ("report", ["--csv"], ["--compensate"], "leave out --csv"),
    ("report", ["--csv"], ["--distribution"], "leave out --csv"),
    ("report", ["--folded", "all"], ["--what-if"], "leave out --csv and --folded"),
    ("report", ["--bounds", "--simulate", "2"], ["--csv"], "leave out --csv"),
    ("report", ["--what-if"], ["--simulate", "2"], "of several ranks"),
    ("report", ["--until", "1s"], ["--from", "2s"], "--from must be before --to"),
    ("report", ["--to", "1s"], ["--from", "1s"], "--from must be before --to"),
    ("export", ["--to", "csv", "-o", "csv"], ["--nodes", "3"], "--nodes is for --to graphml and dot"),
    ("export", ["--to", "speedscope", "-o", "speedscope"], ["--stacks", "all"], "--stacks is for --to folded"),
    ("export", ["--to", "dot", "-o", "dot", "--until", "1s"], ["--from", "2s"], "--from must be before --until"),
    ("plot", ["-o", "x.svg", "--to", "1s"], ["--from", "2s"], "--from must be before --to"),
    ("diff", [TRACE, "--json"], ["--csv"], EXCLUDE),
    ("log", [TRACE, "--json"], ["--csv"], EXCLUDE),
)


def wrong_with(command, folder, name, options, more, words):
    def run(*arguments):
        return subprocess.run([command, name, *arguments, TRACE], capture_output=True, text=True, cwd=folder, check=False)

    done = run(*options)
    if done.returncode:
        yield f"exit status {done.returncode} without {more[0]}: {done.stderr}"
    for call in ([*options, *more], [*more, *options]):
        done = run(*call)
        if done.returncode != 2 or done.stdout:
            yield f"exit status {done.returncode}, want 2; stdout: {done.stdout[:200]}"
        if done.stderr.count("\n") != 1 or words not in done.stderr:
            yield f"stderr: {done.stderr[:300]}; want one line with `{words}`"


# Numbers that 32 bits do not hold are very large ones, and no small ones: the same answer as to the second call.
LARGE = (
    (["report", "--by", "state", "--top", "4294967297"], ["report", "--by", "state", "--top", "0"]),
    (["export", "--to", "speedscope", "-o", "-", "--top", "4294967297"], ["export", "--to", "speedscope", "-o", "-"]),
    (["export", "--to", "dot", "-o", "-", "--nodes", "4294967297"], ["export", "--to", "dot", "-o", "-", "--nodes", "0"]),
)


# Calls with one word that is wrong, and what is said of it.
MISTYPED = (
    (["-V"], "unknown option `-V` (see `tptrace --help`)"),
    (["repor"], "unknown command `repor`; did you mean `report`?"),
    (["report", "--hlep"], "did you mean `--help`?"),
    (["report", "--jsn"], "did you mean `--json`?"),
    (["report", "--json=3"], "--json takes no value"),
    (["report", "--co"], "`--co` may be one of 2 options"),
    (["report", "-x"], "unknown option `-x` (see"),
    (["report", "--by"], "--by needs a value: kind, site, path,"),
    (["report", "--top"], "--top needs a value: a number"),
    (["report", "-j"], "--jobs needs a value: a number from 1 to 1024"),
    (["view", "-o"], "--output needs a value: FILE"),
    (["record", "-P"], "--workers needs a value: a number from 1 to 4000"),
)


def wrong_with_mistyped(command):
    for call, words in MISTYPED:
        done = subprocess.run([command, *call], capture_output=True, text=True, check=False)
        if done.returncode != 2 or done.stdout or done.stderr.count("\n") != 1 or words not in done.stderr:
            yield f"{call}: exit status {done.returncode}, stderr: {done.stderr}"
    for call in (["--version"], ["report", "--version"]):
        done = subprocess.run([command, *call], capture_output=True, text=True, check=False)
        if done.returncode or not done.stdout.startswith("tptrace ") or done.stdout.count("\n") != 1:
            yield f"{call}: {done}"


def wrong_with_missing(command, folder):
    """What to do about a trace that is not there."""
    for name, more, words in (("recover", ["no.tpt"], "`tptrace recover --all` makes one"),
                              ("recover", ["-n", "no.tpt"], "`tptrace recover --all` makes one"),
                              ("recover", [], "`tptrace recover --all` makes one"),
                              ("report", [], "record one with `tptrace record -- COMMAND`")):
        done = subprocess.run([command, name, *more], capture_output=True, text=True, cwd=folder, check=False)
        if done.returncode != 1 or done.stdout or done.stderr.count("\n") != 1 or words not in done.stderr:
            yield f"{name} {more}: exit status {done.returncode}, stderr: {done.stderr}"


def wrong_with_told(command, folder, name):
    """The command that is told for a page: a shell takes it as the page's name."""
    shutil.copy(TRACE, os.path.join(folder, name))
    done = subprocess.run([command, "view", name], capture_output=True, text=True, cwd=folder, check=False)
    said = done.stdout.rstrip("\n").partition(", like `")[2].rstrip("`")
    if shlex.split(said) != ["xdg-open", name + ".html"]:
        yield f"told: {said}"


def wrong_with_large(command):
    for call, same in LARGE:
        said = [subprocess.run([command, *words, MANY], capture_output=True, text=True, check=False) for words in (call, same)]
        answers = [[line for line in done.stdout.splitlines() if "only_tasks_with_most_work" not in line] for done in said]
        if said[0].returncode or answers[0] != answers[1] or not answers[0]:
            yield f"{' '.join(call)}: {said[0].stdout[:300]}{said[0].stderr}, not {said[1].stdout[:300]}"


def results(command, folder):
    for call in CALLS:
        yield " ".join(["tptrace", call[0], *call[1], *call[2]]), wrong_with(command, folder, *call)
    yield "others", [*wrong_with_missing(command, folder), *wrong_with_mistyped(command), *wrong_with_large(command)]
    for name in NAMES:
        yield "tptrace view " + name, wrong_with_told(command, folder, name)


def main():
    args = frame.options(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        return frame.verdict("calls", results(os.path.abspath(args.tptrace), folder))


if __name__ == "__main__":
    sys.exit(main())
