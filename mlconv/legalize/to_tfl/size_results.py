"""Vectors of sizes that values in view have, or that are sums or products of such: flattened features of several
levels, and what is cut off them once they are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.ir.dims import Dim, Size
from mlconv.ir.size_parts import SizeParts
from mlconv.legalize.to_tfl.size_plans import Node, Plan, Tree, Trees, arithmetic


def plan_of_parts(
    known: SizeParts, sizes: Sequence[Size], scalar: bool, lines: dict[str, Dim], is_seen: Callable[[Dim], bool]
) -> Plan:
    """How a vector, or a number, is computed of sizes of which some are seen.  Raises LookupError where these do not
    tell it.
    """
    trees = _Parts(known, lines, is_seen)
    return arithmetic([trees.of(size) for size in sizes], scalar)


class _Parts(Trees):
    """Sizes as axes that are seen, and as sums and products of them."""

    def __init__(self, known: SizeParts, lines: dict[str, Dim], is_seen: Callable[[Dim], bool]) -> None:
        super().__init__(is_seen, lines)
        self.known = known

    def ready(self, size: Dim) -> Tree | None:
        if self.is_leaf(size):
            return size
        parts = self.known.summands(size, self.is_leaf)
        if parts is None:
            return self._product(size) or super().ready(size)
        tree: Tree = parts[0]
        for part in parts[1:]:
            tree = self.binary("add", tree, part)
        return tree

    def _product(self, size: Dim) -> Tree | None:
        for part, other in self.known.factors(size, self.is_leaf):
            factor = other if isinstance(other, int) else self.ready(other)
            if factor is not None:
                return Node("mul", part, factor)
        return None
