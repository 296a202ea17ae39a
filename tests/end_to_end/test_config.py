"""Options of targets from a TOML file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import onnx
import pytest

import mlconv
from mlconv.diagnostics import ConversionError
from tests.support.cli import call

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """An operator that only a custom op of TFLite stands for."""
    text = """<ir_version: 8, opset_import: ["" : 17, "my" : 1]>
    g (float[4, 6] x) => (float[4, 6] y) { y = my.Op(x) }"""
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    return path


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_options_come_from_a_file(model: Path, tmp_path: Path) -> None:
    told = written(
        tmp_path / "mlconv.toml", "[targets.tflite]\nallow-custom-ops = true\n[targets.native]\npool = true\n"
    )
    assert call("convert", model, "--to", "tflite").exit_code == 1
    assert call("convert", model, "--to", "tflite", "--config", told).exit_code == 0
    assert call("check", model, "--config", told).exit_code == 0
    assert mlconv.convert(model, "tflite", tmp_path / "n.tflite", config=told).output
    assert (tmp_path / "n.tflite").read_bytes() == (tmp_path / "m.tflite").read_bytes()


def test_the_table_of_a_project(model: Path, tmp_path: Path) -> None:
    text = "[project]\nname = 'p'\n[tool.mlconv.targets.tflite]\nallow-custom-ops = true\n"
    assert (
        call("convert", model, "--to", "tflite", "--config", written(tmp_path / "pyproject.toml", text)).exit_code == 0
    )
    empty = written(tmp_path / "pyproject.toml", "[project]\nname = 'p'\n")
    assert call("convert", model, "--to", "tflite", "--config", empty).exit_code == 1


def test_the_command_line_and_the_call_win(models: Path, tmp_path: Path) -> None:
    told = written(tmp_path / "c.toml", '[targets.native]\nweights = "file"\n')
    source, weights = models / "digits_cnn.onnx", tmp_path / "m.weights.bin"
    for own, beside in (((), True), (("--weights", "inline"), False), (("-O", "weights=inline"), False)):
        weights.unlink(missing_ok=True)
        done = call("convert", source, "--to", "native", "-o", tmp_path / "m.o", "--config", told, *own)
        assert done.exit_code == 0 and weights.exists() == beside, done.output
    mlconv.convert(source, "native", tmp_path / "m.o", config=told, weights="inline")
    assert not weights.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("target = 1", "there is no key 'target'"),
        ("plugins = 'a'", "plugins is no list of names"),
        ("plugins = ['nothing']", "nothing"),
        ("targets = 3", "targets is no table of tables"),
        ("[targets.tflight]", "there is no target 'tflight'"),
        ("[targets.tflite]\nallow-custom = true", "target tflite has no option 'allow-custom'"),
        ("[targets.tflite]\nallow-custom-ops = 1.5", "allow-custom-ops is true or false"),
        ("[targets.native]\ncpu = 3", "3 is no value of cpu"),
        ("[targets.native]\nwinograd = 'maybe'", "winograd is 'maybe'"),
        ("[targets.hlo]\nshard-rule = ['x']", "shard-rule of target hlo"),
        ("[targets", "c.toml: "),
    ],
)
def test_what_is_wrong_in_a_file(text: str, message: str, model: Path, tmp_path: Path) -> None:
    told = written(tmp_path / "c.toml", text)
    done = call("convert", model, "--to", "tflite", "--config", told)
    assert done.exit_code == 2 and message in done.stderr, done.stderr
    with pytest.raises(ConversionError, match=message):
        mlconv.convert(model, "tflite", config=told)


def test_a_file_that_is_not_there(model: Path, tmp_path: Path) -> None:
    done = call("convert", model, "--to", "tflite", "--config", tmp_path / "c.toml")
    assert done.exit_code == 1 and "MLC0001" in done.stderr
    told = written(tmp_path / "c.toml", "[targets.tflite]\nallow-custom-ops = true\n")
    lost = call("convert", model, "--to", "tflite", "--config", told, "-o", told)
    assert lost.exit_code == 1 and told.read_text().startswith("[targets")  # what is read is not written over


def test_targets_that_do_not_agree(model: Path, tmp_path: Path) -> None:
    told = written(tmp_path / "c.toml", '[targets.hlo]\nmesh = "a=2"\n[targets.stablehlo]\nmesh = "a=4"\n')
    done = call("check", model, "--to", "hlo,stablehlo", "--config", told)
    assert done.exit_code == 2 and "targets do not agree on mesh" in done.stderr


@pytest.mark.parametrize("value", ["", "apple-m1"])
def test_an_option_of_another_target_in_python(value: str, model: Path, tmp_path: Path) -> None:
    """Whatever its value, as on the command line."""
    with pytest.raises(mlconv.ConversionError, match="--cpu is an option of target native, not of tflite"):
        mlconv.convert(model, "tflite", tmp_path / "m.tflite", cpu=value)
    assert not list(tmp_path.glob("m.tflite*"))


def test_the_page_of_options_is_that_of_the_fields() -> None:
    page = [sys.executable, "-c", "import gen_options; print(gen_options.page(), end='')"]
    found = subprocess.run(page, cwd=ROOT / "tools", capture_output=True, text=True, check=True).stdout
    assert found == (ROOT / "docs" / "options.md").read_text(encoding="utf-8"), "run tools/gen_options.py"
