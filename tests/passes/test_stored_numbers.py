"""Scales and zero points that are spelled out become those of integers, and are looked for without walking through the
network each time.
"""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
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


def integers(g: Graph, numbers: np.ndarray, element: QuantType) -> Value:
    constant = core.Constant(value=make_const(numbers, element.storage), element=element)
    return g.e(core.Dequantize(g.e(constant)))


@pytest.mark.parametrize("form", ["scales", "signs", "zeros", "axis"])
def test_rows_of_blocks(form: str) -> None:
    """As files for LiteRT have blocks: rows with a scale each, in the type or behind it, under the shape of weights."""
    g, one = Graph((2, 32)), QuantType.of(DType.I4, 1.0)
    stored = g.rng.integers(-8, 8, (24, 16))
    scales = g.rng.uniform(0.1, 0.3, (24, 1)).astype(np.float32)
    if form == "axis":
        w = integers(g, stored, QuantType.of(DType.I4, scales.reshape(-1), axis=0))
    else:
        w = integers(g, stored, one)
        if form == "signs":
            scales *= np.where(np.arange(24) % 3, 1, -1).reshape(24, 1).astype(np.float32)
        if form == "zeros":
            w = g.e(core.Sub(w, integers(g, g.rng.integers(-8, 8, (24, 1)), one)))
        w = g.e(core.Mul(w, g.const(scales)))
    w = g.e(core.Reshape(w, g.ints(12, 32)))
    module = run_keeping_numbers(g.finish(g.e(core.MatMul(g.xs[0], w, transpose_b=True))), "canonicalize,dce")
    (product,) = (op for op in module.walk() if isinstance(op, core.MatMul))
    assert isinstance(product.b.producer, core.Dequantize)
    assert quantized(product.b.producer.x).scheme == Blocked(1, 16)
