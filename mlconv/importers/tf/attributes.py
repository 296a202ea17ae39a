"""AttrValue -> Python values, checked against the op's signature, defaults filled in.

type -> DType or OpaqueType; shape -> tuple of sizes (-1 unknown) or None (unknown rank); tensor -> constant handle;
func -> FunctionRef; string -> str, a serialized module -> its bytes, or where they are; lists -> tuples.  Source:
tensorflow/core/framework/attr_value.proto.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tf import REQUIRED, AttrDef, OpDef
from mlconv.dialects.tf_types import BY_NAME, Element, element_type
from mlconv.importers.tf.reader import GraphFile, message_payloads
from mlconv.importers.tf.tensor_proto import decode_tensor
from mlconv.ir.constants import SourceFile

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import AttrValue, AttrValueListValue, NameAttrList, NodeDef, TensorShapeProto


Attributes = dict[str, Any]

# Names in the `value` oneof, and in ListValue, by attribute kind.
_ONEOF: Final = {
    "string": "s",
    "int": "i",
    "float": "f",
    "bool": "b",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}
_KIND: Final = {v: k for k, v in _ONEOF.items()}
_STRING: Final = 2  # the number of the field `s`
MODULE: Final = ("XlaCallModule", "module")
"""The op, and the attribute, that holds a module of StableHLO."""


class FunctionRef(NamedTuple):
    """A function of the library by name; `attrs` are its NameAttrList attributes (kept as protos, for polymorphic
    functions).
    """

    name: str
    attrs: tuple[tuple[str, AttrValue], ...] = ()


class FileRange(NamedTuple):
    """Bytes of a file, which stay there."""

    file: SourceFile
    offset: int
    nbytes: int


class AttrDecoder:
    """Decodes the attributes of the nodes of one file."""

    def __init__(self, graph: GraphFile, keep_node_defs: bool = False) -> None:
        self._graph, self._keep_node_defs = graph, keep_node_defs

    def decode(self, node: NodeDef, op: OpDef | None, bindings: Mapping[str, AttrValue] | None = None) -> Attributes:
        """All attributes of a NodeDef.  bindings: attributes of the enclosing function's call, for values given as
        placeholders.

        Raises ConversionError AttributeInvalid (missing or ill-typed), and those of `decode_tensor`.
        """
        found: Attributes = {}
        for name, value in sorted(node.attr.items(), key=lambda item: str(item[0])):  # a proto map has no order
            if name.startswith("_"):
                continue
            proto = self._resolve(value, bindings or {}, name)
            if proto is None:
                continue
            spec = op.attrs.get(name) if op is not None else None
            held = self._held(proto) if (node.op, name) == MODULE else None
            found[name] = self._value(proto, spec, name, node.name) if held is None else held
        if op is not None:
            self._fill(found, op)
        if self._keep_node_defs:
            found["node_def"] = self._whole(node).SerializeToString(deterministic=True)
        return found

    def _held(self, proto: AttrValue) -> bytes | FileRange | None:
        """The bytes of a string, or where they are; None of what is no string."""
        if proto.WhichOneof("value") == "s":
            return proto.s
        cut = message_payloads(proto, self._graph).get(_STRING)
        return None if cut is None else FileRange(self._graph.file, cut.offset, cut.nbytes)

    def _bytes(self, proto: AttrValue) -> bytes | None:
        """The bytes of a string; None of what is no string."""
        held = self._held(proto)
        return held.file.map()[held.offset : held.offset + held.nbytes] if isinstance(held, FileRange) else held

    def _whole(self, node: NodeDef) -> NodeDef:
        """The node with the strings that were left in the file."""
        left = [name for name, value in node.attr.items() if message_payloads(value, self._graph).get(_STRING)]
        if not left:
            return node
        whole = type(node).FromString(node.SerializeToString())
        for name in left:
            whole.attr[name].s = self._bytes(node.attr[name]) or b""
        return whole

    def _resolve(self, value: AttrValue, bindings: Mapping[str, AttrValue], name: str) -> AttrValue | None:
        if value.WhichOneof("value") != "placeholder":
            return value
        if value.placeholder not in bindings:
            raise ConversionError(
                Code.AttributeInvalid,
                f"attribute '{name}' refers to '{value.placeholder}', which the call does not give",
            )
        return bindings[value.placeholder]

    def _value(self, proto: AttrValue, spec: AttrDef | None, name: str, node_name: str) -> Any:
        given = proto.WhichOneof("value")
        if given is None and message_payloads(proto, self._graph):
            given = "s"
        if given is None:
            if spec is not None and spec.kind.startswith("list("):
                return ()
            raise ConversionError(Code.AttributeInvalid, f"attribute '{name}' has no value")
        kind = f"list({_list_kind(proto.list)})" if given == "list" else _KIND.get(given, given)
        if spec is not None and not _fits(kind, spec.kind):
            raise ConversionError(
                Code.AttributeInvalid, f"attribute '{name}' is {_article(kind)}, the op takes {_article(spec.kind)}"
            )
        if given == "tensor":
            return decode_tensor(
                proto.tensor, message_payloads(proto.tensor, self._graph), self._graph.file, f"constant '{node_name}'"
            )
        if given == "s":
            return _text(self._bytes(proto) or b"")
        if given != "list":
            return _DECODE[given](getattr(proto, given))
        if kind == "list()":
            return ()
        if kind == "list(tensor)":
            what = f"attribute '{name}' of '{node_name}'"
            return tuple(
                decode_tensor(t, message_payloads(t, self._graph), self._graph.file, what) for t in proto.list.tensor
            )
        field = _ONEOF[kind[5:-1]]
        return tuple(map(_DECODE[field], getattr(proto.list, field)))

    def _fill(self, found: Attributes, op: OpDef) -> None:
        for name, spec in op.attrs.items():
            if name in found:
                continue
            if spec.default is REQUIRED:
                raise ConversionError(
                    Code.AttributeInvalid, f"{op.name}: required attribute '{name}' ({spec.kind}) is missing"
                )
            found[name] = _default(spec)


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _list_kind(value: AttrValueListValue) -> str:
    """The element kind of a ListValue, from whichever of its fields is filled; "" for an empty list."""
    for field, kind in _KIND.items():
        if len(getattr(value, field)):
            return kind
    return ""


def _fits(given: str, wanted: str) -> bool:
    if given == wanted or (given == "list()" and wanted.startswith("list(")):
        return True
    return wanted == "any"


def _default(spec: AttrDef) -> Any:
    value = spec.default
    if spec.kind == "type":
        return BY_NAME[value]
    if spec.kind == "list(type)":
        return tuple(BY_NAME[v] for v in value)
    if spec.kind == "func":
        return FunctionRef(value)
    if spec.kind == "list(shape)":
        return tuple(None if v is None else tuple(v) for v in value)
    if spec.kind == "float":
        return float(value)
    return tuple(value) if isinstance(value, list) else value


def _text(value: bytes) -> str:
    """Strings are UTF-8 where an op reads them; what is not (serialized protos) is kept readable."""
    return value.decode(errors="backslashreplace")


def _type(number: int) -> Element:
    found = element_type(number)
    if found is None:
        raise ConversionError(Code.AttributeInvalid, f"data type number {number} is not known")
    return found


def _shape(proto: TensorShapeProto) -> tuple[int, ...] | None:
    return None if proto.unknown_rank else tuple(d.size for d in proto.dim)


def _function(proto: NameAttrList) -> FunctionRef:
    return FunctionRef(proto.name, tuple(sorted(proto.attr.items(), key=lambda item: str(item[0]))))


_DECODE: Final[dict[str, Callable[[Any], Any]]] = {
    "s": _text,
    "i": int,
    "f": float,
    "b": bool,
    "type": _type,
    "shape": _shape,
    "func": _function,
}
