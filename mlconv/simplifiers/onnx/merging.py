"""Equal constants and equal computations are one.

Values are numbered: a node's number is its operator, its attributes and the numbers of what it reads.  Small integers
of known contents are equal where these are, however they are computed.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from mlconv.ir.constants import Const
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.simplifiers.onnx.constants import stored_bytes
from mlconv.simplifiers.onnx.graph import Graph, Node

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import NodeProto

_RANDOM = frozenset(
    {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial", "Dropout"}
)
_QUANTIZED = frozenset({DType.I8, DType.U8, DType.I4, DType.U4})
_MOST_LOOKED_AT = 1 << 16
_MOST_COMPARED = 1 << 28
"""Bytes of a constant whose contents are looked at."""


def share_constants(g: Graph) -> bool:
    """Initializers of the same contents, also those of a graph around, are one.  Integers of 8 bits and less stay what
    they are: ONNX Runtime may change quantized weights together with their zero points, and each once
    (`session.x64quantprecision`).
    """
    known: dict[Hashable, str] = {}
    around: list[Graph] = []
    graph = g.parent
    while graph is not None:
        around.append(graph)
        graph = graph.parent
    for graph in [*reversed(around), g]:
        for name in graph.tensors:
            if name in graph.model.overridable or graph.is_output(name) or not graph.uses[name]:
                continue
            key = _contents(graph, name)
            if key is not None and (graph is not g or key not in known):
                known[key] = name
    found = False
    for name in list(g.tensors):
        if g.is_output(name) or name in g.model.overridable or not g.uses[name]:
            continue
        key = _contents(g, name)
        first = None if key is None else known.get(key)
        if first is not None and first != name:
            g.substitute(name, first)
            del g.tensors[name]
            found = True
    return found


def _contents(g: Graph, name: str) -> Hashable | None:
    constant = g.constant(name)
    if constant is None or constant.dtype in _QUANTIZED or stored_bytes(constant) > _MOST_COMPARED:
        return None
    return digest_of(g, name, constant)


def digest_of(g: Graph, name: str, constant: Const) -> Hashable:
    """What initializers of the same type and contents have in common."""
    tensor = g.tensors[name]
    if tensor.digest is None:
        tensor.digest = _digest(constant)
    return tensor.digest


def _digest(constant: Const) -> Hashable:
    import hashlib

    if constant.dtype is DType.STRING:
        return (constant.dtype, constant.shape, tuple(map(str, constant.view().reshape(-1))))
    found = hashlib.sha256()
    for block in constant.blocks():
        found.update(block)
    return (constant.dtype, constant.shape, found.digest())


def merge_equal(g: Graph) -> bool:
    """A node that computes what one before it does goes."""
    seen: dict[Hashable, Node] = {}
    sizes: dict[Hashable, str] = {}
    found = False
    for node in g.nodes:
        if node in g.gone or node.graphs or not g.is_plain(node) or node.op_type in _RANDOM:
            continue
        if _merged_by_contents(g, node, sizes):
            found = True
            continue
        key = (node.key, tuple(_number(g, name) for name in node.inputs), len(node.outputs), _attributes(node.proto))
        first = seen.get(key, node)
        if first in g.gone:
            first = node
        seen[key] = first
        if first is not node and _merged(g, node, first):
            found = True
    g.nodes = [n for n in g.nodes if n not in g.gone]
    return found


def _number(g: Graph, name: str) -> Hashable:
    """A value by its name, a small constant by what it holds."""
    constant = g.constant(name) if name in g.tensors else None
    if constant is None or name in g.model.overridable or stored_bytes(constant) > _MOST_LOOKED_AT:
        return name
    return digest_of(g, name, constant)


def _attributes(proto: NodeProto) -> tuple[bytes, ...]:
    return tuple(sorted(a.SerializeToString(deterministic=True) for a in proto.attribute))


def _merged(g: Graph, node: Node, first: Node) -> bool:
    """All results of the first stand for those of the second."""
    pairs = [(old, new) for old, new in zip(node.outputs, first.outputs, strict=True) if old and g.uses[old]]
    if any(not new or g.is_output(old) for old, new in pairs):
        return False
    for old, new in pairs:
        g.substitute(old, new)
    g.remove(node)
    return True


def _merged_by_contents(g: Graph, node: Node, sizes: dict[Hashable, str]) -> bool:
    """A small tensor of integers whose contents are those of one before it."""
    if len(node.outputs) != 1 or g.is_output(node.output):
        return False
    fact = g.fact(node.output)
    if fact.known is None or fact.type is None or any(k is None for k in fact.known):
        return False
    if not any(isinstance(k, Dim) for k in fact.known) or fact.type.shape is None:
        return False
    key = (fact.type.dtype, fact.type.shape, fact.known)
    first = sizes.get(key, "")
    if first not in g.made:
        sizes[key] = node.output
        return False
    g.substitute(node.output, first)
    g.remove(node)
    return True
