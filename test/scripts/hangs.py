#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hangs.py - test/lib/patience.py: who hangs is killed with all that it started, and who starves is not."""
import argparse
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import patience  # noqa: E402

argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
SECONDS = 3
FOREVER = ["sh", "-c", "sleep 1000 & echo $!; wait"]
CPU = min(os.sched_getaffinity(0))


def on_one_cpu():
    os.sched_setaffinity(0, {CPU})


def is_over(pid):
    return not os.path.exists(f"/proc/{pid}") or "\nState:\tZ" in patience.read(f"/proc/{pid}/status")


try:
    raise AssertionError(f"it ended: {patience.run(FOREVER, SECONDS)}")
except subprocess.TimeoutExpired as late:
    sleeper = int(late.output)
until = time.monotonic() + 60  # its pipe is closed before it is over
while not is_over(sleeper):
    assert time.monotonic() < until, sleeper
    time.sleep(.01)

busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=on_one_cpu) for _ in range(4)]
until = time.monotonic() + 2 * SECONDS + 2 * patience.LOOK_S
spins = f"import time\nwhile time.monotonic() < {until}: pass\nprint('done')"
try:
    done = patience.run([sys.executable, "-c", spins], SECONDS, preexec_fn=on_one_cpu)
finally:
    for process in busy:
        process.kill()
        process.wait()
assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0), done
print("hangs: ok")
