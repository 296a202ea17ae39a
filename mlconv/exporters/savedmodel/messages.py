"""Constants, types and attributes as messages, and nodes whose large constants are streamed.

Sources: tensorflow/core/framework/tensor.proto, tensor_shape.proto, attr_value.proto, node_def.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tf_types import NUMBERS, Element
from mlconv.formats.protos import tf_pb
from mlconv.formats.wire import tag, varint_bytes
from mlconv.ir.constants import Const, Splat
from mlconv.ir.dtypes import DType
from mlconv.ir.types import Shape, TensorType, Type

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import AttrValue, AttrValueListValue, NodeDef, TensorProto, TensorShapeProto

SMALL_BYTES = 1 << 10
"""Constants up to this size stand in the graph in every format."""
_CONTENT, _TENSOR, _KEY, _VALUE, _ATTR = 4, 8, 1, 2, 5


def framed(number: int, nbytes: int) -> bytes:
    """What stands in front of a length-delimited field."""
    return tag(number) + varint_bytes(nbytes)


def number_of(type_: Type, what: str) -> int:
    """The DataType of a tensor.  Raises ConversionError TargetLacksType."""
    if not isinstance(type_, TensorType) or type_.dtype not in NUMBERS:
        raise ConversionError(Code.TargetLacksType, f"{what} is {type_}, which is no tensor of TensorFlow")
    return NUMBERS[type_.dtype]


def set_type(node: NodeDef, name: str, number: int) -> None:
    """An attribute that is an element type."""
    proto = node.attr[name]
    proto.type = number


def fill_shape(proto: TensorShapeProto, shape: Shape | None) -> None:
    """Sizes; -1 for those that are known at run time."""
    proto.SetInParent()
    if shape is None:
        proto.unknown_rank = True
        return
    for size in shape:
        proto.dim.add().size = size if isinstance(size, int) else -1


def fill_tensor(proto: TensorProto, constant: Const, *, data: bool = True) -> None:
    """A constant; one element that is repeated stands once.  data: with its numbers."""
    proto.dtype = NUMBERS[constant.dtype]
    fill_shape(proto.tensor_shape, constant.shape)
    if constant.dtype is DType.STRING:
        proto.string_val.extend(s if isinstance(s, bytes) else str(s).encode() for s in constant.view().reshape(-1))
    elif isinstance(constant, Splat) and constant.dtype in _REPEATED:
        field, kind = _REPEATED[constant.dtype]
        one = constant.reshape(constant.shape).view().reshape(-1)[:1]
        getattr(proto, field).extend(one.astype(kind).tolist())
    elif data:
        proto.tensor_content = b"".join(bytes(block) for block in constant.blocks())


_REPEATED: dict[DType, tuple[str, type[np.generic]]] = {
    DType.F32: ("float_val", np.float32),
    DType.F64: ("double_val", np.float64),
    DType.I64: ("int64_val", np.int64),
    DType.BOOL: ("bool_val", np.bool_),
    DType.U32: ("uint32_val", np.uint32),
    DType.U64: ("uint64_val", np.uint64),
    DType.I32: ("int_val", np.int32),
    DType.I16: ("int_val", np.int16),
    DType.I8: ("int_val", np.int8),
    DType.U16: ("int_val", np.uint16),
    DType.U8: ("int_val", np.uint8),
}


def is_compact(constant: Const) -> bool:
    """The constant takes few bytes in a message whatever its size."""
    if constant.dtype is DType.STRING:
        return True
    return constant.nbytes <= SMALL_BYTES or (isinstance(constant, Splat) and constant.dtype in _REPEATED)


def fill_attribute(proto: AttrValue, kind: str, value: object) -> None:
    """An attribute of a kind, as signatures of ops name them."""
    if kind.startswith("list("):
        proto.list.SetInParent()
        for item in cast("Iterable[object]", value):
            _fill_item(proto.list, kind[5:-1], item)
        return
    _fill_one(proto, kind, value)


def _fill_one(proto: AttrValue, kind: str, value: object) -> None:
    if kind == "type":
        proto.type = NUMBERS[cast(Element, value)]
    elif kind == "shape":
        fill_shape(proto.shape, cast("Shape | None", value))
    elif kind == "tensor":
        fill_tensor(proto.tensor, cast(Const, value))
    elif kind == "func":
        proto.func.name = str(value)
    else:
        setattr(proto, _PLAIN[kind], _plain(kind, value))


def _fill_item(proto: AttrValueListValue, kind: str, value: object) -> None:
    if kind == "type":
        proto.type.append(NUMBERS[cast(Element, value)])
    elif kind == "shape":
        fill_shape(proto.shape.add(), cast("Shape | None", value))
    else:
        getattr(proto, _PLAIN[kind]).append(_plain(kind, value))


_PLAIN = {"int": "i", "float": "f", "bool": "b", "string": "s"}


def _plain(kind: str, value: object) -> object:
    return value.encode() if kind == "string" and isinstance(value, str) else value


@dataclass(slots=True)
class ConstNode:
    """A node whose constant is written behind the rest of it, in blocks."""

    name: str
    constant: Const

    def _parts(self) -> tuple[bytes, bytes]:
        """The message up to its attribute `value`, and the tensor up to its numbers."""
        node: NodeDef = tf_pb("framework.node_def_pb2").NodeDef()
        node.name, node.op = self.name, "Const"
        set_type(node, "dtype", NUMBERS[self.constant.dtype])
        tensor: TensorProto = tf_pb("framework.tensor_pb2").TensorProto()
        fill_tensor(tensor, self.constant, data=False)
        head, inner = (m.SerializeToString(deterministic=True) for m in (node, tensor))
        return head, inner + framed(_CONTENT, self.constant.nbytes)

    def head(self) -> bytes:
        """All but the numbers, which follow."""
        head, inner = self._parts()
        tensor = len(inner) + self.constant.nbytes
        value = framed(_TENSOR, tensor)
        key = framed(_KEY, len(b"value")) + b"value"
        entry = key + framed(_VALUE, len(value) + tensor) + value
        return head + framed(_ATTR, len(entry) + tensor) + entry + inner

    def size(self) -> int:
        """Bytes of the message."""
        return len(self.head()) + self.constant.nbytes

    def pieces(self) -> Iterator[bytes | memoryview]:
        """The message, its numbers streamed."""
        yield self.head()
        yield from self.constant.blocks()
