#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - the keys of --json: no object has one twice, and the man pages have all of them.

What `diff` says of its sides in "a" and "b" is in the man page of `report`.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../many"), os.path.join(HERE, "../../lib")]
import frame  # noqa: E402
import ranks  # noqa: E402
import texts  # noqa: E402
MAN = os.path.join(HERE, "../../../tools/man")
EVERYWHERE = {"version"}  # of the JSON, which only grows
EACH = (("--bounds",), ("--by", "grain"), ("--compensate",), ("--what-if",))
NAMED = {"counters", "noise", "ipc"}  # below these, keys are names, or words that diff's page has
SIZES = (4, 8, 16, 32, 64)


def unique(pairs):
    keys = [key for key, _ in pairs]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        raise ValueError(f"{sorted(twice)} twice in one object")
    return dict(pairs)


def keys_in(value, below=""):
    """All keys, but for names of counters."""
    if isinstance(value, list):
        for each in value:
            yield from keys_in(each, below)
    elif isinstance(value, dict):
        for key, each in value.items():
            if below not in NAMED:
                yield key
            yield from keys_in(each, key)


def calls(folder):
    """The command whose page has the keys, and its arguments."""
    traces = sorted(glob.glob(os.path.join(HERE, "../report/*.txt")))
    for path in traces:
        yield "report", [path]
    for path in traces[::8]:
        for more in EACH:
            yield "report", [*more, path]
    yield "report", ["--together", *traces[:3]]
    sender = os.path.join(folder, "sender")
    os.mkdir(sender)
    ranks.put(sender, ranks.sender()[0])
    yield "report", [sender]
    for a, b in zip(traces, traces[5::5]):
        yield "diff", [a, b]
    yield "log", [os.path.join(HERE, "../report", f"{name}.txt") for name in ("barrier", "breadth_first", "critical")]
    yield "simulate", ["-P", "1,2,4", os.path.join(HERE, "../report/breadth_first.txt")]
    for n in SIZES:
        with open(os.path.join(folder, f"{n}.txt"), "w", encoding="utf-8") as file:
            file.write(texts.loop(n))
    yield "predict", ["--at", "n=128", *(os.path.join(folder, f"{n}.txt") for n in SIZES)]


def main():
    tptrace = frame.arguments(__doc__).tptrace
    found, wrong, n = {}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for command, arguments in calls(folder):
            done = subprocess.run([tptrace, command, "--json", *arguments], capture_output=True, text=True, check=False)
            if not done.stdout:
                continue
            n += 1
            try:
                said = json.loads(done.stdout, object_pairs_hook=unique)
            except ValueError as error:
                wrong.append(f"{command} {' '.join(map(os.path.basename, arguments))}: {error}")
                continue
            if command == "diff":
                said = {key: value for key, value in said.items() if key not in ("a", "b")}
            found.setdefault(command, set()).update(keys_in(said))
    for command, keys in found.items():
        with open(os.path.join(MAN, f"tptrace-{command}.1"), encoding="utf-8") as file:
            page = file.read()
        if command in ("diff", "log"):
            for other in {"diff", "report"} - {command}:
                with open(os.path.join(MAN, f"tptrace-{other}.1"), encoding="utf-8") as file:
                    page += file.read()
        wrong += [f"tptrace-{command}.1 does not have the key \"{key}\"" for key in sorted(keys - EVERYWHERE)
                  if not re.search(rf"(?<!\w){key}(?!\w)", page)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"keys: {sum(map(len, found.values()))} keys of {len(found)} commands in {n} answers, {len(wrong)} wrong")
    return 1 if wrong or len(found) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
