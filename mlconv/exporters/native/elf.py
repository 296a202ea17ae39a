"""Weights into a finished object: the placeholder section grows, at the end of the file.

Source: System V ABI, "Object Files": Elf64_Ehdr, Elf64_Shdr, Elf64_Sym.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from mlconv.diagnostics import Code, ConversionError

_SHDR = "<IIQQQQIIQQ"
_SHF_WRITE = 1


def _sections(image: bytearray) -> tuple[int, list[tuple[int, ...]], bytes]:
    (offset,) = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    if image[:6] != b"\x7fELF\x02\x01" or size != struct.calcsize(_SHDR):
        raise ConversionError(Code.MLC0403, "the compiler did not make a 64-bit little-endian ELF object")
    headers = [struct.unpack_from(_SHDR, image, offset + i * size) for i in range(count)]
    start, length = headers[names][4:6]
    return offset, headers, bytes(image[start : start + length])


def grow(image: bytes, section: str, symbol: str, size: int, blocks: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """The object in pieces, its section holding `blocks` (size bytes in all) read-only.  Raises ConversionError MLC0403 when it lacks the section or symbol."""
    out = bytearray(image)
    offset, headers, names = _sections(out)
    index = next((i for i, h in enumerate(headers) if names[h[0] : names.index(b"\0", h[0])] == section.encode()), None)
    if index is None:
        raise ConversionError(Code.MLC0403, f"the object has no section {section}")
    out += bytes(-len(out) % 64)
    header = list(headers[index])
    header[2] &= ~_SHF_WRITE
    header[4], header[5] = len(out), size
    struct.pack_into(_SHDR, out, offset + index * struct.calcsize(_SHDR), *header)
    _resize_symbol(out, headers, symbol, size)
    yield bytes(out)
    yield from blocks


def undefined_symbols(image: bytes) -> list[str]:
    """Names that the object takes from elsewhere, sorted.  Raises ConversionError MLC0403."""
    _, headers, _ = _sections(bytearray(image))
    names = set()
    for h in headers:
        if h[1] != 2:  # SHT_SYMTAB
            continue
        strings = headers[h[6]][4]
        for at in range(h[4] + 24, h[4] + h[5], 24):
            name, _, _, section = struct.unpack_from("<IBBH", image, at)
            if section == 0:
                names.add(image[strings + name : image.index(0, strings + name)].decode())
    return sorted(names)


def _resize_symbol(out: bytearray, headers: list[tuple[int, ...]], symbol: str, size: int) -> None:
    for h in headers:
        if h[1] != 2:  # SHT_SYMTAB
            continue
        strings = headers[h[6]][4]
        for at in range(h[4], h[4] + h[5], 24):
            (name,) = struct.unpack_from("<I", out, at)
            if out[strings + name : out.index(0, strings + name)] == symbol.encode():
                struct.pack_into("<Q", out, at + 16, size)
                return
    raise ConversionError(Code.MLC0403, f"the object has no symbol {symbol}")
