"""Quantized ONNX files whose scales, and the numbers of whose integers, are float16."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.runtime.native import load_native
from tests.end_to_end.test_quantized_sizes import constant_bytes
from tests.support.native import OWN
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
    own = {"cpu": OWN} if target == "native" else {}
    result = mlconv.convert(source, target, tmp_path / f"out.{target}", verify=True, verify_with="source", **own)
    assert all(row["ok"] for row in result.verification)
    if (name, target) == ("activations", "tflite"):
        assert result.ops["tfl.FULLY_CONNECTED"] == 1


Steps = list[tuple[str, dict[str, Any]]]
CAST: Steps = [("Cast", {"to": TensorProto.FLOAT})]
TURN: Steps = [("Transpose", {"perm": [1, 0]})]
PRODUCT: Steps = [("MatMul", {})]
CONV: Steps = [("Conv", {"pads": [1] * 4})]
ROWS: Steps = [("Gather", {})]
# shape of the weights, axis of their channels, that of their blocks, what reads them, shape of its input
READERS: dict[str, tuple[tuple[int, ...], int, int, Steps, tuple[int, ...]]] = {
    "halves": ((256, 128), 1, 0, PRODUCT, (3, 256)),
    "halves turned": ((128, 256), 0, 1, [*TURN, *PRODUCT], (3, 256)),
    "cast": ((256, 128), 1, 0, [*CAST, *PRODUCT], (3, 256)),
    "cast, turned": ((128, 256), 0, 1, [*CAST, *TURN, *PRODUCT], (3, 256)),
    "turned, cast": ((128, 256), 0, 1, [*TURN, *CAST, *PRODUCT], (3, 256)),
    "conv of halves": ((64, 64, 3, 3), 0, 1, CONV, (1, 64, 8, 8)),
    "conv": ((64, 64, 3, 3), 0, 1, [*CAST, *CONV], (1, 64, 8, 8)),
    "lookup of halves": ((512, 128), 0, 1, ROWS, (5,)),
    "lookup": ((512, 128), 0, 1, [*CAST, *ROWS], (5,)),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("block", [0, 32])
@pytest.mark.parametrize("storage", [TensorProto.INT4, TensorProto.INT8])
def test_native_weights_are_stored(storage: int, block: int, name: str, tmp_path: Path) -> None:
    """They were numbers of 16 or 32 bits: up to 7.8 times the initializers."""
    shape, channels, along, reads, given = READERS[name]
    axis = along if block else channels
    scales = tuple(n // block if i == along else n for i, n in enumerate(shape)) if block else (shape[channels],)
    dtype = TensorProto.FLOAT if reads[0][0] == "Cast" or reads[-2:-1] == CAST else F16
    in_blocks: dict[str, Any] = {"block_size": block} if block else {}
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["n0"], axis=axis, **in_blocks)]
    for i, (op, attributes) in enumerate(reads):
        lookup, last = op == "Gather", i == len(reads) - 1
        operands = [f"n{i}", "x"] if lookup else ["x", f"n{i}"] if last else [f"n{i}"]
        nodes.append(helper.make_node(op, operands, ["y" if last else f"n{i + 1}"], **attributes))
    lookup = reads is ROWS or reads[-1:] == ROWS
    drawn = RNG.uniform(1e-3, 1e-2, scales).astype(np.float16)
    ports = [value("x", list(given), TensorProto.INT64 if lookup else dtype)], [value("y", None, dtype)]
    proto = model(nodes, *ports, {"s": drawn}, opset=21)
    limit = 8 if storage == TensorProto.INT4 else 127
    numbers = RNG.integers(-limit, limit, shape).reshape(-1).tolist()
    proto.graph.initializer.append(helper.make_tensor("w", storage, shape, numbers))
    proto.ir_version = 10
    source = save(tmp_path, proto)
    mlconv.convert(source, "native", tmp_path / "m.o", weights="file", cpu=OWN)
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.01 * constant_bytes(proto.graph)
    floats = np.float16 if dtype == F16 else np.float32
    x = RNG.integers(0, shape[0], given) if lookup else RNG.standard_normal(given).astype(floats)
    options = onnxruntime.SessionOptions()  # its own rewriting rounds halves to 8 bits
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, {"x": x})
    found = load_native(tmp_path / "m.o").run({"x": x})["y"]
    assert found.dtype == wanted.dtype
    # halves of numbers are not rounded in between
    np.testing.assert_allclose(found, wanted, rtol=2**-10, atol=2e-3 * float(np.abs(wanted).max()))
