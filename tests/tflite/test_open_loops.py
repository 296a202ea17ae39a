"""Loops that run as often as a size says, as TFLite files: what they collect has room from the start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from mlconv.runtime.litert import run_tflite
from tests.support.data_sizes import NODE, F, drawn, save
from tests.support.growing_loops import COUNT, NUMBERS, loop
from tests.support.onnx_runtimes import run_reference
from tests.support.open_networks import converted, ops_of


def _check(path: Path, folder: Path, runs: list[int]) -> dict[str, int]:
    out = converted(path, folder)
    for i, rows in enumerate(runs):
        inputs = {"k": drawn(i, rows, 3), "first_s": np.zeros(3, np.float32)}
        want = run_reference(onnx.load(path), inputs)
        for a, b in zip(run_tflite(str(out), inputs, "serving_default").values(), want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    return ops_of(out)


def test_places_of_turns_are_packed_once(tmp_path: Path) -> None:
    body = [
        NODE("Gather", ["k", "turn"], ["row"]),
        NODE("Add", ["s", "row"], ["next_s"]),
        NODE("Mul", ["next_s", "half"], ["h"]),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    nodes = [*COUNT, loop(body, {"s": (F, [3])}, {"h": (F, [3])}, "count", ["last", "rows"])]
    inputs = {"k": (F, ["R", 3]), "first_s": (F, [3])}
    ops = _check(
        save(tmp_path, nodes, inputs, ["last", "rows"], nothing=np.array(0), **NUMBERS), tmp_path, [5, 1, 9, 0]
    )
    assert sum(ops.values()) <= 16, ops


@pytest.mark.parametrize("pieces", [1, 2])
def test_rows_are_written_where_they_go(pieces: int, tmp_path: Path) -> None:
    """They were joined with all that there were before, in each turn."""
    body = [
        NODE("Gather", ["k", "turn"], ["row"]),
        NODE("Unsqueeze", ["row", "zero"], ["new"]),
        NODE("Add", ["s", "row"], ["next_s"]),
        NODE("Concat", ["t", *["new"] * pieces], ["next_t"], axis=0),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    carried = {"s": (F, [3]), "t": (TensorProto.FLOAT, ["T", 3])}
    nothing = NODE("ConstantOfShape", ["no_rows"], ["first_t"])
    nodes = [*COUNT, nothing, loop(body, carried, {}, "count", ["last", "rows"])]
    constants = {"nothing": np.array(0), "zero": np.array([0]), "no_rows": np.array([0, 3]), **NUMBERS}
    path = save(tmp_path, nodes, {"k": (F, ["R", 3]), "first_s": (F, [3])}, ["last", "rows"], **constants)
    ops = _check(path, tmp_path, [5, 1, 9, 0])
    assert ops["DYNAMIC_UPDATE_SLICE"] == 1 and ops["CONCATENATION"] == pieces - 1, ops


def test_loops_in_loops_may_never_run(tmp_path: Path) -> None:
    """The inner one starts with the same room as the outer one."""
    inner = [
        NODE("Gather", ["k", "turn"], ["row"]),
        NODE("Add", ["row", "s"], ["moved"]),
        NODE("Unsqueeze", ["moved", "zero"], ["new"]),
        NODE("Concat", ["t", "new"], ["next_t"], axis=0),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    carried = {"t": (TensorProto.FLOAT, ["T", 3])}
    body = [
        loop(inner, carried, {}, "count", ["collected"]),
        NODE("ReduceSum", ["collected", "zero"], ["total"], keepdims=0),
        NODE("Add", ["s", "total"], ["next_s"]),
        NODE("Unsqueeze", ["total", "zero"], ["newer"]),
        NODE("Concat", ["u", "newer"], ["next_u"], axis=0),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    nothing = [NODE("ConstantOfShape", ["no_rows"], [f"first_{name}"]) for name in "tu"]
    nodes = [*COUNT, *nothing, loop(body, {"s": (F, [3]), "u": (F, ["U", 3])}, {}, "count", ["last", "totals"])]
    constants = {"nothing": np.array(0), "zero": np.array([0]), "no_rows": np.array([0, 3]), **NUMBERS}
    path = save(tmp_path, nodes, {"k": (F, ["R", 3]), "first_s": (F, [3])}, ["last", "totals"], **constants)
    _check(path, tmp_path, [5, 0, 1])


def test_parts_between_places_that_sizes_tell(tmp_path: Path) -> None:
    """Bags of equal lengths: where each begins and ends needs no limit."""
    body = [
        NODE("Gather", ["begins", "turn"], ["begin"]),
        NODE("Gather", ["ends", "turn"], ["end"]),
        NODE("Unsqueeze", ["begin", "zero"], ["b"]),
        NODE("Unsqueeze", ["end", "zero"], ["e"]),
        NODE("Slice", ["k", "b", "e", "zero"], ["bag"]),
        NODE("ReduceSum", ["bag", "zero"], ["row"], keepdims=0),
        NODE("Add", ["s", "row"], ["next_s"]),
        NODE("Identity", ["go_on"], ["more"]),
    ]
    nodes = [
        NODE("Shape", ["k"], ["rows"], end=1),
        NODE("Squeeze", ["rows"], ["length"]),
        NODE("Div", ["length", "two"], ["count"]),
        NODE("Range", ["start", "length", "two"], ["places"]),
        NODE("Concat", ["places", "rows"], ["begins"], axis=0),
        NODE("Slice", ["begins", "one", "far", "zero"], ["ends"]),
        loop(body, {"s": (F, [3])}, {}, "count", ["last"]),
    ]
    numbers = {"two": np.array(2), "start": np.array(0), "zero": np.array([0]), "one": np.array([1])}
    inputs = {"k": (F, ["R", 3]), "first_s": (F, [3])}
    path = save(tmp_path, nodes, inputs, ["last"], far=np.array([1 << 62]), **numbers, **NUMBERS)
    ops = _check(path, tmp_path, [6, 7, 2])
    assert not ops["MINIMUM"] and not ops["MAXIMUM"], ops
