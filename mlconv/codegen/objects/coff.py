"""COFF objects: undefined symbols, and weights, where the placeholder section grows at the end of the file.

Source: Microsoft, "PE Format": COFF file header, section table, symbol table, auxiliary format 5.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from mlconv.diagnostics import Code, ConversionError

_MACHINES = (0x8664, 0xAA64)
_EXTERNAL, _STATIC, _WRITE = 2, 3, 0x8000_0000


def _header(image: bytes) -> tuple[int, int, int]:
    """(sections, offset of the symbol table, symbols)."""
    machine, sections, _, table, count = struct.unpack_from("<HHIII", image)
    if machine not in _MACHINES:
        raise ConversionError(Code.ArtifactInvalid, "the compiler did not make a 64-bit COFF object")
    return sections, table, count


def _symbols(image: bytes) -> Iterator[tuple[int, str, int, int, int, int]]:
    """(offset of the entry, name, value, section, storage class, auxiliary entries)."""
    _, table, count = _header(image)
    strings, i = table + 18 * count, 0
    while i < count:
        at = table + 18 * i
        zeros, offset = struct.unpack_from("<II", image, at)
        start = at if zeros else strings + offset
        raw = image[start : start + 8].split(b"\0")[0] if zeros else image[start : image.index(0, start)]
        value, section, _, storage, more = struct.unpack_from("<IhHBB", image, at + 8)
        yield at, raw.decode(), value, section, storage, more
        i += 1 + more


def undefined_symbols(image: bytes) -> list[str]:
    """Names that the object takes from elsewhere, sorted."""
    return sorted(
        {
            name
            for _, name, value, section, storage, _ in _symbols(image)
            if storage == _EXTERNAL and section == 0 and value == 0
        }
    )


def places(image: bytes) -> list[tuple[int, int, str]]:
    """(section, offset in it, name) of what the object defines."""
    return [(section, value, name) for _, name, value, section, _, more in _symbols(image) if section > 0 and not more]


def sections(image: bytes) -> dict[str, int]:
    """Bytes of each section by its name."""
    found: dict[str, int] = {}
    for i in range(_header(image)[0]):
        at = 20 + 40 * i
        name = image[at : at + 8].rstrip(b"\0").decode()
        found[name] = found.get(name, 0) + struct.unpack_from("<I", image, at + 16)[0]
    return found


def grown(image: bytes, section: str, symbol: str, size: int) -> bytes:
    """The object with its section (at most 8 letters), read-only, made of the `size` bytes that are to follow.  Raises
    ConversionError ArtifactInvalid.
    """
    sections, _, _ = _header(image)
    out = bytearray(image) + bytes(-len(image) % 64)
    names = [image[20 + 40 * i : 28 + 40 * i].rstrip(b"\0").decode() for i in range(sections)]
    if section not in names or symbol not in {s[1] for s in _symbols(image)}:
        raise ConversionError(Code.ArtifactInvalid, f"the object has no section {section} with the symbol {symbol}")
    at = 20 + 40 * names.index(section)
    struct.pack_into("<II", out, at + 16, size, len(out))
    (flags,) = struct.unpack_from("<I", image, at + 36)
    struct.pack_into("<I", out, at + 36, flags & ~_WRITE)
    for entry, name, _, number, storage, more in _symbols(image):
        if name == section and storage == _STATIC and number == names.index(section) + 1 and more:
            struct.pack_into("<I", out, entry + 18, size)
    return bytes(out)
