"""One number in a tensor of open sizes: what is computed of it is computed once, and repeated behind.

Masks of ones, and what counts them, are constants where sizes are pinned.
"""

from __future__ import annotations

import math
from typing import TypeGuard

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts, bounds
from mlconv.ir.size_relations import Relation
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import TensorType
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite import NoMatch, Rewriter, remake, rewrite
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.pattern import Replacement

_MOST_READ = 64  # values that are made of a number and looked at
_LEAST = 2  # operands, of an op that has a repeated one and another one


@rewrite(*(cls for cls in core.OPS if Elementwise in cls.spec.traits and len(cls.spec.results) == 1))
def compute_once(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """f(repeat(x), c) is repeat(f(x, c)) of single numbers x and c."""
    y = op.results[0].tensor
    whole = next((v.producer for v in op.inputs if _is_repeated(v) and v.tensor.shape == y.shape), None)
    if not isinstance(whole, core.BroadcastTo) or y.quant is not None or op.regions:
        return NoMatch("no operand is one number, repeated")
    once = [None if v is None else _number(v) for v in op.operands]
    if any(v is not None and x is None for v, x in zip(op.operands, once, strict=True)):
        return NoMatch("an operand has several numbers")
    rw.fuse(*(v.producer for v in op.inputs if _is_repeated(v)), by="compute-once")
    made = rw.emit(remake(op, once)).results[0]
    return rw.emit(core.BroadcastTo(made, whole.shape)).y


def _is_repeated(value: Value) -> bool:
    return _repeats(value.producer)


def _repeats(op: Op | None) -> TypeGuard[core.BroadcastTo]:
    """An op that repeats one number as often as a run tells."""
    return (
        isinstance(op, core.BroadcastTo)
        and op.x.tensor.size == 1
        and op.x.tensor.quant is None
        and not op.y.tensor.is_static
        and op.y.tensor.shape is not None
    )


def _number(value: Value) -> Value | None:
    """The one number that a value holds, where it is one op to tell."""
    if value.tensor.size == 1:
        return value
    return value.producer.x if _repeats(value.producer) else None


@rewrite(core.Concat)
def join_repetitions(op: core.Concat, rw: Rewriter) -> Replacement | NoMatch:
    """Tensors of the same number, joined, are one."""
    makers = [x.producer for x in op.xs]
    repeats = [maker for maker in makers if _repeats(maker)]
    if len(repeats) < max(len(makers), _LEAST) or not all(_are_equal(repeats[0].x, r.x) for r in repeats):
        return NoMatch("not all parts are the same number, repeated")
    e, axis = CoreBuilder(rw), op.axis % (op.y.tensor.rank or 1)
    rw.fuse(*repeats, by="join-repetitions")
    sizes = [_size(e, r, axis) for r in repeats]
    length: Part = sum(n for n in sizes if isinstance(n, int))
    for n in sizes:
        if isinstance(n, Value):
            length = n if length == 0 and isinstance(length, int) else e.add(n, length)
    shape = [length if a == axis else _size(e, repeats[0], a) for a in range(op.y.tensor.rank or 1)]
    return e.broadcast_to(repeats[0].x, shape)


def _are_equal(a: Value, b: Value) -> bool:
    if a is b:
        return True
    told = uniform(a)
    return told is not None and told == uniform(b) and a.tensor.dtype is b.tensor.dtype


def _size(e: CoreBuilder, op: core.BroadcastTo, axis: int) -> Part:
    """Of what is repeated, without asking for the shape of it."""
    size = (op.y.tensor.shape or ())[axis]
    return size if isinstance(size, int) else e.cast(e.slice_axis(op.shape, 0, axis, axis + 1), DType.I64)


def _size_among(e: CoreBuilder, op: core.BroadcastTo, other: Value, size: Size) -> Part | None:
    """A size of what is repeated, or of another value."""
    if isinstance(size, int):
        return size
    shapes = [v.tensor.shape or () for v in (op.y, other)]
    if size in shapes[0]:
        return _size(e, op, shapes[0].index(size))
    return e.dim(other, shapes[1].index(size)) if size in shapes[1] else None


@rewrite(core.ReduceSum)
def count_repetitions(op: core.ReduceSum, rw: Rewriter) -> Replacement | NoMatch:
    """The sum of a number, repeated, is a multiple of it; not of one that may be infinite, and repeated no time."""
    maker, rank = op.x.producer, op.x.tensor.rank or 0
    dtype = op.x.tensor.dtype
    if not _repeats(maker) or not (dtype.is_int or dtype.is_float) or op.y.tensor.dtype is not dtype:
        return NoMatch("no number, repeated")
    told = uniform(maker.x)
    if told is None or not math.isfinite(told):
        return NoMatch("the number is not known, or infinite")
    e, axes = CoreBuilder(rw), {a % max(rank, 1) for a in op.axes}
    rw.fuse(maker, by="count-repetitions")
    count = e.prod([_size(e, maker, a) for a in sorted(axes)])
    number = e.scalar(e.reshape(maker.x, [1]))
    times = count if isinstance(count, int) else e.cast(e.scalar(count), number.tensor.dtype)
    total = e.mul(number, times)
    left = [1 if a in axes else _size(e, maker, a) for a in range(rank) if op.keepdims or a not in axes]
    return e.broadcast_to(total, left) if left else total


@rewrite(core.ExpandDims, core.Squeeze, core.Transpose, core.Reshape, core.Slice, core.Gather)
def pick_one_number(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """Other axes of a tensor of one number, or a part of it, of sizes that it has."""
    maker, shape = op.operands[0].producer if op.operands[0] is not None else None, op.results[0].tensor.shape
    if not _repeats(maker) or shape is None:
        return NoMatch("not one number, repeated")
    places = op.indices if isinstance(op, core.Gather) else maker.y
    sizes = [_size_among(CoreBuilder(rw), maker, places, n) for n in shape]
    told = [n for n in sizes if n is not None]
    if len(told) != len(shape):
        return NoMatch("there are sizes that it has not")
    rw.fuse(maker, by="pick-one-number")
    return CoreBuilder(rw).broadcast_to(maker.x, told)


@rewrite(core.Div)
def divide_by_itself(op: core.Div, rw: Rewriter) -> Replacement | NoMatch:
    """A size over itself is 1, once or repeated, where nothing is read if it is 0."""
    numbers = [_number(v) for v in op.inputs]
    casts = [v.producer for v in numbers if v is not None]
    told = [known_ints(c.x) for c in casts if isinstance(c, core.Cast)]
    whole = next((v.producer for v in op.inputs if v.tensor.shape == op.y.tensor.shape), None)
    if not op.y.tensor.dtype.is_float or len(told) != len(op.inputs) or told[0] is None or told[0] != told[1]:
        return NoMatch("not the same number, which is known")
    if any(n is None or not _is_positive(n, op.y) for n in told[0]):
        return NoMatch("it may be 0")
    one = CoreBuilder(rw).constant(1, op.y.tensor.dtype)
    if _repeats(whole):
        return rw.emit(core.BroadcastTo(one, whole.shape)).y
    return one if op.y.tensor.shape == () else NoMatch("one number with axes")


def _is_positive(size: Size, reader: Value) -> bool:
    """A size is 1 or more where any element is read of what is made of a value."""
    least = bounds(size, SizeFacts())[0]
    if isinstance(size, int) or least > 0:
        return least > 0
    names = sorted(size.symbols())
    if bounds(size, SizeFacts(relations=[Relation(Dim.symbol(n), ">=", 1) for n in names]))[0] < 1:
        return False
    waiting, seen = [reader], {reader}
    for value in waiting:  # grows
        shape = value.type.shape if isinstance(value.type, TensorType) else None
        if shape and all(any(substitute(d, {n: 0}) == 0 for d in shape if isinstance(d, Dim)) for n in names):
            continue
        makers = [op for op, _ in value.uses]
        if len(waiting) > _MOST_READ or not makers or any(op.regions or not op.results for op in makers):
            return False
        results = [v for op in makers for v in op.results if v not in seen]
        seen.update(results)
        waiting += results
    return True


@rewrite(core.Add, core.Sub, core.Mul, core.Div)
def drop_repeated_neutral(op: Binary, rw: Rewriter) -> Replacement | NoMatch:
    """x * 1, x + 0 of a repeated number are x, repeated where the number was more often."""
    neutral = 1.0 if isinstance(op, (core.Mul, core.Div)) else 0.0
    pairs = [(op.a, op.b)] if isinstance(op, (core.Sub, core.Div)) else [(op.a, op.b), (op.b, op.a)]
    y = op.y.tensor
    for x, other in pairs:
        maker, shape = other.producer, x.tensor.shape
        if y.quant is not None or y.shape is None or shape is None or x.tensor.dtype is not y.dtype:
            continue
        if not _repeats(maker) or uniform(maker.x) != neutral:
            continue
        rw.fuse(maker, by="drop-repeated-neutral")
        if shape == y.shape:
            return x
        sizes = [_size_among(CoreBuilder(rw), maker, x, n) for n in y.shape]
        told = [n for n in sizes if n is not None]
        if len(told) == len(sizes):
            return CoreBuilder(rw).broadcast_to(x, told)
    return NoMatch("no operand is a neutral number, repeated")


PATTERNS = (divide_by_itself, drop_repeated_neutral, compute_once, join_repetitions, count_repetitions, pick_one_number)
