"""The inputs, outputs, kinds of ops and weights of an ONNX file, from its message alone: no op is made, and numpy is
not loaded.

It says what the importer's module would; of a model that this cannot be said of so simply, nothing.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from mlconv.dialects.onnx import op_name
from mlconv.dialects.onnx_types import DTYPES
from mlconv.formats import wire
from mlconv.formats.files import map_file
from mlconv.importers.about import About
from mlconv.importers.onnx.external import ExternalFiles
from mlconv.importers.onnx.fields import DOUBLE, FIELDS, FLOAT, INT32, RAW, TYPED, text
from mlconv.importers.onnx.message import OnnxMessage, read_message
from mlconv.importers.onnx.nodes import free_names, subgraphs
from mlconv.importers.onnx.types import type_of
from mlconv.importers.summary import Summary
from mlconv.ir.dtypes import DType
from mlconv.ir.types import Type

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto

    from mlconv.importers.format import LoadRequest

_TENSOR, _EXTERNAL = 4, 1
_WHOLE = 1 << 25  # bytes of a file whose parsing takes less than cutting it does
_OTHERS = frozenset({9, 11, 12})  # attributes of several tensors, or of sparse ones


class _UnclearError(Exception):
    """Only reading all of the model tells."""


def summary_of(path: str, request: LoadRequest) -> Summary | None:
    """None where the importer has to tell: of what is wrong, and of functions of the model, say.  Raises
    ConversionError for a file that is damaged.
    """
    try:
        message = read_message(path, partial(map_file, path), _WHOLE)
        if message.model.functions:
            return None
        return _Survey(path, message, request).summary()
    except (_UnclearError, OSError, ValueError):
        return None


class _Survey:
    """Counts of one model."""

    def __init__(self, path: str, message: OnnxMessage, request: LoadRequest) -> None:
        self.path, self.message = path, message
        folder = os.path.dirname(os.path.abspath(path))
        self.external = ExternalFiles(folder, request.linked_data, request.opened)
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.sizes: dict[tuple[int, ...], tuple[DType, int]] = {}
        self.parameters = self.parameter_bytes = 0

    def summary(self) -> Summary:
        graph = self.message.model.graph
        weights = {t.name for t in graph.initializer}
        own = [v for v in graph.input if v.name not in weights]
        inputs, outputs = _types(own), _types(graph.output)
        if not outputs:
            raise _UnclearError
        self._graph(graph, set(), [v.name for v in graph.output], keep_all=False)
        return Summary(
            source_facts(self.path, self.message.model, self.message.opsets),
            inputs,
            outputs,
            self._ops(),
            self.parameters,
            self.parameter_bytes,
            self.external.paths(),
            about(self.message.model),
        )

    def _graph(self, graph: GraphProto, around: set[str], outputs: Iterable[str], keep_all: bool) -> None:
        """Count what the outputs need.  around: names of what surrounds it.  keep_all: of constants too that nothing
        reads, as subgraphs keep them.
        """
        if graph.sparse_initializer:
            raise _UnclearError
        weights = {t.name: t for t in graph.initializer}
        inputs = {v.name for v in graph.input}
        known = inputs | weights.keys()
        if len(weights) != len(graph.initializer) or len(inputs) != len(graph.input):
            raise _UnclearError
        nodes = []
        for proto in graph.node:
            has_graphs = bool(proto.attribute) and any(True for _ in subgraphs(proto))
            reads = [n for n in proto.input if n]
            if has_graphs:
                reads += [name for inner in subgraphs(proto) for name in free_names(inner)]
            makes = [n for n in proto.output if n]
            if not known.issuperset(reads) and not all(n in known or n in around for n in reads):
                raise _UnclearError
            if not known.isdisjoint(makes) or len(set(makes)) != len(makes):
                raise _UnclearError
            known.update(makes)
            nodes.append((proto, reads, makes, has_graphs))
        wanted = set(outputs)
        if not all(n in known or n in around for n in wanted):
            raise _UnclearError
        for proto, reads, makes, has_graphs in reversed(nodes):
            if not wanted.isdisjoint(makes):
                wanted.update(reads)
                self._node(proto)
                for inner in subgraphs(proto) if has_graphs else ():
                    self._graph(inner, known | around, [v.name for v in inner.output], keep_all=True)
        for name, tensor in weights.items():
            if keep_all or name in wanted:
                self._tensor(tensor)

    def _node(self, proto: NodeProto) -> None:
        self.kinds[proto.domain, proto.op_type] += 1
        for attribute in proto.attribute:
            if attribute.type == _TENSOR:
                self._tensor(attribute.t)
            elif attribute.type in _OTHERS or not attribute.type:
                raise _UnclearError

    def _ops(self) -> Counter[str]:
        """How many of each kind, by its name."""
        found: Counter[str] = Counter()
        for (domain, kind), count in self.kinds.items():
            plain, op = text(domain), text(kind)
            plain = "" if plain == "ai.onnx" else plain
            if not plain and "" not in self.message.opsets:
                raise _UnclearError
            if op != "Constant" or plain:
                found[op_name(plain, op)] += count
        return found

    def _tensor(self, tensor: TensorProto) -> None:
        """Its size, where its data have that."""
        key = tensor.data_type, *tensor.dims
        known = self.sizes.get(key)
        if known is None:
            dtype = DTYPES.get(tensor.data_type)
            if dtype is None or dtype is DType.STRING or any(d < 0 for d in tensor.dims):
                raise _UnclearError
            known = self.sizes[key] = dtype, math.prod(tensor.dims)
        dtype, count = known
        if not self._is_whole(tensor, dtype, count):
            raise _UnclearError
        self.parameters += count
        self.parameter_bytes += count * dtype.itemsize

    def _is_whole(self, tensor: TensorProto, dtype: DType, count: int) -> bool:
        """Whether as much data are stored as its dims say; not of those that only reading all of them tells."""
        need = dtype.packed_bytes(count)
        if tensor.data_location == _EXTERNAL:
            entries = {text(e.key): text(e.value) for e in tensor.external_data}
            found = self.external.find(entries, text(tensor.name))
            have = need if found.nbytes is None else found.nbytes
            return have == need and found.offset + need <= found.file_bytes
        if tensor.HasField("raw_data"):
            return len(tensor.raw_data) == need
        payloads = wire.payloads_of(tensor, self.message.reduced)
        number = TYPED.get(dtype, INT32)
        if payloads:
            payload = payloads.get(RAW, payloads.get(number) if number in (FLOAT, DOUBLE) else None)
            return payload is not None and payload.nbytes == need
        stored = len(getattr(tensor, FIELDS[number]))
        return stored == (need if dtype.bits < 8 else count * (2 if dtype.is_complex else 1))


def about_onnx(path: str) -> About:
    """Raises ConversionError for a file that cannot be read."""
    return about(read_message(path, partial(map_file, path), _WHOLE).model)


def about(model: ModelProto) -> About:
    """What a model says of itself: `metadata_props` by their keys, and fields that are set."""
    graph = model.graph
    fields = {
        "graph": text(graph.name),
        "domain": text(model.domain),
        "model_version": int(model.model_version),
        "doc_string": text(model.doc_string) or text(graph.doc_string),
        "functions": len(model.functions),
    }
    metadata: dict[str, object] = {name: value for name, value in fields.items() if value}
    metadata.update((text(p.key), text(p.value)) for p in model.metadata_props)
    return {"signatures": [], "metadata": metadata}


def _types(infos: Iterable[ValueInfoProto]) -> list[tuple[str, Type]]:
    found = []
    for info in infos:
        name = text(info.name)
        t = type_of(info.type, name, anonymous=True)
        if t is None:
            raise _UnclearError
        found.append((name, t))
    return found


def source_facts(path: str, model: ModelProto, opsets: Mapping[str, int]) -> dict[str, object]:
    """Where a model came from."""
    return {
        "path": path,
        "format": "onnx",
        "producer": f"{text(model.producer_name)} {text(model.producer_version)}".strip(),
        "ir_version": int(model.ir_version),
        "opset": opsets.get("", 1),
        "opsets": dict(opsets),
    }
