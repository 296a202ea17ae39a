"""Shapes and literals as protos.

Data of a literal go to the field of its element type: packed fixed-width numbers and byte strings are the constant's
own bytes, so that they can be streamed; 32- and 64-bit integers are varints.  Source: xla/xla_data.proto, LiteralProto.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.protos import xla_data_pb
from mlconv.formats.wire import varint_bytes
from mlconv.ir.constants import Array, Const
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import ShapeProto


# element type -> (member of PrimitiveType, field of LiteralProto)
TYPES: dict[DType, tuple[int, int]] = {
    DType.BOOL: (1, 2),
    DType.I8: (2, 15),
    DType.I16: (3, 17),
    DType.I32: (4, 4),
    DType.I64: (5, 5),
    DType.U8: (6, 3),
    DType.U16: (7, 16),
    DType.U32: (8, 6),
    DType.U64: (9, 7),
    DType.F16: (10, 11),
    DType.F32: (11, 8),
    DType.BF16: (16, 13),
    DType.F64: (12, 9),
    DType.C64: (15, 12),
    DType.C128: (18, 18),
    DType.F8E5M2: (19, 19),
    DType.F8E4M3FN: (20, 20),
    DType.F8E5M2FNUZ: (24, 24),
    DType.F8E4M3FNUZ: (25, 25),
    DType.I4: (21, 0),
    DType.U4: (22, 0),
    DType.I2: (26, 0),
    DType.U2: (27, 0),
}
TUPLE = 13
_VARINT = frozenset({DType.I32, DType.I64, DType.U32, DType.U64})
_VARINT_ROWS = 1 << 16


def primitive(dtype: DType) -> int:
    """PrimitiveType.  Raises ConversionError TargetLacksType for element types that HLO has not."""
    if dtype not in TYPES:
        raise ConversionError(Code.TargetLacksType, f"HLO has no element type {dtype.display}")
    return TYPES[dtype][0]


def fill_shape(proto: ShapeProto, type_: TensorType | Sequence[TensorType]) -> None:
    """A ShapeProto of a tensor, or of a tuple of tensors; the last axis is the fastest."""
    if not isinstance(type_, TensorType):
        proto.element_type = TUPLE
        for part in type_:
            fill_shape(proto.tuple_shapes.add(), part)
        return
    proto.element_type = primitive(type_.dtype)
    shape = type_.static_shape()
    proto.dimensions.extend(shape)
    proto.is_dynamic_dimension.extend([i in type_.bounded for i in range(len(shape))])
    proto.layout.minor_to_major.extend(range(len(shape) - 1, -1, -1))
    if not shape:
        proto.layout.SetInParent()


class Literal:
    """A constant as the value of a length-delimited field `literal`: a head, then data that may be streamed."""

    __slots__ = ("constant", "data", "head", "nbytes")

    def __init__(self, constant: Const, field: int) -> None:
        proto = xla_data_pb().ShapeProto()
        fill_shape(proto, TensorType(constant.dtype, constant.shape))
        shape = proto.SerializeToString(deterministic=True)
        data_field = TYPES[constant.dtype][1]
        if data_field == 0:
            raise ConversionError(Code.TargetLacksType, f"HLO literals of {constant.dtype.display} are not written")
        self.constant: Const | None = constant
        self.data = b""
        size = constant.nbytes
        if constant.dtype in _VARINT:
            self.data = b"".join(varints(constant.view()))
            self.constant, size = None, len(self.data)
        inner = tag(1) + varint_bytes(len(shape)) + shape + tag(data_field) + varint_bytes(size)
        self.head = tag(field) + varint_bytes(len(inner) + size) + inner
        self.nbytes = len(self.head) + size

    def pieces(self) -> Iterator[bytes | memoryview]:
        """The bytes in order."""
        yield self.head
        if self.constant is None:
            yield self.data
        else:
            yield from self.constant.blocks()


def tag(field: int) -> bytes:
    """The key of a length-delimited field."""
    return varint_bytes(field << 3 | 2)


def varints(values: Array) -> Iterator[bytes]:
    """Integers as varints, negative ones in two's complement of 64 bits; in pieces."""
    flat = np.ascontiguousarray(values).reshape(-1)
    for start in range(0, flat.size, _VARINT_ROWS):
        part = flat[start : start + _VARINT_ROWS]
        wide = part.astype(np.uint64) if part.dtype.kind == "u" else part.astype(np.int64).view(np.uint64)
        groups = (wide[:, None] >> (np.arange(10, dtype=np.uint64) * np.uint64(7))) & np.uint64(127)
        groups[:, 9] &= np.uint64(1)
        length = np.maximum(10 - np.argmax(groups[:, ::-1] != 0, axis=1), 1)
        length[wide == 0] = 1
        at = np.arange(10)
        more = at < (length - 1)[:, None]
        yield (groups.astype(np.uint8) | (more.astype(np.uint8) << 7))[at < length[:, None]].tobytes()
