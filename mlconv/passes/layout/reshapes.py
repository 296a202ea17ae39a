"""Reshapes, and shapes, under other layouts.  A reshape that splits axes, or merges neighbours, does the same to them
wherever they stand.

A reshape is a list of groups, runs of axes of its operand that become runs of axes of its result.  A layout of the
operand that keeps the axes of each group together, in their order, gives one of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mlconv.dialects import core
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.shapes import moves_nothing
from mlconv.ir.types import Shape
from mlconv.passes.layout.costs import AN_OP, exact
from mlconv.passes.layout.permutation import Perm, between, identity, invert
from mlconv.passes.layout.solver import Solver
from mlconv.rewrite import edit

if TYPE_CHECKING:
    from mlconv.passes.layout.rebuild import Rebuild

Axes: TypeAlias = tuple[int, ...]
Groups: TypeAlias = tuple[tuple[Axes, Axes], ...]
Layouts: TypeAlias = tuple[Perm, ...]
_KEPT = 1 << 10


@lru_cache(maxsize=_KEPT)  # layers reshape alike
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
            if smaller is None and 0 not in (left, right) and (i == len(before) or j == len(after)):
                i, j = len(before), len(after)  # what is left has as many elements as the last axis
                break
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


@lru_cache(maxsize=_KEPT)
def carried(groups: Groups, layout: Perm, ones: Axes) -> Perm | None:
    """How the result of a reshape is stored when its operand is stored under a layout.  Its axes of size 1, `ones`, may
    stand anywhere, as they move nothing: a batch of one stands in front.
    """
    of: dict[int, tuple[Axes, Axes]] = {}
    for xs, ys in groups:
        moved = tuple(a for a in xs if a not in ones) or xs[:1]
        of.update(dict.fromkeys(moved, (moved, ys)))
    order = tuple(a for a in layout if a in of)
    if 0 in ones and 0 in of:
        order = (0, *(a for a in order if a != 0))
    out: list[int] = []
    i = 0
    while i < len(order):
        xs, ys = of[order[i]]
        if order[i : i + len(xs)] != xs:
            return None
        out += ys
        i += len(xs)
    return tuple(out)


class Grouping(NamedTuple):
    """The groups of a reshape, from its operand's axes to the result's and back, and the axes of size 1 of both."""

    groups: Groups
    backwards: Groups
    ones: Axes
    ones_behind: Axes

    def forth(self, layout: Perm) -> Perm | None:
        """The result's layout that a layout of the operand gives."""
        return carried(self.groups, layout, self.ones)

    def back(self, layout: Perm) -> Perm | None:
        """The operand's layout that gives a layout of the result."""
        return carried(self.backwards, layout, self.ones_behind)


def grouping_of(op: core.Reshape) -> Grouping | None:
    """The groups of a reshape of plain tensors, or of those with one scale."""
    before, after = op.x.tensor.shape, op.y.tensor.shape
    quant = op.x.tensor.quant
    if not before or not after or 0 in before or (quant is not None and not quant.is_per_tensor):
        return None
    groups = grouped(before, after)
    if groups is None:
        return None
    backwards = tuple((ys, xs) for xs, ys in groups)
    ones, ones_behind = (tuple(a for a, n in enumerate(shape) if n == 1) for shape in (before, after))
    return Grouping(groups, backwards, ones, ones_behind)


def vote_reshape(op: core.Reshape, solver: Solver) -> None:
    """Free where one layout follows from the other; whichever class is decided first is followed by the other."""
    groups = grouping_of(op)
    own_x, own_y = identity(op.x.tensor.rank or 0), identity(op.y.tensor.rank or 0)
    if groups is None:
        solver.vote(op.x, (own_x,), exact(op.x, own_x))
        solver.vote(op.y, (own_y,), exact(op.y, own_y))
        return
    from_x, from_y = exact(op.x, own_x), exact(op.y, own_y)
    split = AN_OP if isinstance(op.x.producer, core.BroadcastTo) else 0  # heads that are repeated by one op

    def apart(a: Perm, b: Perm) -> int:
        moved = _apart(op.y, a, b)
        return moved + split if moved else 0

    def of_x(layout: Perm) -> int:
        following, there = groups.forth(layout), solver.expected(op.y)
        if following is None:
            return from_x(layout)
        return 0 if there is None else apart(there, following)

    def alone(layout: Perm) -> int:
        return from_x(layout) if groups.forth(layout) is None else 0

    def of_y(layout: Perm) -> int:
        there = solver.expected(op.x)
        following = None if there is None else groups.forth(there)
        if following is None:  # the operand is moved, to whatever gives this layout
            return 0 if groups.back(layout) is not None else from_y(layout)
        return apart(following, layout)

    def wanted(own: Perm, of: Callable[[Perm], Perm | None], other: Value) -> Layouts:
        there = solver.expected(other)
        following = None if there is None else of(there)
        return (own,) if following is None else (own, following)

    told = not any(isinstance(user, (core.MatMul, core.Conv)) for user in op.y.users)
    solver.vote(op.x, lambda: wanted(own_x, groups.back, op.y), of_x, op.y, told=told, counted=alone)
    solver.vote(op.y, lambda: wanted(own_y, groups.forth, op.x), of_y, op.x, told=told)


def _apart(y: Value, a: Perm, b: Perm) -> int:
    """The cost of a move from one layout to another; of axes of size 1 none, as the reshape puts them there."""
    return 0 if _is_same(y, a, b) else exact(y, a)(b)


def _is_same(y: Value, a: Perm, b: Perm) -> bool:
    return a == b or moves_nothing(tuple((y.tensor.shape or ())[i] for i in a), between(a, b))


def rebuild_reshape(op: core.Reshape, r: Rebuild) -> None:
    """From the layout that the operand has, where it gives the one that is wanted, or from the one that does; else from
    what it has, or as the source has it.
    """
    groups, wanted = grouping_of(op), r.layout(op.y)
    following = None if groups is None else groups.forth(r.layout(op.x))
    before = None if groups is None else groups.back(wanted)
    if following is not None and (before is None or _moves_late(op) or _is_same(op.y, following, wanted)):
        layout = wanted if _is_same(op.y, following, wanted) else following
        r.make(op, [r.stored(op.x), r.permute_rows(op.shape, layout)], {}, [layout])
    elif before is not None:
        r.make(op, [r.get(op.x, before), r.permute_rows(op.shape, wanted)], {}, [wanted])
    else:
        r.make(op, r.plain(op.operands), {}, [identity(op.y.tensor.rank or 0)])


def _moves_late(op: core.Reshape) -> bool:
    """Whether a reshape but adds or drops axes of size 1: users move what it gives, if they have to."""
    before, after = ([n for n in v.tensor.shape or () if n != 1] for v in (op.x, op.y))
    return before == after


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
