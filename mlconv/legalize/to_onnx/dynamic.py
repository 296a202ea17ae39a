"""Products that quantize at run time what they read, as products of floats: ONNX's own form has one range for all of a
tensor, where these have one for each row, and ONNX Runtime makes its own of weights behind a DequantizeLinear.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.rewrite import Rewriter, edit


def expand_dynamic(block: Block) -> int:
    """Numbers of stored weights in place of these; how many there were."""
    found = [op for op in walk(block) if isinstance(op, (core.DynamicConv, core.DynamicMatMul))]
    for op in found:
        rewriter = Rewriter(op)
        rewriter.replace(op, _product(op, rewriter))
    return len(found)


def widen_around_loops(block: Block) -> int:
    """Weights of products of floats in bodies of loops and branches become numbers around them, once.  ONNX Runtime
    1.31 makes products of few bits of a MatMul with weights behind a DequantizeLinear; it looks for their scales in the
    same graph and ends where they are in the one around it (qdq_actions.cc, TransposeDQWeightsForMatMulNBits).
    """
    count = 0
    for op in [*walk(block)]:
        inside = op.block is not None and op.block.parent is not None
        if not inside or not isinstance(op, core.Dequantize) or const_of(op.x) is None or op.location is None:
            continue
        if any(_is_static(user) for user in op.y.users):
            continue
        builder = Builder(block, op.location, block.first)
        stored = builder.emit(core.Constant(value=const_of(op.x), element=quantized(op.x))).y
        numbers = builder.emit(core.Dequantize(stored)).y
        edit.replace(op, [numbers])
        count += 1
    return count


def _is_static(op: Op) -> bool:
    """Reads the numbers of integers of data, too."""
    borders = [v.producer for v in op.inputs if isinstance(v.producer, core.Dequantize)]
    return any(const_of(border.x) is None for border in borders)


def _product(op: core.DynamicConv | core.DynamicMatMul, rewriter: Rewriter) -> Value:
    if isinstance(op, core.DynamicConv):
        weights = rewriter.emit(core.Dequantize(op.w)).y
        return rewriter.emit(core.Conv(op.x, weights, op.bias, **op.attributes)).y
    weights = rewriter.emit(core.Dequantize(op.b)).y
    y = rewriter.emit(core.MatMul(op.a, weights, **op.attributes)).y
    return y if op.bias is None else rewriter.emit(core.Add(y, op.bias)).y
