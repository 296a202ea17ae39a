"""Reductions, running sums and what else goes along axes."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.reduce import AlongAxis, Reduce, Scan
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tf.builder import TfBuilder, rank_of
from mlconv.rewrite import Rules

RULES = Rules()

REDUCE = {
    core.ReduceSum: "Sum",
    core.ReduceMean: "Mean",
    core.ReduceMax: "Max",
    core.ReduceMin: "Min",
    core.ReduceProd: "Prod",
    core.ReduceAny: "Any",
    core.ReduceAll: "All",
}
_LAST = {core.Softmax: "Softmax", core.LogSoftmax: "LogSoftmax"}


@RULES.rule(*REDUCE)
def reduce(op: Reduce, e: TfBuilder) -> Value:
    """An op of its own; of integers the mean is the sum, in 64 bits, divided towards zero."""
    if not op.axes:
        return e.identity(op.x)
    if isinstance(op, core.ReduceMean) and op.x.tensor.dtype.is_int:
        total = e.y(core.ReduceSum(e.cast(op.x, DType.I64), axes=op.axes, keepdims=op.keepdims))
        count = e.prod([e.dim(op.x, a) for a in op.axes])
        return e.cast(e.div(total, count), op.y.tensor.dtype)
    return e.one(REDUCE[type(op)], [op.x, e.ints(op.axes)], op.y.type, keep_dims=bool(op.keepdims))


@RULES.rule(core.ArgMax, core.ArgMin)
def arg(op: core.ArgMax | core.ArgMin, e: TfBuilder) -> Value:
    """ArgMax, ArgMin, the first of equals: the last one is the first from the end."""
    name = "ArgMax" if isinstance(op, core.ArgMax) else "ArgMin"
    shape, axis = op.y.tensor.shape, op.axis
    x = e.y(core.Reverse(op.x, axes=(axis,))) if op.select_last else op.x
    flat = shape if shape is None or not op.keepdims else (*shape[:axis], *shape[axis + 1 :])
    t = op.y.tensor.with_shape(flat).with_dtype(DType.I64)
    y = e.one(name, [x, e.number(axis)], t)
    if op.select_last:
        last = e.sub(e.vector([e.dim(op.x, axis)]), 1)
        y = e.sub(e.reshape(last, []), y)
    y = e.cast(y, op.dtype)
    return e.expand_dims(y, axis) if op.keepdims else y


@RULES.rule(core.CumSum, core.CumProd)
def running(op: Scan, e: TfBuilder) -> Value:
    """Cumsum, Cumprod."""
    name = "Cumsum" if isinstance(op, core.CumSum) else "Cumprod"
    flags = {"exclusive": bool(op.exclusive), "reverse": bool(op.reverse)}
    return e.one(name, [op.x, e.number(op.axis)], op.y.type, **flags)


@RULES.rule(*_LAST)
def along_last(op: AlongAxis, e: TfBuilder) -> Value:
    """Softmax and its logarithm are of the last axis."""
    rank = rank_of(op.x, "the operand of a softmax")
    axis = op.axis % rank
    perm = [*(i for i in range(rank) if i != axis), axis]
    x = e.transpose(op.x, perm)
    y = e.one(_LAST[type(op)], [x], x.tensor)
    return e.transpose(y, [perm.index(i) for i in range(rank)])


@RULES.rule(core.Lrn)
def lrn(op: core.Lrn, e: TfBuilder) -> Value:
    """LRN of images with channels last, as many on either side; else spelled out."""
    rank = rank_of(op.x, "the operand of a normalization over channels")
    if rank == 4 and op.axis % rank == 3 and op.radius == op.radius_after:
        numbers = {"bias": float(op.bias), "alpha": float(op.alpha), "beta": float(op.beta)}
        return e.one("LRN", [op.x], op.y.type, depth_radius=op.radius, **numbers)
    x, axis, size = op.x, op.axis % rank, e.dim(op.x, op.axis)
    squares = e.pad(e.mul(x, x), [(op.radius, op.radius_after) if i == axis else (0, 0) for i in range(rank)])
    total: Value | None = None
    for k in range(op.radius + op.radius_after + 1):
        part = e.slice_axis(squares, axis, k, k + size if isinstance(size, int) else e.add(size, k))
        total = part if total is None else e.add(total, part)
    scale = e.add(e.mul(squares if total is None else total, op.alpha), op.bias)
    return e.div(x, e.y(core.Pow(scale, e.asarray(op.beta, x))))
