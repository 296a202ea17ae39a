"""Second moments of what products read: sums of x' x and of x over all samples, for rounding weights with regard to
them.

Source: Frantar et al. 2023, "GPTQ", section 3.1: the Hessian of the squared error of a layer's output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product as cartesian
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import resolve_pads, spatial
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.quantize.collect import Collector
from mlconv.quantize.observe import Join, Seen
from mlconv.quantize.saved import keys_of
from mlconv.rewrite.core_builder import CoreBuilder

MOST = {4: 4608, 8: 1152}
"""Longest sum of products whose moments are taken, by bits of weights: they have its square of numbers."""


class Moments(NamedTuple):
    """square: [groups, k, k], sums of x' x.  total: [groups, k], sums of x.  rows: how many x.  cross, before: sums of
    x' w and of w, where w is what stood for x in the float model; None where that is x.
    """

    square: Array
    total: Array
    rows: int
    cross: Array | None = None
    before: Array | None = None


def has_moments(op: OpDef, bits: int) -> bool:
    """The op sums products with constant weights, and sums that are not too long for weights of so many bits; how many
    rows there are, samples tell by their sizes, not by their data.
    """
    w = const_of(op.operands[1]) if isinstance(op, (core.Conv, core.MatMul)) else None
    if w is None or (isinstance(op, core.MatMul) and len(w.shape) != 2):
        return False
    x = op.operands[0]
    sizes = None if x is None else x.tensor.shape
    if sizes is None or not all(isinstance(size, int) or size.is_known for size in sizes):
        return False
    return depth_of(op) <= MOST[bits]


def depth_of(op: OpDef) -> int:
    """How many products a sum has."""
    w = const_of(op.operands[1])
    assert w is not None
    if isinstance(op, core.Conv):
        return math.prod(w.shape) // w.shape[op.w_layout.index("O")]
    return w.shape[1 if isinstance(op, core.MatMul) and op.transpose_b else 0]


def moments(
    function: Function, products: Sequence[OpDef], collector: Collector, stage: str = ""
) -> dict[OpDef, Moments]:
    """Sums over all samples.  stage: under which they are saved."""
    values = {op: op.operands[0] for op in products if op.operands[0] is not None}
    found = collector.collect(function, values, _observe, stage)
    if collector.saved is not None:
        keys = keys_of(function)
        for op, arrays in found.items():
            groups, depth = op.groups if isinstance(op, core.Conv) else 1, depth_of(op) + 1
            collector.saved.check(keys[op], arrays, [[(groups, depth, depth)], [(groups, depth)]])
    return {op: _moments_of(*pair) for op, pair in found.items()}


def _moments_of(square: Array, total: Array) -> Moments:
    return Moments(square[:, :-1, :-1], total[:, :-1], int(total[0, -1]))


def _observe(value: Value, op: OpDef, e: CoreBuilder) -> Seen:
    """x' x and the sum of x, each with a column of ones behind x, which counts rows."""
    rows = rows_of_data(value, op, e)
    groups, count, _ = static(rows.tensor.shape) or (1, 1, 1)
    ones = e.constant(np.ones((groups, count, 1), np.float32))
    wide = e.concat([rows, ones], 2)
    square = e.matmul(wide, wide, transpose_a=True)
    return [(square, Join.SUM), (e.sum(wide, (1,)), Join.SUM)]


def rows_of_data(value: Value, op: OpDef, e: CoreBuilder) -> Value:
    """[groups, rows, k]: what rows of a product's weights are multiplied with."""
    return _rows_of_conv(value, op, e) if isinstance(op, core.Conv) else _rows_of_matmul(value, op, e)


def _rows_of_matmul(value: Value, op: OpDef, e: CoreBuilder) -> Value:
    """[1, rows, k]."""
    rank = value.tensor.rank or 2
    if isinstance(op, core.MatMul) and op.transpose_a:
        value = e.transpose(value, (*range(rank - 2), rank - 1, rank - 2))
    shape = static(value.tensor.shape) or ()
    return e.reshape(value, [1, math.prod(shape[:-1]), shape[-1]])


def _rows_of_conv(value: Value, op: core.Conv, e: CoreBuilder) -> Value:
    """[groups, rows, window * channels of a group]: what each output channel's filter is multiplied with."""
    n = len(op.strides)
    order = "N" + "".join(map(str, range(n))) + "C"
    x = e.transpose(value, [op.x_layout.index(c) for c in order])
    weights = static(op.w.tensor.shape) or ()
    window = tuple(weights[i] for i in spatial(op.w_layout))
    sizes = (static(x.tensor.shape) or ())[1 : 1 + n]
    pads = resolve_pads(op.pads, sizes, window, op.strides, op.dilations)
    x = e.pad(x, [(0, 0), *pads, (0, 0)])
    padded = (static(x.tensor.shape) or ())[1 : 1 + n]
    counts = [
        (p - (k - 1) * d - 1) // s + 1 for p, k, d, s in zip(padded, window, op.dilations, op.strides, strict=True)
    ]
    parts = []
    for place in cartesian(*map(range, window)):
        starts = [i * d for i, d in zip(place, op.dilations, strict=True)]
        bounds = {
            1 + a: (b, b + (c - 1) * s + 1, s)
            for a, (b, c, s) in enumerate(zip(starts, counts, op.strides, strict=True))
        }
        parts.append(e.slice(x, bounds))  # type: ignore[arg-type]
    batch, channels = (static(x.tensor.shape) or ())[0], (static(x.tensor.shape) or ())[-1]
    rows = batch * math.prod(counts)
    split = [e.reshape(p, [rows, 1, op.groups, channels // op.groups]) for p in parts]
    stacked = e.transpose(e.concat(split, 1), (2, 0, 1, 3))
    return e.reshape(stacked, [op.groups, rows, len(parts) * channels // op.groups])
