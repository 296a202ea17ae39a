"""Points of a grid, row by row, as a table of numbers: the shifts of anchors, `stack([x, y, x, y], 1)` of what meshgrid
makes of places along both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import product
from mlconv.ir.types import Shape
from mlconv.passes.patterns.movement import asks
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_UNITS = (core.Reshape, core.ExpandDims)


class _Places(NamedTuple):
    """Numbers along a side of the grid, times a number where they are integers and there is one."""

    along: Value
    factor: Value | None


@rewrite(core.Concat)
def points_of_grid(op: core.Concat, rw: Rewriter) -> Replacement | NoMatch:
    """Columns that repeat places along one side each are chosen of both over the grid, and then multiplied."""
    t = op.y.tensor
    shape = t.shape
    if shape is None or op.axis % len(shape) != len(shape) - 1 or t.quant or len(op.xs) < 2:
        return NoMatch("no columns of plain numbers")
    spreads = [_spread(v, op) for v in op.xs]
    grids = [*{s.y.tensor.shape for s in spreads if s is not None}]
    grid = grids[0] if len(grids) == 1 and None not in spreads else None
    if grid is None or len(grid) != 2 or len(shape) > 3 or shape[:-1] not in (grid, (product(grid),)):
        return NoMatch("a column is no side of the same grid")
    sources = [s.x for s in spreads if s is not None]
    down = [x for x in sources if x.tensor.shape == (grid[0], 1)]
    across = [x for x in sources if x.tensor.shape in (grid[1:], (1, grid[1]))]
    if len({*down}) != 1 or len({*across}) != 1 or len(down) + len(across) != len(sources):
        return NoMatch("not one vector of places along each side")
    e = CoreBuilder(rw)
    units = (1,) * (_units_behind(op) + 1 if len(shape) == 2 else 1)
    points = _grid(e, down[0], across[0], [x is across[0] for x in sources], units)
    return points if points.tensor.shape == shape else e.reshape(points, [-1, len(sources)])


def _spread(column: Value, op: core.Concat) -> core.BroadcastTo | None:
    """What a column is a view of, where nothing else reads it."""
    view = column.producer
    if not isinstance(view, _UNITS) or (column.tensor.shape or ())[-1] != 1 or column.users != [op]:
        return None
    spread = view.x.producer
    return spread if isinstance(spread, core.BroadcastTo) and view.x.users == [view] else None


def _units_behind(op: core.Concat) -> int:
    """How many axes of size 1 the only reader puts between points and their numbers."""
    (n, numbers), user = op.y.tensor.shape or (0, 0), op.y.users[0] if op.y.has_one_use else None
    after = user.y.tensor.shape if isinstance(user, _UNITS) else None
    if after is None or len(after) < 3 or after != (n, *(1,) * (len(after) - 2), numbers):
        return 0
    return len(after) - 2


def _grid(e: CoreBuilder, down: Value, across: Value, mask: list[bool], units: tuple[int, ...]) -> Value:
    """Places across the grid in the columns of a mask, those down the grid in others, times the factors of both."""
    rows, columns = _places(down), _places(across)
    of_columns = np.asarray(mask)
    points = e.where(
        e.constant(of_columns), e.reshape(columns.along, [-1, *units]), e.reshape(rows.along, [-1, 1, *units])
    )
    if rows.factor is None and columns.factor is None:
        return points
    integer = down.tensor.dtype.numpy
    sides = ((columns.factor, of_columns.astype(integer)), (rows.factor, (~of_columns).astype(integer)))
    parts = [e.constant(in_side) if factor is None else e.mul(factor, e.constant(in_side)) for factor, in_side in sides]
    return e.mul(points, e.add(*parts))


def _places(source: Value) -> _Places:
    view = source.producer
    if isinstance(view, _UNITS) and view.x.tensor.rank == 1:
        source = view.x
    made = source.producer
    if isinstance(made, core.Mul) and source.tensor.dtype.is_int:
        for along, factor in ((made.a, made.b), (made.b, made.a)):
            if factor.tensor.shape == () and along.tensor.shape == source.tensor.shape:
                return _Places(along, factor)
    return _Places(source, None)


@rewrite(core.Reshape)
def merge_axes_last(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """Axes that are merged, added to, and shaped anew: the sum is over the axes as they were."""
    made = op.x.producer
    if not isinstance(made, (core.Add, core.Sub, core.Mul)) or not op.x.has_one_use or op.x.tensor.quant or asks(op):
        return NoMatch("operand is no sum of plain numbers that nothing else reads")
    for side, other in ((made.a, made.b), (made.b, made.a)):
        cast = side.producer if isinstance(side.producer, core.Cast) and side.has_one_use else None
        view = (side if cast is None else cast.x).producer
        shape, apart = other.tensor.shape, _merged(view)
        if apart is None or shape is None or len(shape) > (side.tensor.rank or 0):
            continue
        if len(shape) == side.tensor.rank and shape[0] != 1:
            continue
        rw.fuse(made, by="merge-axes-last")
        e = CoreBuilder(rw)
        x = apart if cast is None else e.cast(apart, cast.dtype)
        y = e.y(type(made)(x, other) if side is made.a else type(made)(other, x))
        found = e.y(core.Reshape(y, op.shape))
        return found if found.tensor.shape == op.y.tensor.shape else NoMatch("sizes are no longer told")
    return NoMatch("no operand has merged axes that the other one repeats along")


def _merged(view: Op | None) -> Value | None:
    """The operand of a reshape that makes its first two axes one, and no more."""
    if not isinstance(view, core.Reshape) or not view.y.has_one_use or asks(view):
        return None
    before, after = view.x.tensor.shape, view.y.tensor.shape
    if before is None or after is None or len(before) != len(after) + 1 or not _is_flat(before, after):
        return None
    return view.x


def _is_flat(before: Shape, after: Shape) -> bool:
    return len(after) > 0 and before[2:] == after[1:] and product(before[:2]) == after[0]


PATTERNS = (points_of_grid, merge_axes_last)
