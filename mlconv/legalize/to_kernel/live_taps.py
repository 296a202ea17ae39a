"""Convolutions whose windows lie in the padding for the most part, as those of high dilation on small images do: places
that have the same part of the window over the image are a convolution of their own, of that part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import View, dense
from mlconv.ir import recipes
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.to_kernel.builder import KernelBuilder, dims, sizes
from mlconv.legalize.to_kernel.windows import Border, borders

_SHARE = 0.6  # of all products, at most, that are of elements of the image
_LEAST = 1 << 20  # products that are worth several kernels


class _Part(NamedTuple):
    """Places `begin` to `end` along an axis, over which `first` to `last` of the window lie in the image."""

    begin: int
    end: int
    first: int
    last: int

    @property
    def products(self) -> int:
        return (self.end - self.begin) * (self.last - self.first)


def by_live_taps(op: core.Conv, e: KernelBuilder) -> Value | None:
    """The convolution, of channels last, in such parts; None where most of its products are of the image."""
    shape, window = static(sizes(op.x)), static(sizes(op.w))
    if (
        shape is None
        or window is None
        or const_of(op.w) is None
        or op.groups != 1
        or op.x.tensor.dtype is not DType.F32
    ):
        return None
    spans = tuple(window[op.w_layout.index(str(i))] for i in range(len(op.strides)))
    out, around = static(sizes(op.y)) or (), borders(op.pads, shape[1:-1], spans, op.strides, op.dilations)
    lows = [b.low for b in around]
    if _most_are_live(around, op.strides, out[1:-1]):
        return None
    axes = zip(shape[1:-1], out[1:-1], lows, spans, op.strides, op.dilations, strict=True)
    parts = [_parts(*axis) for axis in axes]
    whole, live = math.prod(out[1:-1]) * math.prod(spans), math.prod(sum(p.products for p in axis) for axis in parts)
    taps = math.prod(sum(p.last - p.first for p in axis) for axis in parts)
    is_empty = any(p.first == p.last for axis in parts for p in axis)
    is_large = taps > math.prod(spans) and not e.forms.winograd  # each part has weights of its own
    if is_empty or is_large or live > _SHARE * whole or whole * shape[-1] * out[-1] < _LEAST:
        return None
    made = {places: _part(op, places, lows, e) for places in product(*parts)}
    return _joined(made, parts, (), e)


def _most_are_live(around: Sequence[Border], strides: Sequence[int], out: Sequence[int]) -> bool:
    """So by what padding is to the places along each axis: one of the window lies in it at no more of them."""
    least = 1.0
    for border, stride, places in zip(around, strides, out, strict=True):
        least *= max(0.0, 1 - (border.low + border.high + 2 * (stride - 1)) / max(1, stride * places))
    return least > _SHARE


def _parts(size: int, places: int, low: int, taps: int, stride: int, dilation: int) -> list[_Part]:
    """Runs of places along an axis of an image of that size, behind `low` elements of padding."""
    found: list[_Part] = []
    for place in range(places):
        start = place * stride - low
        first = max(0, -(start // dilation)) if start < 0 else 0
        last = min(taps, -(-(size - start) // dilation)) if start < size else 0
        first = min(first, max(last, 0))
        part = _Part(place, place + 1, first, max(last, first))
        if found and found[-1][2:] == part[2:]:
            found[-1] = found[-1]._replace(end=place + 1)
        else:
            found.append(part)
    return found


def _part(op: core.Conv, places: tuple[_Part, ...], low: list[int], e: KernelBuilder) -> Value:
    """The convolution at some places, without padding."""
    weights, x = const_of(op.w), op.x
    assert weights is not None
    begin, end = [0] * len(op.w_layout), list(weights.shape)
    offset, taken, lines = 0, list(dims(x)), dense(dims(x))
    for i, (part, stride, dilation) in enumerate(zip(places, op.strides, op.dilations, strict=True)):
        axis = op.w_layout.index(str(i))
        begin[axis], end[axis] = part.first, part.last
        start = part.begin * stride + part.first * dilation - low[i]
        stop = (part.end - 1) * stride + (part.last - 1) * dilation - low[i] + 1
        offset, taken[1 + i] = offset + start * lines[1 + i], stop - start
    if tuple(taken) != sizes(x):
        x = e.copy(x, x.tensor.with_shape(tuple(taken)), View(offset, lines), tuple(taken))
    filters = e.constant(recipes.slices(weights, tuple(begin), tuple(end)))
    nothing = tuple((0, 0) for _ in places)
    return e.y(core.Conv(x, filters, op.bias, **{**op.attributes, "pads": nothing}))


def _joined(
    made: dict[tuple[_Part, ...], Value], parts: list[list[_Part]], before: tuple[_Part, ...], e: KernelBuilder
) -> Value:
    """The results side by side, along one axis after the other."""
    axis = len(before)
    if axis == len(parts):
        return made[before]
    pieces = [_joined(made, parts, (*before, part), e) for part in parts[axis]]
    return pieces[0] if len(pieces) == 1 else e.y(core.Concat(pieces, axis=1 + axis))
