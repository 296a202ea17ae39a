"""Rows that are looked up in tables of 4 bits, which are stored two in a byte: in halves of the last axis, or as a
product has the table as weights.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import BLOCK_GROUP, PANEL
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.blocks import BlockWeights, filled_weights, packed_blocks, weights_of_blocks
from mlconv.rewrite import Rewriter
from mlconv.rewrite.core_builder import CoreBuilder

_BYTES = {DType.I4: DType.I8, DType.U4: DType.U8}


def narrow_tables(block: Block) -> None:
    """Rewrite lookups in constants of 4 bits along another axis than the last."""
    ops = [*walk(block)]
    found = [weights_of_blocks(op) for op in ops if isinstance(op, core.MatMul)]
    products = [w for w in found if w is not None and w.stored.dtype is DType.I4]
    for op in ops:
        table = const_of(op.x) if isinstance(op, core.Gather) else None
        if not isinstance(op, core.Gather) or table is None or table.dtype not in _BYTES or op.batch_dims:
            continue
        rank = len(table.shape)
        if op.axis % rank == rank - 1:
            continue
        rewriter = Rewriter(op)
        e = CoreBuilder(rewriter)
        tied = next((w for w in products if op.axis % rank == 0 and _is_same(w, table)), None)
        rewriter.replace(op, _in_halves(op, table, e) if tied is None else _in_panels(op, tied, e))


def _is_same(weights: BlockWeights, table: Const) -> bool:
    other = weights.table
    if other.shape != table.shape or other.dtype is not table.dtype:
        return False
    return other.key == table.key or bool(np.array_equal(other.view(), table.view()))


def _in_halves(op: core.Gather, table: Const, e: CoreBuilder) -> Value:
    rows = e.gather(e.constant(_halves(table.view(), table.dtype is DType.I4)), op.indices, op.axis)
    low, high = _apart(rows, table.dtype, e)
    axis = (rows.tensor.rank or 1) - 1
    y = e.concat([low, high], axis)
    return y if table.shape[-1] % 2 == 0 else e.slice_axis(y, axis, None, table.shape[-1])


def _halves(table: Array, is_signed: bool) -> Array:
    """The first half of the last axis in low bits, the other one in high bits; signed ones 8 above what they are."""
    numbers, half = table.astype(np.uint8) + np.uint8(8 * is_signed), -(-table.shape[-1] // 2)
    high = np.zeros((*table.shape[:-1], half), np.uint8)
    high[..., : table.shape[-1] - half] = numbers[..., half:] & 15
    return (numbers[..., :half] & 15) | (high << 4)


def _apart(both: Value, dtype: DType, e: CoreBuilder) -> tuple[Value, Value]:
    """The lower and the upper bits of bytes without a sign."""
    parts = e.y(core.And(both, e.asarray(15, both))), e.y(core.ShiftRight(both, e.asarray(4, both)))
    if dtype is DType.U4:
        return parts
    low, high = (e.sub(e.cast(p, DType.I8), 8) for p in parts)
    return low, high


def _in_panels(op: core.Gather, weights: BlockWeights, e: CoreBuilder) -> Value:
    """Groups of 4 places in low bits and 4 in high bits, 16 columns beside one another (`BlockGemm`)."""
    stored = recipes.cast(weights.stored, _BYTES[weights.stored.dtype])
    filled = filled_weights(stored, weights.quant, weights.turned)
    depth, channels = filled.shape
    groups, half = depth // BLOCK_GROUP, BLOCK_GROUP // 2
    packed = packed_blocks(filled, weights.quant.storage.bits)
    table = e.reshape(e.constant(packed), [packed.size // half, half])
    at = e.cast(op.indices, DType.I64)
    at = e.where(e.less(at, 0), e.add(at, channels), at)
    at = e.minimum(e.maximum(at, 0), channels - 1)
    panel, lane = (
        e.y(core.ShiftRight(at, e.asarray(PANEL.bit_length() - 1, at))),
        e.y(core.And(at, e.asarray(PANEL - 1, at))),
    )
    first = e.add(e.mul(panel, groups * PANEL), lane)
    rank = op.indices.tensor.rank or 0
    places = e.add(e.expand_dims(first, rank), e.constant(np.arange(groups, dtype=np.int64) * PANEL))
    low, high = _apart(e.gather(table, places, 0), weights.stored.dtype, e)
    both = e.concat([e.expand_dims(low, rank + 1), e.expand_dims(high, rank + 1)], rank + 1)
    y, width = e.reshape(both, [*e.dims(op.indices), depth]), weights.table.shape[1]
    return y if depth == width else e.slice_axis(y, rank, None, width)
