"""Transposed convolution."""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_count, check_numbers, ranked, same_dtype
from mlconv.dialects.core.shape import check_shape
from mlconv.dialects.core.window import FILTER_LAYOUT, LAYOUT, Ints, check_bias, conv_nhwc, spatial, to_order
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.quant_rules import BIAS
from mlconv.ir.spec import OpDef, attr, op, operand, optional_operand, result
from mlconv.ir.types import Shape, TensorType


class TransposedConvolution(OpDef):
    """The gradient of a convolution with respect to its input, whatever the elements are.

    x by `x_layout` with C channels; w by `w_layout` where I = C (group j reads slice j of it) and O = output channels
    per group; y has O * groups channels. pads crop the full result; output_pads add rows after it; strides stretch the
    input.  size_i = (n - 1) * s + output_pad + (k - 1) * d + 1 - pads.
    """

    __slots__ = ()
    x: Value = operand()
    w: Value = operand()
    bias: Value | None = optional_operand(default=None)
    strides: Ints = attr(kw_only=True)
    pads: tuple[tuple[int, int], ...] = attr(kw_only=True)
    output_pads: Ints = attr(kw_only=True)
    dilations: Ints = attr(kw_only=True)
    groups: int = attr(default=1)
    x_layout: str = attr(default="N01C", check=LAYOUT)
    w_layout: str = attr(default="01OI", check=FILTER_LAYOUT)
    y_layout: str = attr(default="N01C", check=LAYOUT)
    y: Value = result()

    def result_shape(self) -> Shape:
        """Raises ConversionError ShapeMismatch for shapes that do not fit one another."""
        xs, ws = ranked(self.x), ranked(self.w)
        if len(xs) != len(self.x_layout) or len(ws) != len(self.w_layout):
            raise ConversionError(
                Code.ShapeMismatch,
                f"transposed convolution of {self.x.tensor} with the kernel {self.w.tensor}: ranks do not fit",
            )
        channels, expected = xs[self.x_layout.index("C")], ws[self.w_layout.index("I")]
        if isinstance(channels, int) and isinstance(expected, int) and channels != expected:
            raise ConversionError(
                Code.ShapeMismatch, f"weights expect {expected} input channels, the input has {channels}", operand=1
            )
        if self.groups < 1 or (isinstance(channels, int) and channels % self.groups):
            raise ConversionError(
                Code.ShapeMismatch, f"{channels} input channels are not {self.groups} groups", operand=1
            )
        outputs = ws[self.w_layout.index("O")] * self.groups
        check_bias(self.bias, outputs)
        axes, kernel = spatial(self.x_layout), spatial(self.w_layout)
        check_numbers(self.strides, len(axes), 1, "strides")
        check_numbers(self.dilations, len(axes), 1, "dilations")
        check_numbers(self.output_pads, len(axes), 0, "pads of the result")
        check_count(self.pads, len(axes), "pads")
        sizes: dict[str, Size] = {"N": xs[self.x_layout.index("N")], "C": outputs}
        for i, (lo, hi) in enumerate(self.pads):
            full = (
                (xs[axes[i]] - 1) * self.strides[i] + self.output_pads[i] + (ws[kernel[i]] - 1) * self.dilations[i] + 1
            )
            sizes[str(i)] = full - lo - hi
        check_shape(tuple(sizes.values()), self.x.tensor.dtype, "result of a transposed convolution")
        return tuple(sizes[c] for c in self.y_layout)

    def convolved(self, x: Array, w: Array) -> Array:
        """The result without a bias, N, spatial axes, C."""
        n = len(self.strides)
        order = "N" + "".join(map(str, range(n))) + "C"
        x, w = to_order(x, self.x_layout, order), to_order(w, self.w_layout, order[1:-1] + "OI")
        stretched = np.zeros(
            (x.shape[0], *((d - 1) * s + 1 for d, s in zip(x.shape[1:-1], self.strides, strict=True)), x.shape[-1]),
            x.dtype,
        )
        stretched[(slice(None), *(slice(None, None, s) for s in self.strides))] = x
        spans = [(k - 1) * d + 1 for k, d in zip(w.shape[:n], self.dilations, strict=True)]
        borders = tuple(
            (e - 1 - lo, e - 1 - hi + op_) for e, (lo, hi), op_ in zip(spans, self.pads, self.output_pads, strict=True)
        )
        flipped = np.flip(w, tuple(range(n)))
        cg = x.shape[-1] // self.groups
        parts = []
        for j in range(self.groups):
            group = slice(j * cg, (j + 1) * cg)
            kernel = np.swapaxes(flipped[..., group], -1, -2)
            parts.append(conv_nhwc(stretched[..., group], kernel, (1,) * n, borders, self.dilations, 1))
        return np.concatenate(parts, -1)

    def laid_out(self, y: Array) -> Array:
        """N, spatial axes, C by `y_layout`."""
        return to_order(y, "N" + "".join(map(str, range(len(self.strides)))) + "C", self.y_layout)


@op("core.conv_transpose", quant=BIAS)
class ConvTranspose(TransposedConvolution):
    """Transposed convolution, see `TransposedConvolution`.

    Source: ONNX ConvTranspose-11; TensorFlow Conv2DBackpropInput; TFLite TRANSPOSE_CONV.
    """

    def infer(self) -> TensorType:
        return TensorType(same_dtype(self.x, self.w), self.result_shape())

    def eval(self, x: Array, w: Array, bias: Array | None) -> Array:
        y = self.convolved(x, w)
        if bias is not None:
            y = y + bias.astype(y.dtype)
        return self.laid_out(y).astype(x.dtype)
