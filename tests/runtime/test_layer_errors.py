"""What of a difference is the end of the other model's integers."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.runtime.layer_errors import cut_off


@pytest.mark.parametrize(("beyond", "is_cut"), [(1, True), (2, False)])
def test_one_of_few_elements_may_lie_beyond(beyond: int, is_cut: bool) -> None:
    quant = QuantType.of(DType.I8, 0.01)
    own = np.array([0.1, 0.3, -0.2, 0.5, 0.7, 0.0], np.float32)
    own[:beyond] = 1.5
    other = np.minimum(own, np.float32(1.27))
    assert cut_off(own, other, quant, False).any() == is_cut
