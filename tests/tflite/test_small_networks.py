"""Small networks with open sizes, as exporters write them: what each kind of surplus op was, and that it is gone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.support.onnx_models import model, value
from tests.support.open_networks import Arrays, Graph, check


def network(
    g: Graph, y: str, inputs: dict[str, tuple[list[str | int], int]], dtype: int = TensorProto.FLOAT
) -> onnx.ModelProto:
    g.nodes.append(helper.make_node("Identity", [y], ["y"]))
    return model(g.nodes, [value(n, s, t) for n, (s, t) in inputs.items()], [value("y", dtype=dtype)], g.weights)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def conv(g: Graph, x: str, inner: int, outer: int, stride: int = 1) -> str:
    window = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [stride, stride]}
    return g.op("Conv", x, g.floats(outer, inner, 3, 3), g.floats(outer), **window)


def size_of(g: Graph, x: str) -> str:
    return g.op("Slice", g.op("Shape", x), g.ints(2), g.ints(4), g.ints(0))


def test_pyramid(tmp_path: Path) -> None:
    """Activations stay fused where the shape behind them is asked for, and a part of one shape needs no table."""
    g = Graph()
    levels, x = [], "x"
    for inner, outer in ((3, 8), (8, 8), (8, 8)):
        x = g.op("Relu", conv(g, x, inner, outer, 2))
        levels.append(x)
    p = conv(g, levels[-1], 8, 8)
    for level in levels[-2::-1]:
        sizes = g.op("Concat", g.op("Slice", g.op("Shape", p), g.ints(0), g.ints(2)), size_of(g, level), axis=0)
        up = g.op(
            "Resize",
            p,
            "",
            "",
            sizes,
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )
        p = conv(g, g.op("Add", conv(g, level, 8, 8), up), 8, 8)
    proto = network(g, p, {"x": (["b", 3, "h", "w"], TensorProto.FLOAT)})
    ops = check(proto, [{"x": normal(1, 3, *s)} for s in ((21, 37), (48, 32), (16, 16))], tmp_path, 1.4)
    assert not ops["RELU"] and ops["SHAPE"] == 2 and ops["GATHER"] == 2 and not ops["CONCATENATION"]


def windows(g: Graph) -> str:
    """x padded to multiples of 4, in windows of 4 x 4 and back, without the padding."""
    batch, sides = g.size("x", 0), [g.size("x", 1), g.size("x", 2)]
    four = g.ints(4, scalar=True)
    more = [g.op("Mod", g.op("Sub", four, g.op("Mod", side, four)), four) for side in sides]
    x = g.op("Pad", "x", g.vector(0, 0, 0, 0, 0, more[0], more[1], 0))
    full = [g.op("Add", side, m) for side, m in zip(sides, more, strict=True)]
    parts = [g.op("Div", side, four) for side in full]
    x = g.op("Reshape", x, g.vector(batch, parts[0], 4, parts[1], 4, 8))
    x = g.op("Reshape", g.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5]), g.ints(-1, 16, 8))
    x = g.op("Softmax", g.op("MatMul", x, g.floats(8, 8)), axis=1)
    x = g.op("Reshape", x, g.vector(batch, parts[0], parts[1], 4, 4, 8))
    x = g.op("Reshape", g.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5]), g.vector(batch, *full, 8))
    for axis, side in enumerate(sides, 1):
        x = g.op("Slice", x, g.ints(0), g.op("Unsqueeze", side, g.ints(0)), g.ints(axis))
    return x


def test_anchors(tmp_path: Path) -> None:
    """Heights and breadths of all levels are computed at once, also those that stand in one vector and alone; sizes of
    anchors are repeated, not multiplied by ones.
    """
    g = Graph()
    found: list[str] = []
    g.weights["sizes"] = np.float32([[3, 5]])
    g.weights["one"] = np.float32(1)
    levels = [conv(g, "x", 3, 4, 2)]
    for _ in range(2):
        levels.append(conv(g, levels[-1], 4, 4, 2))
    p = levels[-1]
    for level in levels[-2::-1]:
        target = g.op("Concat", g.op("Slice", g.op("Shape", p), g.ints(0), g.ints(2)), size_of(g, level), axis=0)
        nearest = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        p = g.op("Add", level, g.op("Resize", p, "", "", target, **nearest))
    for x in levels:
        h, w = g.size(x, 2), g.size(x, 3)
        rows, columns = (g.op("Cast", g.positions(n), to=TensorProto.FLOAT) for n in (h, w))
        grid = g.vector(h, w)
        spread = [g.op("Expand", v, grid) for v in (g.op("Unsqueeze", rows, g.ints(1)), columns)]
        places = g.op("Concat", *(g.op("Reshape", v, g.ints(-1, 1)) for v in spread), axis=1)
        ones = g.op("Expand", "one", g.op("Shape", places))
        found.append(g.op("Concat", places, g.op("Mul", ones, "sizes"), axis=1))
    found.append(g.op("Slice", g.op("Reshape", p, g.ints(-1, 4)), g.ints(0), g.ints(4)))
    proto = network(g, g.op("Concat", *found, axis=0), {"x": (["b", 3, "h", "w"], TensorProto.FLOAT)})
    ops = check(proto, [{"x": normal(1, 3, *s)} for s in ((21, 37), (48, 32), (16, 16))], tmp_path, 100)
    assert ops["FLOOR_DIV"] == 1 and not ops["FILL"], ops


def test_windows(tmp_path: Path) -> None:
    """What is missing to a multiple is one remainder; slices along two axes are one; RESHAPE tells a size itself."""
    g = Graph()
    proto = network(g, windows(g), {"x": (["b", "h", "w", 8], TensorProto.FLOAT)})
    cases: list[Arrays] = [{"x": normal(*s)} for s in ((2, 9, 7, 8), (1, 8, 12, 8), (3, 1, 5, 8))]
    ops = check(proto, cases, tmp_path, 2.5)
    assert ops["FLOOR_MOD"] == 1 and ops["FLOOR_DIV"] == 1 and ops["STRIDED_SLICE"] == 1 and ops.total() <= 23, ops


def test_places(tmp_path: Path) -> None:
    """Places are divided in int32: in int64 a quotient takes twenty ops."""
    g = Graph()
    flat = g.op("Reshape", "x", g.ints(0, 0, -1))
    place, width = g.op("ArgMax", flat, axis=2, keepdims=0), g.size("x", 3)
    y = g.op("Add", g.op("Mul", g.op("Div", place, width), g.ints(1000, scalar=True)), g.op("Mod", place, width))
    proto = network(g, y, {"x": (["b", 5, "h", "w"], TensorProto.FLOAT)}, TensorProto.INT64)
    ops = check(proto, [{"x": normal(*s)} for s in ((2, 5, 3, 7), (1, 5, 6, 4))], tmp_path, 2)
    assert not ops["ROUND"] and ops["DIV"] + ops["FLOOR_DIV"] == 1 and ops.total() <= 14, ops


def test_neighbours(tmp_path: Path) -> None:
    """Elements at repeated indices, of what is repeated, are rows of what is there."""
    g = Graph()
    batch, count = g.size("x", 0), g.size("x", 1)
    rows, columns = g.op("Unsqueeze", "x", g.ints(2)), g.op("Unsqueeze", "x", g.ints(1))
    apart = g.op("ReduceSum", g.op("Abs", g.op("Sub", rows, columns)), g.ints(3), keepdims=0)
    g.nodes.append(helper.make_node("TopK", [apart, g.ints(3)], ["near", "places"], largest=0))
    every = g.op("Expand", columns, g.vector(batch, count, count, 6))
    places = g.op("Expand", g.op("Unsqueeze", "places", g.ints(3)), g.vector(batch, count, 3, 6))
    found = g.op("GatherElements", every, places, axis=2)
    y = g.op("MatMul", g.op("Sub", found, rows), g.floats(6, 4))
    proto = network(g, y, {"x": (["b", "n", 6], TensorProto.FLOAT)})
    ops = check(proto, [{"x": normal(*s)} for s in ((2, 7, 6), (1, 3, 6), (3, 5, 6))], tmp_path, 1.1)
    assert not ops["GATHER_ND"] and not ops["BROADCAST_TO"] and not ops["SHAPE"]


def routed(g: Graph, x: str, layer: int) -> str:
    """x by the two best of four experts, whose weights are written into zeros."""
    best, which = f"best{layer}", f"which{layer}"
    scores = g.op("Softmax", g.op("MatMul", x, g.floats(8, 4)), axis=-1)
    g.nodes.append(helper.make_node("TopK", [scores, g.ints(2)], [best, which]))
    zeros = g.op("ConstantOfShape", g.op("Shape", scores))
    gates = g.op("ScatterElements", zeros, which, best, axis=1)
    return g.op("Add", x, g.op("MatMul", gates, g.floats(4, 8)))


def test_routes(tmp_path: Path) -> None:
    """Written by flat places, with zero in front of what is written; places are counted once for all layers."""
    g, y = Graph(), "x"
    for layer in range(3):
        y = routed(g, y, layer)
    proto = network(g, y, {"x": (["n", 8], TensorProto.FLOAT)})
    ops = check(proto, [{"x": normal(*s)} for s in ((7, 8), (1, 8), (12, 8))], tmp_path, 1.25)
    assert ops["UNSORTED_SEGMENT_MAX"] == 3 and ops["RANGE"] == 2 and not ops["SELECT_V2"] and not ops["BROADCAST_TO"]


def test_messages(tmp_path: Path) -> None:
    """Messages are summed up at nodes as rows."""
    g = Graph()
    count, edges = g.size("x", 0), g.size("e", 1)
    source, target = (g.op("Gather", "e", g.ints(i, scalar=True), axis=0) for i in (0, 1))
    sent = g.op("Gather", g.op("MatMul", "x", g.floats(6, 8)), source, axis=0)
    places = g.op("Expand", g.op("Unsqueeze", target, g.ints(1)), g.vector(edges, 8))
    y = g.op("ScatterElements", g.op("ConstantOfShape", g.vector(count, 8)), places, sent, axis=0, reduction="add")
    proto = network(g, y, {"x": (["n", 6], TensorProto.FLOAT), "e": ([2, "m"], TensorProto.INT64)})
    rng = np.random.default_rng(3)
    cases: list[Arrays] = [{"x": normal(n, 6), "e": rng.integers(-n, n, (2, m))} for n, m in ((5, 11), (3, 1), (8, 20))]
    ops = check(proto, cases, tmp_path, 1.5)
    assert ops["SCATTER_ND"] == 1 and ops["CONCATENATION"] <= 1 and not ops["BROADCAST_TO"]


def test_attention_of_messages(tmp_path: Path) -> None:
    """Ends of edges are counted from the front once for all that picks and writes with them; what one number stands
    beside is no mask; a limit starts where the kernel does.
    """
    g = Graph()
    count = g.size("x", 0)
    source, target = (g.op("Gather", "e", g.ints(i, scalar=True), axis=0) for i in (0, 1))
    sent = g.op("Gather", "x", source, axis=0)
    weight = g.op("Exp", g.op("MatMul", g.op("Sub", sent, g.op("Gather", "x", target, axis=0)), g.floats(6, 1)))
    column = g.op("Unsqueeze", target, g.ints(1))
    zeros = g.op("ConstantOfShape", g.vector(count, 1))
    total = g.op("ScatterElements", zeros, column, weight, axis=0, reduction="add")
    largest = g.op("ScatterElements", zeros, column, weight, axis=0, reduction="max")
    picked = g.op("GatherElements", g.op("Add", total, largest), g.op("Unsqueeze", source, g.ints(1)), axis=0)
    y = g.op("Div", weight, picked)
    proto = network(g, y, {"x": (["n", 6], TensorProto.FLOAT), "e": ([2, "m"], TensorProto.INT64)})
    rng = np.random.default_rng(4)
    ends = [(n, np.tile(rng.permutation(n) - n // 2, (2, 2))) for n in (5, 1, 8)]
    ops = check(proto, [{"x": normal(n, 6), "e": e} for n, e in ends], tmp_path, 1.6)
    assert ops["LESS"] == 2 and ops["UNSORTED_SEGMENT_MAX"] == 1 and not ops["UNSORTED_SEGMENT_SUM"], ops
    assert not ops["BROADCAST_TO"] and not ops["GATHER_ND"] and not ops["NOT_EQUAL"], ops


def same_pads(g: Graph, x: str, axis: int, window: int, stride: int) -> list[str]:
    """What TensorFlow's SAME puts in front and behind, by way of floats, as PyTorch's ports of its networks say it."""
    size, step, one = g.op("Cast", g.size(x, axis), to=TensorProto.FLOAT), g.number(float(stride)), g.number(1.0)
    last = g.op("Mul", g.op("Sub", g.op("Ceil", g.op("Div", size, step)), one), step)
    short = g.op("Sub", g.op("Add", g.op("Add", last, g.number(float(window - 1))), one), size)
    both = g.op("Clip", short, g.number(0.0))
    front = g.op("Cast", g.op("Cast", g.op("Div", both, g.number(2.0)), to=TensorProto.INT64), to=TensorProto.FLOAT)
    return [g.op("Unsqueeze", part, g.ints(0)) for part in (front, g.op("Sub", both, front))]


def test_pads_of_tensorflow(tmp_path: Path) -> None:
    """Pads of sizes, as far as the last window goes beyond them, are those of the convolution."""
    g, x = Graph(), "x"
    for inner, window, stride in ((3, 3, 2), (6, 5, 2), (6, 3, 3)):
        (top, end), (left, right) = (same_pads(g, x, axis, window, stride) for axis in (2, 3))
        none = g.op("Cast", g.ints(0, 0), to=TensorProto.FLOAT)
        pads = g.op("Cast", g.op("Concat", none, top, left, none, end, right, axis=0), to=TensorProto.INT64)
        strides = {"kernel_shape": [window, window], "strides": [stride, stride]}
        x = g.op("Conv", g.op("Pad", x, pads), g.floats(6, inner, window, window), g.floats(6), **strides)
        x = g.op("Relu", x)
    proto = network(g, x, {"x": (["b", 3, "h", "w"], TensorProto.FLOAT)})
    ops = check(proto, [{"x": normal(*s)} for s in ((2, 3, 20, 31), (1, 3, 1, 6), (1, 3, 17, 13))], tmp_path, 1)
    assert ops["CONV_2D"] == 3 and not ops["PAD"] and not ops["SHAPE"], ops


@pytest.mark.parametrize("places", ["half_pixel", "pytorch_half_pixel", "asymmetric"])
def test_tables_of_positions_grow(places: str, tmp_path: Path) -> None:
    """A table that a model has for one image is resampled, cubic, to the patches of others: two products."""
    g = Graph()
    x = g.op("Conv", "x", g.floats(6, 3, 4, 4), kernel_shape=[4, 4], strides=[4, 4])
    g.weights["table"] = g.rng.standard_normal((1, 6, 5, 7)).astype(np.float32)
    sizes = g.op("Concat", g.ints(1, 6), size_of(g, x), axis=0)
    how = {"mode": "cubic", "cubic_coeff_a": -0.75, "coordinate_transformation_mode": places}
    y = g.op("Add", x, g.op("Resize", "table", "", "", sizes, **how))
    proto = network(g, y, {"x": (["b", 3, "h", "w"], TensorProto.FLOAT)})
    images = ((2, 3, 20, 28), (1, 3, 4, 4), (1, 3, 52, 8), (2, 3, 12, 101))
    ops = check(proto, [{"x": normal(*s)} for s in images], tmp_path, 9)
    assert not ops["FLOOR"] and ops["BATCH_MATMUL"] == 4 and ops.total() <= (27 if places == "half_pixel" else 33), ops


@pytest.mark.parametrize("positions", ["table", "first of a table", "joined"])
def test_class_tokens(positions: str, tmp_path: Path) -> None:
    """Rows in front of each element of a batch are zeros until positions are added, which have the rows."""
    g, rows = Graph(), "n" if positions == "joined" else 6
    token = g.op("Expand", g.floats(1, 2, 8), g.vector(g.size("x", 0), 2, 8))
    added = g.floats(1, 8, 8) if positions == "table" else g.floats(8, 8)
    if positions == "joined":
        added = g.op("Concat", g.floats(1, 2, 8), g.op("Tanh", "x2"), axis=1)
    y = g.op("MatMul", g.op("Add", g.op("Concat", token, "x", axis=1), added), g.floats(8, 8))
    inputs = {"x": (["b", rows, 8], TensorProto.FLOAT), "x2": ([1, rows, 8], TensorProto.FLOAT)}
    given = list(inputs)[: 2 if positions == "joined" else 1]
    proto = network(g, y, {name: inputs[name] for name in given})
    cases = [{name: normal(b if name == "x" else 1, 6, 8) for name in given} for b in (1, 3)]
    ops = check(proto, cases, tmp_path)
    assert ops["PAD"] == 1 and not ops["BROADCAST_TO"] and not ops["SHAPE"]


def test_masks_that_hide_nothing(tmp_path: Path) -> None:
    """Queries from the first one on see all: zeros are added to scores, whatever their number."""
    g = Graph()
    queries = g.op("Unsqueeze", g.positions(g.size("x", 1)), g.ints(1))
    seen = g.op("GreaterOrEqual", queries, g.ints(0, scalar=True))
    mask = g.op("Where", seen, g.number(0.0), g.number(-30.0))
    y = "x"
    for _ in range(2):
        scores = g.op("Add", g.op("MatMul", y, g.op("Transpose", y, perm=[0, 2, 1])), mask)
        y = g.op("MatMul", g.op("Softmax", scores, axis=-1), y)
    proto = network(g, y, {"x": (["b", "n", 8], TensorProto.FLOAT)})
    ops = check(proto, [{"x": normal(*s)} for s in ((2, 5, 8), (1, 1, 8))], tmp_path, 1)
    assert not ops["RANGE"] and not ops["SELECT_V2"] and not ops["ADD"], ops


def test_keys_are_split_as_queries_are(tmp_path: Path) -> None:
    """One vector for all heads, and that of rows is the shape of some."""
    g = Graph()
    x = g.op("Gather", g.floats(9, 8), "ids")
    heads = g.vector(g.size("ids", 0), g.size("ids", 1), 2, 4)
    q, k, v = (g.op("Reshape", g.op("MatMul", x, g.floats(8, 8)), heads) for _ in range(3))
    turned = g.op("Transpose", q, perm=[0, 2, 1, 3]), g.op("Transpose", k, perm=[0, 2, 3, 1])
    weights = g.op("Softmax", g.op("MatMul", *turned), axis=-1)
    rows = g.op("Transpose", g.op("MatMul", weights, g.op("Transpose", v, perm=[0, 2, 1, 3])), perm=[0, 2, 1, 3])
    y = g.op("Add", x, g.op("Reshape", rows, g.vector(g.size("ids", 0), g.size("ids", 1), 8)))
    proto = network(g, y, {"ids": (["b", "t"], TensorProto.INT64)})
    cases = [{"ids": np.random.default_rng(t).integers(0, 9, (b, t))} for b, t in ((2, 7), (1, 1), (3, 4))]
    ops = check(proto, cases, tmp_path, 1.2)
    assert ops["SHAPE"] == ops["CONCATENATION"] == 1 and ops["GATHER"] == 2


def test_signals_twice_as_long_multiply_a_shape_in_view(tmp_path: Path) -> None:
    g = Graph()
    x = g.op("Conv", "x", g.floats(4, 2, 3), pads=[1, 1])
    for _ in range(2):
        x = g.op("ConvTranspose", g.op("LeakyRelu", x), g.floats(4, 4, 4), strides=[2], pads=[1, 1])
    proto = network(g, x, {"x": (["b", 2, "t"], TensorProto.FLOAT)})
    ops = check(proto, [{"x": normal(b, 2, t)} for b, t in ((2, 7), (1, 1), (3, 4))], tmp_path, 1.4)
    assert ops["SHAPE"] <= 2 and ops["MUL"] == 2 and not ops["CONCATENATION"] and not ops["GATHER"]


@pytest.mark.parametrize(
    ("kind", "window", "options", "allowed"),
    [
        ("MaxPool", [3, 3], {}, 1.0),
        ("MaxPool", [2, 2], {}, 1.0),
        ("MaxPool", [3, 3], {"pads": [1, 0, 0, 1]}, 1.0),
        ("MaxPool", [2, 2], {"dilations": [2, 2]}, 1.4),
        ("AveragePool", [2, 2], {}, 1.0),
        ("AveragePool", [2, 2], {"count_include_pad": 1}, 1.0),
        ("AveragePool", [3, 3], {}, 2.0),
    ],
)
def test_last_windows_that_are_not_whole(
    kind: str, window: list[int], options: dict[str, object], allowed: float, tmp_path: Path
) -> None:
    """What is missing behind needs no size of the run."""
    g = Graph()
    y = g.op(kind, conv(g, "x", 3, 4), kernel_shape=window, strides=[2, 2], ceil_mode=1, **options)
    proto = network(g, y, {"x": (["b", 3, "h", "w"], TensorProto.FLOAT)})
    ops = check(proto, [{"x": normal(2, 3, *s)} for s in ((21, 36), (36, 21), (9, 6), (5, 7))], tmp_path, allowed)
    assert not ops["FLOOR_DIV"] and (allowed > 1.0 or not ops["SHAPE"])
