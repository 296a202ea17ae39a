"""numpy implementations that numpy itself lacks or defines differently: erf, integer division, gamma functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.ir.constants import Array


def _scalar(fn: Callable[[float], float]) -> Callable[[Array], Array]:
    ufunc = np.frompyfunc(fn, 1, 1)

    def apply(x: Array) -> Array:
        return np.asarray(ufunc(x.astype(np.float64))).astype(x.dtype)

    return apply


def _lgamma(x: float) -> float:
    """log |gamma(x)|; infinite at the poles and at infinity."""
    if math.isinf(x):
        return math.inf
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


def _digamma(x: float) -> float:
    """The logarithmic derivative of gamma: recurrence up to 10, then the asymptotic series (Abramowitz and Stegun
    6.3.18).
    """
    if not math.isfinite(x) or (x <= 0 and x == math.floor(x)):
        return math.nan if x < 0 or math.isnan(x) else (math.inf if x > 0 else -math.inf)
    if x < 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    while x < 10:
        shift -= 1 / x
        x += 1
    f = 1 / (x * x)
    series = f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f * (1 / 132 - f * 691 / 32760)))))
    return shift + math.log(x) - 0.5 / x - series


erf = _scalar(math.erf)
erfc = _scalar(math.erfc)
lgamma = _scalar(_lgamma)
digamma = _scalar(_digamma)


def sigmoid(x: Array) -> Array:
    if x.dtype.kind == "c":
        return np.asarray(1 / (1 + np.exp(-x)))
    wide = x.astype(np.float64)
    return np.asarray(
        np.where(wide >= 0, 1 / (1 + np.exp(-np.abs(wide))), np.exp(-np.abs(wide)) / (1 + np.exp(-np.abs(wide))))
    ).astype(x.dtype)


def softplus(x: Array) -> Array:
    wide = x.astype(np.float64)
    return np.asarray(np.log1p(np.exp(-np.abs(wide))) + np.maximum(wide, 0)).astype(x.dtype)


def truncated_div(a: Array, b: Array) -> Array:
    """C's division for integers (towards zero), true division for floats.  Division of an integer by zero gives 0."""
    if a.dtype.kind not in "iu":
        return np.asarray(np.true_divide(a, b)).astype(a.dtype)
    safe = np.where(b == 0, np.ones_like(b), b)
    quotient = np.floor_divide(a, safe)
    if a.dtype.kind == "i":
        quotient = quotient + ((np.remainder(a, safe) != 0) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return np.asarray(np.where(b == 0, np.zeros_like(quotient), quotient))


def floor_div(a: Array, b: Array) -> Array:
    """floor(a / b); 0 for an integer divided by zero."""
    if a.dtype.kind in "iu":
        return np.asarray(np.where(b == 0, np.zeros_like(a), np.floor_divide(a, np.where(b == 0, np.ones_like(b), b))))
    return np.asarray(np.floor(np.true_divide(a, b))).astype(a.dtype)


def floor_mod(a: Array, b: Array) -> Array:
    """a - floor(a / b) * b: the sign of the divisor, as in Python; 0 for an integer modulo zero."""
    if a.dtype.kind in "iu":
        return np.asarray(np.where(b == 0, np.zeros_like(a), np.remainder(a, np.where(b == 0, np.ones_like(b), b))))
    return np.asarray(np.remainder(a, b))


def truncated_mod(a: Array, b: Array) -> Array:
    """C's fmod: the sign of the dividend."""
    if a.dtype.kind in "iu":
        return np.asarray(np.where(b == 0, np.zeros_like(a), np.fmod(a, np.where(b == 0, np.ones_like(b), b))))
    return np.asarray(np.fmod(a, b))


def power(a: Array, b: Array) -> Array:
    """a ** b in a's element type; integers to a negative or fractional power go through float64 and are cut."""
    if a.dtype.kind in "iu":
        is_whole = b.dtype.kind in "iu"
        if is_whole and not np.any(b < 0):
            return np.asarray(np.power(a, b.astype(a.dtype)))
        cut = np.asarray(np.power(a.astype(np.float64), b.astype(np.float64))).astype(a.dtype)
        return np.where(b < 0, cut, np.power(a, np.maximum(b, 0).astype(a.dtype))) if is_whole else cut
    # An exponent of one number is written out: numpy takes 0.5 to be a square root, which differs for -inf and -0.
    return np.asarray(np.power(a, np.array(np.broadcast_to(b.astype(a.dtype), np.broadcast_shapes(a.shape, b.shape)))))


def shift(a: Array, b: Array, left: bool) -> Array:
    """Bit shift; amounts of the width or more give 0 (or the sign, for a right shift of a negative number)."""
    bits = a.dtype.itemsize * 8
    amount: Any = np.clip(b, 0, bits - 1).astype(a.dtype)
    over = b >= bits
    if left:
        return np.asarray(np.where(over, np.zeros_like(a), np.left_shift(a, amount)))
    fill = np.where(a < 0, np.full_like(a, -1), np.zeros_like(a)) if a.dtype.kind == "i" else np.zeros_like(a)
    return np.asarray(np.where(over, fill, np.right_shift(a, amount)))
