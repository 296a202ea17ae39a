"""Tensors, buffers and operator codes that nothing names go, and equal constants are one."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

from mlconv.exporters.tflite.model import Payload, RawBytes, SubGraph, TflModel
from mlconv.simplifiers.tflite.graph import Graph


def share_constants(g: Graph) -> None:
    """Constants of the same type and buffer are one tensor."""
    first: dict[Hashable, int] = {}
    instead: dict[int, int] = {}
    for op in g.graph.operators:
        for t in op.inputs:
            if t >= 0 and t not in instead and g.is_constant(t) and t not in g.held:
                key = (g.tensor(t).buffer, g.type_of(t))
                instead[t] = first.setdefault(key, t)
    for op in g.graph.operators:
        if any(instead.get(t, t) != t for t in op.inputs):
            g.set_inputs(op, [instead.get(t, t) for t in op.inputs])


def share_buffers(model: TflModel) -> None:
    """Tensors name the first of equal buffers; one without data is buffer 0."""
    first: dict[Hashable, int] = {}
    instead = {}
    for i, payload in enumerate(model.buffers):
        instead[i] = first.setdefault(_digest(payload), i) if payload.nbytes else 0
    for graph in model.subgraphs:
        for tensor in graph.tensors:
            tensor.buffer = instead[tensor.buffer]


def _digest(payload: Payload) -> Hashable:
    found = hashlib.sha256()
    for block in payload.blocks():
        found.update(block)
    return payload.nbytes, found.digest()


def drop_unused(model: TflModel) -> None:
    """Number what is named anew."""
    for number, graph in enumerate(model.subgraphs):
        _drop_tensors(model, number, graph)
    used = {t.buffer for g in model.subgraphs for t in g.tensors} | set(model.metadata.values())
    order = [i for i in range(len(model.buffers)) if i in used and i > 0]
    at = {0: 0, **{old: new for new, old in enumerate(order, 1)}}
    model.buffers = [RawBytes(b""), *(model.buffers[i] for i in order)]
    for graph in model.subgraphs:
        for tensor in graph.tensors:
            tensor.buffer = at[tensor.buffer]
    model.metadata = {name: at[i] for name, i in model.metadata.items()}
    codes = sorted({op.code for g in model.subgraphs for op in g.operators})
    number_of = {old: new for new, old in enumerate(codes)}
    model.codes = [model.codes[i] for i in codes]
    for graph in model.subgraphs:
        for op in graph.operators:
            op.code = number_of[op.code]


def _drop_tensors(model: TflModel, number: int, graph: SubGraph) -> None:
    signatures = [s for s in model.signatures if s.subgraph == number]
    used = {*graph.inputs, *graph.outputs, *(t for s in signatures for _, t in (*s.inputs, *s.outputs))}
    for op in graph.operators:
        used.update((*op.inputs, *op.outputs, *op.intermediates))
    for t in sorted(used):
        quantization = graph.tensors[t].quantization if t >= 0 else None
        if quantization is not None and quantization.blocks is not None:
            used.add(quantization.blocks[0])
    order = sorted(used - {-1})
    at = {-1: -1, **{old: new for new, old in enumerate(order)}}
    graph.tensors = [graph.tensors[t] for t in order]
    graph.inputs, graph.outputs = [at[t] for t in graph.inputs], [at[t] for t in graph.outputs]
    for op in graph.operators:
        op.inputs, op.outputs, op.intermediates = (
            tuple(at[t] for t in named) for named in (op.inputs, op.outputs, op.intermediates)
        )
    for signature in signatures:
        signature.inputs = [(name, at[t]) for name, t in signature.inputs]
        signature.outputs = [(name, at[t]) for name, t in signature.outputs]
    for tensor in graph.tensors:
        quantization = tensor.quantization
        if quantization is not None and quantization.blocks is not None:
            quantization.blocks = at[quantization.blocks[0]], quantization.blocks[1]
