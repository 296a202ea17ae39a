"""What orders of summation may change of a model of bfloat16, and what verification takes no more for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.runtime.order import spread
from mlconv.runtime.verify import verify_artifact
from tests.support.modules import random
from tests.support.native import Array
from tests.support.networks import network

SHAPE = (16, 96)
Rounding = Callable[[Array], Array]


def halved(e: CoreBuilder, x: Value) -> Value:
    return e.cast(e.cast(x, DType.BF16), DType.F32)


def layers(e: CoreBuilder, x: Value) -> Value:
    for i in range(3):
        w = e.constant(rounded(random(96, 96, seed=i + 1)) / 8)
        x = e.maximum(e.matmul(halved(e, x), w), e.constant(np.float32(-0.1)))
    return x


def rounded(x: Array) -> Array:
    return x.astype(DType.BF16.numpy).astype(np.float32)


class Other:
    """A runtime that sums in another order, and rounds factors in its own way."""

    name = "another runtime"

    def __init__(self, rounding: Rounding, sums: type[np.floating] = np.float32) -> None:
        self.rounding, self.sums = rounding, sums

    def reset(self) -> None:
        """There is no state."""

    def run(self, function: Function, inputs: dict[str, Array]) -> dict[str, Array]:
        (x,) = inputs.values()
        for i in range(3):
            w = rounded(random(96, 96, seed=i + 1)) / 8
            total = np.zeros((16, 96), self.sums)
            for k in reversed(range(96)):
                total = (total + self.rounding(x)[:, k : k + 1] * w[k]).astype(self.sums)
            x = np.maximum(total.astype(np.float32), np.float32(-0.1))
        return {function.output_names[0]: x}


def module() -> Module:
    return network(SHAPE, layers)


@pytest.mark.parametrize(
    ("rounding", "sums", "fine"),
    [
        (rounded, np.float32, True),
        (np.asarray, np.float32, False),  # factors that are not rounded
        (lambda x: (x.view(np.uint32) & 0xFFFF0000).view(np.float32), np.float32, False),  # that are cut
        (rounded, np.float16, False),  # sums of fewer bits
    ],
)
def test_other_arithmetic_is_seen(rounding: Rounding, sums: type[np.floating], fine: bool) -> None:
    m = module()
    (error,) = verify_artifact(Other(rounding, sums), False, m, m)
    assert error.ok == fine, error


def test_a_spread() -> None:
    """Of a product it is what two orders may be apart; rounding behind it may give the next number."""
    x = random(*SHAPE, seed=9)
    w = rounded(random(96, 8))
    one = network(SHAPE, lambda e, v: e.matmul(halved(e, v), e.constant(w)))
    inputs = {one.main.input_names[0]: x}
    expected = run_function(one.main, inputs)
    (apart,) = spread(one.main, inputs, expected).values()
    sums = np.abs(rounded(x)) @ np.abs(w)
    assert (apart >= 19 * 2.0**-24 * sums).all() and apart.max() < 2.0**-8 * sums.max()
    assert (apart < 1e-3 * sums).any()  # where no number lies next to a half


def test_what_is_no_number_hides_nothing() -> None:
    """Sums without it are apart as they are."""
    plain = network(SHAPE, lambda e, v: e.matmul(v, e.constant(random(96, 8))))
    (name,), x = plain.main.input_names, random(*SHAPE, seed=9)
    found = []
    for first in (x[0, 0], np.inf, np.nan):
        x[0, 0] = first
        (apart,) = spread(plain.main, {name: x}, run_function(plain.main, {name: x})).values()
        found.append(apart)
    assert found[0].min() > 0 and all(np.array_equal(found[0][1:], other[1:]) for other in found[1:])


def test_objects_are_held_to_it(tmp_path: Path) -> None:
    plain = network(SHAPE, lambda e, v: e.matmul(v, e.constant(random(96, 8))))
    mlconv.quantize(plain, "native", tmp_path / "m.o", scheme="bfloat16", verify=True)
