"""Constant integers in blocks as rows that have a scale each, where tensors have scales along an axis alone."""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis, QuantType
from mlconv.passes.quantized.weights import STORAGE, holds, readers
from mlconv.rewrite import Rewriter

_SCALE_BYTES = 12  # of a row, in a file: a scale of 4 and a zero point of 8
_NUMBER_BYTES = 4  # of a row whose scale is an element of a constant
_GROWTH = 1.1  # of a file, that scales may make of it
_LEAST = 256  # rows from which on it is worth an op
_BYTE = 8


def kept_weights(border: core.Dequantize) -> bool:
    """Integers in blocks become numbers under a shape that has an axis of blocks; False for what kernels do not
    take.
    """
    quant, value = quantized(border.x), const_of(border.x)
    scheme = quant.scheme
    if value is None or not isinstance(scheme, Blocked) or quant.storage not in STORAGE or quant.scales.size == 0:
        return False
    if math.prod(value.shape[scheme.axis + 1 :]) != 1:
        return False
    rewriter, rows = Rewriter(border), (quant.scales.size, scheme.size)
    products = (core.MatMul, core.Conv, core.ConvTranspose)
    reads_all = all(isinstance(user, products) for user, _ in readers(border.y, turned=True))
    if reads_all and has_short_rows(quant):
        numbers = _multiplied(value.reshape(rows), quant, rewriter)
    else:
        zeros = quant.zero_points if isinstance(quant.zero_points, int) else quant.zero_points.reshape(rows[:1])
        element = quant.with_numbers(PerAxis(0), quant.scales.reshape(rows[:1]), zeros)
        integers = rewriter.emit(core.Constant(value=value.reshape(rows), element=element)).y
        numbers = rewriter.emit(core.Dequantize(integers)).y
    shape = rewriter.emit(core.Constant(value=make_const(list(value.shape)))).y
    rewriter.replace(border, rewriter.emit(core.Reshape(numbers, shape)).y)
    return True


def has_short_rows(quant: QuantType) -> bool:
    """Blocks have so few integers that scales and zero points of a type would be a large part of the file."""
    size = quant.scheme.size if isinstance(quant.scheme, Blocked) else math.inf
    own = size * quant.storage.bits / _BYTE
    return quant.scales.size >= _LEAST and own + _SCALE_BYTES > _GROWTH * (own + _NUMBER_BYTES)


def _multiplied(integers: Const, quant: QuantType, rewriter: Rewriter) -> Value:
    """(x - zero) * scale, where both are columns of numbers."""
    zeros, scales = (np.reshape(a, (-1, 1)) for a in (quant.zero_array(), quant.scales.view()))
    if quant.storage.is_signed_int and ((zeros == -1) | (zeros == 0)).all():
        # (x + 1) * scale is ~x * -scale, as where a scale was below 0 (`with_positive_scales`)
        turned = make_const(zeros.astype(quant.storage.numpy), quant.storage)
        integers, scales = recipes.binary("xor", integers, turned), np.where(zeros, -scales, scales)
        zeros = np.zeros_like(zeros)
    numbers = of_integers(integers, rewriter)
    if zeros.any():
        column = make_const(zeros.astype(quant.storage.numpy), quant.storage)
        numbers = rewriter.emit(core.Sub(numbers, of_integers(column, rewriter))).y
    numbers = rewriter.emit(core.Mul(numbers, _column(scales, rewriter))).y
    return numbers if quant.expressed is DType.F32 else rewriter.emit(core.Cast(numbers, dtype=quant.expressed)).y


def of_integers(integers: Const, rewriter: Rewriter) -> Value:
    """Their numbers, with a scale of 1, which a target makes once of a constant."""
    element = QuantType.of(integers.dtype, 1.0)
    return rewriter.emit(core.Dequantize(rewriter.emit(core.Constant(value=integers, element=element)).y)).y


def _column(scales: Array, rewriter: Rewriter) -> Value:
    """float32, stored as float16 where these hold them."""
    numbers = scales.astype(np.float32)
    if not holds(DType.F16, numbers):
        return rewriter.emit(core.Constant(value=make_const(numbers))).y
    halves = rewriter.emit(core.Constant(value=make_const(numbers.astype(np.float16)))).y
    return rewriter.emit(core.Cast(halves, dtype=DType.F32)).y
