"""The sample plug-in is installed, and used: its target, pass, op, lowerings and kernel."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv.plugin
from mlconv.driver import plugins
from tests.support.npz import npz

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "testdata" / "plugin"
PIPELINE = "from-onnx,canonicalize,sample-squares"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the plug-in is installed into, as pip does it."""
    source, site = tmp_path_factory.mktemp("source") / "plugin", tmp_path_factory.mktemp("site")
    shutil.copytree(SAMPLE, source)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--disable-pip-version-check", "--target", site, source], check=True)
    return site


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """y = (x - 1) * (x - 1)."""
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[4, 6] x) => (float[4, 6] y) <float one = {1}> { d = Sub(x, one) y = Mul(d, d) }"""
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    return path


def run(site: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The program, with the plug-in installed."""
    path = os.pathsep.join(map(str, (ROOT, site)))
    return subprocess.run(
        [sys.executable, "-m", "mlconv", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.share(4)
def test_its_target_is_found_by_name(site: Path, model: Path, tmp_path: Path) -> None:
    done = run(site, "convert", model, "--to", "dot", "-O", "direction=right", "-o", tmp_path / "m.dot")
    assert done.returncode == 0, done.stderr
    drawn = (tmp_path / "m.dot").read_text()
    assert "rankdir=LR" in drawn and 'label="sample.square"' in drawn and "core.mul" not in drawn
    refused = run(site, "convert", model, "--to", "dot", "-O", "direction=up")
    assert refused.returncode == 2 and "expected down or right" in refused.stderr
    foreign = run(site, "convert", model, "--to", "dot", "--mesh", "a=2")
    assert foreign.returncode == 2 and "--mesh is an option of target hlo and stablehlo, not of dot" in foreign.stderr


@pytest.mark.share(6)
@pytest.mark.parametrize(("target", "made"), [("tflite", "tfl.SQUARE"), ("hlo", "hlo.multiply"), ("native", "kernel")])
def test_its_op_becomes_ops_of_every_target(target: str, made: str, site: Path, model: Path, tmp_path: Path) -> None:
    text, artifact = tmp_path / "m.mlir", tmp_path / "m.o"
    done = run(site, "opt", model, "--plugin", "mlconv-sample", "--pipeline", PIPELINE, "-o", text)
    assert done.returncode == 0 and '"sample.square"' in text.read_text(), done.stderr
    done = run(site, "convert", text, "--plugin", "mlconv_sample", "--to", target, "-o", artifact, "--verify")
    assert done.returncode == 0 and "verified y" in done.stdout, done.stderr
    lowered = tmp_path / "dump"
    run(site, "convert", text, "--plugin", "mlconv-sample", "--to", target, "-o", artifact, "--dump-ir", lowered)
    last = sorted(lowered.iterdir())[-1].read_text()
    assert ("sample.square_kernel" if target == "native" else made) in last


def test_its_kernel_is_right(site: Path, model: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", x=np.arange(24, dtype=np.float32).reshape(4, 6))
    run(site, "opt", model, "--plugin", "mlconv-sample", "--pipeline", PIPELINE, "-o", tmp_path / "m.mlir")
    run(site, "convert", tmp_path / "m.mlir", "--plugin", "mlconv-sample", "--to", "native", "-o", tmp_path / "m.o")
    done = run(site, "run", tmp_path / "m.o", "--data", tmp_path / "x.npz", "-o", tmp_path / "y.npz")
    assert done.returncode == 0, done.stderr
    want = (np.arange(24, dtype=np.float32).reshape(4, 6) - 1) ** 2
    np.testing.assert_array_equal(npz(tmp_path / "y.npz")["y"], want)


def test_its_kernel_is_measured(site: Path, model: Path, tmp_path: Path) -> None:
    text = tmp_path / "s.mlir"
    assert run(site, "opt", model, "--plugin", "mlconv-sample", "--pipeline", PIPELINE, "-o", text).returncode == 0
    done = run(site, "bench", text, "--plugin", "mlconv-sample", "--json")
    assert done.returncode == 0, done.stderr
    assert "sample.square_kernel" in {op["op"] for op in json.loads(done.stdout)["ops"]}


def test_its_format_is_read(site: Path, tmp_path: Path) -> None:
    formula = tmp_path / "f.formula"
    formula.write_text("y = (x - 1) * (x - 1) / 2\n")
    done = run(site, "convert", formula, "--plugin", "mlconv-sample", "--to", "tflite", "--verify")
    assert done.returncode == 0 and "verified y" in done.stdout, done.stderr
    (tmp_path / "c.toml").write_text("plugins = ['mlconv-sample']\n[targets.dot]\ndirection = 'right'\n")
    done = run(site, "convert", formula, "--config", tmp_path / "c.toml", "--to", "dot", "-o", tmp_path / "f.dot")
    assert done.returncode == 0 and "rankdir=LR" in (tmp_path / "f.dot").read_text(), done.stderr
    formula.write_text("y = x ** 2\n")
    refused = run(site, "convert", formula, "--plugin", "mlconv-sample", "--to", "tflite")
    assert refused.returncode == 1 and "x ** 2 is no sum" in refused.stderr
    assert f"--> {formula}:1:5" in refused.stderr


@pytest.mark.share(6)
@pytest.mark.parametrize("command", ["inspect", "check", "opt", "run", "bench"])
def test_every_command_reads_its_format(command: str, site: Path, tmp_path: Path) -> None:
    formula = tmp_path / "f.formula"
    formula.write_text("y = (x - 1) * (x - 1) / 2\n")
    rounds = ["--rounds", 2] if command == "bench" else []
    for named in (["--plugin", "mlconv-sample"], []):
        done = run(site, command, formula, *named, *rounds)
        assert done.returncode == 0, done.stderr
    refused = run(tmp_path, command, formula)
    assert refused.returncode == 1 and "MLC0002" in refused.stderr, "there is no plug-in here"


def test_a_model_of_its_format_is_loaded(site: Path, tmp_path: Path) -> None:
    formula = tmp_path / "f.formula"
    formula.write_text("y = x * x\n")
    script = f"import mlconv, numpy; m = mlconv.load({str(formula)!r}, plugins=['mlconv-sample'])"
    script += "; print(m.run({'x': numpy.array([3], numpy.float32)})['y'])"
    path = os.pathsep.join(map(str, (ROOT, site)))
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stdout == "[9.]\n"


def test_doctor_lists_it(site: Path) -> None:
    done = run(site, "doctor", "--plugin", "mlconv-sample")
    assert (
        "dot          Graphviz: writes" in done.stdout
        and "mlconv-sample 1.0: targets dot; formats formula; passes" in done.stdout
    )
    assert "sample-squares" in run(site, "opt", "--list", "--plugin", "mlconv-sample").stdout
    assert "Graphviz" not in run(site, "doctor", "--targets").stdout  # until it is named


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("API = 1", "API = 2"), "was written for version 2 of the interface, this is 1"),
        (("API = 1", "import nowhere"), "cannot be loaded: No module named 'nowhere'"),
    ],
)
def test_a_plugin_that_does_not_fit(change: tuple[str, str], message: str, site: Path, model: Path) -> None:
    changed = shutil.copytree(site, model.parent / "site")
    module = changed / "mlconv_sample" / "__init__.py"
    module.write_text(module.read_text().replace(*change))
    done = run(changed, "convert", model, "--to", "dot")
    assert done.returncode == 2 and "MLC0802" in done.stderr and message in done.stderr


def test_a_name_that_is_taken(site: Path, model: Path) -> None:
    changed = shutil.copytree(site, model.parent / "site")
    (points,) = changed.glob("*.dist-info/entry_points.txt")
    points.write_text(points.read_text().replace("dot =", "tflite ="))
    done = run(changed, "check", model, "--plugin", "mlconv-sample")
    assert done.returncode == 2 and "has 'tflite' among its targets, which there is already" in done.stderr


def test_an_option_that_is_taken(site: Path, model: Path) -> None:
    changed = shutil.copytree(site, model.parent / "site")
    for file in (changed / "mlconv_sample").rglob("*.py"):
        file.write_text(file.read_text().replace("direction", "verify"))
    done = run(changed, "convert", model, "--to", "dot", "-O", "verify=true")
    assert done.returncode == 2 and "has the option 'verify', which all conversions have" in done.stderr


def test_the_walk_shows_the_code_that_there_is() -> None:
    """Each block of docs/extending.md that is headed by a file stands in that file."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", text, re.M | re.S)
    assert {Path(name).name for name, _ in blocks} >= {"ops.py", "passes.py", "target.py", "format.py", "kernel.py"}
    for name, code in blocks:
        assert code in (ROOT / name).read_text(encoding="utf-8"), name


def test_the_interface_is_pinned() -> None:
    """What plug-ins may import; a name that goes, or changes its meaning, needs another number."""
    assert mlconv.plugin.API == plugins.API == 1
    assert set(mlconv.plugin.__all__) >= {"Target", "SourceFormat", "Pass", "Rules", "KernelKind", "Dialect", "op"}
    assert all(hasattr(mlconv.plugin, name) for name in mlconv.plugin.__all__)
    sources = [p.read_text() for p in (SAMPLE / "mlconv_sample").glob("*.py")]
    assert not any("from mlconv." in s.replace("from mlconv.plugin import", "") for s in sources)


def test_what_has_an_unknown_name_is_found(site: Path, model: Path, tmp_path: Path) -> None:
    """Passes, files of a format, ops of a dialect: no plug-in has to be named."""
    text = tmp_path / "m.mlir"
    done = run(site, "opt", model, "--pipeline", PIPELINE, "-o", text)
    assert done.returncode == 0 and '"sample.square"' in text.read_text(), done.stderr
    done = run(site, "convert", text, "--to", "tflite", "-o", tmp_path / "m.tflite", "--verify", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["plugins"] == [{"name": "mlconv-sample", "version": "1.0"}]
    formula = tmp_path / "m.formula"
    formula.write_text("y = x * x\n")
    for command in (
        ["inspect", formula],
        ["run", formula],
        ["check", formula],
        ["convert", formula, "--to", "tflite"],
    ):
        done = run(site, *command)
        assert done.returncode == 0, done.stderr
    assert "sample.square" in run(site, "explain", "sample.square").stdout


def test_a_target_of_core_ops_runs_its_passes(site: Path, tmp_path: Path) -> None:
    formula, drawn = tmp_path / "m.formula", tmp_path / "m.dot"
    formula.write_text("y = x * x\n")
    done = run(site, "convert", formula, "--to", "dot", "-o", drawn)
    assert done.returncode == 0 and 'label="sample.square"' in drawn.read_text(), done.stderr
