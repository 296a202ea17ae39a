"""Reductions, running sums and what else goes along axes.

Until opset 17 the axes of reductions are an attribute, from 18 on an operand; those of ReduceSum are one since 13.
"""

from __future__ import annotations

from typing import Any

from mlconv.dialects import core
from mlconv.dialects.core.reduce import Reduce
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.running import running_products
from mlconv.legalize.to_onnx.builder import OnnxBuilder, rank_of
from mlconv.rewrite import Rules

RULES = Rules()

REDUCE = {
    core.ReduceSum: "ReduceSum",
    core.ReduceMax: "ReduceMax",
    core.ReduceMin: "ReduceMin",
    core.ReduceProd: "ReduceProd",
}


def reduced(e: OnnxBuilder, name: str, op: Reduce, x: Value, type_: TensorType) -> Value:
    """An operator over the axes of an op."""
    if not op.axes:
        return e.one("Identity", [x], type_)
    keepdims = int(op.keepdims)
    if name == "ReduceSum" or e.has(18):
        return e.one(name, [x, e.ints(op.axes)], type_, keepdims=keepdims)
    return e.one(name, [x], type_, axes=tuple(op.axes), keepdims=keepdims)


@RULES.rule(*REDUCE)
def reduce(op: Reduce, e: OnnxBuilder) -> Value:
    """An operator of its own."""
    return reduced(e, REDUCE[type(op)], op, op.x, op.y.tensor)


@RULES.rule(core.ReduceMean)
def mean(op: core.ReduceMean, e: OnnxBuilder) -> Value:
    """ReduceMean, GlobalAveragePool of images; of integers the sum, in 64 bits, divided towards zero."""
    x = op.x.tensor
    if x.rank == 4 and op.keepdims and sorted(op.axes) == [2, 3] and x.dtype in (DType.F16, DType.F32):
        return e.one("GlobalAveragePool", [op.x], op.y.type)
    if not x.dtype.is_int:
        return reduced(e, "ReduceMean", op, op.x, op.y.tensor)
    total = e.y(core.ReduceSum(e.cast(op.x, DType.I64), axes=op.axes, keepdims=op.keepdims))
    count = e.prod([e.dim(op.x, a) for a in op.axes])
    return e.cast(e.div(total, count), op.y.tensor.dtype)


@RULES.rule(core.ReduceAny, core.ReduceAll)
def truths(op: Reduce, e: OnnxBuilder) -> Value:
    """The largest, or the smallest, of 0 and 1 is above 0, which that of nothing is, too, where it should be."""
    make = core.ReduceMax if isinstance(op, core.ReduceAny) else core.ReduceMin
    return e.y(
        core.Greater(e.y(make(e.cast(op.x, DType.I32), axes=op.axes, keepdims=op.keepdims)), e.constant(0, DType.I32))
    )


@RULES.rule(core.ArgMax, core.ArgMin)
def arg(op: core.ArgMax | core.ArgMin, e: OnnxBuilder) -> Value:
    """ArgMax, ArgMin, which give int64."""
    name = "ArgMax" if isinstance(op, core.ArgMax) else "ArgMin"
    t = op.y.tensor.with_dtype(DType.I64)
    last = {"select_last_index": 1} if op.select_last else {}
    return e.cast(e.one(name, [op.x], t, axis=op.axis, keepdims=int(op.keepdims), **last), op.dtype)


@RULES.rule(core.CumSum)
def cumsum(op: core.CumSum, e: OnnxBuilder) -> Value:
    """CumSum."""
    flags = {"exclusive": int(op.exclusive), "reverse": int(op.reverse)}
    return e.one("CumSum", [op.x, e.constant(op.axis, DType.I64)], op.y.type, **flags)


@RULES.rule(core.CumProd)
def cumprod(op: core.CumProd, e: OnnxBuilder) -> Value:
    """Products of ever longer runs: after the step d each element is that of the 2d before it."""
    y, axis, size = op.x, op.axis, e.dim(op.x, op.axis)
    if not isinstance(size, int):
        return _own(e, running_products(e, op), op.x)
    if op.reverse:
        y = e.y(core.Reverse(y, axes=(axis,)))
    if op.exclusive:
        y = _behind_ones(e, y, axis, 1)
    step = 1
    while step < size:
        y = e.mul(y, _behind_ones(e, y, axis, step))
        step *= 2
    return e.y(core.Reverse(y, axes=(axis,))) if op.reverse else _own(e, y, op.x)


def _behind_ones(e: OnnxBuilder, x: Value, axis: int, count: int) -> Value:
    """x moved along an axis by some places, ones before it."""
    kept = e.slice_axis(x, axis, 0, -count)
    return e.pad(kept, [(count if i == axis else 0, 0) for i in range(rank_of(x, "x"))], 1)


def _own(e: OnnxBuilder, y: Value, x: Value) -> Value:
    """A value that is not the operand itself."""
    return e.one("Identity", [y], y.tensor) if y is x else y


@RULES.rule(core.Softmax)
def softmax(op: core.Softmax, e: OnnxBuilder) -> Value:
    """Softmax."""
    return e.one("Softmax", [op.x], op.y.type, axis=op.axis)


@RULES.rule(core.LogSoftmax)
def log_softmax(op: core.LogSoftmax, e: OnnxBuilder) -> Value:
    """LogSoftmax."""
    return e.one("LogSoftmax", [op.x], op.y.type, axis=op.axis)


@RULES.rule(core.Lrn)
def lrn(op: core.Lrn, e: OnnxBuilder) -> Value:
    """LRN sums (size - 1) // 2 channels before and the rest behind, along axis 1 (LRN-13); other sums are spelled
    out, and those of even sizes, or without a weight, for ONNX Runtime, which has none.
    """
    size = op.radius + op.radius_after + 1
    rank = rank_of(op.x, "the operand of a normalization over channels")
    if op.radius != (size - 1) // 2 or rank < 3 or (e.version.profile == "ort" and (size % 2 == 0 or op.alpha <= 0)):
        return _spelled_lrn(op, e, rank)
    perm = [i for i in range(rank) if i != op.axis]
    perm.insert(1, op.axis)
    x = e.transpose(op.x, perm)
    numbers: dict[str, Any] = {"alpha": op.alpha * size, "beta": float(op.beta), "bias": float(op.bias), "size": size}
    y = e.one("LRN", [x], x.tensor, **numbers)
    return e.transpose(y, [perm.index(i) for i in range(rank)])


def _spelled_lrn(op: core.Lrn, e: OnnxBuilder, rank: int) -> Value:
    x, size = op.x, e.dim(op.x, op.axis)
    pads = [(op.radius, op.radius_after) if i == op.axis else (0, 0) for i in range(rank)]
    squares = e.pad(e.mul(x, x), pads)
    total: Value | None = None
    for k in range(op.radius + op.radius_after + 1):
        end = k + size if isinstance(size, int) else e.add(size, k)
        part = e.slice_axis(squares, op.axis, k, end)
        total = part if total is None else e.add(total, part)
    scale = e.add(e.mul(total if total is not None else x, op.alpha), op.bias)
    return e.div(x, e.y(core.Pow(scale, e.asarray(op.beta, x))))
