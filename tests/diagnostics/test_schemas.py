"""What commands print with --json, held to the schemas that `mlconv explain --schema` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from mlconv.cli import COMMANDS
from mlconv.commands.reports import REPORTS
from tests.support import failing_models
from tests.support.cli import call, run
from tests.support.npz import npz

CNN = "digits_cnn.onnx"
FIXED = ("--shape", "image=1,1,8,8")
GIVEN = ("--data", "d.npz", "--expect", "e.npz")
COMMAND_LINES: Mapping[str, list[tuple[str, ...]]] = {
    "convert": [
        ("convert", CNN, "-o", "a.tflite", "--verify"),
        ("convert", CNN, "-o", "a.o", "--optimize", "size", "--time-passes"),
        ("convert", CNN, "-o", "b.tflite", "--quantize", "int8", "--calibration", "random:2", *FIXED),
    ],
    "quantize": [("quantize", CNN, "--to", "tflite", "--calibration", "random:2", *FIXED)],
    "simplify": [("simplify", CNN)],
    "build": [
        ("build",),
        ("build", "--check"),
        ("build", "-f", "wrong.toml"),
        ("build", "--from", ".mlconv/cnn.json"),
    ],
    "init": [("init", CNN, "-f", "new.toml", "--to", "tflite,hlo")],
    "inspect": [("inspect", CNN), ("inspect", "a.o"), ("inspect", "a.tflite")],
    "inspect-nodes": [("inspect", CNN, "--show", "nodes")],
    "inspect-tensors": [("inspect", CNN, "--show", "tensors", "--statistics")],
    "inspect-sizes": [("inspect", CNN, "--show", "sizes"), ("inspect", "a.o", "--show", "sizes")],
    "inspect-memory": [("inspect", CNN, "--show", "memory", *FIXED)],
    "inspect-quantization": [("inspect", "b.tflite", "--show", "quantization")],
    "inspect-delegates": [("inspect", "b.tflite", "--show", "delegates")],
    "diff": [("diff", CNN, CNN), ("diff", CNN, "b.tflite")],
    "check": [
        ("check", CNN),
        ("check", CNN, CNN, "--to", "tflite,native", "--quantize", "int8", "--max-size", "1MB", "--max-time", "1s"),
    ],
    "doctor": [("doctor",), ("doctor", "--targets"), ("doctor", "--formats")],
    "verify": [("verify", CNN, "a.tflite", "--per-layer"), ("verify", CNN, *GIVEN)],
    "bisect": [
        ("bisect", CNN, "--to", "tflite", *FIXED),
        ("bisect", CNN, "--to", "tflite", *GIVEN),
    ],
    "run": [("run", CNN), ("run", "a.o", *GIVEN)],
    "bench": [
        ("bench", CNN, "--rounds", "2", "--compare", "installed", *FIXED),
        ("bench", CNN, "--rounds", "2", "--threads", "1,2", *FIXED),
        ("bench", CNN, "--rounds", "2", "--batch", "1,2"),
    ],
    "tune": [("tune", CNN, "-o", "tiles.json", *FIXED), ("tune", CNN, "-o", "none.json")],
    "explain": [("explain", "MLC0401"), ("explain", "core.conv")],
    "completion": [("completion", "bash"), ("completion", "fish")],
    "opt": [("opt", CNN, "--pipeline", "from-onnx,fold", "--time-passes"), ("opt", CNN, "-o", "a.mlir")],
}


@pytest.fixture
def folder(tmp_path: Path, models: Path) -> Path:
    (tmp_path / CNN).write_bytes((models / CNN).read_bytes())
    (tmp_path / "mlconv.toml").write_text(f'[conversions.cnn]\nmodel = "{CNN}"\nto = "tflite"\n')
    big, gone = (f'[conversions.{name[:1]}]\nmodel = "{name}"\nto = "tflite"\n' for name in (CNN, "x"))
    (tmp_path / "wrong.toml").write_text(f"{big}bounds.size = 9\n{gone}")
    golden = npz(models / "digits_cnn.npz")
    np.savez(tmp_path / "d.npz", image=golden["image"].transpose(0, 3, 1, 2))
    np.savez(tmp_path / "e.npz", scores=golden["scores"])
    return tmp_path


def test_every_report_has_the_form_of_its_schema(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, lines in COMMAND_LINES.items():
        schema = json.loads(call("explain", "--schema", name).stdout)
        Draft202012Validator.check_schema(schema)
        for line in lines:
            ran = run(folder, monkeypatch, *line, "--json")
            assert ran.out, (line, ran)
            Draft202012Validator(schema).validate(json.loads(ran.out))


def test_a_diagnostic_has_the_form_of_its_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = json.loads(call("explain", "--schema", "diagnostic").stdout)
    path = failing_models.torch_custom_op(tmp_path)
    for line in (("convert", path.name, "--to", "tflite"), ("convert", "x.onnx", "--to", "tflite"), ("convert", "--x")):
        ran = run(tmp_path, monkeypatch, *line, "--diagnostics-format", "json")
        rows = [json.loads(text) for text in ran.out.splitlines()]
        assert ran.code and rows
        for row in rows:
            Draft202012Validator(schema).validate(row)


def test_schemas_are_strict() -> None:
    """A key more, a key less, or a value of another type is found."""
    validator = Draft202012Validator(json.loads(call("explain", "--schema", "init").stdout))
    good: dict[str, object] = {"path": "a", "conversions": ["b"]}
    assert validator.is_valid(good)
    for bad in ({**good, "more": 1}, {"path": "a"}, {**good, "conversions": "b"}, {**good, "path": None}):
        assert not validator.is_valid(bad)


def test_every_command_has_a_schema() -> None:
    commands = {name for listed in COMMANDS.values() for name in listed}
    assert {name.partition("-")[0] for name in REPORTS} - {"diagnostic"} == commands
    assert REPORTS.keys() - {"diagnostic"} == COMMAND_LINES.keys()
    ran = call("explain", "--schema", "inspect-node")
    assert ran.exit_code == 2 and "did you mean 'inspect-nodes'" in ran.stderr
