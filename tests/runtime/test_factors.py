"""Powers of two that channels of another model are scaled by, and what becomes of them behind."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.constants import make_const
from mlconv.ir.core import Op
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.runtime.layer_factors import carried_factors, channel_factors, nearer_factors
from mlconv.runtime.layer_noise import rounded_biases
from tests.support.graphs import Graph

FACTORS = np.array([1.0, 0.5, 4.0]).reshape(1, 3, 1, 1)


@pytest.mark.parametrize(("most", "told"), [(np.inf, True), (3.0, False)])
def test_factors_are_carried_through_what_keeps_channels_apart(most: float, told: bool) -> None:
    """A channel that is scaled is cut off elsewhere."""
    g = Graph((1, 3, 4, 4))
    y = g.e(core.Clamp(g.xs[0], lo=0.0, hi=most))
    y = g.e(core.ReduceMean(y, axes=(2, 3), keepdims=True))
    y = g.e(core.Reshape(y, g.const(np.array([1, 3], np.int64))))
    kinds = (core.Clamp, core.ReduceMean, core.Reshape)
    ops: list[Op] = [op for op in g.finish(y).main.block.ops if isinstance(op, kinds)]
    x = ops[0].operands[0]
    assert x is not None
    found = carried_factors(ops, {x: FACTORS}, {x: np.zeros((1, 3, 4, 4), np.float32)})
    assert (found is not None) == told
    assert not told or np.array_equal(found, FACTORS.reshape(1, 3))  # type: ignore[arg-type]
    assert carried_factors(ops, {}, {}) is None


def test_factors_of_two_axes_are_not_taken_for_a_little() -> None:
    """Numbers that are rounded to few bits fit more factors better by chance."""
    rng = np.random.default_rng(0)
    own = rng.normal(size=(1, 3, 8, 4)).astype(np.float32) * np.array([1, 1, 0.2], np.float32).reshape(1, 3, 1, 1)
    other = np.rint(own * FACTORS / 0.5) * 0.5
    found = channel_factors(own, other, 0.5)
    assert found is not None and found.shape == (1, 3, 1, 1)


def test_factors_of_two_axes_explain_most_of_a_difference() -> None:
    """A few elements that roundings halve are no channel."""
    rng = np.random.default_rng(0)
    own = rng.normal(size=(1, 8, 6, 6)).astype(np.float32)
    other = own + rng.normal(size=own.shape) * 0.2
    other[0, :, 2, 1] = own[0, :, 2, 1] / 2
    assert channel_factors(own, other, 0.0) is None


@pytest.mark.parametrize("reads_numbers", [False, True])
def test_biases_are_rounded_to_steps_of_sums(reads_numbers: bool) -> None:
    g = Graph((1, 8))
    codes = g.e(core.Constant(value=make_const(np.ones((8, 4), np.int8)), element=QuantType.of(DType.I8, 0.25)))
    integers = g.e(core.Quantize(g.xs[0], element=QuantType.of(DType.I8, 0.5)))
    x = g.xs[0] if reads_numbers else g.e(core.Dequantize(integers))
    y = g.e(core.MatMul(x, g.e(core.Dequantize(codes))))
    assert y.producer is not None
    assert rounded_biases([y.producer], y) == (0.0 if reads_numbers else 0.5 * 0.25 / 2)


def test_biases_of_channels_are_rounded_by_their_own_steps() -> None:
    """A channel of small weights is not off by as much as one of large ones."""
    g, scales = Graph((1, 8)), np.array([1e-3, 1.0, 0.5], np.float32)
    codes = g.e(
        core.Constant(value=make_const(np.ones((8, 3), np.int8)), element=QuantType.of(DType.I8, scales, axis=1))
    )
    x = g.e(core.Dequantize(g.e(core.Quantize(g.xs[0], element=QuantType.of(DType.I8, 0.5)))))
    y = g.e(core.MatMul(x, g.e(core.Dequantize(codes))))
    turned = g.e(core.Transpose(y, perm=(1, 0)))
    assert y.producer is not None
    np.testing.assert_allclose(rounded_biases([y.producer], y), scales.reshape(1, 3) / 4)
    assert rounded_biases([y.producer], turned) == 0.25


def test_outermost_integers_tell_nothing_of_factors() -> None:
    """What a sample has beyond the calibrated range is cut off, and looks like less of a factor."""
    own = np.abs(np.random.default_rng(0).normal(size=(1, 40, 3)))
    quant = QuantType.of(DType.I8, 0.01, -128)
    laid = quant.dequantize(quant.quantize(own * [1, 2, 4])).astype(np.float64)
    found = channel_factors(own, laid, 0.01, quant=quant)
    assert found is not None
    np.testing.assert_array_equal(found.reshape(-1), [1, 2, 4])


def test_heads_may_be_one_axis_with_a_batch() -> None:
    own, factors = np.random.default_rng(1).normal(size=(8, 9, 6)), np.ones((8, 1, 6))
    factors[1::4, 0, 2], factors[3::4, 0, 5] = 2, 0.5
    found = channel_factors(own, own * factors, 0.0)
    assert found is not None
    np.testing.assert_array_equal(found, factors)


def test_a_channel_that_new_factors_say_nothing_of_keeps_its_own() -> None:
    """What is at the outermost integers is left out of what tells factors, and one of another channel is told late."""
    own = np.random.default_rng(2).normal(size=(1, 2, 9, 3))
    right = np.array([1, 0.5, 1, 1, 2, 2]).reshape(1, 2, 1, 3)
    before, later = right.copy(), np.ones_like(right)
    before[0, 1, 0, 2], later[0, 1, 0, 2] = 1, 2
    np.testing.assert_array_equal(nearer_factors(own, own * right, later, before), right)
    np.testing.assert_array_equal(nearer_factors(own, own * right, right, np.asarray(1.0)), right)
