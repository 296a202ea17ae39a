"""Ends between which numbers lie: of random expressions, all that is computed lies between them."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts
from mlconv.rewrite.value_ranges import ANYTHING, ValueRanges, sizes_between
from tests.support.graphs import Graph

UNARY = (core.Neg, core.Abs, core.Floor, core.Ceil, core.Round, core.Sigmoid, core.Tanh)
BINARY = (core.Add, core.Sub, core.Mul, core.Div, core.Maximum, core.Minimum)
REDUCED = (core.ReduceMax, core.ReduceMin, core.ReduceMean)


def expression(g: Graph) -> Value:
    """Of an input that is held between two numbers, and constants: elementwise ops, joined and taken apart again."""
    rng = g.rng
    values = [g.e(core.Clamp(g.xs[0], lo=float(-rng.integers(0, 40)), hi=float(rng.integers(1, 40))))]
    for _ in range(12):
        a, b = values[rng.integers(len(values))], values[rng.integers(len(values))]
        kind = rng.integers(5)
        if kind == 0:
            made = g.e(UNARY[rng.integers(len(UNARY))](a))
        elif kind == 1:
            made = g.e(core.Gather(g.e(core.Concat([a, b], axis=0)), g.const(rng.integers(-8, 8, 4)), axis=0))
        elif kind == 2:
            rows = [g.e(core.ExpandDims(v, axes=(0,))) for v in (a, b)]
            made = g.e(REDUCED[rng.integers(3)](g.e(core.Concat(rows, axis=0)), axes=(0,)))
        else:
            other = g.const(rng.normal(0, 3, 4).astype(np.float32)) if kind == 3 else b
            made = g.e(BINARY[rng.integers(len(BINARY))](a, other))
        values.append(made)
    return values[-1]


@pytest.mark.parametrize("seed", range(40))
def test_numbers_lie_between_the_ends(seed: int) -> None:
    g = Graph((4,), seed=seed)
    y = expression(g)
    low, high = ValueRanges(SizeFacts()).of(y)
    assert isinstance(low, (int, float)) and isinstance(high, (int, float))
    function = g.finish(y).main
    for x in np.random.default_rng(seed).normal(0, 30, (20, 4)).astype(np.float32):
        with np.errstate(all="ignore"):
            got = run_function(function, {"x0": x})["y0"]
        got = got[~np.isnan(got)]
        assert (got >= low).all() and (got <= high).all()


def test_sizes_are_told_by_what_holds_numbers() -> None:
    g = Graph((4,))
    halves = g.e(core.Mul(g.e(core.Clamp(g.xs[0], lo=0.0, hi=9.0)), g.const(np.float32(0.5))))
    assert sizes_between(g.e(core.Cast(halves, dtype=DType.I64)), SizeFacts()) == (0, 4)
    below = g.e(core.Sub(halves, g.const(np.float32(1))))
    assert sizes_between(g.e(core.Cast(g.e(core.Floor(below)), dtype=DType.I64)), SizeFacts()) is None
    assert sizes_between(g.e(core.Cast(g.xs[0], dtype=DType.I64)), SizeFacts()) is None
    assert ValueRanges(SizeFacts()).of(g.xs[0]) == ANYTHING


def test_the_largest_float_is_no_limit_of_a_size() -> None:
    """Clip, whose other end is left open, comes with the largest float there is."""
    g = Graph((Dim.symbol("h"), 3))
    sides = g.e(core.Cast(g.e(core.ShapeOf(g.xs[0], dtype=DType.I64)), dtype=DType.F32))
    h = g.e(core.Gather(sides, g.const(np.asarray(0, np.int64))))
    largest = g.const(np.finfo(np.float32).max)
    plain = sizes_between(g.e(core.Cast(h, dtype=DType.I64)), SizeFacts())
    least = g.const(np.finfo(np.float32).min)
    for kept in (g.e(core.Minimum(h, largest)), g.e(core.Maximum(h, least))):
        assert plain is not None and sizes_between(g.e(core.Cast(kept, dtype=DType.I64)), SizeFacts()) == plain
    assert sizes_between(g.e(core.Cast(g.e(core.Maximum(h, largest)), dtype=DType.I64)), SizeFacts()) is None


def test_integers_that_wrap_around_have_no_ends() -> None:
    g = Graph((4,), dtype=DType.I32)
    place = g.e(core.ArgMax(g.xs[0], axis=0, dtype=DType.I32))
    assert sizes_between(place, SizeFacts()) == (0, 3)
    large = g.const(np.asarray(2**30, np.int32))
    assert sizes_between(g.e(core.Mul(place, large)), SizeFacts()) is None


def test_a_side_that_is_scaled_to_a_limit_is_no_longer() -> None:
    """h * min(a / min(h, w), b / max(h, w)) is at most b: h is no more than max(h, w)."""
    g = Graph((Dim.symbol("h"), Dim.symbol("w")))
    sides = g.e(core.ShapeOf(g.xs[0], dtype=DType.I64))
    h = g.e(core.Cast(g.e(core.Gather(sides, g.const(np.asarray(0, np.int64)))), dtype=DType.F32))
    least, most = (
        g.e(core.Cast(g.e(kind(sides, axes=(0,))), dtype=DType.F32)) for kind in (core.ReduceMin, core.ReduceMax)
    )
    short, long = (g.e(core.Div(g.const(np.float32(n)), v)) for n, v in ((96, least), (160, most)))
    scaled = g.e(core.Floor(g.e(core.Mul(h, g.e(core.Minimum(short, long))))))
    assert sizes_between(g.e(core.Cast(scaled, dtype=DType.I64)), SizeFacts()) == (0, 160)
    other = g.e(core.Floor(g.e(core.Mul(h, short))))
    assert sizes_between(g.e(core.Cast(other, dtype=DType.I64)), SizeFacts()) is None
