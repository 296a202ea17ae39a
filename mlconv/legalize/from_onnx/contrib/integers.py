"""What the quantizer writes for transformers and recurrent layers: QAttention, DynamicQuantizeLSTM, MatMulInteger16.

Source: ONNX Runtime, docs/ContribOperators.md, contrib_ops/cpu/quantization: attention_quant.cc,
dynamic_quantize_lstm.cc, and contrib_ops/cpu/matmul_integer16.cc.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Layer
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.expand_recurrent import Products, expanded, in_order
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.contrib.attention import refuse_shared, self_attention
from mlconv.legalize.from_onnx.integer_products import dynamically_quantized, integer_product, scaled_product
from mlconv.legalize.from_onnx.matmul import matmul_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.recurrent import lstm_of
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite.core_builder import CoreBuilder

RULES = OnnxRules()


@RULES.rule("QAttention", domain=DOMAIN)
def qattention(n: Node) -> list[Value | None]:
    """Attention whose projection is a product of integers."""
    refuse_shared(n, 9)
    total = integer_product(n, n.x(0), n.x(1), (n.opt(6), n.opt(7)))
    projected = scaled_product(n, total, (n.x(3), n.x(4)), n.x(2))
    return self_attention(n, projected, n.opt(5), n.opt(8), None)


@RULES.rule("MatMulInteger16", domain=DOMAIN)
def matmul_integer16(n: Node) -> Value:
    return matmul_of(n, n.cast(n.x(0), DType.I32), n.cast(n.x(1), DType.I32))


@dataclass(frozen=True, slots=True)
class _Weights:
    """Weights of one direction [k, 4 h] as they are stored; scale and zero point are one or [4 h]."""

    stored: Value
    scale: Value
    zero: Value

    def times(self, e: CoreBuilder, stored: Value, scale: Value, zero: Value) -> Value:
        """What is quantized by one range times the weights."""
        total = e.y(core.IntegerMatMul(stored, self.stored, a_zero=zero, b_zero=self.zero))
        return e.mul(e.cast(total, DType.F32), e.mul(scale, self.scale))


@dataclass(frozen=True, slots=True)
class _Quantizing(Products):
    """Products that quantize what they read, all rows by one range.  zeros: rows that have ended are zeros to them.

    Source: ONNX Runtime, uni_directional_lstm.cc, rnn_helpers.cc (ComputeGemm), on one thread: with more it has
    parts of the batch, and a range for each.
    """

    w: _Weights
    r: _Weights
    zeros: bool

    def of_input(self, op: Layer, e: CoreBuilder) -> Value:
        """Steps behind the longest row are not looked at.  Both directions read what is quantized once."""
        x = op.x
        if op.lengths is not None:
            longest = e.max(e.cast(op.lengths, DType.I64), [0])
            x = e.where(e.less(e.expand_dims(e.arange(e.dim(x, 0)), 1, 2), longest), x, 0.0)
        stored, scale, zero = dynamically_quantized(e, x)
        return self.w.times(e, in_order(op, stored, e), scale, zero)

    def of_state(self, op: Layer, t: Value, h: Value, r: Value, e: CoreBuilder) -> Value:
        if op.lengths is not None and self.zeros:
            h = e.where(e.less(e.sub(t, 1), e.expand_dims(e.cast(op.lengths, DType.I64), 1)), h, 0.0)
        return self.r.times(e, *dynamically_quantized(e, h))


@RULES.rule("DynamicQuantizeLSTM", domain=DOMAIN)
def dynamic_quantize_lstm(n: Node) -> list[Value]:
    """LSTM with weights of 8 bits [directions, k, 4 h]; the input, and the states at each step, are rounded to 8 bits
    of their own range.
    """
    w, r = _weights(n, 1, 8), _weights(n, 2, 10)

    def quantizing(op: core.Lstm, direction: int) -> list[Value]:
        return expanded(op, n, _Quantizing(w[direction], r[direction], n.used(0)))

    numbers = [n.transpose(n.cast(n.x(i), DType.F32), (0, 2, 1)) for i in (1, 2)]
    return lstm_of(n, (n.x(0), numbers[0], numbers[1]), quantizing)


def _weights(n: Node, i: int, scale: int) -> list[_Weights]:
    """Input i with its scale and zero point, [directions] or [directions, 4 h]."""
    values = [n.x(k) for k in (i, scale, scale + 1)]
    count = n.dim(values[0], 0)
    return [
        _Weights(*(n.squeeze(n.slice_axis(v, 0, k, k + 1), 0) for v in values))
        for k in range(count if isinstance(count, int) else 0)
    ]
