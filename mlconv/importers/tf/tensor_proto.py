"""TensorProto -> constant handle.  Source: tensorflow/core/framework/tensor.proto.

Data stand either in `tensor_content` (raw little-endian elements) or in the typed field of the element type, where the
last value repeats up to the size of the shape.  Large fields were cut out of the proto and are byte ranges of the file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tf_types import element_type
from mlconv.formats.wire import Payload
from mlconv.ir.constants import Const, Inline, Mapped, SourceFile, Splat, check_size
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import concat

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import TensorProto, TensorShapeProto

_Array = npt.NDArray[Any]
_CONTENT: Final = 4
MAX_STRINGS: Final = 1 << 22
REPEATED_BYTES: Final = 1 << 20  # what a repeated value fills up to this size is written out

# element type -> (field name, field number, type of one stored value; None: varints)
_FIELDS: Final[dict[DType, tuple[str, int, str | None]]] = {
    DType.F32: ("float_val", 5, "<f4"),
    DType.F64: ("double_val", 6, "<f8"),
    DType.I64: ("int64_val", 10, None),
    DType.BOOL: ("bool_val", 11, None),
    DType.F16: ("half_val", 13, None),
    DType.BF16: ("half_val", 13, None),
    DType.C64: ("scomplex_val", 9, "<f4"),
    DType.C128: ("dcomplex_val", 12, "<f8"),
    DType.U32: ("uint32_val", 16, None),
    DType.U64: ("uint64_val", 17, None),
    **dict.fromkeys(
        (DType.I32, DType.I16, DType.I8, DType.U16, DType.U8, DType.I4, DType.U4, DType.I2, DType.U2),
        ("int_val", 7, None),
    ),
    **dict.fromkeys(
        (DType.F8E5M2, DType.F8E4M3FN, DType.F8E4M3FNUZ, DType.F8E5M2FNUZ, DType.F4E2M1), ("float8_val", 18, "<u1")
    ),
}


def decode_tensor(tensor: TensorProto, payloads: Mapping[int, Payload], file: SourceFile, what: str) -> Const:
    """The constant that a TensorProto holds.

    payloads: byte ranges of `file` that were cut out of this message, by field number.  what: how messages name the
    tensor.
    Raises ConversionError TensorTooLarge (too large), ElementTypeUnsupported (element type), ConstantInvalid (data and
    shape disagree).
    """
    dtype = element_type(tensor.dtype)
    if not isinstance(dtype, DType):
        raise ConversionError(
            Code.ElementTypeUnsupported, f"{what} has element type number {tensor.dtype}, which has no tensor form"
        )
    shape = static_shape(tensor.tensor_shape, what)
    check_size(shape, dtype, what)
    if dtype is DType.STRING:
        return _fill(np.array(list(tensor.string_val), dtype=object), dtype, shape, what)
    if _CONTENT in payloads:
        payload = payloads[_CONTENT]
        _check_bytes(payload.nbytes, dtype, shape, what)
        return Mapped(file, payload.offset, dtype, shape, payload.nbytes)
    if tensor.tensor_content:
        content = tensor.tensor_content
        _check_bytes(len(content), dtype, shape, what)
        return Inline(np.frombuffer(content, dtype.numpy).reshape(shape), dtype)
    return _typed_field(tensor, dtype, shape, payloads, file, what)


def static_shape(proto: TensorShapeProto, what: str) -> tuple[int, ...]:
    """A TensorShapeProto whose dimensions must be sizes."""
    sizes = tuple(d.size for d in proto.dim)
    if proto.unknown_rank or any(s < 0 for s in sizes):
        raise ConversionError(Code.ConstantInvalid, f"{what} has shape {list(sizes)}, which is no shape of a constant")
    check_size(sizes, DType.C128, what)
    return sizes


def _check_bytes(nbytes: int, dtype: DType, shape: tuple[int, ...], what: str) -> None:
    need = math.prod(shape) * dtype.itemsize
    if nbytes != need:
        raise ConversionError(
            Code.ConstantInvalid,
            f"{what} has {nbytes} bytes of tensor_content, {dtype.display}{list(shape)} takes {need}",
            help="the file is damaged: write it again",
        )


def _typed_field(
    tensor: TensorProto,
    dtype: DType,
    shape: tuple[int, ...],
    payloads: Mapping[int, Payload],
    file: SourceFile,
    what: str,
) -> Const:
    name, number, stored = _FIELDS[dtype]
    payload = payloads.get(number)
    if payload is not None and stored is not None:
        if payload.nbytes == math.prod(shape) * dtype.itemsize:
            return Mapped(file, payload.offset, dtype, shape, payload.nbytes)
        raw: _Array = np.frombuffer(file.map(), stored, payload.nbytes // np.dtype(stored).itemsize, payload.offset)
    elif payload is not None:
        raw = _varints(np.frombuffer(file.map(), np.uint8, payload.nbytes, payload.offset), what)
    elif name == "float8_val":
        raw = np.frombuffer(tensor.float8_val, np.uint8)
    else:
        raw = np.array(getattr(tensor, name), dtype=stored or (np.uint64 if name == "uint64_val" else np.int64))
    return _fill(_reinterpret(raw, dtype, what), dtype, shape, what)


def _reinterpret(raw: _Array, dtype: DType, what: str) -> _Array:
    """Stored values -> elements: halves are bit patterns, complex numbers are pairs, small integers are widened."""
    if dtype.is_half:
        return raw.astype(np.uint16).view(dtype.numpy)
    if dtype.is_complex:
        if raw.size % 2:
            raise ConversionError(
                Code.ConstantInvalid, f"{what} has {raw.size} numbers for complex elements, which take two each"
            )
        return raw.view(dtype.numpy)
    if raw.dtype == np.uint8 and dtype is not DType.U8:
        return raw.view(dtype.numpy)
    return raw.astype(dtype.numpy)


def _varints(data: npt.NDArray[np.uint8], what: str) -> npt.NDArray[np.int64]:
    """Decode packed varints, all at once."""
    ends = np.flatnonzero(data < 128)
    if not data.size or not ends.size or ends[-1] != data.size - 1:
        raise ConversionError(Code.ConstantInvalid, f"{what} has packed numbers that end early")
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    if lengths.max() > 10:
        raise ConversionError(Code.ConstantInvalid, f"{what} has a packed number of more than 10 bytes")
    values = np.zeros(len(ends), np.uint64)
    for k in range(int(lengths.max())):
        has = lengths > k
        values[has] |= (data[starts[has] + k].astype(np.uint64) & np.uint64(127)) << np.uint64(7 * k)
    return values.view(np.int64)


def _fill(values: _Array, dtype: DType, shape: tuple[int, ...], what: str) -> Const:
    """Elements in order, the last one repeated; zeros (or empty strings) when there are none."""
    size = math.prod(shape)
    if values.size > size:
        raise ConversionError(
            Code.ConstantInvalid, f"{what} has {values.size} values, {dtype.display}{list(shape)} takes {size}"
        )
    if values.size == size:
        return Inline(values.reshape(shape), dtype)
    if dtype is DType.STRING:
        if size > MAX_STRINGS:
            raise ConversionError(
                Code.TensorTooLarge, f"{what} is too large: {size} strings, at most {MAX_STRINGS} are read"
            )
        return Inline(_strings(values, size).reshape(shape), dtype)
    if values.size <= 1:
        return Splat(values[0] if values.size else np.zeros((), dtype.numpy)[()], dtype, shape)
    if size * dtype.itemsize <= REPEATED_BYTES:
        whole = np.full(size, values[-1], dtype.numpy)
        whole[: values.size] = values
        return Inline(whole.reshape(shape), dtype)
    parts = Inline(values.astype(dtype.numpy), dtype), Splat(values[-1], dtype, (size - values.size,))
    return concat(parts, 0).reshape(shape)  # a recipe: the shape may ask for far more than the file holds


def _strings(values: _Array, size: int) -> _Array:
    whole = np.empty(size, object)
    whole[:] = values[-1] if values.size else b""
    whole[: values.size] = values
    return whole
