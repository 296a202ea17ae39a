"""Sequences and optionals that resolve at conversion time, control flow, and models with several nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference

N = helper.make_node
INT, BOOL = TensorProto.INT64, TensorProto.BOOL


def check(proto: onnx.ModelProto, inputs: dict[str, np.ndarray], folder: Path, engine: str = "any") -> None:
    found = mlconv.load(save(folder, proto)).run(inputs)
    for want, got in zip(run_reference(proto, inputs, engine), found.values(), strict=True):
        assert got.dtype == np.asarray(want).dtype
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


X = np.arange(12, dtype=np.float32).reshape(3, 4)
ONE = {"one": np.asarray(1, np.int64), "m1": np.asarray(-1, np.int64), "sizes": np.asarray([1, 2], np.int64)}


@pytest.mark.parametrize(
    "nodes",
    [
        [N("SequenceConstruct", ["x", "x"], ["s"]), N("ConcatFromSequence", ["s"], ["y"], axis=0)],
        [N("SequenceConstruct", ["x", "x"], ["s"]), N("ConcatFromSequence", ["s"], ["y"], axis=-1, new_axis=1)],
        [
            N("SequenceConstruct", ["x"], ["s"]),
            N("Neg", ["x"], ["n"]),
            N("SequenceInsert", ["s", "n"], ["t"]),
            N("SequenceAt", ["t", "one"], ["y"]),
        ],
        [N("SequenceEmpty", [], ["s"]), N("SequenceInsert", ["s", "x"], ["t"]), N("SequenceLength", ["t"], ["y"])],
        [
            N("SplitToSequence", ["x", "sizes"], ["s"], axis=0),
            N("SequenceErase", ["s", "m1"], ["t"]),
            N("ConcatFromSequence", ["t"], ["y"], axis=0),
        ],
        [N("SplitToSequence", ["x"], ["s"], axis=1, keepdims=0), N("SequenceAt", ["s", "m1"], ["y"])],
        [N("Optional", ["x"], ["o"]), N("OptionalHasElement", ["o"], ["y"])],
    ],
)
def test_containers(nodes: list[onnx.NodeProto], tmp_path: Path) -> None:
    read = {n for node in nodes for n in node.input}
    proto = model(
        nodes, [value("x", [3, 4])], [onnx.ValueInfoProto(name="y")], {k: v for k, v in ONE.items() if k in read}, 18
    )
    check(proto, {"x": X}, tmp_path, "onnx")


@pytest.mark.parametrize(("step", "keep"), [(1, 0), (1, 1), (2, 1), (3, 1)])
@pytest.mark.parametrize("columns", [4, "n"])
def test_parts_of_equal_size(step: int, keep: int, columns: int | str, tmp_path: Path) -> None:
    """As torch writes `unbind` and `split`: with parts of one row the axis goes, the last part may be smaller."""
    nodes = [
        N("SplitToSequence", ["x", "step"], ["s"], axis=1, keepdims=keep),
        N("SequenceAt", ["s", "m1"], ["y"]),
        N("SequenceAt", ["s", "one"], ["b"]),
        N("SequenceLength", ["s"], ["n"]),
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in ("y", "b", "n")]
    proto = model(nodes, [value("x", [3, columns])], outputs, ONE | {"step": np.asarray(step, np.int64)}, 18)
    check(proto, {"x": X}, tmp_path, "ort")


@pytest.mark.parametrize("keep", [0, 1])
def test_slices_along_an_axis_of_unknown_size(keep: int, tmp_path: Path) -> None:
    nodes = [
        N("SplitToSequence", ["x"], ["s"], axis=1, keepdims=keep),
        N("SequenceAt", ["s", "m1"], ["a"]),
        N("SequenceAt", ["s", "one"], ["b"]),
        N("SequenceLength", ["s"], ["n"]),
        N("Cast", ["n"], ["m"], to=1),
        N("Add", ["a", "b"], ["c"]),
        N("Mul", ["c", "m"], ["y"]),
    ]
    proto = model(
        nodes, [value("x", [3, "N"])], [onnx.ValueInfoProto(name="y")], {k: ONE[k] for k in ("one", "m1")}, 18
    )
    for columns in (4, 2):
        check(proto, {"x": X[:, :columns].copy()}, tmp_path, "onnx")


def test_optional_of_a_tensor(tmp_path: Path) -> None:
    nodes = [N("Optional", ["x"], ["o"]), N("OptionalGetElement", ["o"], ["y"])]
    path = save(tmp_path, model(nodes, [value("x", [3, 4])], [onnx.ValueInfoProto(name="y")], opset=18))
    np.testing.assert_array_equal(mlconv.load(path).run({"x": X})["y"], X)


def test_an_empty_sequence_is_refused_as_an_output(tmp_path: Path) -> None:
    proto = model([N("SequenceEmpty", [], ["s"])], [value("x", [2])], [onnx.ValueInfoProto(name="s")])
    with pytest.raises(ConversionError) as caught:
        mlconv.load(save(tmp_path, proto))
    assert caught.value.code is Code.VariantUnsupported


def loop_model(trip: object, *, dynamic_condition: bool) -> onnx.ModelProto:
    """v doubles each step; its values are collected; runs while v's sum is below 50 when the condition is dynamic."""
    body = [N("Add", ["v", "v"], ["v2"]), N("ReduceSum", ["v2"], ["total"], keepdims=0)]
    body.append(N("Less", ["total", "limit"], ["c2"]) if dynamic_condition else N("Identity", ["c"], ["c2"]))
    graph = helper.make_graph(
        body,
        "body",
        [value("i", [], INT), value("c", [], BOOL), value("v", [2])],
        [value("c2", [], BOOL), value("v2", [2]), value("v2", [2])],
    )
    inputs = [value("x", [2])] + ([value("n", [], INT)] if trip == "input" else [])
    constants = {"limit": np.asarray(50, np.float32), "yes": np.asarray(True)}
    if isinstance(trip, int):
        constants["n"] = np.asarray(trip, np.int64)
    name = "" if trip is None else "n"
    return model(
        [N("Loop", [name, "yes", "x"], ["last", "all"], body=graph)],
        inputs,
        [value("last", None), value("all", None)],
        constants,
        16,
    )


@pytest.mark.parametrize("dynamic_condition", [False, True])
@pytest.mark.parametrize("trip", [0, 3, 9, "input"])
def test_loop(trip: object, dynamic_condition: bool, tmp_path: Path) -> None:
    inputs = {"x": np.asarray([1, 2], np.float32)} | ({"n": np.asarray(4, np.int64)} if trip == "input" else {})
    check(loop_model(trip, dynamic_condition=dynamic_condition), inputs, tmp_path, "ort")


def test_while_loop(tmp_path: Path) -> None:
    check(loop_model(None, dynamic_condition=True), {"x": np.asarray([1, 2], np.float32)}, tmp_path, "ort")


def test_loop_whose_state_grows(tmp_path: Path) -> None:
    body = helper.make_graph(
        [N("Concat", ["v", "x"], ["v2"], axis=0), N("Identity", ["c"], ["c2"])],
        "body",
        [value("i", [], INT), value("c", [], BOOL), value("v", None)],
        [value("c2", [], BOOL), value("v2", None)],
    )
    proto = model(
        [N("Loop", ["n", "", "x"], ["y"], body=body)],
        [value("x", [2])],
        [value("y", None)],
        {"n": np.asarray(3, np.int64)},
        16,
    )
    check(proto, {"x": np.asarray([1, 2], np.float32)}, tmp_path, "ort")


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("constant", [True, False])
def test_if(flag: bool, constant: bool, tmp_path: Path) -> None:
    then = helper.make_graph([N("Neg", ["x"], ["t"])], "then", [], [value("t", None)])
    orelse = helper.make_graph([N("Add", ["x", "x"], ["e"])], "else", [], [value("e", None)])
    node = N("If", ["f"], ["y"], then_branch=then, else_branch=orelse)
    inputs = [value("x", [2])] + ([] if constant else [value("f", [], BOOL)])
    proto = model([node], inputs, [value("y", None)], {"f": np.asarray(flag)} if constant else {}, 16)
    check(proto, {"x": np.asarray([1, 2], np.float32)} | ({} if constant else {"f": np.asarray(flag)}), tmp_path, "ort")


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"scan_input_directions": [1]},
        {"scan_output_directions": [1]},
        {"scan_input_axes": [1], "scan_output_axes": [1]},
    ],
)
def test_scan(attributes: dict[str, list[int]], tmp_path: Path) -> None:
    graph = helper.make_graph(
        [N("Add", ["s", "e"], ["s2"]), N("Mul", ["s2", "e"], ["o"])],
        "body",
        [value("s", [4]), value("e", [4])],
        [value("s2", [4]), value("o", [4])],
    )
    shape = [4, 3] if "scan_input_axes" in attributes else [3, 4]
    proto = model(
        [N("Scan", ["z", "x"], ["last", "all"], body=graph, num_scan_inputs=1, **attributes)],
        [value("z", [4]), value("x", shape)],
        [value("last", None), value("all", None)],
        {},
        16,
    )
    x = np.random.default_rng(0).random(shape, np.float32)
    check(proto, {"z": np.ones(4, np.float32), "x": x}, tmp_path, "ort")


def test_shapes_stay_symbolic(tmp_path: Path) -> None:
    nodes = [
        N("Shape", ["x"], ["s"]),
        N("Gather", ["s", "zero"], ["n"]),
        N("Concat", ["n", "rest"], ["t"], axis=0),
        N("Reshape", ["x", "t"], ["y"]),
    ]
    constants = {"zero": np.asarray([0], np.int64), "rest": np.asarray([2, 6], np.int64)}
    module = mlconv.load(save(tmp_path, model(nodes, [value("x", ["N", 3, 4])], [value("y", None)], constants)))
    assert str(module.main.outputs[0].type) == "float32[N,2,6]"
    assert module.run({"x": np.zeros((5, 3, 4), np.float32)})["y"].shape == (5, 2, 6)


def test_axes_that_are_inputs_run_with_their_values(tmp_path: Path) -> None:
    proto = model(
        [N("ReduceSum", ["x", "axes"], ["y"], keepdims=0)],
        [value("x", [2, 3]), value("axes", [1], INT)],
        [value("y", None)],
    )
    check(proto, {"x": X[:2, :3].copy(), "axes": np.asarray([1], np.int64)}, tmp_path)
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(save(tmp_path, proto), to="tflite", output=tmp_path / "m.tflite")
    assert caught.value.code is Code.ShapeNotStatic
