"""Every core op on XLA: the rows of tests/core, exported to HLO and run on jaxlib."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from tests.support.core_rows import RANDOM, ROWS, Row, build, named_loop
from tests.support.modules import module
from tests.support.xla import check, to_hlo


@pytest.mark.share(6)
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_op(row: Row) -> None:
    made: list[Any] = []
    m = build(row, made)
    if isinstance(made[0], RANDOM):
        assert to_hlo(m)
    else:
        check(m, row.inputs)


def test_while_takes_what_it_uses_along() -> None:
    check(named_loop(3), [np.array([1, 2, 3], np.float32)])


def test_zeros_of_both_signs_are_equal() -> None:
    """XLA's own top-k orders them."""
    x = np.random.default_rng(0).choice(np.asarray([0.0, -0.0, 0.5, -0.5], np.float32), (16, 7, 5))

    def make(b: Builder, v: Value) -> Any:
        return b.emit(
            core.TopK(
                v, b.emit(core.Constant(value=make_const(np.asarray(4, np.int32)))).y, axis=2, index_dtype=DType.I32
            )
        ).results

    check(module(make, [x]), [x])


def test_acosh_below_one_is_no_number() -> None:
    x = np.asarray([0.999, 0.0, -0.5, -1.0, -3.0, -1e10, -3e38, 1.0, 2.0], np.float32)
    check(module(lambda b, v: b.emit(core.Acosh(v)).y, [x]), [x])


def test_same_bytes() -> None:
    m = build(ROWS[0], [])
    assert to_hlo(m) == to_hlo(m)
