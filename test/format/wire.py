# SPDX-License-Identifier: MIT
"""wire.py - the blocks of a trace's file, for reader.py, as sections 2 and 3 of FORMAT.md have them."""
import ctypes
import ctypes.util
import struct

HEADER = struct.Struct("<8sII16s")
BLOCK = struct.Struct("<IHHIIIIQQQQII")
END = b"tptrend\n"
EVENTS, DEFINITIONS, INDEX = 1, 2, 3  # types of blocks
OPTIONAL = 1  # flag of a block
MAX_BODY = 64 << 20


class Invalid(Exception):
    """The trace breaks a rule of the format, or needs what this reader does not know."""


def require(condition, message):
    if not condition:
        raise Invalid(message)


ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
ZSTD.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


def unpack(stored, n_bytes):
    body = ctypes.create_string_buffer(max(n_bytes, 1))
    require(ZSTD.ZSTD_decompress(body, n_bytes, stored, len(stored)) == n_bytes, "invalid zstd frame")
    return body.raw[:n_bytes]


def fnv1a(data):
    check = 2166136261
    for byte in data:
        check = (check ^ byte) * 16777619 & 0xffffffff
    return check


class Block:
    """One block: its header's fields, and the unpacked body."""

    def __init__(self, data, at):
        header = data[at:at + BLOCK.size]
        (magic, self.type, self.flags, stored, unpacked, self.worker, self.number, self.first_time,
         self.last_time, self.ids, offset, self.n_events, check) = BLOCK.unpack(header)
        require(magic == 0x4b4c4254 and check == fnv1a(header[:60]), f"invalid block at byte {at}")
        require(offset == at, f"block at byte {at} says that it is at {offset}")
        require(max(stored, unpacked) <= MAX_BODY, f"block at byte {at} is too long")
        self.header, self.end = header, at + BLOCK.size + stored
        self.whole = self.end <= len(data)
        self.optional = self.flags & OPTIONAL
        self.known = self.type in (EVENTS, DEFINITIONS, INDEX)
        if self.whole and self.known:
            self.body = unpack(data[at + BLOCK.size:self.end], unpacked)


def blocks_of(data):
    """The blocks of a file, up to the last whole one; checks the index of a file that ended cleanly."""
    require(len(data) >= HEADER.size, "too short")
    magic, version, header_bytes, _ = HEADER.unpack_from(data)
    require(magic == b"tptrace\n", "not a trace")
    require(version == 3, f"version {version}")
    require(header_bytes >= HEADER.size, "invalid header")
    at, end, headers, ended = header_bytes, len(data), [], data[-8:] == END
    if ended:
        end -= 16
    while at + BLOCK.size <= end:
        block = Block(data, at)
        if not block.whole:
            break
        if block.type == INDEX:
            require(block.body == b"".join(headers), "the index does not match the blocks")
            require(not ended or struct.unpack_from("<Q", data, end)[0] == at, "invalid end of file")
        headers.append(block.header)
        at = block.end
        if block.known:
            yield block
        else:
            require(block.optional, f"block of unknown type {block.type}")
