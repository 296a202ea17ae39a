"""What a source has quantized stays as it is, whatever a scheme says, on targets that write it as it is spelled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv

_IMAGE = [1, 4, 8, 8]


def _model(path: Path, rng: np.random.Generator) -> set[float]:
    """Two convolutions, a pool and a product with integers of 8 bits, and a product of floats behind them.  Returns the
    scales.
    """
    nodes, constants, scales = [], [], set[float]()

    def constant(array: object) -> str:
        constants.append(numpy_helper.from_array(np.asarray(array), f"c{len(constants)}"))
        return constants[-1].name

    def node(kind: str, *inputs: str, **attributes: object) -> str:
        nodes.append(helper.make_node(kind, list(inputs), [f"v{len(nodes)}"], f"n{len(nodes)}", **attributes))
        return nodes[-1].output[0]

    def rounded(value: str) -> str:
        scale = np.float32(rng.uniform(0.01, 0.03))
        scales.add(float(scale))
        pair = constant(scale), constant(np.uint8(rng.integers(100, 150)))
        return node("DequantizeLinear", node("QuantizeLinear", value, *pair), *pair)

    def weights(*shape: int) -> str:
        scale = rng.uniform(0.004, 0.008, shape[0]).astype(np.float32)
        stored = constant(rng.integers(-127, 128, shape).astype(np.int8))
        return node("DequantizeLinear", stored, constant(scale), constant(np.zeros(shape[0], np.int8)), axis=0)

    x = rounded("x")
    for _ in range(2):
        x = rounded(node("Relu", node("Conv", x, weights(4, 4, 3, 3), pads=[1, 1, 1, 1])))
    x = rounded(node("GlobalAveragePool", x))
    x = rounded(node("Gemm", rounded(node("Flatten", x)), weights(6, 4), transB=1))
    y = node("MatMul", x, constant(rng.normal(size=(6, 40)).astype(np.float32)))
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", _IMAGE), (y, [1, 40]))]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return scales


@pytest.mark.parametrize("scheme", ["int8", "int4", "float16"])
def test_it_is_not_quantized_again(scheme: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    path, made = tmp_path / "m.onnx", tmp_path / "made.onnx"
    scales = _model(path, rng)
    samples = [rng.normal(size=_IMAGE).astype(np.float32) for _ in range(4)]
    result = mlconv.quantize(path, "onnx", scheme=scheme, output=made, calibration=samples, verify=True)
    report = result.quantization
    assert report is not None and report.counted() == (1, 1)  # the product of floats
    assert "Conv" not in {layer.op for layer in report.layers} and all(
        layer.op != "core.conv" for layer in report.layers
    )
    graph = onnx.load(made).graph
    numbers = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
    kept = [n for n in graph.node if n.op_type == "QuantizeLinear"]
    found = {float(numbers[n.input[1]]) for n in kept}
    assert scales <= found and len(kept) <= len(scales) + 2 * (scheme == "int8")
    assert sum(a.dtype == np.int8 and a.ndim == 4 for a in numbers.values()) == 2
