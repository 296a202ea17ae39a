"""Ranges of values, from runs of the model on samples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function
from mlconv.ir.shapes import same_slices, sizes_of, static
from mlconv.passes.quantized.weights import MOVING
from mlconv.quantize.bins import BINS
from mlconv.quantize.collect import Collector, Sample
from mlconv.quantize.observe import Join, Seen, block_of, observed
from mlconv.quantize.ranges import Range
from mlconv.quantize.saved import Findings, keys_of
from mlconv.rewrite.core_builder import CoreBuilder

_ENDS = (np.min, np.max)


def calibrated(
    function: Function,
    wanted: Mapping[Value, int | None],
    collector: Collector,
    stage: str = "ranges",
    answers: int = 0,
) -> dict[Value, Range]:
    """Least and largest numbers of values over all samples.  wanted: values with the axis of channels.  stage: under
    which they are saved.  answers: as `Collector.collect` takes it.

    Those of what only moves numbers are those of what it takes, whatever the layout of the function is.
    """
    known = _known(function, collector, stage)
    asked, sources = _asked(wanted, known, collector.saved is not None)
    found = _calibrated(function, asked, collector, stage, answers)
    for first in {*sources.values()} - found.keys():
        low, high = known[first]
        found[first] = _range(low, high, 0)
    ranges = {value: _along(found[sources.get(value, value)], axis) for value, axis in wanted.items()}
    if collector.kept is not None:
        keys = keys_of(function)
        for value in sources:
            collector.kept.add(stage, keys[value], ranges[value][:2])
    return ranges


def _asked(
    wanted: Mapping[Value, int | None], known: Mapping[Value, list[Array]], again: bool
) -> tuple[dict[Value, int | None], dict[Value, Value]]:
    """What is to be found, with the axis of channels; and where other values come from.  known: what was found before.
    again: that is all that there is.
    """
    moved = {value: source for value, axis in wanted.items() if (source := _source(value, axis)).value is not value}
    asked = {value: axis for value, axis in wanted.items() if value not in moved}
    sources = dict[Value, Value]()
    for value, (first, axis) in moved.items():
        ends = known.get(first)
        along = axis is not None and asked.get(first) in (None, axis) and (ends is None or ends[0].ndim == 1)
        fits = axis is None or along
        if value in known and (ends is None or not fits) if again else not fits:
            asked[value] = wanted[value]
            continue
        sources[value] = first
        if again or ends is None or first in asked:
            asked[first] = axis if along else asked.get(first)
    return asked, sources


def _known(function: Function, collector: Collector, stage: str) -> dict[Value, list[Array]]:
    """What was found of values before: it stays what it is; code that shows more values rounds others differently."""
    findings = collector.saved or collector.kept
    if findings is None:
        return {}
    arrays = findings.arrays
    keys = ((key, arrays.get((stage, name), [])) for key, name in keys_of(function).items() if isinstance(key, Value))
    return {value: ends for value, ends in keys if len(ends) == len(_ENDS)}


class _Source(NamedTuple):
    """A value, and the axis of its channels."""

    value: Value
    axis: int | None


def _source(value: Value, axis: int | None) -> _Source:
    """Where numbers come from that are only moved, in the same block: its channels are the value's."""
    maker = value.producer
    while isinstance(maker, MOVING) and const_of(maker.x) is None and block_of(maker.x) is maker.block:
        if axis is not None:
            there = _axis_in_front(maker, axis)
            if there is None:
                break
            axis = there
        value = maker.x
        maker = value.producer
    return _Source(value, axis)


def _axis_in_front(op: core.Transpose | core.Reshape | core.ExpandDims | core.Squeeze, axis: int) -> int | None:
    """The axis of x whose slices are those of an axis of y."""
    if isinstance(op, core.Transpose):
        return op.perm[axis]
    old, new = op.x.tensor.shape, op.y.tensor.shape
    return None if old is None or new is None else same_slices(axis, new, old)


def _along(span: Range, axis: int | None) -> Range:
    """By the channels of an axis, or of all."""
    if axis is None and span.low.ndim:
        low, high = _whole(span.low, span.high)
        return Range(np.asarray(low), np.asarray(high))
    return Range(span.low, span.high, axis if span.low.ndim else None)


def _whole(low: Array, high: Array) -> tuple[Array, Array]:
    return np.min(low, initial=np.inf), np.max(high, initial=-np.inf)


def _calibrated(
    function: Function, wanted: Mapping[Value, int | None], collector: Collector, stage: str, answers: int
) -> dict[Value, Range]:
    """Those of what a clamp gives follow from those of what it takes, and need no observers."""
    limited = {} if collector.saved is not None else {v: v.producer for v in wanted if _follows(v, wanted)}

    def observe(value: Value, key: Value, e: CoreBuilder) -> Seen:
        axes = tuple(i for i in range(value.tensor.rank or 0) if i != wanted[key])
        return [
            (e.y(core.ReduceMin(value, axes=axes)), Join.LEAST),
            (e.y(core.ReduceMax(value, axes=axes)), Join.LARGEST),
        ]

    found = collector.collect(function, {v: v for v in wanted if v not in limited}, observe, stage, answers)
    for value, clamp in limited.items():
        assert isinstance(clamp, core.Clamp)
        low, high = found[clamp.x]
        found[value] = _limited(clamp, low, high, whole=wanted[value] is None)
    keys = keys_of(function) if collector.saved is not None or collector.kept is not None else {}
    if collector.kept is not None:
        for value in limited:
            collector.kept.add(stage, keys[value], found[value])
    if collector.saved is not None:
        for value, arrays in found.items():
            if wanted[value] is None and len(arrays) == len(_ENDS) and all(a.size for a in arrays):  # of channels
                arrays[:] = [np.asarray(end(array)) for end, array in zip(_ENDS, arrays, strict=True)]
            _check(collector.saved, keys[value], value, arrays, wanted[value])
    return {value: _range(low, high, axis) for value, axis in wanted.items() for low, high in [found[value]]}


def _follows(value: Value, wanted: Mapping[Value, int | None]) -> bool:
    """Whether a clamp makes it of a value that is observed, by the same channels where it is by channels."""
    clamp = value.producer
    if not isinstance(clamp, core.Clamp) or clamp.x not in wanted or isinstance(clamp.x.producer, core.Clamp):
        return False
    return wanted[value] in (None, wanted[clamp.x])


def _limited(clamp: core.Clamp, low: Array, high: Array, whole: bool) -> list[Array]:
    """The least and the largest numbers of what a clamp gives: it keeps the order.  Those of no numbers stay."""
    if whole:
        low, high = _whole(low, high)
    some = ~(low > high)  # NaN is one
    return [np.where(some, clamp.eval(end), end) for end in (low, high)]


def counted(function: Function, values: Iterable[Value], collector: Collector, stage: str) -> dict[Value, Array]:
    """How often numbers of values were in each bin, over all samples: of those outside of loops, and, of what was
    saved, of those that were counted.  stage: under which they are saved.
    """
    outside = {v: v for v in values if _is_outside(v, function)}
    if collector.saved is not None:
        keys, arrays = keys_of(function), collector.saved.arrays
        outside = {v: v for v in outside if (stage, keys[v]) in arrays} or outside
    if not outside:
        return {}
    found = collector.collect(function, outside, lambda value, key, e: [(value, Join.COUNTS)], stage)
    if collector.saved is not None:
        for value, counts in found.items():
            collector.saved.check(keys[value], counts, [[(BINS,)]])
    return {value: counts for value, (counts,) in found.items()}


def numbers_of(function: Function, values: Iterable[Value], sample: Sample) -> float:
    """How many numbers `counted` would meet in a sample; infinity where only a run tells."""
    shapes = [np.shape(sample[v.name]) for v in function.inputs]
    sizes = sizes_of((v.tensor.shape for v in function.inputs), shapes)
    outside = {v: v for v in values if _is_outside(v, function)}
    made = observed(function, outside, sizes, lambda value, key, e: [(value, Join.COUNTS)]).module.main
    found = [static(value.tensor.shape) for value in made.outputs[len(function.outputs) :]]
    return sum(math.inf if shape is None else math.prod(shape) for shape in found)


def _is_outside(value: Value, function: Function) -> bool:
    maker = value.producer
    return value in function.inputs if maker is None else maker.block is function.block


def _check(saved: Findings, key: str, value: Value, arrays: list[Array], axis: int | None) -> None:
    """Raises ConversionError CalibrationUnfit."""
    size = (value.tensor.shape or ())[axis] if axis is not None else None
    shapes: list[tuple[int, ...]] = [()] if not isinstance(size, int) else [(size,)]
    if axis is not None and size is not None and not isinstance(size, int):
        shapes += [a.shape for a in arrays[:1] if a.ndim == 1]  # channels whose number the samples decide
    saved.check(key, arrays, [shapes, shapes])
    if (arrays[0] > arrays[1]).any() and _range(arrays[0], arrays[1], axis).is_met:
        saved.refuse(key, "the least number is larger than the largest")


def _range(low: Array, high: Array, axis: int | None) -> Range:
    return Range(low, high, axis if low.ndim else None)
