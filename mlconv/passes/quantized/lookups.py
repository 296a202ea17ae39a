"""Rows that are looked up in tables of integers: they become numbers behind the lookup, and the rest of the table
does not.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.passes.quantized.weights import is_taken, is_taken_by
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder

_LEAST = 1 << 10  # bytes of a table


def is_looked_up(border: core.Dequantize) -> bool:
    """Numbers of a constant table are read by lookups, behind which they can be made, and by products that take
    integers, if at all.
    """
    quant, table, y = quantized(border.x), const_of(border.x), border.y
    if table is None or table.nbytes < _LEAST or quant.storage.bits > DType.I16.bits:
        return False
    lookups = _lookups(border, quant)
    rest = [user for user in y.users if user not in lookups]
    return bool(lookups) and (not rest or (is_taken(quant) and all(is_taken_by(user, y, quant) for user in rest)))


def _lookups(border: core.Dequantize, quant: QuantType) -> list[core.Gather]:
    y = border.y
    found = [user for user in y.users if isinstance(user, core.Gather)]
    return [user for user in found if user.x is y and user.indices is not y and _fits(user, quant)]


def looked_up(border: core.Dequantize) -> bool:
    """Rewrite lookups in a constant table; False where products read it, too."""
    if not is_looked_up(border):
        return False
    quant = quantized(border.x)
    for gather in _lookups(border, quant):
        rewriter = Rewriter(gather)
        rewriter.replace(gather, _numbers(CoreBuilder(rewriter), gather, border, quant))
    if border.y.users:
        return False
    edit.erase(border)
    return True


def _fits(gather: core.Gather, quant: QuantType) -> bool:
    """Blocks do not lie along the axis of the lookup, whose places would be divided."""
    along = quant.axis if isinstance(quant.scheme, Blocked) else None
    return not gather.batch_dims and along != _axis(gather) and gather.indices.tensor.rank is not None


def _axis(gather: core.Gather) -> int:
    return gather.axis % (gather.x.tensor.rank or 1)


def _behind(gather: core.Gather, axis: int) -> int:
    """Where an axis of the table is in what is looked up."""
    return axis if axis < _axis(gather) else axis + (gather.indices.tensor.rank or 0) - 1


def _integers(e: CoreBuilder, gather: core.Gather, border: core.Dequantize, quant: QuantType) -> Value:
    """What is looked up, as float32.  Of 4 bits two are stored in a byte: one of either half of the last axis."""
    table = const_of(border.x)
    if table is None or quant.storage not in (DType.I4, DType.U4) or _axis(gather) == len(table.shape) - 1:
        stored = e.y(core.StorageCast(border.x, element=quant.storage))
        return e.cast(e.gather(stored, gather.indices, gather.axis), DType.F32)
    is_signed = quant.storage is DType.I4
    rows = e.gather(e.constant(_in_halves(table.view(), is_signed)), gather.indices, gather.axis)
    high = e.cast(e.y(core.ShiftRight(rows, e.asarray(4, rows))), DType.F32)
    low = e.cast(e.y(core.And(rows, e.asarray(15, rows))), DType.F32)
    axis = (rows.tensor.rank or 1) - 1
    y = e.concat([e.sub(low, 8) if is_signed else low, high], axis)
    return y if table.shape[-1] % 2 == 0 else e.slice_axis(y, axis, None, table.shape[-1])


def _in_halves(table: Array, is_signed: bool) -> Array:
    """The first half of the last axis in low bits, signed ones 8 above what they are, the other one in high bits."""
    dtype, half = np.int8 if is_signed else np.uint8, -(-table.shape[-1] // 2)
    low, high = table[..., :half].astype(dtype), np.zeros((*table.shape[:-1], half), dtype)
    high[..., : table.shape[-1] - half] = table[..., half:]
    return (low + 8 if is_signed else low) | (high << 4)


def _numbers(e: CoreBuilder, gather: core.Gather, border: core.Dequantize, quant: QuantType) -> Value:
    """(x - zero) * scale of what is looked up."""
    y = _integers(e, gather, border, quant)
    sizes, is_split = e.dims(y), isinstance(quant.scheme, Blocked)
    if isinstance(quant.scheme, Blocked):
        at = _behind(gather, quant.scheme.axis)
        y = e.reshape(y, [*sizes[:at], quant.scales.shape[quant.scheme.axis], quant.scheme.size, *sizes[at + 1 :]])
    if not isinstance(quant.zero_points, int):
        y = e.sub(y, _spread(e, gather, quant, make_const(quant.zero_array(), DType.F32)))
    y = e.mul(y, _spread(e, gather, quant, quant.scales))
    return e.cast(e.reshape(y, sizes) if is_split else y, quant.expressed)


def _spread(e: CoreBuilder, gather: core.Gather, quant: QuantType, numbers: Const) -> Value:
    """Scales or zero points as they broadcast against what is looked up."""
    given, axis = e.constant(numbers), quant.axis
    if axis is None:
        return given
    if isinstance(quant.scheme, Blocked):
        return e.expand_dims(e.gather(given, gather.indices, gather.axis), _behind(gather, axis) + 1)
    places, behind = gather.indices.tensor.rank or 0, (gather.x.tensor.rank or 1) - 1 - axis  # axes
    if axis == _axis(gather):
        return e.expand_dims(e.gather(given, gather.indices, 0), *range(places, places + behind))
    return e.reshape(given, [-1, *[1] * (behind + (places - 1 if axis < _axis(gather) else 0))])
