"""Products of float64 have register tiles: each sum is added up in the order of the depth, whatever the tile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

import mlconv
from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.ir.dtypes import DType
from tests.support.modules import module
from tests.support.native import Native, needs_cc, to_object
from tests.support.onnx_models import model, save, value

pytestmark = needs_cc
DOUBLE = onnx.TensorProto.DOUBLE
SHAPES = [((9, 33), (33, 29)), ((4, 17), (17, 16)), ((3, 6, 21), (3, 21, 40)), ((5, 8), (8, 3))]


@pytest.mark.parametrize("cpu", host_cpus())
def test_numbers(cpu: str, tmp_path: Path) -> None:
    """With rows and columns that fill no tile, and several sums in a turn of the loop over the depth."""
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(shape) for pair in SHAPES for shape in pair]
    pairs = range(0, len(inputs), 2)
    m = module(lambda b, *v: [b.emit(core.MatMul(*v[i : i + 2])).y for i in pairs], inputs)
    path = to_object(m, tmp_path / "m.o", cpu, listings=("llvm",))
    code, found = Native(path).call(inputs)
    assert code == 0
    for i, got in zip(pairs, found, strict=True):
        np.testing.assert_allclose(got, inputs[i] @ inputs[i + 1], rtol=1e-13, atol=1e-13)
    (listing,) = tmp_path.glob("m.*ll")
    blocks = listing.read_text().split("\nhead")
    multiply = ("@llvm.fma.v8f64(", "fmul <8 x double>")
    sums = max(sum(" = " in line and any(m in line for m in multiply) for line in b.splitlines()) for b in blocks)
    lanes = next(c.lanes(DType.F64) for c in target_named("").cpus if c.name == cpu)
    assert 8 * sums >= 4 * lanes


@pytest.mark.parametrize("cpu", host_cpus())
def test_weights_are_packed(cpu: str, tmp_path: Path) -> None:
    """Products and convolutions with constants go by the tiles that those of float32 have."""
    rng = np.random.default_rng(2)
    w, filters = rng.standard_normal((40, 21)), rng.standard_normal((18, 5, 3, 3))
    x, image = rng.standard_normal((7, 40)), rng.standard_normal((1, 5, 9, 8))
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Conv", ["image", "filters"], ["z"])]
    inputs = [value("x", [7, 40], DOUBLE), value("image", [1, 5, 9, 8], DOUBLE)]
    proto = model(nodes, inputs, [value("y", None, DOUBLE), value("z", None, DOUBLE)], {"w": w, "filters": filters})
    made = mlconv.convert(save(tmp_path, proto), to="native", output=tmp_path / "m.o", cpu=cpu)
    assert made.ops["kernel.gemm"] == 2
    found = mlconv.load_native(tmp_path / "m.o").run({"x": x, "image": image})
    np.testing.assert_allclose(found["y"], x @ w, rtol=1e-13, atol=1e-13)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (2, 3))
    np.testing.assert_allclose(found["z"], np.einsum("nchwij,ocij->nohw", windows, filters), rtol=1e-12, atol=1e-12)
