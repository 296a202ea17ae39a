"""Reductions, softmax and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.window import resolve_pads, spatial
from mlconv.dialects.kernel import Step, View, dense, loops
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.legalize.to_kernel.emit import Emit, Expr, dims, refuse

COMBINE: dict[type[OpDef], str] = {
    core.ReduceSum: "add", core.ReduceMean: "add", core.ReduceMax: "maximum", core.ReduceMin: "minimum", core.ReduceProd: "mul", core.ReduceAny: "or",
    core.ReduceAll: "and",
}  # fmt: skip


def accumulator(dtype: DType) -> DType:
    """Sums of float16 are taken in float32."""
    return DType.F32 if dtype is DType.F16 else dtype


def reduce(op: core.ReduceSum, e: Emit) -> Value:
    """Kept axes outside, reduced ones inside."""
    shape, dtype = dims(op.x), op.x.tensor.dtype
    combine = COMBINE[type(op)]
    axes = sorted({a % len(shape) for a in op.axes}) if shape else []
    count = math.prod(shape[a] for a in axes)
    if not axes:
        return e.alias(op.x, op.y.tensor)
    if count == 0 or (isinstance(op, core.ReduceMean) and not dtype.is_float):
        raise refuse(f"{op.name} of {op.x.tensor}")
    kept = [a for a in range(len(shape)) if a not in axes]
    strides, extents = dense(shape), tuple(shape[a] for a in (*kept, *axes))
    body = Expr([])
    x = body.load(op.x, View(0, tuple(strides[a] for a in (*kept, *axes))))
    wide = accumulator(dtype) if combine == "add" else dtype
    body.cast(x, wide)
    after = Expr.after(body.operands, wide)
    after.cast(after.with_number("div", 0, count) if isinstance(op, core.ReduceMean) else 0, dtype)
    target = View(0, dense(extents[: len(kept)]))
    return e.kernel(loops(body.operands, [Step(extents, len(axes), combine, body.program(), after.program()[1:], target)], op.y.tensor))


def arg(op: core.ArgMax | core.ArgMin, e: Emit) -> Value:
    """The first (or last) position whose value is the extreme; the first NaN counts as one."""
    shape = dims(op.x)
    axis = op.axis % len(shape)
    make = core.ReduceMax if isinstance(op, core.ArgMax) else core.ReduceMin
    extreme = e.y(make(op.x, axes=(axis,), keepdims=True))
    here = e.y(core.Equal(op.x, extreme))
    if op.x.tensor.dtype.is_float:
        here = e.y(core.Or(here, e.y(core.IsNan(op.x))))
    n = shape[axis]
    places = e.constant(np.arange(n, dtype=np.int32).reshape([n if i == axis else 1 for i in range(len(shape))]))
    chosen = e.y(core.Select(here, places, e.constant(np.asarray(-1 if op.select_last else n, np.int32))))
    pick = core.ReduceMax if op.select_last else core.ReduceMin
    return e.y(core.Cast(e.y(pick(chosen, axes=(axis,), keepdims=op.keepdims)), dtype=op.dtype))


def _shifted(op: core.Softmax | core.LogSoftmax, e: Emit) -> Value:
    return e.y(core.Sub(op.x, e.y(core.ReduceMax(op.x, axes=(op.axis,), keepdims=True))))


def softmax(op: core.Softmax, e: Emit) -> Value:
    """exp(x - max) * (1 / sum): one division for each sum."""
    powers = e.y(core.Exp(_shifted(op, e)))
    one = e.constant(np.asarray(1, op.x.tensor.dtype.numpy))
    return e.y(core.Mul(powers, e.y(core.Div(one, e.y(core.ReduceSum(powers, axes=(op.axis,), keepdims=True))))))


def log_softmax(op: core.LogSoftmax, e: Emit) -> Value:
    """(x - max) - log(sum(exp))."""
    shifted = _shifted(op, e)
    return e.y(core.Sub(shifted, e.y(core.Log(e.y(core.ReduceSum(e.y(core.Exp(shifted)), axes=(op.axis,), keepdims=True))))))


def pool(op: core.MaxPool | core.AvgPool, e: Emit) -> Value:
    """Padding, then a reduction over windows; means multiply by the reciprocal of how many cells count at each place."""
    axes, dtype, out = spatial(op.layout), op.x.tensor.dtype, dims(op.y)
    mean = isinstance(op, core.AvgPool)
    if dtype is DType.BOOL or (mean and not dtype.is_float):
        raise refuse(f"{op.name} of {dtype.display}")
    lowest = -math.inf if dtype.is_float else int(np.iinfo(dtype.numpy).min)
    shape = dims(op.x)
    pads = resolve_pads(op.pads, tuple(shape[a] for a in axes), op.window, op.strides, op.dilations)
    amounts = [(0, 0)] * len(shape)
    for i, a in enumerate(axes):
        reach = (out[a] - 1) * op.strides[i] + (op.window[i] - 1) * op.dilations[i] + 1
        amounts[a] = (pads[i][0], reach - shape[a] - pads[i][0])
    x = e.padded(op.x, amounts, 0.0 if mean else lowest)
    strides = dense(dims(x))
    steps = list(strides)
    for i, a in enumerate(axes):
        steps[a] *= op.strides[i]
    inner = tuple(strides[a] * d for a, d in zip(axes, op.dilations, strict=True))
    wide = accumulator(dtype) if mean else dtype
    operands: list[Value] = []
    body = Expr(operands)
    body.cast(body.load(x, View(0, (*steps, *inner))), wide)
    after = Expr.after(operands, wide)
    if isinstance(op, core.AvgPool):
        after.op("div", 0, _counts(op, e, after, pads, wide))
    after.cast(len(after.code) - 1, dtype)
    step = Step((*out, *op.window), len(axes), "add" if mean else "maximum", body.program(), after.program()[1:], View(0, dense(out)))
    return e.kernel(loops(operands, [step], op.y.tensor))


def _counts(op: core.AvgPool, e: Emit, after: Expr, pads: tuple[tuple[int, int], ...], dtype: DType) -> int:
    """How many cells of each window count, as a value over the result."""
    shape, out, axes = dims(op.x), dims(op.y), spatial(op.layout)
    table = np.ones(())
    for i, a in enumerate(axes):
        lo, hi = pads[i] if op.count_include_pad else (0, 0)
        starts = np.arange(out[a]) * op.strides[i] - pads[i][0]
        cells = starts[:, None] + np.arange(op.window[i]) * op.dilations[i]
        table = table[..., None] * ((cells >= -lo) & (cells < shape[a] + hi)).sum(1)
    table = np.maximum(table, 1)
    if (table == table.flat[0]).all():
        return after.const(dtype, float(table.flat[0]))
    places = dict(zip(axes, dense(table.shape), strict=True))
    return after.load(e.constant(table.astype(dtype.numpy)), View(0, tuple(places.get(a, 0) for a in range(len(out)))))


RULES: dict[type[OpDef], Callable[[Any, Emit], Value]] = dict.fromkeys(COMBINE, reduce)
RULES |= {core.Softmax: softmax, core.LogSoftmax: log_softmax, core.MaxPool: pool, core.AvgPool: pool, core.ArgMax: arg, core.ArgMin: arg}
