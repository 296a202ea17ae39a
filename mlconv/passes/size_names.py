"""Names for sizes that data decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.data_sizes import data_sizes, upper
from mlconv.ir.dims import Dim, Size, operands_of
from mlconv.ir.facts import Condition
from mlconv.ir.module import Function
from mlconv.ir.shapes import symbols_of
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.size_rules import Relation
from mlconv.ir.types import TensorType
from mlconv.rewrite.core_builder import CoreBuilder


class State(NamedTuple):
    """Names and facts at some time."""

    taken: frozenset[str]
    facts: SizeFacts
    made: tuple[str, ...]
    asked: tuple[Condition, ...]


class Names:
    """Symbols that are new to a function, and what is known of all.  most_of: bounds of those that data decide, as
    sizes of the inputs.  asked: what sizes of inputs must fulfil for that.
    """

    def __init__(self, function: Function) -> None:
        shapes = [v.type.shape for v in function.inputs if isinstance(v.type, TensorType)]
        self.inputs = function.inputs
        self.most_of = data_sizes(function.block)
        self.taken = {*symbols_of(shapes), *self.most_of}
        self.facts: SizeFacts = function.facts.where
        self.made: list[str] = []
        self.asked: list[Condition] = []
        self.bounds = function.facts.most

    def new(self) -> str:
        """A name that is not taken."""
        name = next(n for i in range(len(self.taken) + 1) if (n := f"count{i}") not in self.taken)
        self.taken.add(name)
        return name

    def state(self) -> State:
        """What a trial may change."""
        return State(frozenset(self.taken), self.facts, tuple(self.made), tuple(self.asked))

    def restore(self, state: State) -> None:
        """Forget what a trial made."""
        self.taken, self.facts, self.made = set(state.taken), state.facts, list(state.made)
        self.asked = list(state.asked)

    def most(self, value: Value, axis: int) -> tuple[int, int] | None:
        """What the user says of how large a value may be along an axis."""
        found = self.bounds.get(value.name.removesuffix(":0"))
        if found is None or axis >= len(found) or not found[axis]:
            return None
        low, high = found[axis]
        return low, high

    def hold(self, e: CoreBuilder, number: Value, size: int, kind: Literal["equal", "spread"]) -> None:
        """An integer scalar must be a number when it runs, or also 1."""
        name = self.new()
        self.ask(e, number, size, [Condition(kind, Dim.symbol(name), size)], name)

    def ask(self, e: CoreBuilder, number: Value, bound: Size, conditions: Iterable[Condition], name: str = "") -> None:
        """An integer scalar is a size that nothing has, by whose definition a run asks for conditions."""
        name = name or self.new()
        self.made.append(name)
        e.y(core.DefineSize(e.scalar(number), symbol=name, bound=bound, conditions=tuple(conditions)))

    def ask_first(self, conditions: Iterable[Condition]) -> None:
        """Sizes of inputs fulfil what a run asks for before anything else."""
        new = [c for c in dict.fromkeys(conditions) if c not in self.asked]
        self.asked += new
        self.facts = self.facts.and_also(_relations(new))

    @property
    def certain(self) -> SizeFacts:
        """What is known without what is asked for, which would hold anyway by it."""
        asked = {*_relations(self.asked)}
        return SizeFacts(self.facts.ranges, [r for r in self.facts.relations if r not in asked])

    def define(self, e: CoreBuilder, number: Value, bound: Size, name: str = "") -> Value:
        """An integer scalar as a size, of a name that was made for it or a new one; as a vector of one."""
        name = name or self.new()
        self.made.append(name)
        self.most_of[name] = upper(bound, self.most_of)
        least = operands_of("min", bound)
        numbers = [n for n in least if isinstance(n, int)]
        ranges = self.facts.ranges | ({name: (0, min(numbers))} if numbers else {})
        found = sorted((d for d in least if isinstance(d, Dim)), key=str)
        self.facts = SizeFacts(ranges, [*self.facts.relations, *(Relation(d, ">=", Dim.symbol(name)) for d in found)])
        return e.reshape(e.y(core.DefineSize(e.scalar(number), symbol=name, bound=bound)), [1])


def _relations(conditions: Iterable[Condition]) -> list[Relation]:
    return [Relation(c.a, ">=", c.b) for c in conditions if c.kind == "least"]
