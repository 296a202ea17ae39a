"""Inputs and outputs in the form that was asked for, on every target: `--layout`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onnx import helper

import mlconv
from mlconv.diagnostics import Code, ConversionError, Severity
from tests.support import graph_defs
from tests.support.cli import call
from tests.support.onnx_models import model, save, value

TARGETS = ("tflite", "native", "hlo", "stablehlo", "onnx", "savedmodel")
LAYOUTS = {"image": "nhwc", "small": "nhwc"}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As torch writes it: channels first, padded windows; an image and a vector come out."""
    rng = np.random.default_rng(7)
    nodes = [
        helper.make_node("Conv", ["image", "w1", "b1"], ["h"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Conv", ["r", "w2"], ["small"], pads=[1, 1, 1, 1]),
        helper.make_node("ReduceMean", ["small"], ["vector"], axes=[2, 3], keepdims=0),
    ]
    weights = {
        "w1": rng.standard_normal((8, 3, 3, 3)).astype(np.float32),
        "b1": rng.standard_normal(8).astype(np.float32),
        "w2": rng.standard_normal((5, 8, 3, 3)).astype(np.float32),
    }
    outputs = [value("small", [2, 5, 4, 6]), value("vector", [2, 5])]
    proto = model(nodes, [value("image", [2, 3, 8, 12])], outputs, weights, opset=13)
    proto.ir_version = 8
    return save(tmp_path_factory.mktemp("forms"), proto)


@pytest.mark.share(6)
@pytest.mark.parametrize("target", TARGETS)
def test_channels_last_without_transposes(target: str, network: Path, tmp_path: Path) -> None:
    output = tmp_path / ("out" if target == "savedmodel" else "out.o")
    result = mlconv.convert(network, target, output, layouts=LAYOUTS, verify=True, verify_each=True)
    assert result.inputs[0]["shape"] == [2, 8, 12, 3]
    assert [o["shape"] for o in result.outputs] == [[2, 4, 6, 5], [2, 5]]
    assert [v["ok"] for v in result.verification] == [True, True]
    if target == "tflite":
        assert result.transposes == 0


def test_numbers_are_those_of_the_source(network: Path, tmp_path: Path) -> None:
    image = np.random.default_rng(3).standard_normal((2, 3, 8, 12)).astype(np.float32)
    small, vector = onnxruntime.InferenceSession(network).run(None, {"image": image})
    mlconv.convert(network, "native", tmp_path / "m.o", layouts=LAYOUTS)
    got = mlconv.load_native(tmp_path / "m.o").run({"image": np.ascontiguousarray(image.transpose(0, 2, 3, 1))})
    np.testing.assert_allclose(got["small"], small.transpose(0, 2, 3, 1), atol=2e-5)
    np.testing.assert_allclose(got["vector"], vector, atol=2e-5)


def test_verified_with_the_source(network: Path, tmp_path: Path) -> None:
    result = mlconv.convert(
        network, "tflite", tmp_path / "m.tflite", layouts=LAYOUTS, verify=True, verify_with="source"
    )
    assert [v["ok"] for v in result.verification] == [True, True]


def test_one_of_several_and_back(models: Path, tmp_path: Path) -> None:
    """A source with channels last is written with channels first, and an order that is told is believed."""
    first = mlconv.convert(models / "digits_cnn.pb", "tflite", tmp_path / "a.tflite", layouts={"image": "nchw"})
    assert first.inputs[0]["shape"] == ["image_0", 1, 8, 8]
    told = mlconv.convert(models / "digits_cnn.pb", "tflite", tmp_path / "b.tflite", layouts={"image:0": "nchw:nhwc"})
    assert told.inputs[0]["shape"] == ["image_0", 8, 1, 8]


@pytest.mark.parametrize(("order", "shape"), [("nwc", [2, 9, 3]), ("ndhwc", [2, 4, 5, 6, 3]), ("hwc", [7, 8, 3])])
def test_other_ranks(order: str, shape: list[int], tmp_path: Path) -> None:
    at = order.index("c")
    source = list(range(len(shape)))
    source.insert(order.index("n") + 1 if "n" in order else 0, source.pop(at))
    path = save(
        tmp_path,
        model([helper.make_node("Neg", ["x"], ["y"])], [value("x", [shape[i] for i in source])], [value("y", None)]),
    )
    mlconv.convert(path, "native", tmp_path / "m.o", layouts={"x": order, "y": order})
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    np.testing.assert_array_equal(mlconv.load_native(tmp_path / "m.o").run({"x": x})["y"], -x)
    mlconv.convert(path, "native", tmp_path / "n.o", layouts={"x": order})
    there = mlconv.load_native(tmp_path / "n.o").run({"x": x})["y"]
    np.testing.assert_array_equal(there, -x.transpose(source))


@pytest.mark.parametrize(
    ("layouts", "code", "text"),
    [
        ({"imag": "nhwc"}, Code.NameNotFound, "did you mean 'image'"),
        ({"vector": "nhwc"}, Code.ShapeMismatch, "of 2 axes"),
        ({"image": "nhcw"}, Code.UsageError, "expected one of"),
        ({"image": "ncw:nhwc"}, Code.UsageError, "other axes"),
    ],
)
def test_what_does_not_fit(layouts: dict[str, str], code: Code, text: str, network: Path, tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(network, "tflite", tmp_path / "m.tflite", layouts=layouts)
    assert caught.value.code is code
    assert text in f"{caught.value} {caught.value.diagnostic.help}"


def test_unknown_rank(tmp_path: Path) -> None:
    path = graph_defs.save(
        graph_defs.graph(graph_defs.placeholder("x", None), graph_defs.node("y", "Neg", "x", T="float")), tmp_path
    )
    with pytest.raises(ConversionError, match="no known rank"):
        mlconv.convert(path, "hlo", tmp_path / "m.hlo.pb", layouts={"x": "nchw"})


def test_as_it_is_already(network: Path, tmp_path: Path) -> None:
    result = mlconv.convert(network, "tflite", tmp_path / "m.tflite", layouts={"image": "nchw"})
    (note,) = result.diagnostics
    assert note.severity is Severity.NOTE and "--layout image=nhwc:nchw" in note.help
    assert result.inputs[0]["shape"] == [2, 3, 8, 12]


def test_command_line(network: Path, tmp_path: Path) -> None:
    ran = call("convert", network, "--to", "tflite", "-o", tmp_path / "m.tflite", "--layout", "image=nhwc", "--verify")
    assert ran.exit_code == 0 and "float32[2,8,12,3]" in ran.output
    assert call("check", network, "--layout", "image=nhwc").exit_code == 0
    for wrong in ("image", "=nhwc", "image="):
        assert call("check", network, "--layout", wrong).exit_code == 2
    assert call("check", network, "--layout", "image=nhwc", "--layout", "image=nchw").exit_code == 2
