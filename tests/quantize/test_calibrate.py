"""Ranges and moments of values, from runs of the model."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.driver.inprocess import compiled
from mlconv.driver.options import Options
from mlconv.interp import run_function
from mlconv.ir.core import Value, walk
from mlconv.ir.dims import Dim
from mlconv.ir.module import Module
from mlconv.quantize.calibrate import calibrated
from mlconv.quantize.collect import Run
from mlconv.quantize.moments import moments
from mlconv.quantize.weights import rows_of
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import collector, conv, interpreted, linear, network, relu, turns

SAMPLES = [{"x": random(1, 5, 6, 8, seed=s)} for s in range(3)]


def native(module: Module) -> Run:
    return compiled(module, Options()).model.run


@pytest.mark.parametrize("compile_", [native, interpreted])
def test_ranges(compile_) -> None:  # type: ignore[no-untyped-def]
    module = network((1, 5, 6, 8), lambda e, x: relu(e, conv(e, x, 4)))
    before, y = module.main.block.outputs[0].producer.operands[0], module.main.block.outputs[0]  # type: ignore[union-attr]
    assert before is not None
    found = calibrated(module.main, {before: 3, y: None, module.main.inputs[0]: 1}, collector(SAMPLES, compile_))
    outputs = np.concatenate([run_function(module.main, s)["y"] for s in SAMPLES])
    assert found[before].low.shape == (4,) and found[y].low.shape == ()
    np.testing.assert_allclose(np.maximum(found[before].high, 0), outputs.max((0, 1, 2)), rtol=1e-5)
    assert found[y].whole == pytest.approx((0.0, outputs.max()))
    inputs = np.concatenate([s["x"] for s in SAMPLES])
    np.testing.assert_array_equal(found[module.main.inputs[0]].low, inputs.min((0, 2, 3)))


@pytest.mark.parametrize("axes", [(3, 3), (3, None), (None, None), (None, 3)])
def test_what_a_clamp_gives_follows_from_what_it_takes(axes: tuple[int | None, int | None]) -> None:
    """To the bit what observers of both find, also where a number is NaN and where there are none."""
    module = network((Dim.symbol("n"), 2, 3, 4), lambda e, x: e.clamp(e.mul(x, x), 0.5, 6.0))
    y = module.main.outputs[0]
    (x,) = y.producer.operands  # type: ignore[union-attr]
    assert x is not None
    some = random(3, 2, 3, 4)
    odd = some.copy()
    odd[0, 0, 0, 1] = np.nan
    outputs: list[set[str]] = []

    def noted(module: Module) -> Run:
        outputs.append(set(module.main.output_names) - {"y"})
        return interpreted(module)

    for samples in ([some], [some, odd], [some[:0]], [some[:0], some]):
        given = [{"x": s} for s in samples]
        both = calibrated(module.main, {x: axes[0], y: axes[1]}, collector(given, noted))
        apart = calibrated(module.main, {y: axes[1]}, collector(given, interpreted))
        np.testing.assert_array_equal(both[y].low, apart[y].low)
        np.testing.assert_array_equal(both[y].high, apart[y].high)
        assert both[y].axis == apart[y].axis
    assert {len(names) for names in outputs} == {4 if axes == (None, 3) else 2}


@pytest.mark.parametrize(
    ("axes", "observed"),
    [
        ((None, None, None), 1),
        ((3, 1, 1), 1),
        ((None, 1, None), 1),
        ((3, 2, 1), 2),
        ((None, None, 2), 2),
        ((1, 2, 0), 2),
    ],
)
def test_what_is_moved_has_the_range_of_what_moves(axes: tuple[int | None, ...], observed: int) -> None:
    """With the channels of the axis that they were, where there is one; others are observed."""
    made: list[Value] = []

    def moving(e: CoreBuilder, x: Value) -> Value:
        made.append(e.mul(x, x))
        made.append(e.transpose(made[0], (0, 3, 1, 2)))
        made.append(e.reshape(made[1], [2, 4, 9]))
        return e.add(made[2], 1.0)

    module = network((2, 3, 3, 4), moving)
    outputs: list[int] = []

    def noted(module: Module) -> Run:
        outputs.append(len(module.main.output_names) - 1)
        return interpreted(module)

    given = [{"x": random(2, 3, 3, 4, seed=s)} for s in range(2)]
    found = calibrated(module.main, dict(zip(made, axes, strict=True)), collector(given, noted))
    arrays = [np.concatenate([s["x"] ** 2 for s in given])]
    arrays += [arrays[0].transpose(0, 3, 1, 2), arrays[0].transpose(0, 3, 1, 2).reshape(4, 4, 9)]
    for value, axis, array in zip(made, axes, arrays, strict=True):
        over = tuple(i for i in range(array.ndim) if i != axis)
        low, high = array.min(over), array.max(over)
        if axis == 0:  # each sample has two
            low, high = np.minimum(low[:2], low[2:]), np.maximum(high[:2], high[2:])
        np.testing.assert_array_equal(found[value].low, low)
        np.testing.assert_array_equal(found[value].high, high)
        assert found[value].axis == axis
    assert outputs == [2 * observed]


@pytest.mark.parametrize("name", ["n", "my batch", "a-b"])
def test_sizes_that_are_open(name: str) -> None:
    module = network((Dim.symbol(name), 5, 6, 8), lambda e, x: linear(e, x, 3))
    found = calibrated(
        module.main, {module.main.inputs[0]: None}, collector([{"x": random(2, 5, 6, 8)}, *SAMPLES], native)
    )
    assert found[module.main.inputs[0]].whole[1] == max(random(2, 5, 6, 8).max(), *(s["x"].max() for s in SAMPLES))


def looped(e: CoreBuilder, x: Value) -> Value:
    """Three turns of state = state @ w; the state is in a branch of its own, too."""
    flat, w = e.reshape(x, [30, 8]), e.constant(random(8, 8))
    return turns(e, flat, 3, lambda inner, state: inner.matmul(state, w))


@pytest.mark.parametrize("compile_", [native, interpreted])
def test_ranges_in_loops(compile_) -> None:  # type: ignore[no-untyped-def]
    """Of all turns."""
    module = network((1, 5, 6, 8), looped)
    for op in walk(module.main.block):
        op.location = op.location or module.main.location
    (product,) = (op for op in walk(module.main.block) if isinstance(op, core.MatMul))
    found = calibrated(module.main, {product.y: 1, product.a: None}, collector(SAMPLES, compile_))
    states = [s["x"].reshape(30, 8) for s in SAMPLES]
    turns = []
    for _ in range(3):
        turns.append(np.concatenate(states))
        states = [s @ random(8, 8) for s in states]
    turns.append(np.concatenate(states))
    np.testing.assert_allclose(found[product.y].high, np.concatenate(turns[1:]).max(0), rtol=1e-4)
    assert found[product.a].whole[0] == pytest.approx(np.concatenate(turns[:3]).min(), rel=1e-4)
    sums = moments(module.main, [product], collector(SAMPLES, compile_))[product]
    rows = np.concatenate(turns[:3]).astype(np.float64)
    assert sums.rows == len(rows)
    np.testing.assert_allclose(sums.square[0], rows.T @ rows, rtol=1e-4, atol=1e-3 * np.abs(rows.T @ rows).max())


@pytest.mark.parametrize("groups", [1, 2, 8])
def test_moments(groups: int) -> None:
    """A product's outputs follow from its moments: sum (w x)^2 = w (sum x' x) w'."""
    module = network((1, 5, 6, 8), lambda e, x: conv(e, x, 8, groups=groups))
    op = module.main.block.outputs[0].producer
    assert isinstance(op, core.Conv)
    found = moments(module.main, [op], collector(SAMPLES, native))[op]
    bias = op.bias.producer.value.view()  # type: ignore[union-attr]
    sums = np.concatenate([run_function(module.main, s)["y"] for s in SAMPLES]).reshape(-1, 8) - bias
    rows = rows_of(op, op.w.producer.value.view())  # type: ignore[union-attr]
    assert found.rows == len(sums)
    np.testing.assert_allclose(
        np.einsum("gok,gk->go", rows, found.total).reshape(-1), sums.sum(0), rtol=1e-3, atol=1e-2
    )
    squares = np.einsum("gok,gkl,gol->go", rows, found.square, rows).reshape(-1)
    np.testing.assert_allclose(squares, (sums**2).sum(0), rtol=1e-3)


def test_progress_is_told() -> None:
    """Of samples whose number is known, and of others."""
    module = network((1, 5, 6, 8), lambda e, x: linear(e, x, 3))
    told: list[tuple[int, int]] = []
    own = collector(SAMPLES, native)
    own.on_progress = lambda done, total: told.append((done, total))
    calibrated(module.main, {module.main.inputs[0]: None}, own)
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    told.clear()
    own.give = lambda _: (sample for sample in SAMPLES)
    calibrated(module.main, {module.main.inputs[0]: None}, own)
    assert told == [(0, 0), (1, 0), (2, 0), (3, 3)]
