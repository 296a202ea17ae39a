"""What jax writes out around reductions: means, softmax, axes that are put back behind a reduction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import reduce
from typing import TypeGuard

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.reduce import Reduce
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.unary import Unary
from mlconv.ir.constants import Splat
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size
from mlconv.ir.shapes import moves_nothing, same_slices, static
from mlconv.passes.patterns.activations import split_constant
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_FEW = 3  # numbers, of which the largest is found by comparing two at a time
_MOST = 16  # ops of a computation between reductions and what puts their axes back
Shape = tuple[Size, ...]
_Made = Reduce | Unary | Binary


@rewrite(core.Reshape)
def keep_reduced_axes(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """A reduction that leaves axes out, which a reshape puts back with size 1, behind it or behind what is computed of
    such reductions, keeps them.
    """
    kept = op.y.tensor.shape
    if kept is None or 1 not in kept:
        return NoMatch("no axis of 1 is put back")
    found = _between(op.x, kept)
    if found is None:
        return NoMatch("what is reshaped is not made of reductions alone, or is used as it is")
    made: dict[Value, Value] = {}
    for inner in reversed(found):
        rw.fuse(inner, by="keep-reduced-axes")
        made[inner.results[0]] = _with_axes(inner, made, rw)
    return made[op.x]


def _between(root: Value, kept: Shape) -> list[_Made] | None:
    """The ops from reductions to a value, last first, all of whose uses are in it or put the same axes back."""
    ops: dict[Op, _Made] = {}
    left, seen = [root], {root}
    while left:
        value = left.pop()
        made = value.producer
        if len(ops) >= _MOST or not (_reduces(made, kept) or isinstance(made, (Unary, Binary))):
            return None
        ops[made] = made
        read = [] if isinstance(made, Reduce) else [x for x in made.inputs if uniform(x) is None]
        if not read and not isinstance(made, Reduce):
            return None
        for x in read:
            if x.tensor.shape != value.tensor.shape:
                return None
            if x not in seen:
                seen.add(x)
                left.append(x)
    if not all(user in ops or _puts_back(user, kept) for one in ops.values() for user in one.y.users):
        return None
    return _last_first(root, ops)


def _last_first(root: Value, inside: Mapping[Op, _Made]) -> list[_Made]:
    """Users in front of what they use."""
    order: list[_Made] = []
    entered: set[Op] = set()
    stack = [(root, False)]
    while stack:
        value, done = stack.pop()
        made = inside.get(value.producer) if value.producer is not None else None
        if made is not None and done:
            order.append(made)
        elif made is not None and made not in entered:
            entered.add(made)
            stack += [(value, True), *((x, False) for x in made.inputs)]
    return order[::-1]


def _reduces(made: Op | None, kept: Shape) -> TypeGuard[Reduce]:
    """A reduction that would have this shape if it kept its axes."""
    if not isinstance(made, Reduce) or made.keepdims or not made.axes or made.x.tensor.shape is None:
        return False
    return tuple(1 if i in made.axes else d for i, d in enumerate(made.x.tensor.shape)) == kept


def _puts_back(user: Op, kept: Shape) -> bool:
    return isinstance(user, core.Reshape) and user.y.tensor.shape == kept


def _with_axes(made: _Made, known: dict[Value, Value], rw: Rewriter) -> Value:
    if isinstance(made, Reduce):
        return rw.emit(type(made)(made.x, **{**made.attributes, "keepdims": True})).y
    return rw.emit(type(made)(*(known.get(x) or _one_number(x, rw) for x in made.inputs), **made.attributes)).y


def _one_number(x: Value, rw: Rewriter) -> Value:
    """A constant that is the same everywhere, without axes: other axes stand beside it now."""
    handle = const_of(x)
    if handle is None or uniform(x) is None or not handle.shape:
        return x
    return rw.emit(core.Constant(value=Splat(handle.view()[(0,) * len(handle.shape)], handle.dtype, ()))).y


@rewrite(core.ReduceSum, core.ReduceMean, core.ReduceProd, core.ReduceMax, core.ReduceMin)
def drop_reduction_of_one(op: Reduce, rw: Rewriter) -> Replacement | NoMatch:
    """What one element is reduced to is that element."""
    shape = op.x.tensor.shape
    if shape is None or any(shape[axis] != 1 for axis in op.axes):
        return NoMatch("more than one element")
    if op.keepdims:
        return op.x
    return rw.emit(core.Squeeze(op.x, axes=tuple(sorted(op.axes)))).y


@rewrite(core.ReduceMax, core.ReduceMin)
def extreme_of_numbers(op: Reduce, rw: Rewriter) -> Replacement | NoMatch:
    """The larger or smaller of a few integers that are joined for it: how many of a level's boxes are looked at."""
    joined = op.x.producer
    if not isinstance(joined, core.Concat) or op.axes not in ((0,), (-1,)) or not op.x.tensor.dtype.is_int:
        return NoMatch("no integers are joined for it")
    numbers = list(joined.xs)
    if not 2 <= len(numbers) <= _FEW or any(x.tensor.shape != (1,) for x in numbers) or not op.x.has_one_use:
        return NoMatch(f"{len(numbers)} parts are many, some are not of one number, or others read them together")
    rw.fuse(joined, by="extreme-of-numbers")
    e = CoreBuilder(rw)
    y = reduce(e.maximum if isinstance(op, core.ReduceMax) else e.minimum, numbers)
    return y if op.keepdims else e.reshape(y, ())


@rewrite(core.Div, core.Mul)
def recognise_mean(op: core.Div | core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """A sum over the number of its elements."""
    split = split_constant(op, core.Div) or split_constant(op, core.Mul)
    total = None if split is None else split[0].producer
    if split is None or not isinstance(total, core.ReduceSum) or not total.y.has_one_use:
        return NoMatch("no sum with a number")
    shape = total.x.tensor.shape
    sizes = None if shape is None else static(shape[axis] for axis in total.axes)
    count = 0 if sizes is None else math.prod(sizes)
    if not count or not op.y.tensor.dtype.is_float:
        return NoMatch("the number of elements is not known, or they are integers")
    wanted = float(count) if isinstance(op, core.Div) else 1 / count
    if not math.isclose(split[1], wanted, rel_tol=1e-7 if isinstance(op, core.Div) else 1e-6):
        return NoMatch(f"{split[1]} is not the number of elements, {count}")
    rw.fuse(total, by="recognise-mean")
    return rw.emit(core.ReduceMean(total.x, axes=total.axes, keepdims=total.keepdims)).y


@rewrite(core.Div)
def recognise_average(op: core.Div, rw: Rewriter) -> Replacement | NoMatch:
    """Sums of windows, which are averages by the size of the window, over that size."""
    split = split_constant(op, core.Div)
    times = None if split is None else split_constant(split[0].producer, core.Mul)
    pool = None if times is None else times[0].producer
    if split is None or times is None or not isinstance(pool, core.AvgPool):
        return NoMatch("no average of windows times a number, over a number")
    if times[1] != split[1] or times[1] != math.prod(pool.window):
        return NoMatch("the numbers are not the size of the window")
    rw.fuse(split[0].producer, pool, by="recognise-average")
    return pool.y


@rewrite(core.Div)
def recognise_softmax(op: core.Div, rw: Rewriter) -> Replacement | NoMatch:
    """exp(x - max) / sum of it, along one axis."""
    power, axis = op.a.producer, _reduced(op.a, op.b, core.ReduceSum)
    if not isinstance(power, core.Exp) or axis is None:
        return NoMatch("no power over the sum of such")
    x = _above_largest(power.x, axis)
    if x is None or op.y.tensor != x.tensor:
        return NoMatch("the power is not one of x - max along the axis of the sum")
    rw.fuse(power, _flat(op.b).producer, power.x.producer, by="recognise-softmax")
    return rw.emit(core.Softmax(x, axis=axis)).y


@rewrite(core.Sub)
def recognise_log_softmax(op: core.Sub, rw: Rewriter) -> Replacement | NoMatch:
    """(x - max) - log of the sum of exp of it, along one axis."""
    log = op.b.producer
    total = _flat(log.x).producer if isinstance(log, core.Log) else None
    power = total.x.producer if isinstance(total, core.ReduceSum) else None
    if not isinstance(log, core.Log) or not isinstance(power, core.Exp) or power.x is not op.a:
        return NoMatch("no logarithm of the sum of powers is taken off")
    axis = _reduced(power.y, log.x, core.ReduceSum)
    x = None if axis is None else _above_largest(op.a, axis)
    if axis is None or x is None or op.y.tensor != x.tensor:
        return NoMatch("what it is taken off is not x - max along the axis of the sum")
    rw.fuse(log, total, power, op.a.producer, by="recognise-log-softmax")
    return rw.emit(core.LogSoftmax(x, axis=axis)).y


def _above_largest(shifted: Value, axis: int) -> Value | None:
    """x of x - max(x) along an axis."""
    made = shifted.producer
    if not isinstance(made, core.Sub) or not made.a.tensor.dtype.is_float:
        return None
    return made.a if _reduced(made.a, made.b, core.ReduceMax) == axis else None


def _reduced(whole: Value, part: Value, kind: type[Reduce]) -> int | None:
    """The axis along which `part` is a reduction of `whole`, which it has with size 1; axes of size 1 may be elsewhere
    where it is made.
    """
    made, shape, small = _flat(part).producer, whole.tensor.shape, part.tensor.shape
    if not isinstance(made, kind) or len(made.axes) != 1 or _flat(made.x) is not _flat(whole):
        return None
    if shape is None or small is None or made.x.tensor.shape is None or len(shape) != len(small):
        return None
    other = [i for i, (a, b) in enumerate(zip(shape, small, strict=True)) if a != b]
    if len(other) != 1 or small[other[0]] != 1:
        return None
    return other[0] if same_slices(made.axes[0], made.x.tensor.shape, shape) == other[0] else None


def _flat(value: Value) -> Value:
    """What a value is made of by ops that leave its elements in their order."""
    while True:
        made = value.producer
        if isinstance(made, core.Transpose) and made.x.tensor.shape is not None:
            if not moves_nothing(made.x.tensor.shape, made.perm):
                return value
        elif not isinstance(made, core.Reshape):
            return value
        value = made.x


PATTERNS = (
    keep_reduced_axes,
    drop_reduction_of_one,
    extreme_of_numbers,
    recognise_mean,
    recognise_average,
    recognise_softmax,
    recognise_log_softmax,
)
