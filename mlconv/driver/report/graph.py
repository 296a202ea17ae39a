"""A module as a graph in plain data: columns of numbers into tables, so that a large model stays a small page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from mlconv.driver.matching import constant_of_op
from mlconv.driver.report.places import Places
from mlconv.driver.source_types import SourceTypes
from mlconv.ir.constants import Const, Inline
from mlconv.ir.core import Block, Op, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.text import Texts
from mlconv.provenance.locations import first_name

MOST_NODES = 30_000
"""Of a graph on a page; how many are left out is said."""
_LONGEST = 300  # characters of a name, or of an attribute
_MOST_PARTS = 64  # of an attribute that is a list
_MOST_LINKS = 256  # operands, or results, of a node that are listed
_FEW = 16  # elements of a constant that are shown
_NO_ATTRIBUTE = frozenset({"node_def", "opset_version"})


class NodeColumns(TypedDict):
    """Of each node: numbers of its kind, block, place, attributes, and of the values that it reads (-1 for one that is
    absent) and makes.  more: operands that are not listed.
    """

    kind: list[int]
    name: list[str]
    block: list[int]
    place: list[int]
    operands: list[list[int]]
    results: list[list[int]]
    attributes: list[list[int]]
    more: list[int]


class BlockFacts(TypedDict):
    """A function, or a body of a node of another block.  node: that node, -1 for a function.  outputs: pairs of a name
    and a value.
    """

    title: str
    node: int
    inputs: list[int]
    outputs: list[tuple[str, int]]


class GraphFacts(TypedDict):
    """constants: value, its bytes, and what it holds where that is little.  omitted: nodes that are left out."""

    label: str
    kinds: list[str]
    types: list[str]
    attributes: list[tuple[str, str]]
    names: list[str]
    type_of: list[int]
    nodes: NodeColumns
    blocks: list[BlockFacts]
    constants: list[tuple[int, int, str]]
    omitted: int


def computing_ops(module: Module) -> list[Op]:
    """The ops of all functions but those that only hold data, outer before inner: the nodes of a graph, in order."""
    return [op for op in module.walk() if computes(op)]


def computes(op: Op) -> bool:
    """It does more than to hold data, or to end a block."""
    return not isinstance(op, Yield) and constant_of_op(op) is None


class _Table(dict[str, int]):
    def number(self, text: str) -> int:
        return self.setdefault(text, len(self))


class _Graph:
    """Collects the tables of a graph."""

    def __init__(self, places: Places) -> None:
        self.places, self.texts = places, Texts(elide=True)
        self.kinds = _Table()
        self.pairs: dict[tuple[str, str], int] = {}
        self.values: dict[Value, int] = {}
        self.constants: list[tuple[int, int, str]] = []
        self.blocks: list[BlockFacts] = []
        self.number_of: dict[Block, int] = {}
        self.nodes: NodeColumns = {
            "kind": [],
            "name": [],
            "block": [],
            "place": [],
            "operands": [],
            "results": [],
            "attributes": [],
            "more": [],
        }

    def value(self, value: Value | None) -> int:
        if value is None:
            return -1
        number = self.values.get(value)
        if number is None:
            number = self.values[value] = len(self.values)
            held = None if value.producer is None else constant_of_op(value.producer)
            if held is not None:
                self.constants.append((number, held.nbytes, _contents(held)))
        return number

    def add_block(self, block: Block, title: str, node: int, names: Sequence[str]) -> None:
        self.number_of[block] = len(self.blocks)
        inputs = [self.value(v) for v in block.arguments]
        listed = [*names, *[""] * len(block.outputs)]
        outputs = [(name, self.value(v)) for name, v in zip(listed, block.outputs, strict=False)]
        self.blocks.append({"title": title, "node": node, "inputs": inputs, "outputs": outputs})

    def add(self, op: Op, number: int) -> None:
        nodes, name = self.nodes, first_name(op.location)
        nodes["kind"].append(self.kinds.number(shortened(op.name)))
        nodes["name"].append(shortened(name or next((v.name for v in op.results if v.name), "")))
        nodes["block"].append(self.number_of.get(op.block, -1) if op.block is not None else -1)
        nodes["place"].append(self.places.number(op.location))
        nodes["operands"].append([self.value(v) for v in op.operands[:_MOST_LINKS]])
        nodes["results"].append([self.value(v) for v in op.results[:_MOST_LINKS]])
        nodes["more"].append(max(0, len(op.operands) - _MOST_LINKS))
        nodes["attributes"].append([self._attribute(k, v) for k, v in op.attributes.items() if _is_shown(k, v)])
        for i, region in enumerate(op.regions):
            self.add_block(region.block, f"{name or op.name}, body {i + 1} of {len(op.regions)}", number, ())

    def _attribute(self, name: str, value: object) -> int:
        pair = name, shortened(self._text(value))
        return self.pairs.setdefault(pair, len(self.pairs))

    def _text(self, value: object) -> str:
        if isinstance(value, Const):
            return f"{value.dtype.display}{list(value.shape)} {_contents(value)}".rstrip()
        if isinstance(value, bytes):
            return f"{len(value)} bytes"
        if isinstance(value, str) and len(value) > _LONGEST:
            return value  # it is cut
        if isinstance(value, (tuple, list)) and type(value) in (tuple, list) and len(value) > _MOST_PARTS:
            return f"{self._text(tuple(value[:_MOST_PARTS]))} and {len(value) - _MOST_PARTS} more"
        try:
            return self.texts.attribute(value)
        except TypeError:
            return repr(value)


def _is_shown(name: str, value: object) -> bool:
    return value is not None and name not in _NO_ATTRIBUTE


def shortened(text: str) -> str:
    """A text that a page has room for."""
    more = len(text) - _LONGEST
    return text if more <= 0 else f"{text[:_LONGEST]} … and {more} characters more"


def _contents(constant: Const) -> str:
    """Few numbers that are at hand."""
    if not isinstance(constant, Inline) or constant.size > _FEW or not constant.dtype.is_numeric:
        return ""
    return shortened(str(constant.view().tolist()))


def graph_of(module: Module, label: str, places: Places) -> GraphFacts:
    """label: what the graph is of."""
    return SourceGraph(module, label, places).facts


class SourceGraph:
    """The graph of a module as it was read, which is then legalized in place."""

    def __init__(self, module: Module, label: str, places: Places) -> None:
        graph = _Graph(places)
        ops = computing_ops(module)
        for function in module.functions:
            graph.add_block(function.block, function.signature, -1, function.output_names)
        for number, op in enumerate(ops[:MOST_NODES]):
            graph.add(op, number)
        self._values, types = list(graph.values), _Table()
        self._types = SourceTypes(module)
        type_of = [types.number(str(v.type)) for v in self._values]
        self.facts: GraphFacts = {
            "label": label,
            "kinds": list(graph.kinds),
            "types": list(types),
            "attributes": list(graph.pairs),
            "names": [shortened(v.name) for v in self._values],
            "type_of": type_of,
            "nodes": graph.nodes,
            "blocks": graph.blocks,
            "constants": graph.constants,
            "omitted": max(0, len(ops) - MOST_NODES),
        }

    def tell_types(self, module: Module) -> None:
        """Types that the source does not say.  module: the same, of core ops as far as it came."""
        facts, known = self.facts, self._types.deduced(module)
        numbers = {text: i for i, text in enumerate(facts["types"])}
        for i, value in enumerate(self._values):
            if facts["types"][facts["type_of"][i]].startswith(DType.UNKNOWN.display) and value in known:
                facts["type_of"][i] = numbers.setdefault(str(known[value]), len(numbers))
        facts["types"] = list(numbers)
