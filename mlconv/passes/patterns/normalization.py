"""Normalizations in their shortest form, which holds but for rounding."""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement
from mlconv.rewrite.signs import not_below_zero

_LARGEST = 2.0**50  # of a limit whose square is far above the denormal numbers


@rewrite(core.Add)
def subtract_mean_once(op: core.Add, rw: Rewriter) -> Replacement | NoMatch:
    """x * m + (bias - mean * m), as TensorFlow's batch_normalization has it, is (x - mean) * m + bias, where x - mean
    is there already: the variance is made of it.
    """
    for product, rest in ((op.a, op.b), (op.b, op.a)):
        made = product.producer
        for x, factor in ((made.a, made.b), (made.b, made.a)) if isinstance(made, core.Mul) else ():
            for bias, mean in _bias_and_mean(rest, factor):
                centred = _difference(x, mean)
                if centred is not None and centred.tensor == op.y.tensor:
                    rw.fuse(made, by="subtract-mean-once")
                    return rw.emit(core.Add(rw.emit(core.Mul(centred, factor)).y, bias)).y
    return NoMatch("it is no scattered normalization")


@rewrite(core.Clamp)
def limit_before_rsqrt(op: core.Clamp, rw: Rewriter) -> Replacement | NoMatch:
    """min(1 / sqrt(x), c) is 1 / sqrt(max(x, 1 / c^2)) for x that is not negative, as in Keras' unit normalization:
    nothing is divided by 0.
    """
    made = op.x.producer
    if op.lo != -math.inf or not isinstance(made, core.Rsqrt) or not op.x.has_one_use or not 0 < op.hi < _LARGEST:
        return NoMatch("no limit of the inverse of a root")
    if not not_below_zero(made.x):
        return NoMatch("the root may be of negative numbers")
    rw.fuse(made, by="limit-before-rsqrt")
    return rw.emit(core.Rsqrt(rw.emit(core.Clamp(made.x, lo=op.hi**-2, hi=math.inf)).y)).y


def _bias_and_mean(rest: Value, factor: Value) -> list[tuple[Value, Value]]:
    """What bias and mean may be in `bias - mean * factor`."""
    made = rest.producer
    if isinstance(made, core.Sub):
        return [(made.a, mean) for mean in _times(made.b, factor)]
    found = []
    for bias, product in ((made.a, made.b), (made.b, made.a)) if isinstance(made, core.Add) else ():
        negatives = (v.producer for v in _times(product, factor))
        found += [(bias, negative.x) for negative in negatives if isinstance(negative, core.Neg)]
    return found


def _times(product: Value, factor: Value) -> list[Value]:
    """The other factors of a product that has this one."""
    made = product.producer
    if not isinstance(made, core.Mul):
        return []
    return [other for other, one in ((made.a, made.b), (made.b, made.a)) if one is factor]


def _difference(x: Value, mean: Value) -> Value | None:
    """x - mean, where that is computed."""
    subs = (user for user in mean.users if isinstance(user, core.Sub))
    return next((sub.y for sub in subs if sub.a is x and sub.b is mean), None)


PATTERNS = (subtract_mean_once, limit_before_rsqrt)
