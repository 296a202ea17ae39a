"""Reads by computed positions, and resizing, which is a few such reads for each cell."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel import View, dense
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.legalize.to_kernel.emit import Emit, Expr, dims, fixed, refuse

MAX_TAPS = 8


def gather_elements(op: core.GatherElements, e: Emit) -> Value:
    """Each place of the result has its own index."""
    shape, out = dims(op.x), dims(op.y)
    axis, strides = op.axis % len(shape), dense(shape)

    def build(x: Expr) -> int:
        position = x.load(op.indices, View(0, dense(out)))
        return x.load_at(op.x, View(0, tuple(0 if i == axis else s for i, s in enumerate(strides))), position, strides[axis], shape[axis])

    return e.map(op.y.tensor, build)


def gather_nd(op: core.GatherNd, e: Emit) -> Value:
    """The indices of the leading axes are joined into one position."""
    shape, index, batch = dims(op.x), dims(op.indices), op.batch_dims
    depth, strides, places = index[-1], dense(shape), dense(index)
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
            at = x.op("select", negative, x.with_number("add", at, size), at, dtype=DType.I64)
            at = x.with_number("minimum", x.with_number("maximum", at, 0), size - 1)
            at = x.with_number("mul", at, stride // joined)
            position = at if position < 0 else x.op("add", position, at)
        view = View(0, (*strides[:batch], *(0,) * (len(index) - 1 - batch), *strides[batch + depth :]))
        return x.load_at(op.x, view, position, joined, math.prod(shape[batch : batch + depth]))

    if depth == 0:
        raise refuse("gather_nd without indices")
    return e.map(op.y.tensor, build, extents)


def one_hot(op: core.OneHot, e: Emit) -> Value:
    """Each place compares its index with its position along the new axis."""
    out = dims(op.y)
    axis, depth = op.axis % len(out), int(fixed(op.depth, "the depth").reshape(-1)[0])
    source = dense(dims(op.indices))
    view = View(0, (*source[:axis], 0, *source[axis:]))
    table = e.constant(np.arange(depth, dtype=np.int64))

    def build(x: Expr) -> int:
        at = x.cast(x.load(op.indices, view), DType.I64)
        position = x.load(table, View(0, tuple(int(i == axis) for i in range(len(out)))))
        here = x.op("equal", at, position, dtype=DType.BOOL)
        on, off = (x.load(v, View(0, (0,) * len(out))) for v in (op.on, op.off))
        return x.op("select", here, on, off, dtype=op.y.tensor.dtype)

    return e.map(op.y.tensor, build)


def resize(op: core.Resize, e: Emit) -> Value:
    """Along each axis in turn: every cell is a sum of a few cells with fixed weights, which the op's own meaning gives for unit vectors."""
    dtype = op.x.tensor.dtype
    if op.roi is not None or (op.mode != "nearest" and dtype is not DType.F32):
        raise refuse(f"resize of mode {op.mode} of {dtype.display}" + (" with a region" if op.roi is not None else ""))
    sizes = [int(s) for s in fixed(op.sizes, "the size").reshape(-1)]
    x = op.x
    for i, axis in enumerate(op.axes):
        n = dims(x)[axis]
        if sizes[i] == n and op.scales is None:
            continue
        attributes = {**op.attributes, "axes": (0,), "scales": None if op.scales is None else (op.scales[i],)}
        single = core.Resize(e.constant(np.eye(n, dtype=np.float32)), e.ints([sizes[i]]), **attributes)
        weights = single.eval(np.eye(n, dtype=np.float32), np.asarray([sizes[i]], np.int64))
        single.erase()
        x = _taps(x, axis, weights, e)
    return x if x is not op.x else e.alias(x, op.y.tensor)


def _taps(x: Value, axis: int, weights: Array, e: Emit) -> Value:
    """y[.., o, ..] = sum over t of x[.., at_t[o], ..] * w_t[o].  weights: [o, n]."""
    count = max(1, int((weights != 0).sum(1).max()))
    if count > MAX_TAPS:
        raise refuse(f"resize with {count} cells for one, more than {MAX_TAPS}")
    order = np.argsort(weights == 0, axis=1, kind="stable")[:, :count]
    factors = np.take_along_axis(weights, order, 1)
    shape = dims(x)
    out = (*shape[:axis], len(weights), *shape[axis + 1 :])
    along = View(0, tuple(int(i == axis) for i in range(len(shape))))
    strides = dense(shape)
    source = View(0, tuple(0 if i == axis else s for i, s in enumerate(strides)))
    tables = [(e.constant(order[:, t].astype(np.int32)), e.constant(factors[:, t].astype(np.float32))) for t in range(count)]
    plain = count == 1 and bool((factors == 1).all())

    def build(b: Expr) -> int:
        total = -1
        for at, factor in tables:
            cell = b.load_at(x, source, b.load(at, along), strides[axis], shape[axis])
            if not plain:
                cell = b.op("mul", cell, b.load(factor, along))
            total = cell if total < 0 else b.op("add", total, cell)
        return total

    return e.map(x.tensor.with_shape(out), build)


RULES: dict[type[OpDef], Callable[[Any, Emit], Value]] = {
    core.GatherElements: gather_elements, core.GatherNd: gather_nd, core.Resize: resize, core.OneHot: one_hot,
}  # fmt: skip
