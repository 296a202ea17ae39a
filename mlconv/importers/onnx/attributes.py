"""AttributeProto to IR attributes, as found: numbers, strings, tuples of them, constants and types.  Graphs become
regions elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.tensors import TensorReader
from mlconv.importers.onnx.types import type_of

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import AttributeProto


(
    FLOAT,
    INT,
    STRING,
    TENSOR,
    GRAPH,
    FLOATS,
    INTS,
    STRINGS,
    TENSORS,
    GRAPHS,
    SPARSE_TENSOR,
    SPARSE_TENSORS,
    TYPE_PROTO,
    TYPE_PROTOS,
) = range(1, 15)
"""AttributeProto.AttributeType (onnx.proto)."""

_IMPLIED = (
    (GRAPH, "g"),
    (TENSOR, "t"),
    (SPARSE_TENSOR, "sparse_tensor"),
    (TYPE_PROTO, "tp"),
    (STRING, "s"),
    (FLOAT, "f"),
    (INT, "i"),
)
_IMPLIED_LISTS = ((FLOATS, "floats"), (INTS, "ints"), (STRINGS, "strings"), (TENSORS, "tensors"), (GRAPHS, "graphs"))


def kind_of(attribute: AttributeProto) -> int:
    """The attribute's type; files of IR version 1 state none, then the field that is set tells."""
    if attribute.type:
        return int(attribute.type)
    for kind, field in _IMPLIED:
        if attribute.HasField(field):
            return kind
    return next((kind for kind, field in _IMPLIED_LISTS if len(getattr(attribute, field))), INTS)


def resolved(
    protos: Iterable[AttributeProto], env: Mapping[str, AttributeProto] | None
) -> list[tuple[str, AttributeProto]]:
    """A node's attributes by name; references to attributes of the enclosing function are looked up, absent ones are
    left out.
    """
    found: list[tuple[str, AttributeProto]] = []
    for attribute in protos:
        name = text(attribute.name)
        if attribute.ref_attr_name and env is not None:
            referred = env.get(text(attribute.ref_attr_name))
            if referred is not None:
                found.append((name, referred))
        else:
            found.append((name, attribute))
    return found


def value_of(attribute: AttributeProto, name: str, tensors: TensorReader) -> Any:
    """The value of an attribute that is not a graph.  Raises ConversionError AttributeInvalid for a kind that is not
    known.
    """
    kind = kind_of(attribute)
    if kind == INT:
        return int(attribute.i)
    if kind == FLOAT:
        return float(attribute.f)
    if kind == STRING:
        return text(bytes(attribute.s))
    if kind == INTS:
        return tuple(map(int, attribute.ints))
    if kind == FLOATS:
        return tuple(map(float, attribute.floats))
    if kind == STRINGS:
        return tuple(text(bytes(s)) for s in attribute.strings)
    if kind == TENSOR:
        return tensors.read_once(attribute.t, text(attribute.t.name) or name)
    if kind == TENSORS:
        return tuple(tensors.read_once(t, text(t.name) or name) for t in attribute.tensors)
    if kind == SPARSE_TENSOR:
        return tensors.sparse(attribute.sparse_tensor, name)
    if kind == TYPE_PROTO:
        return type_of(attribute.tp, name)
    raise ConversionError(Code.AttributeInvalid, f"attribute '{name}' is of kind {kind}, which is not known")
