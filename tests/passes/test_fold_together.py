"""Large constants that are computed of others are folded where the model does not grow."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from tests.support.graphs import Graph, kinds, run_keeping_numbers

PIPELINE = "fold{limit=4096},dce"


def standardized(g: Graph, w: Value) -> Value:
    mean = g.e(core.ReduceMean(w, axes=(0,), keepdims=True))
    centred = g.e(core.Sub(w, mean))
    variance = g.e(core.ReduceMean(g.e(core.Mul(centred, centred)), axes=(0,), keepdims=True))
    return g.e(core.Mul(g.e(core.Sub(w, mean)), g.e(core.Rsqrt(variance))))


def test_standardized_weights() -> None:
    g = Graph((3, 128))
    products = [g.e(core.MatMul(g.xs[0], standardized(g, g.noise(128, 64)))) for _ in range(2)]
    assert kinds(run_keeping_numbers(g.finish(*products), PIPELINE)) == ["matmul", "matmul"]


def test_weights_with_a_product_added() -> None:
    g = Graph((3, 128))
    further = g.e(core.MatMul(g.noise(128, 4), g.noise(4, 64)))
    weights = g.e(core.Add(g.noise(128, 64), g.e(core.Mul(further, g.noise(1)))))
    assert kinds(run_keeping_numbers(g.finish(g.e(core.MatMul(g.xs[0], weights))), PIPELINE)) == ["matmul"]


def test_weights_that_others_read_stay() -> None:
    g = Graph((3, 128))
    w = g.noise(128, 64)
    products = [g.e(core.MatMul(g.xs[0], v)) for v in (w, standardized(g, w))]
    assert len(kinds(run_keeping_numbers(g.finish(*products), PIPELINE))) > len(products)


def test_what_grows_stays() -> None:
    """The table of all distances is larger than the points."""
    g = Graph((128, 128))
    a, b = g.noise(128, 1), g.noise(1, 128)
    distances = g.e(core.Abs(g.e(core.Sub(a, b))))
    assert kinds(run_keeping_numbers(g.finish(g.e(core.Add(g.xs[0], distances))), PIPELINE)) == ["sub", "abs", "add"]
