"""Every core op through TFLite and back: exported, imported, and run on the reference interpreter."""

from __future__ import annotations

import pathlib

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import mlconv
from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.driver.context import BUILT_IN
from mlconv.driver.loading import to_core
from mlconv.driver.verification import verify
from mlconv.interp import run_function
from tests.support.core_rows import RANDOM, ROWS, Row, build
from tests.support.litert import file_bytes, to_tfl
from tests.support.thinning import thinned


@pytest.mark.parametrize("row", thinned(2, ROWS), ids=lambda r: r.name)
def test_round_trip(row: Row, tmp_path: pathlib.Path) -> None:
    made: list = []
    m = build(row, made)
    if isinstance(made[0], RANDOM):
        pytest.skip("no numbers to compare")
    inputs = {f"in{i}": a for i, a in enumerate(row.inputs)}
    if isinstance(made[0], (core.Div, core.Rem)) and inputs["in1"].dtype.kind == "i":
        inputs["in1"] = np.maximum(inputs["in1"], 1)  # LiteRT ends with an error where an integer is divided by 0
    with np.errstate(all="ignore"):
        expected = run_function(m.main, inputs)
    path = tmp_path / "m.tflite"
    try:
        path.write_bytes(file_bytes(to_tfl(m)))
    except ConversionError:
        pytest.skip("TFLite has no form for it")
    assert BUILT_IN.format_of(str(path)).name == "tflite"
    back = mlconv.load(path)
    to_core(back.module, DiagnosticEngine())
    with np.errstate(all="ignore"):
        got = back.run({name: a for name, a in inputs.items() if name in back.main.input_names})
    for array, again in zip(expected.values(), got.values(), strict=True):
        kind = np.complex128 if array.dtype.kind == "c" else np.float64
        assert again.dtype == array.dtype
        if array.dtype == object:
            np.testing.assert_array_equal(again, array)
        else:
            np.testing.assert_allclose(again.astype(kind), array.astype(kind), rtol=1e-4, atol=1e-4)


def recurrent(kind: str, path: pathlib.Path, steps: int) -> np.random.Generator:
    """A layer of so many steps."""
    rng, gates = np.random.default_rng(0), {"LSTM": 4, "GRU": 3}[kind]
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[{steps}, 2, 5] x) => (float[{steps}, 1, 2, 6] y) {{ y = {kind} <hidden_size = 6> (x, w, r) }}""")
    for name, width in (("w", 5), ("r", 6)):
        array = rng.standard_normal((1, gates * 6, width)).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    onnx.save(model, path)
    return rng


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_a_loop_has_as_many_ops_again(tmp_path: pathlib.Path, kind: str) -> None:
    """Positions that a step writes at are put together once."""
    recurrent(kind, tmp_path / "m.onnx", 40)
    mlconv.convert(tmp_path / "m.onnx", "tflite", tmp_path / "a.tflite")
    mlconv.convert(tmp_path / "a.tflite", "tflite", tmp_path / "b.tflite")
    first, second = ([op.name for op in mlconv.load(tmp_path / f).module.walk()] for f in ("a.tflite", "b.tflite"))
    assert "core.update_slice" in first and sorted(first) == sorted(second)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_a_loop_that_carries_integers_with_a_scale(tmp_path: pathlib.Path, kind: str) -> None:
    """Products of what a recurrent layer reads are computed in front of its loop, which takes rows of them."""
    rng = recurrent(kind, tmp_path / "m.onnx", 7)
    np.savez(tmp_path / "s.npz", x=rng.standard_normal((7, 2, 5)).astype(np.float32))
    mlconv.quantize(tmp_path / "m.onnx", "tflite", tmp_path / "a.tflite", calibration=str(tmp_path / "s.npz"))
    mlconv.convert(tmp_path / "a.tflite", "tflite", tmp_path / "b.tflite")
    found = verify(tmp_path / "a.tflite", tmp_path / "b.tflite")
    assert found.ok and found.outputs[0].max_abs == 0, found.problem


def test_open_sizes_keep_their_names(tmp_path: pathlib.Path) -> None:
    """So that a size that two inputs share is one again: a state in a loop would have a size that nobody knows."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[time, batch, 5] x, float[1, batch, 6] h) => (float[time, 1, batch, 6] y) {
      y = GRU <hidden_size = 6> (x, w, r, , , h) }""")
    rng = np.random.default_rng(0)
    for name, width in (("w", 5), ("r", 6)):
        array = rng.standard_normal((1, 18, width)).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    mlconv.convert(model, "tflite", tmp_path / "a.tflite")
    shapes = [str(v.tensor.shape) for v in mlconv.load(tmp_path / "a.tflite").main.inputs]
    assert [s.count("batch") for s in shapes] == [1, 1] and "time" in shapes[0]
    mlconv.convert(tmp_path / "a.tflite", "tflite", tmp_path / "b.tflite")
    assert [str(v.tensor.shape) for v in mlconv.load(tmp_path / "b.tflite").main.inputs] == shapes
    mlconv.convert(tmp_path / "a.tflite", "native", tmp_path / "a.o")
    assert verify(tmp_path / "a.tflite", tmp_path / "a.o").ok


@pytest.mark.parametrize(
    "told", ["[", "[1]", '{"s":1}', '{"s":{"in0":"N"}}', '{"s":{"in0":[1,2]}}', '{"s":{"in0":["N"]}}', "[" * 90_000]
)
def test_names_of_sizes_that_are_damaged(told: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model works without; an axis has no name where their number is another, or it is none."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, M] in0) => (float[N, M] y) { y = Relu(in0) }""")
    told = told.replace('"s"', '"serving_default"')
    monkeypatch.setattr("mlconv.exporters.tflite.export.packed", lambda names: told.encode())
    mlconv.convert(model, "tflite", tmp_path / "a.tflite")
    (value,) = mlconv.load(tmp_path / "a.tflite").main.inputs
    assert [str(d) for d in value.tensor.shape or ()] == ["in0_0", "in0_1"]
