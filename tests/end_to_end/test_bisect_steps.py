"""`mlconv bisect` finds single steps of stored integers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx.helper import make_node

from mlconv.driver.bisection import bisect
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from tests.support.onnx_models import model, save, value
from tests.support.wrong_passes import one_channel, wrong_pass, wrong_writer


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
