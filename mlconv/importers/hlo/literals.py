"""Shapes and literals of a file, with their sizes checked.  Source: xla/xla_data.proto."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats import wire
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, Mapped, SourceFile, check_size, make_const
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK
from mlconv.ir.types import TensorType

if TYPE_CHECKING:
    from mlconv.formats.hlo_messages import LiteralProto, ShapeProto


TUPLE = 13
# PrimitiveType -> (element type, field of LiteralProto)
TYPES: dict[int, tuple[DType, str]] = {
    1: (DType.BOOL, "preds"),
    2: (DType.I8, "s8s"),
    3: (DType.I16, "s16s"),
    4: (DType.I32, "s32s"),
    5: (DType.I64, "s64s"),
    6: (DType.U8, "u8s"),
    7: (DType.U16, "u16s"),
    8: (DType.U32, "u32s"),
    9: (DType.U64, "u64s"),
    10: (DType.F16, "f16s"),
    11: (DType.F32, "f32s"),
    12: (DType.F64, "f64s"),
    15: (DType.C64, "c64s"),
    16: (DType.BF16, "bf16s"),
    18: (DType.C128, "c128s"),
    19: (DType.F8E5M2, "f8e5m2s"),
    20: (DType.F8E4M3FN, "f8e4m3fns"),
    24: (DType.F8E5M2FNUZ, "f8e5m2fnuzs"),
    25: (DType.F8E4M3FNUZ, "f8e4m3fnuzs"),
    21: (DType.I4, "s4s"),
    22: (DType.U4, "u4s"),
    26: (DType.I2, "s2s"),
    27: (DType.U2, "u2s"),
}


def tensor_type(shape: ShapeProto) -> TensorType:
    """The type of an array shape.  Raises ConversionError ElementTypeUnsupported for element types, ShapeNotStatic for
    dynamic sizes, TensorTooLarge for sizes that are too large.
    """
    if shape.element_type not in TYPES:
        raise ConversionError(Code.ElementTypeUnsupported, f"element type {shape.element_type} of HLO is not supported")
    if any(shape.is_dynamic_dimension):
        raise ConversionError(Code.ShapeNotStatic, "bounded dynamic dimensions of HLO are not supported")
    sizes = tuple(shape.dimensions)
    if any(d < 0 for d in sizes):
        raise ConversionError(Code.FileDamaged, f"an HLO shape has the dimensions {list(sizes[:MAX_RANK])}")
    dtype = TYPES[shape.element_type][0]
    check_size(sizes, dtype, "an HLO value")
    return TensorType(dtype, sizes)


class Literals:
    """The constants of a file.  Large ones stay in it where the wire format has them as memory does."""

    def __init__(self, file: SourceFile | None = None, reduced: wire.Reduced | None = None) -> None:
        self.file, self.reduced = file, reduced

    def literal(self, proto: LiteralProto) -> Const:
        """A constant.  Raises ConversionError ConstantInvalid when data and shape disagree."""
        type_ = tensor_type(proto.shape)
        dtype, field = TYPES[proto.shape.element_type]
        shape = type_.static_shape()
        major = _major_to_minor(proto, type_)
        stored = tuple(shape[d] for d in major)
        constant = self._mapped(proto, dtype, field, stored) or self._inline(proto, dtype, field, stored, type_)
        return recipes.transpose(constant, tuple(major.index(d) for d in range(len(shape))))

    def _mapped(self, proto: LiteralProto, dtype: DType, field: str, stored: tuple[int, ...]) -> Const | None:
        """The constant as a range of the file, when its data were cut out of the message."""
        if self.file is None or self.reduced is None:
            return None
        payload = wire.payloads_of(proto, self.reduced).get(proto.DESCRIPTOR.fields_by_name[field].number)
        return None if payload is None else Mapped(self.file, payload.offset, dtype, stored, payload.nbytes)

    def _inline(
        self, proto: LiteralProto, dtype: DType, field: str, stored: tuple[int, ...], type_: TensorType
    ) -> Const:
        array = _data(getattr(proto, field), dtype)
        if array.size != math.prod(stored):
            raise ConversionError(Code.ConstantInvalid, f"a literal of {type_} has {array.size} elements")
        return make_const(array.reshape(stored), dtype)


def _major_to_minor(proto: LiteralProto, type_: TensorType) -> list[int]:
    """Axes in the order of the layout.  Raises ConversionError FileDamaged."""
    rank = len(type_.static_shape())
    order = list(proto.shape.layout.minor_to_major) or list(range(rank - 1, -1, -1))
    if sorted(order) != list(range(rank)):
        raise ConversionError(Code.FileDamaged, f"the layout {order} does not fit {type_}")
    return order[::-1]


def _data(data: Any, dtype: DType) -> Array:
    if isinstance(data, bytes) and dtype.bits < 8:  # one to a byte, in its low bits
        low = np.frombuffer(data, np.uint8) & ((1 << dtype.bits) - 1)
        signed = (
            np.where(low >> (dtype.bits - 1), low.astype(np.int8) - (1 << dtype.bits), low)
            if dtype.is_signed_int
            else low
        )
        return signed.astype(np.int8).astype(dtype.numpy)
    if isinstance(data, bytes):
        size = len(data) // dtype.itemsize
        return np.frombuffer(data[: size * dtype.itemsize], dtype.numpy)
    if dtype.is_complex:
        return np.asarray(data, np.float32 if dtype is DType.C64 else np.float64)[: len(data) // 2 * 2].view(
            dtype.numpy
        )
    return np.asarray(data, dtype.numpy)
