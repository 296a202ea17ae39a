"""Values that belong together, found pair by pair."""

from __future__ import annotations

from mlconv.ir.core import Value


class Groups:
    """Disjoint sets of values: a forest with path halving."""

    def __init__(self) -> None:
        self._parent: dict[Value, Value] = {}

    def root(self, value: Value) -> Value:
        parent = self._parent
        while (above := parent.get(value, value)) is not value:
            parent[value] = parent.get(above, above)
            value = above
        return value

    def join(self, a: Value, b: Value) -> None:
        a, b = self.root(a), self.root(b)
        if a is not b:
            self._parent[b] = a
