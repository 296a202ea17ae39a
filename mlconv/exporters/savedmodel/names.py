"""Names of nodes, each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlconv.formats.node_names import allowed


class Names:
    """Names of one graph or function."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._own: set[str] = set()
        self._next: dict[str, int] = {}

    def keep(self, names: Iterable[str]) -> None:
        """Names that some will have by themselves are no others' with a number."""
        self._own.update(map(allowed, names))

    def unused(self, base: str) -> str:
        """A name like `base` that nothing has; it is taken then."""
        first = name = allowed(base)
        while name in self._taken or (name != first and name in self._own):
            self._next[first] = self._next.get(first, 0) + 1
            name = f"{first}_{self._next[first]}"
        self._taken.add(name)
        return name


def ends(names: Names, inputs: Sequence[str], outputs: Sequence[str], prefix: str = "") -> tuple[list[str], list[str]]:
    """Nodes of a function's inputs and outputs: those that are named first."""
    return [names.unused(prefix + name) for name in inputs], [names.unused(prefix + name) for name in outputs]


def ends_of_graph(inputs: Sequence[str], outputs: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those of a frozen graph."""
    return ends(Names(), inputs, outputs)
