"""Pools, resampling and softmax over int8 tensors, where kernels keep the scale or have one of their own."""

from __future__ import annotations

import math

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.rounding import WIDE_ROOM
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType, storage_range
from mlconv.passes.quantized.borders import (
    Rounding,
    as_made,
    is_computed,
    is_for,
    is_int8,
    is_int16,
    limits_of,
    made_of,
    rounding_of,
    stored,
)
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_COORDINATES = {"asymmetric": (False, False), "half_pixel": (False, True), "align_corners": (True, False)}
_RANK = 4  # of what is resampled
PUSH = 2.0**-15
"""How much smaller the scale of a mean is than that of what it is of, where halves are to go away from zero: more than
float32 loses next to 128."""
MOST_IN_WINDOW = 128
"""Elements of windows whose means, up to 128, stay next to the same integers with that; half of it up to 255."""


def _of_integers(op: core.Quantize) -> tuple[Rounding, Op | None, Value | None]:
    """What is rounded, the op that makes it, and the tensor of the same storage whose numbers that takes."""
    found = rounding_of(op)
    maker = found.value.producer if is_for(op, found) else None
    x = stored(maker.operands[0]) if maker is not None and maker.operands else None
    fits = x is not None and x.tensor.dtype is op.element.storage and (is_int8(x) or is_int16(x))
    return found, maker, x if fits else None


@rewrite(core.Quantize)
def average_pool(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """A mean of windows that keeps the scale."""
    found, maker, x = _of_integers(op)
    if not isinstance(maker, core.AvgPool) or x is None:
        return NOT_MEANT
    if _is_pushed(x, op.element, maker):
        kept = x if found.ops or counts_padding(maker) else as_made(x, is_computed)
        halves = "up" if op.element.zero_array() else None
        own = {**maker.attributes, **limits_of(found), "element": kept.tensor.quant, "halves": halves}
        made = made_of(rw, found, core.QuantAveragePool(kept, **own), maker)
        return rw.emit(core.StorageCast(made, element=op.element)).y
    if x.tensor.quant != op.element:
        return NoMatch(f"kernels keep the scale of {x.type}, {op.element} is wanted")
    return made_of(rw, found, core.QuantAveragePool(x, **maker.attributes, **limits_of(found)), maker)


def is_padded(pool: core.AvgPool) -> bool:
    """Windows may lie over the edge."""
    return isinstance(pool.pads, str) or any(n for pair in pool.pads for n in pair)


def counts_padding(pool: core.AvgPool) -> bool:
    """Numbers 0 around x go into means."""
    return pool.count_include_pad and is_padded(pool)


def _is_pushed(x: Value, element: QuantType, pool: core.AvgPool) -> bool:
    """The result has a scale so much smaller that halves, and nothing else, go away from the integer 0, or up from the
    least: what the kernels do.  Files for ONNX say it so (`onnx-rounding`).
    """
    quant, zero = x.tensor.quant, int(element.zero_array())
    less = 0.0 if quant is None else 1 - float(element.scales.view()) / float(quant.scales.view())
    if is_int16(x):
        push = 2.0**-WIDE_ROOM / math.prod(pool.window)
        return push / 2 < less < push * 1.5
    most = {0: MOST_IN_WINDOW, storage_range(DType.I8)[0]: MOST_IN_WINDOW // 2}.get(zero, 0)
    if quant is None or not is_int8(x) or zero != quant.zero_array() or math.prod(pool.window) >= most:
        return False
    return PUSH / 2 < less <= PUSH * 1.01


@rewrite(core.Quantize)
def normalized(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """Softmax, or its logarithm."""
    found, maker, x = _of_integers(op)
    if not isinstance(maker, (core.Softmax, core.LogSoftmax)) or x is None:
        return NOT_MEANT
    cls = core.QuantSoftmax if isinstance(maker, core.Softmax) else core.QuantLogSoftmax
    try:
        made = cls(x, axis=maker.axis, **limits_of(found))
    except ConversionError as error:
        return NoMatch(str(error))
    return made_of(rw, found, made, maker)


@rewrite(core.Quantize)
def resampled(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """Linear interpolation along two axes that keeps the scale."""
    found, maker, x = _of_integers(op)
    if not isinstance(maker, core.Resize) or maker.mode != "linear" or x is None or not is_int8(x) or found.ops:
        return NOT_MEANT
    if x.tensor.quant != op.element:
        return NoMatch(f"kernels keep the scale of {x.type}, {op.element} is wanted")
    flags = _COORDINATES.get(_coordinates(maker))
    plain = maker.roi is None and not maker.antialias and not maker.exclude_outside
    if flags is None or not plain or len(maker.axes) != 2 or x.tensor.rank != _RANK or not _by_sizes(maker):
        return NoMatch("the kernel interpolates along two of four axes, by the ratio of sizes")
    made = core.QuantResize(x, maker.sizes, axes=maker.axes, align_corners=flags[0], half_pixel=flags[1])
    return made_of(rw, found, made, maker)


def _coordinates(op: core.Resize) -> str:
    """What PyTorch has for half pixels differs from them for one result of several elements only."""
    sizes = op.y.tensor.shape or ()
    single = any(sizes[axis] == 1 for axis in op.axes)
    return "half_pixel" if op.coordinates == "pytorch_half_pixel" and not single else op.coordinates


def _by_sizes(op: core.Resize) -> bool:
    """Both axes are fixed and scaled by the ratio of their sizes."""
    before, after = op.x.tensor.shape or (), op.y.tensor.shape or ()
    for i, axis in enumerate(op.axes):
        n, m = before[axis], after[axis]
        if not isinstance(n, int) or not isinstance(m, int) or 0 in (n, m):
            return False
        if op.scales is not None and op.scales[i] != m / n:
            return False
    return tuple(sorted(op.axes)) == op.axes


PATTERNS = (average_pool, normalized, resampled)
