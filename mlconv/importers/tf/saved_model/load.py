"""A SavedModel to a module: one function for each signature that is asked for, variables turned into constants."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects.tf_types import element_type
from mlconv.formats.protos import tf_pb
from mlconv.importers.pinned import check_pinned, no_input
from mlconv.importers.tf.attributes import AttrDecoder
from mlconv.importers.tf.debug_info import DebugInfo
from mlconv.importers.tf.emit import Emitter
from mlconv.importers.tf.functions import Library
from mlconv.importers.tf.graph import Graph, GraphBuilder, Node, Port, topological
from mlconv.importers.tf.interface import Input, find_inputs, find_outputs, input_shape, named_inputs, reachable
from mlconv.importers.tf.model import emit_function, structure
from mlconv.importers.tf.saved_model.assets import Assets
from mlconv.importers.tf.saved_model.bundle import Bundle
from mlconv.importers.tf.saved_model.effects import HANDLE, Several, VariableEffects, assigned_handles
from mlconv.importers.tf.saved_model.objects import captured_keys
from mlconv.importers.tf.saved_model.read import MetaGraph, choose_signatures, read_saved_model
from mlconv.importers.tf.saved_model.tables import STATIC, TABLES, TableLookups, static_tables
from mlconv.importers.tf.saved_model.variables import HANDLES, REFERENCES, freeze, restored_keys, sliced
from mlconv.importers.tf.survey import note, survey
from mlconv.importers.tf.tables import bind_tables
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import SignatureDef


Shapes = Mapping[str, Sequence[int | str | None]]


def import_saved_model(
    folder: str | os.PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    shapes: Shapes | None = None,
    signature: str | None = None,
    tags: Sequence[str] | None = None,
    engine: DiagnosticEngine | None = None,
    keep_node_defs: bool = False,
) -> Module:
    """The module of a SavedModel folder.

    signature: key, keys separated by commas, or `*`; inputs, outputs: node names that cut the main graph instead.
    shapes: by input name.
    Raises ConversionError MLC00xx and MLC01xx.  Problems of nodes and edges go to the engine, as with
    `import_graph_def`.
    """
    meta = read_saved_model(os.fspath(folder), tags)
    loader = _Loader(meta, engine or DiagnosticEngine(), keep_node_defs)
    chosen = {} if outputs else choose_signatures(meta, signature)
    try:
        if outputs:
            functions = [loader.cut(inputs, outputs, shapes)]
        else:
            loader.find_assigned(chosen.values())
            functions = [loader.signature(key, definition, shapes) for key, definition in chosen.items()]
    except ConversionError as error:
        note(engine, error)
        functions = [
            loader.survey(
                outputs
                or [info.name for definition in chosen.values() for _, info in sorted(definition.outputs.items())]
            )
        ]
    return Module(functions, loader.source())


class _Loader:
    """State of one import: the library, the variables, and what was built of them.  The graph is built anew for each
    signature, as it is cut.
    """

    def __init__(self, meta: MetaGraph, engine: DiagnosticEngine, keep_node_defs: bool) -> None:
        self.meta, self.engine = meta, engine
        self.debug = DebugInfo(meta.debug)
        self.decoder = AttrDecoder(meta.file, keep_node_defs)
        self.bundle: Bundle | None = None
        self.constants: dict[str, Const] = {}
        self.keep_reads = False
        self.assigned: set[str] = set()  # names of variables that a signature of this import assigns

    def source(self) -> dict[str, Any]:
        info = self.meta.proto.meta_info_def
        return {"path": self.meta.folder, "format": "saved_model", "producer": f"TensorFlow {info.tensorflow_version}"}

    def read(self, engine: DiagnosticEngine, library: Library) -> tuple[Graph, dict[str, Node]]:
        builder = GraphBuilder(self.decoder, engine, self.debug, library.functions)
        return builder.build("", self.meta.proto.graph_def.node, callees=library.signatures)

    def survey(self, outputs: Sequence[str]) -> Function:
        """The kinds of ops of a graph that has problems."""
        library = Library(self.meta.proto.graph_def.library, self.decoder, self.engine, self.debug, lambda graph: None)
        graph, nodes = self.read(DiagnosticEngine(), library)
        return survey(graph, nodes, outputs, library, self.debug)

    def build(self) -> tuple[Graph, dict[str, Node], Library]:
        """The main graph with its variables bound; bodies of functions are made plain as they are built."""
        proto = self.meta.proto.graph_def

        def prepare(graph: Graph) -> None:
            freeze(graph, self.unexpected, self.keep_reads)
            structure(graph)

        plain = Library(proto.library, self.decoder, self.engine, self.debug, lambda graph: None)
        library = Library(proto.library, self.decoder, self.engine, self.debug, prepare)
        graph, nodes = self.read(self.engine, library)
        self.engine.raise_errors()
        self.keys = restored_keys(graph, plain)
        self.plain = plain
        self.graph = Graph(graph.name, list(graph.nodes))  # whole: the signatures cut it
        bind_tables(graph)
        return graph, nodes, library

    def unexpected(self, node: Node) -> Const:
        raise ConversionError(
            Code.VariantUnsupported, f"variable '{node.name}' is made inside the function '{node.function}'"
        )

    def value(self, node: Node) -> Const:
        """The checkpoint's value of a variable.  Raises ConversionError VariantUnsupported for one that is never
        restored, and those of `Bundle`.
        """
        if self.bundle is None:
            messages = tf_pb("protobuf.tensor_bundle_pb2")
            self.bundle = Bundle(
                self.meta.variables_prefix, messages.BundleHeaderProto, messages.BundleEntryProto, _dtype
            )
        if node not in self.keys and node.attrs.get("shared_name"):  # handles of one shared name are one variable
            same = [k for n, k in self.keys.items() if n.attrs.get("shared_name") == node.attrs["shared_name"]]
            self.keys.update({node: same[0]} if same else {})
        if node not in self.keys:
            captured = captured_keys(self.graph, self.meta.proto.object_graph_def, self.bundle)
            if node not in captured:
                raise ConversionError(
                    Code.VariantUnsupported,
                    f"variable '{node.name}' is not restored from the checkpoint, so that its value is not known",
                )
            self.keys[node] = (captured[node], "")
        key, part = self.keys[node]
        if key not in self.constants:
            self.constants[key] = self.bundle.constant(key)
        return sliced(self.constants[key], part, key)

    def find_assigned(self, definitions: Collection[SignatureDef]) -> None:
        """Note which variables any of several signatures assigns: the others read what it leaves."""
        if len(definitions) < 2:
            return
        graph, nodes, _ = self.build()
        for definition in definitions:
            targets = [p for p, _ in find_outputs(graph, nodes, [info.name for info in definition.outputs.values()])]
            stop = {p.node for p in named_inputs(nodes, [info.name for info in definition.inputs.values()])}
            part = Graph(graph.name, reachable(graph, targets, stop), outputs=targets)
            self.assigned |= {_variable(n) for n in assigned_handles(part, self.plain)}

    def signature(self, key: str, definition: SignatureDef, shapes: Shapes | None) -> Function:
        """A function with the signature's names, in the order of its keys."""
        graph, nodes, library = self.build()
        outputs = sorted(definition.outputs.items())
        targets = [p for p, _ in find_outputs(graph, nodes, [info.name for _, info in outputs])]
        named = sorted(definition.inputs.items())
        ports = named_inputs(nodes, [info.name for _, info in named])
        given = dict(shapes or {})
        listed = []
        for port, (name, info) in zip(ports, named, strict=True):
            sizes = given.pop(name, given.pop(info.name, given.pop(info.name.partition(":")[0], None)))
            known = None if info.tensor_shape.unknown_rank else tuple(d.size for d in info.tensor_shape.dim)
            check_pinned(name, sizes or (), known if sizes is not None else None)
            listed.append(
                Input(
                    port, name, port.node.outputs[port.slot], input_shape(name, sizes if sizes is not None else known)
                )
            )
        if given:
            raise no_input(next(iter(given)), [n for n, _ in named])
        function = self.emit(graph, library, listed, targets, [name for name, _ in outputs], key)
        function.signature = key
        return function

    def cut(self, inputs: Sequence[str] | None, outputs: Sequence[str], shapes: Shapes | None) -> Function:
        """The main graph between named nodes."""
        graph, nodes, library = self.build()
        targets = find_outputs(graph, nodes, outputs)
        named = named_inputs(nodes, inputs)
        order = topological([p.node for p, _ in targets], {p.node for p in named})
        listed = find_inputs(order, named, shapes)
        return self.emit(graph, library, listed, [p for p, _ in targets], [n for _, n in targets], "main")

    def emit(
        self, graph: Graph, library: Library, inputs: list[Input], targets: list[Port], names: list[str], title: str
    ) -> Function:
        stop = {i.port.node for i in inputs}
        graph.outputs = targets
        graph.nodes = reachable(graph, targets, stop)
        own = {_variable(n) for n in assigned_handles(graph, self.plain)} | self.assigned
        assigned = [n for n in graph.nodes if n.op in HANDLES and _variable(n) in own]
        self.keep_reads = bool(assigned)
        initial = {_variable(n): self.value(n) for n in assigned}
        for node in assigned:
            node.attrs = {"variable": _variable(node), "reference": node.op in REFERENCES}
            node.op = HANDLE
        freeze(graph, self.value, self.keep_reads)
        structure(graph)
        assets = Assets(self.meta.folder, self.meta.proto.asset_file_def, self.graph)
        tables = {n.name: c for n, c in static_tables(self.graph, self.plain, assets).items()}
        for node in graph.nodes:
            if node.name in tables and node.op in TABLES:
                node.op, node.attrs = STATIC, {}
        parts: list[Any] = [VariableEffects(library, initial)] if assigned else []
        parts += [TableLookups(tables)] if tables else []
        effects = Several(parts) if parts else None
        emitter = Emitter(library, self.debug, effects)
        function = emit_function(graph, emitter.order(graph, targets, stop), inputs, names, emitter, title)
        if initial:
            function.facts.variables = initial
        self.engine.raise_errors()
        return function


def _variable(node: Node) -> str:
    """The name by which a variable is one: handles of one shared name are the same."""
    return str(node.attrs.get("shared_name") or node.name)


def _dtype(number: int) -> DType:
    element = element_type(number)
    if not isinstance(element, DType):
        raise ConversionError(
            Code.ElementTypeUnsupported, f"a variable has TensorFlow's type number {number}, which holds no numbers"
        )
    return element
