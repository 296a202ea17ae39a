"""What `mlconv run` reads, and what it says of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from PIL import Image

from mlconv.formats.safetensors import Described, head_of
from tests.support.cli import call, run
from tests.support.npz import npz

CNN = "digits_cnn.onnx"


@pytest.fixture
def folder(models: Path, tmp_path: Path) -> Path:
    shutil.copy(models / CNN, tmp_path)
    image = npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2)[:1]
    np.savez(tmp_path / "a.npz", image=image, label=np.zeros(1), note=np.ones(2))
    np.save(tmp_path / "a.npy", image)
    np.save(tmp_path / "big-endian.npy", image.astype(">f4"))
    head = head_of({"image": Described("F32", image.shape, image.nbytes)})
    (tmp_path / "a.safetensors").write_bytes(head + np.ascontiguousarray(image).tobytes())
    Image.fromarray((image[0, 0] * 16).round().clip(0, 255).astype(np.uint8)).save(tmp_path / "a.png")
    return tmp_path


def outputs(folder: Path, name: str, *more: str) -> list[np.ndarray]:
    assert call("run", folder / CNN, "--data", folder / name, "-o", folder / "out.npz", *more).exit_code == 0
    return list(npz(folder / "out.npz").values())


def test_all_forms_of_arrays_give_the_same(folder: Path) -> None:
    (expected,) = outputs(folder, "a.npz")
    for name in ("a.npy", "a.safetensors", "big-endian.npy"):
        assert np.array_equal(outputs(folder, name)[0], expected), name
    (pixels,) = outputs(folder, "a.png", "--images", "std=16")  # rounded to bytes, and back
    assert np.abs(pixels - expected).max() < 0.05 and pixels.argmax() == expected.argmax()


def test_a_folder_of_several_forms_is_several_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "data").mkdir()
    for name in ("a.npy", "a.png", "a.safetensors"):
        shutil.copy(folder / name, folder / "data")
    ran = run(folder, monkeypatch, "run", CNN, "--data", "data", "--images", "std=16")
    assert ran.code == 0 and "3 runs on native code: " in ran.out and ran.err == ""


def test_arrays_that_no_input_takes_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run(folder, monkeypatch, "run", CNN, "--data", "a.npz")
    assert ran.err == "note: a.npz also has label, note, which no input is called\n"
    assert "ran on native code: " in ran.out
    assert run(folder, monkeypatch, "-q", "run", CNN, "--data", "a.npz") == (0, "", "")
    facts = json.loads(run(folder, monkeypatch, "run", CNN, "--data", "a.npz", "--json").out)
    assert facts["backend"] == "native" and len(facts["notes"]) == 1 and facts["seconds"][0] > 0
    assert facts["outputs"][0][0]["shape"] == [1, 10]


@pytest.mark.parametrize(
    ("data", "message"),
    [("a.txt", "is not a readable .npz"), ("empty", "holds none of"), ("b.png", "is not a readable image")],
)
def test_what_is_no_input(data: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "empty").mkdir()
    for text in ("a.txt", "b.png"):
        (folder / text).write_text("no numbers")
    ran = run(folder, monkeypatch, "run", CNN, "--data", data)
    assert ran.code == 1 and message in ran.err


def test_an_image_for_two_inputs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [1, 1, 8, 8]) for n in "abc"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["a", "b"], ["c"], "/a")], "g", info[:2], info[2:])
    opsets = [onnx.helper.make_opsetid("", 17)]
    onnx.save(onnx.helper.make_model(graph, ir_version=8, opset_imports=opsets), folder / "m.onnx")
    ran = run(folder, monkeypatch, "run", "m.onnx", "--data", "a.png")
    assert ran.code == 1 and "a.png is one image, the model's inputs are a, b" in ran.err
