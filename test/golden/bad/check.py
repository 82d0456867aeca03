#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--tptrace CMD] - tptrace report refuses each trace that is here.

Exit status 1, nothing on stdout, and one line on stderr with the name of the file and the word
that the trace's comment `# want: WORD` names.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../lib"))
import frame  # noqa: E402


def wrong_with(command, path):
    with open(path) as f:
        word = re.search(r"^# want: (\S+)$", f.read(), re.M).group(1)
    for options in ([], ["--json"]):
        run = subprocess.run(command + ["report"] + options + [path], capture_output=True, text=True)
        said = run.stderr.rstrip("\n")
        if run.returncode != 1:
            yield f"exit status {run.returncode}, want 1"
        if run.stdout:
            yield f"stdout: {run.stdout[:200]}"
        if not said or "\n" in said:
            yield f"stderr has {len(said.splitlines())} lines, want 1: {said[:300]}"
        if os.path.basename(path) not in said:
            yield f"stderr does not name the file: {said[:300]}"
        if word not in said.replace(path, "").replace(os.path.basename(path), ""):
            yield f"stderr does not say '{word}': {said[:300]}"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--tptrace", default=os.path.join(HERE, "../../../build/tptrace"),
                   help="a command; 'python3 ../../prop/brute.py' can stand in")
    command = shlex.split(p.parse_args().tptrace)
    return frame.verdict("bad", ((os.path.basename(path), dict.fromkeys(wrong_with(command, path)))
                                 for path in sorted(glob.glob(os.path.join(HERE, "*.txt")))))


if __name__ == "__main__":
    sys.exit(main())
