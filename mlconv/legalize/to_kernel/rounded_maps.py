"""Maps, tables and means of integers of quantized tensors: steps that say how they round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.rounded_base import per_tensor
from mlconv.dialects.core.rounding import factors, fixed_point, ratio
from mlconv.dialects.kernel import LoopNestOp, Step, View, dense
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, storage_range
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, number, sizes
from mlconv.legalize.to_kernel.integers import (
    BYTE,
    by_twice,
    handle_of,
    limited_integer,
    plain,
    rounded_number,
    scaled_once,
    scaled_twice,
    zero_of,
)
from mlconv.legalize.to_kernel.wide_tables import by_formula
from mlconv.rewrite import Rules

RULES = Rules()
_INT32 = 1 << 31


@RULES.rule(core.StorageCast)
def storage_cast(op: core.StorageCast, e: KernelBuilder) -> Value:
    """Kernels know integers only."""
    return op.x


@RULES.rule(core.QuantBinary)
def quant_binary(op: core.QuantBinary, e: KernelBuilder) -> Value:
    """Products round as sums of products do; sums are fixed point numbers."""
    shape, values = sizes(op.y), [plain(v, e) for v in (op.a, op.b)]
    quants = [per_tensor(v) for v in (op.a, op.b)]
    formula = _multiplied if op.kind == "mul" else _added
    if op.element.storage is DType.I16:
        formula = _multiplied_wide if op.kind == "mul" else _added_wide

    def build(x: Expr) -> int:
        loaded = [x.load(v, broadcast(sizes(v), shape)) for v in values]
        return formula(op, x, loaded, quants)

    return e.map(op.y.tensor.stored, build)


def _centred(e: Expr, loaded: Sequence[int], quants: Sequence[QuantType], wide: DType) -> list[int]:
    """Integers less their zero points."""
    numbers = [e.cast(x, wide) for x in loaded]
    zeros = [zero_of(q) for q in quants]
    return [e.with_number("sub", x, zero) if zero else x for x, zero in zip(numbers, zeros, strict=True)]


def _multiplied(op: core.QuantBinary, e: Expr, loaded: Sequence[int], quants: Sequence[QuantType]) -> int:
    numbers = _centred(e, loaded, quants, _wide(quants, 2 * BYTE - 1))
    factor = float(factors(quants[0], quants[1], op.element))
    product_ = e.cast(e.op("mul", *numbers), DType.F32)
    return rounded_number(op, e, e.with_number("mul", product_, factor), zero_of(op.element))


def _added(op: core.QuantBinary, e: Expr, loaded: Sequence[int], quants: Sequence[QuantType]) -> int:
    """a * A +- b * B + half, shifted: the parts of it that are known are one number."""
    shares = [np.float32(q.scales.view()) / np.float32(op.element.scales.view()) for q in quants]
    shift = 21 - math.frexp(float(max(shares)))[1]
    first, second = (int(np.rint(np.ldexp(np.float64(r), shift))) for r in shares)
    second = second if op.kind == "add" else -second
    wide = _wide(quants, BYTE) if 0 < shift < 31 else DType.I64
    fixed = (1 << (shift - 1)) - zero_of(quants[0]) * first - zero_of(quants[1]) * second
    parts = [e.with_number("mul", e.cast(x, wide), n) for x, n in zip(loaded, (first, second), strict=True)]
    total = e.with_number("add", e.op("add", *parts), fixed)
    return limited_integer(op, e, e.with_number("add", e.with_number("shr", total, shift), zero_of(op.element)))


def _multiplied_wide(op: core.QuantBinary, e: Expr, loaded: Sequence[int], quants: Sequence[QuantType]) -> int:
    numbers = _centred(e, loaded, quants, DType.I64)
    factor = float(factors(quants[0], quants[1], op.element))
    return limited_integer(op, e, scaled_twice(e, e.op("mul", *numbers), factor))


def _added_wide(op: core.QuantBinary, e: Expr, loaded: Sequence[int], quants: Sequence[QuantType]) -> int:
    """As `add_wide` of `dialects.core.rounding`."""
    shares = [ratio(q, op.element) for q in quants]
    largest, scaled = 2 * max(shares), scaled_once if op.kind == "add" else scaled_twice
    numbers = [e.with_number("shl", x, 15) for x in _centred(e, loaded, quants, DType.I64)]
    left, right = (scaled(e, x, r / largest) for x, r in zip(numbers, shares, strict=True))
    return limited_integer(op, e, scaled_twice(e, e.op(op.kind, left, right), largest / (1 << 15)))


def _wide(quants: Sequence[QuantType], bits: int) -> DType:
    """int32 for integers of so many bits and less."""
    return DType.I32 if all(q.storage.bits <= bits for q in quants) else DType.I64


@RULES.rule(core.Requantize)
def requantize(op: core.Requantize, e: KernelBuilder) -> Value:
    """((x - zero) * ratio + 128) >> 8: the parts of it that are known are one number; of 16 bits, twice."""
    shape, x, of_x = sizes(op.y), plain(op.x, e), per_tensor(op.x)
    share = int(np.rint(np.float32(256) * (np.float32(of_x.scales.view()) / np.float32(op.element.scales.view()))))
    moved = _moved_zero(op, of_x) if share == 1 << BYTE else None
    wide = _wide([of_x], BYTE) if share < 1 << 16 else DType.I64

    def build(made: Expr) -> int:
        loaded = made.load(x, broadcast(shape, shape))
        if moved is not None:
            return made.with_number("add", made.cast(loaded, op.element.storage), moved)
        if DType.I16 in (of_x.storage, op.element.storage):
            (centred,) = _centred(made, [loaded], [of_x], DType.I64)
            total = scaled_twice(made, centred, ratio(of_x, op.element))
        else:
            scaled = made.with_number("mul", made.cast(loaded, wide), share)
            total = made.with_number("shr", made.with_number("add", scaled, 128 - zero_of(of_x) * share), 8)
        return limited_integer(op, made, made.with_number("add", total, zero_of(op.element)))

    return e.map(op.y.tensor.stored, build)


def _moved_zero(op: core.Requantize, of_x: QuantType) -> int | None:
    """What is added to bytes of x, modulo 256, where all of them get into the bounds at a ratio of 1; else None."""
    if {of_x.storage, op.element.storage} - {DType.I8, DType.U8}:
        return None
    added = zero_of(op.element) - zero_of(of_x)
    (low, high), (least, _) = storage_range(of_x.storage), storage_range(op.element.storage)
    if low + added < op.lo or high + added > op.hi:
        return None
    return (added - least) % (1 << BYTE) + least


@RULES.rule(core.QuantTable)
def quant_table(op: core.QuantTable, e: KernelBuilder) -> Value:
    """An element of the table for each of x; of 16 bits on both sides, without all of it where room is worth more
    than time.
    """
    shape, x, known = sizes(op.y), plain(op.x, e), handle_of(op.table)
    low, high = storage_range(per_tensor(op.x).storage)
    if x.tensor.dtype is op.y.tensor.dtype is DType.I16 and known is not None:
        found = by_formula(op, x, known.view(), e)
        parts = _in_parts(known.view()) if found is None and e.forms.small else None
        found = found if parts is None else _by_parts(op, x, parts, e)
        if found is not None:
            return found
    table = plain(op.table, e)

    def build(made: Expr) -> int:
        loaded = made.load(x, broadcast(shape, shape))
        if x.tensor.dtype is DType.I8:  # in the order of the table, whose first number is the least
            index = made.with_number("xor", made.cast(loaded, DType.U8), -low)
        else:
            index = made.with_number("sub", made.cast(loaded, DType.I32), low)
        return made.load_at(table, View(0, (0,) * len(shape)), index, 1, high - low + 1)

    return e.map(op.y.tensor.stored, build)


class _Parts(NamedTuple):
    """A table of 16 bits as the least number of each block, and what is added to it, in 8 bits."""

    least: Array
    added: Array


def _in_parts(table: Array) -> _Parts | None:
    """In the largest blocks in which numbers differ by 8 bits; None where those are small."""
    for block in (256, 128, 64, 32, 16):
        rows = table.reshape(-1, block).astype(np.int32)
        least = rows.min(axis=1)
        added = rows - least[:, None]
        if added.max() < 1 << BYTE:
            return _Parts(least.astype(np.int16), added.reshape(-1).astype(np.uint8))
    return None


def _by_parts(op: core.QuantTable, x: Value, parts: _Parts, e: KernelBuilder) -> Value:
    """The sum of both parts of an element for each of x."""
    shape, low = sizes(op.y), storage_range(per_tensor(op.x).storage)[0]
    least, added, nowhere = e.constant(parts.least), e.constant(parts.added), View(0, (0,) * len(shape))
    bits = (parts.added.size // parts.least.size).bit_length() - 1

    def build(made: Expr) -> int:
        index = made.with_number("sub", made.cast(made.load(x, broadcast(shape, shape)), DType.I32), low)
        block = made.with_number("shr", index, bits)
        first = made.load_at(least, nowhere, block, 1, parts.least.size)
        rest = made.load_at(added, nowhere, index, 1, parts.added.size)
        return made.op("add", first, made.cast(rest, DType.I16))

    return e.map(op.y.tensor.stored, build)


@RULES.rule(core.QuantMean)
def quant_mean(op: core.QuantMean, e: KernelBuilder) -> Value:
    """rint(sum * ratio / count + offset), limited; of 16 bits by a factor in fixed point."""
    shape, x, of_x = sizes(op.x), plain(op.x, e), per_tensor(op.x)
    axes = sorted({a % len(shape) for a in op.axes})
    kept = [a for a in range(len(shape)) if a not in axes]
    strides, extents = dense(shape), tuple(shape[a] for a in (*kept, *axes))
    count, operands = product(shape[a] for a in axes), list[Value]()
    small = isinstance(count, int) and count << of_x.storage.bits < _INT32
    body = Expr(operands)
    body.cast(body.load(x, View(0, tuple(strides[a] for a in (*kept, *axes)))), DType.I32 if small else DType.I64)
    after = Expr.after(operands, body.code[-1].dtype)
    if op.element.storage is DType.I16:
        bits, shift = _share(ratio(of_x, op.element), number(count, "the number of elements of a mean"))
        limited_integer(op, after, by_twice(after, after.cast(0, DType.I64), bits, shift))
    else:
        _mean_number(op, after, of_x, count)
    target, combine = View(0, dense(extents[: len(kept)])), "add" if axes else ""
    step = Step(extents, len(axes), combine, body.program(), after.program()[1:], target)
    return e.kernel(LoopNestOp(operands, (step,), op.y.tensor.stored))


def _mean_number(op: core.QuantMean, after: Expr, of_x: QuantType, count: Size) -> None:
    """Behind a sum of stored integers, in float32."""
    share = np.float32(of_x.scales.view()) / np.float32(op.element.scales.view())
    offset = np.float32(zero_of(op.element)) - np.float32(zero_of(of_x)) * share
    factor = after.op("div", after.const(DType.F32, share.item()), after.size(DType.F32, count))
    total = after.op("mul", after.cast(0, DType.F32), factor)
    rounded_number(op, after, after.with_number("add", total, offset.item()), 0)


def _share(factor: float, count: int) -> tuple[int, int]:
    """factor / count in fixed point, as `mean_wide` of `dialects.core.rounding` divides."""
    bits, shift = fixed_point(factor)
    room = min(count.bit_length() - 1, 32, 31 + shift)
    return (bits << room) // count, shift - room
