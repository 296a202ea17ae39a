"""Means over regions of an image whose numbers of samples depend on the data: RoiAlign with sampling_ratio 0.

The mean of bilinear samples on a grid is a product of the image with weights of its rows and of its columns.  Samples
of a bin lie evenly, so that the weight of an element is known from how many of them lie before it: no loop is needed.
Source: ONNX RoiAlign-16; ONNX Runtime, roialign.cc, `PreCalcForBilinearInterpolate`.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_onnx.sampling import size_like
from mlconv.legalize.limits import check_table
from mlconv.rewrite.core_builder import CoreBuilder, Part


def region_means(n: CoreBuilder, images: Value, of: Value, rows: Value, columns: Value) -> Value:
    """images [n, c, h, w], of [r]: the image of each region, weights [r, bins, h] and [r, bins, w]: the means
    [r, c, bins, bins].

    Channels come last, so that products have whole rows of an image for columns; one image is multiplied with the
    weights of all regions at once.
    """
    (count, c, h, w), (r, bins, _), dtype = n.dims(images), n.dims(rows), images.tensor.dtype
    lines = n.reshape(n.transpose(images, (0, 2, 3, 1)), [count, h, n.prod([w, c])])
    rows, columns = n.cast(rows, dtype), n.expand_dims(n.cast(columns, dtype), 1)
    if count == 1:
        down = n.matmul(n.reshape(rows, [n.prod([r, bins]), h]), n.squeeze(lines, 0))
    else:
        down = n.matmul(rows, n.gather(lines, of))
    return n.transpose(n.matmul(columns, n.reshape(down, [r, bins, w, c])), (0, 3, 1, 2))


def bin_weights(n: CoreBuilder, start: Value, length: Value, bins: int, size: Part) -> Value:
    """What each element of an axis adds to the mean of each bin: [r, bins, size].

    start, length: [r, 1], of the regions along the axis.  A bin of length s has ceil(s) samples; those within one
    element outside of the image count as its first or last element, others as 0.
    """
    check_table((bins,), "the list of bins")
    step = n.div(length, bins)
    count = n.maximum(n.y(core.Ceil(step)), 0)  # [r, 1], none in regions of no or negative length
    some = n.maximum(count, 1)
    apart = n.expand_dims(n.where(n.less(0, count), n.div(step, some), 1), 2)  # [r, 1, 1]
    first = n.expand_dims(n.add(start, n.mul(step, n.constant(np.arange(bins), start.tensor.dtype))), 2)
    limit = n.expand_dims(count, 2)

    def places(at: Value | int) -> Value:
        """How many samples apart a place is from the first one."""
        return n.sub(n.div(n.sub(at, first), apart), 0.5)

    def held(number: Value) -> Value:
        return n.minimum(n.maximum(number, 0), limit)

    before = held(n.y(core.Ceil(places(-1))))  # [r, bins, 1]
    edges = n.cast(n.arange(size), start.tensor.dtype)
    reached = held(n.add(n.floor(places(edges)), 1))  # [r, bins, size]: at or before each element
    last = n.asarray(size_like(n, size, start), start)
    whole = n.sub(held(n.add(n.floor(places(last)), 1)), before)
    sums = _sums(n, reached, before, first, apart, edges, size)
    total = whole if sums is None else n.concat([sums, whole], 2)
    zero = n.mul(before, 0)
    weights = n.sub(total, zero if sums is None else n.concat([zero, sums], 2))
    return n.div(weights, n.expand_dims(some, 2))


def _sums(
    n: CoreBuilder, reached: Value, before: Value, first: Value, apart: Value, edges: Value, size: Part
) -> Value | None:
    """The weights of all elements up to each one but the last: samples at or before it count whole, those on the way to
    the next one as much as they are nearer to it.  None for one element.
    """
    if size == 1:
        return None
    here, there = n.slice_axis(reached, 2, 0, -1), n.slice_axis(reached, 2, 1, None)
    mean = n.add(first, n.mul(n.mul(n.add(here, there), apart), 0.5))
    near = n.mul(n.sub(there, here), n.sub(n.slice_axis(edges, 0, 1, None), mean))
    return n.add(n.sub(here, before), near)
