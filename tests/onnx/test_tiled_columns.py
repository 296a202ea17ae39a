"""Blocks that lie side by side in an image are put there by a transpose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper, save

import mlconv
from tests.support.onnx_runtimes import session_for


@pytest.mark.parametrize(("step", "tiled"), [(2, True), (1, False)])
def test_ops(step: int, tiled: bool, tmp_path: Path) -> None:
    places = 16 if step == 2 else 49
    x = np.random.default_rng(0).standard_normal((2, 12, places)).astype(np.float32)
    constants = [numpy_helper.from_array(np.array(v), name) for name, v in (("s", [8, 8]), ("k", [2, 2]))]
    node = helper.make_node("Col2Im", ["x", "s", "k"], ["y"], strides=[step, step])
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, d) for n, d in (("x", x.shape), ("y", None))]
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], constants)
    path = tmp_path / "m.onnx"
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), path)
    loaded = mlconv.load(path)
    names = {op.name for op in loaded.module.main.block.ops}
    assert ("core.transpose" in names, "core.pad" in names) == (tiled, not tiled)
    (want,) = session_for(onnx.load(path)).run(None, {"x": x})
    (got,) = loaded.run({"x": x}).values()
    np.testing.assert_allclose(got, want, atol=1e-6)
