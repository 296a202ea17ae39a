"""Products of floats and stored integers: floats are quantized at run time, each row or each batch by its own range.

Source: TFLite, dynamic range quantization; XNNPACK's qd8 kernels, as its TFLite delegate uses them.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.contract import Product
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import OverIntegers
from mlconv.dialects.core.window import Convolution, to_order
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.quant_rules import OWN
from mlconv.ir.spec import op, optional_operand
from mlconv.ir.types import TensorType

LOWEST, HIGHEST = -128, 127


def weights_of(x: Value, w: Value, axis: int, blocks: int | None = None) -> QuantType:
    """The quantization of weights: int8 or int4 without zero points, one scale, one along `axis`, or in blocks along
    `blocks`.  Raises ConversionError TypeMismatch.
    """
    quant = quantized(w)
    if x.tensor.dtype is not DType.F32 or x.tensor.quant is not None:
        raise ConversionError(Code.TypeMismatch, f"what is quantized at run time is float32, not {x.type}")
    if quant.storage not in (DType.I8, DType.I4) or not isinstance(quant.zero_points, int):
        raise ConversionError(
            Code.TypeMismatch, f"weights are int8 or int4 without zero points, not {quant}", operand=1
        )
    fits = quant.axis == blocks if isinstance(quant.scheme, Blocked) else quant.axis in (None, axis)
    if not fits:
        raise ConversionError(Code.TypeMismatch, f"scales of {quant}, expected one along axis {axis}", operand=1)
    return quant


def quantized_rows(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """Integers of 8 bits less their zero point, int64, and their scales, each range over `axes` by its own.

    The range holds 0; the zero point is that of its end with the smaller error.  Source: XNNPACK, quantization.h,
    xnn_f32_qd8_asymmetric_quantization_params.
    """
    low = np.minimum(x.min(axes, keepdims=True, initial=np.float32(0)), np.float32(0))
    high = np.maximum(x.max(axes, keepdims=True, initial=np.float32(0)), np.float32(0))
    with np.errstate(divide="ignore"):
        steps = np.where(low == high, np.float32(1), np.float32(HIGHEST - LOWEST) / (high - low)).astype(np.float32)
    below, above = low * steps, high * steps
    upper = (LOWEST + below) + (HIGHEST + above) > 0
    zero = np.rint(np.clip(np.where(upper, LOWEST - below, HIGHEST - above), LOWEST, HIGHEST))
    stored = np.rint(np.clip(x * steps, LOWEST - zero, HIGHEST - zero))
    return stored.astype(np.int64), (np.float32(1) / steps).astype(np.float32)


@op("core.dynamic_matmul", quant=OWN)
class DynamicMatMul(Product, OverIntegers):
    """a times quantized b, see `Product`: each row of a becomes int8 by its own range, sums of integers become floats
    again; bias float32 [m].  b: int8 or int4 with one scale, one for each column, or, of rank 2, in blocks along its
    rows.  Source: TFLite FULLY_CONNECTED, BATCH_MATMUL of float32 and int8; XNNPACK qd8-f32-qc8w-gemm.
    """

    bias: Value | None = optional_operand(default=None)

    def infer(self) -> TensorType:
        rank = self.b.tensor.rank or 2
        column, row = (rank - 2, rank - 1) if self.transpose_b else (rank - 1, rank - 2)
        weights_of(self.a, self.b, column, row)
        return TensorType(DType.F32, self.result_shape())

    def eval(self, a: Array, b: Array, bias: Array | None) -> Array:
        rows = np.swapaxes(a, -1, -2) if self.transpose_a else a
        columns = np.swapaxes(b, -1, -2) if self.transpose_b else b
        stored, scale = quantized_rows(rows, (-1,))
        y: Array = self._summed(stored, columns.astype(np.int64), scale)
        return y if bias is None else y + bias

    def unrounded(self, a: Array, b: Array, bias: Array | None) -> Array:
        """The same of floats as they are."""
        y = self.product(a, quantized(self.b).dequantize(b))
        return np.asarray(y if bias is None else y + bias)

    def product(self, a: Array, b: Array) -> Array:
        """Of floats, without bias."""
        rows = np.swapaxes(a, -1, -2) if self.transpose_a else a
        return np.asarray(np.matmul(rows, np.swapaxes(b, -1, -2) if self.transpose_b else b))

    def _summed(self, a: Array, b: Array, scale: Array) -> Array:
        quant = quantized(self.b)
        scales = quant.scales.view()
        if not isinstance(quant.scheme, Blocked):
            return np.asarray(np.matmul(a, b).astype(np.float32) * scale * scales)
        scales, size = scales.T if self.transpose_b else scales, quant.scheme.size
        total = np.zeros((*a.shape[:-1], b.shape[-1]), np.float32)
        for i, of_block in enumerate(scales):
            part = slice(i * size, (i + 1) * size)
            total = total + np.matmul(a[..., part], b[part]).astype(np.float32) * of_block
        return np.asarray(total * scale)


@op("core.dynamic_conv", quant=OWN)
class DynamicConv(Convolution, OverIntegers):
    """Convolution of float32 x and quantized w, see `Convolution`: each batch of x becomes int8 by its own range, sums
    of integers become floats again; bias float32.  Where windows are single elements, at each of them, the elements of
    all channels have a range of their own.  w: int8 or int4 with one scale, or one for each output channel.
    Source: TFLite CONV_2D, DEPTHWISE_CONV_2D of float32 and int8; XNNPACK qd8-f32-qc8w-igemm, convolution-nhwc.c.
    """

    def infer(self) -> TensorType:
        weights_of(self.x, self.w, self.w_layout.index("O"))
        return TensorType(DType.F32, self.result_shape())

    def range_axes(self) -> tuple[int, ...]:
        """The axes of x that share a range."""
        if self.is_product():
            return (self.x_layout.index("C"),)
        return tuple(i for i, c in enumerate(self.x_layout) if c != "N")

    def eval(self, x: Array, w: Array, bias: Array | None) -> Array:
        order = self._order()
        stored, scale = quantized_rows(x, self.range_axes())
        total = self.convolved(stored, w.astype(np.int64)).astype(np.float32)
        y = total * to_order(scale, self.x_layout, order) * quantized(self.w).scales.view()
        return to_order(y if bias is None else y + bias, order, self.y_layout)

    def unrounded(self, x: Array, w: Array, bias: Array | None) -> Array:
        """The same of floats as they are."""
        order = self._order()
        y = self.convolved(x, quantized(self.w).dequantize(w))
        return to_order(y if bias is None else y + bias, order, self.y_layout)

    def product(self, x: Array, w: Array) -> Array:
        """Of floats, without bias."""
        return to_order(self.convolved(x, w), self._order(), self.y_layout)

    def _order(self) -> str:
        return "N" + "".join(str(i) for i in range(len(self.y_layout) - 2)) + "C"
