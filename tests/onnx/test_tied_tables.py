"""A table that rows are looked up in and that a product reads is stored once in files of TFLite and ONNX, too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.onnx_models import model, save, value
from tests.support.open_targets import tflite
from tests.support.tied_tables import tied_integers

RNG = np.random.default_rng(6)
ROWS, WIDTH = 1003, 64
FORMS = ["QLinearMatMul", "MatMulInteger", "QDQ8"]


def feeds() -> dict[str, np.ndarray]:
    places = RNG.integers(0, ROWS, (3, 7))
    places[0, :2] = ROWS - 1, 0
    return {"i": places, "x": RNG.normal(0, 1, (3, WIDTH)).astype(np.float32)}


def compare(found: Mapping[str, np.ndarray], e: np.ndarray, y: np.ndarray, most: int) -> None:
    """Rows are equal, results at most one step off, few of them."""
    np.testing.assert_array_equal(found["e"], e)
    apart = np.abs(found["y"].astype(np.int64) - y)
    assert apart.max() <= most
    assert np.count_nonzero(apart) <= 0.005 * apart.size


@pytest.mark.parametrize("form", FORMS)
def test_tflite(form: str, tmp_path: Path) -> None:
    source = save(tmp_path, tied_integers(form, (ROWS, WIDTH)))
    run = tflite(Path(source), {})
    assert (tmp_path / "m.tflite").stat().st_size <= 1.05 * ROWS * WIDTH + 4 * ROWS + (8 << 10)
    given = feeds()
    e, y = ort.InferenceSession(source).run(None, given)
    for found in (run(given), mlconv.load(tmp_path / "m.tflite").run(given)):
        compare(found, e, y, int(form != "MatMulInteger"))


@pytest.mark.parametrize("form", [*FORMS, "QDQ16"])
def test_onnx(form: str, tmp_path: Path) -> None:
    source = save(tmp_path, tied_integers(form, (ROWS, WIDTH)))
    mlconv.convert(source, to="onnx", output=tmp_path / "n.onnx")
    size = ROWS * WIDTH * (2 if form == "QDQ16" else 1)
    assert (tmp_path / "n.onnx").stat().st_size <= 1.05 * size + 4 * ROWS + (8 << 10)
    onnx.checker.check_model(str(tmp_path / "n.onnx"), full_check=True)
    given = feeds()
    e, y = ort.InferenceSession(source).run(None, given)
    session = ort.InferenceSession(str(tmp_path / "n.onnx"))
    found = dict(zip([o.name for o in session.get_outputs()], session.run(None, given), strict=True))
    compare(found, e, y, int(form != "MatMulInteger"))


@pytest.mark.parametrize("looked_up_first", [True, False])
def test_floats(looked_up_first: bool, tmp_path: Path) -> None:
    """Whichever of both is read first."""
    table = RNG.normal(0, 0.1, (ROWS, WIDTH)).astype(np.float32)
    rows = [helper.make_node("Gather", ["w", "i"], ["e"])]
    product = [
        helper.make_node("Transpose", ["w"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["x", "t"], ["y"]),
    ]
    nodes = rows + product if looked_up_first else product + rows
    given = [value("i", ["b", "s"], TensorProto.INT64), value("x", ["b", WIDTH])]
    source = save(tmp_path, model(nodes, given, [value("e"), value("y")], {"w": table}))
    mlconv.convert(source, to="onnx", output=tmp_path / "n.onnx")
    assert (tmp_path / "n.onnx").stat().st_size <= table.nbytes + (8 << 10)
    session, some = ort.InferenceSession(str(tmp_path / "n.onnx")), feeds()
    found = dict(zip([o.name for o in session.get_outputs()], session.run(None, some), strict=True))
    np.testing.assert_array_equal(found["e"], table[some["i"]])
    np.testing.assert_allclose(found["y"], some["x"] @ table.T, rtol=1e-4, atol=1e-5)


def test_two_scales(tmp_path: Path) -> None:
    """Of rows of one table, which a product of plain integers reads, too."""
    table = RNG.integers(0, 100, (ROWS, WIDTH)).astype(np.uint8)
    nodes = [
        *(
            node
            for name in ("a", "b")
            for node in (
                helper.make_node("DequantizeLinear", ["w", f"scale_{name}", "zero"], [f"numbers_{name}"]),
                helper.make_node("Gather", [f"numbers_{name}", "i"], [name]),
            )
        ),
        helper.make_node("Transpose", ["w"], ["t"], perm=[1, 0]),
        helper.make_node("MatMulInteger", ["x", "t", "zero", "zero"], ["y"]),
    ]
    given = [value("i", ["b", "s"], TensorProto.INT64), value("x", ["b", WIDTH], TensorProto.UINT8)]
    weights = {"w": table, "scale_a": np.float32(0.01), "scale_b": np.float32(0.02), "zero": np.uint8(60)}
    made = [value("a"), value("b"), value("y", None, TensorProto.INT32)]
    source = save(tmp_path, model(nodes, given, made, weights))
    mlconv.convert(source, to="onnx", output=tmp_path / "n.onnx")
    x = RNG.integers(0, 120, (3, WIDTH)).astype(np.uint8)
    session, some = ort.InferenceSession(str(tmp_path / "n.onnx")), {"i": feeds()["i"], "x": x}
    found = dict(zip([o.name for o in session.get_outputs()], session.run(None, some), strict=True))
    rows = table[some["i"]].astype(np.float32) - 60
    np.testing.assert_allclose(found["a"], rows * np.float32(0.01), rtol=1e-6)
    np.testing.assert_allclose(found["b"], rows * np.float32(0.02), rtol=1e-6)
    np.testing.assert_array_equal(found["y"], (x.astype(np.int32) - 60) @ (table.astype(np.int32).T - 60))


@pytest.mark.parametrize("integers", [False, True])
@pytest.mark.parametrize("copies", [1, 2])
def test_products_in_branches(copies: int, integers: bool, tmp_path: Path) -> None:
    """Branches read what is looked up around them, also where a file has the same numbers by several names."""
    make, dtype = helper.make_node, np.int8 if integers else np.float32
    table = (RNG.integers(-127, 128, (ROWS, WIDTH)) if integers else RNG.normal(0, 1, (ROWS, WIDTH))).astype(dtype)
    names = ["w", "w2"][:copies]
    tensors = dict.fromkeys(names, table) | {"s": np.asarray(0.01, np.float32), "z": np.asarray(0, np.int8)}

    def floats(name: str, result: str) -> list[onnx.NodeProto]:
        return (
            [make("DequantizeLinear", [name, "s", "z"], [result])] if integers else [make("Identity", [name], [result])]
        )

    def branch(name: str, scale: str) -> onnx.GraphProto:
        nodes = [*floats(names[-1], f"f_{name}"), make("Transpose", [f"f_{name}"], [f"t_{name}"], perm=[1, 0])]
        nodes += [make("MatMul", ["x", f"t_{name}"], [f"m_{name}"]), make(scale, [f"m_{name}"], [name])]
        return helper.make_graph(nodes, name, [], [value(name)])

    nodes = [*floats("w", "f"), make("Gather", ["f", "i"], ["e"])]
    nodes.append(make("If", ["c"], ["y"], then_branch=branch("a", "Neg"), else_branch=branch("b", "Abs")))
    given = [value("i", ["b", "s"], TensorProto.INT64), value("x", ["b", WIDTH]), value("c", [], TensorProto.BOOL)]
    proto = model(nodes, given, [value("e"), value("y")], tensors)
    proto.ir_version = 10
    source = save(tmp_path, proto)
    mlconv.convert(source, to="onnx", output=tmp_path / "n.onnx")
    assert (tmp_path / "n.onnx").stat().st_size <= table.nbytes + (8 << 10)
    onnx.checker.check_model(str(tmp_path / "n.onnx"))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    for condition in (True, False):
        some = {**feeds(), "c": np.asarray(condition)}
        expected = ort.InferenceSession(source, options).run(["e", "y"], some)
        for level in (
            options,
            ort.SessionOptions(),
        ):  # products of bytes are of ONNX Runtime's own kernels, with others
            found = ort.InferenceSession(str(tmp_path / "n.onnx"), level).run(["e", "y"], some)
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_allclose(found[1], expected[1], rtol=1e-4, atol=1e-4 if level is options else 0.5)


def test_equal_initializers(tmp_path: Path) -> None:
    """Weights of two layers that hold the same are stored once; those that differ in the last number are not."""
    weights = RNG.normal(0, 0.1, (256, 256)).astype(np.float32)
    other = weights.copy()
    other[-1, -1] += 1
    nodes = [
        helper.make_node("MatMul", ["x", "a"], ["h"]),
        helper.make_node("MatMul", ["h", "b"], ["k"]),
        helper.make_node("MatMul", ["k", "c"], ["y"]),
    ]
    tensors: dict[str, np.ndarray] = {"a": weights, "b": weights, "c": other}
    proto = model(nodes, [value("x", ["n", 256])], [value("y")], tensors)
    proto.ir_version = 10
    source = save(tmp_path, proto)
    x = RNG.normal(0, 1, (3, 256)).astype(np.float32)
    (expected,) = ort.InferenceSession(source).run(None, {"x": x})
    for target in ("onnx", "tflite"):
        mlconv.convert(source, to=target, output=tmp_path / f"n.{target}")
        assert 2 * weights.nbytes <= (tmp_path / f"n.{target}").stat().st_size <= 2 * weights.nbytes + (8 << 10)
    (found,) = ort.InferenceSession(str(tmp_path / "n.onnx")).run(None, {"x": x})
    np.testing.assert_array_equal(found, expected)


def test_table_of_a_sum_of_products_and_of_floats(tmp_path: Path) -> None:
    """Rows of uint8 are a factor of a sum of products, and the turned table is weights of a product of floats."""
    rows, width = 500, 64
    table, weights = RNG.integers(0, 256, (rows, width)), RNG.integers(-127, 128, (width, width))
    constants = {
        "e": table.astype(np.uint8),
        "s": np.float32(0.003),
        "z": np.uint8(121),
        "w": weights.astype(np.int8),
    }
    nodes = [
        helper.make_node("Gather", ["e", "i"], ["g"]),
        helper.make_node("MatMulInteger", ["g", "w", "z"], ["m"]),
        helper.make_node("Cast", ["m"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Transpose", ["e"], ["t"], perm=[1, 0]),
        helper.make_node("DequantizeLinear", ["t", "s", "z"], ["n"]),
        helper.make_node("MatMul", ["f", "n"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "m",
        [helper.make_tensor_value_info("i", TensorProto.INT64, ["b", "s"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["b", "s", rows])],
        [onnx.numpy_helper.from_array(np.asarray(c), name) for name, c in constants.items()],
    )
    source = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), source)
    run, given = tflite(source, {}), {"i": RNG.integers(0, rows, (2, 5))}
    assert (tmp_path / "m.tflite").stat().st_size <= 1.1 * source.stat().st_size + (4 << 10)
    y = (
        (table[given["i"]] - 121) @ weights @ ((table.T - 121) * 0.003)
    )  # some machines' products of ONNX Runtime saturate
    np.testing.assert_allclose(run(given)["y"], y, rtol=1e-4, atol=1e-4 * np.abs(y).max())
