#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""freeze.py [--tptrace CMD] [--bless | --against DIR] [--sample N] [WORD..] - all outputs are what they were.

hashes.txt has a hash for each group of outputs (outputs.py): what its calls print, write and exit with.  --against DIR,
a tree or build of before, shows the text that differs; --bless accepts it.
WORD..: only groups whose names have all these words.  --sample N: one group of N, always the same.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import zlib

from outputs import outputs, traces

HERE = os.path.dirname(os.path.abspath(__file__))
HASHES = os.path.join(HERE, "hashes.txt")
HASH_CHARS = 12  # 48 bits: no two texts of one name are taken for one another
PATIENCE_S = 1200  # of a call that takes milliseconds
LINES_SHOWN = 40   # of a difference
# Of a trace file, what only says how it is stored.
STORED = re.compile(rb"\d+(?= bytes, )|\d+(?= blocks)|(?<=bytes an event: )[\d.]+")
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC", "TERM": "dumb", "HOME": "/nonexistent"}


def content(path):
    """Of a file or folder that was written; a database as the statements that make it."""
    if os.path.isdir(path):
        names = sorted(os.listdir(path))
        return b"".join(name.encode() + b":\n" + content(os.path.join(path, name)) for name in names)
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"SQLite format 3"):
        database = sqlite3.connect(path)
        data = "\n".join(database.iterdump()).encode()
        database.close()
    return data


class Runner:
    """Runs calls of a tptrace in a folder of its own, which has all traces; each group once, since it writes there."""

    def __init__(self, tptrace, parent, files):
        self.tptrace, self.folder = tptrace, tempfile.mkdtemp(dir=parent)
        for name, text in files.items():
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(text)

    def one(self, call):
        env = {**ENVIRONMENT, "COLUMNS": str(call.columns)}
        with open(os.path.join(self.folder, call.given) if call.given else os.devnull, "rb") as given:
            done = subprocess.run([self.tptrace, *call.arguments], stdin=given, capture_output=True, cwd=self.folder,
                                  env=env, check=False, timeout=PATIENCE_S)
        said = STORED.sub(b"N", done.stdout) if call.arguments[0] == "info" else done.stdout
        if call.written and not done.returncode:
            said += content(os.path.join(self.folder, call.written))
        else:
            said += done.stderr
        asked = f"$ COLUMNS={call.columns} tptrace {' '.join(call.arguments)}\n"
        return asked.encode() + said + f"[{done.returncode}]\n".encode()

    def texts(self, calls):
        """What these calls say, one after the other."""
        return [self.one(call) for call in calls]


def words_of(tptrace):
    """The commands, and the ids of findings, which --explain lists."""
    def said(*arguments):
        done = subprocess.run([tptrace, *arguments], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    commands = re.findall(r"^  ([a-z]+)  ", said("--help"), re.M)
    return commands, re.split(", | or ", re.search("takes (.*), not", said("report", "--explain", "none"))[1])


def read_hashes():
    if not os.path.exists(HASHES):
        return {}
    with open(HASHES, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    return {line[HASH_CHARS + 1:]: line[:HASH_CHARS] for line in lines}


def write_hashes(hashes):
    with open(HASHES, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: MIT\n# Hashes of outputs, written by freeze.py --bless.\n")
        file.writelines(f"{hashes[name]} {name}\n" for name in sorted(hashes))


def hash_of(texts):
    return hashlib.sha256(b"".join(texts)).hexdigest()[:HASH_CHARS]


def lines_of(text):
    """Of JSON, a line for each key."""
    return text.decode("utf-8", "replace").replace(',"', ',\n"').splitlines()


def show(name, now, before):
    """The calls of that group whose text differs."""
    if now == before:
        print(f"{name}: the same there")
    for mine, theirs in zip(now, before):
        lines = list(difflib.unified_diff(lines_of(theirs), lines_of(mine), "before", "now", n=1, lineterm=""))[2:]
        if lines:
            print(f"{name}:", lines_of(mine)[0], *lines[:LINES_SHOWN], sep="\n")
            print(f"({len(lines) - LINES_SHOWN} lines more)\n" if len(lines) > LINES_SHOWN else "")


def tptrace_in(path):
    found = [p for p in (path, f"{path}/tptrace", f"{path}/build/tptrace") if os.path.isfile(p)]
    if not found:
        sys.exit(f"freeze.py: {path}: no tptrace in it")
    return os.path.abspath(found[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tptrace", default=os.path.join(HERE, "../../build/tptrace"))
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--against", metavar="DIR")
    parser.add_argument("--sample", metavar="N", type=int, default=1)
    parser.add_argument("words", metavar="WORD", nargs="*")
    given = parser.parse_args()
    files, wanted, tptrace = traces(), read_hashes(), tptrace_in(given.tptrace)
    groups = {name.strip(): calls for name, calls in outputs(files, *words_of(tptrace)) if calls}
    chosen = {name: groups[name] for name in sorted(groups)
              if not zlib.crc32(name.encode()) % given.sample and all(word in name for word in given.words)}
    with tempfile.TemporaryDirectory(prefix="tptrace-freeze-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runner = Runner(tptrace, folder, files)
        hashes = dict(zip(chosen, pool.map(lambda calls: hash_of(runner.texts(calls)), chosen.values())))
        differ = [name for name in hashes if hashes[name] != wanted.get(name)]
        if given.against:
            both = [Runner(each, folder, files) for each in (tptrace, tptrace_in(given.against))]
            for name in differ:
                show(name, *(each.texts(chosen[name]) for each in both))
    gone = [] if given.words or given.sample > 1 else sorted(set(wanted) - set(groups))
    if given.bless:
        write_hashes({**{name: wanted[name] for name in wanted if name in groups}, **hashes})
    else:
        for name in differ + gone:
            print("differs:" if name in groups else "gone:", name)
    print(f"freeze: {sum(map(len, chosen.values()))} outputs in {len(chosen)} groups, "
          f"{len(differ) + len(gone)} {'blessed' if given.bless else 'differ'}")
    if (differ or gone) and not given.bless:
        print("make check-freeze AGAINST=DIR, a build of before, shows what differs; make bless-freeze, if it is meant")
    return 1 if (differ or gone) and not given.bless or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
