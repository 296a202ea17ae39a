"""A function cut at values of its ops, by any name that reports have: of a value, of the node that made it, of an input
or an output; inside of functions that were inlined, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import did_you_mean
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.module import Function
from mlconv.ir.types import Type
from mlconv.provenance.locations import first_name
from mlconv.rewrite import edit

LISTED = "`mlconv inspect` lists inputs and outputs, errors and reports name nodes"
"""What helps where no name is near."""


class Cut(NamedTuple):
    """inputs, outputs: values by the names that they are to have."""

    inputs: dict[str, Value]
    outputs: dict[str, Value]


def bare(name: str) -> str:
    """A name without the number of a first output."""
    return name.removesuffix(":0")


def find_cut(function: Function, inputs: Sequence[str], outputs: Sequence[str]) -> Cut:
    """The values that names mean.  Raises ConversionError NameNotFound for names that no value has, several have, or
    one inside of a loop or a branch.
    """
    known = _names(function)
    inside = {name for name, _ in _named(op for op in walk(function.block) if op.block is not function.block)}
    ends = {bare(n): v for n, v in zip(function.output_names, function.outputs, strict=True)}

    def found(name: str, what: str, preferred: Mapping[str, Value]) -> Value:
        values = [preferred[bare(name)]] if bare(name) in preferred else known.get(bare(name), [])
        if len(values) == 1:
            return values[0]
        why = "which the model does not have"
        help_text = did_you_mean(name, [*preferred, *known]) or LISTED
        if values:
            why, help_text = f"which {len(values)} values have", "give the name of another value next to it"
        elif bare(name) in inside:
            why, help_text = "which is inside of a loop or a branch: a model is cut outside of these", ""
        raise ConversionError(Code.NameNotFound, f"--{what}s names {name!r}, {why}", help=help_text)

    given = {name: found(name, "input", {}) for name in inputs}
    wanted = {name: found(name, "output", ends) for name in outputs}
    return Cut(given, wanted or dict(zip(function.output_names, function.outputs, strict=True)))


def _names(function: Function) -> dict[str, list[Value]]:
    """Values by their names; the first results of nodes by those of the nodes, where no value has that."""
    values = [v for v in function.inputs if v.name]
    values += [v for op in function.block.ops for v in op.results if v.name]
    found: dict[str, list[Value]] = {}
    for value in values:
        found.setdefault(bare(value.name), []).append(value)
    nodes: dict[str, Value] = {}
    for name, value in _named(function.block.ops):
        nodes[name] = value  # of several ops of one node, the last one makes its result
    return {**{name: [value] for name, value in nodes.items()}, **found}


def _named(ops: Iterator[Op]) -> Iterator[tuple[str, Value]]:
    for op in ops:
        name = first_name(op.location)
        if name and op.results:
            yield bare(name), next((v for v in op.results if v.name), op.results[0])


def cut_function(function: Function, cut: Cut, types: Mapping[str, Type]) -> None:
    """Keep what computes the outputs of the inputs, in place.  types: of inputs, by name, where they are other than
    those of the values.
    """
    block = function.block
    old = list(function.inputs)
    outputs = dict(cut.outputs)
    for name, value in cut.inputs.items():
        argument = value
        if value not in old:
            argument = edit.add_argument(block, types.get(name, value.type), name)
            edit.replace_uses(value, argument)
            outputs = {n: argument if v is value else v for n, v in outputs.items()}
        elif name in types:
            edit.retype(value, types[name])
    edit.set_operands(block.terminator, list(outputs.values()))
    function.output_names = list(outputs)
    _drop_unneeded(function)
    _order_inputs(function, [bare(name) for name in cut.inputs])


def _drop_unneeded(function: Function) -> None:
    """Ops that outputs do not depend on go, but for those that change variables."""
    needed: set[Op] = set()
    stack: list[Op] = [op for op in function.block.ops if not op.results]
    while stack:
        op = stack.pop()
        if op in needed:
            continue
        needed.add(op)
        inner = [o for region in op.regions for o in walk(region.block)]
        for each in (op, *inner):
            stack += [p for v in each.operands if v is not None and (p := v.producer) is not None and p not in needed]
    for op in reversed(list(function.block.ops)):
        if op not in needed:
            edit.erase(op)


def _order_inputs(function: Function, first: Sequence[str]) -> None:
    """Inputs that were named, in that order, then others that are used."""
    arguments = function.inputs
    place = {bare(v.name): i for i, v in reversed(list(enumerate(arguments)))}
    named = [place[name] for name in first]
    kept = [*named, *(i for i, v in enumerate(arguments) if i not in named and v.uses)]
    edit.keep_arguments(function.block, kept)
