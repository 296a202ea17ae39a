"""What it gains to multiply what products read by factors of its channels: bits of the error that integers of 8 bits
make, of what is read and of weights together, by what samples had in each channel.

Ranges alone do not tell: a channel with a few far numbers takes the larger factor for numbers that are small, and
leaves fewer steps to the weights of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function
from mlconv.ir.shapes import static
from mlconv.ir.spec import OpDef
from mlconv.quantize.apply import output_axis
from mlconv.quantize.collect import Collector
from mlconv.quantize.observe import Join, Seen
from mlconv.quantize.saved import keys_of
from mlconv.quantize.weight_inputs import inputs_axis, weights_of
from mlconv.rewrite.core_builder import CoreBuilder


def mean_squares(function: Function, axes: Mapping[Value, int], collector: Collector, stage: str) -> dict[Value, Array]:
    """Of each channel of values, over all samples; without values that another run did not look for.  axes: of
    channels.  stage: under which sums are saved.
    """

    def observe(value: Value, key: Value, e: CoreBuilder) -> Seen:
        others = tuple(i for i in range(value.tensor.rank or 0) if i != axes[key])
        return [(e.mean(e.mul(value, value), others), Join.SUM), (e.constant(np.ones((), np.float32)), Join.SUM)]

    told = collector.told(function, axes, stage)
    found = collector.collect(function, {v: v for v in told}, observe, stage) if told else {}
    if collector.saved is not None:
        keys = keys_of(function)
        for value, arrays in found.items():
            channels = static((value.tensor.shape or ())[axes[value] :][:1])
            collector.saved.check(keys[value], arrays, [[channels or ()], [()]])
    return {value: np.asarray(total / runs, np.float64) for value, (total, runs) in found.items()}


def bits_gained(products: Iterable[OpDef], largest: Array, squares: Array, factors: Array) -> float:
    """Of all that read channels whose largest numbers and mean squares are given, when these are divided by factors and
    weights multiplied: of weights alone, and of both, what is less.  Of 4 bits weights decide, of 8 what is read.
    """
    before, after = np.zeros(2), np.zeros(2)
    for product in products:
        before += _noise(product, largest, squares, np.ones(factors.shape, np.float32))
        after += _noise(product, largest / factors, squares / np.square(factors), factors)
    pairs = [(before[1], after[1]), (before.sum(), after.sum())]
    return min(float(np.log2(a / b) / 2) if 0 < b < a else 0.0 for a, b in pairs)


def _noise(product: OpDef, largest: Array, squares: Array, factors: Array) -> tuple[float, float]:
    """Squared errors of sums, but for one factor: of what is read, of weights."""
    weights, outputs = weights_of(product).view(), output_axis(product)
    weights = weights * factors.reshape([-1 if i == inputs_axis(product) else 1 for i in range(weights.ndim)])
    over = tuple(i for i in range(weights.ndim) if i != outputs)
    steps = np.abs(weights).max(axis=over).astype(np.float64) / 127
    each = weights.size / (steps.size * squares.size)  # weights of a channel that have a scale
    read = np.square(2 * float(largest.max()) / 255) * float(np.square(weights).sum(dtype=np.float64))
    return read, float(np.square(steps).sum() * each * squares.sum())
