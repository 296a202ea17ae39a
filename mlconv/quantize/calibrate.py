"""Ranges of values, from runs of the model on samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function
from mlconv.quantize.bins import BINS
from mlconv.quantize.collect import Collector
from mlconv.quantize.observe import Join, Seen
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

    Those of what a clamp gives follow from those of what it takes, and need no observers.
    """
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
        low, high = np.min(low, initial=np.inf), np.max(high, initial=-np.inf)
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
