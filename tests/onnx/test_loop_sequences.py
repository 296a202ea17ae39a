"""Lists that a scripted loop appends to: Loop carries a sequence, SequenceInsert makes it longer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.litert import run_tflite
from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.native import OWN
from tests.support.onnx_models import model, save, value

N = helper.make_node
INT, BOOL, FLOAT = TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT
WEIGHTS = {
    "yes": np.asarray(True),
    "zero": np.asarray(0, np.int64),
    "axis": np.asarray([1], np.int64),
    "half": np.asarray(0.5, np.float32),
}


def recurrence(body: list[onnx.NodeProto], last: list[onnx.NodeProto], first: list[str]) -> onnx.ModelProto:
    """h = h / 2 + x[:, t] for each t of x [b, t, 3], with a list that `body` appends to."""
    steps = [
        N("Gather", ["x", "i"], ["xt"], axis=1),
        N("Mul", ["h", "half"], ["faded"]),
        N("Add", ["faded", "xt"], ["h2"]),
        *body,
        N("Identity", ["c"], ["c2"]),
    ]
    sequence = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    longer = helper.make_tensor_sequence_value_info("s2", TensorProto.FLOAT, None)
    graph = helper.make_graph(
        steps,
        "body",
        [value("i", [], INT), value("c", [], BOOL), value("h", None), sequence],
        [value("c2", [], BOOL), value("h2", None), longer],
    )
    nodes = [
        N("Shape", ["x"], ["shape"]),
        N("Gather", ["shape", "axis"], ["t1"]),
        N("Squeeze", ["t1"], ["t"]),
        N("Gather", ["x", "zero"], ["h0"], axis=1),
        N("SequenceConstruct", first, ["s0"]) if first else N("SequenceEmpty", [], ["s0"]),
        N("Loop", ["t", "yes", "h0", "s0"], ["h9", "ys"], body=graph),
        *last,
    ]
    return model(nodes, [value("x", ["b", "t", 3])], [value("y", None)], WEIGHTS, 16)


APPEND = [N("Tanh", ["h2"], ["o"]), N("SequenceInsert", ["s", "o"], ["s2"])]


@pytest.mark.parametrize(
    ("first", "joined"),
    [
        ([], {"axis": 1, "new_axis": 1}),
        ([], {"axis": -1}),
        (["h0", "h0"], {"axis": 0}),
        (["h0"], {"axis": 2, "new_axis": 1}),
    ],
)
def test_what_is_appended_is_one_tensor(first: list[str], joined: dict[str, int], tmp_path: Path) -> None:
    proto = recurrence(APPEND, [N("ConcatFromSequence", ["ys"], ["y"], **joined)], first)
    agree_at_all_sizes(proto, [{"x": numbers(b, t, 3)} for b, t in ((2, 5), (1, 1), (3, 8))], tmp_path, 1e-6)


def test_sizes_of_elements_are_computed_before_the_loop(tmp_path: Path) -> None:
    """Two rows for each of what the body reads from outside: the list is written in place."""
    body = [N("Concat", ["xt", "xt"], ["o"], axis=0), N("SequenceInsert", ["s", "o"], ["s2"])]
    proto = recurrence(body, [N("ConcatFromSequence", ["ys"], ["y"], axis=0, new_axis=1)], [])
    (y,) = mlconv.load(save(tmp_path, proto)).main.outputs
    assert str(y.tensor) == "float32[t,2*b,3]"
    agree_at_all_sizes(proto, [{"x": numbers(b, t, 3)} for b, t in ((2, 5), (1, 1), (3, 8))], tmp_path, 1e-6)


def test_elements_are_read_behind_the_loop(tmp_path: Path) -> None:
    last = [
        N("SequenceLength", ["ys"], ["n"]),
        N("Cast", ["n"], ["count"], to=TensorProto.FLOAT),
        N("SequenceAt", ["ys", "zero"], ["a"]),
        N("Mul", ["a", "count"], ["y"]),
    ]
    proto = recurrence(APPEND, last, [])
    agree_at_all_sizes(proto, [{"x": numbers(b, t, 3)} for b, t in ((2, 5), (1, 1))], tmp_path, 1e-6)


@pytest.mark.parametrize(
    "body",
    [
        [N("SequenceInsert", ["s", "h2"], ["s1"]), N("SequenceInsert", ["s1", "h2"], ["s2"])],
        [N("SequenceInsert", ["s", "h2", "zero"], ["s2"])],
    ],
)
def test_other_uses_of_a_list_are_refused(body: list[onnx.NodeProto], tmp_path: Path) -> None:
    proto = recurrence(body, [N("ConcatFromSequence", ["ys"], ["y"], axis=0)], [])
    with pytest.raises(ConversionError) as caught:
        mlconv.load(save(tmp_path, proto))
    assert caught.value.code is Code.VariantUnsupported


def written(body: list[onnx.NodeProto], last: list[onnx.NodeProto], turns: int) -> onnx.ModelProto:
    """A loop of a known number of turns over x [b, 6], which carries a list."""
    sequence = helper.make_tensor_sequence_value_info("s", FLOAT, None)
    longer = helper.make_tensor_sequence_value_info("s2", FLOAT, None)
    graph = helper.make_graph(
        [*body, N("Identity", ["yes"], ["c2"])],
        "body",
        [value("i", [1], INT), value("c", [], BOOL), sequence],
        [value("c2", [], BOOL), longer],
    )
    nodes = [N("SequenceEmpty", [], ["s0"]), N("Loop", ["turns", "yes", "s0"], ["ys"], body=graph), *last]
    weights = {**WEIGHTS, "turns": np.asarray([turns], np.int64), "cuts": np.asarray([0, 1, 4, 5], np.int64)}
    return model(nodes, [value("x", ["b", 6])], [value("y", None)], weights, 16)


PARTS = [
    N("Gather", ["cuts", "i"], ["first"]),
    N("Add", ["i", "axis"], ["following"]),
    N("Gather", ["cuts", "following"], ["last"]),
    N("Slice", ["x", "first", "last", "axis"], ["part"]),
]
TAIL = [N("SequenceInsert", ["ys", "x"], ["more"])]


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_parts_of_several_sizes_are_collected(turns: int, tmp_path: Path) -> None:
    """As torch.tensor_split is exported."""
    body = [*PARTS, N("SequenceInsert", ["s", "part"], ["s2"])]
    last = [*TAIL, N("ConcatFromSequence", ["more"], ["y"], axis=1)]
    agree_at_all_sizes(written(body, last, turns), [{"x": numbers(b, 6)} for b in (1, 3)], tmp_path, 1e-6)


def test_a_list_is_read_and_made_longer_in_each_turn(tmp_path: Path) -> None:
    """Elements go in front; the body asks how many there are, and puts them together."""
    body = [
        N("SequenceInsert", ["s", "x", "zero"], ["s1"]),
        N("ConcatFromSequence", ["s1"], ["all"], axis=1),
        N("SequenceLength", ["s1"], ["n"]),
        N("Cast", ["n"], ["count"], to=FLOAT),
        N("Mul", ["all", "count"], ["scaled"]),
        N("SequenceInsert", ["s1", "scaled", "zero"], ["s2"]),
    ]
    last = [N("ConcatFromSequence", ["ys"], ["y"], axis=1)]
    agree_at_all_sizes(written(body, last, 3), [{"x": numbers(b, 6)} for b in (1, 3)], tmp_path, 1e-6)


def test_an_element_at_a_computed_place(tmp_path: Path) -> None:
    nodes = [
        N("Neg", ["x"], ["a"]),
        N("Tanh", ["x"], ["b"]),
        N("SequenceConstruct", ["a", "b", "x"], ["s"]),
        N("Shape", ["x"], ["n"], end=1),
        N("Sub", ["n", "four"], ["at1"]),
        N("Squeeze", ["at1"], ["at"]),
        N("SequenceAt", ["s", "at"], ["y"]),
    ]
    proto = model(nodes, [value("x", ["b", 6])], [value("y", None)], {"four": np.asarray([4], np.int64)}, 16)
    agree_at_all_sizes(proto, [{"x": numbers(b, 6)} for b in (1, 3, 4, 6)], tmp_path, 1e-6)


def test_a_list_of_a_loop_is_made_longer_behind_it(tmp_path: Path) -> None:
    last = [N("SequenceInsert", ["ys", "h9"], ["more"]), N("ConcatFromSequence", ["more"], ["y"], axis=1, new_axis=1)]
    agree_at_all_sizes(
        recurrence(APPEND, last, []), [{"x": numbers(b, t, 3)} for b, t in ((2, 5), (1, 1))], tmp_path, 1e-6
    )


def test_rows_are_repeated_by_numbers_that_data_tell(tmp_path: Path) -> None:
    """As the length regulator of a speech model is exported; how much there may be is said for native code."""
    steps = [
        N("SequenceAt", ["counts", "i"], ["count"]),
        N("SequenceAt", ["rows", "i"], ["row"]),
        N("Concat", ["count", "width"], ["shape"], axis=0),
        N("Expand", ["row", "shape"], ["many"]),
        N("SequenceInsert", ["s", "many"], ["s2"]),
        N("Identity", ["c"], ["c2"]),
    ]
    body = helper.make_graph(
        steps,
        "body",
        [value("i", [1], INT), value("c", [], BOOL), helper.make_tensor_sequence_value_info("s", FLOAT, None)],
        [value("c2", [], BOOL), helper.make_tensor_sequence_value_info("s2", FLOAT, None)],
    )
    nodes = [
        N("Shape", ["x"], ["n"], end=1),
        N("ConstantOfShape", ["n"], ["ones"], value=onnx.numpy_helper.from_array(np.asarray([1], np.int64))),
        N("SplitToSequence", ["k", "ones"], ["counts"], axis=0),
        N("SplitToSequence", ["x", "ones"], ["rows"], axis=0),
        N("SequenceEmpty", [], ["s0"]),
        N("Loop", ["n", "yes", "s0"], ["ys"], body=body),
        N("ConcatFromSequence", ["ys"], ["y"], axis=0),
    ]
    weights = {**WEIGHTS, "width": np.asarray([3], np.int64)}
    inputs = [value("x", ["n", 3]), value("k", ["n"], INT)]
    proto = model(nodes, inputs, [value("y", None)], weights, 16)
    proto.ir_version = 10
    path = save(tmp_path, proto)
    mlconv.convert(path, output=tmp_path / "m.tflite")
    bounds = {"many": ["0..9", 3], "y": ["0..40", 3]}
    mlconv.convert(path, to="native", output=tmp_path / "m.o", shapes=bounds, cpu=OWN)
    native, session = mlconv.load_native(tmp_path / "m.o"), onnxruntime.InferenceSession(str(path))
    for counts in ([2, 1, 3], [4], [1, 0, 2, 5]):
        feed = {"x": numbers(len(counts), 3), "k": np.asarray(counts, np.int64)}
        (wanted,) = session.run(None, feed)
        found = [run_tflite(str(tmp_path / "m.tflite"), feed, "serving_default")["y"], native.run(feed)["y"]]
        for y in (mlconv.load(path).run(feed)["y"], *found):
            np.testing.assert_array_equal(y, wanted)
    with pytest.raises(ConversionError, match="MLC0702"):
        native.run({"x": numbers(1, 3), "k": np.asarray([10], np.int64)})
