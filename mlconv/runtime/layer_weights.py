"""Whether the weights and biases that a product stores as integers are those of another model's product.

What both multiply with is known, and so is what channels are scaled by in front and behind: what is left of the
difference is what rounding has done to each weight, in steps of its integers. Rounding to the nearest takes none
further than half of one; rounding with regard to inputs goes further, but as far in all channels.
"""

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
from mlconv.runtime.compare import rms
from mlconv.runtime.layer_noise import MOVING
from mlconv.runtime.layer_numbers import Numbers, Region, UnknownError
from mlconv.runtime.layer_values import in_numbers, quant_of_value
from mlconv.runtime.order import AT_RUN_TIME, PRODUCTS

_AFFINE = (core.Add, core.Sub, core.Mul, core.Div)
_ROUNDING = (core.Quantize, core.Dequantize, core.Requantize)
_SAME = 1e-3  # of a factor: what is in front of both products is the same but for it
_FAR = 0.25  # of a magnitude: other weights
_NEAREST, _CHOSEN, _BEYOND = 0.55, 0.7, 1.0  # steps
_FREELY = 1.5  # steps: with regard to few inputs, scales say little
_BY_INPUTS = 20.0  # steps, which rounding with regard to few inputs goes
_EXACT = 0.02  # steps, where both models have the same integers
_MORE, _MORE_THAN_NEXT = 5.0, 3.0  # times as far as weights of other channels are, and of the next one
_SURE = 5.0  # standard errors
_EXACT_SLOPE, _SLOPE = 1.5e-3, 0.15  # of a factor, and of a step of the outermost integer, by scales that are chosen
_LARGE = 8  # steps: of smaller weights, less are as large, so that rounding makes these larger
_WILD = 5.0  # steps, which no rounding goes
_FEW_BITS = 7  # the outermost integer of four: scales are chosen so that outermost numbers are cut off
_NORMAL = 1.5  # standard errors, of a median of magnitudes
_TOLD = 0.5  # of the weights of a channel, whose inputs are known, or which are others
_MANY = 8  # channels, whose spread is known
_FLOATS = 2e-5  # of the largest bias, which floats may be off by
_LEAST_STEP = 0.25  # of outputs: less is no fault, whatever else it is
_ROUNDED = 3.0  # times half a step of the integers of a bias
_LITTLE, _MADE_UP = 0.5, 3.0  # times what rounding the weights does: where biases make up for none of it, and for some


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
        if shape == made:
            return self.axis % len(shape)
        found = [i for i, n in enumerate(shape) if n == len(self.weights)]
        return found[0] if len(found) == 1 else None

    def read_as(self, order: Array) -> Product:
        """The same, of what is read in another order of channels."""
        return self._replace(weights=self.weights[:, order], steps=self.steps[:, order])

    def part(self, outputs: slice) -> Product:
        """Some of its outputs."""
        own = {name: getattr(self, name)[outputs] for name in ("weights", "steps", "bias", "rounded")}
        return self._replace(**own)


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
        return quant, np.broadcast_to(quant.spread(quant.scales.view(), like.ndim), like.shape)
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
) -> tuple[Array, tuple[int, ...]]:
    """What a product reads on given numbers, by channels, and the shape of what it makes."""
    found: list[Array] = []

    def keep(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
        if op is product.op and values[0] is not None:
            found.append(values[0])
        return results

    made = numbers.run(region, product.y, given, keep)
    if not found:
        raise UnknownError
    return _by_channels(found[0], product.channel), made.shape


def order_of(product: Product, region: Region, numbers: Numbers, given: Mapping[Value, Array]) -> Array:
    """One number of each channel that a product reads, where no two of the given ones are the same: what has one order
    of axes in one model and another one in the other is flattened in another order.
    """
    x = product.x
    read = given[x] if x in given else numbers.run(numbers.region(x, region.leaves), x, given, cuts=False)
    return _by_channels(read, product.channel)[:, 0]


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


@dataclass(frozen=True)
class Weights:
    """Two products.  own, other: weights by outputs and all else; of the other's, as this one would have them.  steps:
    of either's integers.  most: how many steps from zero these go.  biases: of both.  rounded: what rounding to
    integers does to these.  groups: of channels.  factors: what the other's outputs are times this one's.
    twice: both are integers.
    """

    own: Array
    other: Array
    steps: Array
    most: float
    biases: tuple[Array, Array]
    rounded: Array
    groups: int
    factors: Array
    twice: bool = False

    @staticmethod
    def of(own: Product, other: Product, tails: tuple[Tail, Tail], read: Array) -> Weights | None:
        """read: what the channels that the other one reads are times this one's.  None of other weights."""
        if own.weights.shape != other.weights.shape or (tails[1].gain == 0).any() or (tails[0].gain == 0).any():
            return None
        groups = len(read) // max(1, own.weights.shape[1])
        outputs = len(own.weights)
        if groups * own.weights.shape[1] != len(read) or groups == 0 or outputs % groups:
            return None
        inputs = read.reshape(groups, -1)[np.arange(outputs) // (outputs // groups)]
        scale = (tails[1].gain / tails[0].gain)[:, None, None] * inputs[..., None]
        there = other.weights * scale
        steps = np.maximum(own.steps, other.steps * np.abs(scale))
        rows = [np.where(np.isfinite(scale), x, np.nan).reshape(outputs, -1) for x in (own.weights, there, steps)]
        biases = tails[0].bias / tails[0].gain, tails[1].bias / tails[0].gain
        factors = _factors(rows[0], rows[1], *biases)
        rows[1:] = [x / factors[:, None] for x in rows[1:]]
        biases, back = (biases[0], biases[1] / factors), 1 / tails[0].gain / factors
        halves = [one.rounded + tail.rounded / np.abs(tail.gain) for one, tail in zip((own, other), tails, strict=True)]
        rounded = halves[0] + halves[1] * np.abs(tails[1].gain * back)
        twice, most = bool(own.steps.any() and other.steps.any()), min(own.most, other.most)
        found = Weights(rows[0], rows[1], rows[2], most, biases, rounded, groups, factors, twice)
        return found if found.are_alike() else None

    def are_alike(self) -> bool:
        """They are the same weights, for the most part: those of few bits are far from what was rounded."""
        known = np.isfinite(self.other)
        own, other, steps = (np.where(known, x, 0) for x in (self.own, self.other, self.steps))
        return bool(known.any()) and rms(other - own) <= max(_FAR * rms(own), rms(steps))

    def apart(self) -> Array | None:
        """Mean squares, by outputs, of what rounding has done; none where both models have the same integers."""
        known = np.isfinite(self.other) & (self.steps > 0)
        error = np.where(known, self.other - self.own, 0)
        if not (np.abs(error) > _EXACT * np.where(known, self.steps, 1)).any():
            return None
        return np.asarray(np.square(error).mean(1))

    def why_of_bias(self, read: Array, step: Array) -> str:
        """What biases are off by, in words: they may make up for what rounding the weights does to the mean.  read:
        numbers of a run, by channels.  step: of the integers of outputs.
        """
        if self.biases[0].any() != self.biases[1].any():  # one model adds them behind
            return ""
        mean, square = read.mean(1), (read * read).mean(1)
        known = np.isfinite(self.other)
        off = np.where(known, self.other - self.own, 0)
        outputs = len(off)
        rows = np.arange(outputs) // (outputs // self.groups)
        places = off.shape[1] * self.groups // len(mean)
        means, squares = (np.repeat(x.reshape(self.groups, -1)[rows], places, 1) for x in (mean, square))
        noise = np.sqrt((off**2 * squares).sum(1))
        noise = np.maximum(noise, np.median(noise))  # other samples may show more of a channel
        apart = self.biases[1] - self.biases[0]
        told = known.mean(1) >= _TOLD  # what is read is nothing, and may be something in samples
        kept = _ROUNDED * self.rounded + _FLOATS * float(np.abs(self.biases[0]).max(initial=0))
        least = _LEAST_STEP * step + kept
        is_kept = outputs >= _MANY and bool(np.median(np.maximum(np.abs(apart) - kept, 0)) == 0)
        ratios, texts = [], []
        for made_up in (False, True):
            left = np.where(told, np.abs(apart + made_up * (off * means).sum(1)), 0)
            over = np.maximum(left - least, 0) / np.where(noise > 0, noise, 1)
            usual = float(np.median(over)) if outputs >= _MANY else 1.0
            few = _LITTLE if usual == 0 else max(_SURE * usual, _MADE_UP)
            most = least + noise * few
            ratios.append(left / np.where(most > 0, most, 1))
            texts.append((left, most))
            if is_kept:
                break
        which = np.argmin(ratios, 0)  # some may make up for weights, and others not
        at = int(np.min(ratios, 0).argmax())
        left, most = texts[which[at]]
        if left[at] <= most[at]:
            return ""
        return f"the bias of channel {at} is off by {left[at]:.3g}, roundings do {most[at]:.2g}"

    def why(self) -> str:
        """What is off, in words; empty where that is what rounding does."""
        known = np.isfinite(self.other) & (self.steps > 0)
        steps = np.where(self.steps > 0, self.steps, 1)
        own, other = np.where(known, self.own, 0), np.where(known, self.other, 0)
        error, size = (other - own) / steps, other / steps
        error = np.where((np.abs(size) > self.most - 0.5) & (np.abs(other) < np.abs(own)), 0, error)
        alive = (np.abs(size).max(1, initial=0) > 0) & known.any(1)
        if not alive.any():
            return ""
        furthest = np.where(alive, np.abs(error).max(1, initial=0), 0)
        usual = float(np.median(furthest[alive]))
        if usual > min(_WILD, self.most / 2):
            return ""
        return self._of_scale(error, size, furthest, alive, usual) or self._of_channel(error, furthest, alive, usual)

    def _of_scale(self, error: Array, size: Array, furthest: Array, alive: Array, usual: float) -> str:
        """Of channels that are scaled, all of them or one."""
        if usual > _FREELY or (self.most <= _FEW_BITS and usual > _EXACT):
            return ""
        large = (np.abs(size) >= _LARGE) & alive[:, None]
        error, size, count = np.where(large, error, 0), np.where(large, size, 0), np.maximum(large.sum(1), 1)
        power = np.where(large.any(1), np.square(size).sum(1), 1)
        slope = (error * size).sum(1) / power
        apart = np.abs(error - slope[:, None] * size)
        left = np.square(apart).sum(1)
        left = left if usual <= _EXACT else np.maximum(left, count / 12)
        least = _EXACT_SLOPE if usual <= _EXACT else _SLOPE / self.most
        whole = float((slope * power).sum() / power.sum())
        sure = _SURE * math.sqrt(float(left.sum() / (count.sum() * power.sum())))
        by_inputs = _next(furthest) > _CHOSEN  # rounded with regard to inputs: scales are chosen so, too
        sure = sure * (_MORE_THAN_NEXT if by_inputs else 1)
        if min(abs(whole), abs(float(np.median(slope[alive])))) > sure + least:
            return f"all weights are scaled by 1 + {whole:.3g}, roundings do {sure + least:.2g}"
        sure_of = np.sqrt(left / (count * power))
        usual_error = float(np.median(np.abs(slope[alive]) / np.where(sure_of > 0, sure_of, 1)[alive]))
        most = _SURE * sure_of * max(1.0, _NORMAL * usual_error) + least
        ratios = np.sort(np.abs(slope) / np.where(sure_of > 0, sure_of, 1))
        if by_inputs and len(ratios) > 1:
            most = np.maximum(most, _MORE_THAN_NEXT * ratios[-2] * sure_of)
        told = apart.max(1, initial=0) <= _FREELY
        at = int(np.where(told, np.abs(slope) / most, 0).argmax())
        if not told[at] or abs(slope[at]) <= most[at]:
            return ""
        return f"weights of channel {at} are scaled by 1 + {slope[at]:.3g}, roundings do {most[at]:.2g}"

    def _of_channel(self, error: Array, furthest: Array, alive: Array, usual: float) -> str:
        """Of the weight that is furthest off.  Weights of few bits are chosen with regard to inputs, which may be
        others where all else is the same: then most of a channel are others.
        """
        if usual <= _EXACT and self.most <= _FEW_BITS:
            is_chosen = ((np.abs(error) > _EXACT).mean(1) > _TOLD) & (furthest <= _FREELY)
            furthest = np.where(is_chosen, 0, furthest)
        at, next_one = int(furthest.argmax()), _next(furthest)
        if usual <= _EXACT:
            most = 2 * _EXACT
        elif next_one <= _NEAREST:
            most = _BEYOND
        elif int(alive.sum()) >= _MANY:
            most = max(_BY_INPUTS, _MORE * usual, _MORE_THAN_NEXT * next_one)
        else:
            most = max(_BEYOND, _SURE * rms(error[alive]), _MORE_THAN_NEXT * next_one)
        most *= 2 if self.twice and usual > _EXACT else 1
        if furthest[at] <= most:
            return ""
        return f"a weight of channel {at} is off by {furthest[at]:.3g} steps, roundings do {most:.2g}"


def _next(furthest: Array) -> float:
    """The largest of all but one."""
    return float(np.sort(furthest)[-2]) if furthest.size > 1 else math.inf


def _factors(own: Array, other: Array, bias: Array, other_bias: Array) -> Array:
    """Powers of two that the other's outputs are times this one's.  Few weights of few bits may be off by as much:
    their bias tells, too.
    """
    known = np.isfinite(own) & np.isfinite(other)
    x, y = np.where(known, own, 0), np.where(known, other, 0)

    def far(factors: Array) -> Array:
        parts = []
        for a, b in ((x, y), (bias[:, None], other_bias[:, None])):
            power = np.square(a).sum(1)
            parts.append(np.square(a - b / factors[:, None]).sum(1) / np.where(power > 0, power, 1))
        return np.asarray(parts[0] + parts[1])

    factors = np.exp2(np.rint(np.log2(_ratio(own, other))))
    return np.where(far(np.ones_like(factors)) < far(factors), 1.0, factors)


def _ratio(own: Array, other: Array) -> Array:
    """Of channels of weights, 1 where it is not known."""
    known = np.isfinite(own) & np.isfinite(other)
    x, y = np.where(known, own, 0), np.where(known, other, 0)
    power, product = np.square(x).sum(1), (x * y).sum(1)
    return np.where((power > 0) & (product > 0), product / np.where(power > 0, power, 1), 1.0)
