"""Bounds of sizes that follow from ops: a table cut to a length, beside what has that length, is no shorter; an image
that is mirrored at its edges is as large as what is mirrored.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.slicing import pad_amounts, padded_from
from mlconv.ir.dims import Dim, Size, operands_of
from mlconv.ir.module import Function
from mlconv.ir.size_rules import Relation
from mlconv.ir.types import Shape
from mlconv.passes.refine_shapes import apply_facts


def learn_bounds(function: Function) -> None:
    """Note of sizes what any run must fulfil, and simplify sizes by it: `x + table[:N]` with x of N rows has at most as
    many rows as the table, since a run with more is refused there.
    """
    found = [relation for op in function.block.ops if isinstance(op, Binary) for relation in _of(op)]
    found += [relation for op in function.block.ops if isinstance(op, core.Pad) for relation in _of_mirrored(op)]
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


def _met(a: Shape, b: Shape) -> Iterator[tuple[Size, Size]]:
    """Sizes that broadcasting compares."""
    return zip(reversed(a), reversed(b), strict=False)
