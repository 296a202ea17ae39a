"""Ranges of float32 whose number is computed in float64: exactly, in float32 alone.

LiteRT has no arithmetic of float64, and its RANGE divides in float32, where 0.3 by 0.1 is 3 and not a little more.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import known_ints
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, scalar_of
from mlconv.rewrite.index_forms import not_negative

_WHOLE = 1 << 22  # below it float32 has halves
_SPLIT = 4097  # 2^12 + 1: leaves the upper 12 bits of 24 (T. J. Dekker, A floating-point technique ..., 1971)


def wide_range(op: core.Range, e: TflBuilder) -> Value:
    """start + (0, 1, ...) * step.  There are as many as the nearest whole quotient, and one more where some of the
    distance is left.
    """
    start, limit, step = (e.reshape(v, ()) for v in (op.start, op.limit, op.step))
    first = scalar_of(start)
    if scalar_of(step) == 1 and first is not None and abs(first) < _WHOLE and _is_whole(op.limit):
        count = e.y(core.Cast(limit, dtype=DType.I32))
        if whole := math.ceil(-first):
            count = e.y(core.Add(count, e.i(whole)))
        places = _places(op, e, count, is_size=whole >= 0 and is_size(op.limit))
        return e.y(core.Add(e.y(core.Cast(places, dtype=DType.F32)), start))
    distance = _apply(e, "SUB", limit, start)
    nearest = e.one("ROUND", [_apply(e, "DIV", distance, step)], distance.type)
    moved = _apply(e, "SUB", distance, limit)  # what the difference lost (D. E. Knuth's two-sum)
    lost = _apply(e, "SUB", _apply(e, "SUB", limit, _apply(e, "SUB", distance, moved)), _apply(e, "ADD", start, moved))
    rest = _apply(e, "ADD", _left(e, distance, nearest, step), lost)
    left = _apply(e, "DIV", rest, step)
    more = e.one("GREATER", [left, e.asarray(0, left)], TensorType(DType.BOOL, ()))
    count = e.y(core.Cast(nearest, dtype=DType.I32))
    places = _places(op, e, e.y(core.Add(count, e.y(core.Cast(more, dtype=DType.I32)))))
    return e.y(core.Add(e.y(core.Mul(e.y(core.Cast(places, dtype=DType.F32)), step)), start))


def _places(op: core.Range, e: TflBuilder, count: Value, is_size: bool = False) -> Value:
    """0, 1, ..., as many as a number that may be below 0, unless it is a size."""
    limit = count if is_size else e.y(core.Maximum(count, e.i(0)))
    return e.one("RANGE", [e.i(0), limit, e.i(1)], TensorType(DType.I32, op.y.tensor.shape))


def _is_whole(limit: Value) -> bool:
    """An integer as a float: the distance to it, in ones, is one to a number between integers, rounded up."""
    maker = limit.producer
    return isinstance(maker, core.Cast) and maker.x.tensor.dtype.is_int and maker.x.tensor.quant is None


def is_size(limit: Value) -> bool:
    """Whether a limit is not negative: a size, perhaps as a float, or an integer that is told to be so."""
    if limit.tensor.dtype.is_int and not_negative(limit):
        return True
    maker = limit.producer
    known = known_ints(maker.x if isinstance(maker, core.Cast) else limit)
    return known is not None and known[0] is not None and bool(holds(known[0], ">=", 0, SizeFacts()))


def _left(e: TflBuilder, x: Value, a: Value, b: Value) -> Value:
    """x - a * b, whose sign is exact where the product is near x: the product's own error is what its halves tell."""
    product = _apply(e, "MUL", a, b)
    (a_high, a_low), (b_high, b_low) = _halves(e, a), _halves(e, b)
    error = _apply(e, "SUB", _apply(e, "MUL", a_high, b_high), product)
    for left, right in ((a_high, b_low), (a_low, b_high), (a_low, b_low)):
        error = _apply(e, "ADD", error, _apply(e, "MUL", left, right))
    return _apply(e, "SUB", _apply(e, "SUB", x, product), error)


def _halves(e: TflBuilder, x: Value) -> tuple[Value, Value]:
    """A number as the sum of two of 12 bits."""
    constant = const_of(x)
    if constant is not None:
        number = np.asarray(constant.view(), np.float32).reshape(())
        wide = number * np.float32(_SPLIT)
        upper = np.asarray(wide - (wide - number), np.float32)
        return e.constant(upper, DType.F32), e.constant(np.asarray(number - upper, np.float32), DType.F32)
    large = _apply(e, "MUL", x, e.asarray(_SPLIT, x))
    high = _apply(e, "SUB", large, _apply(e, "SUB", large, x))
    return high, _apply(e, "SUB", x, high)


def _apply(e: TflBuilder, builtin: str, a: Value, b: Value) -> Value:
    return e.one(builtin, [a, b], a.type)
