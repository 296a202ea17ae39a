"""`mlconv verify` with drawn inputs of quantized models: integers end where samples did, which is no fault of an op."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import mlconv
from mlconv.driver.verification import Asked, Comparison, verify
from mlconv.runtime.measures import Verdict

WIDTH, HEADS = 32, 4


def attention(path: Path, scale: float = 1.0, of: str = "wo") -> Path:
    """Heads of attention with a mask, on open sizes.  scale: of one channel of some weights."""
    rng = np.random.default_rng(0)
    weights = {f"w{k}": rng.normal(0, 0.3, (WIDTH, WIDTH)).astype(np.float32) for k in "qkvo"}
    weights[of][:, 5] *= scale
    numbers = {**weights, "bo": rng.normal(0, 0.1, WIDTH).astype(np.float32), "low": np.float32(-1e9)}
    numbers["shape"], numbers["back"] = np.array([0, 0, HEADS, WIDTH // HEADS]), np.array([0, 0, WIDTH])
    nodes = []
    for k, perm in zip("qkv", ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True):
        nodes += [
            helper.make_node("MatMul", ["x", f"w{k}"], [k], f"/{k}"),
            helper.make_node("Reshape", [k, "shape"], [f"{k}r"], f"/{k}r"),
            helper.make_node("Transpose", [f"{k}r"], [f"{k}t"], f"/{k}t", perm=perm),
        ]
    nodes += [
        helper.make_node("MatMul", ["qt", "kt"], ["s"], "/s"),
        helper.make_node("Mul", ["mask", "low"], ["m"], "/m"),
        helper.make_node("Add", ["s", "m"], ["sm"], "/sm"),
        helper.make_node("Softmax", ["sm"], ["p"], "/p", axis=-1),
        helper.make_node("MatMul", ["p", "vt"], ["a"], "/a"),
        helper.make_node("Transpose", ["a"], ["at"], "/at", perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["at", "back"], ["ar"], "/ar"),
        helper.make_node("MatMul", ["ar", "wo"], ["o"], "/o"),
        helper.make_node("Add", ["o", "bo"], ["y"], "/y"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [
            helper.make_tensor_value_info("x", 1, ["b", "t", WIDTH]),
            helper.make_tensor_value_info("mask", 1, ["b", 1, 1, "t"]),
        ],
        [helper.make_tensor_value_info("y", 1, ["b", "t", WIDTH])],
        [numpy_helper.from_array(np.asarray(x), name) for name, x in numbers.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture(scope="module")
def quantized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made for long rows, of which no number counts for much."""
    return made_for(0.5, tmp_path_factory.mktemp("drawn"))


def made_for(deviation: float, folder: Path) -> Path:
    """The model quantized, for inputs of a standard deviation."""
    x = np.random.default_rng(1).normal(0, deviation, (2, 24, WIDTH)).astype(np.float32)
    np.savez(folder / "samples.npz", x=x, mask=np.zeros((2, 1, 1, 24), np.float32))
    path = folder / "a.int8.tflite"
    mlconv.quantize(attention(folder / "a.onnx"), "tflite", path, calibration=str(folder / "samples.npz"))
    return path


def compared(a: Path, b: Path, **asked: object) -> Comparison:
    return verify(a, b, Asked(layers=True, **asked))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_what_integers_cut_off_of_drawn_inputs_is_no_fault(quantized: Path, seed: int) -> None:
    found = compared(quantized.parent / "a.onnx", quantized, seed=seed)
    assert found.ok, found.problem


def test_without_layers_either(quantized: Path) -> None:
    found = verify(quantized.parent / "a.onnx", quantized)
    assert found.ok and found.layers is None, found.problem


def test_given_inputs_that_are_cut_off_count(quantized: Path, tmp_path: Path) -> None:
    mask = np.zeros((2, 1, 1, 2), np.float32)
    np.savez(tmp_path / "in.npz", x=np.full((2, 2, WIDTH), 4, np.float32), mask=mask)
    found = compared(quantized.parent / "a.onnx", quantized, data=str(tmp_path / "in.npz"))
    assert found.outputs[0].verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("scale", [1.02, 1.5, -1.0])
def test_a_fault_beside_it_is_named(quantized: Path, tmp_path: Path, scale: float) -> None:
    found = compared(attention(tmp_path / "b.onnx", scale), quantized)
    assert not found.ok
    assert "/o" in found.problem, found.problem


def test_an_output_whose_elements_lie_elsewhere(tmp_path: Path) -> None:
    """Both models have the same numbers inside, in other orders of axes that are as long as each other."""
    for name, perm in (("a", [0, 2, 1]), ("b", [0, 1, 2])):
        nodes = [
            helper.make_node("Tanh", ["x"], ["t"], "/t"),
            helper.make_node("Transpose", ["t"], ["y"], "/y", perm=perm),
        ]
        ports = [helper.make_tensor_value_info(port, 1, [2, 4, 4]) for port in "xy"]
        graph = helper.make_graph(nodes, "g", ports[:1], ports[1:])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, tmp_path / f"{name}.onnx")
    mlconv.convert(tmp_path / "b.onnx", "tflite", tmp_path / "b.tflite")
    found = compared(tmp_path / "a.onnx", tmp_path / "b.tflite")
    assert found.layers is not None and found.layers.report.first is not None
    assert "/y" in found.problem


@pytest.mark.parametrize("of", ["wq", "wk"])
def test_a_fault_of_the_first_products_is_named(of: str, quantized: Path, tmp_path: Path) -> None:
    """Only their channels tell it: what is computed of them is cut off."""
    found = compared(attention(tmp_path / "b.onnx", 1.5, of), quantized)
    assert not found.ok and f"/{of[1]}" in found.problem and "channel 5" in found.problem, found.problem


def test_integers_that_end_too_early_for_anything_are_a_fault(tmp_path: Path) -> None:
    """Shares that are cut off at a hundredth: no row is so long."""
    proto = onnx.load(attention(tmp_path / "a.onnx"))
    (at,) = (i for i, node in enumerate(proto.graph.node) if node.op_type == "Softmax")
    softmax = proto.graph.node[at]
    name, softmax.output[0] = softmax.output[0], "shares"
    numbers = (np.asarray(0.01 / 255, np.float32), "scale"), (np.asarray(-128, np.int8), "zero")
    proto.graph.initializer.extend(numpy_helper.from_array(*pair) for pair in numbers)
    for node in (
        helper.make_node("DequantizeLinear", ["integers", "scale", "zero"], [name]),
        helper.make_node("QuantizeLinear", ["shares", "scale", "zero"], ["integers"]),
    ):
        proto.graph.node.insert(at + 1, node)
    onnx.save(proto, tmp_path / "b.onnx")
    assert not compared(tmp_path / "a.onnx", tmp_path / "b.onnx").ok
