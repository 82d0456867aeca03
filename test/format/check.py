#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py [--build DIR] - reader.py, written from FORMAT.md alone, reads every trace as tptrace dump does.

The traces: all golden ones, one with every kind and word of the tables, recorded ones, ones cut short,
and forged ones, with what a later tptrace may add: reader and dump skip or refuse it alike.
"""
import contextlib
import glob
import os
import random
import subprocess
import sys

import forge
import reader
import wire

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import frame  # noqa: E402
import tracing  # noqa: E402

BUILD = frame.options(__doc__).build
TPTRACE = os.path.join(BUILD, "tptrace")
TALLY = {"passed": 0, "failed": 0}


def result(name, problem):
    TALLY["failed" if problem else "passed"] += 1
    if problem:
        print(f"{name}: {problem}")


def run(*command, **env):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=tracing.environment(**env))


def read(data):
    """The lines of the text, or what is wrong with the trace."""
    try:
        return reader.text_of(data)
    except wire.Invalid as error:
        return str(error)


def difference(lines, want):
    """What is first different, or nothing."""
    if isinstance(lines, str):
        return lines
    for i, (got, wanted) in enumerate(zip(lines + ["the end"], want + ["the end"])):
        if got != wanted:
            return f"line {i + 1}: {got}; dump: {wanted}"
    return None


def dump(data, folder, cut=False):
    """As read(), by tptrace dump; of a trace that was cut, what is there."""
    path = os.path.join(folder, "dump.tpt")
    with open(path, "wb") as trace:
        trace.write(data)
    done = run(TPTRACE, "dump", path)
    return done.stderr if done.returncode and not cut else done.stdout.splitlines()


def compare(name, data, folder, cut=False):
    want = dump(data, folder, cut)
    result(name, want if isinstance(want, str) else difference(read(data), want))
    return want


def load(text, path):
    """The bytes of the trace that tptrace load makes of a file of text."""
    done = run(TPTRACE, "load", "-o", path, text)
    if done.returncode:
        sys.exit(f"{text}: {done.stderr}")
    with open(path, "rb") as trace:
        data = trace.read()
    os.unlink(path)
    return data


# ---- text ----

def every_word():
    """Text with each kind, and each word of the tables."""
    words, lines, time, n_ids = reader.WORDS, [], 10, 0
    operands = {
        "none": [""], "id": ["0.1"], "site": ["site=1"], "name": ["0x7f00", "0xffffffffffffffff"],
        "number": ["7", str(reader.U64)], "ticks": ["12"],
        "task": ["site=1"] + [f"site=2 {word}" for word in words["task"].values()],
        "fork": ["site=1"] + [f"site=3 {word}" for word in words["fork"].values()],
        "wait": [f"{word} site=1" for word in words["wait"].values()] + ["depend site=2 global"],
        "depend": [f"{word} 0xfff" for word in words["depend"].values()],
        "lost": [f"5 {word}" if number else "5" for number, word in words["lost"].items()],
        "collapsed": [f"{word} 9" for word in words["collapsed"].values() if word != "made"],
        "tally": [f"site={site} {word} {f'{bucket} ' * (word == 'by-work')}{value}" for word in words["tally"].values()
                  for site, bucket, value in ((1, 0, 9), (65535, 495, 2 ** 39 - 1))],
        "message": [f"{word} {value}" for word in words["message"].values() for value in (0, 72057594037927935)],
        "field": [f"{word} {value}" for word in words["field"].values() for value in (0, 72057594037927935)],
        "counter": ["0 1", "15 72057594037927935"], "path": ["0", "300"]}
    for kind in reader.KINDS.values():
        for operand in operands[kind.operand]:
            if kind.word == "next-id":
                operand = str(n_ids)
            n_ids += kind.makes_id
            time += kind.timed
            made = {"id": " of ", "name": " named "}.get(kind.operand, " ")
            made = f"0.{n_ids}{made}" if kind.makes_id else ""
            lines.append(f"{time if kind.timed else '-'} w0 {kind.word} {made}{operand}".rstrip())
    return "\n".join(["tptrace text 2", "clock ns", *lines]) + "\n"


class Named:
    """Text of a tree of tasks with names, in bags or not, mostly from an allocator that gives out first what it
    got back last; with collapsed fields that are not always the same.  A guess that goes another way than the
    page's is right by chance now and then, and so is seen."""

    def __init__(self, in_bags):
        self.in_bags, self.lines, self.time, self.n_ids, self.free = in_bags, [], 10, 1, []
        self.random = random.Random(1)
        self.add("root 0.1")
        self.task(1, 4)

    def text(self):
        return "\n".join(["tptrace text 2", "clock ns", *self.lines]) + "\n"

    def add(self, event, timed=True):
        self.time += timed
        self.lines.append(f"{self.time if timed else '-'} w0 {event}")

    def create(self, i):
        self.n_ids += 1
        self.add(f"create 0.{self.n_ids} site={i}")
        if self.random.random() < .5 or not self.free:
            return self.n_ids, f"{0x10000 + 64 * self.random.randrange(4):#x}"
        return self.n_ids, self.free.pop(self.random.choice((0, -1, -1)))

    def task(self, task, depth):
        for field in ("own", "work", "span", "path")[:1 + self.n_ids % 3] if depth == 0 else ():
            self.add(f"collapsed {field} {self.n_ids}", timed=False)
        children = []
        for i in range(3 if depth else 0):
            child, name = self.create(i)
            children.append(name)
            if not self.in_bags:
                self.add(f"begin 0.{child}")
                self.task(child, depth - 1)
                self.add(f"resume 0.{task}")
            self.add(f"name {name}", timed=False)
            if self.in_bags:
                self.add(f"bag {0x7ffc00 + self.random.choice((depth, depth, 1)):#x}", timed=False)
                self.add(f"resume 0.{task}")
        if children and self.in_bags:
            self.wait("bag", f"{0x7ffc00 + depth:#x}")
            for name in reversed(children):
                self.n_ids += 1
                self.add(f"start 0.{self.n_ids} named {name}")
                self.task(self.n_ids, depth - 1)
                self.free.append(name)
            self.add(f"resume 0.{task}")
        elif children:
            for name in children if self.random.random() < .8 else reversed(children):
                self.wait("named", name)
                self.free.append(name)
                self.add(f"resume 0.{task}")
        self.add("end")

    def wait(self, what, name):
        self.add(f"wait {what} site=9")
        self.add(f"object {name}", timed=False)


def check_texts(folder):
    """Returns the traces, with what dump makes of them."""
    made = {"every_word": every_word(), "in_bags": Named(True).text(), "joined": Named(False).text()}
    texts = sorted(glob.glob(os.path.join(HERE, "..", "golden", "report", "*.txt")))
    for name, text in made.items():
        texts.append(os.path.join(folder, f"{name}.txt"))
        with open(texts[-1], "w", encoding="utf-8") as file:
            file.write(text)
    traces = []
    for text in texts:
        data = load(text, os.path.join(folder, "loaded.tpt"))
        want = compare(os.path.basename(text), data, folder)
        if not isinstance(want, str):
            traces.append((data, want))
    return traces


@contextlib.contextmanager
def broken(owner, name, replacement):
    kept = getattr(owner, name)
    setattr(owner, name, replacement)
    try:
        yield
    finally:
        setattr(owner, name, kept)


def check_broken(traces):
    """A reader that leaves out one rule of the page must be seen to."""
    kinds = {**reader.KINDS, 11: reader.KINDS[12]}
    for owner, name, replacement in (
            (reader.Stack, "push", lambda stack, value: None),
            (reader.Stack, "pop", lambda stack: None),
            (reader.State, "slot", lambda state: 0),
            (reader.Bytes, "zigzag", reader.Bytes.varint),
            (reader, "flags", lambda of, value: ""),
            (reader, "value_text", lambda value: value.replace("%20", " ")),
            (reader, "KINDS", kinds),
            (reader.State, "level", lambda state: 0),
            (reader.Names, "awaited", lambda names, task: 0),
            (reader.Names, "named", lambda names, task, slot, name: None),
            (reader.Names, "waited", lambda names, task, name: None)):
        with broken(owner, name, replacement):
            found = any(difference(read(data), want) for data, want in traces)
        result(f"without {name}", None if found else "not found")


# ---- recorded programs ----

def record(name, folder, command, expect, **env):
    path = os.path.join(folder, f"{name}.tpt")
    done = run(*command, LD_PRELOAD=os.path.join(BUILD, "libtpshim_omp.so"), TPTRACE_OUTPUT=path,
               TPTRACE_VERBOSE=0, **env)
    if done.returncode:
        sys.exit(f"{name}: exit status {done.returncode}: {done.stderr}")
    with open(path, "rb") as trace:
        data = trace.read()
    lines = compare(name, data, folder)
    if expect and not any(f" {expect}" in line for line in lines):
        result(name, f"no event `{expect}` was recorded")
    return data


def check_cuts(name, data, folder):
    """Cut anywhere, what is there is reported; where no task is, one line says so."""
    path, some = os.path.join(folder, "cut.tpt"), False
    for block in wire.blocks_of(data):
        for n_bytes, there in ((block.end - 1, some), (block.end, some or begins_task(block))):
            with open(path, "wb") as trace:
                trace.write(data[:n_bytes])
            done = run(TPTRACE, "report", path)
            right = (done.returncode, bool(done.stdout), done.stderr.count("\n")) == (int(not there), there, 1)
            result(f"{name} cut at {n_bytes}", None if right else f"{there}, but {done.returncode}: {done.stderr}")
        some = there


def begins_task(block):
    return block.type == wire.EVENTS and any(kind.word in ("root", "begin", "member", "start")
                                             for _, kind, _, _ in reader.events_of(block))


def check_recorded(folder):
    fib = os.path.join(BUILD, "format", "fib")
    phases = os.path.join(BUILD, "format", "phases")
    record("calling", folder, [fib], "path", TPTRACE_CALLPATHS="on")
    record("counting", folder, [fib], "counter", TPTRACE_COUNTERS="page-faults,cpu-time")
    record("monotonic", folder, [fib], "wait", TPTRACE_CLOCK="monotonic")
    check_cuts("plain", record("plain", folder, [fib], "create", TPTRACE_COLLAPSE="off"), folder)
    check_cuts("collapsing", record("collapsing", folder, [fib], "collapsed"), folder)
    check_cuts("kept", record("kept", folder, [fib], "create", TPTRACE_COLLAPSE="off", TPTRACE_KEEP="last",
                              TPTRACE_MAX_SIZE="1M"), folder)
    record("newest", folder, [phases, "20", "500", "phases"], "create", TPTRACE_KEEP="last", TPTRACE_MAX_SIZE="256K")
    record("small", folder, [phases, "20", "500", "phases"], "lost", TPTRACE_MAX_SIZE="256K",
           TPTRACE_COLLAPSE="off", TPTRACE_COLLECTOR="inside")
    data = record("stopped", folder, [phases, "5", "200", "middle"], "lost")
    for n_bytes in range(len(data) // 20, len(data), len(data) // 20):
        compare(f"cut at {n_bytes}", data[:n_bytes], folder, cut=True)


# ---- forged traces ----

LINES = "meta a x%c3%a9%41%20%zz%C2%85%ff\u00a0\u0085\nmeta b\nmeta a 2 # not this\nmark 11 phase x\nwhole 18\n" \
    "clock tsc\nsync 1 2 snapshot\nsync 3 4\nsync 5 6 snapshot\nsync 7 8\n" \
    "site 1 line=0x7 ret=4096 ret-module=0x1\nmodule 2 start=1 path=/x%20y\n" \
    "cpu w1 12 run=0x10 wait=3 later=4\ncpu w0 11 run=7\ncpu w2 13 wait=0\n" \
    "counter 2 unit=ns name=a%20b\ncounter 0x0 name=c later=3\npath 3 site=0x2 parent=1 later=1\npath 1 site=1\n" \
    "sample w0 0x11 stack=2 later=1 word=4096\nsample w1 12 in=kernel stack=1 asleep=0 word=0\n" \
    "sample w1 13 asleep=5\n" \
    "stack 2 parent=1 frame=1\nstack 1 frame=0x0 parent=0\nframe 1 pc=4096 module=2 later=1\n" \
    "frame 0 pc=0x20 op=later line=3 name=x%20y fn=0x10 op=spin\n"

OPTIONAL = {
    "block": {"blocks": [forge.Block(9, b"later", wire.OPTIONAL)]},
    "kind": {"more_events": [(None, 62, 62, b"xyz"), (None, 63, None, b"")]},
    "column": {"more_columns": [(32, b"x"), (792, b"y"), (70000, b"z")]},
    "line": {"lines": "later 1 2\nparam n 1000\n"},
    "field": {"lines": "site 1 later=3\n"},
    "mark": {"lines": "mark 11 later\n"},
    "flag of a task": {"task_flags": 1 << 17 | 1 << 31},
    "flag of a wait": {"wait_high": 1 | 1 << 16},
}
REQUIRED = {
    "version": {"version": 2},
    "block": {"blocks": [forge.Block(9, b"later")]},
    "kind": {"more_events": [(None, 47, None, b"")]},
    "timed kind": {"more_events": [(30, 23, None, b"")]},
    "column": {"more_columns": [(31, b"x")]},
    "no step": {"step": None},
    "line": {"lines": "!later 1 2\n"},
    "flag of a task": {"task_flags": 1 << 15},
    "flag of a wait": {"wait_high": 1 | 1 << 15},
    "wait": {"wait_high": 99},
    "no wait": {"wait_high": 0},
    "no guessed wait": {"more_events": [(24, 8, None, b"", 1)]},
    "guess": {"more_events": [(24, 8, None, b"", 2)]},
    "dependence": {"more_events": [(None, 24, 3, forge.zigzag(7 << 60))]},
    "no dependence": {"more_events": [(None, 24, 3, forge.zigzag(0))]},
    "reason": {"more_events": [(None, 32, 3, forge.zigzag(9 << 56))]},
    "collapsed": {"more_events": [(None, 36, 4, forge.varint(99) + forge.varint(1))]},
    "tally": {"more_events": [(None, 39, 8, forge.zigzag(505) + forge.varint(1))]},
    "no tally": {"more_events": [(None, 39, 8, forge.zigzag(0) + forge.varint(1))]},
    "site of a tally": {"more_events": [(None, 39, 8, forge.zigzag(1 << 25) + forge.varint(1))]},
    "value of a tally": {"more_events": [(None, 39, 8, forge.zigzag(1) + forge.varint(1 << 39))]},
}


# Steps of the clock in units, and times: in step, a second reading within one, beside it, on another CPU, far off.
STEPS = (1, 3, 13, 12.25, 25.96126, 4095)
TIMES = (22, 35, 61, 62, 100, 113, 117, 130, 143, 13 * 10 ** 6, 13 * 10 ** 6 + 5, 1 << 42, (1 << 42) + 13, 3 << 50)


def check_steps(folder):
    """Whatever the step is, the times are the same."""
    more = {"more_events": [(time, 11, None, b"") for time in TIMES]}
    plain = compare("times", forge.trace(**more), folder)
    for step in STEPS:
        data = forge.trace(step=int(step * (1 << reader.UNIT_BITS)), **more)
        if compare(f"step {step}", data, folder) != plain:
            result(f"step {step}", "other times")


def check_forged(folder):
    plain = compare("forged", forge.trace(), folder)
    compare("definitions", forge.trace(lines=LINES), folder)
    for name, what in OPTIONAL.items():
        if compare(f"optional {name}", forge.trace(**what), folder) != plain:
            result(f"optional {name}", "not skipped")
    for name, what in REQUIRED.items():
        data = forge.trace(**what)
        result(f"required {name}", None if isinstance(read(data), str) else "reader.py takes it")
        result(f"required {name}", None if isinstance(dump(data, folder), str) else "dump takes it")


def main():
    with tracing.new_folder("format") as folder:
        check_broken(check_texts(folder))
        check_recorded(folder)
        check_forged(folder)
        check_steps(folder)
    print("format: {passed} passed, {failed} failed".format(**TALLY))
    return 1 if TALLY["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
