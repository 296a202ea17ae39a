"""`mlconv bisect` finds single steps of stored integers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.helper import make_node

from mlconv.driver.bisection import bisect
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from tests.support.onnx_models import model, save, value
from tests.support.wrong_passes import one_channel, one_weight, wrong_pass, wrong_writer


def of_two_weights(folder: Path) -> Options:
    """A dense layer of two weights in a channel, and one behind it."""
    rng = np.random.default_rng(5)
    weights = {"v": rng.normal(size=(2, 16)), "b": rng.normal(size=16) / 3, "w": rng.normal(size=(16, 4)) / 4}
    nodes = [
        make_node("MatMul", ["x", "v"], ["p"], name="first"),
        make_node("Add", ["p", "b"], ["q"], name="bias"),
        make_node("Tanh", ["q"], ["t"], name="tanh"),
        make_node("MatMul", ["t", "w"], ["y"], name="second"),
    ]
    arrays = {name: array.astype(np.float32) for name, array in weights.items()}
    made = model(nodes, [value("x", [4, 2])], [value("y", [4, 4])], arrays)
    made.ir_version = 8  # that ONNX Runtime reads
    save(folder, made)
    samples = rng.normal(size=(64, 2)).astype(np.float32)
    np.savez(folder / "samples.npz", x=samples)
    np.savez(folder / "x.npz", x=samples[:4])
    return Options(quantize="int8", calibration=str(folder / "samples.npz"))


@pytest.mark.parametrize("name", ["", "to-tfl", "write"])
def test_a_step_of_a_channel_of_two_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    options, change = of_two_weights(tmp_path), one_channel("first", 5e-3, channel=9)
    if name == "write":
        wrong_writer(monkeypatch, BUILT_IN.targets["tflite"], change)
    elif name:
        wrong_pass(monkeypatch, name, change)
    result = bisect(tmp_path / "m.onnx", "tflite", options, data=str(tmp_path / "x.npz"))
    if not name:
        assert not result.problem
        return
    assert result.stage is not None, result.notes
    assert result.stage.is_written if name == "write" else result.stage.name == name, result.problem
    assert result.error().diagnostic.node == "first", result.problem


def of_heads(folder: Path) -> Options:
    """A dense layer whose outputs are taken apart into heads, with a bias and a factor of them behind."""
    rng = np.random.default_rng(6)
    weights = {"v": rng.normal(size=(8, 12)), "b": rng.normal(size=(3, 4)) / 3, "f": 0.35}
    arrays = {name: np.asarray(array, np.float32) for name, array in weights.items()}
    nodes = [
        make_node("MatMul", ["x", "v"], ["p"], name="queries"),
        make_node("Reshape", ["p", "heads"], ["h"], name="apart"),
        make_node("Add", ["h", "b"], ["q"], name="bias"),
        make_node("Mul", ["q", "f"], ["s"], name="scale"),
        make_node("Softmax", ["s"], ["y"], name="softmax"),
    ]
    made = model(nodes, [value("x", [16, 8])], [value("y", [16, 3, 4])], {**arrays, "heads": np.array([16, 3, 4])})
    save(folder, made)
    samples = rng.normal(size=(64, 8)).astype(np.float32)
    np.savez(folder / "samples.npz", x=samples)
    np.savez(folder / "x.npz", x=samples[:16])
    return Options(quantize="int8", calibration=str(folder / "samples.npz"))


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_steps_of_a_weight_of_a_product_that_is_taken_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int | None
) -> None:
    """The op is named, not the factor that went into its weights."""
    options = of_heads(tmp_path)
    if seed is not None:
        wrong_pass(monkeypatch, "quantize", one_weight("queries", *np.random.default_rng(seed).integers((8, 12)), 2))
    result = bisect(tmp_path / "m.onnx", "tflite", options, data=str(tmp_path / "x.npz"))
    if seed is None:
        assert not result.problem
        return
    assert result.stage is not None and result.stage.name.startswith("quantize"), result.notes
    assert result.error().diagnostic.node == "queries", result.problem


def test_inputs_beyond_the_samples_are_no_fault(tmp_path: Path) -> None:
    options = of_two_weights(tmp_path)
    np.savez(tmp_path / "x.npz", x=np.array([[4, -1], [0.3, 0.2], [-3.5, 3.8], [1, 1]], np.float32))
    result = bisect(tmp_path / "m.onnx", "tflite", options, data=str(tmp_path / "x.npz"))
    assert not result.problem


@pytest.mark.parametrize("kind", ["softmax", "lstm"])
def test_correct_pairs_raise_no_alarm(tmp_path: Path, kind: str) -> None:
    """What ONNX reads by a scale of 8 bits, and what few values of kernels show of roundings in a loop."""
    rng = np.random.default_rng(4)
    text = {
        "softmax": """g (float[1, 3, 12, 12] x) => (float[1, 6, 144] y) {
            c = Conv <pads = [1, 1, 1, 1]> (x, w) r = Reshape (c, s) a, b = Split <axis = 1, num_outputs = 2> (r)
            p = Softmax <axis = 1> (a) f = Mul (b, k) y = Concat <axis = 1> (f, p) }""",
        "lstm": """g (float[20, 1, 12] x) => (float[20, 1, 1, 24] y) {
            h = LSTM <hidden_size = 24> (x, v, u) y = MatMul (h, m) }""",
    }[kind]
    weights = {"w": rng.normal(size=(6, 3, 3, 3)), "k": 9.0, "s": np.array([1, 6, 144])}
    shapes = {"v": (1, 96, 12), "u": (1, 96, 24), "m": (24, 24)}
    given = weights if kind == "softmax" else {n: rng.normal(size=s) / 3 for n, s in shapes.items()}
    made = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]>\n{text}')
    for name, array in given.items():
        dtype = np.int64 if name == "s" else np.float32
        made.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array, dtype), name))
    save(tmp_path, made)
    shape = [d.dim_value for d in made.graph.input[0].type.tensor_type.shape.dim]
    samples = rng.normal(size=(32, *shape)).astype(np.float32)
    data = tmp_path / "samples.npz"
    np.savez(data, x=samples.reshape(-1, *shape[1:]) if kind == "softmax" else samples.reshape(-1, 1, 12))
    np.savez(tmp_path / "x.npz", x=samples[0])
    for target in ("native", "onnx", "tflite"):
        result = bisect(
            tmp_path / "m.onnx", target, Options(quantize="int8", calibration=str(data)), data=str(tmp_path / "x.npz")
        )
        assert not result.problem, result.problem
