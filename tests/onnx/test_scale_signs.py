"""Scales of constant integers that are below 0 or 0, as quantizers of weights write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.onnx_models import model, save, value

RNG = np.random.default_rng(7)
DEPTH, CHANNELS, BLOCK = 64, 48, 32
TYPES = {
    TensorProto.INT4: (-8, 8),
    TensorProto.UINT4: (0, 16),
    TensorProto.INT8: (-128, 128),
    TensorProto.UINT8: (0, 256),
}


def scales(shape: tuple[int, ...], is_signed: bool) -> Any:
    out = RNG.uniform(0.01, 0.1, shape).astype(np.float32)
    if is_signed:
        out *= RNG.choice([-1, 1], shape)
    out.reshape(-1)[[0, 5]] = 0
    return out.astype(np.float32)


def numbers(q: Any, scale: Any, zero: Any, axis: int, block: int) -> Any:
    """DequantizeLinear, by its specification."""

    def spread(v: Any) -> Any:
        return np.repeat(v, block, axis) if block else v.reshape([-1 if i == axis else 1 for i in range(q.ndim)])

    return (q.astype(np.float64) - spread(zero.astype(np.float64))) * spread(scale.astype(np.float64))


@pytest.mark.share(3)
@pytest.mark.parametrize("with_zeros", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", TYPES, ids=TensorProto.DataType.Name)
def test_blocks(kind: int, axis: int, with_zeros: bool, tmp_path: Path) -> None:
    """They stay integers of their type, which native products read."""
    low, high = TYPES[kind]
    shape = (DEPTH, CHANNELS) if axis == 0 else (CHANNELS, DEPTH)
    of_blocks = tuple(n // BLOCK if i == axis else n for i, n in enumerate(shape))
    q, scale = RNG.integers(low, high, shape), scales(of_blocks, True)
    q[0, 0], q[-1, -1] = low, high - 1
    zero = RNG.integers(low, high, of_blocks) if with_zeros else np.zeros(of_blocks, np.int64)
    nodes = [
        helper.make_node(
            "DequantizeLinear", ["w", "s", *(["z"] if with_zeros else [])], ["d"], axis=axis, block_size=BLOCK
        ),
        helper.make_node("MatMul", ["x", "d"], ["y"])
        if axis == 0
        else helper.make_node("Gemm", ["x", "d"], ["y"], transB=1),
    ]
    proto = model(nodes, [value("x", [3, DEPTH])], [value("y")], {"s": scale}, 21)
    for name, array in (("w", q), *([("z", zero)] if with_zeros else [])):
        proto.graph.initializer.append(helper.make_tensor(name, kind, array.shape, array.reshape(-1).tolist()))
    mlconv.convert(save(tmp_path, proto), to="native", output=tmp_path / "m.o", dump_ir=tmp_path / "ir", verify=True)
    x = RNG.standard_normal((3, DEPTH)).astype(np.float32)
    w = numbers(q, scale, zero, axis, BLOCK)
    wanted = x.astype(np.float64) @ (w if axis == 0 else w.T)
    (y,) = mlconv.load_native(tmp_path / "m.o").run({"x": x}).values()
    np.testing.assert_allclose(y / np.abs(wanted).max(), wanted / np.abs(wanted).max(), rtol=0, atol=1e-6)
    (last,) = (tmp_path / "ir").glob("*kernel-schedule.mlir")
    assert last.read_text().count('= "kernel.block_gemm') == 1


@pytest.mark.parametrize("is_signed", [False, True])
@pytest.mark.parametrize("target", ["native", "tflite"])
def test_channels(target: str, is_signed: bool, tmp_path: Path) -> None:
    """A channel whose scale is 0 is zeros; one whose scale is below 0 has no zero point for it."""
    q, scale = RNG.integers(-128, 128, (DEPTH, CHANNELS)).astype(np.int8), scales((CHANNELS,), is_signed)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=1),
        helper.make_node("MatMul", ["x", "d"], ["y"]),
    ]
    proto = model(nodes, [value("x", [3, DEPTH])], [value("y")], {"s": scale, "w": q}, 21)
    path = tmp_path / "m.o"
    mlconv.convert(save(tmp_path, proto), to=target, output=path, verify=True, dump_ir=tmp_path / "ir")
    (first,) = (tmp_path / "ir").glob("00-from-onnx.mlir")
    assert ("core.dequantize" in first.read_text()) is not is_signed
