"""DFT of a length that a run gives: a product with a matrix of cosines and sines, which is made for the length."""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import known_ints
from mlconv.legalize.from_onnx.node import Node

I64 = DType.I64


def by_matrix(n: Node, x: Value, axis: int, length: Value, *, inverse: bool, onesided: bool) -> Value:
    """x [..., points, ..., 1 or 2] along `axis`, cut or filled with zeros to `length`, an integer scalar.  onesided:
    the first half of the result, or, of the inverse, real points of the first half of a spectrum.  ONNX DFT-20.
    """
    dtype = x.tensor.dtype
    size = n.cast(n.reshape(length, [1]), I64)
    half = n.add(n.div(size, 2), 1)
    of_half = inverse and onesided
    read = n.y(core.Range(n.constant(0, I64), _number(n, x, axis), n.constant(1, I64)))
    made = n.cast(n.arange(half if onesided and not inverse else size), I64)
    turns = n.y(core.FloorMod(n.mul(n.expand_dims(made, 1), read), size))  # exact, whatever the length
    angle = n.div(n.mul(n.cast(turns, dtype), 2 * math.pi), n.cast(size, dtype))
    used = half if of_half else size
    shape, limit = x.tensor.shape or (), known_ints(used)
    all_used = limit is not None and limit[0] is not None and holds(shape[axis], "<=", limit[0], SizeFacts())
    factor = n.constant(1, dtype) if all_used else n.cast(n.less(read, used), dtype)
    if of_half:  # the other half mirrors all but the first element and, of an even length, the last one
        alone = n.logical_or(n.equal(read, 0), n.equal(n.mul(read, 2), size))
        factor = n.where(alone, factor, n.mul(factor, 2))
    if inverse:
        factor = n.div(factor, n.cast(size, dtype))
    cos, sin = n.y(core.Cos(angle)), n.y(core.Sin(angle))
    if not inverse:
        sin = n.neg(sin)
    if inverse or not all_used:
        cos, sin = n.mul(cos, factor), n.mul(sin, factor)
    return _product(n, x, axis, cos, sin, real=of_half)


def _number(n: Node, x: Value, axis: int) -> Value:
    size = n.dim(x, axis)
    return n.constant(size, I64) if isinstance(size, int) else n.cast(n.scalar(size), I64)


def _product(n: Node, x: Value, axis: int, cos: Value, sin: Value, *, real: bool) -> Value:
    """x along an axis times cos + i sin, [made, read]; the real part alone where that is all."""
    rank = n.rank(x)
    turn = [*(a for a in range(rank) if a != axis), axis]
    wide = n.transpose(x, turn)  # [..., 1 or 2, read]

    def times(part: Value, matrix: Value) -> Value:
        return n.matmul(part, matrix, transpose_b=True)

    parts = [n.slice_axis(wide, rank - 2, i, i + 1) for i in range(2)] if n.dim(x, rank - 1) == 2 else [wide]
    re, im = times(parts[0], cos), None if real else times(parts[0], sin)
    if len(parts) == 2:
        re = n.sub(re, times(parts[1], sin))
        im = None if im is None else n.add(im, times(parts[1], cos))
    y = re if im is None else n.concat([re, im], rank - 2)
    return n.transpose(y, [turn.index(a) for a in range(rank)])
