"""Which part of a serialized protobuf is what: bytes of weights, graph, names, debug information and metadata, that
add up to those of the file.

A table says of the fields of a message what they are; fields with messages of another table are looked into.  What no
table names is of the graph.  Tags and lengths count to the message around them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.wire import MAX_DEPTH, Buffer

WEIGHTS, GRAPH, NAMES, DEBUG, METADATA = "weights", "graph", "names", "debug", "metadata"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
SectionTables = Mapping[str, Mapping[int, str]]


def sections_of(buffer: Buffer, tables: SectionTables, root: str) -> dict[str, int]:
    """Bytes by section.  Raises ConversionError FileDamaged, NestedTooDeeply."""
    found: Counter[str] = Counter()
    _message(buffer, 0, len(buffer), tables, root, found, 0)
    return dict(found)


def _message(
    buffer: Buffer, start: int, end: int, tables: SectionTables, name: str, found: Counter[str], depth: int
) -> None:
    if depth > MAX_DEPTH:
        raise ConversionError(Code.NestedTooDeeply, f"messages are nested deeper than {MAX_DEPTH} levels")
    table = tables[name]
    at = start
    while at < end:
        begin = at
        tag, at = _varint(buffer, at, end)
        kind, what = tag & 7, table.get(tag >> 3, GRAPH)
        size = 0
        if kind == _VARINT:
            _, at = _varint(buffer, at, end)
        elif kind == _BYTES:
            size, at = _varint(buffer, at, end)
        else:
            size = {_FIXED64: 8, _FIXED32: 4}.get(kind, end)
        if at + size > end:
            raise ConversionError(Code.FileDamaged, f"a field at byte {begin} runs past the end of its message")
        if kind == _BYTES and what in tables:
            found[GRAPH] += at - begin
            _message(buffer, at, at + size, tables, what, found, depth + 1)
        else:
            found[GRAPH if what in tables else what] += at + size - begin
        at += size


def _varint(buffer: Buffer, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = buffer[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise ConversionError(Code.FileDamaged, f"a number that ends at byte {at} is cut short or too long")


def _fields(**sections: tuple[int, ...]) -> dict[int, str]:
    return {number: name for name, numbers in sections.items() for number in numbers}


# onnx.proto
ONNX: SectionTables = {
    "ModelProto": _fields(metadata=(2, 3, 4, 5, 14, 20), debug=(6,), GraphProto=(7,), FunctionProto=(25,)),
    "GraphProto": _fields(
        NodeProto=(1,), names=(2,), TensorProto=(5,), SparseTensorProto=(15,), debug=(10,), metadata=(16,)
    ),
    "FunctionProto": _fields(names=(1, 4, 5, 6), NodeProto=(7,), debug=(8,), AttributeProto=(11,), metadata=(14,)),
    "NodeProto": _fields(names=(1, 2, 3), AttributeProto=(5,), debug=(6, 9)),
    "AttributeProto": _fields(TensorProto=(5, 10), GraphProto=(6, 11), debug=(13,), SparseTensorProto=(22, 23)),
    "SparseTensorProto": _fields(TensorProto=(1, 2)),
    "TensorProto": _fields(weights=(4, 5, 6, 7, 9, 10, 11), names=(8,), debug=(12, 16)),
}
# saved_model.proto, meta_graph.proto, graph.proto, function.proto, node_def.proto, attr_value.proto, tensor.proto
TENSORFLOW: SectionTables = {
    "SavedModel": _fields(MetaGraphDef=(2,)),
    "MetaGraphDef": _fields(metadata=(1, 3, 4, 5, 6, 7), GraphDef=(2,)),
    "GraphDef": _fields(NodeDef=(1,), FunctionDefLibrary=(2,), debug=(5,)),
    "FunctionDefLibrary": _fields(FunctionDef=(1,)),
    "FunctionDef": _fields(NodeDef=(3,), names=(4, 6), AttrEntry=(5,)),
    "NodeDef": _fields(names=(1, 3), AttrEntry=(5,), debug=(6,)),
    "AttrEntry": _fields(AttrValue=(2,)),
    "AttrValue": _fields(ListValue=(1,), TensorProto=(8,)),
    "ListValue": _fields(TensorProto=(8,)),
    "TensorProto": _fields(weights=(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18)),
}
# hlo.proto, xla_data.proto: of LiteralProto all but its shape, its tuple and its layout are elements
HLO: SectionTables = {
    "HloModuleProto": _fields(names=(1, 2), HloComputationProto=(3,), debug=(13, 17), metadata=(7, 18, 19)),
    "HloComputationProto": _fields(names=(1,), HloInstructionProto=(2,)),
    "HloInstructionProto": _fields(names=(1,), debug=(7, 68, 82, 88), LiteralProto=(8,)),
    "LiteralProto": _fields(LiteralProto=(10,), weights=tuple(n for n in range(2, 34) if n not in (10, 14))),
}
