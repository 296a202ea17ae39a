"""What rules of ONNX share besides core ops: lists that must be known, sizes that may differ, fitting shapes."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told, static
from mlconv.ir.spec import known_ints
from mlconv.legalize.from_onnx.told_integers import told_integers
from mlconv.legalize.limits import MAX_LIST, check_table
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import CoreBuilder, Part


def widened(n: CoreBuilder, x: Value) -> Value:
    """16-bit and shorter floats as float32, where their sums and squares are finite, and in which ONNX Runtime has
    them.
    """
    dtype = x.tensor.dtype
    return n.cast(x, DType.F32) if dtype.is_float and dtype.bits < 32 else x


def fitted(n: CoreBuilder, value: Value, target: Value) -> Value:
    """A value that must broadcast to the shape of `target`: as it is where the types tell that it does, else
    broadcast, which asks at run time.

    Raises ConversionError ShapeMismatch when it cannot.
    """
    have, wanted = value.tensor.shape, target.tensor.shape
    if have is None or wanted is None:
        return value
    if len(have) <= len(wanted) and not any(
        a != 1 and may_differ(a, b) for a, b in zip(reversed(have), reversed(wanted), strict=False)
    ):
        return value
    return n.broadcast_to(value, n.shape_of(target))


def may_differ(a: Size, b: Size) -> bool:
    """Whether two sizes may be told apart: they are not the same, and neither depends on what nobody knows before it is
    computed.
    """
    return a != b and is_told((a, b))


def known_list(value: Value | None, what: str) -> list[int]:
    """The integers of a small tensor.  Raises ConversionError ShapeNotStatic when they are not known at conversion
    time, TensorTooLarge when there are too many.
    """
    array = small_integers(value, what)
    if array is not None:
        return array
    known = static(known_ints(value))
    if known is None:
        raise ConversionError(
            Code.ShapeNotStatic,
            f"{what} must be known at conversion time",
            help="make it a constant (an initializer) in the model",
        )
    return list(known)


def small_integers(value: Value | None, what: str) -> list[int] | None:
    """The entries of a constant integer tensor, None when it is not constant.  Raises ConversionError TypeMismatch and
    TensorTooLarge.
    """
    array = constant_array(value)
    if array is None:
        return None
    if array.dtype.kind not in "iub":
        raise ConversionError(Code.TypeMismatch, f"{what} must be integers, they are {array.dtype.name}")
    if array.size > MAX_LIST:
        raise ConversionError(Code.TensorTooLarge, f"{what} are too many: {array.size} numbers, at most {MAX_LIST}")
    return [int(i) for i in array.reshape(-1)]


def sizes_of(n: CoreBuilder, vector: Value, count: int, what: str) -> list[Part]:
    """The `count` entries of an integer vector: numbers where they are known, else tensors [1].  Raises ConversionError
    ShapeMismatch.
    """
    known = told_integers(vector)
    listed = small_integers(vector, what)
    if listed is not None:
        known = tuple(listed)
    if known is None:
        check_table([count, 1 << 10], what)
        known = (None,) * count
    if len(known) != count:
        raise ConversionError(Code.ShapeMismatch, f"{what}: {len(known)} entries, expected {count}")
    return [k if isinstance(k, int) else n.slice_axis(vector, 0, i, i + 1) for i, k in enumerate(known)]


def largest_finite(dtype: DType) -> float:
    """The largest number of a floating-point type."""
    if dtype in (DType.F16, DType.F32, DType.F64):
        return float(np.finfo(dtype.numpy).max)
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype.numpy).max)  # type: ignore[no-untyped-call]
