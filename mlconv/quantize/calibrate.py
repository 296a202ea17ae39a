"""Ranges of values, from runs of the model on samples."""

from __future__ import annotations

from collections.abc import Mapping

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function
from mlconv.quantize.collect import Collector
from mlconv.quantize.observe import Join, Seen
from mlconv.quantize.ranges import Range
from mlconv.rewrite.core_builder import CoreBuilder


def calibrated(function: Function, wanted: Mapping[Value, int | None], collector: Collector) -> dict[Value, Range]:
    """Least and largest numbers of values over all samples.  wanted: values with the axis of channels."""

    def observe(value: Value, key: Value, e: CoreBuilder) -> Seen:
        axes = tuple(i for i in range(value.tensor.rank or 0) if i != wanted[key])
        return [
            (e.y(core.ReduceMin(value, axes=axes)), Join.LEAST),
            (e.y(core.ReduceMax(value, axes=axes)), Join.LARGEST),
        ]

    found = collector.collect(function, {value: value for value in wanted}, observe)
    return {value: _range(low, high, wanted[value]) for value, (low, high) in found.items()}


def _range(low: Array, high: Array, axis: int | None) -> Range:
    return Range(low, high, axis if low.ndim else None)
