"""What differs on other systems, emulated: encodings, ends of lines, paths and files of Windows."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from onnx import helper

import mlconv
from mlconv.diagnostics import Code
from mlconv.formats import atomic
from tests.support import failing_models
from tests.support.cli import call, run

ONNX = """<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x) => (float[2, 2] y) <float[3, 2] w = {1, 2, 3, 4, 5, 6}> {
  [product] y = MatMul(x, w)
}
"""
GRAPH = """node {
  name: "x"
  op: "Placeholder"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } }
}
node {
  name: "y"
  op: "Relu"
  input: "x"
  attr { key: "T" value { type: DT_FLOAT } }
}
"""
IR = """func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.abs %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""


@pytest.mark.parametrize("command", [("inspect",), ("check",), ("convert", "--to", "tflite", "-o", "o.tflite")])
def test_an_output_of_few_characters(command: tuple[str, ...], tmp_path: Path) -> None:
    """cp1252 has no Greek or Cyrillic: such names are written with escapes, and what it has as it is."""
    node = helper.make_node("Wobble", ["x"], ["y"], "/Σ/слой/é", domain="com.acme")
    path = failing_models.onnx_file(tmp_path / "m.onnx", [node])
    env = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    line = [sys.executable, "-m", "mlconv", command[0], path.name, *command[1:]]
    ran = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, check=False)
    text = (ran.stdout + ran.stderr).decode("cp1252")
    assert ran.returncode == (0 if command[0] == "inspect" else 1) and "Traceback" not in text
    if command[0] != "inspect":
        assert r"/\u03a3/\u0441\u043b\u043e\u0439/é" in text


@pytest.mark.parametrize(("name", "text"), [("m.onnxtxt", ONNX), ("m.pbtxt", GRAPH), ("m.mlir", IR)])
def test_models_in_text_with_lines_of_windows(name: str, text: str, tmp_path: Path) -> None:
    made = []
    for end in ("\n", "\r\n"):
        (tmp_path / name).write_bytes(text.replace("\n", end).encode())
        mlconv.convert(tmp_path / name, "tflite", tmp_path / "m.tflite")
        made.append((tmp_path / "m.tflite").read_bytes())
    assert made[0] == made[1]


def test_other_files_with_lines_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.onnxtxt").write_text(ONNX)
    (tmp_path / "p.toml").write_bytes(
        b'name = "npu"\r\ndescription = "ours"\r\n[ops]\r\ndeny = ["FULLY_CONNECTED"]\r\n'
    )
    (tmp_path / "c.toml").write_bytes(b'[targets.native]\r\nweights = "file"\r\n')
    ran = run(tmp_path, monkeypatch, "check", "m.onnxtxt", "--profile", "p.toml", "--write-baseline", "known.json")
    assert ran.code == 0 and "npu does not run FULLY_CONNECTED" in ran.err
    known = (tmp_path / "known.json").read_bytes()
    (tmp_path / "known.json").write_bytes(known.replace(b"\n", b"\r\n"))
    assert run(tmp_path, monkeypatch, "check", "m.onnxtxt", "--profile", "p.toml", "--baseline", "known.json").code == 0
    ran = run(tmp_path, monkeypatch, "convert", "m.onnxtxt", "--to", "native", "--config", "c.toml")
    assert ran.code == 0 and (tmp_path / "m.weights.bin").exists(), ran.err


def test_a_model_of_windows_is_checked_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its recorded paths lead to the lines of the project here, whatever the case of the drive."""
    failing_models.torch_custom_op(tmp_path)
    node = failing_models.traced(
        helper.make_node("wobble", ["x"], ["y"], "/head/wobble", domain="com.acme"),
        (r"C:\Users\me\net\net.py", 12, "forward", "return self.head(x)"),
        (r"C:\Users\me\net\net.py", 7, "forward", "return torch.ops.acme.wobble(y)"),
    )
    failing_models.onnx_file(tmp_path / "m.onnx", [node])
    for old in (r"C:\Users\me\net", "c:/users/me/net/"):
        ran = run(tmp_path, monkeypatch, "check", "m.onnx", "--path-map", f"{old}=.")
        assert "--> net.py:7:16 in forward" in ran.err and "^^^^" in ran.err, ran.err
    assert r"--> C:\Users\me\net\net.py:7" in run(tmp_path, monkeypatch, "check", "m.onnx").err


def test_a_file_that_is_in_use_is_not_replaced(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to replace a file that a process has mapped: it is told, and nothing is left behind or lost."""
    output = tmp_path / "m.tflite"
    output.write_bytes(b"mapped")
    replace = os.replace

    def refuse(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
        if Path(target) == output and not re.search(r"\.old$", os.fspath(source)):
            raise PermissionError(errno.EACCES, "Access is denied")
        replace(source, target)

    monkeypatch.setattr(atomic, "_WINDOWS", True)
    monkeypatch.setattr(os, "replace", refuse)
    ran = call("convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", output)
    assert ran.exit_code == 1 and f"error[MLC0007]: cannot write {output}: Access is denied" in ran.stderr
    assert "help: close what has the file open" in ran.stderr
    assert output.read_bytes() == b"mapped" and [p.name for p in tmp_path.iterdir()] == ["m.tflite"]


@pytest.mark.parametrize(
    "name", ["nul", "NUL.tflite", "com1.o", "lpt³.onnx", "aux .tflite", "a:b.tflite", "m.", "m ", "a?"]
)
def test_reserved_names(name: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = models / "digits_cnn.onnx"
    mlconv.convert(model, "tflite", tmp_path / name)  # names like others here
    monkeypatch.setattr(atomic, "_WINDOWS", True)
    with pytest.raises(mlconv.ConversionError, match="Windows has no file of the name") as caught:
        mlconv.convert(model, "tflite", tmp_path / name)
    assert caught.value.code is Code.OutputNotWritable


@pytest.mark.parametrize("name", ["null.tflite", "com.tflite", "com10.tflite", "console.tflite", "m.aux"])
def test_names_that_only_look_reserved(
    name: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "_WINDOWS", True)
    assert mlconv.convert(models / "digits_cnn.onnx", "tflite", tmp_path / name).size_bytes
