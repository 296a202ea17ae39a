"""Which float tensors are known to hold no negative numbers, told from the ops that make them."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value

_DEPTH = 8  # of chains that are followed
_READ = 1 << 16  # elements of a constant that is looked at
_LEAST = 2.0**-100  # far above the denormal numbers, where kernels differ

_SAME = (
    *(core.Reshape, core.ExpandDims, core.Squeeze, core.Transpose, core.BroadcastTo, core.Slice),
    *(core.ReduceSum, core.ReduceMean, core.MaxPool, core.AvgPool),
)


def is_positive(value: Value) -> bool:
    """Whether all numbers of a float tensor are known to be at least 2^-100, or NaN: what was not negative has a
    constant added, as in the denominators of normalizations.
    """
    op = value.producer
    if isinstance(op, core.Clamp):
        return op.lo >= _LEAST
    if isinstance(op, core.Add):
        pairs = ((op.a, op.b), (op.b, op.a))
        return any((_least(c) or 0.0) >= _LEAST and not_below_zero(x) for x, c in pairs)
    return (_least(value) or 0.0) >= _LEAST


def not_below_zero(value: Value, depth: int = _DEPTH) -> bool:
    """Whether no number of a float tensor is known to be negative (it may be NaN)."""
    least = _least(value)
    if least is not None or depth == 0:
        return least is not None and least >= 0
    op = value.producer
    if isinstance(op, (core.Abs, core.Exp, core.Sqrt, core.Sigmoid, core.Softmax)):
        return True
    if isinstance(op, core.Clamp):
        return op.lo >= 0
    if isinstance(op, core.Mul) and op.a is op.b:
        return True
    if isinstance(op, core.Maximum):
        return not_below_zero(op.a, depth - 1) or not_below_zero(op.b, depth - 1)
    if isinstance(op, (core.Add, core.Mul, core.Div, core.Minimum)):
        return not_below_zero(op.a, depth - 1) and not_below_zero(op.b, depth - 1)
    if isinstance(op, core.ReduceMax) and may_be_empty(op.x):
        return False  # of no numbers it is -inf
    return isinstance(op, (*_SAME, core.ReduceMax)) and not_below_zero(op.x, depth - 1)


def may_be_empty(value: Value) -> bool:
    """Whether a tensor is not known to have elements."""
    shape = value.tensor.shape
    return shape is None or not all(isinstance(d, int) and d > 0 for d in shape)


def _least(value: Value) -> float | None:
    """The least number of a constant of floats that is small enough to be looked at."""
    constant = const_of(value)
    if constant is None or not constant.dtype.is_float or not 0 < constant.size <= _READ:
        return None
    return float(constant.view().min())
