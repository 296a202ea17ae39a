"""Numbers that are widened to float64, for what their own type tells as well: tests of infinity and NaN as torch
exports them, comparisons, signs, whole parts, and the larger of two.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary, Compare
from mlconv.dialects.core.unary import Predicate, Unary
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.fold import constant_array
from mlconv.rewrite.pattern import Replacement

_MOST_BYTES = 1 << 12


@rewrite(core.IsFinite, core.IsInf, core.IsNan)
def test_as_it_was(op: Predicate, rw: Rewriter) -> Replacement | NoMatch:
    """Widening keeps what is infinite and what is no number."""
    narrow = _narrow(op.x)
    return NOT_MEANT if narrow is None else rw.emit(type(op)(narrow, **op.attributes)).y


@rewrite(core.Equal, core.NotEqual, core.Less, core.LessEqual, core.Greater, core.GreaterEqual)
def compare_as_they_were(op: Compare, rw: Rewriter) -> Replacement | NoMatch:
    """Widening keeps the order."""
    narrow = _both(op, rw)
    return NOT_MEANT if narrow is None else rw.emit(type(op)(*narrow)).y


@rewrite(core.Maximum, core.Minimum)
def pick_as_they_were(op: core.Maximum | core.Minimum, rw: Rewriter) -> Replacement | NoMatch:
    """The larger one is widened instead of both."""
    narrow = _both(op, rw)
    return NOT_MEANT if narrow is None else _widened(type(op)(*narrow), rw)


@rewrite(core.Abs, core.Ceil, core.Floor, core.Neg, core.Round, core.Sign)
def round_as_it_was(op: Unary, rw: Rewriter) -> Replacement | NoMatch:
    """What needs no more digits than a number has is computed of it before it is widened."""
    narrow = _narrow(op.x)
    return NOT_MEANT if narrow is None else _widened(type(op)(narrow, **op.attributes), rw)


@rewrite(core.Clamp)
def clamp_as_it_was(op: core.Clamp, rw: Rewriter) -> Replacement | NoMatch:
    """The same between numbers that float32 has."""
    narrow = _narrow(op.x)
    if narrow is None or not _has_all(np.asarray([op.lo, op.hi])):
        return NOT_MEANT
    return _widened(core.Clamp(narrow, **op.attributes), rw)


def _narrow(value: Value) -> Value | None:
    """The float32 value that a float64 one was widened from."""
    made = value.producer
    if isinstance(made, core.Cast) and made.dtype is DType.F64 and made.x.tensor.dtype is DType.F32:
        return made.x
    return None


def _widened(op: Binary | Unary, rw: Rewriter) -> Value:
    """What is computed in float32, as float64."""
    return rw.emit(core.Cast(rw.emit(op).y, dtype=DType.F64)).y


def _both(op: Binary, rw: Rewriter) -> tuple[Value, Value] | None:
    """Both operands as float32, of which one at least was widened; the other may be a constant."""
    narrow = [_narrow(value) for value in (op.a, op.b)]
    if narrow == [None, None]:
        return None
    a, b = (v or _as_constant(value, rw) for v, value in zip(narrow, (op.a, op.b), strict=True))
    return None if a is None or b is None else (a, b)


def _as_constant(value: Value, rw: Rewriter) -> Value | None:
    """A small constant whose numbers float32 has, too."""
    array = constant_array(value, _MOST_BYTES)
    if array is None or array.dtype != np.float64 or not _has_all(array):
        return None
    return rw.emit(core.Constant(value=make_const(array.astype(np.float32)))).y


def _has_all(array: Array) -> bool:
    """float32 has all numbers of float64."""
    with np.errstate(over="ignore"):
        return bool(np.array_equal(array.astype(np.float32).astype(np.float64), array, equal_nan=True))


PATTERNS = (test_as_it_was, compare_as_they_were, pick_as_they_were, round_as_it_was, clamp_as_it_was)
