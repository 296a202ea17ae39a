"""Reads by computed positions."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.kernel import View, dense
from mlconv.ir.core import Value
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, number, sizes
from mlconv.rewrite import Rules

RULES = Rules()


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
    axis = op.axis % len(out)
    source = dense(sizes(op.indices))
    view = View(0, (*source[:axis], 0, *source[axis:]))
    table = e.counted(out[axis], DType.I64)

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
    shape, strides = sizes(op.x), dense(sizes(op.x))
    time, batch, n = op.time_axis % len(shape), op.batch_axis % len(shape), sizes(op.x)[op.time_axis]
    places = e.counted(n, DType.I64)

    def build(x: Expr) -> int:
        length = x.cast(x.load(op.lengths, View(0, tuple(int(i == batch) for i in range(len(shape))))), DType.I64)
        at = x.load(places, View(0, tuple(int(i == time) for i in range(len(shape)))))
        length = x.op("minimum", length, x.size(DType.I64, n))
        turned = x.with_number("sub", x.op("sub", length, at), 1)
        at = x.op("select", x.op("less", at, length, dtype=DType.BOOL), turned, at, dtype=DType.I64)
        return x.load_at(
            op.x, View(0, tuple(0 if i == time else s for i, s in enumerate(strides))), at, strides[time], n
        )

    return e.map(op.y.tensor, build)


@RULES.rule(core.DynamicSlice)
def dynamic_slice(op: core.DynamicSlice, e: KernelBuilder) -> Value:
    """A copy from a place that is computed; it is moved so that the slice fits."""
    shape, out, strides = sizes(op.x), sizes(op.y), dense(sizes(op.x))

    def build(x: Expr) -> int:
        position = -1
        for i, (size, count, stride) in enumerate(zip(shape, out, strides, strict=True)):
            at = x.cast(x.load(op.begin, View(i, (0,) * len(out))), DType.I64)
            at = x.op("minimum", x.with_number("maximum", at, 0), x.size(DType.I64, size - count))
            at = x.op("mul", at, x.size(DType.I64, stride))
            position = at if position < 0 else x.op("add", position, at)
        return x.load_at(op.x, View(0, strides), position, 1, product(shape))

    return e.alias(op.x, op.y.tensor) if not shape else e.map(op.y.tensor, build)


@RULES.rule(core.Range)
def range_(op: core.Range, e: KernelBuilder) -> Value:
    """start + i * step, in float64 or int64."""
    dtype = op.y.tensor.dtype
    wide = DType.F64 if dtype.is_float else DType.I64
    places = e.counted(sizes(op.y)[0], wide)

    def build(x: Expr) -> int:
        start, step = (x.cast(x.load(v, View(0, (0,))), wide) for v in (op.start, op.step))
        return x.op("cast", x.op("add", start, x.op("mul", x.load(places, View(0, (1,))), step)), dtype=dtype)

    return e.map(op.y.tensor, build)
