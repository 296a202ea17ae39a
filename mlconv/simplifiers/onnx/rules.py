"""Rules on nodes of a graph: declared by the operators that they look at, applied until none applies any more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from mlconv.simplifiers.onnx.graph import Graph, Node

Apply: TypeAlias = Callable[[Graph, Node], bool]


class Rule(NamedTuple):
    """apply: changes the graph at a node, which the nodes before it are known to; False where it does not apply."""

    name: str
    apply: Apply


class Rules:
    """The rules of one file."""

    def __init__(self) -> None:
        self.by_key: dict[str, list[Rule]] = {}

    def on(self, *keys: str) -> Callable[[Apply], Apply]:
        """Declare the rule for operators; `*` is any."""

        def declare(apply: Apply) -> Apply:
            rule = Rule(apply.__name__.strip("_").replace("_", "-"), apply)
            for key in keys:
                self.by_key.setdefault(key, []).append(rule)
            return apply

        return declare

    @staticmethod
    def merged(families: Iterable[Rules], skipped: frozenset[str] = frozenset()) -> Rules:
        """All rules, but those that are named in `skipped`."""
        found = Rules()
        for family in families:
            for key, rules in family.by_key.items():
                found.by_key.setdefault(key, []).extend(rule for rule in rules if rule.name not in skipped)
        return found

    @property
    def names(self) -> list[str]:
        return sorted({rule.name for rules in self.by_key.values() for rule in rules})

    def of(self, node: Node) -> list[Rule]:
        return [*self.by_key.get(node.key, ()), *self.by_key.get("*", ())]
