"""Strings on LiteRT: what is handed on, and what is compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from ai_edge_litert import interpreter as litert
from onnx import TensorProto, helper

import mlconv

WORDS = np.array([["a", "bc", ""], ["a", "a", "déjà"]], object)


@pytest.mark.parametrize("words", [WORDS, WORDS[0], WORDS[0, 0]], ids=["matrix", "vector", "scalar"])
def test_handed_on_and_compared(words: np.ndarray, tmp_path: Path) -> None:
    """An output that is an input is a copy, which no SELECT_V2 makes of strings."""
    shape = list(np.shape(words))
    x, y = (helper.make_tensor_value_info(n, TensorProto.STRING, shape) for n in ("x", "y"))
    equal = helper.make_tensor_value_info("equal", TensorProto.BOOL, shape)
    held = helper.make_tensor("a", TensorProto.STRING, [], [b"a"])
    nodes = [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Equal", ["x", "a"], ["equal"])]
    graph = helper.make_graph(nodes, "g", [x], [y, equal], [held])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), tmp_path / "m.onnx")
    mlconv.convert(tmp_path / "m.onnx", "tflite", tmp_path / "m.tflite")
    run = litert.Interpreter(str(tmp_path / "m.tflite")).get_signature_runner()
    given = np.array(words, object) if shape else np.array(words)
    found = run(x=np.char.encode(given.astype(str), "utf-8"))
    assert np.array_equal(np.asarray(found["y"], object), np.char.encode(given.astype(str), "utf-8").astype(object))
    assert np.array_equal(found["equal"], given.astype(str) == "a")


def test_transposed(tmp_path: Path) -> None:
    """TRANSPOSE takes no strings."""
    x, y = (helper.make_tensor_value_info(n, TensorProto.STRING, s) for n, s in (("x", [2, 3]), ("y", [3, 2])))
    graph = helper.make_graph([helper.make_node("Transpose", ["x"], ["y"])], "g", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), tmp_path / "m.onnx")
    mlconv.convert(tmp_path / "m.onnx", "tflite", tmp_path / "m.tflite")
    given = np.char.encode(WORDS.astype(str), "utf-8").astype(object)
    found = litert.Interpreter(str(tmp_path / "m.tflite")).get_signature_runner()(x=given)
    assert np.array_equal(np.asarray(found["y"], object), given.T)
