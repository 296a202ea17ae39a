"""Reads by computed positions, and resizing, which is a few such reads for each element."""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel import LoopNestOp, Step, View, dense
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, dims, fixed, number, sizes
from mlconv.rewrite import Rules

RULES = Rules()

MAX_TAPS = 8


@RULES.rule(core.GatherElements)
def gather_elements(op: core.GatherElements, e: KernelBuilder) -> Value:
    """Each place of the result has its own index."""
    shape, out = sizes(op.x), sizes(op.y)
    axis, strides = op.axis % len(shape), dense(shape)

    def build(x: Expr) -> int:
        position = x.load(op.indices, View(0, dense(out)))
        return x.load_at(
            op.x,
            View(0, tuple(0 if i == axis else s for i, s in enumerate(strides))),
            position,
            strides[axis],
            shape[axis],
        )

    return e.map(op.y.tensor, build)


@RULES.rule(core.GatherNd)
def gather_nd(op: core.GatherNd, e: KernelBuilder) -> Value:
    """The indices of the leading axes are joined into one position."""
    shape, index, batch = sizes(op.x), sizes(op.indices), op.batch_dims
    depth, strides, places = number(index[-1], "the number of indices"), dense(shape), dense(index)
    inner = shape[batch + depth :]
    extents = (*index[:-1], *inner)
    joined = strides[batch + depth - 1] if depth else 1

    def build(x: Expr) -> int:
        position = -1
        for i in range(depth):
            size, stride = shape[batch + i], strides[batch + i]
            at = x.load(op.indices, View(i, (*places[:-1], *(0,) * len(inner))))
            at = x.cast(at, DType.I64)
            negative = x.op("less", at, x.const(DType.I64, 0), dtype=DType.BOOL)
            at = x.op("select", negative, x.op("add", at, x.size(DType.I64, size)), at, dtype=DType.I64)
            at = x.op("minimum", x.with_number("maximum", at, 0), x.size(DType.I64, size - 1))
            at = x.op("mul", at, x.size(DType.I64, stride // joined))
            position = at if position < 0 else x.op("add", position, at)
        view = View(0, (*strides[:batch], *(0,) * (len(index) - 1 - batch), *strides[batch + depth :]))
        return x.load_at(op.x, view, position, joined, product(shape[batch : batch + depth]))

    if depth == 0:
        inner_strides = strides[batch:]
        return e.copy(
            op.x, op.y.tensor, View(0, (*strides[:batch], *(0,) * (len(index) - 1 - batch), *inner_strides)), extents
        )
    return e.map(op.y.tensor, build, extents)


@RULES.rule(core.OneHot)
def one_hot(op: core.OneHot, e: KernelBuilder) -> Value:
    """Each place compares its index with its position along the new axis."""
    out = sizes(op.y)
    axis, depth = op.axis % len(out), int(fixed(op.depth, "the depth").reshape(-1)[0])
    source = dense(sizes(op.indices))
    view = View(0, (*source[:axis], 0, *source[axis:]))
    check_table((depth,), "the list of classes")
    table = e.constant(np.arange(depth, dtype=np.int64))

    def build(x: Expr) -> int:
        at = x.cast(x.load(op.indices, view), DType.I64)
        position = x.load(table, View(0, tuple(int(i == axis) for i in range(len(out)))))
        here = x.op("equal", at, position, dtype=DType.BOOL)
        on, off = (x.load(v, View(0, (0,) * len(out))) for v in (op.on, op.off))
        return x.op("select", here, on, off, dtype=op.y.tensor.dtype)

    return e.map(op.y.tensor, build)


@RULES.rule(core.ReverseSequence)
def reverse_sequence(op: core.ReverseSequence, e: KernelBuilder) -> Value:
    """The place along the time axis is counted back from the row's length, where it is below it."""
    shape, strides = dims(op.x), dense(dims(op.x))
    time, batch, n = op.time_axis % len(shape), op.batch_axis % len(shape), dims(op.x)[op.time_axis]
    check_table((n,), "the list of places")
    places = e.constant(np.arange(n, dtype=np.int64))

    def build(x: Expr) -> int:
        length = x.cast(x.load(op.lengths, View(0, tuple(int(i == batch) for i in range(len(shape))))), DType.I64)
        at = x.load(places, View(0, tuple(int(i == time) for i in range(len(shape)))))
        length = x.with_number("minimum", length, n)
        turned = x.with_number("sub", x.op("sub", length, at), 1)
        at = x.op("select", x.op("less", at, length, dtype=DType.BOOL), turned, at, dtype=DType.I64)
        return x.load_at(
            op.x, View(0, tuple(0 if i == time else s for i, s in enumerate(strides))), at, strides[time], n
        )

    return e.map(op.y.tensor, build)


@RULES.rule(core.DynamicSlice)
def dynamic_slice(op: core.DynamicSlice, e: KernelBuilder) -> Value:
    """A copy from a place that is computed; it is moved so that the slice fits."""
    shape, out, strides = dims(op.x), dims(op.y), dense(dims(op.x))

    def build(x: Expr) -> int:
        position = -1
        for i, (size, count, stride) in enumerate(zip(shape, out, strides, strict=True)):
            at = x.cast(x.load(op.begin, View(i, (0,) * len(out))), DType.I64)
            at = x.with_number("minimum", x.with_number("maximum", at, 0), size - count)
            at = x.with_number("mul", at, stride)
            position = at if position < 0 else x.op("add", position, at)
        return x.load_at(op.x, View(0, strides), position, 1, math.prod(shape))

    return e.alias(op.x, op.y.tensor) if not shape else e.map(op.y.tensor, build)


@RULES.rule(core.Range)
def range_(op: core.Range, e: KernelBuilder) -> Value:
    """start + i * step, in float64 or int64."""
    dtype = op.y.tensor.dtype
    wide = DType.F64 if dtype.is_float else DType.I64
    places = _places(op, wide, e)

    def build(x: Expr) -> int:
        start, step = (x.cast(x.load(v, View(0, (0,))), wide) for v in (op.start, op.step))
        return x.op("cast", x.op("add", start, x.op("mul", x.load(places, View(0, (1,))), step)), dtype=dtype)

    return e.map(op.y.tensor, build)


def _places(op: core.Range, dtype: DType, e: KernelBuilder) -> Value:
    """0, 1, ...: a table, or counted where the size is known at run time."""
    if op.y.tensor.is_static:
        check_table(dims(op.y), "the list of numbers")
        return e.constant(np.arange(dims(op.y)[0]).astype(dtype.numpy))
    ones = e.map(op.y.tensor.with_dtype(dtype), lambda x: x.const(dtype, 1))
    return e.y(core.CumSum(ones, axis=0, exclusive=True))


@RULES.rule(core.Resize)
def resize(op: core.Resize, e: KernelBuilder) -> Value:
    """Along each axis in turn: every element is a sum of a few elements with fixed weights, which the op's own meaning
    gives for unit vectors.
    """
    dtype = op.x.tensor.dtype
    wanted = [int(s) for s in fixed(op.sizes, "the size").reshape(-1)]
    nearest = op.mode == "nearest"
    wide = dtype if nearest else DType.F64 if dtype.is_int or dtype is DType.F64 else DType.F32
    x = op.x if wide is dtype else e.y(core.Cast(op.x, dtype=wide))
    outside = np.zeros([1] * len(sizes(x)), bool)
    for i, axis in enumerate(op.axes):
        n = number(sizes(x)[axis], "the image")
        if op.keeps(i, n, wanted[i]):
            continue
        spots = op.positions(i, n, wanted[i])
        if op.coordinates == "tf_crop_and_resize":
            outside = outside | ((spots < 0) | (spots > n - 1)).reshape(
                [-1 if a == axis else 1 for a in range(outside.ndim)]
            )
        if nearest:
            x = _taps(x, axis, op.nearest(spots, n)[:, None], None, e)
            continue
        elements, weights = op.taps(i, n, wanted[i])
        x = (
            _taps(x, axis, elements, weights, e)
            if elements.shape[1] <= MAX_TAPS
            else _mixed(x, axis, op.weights(i, n, wanted[i]), e)
        )
    if outside.any():
        x = e.y(
            core.Select(
                e.constant(np.ascontiguousarray(outside)),
                e.constant(np.asarray(op.extrapolation, x.tensor.dtype.numpy)),
                x,
            )
        )
    if wide is not dtype:
        x = e.y(core.Cast(e.y(core.Round(x)) if dtype.is_int else x, dtype=dtype))
    return x if x is not op.x else e.alias(x, op.y.tensor)


def _taps(x: Value, axis: int, elements: Array, weights: Array | None, e: KernelBuilder) -> Value:
    """y[.., o, ..] = sum over t of x[.., elements[o, t], ..] * weights[o, t]: just these elements are read, whatever
    their weight, since 0 times infinity is NaN.
    """
    shape, strides, dtype = sizes(x), dense(sizes(x)), x.tensor.dtype
    out = (*shape[:axis], len(elements), *shape[axis + 1 :])
    along = View(0, tuple(int(i == axis) for i in range(len(shape))))
    source = View(0, tuple(0 if i == axis else s for i, s in enumerate(strides)))
    factors = [None] * elements.shape[1] if weights is None else [e.constant(w.astype(dtype.numpy)) for w in weights.T]
    tables = [(e.constant(at.astype(np.int32)), factor) for at, factor in zip(elements.T, factors, strict=True)]

    def build(b: Expr) -> int:
        total = -1
        for at, factor in tables:
            element = b.load_at(x, source, b.load(at, along), strides[axis], shape[axis])
            if factor is not None:
                element = b.op("mul", element, b.load(factor, along))
            total = element if total < 0 else b.op("add", total, element)
        return total

    return e.map(x.tensor.with_shape(out), build)


def _mixed(x: Value, axis: int, weights: Array, e: KernelBuilder) -> Value:
    """y[.., o, ..] = sum over n of x[.., n, ..] * weights[o, n]."""
    shape, strides, rank = sizes(x), dense(sizes(x)), len(sizes(x))
    out = (*shape[:axis], len(weights), *shape[axis + 1 :])
    operands: list[Value] = []
    body = Expr(operands)
    table = e.constant(weights.astype(x.tensor.dtype.numpy))
    element = body.load(x, View(0, (*(0 if i == axis else s for i, s in enumerate(strides)), strides[axis])))
    body.op(
        "mul", element, body.load(table, View(0, (*(weights.shape[1] if i == axis else 0 for i in range(rank)), 1)))
    )
    step = Step((*out, weights.shape[1]), 1, "add", body.program(), (), View(0, dense(out)))
    return e.kernel(LoopNestOp(operands, (step,), x.tensor.with_shape(out)))
