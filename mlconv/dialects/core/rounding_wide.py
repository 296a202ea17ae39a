"""Functions of tensors of 16 bits without zero points, to the bit as LiteRT's kernels compute them: by tables of fewer
entries, between which they interpolate.

Sources: LiteRT, kernels/internal/common.h (LUTPopulate, LUTLookup), reference/integer_ops/logistic.h and tanh.h,
reference/softmax.h, reference/leaky_relu.h; the Prepare functions of activations.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mlconv.dialects.core.rounding import by_twice, fixed_point
from mlconv.dialects.core.rounding_tables import LOOKUPS, leaky_relu_twice, stored_numbers
from mlconv.ir.constants import Array
from mlconv.ir.quant import QuantType

_MOST = (1 << 15) - 1
_STEPS = 512
SIGMOID_STEPS = 256
_OTHERWISE: Mapping[str, tuple[float, ...]] = MappingProxyType({"sigmoid": (2.0**-12,), "tanh": (2.0**-12, 2.0**-11)})
"""Scales for which LiteRT has other kernels."""
_EXPONENTS = 10.0  # exp of less is nothing in 16 bits


def wide_table(function: str, alpha: float, x: QuantType, y: QuantType) -> Array | None:
    """Unlimited integers of y for each that x may have; None for what has no kernel of 16 bits."""
    stored = stored_numbers(x)
    if function in _OTHERWISE:
        scale = float(x.scales.view())
        return None if scale in _OTHERWISE[function] else _sigmoid(stored, scale, function == "tanh")
    if function == "leaky_relu":
        return leaky_relu_twice(alpha, x, y)
    if function not in ("exp", "gelu", "gelu_tanh"):
        return None

    def of(numbers: Array) -> Array:
        return np.asarray(LOOKUPS[function].of(numbers.astype(np.float64)), np.float32)

    ends = np.float32(x.scales.view()) * np.asarray([-(1 << 15), _MOST], np.float32)
    return interpolated(stored, anchors(of, ends, np.float32(y.scales.view())))


def anchors(of: Callable[[Array], Array], ends: Array, scale: np.floating) -> Array:
    """513 integers of a function between two numbers, each less half of the error in the middle of the step behind it;
    in the type of the numbers.
    """
    kind = ends.dtype.type
    step = (ends[1] - ends[0]) / kind(_STEPS)
    inverse = kind(1 << 16) / (scale * kind(_MOST) - scale * kind(-(1 << 15)))
    places = ends[0] + np.arange(_STEPS).astype(kind) * step
    nexts = ends[0] + np.arange(1, _STEPS + 1).astype(kind) * step
    with np.errstate(all="ignore"):
        first = _away(of(places) * inverse)
        between = _away((of(nexts) * inverse + first) / kind(2))
        error = between - _away(of(places + step / kind(2)) * inverse)
        last = _away(of(ends[1:]) * inverse)
    made = np.concatenate([first - _away(error / kind(2)), last])
    return np.asarray(np.clip(np.nan_to_num(made), -(1 << 15), _MOST), np.int64)


def interpolated(x: Array, table: Array) -> Array:
    """The function of `anchors` at integers of 16 bits."""
    place, rest = 256 + (x >> 7), x & 127
    base = table[place]
    return np.asarray(base + (((table[place + 1] - base) * rest + 64) >> 7))


def _away(x: Array) -> Array:
    half = x.dtype.type(0.5)
    return np.asarray(np.trunc(x + np.copysign(half, x)))


class Scaled(NamedTuple):
    """Integers times a factor, without the last bits."""

    factor: int
    shift: int


class SigmoidEnds(NamedTuple):
    """Of the magnitude: lines from `first` with `slope`, `bits` of rest; less `taken`, or `one` less all of it, are
    rounded by `behind` bits.
    """

    first: Array
    slope: Array
    bits: int
    taken: int
    one: int
    behind: int


def scaled_sigmoid(scale: float) -> Scaled:
    """To steps of 1/24 of the logistic function with 9 bits of rest, or of 1/48 of the hyperbolic tangent."""
    factor, shift = scale * 4096 * 3, 0
    while factor <= _MOST / 2 and shift <= 30:
        factor, shift = factor * 2, shift + 1
    return Scaled(int(factor), shift)


def sigmoid_ends(is_tanh: bool) -> SigmoidEnds:
    """The last line is 1, nearly."""
    table = _sigmoids()
    first, slope = table[:-1].copy(), np.diff(table)
    first[-1], slope[-1] = (1 << 16) - (1 if is_tanh else 2), 0
    one = 1 << 23
    return SigmoidEnds(first, slope, 8, one, one, 8) if is_tanh else SigmoidEnds(first, slope, 9, 0, 4 * one, 10)


def _sigmoid(x: Array, scale: float, is_tanh: bool) -> Array:
    """The logistic function at x * scale, or the hyperbolic tangent, by steps of 1/24 of the former, or 1/48."""
    scaled, ends = scaled_sigmoid(scale), sigmoid_ends(is_tanh)
    wide = (x * scaled.factor + ((1 << scaled.shift) >> 1)) >> scaled.shift
    size = np.abs(wide)
    place, rest = np.minimum(size >> ends.bits, SIGMOID_STEPS - 1), size & ((1 << ends.bits) - 1)
    made = (ends.first[place] << ends.bits) + rest * ends.slope[place]
    made = np.where(wide >= 0, made - ends.taken, ends.one - made - 1)
    return np.asarray((made + ((1 << ends.behind) >> 1)) >> ends.behind)


def _sigmoids() -> Array:
    """Integers of the logistic function at steps of 1/24, less 1/16 of the curvature times the square of a step, so
    that interpolation is off by as much in the middle of a step as at its ends; at the end of the last one it is 1.
    """
    y = 1 / (1 + np.exp(-np.arange(SIGMOID_STEPS - 1) / 24))
    made = np.rint((1 << 16) * (y - y * (1 - y) * (1 - 2 * y) / (16 * 24 * 24))).astype(np.int64)
    return np.concatenate([made, np.full(2, (1 << 16) - 1)])


def softmax_factor(scale: float) -> float:
    """From differences of integers of a scale to those of the table of exponentials."""
    return scale / (_EXPONENTS / 65535)


def softmax_tables() -> tuple[Array, Array]:
    """Exponentials of [-10, 0], and 1 / (1 + v) of [0, 1], for `interpolated`."""
    unit, double = np.float64(2 / 65535), np.float64
    of_exp = anchors(np.exp, np.asarray([-(1 << 16) + 1, 0], double) * (_EXPONENTS / 65535), unit)
    of_inverse = anchors(lambda v: 1 / (1 + v), np.asarray([0, (1 << 16) - 1], double) / 65535, unit)
    return of_exp, of_inverse


def softmax_wide(x: Array, scale: float, axis: int) -> Array:
    """Softmax along an axis as integers of scale 1/32768."""
    of_exp, of_inverse = softmax_tables()
    wide = x.astype(np.int64)
    less = by_twice(wide - wide.max(axis, keepdims=True, initial=-(1 << 15)), *fixed_point(softmax_factor(scale)))
    made = interpolated(np.clip(less + _MOST, -(1 << 15), _MOST), of_exp)
    total = made.sum(axis, keepdims=True)
    room = 32 - np.ceil(np.log2(total + 1)).astype(np.int64)
    share = ((total << (room - 1)) + (1 << 13)) >> 14
    inverse = interpolated(np.clip(share - (1 << 15) - (1 << 16), -(1 << 15), _MOST), of_inverse)
    shift = 31 - room
    return np.asarray(np.clip((made * inverse + (np.int64(1) << (shift - 1))) >> shift, 0, _MOST))
