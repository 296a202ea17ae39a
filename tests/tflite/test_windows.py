"""Attention in windows over images of any size, as TFLite files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from ai_edge_litert import schema_py_generated as schema
from onnx import helper

from tests.support.onnx_models import model, value
from tests.support.open_networks import Graph, check

SIZE, SHIFT = 4, 2
BUILTIN = schema.BuiltinOperator
LAST = (1 << 63) - 1


def _cut(g: Graph, x: str, axis: int, begin: int, end: int) -> str:
    return g.op("Slice", x, g.ints(begin), g.ints(end), g.ints(axis))


def _shifted(g: Graph, x: str, by: int) -> str:
    for axis in (1, 2):
        x = g.op("Concat", _cut(g, x, axis, by, LAST), _cut(g, x, axis, 0, by), axis=axis)
    return x


def _bands(g: Graph, size: str) -> str:
    """Which of three bands each coordinate of a shifted image lies in."""
    places = g.positions(size)
    late = [g.op("Sub", size, g.ints(n, scalar=True)) for n in (SIZE, SHIFT)]
    return g.op("Add", *[g.op("Cast", g.op("GreaterOrEqual", places, n), to=onnx.TensorProto.INT64) for n in late])


def _hidden(g: Graph, h: str, w: str, m: str, n: str) -> str:
    """-100 where elements of a window are no neighbours in the image."""
    rows = g.op("Mul", g.op("Unsqueeze", _bands(g, h), g.ints(1)), g.ints(3, scalar=True))
    regions = g.op("Cast", g.op("Add", rows, g.op("Unsqueeze", _bands(g, w), g.ints(0))), to=onnx.TensorProto.FLOAT)
    windows = g.op("Transpose", g.op("Reshape", regions, g.vector(m, SIZE, n, SIZE)), perm=[0, 2, 1, 3])
    flat = g.op("Reshape", windows, g.ints(-1, SIZE * SIZE))
    apart = g.op("Sub", g.op("Unsqueeze", flat, g.ints(1)), g.op("Unsqueeze", flat, g.ints(2)))
    return g.op("Where", g.op("Equal", apart, g.number(0.0)), g.number(0.0), g.number(-100.0))


def _block(g: Graph, x: str, channels: int, shift: int) -> str:
    """Pads, shifts, cuts into windows, attends, and all of it back."""
    b, height, width = (g.size(x, a) for a in range(3))
    missing = [g.op("Mod", g.op("Neg", n), g.ints(SIZE, scalar=True)) for n in (height, width)]
    whole = g.op("Pad", x, g.vector(0, 0, 0, 0, 0, *missing, 0))
    h, w = g.size(whole, 1), g.size(whole, 2)
    m, n = (g.op("Div", s, g.ints(SIZE, scalar=True)) for s in (h, w))
    y = _shifted(g, whole, shift) if shift else whole
    y = g.op("Transpose", g.op("Reshape", y, g.vector(b, m, SIZE, n, SIZE, channels)), perm=[0, 1, 3, 2, 4, 5])
    y = g.op("Reshape", y, g.ints(-1, SIZE * SIZE, channels))
    scores = g.op("MatMul", y, g.op("Transpose", g.op("MatMul", y, g.floats(channels, channels)), perm=[0, 2, 1]))
    if shift:
        flat = g.vector(b, g.op("Mul", m, n), SIZE * SIZE, SIZE * SIZE)
        hidden = g.op("Add", g.op("Reshape", scores, flat), _hidden(g, h, w, m, n))
        scores = g.op("Reshape", hidden, g.ints(-1, SIZE * SIZE, SIZE * SIZE))
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), y)
    y = g.op("Transpose", g.op("Reshape", y, g.vector(b, m, n, SIZE, SIZE, channels)), perm=[0, 1, 3, 2, 4, 5])
    y = g.op("Reshape", y, g.vector(b, h, w, channels))
    y = _shifted(g, y, -shift) if shift else y
    y = g.op("Slice", y, g.ints(0, 0), g.vector(height, width), g.ints(1, 2))
    y = g.op("Add", x, y)
    for _ in range(2):
        y = g.op("Add", y, g.op("Tanh", g.op("MatMul", y, g.floats(channels, channels))))
    return y


def _windows() -> onnx.ModelProto:
    g = Graph()
    x = g.op("Conv", "x", g.floats(6, 3, 2, 2), strides=[2, 2], kernel_shape=[2, 2])
    x = g.op("Transpose", x, perm=[0, 2, 3, 1])
    for channels, shift in ((6, 0), (6, SHIFT), (8, 0), (8, SHIFT)):
        if shift == 0 and channels == 8:
            x = g.op("MatMul", x, g.floats(6, 8))
        x = _block(g, x, channels, shift)
    g.nodes.append(helper.make_node("Identity", [x], ["y"]))
    return model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights)


def test_windows_of_images_of_any_size(tmp_path: Path) -> None:
    """Their masks are looked up, and all vectors are parts of one."""
    shapes = ((2, 3, 19, 26), (1, 3, 16, 32), (1, 3, 9, 8))
    cases = [{"x": np.random.default_rng(3).standard_normal(s).astype(np.float32)} for s in shapes]
    ops = check(_windows(), cases, tmp_path, allowed=1.3)
    assert ops["SPLIT_V"] == 1, ops
    assert ops["SHAPE"] <= 2 and ops["EQUAL"] == ops["SELECT_V2"] == ops["RANGE"] == 0, ops


def _heads_and_windows() -> onnx.ModelProto:
    """Heads at each pixel, whose shape LiteRT knows before it runs, and windows, whose shape it does not."""
    g = Graph()
    y = g.op("MatMul", "x", g.floats(8, 8))
    heads = g.op("Softmax", g.op("Reshape", y, g.vector(*(g.size("x", a) for a in range(3)), 2, 4)), axis=-1)
    mean = g.op("ReduceMean", heads, axes=[1, 2, 3], keepdims=0)
    windows = g.op("ReduceMean", _block(g, y, 8, SHIFT), axes=[1, 2, 3], keepdims=0)
    g.nodes.append(helper.make_node("Add", [mean, g.op("Unsqueeze", windows, g.ints(1))], ["y"]))
    return model(g.nodes, [value("x", ["b", "h", "w", 8])], [value("y")], g.weights)


def test_what_is_known_before_a_run_stays_so(tmp_path: Path) -> None:
    """Vectors of computed sizes are parts of one; those of inputs' sizes are not, which SPLIT_V would make unknown."""
    cases = [
        {"x": np.random.default_rng(3).standard_normal(s).astype(np.float32)} for s in ((2, 6, 9, 8), (1, 9, 4, 8))
    ]
    ops = check(_heads_and_windows(), cases, tmp_path, allowed=2)
    assert ops["SPLIT_V"] == 1, ops
    graph = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel((tmp_path / "open.tflite").read_bytes(), 0))
    (main,), codes = graph.subgraphs, [code.builtinCode for code in graph.operatorCodes]
    makers = {i: codes[op.opcodeIndex] for op in main.operators for i in op.outputs}
    kinds = [makers.get(op.inputs[1]) for op in main.operators if codes[op.opcodeIndex] == BUILTIN.RESHAPE]
    assert kinds[0] != BUILTIN.SPLIT_V and BUILTIN.SPLIT_V in kinds, kinds


def test_biases_of_windows_that_the_length_cuts(tmp_path: Path) -> None:
    """Biases that are looked up for a window of as many rows as there are, of a larger one, are columns of the table:
    no reshape, and no transpose, for each layer.
    """
    g, heads, largest = Graph(), 2, 12
    places = "places"
    g.weights[places] = g.rng.integers(0, 50, (largest, largest))
    b, n, x = g.size("x", 0), g.size("x", 1), "x"
    count, shape = g.vector(n), g.vector(b, n, heads, 4)
    for _ in range(2):
        cut = g.op("Slice", g.op("Slice", places, g.ints(0), count, g.ints(0)), g.ints(0), count, g.ints(1))
        rows = g.op("Gather", g.floats(50, heads), g.op("Reshape", cut, g.ints(-1)), axis=0)
        bias = g.op("Transpose", g.op("Reshape", rows, g.vector(n, n, -1)), perm=[2, 0, 1])
        q, k, v = (g.op("Reshape", g.op("MatMul", x, g.floats(8, 8)), shape) for _ in range(3))
        q, k, v = (g.op("Transpose", h, perm=p) for h, p in ((q, [0, 2, 1, 3]), (k, [0, 2, 3, 1]), (v, [0, 2, 1, 3])))
        weights = g.op("Softmax", g.op("Add", g.op("MatMul", q, k), bias), axis=-1)
        x = g.op("Reshape", g.op("Transpose", g.op("MatMul", weights, v), perm=[0, 2, 1, 3]), g.vector(b, n, 8))
    proto = model(g.nodes, [value("x", ["b", "n", 8])], [value(x, ["b", "n", 8])], g.weights)
    cases = [{"x": g.rng.standard_normal((b, n, 8)).astype(np.float32)} for b, n in ((2, 5), (1, largest), (3, 1))]
    ops = check(proto, cases, tmp_path, 1.4)
    assert ops["TRANSPOSE"] == 8 and ops["RESHAPE"] == 8


def test_rows_that_are_dealt_out_anew(tmp_path: Path) -> None:
    """Nothing meets the first rows: where there are more, their numbers get as many rows as the source says."""
    g = Graph()
    first = g.op("Slice", "x", g.ints(0), g.ints(6), g.ints(0))
    y = g.op("Reshape", first, g.vector(g.size("x", 0), -1))
    proto = model(g.nodes, [value("x", ["n", 4])], [value(y)], g.weights)
    cases = [{"x": g.rng.standard_normal((n, 4)).astype(np.float32)} for n in (3, 6, 8, 12, 24)]
    check(proto, cases, tmp_path, 9)
