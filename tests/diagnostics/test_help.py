"""What a help line suggests is done, and works."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from onnx import helper

from tests.support import failing_models as models
from tests.support.cli import run


def helps(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[str]:
    ran = run(folder, monkeypatch, *arguments, "--diagnostics-format", "json")
    assert ran.code == 1
    return [d["help"] for d in map(json.loads, ran.out.splitlines())]


def suggested(text: str, option: str) -> list[str]:
    found = re.search(rf"{option} (\S+)", text)
    assert found, text
    return [option, found[1]]


def test_cut_before_an_unsupported_op(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (models.torch_custom_op(tmp_path), models.graphdef_with_debug_info(tmp_path)):
        (text,) = helps(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite")
        assert (
            run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", *suggested(text, "--outputs")).code == 0
        )


def test_keep_a_custom_op(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.torch_custom_op(tmp_path)
    (text,) = helps(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite")
    assert "--allow-custom-ops" in text
    # the type of the op's result is not in this file, which the next message says
    ran = run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", "--allow-custom-ops")
    assert ran.code == 0 or "MLC0302" in ran.err


def test_keep_a_select_op(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.graphdef_with_debug_info(tmp_path)
    (text,) = helps(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite")
    assert "--allow-select-ops" in text
    assert run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", "--allow-select-ops").code == 0


def test_pin_a_dynamic_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.dynamic_relu(tmp_path)
    for target in (("--to", "hlo"), ("--profile", "tflite-micro")):
        (text,) = helps(tmp_path, monkeypatch, "check", path.name, *target)
        assert run(tmp_path, monkeypatch, "check", path.name, *target, *suggested(text, "--shape")).code == 0


@pytest.mark.parametrize(
    ("option", "wrong", "right"),
    [("--outputs", "rr", "r"), ("--outputs", "/head/Rellu", "/head/Relu"), ("--shape", "X=2,4", "x=2,4")],
)
def test_nearly_right_names(
    option: str, wrong: str, right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = models.onnx_file(
        tmp_path / "m.onnx",
        [helper.make_node("Relu", ["x"], ["r"], "/head/Relu"), helper.make_node("Abs", ["r"], ["y"], "/Abs")],
    )
    texts = helps(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", option, wrong)
    assert f"did you mean {right.split('=')[0]!r}" in texts[0], texts
    assert run(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite", option, right).code == 0


def test_nearly_right_op(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = models.onnx_file(tmp_path / "m.onnx", [helper.make_node("relu", ["x"], ["y"], "/relu")])
    assert helps(tmp_path, monkeypatch, "convert", path.name, "--to", "tflite") == ["did you mean 'Relu'?"]
