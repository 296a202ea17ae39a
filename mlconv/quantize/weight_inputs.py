"""Weights of products by the channels that they are multiplied with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, Const
from mlconv.ir.spec import OpDef
from mlconv.quantize.absorb import Sink
from mlconv.quantize.apply import output_axis
from mlconv.quantize.homogeneous import Channels
from mlconv.quantize.reached import Place


def weights_of(product: OpDef) -> Const:
    weights = const_of(product.operands[1])
    assert weights is not None
    return weights


def inputs_axis(product: OpDef) -> int:
    """The axis of weights that the input's channels are, or those of each group."""
    if isinstance(product, (core.Conv, core.ConvTranspose)):
        return product.w_layout.index("I")
    rank = len(weights_of(product).shape)
    return rank - 1 if isinstance(product, core.MatMul) and product.transpose_b else rank - 2


def sink_of(product: OpDef, place: Place) -> Sink:
    """Weights that factors of channels go into, which are at a place among those that a product reads."""
    axis, shape = inputs_axis(product), weights_of(product).shape
    if not isinstance(product, core.Conv) or product.groups == 1:
        return Sink(product, 1, Channels((axis,), (place.total,)), divides=False, place=place)
    outputs = product.w_layout.index("O")
    channels = Channels((outputs, axis), (shape[outputs], shape[axis]))
    return Sink(product, 1, channels, divides=False, place=place, groups=product.groups)


def largest_of_channels(product: OpDef, place: Place, channels: int) -> Array:
    """The largest weight of each channel that a product reads at a place."""
    found = _by_channel(product, np.abs(weights_of(product).view()), np.max)
    return place.of(np.asarray(found.reshape(place.total, -1).max(axis=1), np.float64), channels)


def squares_of_channels(product: OpDef, place: Place, channels: int) -> Array:
    """Mean squares of the weights of each input channel, over those of the row."""
    outputs = output_axis(product)
    w = np.square(weights_of(product).view().astype(np.float64))
    if outputs is not None:
        sizes = w.mean(axis=tuple(i for i in range(w.ndim) if i != outputs), keepdims=True)
        w /= np.where(sizes > 0, sizes, 1.0)
    return place.of(_by_channel(product, w, np.mean), channels)


def _by_channel(product: OpDef, numbers: Array, reduce: Callable[..., Array]) -> Array:
    """One number for each channel, group by group, of what is as wide as weights."""
    axis = inputs_axis(product)
    if not isinstance(product, core.Conv) or product.groups == 1:
        return np.asarray(reduce(numbers, axis=tuple(i for i in range(numbers.ndim) if i != axis)))
    moved = np.moveaxis(numbers, (product.w_layout.index("O"), axis), (0, 1))
    groups = moved.reshape(product.groups, -1, moved.shape[1], moved[0, 0].size)
    return np.asarray(reduce(groups, axis=(1, 3))).reshape(-1)
