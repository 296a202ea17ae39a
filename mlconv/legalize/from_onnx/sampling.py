"""Reading images at real coordinates: what GridSample, RoiAlign and DeformConv share.

Source: ONNX GridSample-20 (modes, padding), Keys' cubic convolution with coefficient -0.75.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import CoreBuilder, Part

LINEAR, CUBIC = 2, 4
"""Number of neighbours along an axis; 1 is nearest."""

_A = -0.75


def gather_points(n: CoreBuilder, rows: Value, indices: Value) -> Value:
    """rows [elements, c], indices [n, points] int64 to [n, points, c]."""
    return n.gather(rows, indices, from_start=True)


def size_like(n: CoreBuilder, size: Part, other: Value) -> Value | float:
    """A size as a number of another value's element type."""
    return float(size) if isinstance(size, int) else n.cast(n.reshape(size, []), other.tensor.dtype)


def channel_rows(n: CoreBuilder, image: Value) -> Value:
    """[n, c, *sizes] to [n * elements, c]: what is read of a place lies together."""
    spatial = range(2, n.rank(image))
    sizes = n.dims(image)
    return n.reshape(n.transpose(image, (0, *spatial, 1)), [n.prod([sizes[0], *sizes[2:]]), sizes[1]])


def first_rows(n: CoreBuilder, image: Value, images: Value | None = None) -> Value | None:
    """Where the rows of images [n, c, *sizes] begin, int64 [n, 1]: of all, or of some [k] in [k, 1]; None where all
    begin at 0.
    """
    sizes = n.dims(image)
    if sizes[0] == 1 and (images is None or const_of(images) is None):
        return None
    elements = n.prod(sizes[2:])
    begins = n.mul(n.arange(sizes[0]), elements if isinstance(elements, int) else n.reshape(elements, []))
    return n.expand_dims(begins if images is None else n.gather(begins, images), 1)


@dataclass(slots=True)
class Axis:
    """One image axis: its size, what stands outside (zeros, border, reflection), and the coordinates [n, points] to
    read.
    """

    size: Part
    padding: str
    corners: bool = False
    at: Value | None = None

    def last(self, n: CoreBuilder, like: Value) -> Value | float:
        extent = size_like(n, self.size, like)
        return extent - 1 if isinstance(extent, float) else n.sub(extent, 1)

    def inside(self, n: CoreBuilder, c: Value, count: int) -> Axis:
        """This axis with coordinates brought inside as its padding says (zeros leaves them).  Cubic sampling clamps the
        elements that it reads, not the place.
        """
        # ONNX GridSample: only coordinates beyond the border's outer edge move
        if self.padding == "border" and count != CUBIC:
            edge, last = (0.0 if self.corners else 0.5), self.last(n, c)
            high = last + edge if isinstance(last, float) else n.add(last, edge)
            outside = n.logical_or(n.less(c, -edge), n.less(high, c))
            c = n.where(outside, n.maximum(n.minimum(c, last), 0), c)
        elif self.padding == "reflection":
            c = self.reflected(n, c)
        return Axis(self.size, self.padding, self.corners, c)

    def reflected(self, n: CoreBuilder, c: Value) -> Value:
        """c mirrored at the borders as often as needed: a triangle wave over [low, high]."""
        low = 0.0 if self.corners else -0.5
        last = self.last(n, c)
        span = (last - 2 * low) if isinstance(last, float) else n.sub(last, 2 * low)
        if isinstance(span, float) and span == 0:
            return n.mul(c, 0)
        twice = n.asarray(2 * span, c) if isinstance(span, float) else n.mul(span, 2)
        wave = n.y(core.FloorMod(n.sub(c, low), twice))
        return n.add(n.minimum(wave, n.sub(twice, wave)), low)

    def element(self, n: CoreBuilder, c: Value) -> tuple[Value, Value | None]:
        """Index (int64, inside) of whole-number coordinates, and for zeros which of them are inside."""
        inside = None
        if self.padding == "zeros":
            inside = n.logical_and(n.greater_equal(c, 0), n.less_equal(c, self.last(n, c)))
        elif self.padding == "reflection":
            c = self.reflected(n, c)
        return n.cast(n.maximum(n.minimum(c, self.last(n, c)), 0), DType.I64), inside  # never below 0, as is seen last


def _taps(n: CoreBuilder, c: Value, count: int) -> list[tuple[Value, Value | None]]:
    """Neighbouring whole-number coordinates of c with their weights."""
    if count == 1:
        return [(c, None)]
    low = n.floor(c)
    t = n.sub(c, low)
    if count == LINEAR:
        return [(low, n.sub(1, t)), (n.add(low, 1), t)]
    far = n.sub(1, t)
    return [
        (n.add(low, -1), _outer(n, n.add(t, 1))),
        (low, _inner(n, t)),
        (n.add(low, 1), _inner(n, far)),
        (n.add(low, 2), _outer(n, n.add(far, 1))),
    ]


def _inner(n: CoreBuilder, t: Value) -> Value:
    """((a + 2) t - (a + 3)) t^2 + 1, for distances up to 1."""
    return n.add(n.mul(n.sub(n.mul(t, _A + 2), _A + 3), n.mul(t, t)), 1)


def _outer(n: CoreBuilder, t: Value) -> Value:
    """((a t - 5 a) t + 8 a) t - 4 a, for distances from 1 to 2."""
    return n.sub(n.mul(n.add(n.mul(n.sub(n.mul(t, _A), 5 * _A), t), 8 * _A), t), 4 * _A)


def sample(n: CoreBuilder, image: Value, axes: list[Axis], count: int) -> Value:
    """image [n, c, *sizes] at the coordinates of all axes, from `count` neighbours along each: [n, points, c]."""
    rows, first = channel_rows(n, image), first_rows(n, image)
    taps = [
        [(*axis.element(n, c), weight) for c, weight in _taps(n, axis.at, count)]
        for axis in axes
        if axis.at is not None
    ]
    total: Value | None = None
    for corner in itertools.product(*taps):
        linear: Value | None = None
        inside: Value | None = None
        weight: Value | None = None
        for axis, (index, valid, part) in zip(axes, corner, strict=True):
            size: Value | int = axis.size if isinstance(axis.size, int) else n.reshape(axis.size, [])
            linear = index if linear is None else n.add(n.mul(linear, size), index)
            inside = valid if inside is None or valid is None else n.logical_and(inside, valid)
            weight = part if weight is None or part is None else n.mul(weight, part)
        if linear is None:
            raise ValueError("an image has at least one axis")
        values = gather_points(n, rows, linear if first is None else n.add(linear, first))
        values = values if inside is None else n.where(n.expand_dims(inside, 2), values, 0)
        values = values if weight is None else n.mul(values, n.cast(n.expand_dims(weight, 2), values.tensor.dtype))
        total = values if total is None else n.add(total, values)
    if total is None:
        raise ValueError("an image has at least one axis")
    return total


def sample_bilinear(n: CoreBuilder, image: Value, y: Value, x: Value, padding: str) -> Value:
    """image [n, c, h, w] at real coordinates y, x [n, points] to [n, points, c].  padding: `zeros` or `border` for
    elements outside.
    """
    axes = [Axis(n.dim(image, 2), padding, at=y), Axis(n.dim(image, 3), padding, at=x)]
    return sample(n, image, axes, LINEAR)
