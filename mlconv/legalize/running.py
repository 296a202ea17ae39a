"""Running combinations along an axis, by doubling: after step k each element holds the combination of the 2^k elements
up to it.  Along an axis whose size is known the steps are written out, else a loop takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mlconv.dialects import core
from mlconv.dialects.core.reduce import Scan
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.rewrite.core_builder import CoreBuilder

Combine: TypeAlias = Callable[[CoreBuilder, Sequence[Value], Sequence[Value]], Sequence[Value]]
"""Of tensors whose elements come first, and of as many whose elements come behind them."""


def running(e: CoreBuilder, xs: Sequence[Value], axis: int, combine: Combine, *, reverse: bool = False) -> list[Value]:
    """Each element of tensors that are combined together with all before it, or behind it.  combine is associative,
    and gives tensors of the types that it gets.
    """
    size = e.dim(xs[0], axis)
    if isinstance(size, int):
        return _written_out(e, xs, axis, size, combine, reverse)
    return _loop(e, xs, axis, e.scalar(size), combine, reverse)


def running_products(e: CoreBuilder, op: Scan, one: float = 1.0, combine: type[OpDef] = core.Mul) -> Value:
    """A scan of core by `running`."""
    x, axis = op.x, e.axis_of(op.x, op.axis)
    if op.exclusive:
        ends = (-1, 1) if op.reverse else (1, -1)
        x = e.pad(x, [ends if i == axis else (0, 0) for i in range(e.rank(x))], one)
    make: Combine = lambda inner, a, b: [inner.y(combine(a[0], b[0]))]  # noqa: E731
    return running(e, [x], axis, make, reverse=op.reverse)[0]


def _written_out(
    e: CoreBuilder, xs: Sequence[Value], axis: int, size: int, combine: Combine, reverse: bool
) -> list[Value]:
    found, step = list(xs), 1
    while step < size:
        front = [e.slice_axis(x, axis, 0, size - step) for x in found]
        back = [e.slice_axis(x, axis, step, size) for x in found]
        ends = (size - step, size) if reverse else (0, step)
        joined = []
        for x, made in zip(found, combine(e, front, back), strict=True):
            kept = e.slice_axis(x, axis, *ends)
            joined.append(e.concat([made, kept] if reverse else [kept, made], axis))
        found, step = joined, 2 * step
    return found


def _loop(e: CoreBuilder, xs: Sequence[Value], axis: int, size: Value, combine: Combine, reverse: bool) -> list[Value]:
    places = e.arange(size)
    column = e.expand_dims(places, *range(1, e.rank(xs[0]) - axis))
    carried = [e.constant(1, DType.I64), *xs]
    cond, body = (Block([v.type for v in carried]) for _ in range(2))
    inner = CoreBuilder(Builder(cond, e.builder.location))
    inner.emit(Yield([inner.less(cond.arguments[0], size)]))
    inner = CoreBuilder(Builder(body, e.builder.location))
    step, *found = body.arguments
    other = inner.minimum(inner.add(places, step), inner.sub(size, 1)) if reverse else inner.sub(places, step)
    there = inner.less(inner.add(column, step), size) if reverse else inner.greater_equal(column, step)
    moved = [inner.gather(x, other if reverse else inner.maximum(other, 0), axis) for x in found]
    made = combine(inner, found, moved) if reverse else combine(inner, moved, found)
    new = [inner.where(there, y, x) for y, x in zip(made, found, strict=True)]
    inner.emit(Yield([inner.mul(step, 2), *new]))
    return list(e.emit(core.While(carried, cond=Region(cond), body=Region(body))).results)[1:]
