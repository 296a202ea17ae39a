"""HLO modules of sizes with a range are read as they are: of the largest sizes, and numbers say how much counts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.driver.bisection import bisect
from mlconv.driver.options import Options
from mlconv.driver.verification import Asked, verify
from tests.support.cli import call

TEXT = """<ir_version: 8, opset_import: ["" : 17]>
net (float[N, 4] x) => (float[N, 3] z)
<float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}>
{ [mm] y = MatMul (x, w) [r] z = Relu (y) }"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    parsed = onnx.parser.parse_model(TEXT)
    onnx.save(parsed, tmp_path / "a.onnx")
    mlconv.convert(tmp_path / "a.onnx", "hlo", tmp_path / "a.hlo.pb", shapes={"x": ["N:1..8", 4]})
    return tmp_path / "a.hlo.pb"


def test_inspect(model: Path) -> None:
    found = json.loads(call("inspect", model, "--json").stdout)
    assert [(p["name"], p["shape"]) for p in found["inputs"]] == [("x", [8, 4]), ("N", [])]
    assert [p["name"] for p in found["outputs"]] == ["z", "z.shape"]
    assert found["ops"]["hlo.dot"] == 1


def test_what_is_read_computes_the_same(model: Path) -> None:
    x = np.arange(32, dtype=np.float32).reshape(8, 4) - 9
    got = mlconv.load(model).run({"x": x, "N": np.asarray(3, np.int32)})
    want = mlconv.load(model.parent / "a.onnx").run({"x": x[:3]})["z"]
    assert got["z.shape"].tolist() == [3, 3]
    np.testing.assert_array_equal(got["z"][:3], want)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("scale", [1.0, 1.002])
def test_layers(model: Path, first: bool, scale: float) -> None:
    parsed = onnx.parser.parse_model(TEXT)
    weights = onnx.numpy_helper.to_array(parsed.graph.initializer[0]) * np.float32([1, scale, 1])
    parsed.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(weights, "w"))
    other = model.parent / "b.onnx"
    onnx.save(parsed, other)
    found = verify(*((model, other) if first else (other, model)), Asked(layers=True, limits=verify_limits()))
    assert found.layers is not None and found.ok == (scale == 1.0)
    assert scale == 1.0 or "mm" in found.layers.problem


def verify_limits() -> object:
    from mlconv.runtime.measures import limits_of

    return limits_of(1e-4, 1e-6, 15.0)


def test_bisect_runs_them(model: Path) -> None:
    found = bisect(model.parent / "a.onnx", "hlo", options=Options(shapes={"x": ["N:1..8", 4]}))
    assert found.stage is None and not found.broken and found.tried


def test_sizes_and_inputs_of_one_name(tmp_path: Path) -> None:
    """The size of x is called x_0, as the other input is."""
    text = """<ir_version: 8, opset_import: ["" : 17]>
net (float[A, 3] x, float[C, 3] x_0) => (float[A, 3] y, float[C, 3] z) { y = Relu (x) z = Neg (x_0) }"""
    source, made = tmp_path / "a.onnx", tmp_path / "a.hlo.pb"
    onnx.save(onnx.parser.parse_model(text), source)
    mlconv.convert(source, "hlo", made, shapes={"x": ["x_0:1..4", 3], "x_0": ["C:1..4", 3]})
    read = mlconv.load(made)
    assert read.main.input_names == ["x", "x_0", "C", "x_0.size"]
    mlconv.convert(made, "onnx", tmp_path / "b.onnx")
    assert verify(source, made, Asked(layers=True)).ok
