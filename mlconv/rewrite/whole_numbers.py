"""Floats without a fraction, and the bytes that are made of them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import storage_range
from mlconv.rewrite.signs import not_below_zero

_FEW = 1 << 8  # integers


def is_whole(x: Value) -> bool:
    """A float has no fraction."""
    made, known = x.producer, const_of(x)
    if known is not None:
        return known.size == 1 and float(known.view().reshape(())).is_integer()
    if isinstance(made, (core.Add, core.Sub, core.Minimum, core.Maximum)):
        return all(map(is_whole, made.inputs))
    if isinstance(made, core.Clamp):
        return is_whole(made.x) and all(math.isinf(v) or float(v).is_integer() for v in (made.lo, made.hi))
    if isinstance(made, (core.Neg, core.Reshape, core.Transpose)):
        return is_whole(made.x)
    return isinstance(made, core.Round)


def whole_source(x: Value) -> Value | None:
    """The whole numbers, float32, that bytes are made of, which hold those outside of their range at its ends."""
    made = x.producer
    if not isinstance(made, core.Cast) or not made.saturate or made.dtype not in (DType.I8, DType.U8):
        return None
    return made.x if made.x.tensor.dtype is DType.F32 and is_whole(made.x) else None


class OwnRange(NamedTuple):
    """What is stored as bytes by its own range: the whole numbers in steps; the lowest of what was divided, and 0, and
    the step.  low: None for 0.
    """

    steps: Value
    low: Value | None
    step: Value


def own_range(stored: Value, zero: Value | None) -> OwnRange | None:
    """Of bytes and their zero point, as ONNX's DynamicQuantizeLinear has them: steps - round(low / step), no more than
    255, and -round(low / step); or both less 128.  No step lies below the lowest one, which lies within 255 below 0.
    """
    made = stored.producer
    if not isinstance(made, core.Cast) or made.dtype not in (DType.I8, DType.U8):
        return None
    point = None if zero is None else zero.producer
    if isinstance(point, core.Cast):
        return _between(_below_256(made.x) if made.dtype is DType.U8 else made.x, point.x)
    return _from_zero(made, 0.0 if zero is None else _number(zero))


_LOWEST = -128


def _below_256(x: Value) -> Value:
    made = x.producer
    if isinstance(made, core.Clamp):
        return made.x if made.hi == 255 else x
    return made.a if isinstance(made, core.Minimum) and _number(made.b) == 255 else x


def _from_zero(cast: core.Cast, point: float | None) -> OwnRange | None:
    made = cast.x.producer
    moved = isinstance(made, core.Sub) and _number(made.b) == -_LOWEST
    steps = made.a if isinstance(made, core.Sub) and moved else cast.x
    divided = _divided(steps)
    if divided is None or point != (_LOWEST if moved else 0) or not not_below_zero(divided.a):
        return None
    highest = _span(divided.b)
    if isinstance(highest, core.Clamp) and (highest.lo, highest.hi) == (0, math.inf):  # of no numbers it is 0
        highest = highest.x.producer
    return OwnRange(steps, None, divided.b) if isinstance(highest, core.ReduceMax) and highest.x is divided.a else None


def _between(total: Value, point: Value) -> OwnRange | None:
    """Of steps and a point that is added to them."""
    added, below = total.producer, point.producer
    if not isinstance(added, core.Add) or point not in (added.a, added.b):
        return None
    steps = added.a if added.b is point else added.b
    number = _divided(steps)
    if isinstance(below, core.Sub):  # -128 - round(low / step)
        low = _divided(below.b) if _number(below.a) == _LOWEST else None
        lowest = None if low is None else low.a
    else:
        low = _divided(point)
        negative = None if low is None else low.a.producer
        lowest = negative.x if isinstance(negative, core.Neg) else None
    if number is None or low is None or lowest is None or number.b is not low.b:
        return None
    return OwnRange(steps, lowest, low.b) if _is_lowest(lowest, number.a, _span(low.b)) else None


def _is_lowest(low: Value, x: Value, span: Op | None) -> bool:
    """The lowest number of x, and 0; and what its distance from the highest one, and 0, is."""
    cut = low.producer
    lowest = cut.x.producer if isinstance(cut, core.Clamp) and cut.hi == 0 and cut.lo == -math.inf else None
    if not isinstance(lowest, core.ReduceMin) or lowest.x is not x or not isinstance(span, core.Sub):
        return False
    high = span.a.producer
    return span.b is low and isinstance(high, core.Clamp) and high.lo == 0 and high.hi == math.inf


def _divided(rounded: Value) -> core.Div | None:
    made = rounded.producer
    quotient = made.x.producer if isinstance(made, core.Round) else None
    return quotient if isinstance(quotient, core.Div) else None


def _span(step: Value) -> Op | None:
    """What makes the range that a step is the 255th part of."""
    made = step.producer
    part = made.b.producer if isinstance(made, core.Select) else None
    return part.a.producer if isinstance(part, core.Div) and _number(part.b) == 255 else None


def _number(value: Value) -> float | None:
    known = const_of(value)
    return float(known.view().item()) if known is not None and known.size == 1 else None


def in_4_bits(constant: Const) -> Const | None:
    """Constant bytes all of which are integers of 4 bits, as these; None for others, mostly after a first look."""
    if constant.dtype is not DType.I8 or constant.size < _FEW:
        return None
    low, high = storage_range(DType.I4)
    for block in constant.blocks():
        part = np.frombuffer(block, np.int8)
        if part.size and not low <= part.min() <= part.max() <= high:
            return None
    return recipes.cast(constant, DType.I4)
