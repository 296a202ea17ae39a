"""Bessel functions, by the approximations of the Cephes library, as TensorFlow has them.

Source: tensorflow/core/ops/special_math_ops.cc; unsupported/Eigen/src/SpecialFunctions/BesselFunctionsImpl.h.  Those of
J and Y are the ones for float64 in every precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf import bessel_table as table
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
Function = Callable[[SourceNode, Value], Value]
_ROOT_2_OVER_PI: Final = math.sqrt(2 / math.pi)
_J0_ZEROS: Final = 5.78318596294678452118, 30.4712623436620863991  # the squares of the first two
_J1_ZEROS: Final = 14.6819706421238932572, 49.2184563216946036703


def in_float(function: Function) -> Callable[[SourceNode], Value]:
    """A rule of one operand; numbers of 16 bits are computed in float32."""

    def rule(n: SourceNode) -> Value:
        x = n.operand(0)
        wide = n.cast(x, DType.F32) if x.tensor.dtype.bits < 32 else x
        return n.cast(function(n, wide), x.tensor.dtype)

    return rule


def polynomial(n: SourceNode, x: Value, coefficients: Sequence[float]) -> Value:
    """Highest power first."""
    total = n.asarray(coefficients[0], x)
    for c in coefficients[1:]:
        total = n.add(n.mul(total, x), c)
    return total


def ratio(n: SourceNode, x: Value, above: Sequence[float], below: Sequence[float]) -> Value:
    return n.div(polynomial(n, x, above), polynomial(n, x, below))


def log(n: SourceNode, x: Value) -> Value:
    return n.y(core.Log(x))


def absolute(n: SourceNode, x: Value) -> Value:
    return n.y(core.Abs(x))


def _chebyshev(n: SourceNode, x: Value, coefficients: Sequence[float]) -> Value:
    """Clenshaw's recurrence."""
    first, second, third = n.asarray(coefficients[0], x), n.asarray(0, x), n.asarray(0, x)
    for c in coefficients[1:]:
        third, second = second, first
        first = n.sub(n.add(n.mul(x, second), c), third)
    return n.mul(n.sub(first, third), 0.5)


def _series(name: str, x: Value) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Coefficients near 0 and far from it."""
    suffix = "" if x.tensor.dtype is DType.F64 else "_32"
    return getattr(table, f"{name}_A{suffix}"), getattr(table, f"{name}_B{suffix}")


def _inverse_root(n: SourceNode, x: Value) -> Value:
    return n.y(core.Rsqrt(x))


def i0e(n: SourceNode, x: Value) -> Value:
    near, far = _series("I0E", x)
    y = absolute(n, x)
    below = _chebyshev(n, n.sub(n.mul(y, 0.5), 2.0), near)
    above = n.mul(_chebyshev(n, n.sub(n.div(32.0, y), 2.0), far), _inverse_root(n, y))
    return n.where(n.less_equal(y, 8.0), below, above)


def i1e(n: SourceNode, x: Value) -> Value:
    near, far = _series("I1E", x)
    y = absolute(n, x)
    below = n.mul(y, _chebyshev(n, n.sub(n.mul(y, 0.5), 2.0), near))
    above = n.mul(_chebyshev(n, n.sub(n.div(32.0, y), 2.0), far), _inverse_root(n, y))
    z = n.where(n.less_equal(y, 8.0), below, above)
    return n.where(n.less(x, 0.0), n.neg(z), z)


def _grown(function: Function) -> Function:
    return lambda n, x: n.mul(n.exp(absolute(n, x)), function(n, x))


i0, i1 = _grown(i0e), _grown(i1e)


def _k(order: int, scaled: bool) -> Function:
    def function(n: SourceNode, x: Value) -> Value:
        near, far = _series(f"K{order}E", x)
        series = _chebyshev(n, n.sub(n.mul(x, x), 2.0), near)
        turned = n.mul((i1 if order else i0)(n, x), log(n, n.mul(x, 0.5)))
        below = n.add(n.div(series, x), turned) if order else n.sub(series, turned)
        below = n.mul(below, n.exp(x)) if scaled else below
        below = n.where(n.less_equal(x, 0.0), math.inf, below)
        above = n.mul(_chebyshev(n, n.sub(n.div(8.0, x), 2.0), far), _inverse_root(n, x))
        above = above if scaled else n.mul(above, n.exp(n.neg(x)))
        return n.where(n.less_equal(x, 2.0), below, above)

    return function


def _phases(n: SourceNode, y: Value, order: int) -> tuple[Value, Value, Value, Value]:
    """Of the expansion far from 0: the phase, its two amplitudes, and the factor of both."""
    s = n.div(25.0, n.mul(y, y))
    p = ratio(n, s, getattr(table, f"J{order}_PP"), getattr(table, f"J{order}_PQ"))
    q = ratio(n, s, getattr(table, f"J{order}_QP"), getattr(table, f"J{order}_QQ"))
    phase = n.sub(y, (2 * order + 1) * math.pi / 4)
    return phase, p, n.mul(n.div(5.0, y), q), n.mul(_inverse_root(n, y), _ROOT_2_OVER_PI)


def j0(n: SourceNode, x: Value) -> Value:
    y = absolute(n, x)
    z = n.mul(y, y)
    inner = n.mul(n.sub(z, _J0_ZEROS[0]), n.sub(z, _J0_ZEROS[1]))
    inner = n.mul(inner, ratio(n, z, table.J0_RP, table.J0_RQ))
    inner = n.where(n.less(y, 1e-5), n.sub(1.0, n.mul(z, 0.25)), inner)
    phase, p, q, factor = _phases(n, y, 0)
    outer = n.mul(n.sub(n.mul(p, n.y(core.Cos(phase))), n.mul(q, n.y(core.Sin(phase)))), factor)
    return n.where(n.less_equal(y, 5.0), inner, outer)


def j1(n: SourceNode, x: Value) -> Value:
    y = absolute(n, x)
    z = n.mul(y, y)
    inner = n.mul(ratio(n, z, table.J1_RP, table.J1_RQ), x)
    inner = n.mul(n.mul(inner, n.sub(z, _J1_ZEROS[0])), n.sub(z, _J1_ZEROS[1]))
    phase, p, q, factor = _phases(n, y, 1)
    outer = n.mul(n.sub(n.mul(p, n.y(core.Cos(phase))), n.mul(q, n.y(core.Sin(phase)))), factor)
    outer = n.where(n.less(x, 0.0), n.neg(outer), outer)
    return n.where(n.less_equal(y, 5.0), inner, outer)


def _y(order: int) -> Function:
    def function(n: SourceNode, x: Value) -> Value:
        z = n.mul(x, x)
        if order:
            turned = n.sub(n.mul(j1(n, x), log(n, x)), n.div(1.0, x))
            inner = n.add(n.mul(ratio(n, z, table.Y1_YP, table.Y1_YQ), x), n.mul(turned, 2 / math.pi))
        else:
            turned = n.mul(n.mul(log(n, x), 2 / math.pi), j0(n, x))
            inner = n.add(turned, ratio(n, z, table.Y0_YP, table.Y0_YQ))
        inner = n.where(n.less_equal(x, 0.0), -math.inf, inner)
        phase, p, q, factor = _phases(n, x, order)
        outer = n.mul(n.add(n.mul(p, n.y(core.Sin(phase))), n.mul(q, n.y(core.Cos(phase)))), factor)
        return n.where(n.less_equal(x, 5.0), inner, outer)

    return function


FUNCTIONS: Final[dict[str, Function]] = {
    "BesselI0": i0,
    "BesselI0e": i0e,
    "BesselI1": i1,
    "BesselI1e": i1e,
    "BesselK0": _k(0, False),
    "BesselK0e": _k(0, True),
    "BesselK1": _k(1, False),
    "BesselK1e": _k(1, True),
    "BesselJ0": j0,
    "BesselJ1": j1,
    "BesselY0": _y(0),
    "BesselY1": _y(1),
}
for _name, _function in FUNCTIONS.items():
    RULES.add(_name, in_float(_function))
