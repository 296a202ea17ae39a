"""Axes of size 1 that come and go, and those that one place is taken of, under other layouts: they stand anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, Union

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.passes.layout.costs import exact
from mlconv.passes.layout.permutation import Perm, identity
from mlconv.passes.layout.solver import Solver

if TYPE_CHECKING:
    from mlconv.passes.layout.rebuild import Rebuild

UnitAxes: TypeAlias = Union[core.ExpandDims, core.Squeeze, core.Gather]


def takes_a_place(op: core.Gather) -> bool:
    """Whether an op takes one place along an axis, which its result has not."""
    return op.indices.tensor.rank == 0 and op.batch_dims == 0 and op.x.tensor.quant is None


def _units(op: UnitAxes) -> tuple[Value, Value, frozenset[int]]:
    """The value with the axes, the one without, and the axes."""
    more, less = (op.y, op.x) if isinstance(op, core.ExpandDims) else (op.x, op.y)
    rank = more.tensor.rank or 0
    return more, less, frozenset(a % rank for a in ((op.axis,) if isinstance(op, core.Gather) else op.axes))


def _without(layout: Perm, units: frozenset[int]) -> Perm:
    kept = [a for a in range(len(layout)) if a not in units]
    return tuple(kept.index(a) for a in layout if a not in units)


def _with(layout: Perm, units: frozenset[int]) -> Perm:
    """What comes or goes stays in front of the axis that it stands in front of, the last axes behind."""
    runs: list[list[int]] = [[]]
    for a in range(len(layout) + len(units)):
        runs[-1].append(a)
        if a not in units:
            runs.append([])
    last = runs.pop()
    order = [a for i in layout for a in runs[i]]
    at = order.index(runs[-1][-1]) + 1 if runs else 0
    return (*order[:at], *last, *order[at:])


def vote_unit_axes(op: UnitAxes, solver: Solver) -> None:
    """Free where one layout is the other without these axes; the class that is decided first is followed."""
    more, less, units = _units(op)
    own_more, own_less = identity(more.tensor.rank or 0), identity(less.tensor.rank or 0)

    def of_more(layout: Perm) -> int:
        there = solver.expected(less)
        return 0 if there in (None, _without(layout, units)) else exact(more, _with(there or own_less, units))(layout)

    def of_less(layout: Perm) -> int:
        there = solver.expected(more)
        return 0 if there is None else exact(less, _without(there, units))(layout)

    def wanted(own: Perm, other: Value, of: Callable[[Perm, frozenset[int]], Perm]) -> tuple[Perm, ...]:
        there = solver.expected(other)
        return (own,) if there is None else (own, of(there, units))

    solver.vote(more, lambda: wanted(own_more, less, _with), of_more, less)
    solver.vote(less, lambda: wanted(own_less, more, _without), of_less, more)


def rebuild_expand_dims(op: core.ExpandDims, r: Rebuild) -> None:
    _, _, units = _units(op)
    layout, there = r.layout(op.y), r.layout(op.x)
    if _without(layout, units) != there:
        layout = _with(there, units)
    r.make(op, [r.get(op.x, there)], {"axes": tuple(i for i, a in enumerate(layout) if a in units)}, [layout])


def rebuild_squeeze(op: core.Squeeze, r: Rebuild) -> None:
    _, _, units = _units(op)
    layout = r.layout(op.x)
    axes = tuple(i for i, a in enumerate(layout) if a in units)
    r.make(op, [r.stored(op.x)], {"axes": axes}, [_without(layout, units)])


def rebuild_place(op: core.Gather, r: Rebuild) -> None:
    _, _, units = _units(op)
    layout = r.layout(op.x)
    axis = next(i for i, a in enumerate(layout) if a in units)
    r.make(op, [r.stored(op.x), r.get(op.indices, ())], {"axis": axis}, [_without(layout, units)])
