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
from tests.support.networks import Build, conv, network


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


def heads(e: CoreBuilder, x: Value) -> Value:
    """[rows, 3, heads, size] of [rows, columns], the parts in front."""
    y = e.matmul(x, e.constant(random(8, 24)))
    y = e.transpose(e.reshape(y, [2, 5, 3, 2, 4]), (2, 0, 3, 1, 4))
    a, b = e.split(y, (1, 2), 0)
    return e.mul(a, e.sum(b, (0,), keepdims=True))


def columns_first(e: CoreBuilder, x: Value) -> Value:
    y = e.transpose(e.add(e.matmul(x, e.constant(random(8, 24))), e.constant(random(24))), (0, 2, 1))
    a, b, c = e.split(e.reshape(y, [2, 3, 2, 4, 5]), (1, 1, 1), 1)
    return e.mul(e.add(a, b), c)


def filters(e: CoreBuilder, x: Value) -> Value:
    y = conv(e, e.reshape(x, [1, 2, 5, 8]), 12)
    a, b, c = e.split(e.reshape(e.transpose(y, (0, 3, 1, 2)), [3, 1, 2, 2, 10]), (1, 1, 1), 0)
    return e.mul(e.add(a, b), c)


def divided(e: CoreBuilder, x: Value) -> Value:
    """Heads of all parts behind one another, as `divide_before_split` leaves them, at any sizes."""
    y = e.matmul(x, e.constant(random(8, 24)))
    rows, places, _ = e.dims(x)
    y = e.transpose(e.reshape(y, [rows, places, 6, 4]), (0, 2, 1, 3))
    a, b, c = e.split(y, (2, 2, 2), 1)
    return e.mul(e.add(a, b), c)


def joined_rows(e: CoreBuilder, x: Value) -> Value:
    """The same where a product has rows of all, and columns go in front."""
    y = e.add(e.matmul(e.reshape(x, [-1, 8]), e.constant(random(8, 24))), e.constant(random(24)))
    rows, places, _ = e.dims(x)
    y = e.transpose(e.reshape(y, [rows, places, 24]), (0, 2, 1))
    a, b, c = e.split(e.reshape(y, [rows, 6, 4, places]), (2, 2, 2), 1)
    return e.mul(e.add(a, b), c)


@pytest.mark.parametrize(("build", "parts"), [(heads, 2), (columns_first, 3), (filters, 3), (divided, 3)])
def test_split_behind_moves(build: Build, parts: int) -> None:
    check_apart(build, parts, (2, 5, 8))


N, T = Dim.symbol("n"), Dim.symbol("t")


@pytest.mark.parametrize("shape", [(N, 5, 8), (N, T, 8)])
@pytest.mark.parametrize("build", [divided, joined_rows])
def test_split_behind_moves_of_open_size(build: Build, shape: tuple[Size, ...]) -> None:
    check_apart(build, 3, shape)


def check_apart(build: Build, parts: int, shape: tuple[Size, ...]) -> None:
    module = network(shape, build)
    x = {"x": random(2, 5, 8)}
    want = run_function(module.main, x)["y"]
    assert split_products(module.main) == 1
    eliminate_dead_code(module.main.block)
    products = [op for op in module.main.block.ops if isinstance(op, (core.Conv, core.MatMul))]
    assert len(products) == parts and not any(isinstance(op, core.Split) for op in module.main.block.ops)
    np.testing.assert_allclose(run_function(module.main, x)["y"], want, rtol=1e-5, atol=1e-5)


def test_parts_across_columns_stay() -> None:
    """Each part has some numbers of each head."""

    def build(e: CoreBuilder, x: Value) -> Value:
        y = e.reshape(e.matmul(x, e.constant(random(8, 24))), [2, 5, 2, 3, 4])
        a, b, c = e.split(y, (1, 1, 1), 3)
        return e.mul(e.add(a, b), c)

    assert split_products(network((2, 5, 8), build).main) == 0


def test_a_product_that_others_read_stays() -> None:
    def build(e: CoreBuilder, x: Value) -> Value:
        y = e.matmul(x, e.constant(random(8, 8)))
        return e.add(e.concat(list(e.split(y, (4, 4), 2)), 2), y)

    assert split_products(network((2, 5, 8), build).main) == 0
