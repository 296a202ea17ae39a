"""Mach-O objects of 64 bits: undefined symbols, and weights.

The placeholder section moves behind all others, in the file and in addresses; what refers to it does so by its symbol.
Source: Apple, "Mach-O File Format Reference": mach_header_64, segment_command_64, section_64, symtab_command, nlist_64.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from mlconv.diagnostics import Code, ConversionError

_MAGIC, _LC_SYMTAB, _LC_SEGMENT_64 = 0xFEEDFACF, 2, 0x19
_EXTERNAL, _TYPE = 0x01, 0x0E


def _commands(image: bytes) -> Iterator[tuple[int, int]]:
    """(command, offset)."""
    magic, _, _, _, count, _ = struct.unpack_from("<6I", image)
    if magic != _MAGIC:
        raise ConversionError(Code.ArtifactInvalid, "the compiler did not make a 64-bit Mach-O object")
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", image, at)
        yield command, at
        at += size


def _symbols(image: bytes) -> Iterator[tuple[int, str, int]]:
    """(offset of the entry, name without its underscore, type)."""
    for command, at in _commands(image):
        if command == _LC_SYMTAB:
            table, count, strings, _ = struct.unpack_from("<4I", image, at + 8)
            for entry in range(table, table + 16 * count, 16):
                name, kind = struct.unpack_from("<IB", image, entry)
                start = strings + name
                yield entry, image[start : image.index(0, start)].decode().removeprefix("_"), kind


def undefined_symbols(image: bytes) -> list[str]:
    """Names that the object takes from elsewhere, sorted."""
    return sorted({name for _, name, kind in _symbols(image) if kind & _EXTERNAL and not kind & _TYPE})


def places(image: bytes) -> list[tuple[int, int, str]]:
    """(section, address, name) of what the object defines."""
    found = []
    for entry, name, _ in _symbols(image):
        section, _, value = struct.unpack_from("<BHQ", image, entry + 5)
        found += [(section, value, name)] if section else []
    return found


def sections(image: bytes) -> dict[str, int]:
    """Bytes of each section, as `segment,section`."""
    found: dict[str, int] = {}
    for command, at in _commands(image):
        if command == _LC_SEGMENT_64:
            (count,) = struct.unpack_from("<I", image, at + 64)
            for place in (at + 72 + 80 * i for i in range(count)):
                name, segment = (image[place + i : place + i + 16].rstrip(b"\0").decode() for i in (0, 16))
                found[f"{segment},{name}"] = struct.unpack_from("<Q", image, place + 40)[0]
    return found


def grown(image: bytes, section: str, symbol: str, size: int) -> bytes:
    """The object with its section (`segment,section`) made of the `size` bytes that are to follow.  Raises
    ConversionError ArtifactInvalid.
    """
    segment, name = (part.encode().ljust(16, b"\0") for part in section.split(","))
    out = bytearray(image) + bytes(-len(image) % 64)
    moved = None
    for command, at in _commands(image):
        if command != _LC_SEGMENT_64:
            continue
        vmaddr, _, fileoff = struct.unpack_from("<QQQ", image, at + 24)
        (count,) = struct.unpack_from("<I", image, at + 64)
        places = [at + 72 + 80 * i for i in range(count)]
        ends = [sum(struct.unpack_from("<QQ", image, p + 32)) for p in places]
        for place in places:
            if image[place : place + 32] == name + segment:
                # a segment is no longer in the file than in memory
                moved = -(-max(*ends, vmaddr + len(out) - fileoff) // 64) * 64
                struct.pack_into("<QQI", out, place + 32, moved, size, len(out))
                struct.pack_into("<Q", out, at + 32, moved + size - vmaddr)
                struct.pack_into("<Q", out, at + 48, len(out) + size - fileoff)
    entry = next((e for e, n, _ in _symbols(image) if n == symbol), None)
    if moved is None or entry is None:
        raise ConversionError(Code.ArtifactInvalid, f"the object has no section {section} with the symbol {symbol}")
    struct.pack_into("<Q", out, entry + 8, moved)
    return bytes(out)
