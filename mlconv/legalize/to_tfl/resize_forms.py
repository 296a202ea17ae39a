"""Resampling in few ops: cubic kernels as convolutions, and images of other ranks as images of rank 4.

Where an image grows by whole numbers each result is one of a few sums of the elements around it: a convolution with a
filter for each place between two elements, and DEPTH_TO_SPACE.  What lies beyond the edge is the edge again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import divide_exactly, product
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.builder import TflBuilder, shape_of
from mlconv.rewrite import remake

_SHIFTED = ("half_pixel", "pytorch_half_pixel", "asymmetric")
_MIDDLE = 8  # elements of an axis in the middle of which the edge is not felt
_FEW_CHANNELS = 4  # that one convolution takes, with zeros for those of one another


def by_filters(op: core.Resize, e: TflBuilder) -> Value | None:
    """Cubic interpolation of two axes of four by whole factors; None for others."""
    factors = _factors(op)
    shape = shape_of(op.x)
    if factors is None or len(shape) != 4 or len(op.axes) != 2 or factors[0] != factors[1]:
        return None
    first, second = (_phases(op, i, factors[0]) for i in range(2))
    rest = [a for a in range(4) if a not in op.axes]
    order = [rest[0], *op.axes, rest[1]]
    channels = shape[rest[1]]
    if isinstance(channels, int) and channels <= _FEW_CHANNELS:
        y = _filtered(e, e.transpose(op.x, order), first, second)
        return e.transpose(y, [order.index(i) for i in range(4)])
    grouped = [*rest, *op.axes]
    sizes = shape_of(op.y)
    x = e.transpose(op.x, grouped)
    images = e.reshape(x, (product([shape[a] for a in rest]), *(shape[a] for a in op.axes), 1), op.x)
    y = e.reshape(_filtered(e, images, first, second), tuple(sizes[a] for a in grouped), op.x)
    return e.transpose(y, [grouped.index(i) for i in range(4)])


def _factors(op: core.Resize) -> list[int] | None:
    """By how much each axis grows, where results lie at the same places between elements everywhere."""
    if op.mode != "cubic" or op.coordinates not in _SHIFTED or op.antialias or op.exclude_outside or op.roi is not None:
        return None
    found: list[int] = []
    for i, axis in enumerate(op.axes):
        factor = divide_exactly(shape_of(op.y)[axis], shape_of(op.x)[axis])
        if not isinstance(factor, int) or factor < 2 or (op.scales is not None and op.scales[i] != factor):
            return None
        found.append(factor)
    return found


def _phases(op: core.Resize, i: int, factor: int) -> Array:
    """Weights [factor, 5] of the elements from two before to two behind, for each place between two elements."""
    elements, weights = op.taps(i, _MIDDLE, _MIDDLE * factor)
    middle = _MIDDLE // 2
    out = np.zeros((factor, 5))
    for phase in range(factor):
        row = middle * factor + phase
        np.add.at(out[phase], elements[row] - middle + 2, weights[row])
    return out


def _filtered(e: TflBuilder, x: Value, first: Array, second: Array) -> Value:
    """x [n, h, w, c] as [n, factor*h, factor*w, c]."""
    factor, size = len(first), shape_of(x)[3]
    channels = size if isinstance(size, int) else 1
    both = np.einsum("ak,bl->klab", first, second).reshape(5, 5, 1, -1, 1)
    filters = both * np.eye(channels).reshape(1, 1, channels, 1, channels)
    shape = (5, 5, channels, -1)
    pads = np.asarray([[0, 0], [2, 2], [2, 2], [0, 0]], np.int32)
    padded = e.y(core.Pad(x, e.constant(pads, DType.I32), e.asarray(0.0, x), mode="edge"))
    weights = e.constant(filters.reshape(shape).astype(np.float32), DType.F32)
    ones: tuple[int, ...] = (1, 1)
    y = e.y(core.Conv(padded, weights, None, strides=ones, pads=((0, 0), (0, 0)), dilations=ones, groups=1))
    return e.y(core.DepthToSpace(y, block_size=factor, mode="dcr", layout="NHWC"))


def by_folding(op: core.Resize, e: TflBuilder) -> Value | None:
    """Linear or nearest resampling of other ranks, two axes that lie side by side at a time: those before are the
    images, those behind the channels.  None for what TFLite's kernels have no form for.
    """
    if len(shape_of(op.x)) == 4 and len(op.axes) <= 2:
        return None
    x, shape = op.x, list(shape_of(op.x))
    for group in reversed(_pairs(op.axes)):
        first, last = op.axes[group[0]], op.axes[group[-1]]
        wanted = [shape_of(op.y)[a] for a in (first, last)]
        sides = [shape[first], shape[last] if last != first else 1]
        image = e.reshape(x, (product(shape[:first]), *sides, product(shape[last + 1 :])), op.x)
        sizes = e.y(core.Gather(e.i32(op.sizes), e.ints(group)))
        part = remake(op, [image, sizes], axes=tuple(1 + k for k in range(len(group))), scales=_of(op.scales, group))
        x = e.y(part)
        for axis, size in zip((first, last), wanted, strict=True):
            shape[axis] = size
    return e.reshape(x, tuple(shape), op.x)


def _pairs(axes: Sequence[int]) -> list[list[int]]:
    """Positions in axes, two at a time that lie side by side."""
    groups: list[list[int]] = []
    for i, axis in enumerate(axes):
        if groups and len(groups[-1]) == 1 and axes[groups[-1][0]] == axis - 1:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _of(values: tuple[float, ...] | None, group: Sequence[int]) -> tuple[float, ...] | None:
    return None if values is None else tuple(values[i] for i in group)
