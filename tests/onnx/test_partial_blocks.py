"""Weights whose blocks do not divide their depth: the last one ends with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.runtime.native import load_native
from tests.support.litert import run_litert
from tests.support.native import OWN
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import session_for

CHANNELS = 48
RNG = np.random.default_rng(3)


def check(proto: onnx.ModelProto, depth: int, folder: Path, given: tuple[int, ...] = (), scales: int = 0) -> None:
    """Numbers are ONNX Runtime's, and weights stay integers of 4 bits in all files.  given: shape of x.  scales: bytes
    of them.
    """
    proto.ir_version = 10
    x = RNG.standard_normal(given or (5, depth)).astype(np.float32)
    (want,) = session_for(proto).run(None, {"x": x})
    compare(proto, x, want, folder, depth * CHANNELS / 2 + (scales or 4 * CHANNELS * max(1, depth // 64)))


def compare(proto: onnx.ModelProto, x: np.ndarray, want: np.ndarray, folder: Path, stored: float) -> None:
    """Numbers are those, and the weights of all files take these bytes."""
    path = save(folder, proto)
    mlconv.convert(path, "tflite", folder / "m.tflite")
    mlconv.convert(path, "native", folder / "m.o", weights="file", cpu=OWN)
    (own,) = mlconv.load(path).run({"x": x}).values()
    (code,) = load_native(folder / "m.o").run({"x": x}).values()
    (lite,) = run_litert((folder / "m.tflite").read_bytes(), [x])
    for got in (own, code, lite):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-4 * np.abs(want).max())
    assert (folder / "m.weights.bin").stat().st_size <= 1.1 * stored + 64
    assert (folder / "m.tflite").stat().st_size <= 1.1 * stored + 4_096


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("depth", [320, 576, 96], ids=["blocks of 64", "blocks of 64 again", "one block"])
def test_dequantize(depth: int, zeros: bool, tmp_path: Path) -> None:
    q = RNG.integers(-8, 8, (depth, CHANNELS))
    of_blocks = (-(-depth // 128), CHANNELS)
    z = RNG.integers(-8, 8, of_blocks) if zeros else np.zeros(of_blocks, np.int64)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], axis=0, block_size=128),
        helper.make_node("MatMul", ["x", "d"], ["y"]),
    ]
    constants: dict[str, Any] = {"s": RNG.uniform(0.01, 0.1, of_blocks).astype(np.float32)}
    proto = model(nodes, [value("x", [5, depth])], [value("y", [5, CHANNELS])], constants, 21)
    for name, v in (("w", q), ("z", z)):
        proto.graph.initializer.append(helper.make_tensor(name, TensorProto.INT4, v.shape, v.reshape(-1).tolist()))
    check(proto, depth, tmp_path)


@pytest.mark.parametrize("depth", [64, 320])
def test_nbits(depth: int, tmp_path: Path) -> None:
    """Whatever fills up the last block."""
    blocks = -(-depth // 128)
    constants = {
        "w": RNG.integers(0, 256, (CHANNELS, blocks, 64)).astype(np.uint8),
        "s": RNG.uniform(0.01, 0.1, (CHANNELS, blocks)).astype(np.float32),
        "z": RNG.integers(0, 256, (CHANNELS, -(-blocks // 2))).astype(np.uint8),
    }
    attributes = {"K": depth, "N": CHANNELS, "bits": 4, "block_size": 128}
    node = helper.make_node("MatMulNBits", ["x", *constants], ["y"], domain="com.microsoft", **attributes)
    proto = model([node], [value("x", [5, depth])], [value("y", [5, CHANNELS])], constants, 21)
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    check(proto, depth, tmp_path)


FORMS = {"MatMul": (0, {}), "Gemm": (1, {"transA": 1, "transB": 1}), "Transpose": (1, {})}
"""The axis of blocks, and attributes of the product."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("depth", "block"), [(100, 32), (72, 16), (1000, 128), (67, 16), (96, 32)])
def test_blocks_that_nothing_divides(depth: int, block: int, form: str, tmp_path: Path) -> None:
    """Files have no more than the source."""
    axis, attributes = FORMS[form]
    shape, blocks = (depth, CHANNELS), (-(-depth // block), CHANNELS)
    shape, blocks = (shape[::-1], blocks[::-1]) if axis else (shape, blocks)
    q, z = RNG.integers(0, 16, shape), RNG.integers(0, 16, blocks)
    nodes = [helper.make_node("DequantizeLinear", ["w", "s", "z"], ["d"], axis=axis, block_size=block)]
    if form == "Transpose":
        nodes += [helper.make_node("Transpose", ["d"], ["t"], perm=[1, 0])]
    kind = "Gemm" if form == "Gemm" else "MatMul"
    nodes.append(helper.make_node(kind, ["x", "t" if form == "Transpose" else "d"], ["y"], **attributes))
    given = (depth, 5) if form == "Gemm" else (5, depth)
    constants: dict[str, Any] = {"s": RNG.uniform(0.01, 0.1, blocks).astype(np.float32)}
    proto = model(nodes, [value("x", [*given])], [value("y", [5, CHANNELS])], constants, 21)
    for name, v in (("w", q), ("z", z)):
        proto.graph.initializer.append(helper.make_tensor(name, TensorProto.UINT4, v.shape, v.reshape(-1).tolist()))
    check(proto, depth, tmp_path, given, 5 * CHANNELS * blocks[axis])


@pytest.mark.share(2)
@pytest.mark.parametrize("zeros", ["none", "stored", "whole", "real"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("depth", "bits"), [(200, 4), (256, 4), (256, 8)])
def test_groups_and_zeros_of_nbits(depth: int, bits: int, grouped: bool, zeros: str, tmp_path: Path) -> None:
    """Weights stay integers where g_idx puts columns into blocks, and where zero points are floats; the numbers are
    those of the formula, as ONNX Runtime has no g_idx with packed zero points, nor floats with 8 bits.
    """
    size, per_byte = 64, 8 // bits
    blocks = -(-depth // size)
    whole, least = blocks * size, 1 << bits
    q = RNG.integers(0, least, (CHANNELS, whole))
    z = np.full((CHANNELS, blocks), least // 2.0) if zeros == "none" else RNG.integers(0, least, (CHANNELS, blocks))
    z = z + RNG.uniform(-0.4, 0.4, z.shape) if zeros == "real" else z
    constants: dict[str, Any] = {
        "w": packed(q, per_byte).reshape(CHANNELS, blocks, -1),
        "s": RNG.uniform(0.01, 0.1, (CHANNELS, blocks)).astype(np.float32),
    }
    if zeros == "stored":
        constants["z"] = packed(np.pad(z, ((0, 0), (0, -blocks % per_byte))), per_byte)
    elif zeros != "none":
        constants["z"] = z.astype(np.float32)
    groups = RNG.permutation(np.arange(whole) // size) if grouped else np.arange(whole) // size
    names = ["x", "w", "s", "z" if zeros != "none" else "", *["g"] * grouped]
    constants |= {"g": groups.astype(np.int32)} if grouped else {}
    attributes = {"K": depth, "N": CHANNELS, "bits": bits, "block_size": size}
    node = helper.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", **attributes)
    proto = model([node], [value("x", [5, depth])], [value("y", [5, CHANNELS])], constants, 21)
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    proto.ir_version = 10
    numbers = ((q - z[:, groups]) * constants["s"][:, groups])[:, :depth]
    x = RNG.standard_normal((5, depth)).astype(np.float32)
    of_blocks = CHANNELS * blocks * (4 if zeros in ("none", "whole") else 8)
    compare(proto, x, x @ numbers.T, tmp_path, CHANNELS * whole * bits / 8 + of_blocks + 8 * whole * grouped)


def test_groups_of_the_columns_alone(tmp_path: Path) -> None:
    """g_idx that says nothing of what fills up the last block, as ONNX Runtime takes it."""
    depth, size, bits = 200, 64, 4
    blocks = -(-depth // size)
    q = RNG.integers(0, 1 << bits, (CHANNELS, blocks * size))
    constants: dict[str, Any] = {
        "w": packed(q, 2).reshape(CHANNELS, blocks, -1),
        "s": RNG.uniform(0.01, 0.1, (CHANNELS, blocks)).astype(np.float32),
        "g": RNG.permutation(np.arange(depth) // size).astype(np.int32),
    }
    attributes = {"K": depth, "N": CHANNELS, "bits": bits, "block_size": size}
    node = helper.make_node("MatMulNBits", ["x", "w", "s", "", "g"], ["y"], domain="com.microsoft", **attributes)
    proto = model([node], [value("x", [5, depth])], [value("y", [5, CHANNELS])], constants, 21)
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    proto.ir_version = 10
    x = RNG.standard_normal((5, depth)).astype(np.float32)
    (want,) = session_for(proto).run(None, {"x": x})
    numbers = (q[:, :depth] - 8) * constants["s"][:, constants["g"]]
    np.testing.assert_allclose(x @ numbers.T, want, atol=1e-4)
    compare(proto, x, want, tmp_path, 4 * CHANNELS * blocks * size)


def packed(values: np.ndarray, per_byte: int) -> np.ndarray:
    """The first in the lowest bits."""
    bits = 8 // per_byte
    rows = values.astype(np.uint8).reshape(len(values), -1, per_byte)
    return np.bitwise_or.reduce(rows << (bits * np.arange(per_byte, dtype=np.uint8)), axis=2)


@pytest.mark.share(2)
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("form", ["Gather", "columns", "along", "GatherBlockQuantized"])
@pytest.mark.parametrize(("depth", "block"), [(100, 32), (300, 64), (1000, 128), (67, 16)])
def test_rows_of_blocks_that_nothing_divides(depth: int, block: int, form: str, zeros: bool, tmp_path: Path) -> None:
    """A table has no blocks of a few places, nor a byte for each number, which was up to twice the file's."""
    rows, blocks = 200, -(-depth // block)
    q, z = RNG.integers(0, 16, (rows, depth)), RNG.integers(0, 16, (rows, blocks))
    s = RNG.uniform(0.01, 0.1, (rows, blocks)).astype(np.float32)
    if form == "columns":
        q, z, s = q.T, z.T, s.T
    of_blocks, axis = int(form != "columns"), int(form in ("columns", "along"))
    attributes: dict[str, Any]
    if form == "GatherBlockQuantized":
        attributes = {"gather_axis": 0, "quantize_axis": 1, "block_size": block}
        nodes = [helper.make_node(form, ["w", "i", "s", "z"][: 3 + zeros], ["y"], domain="com.microsoft", **attributes)]
    else:
        names = ["w", "s", "z"][: 2 + zeros]
        nodes = [helper.make_node("DequantizeLinear", names, ["d"], axis=of_blocks, block_size=block)]
        nodes.append(helper.make_node("Gather", ["d", "i"], ["y"], axis=axis))
    ends = [value("i", [2, 3], TensorProto.INT64)], [value("y", None)]
    proto = model(nodes, *ends, {"s": np.ascontiguousarray(s)}, 21)
    for name, v in (("w", q), ("z", z))[: 1 + zeros]:
        proto.graph.initializer.append(helper.make_tensor(name, TensorProto.UINT4, v.shape, v.reshape(-1).tolist()))
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    proto.ir_version = 10
    given = {"i": np.array([[0, -1, 7], [7, 3, 66]])}
    (want,) = session_for(proto).run(None, given)
    path = save(tmp_path, proto)
    mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    mlconv.convert(path, "native", tmp_path / "m.o", weights="file", cpu=OWN)
    (own,) = mlconv.load(path).run(given).values()
    (code,) = load_native(tmp_path / "m.o").run(given).values()
    (lite,) = run_litert((tmp_path / "m.tflite").read_bytes(), [given["i"]])
    for got in (own, code, lite):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-5)
    whole = rows * (-(-depth // 2) + blocks * (4 + zeros))  # integers, scales, and zero points, a byte each
    assert (tmp_path / "m.weights.bin").stat().st_size <= whole + 128
