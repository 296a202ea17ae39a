"""What rules make for a size that is known at run time: numbers of it, parts at places that follow from it, and
neutral elements behind what is valid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import with_size
from mlconv.ir.size_facts import bounds
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_hlo.builder import HloBuilder, dims, refuse


def number(e: HloBuilder, size: Size, dtype: DType = DType.I32) -> Value:
    """A size as a scalar."""
    return e.scalar(size, dtype) if isinstance(size, int) else e.convert(e.sizes.value(size), dtype)


def filled(e: HloBuilder, x: Value, fill: Value, axes: Sequence[int] | None = None) -> Value:
    """x with a scalar behind its valid part, along some axes or all."""
    shape, have = e.sizes.of(x), dims(x)
    y = x
    for axis in axes if axes is not None else range(len(have)):
        size = shape[axis]
        if isinstance(size, Dim):
            y = behind(e, y, axis, size, fill)
            shape = with_size(shape, axis, have[axis])
            e.sizes.state(y, shape)
    return y


def behind(e: HloBuilder, x: Value, axis: int, size: Size, fill: Value) -> Value:
    """x with a scalar in place of what is not among the first `size` elements along an axis.  Its sizes are not
    stated.
    """
    return e.select(e.compare("LT", e.iota(DType.I32, dims(x), axis), number(e, size)), x, fill)


def from_place(
    e: HloBuilder,
    x: Value,
    starts: Mapping[int, Size | Value],
    spans: Sequence[int],
    shape: Shape,
    inside: bool = False,
) -> Value:
    """spans elements of x from a place on along each axis.  starts: where that is not the first, by axis, not below 0;
    shape: of the result; inside: no part leaves x at any size.
    """
    if all(start == 0 for start in starts.values()) and tuple(spans) == dims(x) and shape == e.sizes.of(x):
        return x
    high = [0] * len(spans)
    for axis, start in starts.items() if not inside else ():
        last = dims(x)[axis] if isinstance(start, Value) else bounds(start, e.sizes.facts)[1]
        if math.isinf(last):
            raise refuse(f"a part begins at {start}, which has no largest value")
        high[axis] = max(0, int(last) + spans[axis] - dims(x)[axis])
    if any(high):
        x = e.pad(x, e.scalar(0, x.tensor.dtype), [0] * len(high), high)
        e.sizes.state(x, dims(x))
    begins = [_place(e, starts.get(axis, 0)) for axis in range(len(spans))]
    y = e.one("dynamic-slice", [x, *begins], x.tensor.with_shape(tuple(spans)), sizes=tuple(spans))
    e.sizes.state(y, shape)
    return y


def _place(e: HloBuilder, start: Size | Value) -> Value:
    return start if isinstance(start, Value) else number(e, start)


def rows(e: HloBuilder, x: Value, index: Value, axis: int, shape: Shape) -> Value:
    """x at computed places along an axis, which the axes of the int32 index take the place of.  shape: of the
    result.
    """
    have, spots = dims(x), dims(index)
    out = (*have[:axis], *spots, *have[axis + 1 :])
    y = e.one(
        "gather",
        [x, index],
        TensorType(x.tensor.dtype, out),
        offset_dims=(*range(axis), *range(axis + len(spots), len(out))),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        operand_batching_dims=(),
        start_indices_batching_dims=(),
        index_vector_dim=len(spots),
        slice_sizes=tuple(1 if i == axis else d for i, d in enumerate(have)),
    )
    e.sizes.state(y, shape)
    return y


def modulo(e: HloBuilder, x: Value, n: Value) -> Value:
    """x mod n for a positive n, not below 0."""
    y = e.binary("remainder", x, n)
    return e.select(e.compare("LT", y, e.scalar(0, DType.I32)), e.binary("add", y, n), y)


def clamped(e: HloBuilder, x: Value, low: Value, high: Value) -> Value:
    """x in low .. high."""
    return e.binary("maximum", e.binary("minimum", x, high), low)


def reversed_from(e: HloBuilder, x: Value, axis: int) -> tuple[Value, Size]:
    """x with its last largest element first, and the place of the last valid one in that."""
    shape, largest = e.sizes.of(x), dims(x)[axis]
    y = e.reverse(x, (axis,))
    e.sizes.state(y, with_size(shape, axis, largest))
    return y, largest - shape[axis]


def joined(e: HloBuilder, xs: Sequence[Value], axis: int, shape: Shape, most: int) -> Value:
    """Tensors behind one another, each written over what lies behind the valid part of the one before.  most: the
    largest size along the axis, which may be below the sum of those of the parts (`n` and `mod(-n, 4)`).
    """
    sizes = [e.sizes.of(x)[axis] for x in xs]
    total = sum(dims(x)[axis] for x in xs)
    high = [0] * len(shape)
    high[axis] = total - dims(xs[0])[axis]
    y = e.pad(xs[0], e.scalar(0, xs[0].tensor.dtype), [0] * len(high), high)
    at = sizes[0]
    e.sizes.state(y, with_size(e.sizes.of(xs[0]), axis, total))
    for x, size in zip(xs[1:], sizes[1:], strict=True):
        y = written(e, y, x, {axis: at}, with_size(shape, axis, total))
        at = at + size
    y = e.slice_axis(y, axis, 0, most)
    e.sizes.state(y, shape)
    return y


def written(e: HloBuilder, x: Value, piece: Value, starts: Mapping[int, Size], shape: Shape) -> Value:
    """x with a piece from some places on.  shape: of the result."""
    begins = [number(e, starts.get(axis, 0)) for axis in range(len(dims(x)))]
    y = e.one("dynamic-update-slice", [x, piece, *begins], x.tensor)
    e.sizes.state(y, shape)
    return y
