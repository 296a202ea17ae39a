"""Products on merged batch axes are done with the axes apart, with the same numbers and fewer ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import Value, walk
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.integers import function_of

Make = Callable[[CoreBuilder, list[Value]], Value]
RNG = np.random.default_rng(5)
HEADS, ROWS, WIDTH = 3, 5, 4
BATCHES: list[Any] = [2, Dim.symbol("b")]


def merged(e: CoreBuilder, x: Value) -> Value:
    return e.reshape(x, [-1, *e.dims(x)[2:]])


def split(e: CoreBuilder, x: Value, like: Value) -> Value:
    return e.reshape(x, [*e.dims(like)[:2], *e.dims(x)[1:]])


def turned_keys(e: CoreBuilder, v: list[Value]) -> Value:
    return split(e, e.transpose(merged(e, v[0]), (0, 2, 1)), v[0])


def attention(e: CoreBuilder, v: list[Value]) -> Value:
    q, k = (merged(e, x) for x in v[:2])
    scores = e.div(e.matmul(q, k, transpose_b=True), 2.0)
    weights = e.y(core.Softmax(e.add(scores, e.constant(np.eye(ROWS, dtype=np.float32))), axis=2))
    return split(e, e.matmul(weights, merged(e, v[1])), v[0])


def masked_between(e: CoreBuilder, v: list[Value]) -> Value:
    """Split, masked by batch and merged again."""
    scores = e.matmul(merged(e, v[0]), merged(e, v[1]), transpose_b=True)
    apart = e.add(split(e, scores, v[0]), 1.0)
    return split(e, e.matmul(merged(e, apart), merged(e, v[1])), v[0])


def distances(e: CoreBuilder, v: list[Value]) -> Value:
    """Products with a table that is repeated, elements picked at places that all rows share."""
    x = merged(e, v[0])
    table = e.constant(RNG.normal(size=(HEADS, WIDTH, 7)).astype(np.float32))
    repeats = e.vector([e.dim(v[0], 0), 1, 1])
    scores = e.matmul(x, e.y(core.Tile(table, repeats)))
    places = e.constant(RNG.integers(0, 7, (ROWS, ROWS)))
    picked = e.y(core.GatherElements(scores, e.broadcast_to(places, [e.dim(x, 0), ROWS, ROWS]), axis=2))
    both = e.add(e.transpose(picked, (0, 2, 1)), e.matmul(x, merged(e, v[1]), transpose_b=True))
    return split(e, e.concat([both, picked], 2), v[0])


def of_unit_axis(e: CoreBuilder, v: list[Value]) -> Value:
    """An axis of size 1 that goes and comes again, as convolutions along time have it."""
    x = e.squeeze(e.slice_axis(v[0], 1, 0, 1), 1)
    mean = e.mean(x, (2,), keepdims=True)
    y = e.pad(e.mul(e.sub(x, mean), 0.5), [(0, 0), (2, 0), (0, 0)])
    return e.expand_dims(e.sub(y, e.max(y, (1,), keepdims=True)), 1)


def read_within(e: CoreBuilder, v: list[Value]) -> Value:
    """A sum over the merged axis reads what lies between the reshapes."""
    x = merged(e, v[0])
    scores = e.matmul(x, merged(e, v[1]), transpose_b=True)
    total = e.sum(scores, (0,))
    return e.add(split(e, scores, v[0]), total)


def shapes_within(e: CoreBuilder, v: list[Value]) -> Value:
    scores = e.matmul(merged(e, v[0]), merged(e, v[1]), transpose_b=True)
    sizes = e.cast(e.y(core.ShapeOf(scores)), DType.F32)
    return e.add(split(e, scores, v[0]), e.sum(sizes, (0,)))


def kept(e: CoreBuilder, v: list[Value]) -> Value:
    """Nothing splits the axes again: the sums are over all of them."""
    return e.sum(e.y(core.Softmax(merged(e, v[0]), axis=2)), (0,))


def module_of(make: Make, batch: Any) -> Module:
    def last(builder: Any, values: list[Value]) -> OpDef:
        return core.Add(make(e := CoreBuilder(builder), values), e.constant(np.float32(0)))

    return function_of([(DType.F32, (batch, HEADS, ROWS, WIDTH))] * 2, last)


def counted(module: Module) -> Counter[str]:
    return Counter(op.name.removeprefix("core.") for op in walk(module.main.block))


def lifted(make: Make, batch: Any) -> tuple[Counter[str], Counter[str]]:
    """Ops before and after; numbers stay."""
    module = module_of(make, batch)
    run_pipeline(module, parse_pipeline("canonicalize,cse,dce"))
    verify(module)
    arrays = {f"in{i}": RNG.normal(size=(2, HEADS, ROWS, WIDTH)).astype(np.float32) for i in range(2)}
    (want,), before = run_function(module.main, arrays).values(), counted(module)
    run_pipeline(module, parse_pipeline("keep-batch-axes,canonicalize,cse,dce"))
    verify(module)
    (got,) = run_function(module.main, arrays).values()
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
    return before, counted(module)


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("make", [turned_keys, attention, masked_between, distances, of_unit_axis])
def test_axes_stay_apart(make: Make, batch: Any) -> None:
    before, after = counted(module_of(make, batch)), lifted(make, batch)[1]  # some stay apart without the pass
    moved = [c["reshape"] + c["squeeze"] + c["expand_dims"] for c in (before, after)]
    assert moved[0] - moved[1] >= 2 and not after["tile"]


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("make", [read_within, shapes_within])
def test_what_reads_within_has_the_axes_merged(make: Make, batch: Any) -> None:
    before, after = lifted(make, batch)
    assert after["reshape"] < before["reshape"]


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_products_without_a_split_stay(batch: Any) -> None:
    before, after = lifted(kept, batch)
    assert before == after


@pytest.mark.parametrize("transpose_a", [False, True])
def test_rows_that_are_summed_over_are_no_batch(transpose_a: bool) -> None:
    """As many rows as columns: of a product of rank 2 the merged axis is what is summed over."""

    def make(builder: Any, values: list[Value]) -> OpDef:
        e = CoreBuilder(builder)
        rows = e.reshape(values[0], [4, 4])
        y = e.matmul(e.mul(rows, 0.5), e.add(rows, 1.0), transpose_a=transpose_a)
        return core.Add(e.reshape(y, [2, 2, 4]), values[0])

    module = function_of([(DType.F32, (2, 2, 4))], make)
    arrays = {"in0": RNG.normal(size=(2, 2, 4)).astype(np.float32)}
    (want,) = run_function(module.main, arrays).values()
    run_pipeline(module, parse_pipeline("keep-batch-axes,canonicalize,cse,dce"))
    verify(module)
    np.testing.assert_allclose(*run_function(module.main, arrays).values(), want, rtol=1e-6)


def test_many_regions_take_little_time() -> None:
    """Regions of their own, each with other axes."""

    def make(e: CoreBuilder, v: list[Value]) -> Value:
        x = v[0]
        for _ in range(300):
            x = e.add(turned_keys(e, [turned_keys(e, [x])]), 1.0)
        return x

    module = module_of(make, 2)
    run_pipeline(module, parse_pipeline("keep-batch-axes,canonicalize,cse,dce"))
    assert counted(module)["reshape"] == 0 and counted(module)["add"] >= 300
