"""Modules and functions.

A function's block arguments are its inputs, in order, with their names; `output_names` names what its block yields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlconv.diagnostics.notebook import table
from mlconv.diagnostics.text import printable
from mlconv.ir.core import Block, Op, Value, Yield, clone_block, clone_op, walk
from mlconv.ir.facts import Facts
from mlconv.ir.types import Type
from mlconv.provenance.locations import Location, NameLocation, node_names

_MOST_OPS = 20  # kinds that a notebook shows


@dataclass(eq=False, repr=False, slots=True)
class Function:
    """A named function.  `signature` is its key in the source's signature table, e.g. `serving_default`."""

    name: str
    block: Block
    output_names: list[str] = field(default_factory=list)
    signature: str = "serving_default"
    location: Location = field(default_factory=lambda: NameLocation("function"))
    facts: Facts = field(default_factory=Facts)

    @staticmethod
    def create(name: str, input_types: Sequence[Type], input_names: Sequence[str], location: Location) -> Function:
        return Function(name, Block(input_types, input_names), location=location)

    @property
    def inputs(self) -> list[Value]:
        return self.block.arguments

    @property
    def input_names(self) -> list[str]:
        return [v.name for v in self.block.arguments]

    @property
    def outputs(self) -> list[Value]:
        return self.block.outputs


@dataclass(eq=False, repr=False, slots=True)
class Module:
    """Functions in order; the first is the entry.  `source` says where it came from (path, format, producer, opset
    ...).  passes: names of those that have run on it, in order.  kinds: names of the nodes of each kind of op of the
    source, which text does not have.
    """

    functions: list[Function] = field(default_factory=list)
    source: dict[str, Any] = field(default_factory=dict)
    passes: list[str] = field(default_factory=list)
    kinds: dict[str, set[str]] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        return f"<Module {self.summary()}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [(k, v) for k, v in self.source.items() if isinstance(v, (str, int, float))]
        for function in self.functions:
            rows += [(f"input {v.name}", v.type) for v in function.inputs]
            rows += [(f"output {n}", v.type) for n, v in zip(function.output_names, function.outputs, strict=False)]
        return table(self.summary(), [*rows, *Counter(op.name for op in self.walk()).most_common(_MOST_OPS)])

    def summary(self) -> str:
        """The entry with its types, how many ops there are, and of what format: one line."""
        if not self.functions:
            return "without functions"
        main = self.main
        given = ", ".join(f"{v.name}: {v.type}" for v in main.inputs)
        made = ", ".join(f"{n}: {v.type}" for n, v in zip(main.output_names, main.outputs, strict=False))
        more = f", {len(self.functions)} functions" if len(self.functions) > 1 else ""
        form = f", {self.source['format']}" if self.source.get("format") else ""
        text = f"{main.name}({given}) -> ({made}), {sum(1 for _ in self.walk())} ops{more}{form}"
        return printable(text)

    @property
    def main(self) -> Function:
        """The entry function."""
        return self.functions[0]

    def walk(self) -> Iterator[Op]:
        """All ops of all functions, outer before inner."""
        for function in self.functions:
            yield from walk(function.block)

    def note_kinds(self, dialect: str) -> None:
        """Keep what the ops of a source's dialect are called there: core has other ops for some."""
        for op in self.walk():
            if op.name.startswith(dialect + "."):
                self.kinds.setdefault(op.name.rpartition(".")[2], set()).update(node_names(op.location))


def clone_function(function: Function, mapping: dict[Value, Value] | None = None) -> Function:
    """A copy whose ops can be changed without touching the original; constants are shared.  mapping: takes the copies
    of values.
    """
    block = clone_block(function.block, {} if mapping is None else mapping)
    return replace(function, block=block, output_names=list(function.output_names), facts=replace(function.facts))


def clone_module(module: Module, mapping: dict[Value, Value] | None = None) -> Module:
    """A copy whose ops can be changed without touching the original; constants are shared.  mapping: takes the copies
    of values.
    """
    mapping = {} if mapping is None else mapping
    functions = [clone_function(f, mapping) for f in module.functions]
    return Module(functions, dict(module.source), list(module.passes), dict(module.kinds))


def cut_function(function: Function, inputs: Sequence[Value], outputs: Sequence[Value], ops: Sequence[Op]) -> Function:
    """A function of copies of some ops, in order.  inputs: what they read of the others; outputs: of their results."""
    names = list(dict.fromkeys(value.name or f"input{i}" for i, value in enumerate(inputs)))
    if len(names) < len(inputs):
        names = [f"input{i}" for i in range(len(inputs))]
    part = Function.create(function.name, [v.type for v in inputs], names, function.location)
    mapping = dict(zip(inputs, part.inputs, strict=True))
    for op in ops:
        part.block.insert(clone_op(op, mapping))
    part.block.insert(Yield([mapping[v] for v in outputs], function.location))
    part.output_names = [value.name or f"output{i}" for i, value in enumerate(outputs)]
    part.signature, part.facts.where = function.signature, function.facts.where
    return part
