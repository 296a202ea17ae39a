"""What roundings may change of an op's result: a run of the model in which sums are in another order, and products are
off by what is expected of weights that are rounded as those of the other model are.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.runtime.compare import rms
from mlconv.runtime.layer_values import is_moving
from mlconv.runtime.order import AT_RUN_TIME, PRODUCTS, Scattered

_SAMPLES = 4.0  # times as far as one sample goes may others go, which a step is chosen by
_LEVELS = 255  # between the outermost integers of 8 bits
_FIXED_STEPS = {core.Softmax: 1 / 256, core.Sigmoid: 1 / 256, core.Tanh: 1 / 128}
"""Source: TFLite 8-bit quantization specification."""

_LARGEST = {DType.I2: 1, DType.I4: 7, DType.I8: 127, DType.U8: 127, DType.I16: 32767}
_FLOATS = {DType.F16: 2.0**-11, DType.BF16: 2.0**-8}
RELATIVE = {np.dtype(np.float64): 2e-5, np.dtype(np.float32): 2e-5, np.dtype(np.float16): 4e-3}
"""Of a magnitude that a runtime's functions may be off by, by element type; others are bfloat16 or smaller."""
COARSE = 3e-2
RELATIVES = {DType.F16: RELATIVE[np.dtype(np.float16)], DType.BF16: COARSE}
"""The same of what is computed in 16 bits."""
MOVING = (core.StorageCast, core.Transpose, core.Reshape, core.Cast)
"""What stands between stored integers and a product that reads them."""
_IN_TURNS = (core.Lstm, core.Gru, core.Rnn)
_NARROWED = 1.01  # steps of 16 bits: LiteRT's sums of 64 meet a factor of 15 (`MultiplyByQuantizedMultiplier`)
_OF_FLOATS = 2.0**-9  # of a product, by weights of 16 bits


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
    """Changes results as roundings do.  stored: values of constants, and what is computed of these alone.  apart: mean
    squares, by outputs, of what weights that are integers in both models differ by.
    """

    def __init__(self, rounding: Rounding, stored: Container[Value], apart: Mapping[Op, Array] | None = None) -> None:
        self.rounding, self.stored, self.apart = rounding, stored, {} if apart is None else apart
        self.change = Scattered()

    def __call__(self, op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        moved = self.change(op, values, results)
        if not isinstance(op, OpDef) or op.regions or not values or not results or results[0].dtype.kind != "f":
            return moved
        if self.rounding.relative or (self.rounding.largest and not isinstance(op, PRODUCTS)):
            moved = self._with_stored(op, values, results, moved)
        if op in self.apart:
            return self._moved(moved, self._apart(op, values))
        if isinstance(op, AT_RUN_TIME) and self.rounding.largest and not self.rounding.rows:
            return self._moved(moved, self._requantized(op, values))
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
        return self._moved(moved, squares)

    def _moved(self, moved: Sequence[Array], squares: Array) -> Sequence[Array]:
        """The first result up or down by as much."""
        return [np.asarray((moved[0] + self.change.signed(np.sqrt(np.maximum(squares, 0)))).astype(moved[0].dtype))]

    def _apart(self, op: OpDef, values: Sequence[Array | None]) -> Array:
        """Mean squares of what differs by weights that are rounded another way, and by what is rounded at run time."""
        x, w = values[0], values[1]
        assert x is not None and w is not None
        channel = _channel(op, w.ndim)
        squares = self.apart[op].astype(np.float32).reshape([-1 if i == channel else 1 for i in range(w.ndim)])
        squares = np.broadcast_to(squares, w.shape)
        changed = _squares(op, x, squares)
        if not isinstance(op, AT_RUN_TIME):
            return changed
        weights = (op.w if isinstance(op, core.DynamicConv) else op.b).tensor.quant
        assert weights is not None
        return changed + op.product(_read_at_run_time(x), np.square(weights.dequantize(w)))

    def _requantized(self, op: core.DynamicConv | core.DynamicMatMul, values: Sequence[Array | None]) -> Array:
        """Mean squares of what differs from a product of integers whose scales are known before: what both read is
        rounded apart, and so are weights, of which each model has its own.
        """
        x, w = values[0], values[1]
        assert x is not None and w is not None
        weights = (op.w if isinstance(op, core.DynamicConv) else op.b).tensor.quant
        assert weights is not None
        numbers = weights.dequantize(w)
        channel = _channel(op, numbers.ndim)
        own = np.square(np.broadcast_to(weights.spread(weights.scales.view(), w.shape), w.shape)) / np.float32(12)
        rounded = own + self.rounding.squares(numbers, channel)
        plain = [op.product(np.square(x), rounded), op.product(_read_at_run_time(x), np.square(numbers))]
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
        return _channel(op, len(second.tensor.shape or ()))


def _channel(op: OpDef, rank: int) -> int:
    """The axis of output channels of the weights of a product.  rank: of these."""
    if isinstance(op, (core.MatMul, core.DynamicMatMul)):
        return rank - 2 if op.transpose_b and rank > 1 else rank - 1
    assert isinstance(op, (core.Conv, core.ConvTranspose, core.DynamicConv))
    return op.w_layout.index("O")


def _squares(op: OpDef, x: Array, squares: Array) -> Array:
    """Mean squares of what changes of weights, of so many squares, do to a product of x."""
    if isinstance(op, AT_RUN_TIME):
        return op.product(np.square(x), squares)
    return np.asarray(op.evaluate(np.square(x), squares, *(None for _ in op.operands[2:])))


def _read_at_run_time(x: Array) -> Array:
    """Mean squares of what rounding to 8 bits in both models, each in its own way, changes of what a product reads."""
    step = (x.max(initial=0) - x.min(initial=0)) / np.float32(255)
    return np.full_like(x, 2 * step * step / 12)


def _range_axes(op: Op) -> tuple[int, ...]:
    """Axes of what a product reads that share a range, where it is rounded at run time: an image, or a row."""
    if isinstance(op, core.MatMul):
        return (-2 if op.transpose_a else -1,)
    assert isinstance(op, (core.Conv, core.ConvTranspose))
    return tuple(i for i, c in enumerate(op.x_layout) if c != "N")


class Unrounded:
    """Products do not round at run time what they read."""

    def __call__(self, op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if not isinstance(op, AT_RUN_TIME):
            return results
        x, w, bias = values[0], values[1], values[2] if len(values) > 2 else None
        assert x is not None and w is not None
        return [op.unrounded(x, w, bias)]


class Moved:
    """Changes products as rounding their weights does.  stored: values of constants."""

    def __init__(self, stored: Container[Value]) -> None:
        self.stored, self.change = stored, Scattered()

    def __call__(self, op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if not isinstance(op, (*PRODUCTS, *AT_RUN_TIME)) or op.operands[1] not in self.stored:
            return results
        x, w, quant = values[0], values[1], _quant_of_weights(op)
        assert x is not None and w is not None
        if quant is None:
            return [results[0] + self.change.signed(np.abs(results[0]) * np.float32(_OF_FLOATS))]
        step = quant.spread(quant.scales.view(), w.shape)
        squares = np.broadcast_to(np.square(step) / np.float32(12), w.shape).astype(np.float32)
        found = _squares(op, x, squares)
        return [results[0] + self.change.signed(np.sqrt(np.maximum(found, 0)))]


def likely_step(value: Value, numbers: Array) -> float:
    """Of the integers of 8 bits that another model may have for a value of which nothing more is known."""
    fixed = next((step for kind, step in _FIXED_STEPS.items() if isinstance(value.producer, kind)), 0.0)
    known = numbers[np.isfinite(numbers)]
    return max(fixed, (float(known.max(initial=0)) - float(known.min(initial=0))) / _LEVELS * _SAMPLES)


def rounded_biases(ops: Iterable[Op], value: Value) -> Array:
    """What a value that products of quantized numbers are in front of is off by where the other model's biases are
    integers of the same scale as the sums: half a step of these, of each channel where a product of the same shape
    makes it, else the largest.
    """
    found = [(op, step) for op in ops if isinstance(op, PRODUCTS) and (step := _step_of_sums(op)) is not None]
    if len(found) == 1 and found[0][0].results[0].tensor.shape == value.tensor.shape:
        op, step = found[0]
        rank = value.tensor.rank or 0
        axis = rank - 1 if isinstance(op, core.MatMul) else op.y_layout.index("C")
        if step.size == (value.tensor.shape or ())[axis]:
            return np.asarray(step.reshape([-1 if i == axis else 1 for i in range(rank)]) / 2)
    return np.asarray(max((float(step.max()) for _, step in found), default=0.0) / 2)


def _step_of_sums(op: OpDef) -> Array | None:
    """Scales of the sums of a product of quantized numbers."""
    made, weights = None if op.operands[0] is None else op.operands[0].producer, _quant_of_weights(op)
    read = made.x.tensor.quant if isinstance(made, core.Dequantize) else None
    return None if read is None or weights is None else read.scales.view().max() * weights.scales.view().reshape(-1)


def _quant_of_weights(op: OpDef) -> QuantType | None:
    """How the weights of a product are stored."""
    value = op.operands[1]
    assert value is not None
    while value.tensor.quant is None and value.producer is not None and value.producer.operands:
        front = value.producer.operands[0]
        if front is None or not isinstance(value.producer, (core.Dequantize, *MOVING)):
            return None
        value = front
    return value.tensor.quant


def at_ends(value: Value, own: Array, noise: Array) -> Array:
    """What roundings do to the result of a clamp: what lies behind an end by less than they do comes before it, so that
    what is cut off is as uncertain as all the rest is.
    """
    op = value.producer
    if not isinstance(op, core.Clamp) or not noise.size:
        return noise
    ends = (own <= op.lo) | (own >= op.hi)
    rest = noise[~ends]
    return np.where(ends, np.maximum(noise, rms(rest)), noise) if rest.size else noise


def narrowed(ops: Sequence[Op], quants: Iterable[QuantType | None]) -> float:
    """Steps that the result of some ops may be off by wherever it is, in either model."""
    is_wide = any(q is not None and q.storage.bits > 8 for q in quants)
    return _NARROWED if is_wide and any(isinstance(op, PRODUCTS) for op in ops) else 0.0


def relative_of(ops: Sequence[Op], own: Array, stored: Container[Value]) -> float:
    """Of a magnitude.  Runtimes leave roundings to 16 bits out between ops that they fuse."""
    inside = {v.tensor.dtype for op in ops for v in op.results if v not in stored}
    return max(RELATIVE.get(own.dtype, COARSE), *(RELATIVES[t] for t in inside if t in RELATIVES), 0.0)


def rounds_inside(ops: Sequence[Op], value: Value) -> bool:
    """What some ops compute on the way to a value is rounded to integers.  Constants are no results of these ops."""
    last, op = {value}, value.producer
    while op in ops and isinstance(op, OpDef) and is_moving(op) and op.operands[0] is not None:
        last.add(op.operands[0])
        op = op.operands[0].producer
    made = {v for op in ops if not is_moving(op) for v in op.results if v not in last}
    rounded = {op.x for op in ops if isinstance(op, core.Quantize)}
    return any(v in rounded or v.tensor.quant is not None for v in made)


def in_turns(op: Op) -> bool:
    """Results of a turn go into the next one, and so do its roundings."""
    return bool(op.regions) or isinstance(op, _IN_TURNS)


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
