#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tries.py - scripts/tries: what passes at once, at the second try, never, or stands still."""
import argparse
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TRIES = os.path.join(HERE, "..", "..", "scripts", "tries")
argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()


def tries(n, command, seconds=60):
    """The status, how often the command ran, and what the log says."""
    with tempfile.TemporaryDirectory() as folder:
        log, count = f"{folder}/log", f"{folder}/count"
        done = subprocess.run([TRIES, str(n), log, "sh", "-c", f"echo >>{count}; {command}"],
                              capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "COUNT": count, "TRY_SECONDS": str(seconds)})
        runs = len(open(count, encoding="utf-8").readlines())
        said = open(log, encoding="utf-8").read() if os.path.exists(log) else ""
        return done.returncode, runs, said


SECOND = '[ "$(wc -l <$COUNT)" -gt 1 ]'
assert tries(1, "true") == (0, 1, "")
assert tries(2, "true") == (0, 1, "")
assert tries(1, "exit 7") == (7, 1, "")
assert tries(2, "exit 7") == (7, 2, "")
assert tries(1, SECOND) == (1, 1, "")
status, runs, said = tries(2, SECOND)
assert (status, runs) == (0, 2) and said.startswith("2 tries: sh -c") and len(said.splitlines()) == 1, said
assert tries(2, "sleep 50", seconds=0.2) == (124, 2, "") and tries(1, "sleep 50", seconds=0.2) == (124, 1, "")
print("tries: ok")
