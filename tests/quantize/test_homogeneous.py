"""Ops between products that let factors of channels through."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.quantize.calibrate import calibrated
from mlconv.quantize.equalize import equalize, wanted
from mlconv.quantize.exponents import Powers
from mlconv.quantize.ranges import Range
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import Build, collector, conv, interpreted, linear, network

SCALE = (10.0 ** np.linspace(-2, 2, 8)).astype(np.float32)
SAMPLES = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(4)]


def by_sign(threshold: float, swapped: bool = False) -> Build:
    """PReLU, if the threshold is 0."""

    def build(e: CoreBuilder, x: Value) -> Value:
        y = conv(e, x, 8, scale=SCALE)
        below = e.mul(y, e.constant(np.float32([0.1, 0.5, -0.2, 0.25, 1.5, 0, 0.3, 0.2])))
        if swapped:
            return conv(e, e.where(e.less(e.constant(np.float32(threshold)), y), y, below), 4)
        return conv(e, e.where(e.less(y, e.constant(np.float32(threshold))), below, y), 4)

    return build


def padded(e: CoreBuilder, x: Value) -> Value:
    y = e.clamp(conv(e, x, 8, scale=SCALE), 0.0, np.inf)
    pads = e.constant(np.int64([[0, 0], [1, 0], [0, 1], [0, 0]]))
    y = e.y(core.Pad(y, pads, e.constant(np.float32(0))))
    y = e.y(core.Resize(y, e.constant(np.int64([10, 14])), axes=(1, 2)))
    return conv(e, y, 4)


def largest(e: CoreBuilder, x: Value) -> Value:
    y = e.y(core.Maximum(conv(e, x, 8, scale=SCALE), conv(e, x, 8, size=1, scale=SCALE)))
    y = e.y(core.Minimum(e.y(core.Abs(y)), conv(e, x, 8, size=5, scale=SCALE)))
    y = e.y(core.ReduceMin(e.y(core.ReduceSum(y, axes=(1,), keepdims=True)), axes=(1, 2), keepdims=False))
    return linear(e, y, 3)


def grouped(e: CoreBuilder, x: Value) -> Value:
    """Each group of outputs reads channels of its own."""
    y = e.clamp(conv(e, x, 8, scale=SCALE), 0.0, np.inf)
    return conv(e, y, 6, groups=2)


NETS = {
    "groups": grouped,
    "slopes": by_sign(0.0),
    "slopes the other way": by_sign(0.0, swapped=True),
    "padded and resized": padded,
    "the larger": largest,
}


def unlike(span: Range) -> float:
    largest = np.maximum(span.high, -span.low)
    return float(largest.max() / largest.min())


@pytest.mark.parametrize("name", NETS)
def test_factors_pass(name: str) -> None:
    """The same floats, and proved to be."""
    module = network((1, 4, 6, 8), NETS[name])
    before = [run_function(module.main, s)["y"] for s in SAMPLES]
    old = calibrated(module.main, wanted(module.main), collector(SAMPLES, interpreted))
    new = dict(old)
    done = equalize(module.main, new)
    assert done.number == 1
    assert unlike(new[done.values[0]]) < unlike(old[done.values[0]]) / 20
    for sample, expected in zip(SAMPLES, before, strict=True):
        np.testing.assert_array_equal(run_function(module.main, sample)["y"], expected)
    assert Powers(done.constants, done.limits, (old, new)).reach_outputs(module.main)


def test_other_thresholds_stop_them() -> None:
    module = network((1, 4, 6, 8), by_sign(0.5))
    ranges = calibrated(module.main, wanted(module.main), collector(SAMPLES, interpreted))
    assert equalize(module.main, ranges).number == 0
