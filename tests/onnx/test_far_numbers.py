"""Numbers beyond what an axis, a truth or 32 bits hold, beside ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.onnx_models import model, save, value

INT64 = TensorProto.INT64


def test_an_element_at_a_place_in_front_of_the_first(tmp_path: Path) -> None:
    """As tf2onnx writes `x[i]`: a slice whose step is behind every element, which begins at the first one then."""
    nodes = [
        helper.make_node("Slice", ["x", "begin", "all", "axis", "all"], ["s"]),
        helper.make_node("Squeeze", ["s", "axis"], ["y"]),
    ]
    constants = {"all": np.asarray([10**9], np.int64), "axis": np.asarray([0], np.int64)}
    inputs = [value("x", ["n", 3]), value("begin", [1], INT64)]
    feeds = [{"x": numbers(n, 3), "begin": np.asarray([at], np.int64)} for n in (4, 2) for at in (-7, -4, -1, 0, 1)]
    agree_at_all_sizes(model(nodes, inputs, [value("y", None)], constants, 17), feeds, tmp_path, 0.0)


@pytest.mark.parametrize("mode", ["linear", "cubic", "nearest"])
def test_open_images_with_channels_last_grow_by_no_whole_number(mode: str, tmp_path: Path) -> None:
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], mode=mode)
    proto = model(
        [node],
        [value("x", ["a", "b", "c", 3])],
        [value("y", None)],
        {"scales": np.asarray([1, 1.7, 1.3, 1], np.float32)},
        17,
    )
    proto.ir_version = 10  # as far as the runtime reads
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    module = mlconv.load(save(tmp_path, proto))
    for shape in ((1, 8, 5, 3), (2, 3, 10, 3)):
        x = numbers(*shape)
        np.testing.assert_allclose(module.run({"x": x})["y"], session.run(None, {"x": x})[0], atol=1e-5)


@pytest.mark.parametrize("kind", ["Div", "Mod"])
@pytest.mark.parametrize(("factor", "divisor"), [(70_000**2, 7), (1, 1 << 33), (1, 3), (3, 2)])
def test_quotients_of_places(factor: int, divisor: int, kind: str, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("ArgMax", ["x"], ["at"], axis=0, keepdims=0),
        helper.make_node("Mul", ["at", "factor"], ["far"]),
        helper.make_node(kind, ["far", "divisor"], ["y"]),
    ]
    constants = {"factor": np.asarray(factor, np.int64), "divisor": np.asarray(divisor, np.int64)}
    proto = model(nodes, [value("x", ["n", 3])], [value("y", None, INT64)], constants, 17)
    mlconv.convert(save(tmp_path, proto), output=tmp_path / "m.tflite")
    proto.ir_version = 10  # as far as the runtime reads
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    for n in (4, 9):
        x = numbers(n, 3)
        got = run_tflite(str(tmp_path / "m.tflite"), {"x": x}, "serving_default")["y"]
        np.testing.assert_array_equal(got, session.run(None, {"x": x})[0])


def test_truths_are_no_sizes(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["n"], end=1),
        helper.make_node("Cast", ["n"], ["any"], to=TensorProto.BOOL),
        helper.make_node("Cast", ["any"], ["end"], to=INT64),
        helper.make_node("Slice", ["x", "begin", "end", "begin"], ["y"]),
    ]
    proto = model(nodes, [value("x", ["n", 3])], [value("y", None)], {"begin": np.asarray([0], np.int64)}, 17)
    agree_at_all_sizes(proto, [{"x": numbers(n, 3)} for n in (4, 1, 9)], tmp_path, 0.0)


def test_bounds_that_many_ops_compute(tmp_path: Path) -> None:
    """Each asks for its operands, twice for the same one: what is looked through has an end."""
    count = 1500
    nodes = [helper.make_node("Cast", ["given"], ["m0"], to=TensorProto.FLOAT)]
    nodes += [helper.make_node("Max", [f"m{i}", f"m{i}"], [f"m{i + 1}"]) for i in range(count)]
    nodes += [
        helper.make_node("Cast", [f"m{count}"], ["end"], to=INT64),
        helper.make_node("Slice", ["x", "begin", "end", "begin"], ["y"]),
    ]
    inputs = [value("x", ["n", 3]), value("given", [1], INT64)]
    proto = model(nodes, inputs, [value("y", None)], {"begin": np.asarray([0], np.int64)}, 17)
    x = numbers(5, 3)
    found = mlconv.load(save(tmp_path, proto)).run({"x": x, "given": np.asarray([2], np.int64)})["y"]
    np.testing.assert_array_equal(found, x[:2])


def test_conditions_that_many_ops_compute(tmp_path: Path) -> None:
    count = 1500
    true = helper.make_tensor("t", TensorProto.BOOL, [], [True])
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["c"], ["c2"]),
            helper.make_node("Add", ["s", "one"], ["s2"]),
        ],
        "body",
        [value("i", [], INT64), value("c", [], TensorProto.BOOL), value("s", [])],
        [value("c2", [], TensorProto.BOOL), value("s2", [])],
    )
    nodes = [helper.make_node("Constant", [], ["a0"], value=true), helper.make_node("Equal", ["asked", "one"], ["b"])]
    nodes += [helper.make_node("And", [f"a{i}", "b" if i % 2 else f"a{i}"], [f"a{i + 1}"]) for i in range(count)]
    nodes += [helper.make_node("Loop", ["turns", f"a{count}", "one"], ["y"], body=body)]
    inputs = [value("turns", [], INT64), value("asked", [])]
    proto = model(nodes, inputs, [value("y", [])], {"one": np.asarray(1, np.float32)}, 17)
    module = mlconv.load(save(tmp_path, proto))
    for asked, wanted in ((1, 4), (2, 1)):
        feed = {"turns": np.asarray(3, np.int64), "asked": np.asarray(asked, np.float32)}
        assert float(module.run(feed)["y"]) == wanted
