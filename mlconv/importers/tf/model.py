"""A GraphDef file -> a module with one function of `tf.*` ops."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.importers.tf.attributes import AttrDecoder
from mlconv.importers.tf.conds_v1 import BranchTable, raise_conds
from mlconv.importers.tf.debug_info import DebugInfo
from mlconv.importers.tf.emit import Emitter, value_type, values_of
from mlconv.importers.tf.functions import Library
from mlconv.importers.tf.graph import Graph, GraphBuilder, Node, topological
from mlconv.importers.tf.interface import Input, cut_nodes, find_inputs, find_outputs, named_inputs, restrict
from mlconv.importers.tf.loops_v1 import raise_loops
from mlconv.importers.tf.reader import GraphFile, read_graph_def
from mlconv.importers.tf.survey import note, survey
from mlconv.importers.tf.tables import bind_tables
from mlconv.ir.builder import Builder
from mlconv.ir.core import Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation

Shapes = Mapping[str, Sequence[int | str | None]]


def import_graph_def(
    path: str | os.PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    shapes: Shapes | None = None,
    engine: DiagnosticEngine | None = None,
    keep_node_defs: bool = False,
) -> Module:
    """The module of a frozen GraphDef, binary or text.

    inputs, outputs: names as `node` or `node:0`; found from the graph where they are not given.  shapes: sizes of
    inputs by name; None or -1 for a dynamic one, text for a named one.
    keep_node_defs: ops carry their NodeDef as the attribute `node_def`.

    Raises ConversionError MLC00xx and MLC01xx.  Problems of nodes and edges go to the engine, all together: a module
    with such is one to look for more in, not to convert.  Without an engine they are raised.
    """
    importer = _GraphDefImporter(
        read_graph_def(path), os.path.basename(os.fspath(path)), engine or DiagnosticEngine(), keep_node_defs
    )
    try:
        function = importer.run(inputs, outputs, shapes)
    except ConversionError as error:
        note(engine, error)
        function = importer.survey(outputs)
    return Module([function], _source(importer.file, path))


class _GraphDefImporter:
    def __init__(self, file: GraphFile, title: str, engine: DiagnosticEngine, keep_node_defs: bool) -> None:
        self.file, self.title, self.engine = file, title, engine
        self.debug = DebugInfo(file.proto.debug_info if file.proto.HasField("debug_info") else None)
        self.decoder = AttrDecoder(file, keep_node_defs)
        self.library = Library(file.proto.library, self.decoder, engine, self.debug, structure)

    def build(self, engine: DiagnosticEngine) -> tuple[Graph, dict[str, Node]]:
        builder = GraphBuilder(self.decoder, engine, self.debug, self.library.functions)
        return builder.build("", self.file.proto.node, callees=self.library.signatures)

    def run(self, inputs: Sequence[str] | None, outputs: Sequence[str] | None, shapes: Shapes | None) -> Function:
        graph, nodes = self.build(self.engine)
        self.engine.raise_errors()
        topological(graph.nodes)  # a cycle is an error even where it is not needed
        bind_tables(graph)
        targets = find_outputs(graph, nodes, outputs)
        named = named_inputs(nodes, inputs)
        rank = {node: i for i, node in enumerate(graph.nodes)}
        graph.outputs = [p for p, _ in targets]
        restrict(graph, graph.outputs, named)
        structure(graph)
        order = topological([p.node for p in graph.outputs], cut_nodes(named))
        listed = find_inputs(sorted(order, key=lambda n: rank.get(n, 0)), named, shapes)
        emitter = Emitter(self.library, self.debug)
        function = emit_function(graph, order, listed, [name for _, name in targets], emitter, self.title)
        self.engine.raise_errors()
        return function

    def survey(self, outputs: Sequence[str] | None) -> Function:
        """The kinds of ops of a graph that has problems."""
        graph, nodes = self.build(DiagnosticEngine())
        return survey(graph, nodes, outputs, self.library, self.debug)


def structure(graph: Graph) -> None:
    """Raise TF1 control flow of a graph whose outputs are set, if it has any."""
    table = BranchTable(graph)
    table.follow(raise_loops(graph))
    raise_conds(graph, table)


def emit_function(
    graph: Graph, order: list[Node], inputs: list[Input], output_names: list[str], emitter: Emitter, title: str
) -> Function:
    """A function of source ops for the nodes `order`, between inputs and the graph's outputs."""
    location = NameLocation(title)
    types = [TensorType(i.element, i.shape) if isinstance(i.element, DType) else value_type(i.element) for i in inputs]
    function = Function.create("main", types, [i.name for i in inputs], location)
    function.output_names = output_names
    env = {i.port: v for i, v in zip(inputs, function.inputs, strict=True)}
    emitter.nodes(order, env, Builder(function.block, location), "", (), graph.outputs)
    function.block.insert(Yield(values_of(graph.outputs, env), location))
    return function


def _source(file: GraphFile, path: str | os.PathLike[str]) -> dict[str, Any]:
    return {
        "path": os.fspath(path),
        "format": "graphdef",
        "producer": f"TensorFlow GraphDef version {int(file.proto.versions.producer)}",
    }
