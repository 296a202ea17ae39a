"""Reductions, scans and normalizations.

Sources: kernels/reduce.cc, arg_min_max.cc, cumsum.cc, activations.cc (SOFTMAX and LOG_SOFTMAX along the last axis
only), local_response_norm.cc.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.reduce import AlongAxis, Arg, Reduce, Scan
from mlconv.ir.core import Value
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.running import running_products
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.dtypes_table import DELEGATE_RANK
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules, remake
from mlconv.rewrite.core_builder import CoreBuilder

RULES = Rules()
FIRST = Rules()

REDUCE = {
    core.ReduceSum: "SUM",
    core.ReduceMean: "MEAN",
    core.ReduceMax: "REDUCE_MAX",
    core.ReduceMin: "REDUCE_MIN",
    core.ReduceProd: "REDUCE_PROD",
    core.ReduceAny: "REDUCE_ANY",
    core.ReduceAll: "REDUCE_ALL",
}


@RULES.rule(*REDUCE)
def reduce(op: Reduce, e: TflBuilder) -> Value:
    """One kernel; more than six dimensions are merged first."""
    x, shape = op.x, shape_of(op.x)
    if not op.axes or not shape:
        return e.copy(x)
    if 0 in shape and isinstance(op, (core.ReduceMax, core.ReduceMin)) and op.x.tensor.dtype is DType.F32:
        # The kernel starts from the lowest finite number, core from infinity.
        return e.broadcast_to(
            e.asarray(-math.inf if isinstance(op, core.ReduceMax) else math.inf, x), shape_of(op.y), x
        )
    axes = tuple(sorted({a % len(shape) for a in op.axes}))
    if len(shape) <= DELEGATE_RANK:
        return e.one(REDUCE[type(op)], [x, e.ints(axes)], op.y.type, keep_dims=op.keepdims)
    groups: list[list[int]] = []
    for i in range(len(shape)):
        if groups and (i in axes) == (groups[-1][0] in axes):
            groups[-1].append(i)
        else:
            groups.append([i])
    if len(groups) > DELEGATE_RANK:
        raise refuse(f"reduction of {x.tensor} over {list(axes)} needs more than {DELEGATE_RANK} dimensions")
    merged = e.reshape(x, tuple(product([shape[i] for i in g]) for g in groups))
    y = e.y(remake(op, [merged], axes=tuple(k for k, g in enumerate(groups) if g[0] in axes), keepdims=False))
    return e.reshape(y, shape_of(op.y), x)


@RULES.rule(core.ArgMax, core.ArgMin)
def arg(op: Arg, e: TflBuilder) -> Value:
    """ARG_MAX, ARG_MIN take the first of equals and drop the axis."""
    x, shape = op.x, shape_of(op.x)
    axis = op.axis % max(len(shape), 1)
    if op.select_last:
        x = e.y(core.Reverse(x, axes=(axis,)))
    dtype = op.dtype if op.dtype in (DType.I32, DType.I64) else DType.I64
    kept = tuple(d for i, d in enumerate(shape) if i != axis)
    name = "ARG_MAX" if isinstance(op, core.ArgMax) else "ARG_MIN"
    if not shape:
        return e.constant(0, op.dtype)
    y = e.one(
        name, [x, e.ints([axis])], TensorType(dtype, kept), output_type="INT32" if dtype is DType.I32 else "INT64"
    )
    if op.select_last:
        last = e.cast(e.y(core.Sub(e.size(shape[axis], x), e.ints([1]))), dtype)
        y = e.y(core.Sub(e.reshape(last, ()), y))
    y = e.cast(y, op.dtype)
    return e.reshape(y, shape_of(op.y), op.x) if op.keepdims else y


@FIRST.rule(core.ArgMax, core.ArgMin)
def arg_wide(op: Arg, e: TflBuilder) -> list[Value] | NoMatch:
    """int64, uint32 and int16: TOPK_V2 finds the index."""
    if op.x.tensor.dtype not in (DType.I64, DType.U32, DType.I16, DType.U16):
        return NOT_MEANT
    x, shape = op.x, shape_of(op.x)
    axis = op.axis % max(len(shape), 1)
    if op.select_last:
        x = e.y(core.Reverse(x, axes=(axis,)))
    top = e.emit(core.TopK(x, e.i(1), axis=axis, largest=isinstance(op, core.ArgMax), index_dtype=DType.I32))
    y = top.indices
    if op.select_last:
        y = e.y(core.Sub(e.y(core.Sub(e.size(shape[axis], x), e.ints([1]))), y))
    y = e.cast(y, op.dtype)
    return [y if op.keepdims else e.reshape(y, shape_of(op.y), op.x)]


@RULES.rule(core.CumSum)
def cumsum(op: core.CumSum, e: TflBuilder) -> Value:
    """CUMSUM."""
    return e.one(
        "CUMSUM", [op.x, e.i(op.axis % len(shape_of(op.x)))], op.y.type, exclusive=op.exclusive, reverse=op.reverse
    )


@RULES.rule(core.CumProd)
def cumprod(op: core.CumProd, e: TflBuilder) -> Value:
    """TFLite has no running product."""
    return doubling(op, e, core.Mul, 1.0)


def doubling(op: Scan, e: TflBuilder, combine: type[OpDef], neutral: float) -> Value:
    """A scan: after step k each element holds the combination of the 2^k elements up to it; along an open axis, by a
    loop.
    """
    shape = shape_of(op.x)
    axis = op.axis % len(shape)
    size = shape[axis]
    if not isinstance(size, int):
        return running_products(CoreBuilder(e.builder), op, neutral, combine)
    x = e.y(core.Reverse(op.x, axes=(axis,))) if op.reverse else op.x
    if op.exclusive:
        x = _shift(e, x, axis, 1, size, neutral)
    step = 1
    while step < size:
        x = e.y(combine(x, _shift(e, x, axis, step, size, neutral)))
        step *= 2
    return e.y(core.Reverse(x, axes=(axis,))) if op.reverse else x


def _shift(e: TflBuilder, x: Value, axis: int, step: int, size: int, neutral: float) -> Value:
    """x moved by `step` towards the end of the axis, the neutral element in front."""
    if step >= size:
        return e.broadcast_to(e.asarray(neutral, x), shape_of(x), x)
    pads = np.zeros((len(shape_of(x)), 2), np.int32)
    pads[axis, 0] = step
    front = e.slice_axis(x, axis, 0, size - step)
    return e.y(core.Pad(front, e.constant(pads, DType.I32), e.asarray(neutral, x)))


@RULES.rule(core.Softmax, core.LogSoftmax)
def softmax(op: AlongAxis, e: TflBuilder) -> Value:
    """The kernels work along the last axis."""
    rank = len(shape_of(op.x))
    axis = op.axis % rank
    if axis != rank - 1:
        perm = [i for i in range(rank) if i != axis] + [axis]
        back = [perm.index(i) for i in range(rank)]
        return e.transpose(e.y(remake(op, [e.transpose(op.x, perm)], axis=rank - 1)), back)
    if rank > 4:
        flat = e.reshape(op.x, (product(list(shape_of(op.x)[:-1])), shape_of(op.x)[-1]))
        return e.reshape(e.y(remake(op, [flat], axis=1)), shape_of(op.x), op.x)
    if isinstance(op, core.LogSoftmax):
        return e.one("LOG_SOFTMAX", [op.x], op.y.type)
    return e.one("SOFTMAX", [op.x], op.y.type, beta=1.0)


@RULES.rule(core.Lrn)
def lrn(op: core.Lrn, e: TflBuilder) -> Value:
    """LOCAL_RESPONSE_NORMALIZATION along the last of four axes with a symmetric window; else a sum of shifted
    squares.
    """
    x, rank = op.x, len(shape_of(op.x))
    axis = op.axis % rank
    if axis != rank - 1:
        perm = [i for i in range(rank) if i != axis] + [axis]
        back = [perm.index(i) for i in range(rank)]
        return e.transpose(e.y(remake(op, [e.transpose(x, perm)], axis=rank - 1)), back)
    # the kernel does not give NaN for a negative base
    if op.radius == op.radius_after and rank == 4 and op.alpha >= 0 and op.bias > 0:
        options = {"bias": float(op.bias), "alpha": float(op.alpha), "beta": float(op.beta)}
        return e.one("LOCAL_RESPONSE_NORMALIZATION", [x], op.y.type, radius=op.radius, **options)
    channels = shape_of(x)[axis]
    if not isinstance(channels, int):
        raise refuse(f"LRN over {channels} channels with the window {op.radius} before and {op.radius_after} after")
    pads = np.zeros((rank, 2), np.int32)
    pads[axis] = op.radius, op.radius_after
    squares = e.y(core.Pad(e.y(core.Mul(x, x)), e.constant(pads, DType.I32), e.asarray(0, x)))
    total = e.slice_axis(squares, axis, 0, channels)
    for i in range(1, op.radius + op.radius_after + 1):
        total = e.y(core.Add(total, e.slice_axis(squares, axis, i, i + channels)))
    base = e.y(core.Add(e.y(core.Mul(total, e.asarray(op.alpha, x))), e.asarray(op.bias, x)))
    return e.y(core.Div(x, e.y(core.Pow(base, e.asarray(op.beta, x)))))
