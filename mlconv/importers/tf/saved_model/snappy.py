"""Decompression of Snappy blocks (google/snappy, format_description.txt): the compression that LevelDB tables may
use.
"""

from __future__ import annotations

MAX_BYTES = 1 << 30


def decompress(data: bytes) -> bytes:
    """The plain bytes.  Raises ValueError on damaged input; nothing larger than the stated length is ever built."""
    size, at = _varint(data, 0)
    if size > MAX_BYTES:
        raise ValueError(f"a block of {size} bytes")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = (tag >> 2) + 1
            if length > 60:
                extra = length - 60
                length = int.from_bytes(data[at : at + extra], "little") + 1
                at += extra
            if at + length > len(data):
                raise ValueError("a literal leaves the block")
            out += data[at : at + length]
            at += length
            continue
        if kind == 1:
            length, offset = ((tag >> 2) & 7) + 4, (tag >> 5) << 8 | (data[at] if at < len(data) else 0)
            at += 1
        else:
            width = 2 if kind == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(data[at : at + width], "little")
            at += width
        if not 0 < offset <= len(out) or len(out) + length > size:
            raise ValueError("a copy leaves the block")
        start = len(out) - offset
        for i in range(length):  # may overlap what it writes
            out.append(out[start + i])
    if len(out) != size:
        raise ValueError(f"{len(out)} bytes instead of {size}")
    return bytes(out)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 35:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
    raise ValueError("the length does not end")
