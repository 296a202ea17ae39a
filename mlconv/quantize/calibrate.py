"""Ranges of values, from runs of the model on samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function, Module
from mlconv.quantize.observe import Observed, observed, symbols_in
from mlconv.quantize.ranges import Range

Run: TypeAlias = Callable[[Mapping[str, Array]], Mapping[str, Array]]
Compile: TypeAlias = Callable[[Module], Run]
"""Makes a module of core ops ready to run."""
Sample: TypeAlias = Mapping[str, Array]


def calibrated(
    function: Function, wanted: Mapping[Value, int | None], samples: Iterable[Sample], compile_: Compile
) -> dict[Value, Range]:
    """Least and largest numbers of values over all samples.  wanted: values with the axis of channels."""
    ready: dict[tuple[tuple[int, ...], ...], tuple[Observed, Run]] = {}
    found: dict[Value, Range] = {}
    for sample in samples:
        shapes = {v.name: np.shape(sample[v.name]) for v in function.inputs}
        key = tuple(shapes.values())
        if key not in ready:
            made = observed(function, wanted, symbols_in(function.inputs, shapes))
            ready[key] = made, compile_(made.module)
        made, run = ready[key]
        outputs = run(sample)
        for observer in made.observers:
            one = Range(outputs[observer.low], outputs[observer.high], observer.axis)
            before = found.get(observer.value)
            found[observer.value] = one if before is None else before.joined(one)
    return found
