#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""completion.py --build DIR - bash completes commands, options and values; zsh reads its script."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

# what is typed, its last word to be completed: all that has to be offered, in any order
TYPED = {
    ("tptrace", "re"): ["record", "report", "recover"],
    ("tptrace", "report", "--"): ["--help", "--by", "--callpaths", "--distribution",
                                   "--bounds", "--burden", "--simulate", "--predict-from", "--compensate", "--what-if", "--against", "--verbose", "--top",
                                   "--json", "--csv", "--folded", "--each", "--together", "--jobs",
                                   "--phase", "--region", "--from", "--until", "--to", "--baseline", "--explain", "--strict",
                                   "--color"],
    ("tptrace", "report", "--by", "s"): ["site", "state", "stretch"],
    ("tptrace", "report", "--by", "=", "k"): ["kind"],
    ("tptrace", "report", "--color", "="): ["auto", "always", "never"],
    ("tptrace", "report", "--by", "site", "--j"): ["--json", "--jobs"],
    ("tptrace", "report", "--top", ""): [],
    ("tptrace", "report", "--explain", "b"): ["barred", "barrier", "blocked", "buried"],
    ("tptrace", "report", ""): ["a.tpt", "a.tpt.1", "folder"],
    ("tptrace", "report", "a.tpt", ""): ["a.tpt", "a.tpt.1", "folder"],
    ("tptrace-report", "--c"): ["--callpaths", "--compensate", "--csv", "--color"],
    ("/usr/bin/tptrace-report", "--by", "e"): ["edge"],
    ("tptrace", "diff", "--t"): ["--threshold", "--top"],
    ("tptrace", "diff", "--by", ""): ["kind", "site", "path"],
    ("tptrace", "simulate", "--pol"): ["--policy"],
    ("tptrace", "predict", "--"): ["--help", "--at", "--beyond", "--json"],
    ("tptrace", "pre"): ["predict"],
    ("tptrace", "export", "--to", "s"): ["sqlite", "speedscope"],
    ("tptrace", "diff", "a.tpt", ""): ["a.tpt", "a.tpt.1", "folder"],
    ("tptrace", "record", "--ov"): ["--overflow"],
    ("tptrace", "record", "--collapse", ""): ["off"],
    ("tptrace", "record", "-o", ""): ["a.tpt", "a.tpt.1", "folder", "two words"],
    ("tptrace", "record", "-o", "x", "--quiet", "--keep", "l"): ["last"],
    ("tptrace", "record", "tptrace-none-of", "a"): ["a.tpt", "a.tpt.1"],
    ("tptrace", "record", "--", "--"): [],
    ("tptrace", "recover", "-"): ["--help", "--all", "--dry-run"],
    ("tptrace", "load", "-o", "t"): ["two words"],
    ("tptrace", "help", "st"): ["start", "stop"],
    ("tptrace", "completion", ""): ["bash", "zsh"],
    ("tptrace", "start", ""): [],
    ("tptrace", "no-such-command", "--"): [],
}

ASK = """source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_tptrace; for word in "${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    build, bad = os.path.abspath(parser.parse_args().build), []
    bash, zsh = (os.path.join(build, "completion", name) for name in ("tptrace", "_tptrace"))
    if not shutil.which("bash"):
        print("skip completion in bash: no bash")
        TYPED.clear()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.tpt", "a.tpt.1", "two words"):
            open(os.path.join(folder, name), "w").close()
        os.mkdir(os.path.join(folder, "folder"))
        for typed, want in TYPED.items():
            got = subprocess.run(["bash", "--norc", "-c", ASK, "bash", bash, *typed], cwd=folder,
                                 capture_output=True, text=True)
            if sorted(set(got.stdout.splitlines())) != sorted(want) or got.stderr:
                bad.append(f"{' '.join(typed)}: {got.stdout.split()}{got.stderr}, want {want}")
    if shutil.which("zsh"):
        read = subprocess.run(["zsh", "-n", zsh], capture_output=True, text=True)
        bad += [f"zsh: {read.stderr}"] if read.returncode or read.stderr else []
    else:
        print("skip completion in zsh: no zsh")
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"completion: {len(TYPED)} words typed, {len(bad)} failed")
    return 1 if bad else 0


sys.exit(main())
