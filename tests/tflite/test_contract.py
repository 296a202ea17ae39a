"""Several ops that are one of TFLite's, on LiteRT with XNNPACK and with its reference kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.core import Value
from tests.support.litert import Row, check, data, op_names
from tests.support.modules import const

COPIED = ["float32", "int8", "uint8", "int16", "int32"]
RNG = np.random.default_rng(3)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", [*COPIED, "int64"])
def test_pack(dtype: str, axis: int) -> None:
    def make(b: Any, *given: Value) -> Any:
        parts = [b.emit(core.ExpandDims(x, axes=(axis,))).results[0] for x in given]
        return b.emit(core.Concat(parts, axis=axis)).results

    row = Row("pack", make, tuple(data(dtype, 3, 4) for _ in range(3)))
    assert op_names(check(row)) == ["PACK"]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", COPIED)
@pytest.mark.parametrize("used", [(0, 1, 2), (1,)])
def test_unpack(dtype: str, axis: int, used: tuple[int, ...]) -> None:
    def make(b: Any, x: Value) -> Any:
        parts = b.emit(core.Split(x, sizes=(1, 1, 1), axis=axis)).results
        return [b.emit(core.Squeeze(parts[i], axes=(axis,))).results[0] for i in used]

    row = Row("unpack", make, (data(dtype, 3, 3, 3),))
    assert op_names(check(row)) == ["UNPACK"]


@pytest.mark.parametrize("shapes", [((2, 3, 4), (2, 3, 4)), ((2, 3, 4), (4,)), ((3, 1), (1, 4)), ((5,), ())], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_squared_difference(dtype: str, shapes: Any) -> None:
    def make(b: Any, x: Value, y: Value) -> Any:
        d = b.emit(core.Sub(x, y)).results[0]
        return b.emit(core.Mul(d, d)).results

    row = Row("squared difference", make, tuple(data(dtype, *shape) for shape in shapes))
    assert op_names(check(row)) == ["SQUARED_DIFFERENCE"]


@pytest.mark.parametrize("slopes", [(4,), (3, 4), (1, 3, 1), (1, 1, 4), (2, 3, 4)], ids=str)
def test_prelu(slopes: tuple[int, ...]) -> None:
    """Infinity and NaN among what is chosen from."""
    a = RNG.normal(0, 1, slopes).astype(np.float32)
    x = np.concatenate([data("float32", 2, 3, 3), np.full((2, 3, 1), np.nan, np.float32)], 2)
    x[0, 0, :2] = np.inf, -np.inf

    def make(b: Any, x: Value) -> Any:
        below = b.emit(core.Less(x, const(b, 0, "float32"))).results[0]
        return b.emit(core.Select(below, b.emit(core.Mul(x, const(b, a, "float32"))).results[0], x)).results

    row = Row("prelu", make, (x,))
    assert op_names(check(row)) == ["PRELU"]
