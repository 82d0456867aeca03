# SPDX-License-Identifier: MIT
"""own_shm.py - a mount namespace with a /dev/shm of its own, for who makes or removes all that is there."""
import os
import subprocess
import sys

SHM = "/dev/shm"
INSIDE = "TPTRACE_TEST_NAMESPACE"


def enter(what):
    """Runs this again in a namespace of its own, or says why not; returns if this is that run."""
    if os.environ.get(INSIDE):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1G", "tptrace", SHM],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        print(f"skip {what}: no /dev/shm of its own: {done.stderr.strip()}")
        sys.exit(0)
    how = ["--mount"] if os.geteuid() == 0 else ["--mount", "--map-root-user"]
    if subprocess.run(["unshare", *how, "true"], capture_output=True, check=False).returncode:
        print(f"skip {what}: no mount namespace can be made here")
        sys.exit(0)
    sys.exit(subprocess.run(["unshare", *how, sys.executable, *sys.argv],
                            env={**os.environ, INSIDE: "1"}, check=False).returncode)
