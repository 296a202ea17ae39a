"""Quantization that is simulated in floats: round(limited x * scale) / scale.

Source: TensorFlow QuantizeAndDequantizeV2, quantize_and_dequantize_op.h.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_array, constant_of, rewrite
from mlconv.rewrite.pattern import Replacement

_LEAST, _MOST = -128, 127


class Simulated(NamedTuple):
    """x as integers in [low, high], int64, times `steps`; all of them of x's rank."""

    x: Value
    low: Array
    high: Array
    steps: Array


def _with_constant(op: Op | None, cls: type[core.Mul] | type[core.Add]) -> tuple[Value, Array] | None:
    """The other operand of a commutative op, and the constant."""
    if not isinstance(op, cls):
        return None
    for value, other in ((op.a, op.b), (op.b, op.a)):
        numbers = constant_array(other, 1 << 16)
        if numbers is not None:
            return value, numbers
    return None


def _scaled(op: Op | None) -> tuple[Value, Array] | None:
    """What is multiplied and then rounded, halves to even or up."""
    if isinstance(op, core.Round):
        return _with_constant(op.x.producer, core.Mul)
    moved = _with_constant(op.x.producer, core.Add) if isinstance(op, core.Floor) else None
    if moved is None or not (moved[1] == np.float32(0.5)).all():
        return None
    return _with_constant(moved[0].producer, core.Mul)


def simulated(op: Op) -> Simulated | None:
    """What a product of a rounded number and its step means; None for others, or more than 8 bits."""
    # what is constant takes a walk to find out: only where it may matter
    if not any(v is not None and isinstance(v.producer, (core.Round, core.Floor)) for v in op.operands):
        return None
    outer = _with_constant(op, core.Mul)
    scaled = None if outer is None else _scaled(outer[0].producer)
    lower = None if scaled is None else scaled[0].producer
    upper = lower.a.producer if isinstance(lower, core.Maximum) else None
    if outer is None or scaled is None or not isinstance(lower, core.Maximum) or not isinstance(upper, core.Minimum):
        return None
    ends = constant_array(lower.b, 1 << 16), constant_array(upper.b, 1 << 16)
    x, steps, scale = upper.a, outer[1], scaled[1]
    if ends[0] is None or ends[1] is None or x.tensor.dtype is not DType.F32 or not (steps > 0).all():
        return None
    if not np.allclose(scale.astype(np.float64) * steps, 1, rtol=1e-5):
        return None
    low, high = (np.rint(np.float64(end) * scale).astype(np.int64) for end in (ends[0], ends[1]))
    return Simulated(x, low, high, steps) if (high - low < 256).all() else None


def weights_of(op: Op) -> Const | None:
    """The constant that is rounded."""
    found = simulated(op)
    if found is None:
        return None
    value = const_of(found.x)
    return constant_of(found.x) if value is None else value


@rewrite(core.Mul)
def quantized_numbers(op: core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """The numbers of stored integers."""
    found = simulated(op)
    if found is None:
        return NOT_MEANT
    axes = [i for i, n in enumerate(found.steps.shape) if n > 1]
    shift = 0 if (found.low >= _LEAST).all() and (found.high <= _MOST).all() else -128
    low, high = (np.unique(v + shift) for v in (found.low, found.high))
    if len(axes) > 1 or len(low) > 1 or len(high) > 1 or low[0] < _LEAST or high[0] > _MOST:
        return NoMatch("limits, or scales, that no integers of 8 bits have")
    steps = found.steps.reshape(-1) if axes else found.steps.reshape(())
    element = QuantType.of(DType.I8, steps, np.full(steps.shape, shift), axes[0] if axes else None)
    constant = weights_of(op)
    if constant is not None:
        shape = constant.shape
        numbers = element.spread(steps, shape), np.asarray(element.spread(element.zero_array(), shape), np.float64)
        scales, zeros = (make_const(np.ascontiguousarray(v)) for v in numbers)
        integers = recipes.quantize(constant, scales, zeros, DType.I8, int(low[0]), int(high[0]))
        return rw.emit(core.Dequantize(rw.emit(core.Constant(value=integers, element=element)).y)).y
    if axes:
        return NoMatch("activations have one scale")
    x = found.x
    if (int(low[0]), int(high[0])) != (_LEAST, _MOST):
        ends = (float((v[0] - shift) * np.float64(steps)) for v in (low, high))
        x = rw.emit(core.Clamp(x, lo=next(ends), hi=next(ends))).y
    return rw.emit(core.Dequantize(rw.emit(core.Quantize(x, element=element)).y)).y


PATTERNS = (quantized_numbers,)
