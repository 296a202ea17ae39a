"""Functions that a target has no operator for, from those that it has; float32.

The identities keep relative accuracy where the obvious form cancels (expm1 and log1p near 0, sinh, asinh, erfc in its
tail) and reach the results that the obvious form overflows for. Sources: Abramowitz and Stegun chapters 4, 6 and 7; the
rational and polynomial coefficients are our own least-squares fits, relative error below 4e-7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, Union

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import storage_range
from mlconv.ir.spec import OpDef
from mlconv.legalize.formula import CORE_OPS, ERFC_T, Formula

ERF_P = (
    1.1283791395116571,
    0.19354938493805837,
    0.05310205274384337,
    0.003883449987166666,
    0.0002845548674065028,
    1.9865796072650938e-06,
)
ERF_Q = (
    1.0,
    0.5048612339764643,
    0.11535154389098799,
    0.01520748340399702,
    0.0011855711867662729,
    3.741747996107337e-05,
)
TWO_ARTANH = (1.9999996, 0.6667602, 0.3958917, 0.3422757)  # 2 artanh(s) / s by powers of s^2, for |s| up to 1/3
LOG1P_LIMIT = 0.4
LARGE = 1e4  # from here on, arcosh and arsinh are log(2x) in float32
ERF_LIMIT = 3.92  # erf is 1 in float32 beyond

Number = Union["Ex", float]


class Words(Protocol):
    """What formulas are written with: ops of one result, and numbers as constants of a value's element type."""

    def y(self, op: OpDef) -> Value:
        """The result of an op that is emitted."""

    def asarray(self, value: float, other: Value) -> Value:
        """A number as a constant of another value's element type."""


@dataclass(frozen=True, slots=True)
class Ex(Formula):
    """A value with arithmetic: writing formulas as formulas."""

    e: Words
    v: Value

    def of(self, make: type[OpDef], *others: Number, **attributes: Any) -> Ex:
        """The result of a core op on this value and others."""
        return Ex(self.e, self.e.y(make(self.v, *(self.wrap(o).v for o in others), **attributes)))

    def wrap(self, other: Number) -> Ex:
        return other if isinstance(other, Ex) else Ex(self.e, self.e.asarray(other, self.v))

    def calculate(self, operation: str, other: Number) -> Ex:
        return self.of(CORE_OPS[operation], other)

    def where(self, make: type[OpDef], bound: Number, a: Number, b: Number) -> Ex:
        """a where the comparison of this value with `bound` holds, else b."""
        test = self.of(make, bound)
        return Ex(self.e, self.e.y(core.Select(test.v, self.wrap(a).v, self.wrap(b).v)))

    def cast(self, dtype: DType) -> Ex:
        """In another element type."""
        return self if self.v.tensor.dtype is dtype else self.of(core.Cast, dtype=dtype)

    @property
    def abs(self) -> Ex:
        """|x|."""
        return self.of(core.Abs)

    @property
    def exp(self) -> Ex:
        """e ** x."""
        return self.of(core.Exp)

    @property
    def log(self) -> Ex:
        """Natural logarithm."""
        return self.of(core.Log)

    @property
    def sqrt(self) -> Ex:
        """Square root."""
        return self.of(core.Sqrt)

    @property
    def log1p(self) -> Ex:
        """log(1 + x)."""
        return self.of(core.Log1p)


def tan(x: Ex) -> Ex:
    return x.of(core.Sin) / x.of(core.Cos)


def asin(x: Ex) -> Ex:
    return x.of(core.Atan2, ((1.0 - x) * (1.0 + x)).sqrt)


def acos(x: Ex) -> Ex:
    return ((1.0 - x) * (1.0 + x)).sqrt.of(core.Atan2, x)


def atan(x: Ex) -> Ex:
    return x.of(core.Atan2, 1.0)


def cosh(x: Ex) -> Ex:
    """(e^a + e^-a) / 2 with a = |x|; e^a as a square, which overflows where the result does."""
    a = x.abs
    root = (a * 0.5).exp
    return root * 0.5 * root + (a * -1.0).exp * 0.5


def sinh(x: Ex) -> Ex:
    return x.of(core.Tanh) * cosh(x)


def expm1(x: Ex) -> Ex:
    return (x * 0.5).of(core.Tanh) * (x.exp + 1.0)


def log1p(x: Ex) -> Ex:
    """2 artanh(x / (2 + x)) as a series near 0, where the LOG kernels are not exact enough; log(1 + x) elsewhere."""
    s = x / (x + 2.0)
    near = s * (s * s).poly(TWO_ARTANH)
    return x.abs.where(core.Less, LOG1P_LIMIT, near, (x + 1.0).log)


def asinh(x: Ex) -> Ex:
    """log(2a) for large a, whose square would overflow."""
    a = x.abs
    c = a.of(core.Minimum, LARGE)
    small = (c + c * c / ((c * c + 1.0).sqrt + 1.0)).log1p
    y = a.where(core.Less, LARGE, small, a.log + math.log(2))
    return x.where(core.Less, 0.0, y * -1.0, y)


def acosh(x: Ex) -> Ex:
    """NaN below 1, by a root of its own: the product of two numbers below 0 has one."""
    t = x.of(core.Minimum, LARGE) - 1.0
    return x.where(core.Greater, LARGE, x.log + math.log(2), (t + t.sqrt * (t + 2.0).sqrt).log1p)


def atanh(x: Ex) -> Ex:
    a = x.abs
    y = (a * 2.0 / (1.0 - a)).log1p * 0.5
    return x.where(core.Less, 0.0, y * -1.0, y)


def softplus(x: Ex) -> Ex:
    """max(x, 0) + log(1 + u) with u = e^-|x| in [0, 1], whose series needs no second form."""
    u = (x.abs * -1.0).exp
    s = u / (u + 2.0)
    return x.of(core.Maximum, 0.0) + s * (s * s).poly(TWO_ARTANH)


def gelu(x: Ex, approximate: bool) -> Ex:
    """x times the normal distribution up to x, or its approximation by tanh (Hendrycks and Gimpel 2016)."""
    if approximate:
        return x * 0.5 * (((x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)).of(core.Tanh) + 1.0)
    return x * 0.5 * ((x * math.sqrt(0.5)).of(core.Erf) + 1.0)


def saturated(x: Ex, want: DType) -> Ex:
    """x within the range of integers, as far as its own type has its ends; NaN as 0."""
    low, high = storage_range(want)
    wide = x.cast(DType.F64 if want.bits > 16 else DType.F32)
    if want.bits == 64:  # float64 has no 2^63 - 1: the number below it
        high = int(np.nextafter(float(high), 0.0))
    bounded = wide.of(core.Clamp, lo=float(low), hi=float(high))
    return Ex(x.e, x.e.y(core.Select(wide.of(core.IsNan).v, wide.wrap(0.0).v, bounded.v)))


def erf(x: Ex) -> Ex:
    c = x.of(core.Clamp, lo=-ERF_LIMIT, hi=ERF_LIMIT)
    t = c * c
    return c * t.poly(ERF_P) / t.poly(ERF_Q)


def erfc(x: Ex) -> Ex:
    """exp(-x^2) times a polynomial in 1 / (1 + x / 2) for x >= 0, and 2 minus it below."""
    a = x.abs
    t = 1.0 / (a * 0.5 + 1.0)
    y = t * t.poly(ERFC_T) * (a * a * -1.0).exp
    return x.where(core.Less, 0.0, 2.0 - y, y)


def _reflected(x: Ex) -> tuple[Ex, Ex, Ex]:
    """For gamma functions: z = x or 1 - x, so that z >= 1/2; the fraction of x; and sin(pi * fraction)."""
    fraction = x - x.of(core.Floor)
    return x.where(core.Less, 0.5, 1.0 - x, x), fraction, (fraction * math.pi).of(core.Sin)


def lgamma(x: Ex) -> Ex:
    """Stirling's series at z or z + 8, less the log of the factors between (A&S 6.1.41); below 1/2 by reflection
    (6.1.17).
    """
    z, _, sine = _reflected(x)
    product = z
    for k in range(1, 8):
        product = product * (z + float(k))
    w = z.where(core.Less, 8.0, z + 8.0, z)
    r = 1.0 / w
    series = r * (r * r).poly((1 / 12, -1 / 360, 1 / 1260, -1 / 1680))
    big = (w - 0.5) * w.log - w + 0.5 * math.log(2 * math.pi) + series
    y = z.where(core.Less, 8.0, big - product.log, big)
    return x.where(core.Less, 0.5, math.log(math.pi) - sine.log - y, y)


def digamma(x: Ex) -> Ex:
    """Asymptotic series at z or z + 8 (A&S 6.3.18), less the reciprocals between; below 1/2 by reflection (6.3.7)."""
    z, fraction, sine = _reflected(x)
    total = 1.0 / z
    for k in range(1, 8):
        total = total + 1.0 / (z + float(k))
    w = z.where(core.Less, 8.0, z + 8.0, z)
    r = 1.0 / w
    series = w.log - r * 0.5 - r * r * (r * r).poly((1 / 12, -1 / 120, 1 / 252, -1 / 240))
    y = z.where(core.Less, 8.0, series - total, series)
    cotangent = (fraction * math.pi).of(core.Cos) / sine * math.pi
    return x.where(core.Less, 0.5, y - cotangent, y)
