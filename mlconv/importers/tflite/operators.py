"""Operators of a TFLite file: their codes, and their options as attributes.

Source: tensorflow/compiler/mlir/lite/schema/schema.fbs, by the tables of `dialects/tfl_table`.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple, TypeAlias

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl_table import BUILTINS, ENUMS, OPTION_FIELDS, OPTIONS_OF, UNION2_ID, UNION_ID
from mlconv.formats.flatbuffer import FlatReader, Table

_NAMES = {number: name for name, number in BUILTINS.items()}
_TABLES = {number: name for name, number in UNION_ID.items()}
_TABLES_2 = {number: name for name, number in UNION2_ID.items()}
_MEMBERS = {name: {number: member for member, number in members.items()} for name, members in ENUMS.items()}
_CODES = {
    "bool": "?",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
}


Options: TypeAlias = dict[str, Any]
"""Options of an operator by the schema's names."""


class OperatorCode(NamedTuple):
    """A builtin by the schema's name, or `CUSTOM` with the name that its kernel is registered under."""

    builtin: str
    custom: str


def read_codes(reader: FlatReader, root: Table) -> list[OperatorCode]:
    """The operator codes of a file.  Raises DamagedError."""
    found = []
    for entry in reader.tables(root, 1):
        number = max(reader.scalar(entry, 0, code="<b"), reader.scalar(entry, 3, code="<i"))
        found.append(OperatorCode(_NAMES.get(number, ""), reader.text(entry, 1)))
    return found


def options_of(reader: FlatReader, operator: Table, code: OperatorCode) -> Options:
    """All options of an operator, by the schema's names; those that the file leaves out have their defaults.

    Raises DamagedError; ConversionError AttributeInvalid for the table of another operator, and for numbers that are no
    members of their enums.
    """
    if code.builtin == "CUSTOM":
        return {"custom_code": code.custom, "custom_options": _custom_options(reader, operator)}
    wanted = OPTIONS_OF.get(code.builtin)
    if wanted is None:
        return {}
    first, second = reader.scalar(operator, 3, code="<B"), reader.scalar(operator, 11, code="<B")
    given = _TABLES.get(first) if first else _TABLES_2.get(second)
    position = reader.target(operator, 4 if first else 12) if first or second else 0
    if position and given != wanted:
        raise ConversionError(
            Code.AttributeInvalid, f"{code.builtin} has options of the kind {given}, expected {wanted}: invalid file"
        )
    table = reader.table(position) if position else (0, ())
    return {
        name: _field(reader, table, slot, kind, default, f"{wanted}.{name}")
        for name, slot, kind, default in OPTION_FIELDS[wanted]
    }


def _custom_options(reader: FlatReader, operator: Table) -> bytes:
    """The bytes of a custom operator; those of files above 2 GB stand behind the flatbuffer."""
    start, size = reader.scalar(operator, 9, code="<Q"), reader.scalar(operator, 10, code="<Q")
    if start <= 1:
        return reader.raw(operator, 5)
    if start + size > reader.end:
        raise ConversionError(
            Code.AttributeInvalid, f"custom options of {size} bytes at {start} are outside of the file"
        )
    return reader.data[start : start + size]


def _field(
    reader: FlatReader, table: Table, slot: int, kind: str, default: bool | int | float | None, what: str
) -> object:
    if kind == "string":
        return reader.text(table, slot)
    if kind == "bytes" or kind == "[uint8]":
        return reader.raw(table, slot)
    if kind.startswith("["):
        element = kind.strip("[]")
        values = reader.numbers(table, slot, "b" if element.startswith("enum:") else _CODES[element])
        return tuple(_member(element, v, what) for v in values) if element.startswith("enum:") else values
    if kind == "float32":
        return reader.real(table, slot, float(default or 0.0))
    if kind.startswith("enum:"):
        return _member(kind, reader.scalar(table, slot, int(default or 0), "<b"), what)
    if kind == "bool":
        return bool(reader.scalar(table, slot, int(bool(default)), "<B"))
    return reader.scalar(table, slot, int(default or 0), f"<{_CODES[kind]}")


def _member(kind: str, number: int, what: str) -> str:
    name = _MEMBERS[kind[5:]].get(number)
    if name is None:
        raise ConversionError(Code.AttributeInvalid, f"{what} is {number}, which {kind[5:]} has not: invalid file")
    return name


def select_node(options: bytes) -> bytes:
    """The serialized NodeDef of a Select operator: the second of two strings in a FlexBuffer.  Raises ConversionError
    AttributeInvalid.  Source: tensorflow/lite/delegates/flex/kernel.cc.
    """
    from flatbuffers import flexbuffers

    try:
        return bytes(flexbuffers.GetRoot(options).AsVector[1].AsStringBytes)
    except (IndexError, TypeError, ValueError, struct.error) as error:
        raise ConversionError(Code.AttributeInvalid, f"a Select operator has damaged options: {error}") from error
