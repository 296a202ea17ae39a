"""`mlconv verify --per-layer`: biases of an int8 file that are others in most channels, and those that are not; an axis
behind which shapes are others, too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema
from onnx import helper

import mlconv
from mlconv.ir.constants import Array
from tests.support.onnx_models import model, save, value

CHANGES: dict[str, Callable[[Array], Array]] = {
    "none": np.zeros_like,
    "three": lambda b: np.where(np.arange(8) < 5, 0, b),
    "double": lambda b: 2 * b,
    "of the next": lambda b: np.roll(b, 1),
}


@pytest.fixture(scope="module", params=["Identity", "Relu", "Sigmoid"])
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three convolutions, and their int8 file."""
    folder, random = tmp_path_factory.mktemp("biases"), np.random.default_rng(5)
    weights, nodes, x = dict[str, Array](), [], "x"
    for i in range(3):
        weights[f"w{i}"] = (random.normal(size=(8, 8, 3, 3)) * 0.15).astype(np.float32)
        weights[f"b{i}"] = (random.normal(size=8) * 0.4).astype(np.float32)
        nodes.append(helper.make_node("Conv", [x, f"w{i}", f"b{i}"], [f"c{i}"], name=f"/c{i}", pads=[1] * 4))
        x = "y" if i == 2 else f"r{i}"
        nodes.append(helper.make_node(request.param, [f"c{i}"], [x], name=f"/r{i}"))
    proto = model(nodes, [value("x", [1, 8, 12, 12])], [value("y")], weights)
    proto.ir_version = 8
    path = save(folder, proto)
    samples = [{"x": random.normal(size=(1, 8, 12, 12)).astype(np.float32)} for _ in range(8)]
    mlconv.quantize(path, "tflite", folder / "m.tflite", calibration=samples)
    return path


def with_biases(source: Path, to: Path, number: int, change: Callable[[Array], Array]) -> None:
    """A file in which biases of a convolution are others."""
    found = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(bytearray(source.read_bytes()), 0))
    graph = found.subgraphs[0]
    convolutions = [op for op in graph.operators if isinstance(op.builtinOptions, schema.Conv2DOptionsT)]
    buffer = found.buffers[graph.tensors[convolutions[number].inputs[2]].buffer]
    biases = np.asarray(buffer.data, np.uint8).view(np.int32)
    buffer.data = np.frombuffer(change(biases).astype(np.int32).tobytes(), np.uint8)
    store(found, to)


def store(found: schema.ModelT, to: Path) -> None:
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(found.Pack(builder), b"TFL3")
    to.write_bytes(bytes(builder.Output()))


@pytest.mark.share(2)
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("name", CHANGES)
def test_the_convolution_is_named(network: Path, tmp_path: Path, name: str, number: int) -> None:
    """Most biases are off by the same amount of roundings: they make up for none of what rounding does to weights."""
    with_biases(network.parent / "m.tflite", tmp_path / "bad.tflite", number, CHANGES[name])
    found = mlconv.verify(network, tmp_path / "bad.tflite", per_layer=True)
    assert not found.ok and found.layers is not None
    first = found.layers.report.first
    assert first is not None and f"/c{number}" in found.layers.problem, found.problem


def test_the_same_biases(network: Path) -> None:
    assert mlconv.verify(network, network.parent / "m.tflite", per_layer=True).ok


def test_an_axis_behind_which_all_is_off(tmp_path: Path) -> None:
    """Rows are put beside rows in place of channels beside channels: what is behind has other shapes."""
    size = [1, 8, 8, 8]
    nodes = [
        helper.make_node("Sigmoid", ["x"], ["s"], name="/s"),
        helper.make_node("Mul", ["s", "s"], ["q"], name="/q"),
        helper.make_node("Concat", ["s", "q"], ["c"], name="/c", axis=1),
        helper.make_node("AveragePool", ["c"], ["p"], name="/p", kernel_shape=[3, 3], pads=[1] * 4),
        helper.make_node("Resize", ["p", "", "twice"], ["r"], name="/r", mode="nearest"),
        helper.make_node("Tanh", ["r"], ["y"], name="/y"),
    ]
    proto = model(nodes, [value("x", size)], [value("y")], {"twice": np.array([1, 1, 2, 2], np.float32)})
    proto.ir_version = 8
    path = save(tmp_path, proto)
    mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    found = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(bytearray((tmp_path / "m.tflite").read_bytes()), 0))
    (joined,) = (
        op for op in found.subgraphs[0].operators if isinstance(op.builtinOptions, schema.ConcatenationOptionsT)
    )
    assert joined.builtinOptions.axis in (3, -1)
    joined.builtinOptions.axis = 1
    store(found, tmp_path / "bad.tflite")
    compared = mlconv.verify(path, tmp_path / "bad.tflite", per_layer=True)
    assert not compared.ok and "/c" in compared.problem.split(":")[0], compared.problem
