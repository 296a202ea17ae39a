"""What weights of two products tell of one another."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.runtime import layer_weights
from mlconv.runtime.layer_weights import Weights


@pytest.mark.parametrize(("times", "wanted"), [(1.0, 1.0), (0.5, 0.5)])
def test_a_bias_tells_whether_outputs_are_scaled(times: float, wanted: float) -> None:
    """Four bits leave half of the weights that are known, by chance; outputs that are scaled have all of it scaled."""
    own, other = np.array([[-0.178, np.nan, -0.381, 0.271]]), np.array([[-0.2, np.nan, -0.2, 0.14]])
    other = other if times == 1 else own * times
    none = np.zeros(1)
    found = layer_weights._factors(own, other, [np.array([3.2]), np.array([3.2 * times])], [none, none])
    np.testing.assert_array_equal(found, [wanted])


@pytest.mark.parametrize(("half", "wanted"), [(1e-5, 0.5), (1e-7, 1.0)])
def test_a_bias_below_its_rounding_tells_nothing(half: float, wanted: float) -> None:
    own, other = np.array([[-0.178, np.nan, -0.381, 0.271]]), np.array([[-0.2, np.nan, -0.2, 0.14]])
    biases, halves = [np.array([9.6e-6]), np.array([2e-5])], [np.zeros(1), np.array([half])]
    np.testing.assert_array_equal(layer_weights._factors(own, other, biases, halves), [wanted])


def test_many_weights_tell_whatever_the_bias_makes_up_for() -> None:
    own, none = np.random.default_rng(0).normal(size=(1, 64)), np.zeros(1)
    found = layer_weights._factors(own, own / 2, [np.array([0.0034]), np.array([0.0036])], [none, none])
    np.testing.assert_array_equal(found, [0.5])


@pytest.mark.parametrize(("moved", "is_fault"), [(12, False), (1, True)])
def test_weights_of_four_bits_that_are_chosen_anew(moved: int, is_fault: bool) -> None:
    """Most of a channel are others, or one is."""
    own = np.random.default_rng(2).integers(-7, 8, (5, 12)).astype(np.float64)
    other = own.copy()
    other[3, :moved] += np.where(own[3, :moved] > 0, -1, 1) * np.resize([1, 0.4, 0.8], moved)
    none = np.zeros(5)
    weights = Weights(own, other, np.ones((5, 12)), 7.0, (none, none), none, 1, np.ones(5), True)
    assert bool(weights.why()) == is_fault, weights.why()


def test_outermost_integers_tell_nothing_of_the_others() -> None:
    """All inputs but one are nothing: what is left of most channels is the weight that their scale is chosen by."""
    own = np.array([[0.519, np.nan], [-0.125, np.nan], [-0.634, np.nan], [1.721, np.nan]])
    steps = np.abs(own) / 127
    steps[1] = 0.002
    none = np.zeros(4)
    weights = Weights(own, np.rint(own / steps) * steps, steps, 127.0, (none, none), none, 1, np.ones(4))
    assert not weights.why()


@pytest.mark.parametrize(("to_nearest", "is_fault"), [(True, True), (False, False)])
def test_a_weight_that_is_not_rounded_to_the_nearest(to_nearest: bool, is_fault: bool) -> None:
    own = np.random.default_rng(3).uniform(-100, 100, (6, 30))
    own[:, 0] = 127
    other, none = np.rint(own), np.zeros(6)
    other[2, 5] += 1 if other[2, 5] < own[2, 5] else -1
    own[2, 5] = other[2, 5] + np.copysign(0.8, own[2, 5] - other[2, 5])
    weights = Weights(own, other, np.ones((6, 30)), 127.0, (none, none), none, 1, np.ones(6))
    assert bool(weights.why(to_nearest)) == is_fault, weights.why(to_nearest)


@pytest.mark.parametrize(("others", "is_fault"), [(0.3, True), (0.8, False)])
def test_a_channel_that_is_rounded_with_regard_to_inputs(others: float, is_fault: bool) -> None:
    """Several of its weights are not the nearest."""
    own, none = np.random.default_rng(4).integers(-100, 100, (2, 12)).astype(np.float64), np.zeros(2)
    other = own.copy()
    other[1, :4] += [1.1, others, -others, 0.2]
    other[0] += np.resize([0.4, -0.3], 12)
    weights = Weights(own, other, np.ones((2, 12)), 127.0, (none, none), none, 1, np.ones(2))
    assert bool(weights.why()) == is_fault, weights.why()


def test_weights_of_nothing_tell_nothing_of_roundings() -> None:
    """Most of a support vector's coefficients are 0, or the largest that there is."""
    own, none = np.zeros((3, 40)), np.zeros(3)
    own[:, ::2], own[:, 1], own[:, 3] = 1.0, 0.3038, 0.71
    steps = np.full((3, 40), 1 / 127)
    weights = Weights(own, np.rint(own / steps) * steps, steps, 127.0, (none, none), none, 1, np.ones(3))
    assert not weights.why(to_nearest=True), weights.why(to_nearest=True)
