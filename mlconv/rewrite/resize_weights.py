"""Matrices of weights with which one side of an image is resized, as TensorFlow's kernels have them.

Source: tensorflow/core/kernels/image (resize_bicubic_op.cc, scale_and_translate_op.cc, sampling_kernels.h).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from mlconv.ir.constants import Array

_PI: Final = 3.14159265359  # as sampling_kernels.h has it


def cubic_weights(size: int, wanted: int, coordinates: str) -> Array:
    """Weights [wanted, size].  Distances are rounded to 1/1024, as TensorFlow's table of the kernel has them."""
    align, half = coordinates == "align_corners", coordinates == "half_pixel"
    scale = np.float32((size - 1) / (wanted - 1)) if align and wanted > 1 else np.float32(size / wanted)
    out = np.arange(wanted, dtype=np.float32)
    spots = (out + np.float32(0.5)) * scale - np.float32(0.5) if half else out * scale
    first = np.floor(spots).astype(np.int64)
    t = np.rint((spots - first) * np.float32(1024)) / 1024
    a = -0.5 if half else -0.75
    near = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (t, 1 - t)]
    far = [((a * d - 5 * a) * d + 8 * a) * d - 4 * a for d in (t + 1, 2 - t)]
    taps = np.stack([far[0], near[0], near[1], far[1]], 1)
    elements = first[:, None] + np.arange(-1, 3)
    if half:  # elements outside do not count
        taps = np.where((elements < 0) | (elements >= size), 0, taps)
        taps = taps / taps.sum(1, keepdims=True)
    weights = np.zeros((wanted, size))
    np.add.at(weights, (np.arange(wanted)[:, None], np.clip(elements, 0, size - 1)), taps)
    return weights


def _lanczos(radius: float) -> Callable[[Array], Array]:
    def weight(x: Array) -> Array:
        angle = np.where(x <= 1e-3, 1, x * _PI)
        inner = radius * np.sin(angle) * np.sin(angle / radius) / (angle * angle)
        return np.where(x > radius, 0, np.where(x <= 1e-3, 1, inner))

    return weight


def _keys(x: Array) -> Array:
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


KERNELS: Final[dict[str, Callable[[Array], Array]]] = {
    "bilinear": lambda x: np.maximum(1 - x, 0),
    "bicubic": _keys,
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}
"""Weights at distances that are not negative, by the names of tf.image.resize."""


def kernel_weights(name: str, size: int, wanted: int, antialias: bool) -> Array:
    """Weights [wanted, size] of a kernel around each place, rows of which add up to 1.

    antialias: the kernel is as wide as places are apart.
    """
    scale = size / wanted
    spots = (np.arange(wanted) + 0.5)[:, None] * scale
    width = max(scale, 1.0) if antialias else 1.0
    weights = KERNELS[name](np.abs(np.arange(size)[None] + 0.5 - spots) / width)
    return np.asarray(weights / weights.sum(1, keepdims=True))
