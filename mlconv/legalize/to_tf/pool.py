"""Pools, channels last.

AvgPool counts what is inside of the image alone, with `SAME`; other means are sums divided by how many elements count,
which is a mean of ones.  MaxPool has no dilations: the largest of the elements at each place of the window.  Source:
tensorflow/core/kernels/maxpooling_op.cc, avgpooling_op.cc.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.window import ceil_is_floor, standard_padding
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tf.builder import TfBuilder, refuse
from mlconv.legalize.to_tf.elements import taken_types
from mlconv.legalize.to_tf.window import LARGEST_RANK, amounts, around, last, spatial_sizes, to_layout
from mlconv.rewrite import Rules, remake
from mlconv.rewrite.core_builder import Part

RULES = Rules()

Pool = core.MaxPool | core.AvgPool
_NAMES = {(True, 2): "MaxPool", (True, 3): "MaxPool3D", (False, 2): "AvgPool", (False, 3): "AvgPool3D"}


@RULES.rule(core.MaxPool, core.AvgPool)
def pool(op: Pool, e: TfBuilder) -> Value:
    """Channels last; one axis is two, one of which is of size 1."""
    count = len(op.window)
    if count > LARGEST_RANK:
        raise refuse(f"TensorFlow has pools along 1 to {LARGEST_RANK} axes, not {count}")
    layout = last(count)
    spatial_sizes(op.x, op.layout)
    if op.layout != layout:
        x = to_layout(e, op.x, op.layout, layout)
        return to_layout(e, e.y(remake(op, [x], layout=layout)), layout, op.layout)
    if count == 1:
        return _of_one_axis(op, e)
    if isinstance(op, core.MaxPool) and op.x.tensor.dtype not in taken_types(_NAMES[True, count], "T"):
        return _of_other_elements(op, e)
    sizes = tuple((op.x.tensor.shape or ())[1:-1])
    padding = standard_padding(sizes, op.window, op.strides, op.dilations, op.pads)
    counts_pads = isinstance(op, core.AvgPool) and op.count_include_pad and padding == "SAME"
    floors = not op.ceil_mode or ceil_is_floor(op, sizes)
    if padding is not None and floors and not counts_pads and set(op.dilations) == {1}:
        return _windowed(op, e, op.x, op.y.tensor, padding)
    grown = _Grown(op, e, floors)
    return grown.largest() if isinstance(op, core.MaxPool) else grown.mean()


def _of_other_elements(op: core.MaxPool, e: TfBuilder) -> Value:
    """Integers that no kernel takes, by way of floats that hold them all."""
    dtype = op.x.tensor.dtype
    if dtype.is_int and dtype.bits > 53:
        raise refuse(f"TensorFlow's MaxPool has no form for {dtype.display}")
    return e.cast(e.y(remake(op, [e.cast(op.x, DType.F64 if dtype.bits > 16 else DType.F32)])), dtype)


def _of_one_axis(op: Pool, e: TfBuilder) -> Value:
    changes: dict[str, object] = {
        "window": (1, *op.window),
        "strides": (1, *op.strides),
        "dilations": (1, *op.dilations),
        "pads": op.pads if isinstance(op.pads, str) else ((0, 0), *op.pads),
        "layout": "N01C",
    }
    return e.squeeze(e.y(remake(op, [e.expand_dims(op.x, 1)], **changes)), 1)


def _windowed(op: Pool, e: TfBuilder, x: Value, t: TensorType, padding: str) -> Value:
    name = _NAMES[isinstance(op, core.MaxPool), len(op.window)]
    return e.one(name, [x], t, ksize=(1, *op.window, 1), strides=(1, *op.strides, 1), padding=padding)


class _Grown:
    """A pool over an image with pads around it, and with what makes its last windows whole."""

    def __init__(self, op: Pool, e: TfBuilder, floors: bool) -> None:
        self.op, self.e = op, e
        self.pads = amounts(e, op.x, op.pads, op.window, op.strides, op.dilations)
        self.more: list[tuple[Part, Part]] = [(0, 0 if floors else s - 1) for s in op.strides]

    def _ends(self) -> dict[int, tuple[Part | None, Part | None, int]]:
        """Windows that would start behind the image do not count."""
        e, op, bounds = self.e, self.op, dict[int, tuple[Part | None, Part | None, int]]()
        for i, (s, (_, more), (before, _)) in enumerate(zip(op.strides, self.more, self.pads, strict=True)):
            if not more:
                continue
            n, m = e.dim(op.x, 1 + i), (op.y.tensor.shape or ())[1 + i]
            if isinstance(m, int):
                bounds[1 + i] = (0, m, 1)
            elif not isinstance(n, int):
                room = e.add(e.sub(n, 1), before)
                bounds[1 + i] = (0, e.add(e.y(core.FloorDiv(room, e.constant(s, DType.I64))), 1), 1)
        return bounds

    def _pooled(self, x: Value) -> Value:
        """Windows over x, which is grown."""
        e, op, t = self.e, self.op, self._type(x)
        bounds = self._ends()
        if set(op.dilations) == {1}:
            y = _windowed(op, e, x, t, "VALID")
            return e.slice(y, bounds) if bounds else y
        best: Value | None = None
        for at in product(*(range(k) for k in op.window)):
            part = self._shifted(x, at)
            if best is None:
                best = part
            else:
                best = e.maximum(best, part) if isinstance(op, core.MaxPool) else e.add(best, part)
        assert best is not None
        best = best if isinstance(op, core.MaxPool) else e.div(best, float(math.prod(op.window)))
        return e.slice(best, bounds) if bounds else best

    def _shifted(self, x: Value, at: tuple[int, ...]) -> Value:
        """The elements that all windows have at one place."""
        bounds: dict[int, tuple[Part | None, Part | None, int]] = {}
        for i, (k, place, s, d) in enumerate(zip(self.op.window, at, self.op.strides, self.op.dilations, strict=True)):
            behind = (k - 1 - place) * d
            bounds[1 + i] = (place * d, -behind if behind else None, s)
        return self.e.slice(x, bounds)

    def _type(self, x: Value) -> TensorType:
        """Of windows over x."""
        op = self.op
        made = remake(op, [x], pads=((0, 0),) * len(op.window), ceil_mode=False)
        return made.results[0].tensor

    def largest(self) -> Value:
        """Pads are the lowest number there is."""
        dtype, e = self.op.x.tensor.dtype, self.e
        low = -math.inf if dtype.is_float else int(np.iinfo(dtype.numpy).min)
        fill = e.constant(np.asarray(low).astype(dtype.numpy), dtype)
        return self._pooled(around(e, around(e, self.op.x, self.pads, fill), self.more, fill))

    def mean(self) -> Value:
        """Means with zeros for pads, over the mean of ones where elements count."""
        e, op = self.e, self.op
        x = around(e, around(e, op.x, self.pads), self.more)
        assert isinstance(op, core.AvgPool)
        total = self._pooled(x)
        if op.count_include_pad and all(more == (0, 0) for more in self.more):
            return total
        counted = op.x.tensor.with_shape((1, *(op.x.tensor.shape or ())[1:-1], 1))
        sizes = e.vector([1, *(e.dim(op.x, 1 + i) for i in range(len(op.window))), 1])
        ones = e.broadcast_to(e.constant(1, counted.dtype), sizes)
        inner = around(e, ones, self.pads, 1.0 if op.count_include_pad else 0.0)
        return e.div(total, self._pooled(around(e, inner, self.more)))
