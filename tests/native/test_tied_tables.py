"""A table that rows are looked up in and that makes the logits is stored once, in panels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from tests.support.native import needs_cc
from tests.support.onnx_models import model, save, value
from tests.support.tied_tables import tied_integers

pytestmark = needs_cc
RNG = np.random.default_rng(5)


@pytest.mark.parametrize("optimize", ["speed", "size"])
@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("shape", [(1024, 48), (1003, 20)], ids=str)
def test_stored_once(shape: tuple[int, int], stored: bool, optimize: str, tmp_path: Path) -> None:
    rows = shape[0]
    tensors = {"w": RNG.normal(0, 0.1, shape).astype(np.float32)}
    nodes, table = [], tensors["w"]
    if stored:
        tensors = {"q": RNG.integers(-128, 128, shape).astype(np.int8), "s": RNG.random(rows).astype(np.float32) / 99}
        nodes.append(helper.make_node("DequantizeLinear", ["q", "s"], ["w"], axis=0))
        table = tensors["q"] * tensors["s"][:, None]
    nodes += [
        helper.make_node("Gather", ["w", "i"], ["e"]),
        helper.make_node("Tanh", ["e"], ["t"]),
        helper.make_node("Transpose", ["w"], ["wt"], perm=[1, 0]),
        helper.make_node("MatMul", ["t", "wt"], ["y"]),
    ]
    given = [value("i", ["b", "s"], TensorProto.INT64)]
    source = save(tmp_path, model(nodes, given, [value("e"), value("y")], tensors, 21))
    mlconv.convert(source, to="native", output=tmp_path / "m.o", weights="file", optimize=optimize)
    places = RNG.integers(-rows, rows, (3, 7))
    places[0, :2] = rows - 1, -rows
    e, y = mlconv.load_native(tmp_path / "m.o").run({"i": places}).values()
    np.testing.assert_allclose(e, table[places], rtol=1e-6)
    np.testing.assert_allclose(y, np.tanh(table[places]) @ table.T, rtol=1e-4, atol=1e-5)
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.05 * sum(t.nbytes for t in tensors.values()) + 1024


@pytest.mark.parametrize("block", [0, 16])
@pytest.mark.parametrize("shape", [(1024, 64), (1003, 96)], ids=str)
def test_two_in_a_byte(shape: tuple[int, int], block: int, tmp_path: Path) -> None:
    rows, width = shape
    integers = RNG.integers(-8, 8, shape)
    scales = RNG.random((rows, width // block) if block else (rows,)).astype(np.float32) / 9 + 0.01
    table = integers * (np.repeat(scales, block, 1) if block else scales[:, None])
    attributes = {"axis": 1, "block_size": block} if block else {"axis": 0}
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "s"], ["w"], **attributes),
        helper.make_node("Gather", ["w", "i"], ["e"]),
        helper.make_node("Tanh", ["e"], ["t"]),
        helper.make_node("Transpose", ["w"], ["wt"], perm=[1, 0]),
        helper.make_node("MatMul", ["t", "wt"], ["y"]),
    ]
    proto = model(nodes, [value("i", ["b", "s"], TensorProto.INT64)], [value("e"), value("y")], {"s": scales}, 21)
    proto.graph.initializer.append(helper.make_tensor("q", TensorProto.INT4, shape, integers.ravel().tolist()))
    proto.ir_version = 10
    mlconv.convert(save(tmp_path, proto), to="native", output=tmp_path / "m.o", weights="file")
    places = RNG.integers(-rows, rows, (3, 7))
    places[0, :2] = rows - 1, -rows
    e, y = mlconv.load_native(tmp_path / "m.o").run({"i": places}).values()
    np.testing.assert_allclose(e, table[places], rtol=1e-6)
    np.testing.assert_allclose(y, np.tanh(table[places]) @ table.T, rtol=1e-4, atol=1e-4)
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.05 * rows * width / 2 + 2 * scales.nbytes + 1024


@pytest.mark.parametrize("form", ["QLinearMatMul", "MatMulInteger", "QDQ8", "QDQ16", "QDQ4"])
@pytest.mark.parametrize("shape", [(1024, 64), (1003, 70)], ids=str)
def test_products_of_integers(form: str, shape: tuple[int, int], tmp_path: Path) -> None:
    """The table once; rows and sums as ONNX Runtime has them, on each instruction set."""
    rows, width = shape
    source = save(tmp_path, tied_integers(form, shape))
    places = RNG.integers(-rows, rows, (3, 7))
    places[0, :3] = rows - 1, -rows, rows - 12
    given = {"i": places, "x": RNG.normal(0, 1, (3, width)).astype(np.float32)}
    e, y = ort.InferenceSession(source).run(None, given)
    for cpu in host_cpus():
        mlconv.convert(source, to="native", output=tmp_path / "m.o", weights="file", cpu=cpu)
        found = mlconv.load_native(tmp_path / "m.o").run(given)
        np.testing.assert_array_equal(found["e"], e)
        apart = np.abs(found["y"].astype(np.int64) - y)
        assert apart.max() <= (form != "MatMulInteger")
        assert np.count_nonzero(apart) <= 0.005 * apart.size
        size = (tmp_path / "m.weights.bin").stat().st_size
        assert size <= 1.05 * rows * width * {"QDQ16": 2, "QDQ4": 0.5}.get(form, 1) + 4 * rows + 1024


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("width", [64, 96])
def test_two_tables_of_the_same(width: int, bits: int, tmp_path: Path) -> None:
    """ONNX Runtime's ops for lookups and products have tables of their own, whose numbers are equal."""
    rows, make = 1003, helper.make_node
    q = RNG.integers(0, 1 << bits, (rows, width)).astype(np.uint8)
    stored = q if bits == 8 else q[:, ::2] | q[:, 1::2] << 4
    scales = RNG.random((rows, width // 32)).astype(np.float32) / 9 + 0.01
    tensors = {"q": stored, "s": scales, "b": stored.reshape(rows, width // 32, -1).copy(), "t": scales.copy()}
    domain = {"domain": "com.microsoft", "block_size": 32, "bits": bits}
    nodes = [
        make("GatherBlockQuantized", ["q", "i", "s"], ["e"], gather_axis=0, quantize_axis=1, **domain),
        make("MatMulNBits", ["x", "b", "t"], ["y"], K=width, N=rows, **domain),
    ]
    given = [value("i", ["b", "s"], TensorProto.INT64), value("x", ["b", width])]
    proto = model(nodes, given, [value("e"), value("y")], tensors, 21)
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    source = save(tmp_path, proto)
    feeds = {"i": RNG.integers(0, rows, (3, 7)), "x": RNG.normal(0, 1, (3, width)).astype(np.float32)}
    table = (q.astype(np.float32) - (1 << bits - 1)) * np.repeat(scales, 32, 1)
    for cpu in host_cpus():
        mlconv.convert(source, to="native", output=tmp_path / "m.o", weights="file", cpu=cpu)
        e, y = mlconv.load_native(tmp_path / "m.o").run(feeds).values()
        np.testing.assert_array_equal(e, table[feeds["i"]])
        np.testing.assert_allclose(y, feeds["x"] @ table.T, rtol=1e-4, atol=2e-3)
        assert (tmp_path / "m.weights.bin").stat().st_size <= 1.05 * stored.nbytes + 2 * scales.nbytes + 1024
