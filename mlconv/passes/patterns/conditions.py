"""Conditions: what is compared, chosen by or negated twice, and what chooses between equal things."""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary, Compare
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.index_forms import not_negative
from mlconv.rewrite.pattern import Replacement

_EXACT: Final = 1 << 53  # integers up to here are numbers that `uniform` tells exactly
_OPPOSITE: Final[dict[type[Compare], type[Compare]]] = {
    core.Equal: core.NotEqual,
    core.NotEqual: core.Equal,
    core.Less: core.GreaterEqual,
    core.GreaterEqual: core.Less,
    core.Greater: core.LessEqual,
    core.LessEqual: core.Greater,
}


@rewrite(core.Maximum, core.Minimum, core.And, core.Or)
def drop_equal_operands(op: Binary, rw: Rewriter) -> Replacement | NoMatch:
    """The larger of x and x, and x and x, are x."""
    return op.a if op.a is op.b and op.a.type == op.y.type else NoMatch("the operands differ")


@rewrite(core.And, core.Or)
def drop_decided_side(op: core.And | core.Or, rw: Rewriter) -> Replacement | NoMatch:
    """x and what is true everywhere, and x or what is false, are x; x and what is false, or what is true, is that."""
    if op.y.tensor.dtype is not DType.BOOL:
        return NoMatch("bits, not conditions")
    for x, other in ((op.a, op.b), (op.b, op.a)):
        told = uniform(other)
        if told is None or x.type != op.y.type or x.tensor.shape is None:
            continue
        if bool(told) is isinstance(op, core.And):
            return x
        e = CoreBuilder(rw)
        return e.broadcast_to(e.constant(bool(told), DType.BOOL), e.shape_of(x))
    return NoMatch("no side is the same everywhere, or the other one is broadcast")


@rewrite(core.Select)
def choose_a_condition(op: core.Select, rw: Rewriter) -> Replacement | NoMatch:
    """A choice of true and false is its condition, or the opposite."""
    a, b = uniform(op.a), uniform(op.b)
    if op.cond.type != op.y.type or op.cond.tensor.shape is None or a is None or b is None or a == b:
        return NoMatch("no choice of true and false")
    return op.cond if a else rw.emit(core.LogicalNot(op.cond)).y


@rewrite(*_OPPOSITE)
def compare_what_differs(op: Compare, rw: Rewriter) -> Replacement | NoMatch:
    """A difference of numbers that are not negative, which int32 and int64 hold, compared with 0: the numbers."""
    made = op.a.producer
    if not isinstance(made, core.Sub) or not op.a.has_one_use or uniform(op.b) != 0 or op.b.tensor.size != 1:
        return NoMatch("no difference that nothing else reads is compared with 0")
    dtype = op.a.tensor.dtype
    if not dtype.is_signed_int or op.a.tensor.shape != op.y.tensor.shape or not all(map(not_negative, made.inputs)):
        return NoMatch("the difference may be more than its type holds")
    rw.fuse(made, by="compare-what-differs")
    return rw.emit(type(op)(made.a, made.b)).y


@rewrite(*_OPPOSITE)
def compare_with_a_side(op: Compare, rw: Rewriter) -> Replacement | NoMatch:
    """A choice between two numbers, or a condition as a number, compared with a number: the condition, or its
    opposite.  Masks are made so: `where(tril(ones) == 0, -inf, 0)`.
    """
    for x, other in ((op.a, op.b), (op.b, op.a)):
        sides, limit = _sides(x), uniform(other)
        if sides is None or limit is None or not _is_exact(x, *sides[1:], limit):
            continue
        cond, *numbers = sides
        dtype = x.tensor.dtype.numpy
        pairs = [(n, limit) if x is op.a else (limit, n) for n in numbers]
        chosen, left = (bool(op.eval(np.asarray(a, dtype), np.asarray(b, dtype))) for a, b in pairs)
        if cond.type != op.y.type or chosen == left:
            return NoMatch(f"both sides compare alike, or {cond.type} is broadcast")
        return cond if chosen else rw.emit(core.LogicalNot(cond)).y
    return NoMatch("nothing is chosen between two numbers and compared with one")


def _sides(x: Value) -> tuple[Value, float, float] | None:
    """The condition of a choice between two numbers, and the numbers."""
    made = x.producer
    if isinstance(made, core.Cast) and made.x.tensor.dtype is DType.BOOL and not x.tensor.dtype.is_complex:
        return made.x, 1.0, 0.0
    if not isinstance(made, core.Select):
        return None
    a, b = uniform(made.a), uniform(made.b)
    return None if a is None or b is None else (made.cond, a, b)


def _is_exact(x: Value, *numbers: float) -> bool:
    return x.tensor.dtype.is_float or all(abs(n) <= _EXACT for n in numbers)


@rewrite(core.Select)
def choose_the_other_way(op: core.Select, rw: Rewriter) -> Replacement | NoMatch:
    """A choice by what is not takes its sides the other way round."""
    inner = op.cond.producer
    if not isinstance(inner, core.LogicalNot):
        return NoMatch("the condition is not negated")
    rw.fuse(inner, by="choose-the-other-way")
    return rw.emit(core.Select(inner.x, op.b, op.a)).y


@rewrite(core.Select)
def choose_once(op: core.Select, rw: Rewriter) -> Replacement | NoMatch:
    """What a choice by the same condition, or by its opposite, leaves of another: `where(x == 0, 0, where(x != 0, a,
    x))` is `where(x == 0, 0, a)`.
    """
    sides = [op.a, op.b]
    for i, holds in enumerate((True, False)):
        inner = sides[i].producer
        same = _is_same(op.cond, inner.cond) if isinstance(inner, core.Select) else None
        if same is None or not isinstance(inner, core.Select):
            continue
        sides[i] = inner.a if holds is same else inner.b
        rw.fuse(inner, by="choose-once")
        y = rw.emit(core.Select(op.cond, *sides)).y
        return y if y.tensor.shape == op.y.tensor.shape else NoMatch("the shape changes")
    return NoMatch("no side is chosen by the same condition")


def _is_same(cond: Value, other: Value) -> bool | None:
    """Whether two conditions are one (True) or one another's opposite (False); None where neither is known."""
    if cond is other:
        return True
    a, b = cond.producer, other.producer
    if not isinstance(a, Compare) or not isinstance(b, Compare) or a.a is not b.a or _OPPOSITE[type(a)] is not type(b):
        return None
    if a.a.tensor.dtype.is_float and not isinstance(a, (core.Equal, core.NotEqual)):
        return None  # NaN is neither less nor not less
    limit = uniform(a.b) if a.b.tensor.size == b.b.tensor.size == 1 else None
    return False if a.b is b.b or (limit is not None and limit == uniform(b.b)) else None


@rewrite(core.LogicalNot)
def negate_comparison(op: core.LogicalNot, rw: Rewriter) -> Replacement | NoMatch:
    """Not equal is one op, and not less one of integers, which are never without order as NaN is."""
    inner = op.x.producer
    if isinstance(inner, core.LogicalNot):
        return inner.x
    if not isinstance(inner, Compare) or not op.x.has_one_use:
        return NoMatch("no comparison that nothing else reads is negated")
    if inner.a.tensor.dtype.is_float and not isinstance(inner, (core.Equal, core.NotEqual)):
        return NoMatch("NaN is neither less nor not less")
    rw.fuse(inner, by="negate-comparison")
    return rw.emit(_OPPOSITE[type(inner)](inner.a, inner.b)).y


PATTERNS = (
    drop_equal_operands,
    drop_decided_side,
    choose_a_condition,
    compare_what_differs,
    compare_with_a_side,
    choose_the_other_way,
    choose_once,
    negate_comparison,
)
