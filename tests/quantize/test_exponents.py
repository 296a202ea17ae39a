"""Powers of two that constants were multiplied by, followed to the outputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.quantize.calibrate import calibrated
from mlconv.quantize.collect import Collector
from mlconv.quantize.equalize import Equalized, equalize, wanted
from mlconv.quantize.exponents import Powers
from mlconv.quantize.ranges import Range
from mlconv.quantize.unchanged import ANSWERS, equalized
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder
from tests.quantize.test_equalize import NETS, attention
from tests.support.modules import random
from tests.support.networks import Build, collector, conv, interpreted, linear, network, relu

SHAPE = (1, 4, 6, 8)
SAMPLES = [{"x": random(*SHAPE, seed=s)} for s in range(3)]


def grouped(e: CoreBuilder, x: Value) -> Value:
    """Several filters of each channel, some of zeros: what is left of these is the bias."""
    scale = np.float32([1, 0, 100, 0.01, 30, 0, 1, 3])
    y = conv(e, relu(e, conv(e, x, 8, scale=scale)), 16, groups=8)
    return conv(e, relu(e, y), 4)


def pruned(e: CoreBuilder, x: Value) -> Value:
    """The first weight of each sum is 0."""
    w = random(3, 3, 8, 8) * np.float32([1, 100, 0.1, 3, 1, 1, 10, 1])
    w[0] = w[1, 0, 0] = 0
    attributes = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1)}
    return conv(e, relu(e, e.y(core.Conv(x, e.constant(w), **attributes))), 4)


def shared_keys(transposed: bool) -> Build:
    return lambda e, x: attention(e, x, transposed)


BUILDS: dict[str, Build] = {
    **{name: build for name, (build, _) in NETS.items()},
    "grouped": grouped,
    "pruned": pruned,
    "keys": shared_keys(False),
    "transposed keys": shared_keys(True),
}


def changed(build: Build) -> tuple[Module, Equalized, tuple[dict[Value, Range], dict[Value, Range]]]:
    module = network(SHAPE, build)
    before = calibrated(module.main, wanted(module.main), collector(SAMPLES, interpreted))
    after = dict(before)
    return module, equalize(module.main, after), (before, after)


def constant_before(op: Op, numbers: np.ndarray) -> Value:
    assert op.block is not None and op.location is not None
    return CoreBuilder(Builder(op.block, op.location, op)).constant(numbers)


@pytest.mark.parametrize("name", BUILDS)
def test_what_equalization_does_is_proved(name: str) -> None:
    """And that one of its constants went wrong, in one number even, never is."""
    module, done, spans = changed(BUILDS[name])
    old = done.constants
    assert done.number and Powers(old, done.limits, spans).reach_outputs(module.main)
    for (op, i), before in old.items():
        good = op.operands[i]
        now = const_of(good)
        assert now is not None
        numbers = now.view().copy()
        numbers[np.unravel_index(np.abs(numbers).argmax(), numbers.shape)] *= 2
        wrong = [make_const(numbers, DType.F32), before] if (now.view() != before.view()).any() else []
        for const in wrong:
            edit.set_operand(op, i, constant_before(op, const.view()))
            assert not Powers(old, done.limits, spans).reach_outputs(module.main)
            edit.set_operand(op, i, good)
    assert Powers(old, done.limits, spans).reach_outputs(module.main)
    reached = {clamp: spans[0][clamp.y].whole[1] for clamp in done.limits}
    assert Powers(old, reached, spans).reach_outputs(module.main) == (not reached)


def squashed(e: CoreBuilder, x: Value) -> Value:
    return linear(e, e.sigmoid(linear(e, x, 8)), 4)


def bent(e: CoreBuilder, x: Value) -> Value:
    return linear(e, e.clamp(linear(e, x, 8), -1.0, np.inf), 4)


@pytest.mark.parametrize("build", [squashed, bent])
def test_what_is_not_homogeneous_is_not_followed(build: Build) -> None:
    module = network(SHAPE, build)
    first, last = (op for op in module.main.block.ops if isinstance(op, core.MatMul))
    old = {}
    for op, factor in ((first, 2.0), (last, 0.5)):
        const = const_of(op.b)
        assert const is not None
        old[op, 1] = const
        edit.set_operand(op, 1, constant_before(op, const.view() * np.float32(factor)))
    assert not Powers(old, {}, ({}, {})).reach_outputs(module.main)


@pytest.mark.parametrize("tiny", [1e-30, 1e-40])
def test_lost_bits_are_seen(tiny: float) -> None:
    """Numbers around the least of float32 have fewer bits, and a factor takes more of them."""

    def build(e: CoreBuilder, x: Value) -> Value:
        w = random(3, 3, 8, 8) * np.float32([1, 100, 0.1, 3, 1, 1, 10, 1])
        w[0, 0] = tiny
        attributes = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1)}
        return conv(e, relu(e, e.y(core.Conv(x, e.constant(w), **attributes))), 4)

    module, done, spans = changed(build)
    assert Powers(done.constants, done.limits, spans).reach_outputs(module.main) == (tiny > 1e-38)


@pytest.mark.parametrize("large", [1e3, 1e15])
def test_sums_near_the_largest_number_are_not_proved(large: float) -> None:
    module, done, (before, after) = changed(NETS["depthwise"][0])
    value = done.values[0]
    wide = Range(before[value].low, before[value].high * np.float32(large), before[value].axis)
    assert Powers(done.constants, done.limits, ({**before, value: wide}, after)).reach_outputs(module.main) == (
        large < 1e6
    )


def counted(compiled: list[Module]) -> Callable[[Module], object]:
    return lambda module: compiled.append(module) or interpreted(module)


def test_a_proof_takes_no_run() -> None:
    """Without one, the function runs again on samples."""
    for build, runs in ((NETS["depthwise"][0], 1), (NETS["bounded"][0], 1)):
        compiled: list[Module] = []
        found: Collector = collector(SAMPLES, counted(compiled))  # type: ignore[arg-type]
        module = network(SHAPE, build)
        ranges = calibrated(module.main, wanted(module.main), found, answers=ANSWERS)
        done, back = equalized(module.main, ranges, True, found, "undone-equalized")
        assert done.number and not back and len(compiled) == runs
