"""What a resize reads along an axis whose sizes are known at run time: elements and weights, computed as `core.Resize`
computes them, before the image is read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel import View
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, refuse


class Tap(NamedTuple):
    """Elements that results read along an axis, and their weights, from a place of their tables on."""

    elements: Value
    weights: Value | None
    begin: Size = 0


_FIXED = ("tf_crop_and_resize",)  # coordinates of sizes that are known at conversion time


class ResizeTables:
    """Of axis i, from n elements to m.

    Raises ConversionError TargetLacksOp for coordinates and modes without code.
    """

    def __init__(self, op: core.Resize, i: int, n: Size, m: Size, e: KernelBuilder) -> None:
        lacks = "antialias" if op.antialias else op.coordinates if op.coordinates in _FIXED else ""
        if lacks:
            raise refuse(f"a resize with {lacks} to a size that is known at run time")
        self.op, self.i, self.n, self.m, self.e = op, i, n, m, e
        self.real = DType.F32 if op.single or op.scales is not None else DType.F64
        self.counted = e.counted(m, self.real)
        self.steps: Value

    def taps(self, dtype: DType) -> list[Tap]:
        """Of each, elements, and weights of that type, in one table for all of them: an axis has two kernels."""
        if self.op.mode == "nearest":
            return [Tap(self._table(DType.I32, 1, self._nearest), None)]
        count, radius = (2, 1) if self.op.mode == "linear" else (4, 2)
        self.steps = self.e.constant(np.arange(1.0 - radius, count - radius + 1))
        elements = self._table(DType.I32, count, self._element)
        weights = self._table(dtype, count, self._weight)
        return [Tap(elements, weights, self.m * k) for k in range(count)]

    def _table(self, dtype: DType, rows: int, build: Callable[[Expr], int]) -> Value:
        return self.e.map(TensorType(dtype, (rows, self.m)), lambda x: x.cast(build(x), dtype))

    @property
    def _is_plain(self) -> bool:
        """Places outside are moved to the edge."""
        return self.op.mode == "linear" and not self.op.exclude_outside

    def _spot(self, x: Expr) -> int:
        """Where a result lies, as a real coordinate, in float64."""
        return x.cast(self._coordinate(x, x.load(self.counted, View(0, (0, 1)))), DType.F64)

    def _coordinate(self, x: Expr, place: int) -> int:
        op, real, kind = self.op, self.real, self.op.coordinates
        if kind == "align_corners":
            along = x.op("mul", place, x.size(real, self.n - 1))
            return x.op("div", along, x.op("maximum", x.size(real, self.m - 1), x.const(real, 1.0)))
        if op.scales is not None:
            scale = x.const(real, op.scales[self.i])
        else:
            scale = x.op("div", x.size(real, self.m), x.size(real, self.n))
        if kind == "asymmetric":
            return x.op("div", place, scale)
        if kind == "half_pixel_symmetric":
            return self._symmetric(x, place, scale)
        middle = x.op("div", x.with_number("add", place, 0.5), scale)
        if kind == "tf_half_pixel_for_nn":
            return middle
        spot = x.with_number("sub", middle, 0.5)
        if kind == "pytorch_half_pixel":
            several = x.op("less", x.const(real, 1.0), x.size(real, self.m), dtype=DType.BOOL)
            return x.op("select", several, spot, x.const(real, 0.0), dtype=real)
        return spot

    def _symmetric(self, x: Expr, place: int, scale: int) -> int:
        """Half pixels around the middle of the axis: the part in front of it in float64, as the kernel has it."""
        real, wide = self.real, DType.F64
        adjustment = x.op("div", x.size(real, self.m), x.op("mul", scale, x.size(real, self.n)))
        half = x.with_number("mul", x.size(real, self.n), 0.5)
        offset = x.op("mul", x.op("sub", x.const(real, 1.0), adjustment), half)
        middle = x.op("div", x.with_number("add", x.cast(place, wide), 0.5), x.cast(scale, wide))
        return x.cast(x.with_number("sub", x.op("add", x.cast(offset, wide), middle), 0.5), real)

    def _inside(self, x: Expr, spot: int) -> int:
        """Moved to the nearest element."""
        last = x.op("maximum", x.size(DType.F64, self.n - 1), x.const(DType.F64, 0.0))
        return x.op("minimum", x.with_number("maximum", spot, 0.0), last)

    def _nearest(self, x: Expr) -> int:
        spot, mode, half = self._spot(x), self.op.nearest_mode, self.op.half
        if mode == "round_prefer_floor":
            spot = x.with_number("sub", spot, half)
        elif mode == "round_prefer_ceil":
            spot = x.with_number("add", spot, half)
        down = mode in ("floor", "round_prefer_ceil")
        return self._inside(x, x.op("floor" if down else "ceil", spot))

    def _place(self, x: Expr) -> int:
        """The spot that weights are taken of."""
        spot = self._spot(x)
        return self._inside(x, spot) if self._is_plain else spot

    def _step(self, x: Expr) -> int:
        """How far behind the element before its place a row's element is."""
        return x.load(self.steps, View(0, (1, 0)))

    def _element(self, x: Expr) -> int:
        return self._inside(x, x.op("add", x.op("floor", self._place(x)), self._step(x)))

    def _weight(self, x: Expr) -> int:
        spot = self._place(x)
        first = x.op("floor", spot)
        own = self._share(x, spot, x.op("add", first, self._step(x)))
        if self._is_plain:
            near, far = self._inside(x, first), self._inside(x, x.with_number("add", first, 1.0))
            # an element that is read twice counts half each time: 0 times infinity is no number
            same = x.op("equal", near, far, dtype=DType.BOOL)
            return x.op("select", same, x.const(DType.F64, 0.5), own, dtype=DType.F64)
        steps = (0, 1) if self.op.mode == "linear" else (-1, 0, 1, 2)
        shares = [self._share(x, spot, x.with_number("add", first, float(k))) for k in steps]
        return x.op("div", own, reduce(partial(x.op, "add"), shares))

    def _share(self, x: Expr, spot: int, element: int) -> int:
        """The weight of an element before it is divided by the sum of all: the hat function, or Keys' cubic."""
        t = x.op("abs", x.op("sub", element, spot))
        if self.op.mode == "linear":
            share = x.with_number("maximum", x.op("sub", x.const(DType.F64, 1.0), t), 0.0)
        else:
            share = self._cubic(x, t)
        if not self.op.exclude_outside:
            return share
        same = x.op("equal", element, self._inside(x, element), dtype=DType.BOOL)
        return x.op("select", same, share, x.const(DType.F64, 0.0), dtype=DType.F64)

    def _cubic(self, x: Expr, t: int) -> int:
        a = self.op.cubic_a

        def horner(factors: tuple[float, ...]) -> int:
            value = x.const(DType.F64, factors[0])
            for factor in factors[1:]:
                value = x.with_number("add", x.op("mul", value, t), factor)
            return value

        near, far = horner((a + 2, -(a + 3), 0.0, 1.0)), horner((a, -5 * a, 8 * a, -4 * a))
        zero = x.const(DType.F64, 0.0)
        reached = x.op("less", t, x.const(DType.F64, 2.0), dtype=DType.BOOL)
        behind = x.op("select", reached, far, zero, dtype=DType.F64)
        close = x.op("less_equal", t, x.const(DType.F64, 1.0), dtype=DType.BOOL)
        return x.op("select", close, near, behind, dtype=DType.F64)
