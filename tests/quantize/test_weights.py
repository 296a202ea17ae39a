"""Integers of weights of few bits."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, PerAxis, PerTensor
from mlconv.ir.spec import OpDef
from mlconv.quantize import rounding
from mlconv.quantize.moments import Moments, moments
from mlconv.quantize.scheme import scheme_named
from mlconv.quantize.store import integers_of
from mlconv.quantize.weights import of_rows, round_weights, rows_of
from tests.support.modules import random
from tests.support.networks import collector, conv, interpreted, network

SAMPLES = [{"x": np.abs(random(1, 9, 9, 16, seed=s)) @ random(16, 16)} for s in range(4)]


def product(groups: int = 0, transpose: bool = False) -> OpDef:
    """A convolution, or, without groups, a product of matrices."""
    if groups:
        module = network((1, 9, 9, 16), lambda e, x: conv(e, x, 16, groups=groups))
    else:
        module = network((1, 9, 9, 16), lambda e, x: e.matmul(x, e.constant(random(16, 16) * 3), transpose_b=transpose))
    op = module.main.block.outputs[0].producer
    assert isinstance(op, OpDef)
    return op


def moments_of(op: OpDef) -> Moments:
    from mlconv.ir.module import Function

    function = Function("main", op.block, ["y"])  # type: ignore[arg-type]
    return moments(function, [op], collector(SAMPLES, interpreted))[op]


def loss(op: OpDef, found: Moments, numbers: np.ndarray) -> float:
    """The squared error of outputs."""
    w = op.operands[1].producer.value.view()  # type: ignore[union-attr]
    error = rows_of(op, w - numbers)
    return float(np.einsum("gok,gkl,gol->", error, found.square, error))


@pytest.mark.parametrize("top", [7, 127])
def test_moments_that_rounding_errors_are_left_of(top: int) -> None:
    """Sums of float32 around a mean of numbers that hardly differ need not be those of any numbers.  Groups beside them
    are rounded as they are without them.
    """
    rows = np.asarray(random(2, 8, 6), np.float64)
    drawn = random(40, 6).astype(np.float64)
    sound, lost = drawn.T @ drawn, np.full((6, 6), -1e-3)
    lost[np.arange(6), np.arange(6)] = 1e-6
    lost[0, 1:] = lost[1:, 0] = 1e-3
    square = np.stack([sound, lost])
    codes, scales = rounding.rounded(rows, top, 0, square)
    assert np.isfinite(scales).all() and np.abs(rows - codes * scales).max() < 4 * scales.max()
    alone = rounding.rounded(rows[:1], top, 0, square[:1])
    assert np.array_equal(codes[:1], alone[0]) and np.array_equal(scales[:1], alone[1])


@pytest.mark.parametrize("moment", [np.nan, np.inf, 0.0, 1e-310, 1e300])
def test_moments_without_a_finite_root(moment: float) -> None:
    """Overflows of what a layer reads: its weights are rounded to the nearest."""
    rows = np.asarray(random(1, 8, 6), np.float64)
    codes, scales = rounding.rounded(rows, 7, 0, np.full((1, 6, 6), moment))
    assert np.isfinite(codes).all() and np.abs(rows - codes * scales).max() < 4 * scales.max()


@pytest.mark.parametrize(("groups", "transpose"), [(0, False), (0, True), (1, False), (4, False), (16, False)])
def test_rounding_with_moments_loses_less(groups: int, transpose: bool) -> None:
    op = product(groups, transpose)
    found = moments_of(op)
    w = op.operands[1].producer.value.view()  # type: ignore[union-attr]
    assert np.array_equal(of_rows(op, rows_of(op, w), w.shape), w)
    plain, compensated = (round_weights(op, DType.I4, 8, m) for m in (None, found))
    losses = [loss(op, found, r.element.dequantize(r.numbers.view())) for r in (plain, compensated)]
    assert losses[1] < 0.8 * losses[0]
    assert plain.shift is None and compensated.shift is not None
    for r in (plain, compensated):
        r.element.check_shape(w.shape)
        assert np.abs(r.numbers.view().astype(int)).max() <= 7
        assert isinstance(r.element.scheme, PerAxis if groups else Blocked)
    mean = found.total / found.rows
    error = rows_of(op, w - compensated.element.dequantize(compensated.numbers.view()))
    np.testing.assert_allclose(
        compensated.shift, np.einsum("gok,gk->go", error, mean).reshape(-1), rtol=1e-3, atol=1e-4
    )


def test_dead_inputs() -> None:
    """Inputs that are always 0 leave their weights as they round."""
    op = product(0)
    found = moments_of(op)
    square, total = found.square.copy(), found.total.copy()
    square[:, 3], square[:, :, 3], total[:, 3] = 0, 0, 0
    rounded = round_weights(op, DType.I4, 0, Moments(square, total, found.rows))
    assert np.isfinite(rounded.element.dequantize(rounded.numbers.view())).all()
    assert isinstance(op, core.MatMul)


@pytest.mark.parametrize(("groups", "blocks"), [(1, 1), (16, 1), (0, 2)])
def test_scales_are_tried_out(groups: int, blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row has the scales, of several, that lose least behind the rounding of its numbers to one another."""
    op = product(groups)
    found = moments_of(op)
    weights = const_of(op.operands[1])
    assert weights is not None
    rows, square = rows_of(op, weights.view()).astype(np.float64), found.square / found.rows
    block = 0 if blocks == 1 else rows.shape[-1] // blocks
    codes, scales = rounding.rounded(rows, 7, block, square, found.rows)
    assert np.array_equal(codes, np.clip(np.rint(codes), -7, 7))
    monkeypatch.setattr(rounding, "_TRIED" if blocks == 1 else "_TRIED_IN_BLOCKS", 0)
    alone = rounding.rounded(rows, 7, block, square, found.rows)
    around = rounding.damped(square, rounding._DAMPING + rounding._DOUBT * rows.shape[-1] / found.rows)
    lost, before = (
        np.einsum("gok,gkl,gol->go", error, around, error)
        for error in (rows - c * np.repeat(s, rows.shape[-1] // blocks, -1) for c, s in ((codes, scales), alone))
    )
    assert (lost <= before * (1 + 1e-9)).all() and lost.sum() < (0.95 if blocks == 1 else 0.99) * before.sum()


@pytest.mark.parametrize("groups", [0, 1, 16])
def test_a_bias_takes_up_means(groups: int) -> None:
    """With one, what differs around the mean counts; without, all does."""
    op = product(groups)
    found = moments_of(op)
    moved = Moments(
        found.square + found.total[:, :, None] * 3 + found.total[:, None, :] * 3 + 9.0 * found.rows,  # of x + 3
        found.total + 3.0 * found.rows,
        found.rows,
    )
    near, far = (round_weights(op, DType.I4, 0, m) for m in (found, moved))
    same = np.mean(near.numbers.view() == far.numbers.view())
    assert same > 0.99 if groups else same < 0.99
    constant = Moments(moved.square * 0 + 9.0 * found.rows, found.total * 0 + 3.0 * found.rows, found.rows)
    assert np.isfinite(round_weights(op, DType.I4, 0, constant).element.scales.view()).all()


@pytest.mark.parametrize("groups", [0, 1, 16])
@pytest.mark.parametrize("scheme", ["int4", "int8-weights", "dynamic-range"])
def test_one_scale_for_all(scheme: str, groups: int) -> None:
    """Where that is asked for, of weights of few bits too."""
    op = product(groups)
    asked = scheme_named(scheme).with_granularity("tensor")
    numbers, element = integers_of(op, asked, {}, {})
    weights = const_of(op.operands[1])
    assert weights is not None and element.scheme == PerTensor()
    top = (1 << asked.bits - 1) - 1
    step = np.abs(weights.view()).max() / top
    np.testing.assert_allclose(element.scales.view(), step, rtol=1e-6)
    assert np.abs(numbers.view() * step - weights.view()).max() <= step * 0.501
    assert np.abs(numbers.view()).max() == top
