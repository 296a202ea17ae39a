"""What is read in a branch is asked for where it is taken: a run that does not take it goes on, whatever its sizes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import NodeProto, TensorProto, helper

import mlconv
from mlconv.codegen.program.compile import host_cpu
from mlconv.diagnostics import ConversionError
from tests.support.onnx_models import value

COLUMNS = 3
NODE = helper.make_node


def number(name: str, *numbers: int) -> NodeProto:
    """A vector of integers, or one alone."""
    dims = [len(numbers)] if name.endswith("s") else []
    return NODE("Constant", [], [name], value=helper.make_tensor(name, TensorProto.INT64, dims, numbers))


READ = {  # nodes that make `read`, of [COLUMNS], and how many rows they read at least
    "first": ([number("at", 0), NODE("Gather", ["x", "at"], ["read"], axis=0)], 1),
    "last": ([number("at", -1), NODE("Gather", ["x", "at"], ["read"], axis=0)], 1),
    "third": ([number("at", 2), NODE("Gather", ["x", "at"], ["read"], axis=0)], 3),
    "mean": ([NODE("ReduceMean", ["x"], ["read"], axes=[0], keepdims=0)], 1),
    "largest": (
        [
            number("ks", 2),
            number("zeros", 0),
            NODE("TopK", ["x", "ks"], ["top", "places"], axis=0),
            NODE("ReduceSum", ["top", "zeros"], ["read"], keepdims=0),
        ],
        2,
    ),
}


def branch(name: str, nodes: list[NodeProto], made: str) -> onnx.GraphProto:
    return helper.make_graph(nodes, name, [], [value(made, [COLUMNS])])


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("nested", [False, True])
def test_rows_that_only_a_branch_reads(read: str, nested: bool, tmp_path: Path) -> None:
    """With rows, or not taken, it is what ONNX Runtime computes; a run that takes it without rows is refused."""
    nodes, least = READ[read]
    ones = helper.make_tensor("ones", TensorProto.FLOAT, [COLUMNS], [-1.0] * COLUMNS)
    otherwise = branch("otherwise", [NODE("Constant", [], ["other"], value=ones)], "other")
    taken = branch("taken", nodes, "read")
    if nested:
        inner = NODE("If", ["flag"], ["inner"], then_branch=taken, else_branch=otherwise)
        taken = branch("outer", [inner], "inner")
    graph = helper.make_graph(
        [NODE("If", ["flag"], ["y"], then_branch=taken, else_branch=otherwise)],
        "g",
        [value("x", ["N", COLUMNS]), helper.make_tensor_value_info("flag", TensorProto.BOOL, [])],
        [value("y", [COLUMNS])],
    )
    path, artifact = tmp_path / "m.onnx", tmp_path / "m.o"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    mlconv.convert(path, to="native", output=artifact, cpu=host_cpu(), shapes={"x": ("0..9", COLUMNS)})
    assert json.loads((tmp_path / "m.io.json").read_text())["conditions"] == []
    session, model = onnxruntime.InferenceSession(str(path)), mlconv.load_native(artifact)
    rng = np.random.default_rng(least)
    for rows in range(6):
        for flag in (False, True):
            feed = {"x": rng.standard_normal((rows, COLUMNS)).astype(np.float32), "flag": np.array(flag)}
            if flag and rows < least:
                with pytest.raises(ConversionError, match="dimensions"):
                    model.run(feed)
            else:
                np.testing.assert_allclose(model.run(feed)["y"], session.run(None, feed)[0], rtol=1e-5, atol=1e-6)
