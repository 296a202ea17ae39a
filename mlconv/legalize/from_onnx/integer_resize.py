"""Linear Resize of integers, with the arithmetic of ONNX Runtime: corners times weights in float32, cut towards zero;
8-bit images in NHWC in fixed point.

The rounding of each term decides about results that are whole numbers, hence the terms are written down as the kernel
adds them.  Source: upsample.cc.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import reduce

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.limits import check_table
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import Part

_FIXED = 10  # bits behind the point of a weight in fixed point


Spans = tuple[tuple[float, float], ...]


def integer_linear(
    n: Node,
    x: Value,
    axes: tuple[int, ...],
    sizes: Sequence[Part],
    scales: tuple[float, ...] | None,
    coordinates: str,
    spans: Spans | None,
) -> Value | None:
    """x resampled along `axes`; None where a size is not known, or where the kernel does not take the axes."""
    rank = x.tensor.rank or 0
    whole = _kernel_axes(rank, axes)
    own = [s for s in (n.dim(x, a) for a in whole) if isinstance(s, int) and s > 0]
    wanted = {a: s for a, s in zip(axes, sizes, strict=True) if isinstance(s, int) and s > 0}
    if not whole or len(own) < len(whole) or len(wanted) < len(axes):
        return None
    check_table((max([*own, *wanted.values()]),), "the list of sampled places")
    ratios = scales or tuple(float(np.float32(m) / np.float32(own[whole.index(a)])) for a, m in wanted.items())
    plan = core.Resize(x, n.vector(list(wanted.values())), axes=axes, coordinates=coordinates, scales=ratios, roi=spans)
    places = [
        plan.positions(axes.index(a), s, wanted[a]) if a in wanted else np.arange(s)
        for a, s in zip(whole, own, strict=True)
    ]
    edit.forget(plan)
    fixed = x.tensor.dtype.bits == 8 and rank == 4 and whole == (1, 2)
    sides = [_side(np.asarray(p, np.float32), s, fixed=fixed) for p, s in zip(places, own, strict=True)]
    y = _terms(n, x, whole, sides, DType.I32 if fixed else DType.F32)
    if fixed:
        y = n.div(y, 1 << 2 * _FIXED)
    y = n.y(core.Cast(y, dtype=x.tensor.dtype))
    if spans is None:
        return y
    outside = reduce(
        np.logical_or, (_along((p < 0) | (p > s - 1), a, rank) for p, s, a in zip(places, own, whole, strict=True))
    )
    return n.where(n.constant(outside, DType.BOOL), int(n.f("extrapolation_value", 0.0)), y) if outside.any() else y


def _kernel_axes(rank: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The axes that the kernel for a rank walks over; none when it does not take all of `axes`."""
    known: dict[int, list[tuple[int, ...]]] = {2: [(0, 1)], 3: [(0, 1, 2)], 4: [(2, 3), (1, 2)], 5: [(2, 3, 4)]}
    return next((k for k in known.get(rank, []) if set(axes) <= set(k)), ())


def _side(places: Array, size: int, *, fixed: bool) -> tuple[Array, Array, Array, Array]:
    """The two elements beside each place and their weights: (low, high, weight of low, weight of high)."""
    inside = np.clip(places, np.float32(0), np.float32(size - 1))
    low = inside.astype(np.int64)
    high = np.minimum(low + 1, size - 1)
    if fixed:
        at = (inside * (1 << _FIXED)).astype(np.int64)
        near, far, half = np.abs(at - (low << _FIXED)), np.abs(at - (high << _FIXED)), np.asarray(1 << _FIXED - 1)
    else:
        near, far, half = (
            np.abs(inside - low.astype(np.float32)),
            np.abs(inside - high.astype(np.float32)),
            np.asarray(0.5, np.float32),
        )
    same = low == high
    return low, high, np.where(same, half, far), np.where(same, half, near)


def _along(values: Array, axis: int, rank: int) -> Array:
    return values.reshape([-1 if i == axis else 1 for i in range(rank)])


def _terms(
    n: Node, x: Value, axes: tuple[int, ...], sides: list[tuple[Array, Array, Array, Array]], dtype: DType
) -> Value:
    """The sum over the corners; the last axis varies first, and the weight is multiplied from the last axis to the
    first.
    """
    rank, total = x.tensor.rank or 0, None
    for corner in itertools.product((0, 1), repeat=len(axes)):
        elements, weight = x, None
        for axis, side, k in reversed(list(zip(axes, sides, corner, strict=True))):
            elements = n.gather(elements, n.constant(side[k]), axis)
            own = _along(side[2 + k], axis, rank)
            weight = own if weight is None else weight * own
        term = n.mul(n.constant(weight if weight is not None else 1, dtype), n.cast(elements, dtype))
        total = term if total is None else n.add(total, term)
    return total if total is not None else x
