"""Ops that move data.  Source: tensorflow/core/ops/array_ops.cc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.base import normalize_axis
from mlconv.dialects.core.places import check_places
from mlconv.ir.core import Value
from mlconv.ir.dims import floordiv
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.from_tf import at_run_time
from mlconv.legalize.from_tf.dilated import dilated_conv
from mlconv.legalize.from_tf.elementwise import conjugate
from mlconv.legalize.from_tf.operands import (
    axes_of,
    axis_of,
    dim_value,
    folded,
    pairs,
    rank_of,
    reshape,
    shape_of,
    static_shape,
    tf_rules,
)
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


@RULES.rule("Reshape")
def reshape_op(n: SourceNode) -> Value:
    return n.emit(core.Reshape(n.operand(0), folded(n, 1))).y


@RULES.rule("ExpandDims")
def expand_dims(n: SourceNode) -> Value:
    x = n.operand(0)
    if n.const_or_none(1) is None:
        return at_run_time.expand_dims(n, x, n.operand(1))
    return n.expand_dims(x, axis_of(n, 1, rank_of(x) + 1))


@RULES.rule("Squeeze")
def squeeze_op(n: SourceNode) -> Value:
    """Without axes, every dimension that is known to be 1 goes."""
    x = n.operand(0)
    shape = shape_of(x)
    listed = n.attr("squeeze_dims", ()) or n.attr("axis", ())
    axes = (
        sorted({normalize_axis(a, len(shape)) for a in listed})
        if listed
        else [i for i, d in enumerate(shape) if d == 1]
    )
    if not listed and static(shape) is None:
        raise ConversionError(
            Code.ShapeNotStatic, f"Squeeze without axes needs a static shape, the input is {x.tensor}"
        )
    return n.squeeze(x, *axes) if axes else x


@RULES.rule("Transpose", "ConjugateTranspose")
def transpose_op(n: SourceNode) -> Value:
    x = n.operand(0)
    if n.const_or_none(1) is None:
        y = at_run_time.transpose(n, x, n.operand(1))
    else:
        y = n.transpose(x, [normalize_axis(a, rank_of(x)) for a in n.ints(1)])
    return y if n.kind == "Transpose" else conjugate(n, y)


@RULES.rule("Pack")
def pack(n: SourceNode) -> Value:
    axis = normalize_axis(n.attr("axis"), rank_of(n.operand(0)) + 1)
    return n.concat([n.expand_dims(x, axis) for x in n.operands()], axis)


@RULES.rule("Unpack")
def unpack(n: SourceNode) -> Sequence[Value]:
    x, count = n.operand(0), n.attr("num")
    axis = normalize_axis(n.attr("axis"), rank_of(x))
    if count == 0:
        return []
    parts = n.split(x, (1,) * count, axis) if count > 1 else [x]
    return [n.squeeze(part, axis) for part in parts]


@RULES.rule("ConcatV2")
def concat_v2(n: SourceNode) -> Value:
    """The axis comes last."""
    values = n.operands()[:-1]
    return _concat(n, values, n.n_operands - 1)


@RULES.rule("Concat")
def concat_v1(n: SourceNode) -> Value:
    """The axis comes first."""
    return _concat(n, n.operands(1), 0)


def _concat(n: SourceNode, values: list[Value], axis_operand: int) -> Value:
    rank = next((v.tensor.rank for v in values if v.tensor.rank is not None), None)
    if rank is None:
        raise ConversionError(
            Code.ShapeNotStatic,
            f"the rank of the inputs of {n.kind} must be known",
            help="give the input's shape with --shape NAME=...",
        )
    return n.concat(values, axis_of(n, axis_operand, rank))


@RULES.rule("Split")
def split(n: SourceNode) -> Sequence[Value]:
    """Operands: axis, x; equal parts."""
    x, count = n.operand(1), n.attr("num_split")
    shape = shape_of(x)
    axis = axis_of(n, 0, len(shape))
    whole = shape[axis]
    if count == 1:
        return [x]
    if isinstance(whole, int):
        if whole % count:
            raise ConversionError(
                Code.ShapeMismatch, f"axis {axis} of {x.tensor} does not split into {count} equal parts"
            )
        return n.split(x, (whole // count,) * count, axis)
    parts = reshape(n, x, [*shape[:axis], count, floordiv(whole, count), *shape[axis + 1 :]])
    return [n.squeeze(p, axis) for p in n.emit(core.Split(parts, sizes=(1,) * count, axis=axis)).ys]


@RULES.rule("SplitV")
def split_v(n: SourceNode) -> Sequence[Value]:
    """Operands: x, sizes (one may be -1), axis."""
    x = n.operand(0)
    axis = axis_of(n, 2, rank_of(x))
    if n.attr("num_split") == 1:
        return [x]
    if n.const_or_none(1) is not None:
        sizes = n.ints(1)
        whole = shape_of(x)[axis]
        if -1 in sizes and isinstance(whole, int):
            rest = whole - sum(s for s in sizes if s != -1)
            sizes = tuple(rest if s == -1 else s for s in sizes)
        return n.split(x, sizes, axis)
    return _split_at_run_time(n, x, axis)


def _split_at_run_time(n: SourceNode, x: Value, axis: int) -> list[Value]:
    sizes = n.cast(n.operand(1), DType.I64)
    rank = rank_of(x)
    begin: Value = n.constant(0, DType.I64)
    parts: list[Value] = []
    for i in range(n.attr("num_split")):
        size = n.emit(core.Gather(sizes, n.constant(i, DType.I64), axis=0)).y
        begins = n.stack([begin if a == axis else 0 for a in range(rank)])
        counts = n.stack([size if a == axis else -1 for a in range(rank)])
        parts.append(n.emit(core.DynamicSlice(x, begins, counts)).y)
        begin = n.add(begin, size)
    return parts


@RULES.rule("Slice")
def slice_(n: SourceNode) -> Value:
    return n.emit(core.DynamicSlice(n.operand(0), folded(n, 1), folded(n, 2))).y


def _clamped_start(n: SourceNode, x: Value, start: Value, sizes: Value) -> Value:
    """Starts moved so that a window of `sizes` stays inside (XLA's rule)."""
    room = n.sub(n.emit(core.ShapeOf(x)).y, sizes)
    return n.emit(core.Maximum(n.emit(core.Minimum(n.cast(start, DType.I64), room)).y, n.constant(0, DType.I64))).y


@RULES.rule("XlaDynamicSlice")
def xla_dynamic_slice(n: SourceNode) -> Value:
    """Operands: x, starts, sizes."""
    x, sizes = n.operand(0), n.cast(folded(n, 2), DType.I64)
    return n.emit(core.DynamicSlice(x, _clamped_start(n, x, n.operand(1), sizes), sizes)).y


@RULES.rule("XlaDynamicUpdateSlice")
def xla_dynamic_update_slice(n: SourceNode) -> Value:
    """Operands: x, update, starts.  The update's elements are scattered to their index tuples."""
    x, update = n.operand(0), n.operand(1)
    start = _clamped_start(n, x, n.operand(2), n.emit(core.ShapeOf(update)).y)
    rank = rank_of(x)
    places: list[Value] = []
    grid = n.emit(core.ShapeOf(update)).y
    for axis in range(rank):
        first = n.emit(core.Gather(start, n.constant(axis, DType.I64), axis=0)).y
        along = n.add(at_run_time.positions(n, update, axis), first)
        places.append(n.expand_dims(n.emit(core.BroadcastTo(along, grid)).y, rank))
    return n.emit(core.ScatterNd(x, n.concat(places, rank), update)).y


@RULES.rule("Pad", "PadV2")
def pad(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.emit(core.Pad(x, pairs(n, 1), n.operand(2) if n.has(2) else n.asarray(0, x))).y


@RULES.rule("MirrorPad")
def mirror_pad(n: SourceNode) -> Value:
    x, mode = n.operand(0), n.attr("mode").lower()
    amounts = n.const_or_none(1)
    for size, most in zip(shape_of(x), () if amounts is None else amounts.reshape(-1, 2).max(1), strict=False):
        if isinstance(size, int) and most > size - (mode == "reflect"):
            raise ConversionError(
                Code.ShapeMismatch,
                f"MirrorPad of {x.tensor}: {int(most)} elements are more than an axis of size "
                f"{size} has for mode {mode}",
            )
    return n.emit(core.Pad(x, pairs(n, 1), n.asarray(0, x), mode=mode)).y


@RULES.rule("Tile")
def tile(n: SourceNode) -> Value:
    return n.emit(core.Tile(n.operand(0), folded(n, 1))).y


@RULES.rule("ReverseV2")
def reverse_v2(n: SourceNode) -> Value:
    x = n.operand(0)
    axes = axes_of(n, 1, rank_of(x))
    return n.emit(core.Reverse(x, axes=axes)).y if axes else x


@RULES.rule("Reverse")
def reverse(n: SourceNode) -> Value:
    """Operand 1: one bool per axis."""
    flags = n.const(1).reshape(-1)
    axes = tuple(i for i, f in enumerate(flags) if f)
    return n.emit(core.Reverse(n.operand(0), axes=axes)).y if axes else n.operand(0)


@RULES.rule("ReverseSequence")
def reverse_sequence(n: SourceNode) -> Value:
    x = n.operand(0)
    rank = rank_of(x)
    time, batch = (normalize_axis(n.attr(a), rank) for a in ("seq_dim", "batch_dim"))
    check_places(n.operand(1), shape_of(x)[time] + 1, "lengths", low=0)
    return n.emit(core.ReverseSequence(x, n.operand(1), time_axis=time, batch_axis=batch)).y


@RULES.rule("Roll")
def roll(n: SourceNode) -> Value:
    """Operands: x, shift, axis; elements that leave at one end come in at the other."""
    x = n.operand(0)
    if n.const_or_none(2) is None:
        for axis, shift in enumerate(at_run_time.roll_shifts(n, n.operand(1), n.operand(2), rank_of(x))):
            x = _roll_at_run_time(n, x, axis, shift)
        return x
    axes = [normalize_axis(a, rank_of(x)) for a in n.ints(2)]
    if n.const_or_none(1) is None:
        shifts = n.emit(core.Reshape(n.cast(n.operand(1), DType.I64), n.vector([-1]))).y
        for i, axis in enumerate(axes):
            x = _roll_at_run_time(n, x, axis, n.emit(core.Gather(shifts, n.constant(i, DType.I64), axis=0)).y)
        return x
    for axis, amount in zip(axes, n.ints(1), strict=True):
        size = shape_of(x)[axis]
        if not isinstance(size, int):
            x = _roll_at_run_time(n, x, axis, n.constant(amount, DType.I64))
        elif size and amount % size:
            back = amount % size
            x = n.concat([n.slice_axis(x, axis, size - back, None), n.slice_axis(x, axis, None, size - back)], axis)
    return x


def _roll_at_run_time(n: SourceNode, x: Value, axis: int, shift: Value) -> Value:
    """y[i] = x[(i - shift) mod size]."""
    size = dim_value(n, x, axis)
    positions = n.emit(core.Range(n.constant(0, DType.I64), size, n.constant(1, DType.I64))).y
    index = n.emit(core.FloorMod(n.sub(positions, shift), size)).y
    return n.emit(core.Gather(x, index, axis=axis)).y


@RULES.rule("DepthToSpace", "SpaceToDepth")
def depth_space(n: SourceNode) -> Value:
    make = core.DepthToSpace if n.kind == "DepthToSpace" else core.SpaceToDepth
    layout = n.attr("data_format", "NHWC")
    if layout not in ("NHWC", "NCHW"):
        raise n.unsupported(f"data_format {layout}")
    return n.emit(make(n.operand(0), block_size=n.attr("block_size"), layout=layout)).y


@RULES.rule("SpaceToBatchND")
def space_to_batch_nd(n: SourceNode) -> Value:
    if n.const_or_none(1) is None:
        return at_run_time.space_to_batch(n, *n.operands())
    return n.emit(core.SpaceToBatch(n.operand(0), pairs(n, 2), block_size=n.ints(1))).y


@RULES.rule("BatchToSpaceND")
def batch_to_space_nd(n: SourceNode) -> Value:
    if n.const_or_none(1) is None:
        return at_run_time.batch_to_space(n, *n.operands())
    dilated = dilated_conv(n)
    if dilated is not None:
        return dilated
    return n.emit(core.BatchToSpace(n.operand(0), pairs(n, 2), block_size=n.ints(1))).y


@RULES.rule("SpaceToBatch")
def space_to_batch(n: SourceNode) -> Value:
    block = n.attr("block_size")
    return n.emit(core.SpaceToBatch(n.operand(0), pairs(n, 1), block_size=(block, block))).y


@RULES.rule("BatchToSpace")
def batch_to_space(n: SourceNode) -> Value:
    block = n.attr("block_size")
    return n.emit(core.BatchToSpace(n.operand(0), pairs(n, 1), block_size=(block, block))).y


@RULES.rule("InvertPermutation")
def invert_permutation(n: SourceNode) -> Value:
    """y[x[i]] = i."""
    x = n.operand(0)
    (count,) = static_shape(x, "the permutation")
    dtype = x.tensor.dtype
    places = n.expand_dims(x, 1)
    return n.emit(
        core.ScatterNd(
            n.constant([*[0] * count], dtype),
            places,
            n.constant([*range(count)], dtype),
        )
    ).y


@RULES.rule("ConcatOffset")
def concat_offset(n: SourceNode) -> Sequence[Value]:
    """Where each operand of a concatenation begins; operand 0 is the axis, the others are shapes."""
    axis = n.ints(0)[0]
    shapes = n.operands(1)
    rank = static_shape(shapes[0], "a shape operand")[0]
    axis = normalize_axis(axis, rank)
    mask = n.constant([int(i == axis) for i in range(rank)], shapes[0].tensor.dtype)
    total = n.constant([*[0] * rank], shapes[0].tensor.dtype)
    out: list[Value] = []
    for shape in shapes:
        out.append(total)
        total = n.add(total, n.emit(core.Mul(shape, mask)).y)
    return out
