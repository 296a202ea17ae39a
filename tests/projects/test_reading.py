"""Files of projects: what they may say, and how what is wrong is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.projects.bounds import Bounds
from mlconv.driver.projects.reading import Project


def read(folder: Path, text: str, name: str = "mlconv.toml") -> Project:
    (folder / name).write_text(text)
    return Project.read(folder / name)


def problems(folder: Path, text: str) -> list[tuple[str, int]]:
    """Messages, and the lines of the file that they are about."""
    with pytest.raises(ConversionError) as error:
        read(folder, text)
    found = error.value.diagnostics
    assert all(d.code is Code.UsageError for d in found)
    return [(d.message, getattr(d.location, "line", 0)) for d in found]


def test_options_have_the_names_of_the_command_line(tmp_path: Path) -> None:
    project = read(
        tmp_path,
        """
        plugins = []
        [defaults]
        verify = true
        [targets.native]
        optimize = "size"
        [conversions.net]
        model = "models/net.onnx"
        to = "native"
        quantize = "int8"
        quantize-rule = ["conv=float"]
        calibration = "data/samples.npz"
        max-drop = 0.5
        metric = "top1"
        evaluation = "data/test.npz"
        shape = { x = [1, "N:1..8", 3] }
        mean.x = [0.1, 0.2, 0.3]
        std.x = 0.5
        input-type.x = "uint8"
        path-map = { "/src" = "." }
        weights = "file"
        tune-cache = "cache/tiles.json"
        [conversions.net.bounds]
        size = "1.5 MB"
        time = "20 us"
        snr = 30
        """,
    )
    (one,) = project.chosen([])
    assert one.output == "models/net.o" and one.certificate == str(tmp_path / ".mlconv" / "net.json")
    assert one.settings == {
        "verify": True,
        "optimize": "size",
        "quantize": "int8",
        "quantize_rules": ("conv=float",),
        "calibration": str(tmp_path / "data" / "samples.npz"),
        "max_drop": 0.5,
        "metric": "top1",
        "evaluation": str(tmp_path / "data" / "test.npz"),
        "shapes": {"x": (1, "N:1..8", 3)},
        "means": {"x": (0.1, 0.2, 0.3)},
        "stds": {"x": 0.5},
        "input_types": {"x": "uint8"},
        "path_map": (("/src", "."),),
        "weights": "file",
        "tune_cache": str(tmp_path / "cache" / "tiles.json"),
    }
    assert one.bounds == Bounds(size=1.5e6, time=pytest.approx(2e-5), snr=30.0)


def test_all_that_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        """
[conversions.a]
model = "a.onnx"
to = "tflight"
[conversions.b]
model = "b.onnx"
to = "tflite"
quantise = "int8"
[conversions.c]
to = "tflite"
[conversions.d]
model = "d.onnx"
to = "tflite"
tune = true
[conversions.e]
model = "e.onnx"
to = "tflite"
verify = "yes"
[conversions.f]
model = "f.onnx"
output = "f.tflite"
bounds.size = "3 parsecs"
[conversions.g]
model = "g.onnx"
output = "f.tflite"
[conversions."h i"]
model = "h.onnx"
[conversions.j]
models = "j/*.onnx"
to = "tflite"
[conversions.k]
model = "k.onnx"
""",
    )
    expected = {
        2: "conversion a: there is no target 'tflight'",
        8: "conversion b: there is no option 'quantise'",
        9: "conversion c: there is no model",
        14: "conversion d: there is no option 'tune'",
        18: "conversion e: verify is 'yes', expected true or false",
        22: "conversion f: bound size is '3 parsecs'",
        26: "'h i' is no name of a conversion",
        28: "no file is called j/*.onnx",
        31: "there is no target",
    }
    assert [line for _, line in found] == sorted(expected)
    for message, line in found:
        assert expected[line] in message


def test_all_kinds_of_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """Each at the line of its key, in the form of a pyproject.toml too; what is wrong with defaults is told once."""
    text = """foo = 1
plugins = "x"
[defaults]
verfy = true
[targets.natve]
x = 1
[targets.native]
cpu = 3
"pol" = true
[conversions."a b"]
model = "m.onnx"
[conversions.c]
model = "m.onnx"
to = "tflite"
shape = { x = "a" }
bounds = { size = "40 parsec", sped = 1 }
quantise = 8
[conversions.d]
model = "m.onnx"
to = "onnx"
"""
    found = problems(tmp_path, text)
    assert sorted(line for _, line in found) == [1, 2, 4, 5, 8, 9, 10, 15, 16, 16, 17]
    for line, part in ((4, "defaults: there is no option 'verfy'"), (15, "shape.x is 'a'"), (9, "no option 'pol'")):
        assert any(at == line and part in message for message, at in found), (line, found)
    below = "".join(f"[tool.mlconv.{line[1:]}" if line[0] == "[" else line for line in text.splitlines(True)[2:])
    (tmp_path / "mlconv.toml").unlink()
    with pytest.raises(ConversionError) as error:
        read(tmp_path, below, "pyproject.toml")
    lines = sorted(getattr(d.location, "line", 0) for d in error.value.diagnostics)
    assert lines == [2, 3, 6, 7, 8, 13, 14, 14, 15]


def test_two_conversions_of_one_output(tmp_path: Path) -> None:
    text = "\n".join(f'[conversions.{n}]\nmodel = "m.onnx"\noutput = "m.tflite"' for n in "ab")
    assert problems(tmp_path, text) == [(f"{tmp_path}/mlconv.toml: conversions a and b both write m.tflite", 4)]


def test_one_table_for_many_models(tmp_path: Path) -> None:
    for name in ("x/net.onnx", "y/net.onnx", "y/other.onnx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    text = '[conversions.fleet]\nmodels = ["%s"]\nto = "tflite"\noutput = "build/{stem}.tflite"'
    (one, two) = read(tmp_path, text % "y/*.onnx").chosen(["fleet"])
    assert (one.name, one.output) == ("fleet/net", "build/net.tflite") and two.name == "fleet/other"
    many = read(tmp_path, text.replace("{stem}", "{stem}").replace('output = "build/{stem}.tflite"', "") % "*/*.onnx")
    assert [one.name for one in many.chosen(["fleet/x*"])] == ["fleet/x-net"]
    assert [one.output for one in many.chosen(["*/y-net"])] == ["y/net.tflite"]


def test_the_nearest_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[tool.mlconv.conversions.net]\nmodel = "net.onnx"\nto = "tflite"\n'
    (tmp_path / "pyproject.toml").write_text(text)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")  # has no conversions
    monkeypatch.chdir(inner)
    project = Project.read()
    assert project.root == str(tmp_path) and list(project.conversions) == ["net"]
    with pytest.raises(ConversionError) as error:
        project.chosen(["nett"])
    assert "did you mean 'net'?" in error.value.diagnostic.help
    with pytest.raises(ConversionError) as error:
        Project.read(inner)
    assert "mlconv init" in error.value.diagnostic.help


@pytest.mark.parametrize(
    ("table", "values", "kept"),
    [
        ({"size": "4 KiB"}, {"size": 4096.0}, True),
        ({"size": 4000}, {"size": 4001.0}, False),
        ({"time": "2 s"}, {"time": 1.9}, True),
        ({"snr": 20}, {"snr": 19.9}, False),
        ({"agreement": 1}, {"agreement": 1.0}, True),
        ({"agreement": 0.9}, {}, False),  # no output has rows of scores
        ({"error": 1e-3}, {"error": float("nan")}, False),
    ],
)
def test_bounds(table: dict[str, object], values: dict[str, float], kept: bool) -> None:
    (held,) = Bounds.of(table).held(values)
    assert held.ok is kept
