"""Reductions, softmax and pooling."""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.window import AveragePooling, resolve_pads, spatial
from mlconv.dialects.kernel import LoopNestOp, Step, View, dense, has_function
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, dims, number, sizes, unsupported
from mlconv.rewrite import Rules

RULES = Rules()

COMBINE: dict[type[OpDef], str] = {
    core.ReduceSum: "add",
    core.ReduceMean: "add",
    core.ReduceMax: "maximum",
    core.ReduceMin: "minimum",
    core.ReduceProd: "mul",
    core.ReduceAny: "or",
    core.ReduceAll: "and",
}
# the mean of so many float32 is right but for its last digit when summed in float32, in 16 lanes, and this is faster
# for short rows
FEW = 128
_ON_BOOL = {"add": "or", "mul": "and", "maximum": "or", "minimum": "and"}


def accumulator(dtype: DType) -> DType:
    """Small floats are combined in float32."""
    return DType.F32 if dtype in (DType.F16, DType.BF16) else dtype


@RULES.rule(*COMBINE)
def reduce(op: core.ReduceSum, e: KernelBuilder) -> Value:
    """Kept axes outside, reduced ones inside."""
    shape, dtype = sizes(op.x), op.x.tensor.dtype
    combine, mean = COMBINE[type(op)], isinstance(op, core.ReduceMean)
    if dtype is DType.BOOL:
        combine = _ON_BOOL.get(combine, combine)
    if not has_function(combine, dtype) or (combine in ("and", "or") and dtype is not DType.BOOL):
        raise unsupported(op.name, dtype)
    axes = sorted({a % len(shape) for a in op.axes}) if shape else []
    count = product(shape[a] for a in axes)
    if not axes:
        return e.alias(op.x, op.y.tensor)
    wide = DType.F64 if mean and dtype.is_int else accumulator(dtype)
    if count == 0:
        return e.map(op.y.tensor, lambda x: x.const(dtype, _nothing(combine, mean, dtype)))
    kept = [a for a in range(len(shape)) if a not in axes]
    strides, extents = dense(shape), tuple(shape[a] for a in (*kept, *axes))
    body = Expr([])
    body.cast(body.load(op.x, View(0, tuple(strides[a] for a in (*kept, *axes)))), wide)
    if mean and wide is DType.F32 and not (isinstance(count, int) and count <= FEW):
        # what is centred by a mean is off by the rounding errors of the mean, however large this is
        combine = "add_wide"
    after = Expr.after(body.operands, DType.F64 if combine == "add_wide" else wide)
    after.cast(after.cast(_divided(after, count, dtype) if mean else 0, wide), dtype)
    target = View(0, dense(extents[: len(kept)]))
    return e.kernel(
        LoopNestOp(
            body.operands,
            (Step(extents, len(axes), combine, body.program(), after.program()[1:], target),),
            op.y.tensor,
        )
    )


def _divided(after: Expr, count: Size, dtype: DType) -> int:
    """The sum by how many there are; of float32, whose sums are float64, by a reciprocal: its error is no part of a
    float32.
    """
    if dtype is DType.BOOL:
        return 0
    wide = after.code[0].dtype
    if isinstance(count, int) and wide is DType.F64 and dtype.is_float and dtype is not DType.F64:
        return after.with_number("mul", 0, 1 / count)
    return after.op("div", 0, after.size(wide, count))


def _nothing(combine: str, mean: bool, dtype: DType) -> float:
    """What a reduction over no elements gives; numpy's mean of nothing is NaN."""
    if mean:
        return math.nan if dtype.is_float or dtype.is_complex else 0
    if combine in ("maximum", "minimum"):
        return lowest(dtype) if combine == "maximum" else highest(dtype)
    return 1 if combine in ("mul", "and") else 0


def lowest(dtype: DType) -> float:
    """The least number of a type: the neutral element of a maximum."""
    if dtype.is_float:
        return -math.inf
    return 0 if dtype is DType.BOOL else int(np.iinfo(dtype.numpy).min)


def highest(dtype: DType) -> float:
    """The greatest number of a type: the neutral element of a minimum."""
    if dtype.is_float:
        return math.inf
    return 1 if dtype is DType.BOOL else int(np.iinfo(dtype.numpy).max)


@RULES.rule(core.ArgMax, core.ArgMin)
def arg(op: core.ArgMax | core.ArgMin, e: KernelBuilder) -> Value:
    """The first (or last) position whose value is the extreme; the first NaN counts as one."""
    shape = sizes(op.x)
    axis = op.axis % len(shape)
    make = core.ReduceMax if isinstance(op, core.ArgMax) else core.ReduceMin
    extreme = e.y(make(op.x, axes=(axis,), keepdims=True))
    here = e.y(core.Equal(op.x, extreme))
    if op.x.tensor.dtype.is_float:
        here = e.y(core.Or(here, e.y(core.IsNan(op.x))))
    n = number(shape[axis], "the axis")
    check_table((n,), "the list of places")
    places = e.constant(np.arange(n, dtype=np.int32).reshape([n if i == axis else 1 for i in range(len(shape))]))
    chosen = e.y(core.Select(here, places, e.constant(np.asarray(-1 if op.select_last else n, np.int32))))
    pick = core.ReduceMax if op.select_last else core.ReduceMin
    return e.y(core.Cast(e.y(pick(chosen, axes=(axis,), keepdims=op.keepdims)), dtype=op.dtype))


def _shifted(op: core.Softmax | core.LogSoftmax, e: KernelBuilder) -> Value:
    return e.y(core.Sub(op.x, e.y(core.ReduceMax(op.x, axes=(op.axis,), keepdims=True))))


@RULES.rule(core.Softmax)
def softmax(op: core.Softmax, e: KernelBuilder) -> Value:
    """exp(x - max) * (1 / sum): one division for each sum."""
    powers = e.y(core.Exp(_shifted(op, e)))
    one = e.constant(np.asarray(1, op.x.tensor.dtype.numpy))
    return e.y(core.Mul(powers, e.y(core.Div(one, e.y(core.ReduceSum(powers, axes=(op.axis,), keepdims=True))))))


@RULES.rule(core.LogSoftmax)
def log_softmax(op: core.LogSoftmax, e: KernelBuilder) -> Value:
    """(x - max) - log(sum(exp))."""
    shifted = _shifted(op, e)
    return e.y(
        core.Sub(shifted, e.y(core.Log(e.y(core.ReduceSum(e.y(core.Exp(shifted)), axes=(op.axis,), keepdims=True)))))
    )


@RULES.rule(core.MaxPool, core.AvgPool)
def pool(op: core.MaxPool | core.AvgPool, e: KernelBuilder) -> Value:
    """Padding, then a reduction over windows; means multiply by the reciprocal of how many elements count at each
    place.
    """
    axes, dtype, out = spatial(op.layout), op.x.tensor.dtype, sizes(op.y)
    mean = isinstance(op, core.AvgPool)
    if dtype.is_complex or (mean and dtype is DType.BOOL):
        raise unsupported(op.name, dtype)
    source = windows(op, op.x, 0 if mean else lowest(dtype), e)
    wide = DType.F64 if mean and dtype.is_int else accumulator(dtype)
    operands: list[Value] = []
    body = Expr(operands)
    body.cast(body.load(*source), wide)
    after = Expr.after(operands, wide)
    if isinstance(op, core.AvgPool):
        after.op("div", 0, counts(op, e, after, wide))
    after.cast(len(after.code) - 1, dtype)
    combine = "add" if mean else "or" if dtype is DType.BOOL else "maximum"
    step = Step((*out, *op.window), len(axes), combine, body.program(), after.program()[1:], View(0, dense(out)))
    return e.kernel(LoopNestOp(operands, (step,), op.y.tensor))


def _pads(op: core.MaxPool | AveragePooling) -> tuple[tuple[int, int], ...]:
    image = tuple(number(sizes(op.x)[a], "the image") for a in spatial(op.layout))
    return resolve_pads(op.pads, image, op.window, op.strides, op.dilations)


def windows(op: core.MaxPool | AveragePooling, x: Value, fill: float, e: KernelBuilder) -> tuple[Value, View]:
    """x with `fill` around it, and a view of it over the result and the window."""
    axes, shape, out, pads = spatial(op.layout), sizes(op.x), sizes(op.y), _pads(op)
    amounts = [(0, 0)] * len(shape)
    for i, a in enumerate(axes):
        reach = (number(out[a], "the image") - 1) * op.strides[i] + (op.window[i] - 1) * op.dilations[i] + 1
        amounts[a] = (pads[i][0], reach - number(shape[a], "the image") - pads[i][0])
    x = e.padded(x, amounts, fill)
    strides = dense(sizes(x))
    steps = list(strides)
    for i, a in enumerate(axes):
        steps[a] = steps[a] * op.strides[i]
    inner = tuple(strides[a] * d for a, d in zip(axes, op.dilations, strict=True))
    return x, View(0, (*steps, *inner))


def counts(op: AveragePooling, e: KernelBuilder, after: Expr, dtype: DType) -> int:
    """How many elements of each window count, as a value over the result."""
    axes, pads = spatial(op.layout), _pads(op)
    shape, out = ({a: number(sizes(v)[a], "the image") for a in axes} for v in (op.x, op.y))
    check_table([out[a] for a in axes], "the table of window counts")
    table = np.ones(())
    for i, a in enumerate(axes):
        lo, hi = pads[i] if op.count_include_pad else (0, 0)
        starts = np.arange(out[a]) * op.strides[i] - pads[i][0]
        elements = starts[:, None] + np.arange(op.window[i]) * op.dilations[i]
        table = table[..., None] * ((elements >= -lo) & (elements < shape[a] + hi)).sum(1)
    table = np.maximum(table, 1)
    if (table == table.flat[0]).all():
        return after.const(dtype, float(table.flat[0]))
    places = dict(zip(axes, dense(table.shape), strict=True))
    return after.load(
        e.constant(table.astype(dtype.numpy)), View(0, tuple(places.get(a, 0) for a in range(len(sizes(op.y)))))
    )


@RULES.rule(core.Lrn)
def lrn(op: core.Lrn, e: KernelBuilder) -> Value:
    """The squares with zeros around them, summed over a window of channels; the rest is done with each sum."""
    shape, dtype, axis = dims(op.x), op.x.tensor.dtype, op.axis % len(dims(op.x))
    wide = accumulator(dtype)
    if not dtype.is_float:
        raise unsupported(op.name, dtype)
    x = op.x if wide is dtype else e.y(core.Cast(op.x, dtype=wide))
    border = [(op.radius, op.radius_after) if i == axis else (0, 0) for i in range(len(shape))]
    squares = e.padded(e.y(core.Mul(x, x)), border, 0.0)
    strides = dense(dims(squares))
    operands: list[Value] = []
    body = Expr(operands)
    body.load(squares, View(0, (*strides, strides[axis])))
    after = Expr.after(operands, wide)
    base = after.with_number("add", after.with_number("mul", 0, op.alpha), op.bias)
    power = after.with_number("pow", base, op.beta)
    after.cast(after.op("div", after.load(x, View(0, dense(shape))), power), dtype)
    step = Step(
        (*shape, op.radius + op.radius_after + 1), 1, "add", body.program(), after.program()[1:], View(0, dense(shape))
    )
    return e.kernel(LoopNestOp(operands, (step,), op.y.tensor))
