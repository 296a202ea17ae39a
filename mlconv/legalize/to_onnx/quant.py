"""Borders of quantized tensors.

A quantized tensor is its integers; QuantizeLinear and DequantizeLinear stand where numbers become integers and back.
Sources: ONNX QuantizeLinear-13, -19, -21, DequantizeLinear-13, -19, -21; ONNX Runtime, "Quantize ONNX models".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType, storage_range
from mlconv.ir.types import TensorType
from mlconv.legalize.to_onnx.builder import OnnxBuilder, shape_of
from mlconv.rewrite import Rules

RULES = Rules()

_LINEAR = {DType.I8: 0, DType.U8: 0, DType.I16: 21, DType.U16: 21, DType.I4: 21, DType.U4: 21}
_LINEAR |= {DType.I2: 25, DType.U2: 25}
"""Storage types that QuantizeLinear gives, and the operator sets that it needs for them."""
_IN_4_BITS = {DType.I2: DType.I4, DType.U2: DType.U4}


def _parameters(e: OnnxBuilder, quant: QuantType) -> tuple[Value, Value | None, int, dict[str, Any]]:
    """Scales, zero points, the operator set and the attributes that a border needs."""
    since = _LINEAR.get(quant.storage, 0)
    if quant.expressed is not DType.F32:
        since = max(since, 19)
    scales = e.constant(recipes.cast(quant.scales, quant.expressed))
    zeros: Const | None = None if isinstance(quant.zero_points, int) else quant.zero_points
    attributes: dict[str, Any] = {}
    if not quant.is_per_tensor:
        attributes["axis"] = quant.axis
    if isinstance(quant.scheme, Blocked):
        since = max(since, 21)
        attributes["block_size"] = quant.scheme.size
    return scales, None if zeros is None else e.constant(zeros), since, attributes


def _zeros(e: OnnxBuilder, quant: QuantType) -> Value:
    """Zero points of 0, whose type is that of the integers."""
    return e.constant(make_const(np.zeros(quant.scales.shape, quant.storage.numpy), quant.storage))


def dequantized(e: OnnxBuilder, x: Value, quant: QuantType, t: TensorType) -> Value:
    """The numbers of integers."""
    if quant.storage not in (*_LINEAR, DType.I32) or (
        quant.storage is DType.I32 and not isinstance(quant.zero_points, int)
    ):
        return _spelled(e, x, quant, t)
    scales, zeros, since, attributes = _parameters(e, quant)
    if zeros is None and quant.storage is not DType.I32 and not isinstance(quant.scheme, Blocked):
        zeros = _zeros(e, quant)  # runtimes compare both borders of an op: what one has, the other needs
    return e.one("DequantizeLinear", [x, scales, zeros], t, since=since, **attributes)


def _spelled(e: OnnxBuilder, x: Value, quant: QuantType, t: TensorType) -> Value:
    """scale * (x - zero) for integers that DequantizeLinear does not take, in float64, which holds them."""
    shape = shape_of(x, "a quantized tensor")
    zeros = e.constant(quant.spread(quant.zero_array(), shape).astype(np.float64))
    scales = e.constant(quant.spread(quant.scales.view(), shape).astype(np.float64))
    return e.cast(e.mul(e.sub(e.cast(x, DType.F64), zeros), scales), t.dtype)


def integers(e: OnnxBuilder, x: Value, quant: QuantType, t: TensorType) -> Value:
    """The integers nearest to numbers, within the type's range."""
    if quant.storage not in _LINEAR:
        return _rounded(e, x, quant, t)
    scales, zeros, since, attributes = _parameters(e, quant)
    y = e.one("QuantizeLinear", [x, scales, zeros or _zeros(e, quant)], t, since=since, **attributes)
    if (quant.qmin, quant.qmax) == storage_range(quant.storage):
        return y
    return e.clamp(y, float(quant.qmin), float(quant.qmax))


def _rounded(e: OnnxBuilder, x: Value, quant: QuantType, t: TensorType) -> Value:
    """Integers that QuantizeLinear does not give, by float64."""
    shape = shape_of(x, "what is quantized")
    zeros = e.constant(quant.spread(quant.zero_array(), shape).astype(np.float64))
    scales = e.constant(quant.spread(quant.scales.view(), shape))
    ratio = e.cast(e.y(core.Round(e.div(e.cast(x, DType.F32), scales))), DType.F64)
    return e.cast(e.clamp(e.add(ratio, zeros), float(quant.qmin), float(quant.qmax)), t.dtype)


@RULES.rule(core.Quantize)
def quantize(op: core.Quantize, e: OnnxBuilder) -> Value:
    """QuantizeLinear."""
    return integers(e, op.x, op.element, op.y.tensor.stored)


@RULES.rule(core.Dequantize)
def dequantize(op: core.Dequantize, e: OnnxBuilder) -> Value:
    """DequantizeLinear."""
    quant, known = quantized(op.x), const_of(op.x)
    if known is not None and e.version.profile == "ort" and quant.storage in _IN_4_BITS and _is_ragged(known.shape):
        storage = _IN_4_BITS[quant.storage]
        zeros = quant.zero_points if isinstance(quant.zero_points, int) else recipes.cast(quant.zero_points, storage)
        wide = QuantType(storage, quant.expressed, quant.scheme, quant.scales, zeros)
        return dequantized(e, e.constant(recipes.cast(known, storage)), wide, op.y.tensor)
    return dequantized(e, op.x, quant, op.y.tensor)


def _is_ragged(shape: tuple[int, ...]) -> bool:
    """ONNX Runtime 1.31 makes MatMulNBits of weights of 2 bits, and takes others' integers where a product has no whole
    eight columns.
    """
    return len(shape) > 1 and any(n % 8 for n in shape)


@RULES.rule(core.ToIntegers)
def to_integers(op: core.ToIntegers, e: OnnxBuilder) -> Value:
    """QuantizeLinear."""
    return integers(e, op.x, op.quant, op.y.tensor)


@RULES.rule(core.FromIntegers)
def from_integers(op: core.FromIntegers, e: OnnxBuilder) -> Value:
    """DequantizeLinear."""
    return dequantized(e, op.x, op.quant, op.y.tensor)


@RULES.rule(core.StorageCast)
def storage_cast(op: core.StorageCast, e: OnnxBuilder) -> Value:
    """The same integers."""
    return op.x


@RULES.rule(core.FakeQuant)
def fake_quant(op: core.FakeQuant, e: OnnxBuilder) -> Value:
    """Limited, counted in steps from the lowest number, rounded with halves up (TensorFlow FakeQuant)."""
    quant, x = op.quant, op.x
    shape = shape_of(x, "what is quantized")
    numbers = (quant.spread(v, shape).astype(np.float32) for v in (*op.params(), op.zero_levels()))
    low, high, scale, zero = (e.constant(v) for v in numbers)
    limited = e.minimum(e.maximum(e.cast(x, DType.F32), low), high)
    count = e.floor(e.add(e.sub(e.div(e.sub(limited, low), scale), zero), 0.5))
    return e.cast(e.mul(count, scale), op.y.tensor.dtype)


def _bounded(e: OnnxBuilder, y: Value, element: QuantType, lo: int, hi: int) -> Value:
    """Numbers within bounds of stored integers, rounded: Relu and Clip stay in front of QuantizeLinear."""
    scale, zero = float(element.scales.view()), int(element.zero_array())
    low = (lo - zero) * scale if lo > element.qmin else -math.inf
    high = (hi - zero) * scale if hi < element.qmax else math.inf
    if (low, high) != (-math.inf, math.inf):
        y = e.clamp(y, low, high)
    return e.y(core.Quantize(y, element=element))


def _numbers(e: OnnxBuilder, x: Value) -> Value:
    return e.y(core.Dequantize(x))


@RULES.rule(core.QuantConv)
def quant_conv(op: core.QuantConv, e: OnnxBuilder) -> Value:
    """Conv between borders."""
    bias = None if op.bias is None else _numbers(e, op.bias)
    y = e.y(op.unrounded(core.Conv, _numbers(e, op.x), _numbers(e, op.w), bias))
    return _bounded(e, y, op.element, op.lo, op.hi)


@RULES.rule(core.QuantMatMul)
def quant_matmul(op: core.QuantMatMul, e: OnnxBuilder) -> Value:
    """MatMul, and Add for the bias, between borders."""
    y = e.matmul(_numbers(e, op.a), _numbers(e, op.b), transpose_a=op.transpose_a, transpose_b=op.transpose_b)
    if op.bias is not None:
        y = e.add(y, _numbers(e, op.bias))
    return _bounded(e, y, op.element, op.lo, op.hi)


_BINARY = {"add": core.Add, "sub": core.Sub, "mul": core.Mul}


@RULES.rule(core.QuantBinary)
def quant_binary(op: core.QuantBinary, e: OnnxBuilder) -> Value:
    """Add, Sub, Mul between borders."""
    return _bounded(e, e.y(_BINARY[op.kind](_numbers(e, op.a), _numbers(e, op.b))), op.element, op.lo, op.hi)


@RULES.rule(core.QuantMean)
def quant_mean(op: core.QuantMean, e: OnnxBuilder) -> Value:
    """ReduceMean between borders."""
    y = e.y(core.ReduceMean(_numbers(e, op.x), axes=op.axes, keepdims=op.keepdims))
    return _bounded(e, y, op.element, op.lo, op.hi)


@RULES.rule(core.Requantize)
def requantize(op: core.Requantize, e: OnnxBuilder) -> Value:
    """DequantizeLinear, QuantizeLinear."""
    return _bounded(e, _numbers(e, op.x), op.element, op.lo, op.hi)
