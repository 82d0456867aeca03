#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reader.py TRACE.tpt - print a binary trace as text.

Written from collector/trace/FORMAT.md alone, to show that the page is enough: it takes the tables of
kinds and words from there, and shares no code with tptrace.  "Section" means a section of that page.
"""
import heapq
import os
import re
import sys

from wire import DEFINITIONS, EVENTS, Invalid, blocks_of, require
from fields import ALWAYS, DECIMAL, FIELDS, HEXADECIMAL, MARKS, NONE_IF_0

FORMAT_MD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../collector/trace/FORMAT.md")
U64 = (1 << 64) - 1


# ---- the tables of the page ----

def table(page, name):
    """The rows of a table between <!-- name --> and <!-- end -->, without its two header lines."""
    part = page.split(f"<!-- {name} -->\n")[1].split("<!-- end -->")[0]
    return [[cell.strip(" `") for cell in line.strip().strip("|").split("|")]
            for line in part.splitlines()[2:]]


class Kind:
    def __init__(self, row):
        self.number, self.word, self.operand, self.guesses = int(row[0]), row[1], row[5], int(row[6] or 0)
        self.timed, self.makes_id = row[2] == "yes", row[4] == "yes"


with open(FORMAT_MD, encoding="utf-8") as f:
    PAGE = f.read()
KINDS = {kind.number: kind for kind in map(Kind, table(PAGE, "kinds"))}
WORDS = {name: {int(row[0]): row[1] for row in table(PAGE, name)}
         for name in ("task", "fork", "wait", "wait flags", "depend", "lost", "collapsed", "message", "field", "tally")}
COUNTS = {int(row[0]) for row in table(PAGE, "collapsed") if row[2].startswith("(a count)")}
UNIT_BITS = 20  # of a step
HALF = 1 << UNIT_BITS - 1
COLUMN = {"site": 1, "task": 1, "fork": 1, "wait": 1, "id": 2, "name": 3, "number": 3, "ticks": 3,
          "depend": 3, "lost": 3, "collapsed": 4, "tally": 8, "counter": 48, "path": 49, "message": 50, "field": None}


# ---- the events of a block, sections 4 and 5 ----

class Bytes:
    """Numbers read one after the other from a column."""

    def __init__(self, data=b""):
        self.data, self.at, self.last = data, 0, 0

    def varint(self):
        value = shift = 0
        while True:
            require(self.at < len(self.data) and shift < 64, "a column is too short")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                require(value <= U64, "a varint of more than 64 bits")
                return value

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def take(self, n):
        require(self.at + n <= len(self.data), "a column is too short")
        self.at += n
        return self.data[self.at - n:self.at]


def columns_of(body):
    table_of, number, sizes = Bytes(body), None, []
    for _ in range(table_of.varint()):
        step, n_bytes = table_of.varint(), table_of.varint()
        require(number is None or 1 <= step <= number, "invalid number of a column")
        number = step if number is None else number - step
        sizes.append((number, n_bytes))
    columns = {number: Bytes(table_of.take(n_bytes)) for number, n_bytes in sizes}
    require(table_of.at == len(body), "bytes after the last column")
    for number in columns:
        require(not 9 <= number < 32, f"unknown required column {number}")
    return columns


class Stack:
    def __init__(self, size):
        self.ring, self.n = [0] * size, 0

    def top(self):
        return self.ring[(self.n - 1) % len(self.ring)]

    def push(self, value):
        self.ring[self.n % len(self.ring)] = value
        self.n = (self.n + 1) & 0xffffffff

    def pop(self):
        self.n = (self.n - 1) & 0xffffffff


class Names:
    """What the guesses of names come from."""

    def __init__(self):
        self.own, self.expected, self.bag = [0] * 256, [0] * 256, [0] * 256
        self.freed, self.step, self.last = Stack(256), [0] * 64, 0
        self.given, self.n_given = [[0, 0] for _ in range(512)], 0
        self.namer = [[0, 0, 0] for _ in range(256)]  # task, first and last of its names

    def namer_of(self, task):
        return self.namer[(task * 0x9e3779b97f4a7c15 & U64) >> 56]

    def awaited(self, task):
        named_by, first, _ = self.namer_of(task)
        return self.given[first][0] if named_by == task else 0

    def named(self, task, slot, name):
        namer, at = self.namer_of(task), self.n_given % 512
        self.n_given += 1
        self.step[slot], self.last = (name - self.last) & U64, name
        self.given[at][0] = name
        if namer[0] == task:
            self.given[namer[2]][1] = at
        else:
            namer[1] = at
        namer[0], namer[2] = task, at

    def waited(self, task, name):
        namer = self.namer_of(task)
        if namer[0] != task or self.awaited(task) != name:
            return
        self.freed.push(name)
        if namer[1] == namer[2]:
            namer[0] = 0
        else:
            namer[1] = self.given[namer[1]][1]


class State:
    """What the guesses come from."""

    def __init__(self, block):
        self.worker, self.ids = block.worker, block.ids
        self.tasks, self.fresh, self.names = Stack(256), Stack(1024), Stack(1024)
        self.next = [0] * 64
        self.last_begun = self.last_group = self.last_site = self.last_field = 0
        self.next_field, self.known = [0] * 64, Names()

    def slot(self):
        return (self.last_site * 0x9e3779b97f4a7c15 & U64) >> 58

    def level(self):
        return (self.tasks.n - 1) % 256

    def begun(self, task, name=0):
        self.tasks.push(task)
        self.known.own[self.level()] = name

    def guess(self, word, guess):
        if word == "begin":
            return self.fresh.top() if guess == 1 else (self.last_begun + 1) & U64
        if word == "member":
            return self.last_group
        if word == "start":
            return self.names.top()
        if word == "resume":
            return self.tasks.top()
        known = self.known
        if word == "name" and guess == 1:
            return known.expected[self.level()]
        if word == "name":
            return (known.last + known.step[self.slot()]) & U64
        if word == "bag" or word == "object" and guess == 1:
            return known.bag[self.level()]
        if word == "object":
            return known.awaited(self.tasks.top())
        return self.next[self.slot()]

    def update(self, kind, b):
        """After an event with operand b.  The id that it made, or None."""
        made = None
        if kind.makes_id:
            self.ids += 1
            made = self.worker << 48 | self.ids
        elif kind.word == "next-id":
            self.ids = b
        elif kind.word == "collapsed" and WORDS["collapsed"].get(b >> 56) == "made":
            self.ids += b & (1 << 56) - 1

        if kind.word in ("root", "member", "start"):
            self.begun(made, b if kind.word == "start" else 0)
        if kind.word == "member":
            self.last_group = b
        elif kind.word == "start" and self.names.top() == b:
            self.names.pop()
        elif kind.word == "begin":
            if self.fresh.top() == b:
                self.fresh.pop()
            self.last_begun = b
            self.begun(b)
        elif kind.word == "resume" and self.tasks.top() != b:
            self.begun(b)
        elif kind.word == "end":
            if self.known.own[self.level()]:
                self.known.freed.push(self.known.own[self.level()])
            self.tasks.pop()
        elif kind.word == "name":
            self.names.push(b)
            self.known.named(self.tasks.top(), self.slot(), b)
        elif kind.word == "bag":
            self.known.bag[self.level()] = b
        elif kind.word == "object":
            self.known.waited(self.tasks.top(), b)
        elif kind.word == "collapsed":
            self.next_field[self.last_field] = self.last_field = (b >> 56) % 64
        elif kind.word in ("create", "fork", "wait", "yield"):
            if kind.word == "create":
                self.fresh.push(made)
                self.known.expected[self.level()] = self.known.freed.top()
                if self.known.freed.top():
                    self.known.freed.pop()
            self.next[self.slot()] = b
            self.last_site = b
        return made


def split(low, more):
    """A varint of which the first byte is in `low`, and the others in `more`."""
    byte = low.take(1)[0]
    return byte & 127 | (more.varint() << 7 if byte > 127 else 0)


class Steps:
    """Times as steps of the clock."""

    def __init__(self, step, beside):
        self.step, self.beside, self.ahead = step, beside, HALF

    def units(self, value):
        if not self.step:
            return value
        n, off = value >> 1, self.beside.zigzag() if value & 1 else 0
        require(n * self.step < 1 << 62, "a time is out of range")
        at = self.ahead + n * self.step
        units = (at >> UNIT_BITS) + off
        require(0 <= units < 1 << 63, "a time is out of range")
        self.ahead = at - (units << UNIT_BITS)
        if off > 1 or off < 0 or off and n:
            self.ahead = 0 if off > 0 else (1 << UNIT_BITS) - 1
        return units

    def sum(self, value):
        self.ahead = HALF
        return self.units(value)


def collapsed_of(columns, field, sums):
    """An operand collapsed, but for the field if that was guessed."""
    of_fields = columns.get(COLUMN["collapsed"], Bytes())
    field = of_fields.varint() if field is None else field
    require(field < 64, f"unknown field {field}")
    value = split(columns.get(664 + field, Bytes()), columns.get(728 + field, Bytes()))
    return field << 56 | (value if field in COUNTS else sums.sum(value))


def operand_of(column, what, state):
    if what == "id":
        worker = column.varint()
        return worker << 48 | column.zigzag() + state.ids
    if what in ("site", "task", "fork", "wait"):
        low = column.varint()
        return low | column.varint() << 32
    if what in ("counter", "path", "message", "field"):
        number = column.varint()
        return number << 56 | column.varint() if what != "path" else number
    column.last = (column.last + column.zigzag()) & U64
    if what != "tally":
        return column.last
    value = column.varint()
    require(column.last < 1 << 25 and column.last % 512 < 504 and value < 1 << 39, "a tally is out of range")
    return column.last << 39 | value


def events_of(block):
    """(time, kind, operand, id made) of each event of a block whose kind is known."""
    require(block.worker < 65536, "invalid worker")
    columns, state = columns_of(block.body), State(block)
    time, before = block.first_time, 0
    step = columns.get(5, Bytes()).varint()
    steps, sums = (Steps(step, columns.get(number, Bytes())) for number in (6, 7))
    require(0 in columns and len(columns[0].data) == block.n_events, "not one tag for each event")
    for tag in columns[0].data:
        kind, guess, operand = KINDS.get(tag >> 2), tag & 3, 0
        if kind is None:
            require(tag >> 2 >= 48, f"unknown required kind {tag >> 2}")
            continue
        if kind.timed:
            since = columns.get(64 + 24 * before + kind.number, Bytes())
            since = steps.units(split(since, columns.get(640 + kind.number, Bytes())))
            time, before = (time + since) & U64, kind.number
        require(guess <= kind.guesses, f"no guess {guess} for {kind.word}")
        if kind.word == "collapsed":
            operand = collapsed_of(columns, state.next_field[state.last_field] if guess else None, sums)
        elif guess:
            operand = state.guess(kind.word, guess)
        elif kind.operand != "none":
            operand = operand_of(columns.get(COLUMN[kind.operand] or kind.number, Bytes()), kind.operand, state)
        yield time, kind, operand, state.update(kind, operand)
    require(time == block.last_time, "the last time is not that of the header")
    for number, column in columns.items():
        if number and (number < 9 or number in (48, 49) or 64 <= number < 792):
            require(column.at == len(column.data), f"bytes are left in column {number}")


# ---- text, section 7 ----

def word(of, number):
    require(number in WORDS[of], f"unknown {of} {number}")
    return WORDS[of][number]


def flags(of, value):
    known = sum(WORDS[of])
    require(not value & 0xffff & ~known, f"unknown required flag of a {of}: {value:#x}")
    return "".join(f" {w}" for bit, w in sorted(WORDS[of].items()) if value & bit)


def id_text(an_id):
    return f"{an_id >> 48}.{an_id & (1 << 48) - 1}"


def operand_text(what, b):
    low, high = b & 0xffffffff, b >> 32
    if what == "none":
        return ""
    if what == "id":
        return id_text(b)
    if what == "site":
        return f"site={low}"
    if what in ("task", "fork"):
        return f"site={low}" + flags(what, high)
    if what == "wait":
        return f"{word('wait', high & 255)} site={low}" + flags("wait flags", high & ~255)
    if what == "name":
        return f"{b:#x}"
    if what == "depend":
        return f"{word('depend', b >> 60)} {b & (1 << 60) - 1:#x}"
    if what == "tally":
        part, value = b >> 39 & 511, b & (1 << 39) - 1
        return f"site={b >> 48} {word('tally', min(part, 8))}{f' {part - 8}' * (part >= 8)} {value}"
    value = b & (1 << 56) - 1
    if what == "lost":
        return f"{value}" + ("" if b >> 56 == 0 else " " + word("lost", b >> 56))
    if what in ("collapsed", "message", "field"):
        return f"{word(what, b >> 56)} {value}"
    if what == "counter":
        require(b >> 56 < 16, "the number of a counter is too large")
        return f"{b >> 56} {value}"
    return str(b)  # number, ticks, path


def event_text(worker, time, kind, operand, made):
    words = [str(time) if kind.timed else "-", f"w{worker}", kind.word]
    text = operand_text(kind.operand, operand)
    if made is not None:
        words.append(id_text(made))
        words += {"id": ["of"], "name": ["named"]}.get(kind.operand, [])
    return " ".join(words + [text] if text else words)


def number_of(text):
    try:
        return int(text, 0)
    except ValueError:
        raise Invalid(f"invalid number {text}") from None


def value_text(value):
    """A value of a definition as dump writes it: every byte that needs it, and no other, as %xx."""
    data = re.sub(rb"%(?!00)([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), value.encode(errors="surrogateescape"))
    out = ""
    for char in data.decode(errors="surrogateescape"):
        if char <= " " or char in "%#" or "\x7f" <= char < "\xa0" or "\udc80" <= char <= "\udcff":
            char = "".join(f"%{byte:02x}" for byte in char.encode(errors="surrogateescape"))
        out += char
    return out


class Definitions:
    """What the lines of definitions say, so far."""

    def __init__(self):
        self.clock, self.whole = "ns", 0
        self.syncs, self.marks, self.cpus, self.processes, self.samples, self.meta = [], [], [], [], [], {}
        self.objects = {what: {} for what in FIELDS}

    def line(self, line):
        words = re.findall("[^ \t]+", line.split("#")[0])
        try:
            if words:
                self.define(words[0], words[1:])
        except (IndexError, ValueError):
            raise Invalid(f"invalid definition: {line}") from None

    def define(self, first, rest):
        if first in FIELDS:
            fields = dict(word.split("=", 1) for word in rest[1:])
            self.objects[first].setdefault(number_of(rest[0]), {}).update(fields)
        elif first == "clock":
            self.clock = rest[0]
        elif first == "sync":
            self.syncs.append((number_of(rest[0]), number_of(rest[1]), "snapshot" in rest[2:]))
        elif first == "whole":
            self.whole = number_of(rest[0])
        elif first == "meta":
            self.meta[rest[0]] = value_text(rest[1] if len(rest) > 1 else "")
        elif first == "cpu":
            fields = {"run": "0", **dict(word.split("=", 1) for word in rest[2:])}
            require(rest[0].startswith("w"), "a sample without a worker")
            sums = [f"{key}={number_of(fields[key])}" for key in ("run", "wait") if key in fields]
            self.cpus.append(["cpu", f"w{number_of(rest[0][1:])}", str(number_of(rest[1])), *sums])
        elif first == "process":
            fields = {"run": "0", **dict(word.split("=", 1) for word in rest[1:])}
            self.processes.append(["process", str(number_of(rest[0])), f"run={number_of(fields['run'])}"])
        elif first == "sample":
            fields = dict(word.split("=", 1) for word in rest[2:])
            asleep, word = number_of(fields.get("asleep", "0")), number_of(fields.get("word", "0"))
            self.samples.append(f"sample w{number_of(rest[0][1:])} {number_of(rest[1])} "
                                f"stack={number_of(fields.get('stack', '0'))}"
                                f"{f' word={word:#x}' if word else ''}{f' asleep={asleep}' if asleep else ''}"
                                f"{' in=kernel' if fields.get('in') == 'kernel' else ''}")
        elif first == "mark":
            if rest[1] in MARKS:
                name = [value_text(rest[2])] if MARKS.index(rest[1]) >= 2 else []
                self.marks.append(["mark", str(number_of(rest[0])), rest[1], *name])
        else:
            require(not first.startswith("!"), f"unknown required definition {first}")

    def object_text(self, what, number):
        fields = self.objects[what].get(number, {})
        words = [what, str(number)]
        for name in FIELDS[what]:
            value = fields.get(name, ALWAYS.get(name))
            if value is None:
                continue
            if (name == "at-line" or (what, name) in NONE_IF_0) and number_of(value) == 0:
                continue
            if name in HEXADECIMAL:
                value = f"{number_of(value):#x}"
            elif name in DECIMAL:
                value = str(number_of(value))
            else:
                value = value_text(value)
            words.append(f"{name}={value}")
        return " ".join(words)

    def text(self):
        yield "tptrace text 2"
        yield f"clock {self.clock}"
        for units, ns, _ in self.syncs[:1]:
            yield f"sync {units} {ns}"
        for units, ns, snapshot in self.syncs:
            if snapshot:
                yield f"sync {units} {ns} snapshot"
        for units, ns, _ in self.syncs[1:][-1:]:
            yield f"sync {units} {ns}"
        if self.whole:
            yield f"whole {self.whole}"
        for key, value in self.meta.items():
            yield f"meta {key} {value}"
        yield from map(" ".join, self.marks + self.cpus + self.processes)
        for what in ("runtime", "module", "counter", "path", "site", "frame", "stack"):
            for number in range(what in ("path", "stack"), max(self.objects[what], default=-1) + 1):
                yield self.object_text(what, number)
        yield from self.samples


def merged(workers):
    """Each event with the untimed ones right behind it; least time first, then the lowest worker."""
    def groups(worker, events):
        group = []
        for event in events:
            if event[1].timed and group:
                yield group[0][0], worker, group
                group = []
            group.append(event)
        if group:
            yield group[0][0], worker, group

    streams = [groups(worker, events) for worker, events in sorted(workers.items())]
    for _, worker, group in heapq.merge(*streams, key=lambda g: g[:2]):
        for event in group:
            yield event_text(worker, *event)


def text_of(data):
    """All lines of the text of a trace, given as the bytes of its file."""
    definitions, workers, n_blocks = Definitions(), {}, {}
    for block in blocks_of(data):
        if block.type == DEFINITIONS:
            require(not block.body or block.body.endswith(b"\n"), "a definition has no end")
            for line in block.body.decode(errors="surrogateescape").split("\n"):
                definitions.line(line)
        elif block.type == EVENTS:
            require(block.number == n_blocks.get(block.worker, 0), "a block of a worker is missing")
            n_blocks[block.worker] = block.number + 1
            workers.setdefault(block.worker, []).extend(events_of(block))
    return list(definitions.text()) + list(merged(workers))


def main():
    with open(sys.argv[1], "rb") as trace:
        try:
            print("\n".join(text_of(trace.read())))
        except Invalid as error:
            sys.exit(f"{sys.argv[1]}: {error}")


if __name__ == "__main__":
    main()
