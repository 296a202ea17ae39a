"""Reshapes over sizes that are known at run time.

The front of the data stays the front where such a size leads its axes; else each element of the result is read from
where its row-major position lies among the largest sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, common_factor, divide_exactly
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import simplify
from mlconv.ir.types import Shape
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.legalize.to_hlo.dynamic_sizes.places import number, rows

Sized = list[tuple[Size, int]]  # axes: the size at run time, the largest one


def reshaped(e: HloBuilder, x: Value, shape: Shape, largest: Sequence[int]) -> Value:
    """x under another shape, whose sizes at run time are `shape`."""
    olds = list(zip(e.sizes.of(x), dims(x), strict=True))
    news = list(zip(shape, largest, strict=True))
    y, done, rest = x, list[int](), [n for _, n in olds]
    for before, behind in _groups(e, olds, news):
        rest = rest[len(before) :]
        before, behind, inner = _without_inner(_without_ones(before), _without_ones(behind))
        spots = [n for _, n in behind]
        if not _is_plain(before, behind):
            merged = math.prod(n for _, n in before)
            flat = e.reshape(y, (*done, merged, inner, *rest))
            if flat is not y:
                e.sizes.state(flat, dims(flat))
            y = rows(e, flat, _places(e, before, behind), len(done), (*done, *spots, inner, *rest))
        done += [*spots, inner]
    y = e.reshape(y, tuple(largest))
    if y is not x:
        e.sizes.state(y, shape)
    return y


def _groups(e: HloBuilder, olds: Sized, news: Sized) -> list[tuple[Sized, Sized]]:
    """The finest runs of axes of both shapes that hold the same elements at every size."""
    groups: list[tuple[Sized, Sized]] = []
    i = j = 0
    while i < len(olds) or j < len(news):
        first, second = i, j
        a: Size = 1
        b: Size = 1
        top = bottom = 1
        while i < len(olds) or j < len(news):
            if i < len(olds) and (top <= bottom or j >= len(news)):
                a, top, i = simplify(a * olds[i][0], e.sizes.facts), top * olds[i][1], i + 1
            else:
                b, bottom, j = simplify(b * news[j][0], e.sizes.facts), bottom * news[j][1], j + 1
            if a == b and top == bottom and top > 1:
                break
        groups.append((olds[first:i], news[second:j]))
    return groups


def _without_ones(axes: Sized) -> Sized:
    return [axis for axis in axes if axis[0] != 1]


def _without_inner(olds: Sized, news: Sized) -> tuple[Sized, Sized, int]:
    """Both without the innermost run of elements that is not parted by either, and the length of that."""
    inner = math.gcd(_inner(olds), _inner(news))
    return _divided(olds, inner), _divided(news, inner), inner


def _inner(axes: Sized) -> int:
    found = 1
    for size, _ in reversed(axes):
        if isinstance(size, Dim):
            return found * common_factor(size) if size.is_known else found
        found *= size
    return found


def _divided(axes: Sized, inner: int) -> Sized:
    """The last axes as one, over a number that divides it."""
    rest, size, largest = list(axes), 1, 1
    whole: Size = size
    while rest and largest % inner:
        last, most = rest.pop()
        whole, largest = whole * last, largest * most
    quotient = divide_exactly(whole, inner)
    if quotient is None:  # the front of the axis holds whole runs all the same
        quotient = whole // inner
    return [*rest, (quotient, largest // inner)] if quotient != 1 else rest


def _is_plain(olds: Sized, news: Sized) -> bool:
    """Sizes at run time lead on both sides."""
    return (
        math.prod(n for _, n in olds) == math.prod(n for _, n in news)
        and not any(isinstance(d, Dim) for d, _ in olds[1:])
        and not any(isinstance(d, Dim) for d, _ in news[1:])
    )


def _places(e: HloBuilder, olds: Sized, news: Sized) -> Value:
    """For each element of the new axes its place among the largest of the old ones, int32."""
    spots = tuple(n for _, n in news)
    position, stride = e.scalar(0, DType.I32), e.scalar(1, DType.I32)
    for axis in reversed(range(len(news))):
        position = e.binary("add", position, e.binary("multiply", e.iota(DType.I32, spots, axis), stride))
        stride = e.binary("multiply", stride, number(e, news[axis][0]))
    place, step = e.full(spots, 0, DType.I32), 1
    for axis in reversed(range(len(olds))):
        size, largest = olds[axis]
        count = number(e, size)
        at = e.binary("remainder", position, count) if axis else position
        position = e.binary("divide", position, count)
        place = e.binary("add", place, e.binary("multiply", at, e.scalar(step, DType.I32)))
        step *= largest
    return place
