"""ELF objects: undefined symbols; weights into a finished object, where the placeholder section grows at the end of the
file.

Source: System V ABI, "Object Files": Elf32 and Elf64 Ehdr, Shdr, Sym.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError

_SHF_WRITE, _SHF_ALLOC, _SHT_SYMTAB, _SHT_NOBITS = 1, 2, 2, 8
_SHN_LORESERVE, _STB_WEAK = 0xFF00, 2


class _Class(NamedTuple):
    """Layout of a class.  tables: where the header has the offset of the section table; counts: and its sizes.  symbol:
    name, size, section positions.  size_at, value_at, info_at: in a symbol.
    """

    section: str
    offset: str
    tables: int
    counts: int
    symbol: str
    order: tuple[int, int, int]
    size_at: int
    value_at: int
    info_at: int


_CLASSES = {
    1: _Class("<10I", "<I", 0x20, 0x2E, "<IIIBBH", (0, 2, 5), 8, 4, 12),
    2: _Class("<IIQQQQIIQQ", "<Q", 0x28, 0x3A, "<IBBHQQ", (0, 5, 3), 16, 8, 4),
}


class _Object:
    """Section headers and their names."""

    def __init__(self, image: bytes) -> None:
        self.image = image
        if image[:4] != b"\x7fELF" or image[4] not in _CLASSES or image[5] != 1:
            raise ConversionError(Code.ArtifactInvalid, "the compiler did not make a little-endian ELF object")
        self.kind = _CLASSES[image[4]]
        (self.table,) = struct.unpack_from(self.kind.offset, image, self.kind.tables)
        size, count, names = struct.unpack_from("<HHH", image, self.kind.counts)
        self.headers = [struct.unpack_from(self.kind.section, image, self.table + i * size) for i in range(count)]
        self.names = [self.text(self.headers[names][4] + h[0]) for h in self.headers]

    def text(self, at: int) -> str:
        return self.image[at : self.image.index(0, at)].decode()

    def is_weak(self, at: int) -> bool:
        """The symbol at an offset may be missing."""
        return self.image[at + self.kind.info_at] >> 4 == _STB_WEAK

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
    """Names that the object takes from elsewhere, and must find there, sorted.  Raises ConversionError
    ArtifactInvalid.
    """
    found = _Object(image)
    return sorted({name for at, name, section in found.symbols() if section == 0 and not found.is_weak(at)})


def places(image: bytes) -> list[tuple[int, int, str]]:
    """(section, offset in it, name) of what the object defines."""
    found = _Object(image)
    values = ((at, name, section) for at, name, section in found.symbols() if 0 < section < _SHN_LORESERVE and name)
    return [
        (section, *struct.unpack_from(found.kind.offset, image, at + found.kind.value_at), name)
        for at, name, section in values
    ]


def sections(image: bytes) -> dict[str, int]:
    """Bytes of each section by its name; those that take none in the file are left out."""
    found = _Object(image)
    sizes: dict[str, int] = {}
    for name, header in zip(found.names, found.headers, strict=True):
        if header[1] not in (0, _SHT_NOBITS):
            sizes[name] = sizes.get(name, 0) + header[5]
    return sizes


def grown(image: bytes, section: str, symbol: str, size: int) -> bytes:
    """The object with its section, read-only, made of the `size` bytes that are to follow.  Raises ConversionError
    ArtifactInvalid without the section or symbol.
    """
    found = _Object(image)
    if section not in found.names:
        raise ConversionError(Code.ArtifactInvalid, f"the object has no section {section}")
    out = bytearray(image) + bytes(-len(image) % 64)
    index = found.names.index(section)
    header = list(found.headers[index])
    header[2] &= ~_SHF_WRITE
    header[4], header[5] = len(out), size
    struct.pack_into(found.kind.section, out, found.table + index * struct.calcsize(found.kind.section), *header)
    entry = next((at for at, name, _ in found.symbols() if name == symbol), None)
    if entry is None:
        raise ConversionError(Code.ArtifactInvalid, f"the object has no symbol {symbol}")
    struct.pack_into(found.kind.offset, out, entry + found.kind.size_at, size)
    return bytes(out)


class Hollow(NamedTuple):
    """An object whose weights are left out: its section is zeros that can be written.  offset, size: of the weights in
    the file.
    """

    image: bytes
    offset: int
    size: int


def hollow(path: str, section: str, symbol: str) -> Hollow | None:
    """An object without the weights at its end, which stay unread; None when it has no such section, or it is not the
    end of the file.

    Raises ConversionError FileDamaged for a file that is cut off.
    """
    with open(path, "rb") as f:
        head = f.read(64)
        if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
            return None
        kind = _CLASSES[2]
        (table,) = struct.unpack_from(kind.offset, head, kind.tables)
        size, count, names = struct.unpack_from("<HHH", head, kind.counts)
        f.seek(table)
        headers = [struct.unpack(kind.section, f.read(size)) for _ in range(count)]
        strings = headers[names]
        f.seek(strings[4])
        text = f.read(strings[5])
        index = next((i for i, h in enumerate(headers) if text[h[0] : text.index(0, h[0])] == section.encode()), None)
        end = 0 if index is None else sum(headers[index][4:6])
        if end > f.seek(0, 2):
            raise ConversionError(Code.FileDamaged, f"{path} ends before its weights do")
        if index is None or end != f.tell():
            return None
        f.seek(0)
        out = bytearray(f.read(headers[index][4]))
    header = list(headers[index])
    header[1], header[2] = _SHT_NOBITS, header[2] | _SHF_WRITE
    struct.pack_into(kind.section, out, table + index * size, *header)
    entry = next((at for at, name, _ in _Object(bytes(out)).symbols() if name == symbol), None)
    if entry is None:
        return None
    out[entry + 5] = 0  # st_other: visible to others
    return Hollow(bytes(out), header[4], header[5])


def with_room(image: bytes, size: int) -> bytes:
    """A 64-bit object with one more section, at the end of the table: `size` zeros that can be written, which nobody
    refers to.
    """
    found = _Object(image)
    names = struct.unpack_from("<H", image, found.kind.counts + 4)[0]
    step = struct.calcsize(found.kind.section)
    out = bytearray(image) + bytes(-len(image) % 64)
    struct.pack_into(found.kind.offset, out, found.kind.tables, len(out))
    struct.pack_into("<HHH", out, found.kind.counts, step, len(found.headers) + 1, names)
    for header in (*found.headers, (0, _SHT_NOBITS, _SHF_WRITE | _SHF_ALLOC, 0, len(out), size, 0, 0, 64, 0)):
        out += struct.pack(found.kind.section, *header)
    return bytes(out)
