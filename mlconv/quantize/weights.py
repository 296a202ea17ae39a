"""Integers of weights: scales that lose least, and rounding that makes up for what was rounded before.

Sources: Frantar et al. 2023, "GPTQ", algorithm 1; Nagel et al. 2019, "Data-Free Quantization", section 4.2, with means
of activations from samples.  Where a bias takes up what outputs lose on average, only what differs from that counts:
moments are those around the mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import to_order
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis, PerTensor, QuantType, Scheme
from mlconv.ir.spec import OpDef
from mlconv.quantize.choose import bias_of
from mlconv.quantize.moments import Moments, depth_of
from mlconv.quantize.rounding import damped, rounded, stored_scales
from mlconv.quantize.unread import Unread

_RIDGE = 0.1  # of the mean of the diagonal: what samples do not show well stays as it is
_DOUBT = 0.2  # times k over inputs seen, that much more: few inputs tell little of others
_EXACT = 2.0**-18  # of squares, what sums of float32 tell of them


class Rounded(NamedTuple):
    """numbers: the integers of weights.  element: what they stand for.  shift: what output channels lose on average,
    None where no samples tell.
    """

    numbers: Const
    element: QuantType
    shift: Array | None


def rows_of(op: OpDef, weights: Array) -> Array:
    """Weights of a convolution or a product of matrices as rows [groups, outputs, k]."""
    if isinstance(op, core.Conv):
        n = len(op.strides)
        order = "".join(map(str, range(n))) + "IO"
        w = to_order(weights, op.w_layout, order)
        depth, outputs = math.prod(w.shape[:-1]), w.shape[-1]
        return w.reshape(depth, op.groups, outputs // op.groups).transpose(1, 2, 0)
    assert isinstance(op, core.MatMul)
    return (weights if op.transpose_b else weights.T)[None]


def of_rows(op: OpDef, rows: Array, shape: tuple[int, ...]) -> Array:
    """The inverse of `rows_of`.  shape: of the weights."""
    if isinstance(op, core.Conv):
        n = len(op.strides)
        order = "".join(map(str, range(n))) + "IO"
        sizes = tuple(shape[op.w_layout.index(c)] for c in order)
        w = rows.transpose(2, 0, 1).reshape(sizes)
        return np.ascontiguousarray(w.transpose([order.index(c) for c in op.w_layout]))
    assert isinstance(op, core.MatMul)
    return np.ascontiguousarray(rows[0] if op.transpose_b else rows[0].T)


def round_weights(
    op: OpDef, storage: DType, block: int, moments: Moments | None, others: Sequence[Moments] = ()
) -> Rounded:
    """Weights of a product as symmetric integers.  block: numbers along a sum that have one scale, 0 for all.  moments:
    of what it reads.  others: of what products with the same weights read.  Raises ConversionError QuantizationInvalid.
    """
    constant = const_of(op.operands[1])
    assert constant is not None
    if isinstance(constant, Unread):
        return _unread(op, constant, storage, block)
    weights = constant.view().astype(np.float32)
    rows = rows_of(op, weights).astype(np.float64)
    depth = rows.shape[-1]
    block = block if block and isinstance(op, core.MatMul) and depth % block == 0 else 0
    top = (1 << storage.bits - 1) - 1
    centred = const_of(bias_of(op)) is not None
    seen = [] if moments is None else [moments, *others]
    square = _mean([_squares(m, centred) for m in seen], seen) if seen else None
    wanted = rows if square is None else _making_up(rows, seen, square, centred)
    codes, scales = rounded(wanted, top, block, square, max(sum(m.rows for m in seen), 1))
    spread = np.repeat(scales, block or depth, axis=-1)
    shift = None
    if moments is not None:
        shift = _shift(rows, codes * spread, moments).reshape(-1).astype(np.float32)
    numbers = of_rows(op, codes, weights.shape).astype(storage.numpy)
    return Rounded(make_const(numbers, storage), _element(op, storage, scales, block, weights.shape, top), shift)


def _squares(moments: Moments, centred: bool) -> Array:
    """Mean squares [groups, k, k] of what is multiplied, centred: around its mean."""
    square = moments.square / max(moments.rows, 1)
    if not centred:
        return np.asarray(square)
    mean = moments.total / max(moments.rows, 1)
    around = square - mean[:, :, None] * mean[:, None, :]
    place = np.arange(square.shape[-1])
    around[:, place, place] += _EXACT * np.einsum("gkk->gk", square)
    return np.asarray(around)


def _mean(parts: Sequence[Array], seen: Sequence[Moments]) -> Array:
    """Of what several products read, by how much they do."""
    if len(parts) == 1:
        return parts[0]
    counts = np.asarray([max(m.rows, 1) for m in seen], np.float64)
    return np.asarray(sum(part * count for part, count in zip(parts, counts, strict=True)) / counts.sum())


def _making_up(rows: Array, seen: Sequence[Moments], square: Array, centred: bool) -> Array:
    """Rows that give, with what is read now, next to what they gave with what was read before: a ridge regression."""
    parts = [part for m in seen if (part := _crosses(m, centred)) is not None]
    if len(parts) < len(seen):
        return rows
    lost = (_mean(parts, seen) - square) @ rows.swapaxes(1, 2)
    ridge = _RIDGE + _DOUBT * rows.shape[-1] / max(sum(m.rows for m in seen), 1)
    return np.asarray(rows + np.linalg.solve(damped(square, ridge), lost).swapaxes(1, 2))


def _crosses(moments: Moments, centred: bool) -> Array | None:
    """Mean products of what is read now and what was read before, as `_squares` has those of the former."""
    if moments.cross is None or moments.before is None:
        return None
    count = max(moments.rows, 1)
    cross = moments.cross / count
    if centred:
        cross = cross - moments.total[:, :, None] / count * (moments.before[:, None, :] / count)
    return cross


def _shift(rows: Array, stored: Array, moments: Moments) -> Array:
    """What outputs lose on average, [groups, outputs]."""
    before = moments.total if moments.before is None else moments.before
    lost = np.einsum("gok,gk->go", rows, before) - np.einsum("gok,gk->go", stored, moments.total)
    return np.asarray(lost / max(moments.rows, 1))


def _unread(op: OpDef, weights: Unread, storage: DType, block: int) -> Rounded:
    """Integers of weights that are not looked at: of types that others would have."""
    groups, depth = op.groups if isinstance(op, core.Conv) else 1, depth_of(op)
    block = block if block and isinstance(op, core.MatMul) and depth % block == 0 else 0
    top = (1 << storage.bits - 1) - 1
    shape = groups, weights.size // depth // groups, depth // (block or depth)
    scales = stored_scales(np.full(shape, weights.NUMBER / top), block)
    element = _element(op, storage, scales, block, weights.shape, top)
    return Rounded(element.stored(weights), element, None)


def _element(op: OpDef, storage: DType, scales: Array, block: int, shape: tuple[int, ...], top: int) -> QuantType:
    if block:
        assert isinstance(op, core.MatMul)
        axis = 1 if op.transpose_b else 0
        table = scales[0] if op.transpose_b else scales[0].T
        scheme: Scheme = Blocked(axis, block)
    else:
        table = scales.reshape(-1)
        outputs = op.w_layout.index("O") if isinstance(op, core.Conv) else 0 if _is_transposed(op) else 1
        scheme = PerAxis(outputs) if shape else PerTensor()
    numbers = make_const(np.ascontiguousarray(table, np.float32))
    return QuantType(storage, DType.F32, scheme, numbers, 0, -top, top)


def _is_transposed(op: OpDef) -> bool:
    return isinstance(op, core.MatMul) and op.transpose_b
