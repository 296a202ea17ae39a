"""Ops over stored integers: the kernels of TFLite that compute with quantized tensors.

Sources: TFLite 8-bit quantization specification; kernels/conv.cc, fully_connected.cc, add.cc, mul.cc, reduce.cc,
quantize.cc; CalculateActivationRangeQuantized in kernels/kernel_util.cc.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import per_tensor
from mlconv.dialects.core.rounded_tables import Normalized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, product_of, storage_range
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, shape_of
from mlconv.legalize.to_tfl.matmul import batch_matmul, fully_connected, swap_last
from mlconv.legalize.to_tfl.operands import numbers_of
from mlconv.passes.quantized.weights import in_bytes
from mlconv.rewrite import Rules, remake

RULES = Rules()

_BINARY = {"add": "ADD", "sub": "SUB", "mul": "MUL"}
_WORTH_A_PLACE = 1 << 9  # bytes of weights of 4 bits, for which a PAD is worth their half
_ACTIVATIONS = {"RELU": (0.0, None), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0)}


_FUNCTIONS: dict[str, tuple[str, dict[str, object]]] = {
    "elu": ("ELU", {}),
    "exp": ("EXP", {}),
    "gelu": ("GELU", {"approximate": False}),
    "gelu_tanh": ("GELU", {"approximate": True}),
    "hard_swish": ("HARD_SWISH", {}),
    "leaky_relu": ("LEAKY_RELU", {}),
    "log": ("LOG", {}),
    "relu": ("RELU", {}),
    "relu6": ("RELU6", {}),
    "relu_0_to_1": ("RELU_0_TO_1", {}),
    "relu_n1_to_1": ("RELU_N1_TO_1", {}),
    "sigmoid": ("LOGISTIC", {}),
    "tanh": ("TANH", {}),
}


class Limited(Protocol):
    """An op whose results are limited integers."""

    element: QuantType
    lo: int
    hi: int


def activation_of(op: Limited) -> tuple[str, bool]:
    """The fused activation, and whether its range is the op's."""
    element = op.element
    if (op.lo, op.hi) == (element.qmin, element.qmax):
        return "NONE", True
    for name, bounds in _ACTIVATIONS.items():
        low, high = (None if b is None else int(element.quantize(np.asarray(b, np.float32))) for b in bounds)
        if (op.lo, op.hi) == (low, element.qmax if high is None else high):
            return name, True
    return "NONE", False


def limited(op: Limited, y: Value, e: TflBuilder) -> Value:
    """y within [lo, hi], by kernels of their own."""
    for builtin, bound, free in (("MAXIMUM", op.lo, op.element.qmin), ("MINIMUM", op.hi, op.element.qmax)):
        if bound != free:
            scalar = e.constant(np.asarray(bound, op.element.storage.numpy), element=op.element)
            y = e.one(builtin, [y, scalar], y.type)
    return y


@RULES.rule(core.QuantMatMul)
def matmul(op: core.QuantMatMul, e: TflBuilder) -> Value:
    """FULLY_CONNECTED for constant weights, else BATCH_MATMUL."""
    a, weights = shape_of(op.a), const_of(op.b)
    if weights is not None and weights.dtype is DType.I4 and not _takes_4_bits(weights, op.transpose_b):
        return e.y(_of_even_depth(op, weights, e) or remake(op, [op.a, e.y(in_bytes(op.b)), op.bias]))
    if weights is None or len(weights.shape) != 2:
        if op.bias is not None:
            return _sum_of_numbers(op, op.bias, e)
        y = batch_matmul(e, op.a, op.b, op.y.tensor, adj_x=op.transpose_a, adj_y=op.transpose_b)
        return limited(op, y, e)
    x = e.transpose(op.a, swap_last(len(a))) if op.transpose_a else op.a
    w = op.b if op.transpose_b else e.transpose(op.b, (1, 0))
    name, fits = activation_of(op)
    bias, element = op.bias, product_of(per_tensor(op.a), quantized(op.b))
    if bias is None and element.storage is DType.I64:  # without one, sums are rounded another way
        columns = weights.shape[0 if op.transpose_b else 1]
        bias = e.constant(Splat(0, element.storage, (columns,)), element=element)
    y = fully_connected(e, [x, w, bias], op.y.tensor, fused_activation_function=name)
    return y if fits else limited(op, y, e)


def _sum_of_numbers(op: core.QuantMatMul, bias: Value, e: TflBuilder) -> Value:
    """BATCH_MATMUL has no bias: it multiplies numbers, and their sum is rounded."""
    a, b, vector = (numbers_of(e, v) for v in (op.a, op.b, bias))
    total = core.MatMul(a, b, transpose_a=op.transpose_a, transpose_b=op.transpose_b)
    y = core.Quantize(e.y(core.Add(e.y(total), vector)), element=op.element)
    return limited(op, e.y(y), e)


def _of_even_depth(op: core.QuantMatMul, weights: Const, e: TflBuilder) -> OpDef | None:
    """The same over a place more, where weights are zero; None where that saves little, or zeros are other integers."""
    quant, rows = quantized(op.b), 1 if op.transpose_b else 0
    if len(weights.shape) != 2 or weights.nbytes < _WORTH_A_PLACE or quant.zero_array().any():
        return None
    rank, depth = len(shape_of(op.a)), -2 if op.transpose_a else -1
    pads = np.asarray([(0, int(i == rank + depth)) for i in range(rank)], np.int32)
    a = e.y(core.Pad(op.a, e.constant(pads, DType.I32), e.asarray(0.0, op.a)))
    filled = recipes.pad_zeros(weights, tuple((0, int(i == rows)) for i in range(2)))
    return remake(op, [a, e.y(core.Constant(value=filled, element=quant)), op.bias])


def _takes_4_bits(weights: Const, transposed: bool) -> bool:
    """XNNPACK takes matrices of even depth; odd ones have another kernel, which rounds another way, batches have none.

    Source: kernels/batch_matmul.cc; fully_connected.cc; XNNPACK, fully-connected-nc.c, qs8_qc4w.
    """
    return len(weights.shape) == 2 and weights.shape[1 if transposed else 0] % 2 == 0


@RULES.rule(core.DynamicMatMul)
def dynamic_matmul(op: core.DynamicMatMul, e: TflBuilder) -> Value:
    """FULLY_CONNECTED, or BATCH_MATMUL, of floats and integers."""
    a = shape_of(op.a)
    x = e.transpose(op.a, swap_last(len(a))) if op.transpose_a else op.a
    if len(shape_of(op.b)) != 2:
        y = batch_matmul(e, x, op.b, op.y.tensor, adj_y=op.transpose_b, asymmetric_quantize_inputs=True)
        return y if op.bias is None else e.y(core.Add(y, op.bias))
    w = op.b if op.transpose_b else e.transpose(op.b, (1, 0))
    bias = None if op.bias is None else e.floats(op.bias)
    return fully_connected(e, [x, w, bias], op.y.tensor, asymmetric_quantize_inputs=True)


@RULES.rule(core.QuantBinary)
def binary(op: core.QuantBinary, e: TflBuilder) -> Value:
    name, fits = activation_of(op)
    options: dict[str, object] = {"fused_activation_function": name}
    if op.element.storage is DType.I16 and op.kind != "mul":
        options["pot_scale_int16"] = False
    y = e.one(_BINARY[op.kind], [op.a, op.b], op.y.type, **options)
    return y if fits else limited(op, y, e)


@RULES.rule(core.QuantMean)
def mean(op: core.QuantMean, e: TflBuilder) -> Value:
    axes = sorted({a % len(shape_of(op.x)) for a in op.axes})
    return limited(op, e.one("MEAN", [op.x, e.ints(axes)], op.y.type, keep_dims=op.keepdims), e)


@RULES.rule(core.Requantize)
def requantize(op: core.Requantize, e: TflBuilder) -> Value:
    """QUANTIZE; limits alone need none."""
    same = op.x.tensor.quant == op.element
    return limited(op, e.copy(op.x) if same else e.one("QUANTIZE", [op.x], op.y.type), e)


@RULES.rule(core.QuantTable)
def table(op: core.QuantTable, e: TflBuilder) -> Value:
    """The kernel of a function, else a GATHER."""
    name, options = _FUNCTIONS.get(op.function, ("", {}))
    if op.function == "leaky_relu":
        options = {"alpha": op.alpha}
    if name:
        return limited(op, e.one(name, [op.x], op.y.type, **options), e)
    quant = per_tensor(op.x)
    plain = e.one("BITCAST", [op.x], op.x.tensor.stored)
    index = e.y(core.Sub(e.cast(plain, DType.I32), e.i(storage_range(quant.storage)[0])))
    return e.y(core.Gather(op.table, index))


@RULES.rule(core.QuantSoftmax, core.QuantLogSoftmax)
def softmax(op: Normalized, e: TflBuilder) -> Value:
    """SOFTMAX, LOG_SOFTMAX along the last axis."""
    rank = len(shape_of(op.x))
    perm = [*(a for a in range(rank) if a != op.axis), op.axis]
    x = e.transpose(op.x, perm)
    log = isinstance(op, core.QuantLogSoftmax)
    shape = tuple(shape_of(op.x)[a] for a in perm)
    y_type = op.y.tensor.with_shape(shape)
    y = e.one("LOG_SOFTMAX", [x], y_type) if log else e.one("SOFTMAX", [x], y_type, beta=1.0)
    return limited(op, e.transpose(y, [perm.index(i) for i in range(rank)]), e)


@RULES.rule(core.Quantize)
def quantize(op: core.Quantize, e: TflBuilder) -> Value:
    """QUANTIZE, of float32: the kernel takes no other floats (kernels/quantize.cc)."""
    x = e.cast(op.x, DType.F32) if op.x.tensor.dtype.is_half else op.x
    return e.one("QUANTIZE", [x], op.y.type)


@RULES.rule(core.StorageCast)
def storage_cast(op: core.StorageCast, e: TflBuilder) -> Value:
    """Integers of a quantized tensor as plain ones, or the other way round: the same bits."""
    return e.one("BITCAST", [op.x], op.y.type)


@RULES.rule(core.Dequantize)
def dequantize(op: core.Dequantize, e: TflBuilder) -> Value:
    """DEQUANTIZE, which gives float32 whatever is asked for (kernels/dequantize.cc)."""
    element = DType.F32 if op.y.tensor.dtype.is_half else op.y.tensor.element
    return e.cast(e.one("DEQUANTIZE", [op.x], TensorType(element, op.y.tensor.shape)), op.y.tensor.dtype)
