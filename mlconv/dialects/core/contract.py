"""Contractions: matrix multiplication."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import broadcast_shapes, ranked, same_dtype
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.quant_rules import FREE
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import Shape, TensorType


class Product(OpDef):
    """a [..., n, k] x b [..., k, m] = y [..., n, m]; leading axes broadcast; `transpose_a`/`transpose_b` swap the last
    two axes first.  Both operands have rank >= 2.
    """

    __slots__ = ()
    a: Value = operand()
    b: Value = operand()
    transpose_a: bool = attr(default=False)
    transpose_b: bool = attr(default=False)
    y: Value = result()

    def result_shape(self) -> Shape:
        """Raises ConversionError ShapeMismatch for shapes that do not fit one another."""
        a, b = ranked(self.a), ranked(self.b)
        if len(a) < 2 or len(b) < 2:
            raise ConversionError(
                Code.ShapeMismatch, f"matrix product of {self.a.tensor} and {self.b.tensor}: both need rank 2 or more"
            )
        n, k = (a[-1], a[-2]) if self.transpose_a else (a[-2], a[-1])
        k2, m = (b[-1], b[-2]) if self.transpose_b else (b[-2], b[-1])
        if isinstance(k, int) and isinstance(k2, int) and k != k2:
            raise ConversionError(
                Code.ShapeMismatch, f"MatMul of {self.a.tensor} and {self.b.tensor}: inner sizes {k} and {k2} differ"
            )
        return (*(broadcast_shapes(a[:-2], b[:-2]) or ()), n, m)

    def multiplied(self, a: Array, b: Array) -> Array:
        a = np.swapaxes(a, -1, -2) if self.transpose_a else a
        b = np.swapaxes(b, -1, -2) if self.transpose_b else b
        return np.asarray(np.matmul(a, b))


@op("core.matmul", quant=FREE)
class MatMul(Product):
    """The matrix product of two tensors of one element type, see `Product`; float16 and bfloat16 accumulate in float32.

    Source: numpy.matmul, TensorFlow BatchMatMulV2.
    """

    def infer(self) -> TensorType:
        dtype = same_dtype(self.a, self.b)
        return TensorType(dtype, self.result_shape())

    def eval(self, a: Array, b: Array) -> Array:
        if a.dtype.itemsize < 4 and a.dtype.kind not in "iub":
            return self.multiplied(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
        return self.multiplied(a, b)
