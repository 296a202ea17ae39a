"""Pooling.  Source: keras/src/layers/pooling, keras/src/backend/tensorflow/nn.py."""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.windows import Ints, Pads, as_plane, layout_of, of_plane, pads_of, sizes_of
from mlconv.ir.core import Value

RULES: Final = Rules()


@RULES.rule(*(f"{what}Pooling{i}D" for what in ("Max", "Average") for i in (1, 2, 3)), keeps_mask=False)
def pool(n: Call) -> Value:
    """Strides are the size of the window where there are none.  What lies in the padding does not count."""
    x, count = n.x, int(n.kind[-2])
    layout = layout_of(n, count)
    sizes_of(n, x, layout)
    window = n.fields.integers("pool_size", count)
    strides = n.fields.integers("strides", count, window)
    padding = n.fields.text("padding", "valid", ("valid", "same"))
    pads = pads_of(n, padding, x, layout, window, strides, (1,) * count)
    return _pooled(n, x, layout, window, strides, pads)


def _pooled(n: Call, x: Value, layout: str, window: Ints, strides: Ints, pads: Pads | str) -> Value:
    make, ones = core.MaxPool if "Max" in n.kind else core.AvgPool, (1,) * len(window)
    if len(window) != 1:
        return n.y(make(x, window=window, strides=strides, pads=pads, dilations=ones, layout=layout))
    plane, wide = as_plane(n, x, layout)
    pairs = pads if isinstance(pads, str) else ((0, 0), *pads)
    y = make(plane, window=(1, *window), strides=(1, *strides), pads=pairs, dilations=(1, 1), layout=wide)
    return of_plane(n, n.y(y), layout)


@RULES.rule(*(f"Adaptive{what}Pooling{i}D" for what in ("Max", "Average") for i in (1, 2, 3)), keeps_mask=False)
def adaptive_pool(n: Call) -> Value:
    """So many windows along each axis, which overlap where its size is no multiple of their number."""
    x, count = n.x, int(n.kind[-2])
    layout = layout_of(n, count)
    sizes_of(n, x, layout)
    for i, wanted in enumerate(n.fields.integers("output_size", count)):
        x = _windows(n, x, layout, i, wanted)
    return x


def _windows(n: Call, x: Value, layout: str, i: int, wanted: int) -> Value:
    """Along one axis: windows of two sizes at all places, of which some are taken.

    Source: `_compute_static_gather_indices`, in float32 as there.
    """
    axis, count = layout.index(str(i)), len(layout) - 2
    size = n.size(x, axis)

    def along(k: int) -> Ints:
        return tuple(k if j == i else 1 for j in range(count))

    none: Pads = ((0, 0),) * count
    if size % wanted == 0:
        each = along(size // wanted)
        return _pooled(n, x, layout, each, each, none) if size > wanted else x
    places, small = np.arange(wanted + 1, dtype=np.float32), -(-size // wanted)
    edges = places * np.float32(size) / np.float32(wanted)
    begin = np.minimum(np.floor(edges[:-1]).astype(int), size - 1)
    large = np.minimum(np.ceil(edges[1:]).astype(int), size) - begin == small + 1
    parts = [_pooled(n, x, layout, along(small), along(1), none)]
    if large.any():
        parts.append(_pooled(n, x, layout, along(small + 1), along(1), none))
    index = np.where(large, begin + max(1, size - small + 1), begin)
    return n.gather(n.concat(parts, axis) if len(parts) > 1 else parts[0], [int(v) for v in index], axis)


def _global(n: Call) -> tuple[Value, tuple[int, ...]]:
    """The image and its spatial axes."""
    x = n.x
    layout = layout_of(n, int(n.kind[-2]))
    sizes_of(n, x, layout)
    return x, tuple(i for i, c in enumerate(layout) if c.isdigit())


@RULES.rule("GlobalAveragePooling2D", "GlobalAveragePooling3D", keeps_mask=False)
def global_average(n: Call) -> Value:
    x, axes = _global(n)
    return n.mean(x, axes, keepdims=n.fields.flag("keepdims"))


@RULES.rule("GlobalAveragePooling1D")
def global_average_of_steps(n: Call) -> Value:
    """Over the steps that count, where there is a mask."""
    x, axes = _global(n)
    keep, mask = n.fields.flag("keepdims"), n.mask
    if mask is None:
        return n.mean(x, axes, keepdims=keep)
    counts = n.expand_dims(mask, 3 - axes[0])
    total = n.sum(n.where(counts, x, 0.0), axes, keepdims=keep)
    return n.div(total, n.sum(n.cast(counts, x.tensor.dtype), axes, keepdims=keep))


@RULES.rule("GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D", keeps_mask=False)
def global_max(n: Call) -> Value:
    x, axes = _global(n)
    return n.max(x, axes, keepdims=n.fields.flag("keepdims"))
