"""Models that give a list of tensors, or of maps: its elements are outputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.cli import call
from tests.support.onnx_models import save

FLOAT = TensorProto.FLOAT
X = np.random.default_rng(0).normal(0.5, 1.0, (4, 3)).astype(np.float32)


def of_tensors() -> onnx.ModelProto:
    nodes = [helper.make_node("Neg", ["x"], ["n"]), helper.make_node("SequenceConstruct", ["n", "x", "n"], ["s"])]
    element = helper.make_tensor_type_proto(FLOAT, None)
    return made(nodes, helper.make_value_info("s", helper.make_sequence_type_proto(element)))


def of_maps() -> onnx.ModelProto:
    """Keys in an order of their own."""
    node = helper.make_node("ZipMap", ["x"], ["s"], domain="ai.onnx.ml", classlabels_strings=["pear", "apple", "fig"])
    kind = helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(FLOAT, []))
    return made([node], helper.make_value_info("s", helper.make_sequence_type_proto(kind)))


def made(nodes: list[onnx.NodeProto], output: onnx.ValueInfoProto) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", FLOAT, ["rows", 3])], [output])
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=sets, ir_version=10)


@pytest.mark.parametrize(
    ("proto", "wanted"),
    [(of_tensors(), {"s_0": -X, "s_1": X, "s_2": -X}), (of_maps(), {"s": X})],
    ids=("tensors", "maps"),
)
def test_lists_that_a_model_gives(proto: onnx.ModelProto, wanted: dict[str, np.ndarray], tmp_path: Path) -> None:
    """Both ways of verification run the file itself on ONNX Runtime, which gives lists."""
    path = save(tmp_path, proto)
    found = mlconv.load(path).run({"x": X})
    assert list(found) == list(wanted)
    for name, want in wanted.items():
        np.testing.assert_array_equal(found[name], want)
    target = tmp_path / "m.tflite"
    ran = call("convert", path, "-o", target, "--verify", "--verify-with", "source")
    assert ran.exit_code == 0 and all(f"verified {name}: largest error 0" in ran.output for name in wanted), ran.output
    both = call("verify", path, target, "--json")
    assert both.exit_code == 0 and '"onnxruntime"' in both.output.lower().replace(" ", ""), both.output
