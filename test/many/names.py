#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py [--tptrace CMD] - names in a trace that are made to write on the reader's terminal, or to break lines.

No output of any command has a control character but ends of lines; JSON and CSV are read back by other parsers, and
have as many rows and columns as for harmless names.
"""
import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

# what a terminal obeys, what ends a line or a field, what is no UTF-8
NASTY = b"\x1b]0;owned\x07\x1b[31m\"x\",y;\r\nz\t\x7f\xc2\x9b2J\x9b2J\xff\xc3\\'=1+1%s%n"
PLAIN = b"p" * (len(NASTY) - 1)     # as wide, so that lines break alike: one character has two bytes
FORBIDDEN = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4\x80-\xbf])[\x80-\x9f]")
TEXT = ["tptrace text 2", "clock ns", "meta command @", "meta exe @", "meta host @", "meta ended @", "meta @ v",
        "meta pid 12", "meta cores @", "meta keep @", "meta recorded @",
        "runtime 0 name=@ version=@ workers=2 note=@",
        "module 0 start=0x1000 end=0x2000 bias=0 build-id=00 path=/@",
        "site 1 runtime=0 ret=0x1010 fn=0x1020 ret-module=0 fn-module=0",
        "site 2 name=@ file=@ line=3", "site 3 name=@",
        "mark 1 phase @", "mark 2 begin @", "mark 800 end @",
        "0 w0 root 0.1", "10 w0 create 0.2 site=1", "20 w0 resume 0.1", "30 w0 create 0.3 site=2",
        "40 w0 resume 0.1", "45 w0 create 0.4 site=3", "46 w0 resume 0.1", "50 w1 begin 0.2", "90 w1 end",
        "100 w1 begin 0.3", "600 w1 end", "610 w1 begin 0.4", "650 w1 end", "700 w0 wait children site=2",
        "800 w0 resume 0.1", "900 w0 end"]


def value(name):
    """As FORMAT.md has it."""
    return b"".join(b"%%%02x" % byte if byte <= 0x20 or byte in b"%#\x7f" else bytes([byte]) for byte in name)


def write(path, name, text):
    with open(path, "wb") as f:
        f.write(b"\n".join(line.encode().replace(b"@", value(name)) for line in text) + b"\n")


def run(tptrace, *arguments, status=0):
    done = subprocess.run([os.fsencode(tptrace), *map(os.fsencode, arguments)], capture_output=True, timeout=60,
                          check=False)
    assert done.returncode == status, (arguments, done)
    for said in (done.stdout, done.stderr):
        found = FORBIDDEN.search(said)
        assert not found, (arguments, said[max(0, found.start() - 80):found.end() + 40])
    assert len(done.stderr.splitlines()) <= 1, (arguments, done.stderr)
    return done.stdout


def shapes(tptrace, folder, name):
    """What does not depend on names, of all outputs; [] where bytes were bad."""
    path = os.path.join(os.fsencode(folder), name.replace(b"/", b"_") + b".tpt")
    write(path, name, TEXT)
    shape = [len(run(tptrace, "report", path).splitlines()), len(run(tptrace, "info", path).splitlines()),
             len(run(tptrace, "dump", path).splitlines())]
    for by in ("kind", "site", "path", "worker", "edge", "phase"):
        shape.append(len(run(tptrace, "report", "--by", by, path).splitlines()))
        text = run(tptrace, "report", "--csv", "--by", by, path).decode("utf-8", "replace")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        shape.append([len(row) for row in rows])
        assert len(set(map(len, rows))) == 1, rows
    for options in ((), ("--by", "phase"), ("--phase", name), ("--region", name)):
        shape.append(len(json.loads(run(tptrace, "report", "--json", *options, path))))
    back = path + b".loaded"  # by the file itself, not by its text
    run(tptrace, "load", path, "-o", back)
    shape.append(len(run(tptrace, "report", back).splitlines()))
    run(tptrace, "report", "--phase", name + b"?", path, status=2)
    run(tptrace, "report", path + b"none", status=1)
    # and many at once
    shape.append(len(run(tptrace, "report", path, back).splitlines()))
    shape.append(len(run(tptrace, "report", "--each", path, back).splitlines()))
    shape.append(len(json.loads(run(tptrace, "report", "--json", path, back))))
    text = run(tptrace, "report", "--csv", path, back).decode("utf-8", "replace")
    shape.append([len(row) for row in csv.reader(io.StringIO(text, newline=""), strict=True)])
    os.unlink(back)
    # what is told of a trace that cannot be read
    for line in ("meta @ @ @", "site @", "runtime 0 name=@ bogus=@", "@", "0 w0 @", "mark 1 @ @", "clock @"):
        write(path, name, TEXT[:2] + [line])
        for command in ("report", "info", "dump"):
            subprocess_status = subprocess.run([tptrace, command, path], capture_output=True, check=False)
            run(tptrace, command, path, status=subprocess_status.returncode)
    os.unlink(path)
    return shape


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--tptrace", default=os.path.join(here, "../../build/tptrace"))
    args = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="tptrace-names.") as folder:
        plain, nasty = (shapes(args.tptrace, folder, name) for name in (PLAIN, NASTY))
    assert plain == nasty, (plain, nasty)
    print(f"{len(plain)} outputs are alike")
    return 0


if __name__ == "__main__":
    sys.exit(main())
