"""Rows of small tables that are looked up one in another, and turned, are looked up once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import walk
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.integers import function_of

ROWS = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)


@pytest.mark.parametrize(
    ("places", "perm", "left"),
    [
        ([3, 0, -1, 2, 1], (2, 0, 1), {"core.gather": 1}),
        ([3, 0, 1, 2, 1], (0, 2, 1), {"core.gather": 1, "core.transpose": 1}),
        ([3, 0, 4, 2, 1], (2, 0, 1), {"core.gather": 2}),  # a row that is not there stays unread
    ],
)
def test_rows_of_tables(places: list[int], perm: tuple[int, ...], left: dict[str, int]) -> None:
    def make(builder: Any, values: list[Any]) -> OpDef:
        e, (at,) = CoreBuilder(builder), values
        bucket = e.gather(e.constant(np.int64(places)), at)
        return core.Exp(e.transpose(e.gather(e.constant(ROWS), bucket), perm))

    module = function_of([(DType.I32, (Dim.symbol("n"), 2))], make)
    arrays = {"in0": np.int32([[0, 1], [4, -2], [3, 3]])}
    (want,) = run_function(module.main, arrays).values()
    run_pipeline(module, parse_pipeline("simplify-indices,cse,dce"))
    (got,) = run_function(module.main, arrays).values()
    np.testing.assert_array_equal(got, want)
    found = Counter(op.name for op in walk(module.main.block) if op.name in ("core.gather", "core.transpose"))
    assert found == left
