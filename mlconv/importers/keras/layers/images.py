"""Images of another size.

Source: keras/src/layers/preprocessing/image_preprocessing (resizing.py, center_crop.py),
keras/src/backend/tensorflow/image.py, tf.image.resize.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.windows import layout_of, sizes_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import Part
from mlconv.rewrite.resize_weights import KERNELS, cubic_weights, kernel_weights

RULES: Final = Rules()
MODES: Final = ("nearest", *KERNELS)
_LARGEST: Final = 1 << 24  # elements of a matrix of weights


def resized(n: Call, x: Value, axes: tuple[int, ...], sizes: list[Part], mode: str, antialias: bool = False) -> Value:
    """As tf.image.resize does: half pixels, nearest rounds down; float32 but for nearest."""
    if mode == "nearest" or (mode == "bilinear" and not antialias):
        linear = mode == "bilinear"
        return n.y(
            core.Resize(
                x,
                n.vector(sizes),
                axes=axes,
                mode="linear" if linear else "nearest",
                coordinates="half_pixel" if linear else "tf_half_pixel_for_nn",
                nearest_mode="floor",
            )
        )
    for axis, wanted in zip(axes, sizes, strict=True):
        if not isinstance(wanted, int):
            raise n.unknown("a size that is not known")
        x = _along(n, x, axis, wanted, mode, antialias)
    return x


def _along(n: Call, x: Value, axis: int, wanted: int, mode: str, antialias: bool) -> Value:
    """One axis, by a matrix of weights."""
    size, rank = n.size(x, axis), n.rank(x)
    if size * wanted > _LARGEST:
        raise n.unknown(f"{size} elements resized to {wanted} by a matrix")
    plain = mode == "bicubic" and not antialias
    weights = cubic_weights(size, wanted, "half_pixel") if plain else kernel_weights(mode, size, wanted, antialias)
    w = n.constant(weights.astype(np.float32), x.tensor.dtype)
    if axis == rank - 2:
        return n.matmul(w, x)
    order = [*(a for a in range(rank) if a != axis), axis]
    y = n.matmul(n.transpose(x, order), w, transpose_b=True)
    return n.transpose(y, [order.index(a) for a in range(rank)])


def _images(n: Call) -> tuple[Value, tuple[int, int]]:
    """Images, and the axes of their heights and widths.

    Integers become floats first, as in graphs (`DataLayer.__call__`): a call outside of one rounds them again.
    """
    x, layout = n.cast(n.x, n.dtype), layout_of(n, 2)
    sizes_of(n, x, layout)
    return x, (layout.index("0"), layout.index("1"))


@RULES.rule("Resizing", keeps_mask=False)
def resizing(n: Call) -> Value:
    """Images of another size, as a whole or without what is of another shape."""
    (x, axes), f = _images(n), n.fields
    f.text("fill_mode", "constant", ("constant",))
    sizes: list[Part] = [f.integer("height", None, 1), f.integer("width", None, 1)]
    mode, antialias = f.text("interpolation", "bilinear", MODES), f.flag("antialias")
    fill = f.number("fill_value", 0.0)
    if f.flag("crop_to_aspect_ratio"):
        x = _cropped(n, x, axes)
    if f.flag("pad_to_aspect_ratio"):
        x = _padded(n, x, axes, fill)
    if mode == "nearest":
        return resized(n, x, axes, sizes, mode)
    return n.cast(resized(n, n.cast(x, DType.F32), axes, sizes, mode, antialias), n.dtype)


def _share(n: Call, x: Value, axes: tuple[int, int]) -> tuple[list[int], list[int]]:
    """The height and width of an image, and those of the same shape as what is wanted, beside the other one of it."""
    height, width = (n.size(x, a) for a in axes)
    wanted = [n.fields.integer(name, None, 1) for name in ("height", "width")]
    single = np.float32
    return [height, width], [
        int(single(width * wanted[0]) / single(wanted[1])),
        int(single(height * wanted[1]) / single(wanted[0])),
    ]


def _cropped(n: Call, x: Value, axes: tuple[int, int]) -> Value:
    """The middle of an image, of the shape that is wanted."""
    sizes, shares = _share(n, x, axes)
    bounds: dict[int, tuple[Part | None, Part | None, int]] = {}
    for axis, size, share in zip(axes, sizes, shares, strict=True):
        kept = max(min(size, share), 1)
        begin = (size - kept) // 2
        if kept < size:
            bounds[axis] = (begin, begin + kept, 1)
    return n.slice(x, bounds) if bounds else x


def _padded(n: Call, x: Value, axes: tuple[int, int], fill: float) -> Value:
    """As much on both sides of an image as brings it nearest to the shape that is wanted."""
    sizes, shares = _share(n, x, axes)
    pads: list[tuple[Part, Part]] = [(0, 0)] * n.rank(x)
    for axis, size, share in zip(axes, sizes, shares, strict=True):
        pads[axis] = ((max(size, share) - size) // 2,) * 2
    return n.pad(x, pads, fill) if any(map(any, pads)) else x


@RULES.rule("AutoContrast", keeps_mask=True)
def auto_contrast(n: Call) -> Value:
    """Each channel of an image from the least to the greatest value; a channel of one value stays.

    Source: auto_contrast.py, `_transform_value_range` of base_image_preprocessing_layer.py.
    """
    x, f = n.x, n.fields
    given = f.get("value_range", [0, 255])
    f.unused("factor", "bounding_box_format", "data_format")
    if n.rank(x) != 4 or not x.tensor.dtype.is_float:
        raise n.unknown("its input is no batch of images of floats")
    if not isinstance(given, (list, tuple)) or len(given) != 2 or not all(isinstance(v, (int, float)) for v in given):
        raise f.wrong("value_range")
    low, high = map(float, given)
    if not low < high:
        raise f.wrong("value_range")
    whole = (low, high) == (0.0, 255.0)
    y = x if whole else n.mul(n.div(n.sub(x, low), high - low), 255.0)
    least, most = n.y(core.ReduceMin(y, axes=(1, 2), keepdims=True)), n.max(y, [1, 2], keepdims=True)
    single = n.equal(least, most)
    scale = n.div(255.0, n.where(single, 1.0, n.sub(most, least)))
    y = n.y(core.Clamp(n.add(n.mul(y, scale), n.mul(n.neg(least), scale)), lo=0.0, hi=255.0))
    y = y if whole else n.add(n.mul(n.div(y, 255.0), high - low), low)
    return n.where(single, x, y)


@RULES.rule("CenterCrop", keeps_mask=False)
def center_crop(n: Call) -> Value:
    """The middle of images that are large enough; others are cropped to the shape that is wanted and resized."""
    x, axes = _images(n)
    wanted = [n.fields.integer(name, None, 1) for name in ("height", "width")]
    left = [n.size(x, axis) - size for axis, size in zip(axes, wanted, strict=True)]
    if min(left) < 0:
        return resized(n, _cropped(n, x, axes), axes, [*wanted], "bilinear")
    return n.slice(
        x, {axis: (space // 2, space // 2 + size, 1) for axis, space, size in zip(axes, left, wanted, strict=True)}
    )
