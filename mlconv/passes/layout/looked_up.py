"""Rows that are looked up at places of several axes: these come in any order, as the places do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlconv.dialects import core
from mlconv.passes.layout.costs import exact
from mlconv.passes.layout.permutation import Perm, identity
from mlconv.passes.layout.solver import Solver

if TYPE_CHECKING:
    from mlconv.passes.layout.rebuild import Rebuild


def looks_up_rows(op: core.Gather) -> bool:
    """Whether an op finds rows of a table, as it is, at places of several axes that the model computes."""
    several = (op.indices.tensor.rank or 0) > 1 and not isinstance(op.indices.producer, core.Constant)
    return several and op.batch_dims == 0 and op.x.tensor.quant is None


def _with_rows(op: core.Gather, places: Perm) -> Perm:
    """The layout of what is found at places that are stored under another one."""
    axis, rank = op.axis % (op.x.tensor.rank or 1), op.y.tensor.rank or 0
    return (*range(axis), *(axis + a for a in places), *range(axis + len(places), rank))


def _of_places(op: core.Gather, layout: Perm | None) -> Perm | None:
    """The layout of places with which what is found has one; None where the table has to be stored otherwise, too."""
    axis, rank = op.axis % (op.x.tensor.rank or 1), op.indices.tensor.rank or 0
    places = tuple(a - axis for a in (layout or ())[axis : axis + rank])
    return places if sorted(places) == list(range(rank)) and _with_rows(op, places) == layout else None


def vote_lookup(op: core.Gather, solver: Solver) -> None:
    """What is found follows the places, or they follow it: moving them moves fewer elements."""
    places, own = op.indices, identity(op.indices.tensor.rank or 0)
    table = identity(op.x.tensor.rank or 0)
    solver.vote(op.x, (table,), exact(op.x, table))

    def of_found(layout: Perm) -> int:
        return 0 if _of_places(op, layout) else exact(op.y, _with_rows(op, solver.expected(places) or own))(layout)

    def of_places(layout: Perm) -> int:
        there, asked = solver.expected(places), _of_places(op, layout)
        return 0 if there is None or asked is None else exact(places, there)(asked)

    solver.vote(op.y, lambda: (_with_rows(op, own), _with_rows(op, solver.expected(places) or own)), of_found, places)
    solver.vote(op.y, (), of_places, places, True)
    solver.vote(places, lambda: (own, _of_places(op, solver.expected(op.y)) or own), lambda layout: 0, op.y)


def rebuild_lookup(op: core.Gather, r: Rebuild) -> None:
    there = _of_places(op, r.layout(op.y)) or r.layout(op.indices)
    operands = [r.get(op.x, identity(op.x.tensor.rank or 0)), r.get(op.indices, there)]
    if operands != op.operands or there != identity(len(there)):  # else what is found is moved where it is asked for
        r.make(op, operands, {}, [_with_rows(op, there)])
