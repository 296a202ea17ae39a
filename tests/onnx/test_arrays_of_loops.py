"""Loops as tf2onnx writes those of TensorArrays: rows are picked by slices with a far end and step, the counter and its
limit are compared as floats, and whether there is a first turn is asked in front.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.onnx_models import model, save, value

N = helper.make_node
INT, BOOL, FLOAT = TensorProto.INT32, TensorProto.BOOL, TensorProto.FLOAT
FAR = 10**9
WEIGHTS: dict[str, np.ndarray[Any, Any]] = {
    "nothing": np.asarray(0, np.float32),
    "none": np.asarray(0, np.int32),
    "none1": np.asarray([0], np.int32),
    "one": np.asarray(1, np.int32),
    "half": np.asarray(0.5, np.float32),
    "at0": np.asarray([0], np.int64),
    "at1": np.asarray([1], np.int64),
    "at2": np.asarray([2], np.int64),
    "axes": np.asarray([0, 1], np.int32),
    "steps": np.asarray([1, FAR], np.int32),
    "far": np.asarray(FAR, np.int32),
    "near": np.asarray(-FAR, np.int32),
    "fars": np.full(2, FAR, np.float32),
    "all": np.ones(2, np.int32),
    "masked": np.asarray([True, False]),
}


def row(start: str) -> list[onnx.NodeProto]:
    """x[:, start] as StridedSlice is written: ends and begins of steps of any sign, though these are constants."""
    return [
        N("Less", ["all", "none1"], ["backwards"]),
        N("Unsqueeze", [start, "at0"], ["i1"]),
        N("Concat", ["none1", "i1"], ["first"], axis=0),
        N("Add", [start, "one"], ["next"]),
        N("Unsqueeze", ["next", "at0"], ["next1"]),
        N("Concat", ["none1", "next1"], ["last"], axis=0),
        N("And", ["backwards", "masked"], ["from_end"]),
        N("Where", ["from_end", "far", "first"], ["begins"]),
        N("Cast", ["last"], ["floats"], to=FLOAT),
        N("Max", ["floats", "fars"], ["limited"]),
        N("Cast", ["limited"], ["limits"], to=INT),
        N("Equal", ["limits", "far"], ["open"]),
        N("And", ["open", "backwards"], ["to_start"]),
        N("Where", ["to_start", "near", "limits"], ["ends"]),
        N("Slice", ["x", "begins", "ends", "axes", "steps"], ["rows"]),
        N("Squeeze", ["rows", "at1"], ["xt"]),
    ]


def array(start: str = "i", limit: str = "n") -> onnx.ModelProto:
    """h = tanh(h / 2 + x[:, i]) for each i of x [b, n, 3]; all h."""
    steps = [
        *row(start),
        N("Mul", ["h", "half"], ["faded"]),
        N("Add", ["faded", "xt"], ["sum"]),
        N("Tanh", ["sum"], ["h2"]),
        N("Add", ["i", "one"], ["i2"]),
        N("Cast", ["i2"], ["i2_float"], to=FLOAT),
        N("Cast", [limit], ["limit_float"], to=FLOAT),
        N("Less", ["i2_float", "limit_float"], ["c2"]),
        N("Identity", ["h2"], ["out"]),
    ]
    body = helper.make_graph(
        steps,
        "body",
        [value("t", [], TensorProto.INT64), value("c", [], BOOL), value("i", [], INT), value("h", None)],
        [value("c2", [], BOOL), value("i2", [], INT), value("h2", None), value("out", None)],
    )
    nodes = [
        N("Slice", ["x", "at0", "at1", "at1"], ["x0"]),
        N("Squeeze", ["x0", "at1"], ["x00"]),
        N("Mul", ["x00", "nothing"], ["h0"]),
        N("Shape", ["x"], ["shape"]),
        N("Slice", ["shape", "at1", "at2", "at0"], ["n1"]),
        N("Cast", ["n1"], ["n1_int"], to=INT),
        N("Squeeze", ["n1_int", "at0"], ["n"]),
        N("Cast", ["n"], ["n_float"], to=FLOAT),
        N("Less", ["nothing", "n_float"], ["any"]),
        N("Loop", ["", "any", "none", "h0"], ["turns", "last_h", "ys"], body=body),
        N("Transpose", ["ys"], ["y"], perm=[1, 0, 2]),
    ]
    return model(nodes, [value("x", ["b", "n", 3])], [value("y", None), value("last_h", None)], WEIGHTS, 16)


def test_rows_of_an_array_are_picked_and_collected(tmp_path: Path) -> None:
    agree_at_all_sizes(array(), [{"x": numbers(b, n, 3)} for b, n in ((2, 5), (1, 1), (3, 8))], tmp_path, 1e-6)


def test_what_is_collected_has_a_size_of_the_inputs(tmp_path: Path) -> None:
    """As many as there are rows, as floats that are compared tell up to 2^24, of which a run asks."""
    path = save(tmp_path, array())
    mlconv.convert(path, to="native", output=tmp_path / "m.o", cpu="haswell", dump_ir=tmp_path / "ir")
    outputs = json.loads((tmp_path / "m.io.json").read_text())["outputs"]
    assert [o["shape"] for o in outputs] == [["b", "n", 3], ["b", 3]]
    (text,) = (tmp_path / "ir").glob("*-data-sizes.mlir")
    assert '#fact.condition<kind = "least", a = 16777216, b = #mlconv.dim<"n">' in text.read_text()


@pytest.mark.parametrize("rows", [1, 2])
def test_parts_that_begin_at_the_step(rows: int, tmp_path: Path) -> None:
    """x[:, i : i + rows] for as many i as there are such parts."""
    steps = [
        N("Unsqueeze", ["i", "at0"], ["first"]),
        N("Add", ["first", "rows"], ["last"]),
        N("Slice", ["x", "first", "last", "at1"], ["part"]),
        N("Tanh", ["part"], ["out"]),
        N("Identity", ["c"], ["c2"]),
    ]
    body = helper.make_graph(
        steps,
        "body",
        [value("i", [], TensorProto.INT64), value("c", [], BOOL)],
        [value("c2", [], BOOL), value("out", None)],
    )
    nodes = [
        N("Shape", ["x"], ["n"], start=1, end=2),
        N("Sub", ["n", "fewer"], ["turns"]),
        N("Loop", ["turns", ""], ["y"], body=body),
    ]
    weights = {**WEIGHTS, "rows": np.asarray([rows], np.int64), "fewer": np.asarray([rows - 1], np.int64)}
    proto = model(nodes, [value("x", ["b", "n", 3])], [value("y", None)], weights, 16)
    (y,) = mlconv.load(save(tmp_path, proto)).main.outputs
    assert str(y.tensor).endswith(f",b,{rows},3]")
    agree_at_all_sizes(proto, [{"x": numbers(b, n, 3)} for b, n in ((2, 5), (1, 2), (3, 8))], tmp_path, 1e-6)


def test_sums_of_rows_between_numbers_at_a_counter(tmp_path: Path) -> None:
    """As EmbeddingBag is exported: the places of bags are read two by two, and bags may be empty."""
    empty = helper.make_graph(
        [N("Constant", [], ["zeros"], value=onnx.numpy_helper.from_array(np.zeros((1, 3), np.float32)))],
        "empty",
        [],
        [value("zeros", None)],
    )
    filled = helper.make_graph(
        [N("Slice", ["x", "from", "to"], ["bag"]), N("ReduceSum", ["bag", "at0"], ["sum"])],
        "filled",
        [],
        [value("sum", None)],
    )
    steps = [
        N("Reshape", ["i", "minus"], ["i1"]),
        N("Add", ["i1", "at1"], ["i2"]),
        N("Add", ["i1", "at2"], ["i3"]),
        N("Slice", ["places", "i1", "i2"], ["from"]),
        N("Slice", ["places", "i2", "i3"], ["to"]),
        N("Equal", ["from", "to"], ["none_here"]),
        N("If", ["none_here"], ["row"], then_branch=empty, else_branch=filled),
        N("SequenceInsert", ["s", "row"], ["s2"]),
        N("CastLike", ["unit", "i"], ["more"]),
        N("Add", ["i", "more"], ["next"]),
        N("Less", ["next", "bags"], ["c2"]),
    ]
    body = helper.make_graph(
        steps,
        "body",
        [
            value("t", [], TensorProto.INT64),
            value("c", [], BOOL),
            helper.make_tensor_sequence_value_info("s", FLOAT, None),
            value("i", [], TensorProto.INT64),
        ],
        [
            value("c2", [], BOOL),
            helper.make_tensor_sequence_value_info("s2", FLOAT, None),
            value("next", [], TensorProto.INT64),
        ],
    )
    nodes = [
        N("Size", ["begins"], ["bags"]),
        N("Shape", ["x"], ["all_rows"], end=1),
        N("Concat", ["begins", "all_rows"], ["places"], axis=0),
        N("SequenceEmpty", [], ["s0"]),
        N("Less", ["start", "bags"], ["any"]),
        N("Loop", ["", "any", "s0", "start"], ["sums", "turns"], body=body),
        N("ConcatFromSequence", ["sums"], ["y"], axis=0),
    ]
    weights = {
        **WEIGHTS,
        "start": np.asarray(0, np.int64),
        "unit": np.asarray(1, np.int64),
        "minus": np.asarray([-1], np.int64),
    }
    inputs = [value("x", ["n", 3]), value("begins", ["k"], TensorProto.INT64)]
    feeds = [
        {"x": numbers(n, 3), "begins": np.asarray(begins, np.int64)}
        for n, begins in ((5, [0, 2, 2, 4]), (3, [0]), (4, [0, 3]))
    ]
    agree_at_all_sizes(model(nodes, inputs, [value("y", None)], weights, 16), feeds, tmp_path, 1e-5)
