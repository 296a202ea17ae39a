"""Rows that are repeated next to one another are gathered; what is repeated in another way stays."""

from __future__ import annotations

from collections import Counter
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

RNG = np.random.default_rng(8)
DEPTH = 3
SHAPES: list[Any] = [(2, 4, 5, DEPTH), (Dim.symbol("b"), 4, Dim.symbol("t"), DEPTH)]


def after(shape: Any, axis: int, times: int, perm: tuple[int, ...], joined: int) -> Counter[str]:
    """Ops behind the pass; numbers stay.  axis: where the new axis of x is repeated; perm: of what that gives; joined:
    the first of two axes that are merged then.
    """

    def make(builder: Any, values: list[Value]) -> OpDef:
        e = CoreBuilder(builder)
        (x,) = values
        y = e.expand_dims(x, axis)
        sizes = [times if i == axis else d for i, d in enumerate(e.dims(y))]
        y = e.transpose(e.broadcast_to(y, sizes), perm)
        parts = e.dims(y)
        merged = int(y.tensor.shape[joined]) * int(y.tensor.shape[joined + 1])  # type: ignore[index, arg-type]
        return core.Add(e.reshape(y, [*parts[:joined], merged, *parts[joined + 2 :]]), e.constant(np.float32(1)))

    module = function_of([(DType.F32, shape)], make)
    arrays = {"in0": RNG.normal(size=(2, 4, 5, DEPTH)).astype(np.float32)}
    (want,) = run_function(module.main, arrays).values()
    run_pipeline(module, parse_pipeline("gather-repeats"))
    verify(module)
    (got,) = run_function(module.main, arrays).values()
    np.testing.assert_array_equal(got, want)
    return Counter(op.name.removeprefix("core.") for op in walk(module.main.block))


STRAIGHT = (0, 1, 2, 3, 4)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("times", [2, 7])
@pytest.mark.parametrize("perm", [STRAIGHT, (0, 1, 2, 4, 3), (0, 3, 1, 2, 4), (1, 2, 4, 3, 0)])
def test_repeated_heads(shape: Any, times: int, perm: tuple[int, ...]) -> None:
    ops = after(shape, 2, times, perm, perm.index(1))
    assert ops["gather"] == 1 and not ops["broadcast_to"] and not ops["reshape"] and not ops["expand_dims"]
    assert ops["transpose"] == (perm != STRAIGHT)


@pytest.mark.parametrize(
    ("axis", "perm", "joined"),
    [
        (1, STRAIGHT, 1),  # copies one behind the other: x, x, not x0, x0
        (2, (0, 2, 1, 3, 4), 1),
        (2, (0, 3, 4, 1, 2), 3),  # what follows is a gather in any case
    ],
)
def test_other_orders(axis: int, perm: tuple[int, ...], joined: int) -> None:
    ops = after((2, 4, 5, DEPTH), axis, 2, perm, joined)
    assert bool(ops["gather"]) == (joined == 3)
