"""Transposed convolution with strides as one convolution whose channels are the phases of the result, so that no
product with zero is taken.

Along an axis with stride s, element o of the result and low padding lo have o + lo = q s + p.  The elements of one
phase p are a convolution, over q, of the input with the taps p, p + s, p + 2 s ... of the filter (Shi et al. 2016, "Is
the deconvolution layer the same as a convolutional layer?").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.transposed import TransposedConvolution
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.builder import KernelBuilder, number, sizes

_ROOM = "what lies around the image"


Attributes = dict[str, Any]
Convolve = Callable[[Value, Value, Attributes], Value]
"""The convolution of an image with a filter whose channels are phases and O, by its attributes."""


def has_phases(op: TransposedConvolution) -> bool:
    """Some products are with zeros between elements of the input, and a filter has a place for each phase."""
    return op.groups == 1 and max(op.strides) > 1 and max(op.dilations) == 1


def phased(
    op: TransposedConvolution, x: Value, weights: Const, convolve: Convolve, e: KernelBuilder, padding: float = 0.0
) -> Value:
    """x: [batch, places, I]; weights: [window, I, O], not dilated; factors of 16 bits stay so.  Returns the result,
    channels last, without what pads and sizes cut off.  padding: stands for 0 around the input.
    """
    n, strides = len(op.strides), op.strides
    shape, window, cout = sizes(x), weights.shape[:n], weights.shape[-1]
    taps = tuple(-(-k // s) for k, s in zip(window, strides, strict=True))
    before = shape[1:-1]
    extents = tuple(
        (d - 1) * s + k - lo - hi + extra
        for d, s, k, (lo, hi), extra in zip(before, strides, window, op.pads, op.output_pads, strict=True)
    )
    first = tuple(lo // s for (lo, _), s in zip(op.pads, strides, strict=True))
    last = tuple((size - 1 + lo) // s for size, (lo, _), s in zip(extents, op.pads, strides, strict=True))
    borders = [(t - 1 - a, number(b + 1 - d, _ROOM)) for t, a, b, d in zip(taps, first, last, before, strict=True)]
    digits = "".join(map(str, range(n)))
    dense: Attributes = {"strides": (1,) * n, "pads": ((0, 0),) * n, "dilations": (1,) * n, "groups": 1}
    layouts = {"x_layout": f"N{digits}C", "w_layout": f"{digits}IO", "y_layout": f"N{digits}C"}
    image = e.padded(x, [(0, 0), *borders, (0, 0)], padding)
    y = convolve(image, e.constant(_by_phase(weights, taps, strides)), dense | layouts)
    places = sizes(y)[1:-1]
    split = e.reshape(y, (shape[0], *places, *strides, cout))
    moved = e.transpose(split, (0, *(a for i in range(n) for a in (1 + i, 1 + n + i)), 1 + 2 * n))
    whole = e.reshape(moved, (shape[0], *(q * s for q, s in zip(places, strides, strict=True)), cout))
    cut = [
        (-(lo - a * s), number(size + lo - a * s - q * s, _ROOM))
        for (lo, _), a, s, size, q in zip(op.pads, first, strides, extents, places, strict=True)
    ]
    return e.padded(whole, [(0, 0), *cut, (0, 0)], 0.0)


def each_phase(bias: Value, op: TransposedConvolution, e: KernelBuilder) -> Value:
    """Numbers of the output channels, for each phase."""
    return e.y(core.Tile(bias, e.constant(np.asarray([math.prod(op.strides)], np.int64))))


def widened(factor: Value, e: KernelBuilder) -> Value:
    """A factor of a product of float32, of 16 bits before."""
    return factor if factor.tensor.dtype is DType.F32 else e.y(core.Cast(factor, dtype=DType.F32))


def _by_phase(weights: Const, taps: tuple[int, ...], strides: tuple[int, ...]) -> Const:
    """[window, I, O] as [taps from the last, I, phases and O]; taps beyond the window are zero."""
    n = len(taps)
    cin, cout = weights.shape[n:]
    pads = tuple((0, t * s - k) for t, s, k in zip(taps, strides, weights.shape, strict=False))
    wide = recipes.pad_zeros(weights, (*pads, (0, 0), (0, 0)))
    split = wide.reshape((*(m for t, s in zip(taps, strides, strict=True) for m in (t, s)), cin, cout))
    perm = (*range(0, 2 * n, 2), 2 * n, *range(1, 2 * n, 2), 2 * n + 1)
    turned = recipes.flip(recipes.transpose(split, perm), tuple(range(n)))
    return turned.reshape((*taps, cin, math.prod(strides) * cout))
