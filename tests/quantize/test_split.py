"""Products as quantization wants them: split where their columns are, with their biases."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize.split import pull_biases, split_products
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import network


def queries(e: CoreBuilder, x: Value) -> Value:
    """Three parts of a product, with a reshape and a bias between."""
    flat = e.reshape(x, [-1, 8])
    y = e.matmul(flat, e.constant(random(8, 12)))
    shape = e.vector([*e.dims(x)[:-1], 12])
    y = e.add(e.reshape(y, shape), e.constant(random(12)))
    a, b, c = e.split(y, (4, 4, 4), 2)
    return e.mul(e.add(a, b), c)


def plain(e: CoreBuilder, x: Value) -> Value:
    a, b = e.split(e.matmul(x, e.constant(random(12, 8)), transpose_b=True), (4, 8), 2)
    return e.concat([b, a], 2)


@pytest.mark.parametrize(("build", "parts"), [(queries, 3), (plain, 2)])
@pytest.mark.parametrize("batch", [2, Dim.symbol("n")])
def test_split(build, parts: int, batch: Size) -> None:  # type: ignore[no-untyped-def]
    module = network((batch, 5, 8), build)
    x = {"x": random(2, 5, 8)}
    want = run_function(module.main, x)["y"]
    biases = pull_biases(module.main)
    eliminate_dead_code(module.main.block)
    assert biases == (parts == 3) and split_products(module.main) == 1
    eliminate_dead_code(module.main.block)
    products = [op for op in module.main.block.ops if isinstance(op, core.MatMul)]
    assert len(products) == parts and not any(isinstance(op, core.Split) for op in module.main.block.ops)
    np.testing.assert_allclose(run_function(module.main, x)["y"], want, rtol=1e-5, atol=1e-5)


def test_a_product_that_others_read_stays() -> None:
    def build(e: CoreBuilder, x: Value) -> Value:
        y = e.matmul(x, e.constant(random(8, 8)))
        return e.add(e.concat(list(e.split(y, (4, 4), 2)), 2), y)

    assert split_products(network((2, 5, 8), build).main) == 0
