"""Pooling: AVERAGE_POOL_2D and MAX_POOL_2D.

The kernels pool two axes of NHWC without dilation; AVERAGE_POOL_2D leaves padded elements out of the mean.  Other
numbers of axes are pooled in pairs (max and sum are separable), other pads are explicit, and a mean over another count
is corrected by a factor.  Sources: kernels/pooling.cc, internal/reference/pooling.h.
"""

from __future__ import annotations

import math
from typing import Union

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.window import AveragePooling, ceil_is_floor, pool_windows, resolve_pads
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.conv import Pairs, pad_spatial, padding_of
from mlconv.legalize.to_tfl.quantized import limited
from mlconv.rewrite import Rules, remake

RULES = Rules()
Pool = Union[core.MaxPool, AveragePooling]


@RULES.rule(core.MaxPool, core.AvgPool, core.QuantAveragePool)
def pool(op: Pool, e: TflBuilder) -> Value:
    """Both kinds, and that over integers."""
    if isinstance(op, core.QuantAveragePool) and (op.lo, op.hi) != (op.element.qmin, op.element.qmax):
        return limited(op, e.y(remake(op, op.operands, lo=op.element.qmin, hi=op.element.qmax)), e)
    n = len(op.window)
    want = "N" + "".join(map(str, range(n))) + "C"
    if op.layout != want:
        y = e.y(remake(op, [e.transpose(op.x, [op.layout.index(c) for c in want])], layout=want))
        return e.transpose(y, [want.index(c) for c in op.layout])
    counts_pad = isinstance(op, AveragePooling) and op.count_include_pad
    sizes = shape_of(op.x)[1:-1]
    simple = all(d == 1 for d in op.dilations) and n in (1, 2)
    padding, explicit = padding_of(sizes, op.window, op.strides, op.dilations, op.pads)
    exact = not op.ceil_mode or ceil_is_floor(op, sizes)
    if simple and explicit is None and exact and (padding == "VALID" or not counts_pad):
        return _pool_pairs(e, op.x, op, padding, op.y.tensor)
    if counts_pad and not op.ceil_mode and simple and explicit is not None:
        return _pool_pairs(e, pad_spatial(e, op.x, explicit), op, "VALID", op.y.tensor)
    if isinstance(op, core.QuantAveragePool):
        return _on_numbers(op, e)
    fixed = static(sizes)
    if fixed is None:
        return _pool_open(op, e, explicit, simple and not op.ceil_mode)
    return _pool_static(op, e, fixed)


def _on_numbers(op: core.QuantAveragePool, e: TflBuilder) -> Value:
    """Between borders."""
    own = {f.name: op.attributes[f.name] for f in core.AvgPool.spec.attributes}
    y = e.y(core.AvgPool(e.y(core.Dequantize(op.x)), **own))
    return e.y(core.Quantize(y, element=op.element))


def _pool_open(op: Pool, e: TflBuilder, explicit: Pairs | None, simple: bool) -> Value:
    """Sizes that are known at run time only: pads as they are; a mean without padded elements divides by the pooled
    mask.
    """
    if not simple or explicit is None:
        raise refuse(
            f"pooling of {op.x.tensor} with ceil_mode or dilations needs known spatial sizes",
            "give input shapes with --shape",
        )
    if isinstance(op, core.MaxPool):
        return _pool_pairs(e, pad_spatial(e, op.x, explicit, -math.inf), op, "VALID", op.y.tensor)
    y = _pool_pairs(e, pad_spatial(e, op.x, explicit), op, "VALID", op.y.tensor)
    ones = e.broadcast_to(e.asarray(1, op.x), (1, *shape_of(op.x)[1:-1], 1), op.x)
    mask_type = op.y.tensor.with_shape((1, *shape_of(op.y)[1:-1], 1))
    share = _pool_pairs(e, pad_spatial(e, ones, explicit), op, "VALID", mask_type)
    return e.y(core.Div(y, share))


def _pool_static(op: Pool, e: TflBuilder, sizes: tuple[int, ...]) -> Value:
    """Known sizes: pad so that every window is whole, pool each axis, and correct the mean by the count of its
    elements.
    """
    is_max = isinstance(op, core.MaxPool)
    pads = resolve_pads(op.pads, sizes, op.window, op.strides, op.dilations)
    outs = list(static(shape_of(op.y)[1:-1]) or ())
    spans = [(k - 1) * d + 1 for k, d in zip(op.window, op.dilations, strict=True)]
    after = [
        max(0, (o - 1) * s + span - (n + lo))
        for o, s, span, n, (lo, _) in zip(outs, op.strides, spans, sizes, pads, strict=True)
    ]
    whole = tuple((lo, hi) for (lo, _), hi in zip(pads, after, strict=True))
    x = pad_spatial(e, op.x, whole, -math.inf if is_max else 0.0) if any(any(p) for p in whole) else op.x
    if any(d != 1 for d in op.dilations):
        y = _taps(e, x, op, outs)
    else:
        y = _pool_pairs(e, x, op, "VALID", op.y.tensor)
    if is_max:
        return y
    check_table(sizes, "the table of window counts")
    _, counts = pool_windows(np.zeros((1, *sizes, 1), np.float32), op, np.zeros((), np.float32))
    factor = np.float64(math.prod(op.window)) / counts
    if np.all(factor == 1):
        return y
    return e.y(core.Mul(y, e.constant(factor.reshape(1, *outs, 1).astype(np.float32), DType.F32)))


def _taps(e: TflBuilder, x: Value, op: Pool, outs: list[int]) -> Value:
    """Dilated windows: along each axis the taps are strided slices, combined one after the other."""
    is_max = isinstance(op, core.MaxPool)
    for i, (k, s, d, out) in enumerate(zip(op.window, op.strides, op.dilations, outs, strict=True)):
        total: Value | None = None
        for j in range(k):
            tap = e.slice_axis(x, 1 + i, j * d, j * d + (out - 1) * s + 1, s)
            total = tap if total is None else e.y(core.Maximum(total, tap) if is_max else core.Add(total, tap))
        x = total if total is not None else x
    return x if is_max else e.y(core.Mul(x, e.asarray(1.0 / math.prod(op.window), x)))


def _pool_pairs(e: TflBuilder, x: Value, op: Pool, padding: str, y: TensorType) -> Value:
    """Pool the spatial axes of channels-last x in pairs; `y` is the type of the result."""
    n = len(op.window)
    out_sizes = y.shape[1:-1] if y.shape is not None else ()
    if n == 2:
        return _kernel(e, x, op, (0, 1), padding, y)
    if n == 1:
        batch, size, channels = shape_of(x)
        flat = e.reshape(x, (batch, 1, size, channels))
        out = _kernel(e, flat, op, (None, 0), padding, y.with_shape((batch, 1, *out_sizes, channels)))
        return e.reshape(out, (batch, *out_sizes, channels), x)
    for first in range(0, n, 2):
        x = _pool_two(e, x, op, first, padding, out_sizes)
    return x


def _pool_two(e: TflBuilder, x: Value, op: Pool, first: int, padding: str, outs: tuple[Size, ...]) -> Value:
    """Pool the spatial axes `first` and `first + 1` of many: those before join the batch, those after the channels."""
    shape = shape_of(x)
    second = first + 1 if first + 1 < len(op.window) else None
    last = first if second is None else second
    lead, tail = product(shape[: 1 + first]), product(shape[2 + last :])
    inner = (shape[1 + first], 1 if second is None else shape[1 + second])
    flat = e.reshape(x, (lead, *inner, tail))
    pooled = (outs[first], 1 if second is None else outs[second])
    y = _kernel(e, flat, op, (first, second), padding, x.tensor.with_shape((lead, *pooled, tail)))
    return e.reshape(y, (*shape[: 1 + first], *outs[first : last + 1], *shape[2 + last :]), x, y)


def _kernel(
    e: TflBuilder, x: Value, op: Pool, axes: tuple[int | None, int | None], padding: str, y: TensorType
) -> Value:
    (h, w) = ((1, 1) if a is None else (op.window[a], op.strides[a]) for a in axes)
    name = "MAX_POOL_2D" if isinstance(op, core.MaxPool) else "AVERAGE_POOL_2D"
    options = {"filter_height": h[0], "stride_h": h[1], "filter_width": w[0], "stride_w": w[1]}
    return e.one(name, [x], y, padding=padding, **options)
