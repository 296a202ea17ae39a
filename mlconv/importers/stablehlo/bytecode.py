"""MLIR bytecode with ops of VHLO, which StableHLO's portable artifacts are.

Source: mlir/docs/BytecodeFormat.md; mlir/lib/Bytecode/Reader/BytecodeReader.cpp; stablehlo/dialect/VhloOps.td.
"""

from __future__ import annotations

import re

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.cursor import Cursor
from mlconv.importers.stablehlo.exported import module_range
from mlconv.importers.stablehlo.ir import (
    FunctionType,
    MlirBlock,
    MlirFunction,
    MlirModule,
    MlirOp,
    MlirValue,
)
from mlconv.importers.stablehlo.tables import KNOWN_OPS, NATIVE_PROPERTIES, Tables
from mlconv.importers.stablehlo.vhlo_table import ATTRIBUTES
from mlconv.ir.constants import SourceFile

MAGIC = b"ML\xefR"
MAX_VERSION = 6
MAX_DEPTH = 64  # of regions within regions
_LAZY, _USE_LISTS = 2, 3  # versions of the format: isolated regions as sections; orders of uses
_STRINGS, _DIALECTS, _ENTRIES, _OFFSETS, _IR, _RESOURCES, _RESOURCE_OFFSETS, _VERSIONS, _PROPERTIES = range(9)
_SECTION_NAMES = {_STRINGS: "names", _ENTRIES: "attributes and types", _RESOURCES: "weights"}
_SUFFIX = re.compile(r"_v\d+$")
_SHARDY = {"sdy.mesh": ("mesh", "sym_name"), "sdy.sharding_constraint": ("sharding",)}
_RENAMED = {"func": "func.func", "call": "func.call", "return": "return"}


def read_bytecode(file: SourceFile | bytes, begin: int = 0, length: int | None = None) -> MlirModule:
    """A module of a range of a file, or of bytes in memory.  Raises ConversionError FileDamaged, VersionUnsupported,
    NestedTooDeeply and what attributes and types raise.
    """
    data, path = (file, "the module") if isinstance(file, bytes) else (file.map(), file.path)
    end = len(data) if length is None else begin + length
    cursor = Cursor(data, begin, end, begin)
    if bytes(data[cursor.take(4) : cursor.at]) != MAGIC:
        raise ConversionError(Code.FileDamaged, f"{path} does not begin as MLIR bytecode does")
    version = cursor.varint()
    if version > MAX_VERSION:
        raise ConversionError(
            Code.VersionUnsupported, f"{path} is MLIR bytecode of version {version}, at most {MAX_VERSION} is read"
        )
    producer = cursor.text()
    sections: dict[int, Cursor] = {}
    while cursor.left:
        number, part = cursor.section()
        if number in sections or number > _PROPERTIES:
            cursor.fail(f"section {number} is unknown, or there twice")
        sections[number] = part
    missing = [n for n in (_STRINGS, _DIALECTS, _ENTRIES, _OFFSETS, _IR) if n not in sections]
    if missing:
        cursor.fail(f"section {missing[0]} is missing")
    tables = Tables(file, version)
    tables.read_strings(sections[_STRINGS])
    tables.read_dialects(sections[_DIALECTS])
    tables.read_entries(sections[_OFFSETS], sections[_ENTRIES])
    if _RESOURCES in sections and _RESOURCE_OFFSETS in sections:
        tables.read_resources(sections[_RESOURCE_OFFSETS], sections[_RESOURCES])
    module = _Reader(tables, sections.get(_PROPERTIES)).module(sections[_IR])
    module.producer = producer
    tables.read_places()
    return module


def bytecode_sections(path: str) -> dict[str, int]:
    """Bytes of a file by section, what surrounds the module as `metadata`; of text, nothing.  Attributes hold the
    constants that are no resources.  Raises ConversionError FileDamaged.
    """
    data = SourceFile(path).map()
    begin, length = module_range(data) or (0, len(data))
    if data[begin : begin + 4] != MAGIC:
        return {}
    cursor = Cursor(data, begin, begin + length, begin)
    cursor.take(4)
    cursor.varint()
    cursor.text()
    found = {"metadata": len(data) - length, "graph": 0}
    while cursor.left:
        start = cursor.at
        number, _ = cursor.section()
        name = _SECTION_NAMES.get(number, "graph")
        found[name] = found.get(name, 0) + cursor.at - start
    found["graph"] += len(data) - sum(found.values())
    return {name: size for name, size in found.items() if size}


class _Reader:
    """Ops of one file."""

    def __init__(self, tables: Tables, properties: Cursor | None) -> None:
        self.tables = tables
        self.properties = [] if properties is None else _properties(properties)
        self.names = [_plain(name) for name in tables.op_names]

    def module(self, c: Cursor) -> MlirModule:
        """The only op at the top."""
        top = self.block(c, [], 0, 0, 0)
        if len(top.ops) != 1 or top.ops[0].name != "builtin.module" or len(top.ops[0].bodies) != 1:
            c.fail("the file does not hold one module")
        (op,) = top.ops
        functions: dict[str, MlirFunction] = {}
        others = []
        for inner in op.bodies[0].ops:
            if inner.name != "func.func":
                others.append(inner)
                continue
            function = _function(inner)
            if function.name in functions:
                raise ConversionError(Code.NameDefinedTwice, f"there are two functions {function.name}")
            functions[function.name] = function
        return MlirModule(str(op.fields.get("sym_name") or ""), op.fields, functions, others)

    def region(self, c: Cursor, values: list[MlirValue | None], depth: int) -> MlirBlock:
        """A region of at most one block.  values: those that it sees, which those within are added to and taken off
        again.
        """
        if depth > MAX_DEPTH:
            raise ConversionError(Code.NestedTooDeeply, f"regions nest more than {MAX_DEPTH} deep")
        blocks = c.varint()
        if blocks == 0:
            return MlirBlock()
        if blocks > 1:
            raise ConversionError(
                Code.ControlFlowUnstructured, f"a region has {blocks} blocks, regions of StableHLO have one"
            )
        count, first = c.varint(), len(values)
        if count > c.left:
            c.fail(f"{count} values are announced, {c.left} bytes are left")
        values.extend([None] * count)
        block = self.block(c, values, first, first + count, depth)
        del values[first:]
        return block

    def block(self, c: Cursor, values: list[MlirValue | None], first: int, limit: int, depth: int) -> MlirBlock:
        """first, limit: the numbers of the values that it defines."""
        count, has_arguments = c.flagged()
        if count > c.left:
            c.fail(f"{count} ops are announced, {c.left} bytes are left")
        block = MlirBlock()
        if has_arguments:
            block.parameters = [self.argument(c) for _ in range(c.count())]
            first = _define(c, values, block.parameters, first, limit)
            if self.tables.version >= _USE_LISTS and c.byte():
                _skip_use_lists(c, len(block.parameters))
        for _ in range(count):
            op, isolated, regions = self.op(c, values)
            if op.outputs and limit:
                first = _define(c, values, op.outputs, first, limit)
            block.ops.append(op)
            if regions:
                inner = c
                if isolated and self.tables.version >= _LAZY:
                    kind, inner = c.section()
                    if kind != _IR:
                        c.fail(f"section {kind} in the place of a region")
                seen = [] if isolated else values
                op.bodies = [self.region(inner, seen, depth + 1) for _ in range(regions)]
        return block

    def argument(self, c: Cursor) -> MlirValue:
        if self.tables.version < KNOWN_OPS:
            return MlirValue(self.tables.type(c.varint()), self.tables.place(c.varint()))
        kind, has_place = c.flagged()
        return MlirValue(self.tables.type(kind), self.tables.place(c.varint()) if has_place else None)

    def op(self, c: Cursor, values: list[MlirValue | None]) -> tuple[MlirOp, bool, int]:
        """An op without its regions, whether these see nothing around them, and how many follow."""
        index, t = c.varint(), self.tables
        if index >= len(self.names):
            c.fail(f"there is no op name {index}")
        name, mask, place = self.names[index], c.byte(), t.place(c.varint())
        attributes: dict[str, object] = {}
        if mask & 1:
            found = t.attribute(c.varint())
            if not isinstance(found, dict):
                c.fail(f"{name} has no dictionary of attributes")
            attributes = found
        if mask & 64:
            attributes = {**attributes, **self.property(c, index)}
        results = [MlirValue(t.type(c.varint())) for _ in range(c.count())] if mask & 2 else []
        operands = [_operand(c, values) for _ in range(c.count())] if mask & 4 else []
        if mask & 8:
            raise ConversionError(Code.ControlFlowUnstructured, f"{name} jumps to other blocks")
        if mask & 32 and t.version >= _USE_LISTS:
            _skip_use_lists(c, len(results))
        regions, isolated = c.flagged() if mask & 16 else (0, False)
        if regions > c.left:
            c.fail(f"{regions} regions are announced, {c.left} bytes are left")
        return MlirOp(name, operands, attributes, results, [], place), isolated, regions

    def property(self, c: Cursor, index: int) -> dict[str, object]:
        """The properties of an op: its attributes in the order of their names, each by its number.  index: of its
        name.
        """
        number, name = c.varint(), self.tables.op_names[index]
        if self.tables.version < NATIVE_PROPERTIES or number >= len(self.properties):
            c.fail(f"there are no properties {number}")
        part = self.properties[number]
        own = Cursor(part.data, part.at, part.end, part.base)
        if name == "builtin.module":
            symbol, there = own.flagged()
            return {"sym_name": self.tables.attribute(symbol)} if there else {}
        if name.startswith("sdy."):
            return {n: self.tables.attribute(own.varint()) for n in _SHARDY.get(name, ())}
        names = ATTRIBUTES.get(name.removeprefix("vhlo."))
        if names is None:
            raise ConversionError(Code.VersionUnsupported, f"{name} is no op of VHLO that is known here")
        found = {n: self.tables.attribute(own.varint()) for n in names}
        if own.left:
            own.fail(f"{name} has more properties than {len(names)}")
        return found


def _properties(c: Cursor) -> list[Cursor]:
    return [c.part(c.varint()) for _ in range(c.count())]


def _plain(name: str) -> str:
    """`vhlo.add_v1` as `stablehlo.add`."""
    dialect, _, rest = name.partition(".")
    if dialect != "vhlo":
        return name
    rest = _SUFFIX.sub("", rest)
    return _RENAMED.get(rest, f"stablehlo.{rest}")


def _operand(c: Cursor, values: list[MlirValue | None]) -> MlirValue:
    index = c.varint()
    value = values[index] if index < len(values) else None
    if value is None:
        raise ConversionError(Code.InputNotProduced, f"value {index} is used, which does not exist or comes later")
    return value


def _define(c: Cursor, values: list[MlirValue | None], made: list[MlirValue], first: int, limit: int) -> int:
    """Number new values from `first` on; the number behind them."""
    if first + len(made) > limit:
        c.fail(f"a region defines more values than the {limit} that it announces")
    values[first : first + len(made)] = made
    return first + len(made)


def _skip_use_lists(c: Cursor, values: int) -> None:
    """Orders of uses, which mean nothing here."""
    for _ in range(c.count() if values > 1 else 1):
        if values > 1:
            c.varint()
        numbers, _pairs = c.flagged()
        if numbers > c.left:
            c.fail(f"{numbers} numbers are announced, {c.left} bytes are left")
        for _ in range(numbers):
            c.varint()


def _function(op: MlirOp) -> MlirFunction:
    a = op.fields
    type_, name = a.get("function_type"), a.get("sym_name")
    if not isinstance(type_, FunctionType) or not isinstance(name, str) or len(op.bodies) != 1:
        raise ConversionError(Code.AttributeInvalid, "a function lacks its name, type or body")
    return MlirFunction(
        name,
        op.bodies[0],
        type_,
        a.get("sym_visibility", "") in ("", "public"),
        dictionaries(a.get("arg_attrs")),
        dictionaries(a.get("res_attrs")),
        op.place,
    )


def dictionaries(found: object) -> tuple[dict[str, object], ...]:
    """The attributes of arguments or results."""
    return tuple(d if isinstance(d, dict) else {} for d in found) if isinstance(found, tuple) else ()
