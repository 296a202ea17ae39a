"""An ONNX file, simplified: no larger than it was, but for a hundredth."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.onnx.external import Opened
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.read import OnnxFile, read_model
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from mlconv.simplifiers.facts import Fact
from mlconv.simplifiers.onnx.cutting import foreign_operators
from mlconv.simplifiers.onnx.facts import facts_of
from mlconv.simplifiers.onnx.graph import Graph, Model
from mlconv.simplifiers.onnx.names import make_distinct
from mlconv.simplifiers.onnx.simplify import all_rules, count_nodes, simplify_graph
from mlconv.simplifiers.onnx.writing import finish
from mlconv.simplifiers.result import Counts, Simplified

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import GraphProto

_TEXTS = 16
_JOINING = frozenset({"products-side-by-side"})
_WRITING = frozenset({"product-with-sum", "transposed-operand", "view-of-view", "slice-of-slice", "axes-of-both"})
_ATTEMPTS = (
    *((growth, frozenset[str]()) for growth in (1 << 20, 1 << 14, 1 << 10, 256, 128, 64, 32, 0)),
    (0, _JOINING),
    (0, _JOINING | _WRITING),
)
"""Bytes that one constant may take beyond what it stands for, and rules that are left out, as they make names and
constants: the first of these with which the file is small enough is taken.
"""
_FIRST_IR_WITHOUT_LISTED = 4
_MANY = 16
"""Initializers that are all listed as inputs: PyTorch before 1.3, and others of that time, did so with all weights,
which nobody is to replace.  Of fewer, or where some are not listed, a caller may replace those that are.
"""
Shapes = Mapping[str, Sequence[int | str]]


def simplify_onnx(
    path: str,
    shapes: Shapes,
    skipped: frozenset[str] = frozenset(),
    linked_data: bool = False,
    opened: Opened | None = None,
) -> Simplified:
    """shapes: sizes of inputs that are pinned.  skipped: names of rules that are left out.

    Raises ConversionError for a file that cannot be read, and UsageError for a rule that there is not.
    """
    known = all_rules().names
    unknown = sorted(skipped - set(known))
    if unknown:
        raise ConversionError(
            Code.UsageError, f"--skip names {unknown[0]!r}, which is no rule", help=f"the rules are {', '.join(known)}"
        )
    first = _Source(read_model(path, linked_data, opened), shapes)
    graph = first.graph(0)
    before, source = Counter(count_nodes(graph)), source_bytes(path, graph)
    types = {name: fact.type for name, fact in first.facts.items() if fact.type is not None}
    largest = [(source // 100, frozenset[str]())] if source // 100 > _ATTEMPTS[0][0] else []
    for growth, more in (*largest, *_ATTEMPTS, (0, frozenset(known))):
        graph = first.again(read_model(path, linked_data)).graph(growth)
        simplify_graph(graph, all_rules(skipped | more))
        finished = finish(graph, graph.model.pinned)
        if finished.size() <= source + source // 100:
            break
    after = Counter(count_nodes(graph))
    return Simplified(
        Counts(before, source),
        after,
        dict(graph.model.applied),
        finished.write,
        _function(graph),
        types,
        tuple(foreign_operators(graph.model.file.model)),
        tuple(_texts(graph.model.file.model.graph)),
        (path, *graph.model.file.tensors.external.paths()),
    )


def _function(graph: Graph) -> Function:
    """A function with the inputs of the graph, and nothing else."""
    given = [v for v in graph.model.inputs if v.name not in graph.model.overridable]
    return Function.create("main", [v.type for v in given], [v.name for v in given], NameLocation("graph"))


def _texts(graph: GraphProto) -> Iterator[str]:
    """Texts that nodes compare with."""
    for node in graph.node:
        for a in node.attribute:
            yield from (text(s) for s in islice(a.strings, _TEXTS))
            if a.HasField("t") and a.t.string_data:
                yield from (text(s) for s in islice(a.t.string_data, _TEXTS))


class _Source:
    """A file that was read, with facts of its values, which several attempts start from."""

    def __init__(self, file: OnnxFile, shapes: Shapes, known: _Source | None = None) -> None:
        self.file, self.shapes = file, shapes
        proto = file.model.graph
        self.names, self.originals = make_distinct(proto)
        inputs = [text(v.name) for v in proto.input]
        initial = {text(t.name) for t in proto.initializer} | {text(s.values.name) for s in proto.sparse_initializer}
        self.listed = file.model.ir_version < _FIRST_IR_WITHOUT_LISTED
        habit = len(initial) >= _MANY and initial.issubset(inputs)
        self.overridable = frozenset() if self.listed or habit else frozenset(initial.intersection(inputs))
        self.facts: dict[str, Fact]
        self.main: Function
        if known is not None:
            self.facts, self.main = known.facts, known.main
            return
        given = [n for n in inputs if n not in initial or n in self.overridable]
        self.facts, self.main = facts_of(file, given, shapes)

    def again(self, file: OnnxFile) -> _Source:
        """The same file, read again."""
        return _Source(file, self.shapes, self)

    def graph(self, growth: int) -> Graph:
        """The main graph.  growth: bytes that a constant may take beyond what it stands for."""
        functions = frozenset(("" if f.domain == "ai.onnx" else f.domain, f.name) for f in self.file.model.functions)
        model = Model(self.file, dict(self.facts), self.overridable, functions, self.listed, growth, self.names)
        model.inputs, model.originals = list(self.main.inputs), self.originals
        if self.shapes:
            model.pinned.update({v.name: v.type for v in self.main.inputs if isinstance(v.type, TensorType)})
        return Graph(self.file.model.graph, model)


def source_bytes(path: str, graph: Graph) -> int:
    """Of the file, and of those with its weights."""
    beside = set(graph.model.file.tensors.external.paths())
    return os.path.getsize(path) + sum(os.path.getsize(p) for p in beside)
