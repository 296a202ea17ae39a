"""QDQ products with weights of 4, 8 and 16 bits: the numbers of onnxruntime, weights as they are stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from ai_edge_litert import schema_py_generated as schema
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.runtime.native import load_native
from mlconv.runtime.onnx_runtime import opened
from tests.support.litert import run_litert
from tests.support.thinning import thinned

Array = np.ndarray[Any, Any]
STORAGE = {
    "int8": (TensorProto.INT8, -128, 127),
    "uint8": (TensorProto.UINT8, 0, 255),
    "int16": (TensorProto.INT16, -32768, 32767),
    "uint16": (TensorProto.UINT16, 0, 65535),
    "int4": (TensorProto.INT4, -8, 7),
    "uint4": (TensorProto.UINT4, 0, 15),
}
BYTES = {
    TensorProto.INT16: 2,
    TensorProto.UINT16: 2,
    TensorProto.FLOAT: 4,
    TensorProto.INT4: 0.5,
    TensorProto.UINT4: 0.5,
}
SHAPES = {
    "MatMul": ((5, 64), (64, 32), 1, 0),
    "Gemm": ((5, 64), (32, 64), 0, 1),
    "Conv": ((1, 16, 6, 7), (32, 16, 3, 3), 0, 1),
}
"""Shapes of the input and the weights, axes of the weights' outputs and of their blocks."""


def stored(name: str, numbers: Array, storage: str) -> onnx.TensorProto:
    return helper.make_tensor(name, STORAGE[storage][0], numbers.shape, numbers.astype(int).ravel().tolist())


def parameters(name: str, low: float, high: float, storage: str) -> tuple[list[onnx.TensorProto], np.float32]:
    """Scale and zero point for a range."""
    _, least, most = STORAGE[storage]
    scale = np.float32((high - low) / (most - least))
    zero = np.asarray(round(least - low / float(scale)))
    return [numpy_helper.from_array(np.asarray(scale), f"{name}s"), stored(f"{name}z", zero, storage)], scale


def network(
    op: str, activations: str, weights: str, scheme: str, zeros: bool, rounded: bool
) -> tuple[onnx.ModelProto, np.float32]:
    """A product between borders, and the step of its result.  zeros: weights have zero points.  rounded: the result
    is quantized, too.
    """
    rng = np.random.default_rng(1)
    x_shape, w_shape, outputs, depth = SHAPES[op]
    _, least, most = STORAGE[weights]
    shape = {"tensor": (), "channel": (w_shape[outputs],)}.get(
        scheme, tuple(n // 16 if i == depth else n for i, n in enumerate(w_shape))
    )
    attributes = {"tensor": {}, "channel": {"axis": outputs}, "block": {"axis": depth, "block_size": 16}}[scheme]
    middle = 0 if weights.startswith("int") else (most + 1) // 2
    scales = np.asarray(rng.uniform(0.5, 1, shape) * 2 / (most - least), np.float32)
    points = rng.integers(max(least, middle - 2), middle + 3, shape) if zeros else np.full(shape, middle)
    constants, _ = parameters("x", -2, 3, activations)
    constants += [stored("w", rng.integers(least, most + 1, w_shape), weights), numpy_helper.from_array(scales, "ws")]
    constants.append(stored("wz", np.asarray(points), weights))
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "xs", "xz"], ["xd"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], **attributes),
        helper.make_node(op, ["xd", "wd"], ["y"], **({"Conv": {"pads": [1] * 4}, "Gemm": {"transB": 1}}.get(op, {}))),
    ]
    step = np.float32(0)
    if rounded:
        more, step = parameters("y", -9, 14, activations)
        constants += more
        nodes += [
            helper.make_node("QuantizeLinear", ["y", "ys", "yz"], ["yq"]),
            helper.make_node("DequantizeLinear", ["yq", "ys", "yz"], ["yd"]),
        ]
    ends = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", x_shape), (nodes[-1].output[0], None))
    ]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), step


def initializer_bytes(model: onnx.ModelProto) -> float:
    return sum(int(np.prod(t.dims)) * BYTES.get(t.data_type, 1) for t in model.graph.initializer)


ROWS = [
    (op, activations, weights, scheme, zeros, rounded)
    for op in SHAPES
    for activations, rounded in (("uint8", True), ("int8", False), ("int16", False), ("uint16", True))
    for weights in ("int8", "uint8", "int4", "uint4", "int16")
    for scheme, zeros in (("tensor", True), ("channel", False), ("channel", True), ("block", False), ("block", True))
    if op != "Conv" or scheme != "block"
]


@pytest.mark.share(6)
@pytest.mark.parametrize("row", thinned(3, ROWS), ids=["-".join(map(str, row)) for row in ROWS])
def test_products(row: tuple[str, str, str, str, bool, bool], tmp_path: Path) -> None:
    """On TFLite and in native code."""
    model, step = network(*row)
    source = tmp_path / "m.onnx"
    onnx.save(model, source)
    x = np.random.default_rng(2).uniform(-2.2, 3.2, SHAPES[row[0]][0]).astype(np.float32)
    (want,) = opened(str(source), optimizes=False).run(None, {"x": x})
    mlconv.convert(source, "tflite", tmp_path / "m.tflite")
    mlconv.convert(source, "native", tmp_path / "m.o", weights="file", cpu="x86-64-v3")
    found = [
        mlconv.load(source).run({"x": x}),
        load_native(tmp_path / "m.o").run({"x": x}),
        {"y": run_litert((tmp_path / "m.tflite").read_bytes(), [x])[0]},
    ]
    noise = 1e-5 * np.abs(want).max()
    for (got,) in (f.values() for f in found):
        off = np.abs(got - want)
        assert off.max() <= 1.01 * step + noise and np.mean(off > noise) <= 0.05
    room = 1.1 * initializer_bytes(model) + 128  # lines of a cache behind scales
    assert (tmp_path / "m.weights.bin").stat().st_size <= room
    assert (tmp_path / "m.tflite").stat().st_size <= 1.1 * source.stat().st_size + 16_384


@pytest.mark.parametrize("op", SHAPES)
@pytest.mark.parametrize("weights", ["int4", "uint4"])
def test_products_of_int8_and_4_bits(op: str, weights: str, tmp_path: Path) -> None:
    """Kernels of integers take both as they are stored, and ONNX keeps 4 bits."""
    model, _ = network(op, "uint8", weights, "channel", zeros=False, rounded=True)
    onnx.save(model, tmp_path / "m.onnx")
    mlconv.convert(tmp_path / "m.onnx", "tflite", tmp_path / "m.tflite")
    (graph,) = schema.ModelT.InitFromPackedBuf((tmp_path / "m.tflite").read_bytes(), 0).subgraphs
    used = [[graph.tensors[i].type for i in op.inputs[:2]] for op in graph.operators]
    assert [schema.TensorType.INT8, schema.TensorType.INT4] in used
    assert sum(schema.TensorType.FLOAT32 in types for types in used) == 1  # what rounds the input
    mlconv.convert(tmp_path / "m.onnx", "onnx", tmp_path / "again.onnx")
    stored = {t.data_type for t in onnx.load(tmp_path / "again.onnx").graph.initializer if len(t.dims) > 1}
    assert stored == {STORAGE[weights][0]}


def test_rows_of_tables_with_zero_points(tmp_path: Path) -> None:
    """Zero points of blocks stay integers in native code, as the table does."""
    rng, shape = np.random.default_rng(3), (200, 64)
    table = stored("w", rng.integers(-8, 8, shape), "int4")
    points = stored("z", rng.integers(-8, 8, (200, 4)), "int4")
    scales = numpy_helper.from_array(rng.uniform(0.1, 1, (200, 4)).astype(np.float32), "s")
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["wd"], axis=1, block_size=16),
        helper.make_node("Gather", ["wd", "i"], ["y"]),
    ]
    ends = (
        [helper.make_tensor_value_info("i", TensorProto.INT64, [5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    graph = helper.make_graph(nodes, "g", *ends, [table, scales, points])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx")
    given = {"i": np.array([0, 199, -1, 7, 100])}
    (want,) = opened(str(tmp_path / "m.onnx"), optimizes=False).run(None, given)
    mlconv.convert(tmp_path / "m.onnx", "native", tmp_path / "m.o", weights="file", cpu="x86-64-v3")
    np.testing.assert_array_equal(load_native(tmp_path / "m.o").run(given)["y"], want)
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.1 * initializer_bytes(model)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize(
    ("channels", "times", "window"), [(64, 1, 3), (129, 1, 5), (33, 2, 3), (1024, 1, 3), (7, 8, 3)]
)
def test_depthwise(channels: int, times: int, window: int, rounded: bool, tmp_path: Path) -> None:
    """Halves of the channels share bytes, which each run takes apart; a byte each was twice the file's."""
    rng = np.random.default_rng(6)
    shape = (channels * times, 1, window, window)
    constants = [stored("w", rng.integers(-8, 8, shape), "int4")]
    constants.append(numpy_helper.from_array(rng.uniform(0.01, 0.02, shape[:1]).astype(np.float32), "ws"))
    nodes = [helper.make_node("DequantizeLinear", ["w", "ws"], ["wd"], axis=0)]
    step = np.float32(0)
    if rounded:
        given, _ = parameters("x", -2, 3, "uint8")
        made, step = parameters("y", -2, 2, "uint8")
        constants += given + made
        nodes.append(helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["xq"]))
        nodes.append(helper.make_node("DequantizeLinear", ["xq", "xs", "xz"], ["xd"]))
    read = "xd" if rounded else "x"
    nodes.append(helper.make_node("Conv", [read, "wd"], ["y"], group=channels, pads=[window // 2] * 4))
    if rounded:
        nodes.append(helper.make_node("QuantizeLinear", ["y", "ys", "yz"], ["yq"]))
        nodes.append(helper.make_node("DequantizeLinear", ["yq", "ys", "yz"], ["yd"]))
    shapes = {"x": (2, channels, 6, 5), nodes[-1].output[0]: None}
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx")
    x = rng.uniform(-2.2, 3.2, shapes["x"]).astype(np.float32)
    (want,) = opened(str(tmp_path / "m.onnx"), optimizes=False).run(None, {"x": x})
    meant = next(iter(mlconv.load(tmp_path / "m.onnx").run({"x": x}).values()))
    of_channels = (4 if rounded else 0) * shape[0]  # what zero points of x add
    for cpu in host_cpus():
        mlconv.convert(tmp_path / "m.onnx", "native", tmp_path / "m.o", weights="file", cpu=cpu)
        (got,) = load_native(tmp_path / "m.o").run({"x": x}).values()
        np.testing.assert_allclose(got, want, atol=1.01 * float(step) + 1e-5)
        if rounded:
            np.testing.assert_array_equal(got, meant)
        size = (tmp_path / "m.weights.bin").stat().st_size
        assert size <= 1.1 * initializer_bytes(model) + of_channels + 128
