"""Large constants that ops of floats read beside integers.  Masks, of a number and 0 or of a number and its opposite,
take a fourth as integers of 8 bits, and lose nothing.  Tables (positions, biases of attention) take half in 16 bits,
where what is computed of them changes little with them: not what is compared, rounded, or has a period.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Compare
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.equal_constants import EqualConstants
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.quantize.choose import PRODUCTS, walk_floats
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.unread import Unread
from mlconv.rewrite import edit

_LEAST = 1 << 10  # numbers that are worth an op that widens them
_HALF = (1 << 15) - 1
_LEAST_OF_TABLES = 1 << 11
_SPREAD = 64  # times, of the largest number of a table to the median
_JUMPS = (
    Compare,
    *(core.Floor, core.Ceil, core.Round, core.Sign, core.FloorDiv, core.FloorMod, core.Rem, core.Cast),
    *(core.ArgMax, core.ArgMin, core.TopK, core.Unique, core.NonZero, core.Sin, core.Cos, core.Tan, core.Atan2),
)
"""What changes much where a number changes a little."""
_LOOKED_AT = 1 << 12  # numbers of a constant that say of most that they are no masks


def store_masks(function: Function, scheme_of: Callable[[Op], Scheme]) -> None:
    """In front of ops that compute with floats; equal ones once."""
    widened: dict[object, Value] = {}
    equal = EqualConstants(runs_recipes=True)
    for op in [*walk_floats(function)]:
        for i, value in enumerate(op.operands if scheme_of(op).rounds else ()):
            constant = const_of(value)
            element = None if constant is None else _element(constant) or _fine(constant, op, scheme_of(op))
            if constant is None or element is None:
                continue
            key = equal.number(constant)
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


def _fine(constant: Const, op: OpDef, scheme: Scheme) -> QuantType | None:
    """What says all numbers to 16 bits; None for what is not worth it, or spans too much: a mask beside a bias."""
    if not scheme.is_static or isinstance(op, PRODUCTS) or isinstance(constant, Unread):
        return None
    large = constant.dtype is DType.F32 and constant.size >= _LEAST_OF_TABLES and sum(n > 1 for n in constant.shape) > 1
    if not large:  # vectors are factors and biases of channels
        return None
    sizes = np.abs(constant.view().reshape(-1))
    most = float(sizes.max())
    if not np.finfo(np.float32).tiny * _HALF <= most < np.inf or np.median(sizes) * _SPREAD < most:
        return None
    return None if _jumps(op) else QuantType.of(DType.I16, most / _HALF, 0)


def _jumps(op: Op) -> bool:
    """What is computed of an op up to the next products and shares changes much where its results change a little."""
    pending, seen = [op], {op}
    while pending:
        found = pending.pop()
        if isinstance(found, _JUMPS) or found.regions:
            return True
        if not isinstance(found, (*PRODUCTS, core.Softmax)):
            users = {user for value in found.results for user in value.users} - seen
            seen |= users
            pending += users
    return False


def _ends(numbers: Array) -> tuple[float, float] | None:
    """The two numbers there are, or the one; None for more, or where some are none."""
    low, high = numbers.min(), numbers.max()
    return (float(low), float(high)) if ((numbers == low) | (numbers == high)).all() else None
