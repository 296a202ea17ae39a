"""Forms of quantized ops that runtimes of ONNX take.

Products that quantize at run time what they read are products of floats: ONNX's own form has one range for all of a
tensor, where these have one for each row, and ONNX Runtime makes its own of weights behind a DequantizeLinear.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Block, Value, walk
from mlconv.rewrite import Rewriter, edit


def expand_dynamic(block: Block) -> int:
    """Numbers of stored weights in place of these; how many there were."""
    found = [op for op in walk(block) if isinstance(op, (core.DynamicConv, core.DynamicMatMul))]
    for op in found:
        rewriter = Rewriter(op)
        rewriter.replace(op, _product(op, rewriter))
    return len(found)


def look_up_numbers(block: Block) -> int:
    """Rows are looked up in the numbers of a constant table of integers: ONNX Runtime 1.31 ends over a DequantizeLinear
    behind the look-up where a Loop reads what is moved of its result.
    """
    count = 0
    for op in [*walk(block)]:
        if not isinstance(op, core.Gather) or op.x.tensor.quant is None or const_of(op.x) is None:
            continue
        if not all(isinstance(user, core.Dequantize) for user in op.y.users):
            continue
        rewriter = Rewriter(op)
        numbers = rewriter.emit(core.Dequantize(op.x)).y
        rows = rewriter.emit(core.Gather(numbers, op.indices, **op.attributes)).y
        for user in op.y.users:
            edit.replace(user, [rows])
        edit.erase(op)
        count += 1
    return count


def _product(op: core.DynamicConv | core.DynamicMatMul, rewriter: Rewriter) -> Value:
    if isinstance(op, core.DynamicConv):
        weights = rewriter.emit(core.Dequantize(op.w)).y
        return rewriter.emit(core.Conv(op.x, weights, op.bias, **op.attributes)).y
    weights = rewriter.emit(core.Dequantize(op.b)).y
    y = rewriter.emit(core.MatMul(op.a, weights, **op.attributes)).y
    return y if op.bias is None else rewriter.emit(core.Add(y, op.bias)).y
