"""What channels of a product are off by, beside weights that are rounded to the nearest."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.ir.constants import Array
from mlconv.runtime.layer_trends import Trends

CHANNELS, DEPTH, STEP = 12, 40, 0.05


class Product:
    """Numbers of both signs times weights, and what integers of these make of them."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.x = rng.uniform(0.5, 1.5, (300, DEPTH)) * rng.choice([-1.0, 1.0], (300, DEPTH))
        w = rng.standard_normal((DEPTH, CHANNELS))
        self.scale = np.abs(w).max(0) / 127
        self.own, self.integers, self.bias = self.x @ w, np.rint(w / self.scale), np.zeros(CHANNELS)

    def told(self, fixed: bool = True) -> str:
        other = self.x @ (self.integers * self.scale) + self.bias
        noise = np.sqrt(np.square(self.x).sum(1, keepdims=True) * np.square(self.scale) / 12)
        trends = Trends.of(1, self.own, other, noise, np.ones(self.own.shape, np.bool_))
        over, why = trends.why(np.full(CHANNELS, STEP), DEPTH, fixed)
        return why if over > 1 else ""


@pytest.mark.parametrize("seed", range(20))
def test_rounding_is_no_trend(seed: int) -> None:
    assert Product(seed).told() == ""


@pytest.mark.parametrize("seed", range(20))
def test_a_weight_of_two_that_reads_what_does_not_vary(seed: int) -> None:
    """Rounding the other one turns the line about what is constant: its intercept is another one, too."""
    rng = np.random.default_rng(seed)
    x = np.stack([rng.uniform(0, 1, 300), np.full(300, 1.0)], 1)
    w = np.stack([rng.uniform(-0.3, 0.3, CHANNELS), rng.uniform(1, 2, CHANNELS)])
    scale = np.abs(w).max(0) / 127
    noise = np.sqrt(np.square(x).sum(1, keepdims=True) * np.square(scale) / 12)
    trends = Trends.of(1, x @ w, x @ (np.rint(w / scale) * scale), noise, np.ones((300, CHANNELS), np.bool_))
    over, why = trends.why(np.full(CHANNELS, 0.01), 2, True)
    assert over <= 1, why


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("by", [1, -2])
def test_integers_that_are_all_moved(seed: int, by: int) -> None:
    product = Product(seed)
    product.integers[:, 7] += by
    assert product.told().startswith("the weights of channel 7")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("by", [0.02, -0.03])
def test_a_factor_of_a_channel(seed: int, by: float) -> None:
    product = Product(seed)
    product.scale[4] *= 1 + by
    assert product.told().startswith(f"channel 4 is scaled by 1 + {by:.2f}"[:-1])


@pytest.mark.parametrize("by", [1, -2])
def test_a_bias_that_is_off_by_a_step(by: int) -> None:
    product = Product(1)
    product.bias[5] = by * STEP
    assert product.told().startswith("the bias of channel 5")


def test_biases_that_all_make_up_for_something() -> None:
    product = Product(2)
    product.bias = np.linspace(-2, 2, CHANNELS) * STEP
    assert product.told() == ""


def test_few_elements_tell_nothing() -> None:
    product = Product(0)
    product.x, product.own = product.x[:9], product.own[:9]
    product.scale *= 1.1
    assert product.told() == ""


def line(values: Array) -> Trends:
    return Trends.of(1, values, values, np.zeros(values.shape), np.ones(values.shape, np.bool_))


def test_channels_that_hardly_vary_are_not_told() -> None:
    values = np.random.default_rng(0).standard_normal((64, 3)) * [1, 1e-3, 0]
    assert line(values).told == 1
