"""Models trained with fake quantization: weights as the integers that it gives, activations between borders.

Source: TensorFlow FakeQuantWithMinMaxVars, fake_quant_ops_functor.h; TensorFlow Model Optimization, quantization-aware
training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Block, Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import PerAxis, PerTensor, QuantType
from mlconv.ir.spec import OpDef
from mlconv.passes.per_channel import per_channel
from mlconv.passes.quantized import simulated
from mlconv.passes.quantized.borders import has_one_live_use
from mlconv.passes.quantized.simulated import weights_of
from mlconv.passes.quantized.weights import MOVING, moved_weights
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_array, constant_of, rewrite
from mlconv.rewrite.pattern import Replacement

_PRODUCTS = (core.Conv, core.ConvTranspose, core.MatMul)
_SIGNED = {DType.U8: DType.I8, DType.U16: DType.I16}


def is_trained(block: Block) -> bool:
    """A product reads weights that are quantized as in training.  Other fake quantization is arithmetic of its own."""
    return any(_quantizes_weights(op) for op in walk(block))


def _quantizes_weights(op: Op) -> bool:
    if isinstance(op, core.FakeQuant):
        return _constant(op) is not None and _feeds(op.y)
    return isinstance(op, core.Mul) and weights_of(op) is not None and _feeds(op.y)


def _feeds(value: Value) -> bool:
    """A product reads a value, or what moves it."""
    return any(isinstance(u, _PRODUCTS) or (isinstance(u, MOVING) and _feeds(u.results[0])) for u in value.users)


def _constant(op: core.FakeQuant) -> Const | None:
    value = const_of(op.x)
    return constant_of(op.x) if value is None else value


@rewrite(core.FakeQuant)
def fake_quantized(op: core.FakeQuant, rw: Rewriter) -> Replacement | NoMatch:
    """The numbers of stored integers."""
    quant, constant = op.quant, _constant(op)
    if quant.expressed is not DType.F32 or (constant is not None and quant.storage is not DType.U8):
        return NoMatch(f"{quant} of {op.x.type} has no integers")
    if constant is not None:
        return rw.emit(core.Dequantize(_weights(op, constant, rw))).y
    storage = _SIGNED[quant.storage]
    element = _element(quant, storage, quant.zero_array() - (1 << (storage.bits - 1)))
    x = op.x
    if quant.qmax - quant.qmin < (1 << storage.bits) - 1:
        if not quant.is_per_tensor:
            return NoMatch(f"{quant} has limits of channels")
        low, high, _ = op.params()
        x = rw.emit(core.Clamp(x, lo=float(low), hi=float(high))).y
    return rw.emit(core.Dequantize(rw.emit(core.Quantize(x, element=element)).y)).y


def _element(quant: QuantType, storage: DType, zeros: Array) -> QuantType:
    return QuantType.of(storage, quant.scales.view(), zeros, quant.axis)


def _weights(op: core.FakeQuant, constant: Const, rw: Rewriter) -> Value:
    """Integers less their zero points, where int8 holds them, else those of the range, with zero points."""
    quant = op.quant
    zeros, shape = quant.zero_array(), constant.shape
    low, high, scale, levels = (quant.spread(v, shape).astype(np.float32) for v in (*op.params(), op.zero_levels()))

    def integers(shift: Array, dtype: DType) -> Const:
        moved = levels - quant.spread(shift, shape).astype(np.float32)
        return recipes.levels(constant, [make_const(np.ascontiguousarray(v)) for v in (low, high, scale, moved)], dtype)

    shift = np.zeros_like(zeros)
    fit = bool((quant.qmin - zeros >= -128).all() and (quant.qmax - zeros <= 127).all())
    if not fit and not _are_of_int8(integers(shift, DType.I16)):
        shift = zeros - 128
    return rw.emit(core.Constant(value=integers(shift, DType.I8), element=_element(quant, DType.I8, shift))).y


def _are_of_int8(c: Const) -> bool:
    """Integers of 16 bits all lie in the range of 8."""
    blocks = (np.frombuffer(block, np.int16) for block in c.blocks())
    return all(block.min() >= -128 and block.max() <= 127 for block in blocks if block.size)


@rewrite(*MOVING)
def stored_weights(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """Stored weights are moved as such."""
    maker = op.inputs[0].producer
    if not isinstance(maker, core.Dequantize) or const_of(maker.x) is None:
        return NOT_MEANT
    made = moved_weights(op, rw)
    return NoMatch("the scales have no axis behind it") if made is None else made


def _stored_convolution(value: Value) -> tuple[core.Conv, core.Dequantize, int] | None:
    """The convolution behind a value, of stored weights, which nothing else reads, and its number of channels."""
    conv = value.producer
    if not isinstance(conv, core.Conv) or not has_one_live_use(value):
        return None
    border, channels = conv.w.producer, (value.tensor.shape or ())[conv.y_layout.index("C") :][:1]
    if not isinstance(border, core.Dequantize) or const_of(border.x) is None or not channels:
        return None
    return (conv, border, channels[0]) if isinstance(channels[0], int) else None


def _channel_constant(value: Value, conv: core.Conv, channels: int) -> Const | None:
    """One number for each channel of a convolution's result; None for what is no constant of that kind."""
    constant = constant_of(value)
    if constant is None or not constant.dtype.is_float:
        return None
    return per_channel(constant, len(conv.y_layout), conv.y_layout.index("C"), channels)


class _Behind(NamedTuple):
    """A convolution of stored weights, and a number for each of its channels that its result meets.  bias: of the
    convolution, where it has one.
    """

    conv: core.Conv
    border: core.Dequantize
    vector: Const
    bias: Array | None


def _behind(a: Value, b: Value) -> _Behind | None:
    for value, other in ((a, b), (b, a)):
        found = _stored_convolution(value)
        vector = None if found is None else _channel_constant(other, found[0], found[2])
        if found is None or vector is None:
            continue
        conv, border, _ = found
        bias = None if conv.bias is None else constant_array(conv.bias)
        if conv.bias is None or bias is not None:
            return _Behind(conv, border, vector, bias)
    return None


@rewrite(core.Add)
def bias_behind(op: core.Add, rw: Rewriter) -> Replacement | NoMatch:
    """Numbers of channels behind a convolution are its bias."""
    found = _behind(op.a, op.b)
    if found is None:
        return NOT_MEANT
    conv, _, vector, bias = found
    rw.fuse(conv, by="quant-lower")
    total = vector if bias is None else make_const(bias + vector.view())
    return rw.emit(core.Conv(conv.x, conv.w, rw.emit(core.Constant(value=total)).y, **conv.attributes)).y


@rewrite(core.Mul)
def scale_behind(op: core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """Factors of channels behind a convolution go into the scales of its weights."""
    found = _behind(op.a, op.b)
    if found is None:
        return NOT_MEANT
    conv, border, vector, bias = found
    weights = _scaled(border, conv.w_layout.index("O"), vector.view(), rw)
    if weights is None:
        return NoMatch(f"{border.x.type} times these factors has no scales")
    rw.fuse(conv, by="quant-lower")
    shift = None if bias is None else rw.emit(core.Constant(value=make_const(bias * vector.view()))).y
    return rw.emit(core.Conv(conv.x, weights, shift, **conv.attributes)).y


def _scaled(border: core.Dequantize, axis: int, factors: Array, rw: Rewriter) -> Value | None:
    """Weights times a factor for each output channel; None where no scale is that."""
    quant, constant = quantized(border.x), const_of(border.x)
    fits = (
        quant.axis in (None, axis)
        and isinstance(quant.zero_points, int)
        and isinstance(quant.scheme, (PerAxis, PerTensor))
    )
    if constant is None or not fits or not np.isfinite(factors).all():
        return None
    scales = np.asarray(np.abs(factors) * quant.scales.view(), np.float32)
    if not (scales > np.finfo(np.float32).tiny).all():
        return None
    if (factors < 0).any():
        signs = np.sign(factors).astype(np.int8).reshape([-1 if i == axis else 1 for i in range(len(constant.shape))])
        if quant.qmin <= -128 and constant.view().min(initial=0) == -128:
            return None
        constant = recipes.binary("mul", constant, make_const(signs))
    element = QuantType.of(quant.storage, scales, 0, axis)
    return rw.emit(core.Dequantize(rw.emit(core.Constant(value=constant, element=element)).y)).y


PATTERNS = (*simulated.PATTERNS, fake_quantized, stored_weights, bias_behind, scale_behind)
