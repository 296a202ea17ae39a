"""Rows of a length that a run tells: products with softmax between them are one kernel, biases join products, sums
stand several rows and vectors at once.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto

import mlconv
from mlconv.codegen.program.compile import host_cpu
from mlconv.diagnostics import DiagnosticEngine
from mlconv.interp.kernels import run_kernels
from mlconv.runtime.inputs import sizes_of
from tests.support.data_sizes import NODE, F, drawn, save
from tests.support.lowering import lower
from tests.support.native import CPUS


def attention(folder: Path, *, masked: bool = False) -> Path:
    """x [b, s, 24] of four heads, with a bias behind the product that makes it.  masked: an input is added to the
    scores; rows are those of another tensor, z [b, t, 24].
    """
    rows = "z" if masked else "x"
    nodes = [
        *[n for x in dict.fromkeys(("x", rows)) for n in made(x)],
        NODE("Transpose", ["parted_x"], ["k"], perm=[0, 2, 3, 1]),
        NODE("MatMul", [f"parts_{rows}", "k"], ["scores"]),
        *([NODE("Add", ["scores", "mask"], ["masked"])] if masked else []),
        NODE("Softmax", ["masked" if masked else "scores"], ["weights"], axis=-1),
        NODE("MatMul", ["weights", "parts_x"], ["y"]),
    ]
    numbers = {"w": 0.2 * drawn(1, 24, 24), "bias": drawn(2, 24), "heads": np.array([0, 0, 4, 6])}
    more = {"z": (F, ["b", "t", 24]), "mask": (F, ["b", 1, 1, "s"])} if masked else {}
    return save(folder, nodes, {"x": (F, ["b", "s", 24]), **more}, ["y"], **numbers)


def made(x: str) -> list[onnx.NodeProto]:
    """Heads of an input."""
    return [
        NODE("MatMul", [x, "w"], [f"product_{x}"]),
        NODE("Add", [f"product_{x}", "bias"], [f"made_{x}"]),
        NODE("Reshape", [f"made_{x}", "heads"], [f"parted_{x}"]),
        NODE("Transpose", [f"parted_{x}"], [f"parts_{x}"], perm=[0, 2, 1, 3]),
    ]


@pytest.mark.parametrize("masked", [False, True])
def test_attention_at_all_lengths(masked: bool, tmp_path: Path) -> None:
    """Of less than a vector or a tile, of several at once and what is left; threads have scratch memory of their
    own.
    """
    path = attention(tmp_path, masked=masked)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for cpu in CPUS:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        models = [mlconv.load_native(tmp_path / "m.o", threads=n) for n in (1, 2, 3)]
        for b, s, t in ((1, 1, 5), (2, 3, 2), (1, 4, 1), (3, 37, 8), (1, 70, 33), (2, 133, 3)):
            feed = {"x": drawn(s, b, s, 24)}
            if masked:
                feed |= {"z": drawn(t, b, t, 24), "mask": np.where(drawn(s, b, 1, 1, s) > 1, np.float32(-10), 0)}
            (want,) = session.run(None, feed)
            got = [model.run(feed)["y"] for model in models]
            np.testing.assert_allclose(got[0], want, rtol=2e-5, atol=2e-5)
            assert all(np.array_equal(got[0], other) for other in got[1:])


def test_integers_at_all_lengths(tmp_path: Path) -> None:
    """As kernels are interpreted, but for the last bit of an exponential: sums over an open length are int64, a few of
    them int32.
    """
    path, folder = attention(tmp_path, masked=True), tmp_path / "ir"
    feeds = [
        {"x": drawn(s, b, s, 24), "z": drawn(t, b, t, 24), "mask": np.zeros((b, 1, 1, s), np.float32)}
        for b, s, t in ((1, 300, 9), (1, 1, 5), (2, 3, 2), (1, 4, 1), (3, 37, 8))
    ]
    for cpu in (CPUS[0], CPUS[-1]):
        mlconv.quantize(path, "native", tmp_path / "m.o", calibration=feeds, cpu=cpu, dump_ir=folder)
        (last,) = folder.glob("*kernel-schedule.mlir")
        text = last.read_text()
        assert 'opcode = "mul", dtype = i64' in text and '"kernel.row_parts"' in text
        main, model = mlconv.load(last).module.main, mlconv.load_native(tmp_path / "m.o", threads=2)
        wants = [run_kernels(main, feed, sizes_of(main, feed))[main.outputs[0]] for feed in feeds]
        step = np.diff(np.unique(wants[0])).min()
        for feed, want in zip(feeds, wants, strict=True):
            steps = np.rint((model.run(feed)["y"] - want) / step)
            assert np.abs(steps).max() <= 1 and np.mean(steps != 0) < 0.01


@pytest.mark.parametrize("types", ["i1", "u1"])
def test_sums_of_integers(types: str, tmp_path: Path) -> None:
    """Over an odd and an even number of places, of rows and columns that tiles leave, of extreme operands."""
    nodes = [NODE("MatMulInteger", ["x", "z", "four"], ["y"])]
    kind = TensorProto.INT8 if types == "i1" else TensorProto.UINT8
    given = {"x": (kind, ["b", "r", "k"]), "z": (TensorProto.INT8, ["b", "k", "c"])}
    path = save(tmp_path, nodes, given, ["y"], four=np.array(4, types))
    random = np.random.default_rng(0)
    for cpu in CPUS:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        model = mlconv.load_native(tmp_path / "m.o")
        for r, k, c in ((1, 1, 1), (4, 2, 32), (5, 7, 33), (13, 300, 70)):
            x = random.choice([-128, 127, 5], (2, r, k)).astype("i1").view(types)
            z = random.choice([-128, 127, 3], (2, k, c)).astype("i1")
            want = (x.astype(np.int32) - 4) @ z.astype(np.int32)
            np.testing.assert_array_equal(model.run({"x": x, "z": z})["y"], want)


def test_what_is_fused(tmp_path: Path) -> None:
    for masked in (False, True):
        path, folder = attention(tmp_path, masked=masked), tmp_path / f"ir{masked}"
        mlconv.convert(path, to="native", output=tmp_path / "m.o", dump_ir=folder)
        (last,) = folder.glob("*kernel-schedule.mlir")
        text = last.read_text()
        assert len(re.findall(r'"kernel\.row_parts"', text)) == 1 and '"kernel.row_reduce"' not in text
        products = re.findall(r'"kernel\.gemm"\(.*', text)
        assert len(products) == 1 + masked
        assert all(re.search(r'after = \[#kernel\.instr<opcode = "load".*opcode = "add"', p) for p in products)


def test_fused_kernels_are_interpreted(tmp_path: Path) -> None:
    path = attention(tmp_path, masked=True)
    feeds = {"x": drawn(1, 2, 9, 24), "z": drawn(2, 2, 6, 24), "mask": drawn(3, 2, 1, 1, 9)}
    (want,) = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, feeds)
    module, engine = mlconv.load(path).module, DiagnosticEngine()
    lower(module, "native", engine)
    known = run_kernels(module.main, feeds, sizes_of(module.main, feeds))
    np.testing.assert_allclose(known[module.main.outputs[0]], want, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(("depth", "width"), [(40, 24), (40, 70), (40, 256), (384, 500)])
def test_few_open_rows(depth: int, width: int, tmp_path: Path) -> None:
    """So few that register tiles of many wait for their sums have tiles of their own, with the same sums."""
    numbers = {"w": 0.2 * drawn(1, depth, width), "bias": drawn(2, width)}
    nodes = [
        NODE("MatMul", ["x", "w"], ["product"]),
        NODE("Add", ["product", "bias"], ["sum"]),
        NODE("Relu", ["sum"], ["y"]),
    ]
    path = save(tmp_path, nodes, {"x": (F, ["b", "s", depth])}, ["y"], **numbers)
    for cpu in CPUS:
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        models = [mlconv.load_native(tmp_path / "m.o", threads=n) for n in (1, 3)]
        for b, s in ((1, 1), (2, 1), (1, 3), (2, 2), (1, 5), (7, 1), (1, 0), (13, 1), (4, 15)):
            x = drawn(s, b, s, depth)
            want = np.maximum(x.astype(np.float64) @ numbers["w"] + numbers["bias"], 0)
            got = [model.run({"x": x})["y"] for model in models]
            np.testing.assert_allclose(got[0], want, rtol=2e-5, atol=2e-5)
            assert all(np.array_equal(got[0], other) for other in got[1:])


@pytest.mark.parametrize("types", ["i1", "u1"])
@pytest.mark.parametrize(("depth", "width"), [(7, 24), (40, 70), (384, 384), (1030, 256)])
def test_few_open_rows_of_integers(types: str, depth: int, width: int, tmp_path: Path) -> None:
    """The same of bytes, exactly, also where those of many widen the weights first."""
    random = np.random.default_rng(0)
    w = random.choice([-128, 127, 3], (depth, width)).astype("i1")
    kind = TensorProto.INT8 if types == "i1" else TensorProto.UINT8
    nodes = [NODE("MatMulInteger", ["x", "w"], ["y"])]
    path = save(tmp_path, nodes, {"x": (kind, ["b", "s", depth])}, ["y"], w=w)
    for cpu in dict.fromkeys((*CPUS, host_cpu())):
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu)
        models = [mlconv.load_native(tmp_path / "m.o", threads=n) for n in (1, 3)]
        for b, s in ((1, 1), (2, 1), (1, 3), (2, 2), (1, 5), (7, 1), (1, 0), (13, 1), (4, 15)):
            x = random.choice([-128, 127, 5], (b, s, depth)).astype("i1").view(types)
            want = x.astype(np.int32) @ w.astype(np.int32)
            for model in models:
                np.testing.assert_array_equal(model.run({"x": x})["y"], want)


@pytest.mark.parametrize(("depth", "width"), [(40, 70), (64, 96), (384, 600), (39, 48)])
def test_few_open_rows_of_bfloat16(depth: int, width: int, tmp_path: Path) -> None:
    """The same of factors of 16 bits, laid out first or read as they lie: small integers, whose sums are exact.  A
    single row asks for weights that stay in no cache.
    """
    random = np.random.default_rng(0)
    w = random.integers(-8, 9, (depth, width)).astype(np.float32)
    path = save(tmp_path, [NODE("MatMul", ["x", "w"], ["y"])], {"x": (F, ["s", depth])}, ["y"], w=w)
    for cpu in dict.fromkeys((*CPUS, host_cpu())):
        mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu=cpu, quantize="bfloat16")
        model = mlconv.load_native(tmp_path / "m.o")
        for rows in (0, 1, 2, 3, 4, 5, 7, 60):
            x = random.integers(-8, 9, (rows, depth)).astype(np.float32)
            np.testing.assert_array_equal(model.run({"x": x})["y"], x @ w)


@pytest.mark.parametrize(("width", "by_vectors"), [(96, True), (2048, False)])
def test_few_weights_of_a_single_row_go_by_vectors(width: int, by_vectors: bool, tmp_path: Path) -> None:
    """Where there are tiles of matrices for more rows."""
    w = np.zeros((64, width), np.float32)
    path = save(tmp_path, [NODE("MatMul", ["x", "w"], ["y"])], {"x": (F, ["s", 64])}, ["y"], w=w)
    settings = {"cpu": "sapphirerapids", "quantize": "bfloat16", "emit_code": "llvm"}
    mlconv.convert(path, to="native", output=tmp_path / "m.o", **settings)
    (listing,) = tmp_path.glob("*.ll")
    text = listing.read_text(encoding="utf-8")
    assert "tdpbf16ps" in text and ("llvm.fma" in text) == by_vectors
