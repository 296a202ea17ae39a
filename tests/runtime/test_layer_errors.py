"""What of a difference is the end of the other model's integers."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.runtime.layer_errors import cut_off, off_by_steps, reaches


@pytest.mark.parametrize(("beyond", "is_cut"), [(1, True), (2, False)])
def test_one_of_few_elements_may_lie_beyond(beyond: int, is_cut: bool) -> None:
    quant = QuantType.of(DType.I8, 0.01)
    own = np.array([0.1, 0.3, -0.2, 0.5, 0.7, 0.0], np.float32)
    own[:beyond] = 1.5
    other = np.minimum(own, np.float32(1.27))
    assert cut_off(own, other, quant, False).any() == is_cut


@pytest.mark.parametrize(("largest", "is_made_for"), [(1.275, True), (1.5, False)])
def test_more_is_cut_off_of_what_is_more_in_front(largest: float, is_made_for: bool) -> None:
    """Where a model by itself gives what the integers reach, the other model's values in front are what goes beyond:
    means over few rows are few numbers, many times over.
    """
    quant = QuantType.of(DType.I8, 0.01)
    plain = np.repeat(np.array([0.1, 0.3, -0.2, largest, 0.7, 0.0, -0.9, 0.4]), 8)
    own = plain * 1.2
    other = np.clip(own, -1.28, 1.27)
    assert reaches(quant, plain) == is_made_for
    assert cut_off(own, other, quant, reaches(quant, plain)).any() == is_made_for


@pytest.mark.parametrize(("furthest", "is_off"), [(3.0, False), (6.0, True)])
def test_steps_of_what_is_computed_once(furthest: float, is_off: bool) -> None:
    steps = np.zeros((1, 400))
    steps[0, 3] = furthest
    assert bool(off_by_steps(steps, whole=True)) == is_off
    assert not off_by_steps(steps, whole=True, loops=True), "the turns behind read what is off"


def test_steps_in_all_of_a_loop_are_a_fault() -> None:
    assert off_by_steps(np.full((1, 40), 1.0), whole=True, loops=True)
