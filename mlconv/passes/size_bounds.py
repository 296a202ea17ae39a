"""Bounds of sizes that follow from ops: a table cut to a length, beside what has that length, is no shorter."""

from __future__ import annotations

from collections.abc import Iterator

from mlconv.dialects.core.binary import Binary
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
    if found:
        function.facts.where = function.facts.where.and_also(found)
        apply_facts(function.block, function.facts.where)


def _of(op: Binary) -> Iterator[Relation]:
    a, b = op.a.tensor.shape, op.b.tensor.shape
    if a is None or b is None:
        return
    for x, y in _met(a, b):
        for least, whole in ((x, y), (y, x)):
            parts = operands_of("min", least) if isinstance(least, Dim) and isinstance(whole, Dim) else set()
            bounds = [n for n in parts - {whole} if isinstance(n, int)]
            if len(parts) == 2 and whole in parts and bounds and bounds[0] > 1:
                yield Relation(bounds[0], ">=", whole)


def _met(a: Shape, b: Shape) -> Iterator[tuple[Size, Size]]:
    """Sizes that broadcasting compares."""
    return zip(reversed(a), reversed(b), strict=False)
