"""Transposed convolution with strides as one convolution whose channels are the phases of the result, so that no
product with zero is taken.

Along an axis with stride s, element o of the result and low padding lo have o + lo = q s + p.  The elements of one
phase p are a convolution, over q, of the input with the taps p, p + s, p + 2 s ... of the filter (Shi et al. 2016, "Is
the deconvolution layer the same as a convolutional layer?").
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.transposed import TransposedConvolution
from mlconv.dialects.kernel import PANEL, Instr, Ints, LoopNestOp, Sizes, Step, View, dense
from mlconv.ir import recipes
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.builder import KernelBuilder, dims, number, sizes
from mlconv.legalize.to_kernel.filters import Filter

_ROOM = "what lies around the image"
_MOST_PHASES = 16  # each is a kernel of its own
_WASTED = 1.25  # times the products that there are, from which on phases are convolutions of their own


Attributes = dict[str, Any]
Convolve = Callable[[Value, Value, Attributes], Value]
"""The convolution of an image with a filter whose channels are O, of each group for each phase, by its attributes."""


def has_phases(op: TransposedConvolution) -> bool:
    """Some products are with zeros between elements of the input, and a filter has a place for each phase.  Where each
    channel is on its own, moving results of phases apart takes longer than those products.
    """
    by_channels = op.groups > 1 and op.groups == sizes(op.w)[op.w_layout.index("I")]
    return max(op.strides) > 1 and max(op.dilations) == 1 and not by_channels


def phased(
    op: TransposedConvolution, x: Value, weights: Filter, convolve: Convolve, e: KernelBuilder, padding: float = 0.0
) -> Value:
    """x: [batch, places, I]; weights: [window, I, O / groups], not dilated; factors of 16 bits stay so.  Returns the
    result, channels last, without what pads and sizes cut off.  padding: stands for 0 around the input.
    """
    n, strides, shape, window, cout = len(op.strides), op.strides, sizes(x), _window(weights), weights.shape[-1]
    image, extents, first = _placed(op, x, window, e, padding)
    y = convolve(image, by_phase(weights, strides, op.groups).value, _dense(op))
    places = sizes(y)[1:-1]
    split = e.reshape(y, (shape[0], *places, op.groups, *strides, cout))
    moved = e.transpose(split, (0, *(a for i in range(n) for a in (1 + i, 2 + n + i)), 1 + n, 2 + 2 * n))
    whole = e.reshape(moved, (shape[0], *(q * s for q, s in zip(places, strides, strict=True)), op.groups * cout))
    return _cut(op, whole, extents, first, e)


def lacks_taps(op: TransposedConvolution, weights: Filter) -> bool:
    """Phases have filters of different sizes, of weights that are known: one convolution of all would multiply by many
    zeros.  They are few, each has columns enough of its own, and sums are long enough to pay for their being moved.
    """
    window = _window(weights)
    taps = math.prod(-(-k // s) * s for k, s in zip(window, op.strides, strict=True))
    fits = len(window) == len(op.strides) <= 2 and all(k >= s for k, s in zip(window, op.strides, strict=True))
    inputs, outputs = weights.shape[-2:]
    known = weights.constant is not None and outputs % PANEL == 0 and inputs >= PANEL
    few = op.groups == 1 and math.prod(op.strides) <= _MOST_PHASES
    return fits and known and few and taps >= _WASTED * math.prod(window)


def phases_apart(op: TransposedConvolution, x: Value, weights: Filter, convolve: Convolve, e: KernelBuilder) -> Value:
    """The same by a convolution for each phase, whose results are laid between one another by one kernel.  convolve: of
    the channels of one phase.
    """
    strides, cout, window = op.strides, weights.shape[-1], _window(weights)
    image, extents, first = _placed(op, x, window, e, 0.0)
    turned = by_phase(weights, strides, 1).constant
    assert turned is not None
    parts, steps = list[Value](), list[Step]()
    for i, phase in enumerate(itertools.product(*map(range, strides))):
        taps = (-(-(k - p) // s) for k, p, s in zip(window, phase, strides, strict=True))
        before = tuple(most - t for most, t in zip(turned.shape, taps, strict=False))  # zeros
        end = (*turned.shape[:-1], (i + 1) * cout)
        own = recipes.slices(turned, (*before, 0, i * cout), end)
        parts.append(convolve(image, e.constant(own), _dense(op) | {"pads": tuple((-n, 0) for n in before)}))
    places = sizes(parts[0])[1:-1]
    shape = (sizes(x)[0], *(q * s for q, s in zip(places, strides, strict=True)), cout)
    lines = dense(shape)
    along = (lines[0], *(n * s for n, s in zip(lines[1:-1], strides, strict=True)), 1)
    for i, phase in enumerate(itertools.product(*map(range, strides))):
        start: Size = 0
        for p, n in zip(phase, lines[1:-1], strict=True):
            start = start + n * p
        body = (Instr("load", DType.F32, (i,), View(0, dense(sizes(parts[0])))),)
        steps.append(Step(sizes(parts[0]), 0, "", body, (), View(start, along)))
    whole = e.kernel(LoopNestOp(parts, tuple(steps), parts[0].tensor.with_shape(shape)))
    return _cut(op, whole, extents, first, e)


def _window(weights: Filter) -> Ints:
    """Sizes of the window of [window, I, O]."""
    return weights.shape[:-2]


def _placed(
    op: TransposedConvolution, x: Value, window: Ints, e: KernelBuilder, padding: float
) -> tuple[Value, Sizes, Ints]:
    """The image with what the windows of all phases read around it, the sizes of the result, and the first place of a
    phase that is kept.
    """
    strides, before = op.strides, sizes(x)[1:-1]
    taps = tuple(-(-k // s) for k, s in zip(window, strides, strict=True))
    extents = tuple(
        (d - 1) * s + k - lo - hi + extra
        for d, s, k, (lo, hi), extra in zip(before, strides, window, op.pads, op.output_pads, strict=True)
    )
    first = tuple(lo // s for (lo, _), s in zip(op.pads, strides, strict=True))
    last = tuple((size - 1 + lo) // s for size, (lo, _), s in zip(extents, op.pads, strides, strict=True))
    borders = [(t - 1 - a, number(b + 1 - d, _ROOM)) for t, a, b, d in zip(taps, first, last, before, strict=True)]
    return e.padded(x, [(0, 0), *borders, (0, 0)], padding), extents, first


def _dense(op: TransposedConvolution) -> Attributes:
    """Attributes of a convolution of all places, channels last."""
    n, digits = len(op.strides), "".join(map(str, range(len(op.strides))))
    dense_: Attributes = {"strides": (1,) * n, "pads": ((0, 0),) * n, "dilations": (1,) * n, "groups": op.groups}
    return dense_ | {"x_layout": f"N{digits}C", "w_layout": f"{digits}IO", "y_layout": f"N{digits}C"}


def _cut(op: TransposedConvolution, whole: Value, extents: Sizes, first: Ints, e: KernelBuilder) -> Value:
    """The result without what pads and sizes cut off."""
    cut = [
        (-(lo - a * s), number(size + lo - a * s - q, _ROOM))
        for (lo, _), a, s, size, q in zip(op.pads, first, op.strides, extents, sizes(whole)[1:-1], strict=True)
    ]
    return e.padded(whole, [(0, 0), *cut, (0, 0)], 0.0)


def each_phase(bias: Value, op: TransposedConvolution, e: KernelBuilder) -> Value:
    """Numbers of the output channels, of each group for each phase."""
    rows = e.reshape(bias, (op.groups, number(sizes(bias)[0], "the number of channels") // op.groups))
    tiled = e.y(core.Tile(rows, e.constant(np.asarray([1, math.prod(op.strides)], np.int64))))
    return e.reshape(tiled, (math.prod(dims(tiled)),))


def widened(factor: Value, e: KernelBuilder) -> Value:
    """A factor of a product of float32, of 16 bits before."""
    return factor if factor.tensor.dtype is DType.F32 else e.y(core.Cast(factor, dtype=DType.F32))


def by_phase(weights: Filter, strides: Ints, groups: int) -> Filter:
    """[window, I, O / groups] as [taps from the last, I / groups, groups, phases and O / groups]; taps beyond a window
    are zero.
    """
    n = len(strides)
    *window, cin, cout = weights.shape
    taps = tuple(-(-k // s) for k, s in zip(window, strides, strict=True))
    pads = tuple((0, t * s - k) for t, s, k in zip(taps, strides, window, strict=True))
    wide, each = weights.padded((*pads, (0, 0), (0, 0))), cin // groups
    split = wide.reshaped((*(m for t, s in zip(taps, strides, strict=True) for m in (t, s)), groups, each, cout))
    perm = (*range(0, 2 * n, 2), 2 * n + 1, 2 * n, *range(1, 2 * n, 2), 2 * n + 2)
    turned = split.transposed(perm).turned(tuple(range(n)))
    return turned.reshaped((*taps, each, groups * math.prod(strides) * cout))
