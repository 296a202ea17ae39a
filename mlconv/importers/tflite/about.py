"""Signatures and metadata of a TFLite file.

Source: schema.fbs (Model.metadata, Model.signature_defs); metadata_schema.fbs of tflite-support, whose tables become
objects as MetadataDisplayer prints them.
"""

from __future__ import annotations

import struct

from mlconv.formats.flatbuffer import DamagedError, FlatReader, Table
from mlconv.formats.tflite_metadata_table import ENTRY, ENUMS, IDENTIFIER, ROOT, TABLES, UNIONS
from mlconv.importers.about import About, SignatureFacts
from mlconv.importers.tflite.tensors import read_buffers
from mlconv.ir.constants import SourceFile

_DEEPEST = 32
_MAX_TEXT = 256  # bytes of an entry that may be shown as a text
_CODES = {"int": "<i", "uint": "<I"}


def about_tflite(path: str) -> About:
    """Raises ConversionError InputNotReadable.  Of a damaged entry, its size alone is told."""
    reader = FlatReader(SourceFile(path).map())
    try:
        root = reader.root()
        metadata: dict[str, object] = {"schema_version": reader.scalar(root, 0)}
        buffers = read_buffers(reader, root)
        for entry in reader.tables(root, 6):
            at = reader.scalar(entry, 1)
            position, size = buffers[at] if at < len(buffers) else (0, 0)
            name = reader.text(entry, 0)
            metadata[name] = _shown(name, reader.data[position : position + size])
        return {"signatures": _signatures(reader, root), "metadata": metadata}
    except DamagedError:
        return {"signatures": [], "metadata": {}}


def _signatures(reader: FlatReader, root: Table) -> list[SignatureFacts]:
    return [
        {
            "key": reader.text(entry, 2),
            "inputs": [reader.text(part, 0) for part in reader.tables(entry, 0)],
            "outputs": [reader.text(part, 0) for part in reader.tables(entry, 1)],
        }
        for entry in reader.tables(root, 7)
    ]


def _shown(name: str, data: bytes) -> object:
    """The contents of an entry: TFLite Metadata as an object, a short text as itself, else the size."""
    if name == ENTRY and data[4:8] == IDENTIFIER:
        reader = FlatReader(data)
        try:
            return _table(reader, reader.root(), ROOT, 0)
        except DamagedError:
            return {"bytes": len(data)}
    text = data.rstrip(b"\0")
    if 0 < len(text) <= _MAX_TEXT:
        try:
            found = text.decode("utf-8")
        except UnicodeDecodeError:
            found = ""
        if found.isprintable() and found:
            return found
    return {"bytes": len(data)}


def _table(reader: FlatReader, table: Table, name: str, depth: int) -> dict[str, object]:
    """The fields that are there."""
    if depth > _DEEPEST:
        raise DamagedError("tables are nested too deeply")
    found: dict[str, object] = {}
    slot = 0
    for key, kind in TABLES[name].items():
        if kind in UNIONS:
            number, slot = reader.scalar(table, slot, code="<B"), slot + 1
            if 0 < number < len(UNIONS[kind]):
                inner = UNIONS[kind][number]
                at = reader.target(table, slot)
                found[f"{key}_type"] = inner
                found[key] = _table(reader, reader.table(at), inner, depth + 1) if at else {}
        elif slot < len(table[1]) and table[1][slot]:
            found[key] = _value(reader, table, slot, kind, depth)
        slot += 1
    return found


def _value(reader: FlatReader, table: Table, slot: int, kind: str, depth: int) -> object:
    inner = kind.strip("[]")
    if inner in TABLES:
        if kind != inner:
            return [_table(reader, t, inner, depth + 1) for t in reader.tables(table, slot)]
        at = reader.target(table, slot)
        return _table(reader, reader.table(at), inner, depth + 1) if at else {}
    if kind != inner:
        if inner == "string":
            return _texts(reader, table, slot)
        return list(reader.numbers(table, slot, {"ubyte": "B", "int": "i", "uint": "I", "float": "f"}[inner]))
    if kind == "string":
        return reader.text(table, slot)
    if kind == "float":
        return reader.real(table, slot)
    if kind in ENUMS:
        number = reader.scalar(table, slot, code="<B")
        return ENUMS[kind][number] if number < len(ENUMS[kind]) else number
    return reader.scalar(table, slot, code=_CODES[kind])


def _texts(reader: FlatReader, table: Table, slot: int) -> list[str]:
    first, count = reader.vector(table, slot, 4)
    found = []
    for i in range(count):
        at = first + 4 * i
        where = at + struct.unpack_from("<I", reader.data, at)[0]
        if where > reader.end - 4:
            raise DamagedError(f"string at {where} is outside of the file")
        size = struct.unpack_from("<I", reader.data, where)[0]
        if where + 4 + size > reader.end:
            raise DamagedError(f"string at {where} runs past the end of the file")
        found.append(reader.data[where + 4 : where + 4 + size].decode("utf-8", "replace"))
    return found
