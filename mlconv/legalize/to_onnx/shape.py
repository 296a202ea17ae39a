"""Ops that reorder, join, repeat and make tensors.

Sources: ONNX Reshape-14 (allowzero), Split-13, Slice-13, Expand-13, DepthToSpace-13, SpaceToDepth-13, Range-11.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir import recipes
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.to_onnx.builder import NUMBERS, OnnxBuilder, rank_of, refuse
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules
from mlconv.rewrite.core_builder import Part

RULES = Rules()

_SAME_SIZE = {DType.I8: DType.U8, DType.I16: DType.U16, DType.I32: DType.U32, DType.I64: DType.U64}


@RULES.rule(core.ShapeOf)
def shape_of(op: core.ShapeOf, e: OnnxBuilder) -> Value:
    """Shape gives int64."""
    return e.cast(e.one("Shape", [op.x], op.y.tensor.with_dtype(DType.I64)), op.dtype)


@RULES.rule(core.Reshape)
def reshape(op: core.Reshape, e: OnnxBuilder) -> Value:
    """Reshape.  A 0 stands for the operand's own size unless `allowzero` says that it is one; no file needs that whose
    sizes are known and not 0.
    """
    known = ints_of(op.shape)
    sizes = static(op.y.tensor.shape)
    if known is not None and sizes is not None and 0 in known:
        return e.one("Reshape", [op.x, e.ints(sizes)], op.y.type, allowzero=1)
    zero = {"allowzero": 1} if known is None or 0 in known else {}
    shape = e.ints(known) if known is not None else e.int64(op.shape)
    return e.one("Reshape", [op.x, shape], op.y.type, **zero)


@RULES.rule(core.BroadcastTo)
def broadcast_to(op: core.BroadcastTo, e: OnnxBuilder) -> Value:
    """Expand."""
    return e.one("Expand", [op.x, e.int64(op.shape)], op.y.type)


@RULES.rule(core.ExpandDims)
def expand_dims(op: core.ExpandDims, e: OnnxBuilder) -> Value:
    """Unsqueeze."""
    return e.one("Unsqueeze", [op.x, e.ints(op.axes)], op.y.type)


@RULES.rule(core.Squeeze)
def squeeze(op: core.Squeeze, e: OnnxBuilder) -> Value:
    """Squeeze; without axes it would remove every dimension of size 1."""
    if not op.axes:
        return e.one("Identity", [op.x], op.y.type)
    return e.one("Squeeze", [op.x, e.ints(op.axes)], op.y.type)


@RULES.rule(core.Transpose)
def transpose(op: core.Transpose, e: OnnxBuilder) -> Value:
    """Transpose; constants are stored in the other order."""
    return transposed(e, op.x, op.perm) if const_of(op.x) else _transpose(e, op.x, op.perm)


def _transpose(e: OnnxBuilder, x: Value, perm: Sequence[int]) -> Value:
    shape = x.tensor.shape
    t = x.tensor.with_shape(None if shape is None else tuple(shape[p] for p in perm))
    return e.one("Transpose", [x], t, perm=tuple(perm))


def transposed(e: OnnxBuilder, x: Value, perm: Sequence[int]) -> Value:
    """x with its axes in another order; of a constant, and of what is a constant in another type, the constant's."""
    if list(perm) == list(range(len(perm))):
        return x
    constant, made = const_of(x), x.producer
    if constant is not None and isinstance(made, core.Constant) and made.element is None:
        return e.constant(recipes.transpose(constant, tuple(perm)))
    if isinstance(made, core.Constant) and made.element is not None and constant is not None:
        element = made.element.transposed(tuple(perm))
        return e.constant(recipes.transpose(constant, tuple(perm)), element=element)
    if isinstance(made, core.Cast) and const_of(made.x) is not None:
        return e.cast(transposed(e, made.x, perm), made.dtype)
    if isinstance(made, core.Dequantize) and const_of(made.x) is not None:
        return e.y(core.Dequantize(transposed(e, made.x, perm)))
    return e.y(core.Transpose(x, perm=tuple(perm)))


@RULES.rule(core.Concat)
def concat(op: core.Concat, e: OnnxBuilder) -> Value:
    """Concat."""
    return e.one("Concat", op.xs, op.y.type, axis=op.axis)


@RULES.rule(core.Split)
def split(op: core.Split, e: OnnxBuilder) -> list[Value]:
    """Split by sizes, one of which may be what is left."""
    sizes: list[Part] = list(op.sizes)
    if -1 in op.sizes:
        have, others = e.dim(op.x, op.axis), sum(n for n in op.sizes if n >= 0)
        sizes[op.sizes.index(-1)] = have - others if isinstance(have, int) else e.sub(have, others)
    return e.op("Split", [op.x, e.vector(sizes)], [y.type for y in op.ys], axis=op.axis)


@RULES.rule(core.Tile)
def tile(op: core.Tile, e: OnnxBuilder) -> Value:
    """Tile."""
    return e.one("Tile", [op.x, e.int64(op.repeats)], op.y.type)


@RULES.rule(core.Reverse)
def reverse(op: core.Reverse, e: OnnxBuilder) -> Value:
    """Slice with steps of -1."""
    if not op.axes:
        return e.one("Identity", [op.x], op.y.type)
    count, low, high = len(op.axes), np.iinfo(np.int64).min, np.iinfo(np.int64).max
    bounds = [e.ints([high] * count), e.ints([int(low)] * count), e.ints(op.axes), e.ints([-1] * count)]
    return e.one("Slice", [op.x, *bounds], op.y.type)


@RULES.rule(core.ReverseSequence)
def reverse_sequence(op: core.ReverseSequence, e: OnnxBuilder) -> Value:
    """ReverseSequence, whose axes are the first two."""
    rank = rank_of(op.x, "the operand of a reversal")
    rest = [i for i in range(rank) if i not in (op.time_axis, op.batch_axis)]
    if {op.time_axis, op.batch_axis} == {0, 1}:
        perm = list(range(rank))
    else:
        perm = [op.batch_axis, op.time_axis, *rest]
    x = e.transpose(op.x, perm)
    axes = {"time_axis": perm.index(op.time_axis), "batch_axis": perm.index(op.batch_axis)}
    y = e.one("ReverseSequence", [x, e.int64(op.lengths)], x.tensor, **axes)
    return e.transpose(y, [perm.index(i) for i in range(rank)])


@RULES.rule(core.Range)
def range_(op: core.Range, e: OnnxBuilder) -> Value:
    """Range; of floats whose number is computed in their own type, that is done beside it: runtimes take float64."""
    dtype = op.y.tensor.dtype
    if not dtype.is_float or op.wide:
        return e.one("Range", [op.start, op.limit, op.step], op.y.type)
    start, limit, step = (e.scalar(v) for v in (op.start, op.limit, op.step))
    count = e.cast(e.y(core.Ceil(e.div(e.sub(limit, start), step))), DType.I64)
    steps = e.arange(e.maximum(e.reshape(count, [1]), 0))
    wide = [e.cast(v, DType.F64) for v in (start, steps, step)]
    return e.cast(e.add(wide[0], e.mul(wide[1], wide[2])), dtype)


@RULES.rule(core.DepthToSpace)
def depth_to_space(op: core.DepthToSpace, e: OnnxBuilder) -> Value:
    """DepthToSpace, channels first."""
    if op.layout == "NHWC":
        x = transposed(e, op.x, (0, 3, 1, 2))
        y = e.y(core.DepthToSpace(x, block_size=op.block_size, layout="NCHW", mode=op.mode))
        return e.transpose(y, (0, 2, 3, 1))
    if _has_kernel(e, op.x):
        return e.one("DepthToSpace", [op.x], op.y.type, blocksize=op.block_size, mode=op.mode.upper())
    b, (n, c, h, w) = op.block_size, e.dims(op.x)
    rest = c // (b * b) if isinstance(c, int) else e.div(c, b * b)
    cut, perm = ([b, b, rest], (0, 3, 4, 1, 5, 2)) if op.mode == "dcr" else ([rest, b, b], (0, 1, 4, 2, 5, 3))
    x = e.transpose(e.reshape(op.x, [n, *cut, h, w]), perm)
    return e.reshape(x, [n, rest, e.prod([h, b]), e.prod([w, b])])


@RULES.rule(core.SpaceToDepth)
def space_to_depth(op: core.SpaceToDepth, e: OnnxBuilder) -> Value:
    """SpaceToDepth, channels first."""
    if op.layout == "NHWC":
        x = transposed(e, op.x, (0, 3, 1, 2))
        y = e.y(core.SpaceToDepth(x, block_size=op.block_size, layout="NCHW"))
        return e.transpose(y, (0, 2, 3, 1))
    if _has_kernel(e, op.x):
        return e.one("SpaceToDepth", [op.x], op.y.type, blocksize=op.block_size)
    b, (n, c, h, w) = op.block_size, e.dims(op.x)
    high, wide = (s // b if isinstance(s, int) else e.div(s, b) for s in (h, w))
    x = e.transpose(e.reshape(op.x, [n, c, high, b, wide, b]), (0, 3, 5, 1, 2, 4))
    return e.reshape(x, [n, e.prod([c, b, b]), high, wide])


def _has_kernel(e: OnnxBuilder, x: Value) -> bool:
    """The runtime cuts and joins blocks of such elements: ONNX Runtime does not of wide integers."""
    return e.version.profile != "ort" or x.tensor.dtype not in (DType.I64, DType.U64, DType.I32, DType.U32)


@RULES.rule(core.SpaceToBatch)
def space_to_batch(op: core.SpaceToBatch, e: OnnxBuilder) -> Value:
    """Padded, cut into blocks by a reshape, blocks first by a transpose."""
    block, rank = op.block_size, rank_of(op.x, "the operand")
    m = len(block)
    none = e.constant(np.zeros((1, 2), np.int64))
    after = e.constant(np.zeros((rank - 1 - m, 2), np.int64))
    x = e.y(core.Pad(op.x, e.concat([none, e.int64(op.pads), after], 0), e.asarray(0, op.x)))
    sizes = e.dims(x)
    cut: list[Part] = [sizes[0]]
    for size, b in zip(sizes[1 : m + 1], block, strict=True):
        cut += [size // b if isinstance(size, int) else e.div(size, b), b]
    y = e.reshape(x, [*cut, *sizes[m + 1 :]])
    perm = [*range(2, 2 * m + 1, 2), 0, *range(1, 2 * m, 2), *range(2 * m + 1, rank + m)]
    y = e.transpose(y, perm)
    return e.reshape(y, [e.prod([sizes[0], *block]), *cut[1::2], *sizes[m + 1 :]])


@RULES.rule(core.BatchToSpace)
def batch_to_space(op: core.BatchToSpace, e: OnnxBuilder) -> Value:
    """The inverse of space_to_batch, and a slice."""
    block, rank = op.block_size, rank_of(op.x, "the operand")
    m, count = len(block), int(np.prod(op.block_size))
    sizes = e.dims(op.x)
    batch = sizes[0] // count if isinstance(sizes[0], int) else e.div(sizes[0], count)
    y = e.reshape(op.x, [*block, batch, *sizes[1:]])
    perm = [m]
    for i in range(m):
        perm += [m + 1 + i, i]
    y = e.transpose(y, [*perm, *range(2 * m + 1, rank + m)])
    spread = [s * b if isinstance(s, int) else e.mul(s, b) for s, b in zip(sizes[1 : m + 1], block, strict=True)]
    y = e.reshape(y, [batch, *spread, *sizes[m + 1 :]])
    crops = e.int64(op.crops)
    bounds: dict[int, tuple[Part | None, Part | None, int]] = {}
    for i, size in enumerate(spread):
        first = e.reshape(e.slice(crops, {0: (i, i + 1, 1), 1: (0, 1, 1)}), [1])
        last = e.reshape(e.slice(crops, {0: (i, i + 1, 1), 1: (1, 2, 1)}), [1])
        bounds[i + 1] = (first, e.sub(e.vector([size]), last), 1)
    return e.slice(y, bounds)


@RULES.rule(core.Bitcast)
def bitcast(op: core.Bitcast, e: OnnxBuilder) -> Value | NoMatch:
    """Cast between integers of one width keeps the bits; BitCast from opset 26 on does for all."""
    have, want = op.x.tensor.dtype, op.dtype
    if have is want:
        return e.one("Identity", [op.x], op.y.type)
    if have.bits != want.bits:
        raise refuse(f"ONNX has no way from {have.display} to the bits of {want.display}, of another width")
    if _SAME_SIZE.get(have, have) is _SAME_SIZE.get(want, want):
        return e.cast(op.x, want)
    if have.is_complex or want.is_complex:
        return NOT_MEANT
    return e.one("BitCast", [op.x], op.y.type, since=26, to=NUMBERS[want])
