"""Ops that move data.  Amounts are numbers in HLO; only the place that a slice begins at may be computed at run
time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import ints_of
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.dialects.core.slicing import pad_mirror as mirrored
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_hlo.builder import HloBuilder, dims, need_ints, refuse
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.ShapeOf)
def shape_of(op: core.ShapeOf, e: HloBuilder) -> Value:
    """A constant, or what is known at run time."""
    shape = e.sizes.of(op.x)
    return (
        e.sizes.vector(shape, op.dtype)
        if any(isinstance(d, Dim) for d in shape)
        else e.constant(np.asarray(dims(op.x)), op.dtype)
    )


@RULES.rule(core.Reshape, core.ExpandDims, core.Squeeze)
def reshape(op: core.Reshape | core.ExpandDims | core.Squeeze, e: HloBuilder) -> Value:
    """reshape; also of ExpandDims and Squeeze."""
    return e.reshape(op.x, dims(op.y))


@RULES.rule(core.Transpose)
def transpose(op: core.Transpose, e: HloBuilder) -> Value:
    """transpose."""
    return e.transpose(op.x, op.perm)


@RULES.rule(core.Concat)
def concat(op: core.Concat, e: HloBuilder) -> Value:
    """concatenate."""
    return e.concat(op.xs, op.axis % len(dims(op.y)))


@RULES.rule(core.Split)
def split(op: core.Split, e: HloBuilder) -> list[Value]:
    """A slice for each part."""
    axis = op.axis % len(dims(op.x))
    parts, at = [], 0
    for y in op.ys:
        size = dims(y)[axis]
        parts.append(e.slice_axis(op.x, axis, at, at + size))
        at += size
    return parts


@RULES.rule(core.Slice)
def slice_(op: core.Slice, e: HloBuilder) -> Value:
    """slice, after reverse where a stride is negative; dynamic-slice where the begin is computed and the size is
    not.
    """
    x, shape = op.x, dims(op.x)
    strides = need_ints(op.strides, "the strides of a slice")
    begin, end = ints_of(op.begin), ints_of(op.end)
    opened = (1 << len(shape)) - 1
    if (begin is None and op.begin_mask & opened != opened) or (end is None and op.end_mask & opened != opened):
        return _computed_slice(op, e, strides)
    begins, ends, steps, flipped = [], [], [], []
    for i, (n, s) in enumerate(zip(shape, strides, strict=True)):
        b = None if begin is None or op.begin_mask >> i & 1 else begin[i]
        c = None if end is None or op.end_mask >> i & 1 else end[i]
        first, last, _ = slice(b, c, s).indices(n)
        if s < 0:
            flipped.append(i)
            first, last = n - 1 - first, n - 1 - last
        begins.append(first)
        ends.append(max(first, last))
        steps.append(abs(s))
    return e.slice(e.reverse(x, flipped), begins, ends, steps)


def _computed_slice(op: core.Slice, e: HloBuilder, strides: Sequence[int]) -> Value:
    """A begin that is known at run time only; sizes come from the result's type.  Negative begins count from the
    end.
    """
    x, shape, out = op.x, dims(op.x), dims(op.y)
    if any(s <= 0 for s in strides):
        raise refuse("a slice with a computed begin and a negative stride has no HLO form")
    spans = [(m - 1) * s + 1 for m, s in zip(out, strides, strict=True)]
    begin = e.convert(op.begin, DType.I32)
    size = e.constant(np.asarray(shape), DType.I32)
    begin = e.select(e.compare("LT", begin, e.scalar(0, DType.I32)), e.binary("add", begin, size), begin)
    if op.begin_mask:
        opened = np.asarray([bool(op.begin_mask >> i & 1) for i in range(len(shape))])
        begin = e.select(e.constant(opened, DType.BOOL), e.scalar(0, DType.I32), begin)
    y = at_run_time(e, x, begin, spans)
    return e.slice(y, (0,) * len(out), spans, strides)


def at_run_time(e: HloBuilder, x: Value, begin: Value, sizes: Sequence[int]) -> Value:
    """x[begin : begin + sizes] with a computed begin [rank]."""
    if not sizes:
        return x
    starts = [e.reshape(e.slice_axis(begin, 0, i, i + 1), ()) for i in range(len(sizes))]
    return e.one("dynamic-slice", [x, *starts], x.tensor.with_shape(tuple(sizes)), sizes=tuple(sizes))


@RULES.rule(core.DynamicSlice)
def dynamic_slice(op: core.DynamicSlice, e: HloBuilder) -> Value:
    """slice or dynamic-slice."""
    out = dims(op.y)
    begin = ints_of(op.begin)
    if begin is not None:
        return e.slice(op.x, begin, [b + n for b, n in zip(begin, out, strict=True)])
    return at_run_time(e, op.x, op.begin, out)


@RULES.rule(core.Pad)
def pad(op: core.Pad, e: HloBuilder) -> Value:
    """pad; other modes take rows by constant indices."""
    shape = dims(op.x)
    amounts = _pairs(op.pads, "the amounts of a pad", len(shape))
    if op.mode == "constant":
        return e.pad(op.x, op.value, [lo for lo, _ in amounts], [hi for _, hi in amounts])
    y = op.x
    for axis, (lo, hi) in enumerate(amounts):
        if lo or hi:
            check_table((shape[axis] + lo + hi,), "the list of rows that a pad repeats")
            rows: Array = np.arange(shape[axis])
            y = e.take(y, mirrored(rows, [(lo, hi)], op.mode), axis)
    return y


def _pairs(value: Value, what: str, count: int) -> list[tuple[int, int]]:
    known = pad_amounts(value)
    pairs = [(lo, hi) for lo, hi in known or () if isinstance(lo, int) and isinstance(hi, int)]
    if len(pairs) != count:
        flat = need_ints(value, what)
        pairs = [(flat[2 * i], flat[2 * i + 1]) for i in range(count)]
    return pairs


@RULES.rule(core.Tile)
def tile(op: core.Tile, e: HloBuilder) -> Value:
    """A broadcast along new axes, joined with the old ones."""
    shape, out = dims(op.x), dims(op.y)
    grown = [d for n, m in zip(shape, out, strict=True) for d in (m // n if n else 0, n)]
    y = e.reshape(op.x, [d for n in shape for d in (1, n)])
    return e.reshape(e.broadcast_to(y, grown), out)


@RULES.rule(core.BroadcastTo)
def broadcast_to(op: core.BroadcastTo, e: HloBuilder) -> Value:
    """broadcast."""
    return e.broadcast_to(op.x, dims(op.y))


@RULES.rule(core.Reverse)
def reverse(op: core.Reverse, e: HloBuilder) -> Value:
    """reverse."""
    return e.reverse(op.x, [a % len(dims(op.x)) for a in op.axes])


@RULES.rule(core.ReverseSequence)
def reverse_sequence(op: core.ReverseSequence, e: HloBuilder) -> Value:
    """A gather along time by computed rows."""
    shape = dims(op.x)
    rank, time, batch = len(shape), op.time_axis % len(shape), op.batch_axis % len(shape)
    perm = [batch, time, *(i for i in range(rank) if i not in (batch, time))]
    x = e.transpose(op.x, perm)
    plane = (shape[batch], shape[time])
    steps = e.iota(DType.I32, plane, 1)
    lengths = e.spread(e.convert(op.lengths, DType.I32), 0, plane)
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
    pads = [(0, 0), *_pairs(op.pads, "the pads of SpaceToBatch", m), *[(0, 0)] * (rank - 1 - m)]
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
    crops = [(0, 0), *_pairs(op.crops, "the crops of BatchToSpace", m), *[(0, 0)] * (len(shape) - 1 - m)]
    return e.slice(v, [lo for lo, _ in crops], [d - hi for d, (_, hi) in zip(dims(v), crops, strict=True)])
