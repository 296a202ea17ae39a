"""Constant integers with scales in blocks, the last of which is not whole: smaller blocks, and the same numbers."""

from __future__ import annotations

import math

import numpy as np

from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Value
from mlconv.legalize.from_onnx.scale_signs import MOST_BYTES, Quantized
from mlconv.rewrite import constant_of
from mlconv.rewrite.core_builder import CoreBuilder

_LEAST_BLOCK = 16


def dividing_block(size: int, block: int) -> int:
    """The largest block with one scale of blocks of this size, the last of which ends with the axis; 0 where those
    would be small.
    """
    each = min(size, math.gcd(size, block)) if size > block else size
    return each if each >= _LEAST_BLOCK else 0


def in_whole_blocks(n: CoreBuilder, given: Quantized, axis: int, block: int) -> tuple[Quantized, int]:
    """The same with scales for blocks that divide the axis, and the size of these; what is given where that cannot
    be.
    """
    shape = given.x.tensor.shape
    if not shape or block < 1:
        return given, block
    axis = axis % len(shape)
    size = shape[axis]
    each = dividing_block(size, block) if isinstance(size, int) and size % block else 0
    if not isinstance(size, int) or not each:
        return given, block
    scales = constant_of(given.scale, MOST_BYTES)
    zeros = None if given.zero is None else constant_of(given.zero, MOST_BYTES)
    wanted = tuple(-(-size // block) if i == axis else d for i, d in enumerate(shape))
    if scales is None or (given.zero is not None and zeros is None) or scales.shape != wanted:
        return given, block
    places = np.arange(size // each) * each // block

    def spread(const: Const) -> Value:
        return n.constant(make_const(np.take(const.view(), places, axis), const.dtype))

    zero = spread(zeros) if zeros is not None and zeros.shape == wanted else given.zero
    return Quantized(given.x, spread(scales), zero), each
