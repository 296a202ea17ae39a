"""Vectors of elements that lie a few apart: made of what is read between them, too, and written with the vectors of the
elements between.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value

MOST = 4
"""Elements from one to the next, at most: so many vectors are read or written."""


def starts(lanes: int, stride: int) -> list[int]:
    """Where vectors begin in which elements 0, stride, 2 * stride ... lie.  None reaches behind the last of these."""
    return [*range(0, (stride - 1) * lanes, lanes), stride * (lanes - 1) + 1 - lanes]


def apart(b: Builder, parts: Sequence[Value]) -> Value:
    """Elements 0, stride, 2 * stride ...  parts: the vectors at `starts`, as many as the stride."""
    stride, lanes = len(parts), parts[0].type.lanes
    begins = starts(lanes, stride)
    found = [min(i * stride // lanes, stride - 1) for i in range(lanes)]
    return _picked(b, parts, [(part, i * stride - begins[part]) for i, part in enumerate(found)])


def interleaved(b: Builder, values: Sequence[Value]) -> list[Value]:
    """The first elements of all values, then the second ones, and so on, as vectors of as many lanes."""
    count, lanes = len(values), values[0].type.lanes
    places = [(e % count, e // count) for e in range(count * lanes)]
    return [_picked(b, values, places[k * lanes : (k + 1) * lanes]) for k in range(count)]


def _picked(b: Builder, parts: Sequence[Value], places: Sequence[tuple[int, int]]) -> Value:
    """A vector of lanes, each by its part and its place there."""
    first, *others = sorted({part for part, _ in places})
    found, own = parts[first], [at if part == first else 0 for part, at in places]
    if not others:
        return b.chosen(found, own)
    for number in others:
        chosen = [len(places) + at if part == number else k for k, (part, at) in zip(own, places, strict=True)]
        found, own = b.mixed(found, parts[number], chosen), list(range(len(places)))
    return found
