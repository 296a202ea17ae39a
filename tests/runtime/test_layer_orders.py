"""In which order the elements of another model's value lie."""

from __future__ import annotations

import numpy as np

from mlconv.runtime.layer_orders import laid_as, laid_places


def test_axes_that_are_one_with_others_in_another_order() -> None:
    """Heads and their parts are one axis, and what are the last two here lie the other way round."""
    like = np.random.default_rng(0).normal(size=(2, 2, 4, 4))
    other = like.transpose(0, 1, 3, 2).reshape(2, 8, 1, 4)
    np.testing.assert_array_equal(laid_as(like, other), like)
    np.testing.assert_array_equal(other.reshape(-1)[laid_places(like, other)], like)


def test_what_is_much_nearer_is_no_chance() -> None:
    """Though roundings are many, and values in front lie in another order."""
    rng = np.random.default_rng(1)
    like = rng.normal(size=(3, 4, 4))
    other = (like + rng.normal(0, 0.02, like.shape)).transpose(0, 2, 1)
    laid = laid_as(like, other, orders={3: (0, 1, 2)})
    np.testing.assert_array_equal(laid, other.transpose(0, 2, 1))
