# SPDX-License-Identifier: MIT
"""forge.py - writes binary traces byte by byte, also with what no tptrace writes yet.  From FORMAT.md alone."""
import ctypes
import struct

import reader
import wire

COMPRESS = wire.ZSTD.ZSTD_compress2
COMPRESS.restype = ctypes.c_size_t
CHECKSUM = 201  # ZSTD_c_checksumFlag of zstd.h


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def frame(body):
    """Packed with zstd, with a content checksum."""
    lib = wire.ZSTD
    lib.ZSTD_createCCtx.restype = ctypes.c_void_p
    context = ctypes.c_void_p(lib.ZSTD_createCCtx())
    lib.ZSTD_CCtx_setParameter(context, CHECKSUM, 1)
    out = ctypes.create_string_buffer(len(body) + 1024)
    n = COMPRESS(context, out, ctypes.c_size_t(len(out)), body, ctypes.c_size_t(len(body)))
    lib.ZSTD_freeCCtx(context)
    return out.raw[:n]


class Block:
    def __init__(self, kind, body, flags=0, times=(0, 0), n_events=0):
        self.kind, self.body, self.flags, self.times, self.n_events = kind, body, flags, times, n_events

    def stored(self, at):
        packed = frame(self.body)
        header = wire.BLOCK.pack(0x4b4c4254, self.kind, self.flags, len(packed), len(self.body), 0, 0,
                                   *self.times, 0, at, self.n_events, 0)[:60]
        return header + struct.pack("<I", wire.fnv1a(header)) + packed


def file_of(blocks, version=3):
    """A file of these blocks that ended cleanly."""
    out = wire.HEADER.pack(b"tptrace\n", version, wire.HEADER.size, b"forged")
    headers = b""
    for block in blocks:
        stored = block.stored(len(out))
        headers += stored[:wire.BLOCK.size]
        out += stored
    index = len(out)
    return out + Block(wire.INDEX, headers, wire.OPTIONAL).stored(index) + struct.pack("<Q", index) + wire.END


def columns(of):
    """The body of a block of events: of, the bytes of each column by its number."""
    numbers = sorted((number for number in of if of[number]), reverse=True)
    steps = [a - b for a, b in zip([2 * numbers[0]] + numbers, numbers)]
    head = b"".join(varint(step) + varint(len(of[number])) for step, number in zip(steps, numbers))
    return varint(len(numbers)) + head + b"".join(of[number] for number in numbers)


class Steps:
    """Times of a block in steps, of which each is as many units and so many parts."""

    def __init__(self, step, body):
        self.step, self.body, self.ahead = step, body, reader.HALF
        body[5] = b"" if step is None else varint(step)

    def put(self, column, more, units):
        value = units
        if self.step:
            n = 0 if units >> 40 else ((units << reader.UNIT_BITS) + self.step // 2) // self.step
            at = self.ahead + n * self.step
            off = units - (at >> reader.UNIT_BITS)
            self.ahead = at - (units << reader.UNIT_BITS)
            if off not in (0, 1) or off and n:
                self.ahead = 0 if off > 0 else 2 * reader.HALF - 1
            value = n << 1 | (off != 0)
            self.body[6] = self.body.get(6, b"") + (zigzag(off) if off else b"")
        self.body[column] = self.body.get(column, b"") + varint(value)[:1]
        self.body[more] = self.body.get(more, b"") + varint(value)[1:]


def events(of, step=0):
    """Columns, times and number of events: (time, or None; kind; column, or None; bytes of the operand[; guess])."""
    body, times, before = {}, [], 0
    steps = Steps(step, body)
    for time, kind, column, operand, *guess in of:
        body[0] = body.get(0, b"") + bytes([kind << 2 | (guess[0] if guess else 0)])
        if time is not None:
            column_of_time, since = 64 + 24 * before + kind, time - (times or [time])[-1]
            steps.put(column_of_time, 640 + kind, since)
            times.append(time)
            before = kind
        if column is not None:
            body[column] = body.get(column, b"") + operand
    return body, (times[0], times[-1]), len(of)


def trace(task_flags=0, wait_high=1, more_events=(), more_columns=(), lines="", blocks=(), version=3, step=0):
    """One task creates another, runs it and waits for it; and what the caller adds at the end."""
    body, times, n_events = events([
        (10, 1, None, b""),
        (12, 6, 1, varint(1) + varint(task_flags)),
        (13, 2, 2, varint(0) + zigzag(0)),  # 2 ids were given out, and this is 0.2
        (15, 11, None, b""),
        (16, 5, 2, varint(0) + zigzag(-1)),
        (18, 8, 1, varint(1) + varint(wait_high)),
        (20, 5, 2, varint(0) + zigzag(-1)),
        (22, 11, None, b""),
        *more_events], step)
    for number, data in more_columns:
        body[number] = body.get(number, b"") + data
    text = "clock ns\nruntime 0 name=forged workers=1\nsite 0 runtime=0\nsite 1 runtime=0 fn=0x10 name=f\n" + lines
    return file_of([Block(wire.DEFINITIONS, text.encode()),
                    Block(wire.EVENTS, columns(body), 0, times, n_events), *blocks], version)
