#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutants.py [--build DIR] [FAMILY...] - whether `make check-quick` finds faults: each fault of faults.json is made in a copy of the tree.

A fault is first shown to the check that is named beside it, which is one of check-quick's.  Where that one passes, so do
all others: it is missed.  `--all` asks all of check-quick, for a fault that has no check of its own yet.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
LIMIT_S = 300  # a fault may make a check stand still

# what a file says once, what it shall say instead, and the check that finds it
with open(os.path.join(HERE, "faults.json"), encoding="utf-8") as faults:
    TABLE = tuple((one["family"], one["file"], one["says"], one["instead"], one["check"]) for one in json.load(faults))


def run(command, folder, seconds=LIMIT_S):
    """Whether it succeeds in that time; and what it said."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return False, f"stood still for {seconds} s"
    return process.returncode == 0, said


def command_of(check, quick):
    """A check of the table, as check-quick makes it."""
    if check.startswith("unit/"):
        if f"build/{check}_test" not in quick:
            sys.exit(f"mutants: check-quick does not run {check}")
        return [f"build/{check}_test"]
    path = f"test/{check}" if check.endswith(".py") else f"test/{check}/check.py"
    lines = [line[line.index("python3 "):] for line in quick.splitlines() if f"python3 {path} " in line]
    if len(lines) != 1:
        sys.exit(f"mutants: check-quick does not run {path}")
    return lines[0].split()


def build(folder, check):
    target = [f"build/{check}_test"] if check.startswith("unit/") else ["build/tptrace", "build/collapse"]
    return run(["make", "-s", f"-j{os.cpu_count()}", "O=build", *target], folder, 600)


def copy(build_folder, folder):
    """The tree as it is here, and what is built of it, with its times."""
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.split("\0")
    for name in filter(None, names):
        if os.path.isfile(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(folder, name))
    for part in ("obj", "pic", "unit", "view"):
        if os.path.isdir(os.path.join(build_folder, part)):
            shutil.copytree(os.path.join(build_folder, part), os.path.join(folder, "build", part), symlinks=True)


def try_mutant(folder, mutant, command, ask_all):
    """What became of it: "caught", "missed", or what is wrong with the table."""
    _, path, before, after, check = mutant
    path = os.path.join(folder, path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(before) != 1:
        return f"its text is there {text.count(before)} times"
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(before, after))
        built, said = build(folder, check)
        if not built:
            return f"does not compile: {said.splitlines()[-1:]}"
        passes = run(command, folder)[0] and (not ask_all or run(["make", "-s", "O=build", "check-quick"], folder, 900)[0])
        return "missed" if passes else "caught"
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def faulty_texts():
    """How many rows of the table have a text that is not in their file once: code that was changed since."""
    n = 0
    for family, path, before, *_ in TABLE:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            times = file.read().count(before)
        if times != 1:
            print(f"mutants: {family}: {path} has {before.strip()!r} {times} times: write another fault of that family")
            n += 1
    return n > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--texts", action="store_true", help="only whether each fault can be made: it changes a text that is there once")
    parser.add_argument("family", nargs="*")
    args = parser.parse_args()
    if args.texts:
        return faulty_texts()
    build_folder = os.path.abspath(args.build)
    folder = os.path.join(build_folder, "mutants")
    table = [mutant for mutant in TABLE if not args.family or mutant[0] in args.family]
    shutil.rmtree(folder, ignore_errors=True)
    copy(build_folder, folder)
    quick = subprocess.run(["make", "-n", "O=build", "check-quick"], cwd=folder, capture_output=True, text=True, check=True).stdout
    commands = {mutant[4]: command_of(mutant[4], quick) for mutant in table}
    for check, command in commands.items():  # nothing is caught by what fails anyway
        (built, said), (passes, why) = build(folder, check), run(command, folder)
        if not built or not passes:
            sys.exit(f"mutants: {check} fails without a fault: {(said if not built else why)[-600:]}")
    caught = 0
    for mutant in table:
        began = time.monotonic()
        result = try_mutant(folder, mutant, commands[mutant[4]], args.all)
        caught += result == "caught"
        print(f"{result:8} {mutant[0]:13} {mutant[1]:34} {mutant[4]:16} {time.monotonic() - began:4.0f} s", flush=True)
    print(f"mutants: {caught} of {len(table)} caught")
    shutil.rmtree(folder, ignore_errors=True)
    return caught < len(table)


if __name__ == "__main__":
    sys.exit(main())
