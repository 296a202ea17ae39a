"""EmbedLayerNormalization and QEmbedLayerNormalization of com.microsoft.

Source: ONNX Runtime, docs/ContribOperators.md, contrib_ops/cpu/bert/embed_layer_norm.cc,
contrib_ops/cpu/quantization/qembed_layer_norm.cc.
"""

from __future__ import annotations

from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.normalization import normalized
from mlconv.legalize.from_onnx.quantize import dequantized
from mlconv.legalize.from_onnx.table import OnnxRules

RULES = OnnxRules()


class _Tables(NamedTuple):
    """Embeddings [k, h] of words, positions and (where there are any) segments; factor and addend [h]."""

    words: Value
    positions: Value
    segments: Value | None
    gamma: Value
    beta: Value


@RULES.rule("EmbedLayerNormalization", domain=DOMAIN)
def embed_layer_normalization(n: Node) -> list[Value | None]:
    """Layer normalization of the sum of the embeddings, and how many ones each row of the mask has."""
    total, y = _embedded(n, _Tables(n.x(2), n.x(3), n.opt(4), n.x(5), n.x(6)), n.opt(8))
    return [y, _lengths(n), total]


@RULES.rule("QEmbedLayerNormalization", domain=DOMAIN)
def qembed_layer_normalization(n: Node) -> list[Value | None]:
    """The same with tables of integers."""
    parts = [
        None if n.opt(i) is None else dequantized(n, n.x(i), n.x(scale), n.x(scale + 5))
        for i, scale in zip(range(2, 7), range(8, 13), strict=True)
    ]
    words, positions, segments, gamma, beta = parts
    if words is None or positions is None or gamma is None or beta is None:
        raise ConversionError(Code.WrongArity, f"{n.op_type} needs its tables of words and positions, gamma and beta")
    _, y = _embedded(n, _Tables(words, positions, segments, gamma, beta), None)
    return [y, _lengths(n)]


def _embedded(n: Node, tables: _Tables, positions: Value | None) -> tuple[Value, Value]:
    """The sum [b, s, h] of the embeddings, and it normalized.  positions: 0, 1, ... where they are not given."""
    ids, segment_ids = n.x(0), n.opt(1)
    length = n.dims_of(ids, 2)[1]
    if (segment_ids is None) != (tables.segments is None):
        raise ConversionError(Code.WrongArity, f"{n.op_type}: segment_ids and their embedding go together")
    if positions is None:
        place = n.slice_axis(tables.positions, 0, 0, length)
    else:
        place = n.gather(tables.positions, positions)
    total = n.add(n.gather(tables.words, ids), place)
    if segment_ids is not None and tables.segments is not None:
        total = n.add(total, n.gather(tables.segments, segment_ids))
    y = normalized(n, total, [2], n.f("epsilon", 1e-12))
    return total, n.add(n.mul(y, tables.gamma), tables.beta)


def _lengths(n: Node) -> Value | None:
    """int32 [b]: how many ones the mask has, 0 without one."""
    if not n.used(1):
        return None
    mask = n.opt(7)
    if mask is None:
        return n.broadcast_to(n.constant(0, DType.I32), [n.dim(n.x(0), 0)])
    return n.sum(n.cast(n.equal(mask, 1), DType.I32), [1])
