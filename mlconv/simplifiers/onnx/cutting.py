"""Models without the nodes that no runtime here knows: what these read are outputs, and what they give inputs.

Two models that have the same such nodes are made comparable so.  Of a result whose type nobody states, nothing that
depends on it is run either.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mlconv.exporters.onnx.types import fill_type
from mlconv.importers.onnx.nodes import free_names, subgraphs
from mlconv.ir.types import TensorType
from mlconv.simplifiers.onnx.graph import KNOWN_DOMAINS

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import GraphProto, ModelProto, NodeProto


def foreign_operators(model: ModelProto) -> list[str]:
    """Operators of nodes that are of unknown domains, in order."""
    own = {(f.domain, f.name) for f in model.functions}
    found = [_foreign(node, own) for node in model.graph.node]
    inside = [_foreign(node, own) for f in model.functions for node in f.node]
    return list(dict.fromkeys(name for name in (*found, *inside) if name))


def _foreign(node: NodeProto, own: set[tuple[str, str]]) -> str:
    if node.domain not in KNOWN_DOMAINS and (node.domain, node.op_type) not in own:
        return f"{node.domain}.{node.op_type}"
    return next((name for g in subgraphs(node) for n in g.node if (name := _foreign(n, own))), "")


def without_foreign(path: str, types: Mapping[str, TensorType]) -> tuple[bytes, dict[str, TensorType]]:
    """The file without such nodes, and the inputs that it has for their results.  types: of values, by name."""
    import onnx

    model: ModelProto = onnx.load(os.fspath(path))
    own = {(f.domain, f.name) for f in model.functions}
    graph = model.graph
    kept: list[NodeProto] = []
    inputs: dict[str, TensorType] = {}
    unknown: set[str] = set()
    outputs = [v.name for v in graph.output]
    read: list[str] = []
    for node in graph.node:
        names = [n for n in node.input if n]
        names += [n for g in subgraphs(node) for n in free_names(g)]
        if not _foreign(node, own) and not unknown.intersection(names):
            kept.append(node)
            continue
        read += [n for n in names if n not in unknown]
        for name in node.output:
            if name in types and types[name].shape is not None and not unknown.intersection(names):
                inputs[name] = types[name]
            elif name:
                unknown.add(name)
    del graph.output[:]
    _ends(graph, kept, inputs, read, [n for n in outputs if n not in unknown and n not in inputs])
    return model.SerializeToString(), inputs


def _ends(
    graph: GraphProto, kept: list[NodeProto], inputs: Mapping[str, TensorType], read: list[str], outputs: list[str]
) -> None:
    """Give a graph the nodes that are left, with what they are told and asked for."""
    copies = [type(node).FromString(node.SerializeToString()) for node in kept]
    del graph.node[:]
    graph.node.extend(copies)
    for name, type_ in inputs.items():
        fill_type(graph.input.add(name=name).type, type_, name)
    for name in outputs:
        graph.output.add(name=name)
    for k, name in enumerate(read):
        graph.node.add(op_type="Identity", input=[name], output=[f"cut:{k}"])
        graph.output.add(name=f"cut:{k}")
