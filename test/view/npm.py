# SPDX-License-Identifier: MIT
"""npm.py - packages of npm that a check needs, of the versions and with the checksums of its package-lock.json."""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def node_version():
    if not shutil.which("node"):
        return 0
    text = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return int(text.lstrip("v").split(".")[0])


def same(one, other):
    with open(one, "rb") as first, open(other, "rb") as second:
        return first.read() == second.read()


def install(folder, wanted=""):
    """All files of `wanted`, which is below here, and what its package-lock.json names; what is there is kept.

    Says what is missing, "" if nothing is.
    """
    if not shutil.which("npm"):
        return "npm is not there"
    source, lock = os.path.join(HERE, wanted), os.path.join(folder, "package-lock.json")
    is_there = os.path.exists(os.path.join(folder, "installed")) and same(f"{source}/package-lock.json", lock)
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(source):
        if name.endswith((".json", ".config.mjs")):
            shutil.copy(os.path.join(source, name), folder)
    if is_there:
        return ""
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"],
                          cwd=folder, capture_output=True, check=False)
    if done.returncode:
        return f"npm cannot install what {os.path.join('test/view', wanted)} needs"
    with open(os.path.join(folder, "installed"), "w", encoding="utf-8"):
        return ""
