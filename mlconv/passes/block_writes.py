"""Scatters at the places of a block, `x[:n, 2:4] = y` as exporters write it: the block is written at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told, static
from mlconv.ir.types import Shape
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.index_forms import Positions, counted, positions
from mlconv.rewrite.pattern import Replacement

_END = (1 << 31) - 1
_READ = 1 << 22  # numbers of constant tuples that are looked at
_WRITTEN = frozenset({DType.F32, DType.F16, DType.BOOL, DType.I8, DType.I32, DType.I64})


class Written(NamedTuple):
    """What a scatter writes.  found: positions that each part of a tuple tells.  sizes, begins: along as many axes, all
    of it within the tensor.
    """

    found: Sequence[Positions | None]
    sizes: list[Size]
    begins: tuple[Size, ...]


@rewrite(core.ScatterNd)
def write_block(op: core.ScatterNd, rw: Rewriter) -> Replacement | NoMatch:
    """scatter_nd(x, [i + a, j + b], y) at [i, j] is y written into x at [a, b], where it lies within."""
    block, shape, places = written(op), op.data.tensor.shape or (), op.indices.tensor.shape or ()
    if isinstance(block, NoMatch):
        return block
    e = CoreBuilder(rw)
    rest = shape[len(block.sizes) :]
    update = op.updates
    if update.tensor.shape != (*block.sizes, *rest):
        parts = [*e.dims(op.indices if is_told(places) else op.updates)[: len(places) - 1], 1]
        counted = [next(iter(at.steps)) if at is not None and at.steps else -1 for at in block.found]
        update = e.reshape(op.updates, [*(parts[axis] for axis in counted), *e.dims(op.data)[len(block.sizes) :]])
    begins = [_start(e, *at) for at in zip(block.begins, block.sizes, shape, e.dims(op.data), strict=False)]
    if None in begins:
        return NoMatch(f"{block.begins} are no places at a distance from an end")
    return e.y(
        core.UpdateSlice(op.data, update, [*(b for b in begins if b is not None), *map(e.constant, [0] * len(rest))])
    )


@rewrite(core.ScatterNd)
def write_whole(op: core.ScatterNd, rw: Rewriter) -> Replacement | NoMatch:
    """A scatter to all places, in order, is what it writes: `x[:, 0:] = y`."""
    shape = static(op.data.tensor.shape)
    block = written(op)
    if isinstance(block, NoMatch):
        return block
    if shape is None or tuple(block.sizes) != shape[: len(block.sizes)]:
        return NoMatch("there are other places")
    return CoreBuilder(rw).reshape(op.updates, shape)


@rewrite(core.ScatterNd)
def write_nothing(op: core.ScatterNd, rw: Rewriter) -> Replacement | NoMatch:
    """A scatter to no places changes nothing: `x[-4:0] = y`."""
    return op.data if 0 in (op.indices.tensor.shape or ())[:-1] else NoMatch("there are places")


def written(op: core.ScatterNd) -> Written | NoMatch:
    shape, places = op.data.tensor.shape, op.indices.tensor.shape
    if op.reduction != "none" or shape is None or places is None:
        return NoMatch("updates are combined, or shapes are not known")
    if op.data.tensor.dtype not in _WRITTEN or op.data.tensor.quant is not None:
        return NoMatch(f"not all targets write blocks of {op.data.type}")
    found = _parts(op.indices, places)
    if found is None:
        return NoMatch("the tuples are not joined of their parts")
    block = _block(found, places[:-1])
    if block is None:
        return NoMatch("the places are no block, in order")
    begins = [_begin(at, size, whole) for at, size, whole in zip(found, block, shape, strict=False)]
    if None in begins:
        return NoMatch(f"a block of {block} at {found} does not begin at a place that is known")
    return Written(found, block, tuple(b for b in begins if b is not None))


def _parts(tuples: Value, places: Shape) -> Sequence[Positions | None] | None:
    """The positions that each number of a tuple tells; None where tuples have no parts to look at."""
    op, rank = tuples.producer, len(places)
    if isinstance(op, core.Concat):
        if op.axis % rank != rank - 1 or any((x.tensor.shape or (0,))[-1] != 1 for x in op.xs):
            return None
        return [positions(x) for x in op.xs]
    if places[-1] == 1 and const_of(tuples) is None:
        return [positions(tuples)]
    constant = const_of(tuples)
    if constant is None or not constant.size or constant.size > _READ:
        return None
    return [counted(column) for column in np.moveaxis(constant.view(), -1, 0)]


def _begin(at: Positions | None, size: Size, whole: Size) -> Size | None:
    """Where a block begins along an axis, from the front.  Places that are not there are none: the source refuses
    them.
    """
    offset = None if at is None else at.offset
    if offset is None or (isinstance(offset, int) and offset >= 0):
        return offset
    behind = offset + size  # 0 at most, or what begins at the end goes on in front
    if isinstance(behind, int) and behind <= 0:
        return whole + offset
    if isinstance(offset, int):
        return None
    from_end = whole - offset
    return offset if offset == whole - size or (isinstance(from_end, int) and from_end >= 0) else None


def _start(e: CoreBuilder, begin: Size, size: Size, whole: Size, there: Part) -> Value | None:
    """The place as a number; one beyond the axis for a block that ends with it."""
    if begin == whole - size:
        return e.constant(begin if isinstance(begin, int) else _END)
    less = begin if isinstance(begin, int) else begin - whole
    if not isinstance(less, int):
        return None
    if isinstance(begin, int) or isinstance(there, int):
        return e.constant(less)
    return e.scalar(e.add(there, less))


def _block(found: Sequence[Positions | None], grid: Shape) -> list[Size] | None:
    """How long a block is along each of the axes that tuples tell: each axis of the grid is counted by one of them,
    in order, by ones; None where that is not so.
    """
    counted: list[int] = []
    sizes: list[Size] = []
    for at in found:
        if at is None or len(at.steps) > 1 or any(step != 1 for step in at.steps.values()):
            return None
        counted += at.steps
        sizes.append(grid[counted[-1]] if at.steps else 1)
    return sizes if counted == [i for i, n in enumerate(grid) if n != 1] else None


PATTERNS = (write_nothing, write_whole)
