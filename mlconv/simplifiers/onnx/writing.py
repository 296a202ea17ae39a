"""Graphs that were rewritten back to messages, and to a file.

Tensors that nothing changed are written as the file has them: their data are copied, in whatever field they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlconv.exporters.onnx.tensors import Initializer, Stored, raw_blocks, whole
from mlconv.exporters.onnx.types import fill_type
from mlconv.exporters.onnx.writing import framed, write_model
from mlconv.formats import wire
from mlconv.formats.protos import onnx_pb
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.read import OnnxFile
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.simplifiers.onnx.graph import Graph, Node, Tensor
from mlconv.simplifiers.onnx.names import restore

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import GraphProto, ModelProto, NodeProto, TensorProto

_EXTERNAL = 1
_MOST_VARINTS = 1 << 12


@dataclass(slots=True)
class Kept:
    """An initializer as the file has it.  proto: without its data.  constant: of data in a file beside."""

    proto: TensorProto
    payload: wire.Payload | None
    file: OnnxFile
    constant: Const | None
    offset: int = -1

    @property
    def nbytes(self) -> int:
        if self.constant is not None:
            return self.constant.dtype.packed_bytes(self.constant.size)
        return 0  # what stood in the model stays in it

    def head(self, location: str) -> bytes:
        """The message without data that are streamed."""
        if self.constant is None:
            data: bytes = self.proto.SerializeToString(deterministic=True)
            return data if self.payload is None else data + _frame(self.payload.number, self.payload.nbytes)
        proto = onnx_pb().TensorProto()
        proto.CopyFrom(self.proto)
        del proto.external_data[:]
        if self.offset < 0:
            proto.ClearField("data_location")
            data = proto.SerializeToString(deterministic=True)
            return data + _frame(9, self.nbytes)
        for key, value in (("location", location), ("offset", self.offset), ("length", self.nbytes)):
            proto.external_data.add(key=key, value=str(value))
        data = proto.SerializeToString(deterministic=True)
        return data

    def size(self, location: str) -> int:
        """Bytes of the message."""
        streamed = self.nbytes if self.offset < 0 else 0
        return len(self.head(location)) + (streamed if self.payload is None else self.payload.nbytes)

    def pieces(self, location: str) -> Iterator[memoryview | bytes]:
        """The message, its data streamed."""
        yield self.head(location)
        if self.payload is not None:
            yield _payload(self.file, self.payload)
        elif self.offset < 0:
            yield from self.data()

    def data(self) -> Iterable[memoryview | bytes]:
        """What the file beside has of it."""
        return () if self.constant is None else raw_blocks(self.constant)


def _frame(number: int, nbytes: int) -> bytes:
    return wire.tag(number) + wire.varint_bytes(nbytes)


def _payload(file: OnnxFile, payload: wire.Payload) -> memoryview:
    source = file.tensors.file
    data = memoryview(source.map() if source is not None else b"")
    return data[payload.offset : payload.offset + payload.nbytes]


def _payload_of(tensor: TensorProto, file: OnnxFile) -> wire.Payload | None:
    found = wire.payloads_of(tensor, file.tensors.reduced)
    return next(iter(found.values()), None)


def _bare(tensor: TensorProto, name: str) -> TensorProto:
    """A message without what stands for data that were cut out, under a name."""
    proto: TensorProto = onnx_pb().TensorProto()
    proto.CopyFrom(tensor)
    proto.DiscardUnknownFields()
    proto.name = name
    return proto


def stored(name: str, tensor: Tensor, file: OnnxFile) -> Stored:
    """An initializer of the main graph, as it is written."""
    if tensor.proto is None:
        return new_constant(name, tensor.constant)
    payload = _payload_of(tensor.proto, file)
    is_outside = tensor.proto.data_location == _EXTERNAL
    return Kept(_bare(tensor.proto, name), payload, file, file.tensors.read(tensor.proto, name) if is_outside else None)


def new_constant(name: str, constant: Const | None) -> Stored:
    """Integers of few bits are shorter as varints than as 8 bytes each."""
    if constant is None:
        raise ValueError(f"{name} has no value")
    if constant.dtype is DType.I64 and constant.size <= _MOST_VARINTS:
        numbers = [int(i) for i in constant.view().reshape(-1)]
        proto: TensorProto = onnx_pb().TensorProto(name=name, data_type=7, dims=constant.shape)
        proto.int64_data.extend(numbers)
        if numbers and proto.ByteSize() < whole(constant, name).ByteSize():
            return _Whole(proto)
    return Initializer(name, constant)


@dataclass(slots=True)
class _Whole:
    """A small message that is written as it is."""

    proto: TensorProto
    offset: int = -1

    @property
    def nbytes(self) -> int:
        return 0

    def size(self, location: str) -> int:
        return self.proto.ByteSize()

    def pieces(self, location: str) -> Iterator[bytes]:
        yield self.proto.SerializeToString(deterministic=True)

    def data(self) -> Iterable[bytes]:
        return ()


def _message(name: str, tensor: Tensor, file: OnnxFile) -> TensorProto:
    """An initializer of a subgraph, with its data."""
    proto: TensorProto = onnx_pb().TensorProto()
    proto.MergeFromString(b"".join(bytes(p) for p in stored(name, tensor, file).pieces("")))
    return proto


@dataclass(slots=True)
class Finished:
    """A model that can be written.  outside: weights of the source are in files beside it."""

    model: ModelProto
    initializers: list[Stored]
    outside: bool

    def size(self) -> int:
        """Bytes, without those that align weights in a file beside."""
        return self.model.ByteSize() + sum(framed(each, "") for each in self.initializers)

    def write(self, target: Path) -> int:
        """Raises ConversionError."""
        return write_model(self.model, self.initializers, target, self.outside)


def finish(g: Graph, types: dict[str, TensorType]) -> Finished:
    """The model of a main graph.  types: of inputs whose sizes were pinned."""
    file = g.model.file
    model: ModelProto = onnx_pb().ModelProto()
    model.CopyFrom(file.model)
    model.ClearField("graph")
    for function in model.functions:
        for node in function.node:
            _restore(node, file)
    names = [n for n in g.tensors if g.uses[n] > 0 or n in g.model.overridable]
    model.graph.CopyFrom(_message_of(g))
    restore(model.graph, g.model.originals, frozenset(names))
    _list_inputs(g, model.graph, names, types)
    kept = [stored(name, g.tensors[name], file) for name in names]
    outside = any(isinstance(k, Kept) and k.constant is not None for k in kept)
    return Finished(model, kept, outside)


def _message_of(g: Graph) -> GraphProto:
    """A graph with its nodes; that of the model without initializers."""
    file = g.model.file
    proto: GraphProto = onnx_pb().GraphProto()
    proto.CopyFrom(g.proto)
    for field in ("node", "initializer", "value_info", "sparse_initializer"):
        proto.ClearField(field)
    proto.node.extend(_node(g, n) for n in g.nodes)
    _name_apart(proto, g)
    stated = (g.made.keys() - set(g.outputs)) - g.model.restated
    proto.value_info.extend(v for v in g.infos if text(v.name) in stated)
    for name, sparse in g.sparse.items():
        if g.uses[name]:
            made = proto.sparse_initializer.add()
            made.CopyFrom(sparse)
            for part in (made.values, made.indices):
                part.CopyFrom(_message(text(part.name), Tensor(None, part), file))
    if g.parent is not None:
        for name, tensor in g.tensors.items():
            if g.uses[name]:
                proto.initializer.add().CopyFrom(_message(name, tensor, file))
        for info, name in zip(proto.output, g.outputs, strict=True):
            info.name = name
    known = {*g.made, *g.tensors, *g.inputs}
    notes = [a for a in proto.quantization_annotation if text(a.tensor_name) in known]
    if len(notes) < len(proto.quantization_annotation):
        proto.ClearField("quantization_annotation")
        proto.quantization_annotation.extend(notes)
    return proto


def _name_apart(proto: GraphProto, g: Graph) -> None:
    """Nodes that were made of one have its name: the first keeps it."""
    new = {i for i, n in enumerate(g.nodes) if n.made}
    taken = {node.name for i, node in enumerate(proto.node) if i not in new}
    for i in sorted(new):
        node = proto.node[i]
        base, k = node.name, 1
        while node.name and node.name in taken:
            node.name = f"{base}/{node.op_type}" if k == 1 else f"{base}/{node.op_type}_{k}"
            k += 1
        taken.add(node.name)


def _node(g: Graph, n: Node) -> NodeProto:
    proto: NodeProto = onnx_pb().NodeProto()
    proto.CopyFrom(n.proto)
    del proto.input[:], proto.output[:]
    proto.input.extend(n.inputs)
    proto.output.extend(n.outputs)
    _restore(proto, g.model.file)
    for a in proto.attribute:
        for k, graph in enumerate(n.graphs.get(a.name, ())):
            (a.g if a.HasField("g") else a.graphs[k]).CopyFrom(_message_of(graph))
    return proto


def _restore(node: NodeProto, file: OnnxFile) -> None:
    """Give tensors among a node's attributes their data back; also in subgraphs of functions."""
    for a in node.attribute:
        sparse = [*([a.sparse_tensor] if a.HasField("sparse_tensor") else []), *a.sparse_tensors]
        single = [a.t] if a.HasField("t") else []
        for t in (*single, *a.tensors, *(s.values for s in sparse), *(s.indices for s in sparse)):
            if _payload_of(t, file) is not None:
                t.CopyFrom(_message(text(t.name), Tensor(None, t), file))
        for graph in [a.g] if a.HasField("g") else list(a.graphs):
            for t in graph.initializer:
                if _payload_of(t, file) is not None:
                    t.CopyFrom(_message(text(t.name), Tensor(None, t), file))
            for inner in graph.node:
                _restore(inner, file)


def _list_inputs(g: Graph, proto: GraphProto, names: list[str], types: dict[str, TensorType]) -> None:
    """Inputs as they were, with pinned sizes; before IR version 4, initializers are listed among them."""
    gone = {text(t.name) for t in g.proto.initializer} - set(names)
    kept = [v for v in proto.input if text(v.name) not in gone]
    if len(kept) < len(proto.input):
        proto.ClearField("input")
        proto.input.extend(kept)
    if g.model.listed:
        have = {text(v.name) for v in kept}
        for name in names:
            type_ = g.type_of(name)
            if name not in have and type_ is not None:
                fill_type(proto.input.add(name=name).type, type_, name)
    for info in proto.input:
        if text(info.name) in types:
            info.type.Clear()
            fill_type(info.type, types[text(info.name)], text(info.name))
