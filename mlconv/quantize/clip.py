"""Ranges that leave out the outermost numbers, where that scores better.

A range of all numbers that were met has wide steps where few numbers lie far out.  Candidates are the ranges of least
squared error, and those that leave out parts of the numbers at either end; the one counts with which the outputs of the
quantized model are closest to those of the model, on calibration data, and all numbers where none is closer.  Where
there are no samples and nothing was scored, what was counted decides, if ranges were asked for: the squared error of
rounding.  If they were not, those of least squared error are scored where that takes little.

Source: Nagel et al. 2021, "A White Paper on Neural Network Quantization", section 3.1, "Quantization range setting".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function, Module
from mlconv.quantize.bins import Histogram, histogram_of
from mlconv.quantize.calibrate import numbers_of
from mlconv.quantize.collect import CHUNK, Collector
from mlconv.quantize.ranges import CHOICES, MIN_MAX, USUAL, Range
from mlconv.quantize.saved import Findings

_PARTS = {"99.9": 0.999, "99.99": 0.9999, "99.999": 0.99999}
_WORST = float(np.finfo(np.float64).max)
_AUTO = "auto"
_ALL = (MIN_MAX, "mse", *_PARTS)
CANDIDATES = dict(zip((*CHOICES, USUAL), ((), ("mse",), tuple(_PARTS), _ALL[1:], ("mse",)), strict=True))
"""For each choice, those beside all numbers."""
_FEW = 1 << 20  # numbers of a sample that are counted next to the time that quantizing takes anyway
_STEPS = 255  # of integers of 8 bits
_GRID = 1 - np.arange(57) / 64  # parts of the largest number that a range may reach to


class Chosen(NamedTuple):
    """name: of a candidate, or `MIN_MAX`.  ranges: of all values."""

    name: str
    ranges: dict[Value, Range]


def is_scored(asked: str, function: Function, values: Iterable[Value], collector: Collector, stage: str) -> bool:
    """Whether ranges are chosen.  asked: of `CHOICES`, or `USUAL`.  values: whose ranges may be others.  stage: under
    which scores are saved.
    """
    if asked != USUAL:
        return asked != MIN_MAX
    if collector.saved is not None:
        return all((stage, way) in collector.saved.arrays for way in (MIN_MAX, *CANDIDATES[USUAL]))
    first = None if collector.give is None else next(iter(collector.give(function)), None)
    return first is not None and numbers_of(function, values, first) <= _FEW


def chosen_ranges(
    asked: str,
    function: Function,
    ranges: Mapping[Value, Range],
    counts: Mapping[Value, Array],
    collector: Collector,
    quantized: Callable[[Mapping[Value, Range]], Module],
    stage: Callable[[str], str],
) -> Chosen:
    """asked: of `CHOICES`, or `USUAL`.  counts: of values whose ranges may be others.  quantized: makes a quantized
    copy of the function with ranges.  stage: under which what is found is saved.
    """
    ways = {name: {**ranges, **_clipped(name, ranges, counts)} for name in (MIN_MAX, *CANDIDATES[asked])}
    if collector.saved is not None:
        losses = _saved_losses(asked, ways, counts, collector.saved, stage("losses"))
    else:
        losses = dict(zip(ways, _losses(function, ways.values(), collector, quantized), strict=True))
    if collector.kept is not None:
        for way, loss in losses.items():
            collector.kept.add(stage("losses"), way, [np.asarray(np.nan_to_num(loss, nan=_WORST))])
    name = min(losses, key=lambda way: losses[way])  # the first of equals: all numbers
    return Chosen(name, ways[name])


def _saved_losses(
    asked: str, ways: Mapping[str, Mapping[Value, Range]], counts: Mapping[Value, Array], saved: Findings, stage: str
) -> dict[str, float]:
    """What another run scored; where it did not, what was counted tells.  Raises ConversionError CalibrationUnfit where
    outputs must be scored.
    """
    missing = [way for way in ways if (stage, way) not in saved.arrays]
    if missing and asked != _AUTO:
        return {way: _rounding(ranges, counts) for way, ranges in ways.items()}
    found = {}
    for way in ways:
        arrays = saved.of(stage, way)
        saved.check(way, arrays, [[()]])
        found[way] = float(arrays[0])
    return found


def _rounding(ranges: Mapping[Value, Range], counts: Mapping[Value, Array]) -> float:
    """Squared errors of values, over their squares."""
    total = 0.0
    for value, numbers in counts.items():
        histogram, (low, high) = histogram_of(numbers), ranges[value].whole
        squares = float((histogram.values**2 * histogram.counts).sum())
        total += _error(histogram, min(low, 0.0), max(high, 0.0)) / squares if squares else 0.0
    return total


def _losses(
    function: Function,
    ways: Iterable[Mapping[Value, Range]],
    collector: Collector,
    quantized: Callable[[Mapping[Value, Range]], Module],
) -> Iterator[float]:
    assert collector.give is not None
    some = list(islice(collector.give(function), CHUNK))
    from mlconv.quantize.evaluate import output_losses

    return output_losses(function, some, map(quantized, ways), collector.pool)


def _clipped(name: str, ranges: Mapping[Value, Range], counts: Mapping[Value, Array]) -> dict[Value, Range]:
    if name == MIN_MAX:
        return {}
    found = {}
    for value, numbers in counts.items():
        histogram, whole = histogram_of(numbers), ranges[value].whole
        low, high = least_error(histogram, *whole) if name == "mse" else percentile(histogram, *whole, _PARTS[name])
        found[value] = Range(np.asarray(low, np.float32), np.asarray(high, np.float32))
    return found


def percentile(histogram: Histogram, low: float, high: float, part: float) -> tuple[float, float]:
    """The range that leaves at most 1 - part of the numbers out at either end.  low, high: of all numbers."""
    values, counts = histogram
    total = counts.sum()
    below = np.cumsum(counts)
    first = int(np.searchsorted(below, (1 - part) * total, side="right"))
    last = int(np.searchsorted(below, part * total, side="left"))
    inner = values[min(first, len(values) - 1)], values[min(last, len(values) - 1)]
    return max(low, float(inner[0])), min(high, float(inner[1]))


def least_error(histogram: Histogram, low: float, high: float) -> tuple[float, float]:
    """The range of least squared error of rounding and limiting, to 1/64 of either end.  low, high: of all numbers."""
    low, high = min(low, 0.0), max(high, 0.0)
    bottom, top = low, high
    for _ in range(2):
        top = min(high * _GRID, key=lambda end: _error(histogram, bottom, float(end)))
        bottom = min(low * _GRID, key=lambda end: _error(histogram, float(end), float(top)))
    return float(bottom), float(top)


def _error(histogram: Histogram, low: float, high: float) -> float:
    """A number between steps is off by a twelfth of their square on average; 0 is always one of the integers."""
    values, counts = histogram
    outside = values - np.clip(values, low, high)
    step = (high - low) / _STEPS
    inside = counts[(outside == 0) & (values != 0)].sum()
    return float((outside**2 * counts).sum() + inside * step**2 / 12)
