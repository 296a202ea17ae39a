"""Products of floats between quantized tensors, so that ONNX Runtime leaves them alone.

Where a product reads integers and its result is rounded to integers, ONNX Runtime quantizes weights that are floats: to
8 bits, with one scale for all (qdq_transformer/weight_bias_quantization.cc).  A layer that was left with floats for its
accuracy, or has weights of 16 bits, loses what it was left so for.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.legalize.to_onnx.builder import OnnxBuilder, Version
from mlconv.rewrite import Rewriter, edit

_PRODUCTS = frozenset({"onnx.Conv", "onnx.ConvTranspose", "onnx.Gemm"})
_MOVING = frozenset({f"onnx.{name}" for name in ("MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Slice")})
"""Borders are moved over these (qdq_transformer/qdq_propagation.cc)."""
_BEHIND = _MOVING | {"onnx.Relu", "onnx.Clip", "onnx.Add"}
_FOLDED = frozenset({"onnx.Cast", "onnx.Reshape", "onnx.Transpose"})
"""Of constants they are constants when a model is loaded."""


def keep_floats(block: Block, version: Version) -> None:
    """What such a product reads is a sum of one operand, behind which ONNX Runtime sees no integers."""
    for op in [op for op in walk(block) if op.name in _PRODUCTS or _becomes_gemm(op)]:
        x, w = op.operands[:2]
        if x is None or w is None or not (_was_integers(x) and _is_constant(w) and _is_rounded(op.results[0])):
            continue
        rewriter = Rewriter(op)
        edit.set_operand(op, 0, OnnxBuilder(rewriter, version).one("Sum", [x], x.tensor))


def _becomes_gemm(op: Op) -> bool:
    """Source: core/optimizer/matmul_add_fusion.cc."""
    user = _only_user(op.results[0]) if op.name == "onnx.MatMul" else None
    return user is not None and user.name == "onnx.Add"


def _was_integers(x: Value) -> bool:
    maker = x.producer
    while maker is not None and maker.name in _MOVING and maker.operands[0] is not None:
        maker = maker.operands[0].producer
    return maker is not None and maker.name == "onnx.DequantizeLinear"


def _is_constant(w: Value) -> bool:
    maker = w.producer
    while maker is not None and maker.name in _FOLDED and maker.operands[0] is not None:
        maker = maker.operands[0].producer
    return isinstance(maker, core.Constant)


def _is_rounded(y: Value) -> bool:
    """By one that alone reads it."""
    user = _only_user(y)
    while user is not None and user.name in _BEHIND:
        user = _only_user(user.results[0])
    return user is not None and user.name == "onnx.QuantizeLinear"


def _only_user(value: Value) -> Op | None:
    users = value.users
    return users[0] if len(users) == 1 else None
