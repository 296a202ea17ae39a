"""How sums of integers become integers of another scale, to the bit as LiteRT's default kernels do it.

Sources: XNNPACK, qs8-requantization (fp32) and qs8-vadd, as its TFLite delegate uses them.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.quant import QuantType


def factors(x: QuantType, w: QuantType, y: QuantType) -> Array:
    """scale(x) * scale(w) / scale(y) in float32, of the shape of w's scales."""
    made: Array = np.float32(x.scales.view()) * w.scales.view() / np.float32(y.scales.view())
    return np.asarray(made, np.float32)


def rescale(total: Array, factor: Array, y: QuantType, lo: int, hi: int) -> Array:
    """Integers of y's storage in [lo, hi] from integer sums: rint of the float32 product of sum and factor, halves to
    even.  factor: float32, broadcasts against total.
    """
    zero = int(y.zero_array())
    made = np.rint(total.astype(np.float32) * factor)
    return np.asarray((np.clip(made, lo - zero, hi - zero) + zero).astype(y.storage.numpy))


def add_scaled(a: Array, b: Array, ratios: tuple[np.float32, np.float32], sign: int) -> Array:
    """a * ratios[0] +- b * ratios[1] rounded to integers, in fixed point with 20 bits behind the point of the larger
    ratio, halves up.
    """
    shift = 21 - math.frexp(float(max(ratios)))[1]
    of_a, of_b = (int(np.rint(np.ldexp(np.float64(r), shift))) for r in ratios)
    total = a.astype(np.int64) * of_a + sign * (b.astype(np.int64) * of_b)
    return np.asarray((total + (1 << (shift - 1))) >> shift)
