"""Sums of integers, and bytes that only change their type: in vectors on every instruction set that has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.ir.builder import Builder as IrBuilder
from mlconv.ir.core import Value
from tests.support.modules import module
from tests.support.native import OWN, check, needs_cc
from tests.support.onnx_models import model, save, value

pytestmark = needs_cc


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.int16])
@pytest.mark.parametrize("length", [3, 16, 49, 200])
def test_sums(length: int, dtype: type, tmp_path: Path) -> None:
    """They wrap as one after the other do."""
    ends = np.iinfo(dtype)
    arrays = [np.random.default_rng().integers(ends.min, ends.max, (3, 4, length), dtype)]

    def make(b: IrBuilder, x: Value) -> list[Value]:
        return [b.emit(core.ReduceSum(x, axes=axes)).y for axes in ((2,), (1, 2), (0, 2))]

    m = module(make, arrays)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


def _global_mean(folder: Path, dtype: int) -> Path:
    zero = np.asarray(3, helper.tensor_dtype_to_np_dtype(dtype))
    held = {"scale": np.asarray(0.5, np.float32), "zero": zero}
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "scale", "zero"], ["f"]),
        helper.make_node("GlobalAveragePool", ["f"], ["m"]),
        helper.make_node("QuantizeLinear", ["m", "scale", "zero"], ["y"]),
    ]
    shape = [2, 5, 7, 7]
    return save(folder, model(nodes, [value("x", shape, dtype)], [value("y", dtype=dtype)], held, opset=17))


@pytest.mark.parametrize("dtype", [TensorProto.INT8, TensorProto.UINT8])
def test_means_of_bytes(dtype: int, tmp_path: Path) -> None:
    path = _global_mean(tmp_path, dtype)
    known = helper.tensor_dtype_to_np_dtype(dtype)
    ends = np.iinfo(known)
    x = np.random.default_rng().integers(ends.min, ends.max, (2, 5, 7, 7), known, endpoint=True)
    exact = (x.astype(np.float64) - 3).mean((2, 3), keepdims=True) + 3
    for cpu in host_cpus():
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        (found,) = mlconv.load_native(tmp_path / "m.o").run({"x": x}).values()
        assert np.abs(found - exact).max() <= 0.501
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=OWN, emit_code="llvm")
    (listing,) = tmp_path.glob("*.ll")
    assert "llvm.vector.reduce.add" in listing.read_text(encoding="utf-8")


@pytest.mark.parametrize("zero", [0, 3, 128, 255])
def test_bytes_without_a_sign(zero: int, tmp_path: Path) -> None:
    """Numbers at, beyond and between the ends of a byte are those of the formula."""
    held = {"scale": np.asarray(0.5, np.float32), "zero": np.asarray(zero, np.uint8)}
    nodes = [helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"])]
    ports = [value("x", [1000])], [value("y", dtype=TensorProto.UINT8)]
    path = save(tmp_path, model(nodes, *ports, held, opset=17))
    x = np.random.default_rng().uniform(-200, 200, 1000).astype(np.float32)
    want = np.clip(np.rint(x / np.float32(0.5)) + zero, 0, 255).astype(np.uint8)
    for cpu in host_cpus():
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        (found,) = mlconv.load_native(tmp_path / "m.o").run({"x": x}).values()
        np.testing.assert_array_equal(found, want)
