"""Which op of a model another model computes differently: each of its results is computed from what the other one has
in front of it, so that a difference counts where it arises, and nowhere behind.

Values that stand for others need not be the same numbers: quantization scales channels by powers of two and back. A
value that is off is the other model's own, and no mistake, where what it computes from it is what this one computes
without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value, captures
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.passes.quantized.grids import grid_of
from mlconv.runtime.compare import magnitudes, rms
from mlconv.runtime.layer_ends import ended_values, nearest_of
from mlconv.runtime.layer_errors import (
    MOST_CUT,
    are_alike,
    cut_off,
    finite_part,
    off_by_channels,
    off_by_elements,
    off_by_moving,
    off_by_steps,
    reaches,
    widened,
    with_kept_nan,
)
from mlconv.runtime.layer_factors import carried_factors, channel_factors, nearer_factors
from mlconv.runtime.layer_noise import (
    COARSE,
    RELATIVE,
    Noisy,
    Rounding,
    Unrounded,
    at_ends,
    in_turns,
    is_rounded,
    likely_step,
    narrowed,
    relative_of,
    rounded_biases,
    rounds_inside,
    stored_values,
)
from mlconv.runtime.layer_orders import Order, laid_as
from mlconv.runtime.layer_probes import Probed, Probes
from mlconv.runtime.layer_report import Called, Layer, LayerReport
from mlconv.runtime.layer_values import (
    LayerValue,
    Places,
    as_integers,
    ends_of,
    first_unclear,
    in_numbers,
    is_moving,
    matched,
    nearest_behind,
    on_grid,
    quant_of_value,
    step_of,
)
from mlconv.runtime.measures import decibels
from mlconv.runtime.order import AT_RUN_TIME, PRODUCTS

_TIMES = 8.0  # the noise of a run, of floats
_BEFORE = 0.07  # of a step of what is read, times `ROUNDED`: what rounding does, and half as much
_LOOPED = 0.05  # of a magnitude, by the roundings of integers in the turns of a loop
_TABLED = (core.Softmax, core.LogSoftmax)
"""Of 16 bits, LiteRT's kernels interpolate exponentials and reciprocals between 513 integers (`LUTLookup`)."""
_TABLE_STEPS, _WIDE_STEP = 8.0, 2.0**-10
_MORE, _MUCH_MORE = 1.01, 4.0  # times the squared difference behind, with the roundings of integers, and without
_MOST_FREED, _UNLIKE = 24, 0.1  # suspects; of squares: what neither model's value in front explains


class Judge:
    """A function of core ops on inputs, and values of another model on the same.  rounding: of the other's weights.
    other: the other model, where it is known, and what it takes.
    """

    def __init__(
        self,
        function: Function,
        inputs: Mapping[str, Array],
        values: Sequence[LayerValue],
        rounding: Rounding,
        other: Called | None = None,
    ) -> None:
        self.function, self.inputs, self.rounding, self.other = function, inputs, rounding, other
        self.places, self.stored = Places(function), stored_values(function)
        self.values, self.cleared = values, set[Value]()
        self.matches: dict[Value, LayerValue] = {}
        self.laid: dict[Value, Array] = {}  # in this function's layout, in numbers
        self.orders: dict[int, Order] = {}
        self.factors: dict[Value, Array] = {}
        self.probed: dict[Value, Array] = {}  # factors of drawn numbers
        self.apart: dict[Op, Array] = {}  # weights of integers that are rounded another way
        self.moved: set[Value] = set()  # by these
        self.is_quantized = any(map(is_rounded, self.stored))
        self.captured: dict[Value, list[Op]] = {}
        for op, value in [(o, v) for o in function.block.ops for r in o.regions for v in captures(r)]:
            self.captured.setdefault(value, []).append(op)
        self.unclear = dict[Value, None]()  # suspects, of which what is behind them tells nothing
        self.plain = self._run(frozenset(), alone=True)
        self.plain = {v: a for v, a in self.plain.items() if v not in self.stored}
        found = matched(self.places, values, self.plain)
        self.matches = {v: on_grid(v, one) for v, one in found.items() if are_alike(self.plain[v], one.array)}
        self.whole, self.is_drawn = self.plain, other is not None and other.drawn
        if rounding.is_integer:
            self.plain = self.plain | ended_values(function, inputs, self.matches)

    def report(self) -> LayerReport:
        """Raises ConversionError of a function that the interpreter cannot run."""
        innocent, fitted = dict[Value, str](), set[Value]()
        probed, more = self._probed(), tuple[Op, ...]()
        while True:
            computed, noise = self._computed(frozenset(innocent))
            off = {v: why for v in self.matches if v not in innocent and (why := self._off(v, computed, noise))}
            off = {v: why for v, why in off.items() if not self._is_cleared(v, computed)}
            suspect = min(off, key=self.places.order.__getitem__, default=None)
            if suspect is not None and suspect not in fitted and self._is_fitted(suspect, computed, noise):
                fitted.add(suspect)
                continue
            if suspect is None or self._is_guilty(suspect, frozenset(innocent), computed):
                front = None if suspect is None else self._unscaled_before(suspect, frozenset(innocent))
                if front is None:
                    break
                fitted.add(front)
                continue
            innocent[suspect] = off[suspect]
            if len(innocent) > _MOST_FREED:
                suspect = None
                break
        if suspect is not None:
            suspect = first_unclear(suspect, list(self.unclear), self._behind)
            off[suspect] = innocent.pop(suspect, "") or off[suspect]
            suspect, computed = self._scaled_before(suspect, frozenset(innocent), computed)
            off.setdefault(suspect, "scaled, and computed with as if it were not")
        if probed is not None and (suspect is None or self.places.order[probed.value] <= self.places.order[suspect]):
            suspect, more = probed.value, tuple(probed.ops)
            off[suspect] = probed.why
            innocent.pop(suspect, "")
            computed.setdefault(suspect, self.plain[suspect])
        known = {v for v in (*self.matches, suspect) if v is not None and v not in innocent}
        order = sorted(known, key=self.places.order.__getitem__)
        layers = [self._layer(v, computed, off.get(v, ""), more if v is suspect else ()) for v in order]
        named = dict(zip(self.function.output_names, self.function.outputs, strict=True))
        ended = {name: self.plain[v] for name, v in named.items() if v in self.plain}
        agreed = (n for n, v in named.items() if v in known and v not in off and self._fits(v, computed[v]))
        first = next((r for r in layers if r.value is suspect), None)
        outputs = {n: self._layer(v, self.plain | computed, "", ()) for n, v in named.items() if v in self.plain}
        return LayerReport(layers, first, len(self.plain), ended, frozenset(agreed), outputs)

    def _probed(self) -> Probed | None:
        """The first product whose weights are not those of this model, rounded; none where that cannot be told."""
        other = self.other
        if other is None or not (self.rounding.is_integer or self.is_quantized):
            return None
        probes = Probes(self.function, self.inputs, self.plain, other.function, other.inputs)
        found = probes.first()
        if found is not None and (value := as_integers(found.value)) not in probes.known:
            found = found._replace(value=value)  # what is off behind integers that are the same is off by itself
        if self.is_quantized:
            self.apart, self.moved = probes.apart, probes.moved
            return found
        self.probed = {v: k.factors for v, k in probes.known.items() if k.factors.ndim == len(v.tensor.shape or ())}
        if other.interprets or self._is_computed(other):
            self.cleared = probes.same
        return found

    def _is_computed(self, other: Called) -> bool:
        """The other model's values are what its ops say; of 16 bits, kernels round by one step more or less."""
        first = Judge(other.function, other.inputs, self.values, self.rounding).report().first
        quant = None if first is None else quant_of_value(first.value) or grid_of(first.value)
        return first is None or (quant is not None and quant.storage.bits > 8)

    def _is_cleared(self, value: Value, computed: Mapping[Value, Array]) -> bool:
        """Its ops are the same, and the other model's integers are what these give: roundings are more than is
        expected, or integers end before what is drawn.
        """
        if value not in self.cleared or not self._fits(value, computed[value]):
            return False
        quant = self.matches[value].quant
        if quant is None or not quant.is_per_tensor or self.is_drawn:
            return True
        own = computed[value] * self.factors.get(value, np.asarray(1.0))
        low, high = ends_of(quant)
        return bool(((own < low) | (own > high)).mean() <= MOST_CUT)

    def _unscaled_before(self, suspect: Value, free: frozenset[Value]) -> Value | None:
        """A value whose channels were taken for scaled, where neither it nor the suspect is off if they are not."""
        for front in [v for v in self.factors if suspect in self._behind(v)]:
            factors, laid = self.factors.pop(front), self.laid[front]
            self.laid[front] = np.asarray(laid * factors)
            again, noise = self._computed(free)
            if not self._off(suspect, again, noise) and not self._off(front, again, noise):
                return front
            self.factors[front], self.laid[front] = factors, laid
        return None

    def _scaled_before(
        self, suspect: Value, free: frozenset[Value], computed: dict[Value, Array]
    ) -> tuple[Value, dict[Value, Array]]:
        """Channels that the other model scales, and nowhere back, are not off by themselves, but what reads them is:
        the value that is at fault, and results of ops.
        """
        for front in [v for v in self.factors if suspect in self._behind(v)]:
            factors, laid = self.factors.pop(front), self.laid[front]
            self.laid[front] = np.asarray(laid * factors)
            again, noise = self._computed(free)
            if not self._off(suspect, again, noise):
                return self._scaled_before(front, free, again)
            self.factors[front], self.laid[front] = factors, laid
        return suspect, computed

    def _computed(self, free: frozenset[Value]) -> tuple[dict[Value, Array], dict[Value, Array]]:
        """Results, and how far roundings take them."""
        computed = self._run(free)
        noisy = self._run(free, Noisy(self.rounding, self.stored, self.apart))
        same = {v: noisy[v] if noisy[v].shape == a.shape else a for v, a in computed.items()}  # data may decide sizes
        with np.errstate(invalid="ignore"):  # infinities
            noise = {v: np.abs(widened(same[v]) - widened(a)) for v, a in computed.items()}
        noise = {v: np.where(np.isfinite(n), n, 0) for v, n in noise.items()}
        if self.rounding.is_integer:
            noise = {v: at_ends(v, computed[v], n) for v, n in noise.items()}
        return computed, {v: self._with_bias(v, noise) for v in noise}

    def _with_bias(self, value: Value, noise: Mapping[Value, Array]) -> Array:
        """A bias behind a product makes up for what rounding the weights does there."""
        op, own = value.producer, noise[value]
        if not (isinstance(op, core.Add) and self.rounding.is_integer):
            return own
        for x, bias in ((op.a, op.b), (op.b, op.a)):
            if x in noise and bias in self.stored and any(isinstance(one, PRODUCTS) for one in self._ops(x)):
                return np.hypot(own, noise[x]) if noise[x].shape == own.shape else own
        return own

    def _run(
        self, free: frozenset[Value], noisy: Noisy | Unrounded | None = None, alone: bool = False
    ) -> dict[Value, Array]:
        """Results of ops, each computed from the other model's values but for those that are free.  alone: all are."""
        found: dict[Value, Array] = {}

        def change(op: Op, values: Sequence[Array | None], results: Sequence[Array]) -> Sequence[Array]:
            results = results if noisy is None else noisy(op, values, results)
            if op.block is not self.function.block:
                return results
            out = []
            for value, array in zip(op.results, results, strict=True):
                if value in self.places.order and (alone or value in self.matches):
                    found[value] = in_numbers(array, quant_of_value(value))
                is_put = value in self.matches and value not in free
                put = self._put(value, array) if is_put else array
                is_read = value not in free and value not in self.stored
                out.append(self._unrounded(value, put, noisy) if is_read and isinstance(noisy, Noisy) else put)
            return out

        run_function(self.function, self.inputs, change=change)
        return found

    def _put(self, value: Value, array: Array) -> Array:
        """The other model's value in place of a result, where that has as many elements."""
        if not self._fits(value, array):
            return array
        number, quant = self._other(value, in_numbers(array, quant_of_value(value))), quant_of_value(value)
        if quant is not None and array.dtype.kind in "iu":
            return quant.quantize(number)
        with np.errstate(invalid="ignore"):
            return np.asarray(number.astype(array.dtype))

    def _unrounded(self, value: Value, put: Array, noisy: Noisy) -> Array:
        """The other model may compute with a number as it was before it was rounded, or with one that it rounds, where
        it reads it or where this one has no counterpart of it.
        """
        if put.dtype.kind != "f" or put.size < 2 or not self.rounding.is_integer or self.rounding.rows:
            return put
        step = self.matches[value].step if value in self.matches else 0.0
        if step and self._has_scales(value):
            return put  # both read the same integers
        if not step:
            step = likely_step(value, put)
        return noisy.off_by(put, step * _BEFORE / self.factors.get(value, np.asarray(1.0)))

    def _other(self, value: Value, own: Array) -> Array:
        """The other model's value as this one has it: laid out, and without factors of channels."""
        if value not in self.laid:
            own = self._rounded(value, own)
            laid = laid_as(own, self.matches[value].array, self.plain[value], self.orders)
            factors = self._first_factors(value, own, laid)
            if factors is not None:
                self.factors[value] = factors
                laid = np.asarray(laid / factors)
            self.laid[value] = laid
        return self.laid[value]

    def _first_factors(self, value: Value, own: Array, laid: Array) -> Array | None:
        """Those of a result, or of what it is without the other model's values in front, if they take either nearer to
        the other one than it is: values in front may yet stand for something else.
        """
        if not self.rounding.is_integer or own.dtype.kind != "f":
            return None
        other, known = self.matches[value], [x for x in (own, self.plain[value]) if x.shape == own.shape]
        options = [
            *(channel_factors(x, laid, other.step, quant=other.quant) for x in known),
            carried_factors(self._ops(value), self.factors, self.plain),
            self.probed.get(value),
        ]
        return nearest_of(options, known, laid, other.quant)

    def _fits(self, value: Value, own: Array) -> bool:
        """From the other model's values, a result may have sizes that neither model gives it."""
        return own.size == self.matches[value].array.size

    def _rounded(self, value: Value, own: Array) -> Array:
        """A result as all of its users round it, where the other model has it rounded."""
        grid = self._grid(value, own)
        return own if grid is None else grid.dequantize(grid.quantize(own)).astype(own.dtype)

    def _grid(self, value: Value, own: Array) -> QuantType | None:
        return grid_of(value) if own.dtype.kind == "f" and self.matches[value].quant is not None else None

    def _has_scales(self, value: Value) -> bool:
        """Both models round it to integers of the same scale."""
        of = value.producer.x if isinstance(value.producer, core.Dequantize) else value
        own, other = quant_of_value(of) or grid_of(value), self.matches[value].quant
        steps = [step_of(q) for q in (own, other) if q is not None]
        return len(steps) == 2 and math.isclose(*steps, rel_tol=1e-3)

    def _cut_as_own(self, value: Value, other: Array) -> Array:
        """What is beyond the integers that all users of a result round it to makes no difference to these."""
        grid = self._grid(value, other)
        if grid is None or not grid.is_per_tensor:
            return other
        return np.asarray(np.clip(other, *ends_of(grid)).astype(other.dtype))

    def _is_fitted(self, value: Value, computed: Mapping[Value, Array], noise: Mapping[Value, Array]) -> bool:
        """Whether a value has other factors once it is known what roundings do."""
        if not self._fits(value, computed[value]):
            return False
        if value in self.factors and self._is_unrounded(value):
            del self.factors[value]
            self.laid[value] = laid_as(computed[value], self.matches[value].array)
            return True
        if not self.rounding.is_integer or computed[value].dtype.kind != "f":
            return False
        before = self.factors.get(value, np.asarray(1.0))
        with np.errstate(invalid="ignore"):
            laid = np.asarray(self.laid[value] * before)
        for own in (computed[value], self.plain[value]):
            factors = channel_factors(own, laid, self.matches[value].step, noise[value], self.matches[value].quant)
            factors = None if factors is None else nearer_factors(own, laid, factors, before)
            if factors is not None and rms(own - laid / factors) < rms(own - laid / before):
                self.factors[value], self.laid[value] = factors, np.asarray(laid / factors)
                return True
        return False

    def _off(self, value: Value, computed: Mapping[Value, Array], noise: Mapping[Value, Array]) -> str:
        """Why a result differs by more than roundings do; empty when it does not.  What is rounded at run time may be
        floats in the other model, whose biases may make up for what was rounded in front.
        """
        why = self._off_as(value, computed, noise)
        may_be_floats = self._fits(value, computed[value]) and value not in self.factors
        return "" if why and may_be_floats and self._is_unrounded(value) else why

    def _is_unrounded(self, value: Value) -> bool:
        """The other model has what is computed of floats, where this one rounds at run time."""
        if not any(isinstance(op, AT_RUN_TIME) for op in self._ops(value)):
            return False
        computed = self._run(frozenset(), Unrounded())[value]
        own, other = finite_part(computed), finite_part(laid_as(computed, self.matches[value].array))
        most = RELATIVE.get(computed.dtype, COARSE) * magnitudes(np.abs(own), 4)
        return not off_by_elements(np.abs(own - other), most)

    def _off_as(self, value: Value, computed: Mapping[Value, Array], noise: Mapping[Value, Array]) -> str:
        own = computed[value]
        if not self._fits(value, own):
            return f"{own.size} elements, and {self.matches[value].array.size} in the other model"
        other = self._cut_as_own(value, self._other(value, own))
        own, loops = self._rounded(value, own), any(map(in_turns, self._ops(value)))
        quants = quant_of_value(value) or grid_of(value), self.matches[value].quant
        if own.dtype.kind in "iu" and own.dtype.itemsize == 1:
            return off_by_steps(np.abs(own.astype(np.float64) - other.astype(np.float64)))
        if own.dtype.kind in "biu":
            wrong = int((own != other).sum())
            return f"{wrong} of {own.size} integers differ" if wrong else ""
        if own.dtype.kind not in "fc":
            return "" if np.array_equal(own, other) else "texts differ"
        a, b = widened(own), with_kept_nan(widened(own), widened(other), self._ops(value), self.matches, self.inputs)
        finite = np.isfinite(a)
        if not (np.array_equal(finite, np.isfinite(b)) and np.array_equal(a[~finite], b[~finite], equal_nan=True)):
            return "NaN or infinities are in other places"
        errors, sizes = np.abs(np.where(finite, a - np.where(finite, b, 0), 0)), np.abs(np.where(finite, a, 0))
        if not errors.size:
            return ""
        steps = [step_of(q) for q in quants if q is not None]
        is_apart = value in self.moved or any(op in self.apart for op in self._ops(value))
        is_tabled = bool(steps) and max(steps) < _WIDE_STEP and any(isinstance(op, _TABLED) for op in self._ops(value))
        steps = [step * (_TABLE_STEPS if is_tabled else 1) for step in steps]
        if self._has_scales(value) and not (is_apart or rounds_inside(self._ops(value), value)):
            if all(map(is_moving, self._ops(value))):
                return off_by_moving(errors / steps[0])
            least = narrowed(self._ops(value), quants)
            return off_by_steps(np.maximum(errors / steps[0] - least, 0), whole=loops or is_tabled, loops=loops)
        relative = relative_of(self._ops(value), own, self.stored) * (10 if loops else 1)
        relative = max(relative, _LOOPED) if loops and self.rounding.is_integer else relative
        biases = rounded_biases(self._ops(value), value)
        allowed = _TIMES * magnitudes(noise[value], 4) + relative * magnitudes(sizes, 4) + biases
        if not steps and not (self.rounding.is_integer and (is_apart or not self.is_quantized)):
            return off_by_elements(errors, allowed)
        errors = np.where(self._cut_off(value, a, b), 0, errors)
        step = np.asarray(max(steps, default=0.0)) / self.factors.get(value, np.asarray(1.0))
        bounds = noise[value] * self._uneven(value), allowed, np.broadcast_to(step, errors.shape)
        why = off_by_channels(errors, *bounds)
        if why and value in self.plain:
            plain = np.abs(np.where(finite, finite_part(self._rounded(value, self.plain[value])) - b, 0))
            why = off_by_channels(np.where(self._cut_off(value, a, b), 0, plain), *bounds) and why
        return why

    def _uneven(self, value: Value) -> float:
        """How many times as coarse the weights may be: where channels that are read are scaled, weights are scaled
        back, and share a step with those that are not.
        """
        read = {v for op in self._ops(value) for v in op.inputs if v in self.factors}
        return max((float(self.factors[v].max() / self.factors[v].min()) for v in read), default=1.0)

    def _cut_off(self, value: Value, own: Array, other: Array) -> Array:
        """Where the other's integers end, if that is a small part."""
        factors = self.factors.get(value, np.asarray(1.0))
        quant, plain = self.matches[value].quant, self.whole[value]
        is_made_for = quant is not None and plain.shape == own.shape and reaches(quant, plain * factors)
        return cut_off(own * factors, other * factors, quant, is_made_for, self.is_drawn)

    def _is_guilty(self, suspect: Value, innocent: frozenset[Value], computed: Mapping[Value, Array]) -> bool:
        """What the other model has behind a value comes from its own, and not from this model's.  computed: with the
        other's.
        """
        behind = self._behind(suspect)
        if not behind:
            return suspect in self.function.outputs
        free = innocent | {suspect}
        if not self._fits(suspect, computed[suspect]):
            noise = self._computed(free)[1]
            return any(self._off(v, computed, noise) for v in behind)
        found = self._run(free), computed
        with_own, with_other = (self._distance({v: self._errors(v, one[v]) for v in behind}) for one in found)
        self.unclear |= {suspect: None} if with_own > _UNLIKE * len(behind) else {}
        if self.rounding.is_integer or with_own <= _MUCH_MORE * with_other:
            return self.rounding.is_integer and with_own > _MORE * with_other
        noise = self._computed(free)[1]  # where both compute the same from the same, any rounding is many times more
        return with_own > _MUCH_MORE * (with_other + self._distance({v: noise[v] for v in behind}))

    def _errors(self, value: Value, own: Array) -> Array:
        if not self._fits(value, own):
            return np.asarray(np.inf)
        return np.asarray(np.abs(finite_part(own) - finite_part(self._other(value, own))))

    def _distance(self, errors: Mapping[Value, Array]) -> float:
        """Squares, as parts of those of the other model's values."""
        total = 0.0
        for value, error in errors.items():
            fits = self._fits(value, self.plain[value])
            other = np.abs(finite_part(self._other(value, self.plain[value]))) if fits else np.ones(())
            total += float(np.square(error).sum()) / (float(np.square(other).sum()) or 1.0)
        return total

    def _behind(self, value: Value) -> list[Value]:
        return nearest_behind(value, self.function, self.captured, self.matches)

    def _ops(self, value: Value) -> tuple[Op, ...]:
        """What makes a value of those in front that have counterparts."""
        found: dict[Op, None] = {}
        left = [value]
        while left:
            op = left.pop().producer
            if op is None or op in found or op.block is not self.function.block:
                continue
            found[op] = None
            left += [v for v in op.inputs if v not in self.matches and v not in self.stored]
        return self.places.sorted(found)

    def _layer(self, value: Value, computed: Mapping[Value, Array], why: str, more: Sequence[Op]) -> Layer:
        plain = finite_part(self.whole[value])
        own = finite_part(computed[value])
        own = own if own.shape == plain.shape or (value in self.matches and self._fits(value, own)) else plain
        is_known = value in self.matches and self._fits(value, own)
        other = finite_part(self._other(value, own)) if is_known else own
        errors = np.abs(own - other)
        largest = float(errors.max(initial=0)) if is_known or value not in self.matches else math.inf
        ops = self.places.sorted({*self._ops(value), *more})
        return Layer(value, ops, decibels(own, errors), decibels(plain, plain - other), largest, why)
