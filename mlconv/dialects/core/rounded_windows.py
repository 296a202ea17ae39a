"""Pools, resampling and transposed convolutions over stored integers."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import ranked
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded import check_sum
from mlconv.dialects.core.rounded_base import OverIntegers, Rounded, centred, limited, per_tensor
from mlconv.dialects.core.rounding import rescaled
from mlconv.dialects.core.shape import operand_sizes
from mlconv.dialects.core.transposed import TransposedConvolution
from mlconv.dialects.core.window import AveragePooling
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import OWN
from mlconv.ir.spec import attr, op, operand, result
from mlconv.ir.types import TensorType


@op("core.quant_conv_transpose", quant=OWN)
class QuantConvTranspose(TransposedConvolution, Rounded):
    """Transposed convolution of quantized x and w, whose scales may differ along its output channels; bias int32 or
    int64 of the product of their scales.  Rounds as `core.quant_conv`.  Source: TFLite TRANSPOSE_CONV.
    """

    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)

    def infer(self) -> TensorType:
        self.check_element(self.x, self.w)
        check_sum(self.x, self.w, self.bias, self.w_layout.index("O"))
        if self.groups > 1 and not quantized(self.w).is_per_tensor:
            raise ConversionError(Code.TypeMismatch, f"scales of {self.w.type} are not those of each group", operand=1)
        return TensorType(self.element, self.result_shape())

    def eval(self, x: Array, w: Array, bias: Array | None) -> Array:
        of_x, of_w = quantized(self.x), quantized(self.w)
        total = self.convolved(centred(x, of_x), centred(w, of_w))
        if bias is not None:
            total = total + bias
        return self.laid_out(rescaled(total, of_x, of_w, self.element, self.lo, self.hi))


@op("core.quant_average_pool", quant=OWN)
class QuantAveragePool(AveragePooling, Rounded):
    """Mean of the stored integers of each window, halves away from zero, or up; the result has the scale of x.  Padding
    that counts is the zero point.  Source: TFLite AVERAGE_POOL_2D, reference/integer_ops/pooling.h and, of uint8,
    reference/pooling.h, whose integers all lie above 0.
    """

    element: QuantType = attr(kw_only=True)
    lo: int = attr(kw_only=True)
    hi: int = attr(kw_only=True)

    def infer(self) -> TensorType:
        self.check_element(self.x)
        same_scale(self, self.x)
        return self.result_type()

    def eval(self, x: Array) -> Array:
        zero = int(per_tensor(self.x).zero_array()) if self.count_include_pad else 0
        total, counts = self.sums(x.astype(np.int64), np.asarray(zero, np.int64))
        count = counts.astype(np.int64)
        sign = 1 if self.halves else np.sign(total)
        made = sign * ((total * sign + count // 2) // count)
        return self.laid_out(limited(made, self))


@op("core.quant_resize", quant=OWN)
class QuantResize(OverIntegers):
    """x resampled linearly to `sizes` along two axes, with weights of 11 bits, halves up; the scale stays.

    align_corners: the outer elements of x and y lie on one another.  half_pixel: elements lie in the middle of what
    they cover.  Source: TFLite RESIZE_BILINEAR; XNNPACK s8-ibilinear, indirection.c.
    """

    x: Value = operand()
    sizes: Value = operand()
    axes: tuple[int, ...] = attr()
    align_corners: bool = attr(default=False)
    half_pixel: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        quant, shape, sizes = per_tensor(self.x), list(ranked(self.x)), operand_sizes(self.sizes)
        if sizes is None or len(sizes) != 2 or len(self.axes) != 2:
            raise ConversionError(Code.ShapeMismatch, f"{self.name} is along two axes, not to {self.sizes.type}")
        for axis, size in zip(self.axes, sizes, strict=True):
            shape[axis] = size
        return TensorType(quant, tuple(shape))

    def eval(self, x: Array, sizes: Array) -> Array:
        total = x.astype(np.int64)
        for axis, size in zip(reversed(self.axes), reversed(sizes.tolist()), strict=True):
            first, second, share = self.taps(x.shape[axis], int(size))
            share = share.reshape([-1 if a == axis else 1 for a in range(x.ndim)])
            left, right = total.take(first, axis), total.take(second, axis)
            total = (left << _WEIGHT_BITS) + (right - left) * share
        return np.asarray(((total + (1 << 2 * _WEIGHT_BITS - 1)) >> 2 * _WEIGHT_BITS).astype(x.dtype))

    def taps(self, n: int, m: int) -> tuple[Array, Array, Array]:
        """The two elements that each of m results lies between, and the weight of the second, in float32 as the kernel
        computes it.
        """
        less = int(self.align_corners and m != 1)
        scale = np.float32(n - less) / np.float32(m - less)
        place = np.arange(m).astype(np.float32) * scale
        if self.half_pixel:
            place = place + (np.float32(0.5) * scale - np.float32(0.5))
        place = np.clip(place, np.float32(0), np.float32(n - 1))
        first = place.astype(np.int64)
        share = np.rint((place - first.astype(np.float32)) * np.float32(1 << _WEIGHT_BITS)).astype(np.int64)
        return first, np.minimum(first + 1, n - 1), share


_WEIGHT_BITS = 11


def same_scale(op: Rounded, x: Value) -> None:
    """The result has the quantization of x.  Raises ConversionError TypeMismatch."""
    if x.tensor.quant != op.element:
        raise ConversionError(
            Code.TypeMismatch, f"{op.name} keeps the scale of {x.type}, it does not give {op.element}"
        )
