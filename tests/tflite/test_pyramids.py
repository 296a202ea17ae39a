"""Pyramids of images of open sizes, as detectors have them, as TFLite files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from tests.support.onnx_models import model, value
from tests.support.open_networks import Graph, check

CASES = [{"x": np.random.default_rng(3).standard_normal(s).astype(np.float32)} for s in ((2, 3, 24, 16), (1, 3, 9, 29))]


def _places(g: Graph, x: str) -> str:
    """[1, 2, h, w], columns first."""
    rows, columns = (g.positions(g.size(x, axis)) for axis in (2, 3))
    shape = g.vector(g.size(x, 2), g.size(x, 3))
    rows = g.op("Expand", g.op("Unsqueeze", rows, g.ints(1)), shape)
    columns = g.op("Expand", g.op("Unsqueeze", columns, g.ints(0)), shape)
    both = g.op("Concat", *(g.op("Unsqueeze", v, g.ints(0)) for v in (columns, rows)), axis=0)
    both = g.op("Add", g.op("Cast", both, to=TensorProto.FLOAT), g.number(0.5))
    return g.op("Unsqueeze", both, g.ints(0))


def _pyramid(levels: int = 3) -> onnx.ModelProto:
    g = Graph()
    features, found = "x", []
    for _ in range(levels):
        features = g.op("MaxPool", features, kernel_shape=[2, 2], strides=[2, 2])
        y = g.op("Conv", features, g.floats(5, 3, 1, 1), g.floats(5))
        parts = g.op("Slice", y, g.ints(0), g.ints(2), g.ints(1)), g.op("Slice", y, g.ints(2), g.ints(5), g.ints(1))
        boxes = g.op("Mul", g.op("Add", parts[0], _places(g, y)), g.number(8.0))
        y = g.op("Concat", boxes, g.op("Sigmoid", parts[1]), axis=1)
        found.append(g.op("Reshape", y, g.vector(g.size(y, 0), 5, -1)))
    g.nodes.append(helper.make_node("Concat", found, ["y"], axis=2))
    return model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights)


def test_sizes_of_levels_are_taken_from_one_vector(tmp_path: Path) -> None:
    """One op for all numbers and one for all vectors, where there was one for each."""
    ops = check(_pyramid(), CASES, tmp_path, allowed=3)
    assert ops["SPLIT_V"] == ops["UNPACK"] == 1 and ops["GATHER"] <= 2, ops


def _anchors(levels: int = 3, last_first: bool = False) -> onnx.ModelProto:
    """Centres of all places as rows, levels one after another, added to what is made of each place."""
    g = Graph()
    features, centres, found = ["x"], [], []
    for _ in range(levels):
        features.append(g.op("MaxPool", features[-1], kernel_shape=[2, 2], strides=[2, 2]))
    for features_of_level in features[:0:-1] if last_first else features[1:]:
        y = g.op("Conv", features_of_level, g.floats(2, 3, 1, 1), g.floats(2))
        sides = [
            g.op("Add", g.op("Cast", g.positions(g.size(y, axis)), to=TensorProto.FLOAT), g.number(0.5))
            for axis in (2, 3)
        ]
        shape = g.vector(g.size(y, 2), g.size(y, 3))
        grids = [g.op("Expand", g.op("Unsqueeze", v, g.ints(1 - i)), shape) for i, v in enumerate(sides)]
        both = g.op("Concat", *(g.op("Unsqueeze", v, g.ints(-1)) for v in grids[::-1]), axis=-1)
        centres.append(g.op("Reshape", both, g.ints(-1, 2)))
        found.append(g.op("Transpose", g.op("Reshape", y, g.vector(g.size(y, 0), 2, -1)), perm=[0, 2, 1]))
    moved = g.op("Mul", g.op("Concat", *found, axis=1), g.number(2.0))
    g.nodes.append(helper.make_node("Add", [moved, g.op("Concat", *centres, axis=0)], ["y"]))
    return model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights)


def test_grids_of_levels_are_the_front_of_the_first(tmp_path: Path) -> None:
    """Rows and columns are counted, cast and moved once; each other level cuts its grid out of that of the first."""
    ops = check(_anchors(), CASES, tmp_path, allowed=3)
    assert ops["RANGE"] == ops["CAST"] == 2 and ops["SELECT_V2"] == 1, ops
    assert ops["STRIDED_SLICE"] == 2 and not ops["BROADCAST_TO"] and not ops["PACK"], ops


def test_grids_before_larger_ones_are_their_own(tmp_path: Path) -> None:
    """A grid is cut out of one that comes before it."""
    ops = check(_anchors(last_first=True), CASES, tmp_path, allowed=4.5)
    assert ops["SELECT_V2"] == 3 and not ops["STRIDED_SLICE"], ops


def test_lengths_that_are_not_ordered_share_no_counts(tmp_path: Path) -> None:
    """`a` may be longer than `b`, and shorter."""
    g = Graph()
    rows = [g.op("Mul", g.op("Cast", g.positions(g.size(v, 1)), to=TensorProto.FLOAT), g.number(0.5)) for v in "ab"]
    sums = [g.op("ReduceMax", g.op("Add", v, row), keepdims=0) for v, row in zip("ab", rows, strict=True)]
    g.nodes.append(helper.make_node("Add", sums, ["y"]))
    sizes = ((3, 7), (7, 3), (4, 4))
    rng = np.random.default_rng(5)
    cases = [{v: rng.standard_normal((2, n)).astype(np.float32) for v, n in zip("ab", s, strict=True)} for s in sizes]
    inputs = [value("a", [2, "n"]), value("b", [2, "m"])]
    ops = check(model(g.nodes, inputs, [value("y", [])], g.weights), cases, tmp_path, allowed=4)
    assert ops["RANGE"] == 2 and not ops["STRIDED_SLICE"], ops


def test_counts_that_may_repeat_along_others_are_no_fronts(tmp_path: Path) -> None:
    """Of `range(m) + range(n)`, one repeats where its length is 1."""
    g = Graph()
    m, n = (g.size(v, 0) for v in "ab")
    both = g.op("Add", m, n)
    sums = [
        g.op("Mul", g.op("Cast", g.op("Add", *map(g.positions, pair)), to=TensorProto.FLOAT), g.number(0.5))
        for pair in ((both, both), (m, n))
    ]
    moved = g.op("Mul", g.op("Concat", "a", "b", axis=0), sums[0])
    g.nodes.append(helper.make_node("Add", [moved, g.op("ReduceSum", sums[1], keepdims=0)], ["y"]))
    rng = np.random.default_rng(11)
    cases = [
        {v: rng.standard_normal(size).astype(np.float32) for v, size in zip("ab", sizes, strict=True)}
        for sizes in ((1, 4), (5, 1), (3, 3))
    ]
    proto = model(g.nodes, [value("a", ["m"]), value("b", ["n"])], [value("y")], g.weights)
    check(proto, cases, tmp_path, allowed=7)


def _counted(g: Graph, length: str, step: str, is_wide: bool) -> str:
    """0, step, ... of as many as a length, in 32 or 64 bits."""
    if is_wide:
        return g.op("Mul", g.positions(length), step)
    limits = [g.op("Cast", n, to=TensorProto.INT32) for n in (g.ints(0, scalar=True), length, g.ints(1, scalar=True))]
    return g.op("Mul", g.op("Range", *limits), g.op("Cast", step, to=TensorProto.INT32))


def _strides(levels: int = 2, image: str = "x", anchors: int = 0) -> onnx.ModelProto:
    """Corners of all places of levels, in pixels of the image: counts times how often a level fits into it; with
    anchors around each.
    """
    g = Graph()
    if image != "x":  # of a size that data decide
        sides = g.op("Mul", g.op("Cast", g.op("Shape", "x", start=2), to=TensorProto.FLOAT), "scale")
        sizes = g.op("Concat", g.op("Shape", "x", end=2), g.op("Cast", sides, to=TensorProto.INT64), axis=0)
        image = g.op("Resize", "x", "", "", sizes, mode="nearest")
    features, corners, found = image, [], []
    for _ in range(levels):
        features = g.op("MaxPool", features, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        y = g.op("Conv", features, g.floats(2, 3, 1, 1), g.floats(2))
        steps = [g.op("Div", g.size(image, axis), g.size(y, axis)) for axis in (2, 3)]
        sides = [_counted(g, g.size(y, axis), s, image == "x") for axis, s in zip((2, 3), steps, strict=True)]
        shape = g.vector(g.size(y, 2), g.size(y, 3))
        grids = [g.op("Expand", g.op("Unsqueeze", v, g.ints(1 - i)), shape) for i, v in enumerate(sides)]
        both = g.op("Concat", *(g.op("Reshape", v, g.ints(-1, 1)) for v in grids[::-1]), axis=1)
        if anchors:
            both = g.op("Reshape", both, g.ints(-1, 1, 2))
        corners.append(g.op("Cast", both, to=TensorProto.FLOAT))
        if anchors:
            around = g.op("Add", corners.pop(), g.floats(1, anchors, 2))
            corners.append(g.op("ReduceMax", around, axes=[1], keepdims=0))
        found.append(g.op("Transpose", g.op("Reshape", y, g.vector(g.size(y, 0), 2, -1)), perm=[0, 2, 1]))
    g.nodes.append(helper.make_node("Add", [g.op("Concat", *found, axis=1), g.op("Concat", *corners, axis=0)], ["y"]))
    inputs = [value("x", ["b", 3, "h", "w"]), *([value("scale", [1])] if image != "x" else [])]
    return model(g.nodes, inputs, [value("y")], g.weights)


def test_corners_in_pixels_are_counted_in_32_bits(tmp_path: Path) -> None:
    """They lie in the image: each shape is read once, and there is one cast, to floats."""
    ops = check(_strides(), CASES, tmp_path, allowed=6)
    assert ops["CAST"] == 1 and ops["SHAPE"] == 3, ops
    assert not ops["BROADCAST_TO"], ops


def test_levels_of_an_image_whose_size_data_decide(tmp_path: Path) -> None:
    """The sizes of all levels are computed together of those of the image, and anchors of rows and columns."""
    scaled = [case | {"scale": np.float32([n])} for case, n in zip(CASES, (1.5, 0.8), strict=True)]
    ops = check(_strides(3, "resized", 4), scaled, tmp_path, allowed=4)
    assert ops["SPLIT_V"] == 1 and ops["FLOOR_DIV"] == 2 and not ops["BROADCAST_TO"], ops
    assert ops["SELECT_V2"] == 1 and ops["STRIDED_SLICE"] == 2, ops


def test_sizes_that_are_computed_of_floats_are_packed(tmp_path: Path) -> None:
    """The runtime does not know them before it runs: a CONCATENATION of RESHAPEs would not be either."""
    g = Graph()
    h, w = (g.op("Cast", g.size("x", axis), to=TensorProto.FLOAT) for axis in (2, 3))
    found = (g.op("Floor", g.op("Div", h, g.number(1.7))), g.op("Ceil", g.op("Sqrt", w)))
    sizes = g.vector(g.size("x", 0), g.size("x", 1), *(g.op("Cast", v, to=TensorProto.INT64) for v in found))
    g.nodes.append(helper.make_node("Resize", ["x", "", "", sizes], ["y"], mode="linear"))
    ops = check(model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights), CASES, tmp_path, allowed=8)
    assert ops["PACK"] == 1 and not ops["RESHAPE"] and not ops["CONCATENATION"], ops


def test_sizes_that_are_computed_of_floats_are_cast_once(tmp_path: Path) -> None:
    """To the 32 bits that the kernel reads, not to 64 before."""
    g = Graph()
    sides = g.op("Mul", g.op("Sqrt", g.op("Cast", g.op("Shape", "x", start=2), to=TensorProto.FLOAT)), g.number(2.2))
    sizes = g.op("Concat", g.op("Shape", "x", end=2), g.op("Cast", sides, to=TensorProto.INT64), axis=0)
    g.nodes.append(helper.make_node("Resize", ["x", "", "", sizes], ["y"], mode="linear"))
    ops = check(model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y")], g.weights), CASES, tmp_path, allowed=8)
    assert ops["CAST"] == 2, ops
