"""Scales and zero points from ranges of numbers.

Source: TFLite 8-bit quantization specification; Jacob et al. 2018, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis, PerTensor, QuantType, Scheme

V = TypeVar("V")
MIN_MAX = "min-max"
"""Ranges of all numbers that were met."""
CHOICES = (MIN_MAX, "mse", "percentile", "auto")
"""How ranges of activations may be asked for."""
USUAL = ""
"""Where nothing is asked for: `mse` where scoring takes little, else `MIN_MAX`."""
_LEAST = np.float32(2.0**-100)  # scale of numbers that are all next to 0


class Range(NamedTuple):
    """The least and the largest numbers of a tensor, one for each channel along `axis`, or one for all."""

    low: Array
    high: Array
    axis: int | None = None

    @property
    def whole(self) -> tuple[float, float]:
        return float(np.min(self.low)), float(np.max(self.high))

    def joined(self, other: Range) -> Range:
        """Of both."""
        if self.axis != other.axis or self.low.shape != other.low.shape:
            return Range(np.minimum(self.low.min(), other.low.min()), np.maximum(self.high.max(), other.high.max()))
        return Range(np.minimum(self.low, other.low), np.maximum(self.high, other.high), self.axis)

    def divided(self, factors: Array) -> Range:
        """Of the numbers over positive factors, one for each channel."""
        return Range(self.low / factors, self.high / factors, self.axis)

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.low).all() and np.isfinite(self.high).all())

    @property
    def is_masking(self) -> bool:
        """Some numbers are minus infinity, as masks are; the others are finite."""
        low, high = self.whole
        return low == -np.inf and bool(np.isfinite(high))

    @property
    def is_met(self) -> bool:
        """Some sample had numbers there; else the ends are those of no numbers at all."""
        return not (np.isposinf(self.low).all() and np.isneginf(self.high).all())


def met(ranges: Mapping[V, Range]) -> dict[V, Range]:
    """Those of values that some sample had, of numbers that integers may stand for."""
    return {value: span for value, span in ranges.items() if span.is_met and not span.is_masking}


def with_headroom(span: Range, storage: DType) -> tuple[float, float]:
    """The ends of a range; in 16 bits twice as wide, for numbers that no sample had: one bit, which is less than the
    error of int8 weights.
    """
    low, high = span.whole
    return (low, high) if storage.bits <= 8 else (2 * low, 2 * high)


def activation_type(low: float, high: float, storage: DType, centred: bool = False) -> QuantType:
    """int8, uint8: asymmetric, with an integer for 0.  int16, and what is to be centred: symmetric, zero point 0.

    Where all numbers were 0, those up to 1 have integers: kernels take the factors of such scales, and what is not 0
    later is not lost.  Raises ConversionError QuantizationInvalid for a range that is not finite.
    """
    if not np.isfinite([low, high]).all():
        raise ConversionError(Code.QuantizationInvalid, f"the range [{low:g}, {high:g}] is not finite")
    low, high = min(low, 0.0), max(high, 0.0) or float(low >= 0.0)
    if storage.bits > 8 or centred:
        largest = (1 << storage.bits - 1) - 1
        return QuantType.of(storage, _scale(max(-low, high) / largest))
    bottom, top = (-128, 127) if storage is DType.I8 else (0, 255)
    scale = _scale((high - low) / 255)
    zero = int(np.clip(np.rint(bottom - low / scale), bottom, top))
    return QuantType.of(storage, scale, zero)


def _scale(number: float) -> float:
    """A scale in float32's numbers."""
    return float(max(np.float32(number), _LEAST))


def weight_type(largest: Array, storage: DType, axis: int | None, block: int = 0) -> QuantType:
    """Symmetric integers without the lowest one.  largest: absolute values, float32: one number; one for each slice of
    an axis; or, with a block, of the shape of blocks along it.
    """
    top = (1 << storage.bits - 1) - 1
    scales = np.maximum((largest.astype(np.float64) / top).astype(np.float32), _LEAST)
    scheme: Scheme = PerTensor() if axis is None else Blocked(axis, block) if block else PerAxis(axis)
    return QuantType(storage, DType.F32, scheme, make_const(np.asarray(scales)), 0, -top, top)


def largest_of(weights: Const, axis: int | None, block: int = 0) -> Array:
    """Absolute values as `weight_type` takes them.  Raises ConversionError QuantizationInvalid for weights that are not
    finite.
    """
    x = weights.view().astype(np.float32, copy=False)
    if axis is not None and block:
        x = x.reshape(*x.shape[:axis], x.shape[axis] // block, block, *x.shape[axis + 1 :])
    over = tuple(i for i in range(x.ndim) if i != axis) if not block else ((axis or 0) + 1,)
    found = np.maximum(np.max(x, axis=over, initial=0.0), -np.min(x, axis=over, initial=0.0))
    if not np.isfinite(found).all():
        raise ConversionError(Code.QuantizationInvalid, "a weight is not finite")
    return np.asarray(found, np.float32)
