"""Sizes that are sums and products of those of values in view, and places in what has elements, as TFLite files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from tests.support.onnx_models import model, value
from tests.support.open_networks import Graph, check

CASES = [
    {"x": np.random.default_rng(3).standard_normal(s).astype(np.float32)} for s in ((2, 3, 40, 24), (1, 3, 33, 57))
]


def _levels(levels: int = 3) -> onnx.ModelProto:
    """Features of several levels are flattened and joined, computed with, cut apart again and are images anew."""
    g = Graph()
    features, flat, images = "x", [], []
    for _ in range(levels):
        features = g.op("Conv", features, g.floats(3, 3, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1], kernel_shape=[3, 3])
        images.append(features)
        flat.append(g.op("Reshape", features, g.vector(g.size(features, 0), 3, -1)))
    joined = g.op("Softmax", g.op("Concat", *flat, axis=2), axis=-1)
    lengths = [g.op("Mul", g.size(y, 2), g.size(y, 3)) for y in images]
    parts, begin = [], g.ints(0, scalar=True)
    for y, n in zip(images, lengths, strict=True):
        end = g.op("Add", begin, n)
        part = g.op("Slice", joined, g.vector(begin), g.vector(end), g.ints(2))
        image = g.op("Reshape", part, g.op("Shape", y))
        parts.append(g.op("Conv", image, g.floats(3, 3, 1, 1), kernel_shape=[1, 1]))
        begin = end
    shallow = parts[0]
    for y in parts[1:]:
        shallow = g.op("Add", shallow, g.op("ReduceMean", y, axes=[2, 3], keepdims=1))
    g.nodes.append(helper.make_node("Identity", [shallow], ["y"]))
    return model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights)


def test_where_levels_end_is_the_sum_of_their_sizes(tmp_path: Path) -> None:
    """They are told by the shapes of the levels, not computed anew of those of the image."""
    ops = check(_levels(), CASES, tmp_path, allowed=1.6)
    assert ops["FLOOR_DIV"] == 0 and ops["MUL"] <= 1, ops


def _rows_at() -> onnx.ModelProto:
    """Elements of rows at places that are held to the last one, `h - 1`, which is negative where there are none."""
    g = Graph()
    last = g.op("Sub", g.size("x", 2), g.ints(1, scalar=True))
    places = g.op("Min", g.ints(0, 3, 50), last)
    g.nodes.append(helper.make_node("Gather", ["x", places], ["y"], axis=2))
    return model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights)


def test_the_last_place_counts_from_the_start(tmp_path: Path) -> None:
    ops = check(_rows_at(), CASES, tmp_path, allowed=8)
    assert ops["SELECT_V2"] == ops["LESS"] == 0, ops


def _padded_beside_another() -> onnx.ModelProto:
    """Rows padded to a multiple of 4, counted too, and rows of another length are heads: `[b, 4*n, 2, 4]` with all
    sizes, `[b, -1, 2, 4]`.
    """
    g = Graph()
    length = g.size("x", 1)
    padded = g.op(
        "Mul", g.op("Div", g.op("Add", length, g.ints(3, scalar=True)), g.ints(4, scalar=True)), g.ints(4, scalar=True)
    )
    rows = g.op("Pad", "x", g.vector(0, 0, 0, 0, g.op("Sub", padded, length), 0))
    heads = g.op("Reshape", rows, g.vector(g.size("x", 0), padded, 2, 4))
    others = g.op("Reshape", g.op("Mul", "y", "y"), g.vector(g.size("x", 0), -1, 2, 4))
    counted = g.op("ReduceMean", g.op("Cast", g.positions(padded), to=TensorProto.FLOAT))
    sums = [g.op("ReduceMean", x, axes=[1]) for x in (heads, others)]
    g.nodes.append(helper.make_node("Sum", [*sums, counted], ["z"]))
    inputs = [value("x", ["b", "s", 8]), value("y", ["b", "t", 8])]
    return model(g.nodes, inputs, [value("z")], g.weights)


def test_shapes_that_leave_a_size_open_are_not_those_that_tell_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    sizes = ((2, 10, 6), (1, 8, 9))
    cases = [
        {"x": rng.standard_normal((b, s, 8)).astype(np.float32), "y": rng.standard_normal((b, t, 8)).astype(np.float32)}
        for b, s, t in sizes
    ]
    check(_padded_beside_another(), cases, tmp_path, allowed=4)
