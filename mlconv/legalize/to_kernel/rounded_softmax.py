"""Softmax of integers of quantized tensors, and its logarithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.rounded_base import per_tensor
from mlconv.dialects.core.rounding import fixed_point
from mlconv.dialects.core.rounding_wide import softmax_factor, softmax_tables
from mlconv.dialects.kernel import LoopNestOp, Sizes, Step, View, dense
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, sizes
from mlconv.legalize.to_kernel.integers import by_twice, limited_integer, plain, rounded_number, zero_of
from mlconv.rewrite import Rules

RULES = Rules()
_MOST = (1 << 15) - 1
_ENTRIES = 513  # of a table that is interpolated
_BYTES = 256  # entries of a table for all bytes
_LONG = 64  # elements of a row for which what it holds is looked up in a table of its own
Power = Callable[[Expr, int, int], int]  # of an element and the largest one


@RULES.rule(core.QuantSoftmax, core.QuantLogSoftmax)
def softmax(op: core.QuantSoftmax | core.QuantLogSoftmax, e: KernelBuilder) -> Value:
    """Exponentials by a table, summed one after the other."""
    if op.element.storage is DType.I16:
        return _softmax_wide(op, e)
    x, shape, axis = plain(op.x, e), sizes(op.x), op.axis
    largest = e.y(core.ReduceMax(x, axes=(axis,), keepdims=True))
    table = e.constant(op.table())
    row = _row(shape, axis)
    total = _sum(x, largest, axis, DType.F32, lambda b, v, top: _power(b, v, top, table, len(shape)), e)

    if isinstance(op, core.QuantSoftmax) and axis == len(shape) - 1 and _is_long(shape[axis]):
        return _looked_up(op, e, x, _Row(largest, total, table))

    def build(made: Expr) -> int:
        numbers = [made.load(v, broadcast(row, shape)) for v in (largest, total)]
        loaded = made.load(x, broadcast(shape, shape)), numbers[0], numbers[1]
        if isinstance(op, core.QuantLogSoftmax):
            return _logarithm(op, made, loaded)
        return _probability(op, made, loaded, table)

    return e.map(op.y.tensor.stored, build)


def _is_long(row: Size) -> bool:
    return not isinstance(row, int) or row >= _LONG


class _Row(NamedTuple):
    """Of each row the largest element and the sum of exponentials.  powers: exponentials by the distance from the
    largest element.
    """

    largest: Value
    total: Value
    powers: Value


def _looked_up(op: core.QuantSoftmax, e: KernelBuilder, x: Value, row: _Row) -> Value:
    """Every probability that a row may have, then those of its elements."""
    shape = sizes(x)
    one, every = (*shape[:-1], 1), (*shape[:-1], _BYTES)

    def entry(made: Expr) -> int:
        power = made.load(row.powers, View(0, (*(0,) * (len(shape) - 1), 1)))
        return _share(op, made, power, made.load(row.total, broadcast(one, every)))

    table = e.map(TensorType(op.element.storage, every), entry)
    rows = View(0, (*dense(every)[:-1], 0))

    def build(made: Expr) -> int:
        loaded, top = made.load(x, broadcast(shape, shape)), made.load(row.largest, broadcast(one, shape))
        return made.load_at(table, rows, _distance(made, loaded, top), 1, _BYTES)

    return e.map(op.y.tensor.stored, build)


def _distance(made: Expr, x: int, largest: int) -> int:
    """largest - x of bytes, which a byte without a sign holds."""
    return made.cast(made.op("sub", largest, x), DType.U8)


def _power(made: Expr, x: int, largest: int, table: Value, rank: int) -> int:
    """exp((x - largest) * scale)."""
    return made.load_at(table, View(0, (0,) * rank), _distance(made, x, largest), 1, _BYTES)


def _row(shape: Sizes, axis: int) -> Sizes:
    return tuple(1 if i == axis else n for i, n in enumerate(shape))


def _sum(x: Value, largest: Value, axis: int, dtype: DType, power: Power, e: KernelBuilder) -> Value:
    """Sums of a function of x and of the largest element along an axis, in order."""
    shape = sizes(x)
    kept = [i for i in range(len(shape)) if i != axis]
    extents = tuple(shape[i] for i in (*kept, axis))
    strides = dense(shape), broadcast(_row(shape, axis), shape).strides
    operands: list[Value] = []
    body = Expr(operands)
    views = [View(0, tuple(s[i] for i in (*kept, axis))) for s in strides]
    power(body, body.load(x, views[0]), body.load(largest, views[1]))
    step = Step(extents, 1, "add", body.program(), (), View(0, dense(extents[:-1])))
    return e.kernel(LoopNestOp(operands, (step,), largest.tensor.with_dtype(dtype)))


def _probability(op: core.QuantSoftmax, made: Expr, loaded: tuple[int, int, int], table: Value) -> int:
    x, largest, total = loaded
    return _share(op, made, _power(made, x, largest, table, op.x.tensor.rank or 0), total)


def _share(op: core.QuantSoftmax, made: Expr, power: int, total: int) -> int:
    """power / total."""
    scale = np.float32(op.element.scales.view()).item()
    inverse = made.op("div", made.const(DType.F32, 1.0), made.with_number("mul", total, scale))
    return rounded_number(op, made, made.op("mul", power, inverse), zero_of(op.element))


def _logarithm(op: core.QuantLogSoftmax, made: Expr, loaded: tuple[int, int, int]) -> int:
    x, largest, total = (made.cast(v, DType.F32) for v in loaded)
    scale = np.float32(per_tensor(op.x).scales.view()).item()
    log = made.cast(made.op("log", made.cast(total, DType.F64)), DType.F32)
    less = made.op("add", made.with_number("mul", largest, scale), log)
    number_ = made.op("sub", made.with_number("mul", x, scale), less)
    steps = made.with_number("div", number_, np.float32(op.element.scales.view()).item())
    return rounded_number(op, made, steps, zero_of(op.element))


def _softmax_wide(op: core.QuantSoftmax | core.QuantLogSoftmax, e: KernelBuilder) -> Value:
    """As `softmax_wide` of `dialects.core.rounding_wide`."""
    x, shape, axis = plain(op.x, e), sizes(op.x), op.axis
    largest = e.y(core.ReduceMax(x, axes=(axis,), keepdims=True))
    rank = len(shape)
    tables = [e.constant(t.astype(np.int32)) for t in softmax_tables()]
    factor = fixed_point(softmax_factor(float(per_tensor(op.x).scales.view())))

    def power(b: Expr, v: int, top: int) -> int:
        less = by_twice(b, b.op("sub", b.cast(v, DType.I64), b.cast(top, DType.I64)), *factor)
        return _interpolated(b, b.with_number("add", less, _MOST), tables[0], rank)

    total = _sum(x, largest, axis, DType.I64, power, e)

    def build(b: Expr) -> int:
        loaded, top, whole = (b.load(v, broadcast(sizes(v), shape)) for v in (x, largest, total))
        bits = _length(b, whole)
        places = b.op("sub", b.const(DType.I64, 31), bits)
        share = b.with_number("shr", b.with_number("add", b.op("shl", whole, places), 1 << 13), 14)
        inverse = _interpolated(b, b.with_number("sub", share, (1 << 15) + (1 << 16)), tables[1], rank)
        shift = b.with_number("sub", bits, 1)
        half = b.op("shl", b.const(DType.I64, 1), b.with_number("sub", shift, 1))
        product = b.op("mul", power(b, loaded, top), inverse)
        made = b.op("shr", b.op("add", product, half), shift)
        return limited_integer(op, b, b.with_number("minimum", b.with_number("maximum", made, 0), _MOST))

    return e.map(op.y.tensor.stored, build)


def _length(e: Expr, x: int) -> int:
    """Bits of an int64 in [0, 2^32)."""
    bits, left = e.const(DType.I64, 0), x
    for step in (16, 8, 4, 2, 1):
        is_long = e.op("greater_equal", left, e.const(DType.I64, 1 << step), dtype=DType.BOOL)
        taken = e.op("select", is_long, e.const(DType.I64, step), e.const(DType.I64, 0), dtype=DType.I64)
        bits, left = e.op("add", bits, taken), e.op("shr", left, taken)
    return e.op("add", bits, left)


def _interpolated(e: Expr, x: int, table: Value, rank: int) -> int:
    """A function of int64 x, limited to 16 bits, by its values at every 128th of them."""
    x = e.with_number("minimum", e.with_number("maximum", x, -(1 << 15)), _MOST)
    place, rest = e.with_number("add", e.with_number("shr", x, 7), 256), e.with_number("and", x, 127)
    nowhere = View(0, (0,) * rank)
    first, second = (
        e.cast(e.load_at(table, nowhere, at, 1, _ENTRIES), DType.I64) for at in (place, e.with_number("add", place, 1))
    )
    moved = e.with_number("add", e.op("mul", e.op("sub", second, first), rest), 64)
    return e.op("add", first, e.with_number("shr", moved, 7))
