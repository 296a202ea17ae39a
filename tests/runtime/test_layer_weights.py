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
    found = layer_weights._factors(own, other, np.array([3.2]), np.array([3.2 * times]))
    np.testing.assert_array_equal(found, [wanted])


@pytest.mark.parametrize(("moved", "is_fault"), [(12, False), (1, True)])
def test_weights_of_four_bits_that_are_chosen_anew(moved: int, is_fault: bool) -> None:
    """Most of a channel are others, or one is."""
    own = np.random.default_rng(2).integers(-7, 8, (5, 12)).astype(np.float64)
    other = own.copy()
    other[3, :moved] += np.where(own[3, :moved] > 0, -1, 1) * np.resize([1, 0.4, 0.8], moved)
    none = np.zeros(5)
    weights = Weights(own, other, np.ones((5, 12)), 7.0, (none, none), none, 1, np.ones(5), True)
    assert bool(weights.why()) == is_fault, weights.why()
