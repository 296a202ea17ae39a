"""What is the same for all elements of a batch of a size that is known at run time is computed once."""

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
from mlconv.ir.spec import OpDef
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.integers import function_of

Make = Callable[[CoreBuilder, Value, Value], Value]
RNG = np.random.default_rng(3)
ROWS, WIDTH = 6, 8


def constant(e: CoreBuilder, *shape: int) -> Value:
    return e.constant(RNG.normal(size=shape).astype(np.float32))


def norm(e: CoreBuilder, x: Value) -> Value:
    apart = e.sub(x, e.mean(x, (2,), keepdims=True))
    return e.div(apart, e.sqrt(e.add(e.mean(e.mul(apart, apart), (2,), keepdims=True), 1e-5)))


def attention(e: CoreBuilder, q: Value, k: Value) -> Value:
    """Queries that are learned beside keys of the batch."""
    q = e.matmul(norm(e, q), constant(e, WIDTH, WIDTH))
    q = e.transpose(e.reshape(q, [e.dim(q, 0), ROWS, 2, WIDTH // 2]), (0, 2, 1, 3))
    k = e.transpose(e.reshape(k, [e.dim(k, 0), ROWS, 2, WIDTH // 2]), (0, 2, 1, 3))
    return e.matmul(e.y(core.Softmax(e.matmul(q, k, transpose_b=True), axis=3)), k)


def among_themselves(e: CoreBuilder, q: Value, k: Value) -> Value:
    """The first layer of a decoder whose input are queries alone."""
    y = e.matmul(e.y(core.Softmax(e.matmul(q, e.add(q, 1.0), transpose_b=True), axis=2)), q)
    return e.add(e.concat([y, q], 1), e.concat([k, k], 1))


def as_rows(e: CoreBuilder, q: Value, k: Value) -> Value:
    rows = e.matmul(e.reshape(q, [e.dim(q, 0), ROWS * WIDTH]), constant(e, ROWS * WIDTH, WIDTH))
    return e.add(e.expand_dims(rows, 1), k)


def summed_over(e: CoreBuilder, q: Value, k: Value) -> Value:
    """The batch is what is summed over, or moved: nothing is the same for all elements of the first axis."""
    turned = e.transpose(q, (1, 0, 2))
    return e.add(e.add(k, e.sum(e.exp(q), (0,))), e.sum(e.exp(turned), (1,)))


def built(make: Make, repeat: str) -> Any:
    batch = Dim.symbol("b")

    def last(builder: Any, values: list[Value]) -> OpDef:
        e, (k,) = CoreBuilder(builder), values
        table = constant(e, 1, ROWS, WIDTH)
        sizes = e.vector([e.dim(k, 0), 1, 1] if repeat == "tile" else [e.dim(k, 0), ROWS, WIDTH])
        sizes = e.cast(sizes, DType.I32 if repeat == "int32" else DType.I64)
        q = e.y(core.Tile(table, sizes) if repeat == "tile" else core.BroadcastTo(table, sizes))
        return core.Add(make(e, q, k), e.constant(np.float32(0)))

    return function_of([(DType.F32, (batch, ROWS, WIDTH))], last)


@pytest.mark.parametrize("repeat", ["tile", "broadcast", "int32"])
@pytest.mark.parametrize("make", [attention, among_themselves, as_rows, summed_over])
def test_a_batch_that_is_alike(make: Make, repeat: str) -> None:
    module = built(make, repeat)
    arrays = [{"in0": RNG.normal(size=(n, ROWS, WIDTH)).astype(np.float32)} for n in (3, 1)]
    wanted = [next(iter(run_function(module.main, a).values())) for a in arrays]
    before = Counter(op.name for op in walk(module.main.block))
    passes = "canonicalize,fold,canonicalize,cse,dce"
    run_pipeline(module, parse_pipeline(f"{passes},repeat-last,{passes}"))
    verify(module)
    for a, want in zip(arrays, wanted, strict=True):
        np.testing.assert_allclose(*run_function(module.main, a).values(), want, rtol=1e-5, atol=1e-5)
    after = Counter(op.name for op in walk(module.main.block))
    kept = {attention: 2, among_themselves: 0, as_rows: 0}  # products of the batch itself
    if make in kept:
        assert after["core.matmul"] == kept[make] < before["core.matmul"]
    else:
        assert after["core.reduce_sum"] == before["core.reduce_sum"] == 2
