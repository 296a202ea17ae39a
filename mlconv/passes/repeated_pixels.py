"""Pixels that are repeated along both axes of an image, each by a new axis, copies along it and a reshape that merges
it, as Keras's UpSampling2D: a resize to the nearest pixel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_IMAGE = (1, 2)  # its axes, with channels last
_RANK = 4
_MOST = 16  # times
_POSITIONS = 1 << 16
_DEPTH = 4


class _Copies(NamedTuple):
    """x, with an axis of size 1, repeated along it.  axis: the one before it."""

    x: Value
    axis: int
    times: int
    merged: Shape


@rewrite(core.Reshape)
def resize_pixels(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """Repeats along two axes of an image, one after the other, are one resize."""
    outer = _copies(op.x.producer)
    if outer is None or op.y.tensor.dtype is not DType.F32 or op.y.tensor.quant is not None:
        return NoMatch("nothing is repeated, or no floats")
    inner = _copies(_before(outer.x).producer)
    if inner is None or not _is_same(op.y.tensor.shape, outer.merged) or not _is_same(_without(outer), inner.merged):
        return NoMatch("no repeat of a repeat that merges what it repeats")
    shape, times = _without(inner), {inner.axis: inner.times, outer.axis: outer.times}
    if tuple(sorted(times)) != _IMAGE or len(shape) != _RANK or not all(map(_is_exact, times.values())):
        return NoMatch(f"not along both axes of an image: {sorted(times)} of {shape}")
    e = CoreBuilder(rw)
    x = _before(inner.x)
    x = x if x.tensor.shape == shape else e.squeeze(inner.x, inner.axis + 1)
    sizes = e.vector([e.prod([e.dim(x, axis), times[axis]]) for axis in _IMAGE])
    scales = tuple(float(times[axis]) for axis in _IMAGE)
    resized = core.Resize(
        x, sizes, axes=_IMAGE, mode="nearest", coordinates="asymmetric", nearest_mode="floor", scales=scales
    )
    return rw.emit(resized).y


def _copies(op: Op | None) -> _Copies | None:
    """What is repeated along one axis of size 1 behind another axis."""
    if not isinstance(op, (core.Tile, core.BroadcastTo)):
        return None
    before, after = op.x.tensor.shape, op.y.tensor.shape
    if before is None or after is None or len(before) != len(after) or not is_told(before) or not is_told(after):
        return None
    if isinstance(op, core.Tile) and None in (known_ints(op.repeats) or (None,)):
        return None
    longer = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    times: Size = after[longer[0]] if len(longer) == 1 else 0
    if not isinstance(times, int) or not 1 < times <= _MOST or longer[0] == 0 or before[longer[0]] != 1:
        return None
    axis = longer[0] - 1
    return _Copies(op.x, axis, times, (*before[:axis], before[axis] * times, *before[axis + 2 :]))


def _is_same(shape: Shape | None, other: Shape) -> bool:
    """As many elements are of one shape where all sizes but one are equal: that one may be told in other words."""
    if shape is None or len(shape) != len(other) or 0 in shape:
        return False
    return sum(a != b for a, b in zip(shape, other, strict=True)) <= 1


def _without(copies: _Copies) -> Shape:
    """The shape without the axis of size 1."""
    shape = copies.x.tensor.shape or ()
    return (*shape[: copies.axis + 1], *shape[copies.axis + 2 :])


def _before(value: Value) -> Value:
    """What a value was reshaped from."""
    for _ in range(_DEPTH):
        made = value.producer
        if not isinstance(made, (core.Reshape, core.ExpandDims, core.Squeeze)):
            break
        value = made.x
    return value


@lru_cache(maxsize=_MOST)
def _is_exact(times: int) -> bool:
    """Whether float32 tells of every position which pixel it repeats, as runtimes compute it."""
    positions = np.arange(_POSITIONS, dtype=np.float32)
    read = np.floor(positions * (np.float32(1) / np.float32(times))).astype(np.int64)
    return bool((read == np.arange(_POSITIONS) // times).all())
