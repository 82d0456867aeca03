#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""corpus.py unpack FILE FOLDER | pack FOLDER FILE [MOST] - a fuzz corpus as one file, an input a
line in hex.  pack adds those that are new, in the order of their size, up to MOST inputs in all.
"""
import glob
import os
import sys


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as f:
        return [bytes.fromhex(line) for line in f]


def unpack(path, folder):
    for i, data in enumerate(read(path)):
        with open(os.path.join(folder, f"kept-{i}"), "wb") as f:
            f.write(data)


def pack(folder, path, most="400"):
    kept = read(path)
    found = [open(p, "rb").read() for p in glob.glob(os.path.join(folder, "*"))]
    fresh = sorted(set(found) - set(kept), key=lambda data: (len(data), data))
    with open(path, "w", encoding="ascii") as f:
        for data in (kept + fresh)[:int(most)]:
            f.write(data.hex() + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("unpack", "pack"):
        sys.exit(__doc__)
    {"unpack": unpack, "pack": pack}[sys.argv[1]](*sys.argv[2:])
