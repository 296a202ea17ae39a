"""Names in a file: each once, also between a graph and those in it."""

from __future__ import annotations

from collections.abc import Collection

from mlconv.ir.core import Value


def shared_folder(names: Collection[str]) -> str:
    """What paths begin with up to a slash, all of them; empty for fewer than two."""
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[: first.rfind("/", 0, same) + 1]


class Names:
    """Names of values and of nodes, which are apart.  values, nodes: that some have by themselves, and that are no
    others' with a number.
    """

    def __init__(self, values: Collection[str] = (), nodes: Collection[str] = ()) -> None:
        self._of: dict[Value, str] = {}
        self._taken: dict[str, set[str]] = {"value": set(), "node": set()}
        self._own = {"value": frozenset(values), "node": frozenset(nodes)}

    def __contains__(self, value: Value) -> bool:
        return value in self._of

    def __getitem__(self, value: Value) -> str:
        return self._of[value]

    def reserve(self, name: str) -> None:
        """Keep a name for what comes later."""
        self._taken["value"].add(name)

    def bind(self, value: Value, name: str) -> str:
        """Give a value a name that is kept for it."""
        self._of[value] = name
        self._taken["value"].add(name)
        return name

    def fresh(self, value: Value, base: str) -> str:
        """Give a value a name like `base` that nothing has."""
        return self.bind(value, self.unused(base))

    def unused(self, base: str, kind: str = "value") -> str:
        """A name like `base` that nothing of a kind has; it is taken then."""
        taken, name, count = self._taken[kind], base, 0
        while name in taken or not name or (count and name in self._own[kind]):
            count += 1
            name = f"{base}_{count}"
        taken.add(name)
        return name
