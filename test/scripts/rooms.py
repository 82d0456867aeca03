#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rooms.py - scripts/rooms lets the tree pass, and says so of an include or a call against the order."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")

# name: the new file, its text, and words of what is said
WRONG = {
    "include": ("collector/trace/wrong.c", '#include "collector/drain/drain.h"', "may not include"),
    "include of preload": ("collector/drain/wrong.c", '#include "preload/session.h"', "may not include"),
    "call": ("collector/trace/wrong.c", "int drain_round(void); int wrong(void) { return drain_round(); }",
             "may not call drain_round"),
    "call of the collector": ("preload/wrong.c", "int drain_round(void); int wrong(void) { return drain_round(); }",
                              "may not call drain_round"),
    "floor": ("collector/drain/path.c", "int pending_add(void); int wrong(void) { return pending_add(); }", "calls up"),
    "no floor": ("collector/drain/wrong.c", "int pending_add(void); int wrong(void) { return pending_add(); }",
                 "on which floor"),
    "circle": ("tools/base/wrong.c", "int one(void); int two(void) { return one(); }", None),
}


def said(root):
    run = subprocess.run([os.path.join(TOP, "scripts", "rooms"), "--root", root, "--build", os.path.join(root, "b")],
                         capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


def add(root, path, text):
    """The file, and its object."""
    with open(os.path.join(root, path), "w", encoding="utf-8") as out:
        out.write(text + "\n")
    where = os.path.join(root, "b", "obj", path[:-1] + "o")
    os.makedirs(os.path.dirname(where), exist_ok=True)
    subprocess.run(["cc", "-xc", "-I" + TOP, "-D_GNU_SOURCE", "-c", "-o", where, os.path.join(root, path)], check=True)


def copy(root, build):
    for room in ("preload", "shims", "collector", "tools"):
        shutil.copytree(os.path.join(TOP, room), os.path.join(root, room))
        for kind in ("pic", "obj"):
            if os.path.isdir(os.path.join(build, kind, room)):
                shutil.copytree(os.path.join(build, kind, room), os.path.join(root, "b", kind, room))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    build = parser.parse_args().build
    failed = 0
    for name, (path, text, words) in {"as it is": (None, None, None), **WRONG}.items():
        with tempfile.TemporaryDirectory() as root:
            copy(root, build)
            if path:
                add(root, path, text)
            if name == "circle":
                add(root, "tools/base/other.c", "int two(void); int one(void) { return two(); }")
                words = "a circle of calls"
            status, told = said(root)
        good = status == 1 and words in told if path else (status, told) == (0, "")
        if not good:
            print(f"rooms: {name}: status {status}, said:\n{told}")
            failed += 1
    print(f"rooms: {len(WRONG) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
