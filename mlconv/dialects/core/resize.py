"""Resampling along axes.

Every mode is separable: along each axis the result is a matrix of weights [out, in] applied to x.  `axis_weights` makes
that matrix; targets without a matching kernel use it as a constant.  Source: ONNX Resize-19
(coordinate_transformation_mode, nearest_mode), TensorFlow image ops.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import ranked
from mlconv.dialects.core.shape import operand_sizes
from mlconv.ir.attributes import one_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.quant_rules import SAME
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import TensorType

COORDINATES = one_of(
    "half_pixel",
    "asymmetric",
    "align_corners",
    "pytorch_half_pixel",
    "half_pixel_symmetric",
    "tf_crop_and_resize",
    "tf_half_pixel_for_nn",
)
NEAREST = one_of("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")
MAX_WEIGHTS = 1 << 27
"""Most weights of a table of one axis."""

MAX_SIZE = 1 << 24
"""Most elements along an axis that is resampled: each has weights of its own, as numbers in the model."""


@op("core.resize", quant=SAME)
class Resize(OpDef):
    """x resampled to `sizes` (integer [len(axes)]) along `axes`.

    mode: nearest, linear, cubic.  coordinates: half_pixel, asymmetric, align_corners, pytorch_half_pixel,
    half_pixel_symmetric, tf_crop_and_resize, tf_half_pixel_for_nn.  nearest_mode: floor, ceil, round_prefer_floor,
    round_prefer_ceil.  scales: out/in per axis where the source gives them (they need not equal the ratio of sizes),
    else None.  roi: (start, end) per axis in [0, 1] for tf_crop_and_resize.  single: places are computed in float32, as
    they always are with scales or a roi.
    """

    x: Value = operand()
    sizes: Value = operand()
    axes: tuple[int, ...] = attr()
    mode: str = attr(default="linear", check=one_of("nearest", "linear", "cubic"))
    coordinates: str = attr(default="half_pixel", check=COORDINATES)
    nearest_mode: str = attr(default="round_prefer_floor", check=NEAREST)
    cubic_a: float = attr(default=-0.75)
    exclude_outside: bool = attr(default=False)
    antialias: bool = attr(default=False)
    scales: tuple[float, ...] | None = attr(default=None)
    roi: tuple[tuple[float, float], ...] | None = attr(default=None)
    single: bool = attr(default=False)
    extrapolation: float = attr(default=0.0)
    y: Value = result()

    def infer(self) -> TensorType:
        shape: list[Size] = list(ranked(self.x))
        sizes = operand_sizes(self.sizes)
        if sizes is None or len(sizes) != len(self.axes):
            raise ConversionError(
                Code.ShapeMismatch, f"resize along {len(self.axes)} axes needs as many sizes, has {self.sizes.type}"
            )
        for axis, size in zip(self.axes, sizes, strict=True):
            if isinstance(size, int) and size > MAX_SIZE:
                raise ConversionError(
                    Code.TensorTooLarge,
                    f"{self.x.type} resized to {size} elements along axis {axis}: at most {MAX_SIZE} are made",
                )
            shape[axis] = size
        return self.x.tensor.with_shape(tuple(shape))

    def moves_integers(self) -> bool:
        return self.mode == "nearest" and self.coordinates != "tf_crop_and_resize"

    def eval(self, x: Array, sizes: Array) -> Array:
        y = x if self.mode == "nearest" else x.astype(np.float64)
        outside = np.zeros([1] * x.ndim, bool)
        for i, axis in enumerate(self.axes):
            n, m = x.shape[axis], int(sizes[i])
            if self.keeps(i, n, m):
                continue
            spots = self.positions(i, n, m)
            y = np.take(y, self.nearest(spots, n), axis) if self.mode == "nearest" else self.along(y, i, n, m)
            if self.coordinates == "tf_crop_and_resize":
                outside = outside | ((spots < 0) | (spots > n - 1)).reshape(
                    [-1 if a == axis else 1 for a in range(x.ndim)]
                )
        if outside.any():
            y = np.where(outside, np.asarray(self.extrapolation), y)
        if x.dtype.kind in "iu" and self.mode != "nearest":
            y = np.rint(y)
        return y.astype(x.dtype)

    def keeps(self, i: int, n: Size, m: Size) -> bool:
        """Whether axis i of n elements is left as it is: n results at scale 1, whatever the coordinates (ONNX Runtime,
        upsample.cc).
        """
        return n == m and (self.scales is None or self.scales[i] == 1.0)

    def along(self, y: Array, i: int, n: int, m: int) -> Array:
        """y resampled along one axis, element by element, so that what is not finite stays where it is read."""
        elements, w = self.taps(i, n, m)
        shape = [-1 if a == self.axes[i] else 1 for a in range(y.ndim)]
        return np.asarray(
            sum(np.take(y, elements[:, k], self.axes[i]) * w[:, k].reshape(shape) for k in range(elements.shape[1]))
        )

    def positions(self, i: int, n: int, m: int) -> Array:
        """Where each of m outputs lies on an axis of n inputs, as real coordinates."""
        # A scale that the source gives is a float32, and its kernels compute in float32; nearest modes see the
        # difference where a place is a whole number.
        real = np.float32 if self.single or self.scales is not None or self.roi is not None else np.float64
        ratio = np.asarray(m, real) / np.asarray(n, real) if n else 1.0
        scale: Array = np.asarray(self.scales[i] if self.scales is not None else ratio, real)
        out: Array = np.arange(m).astype(real)
        kind = self.coordinates
        if kind == "align_corners":
            return out * (n - 1) / (m - 1) if m != 1 else np.zeros(m)
        if kind == "asymmetric":
            return out / scale
        if kind == "tf_half_pixel_for_nn":
            return (out + 0.5) / scale
        if kind == "pytorch_half_pixel" and m == 1:
            return np.zeros(m)
        if kind == "tf_crop_and_resize":
            lo, hi = np.asarray((self.roi or ())[i], np.float32)
            return (
                np.asarray(lo * (n - 1) + out * (hi - lo) * (n - 1) / (m - 1))
                if m > 1
                else np.full(m, 0.5 * (lo + hi) * (n - 1))
            )
        if kind == "half_pixel_symmetric":
            # half of it in double, as the kernel has it, and the result in float32 again
            adjustment = np.asarray(m, real) / (scale * n) if n else np.asarray(1, real)
            offset: Array = np.asarray(1 - adjustment).astype(real) * np.asarray(n / 2, real)
            return np.asarray(offset + (out.astype(np.float64) + 0.5) / scale.astype(np.float64) - 0.5).astype(real)
        return (out + 0.5) / scale - 0.5

    @property
    def half(self) -> float:
        """What is rounded by: ONNX Runtime takes what is less than 1e-6 from a half for one."""
        return 0.500001 if self.single else 0.5

    def nearest(self, spots: Array, n: int) -> Array:
        """The element that each place takes its value from."""
        spots = spots.astype(np.float64)
        half = self.half
        if self.nearest_mode == "floor":
            index = np.floor(spots)
        elif self.nearest_mode == "ceil":
            index = np.ceil(spots)
        elif self.nearest_mode == "round_prefer_floor":
            index = np.ceil(spots - half)
        else:
            index = np.floor(spots + half)
        return np.clip(index, 0, n - 1).astype(np.int64)

    def taps(self, i: int, n: int, m: int) -> tuple[Array, Array]:
        """Elements [m, k] that each result of axis i reads in linear and cubic modes, all inside, and their weights [m,
        k].
        """
        scale = (
            self.scales[i]
            if self.scales is not None
            else float(np.float32(m) / np.float32(n))
            if self.single
            else m / n
        )
        stretch = max(1.0, 1 / scale) if self.antialias else 1.0
        radius = int(np.ceil((1 if self.mode == "linear" else 2) * stretch))
        spots = self.positions(i, n, m).astype(np.float64)
        plain = self.mode == "linear" and not self.antialias and not self.exclude_outside
        if plain:
            spots = np.clip(spots, 0, n - 1)
        first = np.floor(spots).astype(np.int64) - radius + 1
        elements = first[:, None] + np.arange(2 * radius)
        w = self.kernel((elements - spots[:, None]) / stretch)
        if self.exclude_outside:
            w = np.where((elements < 0) | (elements >= n), 0, w)
        if self.exclude_outside or self.antialias or self.mode == "cubic":
            w = w / w.sum(1, keepdims=True)
        elements = np.clip(elements, 0, n - 1)
        if plain:  # an element that is read twice counts half each time: 0 times infinity is no number
            w = np.where(elements[:, :1] == elements[:, 1:], 0.5, w)
        return elements, w

    def weights(self, i: int, n: int, m: int) -> Array:
        """Weights [m, n] of axis i for linear and cubic modes.  Raises ConversionError TensorTooLarge when they are too
        many to be written down.
        """
        if m * n > MAX_WEIGHTS:
            raise ConversionError(
                Code.TensorTooLarge,
                f"a resize of {n} elements to {m} has a table of {m} x {n} weights: at most {MAX_WEIGHTS} are made",
            )
        elements, w = self.taps(i, n, m)
        out = np.zeros((m, n))
        np.add.at(out, (np.arange(m)[:, None], elements), w)
        return out

    def kernel(self, t: Array) -> Array:
        """Weight at distance t: the hat function, or Keys' cubic with coefficient `cubic_a`."""
        t = np.abs(t)
        if self.mode == "linear":
            return np.asarray(np.maximum(1 - t, 0))
        a = self.cubic_a
        near = ((a + 2) * t - (a + 3)) * t * t + 1
        far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
        return np.where(t <= 1, near, np.where(t < 2, far, 0))
