"""Slices, pads, transforms and loops along run-time sizes, on every target, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from tests.support.onnx_models import model, save, value
from tests.support.open_targets import TARGETS, Ranges, Run, hlo, native, tflite

Made = Callable[[Path, Ranges], Run]
NODE = helper.make_node
LEAST = -(2**63)


def check(made: Made, proto: onnx.ModelProto, feeds: Sequence[dict[str, Array]], folder: Path) -> None:
    """One artifact for all sizes; ranges go a little beyond them."""
    proto.ir_version = 9
    path = save(folder, proto)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ranges: dict[str, list[Any]] = {}
    for given in proto.graph.input:
        most = [max(sizes) + 2 for sizes in zip(*(feed[given.name].shape for feed in feeds), strict=True)]
        dims = given.type.tensor_type.shape.dim
        ranges[given.name] = [f"{d.dim_param}:1..{n}" if d.dim_param else d.dim_value for d, n in zip(dims, most)]
    run = made(path, ranges)
    for feed in feeds:
        got = run(feed)
        for output, want in zip(session.get_outputs(), session.run(None, feed), strict=True):
            assert got[output.name].shape == want.shape
            np.testing.assert_allclose(
                got[output.name], want, rtol=3e-5, atol=3e-5 * max(1, float(np.abs(want).max(initial=0)))
            )


def rows(*lengths: int) -> list[dict[str, Array]]:
    rng = np.random.default_rng(4)
    return [{"x": rng.standard_normal((1 + i % 3, n)).astype(np.float32)} for i, n in enumerate(lengths)]


@pytest.mark.share(4)
@pytest.mark.parametrize("made", TARGETS)
@pytest.mark.parametrize(
    ("begin", "end", "step"),
    [(-2, LEAST, -1), (-1, -100, -3), (-4, 2, -2), (3, LEAST, -2), (100, 0, -1), (-2, -3, -2), (-4, -1, -1)],
)
def test_slices_to_the_left(made: Made, begin: int, end: int, step: int, tmp_path: Path) -> None:
    """A begin before the first element is at it (ONNX Slice-13), unlike Python's."""
    parts = {name: np.array([k]) for name, k in (("b", begin), ("e", end), ("a", 1), ("s", step))}
    proto = model([NODE("Slice", ["x", *parts], ["y"])], [value("x", ["N", "T"])], [value("y")], parts)
    check(made, proto, rows(5, 8, 2, 1, 13), tmp_path)


def padded(mode: str, amount: str) -> onnx.ModelProto:
    """Behind the rows: up to 12 of them, up to a multiple of 4, or half of them again."""
    size = NODE("Shape", ["x"], ["t"], start=1, end=2)
    made = {
        "up to": [NODE("Sub", ["twelve", "t"], ["p"])],
        "multiple": [
            NODE("Mod", ["t", "four"], ["over"]),
            NODE("Sub", ["four", "over"], ["short"]),
            NODE("Mod", ["short", "four"], ["p"]),
        ],
        "half": [NODE("Div", ["t", "two"], ["p"])],
    }[amount]
    pads = NODE("Concat", ["zero", "one", "zero", "p"], ["pads"], axis=0)
    numbers = {"zero": 0, "one": 1, "two": 2, "four": 4, "twelve": 12}
    nodes = [size, *made, pads, NODE("Pad", ["x", "pads"], ["y"], mode=mode)]
    return model(
        nodes, [value("x", ["N", "T"])], [value("y")], {k: np.array([n]) for k, n in numbers.items()}, opset=19
    )


PADS = [
    *(
        (made, mode, amount)
        for made in (native,)
        for mode in ("constant", "reflect", "edge", "wrap")
        for amount in ("up to", "multiple", "half")
    ),
    *((tflite, mode, amount) for mode in ("constant", "reflect") for amount in ("up to", "multiple", "half")),
    *((tflite, mode, "multiple") for mode in ("edge", "wrap")),
    *((hlo, "constant", amount) for amount in ("multiple", "half")),
    *((hlo, mode, amount) for mode in ("reflect", "edge", "wrap") for amount in ("up to", "multiple")),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("made", "mode", "amount"), PADS)
def test_pads_by_sizes(made: Made, mode: str, amount: str, tmp_path: Path) -> None:
    check(made, padded(mode, amount), rows(8, 11, 7, 12), tmp_path)


@pytest.mark.parametrize("made", TARGETS)
def test_halves_that_are_joined_with_the_whole(made: Made, tmp_path: Path) -> None:
    """A U-Net over a stride of 2 takes even sizes, as follows from what it joins, and a half is doubled then."""
    nodes = [
        NODE("MaxPool", ["x"], ["p"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        NODE("Shape", ["p"], ["s"]),
        NODE("Mul", ["s", "twice"], ["sizes"]),
        NODE(
            "Resize",
            ["p", "", "", "sizes"],
            ["up"],
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        ),
        NODE("Concat", ["up", "x"], ["y"], axis=1),
    ]
    proto = model(nodes, [value("x", [1, 2, "H", "W"])], [value("y")], {"twice": np.array([1, 1, 2, 2])})
    rng = np.random.default_rng(4)
    feeds = [{"x": rng.standard_normal((1, 2, *sizes)).astype(np.float32)} for sizes in ((4, 6), (10, 2), (8, 12))]
    check(made, proto, feeds, tmp_path)


def test_pads_that_may_cut_off(tmp_path: Path) -> None:
    """In front, up to 9 rows: more than that are cut."""
    nodes = [
        NODE("Shape", ["x"], ["t"], start=1, end=2),
        NODE("Sub", ["nine", "t"], ["p"]),
        NODE("Concat", ["zero", "p", "zero", "zero"], ["pads"], axis=0),
        NODE("Pad", ["x", "pads", "fill"], ["y"]),
    ]
    numbers = {"zero": np.array([0]), "nine": np.array([9]), "fill": np.float32(1.5)}
    check(native, model(nodes, [value("x", ["N", "T"])], [value("y")], numbers), rows(8, 9, 12, 1), tmp_path)


@pytest.mark.share(6)
@pytest.mark.parametrize("made", TARGETS)
@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize(("parts", "onesided", "inverse"), [(1, 0, 0), (1, 1, 0), (2, 0, 0), (2, 0, 1)])
def test_transforms(made: Made, axis: int, parts: int, onesided: int, inverse: int, tmp_path: Path) -> None:
    node = NODE("DFT", ["x"], ["y"], axis=axis, onesided=onesided, inverse=inverse)
    proto = model([node], [value("x", ["N", "T", "M", parts])], [value("y")])
    rng = np.random.default_rng(6)
    sizes = [(2, 7, 3, parts), (1, 16, 5, parts), (3, 5, 1, parts), (1, 90, 2, parts)]
    check(made, proto, [{"x": rng.standard_normal(s).astype(np.float32)} for s in sizes], tmp_path)


@pytest.mark.parametrize("made", TARGETS)
@pytest.mark.parametrize("length", [12, 5])
def test_transforms_of_a_length(made: Made, length: int, tmp_path: Path) -> None:
    """Signals are cut or filled up to it."""
    numbers = {"n": np.array(length), "a": np.array(1)}
    proto = model([NODE("DFT", ["x", "n", "a"], ["y"])], [value("x", ["N", "T", 1])], [value("y")], numbers, opset=20)
    rng = np.random.default_rng(6)
    check(made, proto, [{"x": rng.standard_normal((2, n, 1)).astype(np.float32)} for n in (7, 12, 15)], tmp_path)


@pytest.mark.parametrize("made", TARGETS)
def test_frames(made: Made, tmp_path: Path) -> None:
    numbers = {"step": np.array(3), "window": np.hanning(8).astype(np.float32)}
    proto = model([NODE("STFT", ["x", "step", "window"], ["y"])], [value("x", ["N", "T", 1])], [value("y")], numbers)
    rng = np.random.default_rng(6)
    check(made, proto, [{"x": rng.standard_normal((2, n, 1)).astype(np.float32)} for n in (20, 8, 31)], tmp_path)


@pytest.mark.parametrize("made", TARGETS)
def test_as_many_turns_as_rows(made: Made, tmp_path: Path) -> None:
    """What a loop scans has as many rows as it has turns."""
    body = helper.make_graph(
        [
            NODE("Identity", ["go"], ["go_on"]),
            NODE("Gather", ["x", "i"], ["row"], axis=0),
            NODE("Add", ["row", "sum"], ["next"]),
            NODE("Identity", ["next"], ["seen"]),
        ],
        "body",
        [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL), value("sum", ["M"])],
        [value("go_on", [], TensorProto.BOOL), value("next", ["M"]), value("seen", ["M"])],
    )
    nodes = [
        NODE("Shape", ["x"], ["size"], start=0, end=1),
        NODE("Squeeze", ["size"], ["turns"]),
        NODE("Loop", ["turns", "", "z"], ["y", "all"], body=body),
    ]
    proto = model(nodes, [value("x", ["N", "M"]), value("z", ["M"])], [value("y"), value("all")])
    rng = np.random.default_rng(6)
    feeds = [
        {k: rng.standard_normal(s).astype(np.float32) for k, s in (("x", (n, m)), ("z", (m,)))}
        for n, m in ((3, 4), (6, 2))
    ]
    check(made, proto, feeds, tmp_path)


def test_a_size_that_nothing_tells(tmp_path: Path) -> None:
    """HLO refuses it by name."""
    inputs = [value("x", [1, 2, "H", "W"]), value("s", [4], TensorProto.INT64)]
    node = NODE("Resize", ["x", "", "", "s"], ["y"], mode="linear")
    path = save(tmp_path, model([node], inputs, [value("y")]))
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, to="hlo", output=tmp_path / "m.hlo.pb", shapes={"x": [1, 2, "H:1..9", "W:1..9"]})
    assert caught.value.code is Code.ShapeNotStatic
