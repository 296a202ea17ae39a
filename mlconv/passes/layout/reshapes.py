"""Reshapes, and shapes, under other layouts.  A reshape that splits axes, or merges neighbours, does the same to them
wherever they stand.

A reshape is a list of groups, runs of axes of its operand that become runs of axes of its result.  A layout of the
operand that keeps the axes of each group together, in their order, gives one of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, TypeAlias

from mlconv.dialects import core
from mlconv.ir.constants import make_const
from mlconv.ir.dims import Size
from mlconv.ir.types import Shape
from mlconv.passes.layout.costs import exact
from mlconv.passes.layout.permutation import Perm, identity, invert
from mlconv.passes.layout.solver import Solver
from mlconv.rewrite import edit

if TYPE_CHECKING:
    from mlconv.passes.layout.rebuild import Rebuild

Axes: TypeAlias = tuple[int, ...]
Groups: TypeAlias = tuple[tuple[Axes, Axes], ...]


def grouped(before: Shape, after: Shape) -> Groups | None:
    """The shortest runs of axes with as many elements on both sides; None where run-time sizes leave them open."""
    groups: list[tuple[Axes, Axes]] = []
    i = j = 0
    while i < len(before) and j < len(after):
        a, b = i, j
        left, right = before[i], after[j]
        i, j = i + 1, j + 1
        while left != right:
            smaller = _is_smaller(left, before[i:], right, after[j:])
            if smaller is None or (i == len(before) if smaller else j == len(after)):
                return None
            if smaller:
                left, i = left * before[i], i + 1
            else:
                right, j = right * after[j], j + 1
        groups.append((tuple(range(a, i)), tuple(range(b, j))))
    if not groups or any(n != 1 for n in (*before[i:], *after[j:])):
        return None
    xs, ys = groups[-1]
    groups[-1] = ((*xs, *range(i, len(before))), (*ys, *range(j, len(after))))
    return tuple(groups)


def _is_smaller(left: Size, more_left: Shape, right: Size, more_right: Shape) -> bool | None:
    """Which of two different products takes another axis: numbers by size; of run-time sizes the one that is the other
    with some of the axes behind it.
    """
    if isinstance(left, int) and isinstance(right, int):
        return None if 0 in (left, right) else left < right
    if left == 1 or right in accumulate(more_left, mul, initial=left):
        return True
    return False if right == 1 or left in accumulate(more_right, mul, initial=right) else None


def carried(groups: Sequence[tuple[Axes, Axes]], layout: Perm) -> Perm | None:
    """How the result of a reshape is stored when its operand is stored under a layout."""
    of = {axis: (xs, ys) for xs, ys in groups for axis in xs}
    out: list[int] = []
    i = 0
    while i < len(layout):
        xs, ys = of[layout[i]]
        if layout[i : i + len(xs)] != xs:
            return None
        out += ys
        i += len(xs)
    return tuple(out)


def groups_of(op: core.Reshape) -> Groups | None:
    """The groups of a reshape of plain tensors, or of those with one scale."""
    before, after = op.x.tensor.shape, op.y.tensor.shape
    quant = op.x.tensor.quant
    if not before or not after or 0 in before or (quant is not None and not quant.is_per_tensor):
        return None
    return grouped(before, after)


def vote_reshape(op: core.Reshape, solver: Solver) -> None:
    """Free where one layout follows from the other; whichever class is decided first is followed by the other."""
    groups = groups_of(op)
    own_x, own_y = identity(op.x.tensor.rank or 0), identity(op.y.tensor.rank or 0)
    if groups is None:
        solver.vote(op.x, (own_x,), exact(op.x, own_x))
        solver.vote(op.y, (own_y,), exact(op.y, own_y))
        return
    back = tuple((ys, xs) for xs, ys in groups)

    def of_x(layout: Perm) -> int:
        following, there = carried(groups, layout), solver.expected(op.y)
        if following is None:
            return exact(op.x, own_x)(layout)
        return 0 if there is None else exact(op.y, there)(following)

    def of_y(layout: Perm) -> int:
        there = solver.expected(op.x)
        following = None if there is None else carried(groups, there)
        if following is None:  # the operand is moved, to whatever gives this layout
            return 0 if carried(back, layout) is not None else exact(op.y, own_y)(layout)
        return exact(op.y, following)(layout)

    solver.vote(op.x, lambda: _wanted(solver.expected(op.y), back, own_x), of_x)
    solver.vote(op.y, lambda: _wanted(solver.expected(op.x), groups, own_y), of_y)


def _wanted(there: Perm | None, groups: Groups, own: Perm) -> tuple[Perm, ...]:
    following = None if there is None else carried(groups, there)
    return (own,) if following is None else (own, following)


def rebuild_reshape(op: core.Reshape, r: Rebuild) -> None:
    """From the layout that the operand has, where it gives the one that is wanted, or from the one that does; else from
    what it has, or as the source has it.
    """
    groups, wanted = groups_of(op), r.layout(op.y)
    following = None if groups is None else carried(groups, r.layout(op.x))
    before = None if groups is None else carried(tuple((ys, xs) for xs, ys in groups), wanted)
    if following is not None and (following == wanted or before is None):
        r.make(op, [r.stored(op.x), r.permute_rows(op.shape, following)], {}, [following])
    elif before is not None:
        r.make(op, [r.get(op.x, before), r.permute_rows(op.shape, wanted)], {}, [wanted])
    else:
        r.make(op, r.plain(op.operands), {}, [identity(op.y.tensor.rank or 0)])


def ask_nothing(op: core.ShapeOf, solver: Solver) -> None:
    """A shape is told under any layout."""


def rebuild_shape_of(op: core.ShapeOf, r: Rebuild) -> None:
    """The sizes as they are stored, in the order of the source."""
    layout = r.layout(op.x)
    if layout == identity(len(layout)):
        r.make(op, [r.stored(op.x)], {}, [(0,)])
        return
    sizes = r.emit(core.ShapeOf(r.stored(op.x), dtype=op.dtype)).y
    order = r.emit(core.Constant(value=make_const(list(invert(layout))))).y
    y = r.emit(core.Gather(sizes, order, axis=0)).y
    edit.rename(y, op.y.name)
    r.bind(op.y, y, (0,))
