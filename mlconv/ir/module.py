"""Modules and functions.

A function's block arguments are its inputs, in order, with their names; `output_names` names what its block yields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, Value, clone_block, walk
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.types import Type
from mlconv.provenance.locations import Location, NameLocation


@dataclass(slots=True)
class Facts:
    """What is known of a function besides its ops.

    variables: initial values of what it reads and assigns, by name.  state: variables that have become an input and an
    output: their names, and the initial value.  where: what is known of its sizes.  sizes: how sizes go in and out of
    an HLO entry (`to_hlo.dynamic_sizes.symbols`).  io_layout: permutations of inputs and outputs whose layout was asked
    for, by name. conditions: what sizes must fulfil before native code runs (`kernel.Condition`).  tables: keys and
    values of the tables of TFLite that it looks into, by number.
    """

    variables: dict[str, Const] = field(default_factory=dict)
    state: dict[str, tuple[str, str, Const]] = field(default_factory=dict)
    where: SizeFacts = field(default_factory=SizeFacts)
    sizes: dict[str, Any] = field(default_factory=dict)
    io_layout: dict[str, dict[str, tuple[int, ...]]] = field(default_factory=dict)
    conditions: tuple[Any, ...] = ()
    tables: dict[str, tuple[Const, Const]] = field(default_factory=dict)

    def known(self) -> dict[str, Any]:
        """Those that say something, by name."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name))}

    @staticmethod
    def of(values: dict[str, Any]) -> Facts:
        """The inverse of `known`.  Raises ValueError for names and values that are none."""
        for name, value in values.items():
            if name not in _FITS or not isinstance(value, _KINDS.get(name, dict)):
                raise ValueError(f"{name!r} is no fact of a function")
            for item in value.values() if isinstance(value, dict) else ():
                if not _FITS[name](item):
                    raise ValueError(f"a value of {name!r} is not understood")
        return Facts(**values)


def _is_slot(value: object) -> bool:
    kinds = (str, str, Const)
    return isinstance(value, tuple) and len(value) == 3 and all(map(isinstance, value, kinds))


_KINDS: dict[str, type] = {"conditions": tuple, "where": SizeFacts}
_FITS: dict[str, Callable[[object], bool]] = {
    "variables": lambda value: isinstance(value, Const),
    "state": _is_slot,
    "where": lambda value: True,
    "sizes": lambda value: isinstance(value, (tuple, list, dict)),
    "io_layout": lambda value: isinstance(value, dict),
    "conditions": lambda value: True,
    "tables": lambda value: isinstance(value, tuple) and len(value) == 2 and all(isinstance(c, Const) for c in value),
}


@dataclass(slots=True)
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


@dataclass(slots=True)
class Module:
    """Functions in order; the first is the entry.  `source` says where it came from (path, format, producer, opset
    ...).
    """

    functions: list[Function] = field(default_factory=list)
    source: dict[str, Any] = field(default_factory=dict)

    @property
    def main(self) -> Function:
        """The entry function."""
        return self.functions[0]

    def walk(self) -> Iterator[Op]:
        """All ops of all functions, outer before inner."""
        for function in self.functions:
            yield from walk(function.block)


def clone_module(module: Module) -> Module:
    """A copy whose ops can be changed without touching the original; constants are shared."""
    functions = [
        Function(f.name, clone_block(f.block, {}), list(f.output_names), f.signature, f.location, replace(f.facts))
        for f in module.functions
    ]
    return Module(functions, dict(module.source))
