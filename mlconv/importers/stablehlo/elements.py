"""Elements of constants as handles: ranges of the file where they are large, and one element where all are the same."""

from __future__ import annotations

import math

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.stablehlo.ir import DYNAMIC, Shaped
from mlconv.ir.constants import Array, Const, Inline, Mapped, SourceFile, Splat, check_size
from mlconv.ir.dtypes import DType

SMALL_BYTES = 256


def sizes_of(type_: Shaped) -> tuple[int, ...]:
    """The sizes of a constant.  Raises ConversionError ShapeNotStatic, TensorTooLarge."""
    if type_.shape is None or DYNAMIC in type_.shape:
        raise ConversionError(Code.ShapeNotStatic, "a constant has a size that is known at run time")
    if any(d < 0 for d in type_.shape):
        raise ConversionError(Code.FileDamaged, f"a constant has the sizes {list(type_.shape)}")
    check_size(type_.shape, stored(type_), "a constant")
    return type_.shape


def stored(type_: Shaped) -> DType:
    """The element type in memory."""
    return type_.element if isinstance(type_.element, DType) else type_.element.storage


def from_bytes(type_: Shaped, data: bytes | memoryview) -> Const:
    """A constant of bytes in memory.  Raises ConversionError ConstantInvalid when their number is another."""
    shape, dtype = sizes_of(type_), stored(type_)
    count = math.prod(shape)
    if dtype is DType.BOOL:
        return _bools(shape, count, data)
    if len(data) == dtype.itemsize and count != 1:
        return Splat(_array(data, dtype)[0], dtype, shape)
    _check(type_, len(data), count * dtype.itemsize)
    return Inline(_array(data, dtype).reshape(shape), dtype)


def of_file(type_: Shaped, file: SourceFile | bytes, offset: int, size: int) -> Const:
    """A constant of a range of a file.  Raises ConversionError ConstantInvalid when its size is another."""
    dtype = stored(type_)
    if isinstance(file, bytes):
        return from_bytes(type_, file[offset : offset + size])
    if size <= SMALL_BYTES or dtype is DType.BOOL or dtype.bits < 8:
        return from_bytes(type_, bytes(file.map()[offset : offset + size]))
    shape = sizes_of(type_)
    _check(type_, size, math.prod(shape) * dtype.itemsize)
    return Mapped(file, offset, dtype, shape, size)


def _check(type_: Shaped, have: int, want: int) -> None:
    if have != want:
        raise ConversionError(
            Code.ConstantInvalid,
            f"{have} bytes of data for {stored(type_).display}{list(type_.shape or ())}, which takes {want}",
        )


def _array(data: bytes | memoryview, dtype: DType) -> Array:
    """Elements of less than 8 bits have a byte each, of which the low bits count."""
    if dtype.bits >= 8:
        return np.frombuffer(data, dtype.numpy)
    low = np.frombuffer(data, np.uint8) & ((1 << dtype.bits) - 1)
    if dtype.is_float:
        return low.view(dtype.numpy)
    if dtype.is_signed_int:
        below = (low >> (dtype.bits - 1)).astype(np.int8) << dtype.bits
        return (low.astype(np.int8) - below).astype(dtype.numpy)
    return low.astype(dtype.numpy)


def _bools(shape: tuple[int, ...], count: int, data: bytes | memoryview) -> Const:
    """A byte of ones for a splat, else a bit or a byte for each element.  Source: VhloBytecode.cpp,
    readVhloTensorV1Attr.
    """
    raw = np.frombuffer(data, np.uint8)
    if len(data) == 1 and count > 1 and raw[0] in (0, 0xFF):
        return Splat(bool(raw[0]), DType.BOOL, shape)
    if len(data) == -(-count // 8) and len(data) != count:
        raw = np.unpackbits(raw, bitorder="little")[:count]
    elif count == 1 and len(data) == 1:
        raw = raw & np.uint8(1)
    elif len(data) != count:
        raise ConversionError(Code.ConstantInvalid, f"{len(data)} bytes of data for bool{list(shape)}")
    return Inline((raw != 0).reshape(shape), DType.BOOL)
