"""Ops that frameworks write out: gelu, hard swish, softplus and the like are put together again, so that targets can
use their own.
"""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.ir.core import Op, Value
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement


def split_constant(op: Op | None, kind: type[Binary]) -> tuple[Value, float] | None:
    """(x, c) of `x kind c` with one number c on either side (right side only for div and sub)."""
    if not isinstance(op, kind):
        return None
    number = uniform(op.b)
    if number is not None and op.a.type == op.y.type:
        return op.a, number
    number = uniform(op.a)
    if number is not None and op.b.type == op.y.type and kind in (core.Mul, core.Add):
        return op.b, number
    return None


def _near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=2e-3)


def factors(op: Op | None, depth: int = 3) -> tuple[list[Value], float, list[Op]]:
    """A product as its non-constant factors, its constant factor and the ops that make it."""
    if not isinstance(op, core.Mul) or depth == 0:
        return [], 1.0, []
    values: list[Value] = []
    number = 1.0
    ops: list[Op] = [op]
    for v in (op.a, op.b):
        c = uniform(v)
        if c is not None:
            number *= c
        elif isinstance(v.producer, core.Mul) and v.has_one_use:
            inner, inner_number, inner_ops = factors(v.producer, depth - 1)
            values += inner
            number *= inner_number
            ops += inner_ops
        else:
            values.append(v)
    return values, number, ops


def gelu_argument(x: Value, other: Value) -> list[Op] | None:
    """The ops of `other` when it is 2 * Phi(x): 1 + erf(x / sqrt 2), or erfc(-x / sqrt 2)."""
    plus = split_constant(other.producer, core.Add)
    tail = plus[0].producer if plus is not None and plus[1] == 1.0 else other.producer
    if not isinstance(tail, core.Erf if plus is not None else core.Erfc):
        return None
    scaling = tail.x.producer
    scaled = split_constant(scaling, core.Div) or split_constant(scaling, core.Mul)
    inner = None if scaled is None else scaled[0].producer
    sign = 1.0 if plus is not None else -1.0
    if scaled is not None and isinstance(inner, core.Neg):
        scaled, sign = (inner.x, scaled[1]), -sign
    if scaled is None or scaled[0] is not x or scaled[1] == 0:
        return None
    factor = 1 / scaled[1] if isinstance(scaling, core.Div) else scaled[1]
    if not _near(factor * sign, math.sqrt(0.5)):
        return None
    return [op for op in (other.producer, tail, scaling, inner) if op is not None]


@rewrite(core.Mul)
def recognise_gelu(op: core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """x * Phi(x), written with erf or erfc and with its factors in any order, is gelu."""
    values, number, ops = factors(op)
    if len(values) != 2 or not _near(number, 0.5) or not op.y.tensor.dtype.is_float:
        return NoMatch(f"not half a product of two values (factor {number})")
    for x, other in (values, values[::-1]):
        parts = gelu_argument(x, other)
        if parts is not None and x.type == op.y.type:
            rw.fuse(*ops, *parts, by="recognise-gelu")
            return rw.emit(core.Gelu(x)).y
    return NoMatch("no factor is 1 + erf(x / sqrt 2)")


@rewrite(core.Mul)
def recognise_hard_swish(op: core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """x * clamp(x + 3, 0, 6) / 6 and x * clamp(x / 6 + 1/2, 0, 1) are hard_swish."""
    values, number, ops = factors(op)
    if len(values) != 2 or not op.y.tensor.dtype.is_float:
        return NoMatch("not a product of two values")
    for x, other in (values, values[::-1]):
        clamp = other.producer
        scale = number
        if isinstance(clamp, core.Div):  # x * (clamp / 6)
            divided = split_constant(clamp, core.Div)
            if divided is None or divided[1] == 0:
                continue
            scale, clamp = scale / divided[1], divided[0].producer
        if not isinstance(clamp, core.Clamp) or clamp.lo != 0:
            continue
        plus = split_constant(clamp.x.producer, core.Add)
        if plus is None or x.type != op.y.type:
            continue
        if clamp.hi == 6 and plus[1] == 3 and plus[0] is x and math.isclose(scale, 1 / 6, rel_tol=1e-5):
            rw.fuse(*ops, clamp, clamp.x.producer, by="recognise-hard-swish")
            return rw.emit(core.HardSwish(x)).y
        inner = split_constant(plus[0].producer, core.Mul)
        if (
            inner
            and inner[0] is x
            and clamp.hi == 1
            and plus[1] == 0.5
            and math.isclose(inner[1], 1 / 6, rel_tol=1e-5)
            and scale == 1
        ):
            rw.fuse(*ops, clamp, clamp.x.producer, plus[0].producer, by="recognise-hard-swish")
            return rw.emit(core.HardSwish(x)).y
    return NoMatch("no factor is a hard sigmoid of the other")


PATTERNS = (recognise_gelu, recognise_hard_swish)
