"""What the quantizer writes for transformers and recurrent layers: QAttention, DynamicQuantizeLSTM, MatMulInteger16.

Source: ONNX Runtime, docs/ContribOperators.md, contrib_ops/cpu/quantization: attention_quant.cc,
dynamic_quantize_lstm.cc, and contrib_ops/cpu/matmul_integer16.cc.
"""

from __future__ import annotations

from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.contrib import DOMAIN
from mlconv.legalize.from_onnx.contrib.attention import refuse_shared, self_attention
from mlconv.legalize.from_onnx.integer_products import dynamically_quantized, integer_product, scaled_product
from mlconv.legalize.from_onnx.matmul import matmul_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.quantize import dequantized
from mlconv.legalize.from_onnx.recurrent import lstm_of
from mlconv.legalize.from_onnx.table import OnnxRules

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


@RULES.rule("DynamicQuantizeLSTM", domain=DOMAIN)
def dynamic_quantize_lstm(n: Node) -> list[Value]:
    """LSTM with weights of 8 bits [directions, k, 4 h].  The input is rounded to 8 bits of its own range, as ONNX
    Runtime has it; the states, which it rounds at each step, are not.
    """
    stored, scale, point = dynamically_quantized(n, n.x(0))
    x = dequantized(n, stored, scale, point)
    return lstm_of(n, (x, _weights(n, 1, 8), _weights(n, 2, 10)))


def _weights(n: Node, i: int, scale: int) -> Value:
    """Input i with its scale and zero point, [directions] or [directions, 4 h], as numbers [directions, 4 h, k]."""
    parts = []
    w, scales, zeros = (n.x(k) for k in (i, scale, scale + 1))
    for direction in range(_directions(n, w)):
        own, s, z = (n.squeeze(n.slice_axis(v, 0, direction, direction + 1), 0) for v in (w, scales, zeros))
        parts.append(n.expand_dims(dequantized(n, n.transpose(own, (1, 0)), s, z), 0))
    return n.concat(parts, 0)


def _directions(n: Node, w: Value) -> int:
    count = n.dims_of(w, 3)[0]
    return count if count in (1, 2) and isinstance(count, int) else 1
