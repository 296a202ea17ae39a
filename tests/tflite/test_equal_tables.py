"""Bodies of loops that are alike: what is equal in them is in the file once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.formats.flatbuffer import FlatReader, Table

_SUBGRAPHS, _TENSORS, _OPERATORS, _NAME = 2, 0, 3, 3


def recurrent(folder: Path, directions: int, size: int = 24) -> Path:
    """A DynamicQuantizeLSTM, as ONNX Runtime's `quantize_dynamic` makes it."""
    rng, gates = np.random.default_rng(0), 4 * size
    weights = {
        "w": rng.integers(-127, 128, (directions, 32, gates)).astype(np.int8),
        "r": rng.integers(-127, 128, (directions, size, gates)).astype(np.int8),
        "b": rng.normal(size=(directions, 2 * gates)).astype(np.float32),
        "ws": np.full(directions, 0.002, np.float32),
        "wz": np.zeros(directions, np.int8),
    }
    inputs = ["x", "w", "r", "b", "", "", "", "", "ws", "wz", "ws", "wz"]
    direction = "bidirectional" if directions == 2 else "forward"
    node = helper.make_node(
        "DynamicQuantizeLSTM", inputs, ["y"], "/lstm", domain="com.microsoft", hidden_size=size, direction=direction
    )
    x, y = (
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
        for n, s in (("x", [20, 1, 32]), ("y", [20, directions, 1, size]))
    )
    graph = helper.make_graph([node], "g", [x], [y], [numpy_helper.from_array(a, n) for n, a in weights.items()])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), folder / "m.onnx")
    return folder / "m.onnx"


def tables(path: Path, kind: int) -> list[Table]:
    """Of all subgraphs, with where each stands."""
    reader = FlatReader(path.read_bytes())
    return [t for graph in reader.tables(reader.root(), _SUBGRAPHS) for t in reader.tables(graph, kind)]


@pytest.mark.parametrize("directions", [1, 2])
def test_loops_that_are_alike_share_tables(tmp_path: Path, directions: int) -> None:
    path = recurrent(tmp_path, directions)
    mlconv.convert(path, "tflite", tmp_path / "m.tflite", verify=True)
    found = {kind: tables(tmp_path / "m.tflite", kind) for kind in (_TENSORS, _OPERATORS)}
    shared = [len(all_) - len({t[0] for t in all_}) for all_ in found.values()]
    assert all(n > 30 for n in shared) if directions == 2 else shared[1] < 10, shared
    assert (tmp_path / "m.tflite").stat().st_size <= 1.1 * path.stat().st_size + 16384
