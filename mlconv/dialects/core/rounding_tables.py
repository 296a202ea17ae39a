"""Tables of functions of one int8 tensor, to the bit as LiteRT's default kernels compute them.

Sources: LiteRT, kernels/internal/reference/integer_ops/lut.h, activations.cc, elementwise.cc, hard_swish.h,
reference/leaky_relu.h; XNNPACK, unary-elementwise-nc.c (tables) and qs8-vlrelu.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mlconv.dialects.core import math as cmath
from mlconv.dialects.core.rounding import byte_factor, fixed_point, narrowed, scaled_twice, shifted_away
from mlconv.ir.constants import Array
from mlconv.ir.quant import QuantType, storage_range


class Lookup(NamedTuple):
    """A function of float64 numbers.  late: the zero point is added after rounding, halves away from zero, as LiteRT
    does; else before, halves to even, as XNNPACK does.
    """

    of: Callable[[Array], Array]
    late: bool


def _gelu(x: Array) -> Array:
    """In float32, by erfc, as the kernel computes it."""
    narrow = x.astype(np.float32)
    place = narrow * np.float32(-np.sqrt(0.5))
    return np.asarray(np.float32(0.5) * narrow * (1 - cmath.erf(place.astype(np.float64))).astype(np.float32))


def _gelu_tanh(x: Array) -> Array:
    """In float32, too."""
    gate = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)).astype(np.float32)
    return np.asarray(np.float32(0.5) * x.astype(np.float32) * (np.float32(1) + gate))


def _elu(x: Array) -> Array:
    return np.where(x < 0, np.expm1(np.minimum(x, 0)), x)


LOOKUPS: Mapping[str, Lookup] = MappingProxyType(
    {
        "sigmoid": Lookup(cmath.sigmoid, False),
        "tanh": Lookup(np.tanh, False),
        "elu": Lookup(_elu, False),
        "exp": Lookup(np.exp, True),
        "log": Lookup(np.log, True),
        "gelu": Lookup(_gelu, True),
        "gelu_tanh": Lookup(_gelu_tanh, True),
    }
)


def stored_numbers(x: QuantType) -> Array:
    """All integers that a type stores, in order."""
    low, high = storage_range(x.storage)
    return np.arange(low, high + 1)


def looked_up(function: str, x: QuantType, y: QuantType) -> Array:
    """Unlimited integers of y for each that x may have."""
    found, zero = LOOKUPS[function], int(y.zero_array())
    numbers = x.dequantize(stored_numbers(x)).astype(np.float64)
    with np.errstate(all="ignore"):
        made: Array = found.of(numbers).astype(np.float32) * (np.float32(1) / np.float32(y.scales.view()))
    made = np.clip(np.where(np.isnan(made), -np.inf, made), -_FAR, _FAR)
    if not found.late:
        return np.asarray(np.rint(made + np.float32(zero)), np.int64)
    return np.asarray(np.trunc(made + np.copysign(np.float32(0.5), made)), np.int64) + zero


_FAR = np.float32(1 << 20)


def leaky_relu(alpha: float, x: QuantType, y: QuantType) -> Array | None:
    """(x - zero) times one of two factors of 8 bits behind the point, halves up; slopes that are too small for that as
    LiteRT's own kernel takes them.  None for factors that are too far from 1.
    """
    above = np.float32(x.scales.view()) / np.float32(y.scales.view())
    below = above * np.float32(alpha)
    if not 2**-8 <= above <= 2**7 or not -127.99 < below <= 2**7:
        return None
    if abs(below) < 2**-8:
        return leaky_relu_twice(alpha, x, y)
    centred = stored_numbers(x) - int(x.zero_array())
    made = centred * np.where(centred >= 0, byte_factor(x, y), byte_factor(x, y, alpha)) + 128
    return np.asarray((made >> 8) + int(y.zero_array()))


def leaky_relu_twice(alpha: float, x: QuantType, y: QuantType) -> Array:
    """(x - zero) times one of two factors of 31 bits, which come from float32, rounded twice (reference/leaky_relu.h,
    LeakyReluPrepare of activations.cc).
    """
    centred, scale, steps = stored_numbers(x) - int(x.zero_array()), np.float32(x.scales.view()), y.scales.view()
    below = scaled_twice(centred * int(np.sign(alpha)), float(scale * np.float32(abs(alpha)) / steps))
    return np.where(centred >= 0, scaled_twice(centred, float(scale / steps)), below) + int(y.zero_array())


LIMITS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "relu": (0.0, np.inf),
        "relu6": (0.0, 6.0),
        "relu_0_to_1": (0.0, 1.0),
        "relu_n1_to_1": (-1.0, 1.0),
    }
)
"""What LiteRT has kernels for that limit numbers and bring them to another scale."""


def limit(function: str, x: QuantType, y: QuantType) -> Array | None:
    """(x - zero) times a factor of 31 bits, rounded twice, within limits that are rounded with halves away from zero
    (QuantizedReluX of activations.cc).  None for factors that leave no room in 32 bits.
    """
    scale, zero = np.float32(y.scales.view()), int(y.zero_array())
    factor = float(np.float32(x.scales.view()) / scale)
    if not 2.0**-30 <= factor < 2.0 ** (30 - x.storage.bits):
        return None
    made = scaled_twice(stored_numbers(x) - int(x.zero_array()), factor)
    ends = (np.float32(bound) / scale for bound in LIMITS[function])
    low, high = (float(np.trunc(end + np.copysign(np.float32(0.5), end))) for end in ends)
    return np.asarray(np.clip(made, low, high), np.int64) + zero


def hard_swish(x: QuantType, y: QuantType) -> Array | None:
    """In 16 bits, as LiteRT's kernel does; None for scales that it refuses."""
    fine = np.float32(1 / 128) * np.float32(x.scales.view())
    out, out_shift = fixed_point(float(fine / np.float32(y.scales.view())))
    relu, relu_shift = fixed_point(float(fine / np.float32(3 / 32768)))
    if out_shift > 0:
        return None
    wide: Array = (stored_numbers(x) - int(x.zero_array())) << 7
    share = _saturated(wide << max(relu_shift - 1, 0))
    share = _high_product(share, narrowed(relu))
    if relu_shift > 0:
        share = _saturated(share << 1)
    share = (shifted_away(share, max(-relu_shift, 0)) + (1 << 15)) >> 1
    product = share * _high_product(wide, narrowed(out))
    made = np.sign(product) * (np.abs(product) >> 15)
    return np.asarray(shifted_away(made, -out_shift) + int(y.zero_array()))


def _saturated(x: Array) -> Array:
    return np.asarray(np.clip(x, -(1 << 15), (1 << 15) - 1))


def _high_product(x: Array, factor: int) -> Array:
    """x * factor / 2^15, halves away from zero (gemmlowp, SaturatingRoundingDoublingHighMul)."""
    product = x * factor
    nudged = product + np.where(product >= 0, 1 << 14, 1 - (1 << 14))
    return np.asarray(np.sign(nudged) * (np.abs(nudged) >> 15))
