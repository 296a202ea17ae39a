"""What is computed of few numbers that sizes of the run repeat is looked up in one table."""

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
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.integers import function_of

T, M, N = Dim.symbol("t"), Dim.symbol("m"), Dim.symbol("n")
LENGTH = 4  # of a window


def _bands(e: CoreBuilder, windows: Value, axis: int) -> Value:
    """0 in all windows but the last, of which one half is 1 and the other 2, as comparisons tell."""
    size = e.mul(e.scalar(e.slice_axis(e.y(core.ShapeOf(windows)), 0, axis, axis + 1)), LENGTH)
    places = e.arange(size)
    late = [e.cast(e.greater_equal(places, e.sub(size, n)), DType.I64) for n in (LENGTH, LENGTH // 2)]
    return e.add(*late)


def _pieces(e: CoreBuilder, windows: Value, axis: int) -> Value:
    """The same, joined."""
    count = e.slice_axis(e.y(core.ShapeOf(windows)), 0, axis, axis + 1)
    length = e.sub(e.mul(count, LENGTH), LENGTH)
    zeros = e.broadcast_to(e.constant(0, DType.I64), [length])
    return e.concat([zeros, e.constant(np.int64([1, 1, 2, 2]))], 0)


def _masked(e: CoreBuilder, x: Value, rows: Value, columns: Value, *, repeated: bool = False) -> OpDef:
    """Regions in windows, and which elements of a window lie in the same one."""
    region = e.add(e.mul(e.expand_dims(rows, 1), 3), e.expand_dims(columns, 0))
    m, n = (e.slice_axis(e.y(core.ShapeOf(x)), 0, a, a + 1) for a in range(2))
    if repeated:
        t = e.slice_axis(e.y(core.ShapeOf(x)), 0, 2, 3)
        region = e.broadcast_to(e.expand_dims(region, 0), [t, e.mul(m, LENGTH), e.mul(n, LENGTH)])
        windows = e.transpose(e.reshape(region, [t, m, LENGTH, n, LENGTH]), (1, 3, 0, 2, 4))
        flat = e.reshape(windows, [e.mul(m, n), e.mul(t, LENGTH**2)])
    else:
        windows = e.transpose(e.reshape(region, [m, LENGTH, n, LENGTH]), (0, 2, 1, 3))
        flat = e.reshape(windows, [-1, LENGTH**2])
    apart = e.equal(e.expand_dims(flat, 1), e.expand_dims(flat, 2))
    hidden = e.where(apart, e.constant(np.float32(0)), e.constant(np.float32(-100)))
    return core.Exp(e.mul(hidden, e.mean(x, range(3))))


@pytest.mark.parametrize("bands", [_bands, _pieces])
@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("sizes", [(3, 2, 2), (1, 1, 1), (2, 5, 3)])
def test_masks_of_windows(bands: Any, repeated: bool, sizes: tuple[int, ...]) -> None:
    def make(builder: Any, values: list[Any]) -> OpDef:
        e, (x,) = CoreBuilder(builder), values
        return _masked(e, x, bands(e, x, 0), bands(e, x, 1), repeated=repeated)

    module = function_of([(DType.F32, (M, N, T))], make)
    arrays = {"in0": np.full(sizes, 0.01, np.float32)}
    (want,) = run_function(module.main, arrays).values()
    run_pipeline(module, parse_pipeline("simplify-indices,cse,dce"))
    (got,) = run_function(module.main, arrays).values()
    np.testing.assert_array_equal(got, want)
    assert len(np.unique(want)) == 2
    left = Counter(op.name for op in walk(module.main.block))
    assert left["core.equal"] == left["core.select"] == left["core.transpose"] == left["core.greater_equal"] == 0, left
    assert left["core.gather"] == 2 + 2 * repeated, left


@pytest.mark.parametrize(
    ("begin", "shape"),
    [
        (3, [-1, 4]),  # the run of zeros ends within a window
        (4, [4, -1]),  # windows of a length of the run
    ],
)
def test_what_is_cut_elsewhere_stays(begin: int, shape: list[int]) -> None:
    def make(builder: Any, values: list[Any]) -> OpDef:
        e, (x,) = CoreBuilder(builder), values
        zeros = e.broadcast_to(e.constant(np.float32(0)), [e.slice_axis(e.y(core.ShapeOf(x)), 0, 0, 1)])
        row = e.concat([e.constant(np.arange(begin, dtype=np.float32)), zeros], 0)
        return core.Exp(e.transpose(e.reshape(row, shape), (1, 0)))

    module = function_of([(DType.F32, (4 * N - begin,))], make)
    arrays = {"in0": np.zeros(8 - begin, np.float32)}
    (want,) = run_function(module.main, arrays).values()
    run_pipeline(module, parse_pipeline("simplify-indices,cse,dce"))
    (got,) = run_function(module.main, arrays).values()
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("fixed", "is_table"), [(2, True), (0, False), (400, False)])
def test_tables_have_elements_and_not_too_many(fixed: int, is_table: bool) -> None:
    """A constant that is repeated a known number of times along other axes would be a large one."""

    def make(builder: Any, values: list[Any]) -> OpDef:
        e, (x,) = CoreBuilder(builder), values
        count = e.slice_axis(e.y(core.ShapeOf(x)), 0, 0, 1)
        same = e.broadcast_to(e.constant(np.float32([[0.0], [1.0]])), [count, e.constant(np.int64([2])), fixed])
        wide = e.expand_dims(e.mul(e.add(same, same), 3), 3)
        return core.Exp(e.broadcast_to(wide, [count, e.constant(np.int64([2])), fixed, fixed]))

    module = function_of([(DType.F32, (N,))], make)
    arrays = {"in0": np.zeros(3, np.float32)}
    (want,) = run_function(module.main, arrays).values()
    run_pipeline(module, parse_pipeline("simplify-indices,cse,dce"))
    (got,) = run_function(module.main, arrays).values()
    np.testing.assert_array_equal(got, want)
    assert (Counter(op.name for op in walk(module.main.block))["core.mul"] == 0) is is_table
