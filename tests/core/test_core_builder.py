"""The words of `CoreBuilder` mean what they mean in numpy, at sizes that are known at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import module_of_types

N = Dim.symbol("N")
X = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
# name: what is emitted of x [N, 3, 2], the same in numpy
WORDS: dict[str, tuple[Callable[[CoreBuilder, Value], Value], Callable[[Any], Any]]] = {
    "full_like": (lambda b, x: b.full_like(x, 7), lambda x: np.full_like(x, 7)),
    "where": (lambda b, x: b.where(b.less(x, 5), x, -1), lambda x: np.where(x < 5, x, -1)),
    "reshape": (lambda b, x: b.reshape(x, [6, b.dim(x, 0)]), lambda x: x.reshape(6, -1)),
    "reshape to a product": (lambda b, x: b.reshape(x, [b.prod([b.dim(x, 0), 3]), 2]), lambda x: x.reshape(-1, 2)),
    "broadcast_to": (
        lambda b, x: b.broadcast_to(b.constant([1.0, 2.0], DType.F32), b.dims(x)),
        lambda x: np.broadcast_to([1.0, 2.0], x.shape),
    ),
    "expand_dims": (lambda b, x: b.expand_dims(x, 2, 0), lambda x: np.expand_dims(x, (0, 2))),
    "transpose": (lambda b, x: b.transpose(x, [2, 0, 1]), lambda x: x.transpose(2, 0, 1)),
    "slice": (lambda b, x: b.slice(x, {0: (1, b.dim(x, 0), 2), -1: (None, -1, 1)}), lambda x: x[1::2, :, :-1]),
    "concat": (lambda b, x: b.concat([x, b.slice_axis(x, 1, 2, None)], 1), lambda x: np.concatenate([x, x[:, 2:]], 1)),
    "gather": (lambda b, x: b.gather(x, [2, 0], 1), lambda x: np.take(x, [2, 0], 1)),
    "pad": (
        lambda b, x: b.pad(x, [(b.dim(x, 1), 0), (0, 1), (0, 0)], 9),
        lambda x: np.pad(x, [(3, 0), (0, 1), (0, 0)], constant_values=9),
    ),
    "arange": (lambda b, x: b.cast(b.arange(b.dim(x, 0)), DType.F32), lambda x: np.arange(x.shape[0])),
    "sum": (lambda b, x: b.sum(x, [1], keepdims=True), lambda x: x.sum(1, keepdims=True)),
    "scalar": (lambda b, x: b.scalar(b.sum(x, [0, 1, 2], keepdims=True)), lambda x: x.sum()),
}


@pytest.mark.parametrize("word", WORDS)
def test_words_are_numpys(word: str) -> None:
    emit, meaning = WORDS[word]
    m = module_of_types(lambda b, x: emit(CoreBuilder(b), x), [TensorType(DType.F32, (N, 3, 2))])
    for x in (X, X[:1], X[:3]):
        got = run_function(m.main, {"in0": x})["out0"]
        wanted = np.asarray(meaning(x))
        assert got.shape == wanted.shape
        np.testing.assert_array_equal(got, wanted)


def test_what_does_nothing_emits_nothing() -> None:
    def make(b: Builder, x: Value) -> Value:
        c = CoreBuilder(b)
        assert c.cast(x, DType.F32) is x and c.transpose(x, [0, 1, 2]) is x and c.concat([x], 0) is x
        assert c.pad(x, [(0, 0)] * 3) is x and c.expand_dims(x) is x and c.squeeze(x) is x
        return x

    m = module_of_types(make, [TensorType(DType.F32, (N, 3, 2))])
    assert m.main.block.size == 1


@pytest.mark.parametrize(
    ("emit", "code"),
    [
        (lambda b, x: b.vector([1 << 63]), Code.TensorTooLarge),
        (lambda b, x: b.axis(3, 3), Code.ShapeMismatch),
        (lambda b, x: b.dim(x, 3), Code.ShapeMismatch),
        (lambda b, x: b.dims_of(x, 2), Code.ShapeMismatch),
    ],
)
def test_what_cannot_be_is_refused(emit: Callable[[CoreBuilder, Value], Any], code: Code) -> None:
    def make(b: Builder, x: Value) -> Value:
        with pytest.raises(ConversionError) as e:
            emit(CoreBuilder(b), x)
        assert e.value.code is code
        return x

    module_of_types(make, [TensorType(DType.F32, (N, 3, 2))])
