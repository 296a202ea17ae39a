"""Normalizations in their shortest form, which holds but for rounding."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement


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


PATTERNS = (subtract_mean_once,)
