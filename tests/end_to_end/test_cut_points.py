"""Models cut at any name that reports have: two parts behind one another are the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import mlconv
from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.driver.loading import import_model
from mlconv.driver.options import Options
from mlconv.provenance.locations import first_name
from tests.support.cli import call
from tests.support.npz import npz
from tests.support.onnx_models import model, save, value

FILES = ("digits_cnn.onnx", "digits_cnn.pb", "digits_cnn_saved_model", "digits_transformer.pb", "digits_rnn.onnx")


def names(path: Path) -> list[str]:
    """Of nodes that compute with floats, as errors and reports have them."""
    found = import_model(str(path), Options(), DiagnosticEngine()).main
    plain = [
        op for op in found.block.ops if op.results and not op.regions and not op.name.endswith(("Const", "Constant"))
    ]
    return [
        first_name(op.location) for op in plain if "float" in str(op.results[0].type) or "*" in str(op.results[0].type)
    ]


def images(models: Path, file: str) -> tuple[np.ndarray, np.ndarray]:
    golden = npz(models / f"{file.partition('.')[0].removesuffix('_saved_model')}.npz")
    image = golden["image"]
    return (np.ascontiguousarray(image.transpose(0, 3, 1, 2)) if file == "digits_cnn.onnx" else image), golden["scores"]


@pytest.mark.share(4)
@pytest.mark.parametrize("file", FILES)
def test_two_parts_are_the_whole(file: str, models: Path) -> None:
    """Neither type nor shape of the value between them is asked for."""
    path, (image, scores) = models / file, images(models, file)
    found = names(path)
    cuts = 0
    for name in found[len(found) // 3 :: max(len(found) // 6, 1)]:
        first = mlconv.load(path, outputs=[name])
        try:
            second = mlconv.load(path, inputs=[name])
        except ConversionError as error:  # the other path of a residual reads the model's input, too
            raise AssertionError(name) from error
        (shape,) = [v.tensor.shape for v in second.main.inputs[:1]]
        assert shape is not None
        (middle,) = first.run({first.main.input_names[0]: image}).values()
        assert middle.ndim == len(shape)
        given = dict.fromkeys(second.main.input_names[1:], image)
        (got,) = second.run({second.main.input_names[0]: middle, **given}).values()
        np.testing.assert_allclose(got, scores, atol=2e-5)
        cuts += 1
    assert cuts >= 3


@pytest.mark.share(4)
@pytest.mark.parametrize("file", ["digits_cnn.onnx", "digits_cnn.pb", "digits_cnn_saved_model"])
@pytest.mark.parametrize("target", ["tflite", "native"])
def test_the_second_part_converts(file: str, target: str, models: Path, tmp_path: Path) -> None:
    path = models / file
    relu = next(name for name in names(path) if "relu" in name.lower())
    result = mlconv.convert(path, target, tmp_path / "m.out", inputs=(relu,), verify=True)
    assert [v["ok"] for v in result.verification] == [True]
    (given,) = result.inputs
    assert given["dtype"] == "float32" and len(given["shape"]) == 4 and 16 in given["shape"]


def test_behind_what_cannot_be_converted(tmp_path: Path) -> None:
    """There the shape must be given, and the message says how."""
    nodes = [
        helper.make_node("Own", ["x"], ["middle"], domain="own"),
        helper.make_node("Relu", ["middle"], ["y"]),
    ]
    path = save(
        tmp_path, model(nodes, [value("x", [2, 3])], [value("y", None)], domains={"own": 1}),
    )  # fmt: skip
    with pytest.raises(ConversionError) as caught:
        mlconv.load(path, inputs=["middle"])
    assert caught.value.code is Code.ElementTypeUnsupported and "--shape middle=" in caught.value.diagnostic.help
    loaded = mlconv.load(path, inputs=["middle"], shapes={"middle": (2, 5)})
    assert loaded.main.inputs[0].tensor.shape == (2, 5)


def test_outputs_of_an_artifact(models: Path, tmp_path: Path) -> None:
    mlconv.convert(models / "digits_cnn.pb", "tflite", tmp_path / "m.tflite")
    inner = next(v.name for op in mlconv.load(tmp_path / "m.tflite").module.walk() for v in op.results if v.name)
    whole, part = (mlconv.load(tmp_path / "m.tflite", outputs=names).main for names in ([], [inner]))
    assert part.output_names == [inner] != whole.output_names


def test_sizes_are_those_of_the_model(models: Path) -> None:
    """A size that the model leaves open is open between its parts; one that is given is given."""
    path = models / "digits_cnn_saved_model"
    relu = next(name for name in names(path) if "relu" in name.lower())
    open_ = mlconv.load(path, inputs=[relu]).main.inputs[0].tensor.shape
    fixed = mlconv.load(path, inputs=[relu], shapes={relu: (7, 8, 8, 16)}).main.inputs[0].tensor.shape
    assert open_ is not None and not isinstance(open_[0], int) and open_[1:] == (8, 8, 16)
    assert fixed == (7, 8, 8, 16)
    with pytest.raises(ConversionError) as caught:
        mlconv.load(path, inputs=[relu], shapes={relu: (7, 9, 8, 16)})
    assert caught.value.code is Code.ShapeMismatch


@pytest.mark.parametrize("file", FILES[:3])
def test_unknown_names(file: str, models: Path) -> None:
    path = models / file
    relu = next(name for name in names(path) if "relu" in name.lower())
    for option in ("inputs", "outputs"):
        with pytest.raises(ConversionError) as caught:
            mlconv.load(path, **{option: [relu + "x"]})
        assert caught.value.code is Code.NameNotFound and relu in caught.value.diagnostic.help


def test_inside_of_a_loop(models: Path) -> None:
    found = import_model(str(models / "digits_rnn.pb"), Options(), DiagnosticEngine())
    inner = next(
        op for op in found.walk() if op.block is not found.main.block and op.results and first_name(op.location)
    )
    with pytest.raises(ConversionError) as caught:
        mlconv.load(models / "digits_rnn.pb", outputs=[inner.results[0].name or first_name(inner.location)])
    assert caught.value.code is Code.NameNotFound and "loop" in str(caught.value)


def test_command_line(models: Path, tmp_path: Path) -> None:
    path = models / "digits_cnn_saved_model"
    relu = next(name for name in names(path) if "relu" in name.lower())
    ran = call("convert", path, "--to", "tflite", "-o", tmp_path / "m.tflite", "--inputs", relu, "--outputs", "scores")
    assert ran.exit_code == 0 and "8,8,16" in ran.output
