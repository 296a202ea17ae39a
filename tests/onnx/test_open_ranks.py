"""Axes of open sizes that go where they have size 1, as exporters of torch write `squeeze`: what reads the result, and
what the file declares, tells the rank; sizes that give another one are refused when a model runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import NodeProto, helper

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.runtime.litert import run_tflite
from tests.support.onnx_models import model, save, value

NODE = helper.make_node


def squeezed(x: str, axis: str, y: str) -> list[NodeProto]:
    """`torch.squeeze(x, axis)` of torch's older exporter, at opset 13."""
    branches = {
        "then_branch": helper.make_graph([NODE("Squeeze", [x, axis], [f"{y}_one"])], "one", [], [value(f"{y}_one")]),
        "else_branch": helper.make_graph([NODE("Identity", [x], [f"{y}_more"])], "more", [], [value(f"{y}_more")]),
    }
    return [
        NODE("Shape", [x], [f"{y}_shape"]),
        NODE("Gather", [f"{y}_shape", axis], [f"{y}_size"]),
        NODE("Equal", [f"{y}_size", "one"], [f"{y}_is_one"]),
        NODE("If", [f"{y}_is_one"], [y], **branches),
    ]


WEIGHTS = np.random.default_rng(0).standard_normal((8, 4)).astype(np.float32)
CONSTANTS = {
    **{n: np.int64([i]) for n, i in (("zero", 0), ("one", 1), ("two", 2), ("last", -1))},
    "w": WEIGHTS,
    "filter": WEIGHTS.reshape(4, 8, 1),
}
# name: nodes, symbolic shape of x, declared shape of y, sizes that fit, sizes that do not, what the error says
CASES: dict[str, tuple[list[Any], list[Any], list[Any] | None, list[Any], list[Any], str]] = {
    "a matrix is multiplied": (
        [*squeezed("x", "two", "s"), NODE("Gemm", ["s", "w"], ["y"])],
        ["n", 8, "t"],
        None,
        [(3, 8, 1), (1, 8, 1)],
        [(3, 8, 2)],
        "t must be 1",
    ),
    "the file declares the rank": (
        [NODE("Relu", ["x"], ["r"]), *squeezed("r", "zero", "y")],
        ["n", 3, "t"],
        [3, "u"],
        [(1, 3, 5)],
        [(2, 3, 5)],
        "n must be 1",
    ),
    "both ranks would do": (
        [*squeezed("x", "last", "s"), NODE("Relu", ["s"], ["y"])],
        ["n", "t"],
        None,
        [(4, 1)],
        [(4, 2)],
        "t must be 1",
    ),
    "one after another, behind other axes": (
        [
            *squeezed("x", "one", "a"),
            *squeezed("a", "one", "b"),
            NODE("Softmax", ["b"], ["c"], axis=1),
            NODE("Transpose", ["c"], ["y"], perm=[1, 0]),
        ],
        ["n", "a", "b", 8],
        None,
        [(2, 1, 1, 8)],
        [(2, 3, 1, 8), (2, 1, 3, 8)],
        "(a|b) must be 1",
    ),
    "all axes stay": (
        [*squeezed("x", "zero", "s"), NODE("Conv", ["s", "filter"], ["c"]), NODE("Relu", ["c"], ["y"])],
        ["n", 8, "t"],
        None,
        [(2, 8, 5), (3, 8, 1)],
        [(1, 8, 5)],
        "n must not be 1",
    ),
    "no axes are named": (
        [NODE("MatMul", ["x", "w"], ["m"]), NODE("ReduceSum", ["m", "last"], ["r"]), NODE("Squeeze", ["r"], ["y"])],
        ["n", 8],
        ["n"],
        [(3, 8), (2, 8)],
        [(1, 8)],
        "n must not be 1",
    ),
    "no axes are named, one is not declared": (
        [NODE("Relu", ["x"], ["r"]), NODE("Squeeze", ["r"], ["y"])],
        ["n", "k", 5],
        ["n", 5],
        [(3, 1, 5)],
        [(3, 2, 5), (1, 1, 5)],
        "(k must be|n must not be) 1",
    ),
}


def _saved(name: str, folder: Path) -> Path:
    nodes, given, declared, *_ = CASES[name]
    proto = model(nodes, [value("x", given)], [value("y", declared)], CONSTANTS, opset=13)
    proto.ir_version = 8
    return save(folder, proto)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
def test_what_reads_the_result_tells_the_rank(name: str, tmp_path: Path) -> None:
    path, (*_, good, bad, said) = _saved(name, tmp_path), CASES[name]
    mlconv.convert(path, to="native", output=tmp_path / "m.o")
    mlconv.convert(path, to="tflite", output=tmp_path / "m.tflite")
    net, lite = mlconv.load_native(tmp_path / "m.o"), str(tmp_path / "m.tflite")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options)
    for shape in (*good, *bad):
        x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        if shape in bad:
            with pytest.raises(ConversionError, match=said):
                net.run({"x": x})
            if "not" not in said:  # LiteRT asks where an axis goes
                with pytest.raises(Exception, match="SQUEEZE"):
                    run_tflite(lite, {"x": x}, "serving_default")
            continue
        (expected,) = session.run(None, {"x": x})
        for y in (net.run({"x": x})["y"], run_tflite(lite, {"x": x}, "serving_default")["y"]):
            np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("shape", "declared"), [(("2..4", 3, "t"), 3), (("1..1", 3, "t"), 2), ((1, 3, "t"), 2)])
def test_a_range_tells_the_branch(shape: Any, declared: int, tmp_path: Path) -> None:
    path = _saved("the file declares the rank", tmp_path)
    mlconv.convert(path, to="native", output=tmp_path / "m.o", shapes={"x": shape})
    x = np.ones((2 if declared == 3 else 1, 3, 4), np.float32)
    assert mlconv.load_native(tmp_path / "m.o").run({"x": x})["y"].ndim == declared


def test_a_simplified_file_keeps_both_branches(tmp_path: Path) -> None:
    path = _saved("a matrix is multiplied", tmp_path)
    mlconv.simplify(path, tmp_path / "s.onnx")
    assert "If" in [node.op_type for node in onnx.load(tmp_path / "s.onnx").graph.node]
