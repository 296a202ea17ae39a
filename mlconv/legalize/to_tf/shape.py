"""Ops that reorder, join, repeat and make tensors."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.pixel_channels import by_places
from mlconv.legalize.to_tf.builder import TfBuilder
from mlconv.rewrite import Rewriter, Rules

RULES = Rules()


@RULES.rule(core.ShapeOf)
def shape_of(op: core.ShapeOf, e: TfBuilder) -> Value:
    """Shape, of int32 or int64."""
    dtype = op.dtype if op.dtype in (DType.I32, DType.I64) else DType.I64
    return e.cast(e.one("Shape", [op.x], op.y.tensor.with_dtype(dtype), T=op.x.tensor.dtype), op.dtype)


@RULES.rule(core.Reshape)
def reshape(op: core.Reshape, e: TfBuilder) -> Value:
    """Reshape, whose sizes are taken as they are."""
    return e.one("Reshape", [op.x, *e.indices(op.shape)], op.y.type, T=op.x.tensor.dtype)


@RULES.rule(core.BroadcastTo)
def broadcast_to(op: core.BroadcastTo, e: TfBuilder) -> Value:
    """BroadcastTo; of one number Fill."""
    shape = e.indices(op.shape)[0]
    if op.x.tensor.shape == ():
        return e.one("Fill", [shape, op.x], op.y.type)
    return e.one("BroadcastTo", [op.x, shape], op.y.type)


@RULES.rule(core.ExpandDims)
def expand_dims(op: core.ExpandDims, e: TfBuilder) -> Value:
    """ExpandDims, one axis after another; a reshape where sizes are known."""
    sizes = static(op.y.tensor.shape)
    if len(op.axes) != 1 and sizes is not None:
        return e.reshape(op.x, sizes) if op.axes else e.identity(op.x)
    y = op.x
    for axis in sorted(op.axes):
        shape = y.tensor.shape
        t = y.tensor.with_shape(None if shape is None else (*shape[:axis], 1, *shape[axis:]))
        y = e.one("ExpandDims", [y, e.number(axis)], t, T=t.dtype)
    return e.identity(y) if y is op.x else y


@RULES.rule(core.Squeeze)
def squeeze(op: core.Squeeze, e: TfBuilder) -> Value:
    """Squeeze; without axes it would remove every dimension of size 1.  In front of a transpose, rather than behind it:
    TFLiteConverter 2.21 ends over some of the latter with open sizes.
    """
    if not op.axes:
        return e.identity(op.x)
    made = op.x.producer
    if isinstance(made, core.Transpose) and op.x.has_one_use and const_of(made.x) is None:
        gone = {made.perm[axis] for axis in op.axes}
        left = sorted(set(made.perm) - gone)
        perm = [left.index(p) for p in made.perm if p not in gone]
        if isinstance(e.builder, Rewriter):
            e.builder.fuse(made)
        y = e.transpose(e.squeeze(made.x, *gone), perm)
        return e.identity(y) if y is made.x else y
    return e.one("Squeeze", [op.x], op.y.type, T=op.x.tensor.dtype, squeeze_dims=tuple(op.axes))


@RULES.rule(core.Transpose)
def transpose(op: core.Transpose, e: TfBuilder) -> Value:
    """Transpose; constants are stored in the other order."""
    constant = const_of(op.x)
    if constant is not None and constant.dtype is not DType.STRING:
        return e.constant(recipes.transpose(constant, tuple(op.perm)))
    return e.one("Transpose", [op.x, e.ints(op.perm)], op.y.type, T=op.x.tensor.dtype)


def transposed(e: TfBuilder, x: Value, perm: Sequence[int]) -> Value:
    """x with its axes in another order; of a constant, and of what is a constant in another type, the constant's."""
    if list(perm) == list(range(len(perm))):
        return x
    constant, made = const_of(x), x.producer
    if constant is not None:
        return e.constant(recipes.transpose(constant, tuple(perm)))
    if isinstance(made, core.Cast) and const_of(made.x) is not None:
        return e.cast(transposed(e, made.x, perm), made.dtype)
    return e.transpose(x, perm)


@RULES.rule(core.Concat)
def concat(op: core.Concat, e: TfBuilder) -> Value:
    """ConcatV2, of two tensors or more."""
    if len(op.xs) == 1:
        return e.identity(op.xs[0])
    return e.one("ConcatV2", [*op.xs, e.number(op.axis)], op.y.type, T=op.y.tensor.dtype)


@RULES.rule(core.Split)
def split(op: core.Split, e: TfBuilder) -> list[Value]:
    """SplitV; Split into equal parts.  One size may be what is left."""
    axis, types = e.number(op.axis), [y.type for y in op.ys]
    if len(types) == 1:
        return [e.identity(op.x)]
    if len(set(op.sizes)) == 1 and -1 not in op.sizes:
        return e.op("Split", [axis, op.x], types, T=op.x.tensor.dtype)
    return e.op("SplitV", [op.x, e.ints(op.sizes), axis], types, T=op.x.tensor.dtype)


@RULES.rule(core.Tile)
def tile(op: core.Tile, e: TfBuilder) -> Value:
    """Tile."""
    return e.one("Tile", [op.x, *e.indices(op.repeats)], op.y.type)


@RULES.rule(core.Reverse)
def reverse(op: core.Reverse, e: TfBuilder) -> Value:
    """ReverseV2."""
    if not op.axes:
        return e.identity(op.x)
    return e.one("ReverseV2", [op.x, e.ints(op.axes)], op.y.type)


@RULES.rule(core.ReverseSequence)
def reverse_sequence(op: core.ReverseSequence, e: TfBuilder) -> Value:
    """ReverseSequence."""
    axes = {"seq_dim": op.time_axis, "batch_dim": op.batch_axis}
    lengths = op.lengths if op.lengths.tensor.dtype is DType.I32 else e.cast(op.lengths, DType.I64)
    return e.one("ReverseSequence", [op.x, lengths], op.y.type, T=op.x.tensor.dtype, **axes)


@RULES.rule(core.Range)
def range_(op: core.Range, e: TfBuilder) -> Value:
    """Range, which counts in the element type; another number of floats is computed beside it."""
    if op.wide:
        start, limit, step = (e.cast(e.scalar(v), DType.F64) for v in (op.start, op.limit, op.step))
        count = e.cast(e.y(core.Ceil(e.div(e.sub(limit, start), step))), DType.I64)
        places = e.cast(e.arange(e.maximum(e.reshape(count, [1]), 0)), DType.F64)
        return e.cast(e.add(start, e.mul(places, step)), op.y.tensor.dtype)
    return e.one("Range", [e.scalar(v) for v in (op.start, op.limit, op.step)], op.y.type)


@RULES.rule(core.DepthToSpace)
def depth_to_space(op: core.DepthToSpace, e: TfBuilder) -> Value:
    """DepthToSpace, whose kernel is for channels last; `crd` has channels in the other order: so are those of the
    convolution in front, or they are cut anew.
    """
    if op.layout == "NCHW":
        x = e.transpose(op.x, (0, 2, 3, 1))
        y = e.y(core.DepthToSpace(x, block_size=op.block_size, layout="NHWC", mode=op.mode))
        return e.transpose(y, (0, 3, 1, 2))
    x, b = op.x, op.block_size
    moved = by_places(op, e) if op.mode == "crd" else x
    if moved is None:
        n, h, w, c = e.dims(x)
        rest = c // (b * b) if isinstance(c, int) else e.div(c, b * b)
        moved = e.reshape(e.transpose(e.reshape(x, [n, h, w, rest, b * b]), (0, 1, 2, 4, 3)), [n, h, w, c])
    return e.one("DepthToSpace", [moved], op.y.type, T=x.tensor.dtype, block_size=b)


@RULES.rule(core.SpaceToDepth)
def space_to_depth(op: core.SpaceToDepth, e: TfBuilder) -> Value:
    """SpaceToDepth, whose kernel is for channels last."""
    if op.layout == "NCHW":
        x = e.transpose(op.x, (0, 2, 3, 1))
        return e.transpose(e.y(core.SpaceToDepth(x, block_size=op.block_size, layout="NHWC")), (0, 3, 1, 2))
    return e.one("SpaceToDepth", [op.x], op.y.type, T=op.x.tensor.dtype, block_size=op.block_size)


@RULES.rule(core.SpaceToBatch)
def space_to_batch(op: core.SpaceToBatch, e: TfBuilder) -> Value:
    """SpaceToBatchND."""
    return e.one("SpaceToBatchND", [op.x, e.ints(op.block_size), *e.indices(op.pads)], op.y.type)


@RULES.rule(core.BatchToSpace)
def batch_to_space(op: core.BatchToSpace, e: TfBuilder) -> Value:
    """BatchToSpaceND."""
    return e.one("BatchToSpaceND", [op.x, e.ints(op.block_size), *e.indices(op.crops)], op.y.type)


@RULES.rule(core.RandomUniform, core.RandomNormal)
def random(op: core.RandomUniform | core.RandomNormal, e: TfBuilder) -> Value:
    """RandomUniform, RandomStandardNormal.  Seeds 0 and 0 are TensorFlow's choice."""
    name = "RandomUniform" if isinstance(op, core.RandomUniform) else "RandomStandardNormal"
    return e.one(name, e.indices(op.shape), op.y.type, seed=op.seed, seed2=op.seed2)
