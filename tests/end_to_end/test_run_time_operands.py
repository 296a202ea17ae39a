"""Operands that decide sizes, as inputs of the model: scales of Resize, lengths of DFT; and suppression of nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import mlconv
from tests.support.data_sizes import I64, NODE, Array, F, drawn, save
from tests.support.open_targets import TARGETS, Ranges, Run, tflite

SCALES = ((2.0, 1.5), (0.7, 2.3), (1.0, 1.0), (0.3, 0.5))
RESIZED: dict[str, dict[str, Any]] = {
    "nearest": {"mode": "nearest"},
    "nearest, down": {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"},
    "linear": {"mode": "linear"},
    "linear, corners": {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
    "cubic": {"mode": "cubic"},
    "cubic, antialiased": {"mode": "cubic", "antialias": 1},
}
LENGTHS = (8, 13, 10, 1)


def agrees(path: Path, feeds: list[dict[str, Array]], run: Run) -> None:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for feed in feeds:
        (want,) = session.run(None, feed)
        got = run(feed)["y"]
        assert got.shape == want.shape and got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("size", [6, "H"])
@pytest.mark.parametrize("case", RESIZED)
def test_scales(case: str, size: Any, tmp_path: Path) -> None:
    nodes = [NODE("Resize", ["x", "", "scales"], ["y"], **RESIZED[case])]
    path = save(tmp_path, nodes, {"x": (F, [1, 3, size, 7]), "scales": (F, [4])}, ["y"], opset=19)
    sizes = (6,) if size == 6 else (6, 9)
    feeds = [{"x": drawn(n, 1, 3, n, 7), "scales": np.array([1, 1, *s], np.float32)} for n in sizes for s in SCALES]
    agrees(path, feeds, tflite(path, {}))


@pytest.mark.parametrize(("numbers", "given"), [(1, {}), (2, {}), (1, {"onesided": 1}), (2, {"inverse": 1})])
def test_lengths(given: dict[str, int], numbers: int, tmp_path: Path) -> None:
    nodes = [NODE("DFT", ["x", "length"], ["y"], axis=1, **given)]
    path = save(tmp_path, nodes, {"x": (F, [2, "N", numbers]), "length": (I64, [])}, ["y"])
    feeds = [{"x": drawn(n, 2, n, numbers), "length": np.array(k)} for n in (10, 5) for k in LENGTHS]
    agrees(path, feeds, tflite(path, {}))


@pytest.mark.parametrize("boxes", [0, 5])
@pytest.mark.parametrize("made", TARGETS)
def test_no_box_is_wanted_or_there_is_none(made: Callable[[Path, Ranges], Run], boxes: int, tmp_path: Path) -> None:
    nodes = [NODE("NonMaxSuppression", ["b", "s", "most"], ["y"])]
    most = np.array([4 if boxes == 0 else 0])
    path = save(tmp_path, nodes, {"b": (F, [1, boxes, 4]), "s": (F, [1, 2, boxes])}, ["y"], most=most)
    agrees(path, [{"b": drawn(0, 1, boxes, 4), "s": drawn(1, 1, 2, boxes)}], made(path, {}))


def test_columns_of_what_is_found(tmp_path: Path) -> None:
    """Boxes that pass a test, perhaps none, are taken apart and put together, as detectors do."""
    columns = ["left", "top", "right", "bottom"]
    nodes = [
        NODE("Greater", ["s", "zero"], ["m"]),
        NODE("Compress", ["b", "m"], ["kept"], axis=0),
        NODE("Split", ["kept"], [f"{c}_1" for c in columns], axis=1),
        *(NODE("Squeeze", [f"{c}_1", "one"], [c]) for c in columns),
        NODE("Sub", ["right", "left"], ["wide"]),
        NODE("Sub", ["bottom", "top"], ["high"]),
        *(NODE("Unsqueeze", [c, "one"], [f"{c}_2"]) for c in ("wide", "high")),
        NODE("Concat", ["wide_2", "high_2"], ["y"], axis=1),
    ]
    path = save(tmp_path, nodes, {"b": (F, [9, 4]), "s": (F, [9])}, ["y"], one=np.array([1]), zero=np.float32(0))
    feeds = [{"b": drawn(i, 9, 4), "s": drawn(i, 9, shift=s)} for i, s in enumerate((-9, 0, 9))]
    agrees(path, feeds, tflite(path, {}))


def test_images_that_are_filled_up_are_batched(tmp_path: Path) -> None:
    """To multiples of 8.  Nothing is known of the sizes, and an axis in front of them is no new size."""
    nodes = [
        NODE("Resize", ["x", "", "", "s"], ["whole"], mode="linear"),
        NODE("Gather", ["whole", "first"], ["image"]),
        NODE("Shape", ["image"], ["have"]),
        NODE("Cast", ["have"], ["numbers"], to=F),
        NODE("Div", ["numbers", "eight"], ["eighths"]),
        NODE("Ceil", ["eighths"], ["up"]),
        NODE("Mul", ["up", "eight"], ["wanted"]),
        NODE("Cast", ["wanted"], ["want"], to=I64),
        NODE("Sub", ["want", "have"], ["fill"]),
        NODE("Unsqueeze", ["fill", "second"], ["behind"]),
        NODE("Concat", ["in_front", "behind"], ["pairs"], axis=1),
        NODE("Transpose", ["pairs"], ["turned"], perm=[1, 0]),
        NODE("Reshape", ["turned", "flat"], ["pads"]),
        NODE("Pad", ["image", "pads"], ["padded"]),
        NODE("Unsqueeze", ["padded", "nought"], ["y"]),
    ]
    constants = {"nought": np.array([0]), "first": np.array(0), "second": np.array([1]), "flat": np.array([-1])}
    numbers = {"eight": np.float32(8), "in_front": np.zeros((3, 1), np.int64)}
    inputs = {"x": (F, [1, 4, "H", "W"]), "s": (I64, [4])}
    path = save(tmp_path, nodes, inputs, ["y"], **constants, **numbers)
    sizes = ((6, 5, 9, 16), (9, 3, 4, 7))
    feeds = [{"x": drawn(n, 1, 4, n, m), "s": np.array([1, 4, a, b])} for n, m, a, b in sizes]
    agrees(path, feeds, tflite(path, {}))


def test_verification_draws_images_that_can_be_mirrored(tmp_path: Path) -> None:
    nodes = [NODE("Pad", ["x", "pads"], ["y"], mode="reflect")]
    path = save(tmp_path, nodes, {"x": (F, [1, 2, "H", "W"])}, ["y"], pads=np.array([0, 0, 3, 2, 0, 0, 2, 4]))
    result = mlconv.convert(path, to="tflite", output=tmp_path / "m.tflite", verify=True)
    assert [row["ok"] for row in result.verification] == [True]
