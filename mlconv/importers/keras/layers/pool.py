"""Pooling.  Source: keras/src/layers/pooling, keras/src/backend/tensorflow/nn.py."""

from __future__ import annotations

from typing import Final

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.windows import as_plane, layout_of, of_plane, pads_of, sizes_of
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
    ones = (1,) * count
    padding = n.fields.text("padding", "valid", ("valid", "same"))
    pads = pads_of(n, padding, x, layout, window, strides, ones)
    make = core.MaxPool if n.kind.startswith("Max") else core.AvgPool
    if count != 1:
        return n.y(make(x, window=window, strides=strides, pads=pads, dilations=ones, layout=layout))
    plane, wide = as_plane(n, x, layout)
    pairs = pads if isinstance(pads, str) else ((0, 0), *pads)
    y = make(plane, window=(1, *window), strides=(1, *strides), pads=pairs, dilations=(1, 1), layout=wide)
    return of_plane(n, n.y(y), layout)


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
