"""Sums of products of integers, and floats that are quantized by their own range for them.

Source: ONNX MatMulInteger-10, ConvInteger-10, DynamicQuantizeLinear-11; ONNX Runtime contrib operator docs.
"""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.conv import convolution_of
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import widened
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.signs import may_be_empty, not_below_zero

RULES = OnnxRules()

_MICROSOFT = "com.microsoft"


@RULES.rule("DynamicQuantizeLinear")
def dynamic_quantize_linear(n: Node) -> list[Value]:
    """Scale and zero point from the range of x, which is made to hold 0; then uint8.  The scale of an empty range is 1,
    as in ONNX Runtime (GetQuantizationParameter, quantization.h).
    """
    return dynamically_quantized(n, n.x())


def dynamically_quantized(n: CoreBuilder, x: Value) -> list[Value]:
    """Stored uint8, scale and zero point."""
    axes = range(n.rank(x))
    if not_below_zero(x):  # 0 is the least of the range
        high = n.max(x, axes)
        scale = _step(n, n.maximum(high, 0) if may_be_empty(x) else high)
        return [n.cast(n.y(core.Round(n.div(x, scale))), DType.U8), scale, n.constant(0, DType.U8)]
    high = n.maximum(n.max(x, axes), 0)
    low = n.minimum(n.y(core.ReduceMin(x, axes=tuple(axes))), 0)
    scale = _step(n, n.sub(high, low))
    point = n.y(core.Round(n.div(n.neg(low), scale)))
    stored = n.add(n.y(core.Round(n.div(x, scale))), point)  # 256 where both were rounded up
    return [n.cast(n.minimum(stored, 255), DType.U8), scale, n.cast(point, DType.U8)]


def _step(n: CoreBuilder, span: Value) -> Value:
    return n.where(n.equal(span, 0), 1, n.div(span, 255))


def _zero(n: Node, x: Value, zero: Value | None, axis: int) -> Value | None:
    """A zero point so that it broadcasts against x: one number, one for each slice along `axis`, or more."""
    if x.tensor.dtype not in (DType.U8, DType.I8):
        raise ConversionError(
            Code.TypeMismatch,
            f"{n.op_type}: an operand has element type {x.tensor.dtype.display}, expected uint8 or int8",
        )
    if zero is None or n.rank(zero) != 1:
        return zero
    if zero.tensor.shape == (1,):
        return n.reshape(zero, [])
    return n.reshape(zero, [-1 if i == axis else 1 for i in range(n.rank(x))])


def integer_product(n: Node, a: Value, b: Value, zeros: tuple[Value | None, Value | None]) -> Value:
    """numpy.matmul of integers less their zero points, vectors included, as int32."""
    rank_a, rank_b = n.rank(a), n.rank(b)
    if rank_a == 0 or rank_b == 0:
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type} of {a.type} and {b.type}: an operand is a scalar")
    left = n.expand_dims(a, 0) if rank_a == 1 else a
    right = n.expand_dims(b, 1) if rank_b == 1 else b
    za = _zero(n, left, zeros[0], n.rank(left) - 2)
    zb = _zero(n, right, zeros[1], n.rank(right) - 1)
    y = n.y(core.IntegerMatMul(left, right, a_zero=za, b_zero=zb))
    rank = n.rank(y)
    drop = ([rank - 2] if rank_a == 1 else []) + ([rank - 1] if rank_b == 1 else [])
    return n.squeeze(y, *drop)


@RULES.rule("MatMulInteger")
def matmul_integer(n: Node) -> Value:
    return integer_product(n, n.x(0), n.x(1), (n.opt(2), n.opt(3)))


@RULES.rule("ConvInteger")
def conv_integer(n: Node) -> Value:
    x, w = n.x(0), n.x(1)
    x_zero, w_zero = _zero(n, x, n.opt(2), 1), _zero(n, w, n.opt(3), 0)
    if w_zero is not None and n.rank(w_zero):
        w_zero = n.reshape(w_zero, [-1])
    return n.y(core.IntegerConv(x, w, x_zero=x_zero, w_zero=w_zero, **convolution_of(n, x, w)))


def scaled_product(n: Node, total: Value, scales: tuple[Value, Value], bias: Value | None) -> Value:
    """Sums of integers as numbers.  scales: of the left factor, one or one for each row; of the right factor, one or
    one for each column.  In float32 where scales have 16 bits: the sums may be greater than those hold.
    """
    dtype = scales[1].tensor.dtype
    rows, columns = (widened(n, n.scalar(s) if s.tensor.shape == (1,) else s) for s in scales)
    rows = n.reshape(rows, [-1, 1]) if n.rank(rows) == 1 else rows
    y = n.mul(n.cast(total, columns.tensor.dtype), n.mul(rows, columns))
    return n.cast(y if bias is None else n.add(y, widened(n, bias)), dtype)


@RULES.rule("DynamicQuantizeMatMul", domain=_MICROSOFT)
def dynamic_quantize_matmul(n: Node) -> Value:
    """a quantized by its own range times b, scaled back, plus a bias."""
    stored, scale, point = dynamically_quantized(n, n.x(0))
    total = integer_product(n, stored, n.x(1), (point, n.opt(3)))
    return scaled_product(n, total, (scale, n.x(2)), n.opt(4))


@RULES.rule("MatMulIntegerToFloat", domain=_MICROSOFT)
def matmul_integer_to_float(n: Node) -> Value:
    """Integers less their zero points, multiplied, scaled back, plus a bias."""
    total = integer_product(n, n.x(0), n.x(1), (n.opt(4), n.opt(5)))
    return scaled_product(n, total, (n.x(2), n.x(3)), n.opt(6))
