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
from mlconv.rewrite.core_builder import CoreBuilder

_SCALE_BYTES = 12  # of a row, in a file: a scale of 4 and a zero point of 8
_NUMBER_BYTES = 4  # of a row whose scale is an element of a constant
_GROWTH = 1.1  # of a file, that scales may make of it
_FILL_BYTES = 512  # of ops that fill blocks up
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
    rewriter, length = Rewriter(border), value.shape[scheme.axis]
    quant = _in_smaller_blocks(quant, length)
    size, count = quant.scheme.size if isinstance(quant.scheme, Blocked) else 1, quant.scales.shape[scheme.axis]
    products = (core.MatMul, core.Conv, core.ConvTranspose)
    reads_all = all(isinstance(user, products) for user, _ in readers(border.y, turned=True))
    if length < count * size or (reads_all and has_short_rows(quant)):
        numbers = _multiplied(value.reshape((value.size // length, length)), quant, size, rewriter)
    else:
        rows = (quant.scales.size, size)
        zeros = quant.zero_points if isinstance(quant.zero_points, int) else quant.zero_points.reshape(rows[:1])
        element = quant.with_numbers(PerAxis(0), quant.scales.reshape(rows[:1]), zeros)
        integers = rewriter.emit(core.Constant(value=value.reshape(rows), element=element)).y
        numbers = rewriter.emit(core.Dequantize(integers)).y
    shape = rewriter.emit(core.Constant(value=make_const(list(value.shape)))).y
    rewriter.replace(border, rewriter.emit(core.Reshape(numbers, shape)).y)
    return True


def _in_smaller_blocks(quant: QuantType, length: int) -> QuantType:
    """Where the last block along an axis of a length is short, whole ones with the same numbers, if their scales take
    no more bytes than the ops that fill blocks up.
    """
    scheme = quant.scheme
    if not isinstance(scheme, Blocked) or length % scheme.size == 0:
        return quant
    size, axis = math.gcd(length, scheme.size), scheme.axis
    more = quant.scales.size * (length // size / quant.scales.shape[axis] - 1)
    each = _NUMBER_BYTES + (quant.storage.bits / _BYTE if quant.zero_array().any() else 0)
    if more * each > _FILL_BYTES:
        return quant
    places, zeros = make_const(np.arange(length // size) * size // scheme.size), quant.zero_points
    zeros = zeros if isinstance(zeros, int) else recipes.take(zeros, places, axis)
    return quant.with_numbers(Blocked(axis, size), recipes.take(quant.scales, places, axis), zeros)


def has_short_rows(quant: QuantType) -> bool:
    """Blocks have so few integers that scales and zero points of a type would be a large part of the file."""
    size = quant.scheme.size if isinstance(quant.scheme, Blocked) else math.inf
    own = size * quant.storage.bits / _BYTE
    return quant.scales.size >= _LEAST and own + _SCALE_BYTES > _GROWTH * (own + _NUMBER_BYTES)


def _multiplied(value: Const, quant: QuantType, size: int, rewriter: Rewriter) -> Value:
    """(x - zero) * scale, where both are columns of numbers.  value: of blocks along the last of two axes, which are
    rows; where the last block is short, its numbers are filled up, and cut off again.
    """
    outer, length = value.shape
    whole = quant.scales.size // outer * size
    zeros, scales = (np.reshape(a, (-1, 1)) for a in (quant.zero_array(), quant.scales.view()))
    if quant.storage.is_signed_int and ((zeros == -1) | (zeros == 0)).all():
        # (x + 1) * scale is ~x * -scale, as where a scale was below 0 (`with_positive_scales`)
        turned = make_const(zeros.astype(quant.storage.numpy).reshape(outer, -1), quant.storage)
        turned = recipes.take(turned, make_const(np.arange(length) // size), 1)
        value, scales = recipes.binary("xor", value, turned), np.where(zeros, -scales, scales)
        zeros = np.zeros_like(zeros)
    b = CoreBuilder(rewriter)
    if whole > length:
        numbers = b.reshape(b.pad(of_integers(value, rewriter), [(0, 0), (0, whole - length)]), (zeros.size, size))
    else:
        numbers = of_integers(value.reshape((zeros.size, size)), rewriter)
    if zeros.any():
        column = make_const(zeros.astype(quant.storage.numpy), quant.storage)
        numbers = rewriter.emit(core.Sub(numbers, of_integers(column, rewriter))).y
    numbers = b.cast(rewriter.emit(core.Mul(numbers, _column(scales, rewriter))).y, quant.expressed)
    return b.slice_axis(b.reshape(numbers, (outer, whole)), 1, None, length) if whole > length else numbers


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
