#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hot_path.py - shims/HOWTO.md names functions that are there, in the folder of the shim that it says."""
import glob
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def words_of(*folders):
    """All names of the code below these, without what comments say."""
    paths = [path for folder in folders for path in glob.glob(f"{ROOT}/{folder}/**/*.[ch]", recursive=True)]
    return {word for path in paths for word in re.findall(r"\w+", COMMENT.sub("", open(path, encoding="utf-8").read()))}


def main():
    with open(f"{ROOT}/shims/HOWTO.md", encoding="utf-8") as file:
        rows = re.findall(r"^\| (\w+)[^|]*\| (`[^|]*) \| \d+ \|$", file.read(), re.M)
    n_gone = 0
    for shim, text in rows:
        words = words_of(f"shims/{shim}", "shims/common", f"test/{shim}")
        for name in sorted(set(re.findall(r"`(\w+)`", text)) - words):
            print(f"shims/HOWTO.md: {shim} has no {name}")
            n_gone += 1
    print(f"hot paths: {len(rows)} rows")
    return len(rows) < 10 or n_gone > 0


if __name__ == "__main__":
    sys.exit(main())
