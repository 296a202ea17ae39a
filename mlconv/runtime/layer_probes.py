"""Whether products that are rounded to integers are those of another model: both are run on the same numbers, which are
drawn, and between integers nothing is rounded.

What is left then are weights and biases as they are stored.  Rounding moves a weight up here and down there, and no
bias: a channel that is scaled, or has another bias, or whose weights are all moved, is told from that by far less than
what roundings between ops hide.  Numbers are drawn by giving those of a run random signs, so that their mean is none.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.passes.quantized.grids import grid_of
from mlconv.runtime.compare import rms
from mlconv.runtime.layer_errors import finite_part
from mlconv.runtime.layer_factors import carried_factors, channel_factors
from mlconv.runtime.layer_noise import Moved
from mlconv.runtime.layer_numbers import Numbers, Region, UnknownError
from mlconv.runtime.layer_orders import laid_places
from mlconv.runtime.layer_products import (
    Product,
    channels_of,
    order_of,
    part_of,
    product_of,
    read_by,
    same_order,
    scaled_by_both,
    tail_of,
)
from mlconv.runtime.layer_scales import Scales
from mlconv.runtime.layer_sides import Sides, are_floats, behind, functions_of, is_cut_last
from mlconv.runtime.layer_tensors import tensors_of
from mlconv.runtime.layer_trends import Trends
from mlconv.runtime.layer_values import Places, ends_of, in_numbers, is_moving, matched, quant_of_value, step_of
from mlconv.runtime.layer_weights import Weights
from mlconv.runtime.order import PRODUCTS

_FAR = 0.25  # of a magnitude: what is further apart does not stand for the same
_DRAWS, _WANTED = 64, 256  # at most so many, until a channel has so many elements
_MARGIN = 8.0  # times what rounding weights does
_NEAR = 0.02  # of a magnitude: the same numbers, which one model may round
_SAME = 0.01  # of a magnitude, without products
_TOLD = 0.75  # of all channels
_LEVELS = 255.0
_EXACT, _NEARLY = 2e-3, 5e-2  # of a channel, by the same functions, and by others that stand for these
_NOTHING = 1e-5  # of all channels
_TOGETHER = (core.Softmax, core.LogSoftmax)


class Probed(NamedTuple):
    """A value whose product is another one.  ops: that were compared, the product among them."""

    value: Value
    why: str
    ops: Sequence[Op]


class _Known(NamedTuple):
    """A value of the other model.  places: where its elements lie there, for each of this one's.  factors: of this
    one's channels.  size: of its numbers, as they are rounded.  sure: which elements are of channels whose factors are
    known; all without it.
    """

    value: Value
    places: Array
    shape: tuple[int, ...]
    factors: Array
    size: float = 0.0
    sure: Array | None = None

    def laid(self, other: Array) -> Array:
        """The other model's array as this one has it."""
        return other.reshape(-1)[self.places] / self.factors

    def ended(self, own: Array) -> Array:
        """This one's numbers, as far as the other's integers go."""
        quant = self.value.tensor.quant
        return np.clip(own, *(end / self.factors for end in ends_of(quant))) if quant and quant.is_per_tensor else own

    def unlaid(self, own: Array) -> Array:
        found = np.empty(own.size, own.dtype)
        found[self.places.reshape(-1)] = (own * self.factors.astype(own.dtype)).reshape(-1)
        return found.reshape(self.shape)


@dataclass
class Probes:
    """function, inputs: of this model.  plain: its values, in numbers.  other, other_inputs: of the other one."""

    function: Function
    inputs: Mapping[str, Array]
    plain: Mapping[Value, Array]
    other: Function
    other_inputs: Mapping[str, Array]
    known: dict[Value, _Known] = field(default_factory=dict)
    same: set[Value] = field(default_factory=set)  # what both make of the same, but for roundings of weights
    apart: dict[Op, Array] = field(default_factory=dict)  # products of integers that are rounded another way
    moved: set[Value] = field(default_factory=set)  # what is made of these

    def first(self) -> Probed | None:
        """The first product that is another one.  Raises ConversionError of a function that the interpreter cannot
        run.
        """
        places = Places(self.function)
        values = tensors_of(self.other, self.other_inputs)
        by_id = {id(one): value for value, one in values}
        for value in self.function.inputs:
            for other in self.other.inputs:
                self._note_input(value, other)
        found = matched(places, [one for _, one in values], self.plain)
        own, others = Numbers(self.function), Numbers(self.other)
        order = sorted(found, key=places.order.__getitem__)
        scales = Scales({value: by_id[id(found[value])] for value in order}, own, others)
        for value in order:
            if why := scales.why(value):
                return Probed(value, why, scales.ops(value))
            if _has_bias_behind(value, own.stored):
                continue
            probed = self._probed(value, by_id[id(found[value])], found[value].array, own, others)
            if probed is not None:
                return probed
        return None

    def _array(self, value: Value) -> Array:
        return self.plain[value] if value in self.plain else self.inputs[value.name]

    def _note_input(self, value: Value, other: Value) -> None:
        own, array = self._array(value), self.other_inputs[other.name]
        if value in self.known or own.size != array.size or {own.dtype.kind, array.dtype.kind} - set("biuf"):
            return
        number = in_numbers(array, quant_of_value(other))
        places = laid_places(own, number)
        apart = np.abs(own.astype(np.float64) - number.reshape(-1)[places]).sum()
        if apart <= _NEAR * np.abs(own.astype(np.float64)).sum():
            self.known[value] = _Known(other, places, array.shape, np.asarray(1.0), rms(number))

    def _probed(self, value: Value, other: Value, array: Array, own: Numbers, others: Numbers) -> Probed | None:
        """What a value is off by, if it is a product of others that both models have."""
        if self._array(value).dtype.kind not in "biuf" or array.dtype.kind not in "biuf":
            return None
        places = laid_places(self._array(value), array)
        known = _Known(other, places, array.shape, np.asarray(1.0), rms(finite_part(array)))
        try:
            sides = Sides(
                own,
                own.region(value, self.known.keys()),
                others,
                others.region(other, {k.value for k in self.known.values()}),
            )
            if {self.known[v].value for v in sides.region.leaves} != sides.other_region.leaves:
                raise UnknownError
            try:
                return self._compared(value, known, sides)
            except UnknownError:
                return self._compared(value, known, sides._replace(narrow=True))
        except (UnknownError, KeyError, ConversionError, ValueError):
            self._note(value, known, array)
            return None

    def _note(self, value: Value, known: _Known, array: Array) -> None:
        """A value that is not computed anew, as a run has it: where both models agree."""
        own = self._array(value)
        if own.dtype.kind != "f" or own.ndim < 2:
            return
        quant = known.value.tensor.quant
        a, b = finite_part(own), known.laid(finite_part(array))
        factors = channel_factors(a, b, step_of(quant), quant=quant)
        known = known if factors is None else known._replace(factors=factors)
        if rms(a - b / known.factors) <= _FAR * rms(a):
            self.known[value] = known._replace(sure=_sure(a, b / known.factors, own.shape))

    def _compared(self, value: Value, known: _Known, sides: Sides) -> Probed | None:
        like, generator = self._array(value), np.random.default_rng(0)
        if like.dtype.kind != "f":
            a, b, _ = self._drawn(value, known, sides, generator)
            if np.array_equal(a, b):
                self.known[value] = known
            return None
        count = _DRAWS if like.ndim < 2 else min(_DRAWS, math.ceil(_WANTED * max(like.shape[1:]) / max(1, like.size)))
        a, b, moved = self._drawn(value, known, sides, generator, True)
        if a.shape != like.shape or like.ndim < 2:
            return None
        draws = [(a, b), *(self._drawn(value, known, sides, generator)[:2] for _ in range(count - 1))]
        noise = np.concatenate([_finite(moved) - _finite(b)] * count)  # about the same in all
        a, b = (np.concatenate(arrays) for arrays in zip(*draws, strict=True))
        carried = self._carried(known, sides, a, b, noise)
        known = known if carried is None else known._replace(factors=carried)
        counts = _counts(a, b, noise, known)
        x, y = np.where(counts, a, 0), np.where(counts, b, 0)
        why, stored = self._stored(value, known.value, sides)
        if why:
            return Probed(value, why, sides.region.ops)
        options = [
            f for f in (carried, stored, channel_factors(x, y, 0.0)) if f is not None and f.shape[0] in (1, len(like))
        ]
        factors = min(options, key=lambda f: rms(x - y / f), default=None)
        if factors is not None:
            known = known._replace(factors=factors)
            counts = _counts(a, b, noise, known)
            x, y = np.where(counts, a, 0), np.where(counts, b, 0)
        if not counts.any() or rms(x - y / known.factors) > _FAR * rms(x):
            raise UnknownError
        self.known[value] = known._replace(sure=_sure(x, y / known.factors, like.shape))
        products = [p for op in sides.region.ops if (p := channels_of(op, sides.own)) is not None]
        is_told = len(products) == 1 and _is_told(sides.region, sides.own) and is_cut_last(sides, known.value)
        axis = products[0].axis_of(like.shape) if is_told else None
        if not products and (why := self._of_numbers(value, self.known[value], sides)):
            return None if self._is_next(value, sides) else Probed(value, why, sides.region.ops)
        if axis is None:
            if not products and rms(x - y / known.factors) <= _SAME * rms(x):
                self.same.add(value)
            return None
        trends = Trends.of(axis, a, b / known.factors, noise / known.factors, counts)
        fixed = self._reads_bytes(sides)
        steps = np.broadcast_to(_step(known.value.tensor.quant, like) / known.factors, like.shape)
        step = steps.mean(tuple(i for i in range(like.ndim) if i != axis))
        over, why = trends.why(step, products[0].weights, fixed)
        if over <= 1 and trends.told >= _TOLD * like.shape[axis]:
            ended = known.ended(np.where(np.isfinite(a), a, 0))
            if not trends.is_elsewhere(ended, finite_part(b) / known.factors, noise / known.factors, step):
                self.same.add(value)
        return Probed(value, why, sides.region.ops) if over > 1 else None

    def _carried(self, known: _Known, sides: Sides, a: Array, b: Array, noise: Array) -> Array | None:
        """Factors that come from values in front, where they explain what both models give: those of channels that are
        cut off are not told by numbers, and which are cut off is not told without factors.
        """
        arrays = {v: self._array(v) for v in sides.region.leaves}
        factors = carried_factors(sides.region.ops, {v: self.known[v].factors for v in arrays}, arrays)
        if factors is None:
            return None
        counts = _counts(a, b, noise, known._replace(factors=factors))
        x, off = np.where(counts, a, 0), np.where(counts, a - b / factors, 0)
        return factors if counts.any() and rms(off) <= _NEAR * rms(x) else None

    def _of_numbers(self, value: Value, known: _Known, sides: Sides) -> str:
        """What results without products are off by, in words, where nothing is rounded and nothing cut off."""
        if self._array(value).dtype.itemsize < 4 or not are_floats(sides):
            return ""
        draws = [self._drawn(value, known, sides, np.random.default_rng(1), cuts=cuts) for cuts in (True, False)]
        (a, b, _), whole = draws
        counts = _counts(a, b, np.zeros(()), known) & (a == whole[0]) & (b == whole[1])
        x, off = np.where(counts, a, 0), np.where(counts, a - b, 0)
        part = (
            _EXACT
            if functions_of(sides.region, sides.own) == functions_of(sides.other_region, sides.others)
            else _NEARLY
        )
        least = _NOTHING * max(rms(x), *(rms(finite_part(self._array(v))) for v in sides.region.leaves))
        for axis in sorted({1, x.ndim - 1}):
            axes = tuple(i for i in range(x.ndim) if i != axis)
            size, apart = (np.sqrt(np.square(z).mean(axes)) for z in (x, off))
            most = part * size + least
            at = int((apart - most).argmax())
            if apart[at] > most[at]:
                return f"channel {at} is off by {apart[at]:.3g} where nothing is rounded, functions by {most[at]:.2g}"
        return ""

    def _is_next(self, value: Value, sides: Sides) -> bool:
        """The other model's value is what this one has a constant in front of it, or behind: an op that became several
        does not tell which.
        """
        ops = [op for op in (value.producer, *value.users) if isinstance(op, (core.Add, core.Sub, core.Mul, core.Div))]
        near = {v for op in ops for v in (*op.inputs, *op.results) if v is not value and v not in sides.own.stored}
        near = {v for v in near if v in self.plain and self.plain[v].shape == self._array(value).shape}
        for one in sorted(near - self.known.keys(), key=lambda v: v.name):
            there = sides._replace(region=sides.own.region(one, self.known.keys() - {value}))
            if not self._of_numbers(one, self.known[value], there):
                self.known[one] = self.known.pop(value)
                return True
        return False

    def _stored(self, value: Value, there: Value, sides: Sides) -> tuple[str, Array | None]:
        """What weights or biases that are stored as integers are off by, in words, and what outputs are scaled by; none
        where products are not known to be the same.  there: the value in the other model.
        """
        own, other = product_of(sides.region, sides.own), product_of(sides.other_region, sides.others)
        if own is None or other is None:
            return "", None
        given = {v: self._around(v, np.random.default_rng(0)) for v in sides.region.leaves}
        given_there = self._there(given)
        read, whole, made = read_by(own, sides.region, sides.own, given)
        other_read, other_whole, other_made = read_by(other, sides.other_region, sides.others, given_there)
        order = self._order(own, other, sides, given)
        if order is not None and len(order) == other.weights.shape[1]:
            other, other_read, other_whole = other.read_as(order), other_read[order], other_whole[order]
        tail = tail_of(own, made, sides.region, sides.own)
        other_tail = tail_of(other, other_made, sides.other_region, sides.others)
        if tail is None or other_tail is None:
            return "", None
        part = part_of(own, sides.region, value)
        other_part = part_of(other, sides.other_region, there)
        own, tail = own.part(part), tail.part(part)
        other, other_tail = other.part(other_part), other_tail.part(other_part)
        weights = Weights.of(own, other, (tail, other_tail), scaled_by_both((read, other_read), (whole, other_whole)))
        if weights is None:
            return "", None
        x = np.moveaxis(finite_part(self._array(own.x)), own.channel, 0).reshape(len(read), -1)
        step = _step(there.tensor.quant, self._array(value)) / np.abs(tail.gain) / weights.factors
        added = _is_added_to(value, sides.own.stored) or _is_added_to(there, sides.others.stored)
        why = weights.why(to_nearest=self._reads_bytes(sides)) or weights.why_of_bias(x, step, added)
        apart = weights.apart()
        if apart is not None and part == slice(None):
            self.apart[own.op] = apart
            self.moved.add(value)
        shape = self._array(value).shape
        axis = own.axis_of(shape, made)
        if axis is None:
            return why, None
        return why, weights.factors.reshape([-1 if i == axis else 1 for i in range(len(shape))])

    def _order(self, own: Product, other: Product, sides: Sides, given: Mapping[Value, Array]) -> Array | None:
        """Where the other product reads what this one does, if that is one value, flattened in another order."""
        if len(given) != 1:
            return None
        marks = {v: np.arange(1, x.size + 1, dtype=np.float32).reshape(x.shape) for v, x in given.items()}
        other_order = order_of(other, sides.other_region, sides.others, self._there(marks))
        return same_order(order_of(own, sides.region, sides.own, marks), other_order)

    def _there(self, given: Mapping[Value, Array]) -> dict[Value, Array]:
        """Numbers of leaves as the other model has them."""
        return {self.known[v].value: self.known[v].unlaid(x) for v, x in given.items()}

    def _reads_bytes(self, sides: Sides) -> bool:
        """The other model's product reads integers of 8 bits."""
        read = [self.known[v].value.tensor.quant for v in sides.region.leaves]
        made = [v.tensor.quant for op in sides.other_region.ops if isinstance(op, core.Quantize) for v in op.results]
        return any(quant is not None and quant.storage.bits == 8 for quant in (*read, *made[:1]))

    def _drawn(
        self,
        value: Value,
        known: _Known,
        sides: Sides,
        generator: np.random.Generator,
        moves: bool = False,
        cuts: bool = True,
    ) -> tuple[Array, Array, Array]:
        """What both models make of the same numbers, and the other one with weights moved as rounding moves them."""
        is_product = any(channels_of(op, sides.own) for op in sides.region.ops)
        if sides.narrow and not is_product:
            given = {v: self._around(v, generator) for v in sides.region.leaves}
        else:
            given = {v: self._random(v, generator, sides.narrow) for v in sides.region.leaves}
        a = sides.own.run(sides.region, value, given, cuts=cuts).astype(np.float64)
        there = self._there(given)
        b = sides.others.run(sides.other_region, known.value, there, cuts=cuts).astype(np.float64)
        if not moves:
            return a, known.laid(b), b
        moved = sides.others.run(sides.other_region, known.value, there, Moved(sides.others.stored))
        return a, known.laid(b), known.laid(moved.astype(np.float64))

    def _around(self, value: Value, generator: np.random.Generator) -> Array:
        """Numbers like those of a run."""
        x, sure = self._array(value), self.known[value].sure
        if x.dtype.kind != "f":
            return x
        near = np.where(np.isfinite(x), x, 0).astype(np.float64)
        drawn = near * (generator.random(x.shape, np.float32) + np.float32(0.5))
        return _within(drawn if sure is None else np.where(sure, drawn, 0), x.dtype)

    def _random(self, value: Value, generator: np.random.Generator, narrow: bool) -> Array:
        """Numbers of both signs, about as large as those of a run, and within what the other model rounds them to: as
        large there in all channels, so that all weights of a product count the same.  narrow: of the signs that it
        has there, which it may round them to again.
        """
        x, known = self._array(value), self.known[value]
        if x.dtype.kind != "f":
            return x
        signs = generator.integers(0, 2, x.shape, np.int8) * 2 - 1
        drawn = known.size * signs * (generator.random(x.shape, np.float32) + np.float32(0.5))
        grid = known.value.tensor.quant or grid_of(known.value)
        if grid is not None and grid.is_per_tensor:
            low, high = ends_of(grid)
            most = min(-low, high) if low < 0 < high and known.value.tensor.quant is None else max(-low, high)
            drawn = np.clip(drawn, *((low, high) if narrow else (-most, most)))
        drawn = drawn if known.sure is None else np.where(known.sure, drawn, 0)
        return _within(drawn / known.factors, x.dtype)


def _within(x: Array, dtype: DTypeLike) -> Array:
    """The nearest numbers that there are of a type."""
    limits = np.finfo(dtype)
    return np.clip(x, float(limits.min), float(limits.max)).astype(dtype)


def _finite(x: Array) -> Array:
    """Numbers that say something.  Raises UnknownError where some are none."""
    if not np.isfinite(x).all():
        raise UnknownError
    return x


def _has_bias_behind(value: Value, stored: Container[Value]) -> bool:
    """The value is a product, and all that becomes of it is a sum with a constant: both are one."""
    if not isinstance(value.producer, PRODUCTS) or len(value.users) != 1:
        return False
    user = value.users[0]
    return isinstance(user, (core.Add, core.Sub)) and any(v in stored for v in user.inputs)


def _is_added_to(value: Value, stored: Container[Value]) -> bool:
    """All that becomes of a value, but for its place and how it is rounded, is a sum with a constant."""
    while len(value.users) == 1:
        user = value.users[0]
        if isinstance(user, (core.Add, core.Sub)):
            return any(v in stored for v in user.inputs)
        if not is_moving(user) or not user.results:
            return False
        value = user.results[0]
    return False


def _step(quant: QuantType | None, like: Array) -> float:
    """Of the integers that a value is rounded to, or would be."""
    if quant is not None:
        return step_of(quant)
    finite = like[np.isfinite(like)]
    return float(np.ptp(finite)) / _LEVELS if finite.size else 0.0


def _is_told(region: Region, numbers: Numbers) -> bool:
    """What is behind the product is computed of each number by itself, or moves it."""
    return not any(
        isinstance(op, _TOGETHER)
        or len({v.tensor.size for v in op.results} | {region.ops[-1].results[0].tensor.size}) > 1
        for op in behind(region, numbers.stored)
    )


def _sure(a: Array, b: Array, shape: tuple[int, ...]) -> Array:
    """Which elements are of channels that are the same in both models, and not nothing."""
    found = np.ones(shape, np.bool_)
    for axis in range(1, a.ndim):
        axes = tuple(i for i in range(a.ndim) if i != axis)
        alike = np.square(a - b).sum(axes) <= np.square(_FAR) * np.square(a).sum(axes)
        alive = np.square(a).sum(axes) > 0
        found &= (alike & alive).reshape([-1 if i == axis else 1 for i in range(a.ndim)])
    return found


def _counts(a: Array, b: Array, noise: Array, known: _Known) -> Array:
    """Which elements are numbers, and at no end: neither of integers nor of a limit, where many are the same.  Whether
    one is near to an end is asked of this model's, which says nothing of the difference.
    """
    counts = np.isfinite(a) & np.isfinite(b)
    if not counts.any():
        return counts
    margin = _MARGIN * np.abs(np.where(np.isfinite(noise), noise, 0)) / known.factors
    for x, factors in ((a, 1.0), (b, known.factors)):
        for end in (x[counts].min(), x[counts].max()):
            if np.count_nonzero(x == end) > 1:
                counts = counts & (x != end) & (np.abs(a - end / factors) > margin)
    quant = known.value.tensor.quant
    if quant is not None and quant.is_per_tensor:
        low, high = ends_of(quant)
        counts = counts & (b > low) & (b < high)
        counts &= (a > low / known.factors + margin) & (a < high / known.factors - margin)
    return np.asarray(counts)
