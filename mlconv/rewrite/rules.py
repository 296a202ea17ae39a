"""Rules of conversions: functions by the op that they are for, declared by decorator.

    RULES = Rules()

    @RULES.rule(core.Conv)
    def conv(op, e): ...

A rule returns what replaces the op's results, or `NoMatch("reason")` so that the next one is asked, or raises
ConversionError for an op that nothing can convert.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from mlconv.ir.core import Op
from mlconv.rewrite.pattern import NoMatch, Replacement

F = TypeVar("F", bound="Callable[..., Any]")
ENDLESS = 1 << 30


class Rule(NamedTuple):
    """since, until: versions of the op that it is for, both inclusive."""

    name: str
    apply: Callable[..., Replacement | NoMatch]
    since: int = 0
    until: int = ENDLESS

    @property
    def versions(self) -> str:
        """`9..12`, `13..`."""
        return f"{self.since}..{self.until if self.until < ENDLESS else ''}"


class Rules:
    """Rules by the name of the op, in the order in which they are asked.  guard: what is put around each function."""

    def __init__(self, guard: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None) -> None:
        self.guard = guard
        self.by_op: dict[str, list[Rule]] = {}

    def rule(self, *ops: type[Op] | str, since: int = 0, until: int = ENDLESS) -> Callable[[F], F]:
        """Declare a function as the rule of ops, by class or name."""

        def declare(function: F) -> F:
            for op in ops:
                self.add(op, function, since, until)
            return function

        return declare

    def add(
        self, op: type[Op] | str, apply: Callable[..., Replacement | NoMatch], since: int = 0, until: int = ENDLESS
    ) -> None:
        """Declare a rule that is made, not written."""
        name = getattr(apply, "__name__", "rule").strip("_").replace("_", "-")
        guarded = apply if self.guard is None else self.guard(apply)
        self.by_op.setdefault(op if isinstance(op, str) else op.name, []).append(Rule(name, guarded, since, until))

    def find(self, name: str, version: int = 0) -> list[Rule]:
        """The rules of an op, in the order in which they are asked."""
        return [rule for rule in self.by_op.get(name, ()) if rule.since <= version <= rule.until]

    @staticmethod
    def merged(parts: Iterable[Rules]) -> Rules:
        """The rules of several files, in their order."""
        out = Rules()
        for part in parts:
            for name, rules in part.by_op.items():
                out.by_op.setdefault(name, []).extend(rules)
        return out
