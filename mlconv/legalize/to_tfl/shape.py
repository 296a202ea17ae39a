"""Ops that move data: reshape, transpose, concat, slices, pads, repeats.

Sources: kernels/reshape.cc, transpose.cc, concatenation.cc, strided_slice.cc, slice.cc, pad.cc, mirror_pad.cc, tile.cc,
broadcast_to.cc, reverse.cc, range.cc, depth_to_space.cc, space_to_batch_nd.cc.  Index operands are int32, which every
one of these kernels takes.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_one_at_most, static
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.pixel_channels import by_places
from mlconv.legalize.to_tfl.builder import TflBuilder, new_shape, refuse, resizable, scalar_of, shape_of
from mlconv.legalize.to_tfl.dtypes_table import DELEGATE_RANK, MAX_RANK
from mlconv.legalize.to_tfl.float_ranges import is_size, wide_range
from mlconv.legalize.to_tfl.front import expanded_front, front
from mlconv.legalize.to_tfl.slice_limits import INT32_MAX, saturated
from mlconv.rewrite import Rules, edit, remake
from mlconv.rewrite.core_builder import CoreBuilder

RULES = Rules()


@RULES.rule(core.ShapeOf)
def shape_of_op(op: core.ShapeOf, e: TflBuilder) -> Value:
    """SHAPE; a constant when the shape is known."""
    shape = static(op.x.tensor.shape)
    if shape is not None:
        return e.constant(np.asarray(shape, op.dtype.numpy), op.dtype)
    dtype = op.dtype if op.dtype in (DType.I32, DType.I64) else DType.I64
    y = e.one(
        "SHAPE", [op.x], TensorType(dtype, op.y.tensor.shape), out_type="INT32" if dtype is DType.I32 else "INT64"
    )
    return e.cast(y, op.dtype)


@RULES.rule(core.Reshape)
def reshape(op: core.Reshape, e: TflBuilder) -> Value:
    """RESHAPE: a constant shape with at most one size open, else the run-time shape."""
    out = op.y.tensor.shape
    constant = const_of(op.x)
    cut = expanded_front(e, op.x, out)
    if cut is not None:
        return cut
    if out is not None:
        open_sizes = [i for i, d in enumerate(out) if not isinstance(d, int)]
        if not open_sizes and constant is not None:
            return e.reshape(op.x, out)
        if len(open_sizes) <= 1 and not (open_sizes and 0 in out):
            sizes = resizable(op.x.tensor.shape, out)
            target = e.ints(sizes)
            return e.one("RESHAPE", [op.x, target], op.y.type, **new_shape(target))
    return e.one("RESHAPE", [op.x, e.i32(op.shape)], op.y.type)


@RULES.rule(core.ExpandDims, core.Squeeze)
def expand_squeeze(op: core.ExpandDims | core.Squeeze, e: TflBuilder) -> Value:
    """expand_dims and squeeze as RESHAPE, which every type and rank has; SQUEEZE, which asks, where the axis that goes
    has a size that is known at run time, and may be more than 1.
    """
    if isinstance(op, core.Squeeze) and any(not is_one_at_most(shape_of(op.x)[axis]) for axis in op.axes):
        return e.one("SQUEEZE", [op.x], op.y.type, squeeze_dims=op.axes)
    return expanded_front(e, op.x, op.y.tensor.shape) or e.reshape(op.x, _told(op), op.x)


def _told(op: core.ExpandDims | core.Squeeze | core.Transpose) -> Shape:
    """The shape of the result; sizes of which nothing is known are those of the operand, as it is now."""
    (now,) = op.inferred()
    own = now.shape if isinstance(now, TensorType) and now.shape is not None else shape_of(op.y)
    pairs = zip(shape_of(op.y), own, strict=True)
    return tuple(o if isinstance(d, Dim) and not d.is_known else d for d, o in pairs)


@RULES.rule(core.Transpose)
def transpose(op: core.Transpose, e: TflBuilder) -> Value:
    """TRANSPOSE of up to six dimensions, eight where nothing can be merged; axes that stay together are, and more are
    moved two groups at a time.
    """
    x, perm, shape = op.x, op.perm, shape_of(op.x)
    if list(perm) == sorted(perm):
        return e.copy(x)
    constant = const_of(x)
    if constant is not None:
        return e.transpose(x, perm)
    moving = [p for p in perm if shape[p] != 1]
    if moving == sorted(moving):
        return e.reshape(x, _told(op), x)
    if len(perm) <= DELEGATE_RANK:
        return e.one("TRANSPOSE", [x, e.ints(perm)], op.y.type)
    groups: list[list[int]] = []
    for p in perm:
        if groups and p == groups[-1][-1] + 1:
            groups[-1].append(p)
        else:
            groups.append([p])
    if len(groups) > MAX_RANK["transpose"]:
        head = [*groups[0], *groups[1]]
        first = [*head, *(i for i in range(len(perm)) if i not in head)]
        return e.transpose(e.transpose(x, first), [first.index(p) for p in perm])
    if len(groups) > DELEGATE_RANK and len(perm) <= MAX_RANK["transpose"]:
        return e.one("TRANSPOSE", [x, e.ints(perm)], op.y.type)
    order = sorted(range(len(groups)), key=lambda k: groups[k][0])
    merged = e.reshape(x, tuple(product([shape[i] for i in groups[k]]) for k in order))
    return e.reshape(e.transpose(merged, [order.index(k) for k in range(len(groups))]), _told(op), x)


@RULES.rule(core.Concat)
def concat(op: core.Concat, e: TflBuilder) -> Value:
    """CONCATENATION; of one operand nothing.  Operands without elements are left out (some kernels mishandle them)."""
    rank = len(shape_of(op.y))
    xs = [x for x in op.xs if 0 not in shape_of(x)]
    if not xs:
        return e.reshape(op.xs[0], shape_of(op.y), *op.xs)
    if len(xs) == 1:
        return e.copy(xs[0])
    y = op.y.tensor
    if rank > DELEGATE_RANK and (y.quant is not None or y.dtype in (DType.F32, DType.F16)):
        return _concat_flat(op, e)
    return e.one("CONCATENATION", xs, op.y.type, axis=op.axis)


def _concat_flat(op: core.Concat, e: TflBuilder) -> Value:
    """Axes before and after the joined one are merged."""
    axis = op.axis
    flat = []
    for x in op.xs:
        s = shape_of(x)
        flat.append(e.reshape(x, (product(list(s[:axis])), s[axis], product(list(s[axis + 1 :])))))
    return e.reshape(e.y(core.Concat(flat, axis=1)), shape_of(op.y), *op.xs)


@RULES.rule(core.Split)
def split(op: core.Split, e: TflBuilder) -> list[Value]:
    """SPLIT into equal parts, else SPLIT_V."""
    axis = op.axis % len(shape_of(op.x))
    types = [y.type for y in op.ys]
    if len(types) == 1:
        return [e.copy(op.x)]
    sizes = op.sizes
    whole = shape_of(op.x)[axis]
    if len(set(sizes)) == 1 and -1 not in sizes and isinstance(whole, int) and len(shape_of(op.x)) <= DELEGATE_RANK:
        return e.tfl("SPLIT", [e.i(axis), op.x], types, num_splits=len(types))
    return e.tfl("SPLIT_V", [op.x, e.ints(sizes), e.i(axis)], types, num_splits=len(types))


@RULES.rule(core.Slice)
def slice_(op: core.Slice, e: TflBuilder) -> Value:
    """STRIDED_SLICE has Python's meaning too; a negative end with a negative stride cannot mean "before the first" and
    is open instead.
    """
    strides = ints_of(op.strides)
    if strides is None:
        bounds = [e.i32(saturated(v, e)) for v in (op.begin, op.end, op.strides)]
        return e.one("STRIDED_SLICE", [op.x, *bounds], op.y.type, begin_mask=op.begin_mask, end_mask=op.end_mask)
    n = len(strides)
    begin_mask, end_mask = op.begin_mask, op.end_mask
    shape = shape_of(op.x)
    if 0 in shape_of(op.y) and 0 not in shape:
        return _nothing(op, e)
    if n == 0:
        return e.copy(op.x)
    begin, begin_mask = _bounds(op.begin, shape, strides, begin_mask, True)
    end, end_mask = _bounds(op.end, shape, strides, end_mask, False)
    if begin_mask == end_mask == (1 << n) - 1 and all(s == 1 for s in strides):
        return e.copy(op.x)
    b = e.i32(saturated(op.begin, e)) if begin is None else e.ints(begin)
    t = e.i32(saturated(op.end, e)) if end is None else e.ints(end)
    return e.one("STRIDED_SLICE", [op.x, b, t, e.ints(strides)], op.y.type, begin_mask=begin_mask, end_mask=end_mask)


def _nothing(op: core.Slice, e: TflBuilder) -> Value:
    """No elements, of a tensor that has some: XNNPACK takes a size of 0 for "up to the end" (`inferrable_sizes` in its
    test/static-slice.cc).
    """
    empty = [size == 0 for size in shape_of(op.y)]
    mask = sum(1 << i for i, none in enumerate(empty) if none)
    whole = e.y(
        core.Slice(op.x, op.begin, op.end, op.strides, begin_mask=op.begin_mask | mask, end_mask=op.end_mask | mask)
    )
    pairs = zip(shape_of(whole), shape_of(op.y), strict=True)
    edit.retype(whole, whole.tensor.with_shape(tuple(a if b == 0 else b for a, b in pairs)))  # wherever ends count from
    sizes = e.y(core.Mul(e.y(core.ShapeOf(whole, dtype=DType.I32)), e.ints([not none for none in empty])))
    return e.one("FILL", [sizes, e.asarray(0, op.x)], op.y.type)


def _bounds(
    bound: Value, shape: tuple[Size, ...], strides: tuple[int, ...], mask: int, is_begin: bool
) -> tuple[list[int] | None, int]:
    """Constant bounds clipped to int32, with those that mean "open" put into the mask; None when one is data."""
    known = known_ints(bound)
    if known is None:
        ints = ints_of(bound)
        if ints is None:
            return None, mask
        known = ints
    out: list[int] = []
    for i, (k, d, s) in enumerate(zip(known, shape, strides, strict=True)):
        if mask >> i & 1:
            out.append(0)
        elif k == d and not isinstance(k, int) and (s > 0) != is_begin:
            mask |= 1 << i
            out.append(0)
        elif not isinstance(k, int):
            return None, mask
        else:
            if _means_open(k, d, s, is_begin):
                mask |= 1 << i
                k = 0
            out.append(max(-INT32_MAX, min(INT32_MAX, k)))
    return out, mask


def _means_open(k: int, size: Size, stride: int, is_begin: bool) -> bool:
    """A bound beyond everything in the direction of the stride: as an end it is the end."""
    if (k >= INT32_MAX and (stride > 0) != is_begin) or (k <= -INT32_MAX and (stride < 0) != is_begin):
        return True
    if is_begin or not isinstance(size, int):
        return False
    return k >= size if stride > 0 else k < -size


@RULES.rule(core.DynamicSlice)
def dynamic_slice(op: core.DynamicSlice, e: TflBuilder) -> Value:
    """SLICE; STRIDED_SLICE for the front, which needs no sizes of whole axes."""
    if not shape_of(op.x):
        return e.copy(op.x)
    return front(e, op, shape_of(op.y)) or e.one("SLICE", [op.x, e.i32(op.begin), e.i32(op.size)], op.y.type)


@RULES.rule(core.UpdateSlice)
def update_slice(op: core.UpdateSlice, e: TflBuilder) -> Value:
    """DYNAMIC_UPDATE_SLICE."""
    if not op.begins:
        return e.copy(op.update)
    known = [ints_of(v) for v in op.begins]
    if None in known:
        begin = e.y(core.Concat([e.reshape(e.i32(v), (1,)) for v in op.begins], axis=0))
    else:
        begin = e.ints([n for numbers in known for n in numbers or ()])
    return e.one("DYNAMIC_UPDATE_SLICE", [op.x, op.update, begin], op.y.type)


@RULES.rule(core.Tile)
def tile(op: core.Tile, e: TflBuilder) -> Value:
    """TILE; BROADCAST_TO where axes of one element are repeated for sizes of the run, which others may have as well."""
    known = ints_of(op.repeats)
    if known is not None and all(k == 1 for k in known):
        return e.copy(op.x)
    if known is None and op.x.tensor.dtype is not DType.STRING and _repeats_units(op):
        shape = e.y(core.Mul(e.y(core.ShapeOf(op.x, dtype=op.repeats.tensor.dtype)), op.repeats))
        return e.one("BROADCAST_TO", [op.x, e.i32(shape)], op.y.type)
    return e.one("TILE", [op.x, e.i32(op.repeats)], op.y.type)


def _repeats_units(op: core.Tile) -> bool:
    shape, repeats = op.x.tensor.shape or (), known_ints(op.repeats) or ()
    return bool(repeats) and all(n == 1 or k == 1 for n, k in zip(shape, repeats, strict=True))


@RULES.rule(core.BroadcastTo)
def broadcast_to(op: core.BroadcastTo, e: TflBuilder) -> Value:
    """BROADCAST_TO, or FILL for a scalar; TILE for strings, which BROADCAST_TO refuses."""
    x, out = op.x, op.y.tensor.shape
    if out is not None and x.tensor.shape == out:
        return e.copy(x)
    fixed = static(out)
    shape = e.i32(op.shape) if fixed is None else e.ints(fixed)
    if x.tensor.shape == ():
        return e.one("FILL", [shape, x], op.y.type)
    if x.tensor.dtype is DType.STRING:
        return _repeated_strings(op, e)
    return e.one("BROADCAST_TO", [x, shape], op.y.type)


def _repeated_strings(op: core.BroadcastTo, e: TflBuilder) -> Value:
    given, out = shape_of(op.x), shape_of(op.y)
    given = (*(1,) * (len(out) - len(given)), *given)
    repeats: list[Size] = []
    for size, whole in zip(given, out, strict=True):
        if size not in (1, whole):
            raise ConversionError(
                Code.ShapeNotStatic,
                f"TFLite repeats strings so often as is known: {op.x.type} to {op.y.type}",
                operand=0,
            )
        repeats.append(1 if size == whole else whole)
    return e.one("TILE", [e.reshape(op.x, given), e.sizes(repeats, op.x)], op.y.type)


@RULES.rule(core.Reverse)
def reverse(op: core.Reverse, e: TflBuilder) -> Value:
    """REVERSE_V2 takes neighbouring axes: one op for each run."""
    x = op.x
    run: list[int] = []
    for axis in [*sorted(op.axes), -1]:
        if run and axis != run[-1] + 1:
            x = e.one("REVERSE_V2", [x, e.ints(run)], op.y.type)
            run = []
        run.append(axis)
    return x


@RULES.rule(core.ReverseSequence)
def reverse_sequence(op: core.ReverseSequence, e: TflBuilder) -> Value:
    """REVERSE_SEQUENCE."""
    rank = len(shape_of(op.x))
    return e.one(
        "REVERSE_SEQUENCE",
        [op.x, e.i32(op.lengths)],
        op.y.type,
        seq_dim=op.time_axis % rank,
        batch_dim=op.batch_axis % rank,
    )


@RULES.rule(core.Range)
def range_(op: core.Range, e: TflBuilder) -> Value:
    """RANGE, whose kernel refuses a limit on the wrong side of the start: such a range ends where it starts."""
    if op.wide:
        return wide_range(op, e)
    start, limit, step = (e.reshape(v, ()) for v in (op.start, op.limit, op.step))
    first, distance = scalar_of(start), scalar_of(step)
    if distance is not None and distance > 0 and first is not None and first <= 0 and is_size(op.limit):
        return e.one("RANGE", [start, limit, step], op.y.type)
    if distance is not None and distance != 0 and const_of(limit) is None:
        limit = e.y((core.Maximum if distance > 0 else core.Minimum)(limit, start))
    elif any(const_of(v) is None for v in (start, limit, step)):
        rising = e.y(core.Greater(step, e.asarray(0, step)))
        limit = e.y(core.Select(rising, e.y(core.Maximum(limit, start)), e.y(core.Minimum(limit, start))))
    return e.one("RANGE", [start, limit, step], op.y.type)


@RULES.rule(core.DepthToSpace)
def depth_to_space(op: core.DepthToSpace, e: TflBuilder) -> Value:
    """DEPTH_TO_SPACE is dcr and NHWC; crd orders the channels differently, which the convolution in front or one
    transpose repairs.
    """
    x, b = op.x, op.block_size
    if op.layout == "NCHW":
        y = e.y(remake(op, [e.transpose(x, (0, 2, 3, 1))], layout="NHWC"))
        return e.transpose(y, (0, 3, 1, 2))
    if op.mode == "crd":
        moved = by_places(op, CoreBuilder(e.builder))
        if moved is None:
            n, h, w, c = shape_of(x)
            parts = e.reshape(x, (n, h, w, c // (b * b), b * b))
            moved = e.reshape(e.transpose(parts, (0, 1, 2, 4, 3)), shape_of(x), x)
        return e.y(remake(op, [moved], mode="dcr"))
    return e.one("DEPTH_TO_SPACE", [x], op.y.type, block_size=b)


@RULES.rule(core.SpaceToDepth)
def space_to_depth(op: core.SpaceToDepth, e: TflBuilder) -> Value:
    """SPACE_TO_DEPTH."""
    if op.layout == "NCHW":
        y = e.y(remake(op, [e.transpose(op.x, (0, 2, 3, 1))], layout="NHWC"))
        return e.transpose(y, (0, 3, 1, 2))
    return e.one("SPACE_TO_DEPTH", [op.x], op.y.type, block_size=op.block_size)


@RULES.rule(core.SpaceToBatch, core.BatchToSpace)
def batch_space(op: core.SpaceToBatch | core.BatchToSpace, e: TflBuilder) -> Value:
    """SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND: rank 3 with one block dimension or rank 4 with two, else reshapes and
    transposes.
    """
    name, edges = (
        ("SPACE_TO_BATCH_ND", op.pads) if isinstance(op, core.SpaceToBatch) else ("BATCH_TO_SPACE_ND", op.crops)
    )
    rank, m = len(shape_of(op.x)), len(op.block_size)
    if rank == m + 2 and m in (1, 2):
        return e.one(name, [op.x, e.ints(op.block_size), e.i32(edges)], op.y.type)
    return _space_to_batch(op, e) if isinstance(op, core.SpaceToBatch) else _batch_to_space(op, e)


def _space_to_batch(op: core.SpaceToBatch, e: TflBuilder) -> Value:
    m, rank = len(op.block_size), len(shape_of(op.x))
    amounts = ints_of(op.pads)
    if amounts is None:
        raise refuse("pads of space_to_batch are not known at conversion time")
    pads = np.zeros((rank, 2), np.int32)
    pads[1 : 1 + m] = np.asarray(amounts).reshape(-1, 2)
    x = e.y(core.Pad(op.x, e.constant(pads, DType.I32), e.asarray(0, op.x)))
    sizes: list[Size] = [shape_of(x)[0]]
    for n, b in zip(shape_of(x)[1 : 1 + m], op.block_size, strict=True):
        sizes += [n // b, b]
    sizes += shape_of(x)[1 + m :]
    order = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)] + list(range(2 * m + 1, len(sizes)))
    return e.reshape(e.transpose(e.reshape(x, tuple(sizes)), order), shape_of(op.y), op.x)


def _batch_to_space(op: core.BatchToSpace, e: TflBuilder) -> Value:
    m, shape = len(op.block_size), shape_of(op.x)
    amounts = ints_of(op.crops)
    if amounts is None:
        raise refuse("crops of batch_to_space are not known at conversion time")
    crops = np.asarray(amounts).reshape(-1, 2)
    batch = shape[0] // math.prod(op.block_size)
    x = e.reshape(op.x, (*op.block_size, batch, *shape[1:]))
    order = [m]
    for i in range(m):
        order += [m + 1 + i, i]
    x = e.transpose(x, order + list(range(2 * m + 1, len(shape) + m)))
    x = e.reshape(x, (batch, *(s * b for s, b in zip(shape[1:], op.block_size, strict=False)), *shape[1 + m :]), op.x)
    for i, (lo, hi) in enumerate(crops):
        if lo or hi:
            x = e.slice_axis(x, 1 + i, int(lo), -int(hi) if hi else None)
    return x
