"""Nodes whose results are known become initializers."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from mlconv.importers.onnx.fields import text
from mlconv.ir.constants import Const, make_const
from mlconv.ir.dtypes import DType
from mlconv.simplifiers.onnx.graph import Graph, Node, Tensor
from mlconv.simplifiers.onnx.rules import Rules

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import AttributeProto

RULES = Rules()
_AS_STORED = frozenset({"DequantizeLinear", "com.microsoft.DequantizeLinear"})
"""Operators that make numbers of what is stored in fewer bits: runtimes look for them at weights and biases."""
_FRAME = 16
"""Bytes of an initializer beside its numbers and its name."""
_MOST_BEHIND = 64
"""Nodes that one constant is computed by, of which what it frees is looked for."""


@RULES.on("Constant")
def _constant_node(g: Graph, n: Node) -> bool:
    """A Constant is an initializer."""
    name = n.output
    if n.domain or len(n.proto.attribute) != 1:
        return False
    value = _value(n.proto.attribute[0])
    if value is None:
        return False
    g.remove(n)
    g.tensors[name] = value
    return True


def _value(a: AttributeProto) -> Tensor | None:
    """What a Constant's attribute says; None of a sparse tensor."""
    if a.name == "value":
        return Tensor(None, a.t)
    if a.name in ("value_int", "value_float"):
        scalar = np.asarray(a.i, np.int64) if a.name == "value_int" else np.asarray(a.f, np.float32)
        return Tensor(make_const(scalar))
    if a.name in ("value_ints", "value_floats"):
        ints = a.name == "value_ints"
        return Tensor(
            make_const(np.asarray(list(a.ints) if ints else list(a.floats), np.int64 if ints else np.float32))
        )
    if a.name in ("value_string", "value_strings"):
        strings = [a.s] if a.name == "value_string" else list(a.strings)
        array = np.empty(len(strings), object)
        array[:] = [text(s) for s in strings]
        return Tensor(make_const(array if a.name == "value_strings" else array.reshape(()), DType.STRING))
    return None


@RULES.on("*")
def _fold(g: Graph, n: Node) -> bool:
    """A node that computes constants from constants."""
    if n.graphs or not g.is_plain(n) or n.key in _AS_STORED or n.key == "Constant":
        return False
    found: list[Const | None] = []
    for name in n.outputs:
        constant = g.fact(name).constant if name else None
        if constant is None and name and g.uses[name]:
            return False
        found.append(constant if name and g.uses[name] else None)
    if not any(c is not None for c in found):
        return False
    made = sum(stored_bytes(c) + _FRAME for c in found if c is not None)
    if made > g.model.growth and made - _freed(g, n) > g.model.growth:
        return False
    g.become(n, found)
    return True


def _freed(g: Graph, last: Node) -> int:
    """Bytes of a node, and of the nodes and constants that nothing else reads: what weights are computed of (as those
    that are standardized) is larger than they are on the way.
    """
    freed, seen, nodes = 0, Counter[str](), [last]
    for n in nodes:
        freed += n.proto.ByteSize()
        for name in filter(None, n.inputs):
            seen[name] += 1
            if g.home(name) is not g or g.is_output(name) or seen[name] != g.uses[name]:
                continue
            maker, constant = g.made.get(name), g.constant(name)
            if constant is not None:
                freed += stored_bytes(constant) + _FRAME
            elif maker is not None and len(maker.outputs) == 1 and g.is_plain(maker) and len(nodes) < _MOST_BEHIND:
                nodes.append(maker)
    return freed


def stored_bytes(constant: Const) -> int:
    """Bytes that the numbers of a constant take in a file."""
    if constant.dtype is DType.STRING:
        return sum(len(str(s)) + 2 for s in constant.view().reshape(-1))
    return constant.dtype.packed_bytes(math.prod(constant.shape))
