"""Memory of large results is used again, but never while somebody reads it."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from mlconv.ir.dtypes import DType
from mlconv.runtime.native_results import Results

F32 = np.dtype(np.float32)
LARGE = (300, 301)


def place(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def test_a_result_that_is_gone_leaves_its_memory_to_the_next() -> None:
    results = Results()
    first = results.array(LARGE, F32)
    first[...] = 1
    where = place(first)
    assert (first.shape, first.dtype, first.flags.writeable, where % 64) == (LARGE, F32, True, 0)
    del first
    assert place(results.array(LARGE, F32)) == where


@pytest.mark.parametrize("name", ["bool", "int64", "complex64", "bfloat16", "float8_e5m2"])
def test_elements_of_any_type(name: str) -> None:
    dtype = DType.from_numpy(name).numpy
    results = Results()
    for shape in (LARGE, LARGE[::-1]):
        array = results.array((4, *shape), dtype)
        array[...] = 1
        assert (array.shape, array.dtype, place(array) % 64) == ((4, *shape), dtype, 0) and array.all()
        del array


@pytest.mark.parametrize("view", [lambda x: x[7, 5:], lambda x: x.T, lambda x: x.view(np.uint8), memoryview])
def test_views_keep_the_memory(view: object) -> None:
    results = Results()
    held = view(results.array(LARGE, F32))  # type: ignore[operator]
    kept = np.asarray(held)
    kept[...] = 3
    del held
    gc.collect()
    for _ in range(4):
        results.array(LARGE, F32)[...] = 9
    assert (kept == 3).all()


def test_sizes_may_change() -> None:
    results = Results()
    for rows in (300, 40_000, 200, 3, 0, 300):
        array = results.array((rows, 301), F32)
        array[...] = rows
        assert (array == rows).all() and array.shape == (rows, 301)


def test_few_pieces_are_kept() -> None:
    results = Results()
    many = [results.array(LARGE, F32) for _ in range(5)]
    assert len({place(array) for array in many}) == 5
    many.clear()
    assert len(results._spare) == 2
