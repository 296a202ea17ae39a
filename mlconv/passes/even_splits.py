"""Slices that are the equal parts of an axis are one split: gates of recurrent layers, halves of gated units."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.rewrite import edit

_PARTS = (2, 3, 4)  # that XNNPACK splits into
_PLAIN = (DType.F32, DType.I32)
_STORED = (DType.I8, DType.U8, DType.I16)


class _Part(NamedTuple):
    """What a slice takes: from begin on, of one axis that is cut."""

    axis: int
    begin: int
    size: int
    op: core.Slice


def split_evenly(block: Block) -> int:
    """Put splits in place of slices of a block and of those in it; returns how many splits there are more."""
    count = 0
    by_source: dict[Value, list[_Part]] = {}
    for op in [*block.ops]:
        for region in op.regions:
            count += split_evenly(region.block)
        part = _part(op)
        if part is not None:
            by_source.setdefault(part.op.x, []).append(part)
    for parts in by_source.values():
        for axis in sorted({part.axis for part in parts}):
            count += _join([part for part in parts if part.axis == axis])
    return count


def _join(parts: list[_Part]) -> int:
    """parts: along one axis, in the order of the program."""
    whole, size = parts[0].op.x.tensor.shape, parts[0].size
    axis = parts[0].axis
    begins = sorted(part.begin for part in parts)
    number = len(parts)
    if whole is None or number not in _PARTS or any(part.size != size for part in parts):
        return 0
    if whole[axis] != number * size or begins != [i * size for i in range(number)]:
        return 0
    first = parts[0].op
    if first.block is None or first.location is None:
        return 0
    made = Builder(first.block, first.location, first).emit(core.Split(first.x, sizes=(size,) * number, axis=axis))
    for part in parts:
        edit.replace_uses(part.op.y, made.ys[part.begin // size])
        edit.erase(part.op)
    return 1


def _is_split(t: TensorType) -> bool:
    """TFLite's kernel of SPLIT takes its elements."""
    return (t.dtype in _PLAIN) if t.quant is None else t.quant.storage in _STORED


def _part(op: Op) -> _Part | None:
    """None of what is no slice of several places along one axis."""
    if not isinstance(op, core.Slice) or not _is_split(op.x.tensor):
        return None
    before, after, begins, steps = op.x.tensor.shape, op.y.tensor.shape, ints_of(op.begin), ints_of(op.strides)
    if before is None or after is None or begins is None or steps is None or len(before) != len(after):
        return None
    cut = [axis for axis, (n, m) in enumerate(zip(before, after, strict=True)) if n != m]
    if len(cut) != 1 or any(step != 1 for step in steps):
        return None
    (axis,) = cut
    whole, size = before[axis], after[axis]
    if not isinstance(whole, int) or not isinstance(size, int) or size < 2:
        return None
    begin = 0 if op.begin_mask >> axis & 1 else begins[axis]
    return _Part(axis, begin + whole if begin < 0 else begin, size, op)
