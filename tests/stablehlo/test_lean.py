"""Functions of jax come out as the ops that they are, not as what jax writes them out to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import mlconv
from tests.support.litert import run_litert

X = np.random.default_rng(0).standard_normal((2, 6, 6, 8)).astype(np.float32)
Made = Callable[[Any], Any]


def _last_of_equals(x: Any) -> Any:
    def pick(a: Any, b: Any) -> Any:
        takes = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] > b[1]))
        return lax.select(takes, a[0], b[0]), lax.select(takes, a[1], b[1])

    places = lax.broadcasted_iota(jnp.int32, x.shape, 3)
    return lax.reduce((jnp.round(x), places), (np.float32(-np.inf), np.int32(0)), pick, [3])[1]


def _normalized(x: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt((x * x).mean(-1, keepdims=True) - mean * mean + 1e-5)


def _averages(x: Any) -> Any:
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 2, 1), (1, 1, 2, 1), "VALID") / 6.0


def _stretched(x: Any) -> Any:
    w = np.random.default_rng(1).standard_normal((3, 3, 8, 4)).astype(np.float32)
    return lax.conv_transpose(x, w, (2, 2), "SAME", transpose_kernel=False)


ROWS: dict[str, tuple[Made, list[str]]] = {
    "largest": (lambda x: jnp.argmax(jnp.round(x), -1), ["ROUND", "ARG_MAX"]),
    "smallest": (lambda x: jnp.argmin(x, 1), ["ARG_MIN"]),
    "softmax": (lambda x: jax.nn.softmax(x, -1), ["SOFTMAX"]),
    "logarithm of softmax": (lambda x: jax.nn.log_softmax(x, -1), ["LOG_SOFTMAX"]),
    "sigmoid": (lambda x: 1 / (1 + jnp.exp(-x)), ["LOGISTIC"]),
    "normalized": (_normalized, ["MEAN", "SUB", "MUL", "MEAN", "MUL", "SUB", "ADD", "SQRT", "DIV", "MUL"]),
    "averages": (_averages, ["AVERAGE_POOL_2D"]),
    "stretched": (_stretched, ["TRANSPOSE_CONV"]),
}


@pytest.mark.parametrize("name", [*ROWS, "last of equals"])
def test_numbers_and_ops(name: str, tmp_path: Path) -> None:
    function, ops = ROWS.get(name, (_last_of_equals, []))
    (tmp_path / "f.mlir").write_text(jax.jit(function).lower(X).as_text())
    mlconv.convert(tmp_path / "f.mlir", "tflite", tmp_path / "f.tflite")
    (found,) = run_litert((tmp_path / "f.tflite").read_bytes(), [X])
    np.testing.assert_allclose(found, function(X), rtol=1e-5, atol=1e-5)
    listed = {name.removeprefix("tfl."): count for name, count in mlconv.inspect(tmp_path / "f.tflite")["ops"].items()}
    assert not ops or listed == Counter(ops)
