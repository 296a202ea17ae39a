"""Functions that HLO has no opcode for, from those that it has; exact to a few units in the last place of float32, most
of them of float64.

Numbers narrower than float32 are computed in float32.  Sources: Abramowitz and Stegun chapters 4, 6 and 7; the
polynomial for erfc is our own fit for float32 and the continued fraction 7.1.14 serves float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

from mlconv.dialects import core
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.legalize.formula import ERFC_T, Formula
from mlconv.legalize.to_hlo.builder import HloBuilder, is_small_float
from mlconv.rewrite import Rules

RULES = Rules()

ERFC_TERMS = 60  # of the continued fraction, from 2 upwards

Number = Union["Ex", float]


@dataclass(frozen=True, slots=True)
class Ex(Formula):
    """A value with arithmetic: writing formulas as formulas."""

    e: HloBuilder
    v: Value

    def wrap(self, other: Number) -> Ex:
        return other if isinstance(other, Ex) else Ex(self.e, self.e.scalar(other, self.v.tensor.dtype))

    def fn(self, opcode: str) -> Ex:
        return Ex(self.e, self.e.unary(opcode, self.v))

    def with_(self, opcode: str, other: Number) -> Ex:
        return Ex(self.e, self.e.binary(opcode, self.v, self.wrap(other).v))

    def of(self, make: type[OpDef], **attributes: Any) -> Ex:
        """The result of a core op on this value."""
        return Ex(self.e, self.e.y(make(self.v, **attributes)))

    def calculate(self, operation: str, other: Number) -> Ex:
        return self.with_(operation, other)

    def __neg__(self) -> Ex:
        return self.fn("negate")

    def where(self, direction: str, bound: Number, a: Number, b: Number) -> Ex:
        """a where this value compares so with `bound`, else b."""
        test = self.e.compare(direction, self.v, self.wrap(bound).v)
        return Ex(self.e, self.e.select(test, self.wrap(a).v, self.wrap(b).v))

    def max(self, other: Number) -> Ex:
        return self.with_("maximum", other)

    def min(self, other: Number) -> Ex:
        return self.with_("minimum", other)


def _asin(x: Ex) -> Ex:
    return x.with_("atan2", ((1.0 - x) * (1.0 + x)).fn("sqrt"))


def _acos(x: Ex) -> Ex:
    return ((1.0 - x) * (1.0 + x)).fn("sqrt").with_("atan2", x)


def _cosh(x: Ex) -> Ex:
    """Halves are taken inside of the exponential, so that only a result that overflows does."""
    return (x - math.log(2)).fn("exponential") + (-x - math.log(2)).fn("exponential")


def _sinh(x: Ex) -> Ex:
    t = x.fn("exponential-minus-one")
    small = (t + t / (t + 1.0)) * 0.5
    large = (x - math.log(2)).fn("exponential") - (-x - math.log(2)).fn("exponential")
    return x.fn("abs").where("LT", 1.0, small, large)


def _asinh(x: Ex) -> Ex:
    a = x.fn("abs")
    near = (a + a * a / ((a * a + 1.0).fn("sqrt") + 1.0)).fn("log-plus-one")
    y = a.where("GT", 1e15, a.fn("log") + math.log(2), near)
    return x.fn("sign") * y


def _acosh(x: Ex) -> Ex:
    """NaN below 1, by a root of its own: the product of two numbers below 0 has one."""
    t = x - 1.0
    near = (t + t.fn("sqrt") * (t + 2.0).fn("sqrt")).fn("log-plus-one")
    return x.where("GT", 1e15, x.fn("log") + math.log(2), near)


def _atanh(x: Ex) -> Ex:
    return (x.fn("log-plus-one") - (-x).fn("log-plus-one")) * 0.5


def _softplus(x: Ex) -> Ex:
    return x.max(0.0) + (-x.fn("abs")).fn("exponential").fn("log-plus-one")


def _erfc(x: Ex) -> Ex:
    """1 - erf near zero; beyond, exp(-x^2) times a function of |x|, and 2 minus that below zero."""
    a = x.fn("abs")
    gauss = (-(a * a)).fn("exponential")
    if x.v.tensor.dtype is DType.F64:
        z = a.max(2.0)
        fraction = z
        for k in range(ERFC_TERMS, 0, -1):
            fraction = z + (k / 2) / fraction
        tail, limit = gauss / (fraction * math.sqrt(math.pi)), 2.0
    else:
        t = 1.0 / (a * 0.5 + 1.0)
        tail, limit = t * t.poly(ERFC_T) * gauss, 0.5
    far = x.where("LT", 0.0, 2.0 - tail, tail)
    return a.where("LT", limit, 1.0 - x.fn("erf"), far)


def _reflected(x: Ex) -> tuple[Ex, Ex, Ex]:
    """For gamma functions: z = x or 1 - x, so that z >= 1/2; the fraction of x; and sin(pi * fraction)."""
    fraction = x - x.fn("floor")
    return x.where("LT", 0.5, 1.0 - x, x), fraction, (fraction * math.pi).fn("sine")


def _lgamma(x: Ex) -> Ex:
    """Stirling's series at z or z + 8, less the log of the factors between (A&S 6.1.41); below 1/2 by reflection
    (6.1.17).
    """
    z, _, sine = _reflected(x)
    product = z
    for k in range(1, 8):
        product = product * (z + float(k))
    w = z.where("LT", 8.0, z + 8.0, z)
    r = 1.0 / w
    series = r * (r * r).poly((1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360))
    big = (w - 0.5) * w.fn("log") - w + 0.5 * math.log(2 * math.pi) + series
    y = z.where("LT", 8.0, big - product.fn("log"), big)
    y = x.where("LT", 0.5, math.log(math.pi) - sine.fn("log") - y, y)
    return x.fn("abs").where("EQ", math.inf, math.inf, y)


def _digamma(x: Ex) -> Ex:
    """Asymptotic series at z or z + 8 (A&S 6.3.18), less the reciprocals between; below 1/2 by reflection (6.3.7)."""
    z, fraction, sine = _reflected(x)
    total = 1.0 / z
    for k in range(1, 8):
        total = total + 1.0 / (z + float(k))
    w = z.where("LT", 8.0, z + 8.0, z)
    r = 1.0 / w
    series = w.fn("log") - r * 0.5 - r * r * (r * r).poly((1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132))
    y = z.where("LT", 8.0, series - total, series)
    cotangent = (fraction * math.pi).fn("cosine") / sine * math.pi
    y = x.where("LT", 0.5, y - cotangent, y)
    pole = x.where("EQ", 0.0, -math.inf, math.nan)
    return x.where("LE", 0.0, fraction.where("EQ", 0.0, pole, y), y)


def _gelu(x: Ex, approximate: bool) -> Ex:
    if approximate:
        return x * 0.5 * ((x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)).fn("tanh") + x * 0.5
    return x * 0.5 * ((x * math.sqrt(0.5)).fn("erf") + 1.0)


def _elu(x: Ex, alpha: float) -> Ex:
    return x.where("GT", 0.0, x, x.min(0.0).fn("exponential-minus-one") * alpha)


_FORMULAS: dict[type[OpDef], Callable[[Ex, Any], Ex]] = {
    core.Asin: lambda x, op: _asin(x),
    core.Acos: lambda x, op: _acos(x),
    core.Atan: lambda x, op: x.with_("atan2", 1.0),
    core.Sinh: lambda x, op: _sinh(x),
    core.Cosh: lambda x, op: _cosh(x),
    core.Asinh: lambda x, op: _asinh(x),
    core.Acosh: lambda x, op: _acosh(x),
    core.Atanh: lambda x, op: _atanh(x),
    core.Softplus: lambda x, op: _softplus(x),
    core.Erfc: lambda x, op: _erfc(x),
    core.Lgamma: lambda x, op: _lgamma(x),
    core.Digamma: lambda x, op: _digamma(x),
    core.Gelu: lambda x, op: _gelu(x, op.approximate),
    core.HardSwish: lambda x, op: x * (x / 6.0 + 0.5).max(0.0).min(1.0),
    core.Elu: lambda x, op: _elu(x, op.alpha),
    core.LeakyRelu: lambda x, op: x.where("GE", 0.0, x, x * op.alpha),
}


def _rule(formula: Callable[[Ex, Any], Ex]) -> Callable[[Unary, HloBuilder], Value]:
    def rule(op: Unary, e: HloBuilder) -> Value:
        dtype = op.x.tensor.dtype
        x = e.convert(op.x, DType.F32) if is_small_float(dtype) else op.x
        return e.convert(formula(Ex(e, x), op).v, dtype)

    return rule


for cls, formula in _FORMULAS.items():
    RULES.add(cls, _rule(formula))
