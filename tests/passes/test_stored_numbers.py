"""Scales and zero points that are spelled out are looked for without walking through the network each time."""

from __future__ import annotations

import pytest

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.rewrite import fold
from tests.support.graphs import Graph, run_keeping_numbers


def steps(blocks: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many values are looked at for a network of blocks that are centred and scaled."""
    looked: list[Value] = []
    monkeypatch.setattr(fold, "const_of", lambda v: looked.append(v) or const_of(v))
    g = Graph((2, 8))
    x, scale = g.xs[0], g.noise(8)
    for _ in range(blocks):
        centred = g.e(core.Sub(x, g.e(core.ReduceMean(x, axes=(1,), keepdims=True))))
        x = g.e(core.Exp(g.e(core.Mul(centred, scale))))
    run_keeping_numbers(g.finish(x), "canonicalize")
    return len(looked)


def test_twice_as_deep_takes_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps(80, monkeypatch) <= 2.5 * max(40, steps(40, monkeypatch))
