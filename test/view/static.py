#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""static.py - types, layout and usual faults of the page's JavaScript and its tests.

tsc, eslint and prettier come from npm, of the versions and with the checksums of static/package-lock.json, once.
"""
import argparse
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
from npm import install, node_version  # noqa: E402
NODE_LEAST = 18
GENERATED = "tools/view/page/kinds.js"


def scripts():
    found = glob.glob("tools/view/page/*.js", root_dir=ROOT) + glob.glob("test/view/*.mjs", root_dir=ROOT)
    found += glob.glob("test/view/unit/*.mjs", root_dir=ROOT)
    return sorted(found + ["test/view/static/eslint.config.mjs"])


def commands(packages):
    """Each with what it says of all scripts: nothing, where they are as they should be."""
    tool, cache = os.path.join(packages, "node_modules", ".bin", ""), os.path.join(packages, "cache-")
    own = [path for path in scripts() if path != GENERATED]
    yield [tool + "tsc", "-p", os.path.join(HERE, "static", "tsconfig.json"),
           "--incremental", "--tsBuildInfoFile", cache + "tsc"]
    yield [tool + "eslint", "--no-config-lookup", "--config", os.path.join(packages, "eslint.config.mjs"),
           "--cache", "--cache-strategy=content", "--cache-location", cache + "eslint", *own]
    yield [tool + "prettier", "--config", os.path.join(packages, "prettier.json"), "--log-level=warn", "--check",
           "--cache", "--cache-strategy=content", "--cache-location", cache + "prettier", *own]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    args = parser.parse_args()
    packages = os.path.join(os.path.abspath(args.build), "view", "static")
    missing = f"no node of version {NODE_LEAST} or newer" if node_version() < NODE_LEAST else install(packages, "static")
    if missing:
        print(f"skip check of JavaScript: {missing}")
        return 0
    failed = [command for command in commands(packages) if subprocess.run(command, cwd=ROOT, check=False).returncode]
    for command in failed:
        print(f"javascript: {os.path.basename(command[0])} failed; `prettier --write` lays out what it finds")
    return 1 if failed else 0


sys.exit(main())
