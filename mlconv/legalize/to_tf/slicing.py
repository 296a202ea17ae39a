"""Ops that take parts of tensors, and put parts around or into them.

Sources: tensorflow/core/util/strided_slice_op.cc (bounds beyond the ends are limited to them), Pad, PadV2, MirrorPad:
`reflect` takes amounts below the size, `symmetric` up to it.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tf.builder import SMALL_INT, TfBuilder, rank_of
from mlconv.rewrite import Rules
from mlconv.rewrite.core_builder import Part

RULES = Rules()


@RULES.rule(core.Slice)
def slice_(op: core.Slice, e: TfBuilder) -> Value:
    """StridedSlice; constant bounds beyond what int32 holds lie beyond every size."""
    bounds = [_limited(e, v) for v in (op.begin, op.end, op.strides)]
    masks = {"begin_mask": op.begin_mask, "end_mask": op.end_mask}
    return e.one("StridedSlice", [op.x, *e.indices(*bounds)], op.y.type, T=op.x.tensor.dtype, **masks)


def _limited(e: TfBuilder, bounds: Value) -> Value:
    known = ints_of(bounds)
    if known is None or all(abs(n) <= SMALL_INT for n in known):
        return bounds
    return e.ints([max(-SMALL_INT, min(n, SMALL_INT)) for n in known])


@RULES.rule(core.DynamicSlice)
def dynamic_slice(op: core.DynamicSlice, e: TfBuilder) -> Value:
    """Slice."""
    return e.one("Slice", [op.x, *e.indices(op.begin, op.size)], op.y.type, T=op.x.tensor.dtype)


@RULES.rule(core.UpdateSlice)
def update_slice(op: core.UpdateSlice, e: TfBuilder) -> Value:
    """What lies before the update, it, and what lies behind, where it is whole along all axes but one; else the update
    and a mask of it are padded to the place where they are written.
    """
    rank = rank_of(op.x, "what is written into")
    cut = [i for i in range(rank) if op.x.tensor.shape is None or op.x.tensor.shape[i] != _size(op.update, i)]
    if not cut:
        return e.identity(op.update)
    before, after = {}, {}
    for axis in cut:
        room = e.sub(e.vector([e.dim(op.x, axis)]), e.vector([e.dim(op.update, axis)]))
        first = e.minimum(e.maximum(e.reshape(e.cast(op.begins[axis], DType.I64), [1]), 0), room)
        before[axis], after[axis] = first, e.sub(room, first)
    if len(cut) == 1:
        axis = cut[0]
        end = e.add(before[axis], e.vector([e.dim(op.update, axis)]))
        parts = [e.slice_axis(op.x, axis, 0, before[axis]), op.update, e.slice_axis(op.x, axis, end, None)]
        return e.y(core.Concat(parts, axis=axis))
    pads: list[tuple[Part, Part]] = [(before.get(i, 0), after.get(i, 0)) for i in range(rank)]
    there = e.y(core.BroadcastTo(e.constant(True, DType.BOOL), e.shape_of(op.update)))
    mask = e.pad(there, pads, e.constant(False, DType.BOOL))
    return e.where(mask, e.pad(op.update, pads, e.asarray(0, op.update)), op.x)


def _size(x: Value, axis: int) -> object:
    return None if x.tensor.shape is None else x.tensor.shape[axis]


@RULES.rule(core.Pad)
def pad(op: core.Pad, e: TfBuilder) -> Value:
    """Pad, PadV2, MirrorPad; negative amounts are sliced off, what repeats the edge or goes round is gathered."""
    rank, known = rank_of(op.x, "what is padded"), ints_of(op.pads)
    if op.mode == "constant":
        return _constant(op, e, rank, known)
    mirrored = known is not None and op.mode in ("reflect", "symmetric") and _fits(op, known)
    if mirrored:
        mode = op.mode.upper()
        return e.one("MirrorPad", [op.x, *e.indices(op.pads)], op.y.type, T=op.x.tensor.dtype, mode=mode)
    return _by_places(op, e, rank, known)


def _fits(op: core.Pad, known: tuple[int, ...]) -> bool:
    """MirrorPad takes these amounts."""
    less = 1 if op.mode == "reflect" else 0
    for i, size in enumerate(op.x.tensor.shape or ()):
        pair = known[2 * i : 2 * i + 2]
        if min(pair) < 0 or (any(pair) and (not isinstance(size, int) or max(pair) > size - less)):
            return False
    return True


def _constant(op: core.Pad, e: TfBuilder, rank: int, known: tuple[int, ...] | None) -> Value:
    x, pads = op.x, op.pads
    if known is not None and min(known, default=0) < 0:
        pairs = [known[2 * i : 2 * i + 2] for i in range(rank)]
        bounds: dict[int, tuple[Part | None, Part | None, int]] = {
            i: (max(-lo, 0), -max(-hi, 0) or None, 1) for i, (lo, hi) in enumerate(pairs) if min(lo, hi) < 0
        }
        grown = e.pad(x, [(max(lo, 0), max(hi, 0)) for lo, hi in pairs], op.value)
        return e.slice(grown, bounds)
    if known is None:
        amounts = e.cast(pads, DType.I64)
        grown = _padded(op, e, e.maximum(amounts, 0), x.tensor.with_shape(None))
        crops = e.transpose(e.maximum(e.neg(amounts), 0), (1, 0))
        begin = e.reshape(e.slice_axis(crops, 0, 0, 1), [rank])
        behind = e.reshape(e.slice_axis(crops, 0, 1, 2), [rank])
        end = e.sub(e.cast(e.one("Shape", [grown], begin.tensor, T=x.tensor.dtype), DType.I64), behind)
        strides = e.constant(np.ones(rank, np.int64))
        return e.one("StridedSlice", [grown, begin, end, strides], op.y.type, T=x.tensor.dtype)
    return _padded(op, e, pads, op.y.tensor)


def _padded(op: core.Pad, e: TfBuilder, pads: Value, t: TensorType) -> Value:
    """Pad for zeros, PadV2 for other numbers."""
    if _is_zero(op.value):
        return e.one("Pad", [op.x, *e.indices(pads)], t)
    return e.one("PadV2", [op.x, *e.indices(pads), op.value], t)


def _is_zero(value: Value) -> bool:
    constant = const_of(value)
    if constant is None or constant.dtype is DType.STRING:
        return False
    number = constant.view().reshape(-1)[0]
    return bool(number == 0) and not bool(np.signbit(number) if constant.dtype.is_float else False)


def _by_places(op: core.Pad, e: TfBuilder, rank: int, known: tuple[int, ...] | None) -> Value:
    """Each axis gathered: places beyond the ends are those of the elements that are repeated there."""
    y = op.x
    for axis in range(rank):
        if known is not None and known[2 * axis : 2 * axis + 2] == (0, 0):
            continue
        size = e.dim(op.x, axis)
        first, last = (_amount(e, op.pads, known, 2 * axis + side) for side in (0, 1))
        total = _plus(e, _plus(e, size, first), last)
        steps = e.sub(e.arange(total), e.stack([first]))
        y = e.gather(y, _place(e, op.mode, steps, e.stack([size])), axis)
    return e.identity(y) if y is op.x else y


def _place(e: TfBuilder, mode: str, steps: Value, size: Value) -> Value:
    """The element at each place, which may lie outside."""
    if mode == "edge":
        return e.minimum(e.maximum(steps, 0), e.sub(size, 1))
    if mode == "wrap":
        return e.y(core.FloorMod(steps, size))
    twice = e.mul(size, 2)
    if mode == "symmetric":
        turn = e.y(core.FloorMod(steps, twice))
        return e.minimum(turn, e.sub(e.sub(twice, 1), turn))
    period = e.maximum(e.sub(twice, 2), 1)
    turn = e.y(core.FloorMod(steps, period))
    return e.where(e.less(turn, size), turn, e.sub(period, turn))


def _amount(e: TfBuilder, pads: Value, known: tuple[int, ...] | None, at: int) -> Part:
    if known is not None:
        return known[at]
    return e.slice_axis(e.reshape(e.cast(pads, DType.I64), [-1]), 0, at, at + 1)


def _plus(e: TfBuilder, a: Part, b: Part) -> Part:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return e.add(a, b)
