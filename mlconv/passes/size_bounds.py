"""Bounds of sizes that follow from ops: a table cut to a length, beside what has that length, is no shorter; an image
that is mirrored at its edges is as large as what is mirrored; rows that get axes of sizes are as many; places
lie in what they are looked up in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.slicing import pad_amounts, padded_from
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, operands_of, product
from mlconv.ir.module import Function
from mlconv.ir.size_forms import uncut
from mlconv.ir.size_relations import Relation
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape
from mlconv.passes.known_places import places_of
from mlconv.passes.refine_shapes import apply_facts

_DEEPEST: Final = 4  # ops that move axes


def learn_bounds(function: Function) -> None:
    """Note of sizes what any run must fulfil, and simplify sizes by it: `x + table[:N]` with x of N rows has at most as
    many rows as the table, since a run with more is refused there.
    """
    found = [relation for op in function.block.ops if isinstance(op, Binary) for relation in _of(op)]
    found += [relation for op in function.block.ops if isinstance(op, core.Pad) for relation in _of_mirrored(op)]
    found += [relation for op in function.block.ops if isinstance(op, core.Reshape) for relation in _of_rows(op)]
    found += [relation for op in function.block.ops if isinstance(op, core.Gather) for relation in _of_places(op)]
    if found:
        function.facts.where = function.facts.where.and_also(found)
        apply_facts(function.block, function.facts.where)


def _of(op: Binary) -> Iterator[Relation]:
    a, b = op.a.tensor.shape, op.b.tensor.shape
    if a is None or b is None:
        return
    for x, y in _met(a, b):
        for least, whole in ((x, y), (y, x)):
            parts = operands_of("min", least) if isinstance(least, Dim) and isinstance(whole, Dim) else {}
            bounds = [n for n in parts if isinstance(n, int)]
            if len(parts) == 2 and whole in parts and bounds and bounds[0] > 1:
                yield Relation(bounds[0], ">=", whole)


def _of_mirrored(op: core.Pad) -> Iterator[Relation]:
    """What mirrors fill is there to be mirrored."""
    for size, pair in zip(op.x.tensor.shape or (), pad_amounts(op.pads) or (), strict=False):
        least = padded_from(op.mode, *pair)
        if isinstance(size, Dim) and size.is_known and least > 0:
            yield Relation(size, ">=", least)


def _of_rows(op: core.Reshape) -> Iterator[Relation]:
    """Rows that were cut to a number, and get axes for all that there should be, are no more than it:
    `scores + table[places[:n, :n].flatten()].view(n, n, -1)`, which refuses fewer than n rows.
    """
    x, sizes = op.x.tensor.shape or (), known_ints(op.shape) or ()
    if len(x) != 2 or len(sizes) < 2 or sizes[-1] not in (-1, x[1]) or not isinstance(x[0], Dim):
        return
    whole, limits = uncut(x[0])
    if whole == product(n for n in sizes[:-1] if n is not None) and all(_is_met(op.y, size) for size, _ in limits):
        yield from (Relation(most, ">=", size) for size, most in limits)


def _is_met(value: Value, size: Size, depth: int = _DEEPEST) -> bool:
    """Whether an elementwise op reads a value, or it with its axes moved, beside another one that has the size."""
    for user in value.users if depth else ():
        if isinstance(user, Binary) and size in ((user.b if user.a is value else user.a).tensor.shape or ()):
            return True
        moved = isinstance(user, core.Transpose | core.ExpandDims | core.Reshape) and user.operands[0] is value
        if moved and _is_met(user.results[0], size, depth - 1):
            return True
    return False


def _of_places(op: core.Gather) -> Iterator[Relation]:
    """Places that sizes tell lie in the axis: the last of numbers with a size added, too."""
    size, places = (op.x.tensor.shape or (0,))[op.axis], places_of(op.indices)
    if places is None or op.batch_dims or not isinstance(places.size, Dim) or not isinstance(size, Dim):
        return
    if places.size.is_known and size.is_known:
        yield Relation(size, ">=", places.last + 1)


def _met(a: Shape, b: Shape) -> Iterator[tuple[Size, Size]]:
    """Sizes that broadcasting compares."""
    return zip(reversed(a), reversed(b), strict=False)
