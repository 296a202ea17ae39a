"""Several ops that are one of TFLite's, on LiteRT with XNNPACK and with its reference kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
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


@pytest.mark.parametrize("dtype", [*COPIED, "int64", "bool"])
@pytest.mark.parametrize("begin", [0, 1, -1])
def test_one_element_of_an_axis(dtype: str, begin: int) -> None:
    """Of the last axis, of one of open size, and of two at once."""

    def make(b: Any, x: Value) -> Any:
        def picked(axes: tuple[int, ...]) -> Value:
            ends = const(b, [begin + 1 or 2**31 - 1 if a in axes else 9 for a in range(3)], "int32")
            begins, ones = (const(b, v, "int32") for v in ([begin if a in axes else 0 for a in range(3)], [1, 1, 1]))
            y = b.emit(core.Slice(x, begins, ends, ones)).results[0]
            return b.emit(core.Squeeze(y, axes=axes)).results[0]

        return [picked((2,)), picked((0,)), picked((0, 1))]

    row = Row("pick", make, (data(dtype, 3, 2, 4),), shapes=((Dim.symbol("n"), 2, 4),))
    assert "RESHAPE" not in op_names(check(row))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_diagonals(dtype: str) -> None:
    def make(b: Any, x: Value, y: Value) -> Any:
        places = const(b, np.tile(np.arange(4)[:, None], 4), "int32")
        spread = b.emit(core.Gather(x, places, axis=1)).results[0]
        mask = const(b, np.eye(4, dtype=bool), "bool")
        return [b.emit(core.Select(mask, spread, other)).results[0] for other in (const(b, 0, dtype), y)]

    names = op_names(check(Row("diagonals", make, (data(dtype, 3, 4), data(dtype, 3, 4, 4)))))
    assert names == ["MATRIX_DIAG", "MATRIX_SET_DIAG"]


def test_buckets() -> None:
    def make(b: Any, x: Value) -> Any:
        column = b.emit(core.ExpandDims(x, axes=(2,))).results[0]
        below = b.emit(core.Less(column, const(b, [-1.0, 0.0, 0.0, 2.5], "float32"))).results[0]
        above = b.emit(core.Cast(b.emit(core.LogicalNot(below)).results[0], dtype=DType.I32)).results[0]
        return b.emit(core.ReduceSum(above, axes=(2,))).results

    x = np.asarray([[-1, 0, -0.0, 2.5], [np.nan, np.inf, -np.inf, 1]], np.float32)
    assert op_names(check(Row("buckets", make, (x,)))) == ["BUCKETIZE"]


@pytest.mark.parametrize("shapes", [None, ((Dim.symbol("n"), 1, Dim.symbol("m"), 4),)], ids=["known", "open"])
@pytest.mark.parametrize(
    ("reduce", "name"), [(core.ReduceMax, "REDUCE_MAX"), (core.ReduceMean, "MEAN"), (core.ReduceSum, "SUM")]
)
def test_signals_are_combined_with_the_axis_that_they_lose(reduce: Any, name: str, shapes: Any) -> None:
    def make(b: Any, x: Value) -> Any:
        return b.emit(reduce(b.emit(core.Squeeze(x, axes=(1,))).results[0], axes=(1,))).results

    assert op_names(check(Row(name, make, (data("float32", 3, 1, 5, 4),), shapes=shapes))) == [name]


@pytest.mark.parametrize("shapes", [None, ((Dim.symbol("n"), 5, Dim.symbol("m"), 4),)], ids=["known", "open"])
@pytest.mark.parametrize(
    ("reduce", "name"), [(core.ReduceMax, "REDUCE_MAX"), (core.ReduceMean, "MEAN"), (core.ReduceSum, "SUM")]
)
def test_what_is_pooled_is_flat(reduce: Any, name: str, shapes: Any) -> None:
    """A classifier's head: a global pool that keeps its axes, a flatten, a dense layer."""

    def make(b: Any, x: Value) -> Any:
        pooled = b.emit(reduce(x, axes=(1, 2), keepdims=True)).results[0]
        flat = b.emit(core.Reshape(pooled, const(b, [-1, 4]))).results[0]
        return b.emit(core.MatMul(flat, const(b, data("float32", 4, 7), "float32"))).results

    names = op_names(check(Row(name, make, (data("float32", 3, 5, 6, 4),), shapes=shapes)))
    assert names == [name, "FULLY_CONNECTED"]


@pytest.mark.parametrize("shapes", [None, ((Dim.symbol("n"), 5, 4),)], ids=["known", "open"])
def test_rows_of_several_axes_are_one_product(shapes: Any) -> None:
    """As FULLY_CONNECTED merges them; where others read them they are merged for these."""

    def make(b: Any, x: Value) -> Any:
        flat = b.emit(core.Reshape(b.emit(core.Tanh(x)).results[0], const(b, [-1, 4]))).results[0]
        return b.emit(core.MatMul(flat, const(b, data("float32", 4, 7), "float32"))).results

    assert op_names(check(Row("rows", make, (data("float32", 3, 5, 4),), shapes=shapes))) == ["TANH", "FULLY_CONNECTED"]


@pytest.mark.parametrize(("factor", "count"), [(0.25, 1), (1e-20, 2)], ids=["once", "lost"])
def test_queries_and_keys_are_scaled_once(factor: float, count: int) -> None:
    def make(b: Any, q: Value, k: Value) -> Any:
        scaled = [b.emit(core.Mul(v, const(b, factor, "float32"))).results[0] for v in (q, k)]
        return b.emit(core.MatMul(*scaled, transpose_b=True)).results

    row = Row("scaled", make, (data("float32", 2, 3, 5, 4), data("float32", 2, 3, 6, 4, seed=1)))
    assert op_names(check(row)) == ["MUL"] * count + ["BATCH_MATMUL"]


def test_rows_that_are_written_at_run_time() -> None:
    """The last one of several to a place stays, and what is no number goes nowhere else."""

    def make(b: Any, x: Value, at: Value, rows: Value) -> Any:
        return b.emit(core.ScatterNd(x, at, rows, from_start=True)).results

    x, rows = data("float32", 5, 3), data("float32", 4, 3, seed=1)
    x[2], rows[0, 1] = np.nan, np.inf
    row = Row("rows", make, (x, np.asarray([[1], [4], [1], [0]], np.int32), rows))
    assert len(op_names(check(row))) == 5


@pytest.mark.parametrize("shape", [(2, 8, 4), (16, 2), (3, 8, 1), (3, 6, 8)], ids=str)
def test_transforms_along_two_axes(shape: tuple[int, ...]) -> None:
    def make(b: Any, x: Value) -> Any:
        return b.emit(core.Rfft(x, axes=(len(shape) - 2, len(shape) - 1))).results

    names = op_names(check(Row("rfft", make, (data("float32", *shape),))))
    assert (names == ["RFFT2D"]) == (shape in ((2, 8, 4), (16, 2)))


def test_mish() -> None:
    """Six ops, of which none overflows, and whose small numbers are those of e^x."""

    def make(b: Any, x: Value) -> Any:
        inner = b.emit(core.Tanh(b.emit(core.Softplus(x)).results[0])).results[0]
        return b.emit(core.Mul(x, inner)).results

    x = np.asarray([-80, -60, -20, -5, -1, -1e-6, 0, 1e-6, 1, 5, 20, 44, 60, 88.5, 100, 1e10], np.float32)
    names = op_names(check(Row("mish", make, (x,), tolerance=3e-7)))
    assert names == ["EXP", "ADD", "MUL", "DIV", "ADD", "DIV"]


@pytest.mark.parametrize("padded", [False, True])
def test_soft_suppression_of_detectors(padded: bool) -> None:
    """Boxes with areas are given to the kernel as they are."""

    def make(b: Any, boxes: Value, scores: Value) -> Any:
        numbers = [const(b, v, t) for v, t in ((4, "int32"), (0.5, "float32"), (0.1, "float32"), (0.4, "float32"))]
        return b.emit(core.NonMaxSuppression(boxes, scores, *numbers, padded=padded, plain=True)).results

    corner, size = RNG.random((9, 2)) * 0.5, RNG.random((9, 2)) * 0.4 + 0.1
    boxes, scores = np.concatenate([corner, corner + size], 1).astype(np.float32), RNG.random(9).astype(np.float32)
    names = op_names(check(Row("soft", make, (boxes, scores))))
    assert names == ["NON_MAX_SUPPRESSION_V5", *([] if padded else ["RESHAPE", "SLICE", "SLICE"])]


@pytest.mark.parametrize("shape", [(5,), (3, 5)], ids=str)
def test_axes_in_front_are_the_kernels_own(shape: tuple[int, ...]) -> None:
    def make(b: Any, x: Value, y: Value) -> Any:
        return b.emit(core.Sub(b.emit(core.ExpandDims(y, axes=(0,))).results[0], x)).results

    assert op_names(
        check(Row("lead", make, (data("float32", *(2, 3, 5)[2 - len(shape) :]), data("float32", *shape))))
    ) == ["SUB"]
