"""ELF objects: undefined symbols; weights into a finished object, where the placeholder section grows at the end of the file.

Source: System V ABI, "Object Files": Elf32 and Elf64 Ehdr, Shdr, Sym.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError

_SHF_WRITE, _SHT_SYMTAB = 1, 2


class _Class(NamedTuple):
    """Layout of a class.  tables: where the header has the offset of the section table; counts: and its sizes.  symbol: name, size, section positions."""

    section: str
    offset: str
    tables: int
    counts: int
    symbol: str
    order: tuple[int, int, int]
    size_at: int


_CLASSES = {1: _Class("<10I", "<I", 0x20, 0x2E, "<IIIBBH", (0, 2, 5), 8), 2: _Class("<IIQQQQIIQQ", "<Q", 0x28, 0x3A, "<IBBHQQ", (0, 5, 3), 16)}


class _Object:
    """Section headers and their names."""

    def __init__(self, image: bytes) -> None:
        self.image = image
        if image[:4] != b"\x7fELF" or image[4] not in _CLASSES or image[5] != 1:
            raise ConversionError(Code.MLC0403, "the compiler did not make a little-endian ELF object")
        self.kind = _CLASSES[image[4]]
        (self.table,) = struct.unpack_from(self.kind.offset, image, self.kind.tables)
        size, count, names = struct.unpack_from("<HHH", image, self.kind.counts)
        self.headers = [struct.unpack_from(self.kind.section, image, self.table + i * size) for i in range(count)]
        self.names = [self.text(self.headers[names][4] + h[0]) for h in self.headers]

    def text(self, at: int) -> str:
        return self.image[at : self.image.index(0, at)].decode()

    def symbols(self) -> Iterator[tuple[int, str, int]]:
        """(offset of the entry, name, section)."""
        step = struct.calcsize(self.kind.symbol)
        name, _, section = self.kind.order
        for h in self.headers:
            if h[1] == _SHT_SYMTAB:
                strings = self.headers[h[6]][4]
                for at in range(h[4] + step, h[4] + h[5], step):
                    entry = struct.unpack_from(self.kind.symbol, self.image, at)
                    yield at, self.text(strings + entry[name]), entry[section]


def undefined_symbols(image: bytes) -> list[str]:
    """Names that the object takes from elsewhere, sorted.  Raises ConversionError MLC0403."""
    return sorted({name for _, name, section in _Object(image).symbols() if section == 0})


def grown(image: bytes, section: str, symbol: str, size: int) -> bytes:
    """The object with its section, read-only, made of the `size` bytes that are to follow.  Raises ConversionError MLC0403 without the section or symbol."""
    found = _Object(image)
    if section not in found.names:
        raise ConversionError(Code.MLC0403, f"the object has no section {section}")
    out = bytearray(image) + bytes(-len(image) % 64)
    index = found.names.index(section)
    header = list(found.headers[index])
    header[2] &= ~_SHF_WRITE
    header[4], header[5] = len(out), size
    struct.pack_into(found.kind.section, out, found.table + index * struct.calcsize(found.kind.section), *header)
    entry = next((at for at, name, _ in found.symbols() if name == symbol), None)
    if entry is None:
        raise ConversionError(Code.MLC0403, f"the object has no symbol {symbol}")
    struct.pack_into(found.kind.offset, out, entry + found.kind.size_at, size)
    return bytes(out)
