"""Reductions, softmax and local response normalization."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel import LoopNestOp, Sizes, Step, View, dense, has_function
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, sizes, unsupported
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
_LEAST, _SHORT, _MANY = 2, 16, 64  # elements of rows, and rows, of which vectors have one of each row
_NOWHERE = np.iinfo(np.int32).max
_ON_BOOL = {"add": "or", "mul": "and", "maximum": "or", "minimum": "and"}


def accumulator(dtype: DType) -> DType:
    """Small floats are combined in float32."""
    return DType.F32 if dtype.is_half else dtype


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
    body, extents, target = _with_reduced_last(op.x, axes)
    body.cast(0, wide)
    if mean and wide is DType.F32 and not (isinstance(count, int) and count <= FEW):
        # what is centred by a mean is off by the rounding errors of the mean, however large this is
        combine = "add_wide"
    after = Expr.after(body.operands, DType.F64 if combine == "add_wide" else wide)
    after.cast(after.cast(_divided(after, count, dtype) if mean else 0, wide), dtype)
    return e.kernel(
        LoopNestOp(
            body.operands,
            (Step(extents, len(axes), combine, body.program(), after.program()[1:], target),),
            op.y.tensor,
        )
    )


def _with_reduced_last(x: Value, axes: Sequence[int]) -> tuple[Expr, Sizes, View]:
    """What loads an element of x, the sizes of its axes, kept ones outside and reduced ones inside, and where results
    lie.
    """
    shape, strides = sizes(x), dense(sizes(x))
    kept = [a for a in range(len(shape)) if a not in axes]
    order = (*kept, *axes)
    body = Expr([])
    body.load(x, View(0, tuple(strides[a] for a in order)))
    extents = tuple(shape[a] for a in order)
    return body, extents, View(0, dense(extents[: len(kept)]))


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
    rows, count = product(shape[:-1]), shape[axis]
    is_short = isinstance(count, int) and _LEAST < count < _SHORT and op.x.tensor.dtype.bits <= DType.F32.bits
    if axis == len(shape) - 1 and is_short and estimate(rows) >= _MANY:
        columns = e.transpose(e.reshape(op.x, (rows, count)), (1, 0))
        return e.reshape(e.y(type(op)(columns, **{**op.attributes, "axis": 0, "keepdims": False})), sizes(op.y))
    make = core.ReduceMax if isinstance(op, core.ArgMax) else core.ReduceMin
    extreme = e.y(make(op.x, axes=(axis,), keepdims=True))
    here = e.y(core.Equal(op.x, extreme))
    if op.x.tensor.dtype.is_float:
        here = e.y(core.Or(here, e.y(core.IsNan(op.x))))
    places = e.counted(shape[axis], DType.I32, axis, len(shape))
    elsewhere = np.asarray(-1 if op.select_last else _NOWHERE, np.int32)
    chosen = e.y(core.Select(here, places, e.constant(elsewhere)))
    pick = core.ReduceMax if op.select_last else core.ReduceMin
    return e.y(core.Cast(e.y(pick(chosen, axes=(axis,), keepdims=op.keepdims)), dtype=op.dtype))


def _shifted(op: core.Softmax | core.LogSoftmax, e: KernelBuilder) -> Value:
    """x - max.  Whichever number of a row that has NaN is taken for the maximum, its sum will be NaN."""
    shape, tensor = sizes(op.x), op.x.tensor
    axis = op.axis % len(shape)
    if tensor.dtype not in (DType.F32, DType.F64) or shape[axis] == 0:
        return e.y(core.Sub(op.x, e.y(core.ReduceMax(op.x, axes=(axis,), keepdims=True))))
    body, extents, target = _with_reduced_last(op.x, [axis])
    step = Step(extents, 1, "greatest", body.program(), (), target)
    peaks = TensorType(tensor.dtype, (*shape[:axis], 1, *shape[axis + 1 :]))
    return e.y(core.Sub(op.x, e.kernel(LoopNestOp(body.operands, (step,), peaks))))


def _powers(op: core.Softmax | core.LogSoftmax, shifted: Value, e: KernelBuilder) -> Value:
    """exp of numbers that are at most 0."""
    view = View(0, dense(sizes(op.x)))
    return e.map(op.x.tensor, lambda made: made.op("exp_moderate", made.load(shifted, view)))


@RULES.rule(core.Softmax)
def softmax(op: core.Softmax, e: KernelBuilder) -> Value:
    """exp(x - max) * (1 / sum): one division for each sum."""
    powers = _powers(op, _shifted(op, e), e)
    one = e.constant(np.asarray(1, op.x.tensor.dtype.numpy))
    return e.y(core.Mul(powers, e.y(core.Div(one, e.y(core.ReduceSum(powers, axes=(op.axis,), keepdims=True))))))


@RULES.rule(core.LogSoftmax)
def log_softmax(op: core.LogSoftmax, e: KernelBuilder) -> Value:
    """(x - max) - log(sum(exp))."""
    shifted = _shifted(op, e)
    summed = e.y(core.ReduceSum(_powers(op, shifted, e), axes=(op.axis,), keepdims=True))
    return e.y(core.Sub(shifted, e.y(core.Log(summed))))


@RULES.rule(core.Lrn)
def lrn(op: core.Lrn, e: KernelBuilder) -> Value:
    """The squares with zeros around them, summed over a window of channels; the rest is done with each sum."""
    shape, dtype, axis = sizes(op.x), op.x.tensor.dtype, op.axis % len(sizes(op.x))
    wide = accumulator(dtype)
    if not dtype.is_float:
        raise unsupported(op.name, dtype)
    x = op.x if wide is dtype else e.y(core.Cast(op.x, dtype=wide))
    border = [(op.radius, op.radius_after) if i == axis else (0, 0) for i in range(len(shape))]
    squares = e.padded(e.y(core.Mul(x, x)), border, 0.0)
    strides = dense(sizes(squares))
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
