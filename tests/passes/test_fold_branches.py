"""Branches that read one value and are added become one convolution; others stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mlconv.dialects import core
from mlconv.ir.core import Value
from tests.support.graphs import Graph, kinds, run_keeping_numbers

LAYOUTS = {"x_layout": "NC01", "w_layout": "OI01", "y_layout": "NC01"}


def conv(g: Graph, x: Value, window: tuple[int, int], at: tuple[int, int], groups: int = 1, **options: Any) -> Value:
    """As large as x where the stride is 1.  at: the place of the window that the result stands at."""
    c, dilations = x.tensor.static_shape()[1], options.get("dilations", (1, 1))
    pads = tuple((a * d, (k - 1 - a) * d) for k, a, d in zip(window, at, dilations, strict=True))
    place = {"strides": (1, 1), "dilations": (1, 1), "pads": pads, "groups": groups, **LAYOUTS, **options}
    bias = g.noise(c) if window[0] > 1 else None
    return g.e(core.Conv(x, g.noise(c, c // groups, *window), bias, **place))


def add(g: Graph, *values: Value) -> Value:
    y = values[0]
    for v in values[1:]:
        y = g.e(core.Add(y, v))
    return y


def sub(g: Graph, a: Value, b: Value) -> Value:
    return g.e(core.Sub(a, b))


def scaled(g: Graph, x: Value) -> Value:
    """Batch normalization."""
    return g.e(core.Add(g.e(core.Mul(x, g.noise(6, 1, 1))), g.noise(1, 6, 1, 1)))


def left(make: Callable[[Graph, Value], Value]) -> list[str]:
    g = Graph((2, 6, 9, 8))
    return kinds(run_keeping_numbers(g.finish(make(g, g.xs[0])), "fold-batch-norm,fold,dce"))


@pytest.mark.parametrize("groups", [1, 6])
@pytest.mark.parametrize(
    "make",
    [
        lambda g, x, n: add(g, conv(g, x, (3, 3), (1, 1), n), conv(g, x, (1, 1), (0, 0), n), scaled(g, x)),
        lambda g, x, n: add(g, scaled(g, x), add(g, conv(g, x, (1, 1), (0, 0), n), conv(g, x, (3, 5), (1, 4), n))),
        lambda g, x, n: add(g, scaled(g, x), conv(g, x, (2, 3), (1, 2), n, dilations=(2, 2))),
        lambda g, x, n: add(g, conv(g, x, (7, 7), (3, 3), n), conv(g, x, (3, 1), (1, 0), n)),
        lambda g, x, n: add(g, *(conv(g, x, (3, 3), (1, 1), n, strides=(2, 2), pads="SAME_UPPER") for _ in range(5))),
        lambda g, x, n: add(g, conv(g, x, (3, 3), (1, 1), n, dilations=(2, 2)), conv(g, x, (1, 1), (0, 0), n)),
        lambda g, x, n: sub(g, scaled(g, x), add(g, conv(g, x, (1, 1), (0, 0), n), conv(g, x, (3, 3), (1, 1), n))),
        lambda g, x, n: sub(g, g.noise(6, 1, 1), sub(g, conv(g, x, (3, 3), (1, 1), n), scaled(g, x))),
    ],
)
def test_one_convolution(make: Callable[[Graph, Value, int], Value], groups: int) -> None:
    assert left(lambda g, x: make(g, x, groups)) == ["conv"]


def test_what_else_is_added_stays() -> None:
    def make(g: Graph, x: Value) -> Value:
        return add(g, conv(g, x, (3, 3), (1, 1)), x, conv(g, x, (1, 1), (0, 0)), g.noise(9, 8))

    assert sorted(left(make)) == ["add", "add", "conv"]


def test_what_else_is_subtracted_stays() -> None:
    def make(g: Graph, x: Value) -> Value:
        return sub(g, sub(g, conv(g, x, (1, 1), (0, 0)), x), sub(g, conv(g, x, (3, 3), (1, 1)), g.e(core.Abs(x))))

    assert sorted(left(make)) == ["abs", "add", "conv", "sub"]


@pytest.mark.parametrize(
    ("make", "convolutions"),
    [
        (lambda g, x: add(g, conv(g, x, (3, 3), (1, 1)), x), 1),  # quantization of a plain residual would be coarser
        (lambda g, x: add(g, conv(g, x, (1, 3), (0, 1)), conv(g, x, (3, 1), (1, 0))), 2),  # would take more products
        (lambda g, x: add(g, conv(g, x, (3, 3), (1, 1), dilations=(2, 2)), conv(g, x, (3, 3), (1, 1))), 2),
        (lambda g, x: add(g, conv(g, x, (3, 3), (1, 1), 6), conv(g, x, (1, 1), (0, 0))), 2),
        (lambda g, x: add(g, y := conv(g, x, (3, 3), (1, 1)), g.e(core.Abs(y)), conv(g, x, (1, 1), (0, 0))), 2),
        (lambda g, x: add(g, conv(g, x, (3, 3), (1, 1)), conv(g, g.e(core.Abs(x)), (1, 1), (0, 0))), 2),
        (lambda g, x: add(g, conv(g, x, (3, 3), (1, 1), 2), scaled(g, x)), 1),
    ],
)
def test_other_branches_stay(make: Callable[[Graph, Value], Value], convolutions: int) -> None:
    found = left(make)
    assert found.count("conv") == convolutions and "add" in found
