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
from mlconv.dialects.core.window import AveragePooling, ceil_is_floor, known_pads, pool_windows, resolve_pads
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, floordiv, maximum, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_tfl.builder import TflBuilder, shape_of
from mlconv.legalize.to_tfl.conv import padding_of
from mlconv.legalize.to_tfl.pad import pad_spatial
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
    if known_pads(sizes, op.window, op.strides, op.dilations, op.pads) is None and op.pads == "SAME_LOWER":
        return _on_numbers(op, e) if isinstance(op, core.QuantAveragePool) else _pool_open(op, e)
    padding, explicit = padding_of(sizes, op.window, op.strides, op.dilations, op.pads)
    exact = not op.ceil_mode or ceil_is_floor(op, sizes)
    if simple and explicit is None and exact and (padding == "VALID" or not counts_pad):
        return _pool_pairs(e, op.x, op, padding, op.y.tensor)
    if simple and explicit is None and op.ceil_mode and _rounds_as_same(op):
        return _pool_pairs(e, op.x, op, "SAME", op.y.tensor)
    if counts_pad and not op.ceil_mode and simple and explicit is not None:
        return _pool_pairs(e, pad_spatial(e, op.x, explicit), op, "VALID", op.y.tensor)
    if isinstance(op, core.QuantAveragePool):
        return _on_numbers(op, e)
    fixed = static(sizes)
    if fixed is None:
        return _pool_open(op, e)
    return _pool_static(op, e, fixed)


def _rounds_as_same(op: Pool) -> bool:
    """Halves, rounded up: SAME puts what is missing behind, and no mean counts it."""
    if isinstance(op.pads, str) or any(map(any, op.pads)):
        return False
    return all(k == s <= 2 for k, s in zip(op.window, op.strides, strict=True))


def _on_numbers(op: core.QuantAveragePool, e: TflBuilder) -> Value:
    """Between borders."""
    own = {f.name: op.attributes[f.name] for f in core.AvgPool.spec.attributes}
    y = e.y(core.AvgPool(e.y(core.Dequantize(op.x)), **own))
    return e.y(core.Quantize(y, element=op.element))


def _pool_open(op: Pool, e: TflBuilder) -> Value:
    """Sizes that are known at run time only: pads are computed, so that every window is whole; a mean divides by the
    pooled mask of the elements that count.
    """
    stated, whole = _open_pads(op)
    lowest = -math.inf if isinstance(op, core.MaxPool) else 0.0
    y = _pool_whole(op, e, _pad_open(e, op.x, whole, lowest, op.x), op.y.tensor)
    if isinstance(op, core.MaxPool):
        return y
    mask: Value = e.broadcast_to(e.asarray(1, op.x), (1, *shape_of(op.x)[1:-1], 1), op.x)
    if op.count_include_pad:
        mask = _pad_open(e, mask, stated, 1.0, op.x)
        whole = [(0, hi - more) for (_, hi), (_, more) in zip(whole, stated, strict=True)]
    mask_type = op.y.tensor.with_shape((1, *shape_of(op.y)[1:-1], 1))
    share = _pool_whole(op, e, _pad_open(e, mask, whole, 0.0, op.x), mask_type)
    return e.y(core.Div(y, share))


OpenPads = list[tuple[Size, Size]]


def _open_pads(op: Pool) -> tuple[OpenPads, OpenPads]:
    """Pads before and behind each axis as they are stated, and those with which the last window ends inside."""
    stated: OpenPads = []
    whole: OpenPads = []
    windows = zip(shape_of(op.x)[1:-1], shape_of(op.y)[1:-1], op.window, op.strides, op.dilations, strict=True)
    for i, (n, out, k, s, d) in enumerate(windows):
        reach = (out - 1) * s + (k - 1) * d + 1
        if isinstance(op.pads, str):
            total = maximum(reach - n, 0)
            small = floordiv(total, 2)
            lo, hi = (small, total - small) if op.pads == "SAME_UPPER" else (total - small, small)
        else:
            lo, hi = op.pads[i]
        stated.append((lo, hi))
        # without ceil_mode the last window ends inside as it is; with a step less one behind it all do, and no other
        missing = maximum(reach - n - lo, hi) if op.ceil_mode else hi
        most = hi + (s - 1)
        fits = isinstance(most, int) and floordiv(n + lo + most - (k - 1) * d - 1, s) + 1 == out
        whole.append((lo, most if fits and not isinstance(missing, int) else missing))
    return stated, whole


def _pad_open(e: TflBuilder, x: Value, pads: OpenPads, value: float, source: Value) -> Value:
    """x, channels last, with its spatial axes padded by sizes.  source: what tells them."""
    if all(pair == (0, 0) for pair in pads):
        return x
    fixed = [(lo, hi) for lo, hi in pads if isinstance(lo, int) and isinstance(hi, int)]
    if len(fixed) == len(pads):
        return pad_spatial(e, x, tuple(fixed), value)
    flat = [size for pair in [(0, 0), *pads, (0, 0)] for size in pair]
    amounts = e.reshape(e.y(core.Concat([e.size(size, source) for size in flat], axis=0)), (len(pads) + 2, 2))
    sizes = shape_of(x)
    shape = (sizes[0], *(n + lo + hi for n, (lo, hi) in zip(sizes[1:-1], pads, strict=True)), sizes[-1])
    return e.one("PADV2", [x, amounts, e.asarray(value, x)], x.tensor.with_shape(shape))


def _pool_whole(op: Pool, e: TflBuilder, x: Value, y: TensorType) -> Value:
    """Windows of x, all of which are whole."""
    if all(d == 1 for d in op.dilations):
        return _pool_pairs(e, x, op, "VALID", y)
    return _taps(e, x, op, list(shape_of(op.y)[1:-1]))


def _pool_static(op: Pool, e: TflBuilder, sizes: tuple[int, ...]) -> Value:
    """Known sizes: pad so that every window is whole, pool each axis, and correct the mean by the count of its
    elements.
    """
    is_max = isinstance(op, core.MaxPool)
    pads = resolve_pads(op.pads, sizes, op.window, op.strides, op.dilations)
    outs: list[int] = list(static(shape_of(op.y)[1:-1]) or ())
    spans = [(k - 1) * d + 1 for k, d in zip(op.window, op.dilations, strict=True)]
    after = [
        max(0, (o - 1) * s + span - (n + lo))
        for o, s, span, n, (lo, _) in zip(outs, op.strides, spans, sizes, pads, strict=True)
    ]
    whole = tuple((lo, hi) for (lo, _), hi in zip(pads, after, strict=True))
    x = pad_spatial(e, op.x, whole, -math.inf if is_max else 0.0) if any(any(p) for p in whole) else op.x
    if any(d != 1 for d in op.dilations):
        y = _taps(e, x, op, list(outs))
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


def _taps(e: TflBuilder, x: Value, op: Pool, outs: list[Size]) -> Value:
    """Dilated windows: along each axis the taps are strided slices, combined one after the other."""
    is_max = isinstance(op, core.MaxPool)
    for i, (k, s, d, out) in enumerate(zip(op.window, op.strides, op.dilations, outs, strict=True)):
        total: Value | None = None
        for j in range(k):
            # an open size: as much is left behind as the other taps reach
            end = j * d + (out - 1) * s + 1 if isinstance(out, int) else (j - k + 1) * d or None
            tap = e.slice_axis(x, 1 + i, j * d, end, s)
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
