"""What the nodes and tensors of an ONNX message are, counted without an op being made.

Functions of the model are counted as inlining would have them: their ops once for each call, and their constants once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from mlconv.diagnostics import ConversionError
from mlconv.dialects.onnx import op_name
from mlconv.dialects.onnx_types import DTYPES
from mlconv.formats import wire
from mlconv.importers.onnx.calls import MAX_CALLS, MAX_OPS, Key, key_of
from mlconv.importers.onnx.external import ExternalFiles
from mlconv.importers.onnx.fields import DOUBLE, FIELDS, FLOAT, INT32, RAW, TYPED, text
from mlconv.importers.onnx.message import OnnxMessage, checked_opsets
from mlconv.importers.onnx.nodes import free_names, subgraphs
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto

_TENSOR, _EXTERNAL = 4, 1
_OTHERS = frozenset({9, 11, 12})  # attributes of several tensors, or of sparse ones
_HELD = _OTHERS | {_TENSOR, 5, 10}  # attributes of tensors and of graphs


class UnclearError(Exception):
    """Only reading all of the model tells."""


class _Node(NamedTuple):
    """A node with the names that it, and its subgraphs, read, and those that it makes."""

    proto: NodeProto
    reads: list[str]
    makes: list[str]
    has_graphs: bool
    call: Key | None


class _Place(NamedTuple):
    """Where a graph is.  chain: the functions around it; opsets: the operator sets that hold; absent: names of inputs
    that a call leaves out; part: which function, and which graph of it.
    """

    chain: tuple[Key, ...]
    opsets: Mapping[str, int]
    absent: frozenset[str] = frozenset()
    part: tuple[object, ...] = ()


class _Counts(NamedTuple):
    """ops: of each kind, by its name; nodes: those that outputs do not need, too."""

    ops: Counter[str]
    nodes: int


class Survey:
    """Counts of one model."""

    def __init__(self, message: OnnxMessage, external: ExternalFiles) -> None:
        self.message, self.external = message, external
        self.functions = {key_of(f.domain, f.name, f.overload): f for f in message.model.functions}
        self.called: dict[tuple[object, ...], _Counts] = {}
        self.counted: set[tuple[object, ...]] = set()
        self.mapped: set[tuple[str, int, int, DType]] = set()
        self.sizes: dict[tuple[int, ...], tuple[DType, int]] = {}
        self.parameters = self.parameter_bytes = 0

    def ops(self) -> Counter[str]:
        """How many of each kind the outputs of the model need, by names; tensors are counted meanwhile."""
        graph = self.message.model.graph
        found = self._graph(graph, set(), _Place((), self.message.opsets), keep_all=False)
        if self.functions and found.nodes > MAX_OPS:
            raise UnclearError
        return found.ops

    def _graph(self, graph: GraphProto, around: set[str], place: _Place, keep_all: bool) -> _Counts:
        """Count what the outputs need.  around: names of what surrounds it.  keep_all: of constants too that nothing
        reads, as subgraphs keep them.
        """
        if graph.sparse_initializer:
            raise UnclearError
        weights = {t.name: t for t in graph.initializer}
        inputs = {v.name for v in graph.input}
        if len(weights) != len(graph.initializer) or len(inputs) != len(graph.input):
            raise UnclearError
        wanted = {v.name for v in graph.output}
        found = self._nodes(graph.node, inputs | weights.keys(), around, wanted, place)
        for name, tensor in weights.items():
            if (keep_all or name in wanted) and self._is_new(place, name):
                self._tensor(tensor)
        return found

    def _nodes(
        self, protos: Iterable[NodeProto], known: set[str], around: set[str], wanted: set[str], place: _Place
    ) -> _Counts:
        """Count nodes that make what is wanted, to which what they read is added."""
        nodes = []
        for proto in protos:
            node = self._node(proto)
            if not known.issuperset(node.reads) and not all(n in known or n in around for n in node.reads):
                raise UnclearError
            if not known.isdisjoint(node.makes) or len(set(node.makes)) != len(node.makes):
                raise UnclearError
            known.update(node.makes)
            nodes.append(node)
        if not all(n in known or n in around for n in wanted) or not wanted.isdisjoint(place.absent):
            raise UnclearError
        kinds: Counter[tuple[str, str]] = Counter()
        ops: Counter[str] = Counter()
        total = 0
        for index, node in zip(range(len(nodes) - 1, -1, -1), reversed(nodes), strict=True):
            if wanted.isdisjoint(node.makes):
                if self.functions and (node.call is not None or node.has_graphs):
                    raise UnclearError
                total += 1
                continue
            wanted.update(node.reads)
            part = place._replace(part=(*place.part, index)) if place.part else place
            if node.call is None:
                kinds[node.proto.domain, node.proto.op_type] += 1
                inner = self._inside(node, known | around if node.has_graphs else known, part)
            else:
                inner = [self._call(node.proto, node.call, part)]
            for one in inner:
                ops.update(one.ops)
            total += (node.call is None) + sum(one.nodes for one in inner)
        return _Counts(ops + _named(kinds, place.opsets), total)

    def _node(self, proto: NodeProto) -> _Node:
        has_graphs = bool(proto.attribute) and any(True for _ in subgraphs(proto))
        reads = [n for n in proto.input if n]
        if has_graphs:
            reads += [name for inner in subgraphs(proto) for name in free_names(inner)]
        call = key_of(proto.domain, proto.op_type, proto.overload) if self.functions else None
        return _Node(proto, reads, [n for n in proto.output if n], has_graphs, call if call in self.functions else None)

    def _inside(self, node: _Node, around: set[str], place: _Place) -> list[_Counts]:
        """Count the tensors of a node, and what its subgraphs hold."""
        for attribute in node.proto.attribute:
            if place.chain and attribute.ref_attr_name and attribute.type in _HELD:
                raise UnclearError
            if attribute.type == _TENSOR and self._is_new(place, attribute.name):
                self._tensor(attribute.t)
            elif attribute.type in _OTHERS or not attribute.type:
                raise UnclearError
        if not node.has_graphs:
            return []
        return [
            self._graph(inner, around, place._replace(part=(*place.part, i)) if place.part else place, keep_all=True)
            for i, inner in enumerate(subgraphs(node.proto))
        ]

    def _call(self, proto: NodeProto, key: Key, place: _Place) -> _Counts:
        """Count what inlining a function makes."""
        function = self.functions[key]
        left_out = place.absent.union(("",))
        absent = frozenset(i for i, n in enumerate(proto.input) if n in left_out)
        known = key, len(proto.input), len(proto.output), absent, tuple(place.opsets.items())
        if key in place.chain or len(place.chain) >= MAX_CALLS or not _is_plain(proto, function):
            raise UnclearError
        if known not in self.called:
            try:
                opsets = checked_opsets(function.opset_import) if len(function.opset_import) else place.opsets
            except ConversionError as error:
                raise UnclearError from error
            names = list(function.input)
            if len(set(names)) < len(names):
                raise UnclearError
            missing = frozenset(n for i, n in enumerate(names) if i in absent or i >= len(proto.input))
            inside = _Place((*place.chain, key), opsets, missing, (key,))
            wanted = set(function.output[: len(proto.output)])
            self.called[known] = self._nodes(function.node, set(names), set(), wanted, inside)
        return self.called[known]

    def _is_new(self, place: _Place, name: str) -> bool:
        """Whether what a place holds was not counted for another call."""
        if not place.part:
            return True
        key = *place.part, name
        is_new = key not in self.counted
        self.counted.add(key)
        return is_new

    def _tensor(self, tensor: TensorProto) -> None:
        """Its size, where its data have that."""
        key = tensor.data_type, *tensor.dims
        known = self.sizes.get(key)
        if known is None:
            dtype = DTYPES.get(tensor.data_type)
            if dtype is None or dtype is DType.STRING or any(d < 0 for d in tensor.dims):
                raise UnclearError
            known = self.sizes[key] = dtype, math.prod(tensor.dims)
        dtype, count = known
        if tensor.data_location == _EXTERNAL:
            if self._is_known(tensor, dtype, count):
                return
        elif not self._is_whole(tensor, dtype, count):
            raise UnclearError
        self.parameters += count
        self.parameter_bytes += count * dtype.itemsize

    def _is_known(self, tensor: TensorProto, dtype: DType, count: int) -> bool:
        """Whether another tensor is the same range of a file: it counts once.  Bits are unpacked, each for itself."""
        found = self.external.find({text(e.key): text(e.value) for e in tensor.external_data}, text(tensor.name))
        need = dtype.packed_bytes(count)
        if found.nbytes not in (None, need) or found.offset + need > found.file_bytes:
            raise UnclearError
        key = found.path, found.offset, count, dtype
        is_known = key in self.mapped and dtype.bits >= 8 and dtype is not DType.BOOL
        self.mapped.add(key)
        return is_known

    def _is_whole(self, tensor: TensorProto, dtype: DType, count: int) -> bool:
        """Whether as much data are stored as its dims say; not of those that only reading all of them tells."""
        need = dtype.packed_bytes(count)
        if tensor.HasField("raw_data"):
            return len(tensor.raw_data) == need
        payloads = wire.payloads_of(tensor, self.message.reduced)
        number = TYPED.get(dtype, INT32)
        if payloads:
            payload = payloads.get(RAW, payloads.get(number) if number in (FLOAT, DOUBLE) else None)
            return payload is not None and payload.nbytes == need
        stored = len(getattr(tensor, FIELDS[number]))
        return stored == (need if dtype.bits < 8 else count * (2 if dtype.is_complex else 1))


def _is_plain(proto: NodeProto, function: FunctionProto) -> bool:
    """A call that fits its function, and gives it no tensors and graphs as attributes."""
    attributes: list[AttributeProto] = [*proto.attribute, *function.attribute_proto]
    return (
        len(proto.input) <= len(function.input)
        and len(proto.output) <= len(function.output)
        and not any(a.type in _HELD or not a.type for a in attributes)
    )


def _named(kinds: Mapping[tuple[str, str], int], opsets: Mapping[str, int]) -> Counter[str]:
    """Counts of nodes by the names of their ops; of constants none."""
    found: Counter[str] = Counter()
    for (domain, kind), count in kinds.items():
        plain, op = text(domain), text(kind)
        plain = "" if plain == "ai.onnx" else plain
        if not plain and "" not in opsets:
            raise UnclearError
        if op != "Constant" or plain:
            found[op_name(plain, op)] += count
    return found
