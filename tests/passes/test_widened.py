"""What float32 tells as well is not computed in float64."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from tests.support.graphs import Graph, kinds, run_keeping_numbers

PASSES = "canonicalize,dce"


def wide(g: Graph, value: Value) -> Value:
    return g.e(core.Cast(value, dtype=DType.F64))


@pytest.mark.parametrize("kind", [core.IsFinite, core.IsInf, core.IsNan])
def test_what_is_infinite_or_no_number(kind: type) -> None:
    g = Graph((2, 5))
    x = g.e(core.Div(g.xs[0], g.e(core.Sub(g.xs[0], g.xs[0]))))  # infinities of both signs, also where 0 / 0 is none
    module = run_keeping_numbers(g.finish(g.e(kind(wide(g, x)))), PASSES)
    assert "cast" not in kinds(module)


def test_only_the_sign_that_is_asked_for() -> None:
    g = Graph((2, 5))
    x = g.e(core.Div(g.xs[0], g.e(core.Sub(g.xs[0], g.xs[0]))))
    module = run_keeping_numbers(g.finish(g.e(core.IsInf(wide(g, x), negative=False))), PASSES)
    (test,) = [op for op in module.walk() if isinstance(op, core.IsInf)]
    assert (test.positive, test.negative) == (True, False)


@pytest.mark.parametrize("kind", [core.Less, core.NotEqual, core.Maximum])
@pytest.mark.parametrize(("limit", "casts"), [(0.25, 0), (0.1, 1)])
def test_constants_that_float32_has(kind: type, limit: float, casts: int) -> None:
    """0.1 is another number in float32, and numbers beside it would compare otherwise."""
    g = Graph((2, 5))
    y = g.e(kind(wide(g, g.xs[0]), g.const(np.asarray(limit, np.float64))))
    made = run_keeping_numbers(g.finish(g.e(core.Cast(y, dtype=DType.F32))), PASSES)
    wide_casts = [op for op in made.walk() if isinstance(op, core.Cast) and op.dtype is DType.F64]
    assert len(wide_casts) == casts


def test_rounding_comes_before_widening() -> None:
    g = Graph((2, 5))
    y = g.e(core.Neg(g.e(core.Floor(g.e(core.Abs(wide(g, g.xs[0])))))))
    module = run_keeping_numbers(g.finish(g.e(core.Cast(y, dtype=DType.F32))), PASSES)
    assert kinds(module) == ["abs", "floor", "neg"]
