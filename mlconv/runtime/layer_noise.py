"""What roundings may change of an op's result: a run of the model in which sums are in another order, and products are
off by what is expected of weights that are rounded as those of the other model are.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.runtime.order import PRODUCTS, Scattered

_LARGEST = {DType.I2: 1, DType.I4: 7, DType.I8: 127, DType.U8: 127, DType.I16: 32767}
_FLOATS = {DType.F16: 2.0**-11, DType.BF16: 2.0**-8}
RELATIVE = {np.dtype(np.float64): 2e-5, np.dtype(np.float32): 2e-5, np.dtype(np.float16): 4e-3}
"""Of a magnitude that a runtime's functions may be off by, by element type; others are bfloat16 or smaller."""
COARSE = 3e-2
RELATIVES = {DType.F16: RELATIVE[np.dtype(np.float16)], DType.BF16: COARSE}
"""The same of what is computed in 16 bits."""
_AT_RUN_TIME = (core.DynamicConv, core.DynamicMatMul)


class Weights(NamedTuple):
    """How a constant is stored.  whole: it has one scale."""

    dtype: DType
    whole: bool = False


@dataclass(frozen=True)
class Rounding:
    """How the other model stores weights.  largest: integer of a symmetric scale, or 0.  whole: one scale is for all
    channels.  relative: of floats.  rows: what products read is rounded to 8 bits as well, row by row.
    """

    largest: int = 0
    whole: bool = False
    relative: float = 0.0
    rows: bool = False

    @staticmethod
    def of(weights: Iterable[Weights], activations: Iterable[DType]) -> Rounding:
        """Of constants with a scale, or of 16-bit floats, and of the types of what is computed with a scale."""
        stored = set(weights)
        largest = min((_LARGEST[w.dtype] for w in stored if w.dtype in _LARGEST), default=0)
        return Rounding(
            largest,
            any(w.whole for w in stored),
            max((_FLOATS[w.dtype] for w in stored if w.dtype in _FLOATS), default=0.0),
            bool(largest) and not any(t in _LARGEST for t in activations),
        )

    @property
    def is_integer(self) -> bool:
        return self.largest > 0

    def squares(self, w: Array, channel: int) -> Array:
        """Mean squares of what rounding may change of each weight.  channel: axis of output channels."""
        axes = tuple(i for i in range(w.ndim) if self.whole or i != channel)
        scale = np.abs(w).max(axes, keepdims=True, initial=0) / np.float32(self.largest)
        return np.broadcast_to(np.square(scale) / np.float32(12), w.shape)

    def read(self, x: Array, axes: tuple[int, ...]) -> Array:
        """Mean squares of what rounding to 8 bits changes of what a product reads.  axes: that share a range."""
        step = (np.maximum(x.max(axes, keepdims=True), 0) - np.minimum(x.min(axes, keepdims=True), 0)) / np.float32(255)
        return np.broadcast_to(np.square(step) / np.float32(12), x.shape)


class Noisy:
    """Changes results as roundings do.  stored: values of constants, and what is computed of these alone."""

    def __init__(self, rounding: Rounding, stored: Container[Value]) -> None:
        self.rounding, self.stored = rounding, stored
        self.change = Scattered()

    def __call__(self, op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        moved = self.change(op, values, results)
        if not isinstance(op, OpDef) or op.regions or not values or not results or results[0].dtype.kind != "f":
            return moved
        if self.rounding.relative or (self.rounding.largest and not isinstance(op, PRODUCTS)):
            moved = self._with_stored(op, values, results, moved)
        if isinstance(op, _AT_RUN_TIME) and self.rounding.largest and not self.rounding.rows:
            squares = self._requantized(op, values)
            return [np.asarray((moved[0] + self.change.signed(np.sqrt(np.maximum(squares, 0)))).astype(moved[0].dtype))]
        if not (isinstance(op, PRODUCTS) and self.rounding.largest and op.operands[1] in self.stored):
            return moved
        weights, x, w, rest = self._weights(op), values[0], values[1], [None for _ in values[2:]]
        if x is None or w is None or (weights is None and not (self.rounding.rows and x.size)):
            return moved
        squares = (
            np.zeros(()) if weights is None else op.evaluate(np.square(x), self.rounding.squares(w, weights), *rest)
        )
        if self.rounding.rows and x.size:
            squares = squares + op.evaluate(self.rounding.read(x, _range_axes(op)), np.square(w), *rest)
        return [np.asarray((moved[0] + self.change.signed(np.sqrt(np.maximum(squares, 0)))).astype(moved[0].dtype))]

    def _requantized(self, op: core.DynamicConv | core.DynamicMatMul, values: Sequence[Array | None]) -> Array:
        """Mean squares of what differs from a product of integers whose scales are known before: what both read is
        rounded apart, and so are weights, of which each model has its own.
        """
        x, w = values[0], values[1]
        assert x is not None and w is not None
        weights = (op.w if isinstance(op, core.DynamicConv) else op.b).tensor.quant
        assert weights is not None
        numbers = weights.dequantize(w)
        channel = op.w_layout.index("O") if isinstance(op, core.DynamicConv) else numbers.ndim - 1 - op.transpose_b
        own = np.square(np.broadcast_to(weights.spread(weights.scales.view(), w.ndim), w.shape)) / np.float32(12)
        rounded = own + self.rounding.squares(numbers, channel)
        step = (x.max(initial=0) - x.min(initial=0)) / np.float32(255)
        read = np.full_like(x, 2 * step * step / 12)
        plain = [op.product(np.square(x), rounded), op.product(read, np.square(numbers))]
        return np.asarray(plain[0] + plain[1])

    def off_by(self, x: Array, amount: Array) -> Array:
        """Each element up or down by as much.  amount: of a shape that broadcasts."""
        amounts = np.broadcast_to(np.asarray(amount, np.float32), x.shape)
        return np.asarray(x + self.change.signed(amounts), x.dtype)

    def _with_stored(
        self, op: OpDef, values: Sequence[Array | None], results: Sequence[Array], moved: Sequence[Array]
    ) -> Sequence[Array]:
        """With constants as the other model may have them."""
        known = [v in self.stored and v is not None and not is_rounded(v) for v in op.operands]
        taken = [x if x is None or not k else self._stored(x) for k, x in zip(known, values, strict=True)]
        if all(x is y for x, y in zip(taken, values, strict=True)) or op.results[0] in self.stored:
            return moved
        again = op.evaluate(*taken)
        found = again if isinstance(again, (tuple, list)) else (again,)
        changed = zip(moved, found, results, strict=True)
        return [np.asarray(m + (y - x)) if x.dtype.kind == "f" else m for m, y, x in changed]

    def _stored(self, x: Array) -> Array:
        """A constant, rounded to 16 bits, or, where it is no vector, to the integers of one scale."""
        if x.dtype != np.float32:
            return x
        amount = np.abs(x) * np.float32(self.rounding.relative)
        if self.rounding.largest and sum(n > 1 for n in x.shape) > 1:
            amount = amount + np.abs(x).max(initial=0) / np.float32(self.rounding.largest * math.sqrt(12))
        return np.asarray(x + self.change.signed(amount), x.dtype) if amount.any() else x

    def _weights(self, op: OpDef) -> int | None:
        """The axis of output channels of a product's weights; none where these are no constant."""
        second = op.operands[1]
        if second is None or second not in self.stored or is_rounded(second):
            return None
        if isinstance(op, core.MatMul):
            rank = len(second.tensor.shape or ())
            return rank - 2 if op.transpose_b and rank > 1 else rank - 1
        assert isinstance(op, (core.Conv, core.ConvTranspose))
        return op.w_layout.index("O")


def _range_axes(op: Op) -> tuple[int, ...]:
    """Axes of what a product reads that share a range, where it is rounded at run time: an image, or a row."""
    if isinstance(op, core.MatMul):
        return (-2 if op.transpose_a else -1,)
    assert isinstance(op, (core.Conv, core.ConvTranspose))
    return tuple(i for i, c in enumerate(op.x_layout) if c != "N")


class Unrounded:
    """Products do not round at run time what they read."""

    def __call__(self, op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if not isinstance(op, _AT_RUN_TIME):
            return results
        x, w, bias = values[0], values[1], values[2] if len(values) > 2 else None
        assert x is not None and w is not None
        return [op.unrounded(x, w, bias)]


def is_rounded(value: Value) -> bool:
    """A constant that is stored with a scale: it is the same wherever it is."""
    return isinstance(value.producer, core.Dequantize) or value.tensor.quant is not None


def stored_values(function: Function) -> set[Value]:
    """Constants, and what is computed of these alone."""
    found: set[Value] = set()
    for op in function.block.ops:
        if isinstance(op, OpDef) and not op.regions and all(v is None or v in found for v in op.operands):
            found.update(op.results if isinstance(op, core.Constant) or op.operands else ())
    return found
