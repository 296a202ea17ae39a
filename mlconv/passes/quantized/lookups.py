"""Rows that are looked up in tables of integers: they become numbers behind the lookup, and the rest of the table
does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.passes.quantized.block_rows import of_integers
from mlconv.passes.quantized.weights import MOVING, is_taken, is_taken_by, narrowest, of_float32, readers
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder, Part

_LEAST = 1 << 10  # bytes of a table


def is_looked_up(border: core.Dequantize) -> bool:
    """Numbers of a constant table are read by lookups, behind which they can be made, and by products that take
    integers, if at all.
    """
    quant, table, y = quantized(border.x), const_of(border.x), border.y
    if table is None or table.nbytes < _LEAST or quant.storage.bits > DType.I16.bits:
        return False
    found = readers(y)
    rest = [(user, w) for user, w in found if not _is_lookup(user, w)]
    if len(rest) == len(found):
        return False
    if isinstance(quant.scheme, Blocked):
        return all(isinstance(user, (core.MatMul, *MOVING)) for user, _ in rest)
    return not rest or (is_taken(of_float32(quant)) and all(is_taken_by(user, w, quant) for user, w in rest))


def _lookups(border: core.Dequantize) -> list[core.Gather]:
    return [user for user in border.y.users if isinstance(user, core.Gather) and _is_lookup(user, border.y)]


def _is_lookup(user: Op, numbers: Value) -> bool:
    if not isinstance(user, core.Gather) or user.x is not numbers or user.indices is numbers:
        return False
    return not user.batch_dims and user.indices.tensor.rank is not None


def looked_up(border: core.Dequantize, plain: bool = True) -> bool:
    """Rewrite lookups in a constant table; False where products read it, too.  plain: the target looks up integers as
    they are; else they have a scale of 1 first.
    """
    if not is_looked_up(border):
        return False
    quant, table = quantized(border.x), const_of(border.x)
    assert table is not None
    for gather in _lookups(border):
        rewriter = Rewriter(gather)
        if plain and quant.storage.bits < DType.I8.bits and 0 < _axis(gather) == len(table.shape) - 1:
            _look_up_turned(gather, table, quant, rewriter)
            continue
        if plain:
            stored = rewriter.emit(core.StorageCast(border.x, element=quant.storage)).y
        else:
            stored = of_integers(table, rewriter)
        rewriter.replace(gather, _numbers(CoreBuilder(rewriter), gather, stored, quant, plain))
    if border.y.users:
        return False
    edit.erase(border)
    return True


def _look_up_turned(gather: core.Gather, table: Const, quant: QuantType, rewriter: Rewriter) -> None:
    """Columns as rows of the table turned: integers of less than a byte share bytes with what lies in their row."""
    axis = len(table.shape) - 1
    perm, b, places = (axis, *range(axis)), CoreBuilder(rewriter), gather.indices.tensor.rank or 0
    turned = rewriter.emit(core.Constant(value=recipes.transpose(table, perm), element=quant.transposed(perm))).y
    border = rewriter.emit(core.Dequantize(turned))
    rows = b.gather(border.y, gather.indices, 0)
    rewriter.replace(gather, b.transpose(rows, (*range(places, places + axis), *range(places))))
    looked_up(border)


def _axis(gather: core.Gather) -> int:
    return gather.axis % (gather.x.tensor.rank or 1)


def _behind(gather: core.Gather, axis: int) -> int:
    """Where an axis of the table is in what is looked up."""
    return axis if axis < _axis(gather) else axis + (gather.indices.tensor.rank or 0) - 1


def _numbers(e: CoreBuilder, gather: core.Gather, stored: Value, quant: QuantType, narrow: bool) -> Value:
    """(x - zero) * scale of what is looked up.  narrow: scales that are looked up may have 16 bits."""
    y = e.cast(e.gather(stored, gather.indices, gather.axis), DType.F32)
    sizes = e.dims(y)
    is_split = isinstance(quant.scheme, Blocked) and quant.axis != _axis(gather)
    if is_split:
        y = _split(e, y, quant, _behind(gather, quant.axis or 0))
    zero = quant.shared_zero()
    if zero is None:
        y = e.sub(y, e.cast(_spread(e, gather, quant, _zeros(gather, quant)), DType.F32))
    elif zero:
        y = e.sub(y, float(zero))
    scales = _scales(gather, quant) if narrow else quant.scales
    y = e.mul(y, e.cast(_spread(e, gather, quant, scales), DType.F32))
    if is_split:
        y = _joined(e, y, sizes, _behind(gather, quant.axis or 0))
    return e.cast(y, quant.expressed)


def _split(e: CoreBuilder, y: Value, quant: QuantType, axis: int) -> Value:
    """An axis as one of blocks and one of their places; zeros fill up the last block."""
    sizes, count = e.dims(y), quant.scales.shape[quant.axis or 0]
    size = quant.scheme.size if isinstance(quant.scheme, Blocked) else 1
    length = sizes[axis]
    if isinstance(length, int) and length < count * size:
        y = e.pad(y, [(0, (count * size - length) * (i == axis)) for i in range(len(sizes))])
    return e.reshape(y, [*sizes[:axis], count, size, *sizes[axis + 1 :]])


def _joined(e: CoreBuilder, y: Value, sizes: Sequence[Part], axis: int) -> Value:
    """What was split, under the sizes that it had."""
    count, size = (d for d in e.dims(y)[axis : axis + 2] if isinstance(d, int))
    y = e.reshape(y, [*sizes[:axis], count * size, *sizes[axis + 1 :]])
    return y if sizes[axis] == count * size else e.slice_axis(y, axis, None, sizes[axis])


def _scales(gather: core.Gather, quant: QuantType) -> Const:
    """In 16 bits, where these hold them and they are looked up, too."""
    if not isinstance(quant.scheme, Blocked) and quant.axis != _axis(gather):
        return quant.scales
    dtype = narrowest(quant.scales.view())
    return quant.scales if dtype is DType.F32 else recipes.cast(quant.scales, dtype)


def _zeros(gather: core.Gather, quant: QuantType) -> Const:
    """Zero points: those of rows as integers, of a byte at least, which are looked up, too; others as floats."""
    if not isinstance(quant.scheme, Blocked) and quant.axis != _axis(gather):
        return make_const(quant.zero_array(), DType.F32)
    narrow = DType.I8 if quant.storage.is_signed_int else DType.U8
    return make_const(quant.zero_array(), quant.storage if quant.storage.bits > narrow.bits else narrow)


def _spread(e: CoreBuilder, gather: core.Gather, quant: QuantType, numbers: Const) -> Value:
    """Scales or zero points as they broadcast against what is looked up."""
    given, axis = e.constant(numbers), quant.axis
    if axis is None:
        return given
    if isinstance(quant.scheme, Blocked) and axis != _axis(gather):
        return e.expand_dims(e.gather(given, gather.indices, gather.axis), _behind(gather, axis) + 1)
    if isinstance(quant.scheme, Blocked):
        return e.gather(given, _block_of(e, gather, quant.scheme.size), axis)
    places, behind = gather.indices.tensor.rank or 0, (gather.x.tensor.rank or 1) - 1 - axis  # axes
    if axis == _axis(gather):
        return e.expand_dims(e.gather(given, gather.indices, 0), *range(places, places + behind))
    return e.reshape(given, [-1, *[1] * (behind + (places - 1 if axis < _axis(gather) else 0))])


def _block_of(e: CoreBuilder, gather: core.Gather, size: int) -> Value:
    """The blocks of what is looked up along their axis; places that are negative count from the end of that."""
    places, length = e.cast(gather.indices, DType.I64), e.dim(gather.x, gather.axis)
    assert isinstance(length, int)  # of a constant
    if not gather.from_start:
        places = e.where(e.less(places, 0), e.add(places, length), places)
    return e.div(places, size)
