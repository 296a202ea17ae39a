"""Ops that move data as a whole: reshapes, transposes, broadcasts, blocks."""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.legalize.to_hlo.dynamic_sizes.places import number
from mlconv.legalize.to_hlo.dynamic_sizes.reshaping import reshaped
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import is_dynamic
from mlconv.legalize.to_hlo.parts import pairs
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.ShapeOf)
def shape_of(op: core.ShapeOf, e: HloBuilder) -> Value:
    """A constant, or what is known at run time."""
    shape = e.sizes.of(op.x)
    return e.sizes.vector(shape, op.dtype) if is_dynamic(shape) else e.constant(np.asarray(dims(op.x)), op.dtype)


@RULES.rule(core.Reshape, core.ExpandDims, core.Squeeze)
def reshape(op: core.Reshape | core.ExpandDims | core.Squeeze, e: HloBuilder) -> Value:
    """reshape; also of ExpandDims and Squeeze."""
    shape = e.sizes.of(op.y)
    if isinstance(op, core.Reshape) and (is_dynamic(shape) or is_dynamic(e.sizes.of(op.x))):
        return reshaped(e, op.x, shape, dims(op.y))
    return e.reshape(op.x, dims(op.y))


@RULES.rule(core.Transpose)
def transpose(op: core.Transpose, e: HloBuilder) -> Value:
    """transpose."""
    return e.transpose(op.x, op.perm)


@RULES.rule(core.BroadcastTo)
def broadcast_to(op: core.BroadcastTo, e: HloBuilder) -> Value:
    """broadcast."""
    return e.broadcast_to(op.x, dims(op.y))


@RULES.rule(core.ReverseSequence)
def reverse_sequence(op: core.ReverseSequence, e: HloBuilder) -> Value:
    """A gather along time by computed rows."""
    shape = dims(op.x)
    rank, time, batch = len(shape), op.time_axis % len(shape), op.batch_axis % len(shape)
    perm = [batch, time, *(i for i in range(rank) if i not in (batch, time))]
    x = e.transpose(op.x, perm)
    plane = (shape[batch], shape[time])
    steps = e.iota(DType.I32, plane, 1)
    lengths, size = e.convert(op.lengths, DType.I32), e.sizes.of(op.x)[time]
    if isinstance(size, Dim):
        lengths = e.binary("minimum", lengths, number(e, size))
    lengths = e.spread(lengths, 0, plane)
    mirrored = e.binary("subtract", e.binary("subtract", lengths, e.scalar(1, DType.I32)), steps)
    index = e.select(e.compare("LT", steps, lengths), mirrored, steps)
    y = e.y(core.Gather(x, index, axis=1, batch_dims=1))
    return e.transpose(y, [perm.index(i) for i in range(rank)])


@RULES.rule(core.Range)
def range_(op: core.Range, e: HloBuilder) -> Value:
    """start + i * step."""
    dtype = op.start.tensor.dtype
    i = e.iota(dtype, dims(op.y), 0)
    return e.binary("add", e.binary("multiply", i, e.reshape(op.step, ())), e.reshape(op.start, ()))


def _nchw(e: HloBuilder, x: Value, layout: str) -> Value:
    return x if layout == "NCHW" else e.transpose(x, (0, 3, 1, 2))


def _from_nchw(e: HloBuilder, x: Value, layout: str) -> Value:
    return x if layout == "NCHW" else e.transpose(x, (0, 2, 3, 1))


@RULES.rule(core.DepthToSpace)
def depth_to_space(op: core.DepthToSpace, e: HloBuilder) -> Value:
    """reshape, transpose, reshape."""
    b = op.block_size
    v = _nchw(e, op.x, op.layout)
    n, c, h, w = dims(v)
    if op.mode == "dcr":
        v = e.transpose(e.reshape(v, (n, b, b, c // (b * b), h, w)), (0, 3, 4, 1, 5, 2))
    else:
        v = e.transpose(e.reshape(v, (n, c // (b * b), b, b, h, w)), (0, 1, 4, 2, 5, 3))
    return _from_nchw(e, e.reshape(v, (n, c // (b * b), h * b, w * b)), op.layout)


@RULES.rule(core.SpaceToDepth)
def space_to_depth(op: core.SpaceToDepth, e: HloBuilder) -> Value:
    """reshape, transpose, reshape."""
    b = op.block_size
    v = _nchw(e, op.x, op.layout)
    n, c, h, w = dims(v)
    v = e.transpose(e.reshape(v, (n, c, h // b, b, w // b, b)), (0, 3, 5, 1, 2, 4))
    return _from_nchw(e, e.reshape(v, (n, c * b * b, h // b, w // b)), op.layout)


@RULES.rule(core.SpaceToBatch)
def space_to_batch(op: core.SpaceToBatch, e: HloBuilder) -> Value:
    """pad, then as space_to_depth with the batch."""
    m = len(op.block_size)
    rank = len(dims(op.x))
    pads = [(0, 0), *pairs(op.pads, "the pads of SpaceToBatch", m), *[(0, 0)] * (rank - 1 - m)]
    v = e.pad(op.x, e.scalar(0, op.x.tensor.dtype), [lo for lo, _ in pads], [hi for _, hi in pads])
    shape = dims(v)
    split = [d for n, b in zip(shape[1 : 1 + m], op.block_size, strict=True) for d in (n // b, b)]
    v = e.reshape(v, (shape[0], *split, *shape[1 + m :]))
    order = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)] + list(range(2 * m + 1, len(dims(v))))
    return e.reshape(e.transpose(v, order), dims(op.y))


@RULES.rule(core.BatchToSpace)
def batch_to_space(op: core.BatchToSpace, e: HloBuilder) -> Value:
    """The way back, then a slice."""
    m, shape = len(op.block_size), dims(op.x)
    blocks = math.prod(op.block_size)
    n = shape[0] // blocks
    v = e.reshape(op.x, (*op.block_size, n, *shape[1:]))
    order = [m, *(a for i in range(m) for a in (m + 1 + i, i)), *range(2 * m + 1, len(dims(v)))]
    grown = tuple(s * b for s, b in zip(shape[1 : 1 + m], op.block_size, strict=True))
    v = e.reshape(e.transpose(v, order), (n, *grown, *shape[1 + m :]))
    crops = [(0, 0), *pairs(op.crops, "the crops of BatchToSpace", m), *[(0, 0)] * (len(shape) - 1 - m)]
    return e.slice(v, [lo for lo, _ in crops], [d - hi for d, (_, hi) in zip(dims(v), crops, strict=True)])
