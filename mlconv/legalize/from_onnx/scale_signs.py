"""Scales of constant integers that no quantization has, below 0 or 0: the same numbers by other integers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.quant import storage_range
from mlconv.rewrite import constant_of
from mlconv.rewrite.core_builder import CoreBuilder

MOST_BYTES = 1 << 26  # of scales that are computed of constants, as where those of 16 bits are cast


class Quantized(NamedTuple):
    """Integers, their scales and zero points."""

    x: Value
    scale: Value
    zero: Value | None


def with_positive_scales(n: CoreBuilder, given: Quantized, axis: int, block: int) -> Quantized:
    """The same numbers, of constants, with scales above 0; what is given where that cannot be.

    (q - z) * s is (~q - ~z) * -s, where ~ turns every bit of an integer: ONNX Runtime's MatMulNBitsQuantizer gives a
    block the sign of its largest weight.  Where a scale is 0 all numbers are, whatever the integers.
    """
    stored, scales = const_of(given.x), constant_of(given.scale, MOST_BYTES)
    zeros = None if given.zero is None else constant_of(given.zero, MOST_BYTES)
    if stored is None or scales is None or (given.zero is not None and zeros is None):
        return given
    axis %= max(len(stored.shape), 1)
    dtype, shape = given.x.tensor.dtype, _shape_of_masks(stored.shape, scales.shape, axis, block)
    fits = dtype.is_int and scales.dtype.is_float and (zeros is None or zeros.size in (1, scales.size))
    if shape is None or not fits or (zeros is not None and zeros.dtype is not dtype):
        return given
    numbers = scales.view()
    below, none = numbers < 0, numbers == 0
    # one zero point for each block is no loss; along an axis of channels few kernels take any
    if not np.isfinite(numbers).all() or not (below | none).any() or (below.any() and not block):
        return given
    every = -1 if dtype.is_signed_int else storage_range(dtype)[1]
    points = _points(zeros, numbers)
    keep, turn = np.where(none, 0, every), np.where(none, points, np.where(below, every, 0))
    masks = [make_const(mask.astype(dtype.numpy).reshape(shape), dtype) for mask in (keep, turn)]
    if block:  # one for each place along the axis
        places = make_const(np.arange(stored.shape[axis]) // block)
        masks = [recipes.take(mask, places, axis) for mask in masks]
    integers = recipes.binary("xor", recipes.binary("and", stored, masks[0]), masks[1])
    positive = np.where(none, 1, np.abs(numbers)).astype(numbers.dtype)
    x = n.constant(integers)
    if given.zero is None and not below.any():
        return Quantized(x, n.constant(make_const(positive, scales.dtype)), None)
    turned = np.where(below, points ^ every, points).astype(dtype.numpy)
    return Quantized(x, n.constant(make_const(positive, scales.dtype)), n.constant(make_const(turned, dtype)))


def _shape_of_masks(whole: tuple[int, ...], scales: tuple[int, ...], axis: int, block: int) -> tuple[int, ...] | None:
    """The shape under which a number for each scale broadcasts against integers, or has one for each block; None where
    they do not belong together.
    """
    ones = [1] * len(whole)
    if not block:
        if scales in ((), (1,)):
            return tuple(ones)
        ones[axis : axis + 1] = scales
        return tuple(ones) if scales == whole[axis : axis + 1] else None
    return scales if tuple(-(-d // block) if i == axis else d for i, d in enumerate(whole)) == scales else None


def _points(zeros: Const | None, numbers: Array) -> Array:
    """Zero points of the scales' shape."""
    if zeros is None:
        return np.zeros(numbers.shape, np.int64)
    points = zeros.view().astype(np.int64)
    return np.broadcast_to(points.reshape(() if points.size == 1 else numbers.shape), numbers.shape)
