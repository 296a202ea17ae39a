"""ONNX graphs to source ops: nodes become `onnx.*` ops, subgraphs regions, initializers constants; model-local
functions are inlined.

Nothing is mapped here.  Source: onnx docs/IR.md (names, scopes, functions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects.onnx import op_name
from mlconv.dialects.source import BROKEN, SourceOp
from mlconv.importers.onnx.attributes import GRAPH, GRAPHS, kind_of, resolved, value_of
from mlconv.importers.onnx.calls import check_calls, key_of
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.locations import node_location
from mlconv.importers.onnx.message import checked_opsets
from mlconv.importers.onnx.nodes import Node, needed, nodes_of, ordered, producers
from mlconv.importers.onnx.read import OnnxFile
from mlconv.importers.onnx.scope import Frame, Scope
from mlconv.importers.onnx.types import type_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType, Type
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite import edit

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import FunctionProto, GraphProto, TypeProto, ValueInfoProto


MAX_PROBLEMS = 1000
"""So many problems are collected; the next one ends the run."""

_UNKNOWN = TensorType(DType.UNKNOWN, None)


class GraphImporter:
    """Imports the graphs of one model file.  Problems are collected in `engine`; nodes and tensors with problems stay
    as ops of unknown results.
    """

    def __init__(self, file: OnnxFile, symbols: Mapping[str, Size], engine: DiagnosticEngine) -> None:
        self.file = file
        self.symbols = symbols
        self.engine = engine
        self.problems = 0
        self.functions = {key_of(f.domain, f.name, f.overload): f for f in file.model.functions}
        check_calls(file.model.graph, self.functions)

    def report(self, error: ConversionError, location: NameLocation | None = None, op: str = "") -> None:
        """Keep a problem that need not end the run."""
        if len(self.engine.diagnostics) >= MAX_PROBLEMS:
            self.engine.raise_errors()
        self.problems += 1
        self.engine.error(error, location, location.name if location is not None else "", op)

    def type_of(self, proto: TypeProto, name: str, *, anonymous: bool = False) -> Type | None:
        """A value's type with the symbols that the user pinned, or called otherwise, replaced."""
        found = type_of(proto, name, anonymous=anonymous)
        if isinstance(found, TensorType) and found.shape is not None and self.symbols:
            return found.with_shape(
                tuple(substitute(d, self.symbols) if isinstance(d, Dim) else d for d in found.shape)
            )
        return found

    def hints(self, infos: Iterable[ValueInfoProto]) -> dict[str, Type]:
        """Types that the file states for values."""
        found: dict[str, Type] = {}
        for info in infos:
            name = text(info.name)
            try:
                type_ = self.type_of(info.type, name)
            except ConversionError as error:
                self.report(error)
                continue
            if type_ is not None:
                found[name] = type_
        return found

    def initializers(self, graph: GraphProto, frame: Frame, wanted: frozenset[str] | None = None) -> None:
        """Constants of a graph's initializers.  wanted: only these names, when given."""
        for tensor in graph.initializer:
            name = text(tensor.name)
            if wanted is None or name in wanted:
                self._constant(partial(self.file.tensors.read_once, tensor, name), name, frame)
        for sparse in graph.sparse_initializer:
            name = text(sparse.values.name)
            if wanted is None or name in wanted:
                self._constant(partial(self.file.tensors.sparse, sparse, name), name, frame)

    def _constant(self, read: Callable[[], Const], name: str, frame: Frame) -> None:
        location = NameLocation(frame.prefixed(name))
        try:
            const = read()
        except ConversionError as error:
            self.report(error, location, "onnx.Constant")
            op = SourceOp("onnx.Constant", (), {BROKEN: True}, (_UNKNOWN,), location=location)
        else:
            op = SourceOp(
                "onnx.Constant", (), {"value": const}, (TensorType(const.dtype, const.shape),), location=location
            )
        frame.builder.emit(op)
        self.bind(frame, name, op.result)

    def bind(self, frame: Frame, name: str, value: Value) -> None:
        value.name = value.name or frame.prefixed(name)
        frame.scope.values[name] = value

    def nodes(self, nodes: list[Node], made: dict[str, Node], frame: Frame) -> None:
        """Import nodes in an order that respects what they read; what is wrong with a node is reported, and its results
        are unknown.
        """
        for node in ordered(nodes, made, self.report):
            location = node_location(node.proto, node.label, frame.path)
            try:
                self._node(node, made, frame, location)
            except ConversionError as error:
                if len(self.engine.diagnostics) >= MAX_PROBLEMS:
                    raise
                self.report(error, location, f"onnx.{node.op_type}")
                op = SourceOp(
                    self._kind(node, frame), (), {BROKEN: True}, [_UNKNOWN] * len(node.outputs), location=location
                )
                edit.set_attribute(op, "opset_version", frame.opsets.get(node.domain, 1))
                frame.builder.emit(op)
                self._bind_results(node, op.results, frame)

    def _kind(self, node: Node, frame: Frame) -> str:
        """The op of a node that could not be imported; one that all know where the node calls a function of the model,
        or its opset is not known.
        """
        is_call = key_of(node.domain, node.op_type, node.proto.overload) in self.functions
        return (
            op_name(node.domain, node.op_type)
            if not is_call and (node.domain or "" in frame.opsets)
            else "onnx.Identity"
        )

    def _node(self, node: Node, made: dict[str, Node], frame: Frame, location: NameLocation) -> None:
        before = self.problems
        operands = [self._operand(node, name, made, frame, location) for name in node.inputs]
        function = self.functions.get(key_of(node.domain, node.op_type, node.proto.overload))
        if function is not None:
            self._call(node, function, operands, frame)
        else:
            self._emit(node, operands, frame, location, before)

    def _operand(
        self, node: Node, name: str, made: dict[str, Node], frame: Frame, location: NameLocation
    ) -> Value | None:
        if not name:
            return None
        try:
            return frame.scope[name]
        except KeyError:
            self.problems += 1
            if name not in made:  # else made by a node that could not be placed: its cycle is reported
                why = (
                    f"input '{name}' of node '{node.label}' ({node.op_type}) is "
                    f"produced by no node, and is neither an input nor an initializer"
                )
                self.report(ConversionError(Code.InputNotProduced, why), location, f"onnx.{node.op_type}")
            return None

    def _bind_results(self, node: Node, results: Sequence[Value], frame: Frame) -> None:
        for name, value in zip(node.outputs, results, strict=True):
            if name and name not in frame.scope.values:  # a value that the user named as an input stays that input
                self.bind(frame, name, value)

    def _emit(
        self, node: Node, operands: list[Value | None], frame: Frame, location: NameLocation, before: int
    ) -> None:
        """before: problems that there were before the node."""
        attributes: dict[str, Any] = {}
        regions: list[Region] = []
        region_names: list[str] = []
        for name, proto in resolved(node.proto.attribute, frame.env):
            kind = kind_of(proto)
            if kind == GRAPH:
                region_names.append(name)
                regions.append(self._region(proto.g, frame))
            elif kind == GRAPHS:
                region_names.extend(f"{name}.{i}" for i in range(len(proto.graphs)))
                regions.extend(self._region(g, frame) for g in proto.graphs)
            else:
                attributes[name] = value_of(proto, name, self.file.tensors)
        if region_names:
            attributes["region_names"] = tuple(region_names)
        attributes["opset_version"] = self._version(node, frame)
        if self.problems > before:
            attributes[BROKEN] = True
        types = [frame.hints.get(name, _UNKNOWN) for name in node.outputs]
        op = SourceOp(op_name(node.domain, node.op_type), operands, attributes, types, regions, location)
        frame.builder.emit(op)
        self._bind_results(node, op.results, frame)

    def _version(self, node: Node, frame: Frame) -> int:
        """The version of the operator set that a node is of; other domains than ai.onnx may leave it out."""
        version = frame.opsets.get(node.domain)
        if version is None and not node.domain:
            raise ConversionError(
                Code.VersionUnsupported,
                f"the model names no opset of ai.onnx, which node '{node.label}' ({node.op_type}) is of",
            )
        return 1 if version is None else version

    def _region(self, graph: GraphProto, around: Frame) -> Region:
        """A subgraph as a region; it sees the names around it."""
        names = [text(v.name) for v in graph.input]
        types = [self.type_of(v.type, n) or _UNKNOWN for v, n in zip(graph.input, names, strict=True)]
        block = Block(types, [around.prefixed(n) for n in names])
        hints = self.hints([*graph.value_info, *graph.output])
        frame = Frame(
            Scope(around.scope),
            Builder(block, around.builder.location),
            around.path,
            around.env,
            around.opsets,
            hints,
            around.calls,
        )
        frame.scope.values.update(zip(names, block.arguments, strict=True))
        self.initializers(graph, frame)
        nodes = nodes_of(graph.node)
        made = producers(nodes, [], f"subgraph '{text(graph.name)}'", self.report)
        outputs = [text(v.name) for v in graph.output]
        self.nodes(needed(nodes, made, outputs, frozenset()), made, frame)
        block.insert(
            Yield([self.output(n, frame, f"subgraph '{text(graph.name)}'") for n in outputs], around.builder.location)
        )
        return Region(block)

    def output(self, name: str, frame: Frame, what: str) -> Value:
        """The value of a graph output.  Raises ConversionError InputNotProduced."""
        value = frame.scope.find(name)
        if value is None:
            raise ConversionError(
                Code.InputNotProduced, f"output '{name}' of {what} does not exist: no node produces it"
            )
        return value

    def _call(self, node: Node, function: FunctionProto, operands: list[Value | None], frame: Frame) -> None:
        """Inline a model-local function: its values are named below the call, absent inputs stay absent."""
        key = key_of(function.domain, function.name, function.overload)
        names = [text(n) for n in function.input]
        if len(operands) > len(names):
            raise ConversionError(
                Code.WrongArity,
                f"function '{key[1]}' takes {len(names)} inputs, the node '{node.label}' gives {len(operands)}",
            )
        env = {text(a.name): a for a in function.attribute_proto} | dict(resolved(node.proto.attribute, frame.env))
        opsets = checked_opsets(function.opset_import) if len(function.opset_import) else frame.opsets
        path = (*frame.path, node.name or node.label)
        inner = Frame(Scope(), frame.builder, path, env, opsets, self.hints(function.value_info), (*frame.calls, key))
        padded = [*operands, *[None] * (len(names) - len(operands))]
        inner.scope.values.update(zip(names, padded, strict=True))
        nodes = nodes_of(function.node)
        made = producers(nodes, names, f"function '{key[1]}'", self.report)
        outputs = [text(n) for n in function.output][: len(node.outputs)]
        self.nodes(needed(nodes, made, outputs, frozenset()), made, inner)
        for name, inside in zip(node.outputs, outputs, strict=False):
            if name:
                value = frame.scope.values[name] = self.output(inside, inner, f"function '{key[1]}'")
                if value.type == _UNKNOWN and name in frame.hints:
                    edit.retype(value, frame.hints[name])
