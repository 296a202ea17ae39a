"""Reductions, scans along an axis and normalizations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.reduce import Arg, Reduce, Scan, limit
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import with_size
from mlconv.ir.types import TensorType
from mlconv.legalize.to_hlo.builder import HloBuilder, dims, is_small_float
from mlconv.legalize.to_hlo.dynamic_sizes.places import behind
from mlconv.rewrite import Rules

RULES = Rules()


def wide(e: HloBuilder, x: Value) -> Value:
    """Numbers narrower than float32 as float32."""
    return e.convert(x, DType.F32) if is_small_float(x.tensor.dtype) else x


def extreme(dtype: DType, lowest: bool) -> Array | bool:
    """The neutral element of max (lowest) or min."""
    found: Array | bool = limit(np.zeros((), dtype.numpy), lowest)
    return found


def _reduce(opcode: str, neutral: Callable[[DType], Array | float | bool]) -> Callable[[Reduce, HloBuilder], Value]:
    def rule(op: Reduce, e: HloBuilder) -> Value:
        dtype = op.x.tensor.dtype
        x = wide(e, op.x)
        code = {"maximum": "or", "minimum": "and"}.get(opcode, opcode) if dtype is DType.BOOL else opcode
        axes = [a % len(dims(x)) for a in op.axes]
        y = e.reduce(code, x, neutral(x.tensor.dtype), axes) if axes else x
        return e.reshape(e.convert(y, dtype), dims(op.y))

    return rule


@RULES.rule(core.ReduceMean)
def mean(op: core.ReduceMean, e: HloBuilder) -> Value:
    """Sum over count; integers in float64, cut."""
    dtype = op.x.tensor.dtype
    x = e.convert(op.x, DType.F64) if dtype.is_int else wide(e, op.x)
    shape, wide_ = e.sizes.of(op.x), x.tensor.dtype
    count = product(shape[a] for a in op.axes)
    total = e.reduce("add", x, 0, op.axes) if op.axes else x
    y = e.binary(
        "divide", total, e.scalar(count, wide_) if isinstance(count, int) else e.convert(e.sizes.value(count), wide_)
    )
    return e.reshape(e.convert(y, dtype), dims(op.y))


def _arg(largest: bool) -> Callable[[Arg, HloBuilder], Value]:
    """A reduction of pairs (value, index).  NaN counts as the extreme, as in numpy; of equals the lower index, or the
    higher one with `select_last`.
    """

    def rule(op: Arg, e: HloBuilder) -> Value:
        x, shape = op.x, dims(op.x)
        axis = op.axis % len(shape)
        dtype = x.tensor.dtype
        if dtype is DType.BOOL:
            x, dtype = e.convert(x, DType.I8), DType.I8
        pair = [TensorType(dtype, ()), TensorType(op.dtype, ())]

        def pick(i: HloBuilder, a: list[Value]) -> list[Value]:
            first, at, second, other = a
            better, tie = i.compare("GT" if largest else "LT", first, second), i.compare("EQ", first, second)
            if dtype.is_float:
                nan, nan2 = i.compare("NE", first, first), i.compare("NE", second, second)
                better = i.binary("or", better, i.binary("and", nan, i.unary("not", nan2)))
                tie = i.binary("or", tie, i.binary("and", nan, nan2))
            take = i.binary("or", better, i.binary("and", tie, i.compare("GT" if op.select_last else "LT", at, other)))
            return [i.select(take, first, second), i.select(take, at, other)]

        region = e.region([*pair, *pair], pick)
        operands = [x, e.iota(op.dtype, shape, axis), e.scalar(extreme(dtype, largest), dtype), e.scalar(0, op.dtype)]
        rest = tuple(d for i, d in enumerate(shape) if i != axis)
        types = [TensorType(dtype, rest), TensorType(op.dtype, rest)]
        return e.reshape(e.hlo("reduce", operands, types, [region], dimensions=(axis,))[1], dims(op.y))

    return rule


def _scan(opcode: str, neutral: int) -> Callable[[Scan, HloBuilder], Value]:
    """Combined with itself shifted by 1, 2, 4, ...: as many steps as the size has bits."""

    def rule(op: Scan, e: HloBuilder) -> Value:
        dtype = op.x.tensor.dtype
        x = wide(e, op.x)
        shape = dims(x)
        axis = op.axis % len(shape)
        fill = e.scalar(neutral, x.tensor.dtype)
        size = e.sizes.of(op.x)[axis]
        if op.reverse and isinstance(size, Dim):
            x = behind(e, x, axis, size, fill)
            e.sizes.state(x, with_size(e.sizes.of(op.x), axis, shape[axis]))

        def shifted(v: Value, by: int) -> Value:
            low, high = [0] * len(shape), [0] * len(shape)
            low[axis], high[axis] = (-by, by) if op.reverse else (by, -by)
            return e.pad(v, fill, low, high)

        y, step = shifted(x, 1) if op.exclusive else x, 1
        while step < shape[axis]:
            y = e.binary(opcode, y, shifted(y, step))
            step *= 2
        y = e.convert(y, dtype)
        return y

    return rule


def _shifted(e: HloBuilder, x: Value, axis: int) -> Value:
    largest = e.y(core.ReduceMax(x, axes=(axis,), keepdims=True))
    return e.binary("subtract", x, largest)


@RULES.rule(core.Softmax)
def softmax(op: core.Softmax, e: HloBuilder) -> Value:
    """exp(x - max) over its sum."""
    x = wide(e, op.x)
    y = e.unary("exponential", _shifted(e, x, op.axis))
    total = e.y(core.ReduceSum(y, axes=(op.axis,), keepdims=True))
    return e.convert(e.binary("divide", y, total), op.x.tensor.dtype)


@RULES.rule(core.LogSoftmax)
def log_softmax(op: core.LogSoftmax, e: HloBuilder) -> Value:
    """x - max, less the log of the sum of its exponentials."""
    x = _shifted(e, wide(e, op.x), op.axis)
    total = e.y(core.ReduceSum(e.unary("exponential", x), axes=(op.axis,), keepdims=True))
    return e.convert(e.binary("subtract", x, e.unary("log", total)), op.x.tensor.dtype)


@RULES.rule(core.Lrn)
def lrn(op: core.Lrn, e: HloBuilder) -> Value:
    """x over a power of windowed sums of squares."""
    x = wide(e, op.x)
    dtype, rank = x.tensor.dtype, len(dims(x))
    axis = op.axis % rank
    window = [(1, 1, 0, 0, 1, 1)] * rank
    window[axis] = (op.radius + op.radius_after + 1, 1, op.radius, op.radius_after, 1, 1)
    total = e.reduce_window("add", e.binary("multiply", x, x), 0, window)
    scale = e.binary("add", e.binary("multiply", total, e.scalar(op.alpha, dtype)), e.scalar(op.bias, dtype))
    return e.convert(e.binary("divide", x, e.binary("power", scale, e.scalar(op.beta, dtype))), op.x.tensor.dtype)


RULES.add(core.ReduceSum, _reduce("add", lambda dtype: 0))
RULES.add(core.ReduceProd, _reduce("multiply", lambda dtype: 1))
RULES.add(core.ReduceMax, _reduce("maximum", lambda dtype: extreme(dtype, lowest=True)))
RULES.add(core.ReduceMin, _reduce("minimum", lambda dtype: extreme(dtype, lowest=False)))
RULES.add(core.ReduceAny, _reduce("or", lambda dtype: False))
RULES.add(core.ReduceAll, _reduce("and", lambda dtype: True))
RULES.add(core.ArgMax, _arg(largest=True))
RULES.add(core.ArgMin, _arg(largest=False))
RULES.add(core.CumSum, _scan("add", 0))
RULES.add(core.CumProd, _scan("multiply", 1))
