"""Modules of TensorFlow's ops to files.

A SavedModel has one meta graph, as TensorFlow 1 writes it: a graph, its variables with the ops that restore and save
them, and a signature for each function.  A frozen graph is a function with all constants in it.  Nodes are protobuf
messages; large constants of a frozen graph are framed by hand and streamed.  Sources: saved_model.proto,
meta_graph.proto, saver.proto, variable.proto, graph.proto.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tf_table import RELEASE
from mlconv.exporters.savedmodel.bundle import write_bundle
from mlconv.exporters.savedmodel.graph import Interface, Scope, Shared, Weights
from mlconv.exporters.savedmodel.messages import ConstNode, fill_shape, framed, number_of
from mlconv.exporters.savedmodel.names import Names
from mlconv.exporters.savedmodel.saver import add_saver
from mlconv.formats.atomic import replacing, write_pieces
from mlconv.formats.protos import tf_pb
from mlconv.ir.module import Function, Module

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import GraphDef, MetaGraphDef, NodeDef

PROTO_LIMIT = (1 << 31) - (1 << 20)
PRODUCER = 2000
"""The version of the graph: a recent one, since which no op of these has changed (tensorflow/core/public/version.h)."""
_NODE = 1


def export_graph_def(module: Module, path: Path | str, limit: int = PROTO_LIMIT) -> int:
    """Write the main function of `module` as a frozen graph; returns the size in bytes.

    Raises ConversionError: TargetLacksType for several signatures and for types that TensorFlow has no tensors of,
    TargetLacksOp for other ops, TensorTooLarge above `limit` bytes.
    """
    if len(module.functions) > 1:
        names = ", ".join(f.signature for f in module.functions)
        raise ConversionError(
            Code.TargetLacksType,
            f"a frozen graph has no signatures, the model has {names}",
            help="choose one with --signature NAME, or write a SavedModel",
        )
    shared = Shared(None)
    scope = Scope(shared, Names())
    Interface(scope, module.main)
    rest = _graph([], shared)
    rest.debug_info.CopyFrom(shared.debug.proto)
    tail = rest.SerializeToString(deterministic=True)
    total = len(tail) + sum(_framed_size(node) for node in scope.nodes)
    if total > limit:
        raise ConversionError(
            Code.TensorTooLarge,
            f"the graph takes {total} bytes, and a protobuf message holds at most 2 GB",
            help="write a SavedModel, whose variables lie in files of their own: --to savedmodel",
        )
    with replacing(Path(path)) as out:
        write_pieces(out, _pieces(scope.nodes))
        out.write(tail)
    return total


def _framed_size(node: NodeDef | ConstNode) -> int:
    size = node.size() if isinstance(node, ConstNode) else node.ByteSize()
    return len(framed(_NODE, size)) + size


def _pieces(nodes: Sequence[NodeDef | ConstNode]) -> Iterator[bytes | memoryview]:
    for node in nodes:
        if isinstance(node, ConstNode):
            yield framed(_NODE, node.size())
            yield from node.pieces()
        else:
            data = node.SerializeToString(deterministic=True)
            yield framed(_NODE, len(data)) + data


def _graph(nodes: Sequence[NodeDef], shared: Shared) -> GraphDef:
    proto: GraphDef = tf_pb("framework.graph_pb2").GraphDef()
    proto.node.extend(nodes)
    proto.library.SetInParent()
    proto.library.function.extend(shared.library)
    proto.versions.producer = PRODUCER
    return proto


def export_saved_model(module: Module, path: Path | str) -> int:
    """Write the functions of `module` as signatures of a SavedModel folder; returns the size of its files in bytes.

    Raises ConversionError: TargetLacksType for types that TensorFlow has no tensors of, TargetLacksOp for other ops,
    TensorTooLarge for a graph above 2 GB.
    """
    names = Names()
    weights = Weights(names)
    shared = Shared(weights)
    main = Scope(shared, names)
    meta: MetaGraphDef = tf_pb("protobuf.meta_graph_pb2").MetaGraphDef()
    ends = []
    for function in module.functions:
        for name, constant in function.facts.variables.items():
            weights.add(name, constant)
    for function in module.functions:
        prefix = f"{function.signature}/" if len(module.functions) > 1 else ""
        scope = Scope(shared, names, prefix=prefix)
        ends.append((function, Interface(scope, function)))
        main.nodes.extend(scope.nodes)
    add_saver(main, weights, meta)
    for function, interface in ends:
        _add_signature(meta, function, interface)
    meta.meta_info_def.tags.append("serve")
    meta.meta_info_def.tensorflow_version = RELEASE.removeprefix("TensorFlow ")
    meta.graph_def.CopyFrom(_graph(main.messages(), shared))
    return _write(Path(path), meta, shared, weights)


def _add_signature(meta: MetaGraphDef, function: Function, interface: Interface) -> None:
    signature = meta.signature_def[function.signature]
    signature.method_name = "tensorflow/serving/predict"
    for ends, tensors in ((signature.inputs, interface.inputs), (signature.outputs, interface.outputs)):
        for name, (tensor, type_) in tensors.items():
            info = ends[name]
            info.name, info.dtype = tensor, number_of(type_, name)
            fill_shape(info.tensor_shape, type_.shape)


def _write(folder: Path, meta: MetaGraphDef, shared: Shared, weights: Weights) -> int:
    proto = tf_pb("protobuf.saved_model_pb2").SavedModel(saved_model_schema_version=1)
    proto.meta_graphs.append(meta)
    size: int = proto.ByteSize()
    if size > PROTO_LIMIT:
        raise ConversionError(
            Code.TensorTooLarge, f"the graph takes {size} bytes, and a protobuf message holds at most 2 GB"
        )
    for part in ("", "variables", "debug"):
        if part != "variables" or weights.constants:
            _make(folder / part)
    if weights.constants:
        size += write_bundle(folder / "variables" / "variables", weights.constants)
    debug = shared.debug.proto.SerializeToString(deterministic=True)
    for path, data in (
        (folder / "debug" / "saved_model_debug_info.pb", debug),
        (folder / "saved_model.pb", proto.SerializeToString(deterministic=True)),
    ):
        with replacing(path) as out:
            out.write(data)
    return size + len(debug)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as e:
        raise ConversionError(Code.OutputNotWritable, f"cannot write {folder.name}: {e.strerror}") from e
