"""A whole model: its inputs and outputs, also where the user cuts the graph, to a module."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.diagnostics.hints import did_you_mean
from mlconv.dialects.onnx_types import DTYPES
from mlconv.importers.initial_state import STATE_KEY, bind_initial, bind_state_beside, kept_rows, read_rows
from mlconv.importers.loaded import LoadedModel
from mlconv.importers.onnx.external import Opened
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.graph import GraphImporter
from mlconv.importers.onnx.message import source_facts
from mlconv.importers.onnx.nodes import Node, needed, nodes_of, producers
from mlconv.importers.onnx.read import OnnxFile, read_model
from mlconv.importers.onnx.scope import Frame, Scope
from mlconv.importers.onnx.types import type_of
from mlconv.importers.pinned import check_pinned, no_input
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value, Yield
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.types import TensorType, Type
from mlconv.provenance.locations import NameLocation

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import ValueInfoProto


Shapes = Mapping[str, Sequence[int | str]]


def import_onnx(
    path: str | os.PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    shapes: Shapes | None = None,
    linked_data: bool = False,
    engine: DiagnosticEngine | None = None,
    opened: Opened | None = None,
) -> LoadedModel:
    """The module of an ONNX file: one function of `onnx.*` ops.

    inputs, outputs: names of values (or nodes) at which the graph is cut; initializers that are named become inputs.
    shapes: shapes of inputs by name that replace the file's; a name in place of a number is a symbol.
    linked_data: links of external data may lead out of the model's folder.  opened: is told of files of external data.
    Raises ConversionError MLC00xx and MLC01xx.  Problems of nodes, names and tensors go to the engine, all together: a
    module with such is one to look for more in, not to convert.  Without an engine they are raised.
    """
    found = engine or DiagnosticEngine()
    module = import_file(read_model(path, linked_data, opened), found, inputs, outputs, shapes)
    if engine is None:
        found.raise_errors()
    return module


def import_file(
    file: OnnxFile,
    engine: DiagnosticEngine,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    shapes: Shapes | None = None,
) -> LoadedModel:
    """The module of a file that was read, as `import_onnx` has it."""
    return _ModelImporter(file, shapes or {}, engine).run(inputs, outputs)


class _ModelImporter:
    def __init__(self, file: OnnxFile, shapes: Shapes, engine: DiagnosticEngine) -> None:
        self.file = file
        self.graph = file.model.graph
        self.initializers = {text(t.name): t for t in self.graph.initializer}
        self.initializer_names = set(self.initializers) | {text(s.values.name) for s in self.graph.sparse_initializer}
        self.infos = {
            text(v.name): v for field in (self.graph.value_info, self.graph.output, self.graph.input) for v in field
        }
        self.shapes = shapes
        self.engine = engine
        metadata = self.file.model.metadata_props
        self.state = [row for e in metadata if text(e.key) == STATE_KEY for row in read_rows(text(e.value))]
        self.importer = GraphImporter(file, _pinned_symbols(self.infos, shapes), engine)

    def run(self, inputs: Sequence[str] | None, outputs: Sequence[str] | None) -> LoadedModel:
        nodes = nodes_of(self.graph.node)
        made = producers(nodes, self._given_names(), "the graph", self.importer.report)
        defaults = self.initializer_names - {row.input for row in self.state}
        own = [name for v in self.graph.input if (name := text(v.name)) not in defaults]
        output_names = [text(v.name) for v in self.graph.output]
        if outputs is not None:
            output_names = [self._value_name(n, made, nodes, "output") for n in outputs]
        input_names = own
        if inputs is not None:
            input_names = [self._value_name(n, made, nodes, "input") for n in inputs]
            # what the model's own inputs still tell behind the cut, such as their sizes, comes from them
            kept = needed(nodes, made, output_names, frozenset(input_names))
            read = {name for node in kept for name in node.reads} | set(output_names)
            input_names += [n for n in own if n in read and n not in input_names]
        if not output_names:
            raise ConversionError(
                Code.NoOutputs, f"{self.file.path}: the graph has no outputs", help="name the results with --outputs"
            )
        for name in [n for n in self.shapes if self._stripped(n) not in input_names]:
            raise no_input(name, input_names)
        function = self._function(input_names, output_names, nodes, made, inputs is not None)
        self._bind_state(function)
        return LoadedModel(
            Module([function], source_facts(self.file.path, self.file.model, self.file.opsets)),
            tuple(self.file.tensors.external.paths()),
        )

    def _bind_state(self, function: Function) -> None:
        """The values of variables before the first run are defaults of inputs, or in a file beside."""
        rows, path = kept_rows(function, self.state), self.file.path
        if all(row.input in self.initializers for row in rows):
            read = self.file.tensors.read_once
            bind_initial(function, rows, lambda row: read(self.initializers[row.input], row.input), path)
        else:
            bind_state_beside(function, self.state, path)

    def _function(
        self, input_names: list[str], output_names: list[str], nodes: list[Node], made: dict[str, Node], is_cut: bool
    ) -> Function:
        """is_cut: the user has named the inputs."""
        location = NameLocation(text(self.graph.name) or "graph")
        function = Function.create("main", [self._input_type(n) for n in input_names], input_names, location)
        frame = Frame(
            Scope(),
            Builder(function.block, location),
            opsets=self.file.opsets,
            hints=self.importer.hints(self.infos.values()),
        )
        frame.scope.values.update(zip(input_names, function.inputs, strict=True))
        stop = frozenset(input_names)
        kept = needed(nodes, made, output_names, stop)
        read = {name for node in kept for name in node.reads} | set(output_names)
        known = made.keys() | stop | self.initializer_names
        # what is needed is not known where names lead nowhere: all is looked at
        if not is_cut and (self.importer.problems or not read <= known):
            kept = nodes
            read.update(name for node in nodes for name in node.reads)
        self.importer.initializers(self.graph, frame, frozenset(read - stop))
        self.importer.nodes([n for n in kept if not stop.issuperset(o for o in n.outputs if o)], made, frame)
        results = {n: v for n, v in ((n, self._output(n, frame)) for n in output_names) if v is not None}
        function.output_names = [n for n in output_names if n in results]
        function.block.insert(Yield([results[n] for n in function.output_names], location))
        return function

    def _output(self, name: str, frame: Frame) -> Value | None:
        """The value of an output of the graph; None, and reported, when nothing makes it."""
        try:
            return self.importer.output(name, frame, "the graph")
        except ConversionError as error:
            self.importer.report(error)
            return None

    def _given_names(self) -> list[str]:
        """Names of inputs and initializers.  An initializer may give an input its default; nothing else may share a
        name.
        """
        names = [text(v.name) for v in self.graph.input]
        seen: set[str] = set()
        for name in [*names, None, *(text(t.name) for t in self.graph.initializer)]:
            if name is None:
                seen.clear()
            elif name in seen:
                self.importer.report(
                    ConversionError(
                        Code.NameDefinedTwice,
                        f"duplicate name: two inputs or initializers of the graph are called '{name}'",
                    )
                )
            else:
                seen.add(name)
        return [*names, *self.initializer_names]

    def _stripped(self, name: str) -> str:
        return name if name in self.infos or not name.endswith(":0") else name[:-2]

    def _value_name(self, name: str, made: dict[str, Node], nodes: list[Node], what: str) -> str:
        """The value that a user's name means: a value, a value with `:0`, or a node's first output."""
        for candidate in (name, name.removesuffix(":0")):
            if candidate in made or candidate in self.infos or candidate in self.initializer_names:
                return candidate
        for node in nodes:
            if node.name in (name, name.removesuffix(":0")) and any(node.outputs):
                return next(filter(None, node.outputs))
        known = [text(v.name) for v in (self.graph.input if what == "input" else self.graph.output)]
        hint = (
            did_you_mean(name, [*known, *made, *(n.name for n in nodes if n.name)])
            or "`mlconv inspect` lists the names"
        )
        listed = ", ".join(known[:10]) or "none"
        raise ConversionError(
            Code.NameNotFound, f"{what} '{name}' is not in the graph; its {what}s are {listed}", help=hint
        )

    def _input_type(self, name: str) -> Type:
        type_: Type | None = None
        if name in self.infos:
            type_ = self.importer.type_of(self.infos[name].type, name, anonymous=True)
        elif name in self.initializers:
            tensor = self.initializers[name]
            type_ = TensorType(DTYPES.get(tensor.data_type, DType.UNKNOWN), tuple(int(d) for d in tensor.dims))
        given = next((s for n, s in self.shapes.items() if self._stripped(n) == name), None)
        if given is not None:
            dtype = type_.dtype if isinstance(type_, TensorType) else DType.F32
            if isinstance(type_, TensorType):
                check_pinned(name, [_size(d) for d in given], type_.shape)
            return TensorType(dtype, tuple(_given_size(name, i, d, type_) for i, d in enumerate(given)))
        if type_ is None or (isinstance(type_, TensorType) and type_.dtype is DType.UNKNOWN):
            raise ConversionError(
                Code.ElementTypeUnsupported,
                f"the element type of input '{name}' is not known",
                help=f"give its shape with --shape {name}=...",
            )
        return type_


def _given_size(name: str, axis: int, given: int | str, declared: Type | None) -> Size:
    """A dimension that the user gives; -1 leaves the declared one, or a symbol."""
    size = _size(given)
    if size != -1:
        return size
    shape = declared.shape if isinstance(declared, TensorType) else None
    return shape[axis] if shape is not None else Dim.symbol(f"{name}.{axis}")


def _size(given: int | str) -> Size:
    return int(given) if isinstance(given, int) or given.lstrip("-").isdigit() else Dim.symbol(given)


def _pinned_symbols(infos: Mapping[str, ValueInfoProto], shapes: Shapes) -> dict[str, Size]:
    """What user-given shapes put in place of symbols, so that other inputs with the same symbol follow, and what the
    file says of values inside.  A symbol that stands for several names by then is none of them.
    """
    pinned: dict[str, Size] = {}
    several: set[str] = set()
    for name, given in shapes.items():
        info = infos.get(name) or infos.get(name.removesuffix(":0"))
        declared = type_of(info.type, name, anonymous=True) if info is not None else None
        if not isinstance(declared, TensorType) or declared.shape is None:
            continue
        for old, new in zip(declared.shape, given, strict=False):
            size = _size(new)
            if isinstance(old, Dim) and old.name is not None and size != -1:
                if not isinstance(size, int) and pinned.get(old.name, size) != size:
                    several.add(old.name)
                pinned[old.name] = size
    return {name: size for name, size in pinned.items() if name not in several}
