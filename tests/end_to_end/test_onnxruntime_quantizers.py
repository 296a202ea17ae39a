"""What ONNX Runtime's quantizers write of a network with convolutions and attention: its numbers, no larger files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

import mlconv
from mlconv.runtime.native import load_native
from tests.support.litert import run_litert
from tests.support.onnx_runtimes import session_for

Array = np.ndarray[Any, Any]
SHAPE = (2, 3, 16, 16)
WEIGHTS = {
    "w1": (16, 3, 3, 3),
    "b1": (16,),
    "w2": (16, 1, 3, 3),
    "w3": (600, 16, 1, 1),
    "b3": (600,),
    "m1": (600, 300),
    "m2": (600, 300),
    "w4": (10, 600),
    "b4": (10,),
}
NODES = [
    ("Conv", ["x", "w1", "b1"], "c1", {"pads": [1] * 4, "strides": [2, 2]}),
    ("Relu", ["c1"], "r1", {}),
    ("Conv", ["r1", "w2"], "c2", {"pads": [1] * 4, "group": 16}),
    ("Conv", ["c2", "w3", "b3"], "c3", {}),
    ("Relu", ["c3"], "r3", {}),
    ("Reshape", ["r3", "rows"], "f", {}),
    ("Transpose", ["f"], "t", {"perm": [0, 2, 1]}),
    ("MatMul", ["t", "m1"], "q", {}),
    ("MatMul", ["t", "m2"], "k", {}),
    ("Transpose", ["k"], "kt", {"perm": [0, 2, 1]}),
    ("MatMul", ["q", "kt"], "s", {}),
    ("Softmax", ["s"], "p", {"axis": -1}),
    ("MatMul", ["p", "t"], "o", {}),
    ("ReduceMean", ["o"], "g", {"axes": [1], "keepdims": 0}),
    ("Gemm", ["g", "w4", "b4"], "y", {"transB": 1}),
]


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network, in floats."""
    rng = np.random.default_rng(0)
    constants = [
        numpy_helper.from_array((rng.standard_normal(s) * 0.1).astype(np.float32), n) for n, s in WEIGHTS.items()
    ]
    constants.append(numpy_helper.from_array(np.asarray([2, 600, 64]), "rows"))
    nodes = [helper.make_node(op, reads, [made], **attributes) for op, reads, made, attributes in NODES]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", SHAPE), ("y", (2, 10)))]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    path = tmp_path_factory.mktemp("network") / "float.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


class Samples(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Eight random inputs."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        self.left = [rng.standard_normal(SHAPE).astype(np.float32) for _ in range(8)]

    def get_next(self) -> dict[str, Array] | None:
        return {"x": self.left.pop()} if self.left else None


def check(source: Path, folder: Path, steps: float) -> None:
    """Interpreter, TFLite and native code.  steps: what numbers may be off, as a part of the largest."""
    x = np.random.default_rng(2).standard_normal(SHAPE).astype(np.float32)
    (want,) = session_for(onnx.load(source)).run(None, {"x": x})
    mlconv.convert(source, "tflite", folder / "m.tflite")
    mlconv.convert(source, "native", folder / "m.o", weights="file", cpu="x86-64-v3")
    (own,) = mlconv.load(source).run({"x": x}).values()
    (code,) = load_native(folder / "m.o").run({"x": x}).values()
    (lite,) = run_litert((folder / "m.tflite").read_bytes(), [x])
    for got in (own, code, lite):
        assert np.abs(got - want).max() <= steps * np.abs(want).max()
    initializers = sum(numpy_helper.to_array(t).nbytes for t in onnx.load(source).graph.initializer)
    assert (folder / "m.weights.bin").stat().st_size <= 1.1 * initializers
    assert (folder / "m.tflite").stat().st_size <= 1.1 * source.stat().st_size + 16_384


@pytest.mark.share(4)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("weights", ["QInt8", "QUInt8"])
def test_dynamic(weights: str, per_channel: bool, network: Path, tmp_path: Path) -> None:
    """Ranges of whole tensors, found when the model runs, are those of the file."""
    made = tmp_path / "m.onnx"
    kind = getattr(quantization.QuantType, weights)
    ops = ["Conv", "MatMul", "Gemm"]
    quantization.quantize_dynamic(network, made, weight_type=kind, per_channel=per_channel, op_types_to_quantize=ops)
    check(made, tmp_path, 1e-5)


# form, activations, weights, ops (all of them where there are none), what numbers may be off
STATIC = [
    ("QDQ", "QUInt8", "QInt8", None, 0.01),
    ("QDQ", "QInt8", "QInt8", ["Conv"], 0.01),
    ("QDQ", "QUInt8", "QUInt8", None, 0.01),
    ("QDQ", "QUInt16", "QInt8", None, 1e-4),
    ("QDQ", "QInt16", "QInt8", ["Conv"], 1e-4),
    ("QOperator", "QUInt8", "QUInt8", ["Conv"], 0.01),
    ("QOperator", "QInt8", "QInt8", None, 0.01),
]


@pytest.mark.share(6)
@pytest.mark.parametrize("row", STATIC, ids=["-".join(map(str, row[:4])) for row in STATIC])
def test_static(row: tuple[str, str, str, list[str] | None, float], network: Path, tmp_path: Path) -> None:
    """Steps of 8 bits are 1/127 of the largest number."""
    form, activations, weights, ops, off = row
    quantization.quantize_static(
        network,
        tmp_path / "m.onnx",
        Samples(),
        quant_format=quantization.QuantFormat[form],
        activation_type=getattr(quantization.QuantType, activations),
        weight_type=getattr(quantization.QuantType, weights),
        per_channel=True,
        op_types_to_quantize=ops,
    )
    check(tmp_path / "m.onnx", tmp_path, off)
