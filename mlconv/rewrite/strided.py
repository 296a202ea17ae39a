"""Slices whose steps are data, or go backwards between bounds that are data: places are computed and gathered."""

from __future__ import annotations

from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import CoreBuilder, Part


def strided(n: CoreBuilder, x: Value, axis: int, begin: Part, end: Part, step: Part) -> Value:
    """x[begin:end:step] along one axis, every bound and the step a number or a tensor of one integer, negative bounds
    counted from the end.  A start beyond either end is the first or last element, as ONNX has it (Slice-13).

    There are at most as many elements as the axis has, which targets that need a bound are told by the slice of all
    places.
    """
    size = _scalar(n, n.dim(x, axis))
    start, stop, by = (_scalar(n, part) for part in (begin, end, step))
    backwards = n.less(by, 0)
    last = n.sub(size, 1)
    start = n.maximum(n.minimum(_from_start(n, start, size), n.where(backwards, last, size)), 0)
    least = n.where(backwards, -1, n.constant(0, DType.I64))
    stop = n.maximum(n.minimum(_from_start(n, stop, size), n.where(backwards, last, size)), least)
    # ceil((stop - start) / step), with the signs turned so that division rounds towards zero from above
    span = n.where(backwards, n.sub(start, stop), n.sub(stop, start))
    stride = n.maximum(n.where(backwards, n.neg(by), by), 1)
    # a stride beyond the axis is as good as one that is as long, and does not overflow
    stride = n.minimum(stride, n.add(n.maximum(size, 1), 1))
    count = n.div(n.add(n.maximum(span, 0), n.sub(stride, 1)), stride)
    turns = n.slice_axis(n.arange(n.dim(x, axis)), 0, 0, n.reshape(count, [1]))
    return n.gather(x, n.add(n.mul(turns, n.where(backwards, n.neg(stride), stride)), start), axis)


def _scalar(n: CoreBuilder, part: Part) -> Value:
    return n.constant(part, DType.I64) if isinstance(part, int) else n.scalar(n.cast(part, DType.I64))


def _from_start(n: CoreBuilder, place: Value, size: Value) -> Value:
    return n.where(n.less(place, 0), n.add(place, size), place)
