"""Constant integers with scales in blocks, the last of which is not whole: smaller blocks, and the same numbers; or
whole ones, and a slice of the numbers, which products do without.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.ir import recipes
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked
from mlconv.ir.spec import known_ints
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


_STORAGE = (DType.I4, DType.U4, DType.I8, DType.U8)


def filled_up(n: CoreBuilder, given: Quantized, axis: int, block: int) -> Value | None:
    """The integers of a matrix, filled up with zeros to whole blocks; None for others."""
    shape, value = given.x.tensor.shape, constant_of(given.x)
    if value is None or not shape or len(shape) != 2 or block < 1 or value.dtype not in _STORAGE:
        return None
    missing, blocks = -value.shape[axis % 2] % block, -(-value.shape[axis % 2] // block)
    wanted = tuple(blocks if i == axis % 2 else d for i, d in enumerate(value.shape))
    if not missing or constant_of(given.scale) is None or given.scale.tensor.shape != wanted:
        return None
    return n.constant(recipes.pad_zeros(value, tuple((0, missing if i == axis % 2 else 0) for i in range(2))))


def product_of_whole_blocks(
    n: CoreBuilder, a: Value, b: Value, transpose_a: bool = False, transpose_b: bool = False
) -> Value:
    """A product; where its second factor has integers in blocks, of these as they are stored: whole blocks where it is
    a slice of them along its depth, and zeros against what fills up the last one; behind a transposition, turned.
    """
    made = b.producer
    turned = isinstance(made, core.Transpose) and made.perm == (1, 0)
    whole = made.x if isinstance(made, core.Transpose) and turned else b
    depth, cut = int(transpose_b != turned), whole.producer
    missing = _cut(cut, depth) if isinstance(cut, core.Slice) else 0
    if isinstance(cut, core.Slice) and missing:
        rank = n.rank(a)
        along = rank - (2 if transpose_a else 1)
        a, whole = n.pad(a, [(0, missing if i == along else 0) for i in range(rank)]), cut.x
    if _block(whole, depth):
        b, transpose_b = whole, transpose_b != turned
    return n.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def rows_of_whole_blocks(n: CoreBuilder, table: Value, places: Value, axis: int) -> Value:
    """What is looked up along an axis of a table; where it is a slice of integers in whole blocks along the other axis,
    in these as they are stored, and a slice of that.
    """
    cut, along = table.producer, 1 - axis
    if not isinstance(cut, core.Slice) or table.tensor.rank != 2 or not _cut(cut, along):
        return n.gather(table, places, axis)
    rows = n.gather(cut.x, places, axis)
    behind = along if along < axis else along + n.rank(places) - 1
    return n.slice_axis(rows, behind, None, n.dim(table, along))


def _block(numbers: Value, axis: int) -> int:
    """Integers of a block along an axis of a matrix that they are the numbers of; 0 for others."""
    border = numbers.producer
    if not isinstance(border, core.Dequantize) or numbers.tensor.rank != 2:
        return 0
    scheme = quantized(border.x).scheme
    return scheme.size if isinstance(scheme, Blocked) and scheme.axis == axis else 0


def _cut(op: core.Slice, axis: int) -> int:
    """Places that a slice takes off what fills up the last block along an axis, and nothing else; 0 for other
    slices.
    """
    whole, left = op.x.tensor.shape, op.y.tensor.shape
    begins = [0 if op.begin_mask >> i & 1 else at for i, at in enumerate(known_ints(op.begin) or (1, 1))]
    if whole is None or left is None or len(whole) != 2 or begins != [0, 0] or known_ints(op.strides) != (1, 1):
        return 0
    missing = [x - y if isinstance(x, int) and isinstance(y, int) else -1 for x, y in zip(whole, left, strict=True)]
    return missing[axis] if missing[1 - axis] == 0 < missing[axis] < _block(op.x, axis) else 0
