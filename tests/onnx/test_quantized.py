"""Quantized ONNX files on their way: integers for who asks for integers, numbers for who asks for numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.litert import run_litert
from tests.support.onnx_models import model, save, value

SCALE, ZERO = np.float32(0.05), np.uint8(128)


def saved(folder: Path, proto: onnx.ModelProto) -> Path:
    """A file of a version that ONNX Runtime reads."""
    proto.ir_version = 10
    return save(folder, proto)


def both_readings(folder: Path) -> Path:
    """A quantized tensor as numbers, moved, as integers, and as an output."""
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("Reshape", ["q", "shape"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "s", "z"], ["moved"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["number"]),
        helper.make_node("Cast", ["q"], ["integer"], to=TensorProto.FLOAT),
        helper.make_node("Identity", ["q"], ["stored"]),
    ]
    outputs = [value("moved", [4, 6]), value("number", [8, 3]), value("integer", [8, 3])]
    outputs.append(value("stored", [8, 3], TensorProto.UINT8))
    constants = {"s": np.asarray(SCALE), "z": np.asarray(ZERO), "shape": np.array([4, 6])}
    return saved(folder, model(nodes, [value("x", [8, 3])], outputs, constants, 21))


def blocks(folder: Path, size: int) -> Path:
    """Weights in blocks of 32, with zero points."""
    rng = np.random.default_rng(0)
    constants = {
        "w": rng.integers(-128, 127, (size, size)).astype(np.int8),
        "s": rng.uniform(0.01, 0.1, (size // 32, size)).astype(np.float32),
        "z": rng.integers(-9, 9, (size // 32, size)).astype(np.int8),
    }
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], axis=0, block_size=32),
        helper.make_node("MatMul", ["x", "d"], ["y"]),
    ]
    return saved(folder, model(nodes, [value("x", [2, size])], [value("y", [2, size])], constants, 21))


@pytest.mark.parametrize("target", ["tflite", "hlo", "native"])
def test_both_readings_of_a_quantized_tensor(target: str, tmp_path: Path) -> None:
    artifact = tmp_path / "m.o"
    result = mlconv.convert(both_readings(tmp_path), target, artifact, verify=True, verify_with="source")
    assert len(result.verification) == 4


def test_the_contract_says_how_an_output_is_quantized(tmp_path: Path) -> None:
    mlconv.convert(both_readings(tmp_path), "tflite", tmp_path / "m.tflite", io_json=True)
    contract = json.loads((tmp_path / "m.tflite.io.json").read_text())
    found = {o["name"]: o["quantization"] for o in contract["signatures"][0]["outputs"]}
    assert found.pop("stored") == {"scales": [float(SCALE)], "zero_points": [128], "axis": None}
    assert set(found.values()) == {None}


@pytest.mark.parametrize("target", ["tflite", "hlo", "native"])
@pytest.mark.parametrize("size", [64, 1024])
def test_scales_of_blocks(target: str, size: int, tmp_path: Path) -> None:
    """Small ones become numbers, but on TFLite; larger ones stay integers and are multiplied where they are used.
    ONNX Runtime would round x to 8 bits here.
    """
    artifact = tmp_path / "m.o"
    result = mlconv.convert(blocks(tmp_path, size), target, artifact, verify=True)
    assert len(result.verification) == 1
    assert (artifact.stat().st_size < 2 * size**2) is (size == 1024 or target == "tflite")


@pytest.mark.parametrize("kind", [TensorProto.INT4, TensorProto.UINT4])
@pytest.mark.parametrize("target", ["tflite", "native"])
def test_activations_of_4_bits(kind: int, target: str, tmp_path: Path) -> None:
    """No kernel has such: they are bytes within the limits of 4 bits."""
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s"], ["q"], output_dtype=kind),
        helper.make_node("DequantizeLinear", ["q", "s"], ["a"]),
        helper.make_node("DequantizeLinear", ["w", "t"], ["b"]),
        helper.make_node("MatMul", ["a", "b"], ["c"]),
        helper.make_node("QuantizeLinear", ["c", "u"], ["r"], output_dtype=kind),
        helper.make_node("DequantizeLinear", ["r", "u"], ["y"]),
    ]
    constants = {"s": np.asarray(np.float32(0.3)), "t": np.asarray(np.float32(0.02)), "u": np.asarray(np.float32(0.7))}
    constants["w"] = np.random.default_rng(0).integers(-127, 128, (32, 16)).astype(np.int8)
    source = saved(tmp_path, model(nodes, [value("x", [8, 32])], [value("y", [8, 16])], constants, 21))
    result = mlconv.convert(source, target, tmp_path / "m.o", verify=True, verify_with="source")
    assert len(result.verification) == 1


@pytest.mark.parametrize("given", [{}, {"strides": [2, 2]}, {"group": 8}], ids=lambda g: "-".join(g) or "plain")
@pytest.mark.parametrize("window", [1, 3])
def test_convolutions_with_weights_of_4_bits(window: int, given: dict[str, Any], tmp_path: Path) -> None:
    """Native code gives the integers of LiteRT, whichever kernel that has for them."""
    rng = np.random.default_rng(window)
    inner = 8 // given.get("group", 1)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["a"]),
        helper.make_node("DequantizeLinear", ["w", "t"], ["b"], axis=0),
        helper.make_node("Conv", ["a", "b"], ["c"], pads=[window // 2] * 4, **given),
        helper.make_node("QuantizeLinear", ["c", "u", "z"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "u", "z"], ["y"]),
    ]
    constants = {"s": np.asarray(SCALE), "u": np.asarray(np.float32(0.7)), "z": np.asarray(np.int8(3))}
    constants["t"] = rng.uniform(0.02, 0.1, 16).astype(np.float32)
    proto = model(nodes, [value("x", [2, 8, 64, 63])], [value("y")], constants, 21)
    stored = rng.integers(-8, 8, (16, inner, window, window))
    proto.graph.initializer.append(helper.make_tensor("w", TensorProto.INT4, stored.shape, stored.reshape(-1)))
    source = saved(tmp_path, proto)
    x = rng.normal(0, 3, (2, 8, 64, 63)).astype(np.float32)
    mlconv.convert(source, "native", tmp_path / "m.o")
    mlconv.convert(source, "tflite", tmp_path / "m.tflite")
    (want,) = run_litert((tmp_path / "m.tflite").read_bytes(), [x])
    np.testing.assert_array_equal(mlconv.load_native(tmp_path / "m.o").run({"x": x})["y"], want)


@pytest.mark.parametrize(("storage", "zero", "step"), [(np.int8, 0, 0.02), (np.uint8, 99, 0.02), (np.int16, 0, 0.0005)])
@pytest.mark.parametrize("kind", ["Conv", "ConvTranspose"])
def test_convolutions_with_weights_that_are_data(
    kind: str, storage: type[np.integer], zero: int, step: float, tmp_path: Path
) -> None:
    """Native code gives the integers of LiteRT's kernel for int8; others differ by a step on a few of them."""

    def rounded(name: str, scale: str, to: str) -> list[onnx.NodeProto]:
        made = helper.make_node("QuantizeLinear", [name, scale, "z"], [f"{name}q"])
        return [made, helper.make_node("DequantizeLinear", [f"{name}q", scale, "z"], [to])]

    nodes = [*rounded("x", "s", "a"), *rounded("w", "t", "b")]
    nodes += [helper.make_node(kind, ["a", "b"], ["c"], pads=[1] * 4), *rounded("c", "u", "y")]
    scales = {"s": step * 4, "t": step, "u": step * 20}
    constants = {name: np.asarray(np.float32(scale)) for name, scale in scales.items()}
    constants["z"] = np.asarray(zero, storage)
    shape = [16, 8, 3, 3] if kind == "Conv" else [8, 16, 3, 3]
    inputs = [value("x", [2, 8, 64, 63]), value("w", shape)]
    source = saved(tmp_path, model(nodes, inputs, [value("y")], constants, 21))
    rng = np.random.default_rng(0)
    arrays = [rng.normal(0, 3, (2, 8, 64, 63)).astype(np.float32), rng.normal(0, 0.7, shape).astype(np.float32)]
    mlconv.convert(source, "native", tmp_path / "m.o")
    mlconv.convert(source, "tflite", tmp_path / "m.tflite")
    (want,) = run_litert((tmp_path / "m.tflite").read_bytes(), arrays)
    got = mlconv.load_native(tmp_path / "m.o").run(dict(zip("xw", arrays, strict=True)))["y"]
    off = np.abs(got - want) / np.float32(scales["u"])
    is_exact = kind == "Conv" and storage is np.int8
    assert off.max() < 1.01 and np.count_nonzero(off) <= (0 if is_exact else 0.005 * off.size)
