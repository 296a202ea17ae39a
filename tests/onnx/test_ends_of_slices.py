"""Ends of slices that are sizes count from the end of an axis where they are below 0, which sizes of a run decide; and
ranges of floats have as many elements as float64 counts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.onnx_models import model, value
from tests.support.open_networks import ops_of


@pytest.mark.parametrize(("begin", "end", "step"), [(-2, -5, 1), (-5, -7, 2), (-6, -3, -1)])
def test_nothing_but_where_an_end_wraps(begin: int, end: int, step: int, tmp_path: Path) -> None:
    """x[n - 2 : n - 5] of 4 elements is x[2:-1]."""
    nodes = [
        helper.make_node("Shape", ["x"], ["n"], start=0, end=1),
        helper.make_node("Add", ["n", "begin"], ["first"]),
        helper.make_node("Add", ["n", "end"], ["last"]),
        helper.make_node("Slice", ["x", "first", "last", "axes", "steps"], ["part"]),
        helper.make_node("Neg", ["part"], ["y"]),
    ]
    fixed = {"begin": [begin], "end": [end], "axes": [0], "steps": [step]}
    arrays = {name: np.int64(numbers) for name, numbers in fixed.items()}
    proto = model(nodes, [value("x", ["N", 2])], [value("y", None)], arrays, 17)
    agree_at_all_sizes(proto, [{"x": numbers(n, 2)} for n in range(1, 9)], tmp_path, 0)


@pytest.mark.parametrize(("begin", "end", "columns"), [(-2, 1 << 62, (2, 2)), (-2, 1 << 62, (3, 1)), (-3, -1, (2, 2))])
def test_ends_that_wrap_beside_nothing(begin: int, end: int, columns: tuple[int, int], tmp_path: Path) -> None:
    """x[n - 2:, 2:2] of one row is x[-1:, 2:2], which has one, of no elements."""
    nodes = [
        helper.make_node("Shape", ["x"], ["n"], start=0, end=1),
        helper.make_node("Add", ["n", "begin"], ["row"]),
        helper.make_node("Concat", ["row", "column"], ["first"], axis=0),
        helper.make_node("Slice", ["x", "first", "last"], ["part"]),
        helper.make_node("Neg", ["part"], ["y"]),
    ]
    fixed = {"begin": [begin], "column": [columns[0]], "last": [end, columns[1]]}
    arrays = {name: np.int64(numbers) for name, numbers in fixed.items()}
    proto = model(nodes, [value("x", ["N", 4])], [value("y", None)], arrays, 17)
    agree_at_all_sizes(proto, [{"x": numbers(n, 4)} for n in range(1, 6)], tmp_path, 0)


@pytest.mark.parametrize("length", [-2, 3])
def test_a_part_at_a_place_that_is_data(length: int, tmp_path: Path) -> None:
    """x[a : a + length], at each a."""
    nodes = [
        helper.make_node("Add", ["a", "length"], ["end"]),
        helper.make_node("Slice", ["x", "a", "end", "axes"], ["y"]),
    ]
    arrays = {"length": np.int64([length]), "axes": np.int64([0])}
    inputs = [value("x", ["N", 2]), value("a", [1], TensorProto.INT64)]
    proto = model(nodes, inputs, [value("y", None)], arrays, 17)
    feeds = [{"x": numbers(n, 2), "a": np.int64([a])} for n in (1, 4) for a in (-5, -2, 0, 1, 3, 6)]
    agree_at_all_sizes(proto, feeds, tmp_path, 0)


DISTANCES = [(0, 0.3, 0.1), (0, 0.7, 0.1), (5, 1, -0.4), (0.1, 3.4, 0.3), (-1.3, 0.6, 0.05), (1, 0, 0.3), (2.5, 4, 0.5)]


@pytest.mark.parametrize("fixed", [False, True])
def test_ranges_of_floats(fixed: bool, tmp_path: Path) -> None:
    """0.3 by 0.1, rounded to float32, is 3.00000004, but for float32.  The step may be a constant."""
    names = ["start", "limit", *([] if fixed else ["delta"])]
    for start, limit, delta in DISTANCES if fixed else [DISTANCES[0]]:
        proto = model(
            [helper.make_node("Range", ["start", "limit", "delta"], ["y"])],
            [value(name, []) for name in names],
            [value("y", ["n"])],
            {"delta": np.float32(delta)} if fixed else {},
            17,
        )
        cases = [(start, limit, delta)] if fixed else DISTANCES
        feeds = [{name: np.asarray(n, np.float32) for name, n in zip(names, case, strict=False)} for case in cases]
        agree_at_all_sizes(proto, feeds, tmp_path, 1e-6, {"y": ["0..100"]})


@pytest.mark.parametrize("start", [0.5, 0, -0.5, -1.5, 2.25])
def test_ranges_of_floats_up_to_integers(start: float, tmp_path: Path) -> None:
    """Places of patches, 0.5, 1.5, ...: as many as an integer says, also where that is below the start."""
    nodes = [
        helper.make_node("Cast", ["n"], ["limit"], to=TensorProto.FLOAT),
        helper.make_node("Range", ["start", "limit", "one"], ["y"]),
    ]
    arrays = {"start": np.float32(start), "one": np.float32(1)}
    proto = model(nodes, [value("n", [], TensorProto.INT64)], [value("y", ["m"])], arrays, 17)
    feeds = [{"n": np.asarray(n, np.int64)} for n in (-3, 0, 1, 2, 5, 900)]
    agree_at_all_sizes(proto, feeds, tmp_path, 0, {"y": ["0..1000"]})
    assert not ops_of(tmp_path / "m.tflite")["ROUND"]
