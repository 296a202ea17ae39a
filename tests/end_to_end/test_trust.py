"""What a model file may make the program do: run no code, read no file outside of its folder, unless the user says
so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.support.cli import call

_LAMBDA = """
import keras, sys
model = keras.Sequential([keras.Input((3,), name="x"), keras.layers.Lambda(lambda x: x * 2.0, output_shape=(3,))])
model.save(sys.argv[1])
"""


def test_keras_files_run_no_code_and_import_nothing_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Lambda layer holds Python code; modules of the current folder would be taken for those of the libraries."""
    subprocess.run([sys.executable, "-c", _LAMBDA, str(tmp_path / "m.keras")], check=True, capture_output=True)
    monkeypatch.chdir(tmp_path)
    for name in ("keras", "tensorflow", "numpy", "json", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("open('was-here', 'w').close()\n")
    result = call("convert", "m.keras", "--to", "tflite")
    assert result.exit_code == 1 and "MLC0302" in result.output and "--unsafe-keras" in result.output, result.output
    assert not (tmp_path / "was-here").exists() and not (tmp_path / "m.tflite").exists()
    result = call("convert", "m.keras", "--to", "tflite", "--unsafe-keras", "--verify")
    assert result.exit_code == 0, result.output
    assert not (tmp_path / "was-here").exists()


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    """A model as the Hugging Face cache keeps it: files in `snapshots` are links into `blobs`."""
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "0123"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    value = helper.make_tensor_value_info
    weights = numpy_helper.from_array(np.arange(3, dtype=np.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [value("x", TensorProto.FLOAT, [3])],
        [value("y", TensorProto.FLOAT, [3])],
        [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, blobs / "aaaa", save_as_external_data=True, location="model.onnx_data", size_threshold=0)
    (blobs / "model.onnx_data").rename(blobs / "bbbb")
    (snapshot / "model.onnx").symlink_to(Path("../../blobs/aaaa"))
    (snapshot / "model.onnx_data").symlink_to(Path("../../blobs/bbbb"))
    return snapshot / "model.onnx"


def test_links_that_leave_the_folder(cached: Path, tmp_path: Path) -> None:
    output = tmp_path / "m.tflite"
    result = call("convert", cached, "--to", "tflite", "-o", output)
    assert result.exit_code == 1 and "MLC0005" in result.output and "--allow-linked-data" in result.output
    result = call("convert", cached, "--to", "tflite", "-o", output, "--allow-linked-data", "--verify")
    assert result.exit_code == 0, result.output
    result = call("convert", cached, "--to", "tflite", "-o", tmp_path / "blobs" / "bbbb", "--allow-linked-data")
    assert result.exit_code == 1 and "is an input" in result.output


@pytest.mark.parametrize("location", ["../secret", "/etc/passwd", "sub/../../secret", "C:\\secret", "", "a\0b"])
def test_allowed_links_are_no_leave_for_paths(location: str, cached: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(12))
    model = onnx.load(cached, load_external_data=False)
    model.graph.initializer[0].external_data[0].value = location
    cached.unlink()
    cached.write_bytes(model.SerializeToString())
    result = call("convert", cached, "--to", "tflite", "-o", tmp_path / "m.tflite", "--allow-linked-data")
    assert result.exit_code == 1 and "MLC0005" in result.output
    assert os.listdir(tmp_path / "blobs")
