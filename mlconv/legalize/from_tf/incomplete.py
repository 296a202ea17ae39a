"""The incomplete gamma and beta functions: series and continued fractions, until no element changes any more.

Source: tensorflow/core/ops/math_ops.cc; unsupported/Eigen/src/SpecialFunctions/SpecialFunctionsImpl.h (igamma_impl,
igammac_impl, betainc_impl), after the Cephes library.  Betainc has the fractions in both precisions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.repeat import repeat

RULES: Final = tf_rules()
_TERMS: Final = 2000
_FRACTIONS: Final = 300


def _log(n: CoreBuilder, x: Value) -> Value:
    return n.y(core.Log(x))


def _lgamma(n: CoreBuilder, x: Value) -> Value:
    return n.y(core.Lgamma(x))


def _abs(n: CoreBuilder, x: Value) -> Value:
    return n.y(core.Abs(x))


def _step(x: Value) -> float:
    """What does not change 1 when it is added."""
    return float(np.finfo(x.tensor.dtype.numpy).eps) / 2


def _spread(n: CoreBuilder, xs: Sequence[Value]) -> list[Value]:
    """Values of one shape, float32 or float64."""
    wide = [n.cast(x, DType.F32) if x.tensor.dtype.bits < 32 else x for x in xs]
    total = wide[0]
    for x in wide[1:]:
        total = n.add(total, x)
    shape = n.y(core.ShapeOf(total))
    return [n.y(core.BroadcastTo(x, shape)) for x in wide]


def _any(n: CoreBuilder, mask: Value) -> Value:
    return n.y(core.ReduceAny(mask, axes=tuple(range(n.rank(mask)))))


def _factor(n: CoreBuilder, a: Value, x: Value) -> Value:
    """x^a exp(-x) / gamma(a), 0 where it is too small."""
    exponent = n.sub(n.sub(n.mul(a, _log(n, x)), x), _lgamma(n, a))
    least = -math.log(float(np.finfo(a.tensor.dtype.numpy).max))
    return n.where(n.less_equal(least, exponent), n.exp(exponent), 0.0)


def _series(n: CoreBuilder, a: Value, x: Value, active: Value) -> Value:
    """The lower function by its power series."""

    def step(b: CoreBuilder, turn: Value, values: Sequence[Value]) -> Sequence[Value]:
        c, total, on = values
        c = b.where(on, b.mul(c, b.div(x, b.add(b.add(a, b.cast(turn, a.tensor.dtype)), 1.0))), c)
        total = b.where(on, b.add(total, c), total)
        return [c, total, b.logical_and(on, b.less(b.mul(total, _step(a)), c))]

    one = n.full_like(a, 1.0)
    _, total, _ = repeat(n, _TERMS, [one, one, active], step, lambda b, v: _any(b, v[2]))
    return n.div(n.mul(total, _factor(n, a, x)), a)


def _fraction(n: CoreBuilder, a: Value, x: Value, active: Value) -> Value:
    """The upper function by its continued fraction."""
    large = 1 / _step(a)

    def step(b: CoreBuilder, turn: Value, values: Sequence[Value]) -> Sequence[Value]:
        p2, p1, q2, q1, ans, on = values
        c = b.add(b.cast(turn, a.tensor.dtype), 1.0)
        y = b.add(b.sub(1.0, a), c)
        z = b.add(b.add(x, y), b.add(c, 1.0))
        both = b.mul(y, c)
        p, q = b.sub(b.mul(p1, z), b.mul(p2, both)), b.sub(b.mul(q1, z), b.mul(q2, both))
        none = b.equal(q, 0.0)
        new = b.where(none, ans, b.div(p, b.where(none, b.asarray(1.0, q), q)))
        near = b.less_equal(_abs(b, b.sub(ans, new)), b.mul(_abs(b, new), _step(a)))
        scale = b.where(b.less(large, _abs(b, p)), b.asarray(1 / large, p), 1.0)
        moved = [b.mul(v, scale) for v in (p1, p, q1, q)]
        state = [b.where(on, v, old) for v, old in zip((*moved, new), values[:5], strict=True)]
        return [*state, b.logical_and(on, b.logical_or(none, b.logical_not(near)))]

    p1 = n.add(x, 1.0)
    q1 = n.mul(n.add(n.add(x, n.sub(1.0, a)), 1.0), x)
    start = [n.full_like(a, 1.0), p1, x, q1, n.div(p1, q1), active]
    ans = repeat(n, _TERMS, start, step, lambda b, v: _any(b, v[5]))[4]
    return n.where(n.equal(x, math.inf), 0.0, n.mul(ans, _factor(n, a, x)))


@RULES.rule("Igamma", "Igammac")
def igamma(n: SourceNode) -> Value:
    """The regularized lower and upper functions."""
    a, x = _spread(n, n.operands())
    valid = n.logical_and(n.less(0.0, a), n.less_equal(0.0, x))
    far = n.logical_and(n.less_equal(1.0, x), n.less_equal(a, x))
    finite = n.logical_and(valid, n.less(x, math.inf))
    upper = _fraction(n, a, x, n.logical_and(finite, far))
    lower = _series(n, a, x, n.logical_and(finite, n.logical_and(n.logical_not(far), n.less(0.0, x))))
    lower = n.where(n.equal(x, 0.0), 0.0, lower)
    y = n.where(far, n.sub(1.0, upper), lower) if n.kind == "Igamma" else n.where(far, upper, n.sub(1.0, lower))
    return n.cast(n.where(valid, y, math.nan), n.operand(0).tensor.dtype)


def _beta_fraction(n: CoreBuilder, a: Value, b_: Value, x: Value, small: Value, active: Value) -> Value:
    """The continued fraction in x where `small`, else in x / (1 - x)."""
    large = 1 / _step(a)
    z = n.where(small, x, n.div(x, n.sub(1.0, x)))
    k2, k6 = n.where(small, n.add(a, b_), n.sub(b_, 1.0)), n.where(small, n.sub(b_, 1.0), n.add(a, b_))
    sign = n.where(small, n.full_like(a, 1.0), -1.0)

    def step(b: CoreBuilder, turn: Value, values: Sequence[Value]) -> Sequence[Value]:
        p2, p1, q2, q1, ans, on = values
        t = b.cast(turn, a.tensor.dtype)
        ahead, twice, moved = b.add(a, t), b.add(a, b.mul(t, 2.0)), b.mul(sign, t)
        first = b.div(b.mul(b.mul(z, ahead), b.add(k2, moved)), b.mul(twice, b.add(twice, 1.0)))
        p0, q0 = b.sub(p1, b.mul(p2, first)), b.sub(q1, b.mul(q2, first))
        second = b.div(b.mul(b.mul(z, b.add(t, 1.0)), b.sub(k6, moved)), b.mul(b.add(twice, 1.0), b.add(twice, 2.0)))
        p, q = b.add(p0, b.mul(p1, second)), b.add(q0, b.mul(q1, second))
        none = b.equal(q, 0.0)
        new = b.where(none, ans, b.div(p, b.where(none, b.asarray(1.0, q), q)))
        near = b.less(_abs(b, b.sub(ans, new)), b.mul(_abs(b, new), 2 * _step(a)))
        size = b.add(_abs(b, p), _abs(b, q))
        scale = b.where(b.less(large, size), b.asarray(1 / large, p), 1.0)
        scaled = [b.mul(v, scale) for v in (p0, p, q0, q)]
        state = [b.where(on, v, old) for v, old in zip((*scaled, new), values[:5], strict=True)]
        return [*state, b.logical_and(on, b.logical_or(none, b.logical_not(near)))]

    one, zero = n.full_like(a, 1.0), n.full_like(a, 0.0)
    return repeat(n, _FRACTIONS, [zero, one, one, one, one, active], step, lambda b, v: _any(b, v[5]))[4]


def _beta_above_one(n: CoreBuilder, a: Value, b_: Value, x: Value, active: Value) -> Value:
    """For a > 1: of whichever end x is nearer to."""
    turned = n.less(n.div(a, n.add(a, b_)), x)
    p, q = n.where(turned, b_, a), n.where(turned, a, b_)
    mine, other = n.where(turned, n.sub(1.0, x), x), n.where(turned, x, n.sub(1.0, x))
    small = n.less(n.mul(mine, n.sub(n.add(p, q), 2.0)), n.sub(p, 1.0))
    ans = _beta_fraction(n, p, q, mine, small, active)
    exponent = n.mul(n.where(small, q, n.sub(q, 1.0)), _log(n, other))
    exponent = n.add(exponent, n.mul(p, _log(n, mine)))
    exponent = n.add(exponent, n.sub(n.sub(_lgamma(n, n.add(p, q)), _lgamma(n, p)), _lgamma(n, q)))
    y = n.exp(n.add(exponent, _log(n, n.div(ans, p))))
    return n.where(turned, n.sub(1.0, y), y)


@RULES.rule("Betainc")
def betainc(n: SourceNode) -> Value:
    """The regularized incomplete beta function; for a <= 1 by the one of a + 1."""
    a, b, x = _spread(n, n.operands())
    inside = n.logical_and(n.less(0.0, x), n.less(x, 1.0))
    valid = n.logical_and(n.less(0.0, a), n.less(0.0, b))
    active = n.logical_and(inside, valid)
    safe = n.where(active, x, 0.5)
    a, b = n.where(active, a, 1.0), n.where(active, b, 1.0)
    near = n.less_equal(a, 1.0)
    raised = n.where(near, n.add(a, 1.0), a)
    y = _beta_above_one(n, raised, b, safe, active)
    exponent = n.add(n.mul(a, _log(n, safe)), n.mul(b, n.y(core.Log1p(n.neg(safe)))))
    exponent = n.add(exponent, n.sub(n.sub(_lgamma(n, n.add(a, b)), _lgamma(n, n.add(a, 1.0))), _lgamma(n, b)))
    y = n.where(near, n.add(y, n.exp(exponent)), y)
    ends = n.where(n.equal(x, 0.0), 0.0, n.where(n.equal(x, 1.0), n.asarray(1.0, x), math.nan))
    y = n.where(inside, y, ends)
    return n.cast(n.where(valid, y, math.nan), n.operand(0).tensor.dtype)
