"""The product of a region whose weights are a constant: its numbers by outputs, and what becomes of them behind."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.runtime.layer_noise import MOVING
from mlconv.runtime.layer_numbers import Numbers, Region, UnknownError
from mlconv.runtime.layer_values import in_numbers, quant_of_value
from mlconv.runtime.order import AT_RUN_TIME, PRODUCTS

_AFFINE = (core.Add, core.Sub, core.Mul, core.Div)
_ROUNDING = (core.Quantize, core.Dequantize, core.Requantize)
_SAME = 1e-3  # of a factor: what is in front of both products is the same but for it


class Product(NamedTuple):
    """A product whose weights are a constant.  x, y: what it reads and makes.  weights: in numbers, by outputs, inputs
    of a group, and places.  steps: of their integers; 0 of floats.  most: how many steps from zero they go.  bias: by
    outputs.  rounded: half a step of its integers.
    """

    op: OpDef
    x: Value
    y: Value
    channel: int
    weights: Array
    steps: Array
    most: float
    bias: Array
    rounded: Array

    @property
    def axis(self) -> int:
        """Where outputs lie in the result."""
        return self.op.y_layout.index("C") if isinstance(self.op, _CONVOLUTIONS) else -1

    def axis_of(self, shape: tuple[int, ...], made: tuple[int, ...]) -> int | None:
        """Where outputs lie in what comes behind; none where that is not clear.  made: shape of the result."""
        return self.axis % len(shape) if shape == made else _only(shape, len(self.weights))

    def read_as(self, order: Array) -> Product:
        """The same, of what is read in another order of channels."""
        return self._replace(weights=self.weights[:, order], steps=self.steps[:, order])

    def part(self, outputs: slice) -> Product:
        """Some of its outputs."""
        own = {name: getattr(self, name)[outputs] for name in ("weights", "steps", "bias", "rounded")}
        return self._replace(**own)


class Channels(NamedTuple):
    """Of a product with constant weights.  weights: how many each channel has.  number: of channels.
    shape, axis: of the result, and where its channels lie.
    """

    weights: int
    number: int
    shape: tuple[object, ...]
    axis: int

    def axis_of(self, shape: tuple[int, ...]) -> int | None:
        """Where channels lie in what comes behind; none where that is not clear."""
        return self.axis if shape == self.shape else _only(shape, self.number)


def _only(shape: Sequence[int], size: int) -> int | None:
    """The axis of a size, where there is one."""
    return shape.index(size) if shape.count(size) == 1 else None


@dataclass(frozen=True)
class Tail:
    """What becomes of a product, by outputs, before anything is cut off.  rounded: half a step of constants."""

    gain: Array
    bias: Array
    rounded: float = 0.0

    def part(self, outputs: slice) -> Tail:
        return Tail(self.gain[outputs], self.bias[outputs], self.rounded)


def product_of(region: Region, numbers: Numbers) -> Product | None:
    """The only product of a region; none where there are others, or its weights are no filters or matrix."""
    found = [op for op in region.ops if has_weights(op, numbers.stored)]
    if len(found) != 1 or not isinstance(found[0], OpDef):
        return None
    op = found[0]
    w = op.operands[1]
    assert w is not None
    x, bias = op.operands[0], op.operands[2] if len(op.operands) > 2 else None
    quant, steps = steps_of(w, numbers)
    weights = _by_outputs(op, in_numbers(numbers.stored_array(w), quant_of_value(w)))
    laid = None if steps is None else _by_outputs(op, steps)
    if weights is None or x is None or (bias is not None and bias not in numbers.stored):
        return None
    beta, half = np.zeros(len(weights)), np.zeros(len(weights))
    if bias is not None:
        beta = beta + in_numbers(numbers.stored_array(bias), quant_of_value(bias)).astype(np.float64).reshape(-1)
        step = steps_of(bias, numbers)[1]
        half = half if step is None else np.broadcast_to(step.astype(np.float64) / 2, half.shape)
    channel = op.x_layout.index("C") if isinstance(op, _CONVOLUTIONS) else len(x.tensor.shape or ()) - 1
    laid = np.zeros(weights.shape) if laid is None else laid
    most = math.inf if quant is None else float(quant.qmax)
    return Product(op, x, op.results[0], channel, weights, laid, most, beta, half)


_CONVOLUTIONS = (core.Conv, core.ConvTranspose, core.DynamicConv)


def has_weights(op: Op, stored: Container[Value]) -> bool:
    return isinstance(op, (*PRODUCTS, *AT_RUN_TIME)) and op.operands[1] in stored


def _by_outputs(op: Op, w: Array) -> Array | None:
    """Weights by outputs, inputs of a group, and places."""
    if isinstance(op, _CONVOLUTIONS):
        order = [op.w_layout.index("O"), op.w_layout.index("I")]
        w = w.transpose([*order, *(op.w_layout.index(str(i)) for i in range(w.ndim - 2))])
        return w.reshape(*w.shape[:2], -1).astype(np.float64)
    assert isinstance(op, (core.MatMul, core.DynamicMatMul))
    if w.ndim != 2 or op.transpose_a:
        return None
    return (w if op.transpose_b else w.T)[..., None].astype(np.float64)


def steps_of(value: Value, numbers: Numbers) -> tuple[QuantType | None, Array | None]:
    """Steps of the integers that a constant is stored as, laid out as it is; none of floats."""
    quant, op = value.tensor.quant, value.producer
    if quant is not None:
        like = numbers.stored_array(value)
        return quant, np.broadcast_to(quant.spread(quant.scales.view(), like.shape), like.shape)
    if not isinstance(op, OpDef) or not isinstance(op, (core.Dequantize, *MOVING)) or op.operands[0] is None:
        return None, None
    quant, steps = steps_of(op.operands[0], numbers)
    if steps is None or isinstance(op, (core.Dequantize, core.StorageCast, core.Cast)):
        return quant, steps
    others = [None if v is None else numbers.stored_array(v) for v in op.operands[1:]]
    return quant, np.asarray(op.evaluate(steps, *others))


def tail_of(product: Product, made: tuple[int, ...], region: Region, numbers: Numbers) -> Tail | None:
    """How the product is scaled and moved by constants; none where that is not by outputs.  made: its shape."""
    value, rounded = product.y, 0.0
    while True:
        users = [op for op in region.ops if value in op.inputs]
        op = users[0] if len(users) == 1 else None
        if op is None or not (isinstance(op, (*_AFFINE, *_ROUNDING)) and _reads_alone(op, value, numbers)):
            break
        steps = [steps_of(v, numbers)[1] for v in op.inputs if v in numbers.stored]
        rounded += sum(float(step.max(initial=0)) / 2 for step in steps if step is not None)
        value = op.results[0]
    inner = None if value is product.y else numbers.region(value, {product.y})
    found = []
    for number in (0.0, 1.0):
        given = np.full(made, number, np.float32)
        array = given if inner is None else numbers.run(inner, value, {product.y: given}, cuts=False)
        if array.shape != made:
            return None
        rows = np.moveaxis(array, product.axis, 0).reshape(len(product.weights), -1).astype(np.float64)
        if not rows.size or np.ptp(rows, 1).max() > 0:
            return None
        found.append(rows[:, 0])
    gain = found[1] - found[0]
    return Tail(gain, gain * product.bias + found[0], rounded)


def part_of(product: Product, region: Region, value: Value) -> slice:
    """The outputs of a product that a value is made of: those that a split behind it gives, or all."""
    one = product.y
    rank = len(one.tensor.shape or ())
    for op in region.ops:
        if one not in op.inputs or not isinstance(op, (*_AFFINE, *_ROUNDING, core.Split)):
            continue
        read = {v for other in region.ops for v in other.inputs} | {value}
        given = [i for i, v in enumerate(op.results) if v in read]
        if isinstance(op, core.Split):
            if len(given) != 1 or op.axis % rank != product.axis % rank:
                raise UnknownError
            sizes = [n for v in op.results if isinstance(n := (v.tensor.shape or ())[op.axis], int)]
            if len(sizes) != len(op.results):
                raise UnknownError
            start = sum(sizes[: given[0]])
            return slice(start, start + sizes[given[0]])
        one = op.results[0]
    return slice(None)


def _reads_alone(op: Op, value: Value, numbers: Numbers) -> bool:
    return all(v is value or v in numbers.stored for v in op.inputs)


def read_by(
    product: Product, region: Region, numbers: Numbers, given: Mapping[Value, Array]
) -> tuple[Array, Array, tuple[int, ...]]:
    """What a product reads on given numbers, by channels: where numbers end as integers do, and where they do not. And
    the shape of what it makes.
    """
    found: list[Array] = []

    def keep(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if op is product.op and values[0] is not None:
            found.append(values[0])
        return results

    made = numbers.run(region, product.y, given, keep)
    if not found:
        raise UnknownError
    whole = _read_whole(product, region, numbers, given)
    return _by_channels(found[0], product.channel), _by_channels(whole, product.channel), made.shape


def _read_whole(product: Product, region: Region, numbers: Numbers, given: Mapping[Value, Array]) -> Array:
    """What a product reads where no numbers end as integers do."""
    x = product.x
    return given[x] if x in given else numbers.run(numbers.region(x, region.leaves), x, given, cuts=False)


def order_of(product: Product, region: Region, numbers: Numbers, given: Mapping[Value, Array]) -> Array:
    """One number of each channel that a product reads, where no two of the given ones are the same: what has one order
    of axes in one model and another one in the other is flattened in another order.
    """
    return _by_channels(_read_whole(product, region, numbers, given), product.channel)[:, 0]


def same_order(own: Array, other: Array) -> Array | None:
    """Where in another order each number of one lies; none where both are the same, or have other numbers."""
    if np.array_equal(own, other) or not np.array_equal(np.sort(own), np.sort(other)):
        return None
    return np.argsort(other)[np.argsort(np.argsort(own))]


def _by_channels(x: Array, axis: int) -> Array:
    return np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1).astype(np.float64)


def scaled_by(own: Array, other: Array) -> Array:
    """What channels of one array are times those of another; NaN where they are not the same but for that, wherever
    elements lie and whatever zeros lie around them.  Raises UnknownError.
    """
    if len(own) != len(other):
        raise UnknownError
    found = np.full(len(own), np.nan)
    for i, rows in enumerate(zip(own, other, strict=True)):
        x, y = (np.sort(np.abs(row[row != 0])) for row in rows)
        if x.size and x.size == y.size:
            ratios = y / x
            factor = float(np.median(ratios))
            found[i] = factor if np.median(np.abs(ratios - factor)) <= _SAME * factor else np.nan
    return found


def scaled_by_both(cut: tuple[Array, Array], whole: tuple[Array, Array]) -> Array:
    """What channels of one array are times those of another where numbers end as integers do; NaN where they are not as
    much where no numbers end: one model may cut off in front of the product what the other has been given as it is.
    """
    found, others = scaled_by(*cut), scaled_by(*whole)
    return np.where(np.abs(found - others) > _SAME * others, np.nan, found)


def channels_of(op: Op, numbers: Numbers) -> Channels | None:
    """Those of an op that is such a product."""
    if not isinstance(op, PRODUCTS) or op.operands[1] not in numbers.stored:
        return None
    w, y = (
        [int(n) if isinstance(n, int) else -1 for n in v.tensor.shape or ()] for v in (op.operands[1], op.results[0])
    )
    if isinstance(op, core.MatMul):
        return Channels(w[-1 if op.transpose_b else -2], y[-1], tuple(y), len(y) - 1) if len(w) > 1 else None
    channels = w[op.w_layout.index("O")]
    return Channels(math.prod(w) // max(1, channels), channels, tuple(y), op.y_layout.index("C"))
