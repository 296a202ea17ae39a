"""What inlining model-local functions would make, counted before it is done: functions that call one another twice each
grow without bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.locations import node_location
from mlconv.importers.onnx.nodes import subgraphs

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import FunctionProto, GraphProto, NodeProto


Key = tuple[str, str, str]

MAX_CALLS = 64
"""Deepest nesting of model-local function calls."""

MAX_OPS = 1_000_000
"""Most ops that inlining may produce."""


def key_of(domain: str, name: str, overload: str) -> Key:
    """What a call and a function are matched by."""
    plain = text(domain)
    return "" if plain == "ai.onnx" else plain, text(name), text(overload)


def check_calls(graph: GraphProto, functions: Mapping[Key, FunctionProto]) -> None:
    """Refuse calls in a cycle or too deep (ConversionError GraphHasCycle) and models that inlining makes too large
    (NestedTooDeeply).
    """
    if not functions:
        return
    known: dict[Key, int] = {}
    if _ops(graph, functions, known, ()) > MAX_OPS:
        raise ConversionError(
            Code.NestedTooDeeply, f"the model has more than {MAX_OPS} ops once its functions are inlined"
        )


def _ops(
    body: GraphProto | FunctionProto,
    functions: Mapping[Key, FunctionProto],
    known: dict[Key, int],
    chain: tuple[Key, ...],
) -> int:
    """How many ops the nodes of a graph or function become.  known: of the functions that were counted; chain: those
    being counted.
    """
    total = 0
    for proto in _nodes(body):
        key = key_of(proto.domain, proto.op_type, proto.overload)
        function = functions.get(key)
        if function is None:
            total += 1
            continue
        if key in chain or len(chain) >= MAX_CALLS:
            names = " -> ".join([*(k[1] for k in chain), key[1]])
            label = text(proto.name) or text(proto.op_type)
            why = f"model-local functions call each other in a cycle or too deeply: {names}"
            raise ConversionError(Code.GraphHasCycle, why, location=node_location(proto, label, ()))
        if key not in known:
            known[key] = _ops(function, functions, known, (*chain, key))
        total += known[key]
    return total


def _nodes(body: GraphProto | FunctionProto) -> Iterator[NodeProto]:
    """The nodes of a body, those of its subgraphs too.  Depth is bounded by the parser's limit on nesting."""
    for proto in body.node:
        yield proto
        for graph in subgraphs(proto):
            yield from _nodes(graph)
