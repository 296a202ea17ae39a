"""Integers that are sizes, or computed of sizes: they fit in 32 bits."""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

_LARGEST: Final = 1 << 30
_FACTOR: Final = 1 << 12
_READ: Final = 1 << 16
_DEPTH: Final = 24
_OF_FIRST: Final = (core.Slice, core.Gather, core.Reshape, core.Squeeze, core.ExpandDims, core.Transpose, core.Clamp)
_OF_ALL: Final = (core.Add, core.Sub, core.Minimum, core.Maximum, core.Div, core.FloorDiv, core.FloorMod, core.Concat)


def is_count(value: Value, depth: int = 0) -> bool:
    """Whether numbers are sizes of tensors, or sums, limits, quotients and small multiples of such."""
    maker, constant = value.producer, const_of(value)
    if depth > _DEPTH or not value.tensor.dtype.is_int:
        return False
    if constant is not None:
        return _below(value, _LARGEST)
    if isinstance(maker, core.ShapeOf) or value.tensor.dtype is DType.I32:
        return True
    if isinstance(maker, core.Cast):
        return is_count(maker.x, depth + 1)
    if isinstance(maker, _OF_FIRST):
        first = maker.operands[0]
        return first is not None and is_count(first, depth + 1)
    if isinstance(maker, core.Mul):
        small = any(_below(v, _FACTOR) for v in (maker.a, maker.b))
        return small and all(is_count(v, depth + 1) for v in (maker.a, maker.b))
    if isinstance(maker, _OF_ALL):
        return all(v is not None and is_count(v, depth + 1) for v in maker.operands)
    return False


def _below(value: Value, limit: int) -> bool:
    """A constant of numbers that are nearer to zero than a limit."""
    constant = const_of(value)
    if constant is None or constant.size > _READ:
        return False
    return bool((np.abs(constant.view().astype(np.float64)) < limit).all())
