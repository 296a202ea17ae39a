"""Reductions of values and their places at once, as jax writes argmax and argmin.

Source: jax/_src/lax/lax.py, `_compute_argminmax`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.reduce import limit
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_hlo.operands import apply, region
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import constant_array

_COMPARING: Final = {"hlo.compare", "hlo.select", "hlo.or", "hlo.and", "hlo.not", "hlo.xor"}
_VALUES: Final = (-3, -1, 0, 1, 2, 100)
_PLACES: Final = ((0, 1), (1, 0), (5, 5), (2, 40))


def places_of_extremes(
    n: SourceNode, xs: Sequence[Value], inits: Sequence[Value], axes: Sequence[int]
) -> list[Value] | None:
    """The largest or smallest value along an axis and where it is; None for another computation.

    What is compared and chosen of two values and their places, and of nothing else, is known by what it gives for each
    order of them.  A value that is no number outdoes others in jax's own, as it does in core's.
    """
    (axis,), (x, places) = axes, xs
    element, counted = x.tensor.dtype, places.tensor.dtype
    ordered = element.is_float or element.is_int or element is DType.BOOL
    if not ordered or not counted.is_int or not _counts(places, axis):
        return None
    if any(op.name not in (*_COMPARING, "mlconv.yield") for op in region(n).block.ops):
        return None
    first = constant_array(inits[0])
    kind = _kind(n, x, places)
    if kind is None or first is None or first.size != 1:
        return None
    largest, last = kind
    if first.reshape(()) != limit(first, lowest=largest):
        return None
    x = n.cast(x, DType.I32) if element is DType.BOOL else x
    reduce, arg = (core.ReduceMax, core.ArgMax) if largest else (core.ReduceMin, core.ArgMin)
    own = counted if counted in (DType.I32, DType.I64) else DType.I64
    found = n.y(arg(x, axis=axis, select_last=last, dtype=own))
    return [n.cast(n.y(reduce(x, axes=(axis,))), element), n.cast(found, counted)]


def _counts(places: Value, axis: int) -> bool:
    """They are 0, 1, ... along an axis, and the same along others."""
    made = places.producer
    line = made.x if isinstance(made, core.BroadcastTo) else places
    array = constant_array(line)
    if array is None:
        return _counts_at_run_time(line, axis, places)
    at = axis - len(places.tensor.shape or ()) + array.ndim
    if at < 0 or array.size != array.shape[at]:
        return False
    size = (places.tensor.shape or ())[axis]
    return array.shape[at] == size and np.array_equal(array.reshape(-1), np.arange(array.size))


def _counts_at_run_time(line: Value, axis: int, places: Value) -> bool:
    """A `range` from 0 by ones, as long as the axis, which has the line's only size."""
    shape, whole = line.tensor.shape or (), places.tensor.shape or ()
    at = axis - len(whole) + len(shape)
    if at < 0 or shape[at] != whole[axis] or any(n != 1 for i, n in enumerate(shape) if i != at):
        return False
    made = line.producer
    while isinstance(made, (core.Reshape, core.ExpandDims, core.Cast)) and made.x.tensor.dtype.is_int:
        made = made.x.producer
    ends = (made.start, made.step) if isinstance(made, core.Range) else ()
    known = [constant_array(end) for end in ends]
    return len(known) == 2 and all(
        k is not None and int(k.reshape(())) == n for k, n in zip(known, (0, 1), strict=True)
    )


def _kind(n: SourceNode, x: Value, places: Value) -> tuple[bool, bool] | None:
    """Whether the computation picks the largest, and whether it picks the last of equals."""
    element = x.tensor.dtype
    values = (0, 1) if element is DType.BOOL else [v for v in _VALUES if v >= 0 or not element.is_unsigned_int]
    rows = [(a, b, i, j) for a in values for b in values for i, j in _PLACES]
    columns = [np.asarray(column) for column in zip(*rows, strict=True)]
    (a, b), (i, j) = (
        [c.astype(v.tensor.dtype.numpy) for c in two] for v, two in ((x, columns[:2]), (places, columns[2:]))
    )
    order = ((a, x), (i, places), (b, x), (j, places))
    outcome = [constant_array(v) for v in apply(n, region(n), [n.constant(c, v.tensor.dtype) for c, v in order])]
    for largest in (True, False):
        for last in (False, True):
            if _same(outcome, (a, b), (i, j), largest, last):
                return largest, last
    return None


def _same(
    outcome: Sequence[Array | None], values: tuple[Array, Array], places: tuple[Array, Array], largest: bool, last: bool
) -> bool:
    (a, b), (i, j) = values, places
    value, place = outcome
    ahead = a > b if largest else a < b
    equal = np.maximum(i, j) if last else np.minimum(i, j)
    wanted = np.where(a == b, equal, np.where(ahead, i, j))
    if value is None or place is None:
        return False
    return bool(np.array_equal(value, np.where(ahead, a, b)) and np.array_equal(place, wanted))
