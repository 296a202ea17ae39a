"""Sums of products of plain integers, as integers: what files say that quantize at run time, or outside of types.

Source: ONNX MatMulInteger-10, ConvInteger-10; XLA Dot with preferred_element_type.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import broadcast_shapes
from mlconv.dialects.core.contract import Product
from mlconv.dialects.core.window import Convolution, to_order
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import op, optional_operand
from mlconv.ir.types import TensorType

FACTORS = (DType.I8, DType.U8, DType.I16)
"""Element types of factors: float64 holds sums of their products up to a depth of 2^20, int32 wraps before."""


def _check(what: str, x: Value, zero: Value | None) -> None:
    """Factors are plain integers of 8 bits, or int16 without zero points, which have their type.  Raises
    ConversionError TypeMismatch.
    """
    dtype = x.tensor.dtype
    if dtype not in FACTORS or x.tensor.quant is not None:
        raise ConversionError(Code.TypeMismatch, f"{what} is {x.type}, expected plain integers of 8 bits, or int16")
    if zero is not None and (zero.tensor.element is not dtype or dtype is DType.I16):
        raise ConversionError(Code.TypeMismatch, f"the zero points of {x.type} are {zero.type}")


def _less(x: Array, zero: Array | None) -> Array:
    """x - zero in float64, which is exact."""
    made: Array = x.astype(np.float64)
    return made if zero is None else made - zero


def _wrapped(total: Array) -> Array:
    return np.asarray(total.astype(np.int64).astype(np.int32))


@op("core.integer_matmul")
class IntegerMatMul(Product):
    """(a - a_zero) times (b - b_zero), see `Product`, in int32, which wraps.  Zero points have the type of their factor
    and are broadcast against it; along the summed axis there is one.
    """

    a_zero: Value | None = optional_operand(default=None)
    b_zero: Value | None = optional_operand(default=None)

    def infer(self) -> TensorType:
        rank_a, rank_b = self.a.tensor.rank or 2, self.b.tensor.rank or 2
        summed = (rank_a - 1 - self.transpose_a, rank_b - 2 + self.transpose_b)
        for name, x, zero, axis in zip("ab", (self.a, self.b), (self.a_zero, self.b_zero), summed, strict=True):
            _check(name, x, zero)
            _check_spread(x, zero, axis)
        return TensorType(DType.I32, self.result_shape())

    def eval(self, a: Array, b: Array, a_zero: Array | None, b_zero: Array | None) -> Array:
        return _wrapped(self.multiplied(_less(a, a_zero), _less(b, b_zero)))


def _check_spread(x: Value, zero: Value | None, axis: int) -> None:
    """Zero points broadcast against x, and there is one along an axis.  Raises ConversionError ShapeMismatch."""
    if zero is None or not zero.tensor.rank or x.tensor.rank is None:
        return
    shape = zero.tensor.shape or ()
    along = axis - x.tensor.rank + len(shape)
    fits = len(shape) <= x.tensor.rank and (along < 0 or shape[along] == 1)
    if not fits or broadcast_shapes(x.tensor.shape, shape) != x.tensor.shape:
        raise ConversionError(Code.ShapeMismatch, f"{zero.type} are no zero points of {x.type} along axis {axis}")


@op("core.integer_conv")
class IntegerConv(Convolution):
    """Convolution of x - x_zero and w - w_zero, see `Convolution`, in int32, which wraps; no bias.  Zero points have
    the type of their factor: one of x, one or one for each output channel of w.  Padding is the zero point of x.
    """

    x_zero: Value | None = optional_operand(default=None)
    w_zero: Value | None = optional_operand(default=None)

    def infer(self) -> TensorType:
        _check("x", self.x, self.x_zero)
        _check("w", self.w, self.w_zero)
        outputs = (self.w.tensor.shape or ())[self.w_layout.index("O") :][:1]
        shapes = [None if v is None else v.tensor.shape for v in (self.x_zero, self.w_zero)]
        if self.bias is not None or shapes[0] not in (None, ()) or shapes[1] not in (None, (), outputs):
            raise ConversionError(
                Code.ShapeMismatch,
                f"{self.name} has no bias, one zero point of x and one or {outputs} of w; it has {shapes}",
            )
        return TensorType(DType.I32, self.result_shape())

    def eval(self, x: Array, w: Array, bias: Array | None, x_zero: Array | None, w_zero: Array | None) -> Array:
        order = "N" + "".join(str(i) for i in range(len(self.y_layout) - 2)) + "C"
        if w_zero is not None and w_zero.ndim:
            w_zero = w_zero.reshape([-1 if c == "O" else 1 for c in self.w_layout])
        total = self.convolved(_less(x, x_zero), _less(w, w_zero))
        return to_order(_wrapped(total), order, self.y_layout)
