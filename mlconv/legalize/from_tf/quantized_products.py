"""Sums and products of TensorFlow 1's quantized tensors: integers of 32 bits, with the range that they have.

Source: tensorflow/core/kernels/quantization_utils.h, quantized_conv_ops.cc, quantized_matmul_op.cc,
quantized_mul_op.cc, quantized_add_op.cc, quantized_bias_add_op.cc.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.conv import convolved
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.from_tf.quantized import integers_of, limits, numbers_of, range_of, zero_of
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
Range = tuple[Value, Value]
_HEADROOM: Final = {"QuantizedAdd": float(1 << 14), "QuantizedBiasAdd": float(1 << 17)}
"""How far the range of a sum is beyond that of its terms."""


def _stored_zero(n: SourceNode, x: Value, ends: Range) -> Value:
    """The integer for 0, of the type of x; ranges hold 0, as QuantizeV2 makes them."""
    least, most = limits(x.tensor.dtype)
    return n.cast(n.clamp(zero_of(n, *ends, x.tensor.dtype), least, most), x.tensor.dtype)


def _product_range(n: SourceNode, a: Value, b: Value, ends: tuple[Range, Range]) -> Range:
    """That of int32 whose step is the product of the factors' steps (QuantizationRangeForMultiplication)."""
    steps = []
    for x, (low, high) in zip((a, b), ends, strict=True):
        least, most = limits(x.tensor.dtype)
        steps.append(n.div(n.sub(high, low), most - least))
    step = n.mul(*steps)
    least, most = limits(DType.I32)
    return n.mul(step, least), n.mul(step, most)


@RULES.rule("QuantizedConv2D")
def quantized_conv(n: SourceNode) -> Sequence[Value]:
    """Operands: images, kernel, the range of each.  Padding stands for 0."""
    x, w = n.operand(0), n.operand(1)
    ends = range_of(n, 2, 3), range_of(n, 4, 5)
    zeros = _stored_zero(n, x, ends[0]), _stored_zero(n, w, ends[1])
    make = functools.partial(core.IntegerConv, x_zero=zeros[0], w_zero=zeros[1])
    y = convolved(n, x, "N01C", w, "01IO", 1, make)
    return [y, *_product_range(n, x, w, ends)]


@RULES.rule("QuantizedMatMul")
def quantized_matmul(n: SourceNode) -> Sequence[Value]:
    """Operands: matrices, the range of each."""
    a, b = n.operand(0), n.operand(1)
    ends = range_of(n, 2, 3), range_of(n, 4, 5)
    y = core.IntegerMatMul(
        a,
        b,
        a_zero=_stored_zero(n, a, ends[0]),
        b_zero=_stored_zero(n, b, ends[1]),
        transpose_a=n.attr("transpose_a", False),
        transpose_b=n.attr("transpose_b", False),
    )
    return [n.y(y), *_product_range(n, a, b, ends)]


@RULES.rule("QuantizedMul")
def quantized_mul(n: SourceNode) -> Sequence[Value]:
    a, b = n.operand(0), n.operand(1)
    ends = range_of(n, 2, 3), range_of(n, 4, 5)
    less = [
        n.sub(n.cast(x, DType.I32), n.cast(zero_of(n, *e, x.tensor.dtype), DType.I32))
        for x, e in zip((a, b), ends, strict=True)
    ]
    return [n.mul(*less), *_product_range(n, a, b, ends)]


@RULES.rule("QuantizedAdd", "QuantizedBiasAdd")
def quantized_add(n: SourceNode) -> Sequence[Value]:
    """Both in a symmetric range that has room for sums of many."""
    a, b = n.operand(0), n.operand(1)
    ends = range_of(n, 2, 3), range_of(n, 4, 5)
    most = n.maximum(
        n.maximum(ends[0][1], n.neg(ends[0][0])),
        n.maximum(ends[1][1], n.neg(ends[1][0])),
    )
    high = n.mul(most, _HEADROOM[n.kind])
    low = n.neg(high)
    term = _on_a_line if n.kind == "QuantizedAdd" else _each
    terms = [term(n, x, e, (low, high)) for x, e in zip((a, b), ends, strict=True)]
    return [n.add(*terms), low, high]


def _each(n: SourceNode, x: Value, have: Range, want: Range) -> Value:
    """Integers of x in a range of int32, each rounded."""
    return integers_of(n, numbers_of(n, x, *have), *want, DType.I32)


def _on_a_line(n: SourceNode, x: Value, have: Range, want: Range) -> Value:
    """The same by what 0 and 1 become, as the kernel has it of tensors; one number is rounded itself."""
    if not n.rank(x):
        return _each(n, x, have, want)
    dtype = x.tensor.dtype
    first, second = (_each(n, n.constant(k, dtype), have, want) for k in (0, 1))
    return n.add(first, n.mul(n.cast(x, DType.I32), n.sub(second, first)))
