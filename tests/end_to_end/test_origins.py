"""`mlconv bisect` and `mlconv verify --per-layer` name the node of a value whose op was made again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx.helper import make_node

import mlconv
from mlconv.driver.bisection import bisect
from mlconv.driver.context import BUILT_IN
from mlconv.driver.verification import Asked, verify
from tests.support.onnx_models import model, save, value
from tests.support.wrong_passes import one_channel, wrong_writer


def between_reshapes(folder: Path) -> Path:
    """Two dense layers on rows: they work in the axes of the model's input."""
    rng = np.random.default_rng(3)
    weights = {"a": rng.normal(size=(12, 20)) / 3, "b": rng.normal(size=20), "c": rng.normal(size=(20, 12)) / 4}
    arrays: dict[str, np.ndarray] = {k: v.astype(np.float32) for k, v in weights.items()}
    arrays |= {"rows": np.array([10, 12]), "all": np.array([2, 5, 12])}
    nodes = [
        make_node("Reshape", ["x", "rows"], ["f"], name="flat"),
        make_node("MatMul", ["f", "a"], ["m"], name="first"),
        make_node("Add", ["m", "b"], ["n"], name="bias"),
        make_node("Relu", ["n"], ["r"], name="relu"),
        make_node("MatMul", ["r", "c"], ["o"], name="second"),
        make_node("Reshape", ["o", "all"], ["y"], name="unflat"),
    ]
    made = model(nodes, [value("x", [2, 5, 12])], [value("y", [2, 5, 12])], arrays)
    made.ir_version = 8  # that ONNX Runtime reads
    return save(folder, made)


@pytest.mark.parametrize("node", ["first", "second"])
@pytest.mark.parametrize("to", ["onnx", "tflite"])
def test_layers_between_reshapes_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, node: str
) -> None:
    wrong_writer(monkeypatch, BUILT_IN.targets[to], one_channel(node, 9e-3))
    result = bisect(between_reshapes(tmp_path), to)
    assert result.stage is not None and result.stage.is_written, (result.problem, result.notes)
    assert result.error().diagnostic.node == node, result.problem


@pytest.mark.parametrize("node", ["first", "second"])
@pytest.mark.parametrize("to", ["onnx", "tflite"])
def test_files_have_their_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, node: str) -> None:
    source, made = between_reshapes(tmp_path), tmp_path / f"made.{to}"
    wrong_writer(monkeypatch, BUILT_IN.targets[to], one_channel(node, 9e-3))
    mlconv.convert(source, to, made)
    found = verify(source, made, Asked(layers=True))
    assert not found.ok and found.error().diagnostic.node == node, found.problem
