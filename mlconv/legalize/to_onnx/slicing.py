"""Ops that take parts of tensors, and put parts around or into them.

Sources: ONNX Slice-13 (bounds beyond the ends are limited to them), Pad-13 and Pad-19.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_onnx.builder import NUMBERS, OnnxBuilder, rank_of, refuse
from mlconv.rewrite import Rules
from mlconv.rewrite.core_builder import Part

RULES = Rules()

LOW, HIGH = int(np.iinfo(np.int64).min), int(np.iinfo(np.int64).max)


@RULES.rule(core.Slice)
def slice_(op: core.Slice, e: OnnxBuilder) -> Value:
    """Slice, of the axes that are not taken whole."""
    rank = rank_of(op.x, "what is cut")
    steps = ints_of(op.strides)
    if steps is None:
        return _of_open_steps(op, e, rank)
    begins, ends = ints_of(op.begin), ints_of(op.end)
    axes = [i for i in range(rank) if not (steps[i] == 1 and _is_whole(op, i, begins))]
    if not axes:
        return e.one("Identity", [op.x], op.y.type)
    starts = [_bound(e, op.begin, begins, op.begin_mask, i, 0 if steps[i] > 0 else HIGH) for i in axes]
    stops = [_bound(e, op.end, ends, op.end_mask, i, HIGH if steps[i] > 0 else LOW) for i in axes]
    operands = [op.x, e.vector(starts), e.vector(stops), e.ints(axes)]
    if any(steps[i] != 1 for i in axes):
        operands.append(e.ints([steps[i] for i in axes]))
    return e.one("Slice", operands, op.y.type)


def _is_whole(op: core.Slice, axis: int, begins: tuple[int, ...] | None) -> bool:
    """Nothing is cut off before or behind, whatever the size is."""
    starts = op.begin_mask >> axis & 1 or (begins is not None and begins[axis] == 0)
    return bool(starts) and bool(op.end_mask >> axis & 1)


def _bound(e: OnnxBuilder, bounds: Value, known: tuple[int, ...] | None, mask: int, axis: int, open_: int) -> Part:
    if mask >> axis & 1:
        return open_
    return known[axis] if known is not None else e.slice_axis(e.int64(bounds), 0, axis, axis + 1)


def _of_open_steps(op: core.Slice, e: OnnxBuilder, rank: int) -> Value:
    """Steps that are not known decide at which ends open bounds lie."""
    steps = e.int64(op.strides)
    forward = e.y(core.Greater(steps, e.constant(0, DType.I64)))
    begin = _masked(e, op.begin, op.begin_mask, rank, forward, (0, HIGH))
    end = _masked(e, op.end, op.end_mask, rank, forward, (HIGH, LOW))
    return e.one("Slice", [op.x, begin, end, e.ints(range(rank)), steps], op.y.type)


def _masked(e: OnnxBuilder, bounds: Value, mask: int, rank: int, forward: Value, ends: tuple[int, int]) -> Value:
    if not mask:
        return e.int64(bounds)
    open_ = e.where(forward, e.constant(ends[0], DType.I64), e.constant(ends[1], DType.I64))
    return e.where(e.constant([bool(mask >> i & 1) for i in range(rank)]), open_, e.int64(bounds))


@RULES.rule(core.DynamicSlice)
def dynamic_slice(op: core.DynamicSlice, e: OnnxBuilder) -> Value:
    """Slice up to begin + size, where size -1 is up to the end."""
    rank = rank_of(op.x, "what is cut")
    begins, sizes = ints_of(op.begin), ints_of(op.size)
    if begins is not None and sizes is not None:
        ends = e.ints([HIGH if n < 0 else b + n for b, n in zip(begins, sizes, strict=True)])
        return e.one("Slice", [op.x, e.ints(begins), ends, e.ints(range(rank))], op.y.type)
    begin, size = e.int64(op.begin), e.int64(op.size)
    end = e.add(begin, size)
    if sizes is None or -1 in sizes:
        end = e.where(e.less(size, 0), HIGH, end)
    return e.one("Slice", [op.x, begin, end, e.ints(range(rank))], op.y.type)


@RULES.rule(core.UpdateSlice)
def update_slice(op: core.UpdateSlice, e: OnnxBuilder) -> Value:
    """The update and a mask of it are padded to the place where they are written."""
    before, after = [], []
    for axis, begin in enumerate(op.begins):
        room = e.stack([_less(e, e.dim(op.x, axis), e.dim(op.update, axis))])
        first = e.minimum(e.maximum(e.reshape(e.int64(begin), [1]), 0), room)
        before.append(first)
        after.append(e.sub(room, first))
    if not before:
        return e.one("Identity", [op.update], op.y.type)
    pads = e.concat([*before, *after], 0)
    update = e.one("Pad", [op.update, pads], op.y.tensor)
    there = e.y(core.BroadcastTo(e.constant(1, DType.I32), e.shape_of(op.update)))
    mask = e.one("Pad", [there, pads], op.y.tensor.with_dtype(DType.I32))
    return e.where(e.equal(mask, 1), update, op.x)


def _less(e: OnnxBuilder, a: Part, b: Part) -> Part:
    if isinstance(a, int):
        return a - b if isinstance(b, int) else e.sub(a, b)
    return e.sub(a, b)


@RULES.rule(core.Pad)
def pad(op: core.Pad, e: OnnxBuilder) -> Value:
    """Pad, whose amounts are all those before and then all those behind; what repeats the edge, and until opset 18
    what goes round, by places.
    """
    if op.mode == "symmetric" or (op.mode == "wrap" and not e.has(19)):
        return _by_places(op, e)
    known = ints_of(op.pads)
    if known is not None:
        pads = e.ints([*known[::2], *known[1::2]])
    else:
        pads = e.reshape(e.transpose(e.int64(op.pads), (1, 0)), [-1])
    if op.mode == "constant":
        value = [_signed_zero(op, e)] if _is_zero(op.value) else [op.value]
        return e.one("Pad", [op.x, pads, *value], op.y.type)
    return e.one("Pad", [op.x, pads], op.y.type, mode=op.mode)


def _signed_zero(op: core.Pad, e: OnnxBuilder) -> Value | None:
    """Nothing, which stands for zeros; in front of pools their equals with a sign.  ONNX Runtime 1.31 makes zeros there
    the padding of the pool, which is minus infinity for MaxPool, and may be too large for either.
    """
    is_pooled = any(user.name in ("onnx.MaxPool", "onnx.AveragePool") for user in op.y.users)
    return e.constant(-0.0, op.x.tensor.dtype) if is_pooled and op.x.tensor.dtype.is_float else None


def _is_zero(value: Value) -> bool:
    constant = const_of(value)
    if constant is None or constant.dtype is DType.STRING:
        return False
    number = constant.view().reshape(-1)[0]
    return bool(number == 0) and not bool(np.signbit(number) if constant.dtype.is_float else False)


def _by_places(op: core.Pad, e: OnnxBuilder) -> Value:
    """Each axis gathered: place i is i modulo the size, or modulo twice the size and then mirrored."""
    y, known, rank = op.x, ints_of(op.pads), rank_of(op.x, "what is padded")
    for axis in range(rank):
        if known is not None and known[2 * axis : 2 * axis + 2] == (0, 0):
            continue
        size = e.dim(op.x, axis)
        first, last = (_amount(e, op.pads, known, 2 * axis + side) for side in (0, 1))
        total = e.stack([_plus(e, _plus(e, size, first), last)])
        steps = e.sub(e.arange(e.slice_axis(total, 0, 0, 1)), e.stack([first]))
        whole = e.stack([size])
        if op.mode == "wrap":
            place = e.y(core.FloorMod(steps, whole))
        else:
            turn = e.y(core.FloorMod(steps, e.mul(whole, 2)))
            place = e.minimum(turn, e.sub(e.sub(e.mul(whole, 2), 1), turn))
        y = e.gather(y, place, axis)
    return e.one("Identity", [y], op.y.type) if y is op.x else y


def _amount(e: OnnxBuilder, pads: Value, known: tuple[int, ...] | None, at: int) -> Part:
    if known is not None:
        return known[at]
    return e.slice_axis(e.reshape(e.int64(pads), [-1]), 0, at, at + 1)


def _plus(e: OnnxBuilder, a: Part, b: Part) -> Part:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return e.add(a, b)


@RULES.rule(core.RandomUniform, core.RandomNormal)
def random(op: core.RandomUniform | core.RandomNormal, e: OnnxBuilder) -> Value:
    """RandomUniform, RandomNormal of a known shape, else those like a tensor of it.  Seed 0 is the runtime's choice."""
    uniform = isinstance(op, core.RandomUniform)
    name = "RandomUniform" if uniform else "RandomNormal"
    if not op.dtype.is_float:
        raise refuse(f"{name} gives floats, not {op.dtype.display}")
    dtype = op.dtype if op.dtype in (DType.F16, DType.F32, DType.F64) else DType.F32
    numbers: dict[str, Any] = {"low": 0.0, "high": 1.0} if uniform else {"mean": 0.0, "scale": 1.0}
    if op.seed or op.seed2:
        numbers["seed"] = float(np.float32(op.seed * 31 + op.seed2))
    t, known = op.y.tensor.with_dtype(dtype), ints_of(op.shape)
    if known is not None:
        y = e.one(name, [], t, shape=known, dtype=NUMBERS[dtype], **numbers)
    else:
        like = e.y(core.BroadcastTo(e.constant(0, dtype), op.shape))
        y = e.one(f"{name}Like", [like], t, dtype=NUMBERS[dtype], **numbers)
    return e.cast(y, op.dtype)
