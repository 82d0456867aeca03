#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py [--tptrace CMD] [--n N] - small traces made to take all memory and all time.

Each is refused with a line, or reported; in little memory, by a limit of the process, and it ends
(the limit of time is far from what they take: it tells a loop over all pairs from one over all).
"""
import argparse
import os
import resource
import struct
import subprocess
import sys
import tempfile

MEMORY = 700 << 20
SECONDS = 60  # of which page faults take 15 in a virtual machine without help of the processor
HEAD = "tptrace text 2\nclock ns\n"
ROOT = "0 w0 root 0.1\n"


def each(n, text):
    """The text for each number from 1, with {i} that number and {j} the next."""
    return "".join(text.format(i=i, j=i + 1, n=n + i) for i in range(1, n))


def created(n, clauses, flags=""):
    return each(n, f"{{i}} w0 create 0.{{j}} site=1{flags}\n{clauses}{{i}} w0 resume 0.1\n")


def text_cases(n):
    yield "the last worker", "0 w65535 root 65535.1\n1 w65535 create 65535.2 site=65534\n"
    yield "all workers at once", each(65536, "0 w{i} root {i}.1\n")
    yield "all at one time", each(n // 20, "0 w{i} root {i}.1\n") + \
        each(n // 20, "5 w{i} yield site=1\n5 w{i} resume {i}.1\n") * 20
    yield "open groups", ROOT + "- w0 group\n" * 20 * n + \
        each(20 * n, "{i} w0 wait children site=1\n{i} w0 resume 0.1\n")
    yield "sets and readers", ROOT + created(2 * n, "- w0 depend set 0x1\n") + \
        each(2 * n, "{n} w0 create 0.{n} site=1\n- w0 depend in 0x1\n{n} w0 resume 0.1\n")
    yield "all memory", ROOT + created(4 * n, "- w0 depend out 0x{i:x}\n- w0 depend all\n")
    yield "a team that waits", ROOT + "0 w0 fork 0.2 site=1 team\n" + \
        each(n, "{i} w1 member 1.{i} of 0.2\n{i} w1 wait team site=1\n") + \
        each(n, "{n} w1 resume 1.1\n{n} w1 wait team site=1\n")
    yield "a team that ends in order", ROOT + "0 w0 fork 0.2 site=1 team\n" + \
        each(40 * n, "{i} w1 member 1.{i} of 0.2\n{i} w1 yield site=1\n") + \
        each(40 * n, "{n} w1 resume 1.{i}\n{n} w1 end\n")
    yield "a barrier that all leave", ROOT + \
        each(40 * n, "{i} w1 root 1.{i}\n{i} w1 wait barrier site=1\n- w1 object 0x1\n") + \
        each(40 * n, "{n} w2 resume 1.{i}\n{n} w2 wait object site=1\n")
    yield "empty tasks in a chain", ROOT + created(
        5 * n, "- w0 depend out 0x1\n- w0 name 0x7\n{i} w0 resume 0.1\n{i} w0 wait named site=1\n"
        "- w0 object 0x7\n", " empty")
    yield "an empty task in a bag", ROOT + "1 w0 create 0.2 site=1 empty\n- w0 bag 0x3\n" \
        "1 w0 resume 0.1\n2 w0 wait bag site=1\n- w0 object 0x3\n3 w0 resume 0.1\n"
    yield "an id far away", ROOT + "- w0 next-id 281474976645119\n1 w0 end\n" \
        "2 w0 root 0.281474976645120\n"
    yield "many keys", each(20 * n, "meta k{i} v\n") + ROOT
    yield "one key", "meta k v\n" * 20 * n + ROOT
    yield "one long line", "meta k " + "x" * 100 * n + "\n" + ROOT
    yield "one line of many fields", "runtime 0 " + "name=x " * 20 * n + "\n" + ROOT
    yield "places and modules", each(8000, "site {i} ret=0x{i}0 fn=0x{n}1\n") + \
        each(8000, "module {i} start=0x{i}fff0 end=0x{i}fff1 bias=0 path=/{i}\n") + ROOT + \
        each(8000, "{i} w0 create 0.{j} site={i}\n{i} w0 resume 0.1\n")


def fnv(data):
    value = 0x811c9dc5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xffffffff
    return value


def frame(pieces):
    """A zstd frame of (byte, times), in which each 128 KiB take 4 bytes."""
    blocks = [(byte, min(1 << 17, times - at)) for byte, times in pieces
              for at in range(0, times, 1 << 17)]
    out = struct.pack("<IBI", 0xfd2fb528, 0xa0, sum(times for _, times in pieces))
    for i, (byte, times) in enumerate(blocks):
        head = (i == len(blocks) - 1) | 1 << 1 | times << 3
        out += struct.pack("<I", head)[:3] + bytes([byte])
    return out


def block(at, kind, pieces, worker=0, seqno=0, n_events=0):
    body = frame(pieces)
    head = struct.pack("<IHHIIIIQQQQI", 0x4b4c4254, kind, 0, len(body),
                       sum(times for _, times in pieces), worker, seqno, 0, 0, 0, at, n_events)
    return head + struct.pack("<I", fnv(head)) + body


def file_of(blocks):
    out = b"tptrace\n" + struct.pack("<II16x", 1, 32)
    for make in blocks:
        out += make(len(out))
    return out


def file_cases():
    # 65,536 times kind 18, group, which has no time and no operand: a table, and its column
    events = [(1, 1), (0, 1), (0x80, 2), (4, 1), (18, 65536)]
    yield "definitions from nothing", file_of(
        [lambda at: block(at, 2, [(10, 64 << 20)])] * 100)
    yield "columns from nothing", file_of(
        [lambda at: block(at, 1, [(0, 64 << 20)], n_events=65536)])
    yield "events from nothing", file_of(
        [lambda at, i=i: block(at, 1, events, seqno=i, n_events=65536) for i in range(2000)])
    yield "workers with events from nothing", file_of(
        [lambda at, i=i: block(at, 1, events, worker=i, n_events=65536) for i in range(3000)])


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def survives(tptrace, name, path):
    for command in (["report", "--by", "site"], ["dump"], ["info"]):
        run = subprocess.run([tptrace, *command, path], stdout=subprocess.DEVNULL, text=True,
                             stderr=subprocess.PIPE, preexec_fn=limit, check=False)
        assert run.returncode in (0, 1), (name, command, run)
        assert "out of memory" not in run.stderr and "not enough" not in run.stderr, (name, run)
        assert len(run.stderr.splitlines()) <= 1 and len(run.stderr) < 1000, (name, run)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--tptrace", default=os.path.join(here, "../../build/tptrace"))
    p.add_argument("--n", type=int, default=4000)
    args = p.parse_args()
    n = 0
    with tempfile.TemporaryDirectory(prefix="tptrace-hostile.") as top:
        path = os.path.join(top, "x.tpt")
        for name, text in text_cases(args.n):
            with open(path, "w", encoding="utf-8") as f:
                f.write(HEAD + text)
            survives(args.tptrace, name, path)
            n += 1
        for name, data in file_cases():
            with open(path, "wb") as f:
                f.write(data)
            survives(args.tptrace, name, path)
            n += 1
    print(f"{n} survived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
