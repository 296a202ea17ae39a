"""A module of ONNX operators to a file.

The main function becomes the graph, regions subgraphs that see its values by name.  Constants, of regions too, become
initializers of the graph, but for stored weights in regions, which are their own: ONNX Runtime 1.31 makes products of
few bits of these, and refuses a model where their scales are in the graph around (qdq_actions.cc,
TransposeDQWeightsForMatMulNBits).  Nodes are protobuf messages, and initializers are framed by hand and streamed behind
them, so that weights are not held in memory.  Above 2 GB, what one message holds, weights go to a file beside.
Source: onnx.proto; onnx/docs/IR.md, onnx/docs/ExternalData.md.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import Constant
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.onnx import PREFIX
from mlconv.exporters.onnx.check import check_graph
from mlconv.exporters.onnx.metadata import fill_metadata
from mlconv.exporters.onnx.names import Names, shared_folder
from mlconv.exporters.onnx.tensors import Initializer, whole
from mlconv.exporters.onnx.types import fill_attribute, fill_type
from mlconv.exporters.onnx.writing import PROTO_LIMIT, write_model
from mlconv.formats.protos import onnx_pb
from mlconv.importers.initial_state import STATE_KEY
from mlconv.ir.core import Block, Op, OpaqueOp, Value, Yield, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.equal_constants import EqualConstants
from mlconv.ir.module import Function, Module
from mlconv.provenance.locations import first_name

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import GraphProto, ModelProto, NodeProto

_IR_VERSIONS = ((28, 14), (25, 13), (24, 12), (23, 11), (21, 10), (19, 9), (0, 8))
"""The IR version that came with an operator set, from it on (onnx/docs/Versioning.md); 8 of what is older."""
_BORDERS = {"QuantizeLinear": "q", "DequantizeLinear": "d"}
"""Nodes that are no ops of the model, and names of their results: names and places of the ops around them say where
they are from.
"""
_OWN = frozenset({"opset_version", "region_names"})


def export(
    module: Module,
    path: Path | str,
    external_data: bool = False,
    state_defaults: bool = True,
    limit: int = PROTO_LIMIT,
) -> int:
    """Write the main function of `module` to `path`; returns the size in bytes, of both files where there are two.
    Raises ConversionError (TensorTooLarge, TargetLacksType, TargetLacksOp, ArtifactInvalid, OutputNotWritable).

    external_data: weights go to `path`.data, whatever their size.  state_defaults: inputs that are state need not be
    given to a first run: the graph has initializers of their names (onnx/docs/IR.md, graphs).
    """
    target = Path(path)
    if len(module.functions) > 1:
        names = ", ".join(f.signature for f in module.functions)
        raise ConversionError(
            Code.TargetLacksType,
            f"an ONNX model has one graph, the model has the signatures {names}",
            help="choose one with --signature NAME",
        )
    graph = Graph(module.main)
    if state_defaults:
        graph.initializers += [Initializer(s.input, s.initial) for s in module.main.facts.state.values()]
    model = graph.model()
    check_graph(model, graph.initializers)
    return write_model(model, graph.initializers, target, external_data, limit)


class Graph:
    """A function as a graph: messages of nodes, and initializers beside them."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.initializers: list[Initializer] = []
        self.domains: dict[str, int] = {"": 0}
        self._known: dict[Hashable, str] = {}
        self._equal = EqualConstants()
        ops = [op for op in walk(function.block) if not isinstance(op, Yield)]
        results = [(v, op) for op in ops for v in op.results]
        self._folder = shared_folder(
            {v.name for v, op in results if isinstance(op, OpaqueOp) and _is_named_after(v, op)}
        )
        self.names = Names({self._short(v, op) for v, op in results}, {first_name(op.location) for op in ops})
        self.proto: GraphProto = onnx_pb().GraphProto()
        self._fill()

    def model(self) -> ModelProto:
        """The model around the graph."""
        proto: ModelProto = onnx_pb().ModelProto()
        opset = self.domains[""] or 17
        proto.ir_version = next(ir for since, ir in _IR_VERSIONS if opset >= since)
        proto.producer_name = "mlconv"
        for domain, version in self.domains.items():
            proto.opset_import.add(domain=domain, version=version or opset)
        proto.graph.CopyFrom(self.proto)
        rows = [row._asdict() for row in self.function.facts.state_rows]
        if rows:
            proto.metadata_props.add(key=STATE_KEY, value=json.dumps(rows, separators=(",", ":")))
        return proto

    def _fill(self) -> None:
        function, proto = self.function, self.proto
        proto.name = function.name
        for value, name in zip(function.inputs, function.input_names, strict=True):
            self.names.bind(value, name)
            info = proto.input.add(name=name)
            fill_type(info.type, value.type, f"input {name}")
        for name in function.output_names:
            self.names.reserve(name)
        self.block(proto, function.block, function.output_names)
        for value, name in zip(function.outputs, function.output_names, strict=True):
            fill_type(proto.output.add(name=name).type, value.type, f"output {name}")

    def block(self, proto: GraphProto, block: Block, outputs: Sequence[str]) -> None:
        """The nodes of a block; its results are called `outputs`."""
        wanted: dict[Value, str] = {}
        for value, name in zip(block.outputs, outputs, strict=True):
            if isinstance(value.owner, OpaqueOp) and value.owner.block is block:
                wanted.setdefault(value, name)
        for op in block.ops:
            if isinstance(op, Constant):
                if not all(op.y in _own_constants(user) or _is_own_zero(op.y, user) for user in op.y.users):
                    self.initializer(op)
            elif not isinstance(op, Yield):
                self.node(proto, op, wanted)
        for value, name in zip(block.outputs, outputs, strict=True):
            if self.names[value] != name:
                identity = proto.node.add(op_type="Identity", name=self.names.unused(f"{name}/Identity", "node"))
                identity.input.append(self.names[value])
                identity.output.append(name)

    def initializer(self, op: Constant) -> None:
        """A constant of any block; equal ones once."""
        key = self._equal.number(op.value)
        known = self._known.get(key)
        if known is not None:
            self.names.bind(op.y, known)
            return
        base = op.y.name or "c"
        name = self._known[key] = self.names.fresh(op.y, base)
        self.initializers.append(Initializer(name, op.value))

    def own_initializer(self, proto: GraphProto, value: Value) -> str:
        """A constant in the graph of a region."""
        constant = const_of(value)
        assert constant is not None
        name = self.names.unused(value.name or "c")
        proto.initializer.add().CopyFrom(whole(constant, name))
        return name

    def operand(self, value: Value, op: Op) -> str:
        """The name of an operand.  Zero points of weights are no other's: ONNX Runtime, asked to take weights as uint8
        (`session.x64quantprecision`), changes both, and fails over one that is changed already.
        """
        constant = const_of(value)
        if constant is None or not _is_own_zero(value, op):
            return self.names[value]
        name = self.names.unused(value.name or "z")
        self.initializers.append(Initializer(name, constant))
        return name

    def node(self, proto: GraphProto, op: Op, wanted: dict[Value, str]) -> None:
        """An operator, with the graphs in it."""
        if not isinstance(op, OpaqueOp) or not op.name.startswith(PREFIX):
            raise ConversionError(Code.TargetLacksOp, f"{op.describe()} is not an ONNX op", location=op.location)
        node = proto.node.add()
        domain, _, node.op_type = op.name.removeprefix(PREFIX).rpartition(".")
        node.domain = domain
        self.domains[domain] = max(self.domains.get(domain, 0), int(op.attributes.get("opset_version", 0)))
        is_border = node.op_type in _BORDERS
        if not is_border:
            node.name = self.names.unused(first_name(op.location) or node.op_type, "node")
        own = _own_constants(op)
        for value in op.operands:
            if value is None:
                node.input.append("")
            else:
                node.input.append(self.own_initializer(proto, value) if value in own else self.operand(value, op))
        self._results(node, op, wanted)
        for name, value in op.attributes.items():
            if name not in _OWN:
                fill_attribute(node.attribute.add(), name, value)
        for name, region in zip(op.attributes.get("region_names", ()), op.regions, strict=True):
            self.subgraph(node, name, region.block)
        if not is_border:
            fill_metadata(node, op.location)
        for value in op.results if domain else ():  # onnx does not infer what it has no schema of
            if self.names[value] not in self.function.output_names:
                fill_type(proto.value_info.add(name=self.names[value]).type, value.type, f"a result of {node.name}")

    def _results(self, node: NodeProto, op: Op, wanted: dict[Value, str]) -> None:
        for i, value in enumerate(op.results):
            if value in wanted:
                node.output.append(self.names.bind(value, wanted[value]))
            else:
                base = self._short(value, op) or _BORDERS.get(node.op_type) or f"{node.op_type}{i or ''}"
                node.output.append(self.names.fresh(value, base))

    def _short(self, value: Value, op: Op) -> str:
        """A value's name.  One that is its node's, as TensorFlow's are, leaves out the folder that all of these share:
        the node says it.
        """
        return value.name.removeprefix(self._folder) if _is_named_after(value, op) else value.name

    def subgraph(self, node: NodeProto, name: str, block: Block) -> None:
        """A region as an attribute."""
        attribute = node.attribute.add(name=name, type=onnx_pb().AttributeProto.GRAPH)
        graph = attribute.g
        graph.name = f"{node.name}/{name}"
        for i, value in enumerate(block.arguments):
            info = graph.input.add(name=self.names.fresh(value, value.name or f"{graph.name}/in{i}"))
            fill_type(info.type, value.type, f"an input of {graph.name}")
        outputs = [self.names.unused(f"{graph.name}/out{i}") for i in range(len(block.outputs))]
        self.block(graph, block, outputs)
        for value, output in zip(block.outputs, outputs, strict=True):
            fill_type(graph.output.add(name=output).type, value.type, f"an output of {graph.name}")


def _own_constants(op: Op) -> tuple[Value, ...]:
    """Constants of a DequantizeLinear of weights, turned or not, in a region.  A table that rows are looked up in may
    be that of other graphs.
    """
    if op.name != f"{PREFIX}DequantizeLinear" or op.block is None or op.block.parent is None:
        return ()
    stored, *others = op.operands
    maker = None if stored is None else stored.producer
    turned = maker is not None and maker.name == f"{PREFIX}Transpose" and const_of(maker.operands[0]) is not None
    if const_of(stored) is None and not turned:
        return ()
    is_table = all(user.name == f"{PREFIX}Gather" for user in op.results[0].users)
    return tuple(v for v in (None if is_table else stored, *others) if v is not None and const_of(v) is not None)


def _is_named_after(value: Value, op: Op) -> bool:
    """The value has its node's name, perhaps with the number of the result."""
    return bool(value.name) and value.name.partition(":")[0] == first_name(op.location)


def _is_own_zero(value: Value, op: Op) -> bool:
    """Zero points of stored weights of 8 bits, and nothing else of the same op."""
    if op.name != f"{PREFIX}DequantizeLinear" or len(op.operands) < 3 or value in _own_constants(op):
        return False
    stored = const_of(op.operands[0])
    bytes_ = stored is not None and stored.dtype in (DType.I8, DType.U8)
    return bytes_ and op.operands[2] is value and value not in op.operands[:2]
