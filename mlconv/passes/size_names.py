"""Names for sizes that data decide."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Literal, NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.data_sizes import data_sizes, upper
from mlconv.ir.dims import Dim, Size, operands_of
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Condition
from mlconv.ir.module import Function
from mlconv.ir.shapes import is_told, symbols_of
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.size_relations import Relation
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import TensorType
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.size_values import SizeValues


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
        self._of_inputs = frozenset(symbols_of(shapes))
        self.taken = {*self._of_inputs, *self.most_of}
        self.facts: SizeFacts = function.facts.where
        self.made: list[str] = []
        self.asked: list[Condition] = []
        self.bounds = function.facts.most
        self._bounded = self._of_unknown(function)
        self._met = _beside_numbers(function.block)

    def _of_unknown(self, function: Function) -> dict[tuple[Value, int], tuple[int, int]]:
        """What the user says of sizes that nothing is known about, for all axes that have them: any value tells it."""
        if not self.bounds:
            return {}
        said: dict[Size, tuple[int, int]] = {}
        axes: list[tuple[Value, int, Size]] = []
        for value in (v for op in walk(function.block) for v in op.results if isinstance(v.type, TensorType)):
            shape, given = value.tensor.shape or (), self.bounds.get(value.name.removesuffix(":0"), ())
            for axis, size in enumerate(shape):
                if not is_told((size,)):
                    axes.append((value, axis, size))
                    if len(given) == len(shape) and given[axis]:
                        said.setdefault(size, (given[axis][0], given[axis][1]))
        return {(value, axis): said[size] for value, axis, size in axes if size in said}

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
        if found is not None and axis < len(found) and found[axis]:
            low, high = found[axis]
            return low, high
        return self._bounded.get((value, axis))

    def most_beside(self, value: Value, axis: int) -> int | None:
        """How large a value may be along an axis, as numbers that this size meets say."""
        return self._met.get((value, axis))

    def is_of_inputs(self, size: Size) -> bool:
        """Whether sizes of inputs tell it, or it is a number."""
        return isinstance(size, int) or size.symbols() <= self._of_inputs

    def part(self, e: CoreBuilder, size: Size) -> Part:
        """A size of the function's inputs as what ops take."""
        if isinstance(size, int):
            return size

        def axis_size(value: Value, axis: int) -> Value:
            known = e.dim(value, axis)
            return e.constant(known, DType.I64) if isinstance(known, int) else e.scalar(known)

        sizes = SizeValues(e, self.inputs, axis_size, lambda n: e.constant(n, DType.I64), "what branches give")
        return e.reshape(sizes.of(size), [1])

    def hold(self, e: CoreBuilder, number: Value, size: Size, kind: Literal["equal", "spread"]) -> None:
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


def _beside_numbers(block: Block) -> dict[tuple[Value, int], int]:
    """Numbers that sizes nothing is known about are repeated to, or are, in ops that each run does; of all axes that
    have such a size.
    """
    found: dict[Size, int] = {}
    for op in block.ops:
        if op.spec is None or Elementwise not in op.spec.traits:
            continue
        shapes = [v.type.shape[::-1] for v in op.inputs if isinstance(v.type, TensorType) and v.type.shape]
        for sizes in itertools.zip_longest(*shapes, fillvalue=1):
            most = max((n for n in sizes if isinstance(n, int)), default=0)
            for size in (part for n in sizes for part in operands_of("max", n) if most > 1 and not is_told((part,))):
                found[size] = min(most, found.get(size, most))
    if not found:
        return {}
    values = [v for op in walk(block) for v in op.results if isinstance(v.type, TensorType)]
    axes = [(v, axis, size) for v in values for axis, size in enumerate(v.tensor.shape or ())]
    return {(v, axis): found[size] for v, axis, size in axes if size in found}


def _relations(conditions: Iterable[Condition]) -> list[Relation]:
    return [Relation(c.a, ">=", c.b) for c in conditions if c.kind == "least"]
