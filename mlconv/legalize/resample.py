"""Resampling along axes whose sizes are known at run time only, in core ops: places and weights are computed.

Where scales are ratios of sizes, places are fractions of integers, exact at every size; where the source gives scales
or a region, or a nearest element is chosen as its kernels do, they are float32, as in ONNX Runtime's kernels.  So they
are for sums, which are continuous in them, where a target has no division of 64-bit integers.  Kernels that are
stretched against aliasing reach as far as sizes say: a product with a matrix of weights.  Formulas: `core.Resize`,
ONNX Resize-19.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, divide_exactly
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import CoreBuilder, Part

I64, F32 = DType.I64, DType.F32


class _Axis(NamedTuple):
    """The i-th axis that is resampled, of n elements to m.  scale, region (begin, end): float32 scalars, where a
    run gives them.
    """

    i: int
    n: Value
    m: Value
    scale: Value | None
    region: tuple[Value, Value] | None = None


def is_resampled(op: core.Resize) -> bool:
    """Whether `resampled` has a form for an op: sums are of float32, and which element is nearest to a place of
    `half_pixel_symmetric` is decided by float64.
    """
    if op.mode == "nearest":
        return op.coordinates != "half_pixel_symmetric"
    return op.x.tensor.dtype is F32


def resampled(
    op: core.Resize, e: CoreBuilder, single: bool = False, scales: Value | None = None, region: Value | None = None
) -> Value:
    """The result of an op for which `is_resampled`, axis by axis.  single: places of sums are float32.  scales: those
    that a run gives, float32 [len(axes)].  region: the same for begins, then ends, of tf_crop_and_resize.
    """
    is_near = not op.antialias or op.exclude_outside  # no places beyond those of x
    y, integer = op.x, DType.I32 if single and op.mode != "nearest" and is_near else I64
    outside: Value | None = None
    sizes = ints_of(op.sizes)
    shape, out = op.x.tensor.shape or (), op.y.tensor.shape or ()
    for i, axis in enumerate(op.axes):
        if scales is None and op.keeps(i, shape[axis], out[axis]):
            continue
        size: Part = e.slice_axis(op.sizes, 0, i, i + 1) if sizes is None else sizes[i]
        n, m = (_size(e, d, integer) for d in (e.dim(op.x, axis), size))
        at = _Axis(i, n, m, None if scales is None else e.scalar(e.slice_axis(scales, 0, i, i + 1)))
        if region is not None:
            begin, end = (e.scalar(e.slice_axis(region, 0, k, k + 1)) for k in (i, i + len(op.axes)))
            at = at._replace(region=(begin, end))
        if op.coordinates == "tf_crop_and_resize":
            beyond = _beyond(op, e, at)
            outside = beyond if outside is None else e.logical_or(outside, beyond)
        if op.mode == "nearest":
            y = e.gather(y, _clipped(e, _nearest(op, e, at), e.sub(n, 1)), axis)
        elif op.antialias:
            y = _stretched(op, e, y, at)
        else:
            given = scales is not None or region is not None
            given |= op.scales is not None and not _is_ratio(op.scales[i], (shape[axis], out[axis]))
            y = _along(op, e, y, axis, n, *_places(op, e, at, single or given))
    return y if outside is None else e.where(outside, e.asarray(op.extrapolation, y), y)


def _beyond(op: core.Resize, e: CoreBuilder, at: _Axis) -> Value:
    """Which places along an axis lie outside of x: [m], with an axis of 1 for each that follows."""
    spot = _spot(op, e, at)
    found = e.logical_or(e.less(spot, 0.0), e.less(e.cast(e.sub(at.n, 1), F32), spot))
    return e.expand_dims(found, *range(1, e.rank(op.x) - op.axes[at.i]))


def _size(e: CoreBuilder, size: Part, dtype: DType) -> Value:
    """A size as a scalar."""
    return e.constant(size, dtype) if isinstance(size, int) else e.cast(e.scalar(size), dtype)


def _real(e: CoreBuilder, x: Value) -> Value:
    """Integers as float32."""
    known = const_of(x)
    return e.cast(x, F32) if known is None else e.constant(known.view(), F32)


def _places(op: core.Resize, e: CoreBuilder, at: _Axis, single: bool) -> tuple[Value, Value]:
    """The element before each result, a whole number, and how far behind it the place is, float32 in [0, 1): [m, 1]."""
    if single or op.coordinates == "tf_crop_and_resize":
        spot = e.expand_dims(_spot(op, e, at), 1)
        first = e.floor(spot)
        return first, e.sub(spot, first)
    over, under = _fraction(op, e, at.n, at.m)
    over = e.expand_dims(over, 1)
    first = e.y(core.FloorDiv(over, under))
    return first, e.div(e.cast(e.sub(over, e.mul(first, under)), F32), e.cast(under, F32))


def _is_ratio(scale: float, sizes: tuple[Size, Size]) -> bool:
    """A scale is that of the sizes."""
    n, m = sizes
    return divide_exactly(m, n) == scale


def _fraction(op: core.Resize, e: CoreBuilder, n: Value, m: Value) -> tuple[Value, Value]:
    """Places as fractions, by scales that are ratios of sizes: integers [m], and by what they are divided."""
    kind, out = op.coordinates, e.arange(e.reshape(m, [1]))
    if kind == "align_corners":
        return e.mul(out, e.sub(n, 1)), e.maximum(e.sub(m, 1), 1)
    if kind == "asymmetric":
        return e.mul(out, n), m
    over = e.mul(e.add(e.mul(out, 2), 1), n)
    if kind != "tf_half_pixel_for_nn":
        over = e.sub(over, m)
    if kind == "pytorch_half_pixel":
        over = e.mul(over, e.minimum(e.sub(m, 1), 1))  # one result is the first element
    return over, e.mul(m, 2)


def _spot(op: core.Resize, e: CoreBuilder, at: _Axis) -> Value:
    """Places in float32 [m], step by step as `Resize.positions` computes them."""
    i, n, m = at.i, at.n, at.m
    zero, one = (e.constant(k, m.tensor.dtype) for k in (0, 1))
    kind, place = op.coordinates, e.cast(e.y(core.Range(zero, m, one)), F32)
    if kind == "align_corners":
        return e.div(e.mul(place, e.cast(e.sub(n, 1), F32)), e.cast(e.maximum(e.sub(m, 1), 1), F32))
    if kind == "tf_crop_and_resize":
        given = (e.constant(k, F32) for k in (op.roi or ())[i])
        low, high = given if at.region is None else at.region
        last, steps = e.cast(e.sub(n, 1), F32), e.cast(e.maximum(e.sub(m, 1), 1), F32)
        spots = e.add(e.mul(last, low), e.div(e.mul(e.mul(place, e.sub(high, low)), last), steps))
        spots = e.where(e.less(1, m), spots, e.mul(last, e.mul(0.5, e.add(low, high))))
        if op.scales is not None and op.scales[i] != 1.0:
            return spots
        return e.where(e.equal(n, m), place, spots)  # as `Resize.keeps`, whatever the region
    scale = _scale(op, e, at)
    if kind == "asymmetric":
        return e.div(place, scale)
    spot = e.div(e.add(place, 0.5), scale)
    if kind == "tf_half_pixel_for_nn":
        return spot
    spot = e.sub(spot, 0.5)
    if kind == "pytorch_half_pixel":
        spot = e.mul(spot, e.cast(e.minimum(e.sub(m, 1), 1), F32))
    if kind == "half_pixel_symmetric":
        adjustment = e.div(e.cast(m, F32), e.mul(scale, e.cast(n, F32)))
        spot = e.add(spot, e.mul(e.sub(1.0, adjustment), e.mul(e.cast(n, F32), 0.5)))
    return spot


def _scale(op: core.Resize, e: CoreBuilder, at: _Axis) -> Value:
    """Of an axis, float32 scalar: that of the source, or the ratio of sizes."""
    if at.scale is not None:
        return at.scale
    return e.constant(op.scales[at.i], F32) if op.scales is not None else e.div(_real(e, at.m), _real(e, at.n))


def _nearest(op: core.Resize, e: CoreBuilder, at: _Axis) -> Value:
    """The element that each place takes its value from, int64 [m], perhaps outside."""
    mode = op.nearest_mode
    if op.single or op.scales is not None or op.roi is not None:
        spot, half = _spot(op, e, at), op.half
        if mode == "ceil":
            return e.cast(e.y(core.Ceil(spot)), I64)
        first = e.floor(spot)
        if mode == "floor":
            return e.cast(first, I64)
        part = e.sub(spot, first)  # exact, which a sum with a half is not
        is_next = e.less(half, part) if mode == "round_prefer_floor" else e.less_equal(1 - half, part)
        return e.add(e.cast(first, I64), e.cast(is_next, I64))
    over, under = _fraction(op, e, at.n, at.m)
    if mode.startswith("round"):
        over = e.mul(over, 2)
        over = e.sub(over, under) if mode == "round_prefer_floor" else e.add(over, under)
        under = e.mul(under, 2)
    if mode in ("ceil", "round_prefer_floor"):
        over = e.add(over, e.sub(under, 1))
    return e.y(core.FloorDiv(over, under))


def _clipped(e: CoreBuilder, elements: Value, last: Value) -> Value:
    """Elements that are there.  What cannot be below 0 is seen last."""
    return e.maximum(e.minimum(elements, last), 0)


def _along(op: core.Resize, e: CoreBuilder, x: Value, axis: int, n: Value, first: Value, part: Value) -> Value:
    """x resampled along one axis: the elements around each place, behind it as an axis of their own, times their
    weights.
    """
    taps = np.arange(2) if op.mode == "linear" else np.arange(-1, 3)
    whole = first.tensor.dtype
    elements = e.add(first, e.constant(taps, whole))  # [m, taps]
    weights = _weights(op, e, part)
    last = e.sub(_real(e, n) if whole is F32 else n, 1)
    if op.exclude_outside:
        inside = e.logical_and(e.greater_equal(elements, 0), e.less_equal(elements, last))
        weights = e.mul(weights, e.cast(inside, F32))
        weights = e.div(weights, e.sum(weights, (1,), keepdims=True))
    near = e.gather(x, e.cast(_clipped(e, elements, last), I64 if whole is not F32 else n.tensor.dtype), axis)
    lie = [-1, len(taps), *[1] * (e.rank(x) - axis - 1)]
    return e.sum(e.mul(near, e.reshape(weights, lie)), (axis + 1,))


def _stretched(op: core.Resize, e: CoreBuilder, x: Value, at: _Axis) -> Value:
    """x resampled along an axis by a kernel that is as wide as a result is: a product with weights [m, elements], of x
    with its ends repeated as far as the kernel reaches, where these count.
    """
    axis = op.axes[at.i]
    stretch = e.maximum(e.div(1.0, _scale(op, e, at)), 1.0)
    if op.exclude_outside:
        places, around = e.arange(e.dim(x, axis)), x
    else:
        places = _within_reach(op, e, at, stretch)
        around = e.gather(x, _clipped(e, places, e.sub(at.n, 1)), axis)
    away = e.sub(_real(e, places), e.expand_dims(_spot(op, e, at), 1))
    weights = _kernel(op, e, e.y(core.Abs(e.div(away, stretch))))
    weights = e.div(weights, e.sum(weights, (1,), keepdims=True))
    rank = e.rank(x)
    if rank == 1:
        return e.sum(e.mul(weights, around), (1,))
    turn = [*(a for a in range(rank) if a != axis), axis]
    y = e.matmul(e.transpose(around, turn), weights, transpose_b=True)
    return e.transpose(y, [turn.index(a) for a in range(rank)])


def _within_reach(op: core.Resize, e: CoreBuilder, at: _Axis, stretch: Value) -> Value:
    """Places along an axis, and on both sides as far as a kernel reaches that is stretched."""
    n, reach = at.n, 1 if op.mode == "linear" else 2
    far: Value
    if at.scale is not None:
        far = e.reshape(e.add(e.cast(e.y(core.Ceil(e.mul(stretch, float(reach)))), I64), 1), [1])
    elif op.scales is not None:
        far = e.constant([math.ceil(reach * max(1.0, 1 / op.scales[at.i])) + 1], I64)
    else:
        far = e.reshape(e.mul(e.add(e.div(n, at.m), 1), reach), [1])
    return e.sub(e.arange(e.add(e.mul(far, 2), e.reshape(n, [1]))), far)


def _kernel(op: core.Resize, e: CoreBuilder, t: Value) -> Value:
    """Weights at distances t, as `core.Resize.kernel`."""
    if op.mode == "linear":
        return e.clamp(e.sub(1.0, t), 0.0)
    near = _near(op, e, t)
    if (16 * op.cubic_a).is_integer():  # nothing is rounded where the polynomial is 0
        return e.where(e.less_equal(t, 1.0), near, _far(op, e, e.minimum(t, 2.0)))
    return e.where(e.less_equal(t, 1.0), near, e.where(e.less(t, 2.0), _far(op, e, t), 0.0))


def _near(op: core.Resize, e: CoreBuilder, t: Value) -> Value:
    """Keys' polynomial of distances up to 1."""
    a = op.cubic_a
    return e.add(e.mul(e.mul(e.sub(e.mul(t, a + 2), a + 3), t), t), 1.0)


def _far(op: core.Resize, e: CoreBuilder, t: Value) -> Value:
    """Keys' polynomial of distances from 1 to 2."""
    a = op.cubic_a
    return e.sub(e.mul(e.add(e.mul(e.sub(e.mul(t, a), 5 * a), t), 8 * a), t), 4 * a)


def _weights(op: core.Resize, e: CoreBuilder, part: Value) -> Value:
    """Of the elements around each place, [m, taps]: the hat function, or Keys' cubic with coefficient `cubic_a`, as
    polynomials of what the place lies behind the element before it, [m, 1].
    """
    if op.mode == "linear":
        return e.concat([e.sub(1.0, part), part], 1)
    a, square = op.cubic_a, e.mul(part, part)
    powers = e.concat([part, square, e.mul(square, part)], 1)
    return e.add(e.matmul(powers, e.constant(cubic_powers(a), F32)), e.constant([0, 1, 0, 0], F32))


def cubic_powers(a: float) -> list[list[float]]:
    """Factors of the first, second and third power of what a place lies behind an element, in Keys' weights of the four
    elements around it; the element itself has 1 besides.
    """
    return [[a, 0, -a, 0], [-2 * a, -(a + 3), 2 * a + 3, a], [a, a + 2, -(a + 2), -a]]
