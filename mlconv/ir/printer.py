"""Modules as text in MLIR's generic form, with locations.  `parser.py` reads it back to an equal module."""

from __future__ import annotations

from collections.abc import Iterator

from mlconv.ir.core import Block, Op, Value
from mlconv.ir.module import Function, Module
from mlconv.ir.spec import OpDef
from mlconv.ir.text import Keep, Texts, location_text, quote
from mlconv.provenance.locations import Location


def print_module(
    module: Module, locations: bool = True, elide: bool = False, inline: bool = False, keep: Keep | None = None
) -> str:
    """Text of a module.  locations: print where ops come from.  elide: leave out the data of large constants; such a
    text is marked.  inline: data of files stand in the text, else ranges of them with their hashes.  keep: puts large
    constants that no file has into one.
    """
    return "\n".join(_Printer(locations, Texts(elide, inline, keep)).module(module)) + "\n"


class _Printer:
    """Holds the numbering of values."""

    def __init__(self, locations: bool, texts: Texts) -> None:
        self.locations, self.texts = locations, texts
        self.names: dict[Value, str] = {}

    def module(self, module: Module) -> Iterator[str]:
        yield '"builtin.module"() ({'
        for function in module.functions:
            yield from self.function(function)
        source = {k: v for k, v in module.source.items() if isinstance(v, (str, int, float, bool, tuple, list, dict))}
        done = f", mlconv.passes = {self.texts.attribute(tuple(module.passes))}" if module.passes else ""
        yield f"}}) {{mlconv.source = {self.texts.dictionary(source)}{done}}} : () -> ()"

    def function(self, function: Function) -> Iterator[str]:
        yield '  "mlconv.func"() ({'
        yield from self.block(function.block, "    ")
        attributes = {
            "sym_name": function.name,
            "input_names": tuple(function.input_names),
            "output_names": tuple(function.output_names),
            "signature": function.signature,
            **function.facts.known(),
        }
        yield f"  }}) {self.texts.dictionary(attributes)} : () -> (){self.location(function.location)}"

    def block(self, block: Block, indent: str) -> Iterator[str]:
        if block.arguments:
            header = ", ".join(f"{self.define(v)}: {self.texts.type(v.type)}" for v in block.arguments)
            yield f"{indent[2:]}^bb({header}):"
        for op in block.ops:
            yield from self.op(op, indent)

    def op(self, op: Op, indent: str) -> Iterator[str]:
        operands = ", ".join(self.names[v] for v in op.inputs)
        attributes = {n: v for n, v in op.attributes.items() if v is not None or not _is_default(op, n)}
        absent = tuple(i for i, v in enumerate(op.operands) if v is None)
        if absent:
            attributes["mlconv.absent"] = absent
        if any(v.name for v in op.results):
            attributes["mlconv.names"] = tuple(v.name for v in op.results)
        arguments = tuple(tuple(v.name for v in region.block.arguments) for region in op.regions)
        if any(map(any, arguments)):
            attributes["mlconv.arguments"] = arguments
        head = f"{indent}{self.defined(op)}{quote(op.name)}({operands})"
        types = ", ".join(self.texts.type(v.type) for v in op.inputs)
        results = ", ".join(self.texts.type(v.type) for v in op.results)
        tail = (
            f"{' ' + self.texts.dictionary(attributes) if attributes else ''} "
            f": ({types}) -> ({results}){self.location(op.location)}"
        )
        if not op.regions:
            yield head + tail
            return
        yield head + " ({"
        for i, region in enumerate(op.regions):
            if i:
                yield f"{indent}}}, {{"
            yield from self.block(region.block, indent + "  ")
        yield f"{indent}}}){tail}"

    def define(self, value: Value) -> str:
        name = self.names[value] = f"%{len(self.names)}"
        return name

    def defined(self, op: Op) -> str:
        return ", ".join(map(self.define, op.results)) + " = " if op.results else ""

    def location(self, location: Location | None) -> str:
        return f" loc({location_text(location)})" if self.locations else ""


def _is_default(op: Op, name: str) -> bool:
    """None is what the op has where nothing is said."""
    return isinstance(op, OpDef) and any(f.name == name and f.default is None for f in op.spec.attributes)
