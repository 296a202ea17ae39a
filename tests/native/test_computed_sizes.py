"""Sizes that a model computes from those of its inputs, as exporters write it: at every size they are those of ONNX
Runtime.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import helper

import mlconv
from tests.support.native import OWN
from tests.support.onnx_models import model, save, value

NODE = helper.make_node
SIZE = [NODE("Shape", ["x"], ["s"]), NODE("Gather", ["s", "zero"], ["n"])]
SPREAD = [
    NODE("Unsqueeze", ["q", "ax"], ["q1"]),
    NODE("Concat", ["q1", "three"], ["shape"], axis=0),
    NODE("Expand", ["row", "shape"], ["y"]),
]
NUMBERS: dict[str, Any] = {
    "zero": np.int64(0),
    "one": np.int64(1),
    "four": np.int64(4),
    "minus_four": np.int64(-4),
    "ten": np.int64(10),
    "one_float": np.float32(1),
    "four_float": np.float32(4),
    "ten_floats": np.float32([10]),
    "ax": np.int64([0]),
    "three": np.int64([3]),
    "row": np.float32([[1, -2, 3]]),
}
# what makes the number `q` of the number `n`
COUNTS: dict[str, list[Any]] = {
    "quotient of what may be below 0": [
        NODE("Sub", ["n", "ten"], ["a"]),
        NODE("Div", ["a", "four"], ["b"]),
        NODE("Add", ["b", "four"], ["q"]),
    ],
    "quotient of what is below 0": [
        NODE("Neg", ["n"], ["a"]),
        NODE("Div", ["a", "four"], ["b"]),
        NODE("Neg", ["b"], ["q"]),
    ],
    "quotient by a number below 0": [NODE("Div", ["n", "minus_four"], ["b"]), NODE("Neg", ["b"], ["q"])],
    "rest by a number below 0": [NODE("Mod", ["n", "minus_four"], ["b"]), NODE("Neg", ["b"], ["q"])],
    "rest of what is below 0": [NODE("Neg", ["n"], ["a"]), NODE("Mod", ["a", "four"], ["q"])],
    "rest with the sign of the dividend": [
        NODE("Neg", ["n"], ["a"]),
        NODE("Mod", ["a", "four"], ["b"], fmod=1),
        NODE("Neg", ["b"], ["q"]),
    ],
    "windows": [
        NODE("Sub", ["n", "one"], ["a"]),
        NODE("Div", ["a", "four"], ["b"]),
        NODE("Add", ["b", "one"], ["q"]),
    ],
    "windows that floats round up": [
        NODE("Sub", ["n", "ten"], ["a"]),
        NODE("Cast", ["a"], ["b"], to=1),
        NODE("Div", ["b", "four_float"], ["c"]),
        NODE("Add", ["one_float", "c"], ["d"]),
        NODE("Ceil", ["d"], ["e"]),
        NODE("Sub", ["e", "one_float"], ["f"]),
        NODE("Cast", ["f"], ["g"], to=7),
        NODE("Add", ["g", "four"], ["q"]),
    ],
    "largest of several that are floats, up to a multiple": [
        NODE("Cast", ["n"], ["a0"], to=1),
        NODE("Unsqueeze", ["a0", "ax"], ["a"]),
        NODE("Concat", ["a", "ten_floats"], ["d"], axis=0),
        NODE("ReduceMax", ["d"], ["e0"], keepdims=0),
        NODE("Max", ["e0", "a0", "four_float"], ["e"]),
        NODE("Div", ["e", "four_float"], ["f"]),
        NODE("Ceil", ["f"], ["g"]),
        NODE("Mul", ["g", "four_float"], ["h"]),
        NODE("Cast", ["h"], ["q"], to=7),
    ],
    "largest of several, up to a multiple, by floats": [
        NODE("Unsqueeze", ["n", "ax"], ["a"]),
        NODE("Unsqueeze", ["ten", "ax"], ["b"]),
        NODE("Concat", ["a", "b"], ["c"], axis=0),
        NODE("Cast", ["c"], ["d"], to=1),
        NODE("ReduceMax", ["d"], ["e"], keepdims=0),
        NODE("Div", ["e", "four_float"], ["f"]),
        NODE("Ceil", ["f"], ["g"]),
        NODE("Mul", ["g", "four_float"], ["h"]),
        NODE("Cast", ["h"], ["q"], to=7),
    ],
}


def _check(proto: Any, sizes: list[tuple[int, ...]], tmp_path: Path, shape: tuple[int | str, ...] = ()) -> None:
    """Native code against ONNX Runtime at sizes; TFLite by verification, within ranges."""
    proto.ir_version = 8
    path = save(tmp_path, proto)
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN)
    net = mlconv.load_native(tmp_path / "m.o")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for shape in sizes:
        x = np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)
        (want,) = session.run(None, {"x": x})
        np.testing.assert_allclose(net.run({"x": x})["y"], want, 1e-5, 1e-6, err_msg=str(shape))
    mlconv.convert(path, to="tflite", output=tmp_path / "m.tflite", shapes={"x": shape} if shape else None, verify=True)


@pytest.mark.parametrize("name", COUNTS)
def test_arithmetic_of_sizes(name: str, tmp_path: Path) -> None:
    nodes = [*SIZE, *COUNTS[name], *SPREAD]
    _check(
        model(nodes, [value("x", ["N", 2])], [value("y")], NUMBERS),
        [(n, 2) for n in (1, 2, 3, 4, 5, 8, 9, 10, 11, 13, 23)],
        tmp_path,
    )


def test_as_many_classes_as_rows(tmp_path: Path) -> None:
    nodes = [
        *SIZE,
        NODE("Range", ["zero", "n", "one"], ["at"]),
        NODE("Sub", ["at", "one"], ["before"]),
        NODE("OneHot", ["before", "n", "off_on"], ["hot"]),
        NODE("MatMul", ["hot", "x"], ["y"]),
    ]
    numbers = {**NUMBERS, "off_on": np.float32([-1, 2])}
    _check(model(nodes, [value("x", ["N", 2])], [value("y")], numbers), [(n, 2) for n in (1, 2, 7)], tmp_path)


def test_pads_in_the_order_of_torch(tmp_path: Path) -> None:
    """TorchScript's exporter lists pads from the last axis, and turns them around by a matrix: a U-Net's decoder."""
    nodes = [
        NODE("MaxPool", ["x"], ["half"], kernel_shape=[2, 2], strides=[2, 2]),
        NODE("ConvTranspose", ["half", "w"], ["up"], strides=[2, 2]),
        NODE("Shape", ["x"], ["of_x"]),
        NODE("Shape", ["up"], ["of_up"]),
        NODE("Sub", ["of_x", "of_up"], ["missing"]),
        NODE("Slice", ["missing", "two", "end", "zero1"], ["hw"]),
        NODE("Div", ["hw", "two"], ["low"]),
        NODE("Sub", ["hw", "low"], ["high"]),
        *(NODE("Gather", [v, f"i{i}"], [f"{v}{i}"]) for v in ("low", "high") for i in (0, 1)),
        NODE("Concat", ["low1", "high1", "low0", "high0", "rest"], ["listed"], axis=0),
        NODE("Reshape", ["listed", "pairs"], ["table"]),
        NODE("Slice", ["table", "last", "first", "zero1", "back"], ["turned"]),
        NODE("Transpose", ["turned"], ["sides"], perm=[1, 0]),
        NODE("Reshape", ["sides", "flat"], ["pads"]),
        NODE("Pad", ["up", "pads"], ["padded"]),
        NODE("Concat", ["x", "padded"], ["joined"], axis=1),
        NODE("Conv", ["joined", "v"], ["y"], pads=[1, 1, 1, 1]),
    ]
    rng = np.random.default_rng(3)
    constants = {
        "w": rng.standard_normal((2, 3, 2, 2)).astype(np.float32),
        "v": rng.standard_normal((4, 5, 3, 3)).astype(np.float32),
        "two": np.int64([2]),
        "end": np.int64([4]),
        "zero1": np.int64([0]),
        "i0": np.int64([0]),
        "i1": np.int64([1]),
        "rest": np.int64([0, 0, 0, 0]),
        "pairs": np.int64([-1, 2]),
        "last": np.int64([-1]),
        "first": np.int64([-(1 << 62)]),
        "back": np.int64([-1]),
        "flat": np.int64([-1]),
    }
    proto = model(nodes, [value("x", ["N", 2, "H", "W"])], [value("y")], constants)
    _check(proto, [(1, 2, 4, 6), (2, 2, 5, 7), (1, 2, 9, 4)], tmp_path)


def test_time_padded_to_a_multiple(tmp_path: Path) -> None:
    """Local attention works on blocks: what is missing to a multiple of 4 is `mod(-t, 4)`; parts of the size cancel."""
    nodes = [
        NODE("Shape", ["x"], ["s"]),
        NODE("Slice", ["s", "one1", "two", "zero1"], ["t"]),
        NODE("Slice", ["s", "zero1", "one1", "zero1"], ["b"]),
        NODE("Neg", ["t"], ["minus"]),
        NODE("Mod", ["minus", "four"], ["missing"]),
        NODE("Concat", ["zeros", "missing", "zero1"], ["pads"], axis=0),
        NODE("Pad", ["x", "pads"], ["padded"]),
        NODE("Concat", ["b", "rest", "four", "width"], ["blocks"], axis=0),
        NODE("Reshape", ["padded", "blocks"], ["cut"]),
        NODE("Softmax", ["cut"], ["soft"], axis=2),
        NODE("Concat", ["b", "rest", "width"], ["rows"], axis=0),
        NODE("Reshape", ["soft", "rows"], ["joined"]),
        NODE("Slice", ["joined", "zero1", "t", "one1"], ["y"]),
    ]
    constants = {
        "zeros": np.int64([0, 0, 0, 0]),
        "zero1": np.int64([0]),
        "one1": np.int64([1]),
        "two": np.int64([2]),
        "four": np.int64([4]),
        "rest": np.int64([-1]),
        "width": np.int64([3]),
    }
    proto = model(nodes, [value("x", ["B", "T", 3])], [value("y")], constants)
    _check(proto, [(1, 1, 3), (2, 4, 3), (3, 7, 3), (2, 9, 3)], tmp_path)
    mlconv.convert(
        tmp_path / "m.onnx", to="hlo", output=tmp_path / "m.pb", shapes={"x": ("B:1..3", "T:1..9", 3)}, verify=True
    )


def test_quotients_of_quotients(tmp_path: Path) -> None:
    """Windows of a picture, counted again and again by what divides and multiplies them: no bound grows by that."""
    nodes = [*SIZE, NODE("Mul", ["n", "n"], ["nn"]), NODE("Add", ["nn", "one"], ["more"])]
    for i in range(5):
        before = f"r{i - 1}" if i else "n"
        nodes += [NODE("Mul", [before, "nn"], [f"a{i}"]), NODE("Div", [f"a{i}", "more"], [f"b{i}"])]
        nodes += [NODE("Add", [f"b{i}", "one"], [f"r{i}"])]
    nodes += [NODE("Identity", ["r4"], ["q"]), *SPREAD]
    _check(model(nodes, [value("x", ["N", 2])], [value("y")], NUMBERS), [(n, 2) for n in (1, 5, 300)], tmp_path)


@pytest.mark.parametrize("window", [1, 2])
@pytest.mark.parametrize("pads", [(0, 1), (1, 1), (3, 0), (4, 2)])
def test_windows_whose_pads_cut_into_an_open_image(window: int, pads: tuple[int, int], tmp_path: Path) -> None:
    """Elements lie apart, and more is cut off than the window reaches over."""
    options = {"strides": [2, 1], "dilations": [2, 1], "pads": [pads[0], 0, pads[1], 0]}
    nodes = [NODE("ConvTranspose", ["x", "w"], ["y"], **options)]
    filters = np.random.default_rng(1).standard_normal((2, 3, window, 1)).astype(np.float32)
    proto = model(nodes, [value("x", ["N", 2, "H", 6])], [value("y")], {"w": filters})
    _check(proto, [(3, 2, 5, 6), (1, 2, 9, 6)], tmp_path)


def test_phases_of_different_sizes_of_an_open_image(tmp_path: Path) -> None:
    nodes = [NODE("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2], pads=[1, 0, 0, 1], output_padding=[0, 1])]
    filters = np.random.default_rng(1).standard_normal((16, 16, 3, 3)).astype(np.float32) / 16
    proto = model(nodes, [value("x", ["N", 16, "H", 6])], [value("y")], {"w": filters})
    _check(proto, [(3, 16, 5, 6), (1, 16, 9, 6)], tmp_path)


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
def test_pads_that_repeat_elements_of_open_axes(mode: str, tmp_path: Path) -> None:
    nodes = [NODE("Pad", ["x", "pads"], ["y"], mode=mode)]
    proto = model(nodes, [value("x", ["N", "M", 2])], [value("y")], {"pads": np.int64([2, 1, 0, 1, 3, 0])}, opset=19)
    _check(proto, [(3, 4, 2), (4, 7, 2), (6, 5, 2)], tmp_path, ("N:4..9", "M:4..9", 2))


@pytest.mark.parametrize(
    ("start", "limit", "step"),
    [(0.5, "n", 1), (0.5, "n", 2), (-1.75, "n", 3), ("n", 0.5, -1), ("n", -2.5, -2), ("n", 8.5, 1), (0.5, "n", -1)],
)
def test_centers_of_pixels(start: float | str, limit: float | str, step: int, tmp_path: Path) -> None:
    """`arange(0.5, h)` counts h, from or to any number: positions of DINOv3, cast twice on their way."""
    ends = {k: np.float32(v) for k, v in (("start", start), ("limit", limit)) if not isinstance(v, str)}
    nodes = [
        *SIZE,
        NODE("Cast", ["n"], ["wide"], to=11),
        NODE("Cast", ["wide"], ["start" if isinstance(start, str) else "limit"], to=1),
        NODE("Range", ["start", "limit", "step"], ["positions"]),
        NODE("Unsqueeze", ["positions", "one1"], ["column"]),
        NODE("Mul", ["column", "row"], ["y"]),
    ]
    constants = {
        **NUMBERS,
        "one1": np.int64([1]),
        "step": np.float32(step),
        **{k: np.float32(v) for k, v in ends.items()},
    }
    _check(model(nodes, [value("x", ["N", 2])], [value("y")], constants), [(n, 2) for n in (1, 2, 5, 12)], tmp_path)


def test_positions_that_floats_count(tmp_path: Path) -> None:
    """`arange(t - 1, -t, -1.0)` has a size: relative positions of Transformer-XL, and their shift."""
    nodes = [
        *SIZE,
        NODE("Sub", ["n", "one"], ["last"]),
        NODE("Neg", ["n"], ["end"]),
        *(NODE("Cast", [v], [f"{v}_f"], to=1) for v in ("last", "end")),
        NODE("Range", ["last_f", "end_f", "minus"], ["positions"]),
        NODE("Unsqueeze", ["positions", "ax"], ["row_of"]),
        NODE("Unsqueeze", ["n", "ax"], ["n1"]),
        NODE("MatMul", ["x", "column"], ["c"]),
        NODE("Mul", ["c", "row_of"], ["scores"]),
        NODE("Pad", ["scores", "left"], ["padded"]),
        NODE("Concat", ["rest", "n1"], ["turned"], axis=0),
        NODE("Reshape", ["padded", "turned"], ["shifted"]),
        NODE("Slice", ["shifted", "one1", "many", "ax"], ["cut"]),
        NODE("Concat", ["n1", "rest"], ["back"], axis=0),
        NODE("Reshape", ["cut", "back"], ["y"]),
    ]
    constants = {
        **NUMBERS,
        "minus": np.float32(-1),
        "column": np.float32([[2], [-1]]),
        "left": np.int64([0, 1, 0, 0]),
        "rest": np.int64([-1]),
        "one1": np.int64([1]),
        "many": np.int64([1 << 31]),
    }
    _check(model(nodes, [value("x", ["N", 2])], [value("y")], constants), [(n, 2) for n in (1, 2, 5, 9)], tmp_path)


def test_transforms_as_long_as_their_input(tmp_path: Path) -> None:
    nodes = [
        *SIZE,
        NODE("Unsqueeze", ["x", "end"], ["x1"]),
        NODE("DFT", ["x1", "n", "axis"], ["f"], onesided=1),
        NODE("ReduceSumSquare", ["f", "end"], ["y"], keepdims=0),
    ]
    constants = {"zero": np.int64(1), "end": np.int64([-1]), "axis": np.int64(1)}
    proto = model(nodes, [value("x", ["N", "M"])], [value("y")], constants, opset=20)
    _check(proto, [(1, 8), (2, 7), (3, 1)], tmp_path)
