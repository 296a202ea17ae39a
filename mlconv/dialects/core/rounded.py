"""Ops over integers that stand for numbers, which say how they round: what `quant-lower` makes of ordinary ops over
quantized types.  Operands and results have quantized types; `eval` takes and gives the integers.

Every target computes the same integers, those of LiteRT's default kernels.  Sources: TFLite 8-bit quantization
specification; XNNPACK's qs8 kernels; see `rounding`.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import broadcast_shapes
from mlconv.dialects.core.contract import Product
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.reduce import Reduce
from mlconv.dialects.core.rounded_base import Rounded, centred, limited, per_tensor
from mlconv.dialects.core.rounding import (
    add_scaled,
    add_wide,
    byte_factor,
    factors,
    mean_wide,
    ratio,
    rescale,
    rescale_far,
    rescale_twice,
    rescaled,
    scaled_twice,
)
from mlconv.dialects.core.window import Convolution, to_order
from mlconv.ir.attributes import one_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.quant_rules import OWN
from mlconv.ir.spec import attr, op, operand, optional_operand, result
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import TensorType


def check_sum(x: Value, w: Value, bias: Value | None, axis: int) -> None:
    """The scales of w differ along one axis at most, it has no zero point, and the bias has the product of the scales.
    Raises ConversionError TypeMismatch.
    """
    of_x, of_w = per_tensor(x), quantized(w)
    if of_w.axis not in (None, axis) or isinstance(of_w.scheme, Blocked):
        raise ConversionError(Code.TypeMismatch, f"scales of {of_w}, expected one, or one along axis {axis}", operand=1)
    if of_w.axis is not None and not isinstance(of_w.zero_points, int):
        raise ConversionError(Code.TypeMismatch, f"{of_w} has zero points along an axis", operand=1)
    if bias is not None and not quantized(bias).is_product_of(of_x, of_w):
        raise ConversionError(
            Code.TypeMismatch, f"the scales of the bias, {bias.type}, are not products of {of_x} and {of_w}", operand=2
        )


@op("core.quant_conv", quant=OWN)
class QuantConv(Convolution, Rounded):
    """Convolution of quantized x and w, whose scales may differ along its output channels; bias int32 or int64 of the
    product of their scales.  twice: sums are rounded as LiteRT's own kernel does it (`rescale_twice`), not as XNNPACK.
    Source: TFLite CONV_2D, DEPTHWISE_CONV_2D.
    """

    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)
    twice: bool = attr(default=False)

    def infer(self) -> TensorType:
        self.check_element(self.x, self.w)
        check_sum(self.x, self.w, self.bias, self.w_layout.index("O"))
        return TensorType(self.element, self.result_shape())

    def eval(self, x: Array, w: Array, bias: Array | None) -> Array:
        of_x, of_w = quantized(self.x), quantized(self.w)
        total = self.convolved(centred(x, of_x), centred(w, of_w))
        if bias is not None:
            total = total + bias
        rounded = rescale_twice if self.twice else rescaled
        made = rounded(total, of_x, of_w, self.element, self.lo, self.hi)
        return to_order(made, "N" + "".join(map(str, range(len(self.strides)))) + "C", self.y_layout)


@op("core.quant_matmul", quant=OWN)
class QuantMatMul(Product, Rounded):
    """Product of quantized a and b, whose scales may differ along its columns where it has rank 2; bias [m] of the
    product of their scales.  Source: TFLite FULLY_CONNECTED, BATCH_MATMUL.
    """

    bias: Value | None = optional_operand(default=None)
    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)

    def infer(self) -> TensorType:
        self.check_element(self.a, self.b)
        if self.b.tensor.rank != 2:  # kernels of batches have one scale
            per_tensor(self.b)
        check_sum(self.a, self.b, self.bias, 0 if self.transpose_b else 1)
        return TensorType(self.element, self.result_shape())

    def eval(self, a: Array, b: Array, bias: Array | None) -> Array:
        of_a, of_b = quantized(self.a), quantized(self.b)
        total = self.multiplied(centred(a, of_a), centred(b, of_b))
        if bias is not None:
            total = total + bias
        if of_a.storage is DType.I16 and of_b.storage in (DType.I8, DType.I4):
            return rescale_far(total, of_a, of_b, self.element, self.lo, self.hi)
        return rescaled(total, of_a, of_b, self.element, self.lo, self.hi)


@op("core.quant_binary", traits=[Elementwise], quant=OWN)
class QuantBinary(Rounded):
    """a + b, a - b or a * b with broadcasting.  Sums round in fixed point with 20 bits, halves up; products as those
    of convolutions do.  Source: TFLite ADD, SUB, MUL; XNNPACK qs8-vadd, qs8-vmul.
    """

    a: Value = operand()
    b: Value = operand()
    kind: str = attr(kw_only=True, check=one_of("add", "sub", "mul"))
    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)
    y: Value = result()

    def infer(self) -> TensorType:
        self.check_element(self.a, self.b)
        per_tensor(self.a), per_tensor(self.b)
        return TensorType(self.element, broadcast_shapes(self.a.tensor.shape, self.b.tensor.shape))

    def eval(self, a: Array, b: Array) -> Array:
        of_a, of_b, y = per_tensor(self.a), per_tensor(self.b), self.element
        left, right = centred(a, of_a), centred(b, of_b)
        sign = -1 if self.kind == "sub" else 1
        if y.storage is DType.I16:
            if self.kind == "mul":
                return limited(scaled_twice(left * right, float(factors(of_a, of_b, y))), self)
            return limited(add_wide(left, right, (ratio(of_a, y), ratio(of_b, y)), sign), self)
        if self.kind == "mul":
            return rescale(left * right, factors(of_a, of_b, y), y, self.lo, self.hi)
        ratios = tuple(np.float32(q.scales.view()) / np.float32(y.scales.view()) for q in (of_a, of_b))
        total = add_scaled(left, right, (ratios[0], ratios[1]), sign)
        return limited(total + int(y.zero_array()), self)


@op("core.quant_mean", quant=OWN)
class QuantMean(Reduce, Rounded):
    """Mean along `axes`: rint(f32(sum of stored integers) * m + (zero(y) - zero(x) * scale(x) / scale(y))) in float32.
    Source: LiteRT, kernels/internal/optimized/reduce.h, measured.
    """

    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)

    def infer(self) -> TensorType:
        self.check_element(self.x)
        per_tensor(self.x)
        shape = super().infer().shape
        return TensorType(self.element, shape)

    def eval(self, x: Array) -> Array:
        of_x, y = per_tensor(self.x), self.element
        total = np.asarray(x.astype(np.int64).sum(axis=self.axes, keepdims=self.keepdims))
        count = x.size // max(total.size, 1)
        if y.storage is DType.I16:
            return limited(mean_wide(total, count, ratio(of_x, y)), self)
        factor = np.float32(of_x.scales.view()) / np.float32(y.scales.view())
        offset = np.float32(int(y.zero_array())) - np.float32(int(of_x.zero_array())) * factor
        made = np.rint(total.astype(np.float32) * (factor / np.float32(count)) + offset)
        return limited(made, self)


@op("core.requantize", quant=OWN)
class Requantize(Rounded):
    """Integers of one scale as those of another: ((x - zero) * rint(256 * ratio of scales) + 128) >> 8 for 8 bits.
    Source: TFLite QUANTIZE; XNNPACK qs8-vcvt.
    """

    x: Value = operand()
    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)
    y: Value = result()

    def infer(self) -> TensorType:
        self.check_element(self.x)
        per_tensor(self.x)
        return TensorType(self.element, self.x.tensor.shape)

    def eval(self, x: Array) -> Array:
        of_x, y = per_tensor(self.x), self.element
        if DType.I16 in (of_x.storage, y.storage):
            return limited(scaled_twice(centred(x, of_x), ratio(of_x, y)) + int(y.zero_array()), self)
        total = (centred(x, of_x) * byte_factor(of_x, y) + 128) >> 8
        return limited(total + int(y.zero_array()), self)
