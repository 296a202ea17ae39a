"""Reductions, scans, softmax.  Source: tensorflow/core/ops/math_ops.cc, nn_ops.cc."""

from __future__ import annotations

from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf import at_run_time
from mlconv.legalize.from_tf.support import add, axes_of, axis_of, dtype_of, family, mul, rank_of, sub
from mlconv.legalize.source import SourceNode

FAMILY: Final = family()
REDUCE: Final = {
    "Sum": core.ReduceSum,
    "Mean": core.ReduceMean,
    "Max": core.ReduceMax,
    "Min": core.ReduceMin,
    "Prod": core.ReduceProd,
    "Any": core.ReduceAny,
    "All": core.ReduceAll,
}


@FAMILY.op(*REDUCE)
def reduce(n: SourceNode) -> Value:
    """No axes reduce nothing."""
    x = n.operand(0)
    if n.const_or_none(1) is None:
        make = REDUCE[n.kind]
        return at_run_time.reduce(n, x, n.operand(1), lambda v, axis: n.emit(make(v, axes=(axis,), keepdims=True)).y, n.attr("keep_dims"))
    axes = axes_of(n, 1, rank_of(x)) if rank_of(x) else ()
    return n.emit(REDUCE[n.kind](x, axes=axes, keepdims=n.attr("keep_dims"))).y if axes else x


@FAMILY.op("EuclideanNorm")
def euclidean_norm(n: SourceNode) -> Value:
    x = n.operand(0)
    total = n.emit(core.ReduceSum(mul(n, x, x), axes=axes_of(n, 1, rank_of(x)), keepdims=n.attr("keep_dims"))).y
    return n.emit(core.Sqrt(total)).y


@FAMILY.op("L2Loss")
def l2_loss(n: SourceNode) -> Value:
    x = n.operand(0)
    total = n.emit(core.ReduceSum(mul(n, x, x), axes=tuple(range(rank_of(x))))).y
    return mul(n, total, n.like(0.5, x))


@FAMILY.op("ArgMax", "ArgMin")
def arg(n: SourceNode) -> Value:
    x = n.operand(0)
    dtype = dtype_of(n, "output_type")
    wide = dtype if dtype in (DType.I32, DType.I64) else DType.I32
    make = core.ArgMax if n.kind == "ArgMax" else core.ArgMin
    axis = axis_of(n, 1, rank_of(x)) if n.has(1) else 0
    return n.cast(n.emit(make(x, axis=axis, dtype=wide)).y, dtype)


@FAMILY.op("Cumsum", "Cumprod")
def scan(n: SourceNode) -> Value:
    x = n.operand(0)
    make = core.CumSum if n.kind == "Cumsum" else core.CumProd
    return n.emit(make(x, axis=axis_of(n, 1, rank_of(x)), exclusive=n.attr("exclusive"), reverse=n.attr("reverse"))).y


@FAMILY.op("CumulativeLogsumexp")
def cumulative_logsumexp(n: SourceNode) -> Value:
    """log(cumsum(exp(x))), shifted by the largest element."""
    x = n.operand(0)
    axis = axis_of(n, 1, rank_of(x))
    top = n.emit(core.ReduceMax(x, axes=(axis,), keepdims=True)).y
    total = n.emit(core.CumSum(n.emit(core.Exp(sub(n, x, top))).y, axis=axis, exclusive=n.attr("exclusive"), reverse=n.attr("reverse"))).y
    return add(n, n.emit(core.Log(total)).y, top)


@FAMILY.op("Softmax")
def softmax(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.emit(core.Softmax(x, axis=rank_of(x) - 1)).y


@FAMILY.op("LogSoftmax")
def log_softmax(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.emit(core.LogSoftmax(x, axis=rank_of(x) - 1)).y
