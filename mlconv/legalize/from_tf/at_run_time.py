"""Parameters that are computed by the model: axes, permutations, block sizes.  Core ops take these as attributes, so
other core ops do the work.

Shapes stay of known rank: every axis is treated alike and the run-time values decide what happens to it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import dim_value, rank_of, static_shape
from mlconv.legalize.source import SourceNode


def rank_1(n: SourceNode, value: Value) -> Value:
    """An integer operand as int64 [count]."""
    wide = n.cast(value, DType.I64)
    return wide if value.tensor.rank == 1 else n.emit(core.Reshape(wide, n.vector([-1]))).y


def _non_negative(n: SourceNode, axes: Value, rank: int) -> Value:
    return n.emit(core.FloorMod(axes, n.constant(max(rank, 1), DType.I64))).y


def axis_mask(n: SourceNode, operand: Value, rank: int) -> Value:
    """bool [rank]: which axes an axes operand names."""
    axes = n.expand_dims(_non_negative(n, rank_1(n, operand), rank), 1)
    return n.emit(core.ReduceAny(n.emit(core.Equal(axes, n.vector([*range(rank)]))).y, axes=(0,))).y


def _at(n: SourceNode, vector_: Value, i: int) -> Value:
    return n.emit(core.Gather(vector_, n.constant(i, DType.I64), axis=0)).y


def reduce(n: SourceNode, x: Value, axes: Value, make: Callable[[Value, int], Value], keepdims: bool) -> Value:
    """A reduction whose axes are computed: axis by axis, each reduced or kept as its mask says, then cut to size 1."""
    rank = rank_of(x)
    mask = axis_mask(n, axes, rank)
    shape = n.emit(core.ShapeOf(x)).y
    y = x
    for axis in range(rank):
        y = n.emit(core.Select(_at(n, mask, axis), make(y, axis), y)).y
    sizes = n.emit(core.Select(mask, n.constant(1, DType.I64), shape)).y
    y = n.emit(core.DynamicSlice(y, n.vector([*[0] * rank]), sizes)).y
    if keepdims:
        return y
    kept = n.emit(core.NonZero(n.emit(core.LogicalNot(mask)).y)).y
    result = n.emit(core.Gather(shape, n.emit(core.Squeeze(kept, axes=(1,))).y, axis=0)).y
    count = static_shape(axes, "the axes")
    left = max(0, rank - (count[0] if count else 1))
    return n.emit(core.Reshape(y, _of_length(n, result, left))).y


def _of_length(n: SourceNode, value: Value, length: int) -> Value:
    """A rank-1 tensor whose length is known though its type does not say so."""
    return n.emit(core.Reshape(value, n.vector([length]))).y


def transpose(n: SourceNode, x: Value, perm: Value) -> Value:
    """y[i0, i1, ...] = x.flat[sum of i_k * stride[perm[k]]]."""
    rank = rank_of(x)
    order = _of_length(n, _non_negative(n, rank_1(n, perm), rank), rank)
    shape = n.emit(core.ShapeOf(x)).y
    wanted = n.emit(core.Gather(shape, order, axis=0)).y
    strides = n.emit(core.Gather(n.emit(core.CumProd(shape, axis=0, exclusive=True, reverse=True)).y, order, axis=0)).y
    flat: Value = n.constant(0, DType.I64)
    for axis in range(rank):
        steps = n.emit(core.Range(n.constant(0, DType.I64), _at(n, wanted, axis), n.constant(1, DType.I64))).y
        along = n.emit(
            core.Reshape(n.mul(steps, _at(n, strides, axis)), n.vector([-1 if a == axis else 1 for a in range(rank)]))
        ).y
        flat = n.add(flat, along)
    return n.emit(core.Gather(n.emit(core.Reshape(x, n.vector([-1]))).y, flat, axis=0)).y


def expand_dims(n: SourceNode, x: Value, axis: Value) -> Value:
    """The shape with a 1 put in at a computed place."""
    rank = rank_of(x)
    place = _non_negative(n, rank_1(n, axis), rank + 1)
    positions = n.vector([*range(rank + 1)])
    after = n.cast(n.emit(core.Greater(positions, place)).y, DType.I64)
    shape = n.concat([n.emit(core.ShapeOf(x)).y, n.vector([1])], 0)
    moved = n.emit(core.Gather(shape, n.sub(positions, after), axis=0)).y
    sizes = n.emit(core.Select(n.emit(core.Equal(positions, place)).y, n.constant(1, DType.I64), moved)).y
    return n.emit(core.Reshape(x, sizes)).y


def roll_shifts(n: SourceNode, shifts: Value, axes: Value, rank: int) -> list[Value]:
    """For each axis the sum of the shifts that name it: int64 scalars."""
    names = n.expand_dims(_non_negative(n, rank_1(n, axes), rank), 1)
    named = n.emit(core.Equal(names, n.vector([*range(rank)]))).y
    amounts = n.emit(core.Select(named, n.expand_dims(rank_1(n, shifts), 1), n.constant(0, DType.I64))).y
    total = n.emit(core.ReduceSum(amounts, axes=(0,))).y
    return [_at(n, total, axis) for axis in range(rank)]


def space_to_batch(n: SourceNode, x: Value, block: Value, pads: Value) -> Value:
    """Pad, split each spatial axis into (elements, block), move the blocks to the front."""
    m, rank = _block_axes(x, block)
    blocks = n.cast(block, DType.I64)
    amounts = n.concat(
        [n.constant([[0, 0]], DType.I64), n.cast(pads, DType.I64), n.constant(np.zeros((rank - 1 - m, 2)), DType.I64)],
        0,
    )
    padded = n.emit(core.Pad(x, amounts, n.asarray(0, x))).y
    split: list[int | Value] = [dim_value(n, padded, 0)]
    elements: list[Value] = []
    for i in range(m):
        b = _at(n, blocks, i)
        elements.append(n.emit(core.FloorDiv(dim_value(n, padded, 1 + i), b)).y)
        split += [elements[-1], b]
    rest: list[int | Value] = [dim_value(n, padded, a) for a in range(1 + m, rank)]
    y = n.emit(core.Reshape(padded, n.stack([*split, *rest]))).y
    order = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)] + list(range(2 * m + 1, rank + m))
    y = n.emit(core.Transpose(y, perm=tuple(order))).y
    return n.emit(core.Reshape(y, n.stack([-1, *elements, *rest]))).y


def batch_to_space(n: SourceNode, x: Value, block: Value, crops: Value) -> Value:
    """Take the blocks out of the batch, put each behind its spatial axis, merge, crop."""
    m, rank = _block_axes(x, block)
    blocks = n.cast(block, DType.I64)
    parts = [_at(n, blocks, i) for i in range(m)]
    sizes = [dim_value(n, x, 1 + i) for i in range(m)]
    rest: list[int | Value] = [dim_value(n, x, a) for a in range(1 + m, rank)]
    y = n.emit(core.Reshape(x, n.stack([*parts, -1, *sizes, *rest]))).y
    order = [m]
    for i in range(m):
        order += [m + 1 + i, i]
    y = n.emit(core.Transpose(y, perm=tuple(order + list(range(2 * m + 1, rank + m))))).y
    wide = [n.mul(s, b) for s, b in zip(sizes, parts, strict=True)]
    y = n.emit(core.Reshape(y, n.stack([-1, *wide, *rest]))).y
    cut = n.cast(crops, DType.I64)
    begin, behind = (n.emit(core.Gather(cut, n.constant(k, DType.I64), axis=1)).y for k in (0, 1))
    lengths = n.sub(n.sub(n.stack(list(wide)), begin), behind)
    begins = n.concat([n.vector([0]), begin, n.vector([*[0] * (rank - 1 - m)])], 0)
    counts = n.concat([n.vector([-1]), lengths, n.vector([*[-1] * (rank - 1 - m)])], 0)
    return n.emit(core.DynamicSlice(y, begins, counts)).y


def _block_axes(x: Value, block: Value) -> tuple[int, int]:
    """Number of spatial axes, and rank of x."""
    (m,) = static_shape(block, "the block shape")
    rank = rank_of(x)
    if rank < m + 1:
        raise ConversionError(Code.ShapeMismatch, f"{m} block sizes for {x.tensor}")
    return m, rank


def positions(n: SourceNode, x: Value, axis: int, dtype: DType = DType.I64) -> Value:
    """0, 1, ... along one axis of x, shaped to broadcast with it."""
    rank = rank_of(x)
    at = axis % rank
    steps = n.emit(core.Range(n.constant(0, DType.I64), dim_value(n, x, at), n.constant(1, DType.I64))).y
    return n.emit(core.Reshape(n.cast(steps, dtype), n.vector([-1 if a == at else 1 for a in range(at, rank)]))).y
