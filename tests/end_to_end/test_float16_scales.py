"""Quantized ONNX files whose scales, and the numbers of whose integers, are float16."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.onnx_models import model, save, value

RNG = np.random.default_rng(7)
DEPTH, WIDTH, BLOCK = 64, 48, 32
F16 = TensorProto.FLOAT16


def blocked(storage: int, wide: bool) -> Any:
    """A product with weights of 4 bits in blocks.  wide: it is of float32."""
    low = 0 if storage == TensorProto.UINT4 else -8
    numbers = RNG.integers(low, low + 16, (DEPTH, WIDTH))
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["n"], axis=0, block_size=BLOCK)]
    if wide:
        nodes.append(helper.make_node("Cast", ["n"], ["m"], to=TensorProto.FLOAT))
    nodes.append(helper.make_node("MatMul", ["x", "m" if wide else "n"], ["y"]))
    scales = RNG.uniform(1e-4, 1e-2, (DEPTH // BLOCK, WIDTH)).astype(np.float16)
    dtype = TensorProto.FLOAT if wide else F16
    proto = model(nodes, [value("x", [3, DEPTH], dtype)], [value("y", [3, WIDTH], dtype)], {"s": scales}, opset=21)
    proto.graph.initializer.append(helper.make_tensor("w", storage, (DEPTH, WIDTH), numbers.reshape(-1).tolist()))
    return proto


def activations() -> Any:
    """A product of int8 with int8, a scale for each column."""
    ports = {"sx": np.float16(0.02), "zx": np.int8(3), "sy": np.float16(0.05), "zy": np.int8(-2)}
    given = {
        "w": RNG.integers(-127, 128, (DEPTH, WIDTH)).astype(np.int8),
        "sw": RNG.uniform(1e-3, 2e-3, WIDTH).astype(np.float16),
        "zw": np.zeros(WIDTH, np.int8),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "sx", "zx"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "sx", "zx"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "sw", "zw"], ["n"], axis=1),
        helper.make_node("MatMul", ["d", "n"], ["m"]),
        helper.make_node("QuantizeLinear", ["m", "sy", "zy"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "sy", "zy"], ["y"]),
    ]
    arrays = {name: np.asarray(array) for name, array in (ports | given).items()}
    return model(nodes, [value("x", [3, DEPTH], F16)], [value("y", [3, WIDTH], F16)], arrays, opset=21)


CASES = {
    "int4": lambda: blocked(TensorProto.INT4, wide=False),
    "int4 to float32": lambda: blocked(TensorProto.INT4, wide=True),
    "uint4 to float32": lambda: blocked(TensorProto.UINT4, wide=True),
    "activations": activations,
}


@pytest.mark.parametrize("target", ["tflite", "native", "onnx"])
@pytest.mark.parametrize("name", CASES)
def test_as_onnx_runtime_has_it(name: str, target: str, tmp_path: Path) -> None:
    """LiteRT's DEQUANTIZE gives float32, its QUANTIZE takes it, and its CAST takes no integers of 4 bits."""
    proto = CASES[name]()
    proto.ir_version = 10
    source = save(tmp_path, proto)
    result = mlconv.convert(source, target, tmp_path / f"out.{target}", verify=True, verify_with="source")
    assert all(row["ok"] for row in result.verification)
    if (name, target) == ("activations", "tflite"):
        assert result.ops["tfl.FULLY_CONNECTED"] == 1
