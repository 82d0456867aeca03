#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""needs.py - what a build lacks is said at its start: by make in one line, by install-deps where there is no apt-get."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
NEEDED = ("libzstd", "libdw", "libelf", "zlib")


def make(*arguments, **env):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))} | env
    return subprocess.run(["make", "-n", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def found(name):
    """The folder of its .pc file."""
    return subprocess.run(["pkg-config", "--variable=pcfiledir", name], capture_output=True, text=True, check=True).stdout.strip()


def lacking(folder):
    """Each that is needed is named alone where it alone is not there; what needs no build goes on without it."""
    for lacked in NEEDED:
        at = os.path.join(folder, lacked)
        os.mkdir(at)
        for name in [*NEEDED, "liblzma"]:
            if name != lacked and os.path.exists(f"{found(name)}/{name}.pc"):
                shutil.copy(f"{found(name)}/{name}.pc", at)
        done = make("all", PKG_CONFIG_LIBDIR=at)
        gone = {line.split("not installed: ")[1].split(" (")[0] for line in done.stderr.splitlines() if "not installed: " in line}
        assert done.returncode == 2 and len(gone) == 1 and lacked in gone.pop().split(), (lacked, done)
        assert done.stderr.count("\n") == 1, done.stderr
        assert make("clean", PKG_CONFIG_LIBDIR=at).returncode == 0
    assert make("all").returncode == 0


def elsewhere(folder):
    """Without apt-get, what is needed is named, and nothing is tried."""
    for tool in ("sh", "cat"):
        os.symlink(shutil.which(tool), os.path.join(folder, tool))
    for what in ("build", "check"):
        done = subprocess.run([shutil.which("sh"), os.path.join(ROOT, "scripts/install-deps"), what], env={"PATH": folder},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "no apt-get here" in done.stderr and "elfutils" in done.stderr, done
        assert "not found" not in done.stderr, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        lacking(folder)
    with tempfile.TemporaryDirectory() as folder:
        elsewhere(folder)
    print("needs: what is missing is said")


if __name__ == "__main__":
    sys.exit(main())
