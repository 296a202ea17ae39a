"""Masks: large constants of a number and 0, or of a number and its opposite.  As integers of 8 bits they take a fourth,
and lose nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.formats.digests import blake2b
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.quantize.choose import walk_floats
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.unread import Unread
from mlconv.rewrite import edit

_LEAST = 1 << 10  # numbers that are worth an op that widens them
_LOOKED_AT = 1 << 12  # numbers of a constant that say of most that they are no masks


def store_masks(function: Function, scheme_of: Callable[[Op], Scheme]) -> None:
    """In front of ops that compute with floats; equal ones once."""
    widened: dict[tuple[object, ...], Value] = {}
    for op in [*walk_floats(function)]:
        for i, value in enumerate(op.operands if scheme_of(op).rounds else ()):
            constant = const_of(value)
            element = None if constant is None else _element(constant)
            if constant is None or element is None:
                continue
            key = constant.shape, blake2b(constant.view().tobytes()).digest()
            if key not in widened:
                builder = Builder(function.block, op.location or function.location, function.block.first)
                stored = builder.emit(core.Constant(value=element.stored(constant), element=element)).y
                widened[key] = builder.emit(core.Dequantize(stored)).y
            edit.set_operand(op, i, widened[key])


def _element(constant: Const) -> QuantType | None:
    """What says all numbers exactly; None where they are no mask."""
    if constant.dtype is not DType.F32 or constant.size < _LEAST or isinstance(constant, Unread):
        return None
    numbers = constant.view().reshape(-1)
    if _ends(numbers[:_LOOKED_AT]) is None or (found := _ends(numbers)) is None:
        return None
    low, high = found
    size = max(-low, high)
    if low == high or {low, high} - {-size, 0.0, size} or not np.finfo(np.float32).tiny <= size < np.inf:
        return None
    return None if np.signbit(numbers[numbers == 0]).any() else QuantType.of(DType.I8, size, 0)


def _ends(numbers: Array) -> tuple[float, float] | None:
    """The two numbers there are, or the one; None for more, or where some are none."""
    low, high = numbers.min(), numbers.max()
    return (float(low), float(high)) if ((numbers == low) | (numbers == high)).all() else None
