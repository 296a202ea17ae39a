"""How sums of integers become integers of another scale, to the bit as LiteRT's default kernels do it.

8 bits by XNNPACK, 16 bits by LiteRT's own kernels.  Sources: XNNPACK, qs8-requantization (fp32) and qs8-vadd, as its
TFLite delegate uses them; LiteRT, kernels/internal/common.h and quantization_util.cc.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.quant import QuantType


def factors(x: QuantType, w: QuantType, y: QuantType) -> Array:
    """scale(x) * scale(w) / scale(y) in float32, of the shape of w's scales."""
    made: Array = np.float32(x.scales.view()) * w.scales.view() / np.float32(y.scales.view())
    return np.asarray(made, np.float32)


def rescaled(total: Array, x: QuantType, w: QuantType, y: QuantType, lo: int, hi: int) -> Array:
    """Integers of y's storage in [lo, hi] from sums of products of integers of x and w.

    Sums of 16 bits times 8 bits are 64 bits long.
    """
    if x.storage.bits == _WIDE:
        return rescale_wide(total, x, w, y, lo, hi)
    return rescale(total, factors(x, w, y), y, lo, hi)


def rescale(total: Array, factor: Array, y: QuantType, lo: int, hi: int) -> Array:
    """Integers of y's storage in [lo, hi] from integer sums: rint of the float32 product of sum and factor, halves to
    even.  factor: float32, broadcasts against total.
    """
    zero = int(y.zero_array())
    made = np.rint(total.astype(np.float32) * factor)
    return np.asarray((np.clip(made, lo - zero, hi - zero) + zero).astype(y.storage.numpy))


def byte_factor(x: QuantType, y: QuantType, slope: float = 1.0) -> int:
    """slope * scale(x) / scale(y), in float32, with 8 bits behind the point (XNNPACK, qs8-vcvt and qs8-vlrelu)."""
    factor = np.float32(x.scales.view()) / np.float32(y.scales.view())
    return int(np.rint(np.float32(256) * (factor * np.float32(slope))))


def add_scaled(a: Array, b: Array, ratios: tuple[np.float32, np.float32], sign: int) -> Array:
    """a * ratios[0] +- b * ratios[1] rounded to integers, in fixed point with 20 bits behind the point of the larger
    ratio, halves up.
    """
    shift = 21 - math.frexp(float(max(ratios)))[1]
    of_a, of_b = (int(np.rint(np.ldexp(np.float64(r), shift))) for r in ratios)
    total = a.astype(np.int64) * of_a + sign * (b.astype(np.int64) * of_b)
    return np.asarray((total + (1 << (shift - 1))) >> shift)


_WIDE = 16


def ratio(x: QuantType, y: QuantType) -> float:
    """scale(x) / scale(y), of types with one scale, in float64."""
    return float(np.float64(x.scales.view()) / np.float64(y.scales.view()))


def fixed_point(factor: float) -> tuple[int, int]:
    """A factor as 31 bits behind the point and the power of two that it is times."""
    share, shift = math.frexp(factor)
    bits = math.floor(share * (1 << 31) + 0.5)
    return (bits // 2, shift + 1) if bits == 1 << 31 else (bits, shift)


def narrowed(bits: int) -> int:
    """A factor of 31 bits as one of 15."""
    return min((bits + (1 << 15)) >> 16, (1 << 15) - 1)


def factors_of_15_bits(x: QuantType, w: QuantType, y: QuantType) -> Array:
    """What `rescale_wide` multiplies by, in float64, of the shape of w's scales."""
    factors = ratios(x, w, y)
    pairs = (fixed_point(float(f)) for f in factors.reshape(-1))
    return np.asarray([np.ldexp(float(narrowed(q)), e - 15) for q, e in pairs]).reshape(factors.shape)


def rescale_wide(total: Array, x: QuantType, w: QuantType, y: QuantType, lo: int, hi: int) -> Array:
    """Integers of 16 bits from sums of 64 bits, by factors of 15 bits, halves up."""
    pairs = [fixed_point(float(r)) for r in ratios(x, w, y).reshape(-1)]
    shape = () if w.is_per_tensor else (-1,)
    bits = np.asarray([narrowed(q) for q, _ in pairs], np.int64).reshape(shape)
    shift = np.asarray([15 - e for _, e in pairs], np.int64).reshape(shape)
    made = (total * bits + (np.int64(1) << (shift - 1))) >> shift
    return np.asarray(np.clip(made, lo, hi).astype(y.storage.numpy))


def rescale_far(total: Array, x: QuantType, w: QuantType, y: QuantType, lo: int, hi: int) -> Array:
    """Integers of 16 bits from sums of 64 bits in float64, halves away from zero, as FULLY_CONNECTED does with
    biases of 64 bits.
    """
    made = total.astype(np.float64) * ratios(x, w, y)
    return np.asarray(np.clip(np.trunc(made + np.copysign(0.5, made)), lo, hi).astype(y.storage.numpy))


def ratios(x: QuantType, w: QuantType, y: QuantType) -> Array:
    """scale(x) * scale(w) / scale(y) in float64, of the shape of w's scales."""
    made: Array = np.float64(x.scales.view()) * w.scales.view().astype(np.float64) / np.float64(y.scales.view())
    return np.asarray(made)


def scaled_once(x: Array, factor: float) -> Array:
    """x * factor, rounded once, halves up."""
    bits, shift = fixed_point(factor)
    return np.asarray((x * bits + (1 << (30 - shift))) >> (31 - shift))


def scaled_twice(x: Array, factor: float) -> Array:
    """x * factor, rounded to 31 bits and again, halves away from zero (gemmlowp)."""
    bits, shift = fixed_point(factor)
    return by_twice(x, bits, shift)


def by_twice(x: Array, bits: int, shift: int) -> Array:
    """x times a factor in fixed point, rounded twice."""
    product = (x << max(shift, 0)) * bits
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    return shifted_away(np.sign(nudged) * (np.abs(nudged) >> 31), max(-shift, 0))


def shifted_away(x: Array, bits: int) -> Array:
    """x / 2^bits, halves away from zero (gemmlowp, RoundingDivideByPOT)."""
    half = (1 << bits) >> 1
    return np.asarray(np.sign(x) * ((np.abs(x) + half) >> bits))


def rescale_twice(total: Array, x: QuantType, w: QuantType, y: QuantType, lo: int, hi: int) -> Array:
    """Integers of 8 bits from integer sums, by factors of 31 bits, rounded to the factor's power of two and again,
    halves up (ruy's kernels, which LiteRT's own convolutions call).
    """
    pairs = [fixed_point(float(r)) for r in ratios(x, w, y).reshape(-1)]
    shape = () if w.is_per_tensor else (-1,)
    bits = np.asarray([q << max(e, 0) for q, e in pairs], np.int64).reshape(shape)
    shift = np.asarray([max(-e, 0) for _, e in pairs], np.int64).reshape(shape)
    whole = (total * bits + (np.int64(1) << 30)) >> 31
    zero = int(y.zero_array())
    made = (whole + ((np.int64(1) << shift) >> 1)) >> shift
    return np.asarray(np.clip(made + zero, lo, hi).astype(y.storage.numpy))


def add_wide(a: Array, b: Array, ratios: tuple[float, float], sign: int) -> Array:
    """a * ratios[0] +- b * ratios[1] of 16 bits: each with 15 bits behind the point of twice the larger ratio, and the
    sum of them rounded twice.  The summands of a sum are rounded once, those of a difference twice.
    """
    largest = 2 * max(ratios)
    scaled = scaled_once if sign > 0 else scaled_twice
    left, right = (scaled(v.astype(np.int64) << 15, r / largest) for v, r in zip((a, b), ratios, strict=True))
    return scaled_twice(left + sign * right, largest / (1 << 15))


WIDE_ROOM = 17
"""Scales of means and sums of 16 bits whose halves go away from zero are 2^-17 smaller, and as much less of that as
steps have parts: a quarter of what lies between two of them, next to the largest integer.
"""
MOST_PARTS = 16
"""Of a step, such that float32 tells halves of it from their neighbours next to the largest integer."""


def parts_of_steps(operands: Sequence[QuantType], y: QuantType) -> int:
    """Of how many parts of a step of y sums of integers are multiples, where some are halves; else 0."""
    parts = math.lcm(*(ratio(x, y).as_integer_ratio()[1] for x in operands))
    return parts if parts % 2 == 0 else 0


def mean_wide(total: Array, count: int, factor: float) -> Array:
    """total * factor / count, rounded twice, by a factor that is divided in fixed point (LiteRT, reduce.h)."""
    bits, shift = fixed_point(factor)
    room = min(count.bit_length() - 1, 32, 31 + shift)
    return by_twice(total, (bits << room) // count, shift - room)
