"""Files of networks whose sizes are known at run time have few ops more than pinned ones, and give the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from ai_edge_litert import interpreter as litert
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.litert import run_tflite
from tests.support.litert import run_litert
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference
from tests.support.open_networks import Arrays, Graph, check, converted, ops_of

HEADS, WIDTH, ROWS = 4, 32, 24


def attention(g: Graph, x: str, mask: str) -> str:
    """A layer with sizes that are asked for anew, as tracing exporters write it."""
    batch, length = g.size(x, 0), g.size(x, 1)
    heads = []
    for _ in range(3):
        y = g.op("Add", g.op("MatMul", x, g.floats(WIDTH, WIDTH)), g.floats(WIDTH))
        y = g.op("Reshape", y, g.vector(batch, length, HEADS, WIDTH // HEADS))
        heads.append(g.op("Transpose", y, perm=[0, 2, 1, 3]))
    scores = g.op("MatMul", heads[0], g.op("Transpose", heads[1], perm=[0, 1, 3, 2]))
    scores = g.op("Softmax", g.op("Add", scores, mask), axis=-1)
    y = g.op("Transpose", g.op("MatMul", scores, heads[2]), perm=[0, 2, 1, 3])
    y = g.op("Reshape", y, g.vector(batch, length, WIDTH))
    x = g.op("Add", x, g.op("MatMul", y, g.floats(WIDTH, WIDTH)))
    return g.op("Add", x, g.op("Relu", g.op("MatMul", x, g.floats(WIDTH, WIDTH))))


def picked_mask(g: Graph, mask: str, causal: bool, flat: bool) -> str:
    """An additive mask [b, 1, s, s] whose padding is picked at positions.  flat: of the flattened mask."""
    batch, length = g.size(mask, 0), g.size(mask, 1)
    rows = g.op("Unsqueeze", g.positions(batch), g.ints(1, 2, 3))
    columns = g.op("Unsqueeze", g.positions(length), g.ints(0, 1, 2))
    seen = g.op("Cast", mask, to=TensorProto.BOOL)
    if flat:
        places = g.op("Add", columns, g.op("Mul", rows, length))
        kept = g.op("Squeeze", g.op("Gather", g.op("Reshape", seen, g.ints(-1, 1)), places, axis=0), g.ints(4))
    else:
        shape = g.vector(batch, 1, 1, length)
        parts = [g.op("Unsqueeze", g.op("Expand", p, shape), g.ints(-1)) for p in (rows, columns)]
        kept = g.op("GatherND", seen, g.op("Concat", *parts, axis=-1))
    queries = g.op("Unsqueeze", g.positions(length), g.ints(0, 1, 3))
    rule = g.op("LessOrEqual", columns, queries) if causal else g.op("GreaterOrEqual", queries, g.ints(0, scalar=True))
    return g.op("Where", g.op("And", rule, kept), g.number(0.0), g.number(-30.0))


def encoder(causal: bool, flat: bool, layers: int = 4) -> onnx.ModelProto:
    """Embeddings of tokens and positions, a mask, layers of attention; batch and length are symbols."""
    g = Graph()
    ids = g.op("Gather", g.floats(50, WIDTH), "ids", axis=0)
    g.weights["all"] = np.arange(ROWS, dtype=np.int64)[None]
    places = g.op("Slice", "all", g.ints(0), g.op("Unsqueeze", g.size("ids", 1), g.ints(0)), g.ints(1))
    x = g.op("Add", ids, g.op("Gather", g.floats(ROWS, WIDTH), places, axis=0))
    mask = picked_mask(g, "mask", causal, flat)
    for _ in range(layers):
        x = attention(g, x, mask)
    g.nodes.append(helper.make_node("Identity", [x], ["y"]))
    inputs = [value(name, ["b", "s"], TensorProto.INT64) for name in ("ids", "mask")]
    return model(g.nodes, inputs, [value("y")], g.weights)


def tokens(batch: int, length: int) -> Arrays:
    rng = np.random.default_rng(batch * 100 + length)
    mask = (np.arange(length) < rng.integers(1, length + 1, (batch, 1))).astype(np.int64)
    return {"ids": rng.integers(0, 50, (batch, length)), "mask": mask}


@pytest.mark.share(6)
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_encoder(causal: bool, flat: bool, tmp_path: Path) -> None:
    ops = check(encoder(causal, flat), [tokens(2, 7), tokens(3, ROWS), tokens(1, 1)], tmp_path)
    assert ops["SHAPE"] == 1 and ops["CONCATENATION"] == 1 and not ops["GATHER_ND"]


def test_sizes_do_not_grow_with_layers(tmp_path: Path) -> None:
    few, many = (ops_of(converted(save(tmp_path, encoder(True, True, n)), tmp_path)) for n in (2, 6))
    grown = {kind for kind in many if many[kind] > few[kind]}
    assert not grown & {"SHAPE", "GATHER", "CONCATENATION", "STRIDED_SLICE", "CAST", "RANGE", "SUB"}


def test_sizes_are_known_before_the_run(tmp_path: Path) -> None:
    """Tensors of sizes that shapes tell are allocated when inputs are resized: none is dynamic."""
    out = converted(save(tmp_path, encoder(False, True)), tmp_path)
    interpreter = litert.Interpreter(model_path=str(out))
    for detail in interpreter.get_input_details():
        interpreter.resize_tensor_input(detail["index"], [5, 9])
    interpreter.allocate_tensors()
    assert [list(d["shape"]) for d in interpreter.get_output_details()] == [[5, 9, WIDTH]]


def test_sizes_that_no_integer_holds_are_refused(tmp_path: Path) -> None:
    doubled = [helper.make_node("Add", [f"n{i}", f"n{i}"], [f"n{i + 1}"]) for i in range(100)]
    nodes = [helper.make_node("Shape", ["x"], ["n0"]), *doubled, helper.make_node("ConstantOfShape", ["n100"], ["y"])]
    path = save(tmp_path, model(nodes, [value("x", ["n"])], [value("y", None)]))
    with pytest.raises(ConversionError) as error:
        mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    assert error.value.code is Code.TensorTooLarge


def test_gather_of_elements_takes_the_batch(tmp_path: Path) -> None:
    g = Graph()
    places = g.op("Expand", g.op("Unsqueeze", "i", g.ints(1)), g.op("Shape", "x"))
    g.nodes.append(helper.make_node("GatherElements", ["x", places], ["y"], axis=2))
    inputs = [value("x", ["b", "n", "n"]), value("i", ["b", "n"], TensorProto.INT64)]
    proto = model(g.nodes, inputs, [value("y")], g.weights)
    rng = np.random.default_rng(1)
    cases = [
        {"x": rng.standard_normal((b, n, n)).astype(np.float32), "i": rng.integers(-n, n, (b, n))}
        for b, n in ((2, 5), (3, 8))
    ]
    ops = check(proto, cases, tmp_path, allowed=2)
    assert not ops["GATHER_ND"] and not ops["RANGE"]


def test_two_transposed_convolutions(tmp_path: Path) -> None:
    g = Graph()
    x = g.op("ConvTranspose", "x", g.floats(3, 2, 2, 2), strides=[2, 2])
    x = g.op("ConvTranspose", x, g.floats(2, 2, 2, 2), strides=[2, 2])
    g.nodes.append(helper.make_node("Relu", [x], ["y"]))
    proto = model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights)
    rng = np.random.default_rng(2)
    cases = [{"x": rng.standard_normal(s).astype(np.float32)} for s in ((2, 3, 5, 4), (1, 3, 8, 9))]
    check(proto, cases, tmp_path, allowed=3)


def buckets(g: Graph, length: str, far: int) -> str:
    """Buckets of relative positions: near ones are their own, farther ones by their logarithm, up to `far`."""
    p = g.positions(length)
    d = g.op("Sub", g.op("Unsqueeze", p, g.ints(0)), g.op("Unsqueeze", p, g.ints(1)))
    behind = g.op("Mul", g.op("Cast", g.op("Less", d, g.ints(0, scalar=True)), to=TensorProto.INT64), g.ints(16))
    d = g.op("Abs", d)
    ratio = g.op("Div", g.op("Cast", d, to=TensorProto.FLOAT), g.number(8.0))
    wide = g.op("Mul", g.op("Div", g.op("Log", ratio), g.number(float(np.log(far / 8)))), g.number(8.0))
    wide = g.op("Add", g.op("Cast", wide, to=TensorProto.INT64), g.ints(8, scalar=True))
    wide = g.op("Min", wide, g.ints(15, scalar=True))
    return g.op("Add", behind, g.op("Where", g.op("Less", d, g.ints(8, scalar=True)), d, wide))


@pytest.mark.parametrize("far", [16, 100])
def test_buckets_are_a_table(far: int, tmp_path: Path) -> None:
    g = Graph()
    bias = g.op("Gather", g.floats(32, HEADS), buckets(g, g.size("x", 1), far), axis=0)
    bias = g.op("Unsqueeze", g.op("Transpose", bias, perm=[2, 0, 1]), g.ints(0))
    x = "x"
    for _ in range(4):
        x = attention(g, x, bias)
    g.nodes.append(helper.make_node("Identity", [x], ["y"]))
    proto = model(g.nodes, [value("x", ["b", "s", WIDTH])], [value("y")], g.weights)
    rng = np.random.default_rng(3)
    cases = [{"x": rng.standard_normal((b, s, WIDTH)).astype(np.float32)} for b, s in ((2, 5), (1, 150))]
    ops = check(proto, cases, tmp_path, allowed=1.2)
    assert not ops["LOG"] and not ops["LESS"]


def test_functions_that_go_on_are_no_tables(tmp_path: Path) -> None:
    """A bias that falls with the distance, however far that is."""
    g = Graph()
    p = g.positions(g.size("x", 1))
    d = g.op("Sub", g.op("Unsqueeze", p, g.ints(0)), g.op("Unsqueeze", p, g.ints(1)))
    far = g.op("Cast", g.op("Abs", d), to=TensorProto.FLOAT)
    for _ in range(4):
        far = g.op("Sqrt", g.op("Add", far, g.number(1.0)))
    g.nodes.append(helper.make_node("Add", [g.op("Unsqueeze", far, g.ints(0)), "x"], ["y"]))
    proto = model(g.nodes, [value("x", ["b", "s", "s"])], [value("y")], g.weights)
    rng = np.random.default_rng(4)
    ops = check(proto, [{"x": rng.standard_normal((2, n, n)).astype(np.float32)} for n in (4, 9)], tmp_path, allowed=20)
    assert ops["SQRT"] == 4


def test_sizes_over_sizes(tmp_path: Path) -> None:
    """int64 division has no kernel, that of sizes needs none."""
    g = Graph()
    half = g.op("Div", g.size("x", 1), g.ints(2, scalar=True))
    g.nodes.append(helper.make_node("Slice", ["x", g.ints(0), g.op("Unsqueeze", half, g.ints(0)), g.ints(1)], ["y"]))
    proto = model(g.nodes, [value("x", ["b", "s"])], [value("y")], g.weights)
    rng = np.random.default_rng(5)
    ops = check(proto, [{"x": rng.standard_normal((2, n)).astype(np.float32)} for n in (4, 9)], tmp_path, allowed=8)
    assert not ops["DIV"] and not ops["ROUND"]


def test_sizes_of_what_is_there(tmp_path: Path) -> None:
    """A decoder's sizes are those of what it is joined with: one SHAPE for each."""
    g = Graph()
    first = g.op("Relu", g.op("Conv", "x", g.floats(4, 3, 3, 3), pads=[1, 1, 1, 1]))
    x = g.op("Relu", g.op("Conv", first, g.floats(8, 4, 2, 2), strides=[2, 2]))
    x = g.op("ConvTranspose", x, g.floats(8, 4, 2, 2), strides=[2, 2])
    x = g.op("Conv", g.op("Concat", x, first, axis=1), g.floats(2, 8, 1, 1))
    g.nodes.append(helper.make_node("Sigmoid", [x], ["y"]))
    proto = model(g.nodes, [value("x", ["b", 3, 16, 16])], [value("y")], g.weights)
    rng = np.random.default_rng(6)
    cases = [{"x": rng.standard_normal((b, 3, 16, 16)).astype(np.float32)} for b in (2, 3)]
    ops = check(proto, cases, tmp_path)
    assert ops["SHAPE"] == ops["CONCATENATION"] == 1 and not ops["GATHER"]


def test_ops_behind_images_that_may_be_none_fit(tmp_path: Path) -> None:
    """What is added for them holds by itself: nothing behind has to mend it."""
    g = Graph()
    kept = g.op("Compress", "x", "keep", axis=0)
    g.nodes.append(helper.make_node("Conv", [kept, g.floats(4, 3, 3, 3)], ["y"]))
    inputs = [value("x", ["b", 3, 8, 8]), helper.make_tensor_value_info("keep", TensorProto.BOOL, ["b"])]
    path = save(tmp_path, model(g.nodes, inputs, [value("y")], g.weights))
    mlconv.convert(path, to="tflite", output=tmp_path / "m.tflite", verify_each=True)
    assert ops_of(tmp_path / "m.tflite")["PAD"]


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_loops_with_scan_outputs_may_not_run(turns: int, tmp_path: Path) -> None:
    """The kernel that writes pieces is prepared with the room for them, whether a turn runs or not."""
    one = helper.make_tensor("one", TensorProto.FLOAT, [], [1.0])
    nodes = [
        helper.make_node("Add", ["s", "one"], ["next"]),
        helper.make_node("Identity", ["next"], ["piece"]),
        helper.make_node("Identity", ["on"], ["still"]),
    ]
    takes = [value("i", [], TensorProto.INT64), value("on", [], TensorProto.BOOL), value("s", [3])]
    gives = [value("still", [], TensorProto.BOOL), value("next", [3]), value("piece", [3])]
    body = helper.make_graph(nodes, "body", takes, gives, [one])
    loop = helper.make_node("Loop", ["turns", "", "x"], ["last", "all"], body=body)
    inputs = [value("turns", [], TensorProto.INT64), value("x", [3])]
    path = save(tmp_path, model([loop], inputs, [value("last", [3]), value("all", ["n", 3])]))
    mlconv.convert(path, to="tflite", output=tmp_path / "m.tflite")
    x = np.array([1, 2, 3], np.float32)
    last, pieces = run_litert((tmp_path / "m.tflite").read_bytes(), [np.array(turns), x])
    np.testing.assert_array_equal(last, x + turns)
    np.testing.assert_array_equal(pieces, x + np.arange(1, turns + 1, dtype=np.float32)[:, None])


def test_amounts_and_places_that_are_not_negative_need_no_arithmetic(tmp_path: Path) -> None:
    """Zeros up to a length that is an input, as lists that grow are padded; rows at places that are held to a range."""
    nodes = [
        helper.make_node("Sub", ["length", "some"], ["missing"]),
        helper.make_node("Max", ["missing", "zero"], ["more"]),
        helper.make_node("Concat", ["zero", "zero", "more", "zero"], ["pads"], axis=0),
        helper.make_node("Pad", ["x", "pads"], ["padded"]),
        helper.make_node("Clip", ["at", "least", "most"], ["places"]),
        helper.make_node("Gather", ["padded", "places"], ["y"], axis=0),
    ]
    constants = {n: np.int64([i]) for n, i in (("some", 3), ("zero", 0))}
    constants |= {n: np.int64(i) for n, i in (("least", 0), ("most", 2))}
    inputs = [value("x", [3, 2]), value("length", [1], TensorProto.INT64), value("at", ["n"], TensorProto.INT64)]
    path = save(tmp_path, model(nodes, inputs, [value("y")], constants))
    mlconv.convert(path, output=tmp_path / "m.tflite")
    ops = ops_of(tmp_path / "m.tflite")
    assert not {"NEG", "SLICE", "SUM", "LESS", "SELECT_V2"} & ops.keys()
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    for length, at in ((5, [0, 2, -4]), (2, [7, 1])):
        feed = {"x": x, "length": np.int64([length]), "at": np.int64(at)}
        expected = np.pad(x, ((0, max(0, length - 3)), (0, 0)))[np.clip(at, 0, 2)]
        np.testing.assert_array_equal(run_tflite(str(tmp_path / "m.tflite"), feed, "serving_default")["y"], expected)


def test_what_is_cut_off_at_the_end_needs_no_sizes(tmp_path: Path) -> None:
    """A decoder of sound: a transposed convolution, of which the surplus goes."""
    g = Graph()
    wide = g.op("ConvTranspose", "x", g.floats(4, 2, 8), strides=[4])
    length = g.op("Mul", g.op("Unsqueeze", g.size("x", 2), g.ints(0)), g.ints(4))
    g.nodes.append(helper.make_node("Slice", [wide, g.ints(0), length, g.ints(2)], ["y"]))
    proto = model(g.nodes, [value("x", ["b", 4, "t"])], [value("y")], g.weights)
    rng = np.random.default_rng(8)
    cases = [{"x": rng.standard_normal((b, 4, t)).astype(np.float32)} for b, t in ((1, 1), (2, 5))]
    ops = check(proto, cases, tmp_path, allowed=8)
    assert ops["SHAPE"] == 1 and ops["GATHER"] <= 1  # for what the convolution gives


def test_the_first_of_an_open_axis_is_one_op(tmp_path: Path) -> None:
    """That there is one is not asked for again by a SQUEEZE."""
    g = Graph()
    g.nodes.append(helper.make_node("Slice", ["x", g.ints(0), g.ints(1), g.ints(0)], ["first"]))
    g.nodes.append(helper.make_node("Squeeze", ["first", g.ints(0)], ["y"]))
    proto = model(g.nodes, [value("x", ["n", 4, 3])], [value("y")], g.weights)
    x = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    assert check(proto, [{"x": x}, {"x": x[1:]}], tmp_path, allowed=1) == {"STRIDED_SLICE": 1}


def test_what_pools_leave_over_is_a_remainder(tmp_path: Path) -> None:
    """A decoder pads what is up again to what it is joined with, whose sizes may be odd."""
    g = Graph()
    half = g.op("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2])
    up = g.op("ConvTranspose", half, g.floats(3, 4, 2, 2), g.floats(4), strides=[2, 2])
    missing = [g.op("Sub", g.size("x", axis), g.size(up, axis)) for axis in (2, 3)]
    padded = g.op("Pad", up, g.vector(0, 0, 0, 0, 0, 0, *missing))
    g.nodes.append(helper.make_node("Concat", [padded, "x"], ["y"], axis=1))
    proto = model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights)
    rng = np.random.default_rng(9)
    cases = [{"x": rng.standard_normal((1, 3, *hw)).astype(np.float32)} for hw in ((5, 7), (4, 6), (7, 3))]
    ops = check(proto, cases, tmp_path, allowed=2)
    assert ops["FLOOR_MOD"] == ops["GATHER"] == 1 and ops["SHAPE"] == 2
    assert not ops["FLOOR_DIV"]


def test_a_front_that_is_shorter_by_a_number_needs_no_sizes(tmp_path: Path) -> None:
    """Rows picked one after the other, all but the last."""
    g = Graph()
    longer = g.op("Concat", "x", g.floats(1, 3), axis=0)
    total = g.op("CumSum", longer, g.ints(0, scalar=True))
    first = g.op("Gather", total, g.positions(g.size("x", 0)), axis=0)
    g.nodes.append(helper.make_node("Mul", [first, "x"], ["y"]))
    proto = model(g.nodes, [value("x", ["n", 3])], [value("y")], g.weights)
    rng = np.random.default_rng(10)
    ops = check(proto, [{"x": rng.standard_normal((n, 3)).astype(np.float32)} for n in (1, 2, 5)], tmp_path)
    assert not {"SHAPE", "GATHER", "RANGE"} & ops.keys()


def test_pads_that_may_cut_off_share_their_arithmetic(tmp_path: Path) -> None:
    """A table of positions -4 to 4 that is cut or filled to those of a length, as VITS does, and scores that are."""
    g = Graph()
    length = g.size("x", 1)
    more = g.op("Sub", length, g.ints(5, scalar=True))
    table = g.op("Pad", g.floats(9, 4), g.vector(more, 0, more, 0))
    scores = g.op("MatMul", "x", g.op("Transpose", table, perm=[1, 0]))
    less = g.op("Sub", length, g.ints(1, scalar=True))
    wide = g.op("Pad", scores, g.vector(0, 0, 0, 0, 0, less))
    proto = model(
        [*g.nodes, helper.make_node("Relu", [wide], ["y"])], [value("x", ["b", "n", 4])], [value("y")], g.weights
    )
    path = save(tmp_path, proto)
    out = converted(path, tmp_path)
    ops = ops_of(out)
    assert not ops["NEG"] and not ops["SUM"] and ops["MAXIMUM"] <= 2 and ops["SLICE"] <= 2
    for b, n in ((2, 7), (1, 3), (3, 5), (1, 1)):
        x = np.random.default_rng(n).standard_normal((b, n, 4)).astype(np.float32)
        (want,) = run_reference(proto, {"x": x})
        (got,) = run_tflite(str(out), {"x": x}, "serving_default").values()
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_pads_of_several_images_are_picked_together(tmp_path: Path) -> None:
    g = Graph()
    x = "x"
    for multiple in (4, 6, 5):
        behind = []
        for axis in (2, 3):
            left = g.op("Mod", g.size(x, axis), g.ints(multiple, scalar=True))
            behind.append(g.op("Mod", g.op("Sub", g.ints(multiple, scalar=True), left), g.ints(multiple, scalar=True)))
        x = g.op("Sigmoid", g.op("Pad", x, g.vector(0, 0, 0, 0, 0, 0, *behind)))
    g.nodes.append(helper.make_node("Neg", [x], ["y"]))
    proto = model(g.nodes, [value("x", ["b", 2, "h", "w"])], [value("y")], g.weights)
    rng = np.random.default_rng(4)
    cases = [{"x": rng.standard_normal(s).astype(np.float32)} for s in ((2, 2, 5, 7), (1, 2, 12, 9))]
    ops = check(proto, cases, tmp_path, allowed=9)
    assert ops["UNPACK"] == 1 and ops["GATHER"] <= 2, ops


def test_one_shape_tells_numbers_of_both_widths(tmp_path: Path) -> None:
    """Places from the end are counted in 64 bits, and positions in 32."""
    g = Graph()
    picked = [g.op("Gather", "x", i, axis=0) for i in ("i", "j")]
    counted = g.op("Cast", g.positions(g.size("x", 0)), to=TensorProto.FLOAT)
    y = g.op("Add", g.op("Mul", *picked), g.op("Unsqueeze", counted, g.ints(1)))
    g.nodes.append(helper.make_node("Neg", [y], ["y"]))
    inputs = [value("x", ["n", 3]), *(value(name, [1], TensorProto.INT64) for name in ("i", "j"))]
    proto = model(g.nodes, inputs, [value("y")], g.weights)
    cases = [
        {
            "x": np.random.default_rng(n).standard_normal((n, 3)).astype(np.float32),
            "i": np.int64([-n]),
            "j": np.int64([0]),
        }
        for n in (5, 2)
    ]
    ops = check(proto, cases, tmp_path, allowed=2)
    assert ops["SHAPE"] == 1, ops


@pytest.mark.parametrize(("a", "selects"), [(-0.5, 2), (-0.6, 4)])
def test_positions_that_are_resampled_against_aliasing(a: float, selects: int, tmp_path: Path) -> None:
    """A table of a known size, to a size that the image tells: weights of all of its elements, none of others."""
    g = Graph()
    sides = [g.op("Shape", "x", start=1, end=3), g.op("Shape", "x", start=3)]
    sizes = g.op("Concat", g.ints(1), sides[0], sides[1], axis=0)
    how = {"mode": "cubic", "antialias": 1, "exclude_outside": 1, "cubic_coeff_a": a}
    table = g.op("Resize", g.floats(1, 5, 6, 2, scale=1), "", "", sizes, **how)
    g.nodes.append(helper.make_node("Add", ["x", table], ["y"]))
    proto = model(g.nodes, [value("x", ["b", "h", "w", 2])], [value("y")], g.weights, 18)
    rng = np.random.default_rng(5)
    cases = [{"x": rng.standard_normal(s).astype(np.float32)} for s in ((2, 4, 7, 2), (1, 9, 3, 2))]
    ops = check(proto, cases, tmp_path, allowed=99)
    assert ops["SELECT_V2"] == selects and not ops["LOGICAL_AND"] and ops.total() < 70, ops


def test_ends_of_slices_beyond_32_bits(tmp_path: Path) -> None:
    """Which sizes tell, times a number that int32 does not hold."""
    nodes = [
        helper.make_node("Shape", ["x"], ["n"]),
        helper.make_node("Squeeze", ["n", "axis"], ["count"]),
        helper.make_node("Range", ["zero", "count", "one"], ["places"]),
        helper.make_node("Mul", ["places", "far"], ["ends"]),
        helper.make_node("Gather", ["ends", "i"], ["end"]),
        helper.make_node("Slice", ["x", "axis", "end", "axis"], ["y"]),
    ]
    numbers = {"axis": np.int64([0]), "zero": np.int64(0), "one": np.int64(1), "far": np.int64(1 << 33)}
    inputs = [value("x", ["n"]), value("i", [1], TensorProto.INT64)]
    path = save(tmp_path, model(nodes, inputs, [value("y")], numbers))
    mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    feeds = {"x": np.ones(3, np.float32), "i": np.int64([1])}
    assert run_tflite(str(tmp_path / "m.tflite"), feeds, "serving_default")["y"].shape == (3,)
