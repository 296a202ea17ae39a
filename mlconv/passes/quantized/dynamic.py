"""Products that quantize floats at run time, as arithmetic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.dynamic import HIGHEST, LOWEST
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import known_pads, spatial
from mlconv.ir import recipes
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked
from mlconv.rewrite import Rewriter
from mlconv.rewrite.core_builder import CoreBuilder


def expand_dynamic(op: Op) -> bool:
    """Put arithmetic in the place of an op that quantizes at run time; False for others."""
    if not isinstance(op, (core.DynamicMatMul, core.DynamicConv)):
        return False
    rewriter = Rewriter(op)
    b = CoreBuilder(rewriter)
    rewriter.replace(op, _product(op, b) if isinstance(op, core.DynamicMatMul) else _convolution(op, b))
    return True


def is_written(op: Op) -> bool:
    """Kernels of targets that quantize at run time take an op: weights are constants, two axes at most are convolved,
    matrices in a batch have one scale, blocks of int4 are of 32 or a multiple, with scales of 8 bits.
    """
    if isinstance(op, core.DynamicConv):
        return const_of(op.w) is not None and len(op.strides) in (1, 2)
    if not isinstance(op, core.DynamicMatMul) or const_of(op.b) is None:
        return False
    quant = quantized(op.b)
    if isinstance(quant.scheme, Blocked):
        whole = (op.b.tensor.shape or ())[quant.scheme.axis] == quant.scales.shape[
            quant.scheme.axis
        ] * quant.scheme.size
        fits = quant.storage is DType.I4 and whole and quant.scheme.size % _BLOCK == 0
        return fits and _are_short(quant.scales)
    return op.b.tensor.rank == 2 or (quant.is_per_tensor and quant.storage is DType.I8)


_BLOCK = 32


def _are_short(scales: Const) -> bool:
    """XNNPACK's numbers: files have scales of blocks as float16, the kernel takes them as bfloat16."""
    numbers = scales.view()
    return all(np.array_equal(numbers.astype(t.numpy).astype(np.float32), numbers) for t in (DType.F16, DType.BF16))


class _Rows(NamedTuple):
    """Integers less their zero points, the zero points, and scales (`core.dynamic.quantized_rows`): float32."""

    centred: Value
    zero: Value
    scale: Value


def _rows(x: Value, axes: tuple[int, ...], b: CoreBuilder) -> _Rows:
    """Each range over `axes` by its own."""
    low = b.minimum(b.y(core.ReduceMin(x, axes=axes, keepdims=True)), 0.0)
    high = b.maximum(b.max(x, axes, keepdims=True), 0.0)
    span = b.sub(high, low)
    empty = b.equal(span, 0.0)
    steps = b.where(empty, 1.0, b.div(float(HIGHEST - LOWEST), b.where(empty, 1.0, span)))
    below, above = b.mul(low, steps), b.mul(high, steps)
    upper = b.less(0.0, b.add(b.add(below, float(LOWEST)), b.add(above, float(HIGHEST))))
    zero = b.where(upper, b.sub(float(LOWEST), below), b.sub(float(HIGHEST), above))
    zero = b.y(core.Round(b.clamp(zero, float(LOWEST), float(HIGHEST))))
    limited = b.minimum(b.maximum(b.mul(x, steps), b.sub(float(LOWEST), zero)), b.sub(float(HIGHEST), zero))
    return _Rows(b.y(core.Round(limited)), zero, b.div(1.0, steps))


def _integers(w: Value, b: CoreBuilder) -> Value:
    """Weights as plain int8."""
    quant, value = quantized(w), const_of(w)
    if value is not None and quant.storage is DType.I4:
        return b.constant(recipes.cast(value, DType.I8))
    return b.cast(b.y(core.StorageCast(w, element=quant.storage)), DType.I8)


def _product(op: core.DynamicMatMul, b: CoreBuilder) -> Value:
    rank = b.rank(op.a)
    a = b.transpose(op.a, (*range(rank - 2), rank - 1, rank - 2)) if op.transpose_a else op.a
    rows = _rows(a, (rank - 1,), b)
    quant, w = quantized(op.b), _integers(op.b, b)
    if isinstance(quant.scheme, Blocked):
        y = b.mul(_in_blocks(op, b.cast(rows.centred, DType.I16), w, quant.scheme.size, b), rows.scale)
    else:
        total = _sums(rows, w, op.transpose_b, b)
        y = b.mul(b.mul(b.cast(total, DType.F32), rows.scale), b.constant(quant.scales))
    return y if op.bias is None else b.add(y, op.bias)


def _sums(rows: _Rows, w: Value, transposed: bool, b: CoreBuilder) -> Value:
    """Of products of rows, of bytes as they are stored."""
    stored, zero = (b.cast(v, DType.I8) for v in (b.add(rows.centred, rows.zero), rows.zero))
    return b.y(core.IntegerMatMul(stored, w, a_zero=zero, transpose_b=transposed))


def _in_blocks(op: core.DynamicMatMul, stored: Value, w: Value, size: int, b: CoreBuilder) -> Value:
    """The sum of the products of blocks [..., blocks, n, m], each with its own scales."""
    scales = quantized(op.b).scales.view()
    if op.transpose_b:
        w, scales = b.transpose(w, (1, 0)), scales.T
    blocks, columns = scales.shape
    rank, short = b.rank(stored), blocks * size - w.tensor.static_shape()[0]
    lead = b.dims(stored)[:-1]
    if short:
        stored, w = b.pad(stored, [*[(0, 0)] * (rank - 1), (0, short)]), b.pad(w, [(0, short), (0, 0)])
    parts = b.reshape(stored, [*lead, blocks, size])
    parts = b.transpose(parts, (*range(rank - 2), rank - 1, rank - 2, rank))
    total = b.cast(b.y(core.IntegerMatMul(parts, b.reshape(w, [blocks, size, columns]))), DType.F32)
    return b.sum(b.mul(total, b.constant(make_const(scales.reshape(blocks, 1, columns).copy()))), [rank - 2])


def _convolution(op: core.DynamicConv, b: CoreBuilder) -> Value:
    rows = _rows(op.x, op.range_axes(), b)
    stored = const_of(op.w)
    if stored is not None and op.is_product() and op.x_layout == op.y_layout and op.x_layout.endswith("C"):
        matrix = recipes.transpose(stored, tuple(map(op.w_layout.index, sorted(op.w_layout))))  # 0, 1, I, O
        matrix = recipes.cast(matrix.reshape(matrix.shape[-2:]), DType.I8)
        sums = _sums(rows, b.constant(matrix), False, b)
    else:
        sums = _sums_of_windows(op, rows, b)
    total = b.cast(sums, DType.F32)
    scale = b.transpose(rows.scale, [op.x_layout.index(c) for c in op.y_layout])
    y = b.mul(b.mul(total, scale), _along(op, b.constant(quantized(op.w).scales), b))
    return y if op.bias is None else b.add(y, _along(op, op.bias, b))


def _sums_of_windows(op: core.DynamicConv, rows: _Rows, b: CoreBuilder) -> Value:
    """Of bytes as they are stored, around which zero points stand: sum((x - zero) w) = sum(x w) - zero sum(w)."""
    layout, stored, sizes, pads = op.x_layout, const_of(op.w), op.x.tensor.shape or (), None
    if stored is not None and op.groups == 1:
        window = tuple(stored.shape[i] for i in spatial(op.w_layout))
        pads = known_pads(tuple(sizes[i] for i in spatial(layout)), window, op.strides, op.dilations, op.pads)
    if stored is None or pads is None:
        return b.y(core.IntegerConv(b.cast(rows.centred, DType.I16), _integers(op.w, b), **op.attributes))
    around = b.pad(rows.centred, [pads[int(c)] if c.isdigit() else (0, 0) for c in layout])
    bytes_ = b.cast(b.add(around, rows.zero), DType.I8)
    weights = recipes.cast(stored, DType.I8)
    sums = b.y(core.IntegerConv(bytes_, b.constant(weights), **{**op.attributes, "pads": ((0, 0),) * len(pads)}))
    columns = recipes.total_of_each(weights, op.w_layout.index("O"), DType.I32)
    zero = b.cast(b.transpose(rows.zero, [layout.index(c) for c in op.y_layout]), DType.I32)
    return b.sub(sums, b.mul(zero, _along(op, b.constant(columns), b)))


def _along(op: core.DynamicConv, vector: Value, b: CoreBuilder) -> Value:
    """Numbers of output channels so that they broadcast against the result; a scalar as it is."""
    if vector.tensor.rank == 0:
        return vector
    return b.reshape(vector, [-1 if c == "C" else 1 for c in op.y_layout])
