"""Ops that are algorithms of their own: scans, sorting, scatter, segments, suppression of boxes, random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.dialects.kernel import DefinedSize, DefineSizeOp, Routine, RoutineOp, Sizes
from mlconv.dialects.kernel.routines import (
    AnyRoutine,
    Nonzero,
    Random,
    Scan,
    ScatterElements,
    ScatterNd,
    Segment,
    Suppress,
    TopK,
)
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import KernelBuilder, dims, number, refuse, sizes, unsupported
from mlconv.legalize.to_kernel.reduce import accumulator, highest, lowest
from mlconv.rewrite import Rules

RULES = Rules()
_SORTED_APART = 128  # elements of a row that are not worth laying side by side before they are sorted


def routine(
    e: KernelBuilder,
    name: str,
    given: AnyRoutine,
    operands: Sequence[Value],
    types: Sequence[TensorType],
    reuse: int = -1,
) -> list[Value]:
    """A call of a named algorithm.  reuse: the operand whose buffer the first result may take, or -1."""
    problem = Routine(name, tuple(given), given.needs().scratch, reuse)
    return e.builder.emit(RoutineOp(operands, problem, types)).results


def lanes(shape: Sizes, axis: int) -> tuple[Size, Size, Size]:
    """(outer, n, inner): the sizes before an axis, of it and behind it."""
    axis %= max(len(shape), 1)
    return product(shape[:axis]), shape[axis], product(shape[axis + 1 :])


@RULES.rule(core.CumSum, core.CumProd)
def scan(op: core.CumSum | core.CumProd, e: KernelBuilder) -> Sequence[Value]:
    dtype = op.x.tensor.dtype
    opcode = "add" if isinstance(op, core.CumSum) else "mul"
    if not sizes(op.x):
        return [e.alias(op.x, op.y.tensor)]
    wide, (outer, n, inner) = accumulator(dtype), lanes(sizes(op.x), op.axis)
    given = Scan(opcode, dtype, wide, outer, n, inner, op.exclusive, op.reverse)
    return routine(e, "scan", given, [op.x], [op.y.tensor])


@RULES.rule(core.TopK)
def top_k(op: core.TopK, e: KernelBuilder) -> Sequence[Value]:
    if op.x.tensor.dtype.is_complex:
        raise unsupported(op.name, op.x.tensor.dtype)
    outer, n, inner = lanes(sizes(op.x), op.axis)
    k, types = sizes(op.values)[op.axis], [y.tensor for y in op.results]
    if inner == 1 or (isinstance(n, int) and n < _SORTED_APART):
        given = TopK(op.x.tensor.dtype, op.index_dtype, outer, n, inner, k, op.largest)
        return routine(e, "top_k", given, [op.x], types)
    rank, axis = len(sizes(op.x)), op.axis % len(sizes(op.x))
    last = (*(i for i in range(rank) if i != axis), axis)
    given = TopK(op.x.tensor.dtype, op.index_dtype, product((outer, inner)), n, 1, k, op.largest)
    turned = [t.with_shape(tuple(sizes(y)[i] for i in last)) for t, y in zip(types, op.results, strict=True)]
    found = routine(e, "top_k", given, [e.transpose(op.x, last)], turned)
    return [e.transpose(y, tuple(last.index(i) for i in range(rank))) for y in found]


@RULES.rule(core.ScatterNd)
def scatter_nd(op: core.ScatterNd, e: KernelBuilder) -> Sequence[Value]:
    return _scatter(op.data, op.indices, op.updates, op.reduction, op.y.tensor, e)


def _scatter(
    data: Value, indices: Value, updates: Value, reduction: str, type_: TensorType, e: KernelBuilder
) -> Sequence[Value]:
    index = sizes(indices)
    _check_reduction(reduction, type_.dtype)
    given = ScatterNd(
        type_.dtype,
        indices.tensor.dtype,
        sizes(data),
        number(index[-1], "the number of indices"),
        product(index[:-1]),
        reduction,
    )
    return routine(e, "scatter_nd", given, [data, indices, updates], [type_], reuse=0)


def _check_reduction(reduction: str, dtype: DType) -> None:
    """Numbers without order have no largest one; booleans cannot be divided."""
    if (dtype.is_complex and reduction in ("max", "min")) or (dtype is DType.BOOL and reduction == "div"):
        raise unsupported(f"the reduction {reduction}", dtype)


@RULES.rule(core.ScatterFill)
def scatter_fill(op: core.ScatterFill, e: KernelBuilder) -> Sequence[Value]:
    """Into zeros."""
    zeros = e.map(op.y.tensor, lambda x: x.const(op.y.tensor.dtype, 0))
    return _scatter(zeros, op.indices, op.updates, "add", op.y.tensor, e)


@RULES.rule(core.ScatterElements)
def scatter_elements(op: core.ScatterElements, e: KernelBuilder) -> Sequence[Value]:
    shape = sizes(op.data)
    _check_reduction(op.reduction, op.y.tensor.dtype)
    given = ScatterElements(
        op.data.tensor.dtype,
        op.indices.tensor.dtype,
        shape,
        sizes(op.indices),
        op.axis % len(shape),
        op.reduction,
    )
    return routine(e, "scatter_elements", given, [op.data, op.indices, op.updates], [op.y.tensor], reuse=0)


@RULES.rule(core.SegmentReduce)
def segment(op: core.SegmentReduce, e: KernelBuilder) -> Sequence[Value]:
    dtype, ids, out = op.x.tensor.dtype, sizes(op.ids), sizes(op.y)
    _check_reduction(op.reduction, dtype)
    start = {"mul": 1, "max": lowest(dtype), "min": highest(dtype)} if not dtype.is_complex else {"mul": 1}
    inner, count = product(out[1:]), out[0]
    given = Segment(
        dtype,
        op.ids.tensor.dtype,
        product(ids),
        inner,
        count,
        op.reduction,
        start.get(op.reduction, 0),
        op.empty,
    )
    return routine(e, "segment", given, [op.x, op.ids], [op.y.tensor])


@RULES.rule(core.NonZero)
def nonzero(op: core.NonZero, e: KernelBuilder) -> Sequence[Value]:
    if not op.padded:
        raise refuse("the number of results is decided by data")
    return routine(e, "nonzero", Nonzero(op.x.tensor.dtype, sizes(op.x)), [op.x], [op.y.tensor])


@RULES.rule(core.DefineSize)
def define_size(op: core.DefineSize, e: KernelBuilder) -> Sequence[Value]:
    x = op.x if op.x.tensor.dtype is DType.I64 else e.y(core.Cast(op.x, dtype=DType.I64))
    problem = DefinedSize(op.symbol, op.bound, op.conditions)
    return [e.kernel(DefineSizeOp([x], problem, op.y.tensor))]


@RULES.rule(core.NonMaxSuppression)
def suppress(op: core.NonMaxSuppression, e: KernelBuilder) -> Sequence[Value]:
    numbers = [
        v if v.tensor.dtype is DType.F32 else e.y(core.Cast(v, dtype=DType.F32))
        for v in (op.iou_threshold, op.score_threshold, op.soft_sigma)
    ]
    n, limit = sizes(op.scores)[0], sizes(op.selected)[0]
    given = Suppress(op.scores.tensor.dtype, op.boxes.tensor.dtype, op.max_output.tensor.dtype, n, limit)
    return routine(
        e,
        "suppress",
        given,
        [op.boxes, op.scores, op.max_output, *numbers],
        [v.tensor for v in op.results],
    )


@RULES.rule(core.RandomUniform, core.RandomNormal)
def random(op: core.RandomUniform | core.RandomNormal, e: KernelBuilder) -> Sequence[Value]:
    """The numbers of a counter that starts anew in every run."""
    key = (op.seed & (2**63 - 1), op.seed2 & (2**63 - 1))
    name = "uniform" if isinstance(op, core.RandomUniform) else "normal"
    return routine(e, name, Random(op.y.tensor.dtype, math.prod(dims(op.y)), key), [], [op.y.tensor])
