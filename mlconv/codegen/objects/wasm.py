"""WebAssembly objects: undefined symbols, and weights.

The data segment of the placeholder, which is the last one, grows; sections behind it move.
Source: WebAssembly core specification, "Binary Format"; tool conventions, "Linking".
"""

from __future__ import annotations

from collections.abc import Iterator

from mlconv.diagnostics import Code, ConversionError

_IMPORT, _DATA = 2, 11
_I32_CONST = 0x41


def _number(image: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number, and what follows."""
    value = shift = 0
    while True:
        byte = image[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _leb(value: int) -> bytes:
    """LEB128 in five bytes, as object files have it."""
    return bytes([*(value >> 7 * i & 0x7F | 0x80 for i in range(4)), value >> 28])


def _sections(image: bytes) -> Iterator[tuple[int, int, int, int]]:
    """(id, offset, offset of the contents, end)."""
    if image[:8] != b"\0asm\1\0\0\0":
        raise ConversionError(Code.ArtifactInvalid, "the compiler did not make a WebAssembly object")
    at = 8
    while at < len(image):
        size, start = _number(image, at + 1)
        yield image[at], at, start, start + size
        at = start + size


_NAMES = {0: "custom", 1: "type", 2: "import", 3: "function", 10: "code", 11: "data"}


def sections(image: bytes) -> dict[str, int]:
    """Bytes of sections by kind."""
    found: dict[str, int] = {}
    for kind, at, _, end in _sections(image):
        name = _NAMES.get(kind, f"section {kind}")
        found[name] = found.get(name, 0) + end - at
    return found


def undefined_symbols(image: bytes) -> list[str]:
    """Functions that the object takes from elsewhere, sorted."""
    names = set()
    for kind, _, start, _ in _sections(image):
        if kind != _IMPORT:
            continue
        count, at = _number(image, start)
        for _ in range(count):
            texts = []
            for _ in range(2):
                length, at = _number(image, at)
                texts.append(image[at : at + length].decode())
                at += length
            what = image[at]
            at = _skip_import(image, at)
            if what == 0:
                names.add(texts[1])
    return sorted(names)


def _skip_import(image: bytes, at: int) -> int:
    """Behind the description of an import: a function, table, memory, global or tag."""
    what, at = image[at], at + 1
    if what == 0:
        return _number(image, at)[1]
    if what == 3:
        return at + 2
    if what == 4:
        return _number(image, at + 1)[1]
    at += what == 1  # the table's element type
    flags, at = _number(image, at)
    _, at = _number(image, at)
    return _number(image, at)[1] if flags & 1 else at


def grown(image: bytes, section: str, symbol: str, size: int) -> tuple[bytes, bytes]:
    """(what goes before, what goes behind) the `size` bytes.  Raises ConversionError ArtifactInvalid when the last
    segment is not the placeholder.
    """
    if section.encode() not in image or symbol.encode() not in image:
        raise ConversionError(Code.ArtifactInvalid, f"the object has no segment {section} with the symbol {symbol}")
    for kind, offset, start, end in _sections(image):
        if kind != _DATA:
            continue
        count, at = _number(image, start)
        for _ in range(count):
            flags, at = _number(image, at)
            if flags or image[at] != _I32_CONST:
                break
            _, at = _number(image, at + 1)
            placed, (length, data) = at, _number(image, at + 1)
            at = data + length
        else:
            if at == end and count and image[data:end] == b"1" * 64:
                head = image[start : placed + 1] + _leb(size)
                return image[:offset] + bytes([_DATA]) + _leb(len(head) + size) + head, image[end:]
    raise ConversionError(Code.ArtifactInvalid, f"the last segment of the object is not {section}")
