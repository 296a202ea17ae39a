"""Ops that frameworks write out: gelu, hard swish, softplus and the like are put together again, so that targets can
use their own.
"""

from __future__ import annotations

import math
from typing import TypeGuard

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import make_const
from mlconv.ir.core import Op, Value
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_LOOKED_AT = 1 << 20
"""Slopes of a tensor."""


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
    """x * Phi(x), written with erf or erfc and with its factors in any order, is gelu; x / 2 * (1 + tanh(sqrt(2 / pi) *
    (x + 0.044715 * x^3))) is its approximation (Hendrycks 2016).
    """
    values, number, ops = factors(op)
    if len(values) != 2 or not _near(number, 0.5) or not op.y.tensor.dtype.is_float:
        return NoMatch(f"not half a product of two values (factor {number})")
    for x, other in (values, values[::-1]):
        for argument, approximate in ((gelu_argument, False), (_tanh_argument, True)):
            parts = argument(x, other) if x.type == op.y.type else None
            if parts is not None:
                rw.fuse(*ops, *parts, by="recognise-gelu")
                return rw.emit(core.Gelu(x, approximate=approximate)).y
    return NoMatch("no factor is 1 + erf(x / sqrt 2), or 1 + tanh of x and its cube")


def _tanh_argument(x: Value, other: Value) -> list[Op] | None:
    """The ops of `other` when it is 1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)), or x * (1 + 0.044715 * x^2)."""
    plus = split_constant(other.producer, core.Add)
    tanh = None if plus is None or plus[1] != 1.0 else plus[0].producer
    if not isinstance(tanh, core.Tanh):
        return None
    values, number, ops = factors(tanh.x.producer)
    if not _near(number, math.sqrt(2 / math.pi)):
        return None
    parts = None
    if len(values) == 1 and isinstance(add := values[0].producer, core.Add):
        for a, b in ((add.a, add.b), (add.b, add.a)):
            parts = parts or (_scaled_power(b, x, 3) if a is x else None)
    elif len(values) == 2 and x in values:
        add = values[values[0] is x].producer
        one = split_constant(add, core.Add)
        parts = _scaled_power(one[0], x, 2) if one is not None and one[1] == 1.0 else None
    else:
        return None
    return None if parts is None else [op for op in (other.producer, tanh, *ops, add, *parts) if op is not None]


def _scaled_power(value: Value, x: Value, power: int) -> list[Op] | None:
    """The ops of 0.044715 * x^power."""
    values, number, ops = factors(value.producer)
    found = 0.0
    for v in values:
        pow_ = v.producer
        if v is x:
            found += 1
        elif isinstance(pow_, core.Pow) and pow_.a is x:
            found += uniform(pow_.b) or math.nan
            ops = [*ops, pow_]
        elif isinstance(pow_, core.Mul) and pow_.a is x and pow_.b is x:  # that others use too
            found += 2
        else:
            return None
    return ops if found == power and _near(number, 0.044715) else None


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


@rewrite(core.Div)
def recognise_sigmoid(op: core.Div, rw: Rewriter) -> Replacement | NoMatch:
    """1 / (1 + exp(-x))."""
    plus = split_constant(op.b.producer, core.Add) if uniform(op.a) == 1 else None
    power = plus[0].producer if plus is not None and plus[1] == 1 else None
    negative = power.x.producer if isinstance(power, core.Exp) else None
    if not isinstance(negative, core.Neg) or negative.x.type != op.y.type:
        return NoMatch("it is not 1 over 1 + exp(-x)")
    rw.fuse(op.b.producer, power, negative, by="recognise-sigmoid")
    return rw.emit(core.Sigmoid(negative.x)).y


@rewrite(core.Add)
def recognise_prelu(op: core.Add, rw: Rewriter) -> Replacement | NoMatch:
    """relu(x) + c * relu(-x), as Keras writes PReLU, is x or -c * x by its sign."""
    for relu, product in ((op.a.producer, op.b.producer), (op.b.producer, op.a.producer)):
        if not _is_relu(relu) or not isinstance(product, core.Mul) or op.y.type != relu.y.type:
            continue
        for other, slope in ((product.a.producer, product.b), (product.b.producer, product.a)):
            if not _is_relu(other) or not isinstance(other.x.producer, core.Neg) or other.x.producer.x is not relu.x:
                continue
            if not _is_finite(slope):
                return NoMatch("the slopes are no constants, or not finite")
            rw.fuse(relu, product, other, other.x.producer, by="recognise-prelu")
            number = uniform(slope)
            if number is not None:
                return rw.emit(core.LeakyRelu(relu.x, alpha=-number)).y
            return _by_sign(rw, relu.x, rw.emit(core.Neg(slope)).y)
    return NoMatch("it is no sum of the parts of x above and below 0")


@rewrite(core.Select)
def recognise_prelu_by_sign(op: core.Select, rw: Rewriter) -> Replacement | NoMatch:
    """x or its product with slopes, whichever way its sign is asked for."""
    test = op.cond.producer
    if not isinstance(test, (core.Less, core.LessEqual, core.Greater, core.GreaterEqual)) or uniform(test.b) != 0:
        return NoMatch("the condition is no sign")
    x, product = (op.b, op.a) if isinstance(test, (core.Less, core.LessEqual)) else (op.a, op.b)
    mul = product.producer
    if test.a is not x or not isinstance(mul, core.Mul) or x not in (mul.a, mul.b) or not x.tensor.dtype.is_float:
        return NoMatch("it does not choose between x and a product with it")
    slope = mul.b if mul.a is x else mul.a
    if not _is_finite(slope) or op.y.type != x.type or (isinstance(test, core.Less) and uniform(slope) is None):
        return NoMatch("the slopes are no constants, not finite, or all is in its form")
    rw.fuse(mul, test, by="recognise-prelu")
    return _by_sign(rw, x, slope)


@rewrite(core.Maximum)
def recognise_leaky_relu(op: core.Maximum, rw: Rewriter) -> Replacement | NoMatch:
    """The larger one of x and c * x, for c up to 1."""
    for x, product in ((op.a, op.b), (op.b, op.a)):
        scaled = split_constant(product.producer, core.Mul)
        if scaled is not None and scaled[0] is x and 0 < scaled[1] <= 1 and x.tensor.dtype.is_float:
            rw.fuse(*(p for p in (product.producer,) if p is not None), by="recognise-leaky-relu")
            return rw.emit(core.LeakyRelu(x, alpha=scaled[1])).y
    return NoMatch("no operand is a part of the other")


@rewrite(core.Add)
def recognise_elu(op: core.Add, rw: Rewriter) -> Replacement | NoMatch:
    """relu(x) + e^min(x, 0) - 1, as Keras writes celu, is elu."""
    for relu, other in ((op.a.producer, op.b.producer), (op.b.producer, op.a.producer)):
        if not _is_relu(relu) or op.y.type != relu.y.type:
            continue
        exp, ops = other, list[Op]([relu])
        for number, kind in ((1.0, core.Sub), (-1.0, core.Add)):
            less = split_constant(other, kind)
            if other is not None and less is not None and less[1] == number and isinstance(less[0].producer, core.Exp):
                exp, ops = less[0].producer, [relu, other]
        if exp is None or not isinstance(exp, core.Expm1 if exp is other else core.Exp):
            continue
        below = exp.x.producer
        if isinstance(below, core.Clamp) and below.hi == 0 and below.lo == -math.inf and below.x is relu.x:
            rw.fuse(*ops, exp, below, by="recognise-elu")
            return rw.emit(core.Elu(relu.x)).y
    return NoMatch("it is no sum of x above 0 and e^x - 1 below")


def _is_relu(op: Op | None) -> TypeGuard[core.Clamp]:
    return isinstance(op, core.Clamp) and op.lo == 0 and op.hi == math.inf and op.x.tensor.dtype.is_float


def _is_finite(slope: Value) -> bool:
    """All slopes are known, and 0 times each is 0."""
    if uniform(slope) is not None:
        return math.isfinite(uniform(slope) or 0.0)
    constant = const_of(slope)
    return constant is not None and constant.size <= _LOOKED_AT and bool(np.isfinite(constant.view()).all())


def _by_sign(rw: Rewriter, x: Value, slope: Value) -> Value:
    number = uniform(slope)
    if number is not None:
        return rw.emit(core.LeakyRelu(x, alpha=number)).y
    zero = rw.emit(core.Constant(value=make_const(np.zeros((), x.tensor.dtype.numpy), x.tensor.dtype))).y
    below = rw.emit(core.Mul(x, slope)).y
    return rw.emit(core.Select(rw.emit(core.Less(x, zero)).y, below, x)).y


PATTERNS = (
    recognise_gelu,
    recognise_sigmoid,
    recognise_hard_swish,
    recognise_prelu,
    recognise_prelu_by_sign,
    recognise_leaky_relu,
    recognise_elu,
)
