"""Reductions, scans, softmax.  Source: tensorflow/core/ops/math_ops.cc, nn_ops.cc."""

from __future__ import annotations

import math
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf import at_run_time
from mlconv.legalize.from_tf.operands import (
    axes_of,
    axis_of,
    dim_value,
    dtype_of,
    rank_of,
    shape_of,
    tf_rules,
)
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
REDUCE: Final = {
    "Sum": core.ReduceSum,
    "Mean": core.ReduceMean,
    "Max": core.ReduceMax,
    "Min": core.ReduceMin,
    "Prod": core.ReduceProd,
    "Any": core.ReduceAny,
    "All": core.ReduceAll,
}


@RULES.rule(*REDUCE)
def reduce(n: SourceNode) -> Value:
    """No axes reduce nothing."""
    x = n.operand(0)
    if n.const_or_none(1) is None:
        make = REDUCE[n.kind]
        return at_run_time.reduce(
            n, x, n.operand(1), lambda v, axis: n.emit(make(v, axes=(axis,), keepdims=True)).y, n.attr("keep_dims")
        )
    axes = axes_of(n, 1, rank_of(x)) if rank_of(x) else ()
    return n.emit(REDUCE[n.kind](x, axes=axes, keepdims=n.attr("keep_dims"))).y if axes else x


@RULES.rule("EuclideanNorm")
def euclidean_norm(n: SourceNode) -> Value:
    x = n.operand(0)
    total = n.emit(core.ReduceSum(n.mul(x, x), axes=axes_of(n, 1, rank_of(x)), keepdims=n.attr("keep_dims"))).y
    return n.emit(core.Sqrt(total)).y


@RULES.rule("L2Loss")
def l2_loss(n: SourceNode) -> Value:
    x = n.operand(0)
    total = n.emit(core.ReduceSum(n.mul(x, x), axes=tuple(range(rank_of(x))))).y
    return n.mul(total, n.asarray(0.5, x))


@RULES.rule("ArgMax", "ArgMin")
def arg(n: SourceNode) -> Value:
    x = n.operand(0)
    dtype = dtype_of(n, "output_type")
    wide = dtype if dtype in (DType.I32, DType.I64) else DType.I32
    make = core.ArgMax if n.kind == "ArgMax" else core.ArgMin
    axis = axis_of(n, 1, rank_of(x)) if n.has(1) else 0
    return n.cast(n.emit(make(x, axis=axis, dtype=wide)).y, dtype)


@RULES.rule("Cumsum", "Cumprod")
def scan(n: SourceNode) -> Value:
    x = n.operand(0)
    make = core.CumSum if n.kind == "Cumsum" else core.CumProd
    return n.emit(make(x, axis=axis_of(n, 1, rank_of(x)), exclusive=n.attr("exclusive"), reverse=n.attr("reverse"))).y


@RULES.rule("CumulativeLogsumexp")
def cumulative_logsumexp(n: SourceNode) -> Value:
    """log(cumsum(exp(x))) by log(e^a + e^b), which needs no common scale: after step k each element holds that of the
    2^k elements up to it.
    """
    x = n.operand(0)
    axis, dtype = axis_of(n, 1, rank_of(x)), x.tensor.dtype
    size = shape_of(x)[axis]
    if dtype.is_float and dtype.bits < 32:
        x = n.cast(x, DType.F32)
    if n.attr("reverse"):
        x = n.emit(core.Reverse(x, axes=(axis,))).y
    if not isinstance(size, int):
        x = _pairwise_logsumexp(n, x, axis, n.attr("exclusive"))
    else:
        if n.attr("exclusive"):
            x = _shifted(n, x, axis, 1, size)
        for k in range((size - 1).bit_length()):
            x = _log_add_exp(n, x, _shifted(n, x, axis, 1 << k, size))
    return n.cast(n.emit(core.Reverse(x, axes=(axis,))).y if n.attr("reverse") else x, dtype)


def _log_add_exp(n: SourceNode, a: Value, b: Value) -> Value:
    """The larger plus log(1 + e^-distance); infinities stay what they are."""
    top = n.emit(core.Maximum(a, b)).y
    distance = n.emit(core.Abs(n.sub(a, b))).y
    total = n.add(top, n.emit(core.Log1p(n.emit(core.Exp(n.emit(core.Neg(distance)).y)).y)).y)
    return n.emit(core.Select(n.emit(core.IsInf(top)).y, top, total)).y


def _shifted(n: SourceNode, x: Value, axis: int, step: int, size: int) -> Value:
    """x moved by `step` towards the end of the axis, log(0) in front."""
    if step >= size:
        return n.full_like(x, -math.inf)
    least = n.asarray(-math.inf, x)
    pads = [[step if a == axis else 0, 0] for a in range(rank_of(x))]
    return n.emit(core.Pad(n.slice_axis(x, axis, 0, size - step), n.constant(pads, DType.I64), least)).y


def _pairwise_logsumexp(n: SourceNode, x: Value, axis: int, exclusive: bool) -> Value:
    """Along an axis whose size the run decides: for each element those up to it, in a row of their own."""
    count = dim_value(n, x, axis)
    place = n.emit(core.Range(n.asarray(0, count), count, n.asarray(1, count))).y
    rows, rank = n.expand_dims(place, 1), rank_of(x)
    seen = n.emit((core.Greater if exclusive else core.GreaterEqual)(rows, n.expand_dims(place, 0))).y
    mask = n.expand_dims(seen, *range(2, 1 + rank - axis)) if rank - axis > 1 else seen
    parts = n.emit(core.Select(mask, n.expand_dims(x, axis), n.asarray(-math.inf, x))).y
    top = n.emit(core.ReduceMax(parts, axes=(axis + 1,), keepdims=True)).y
    base = n.emit(core.Select(n.emit(core.IsInf(top)).y, n.asarray(0, x), top)).y
    total = n.emit(core.ReduceSum(n.emit(core.Exp(n.sub(parts, base))).y, axes=(axis + 1,), keepdims=True)).y
    return n.squeeze(n.add(n.emit(core.Log(total)).y, base), axis + 1)


@RULES.rule("Softmax")
def softmax(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.emit(core.Softmax(x, axis=rank_of(x) - 1)).y


@RULES.rule("LogSoftmax")
def log_softmax(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.emit(core.LogSoftmax(x, axis=rank_of(x) - 1)).y
