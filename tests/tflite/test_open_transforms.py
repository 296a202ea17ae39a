"""Resampling, Fourier transforms and mirrored ends of open sizes: few ops, and the numbers of ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from tests.support.open_networks import Graph, check
from tests.tflite.test_small_networks import conv, network, normal

FLOAT = TensorProto.FLOAT
IMAGE = {"x": (["b", 3, "h", "w"], FLOAT)}
SIDES = ((21, 37), (9, 40), (16, 5))


@pytest.mark.parametrize("channels", [3, 8], ids=["few channels", "many channels"])
def test_twice_as_large_by_a_cubic_kernel(channels: int, tmp_path: Path) -> None:
    """One convolution with a filter for each of four places, between mirrors of the edge."""
    g = Graph()
    x = g.op("Relu", conv(g, "x", 3, channels))
    options = {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel", "cubic_coeff_a": -0.75}
    g.weights["scales"] = np.asarray([1, 1, 2, 2], np.float32)
    up = g.op("Resize", x, "", "scales", **options)
    proto = network(g, g.op("Relu", conv(g, up, channels, 4)), IMAGE)
    ops = check(proto, [{"x": normal(2, 3, *s)} for s in SIDES], tmp_path, 1.2 if channels == 3 else 1.5)
    assert ops["MIRROR_PAD"] == 2 and ops["CONV_2D"] == 3 and ops["DEPTH_TO_SPACE"] == 1 and not ops["RANGE"]


def test_volumes_are_resized_two_axes_at_a_time(tmp_path: Path) -> None:
    g = Graph()
    down = g.op("MaxPool", "x", kernel_shape=[2, 2, 2], strides=[2, 2, 2])
    sizes = g.op("Concat", g.ints(2, 3), g.op("Slice", g.op("Shape", "x"), g.ints(2), g.ints(5), g.ints(0)), axis=0)
    up = g.op("Resize", down, "", "", sizes, mode="linear", coordinate_transformation_mode="half_pixel")
    proto = network(g, g.op("Add", up, "x"), {"x": ([2, 3, "d", "h", "w"], FLOAT)})
    ops = check(proto, [{"x": normal(2, 3, *s)} for s in ((5, 7, 9), (8, 4, 6), (3, 3, 2))], tmp_path, 2.0)
    assert ops["RESIZE_BILINEAR"] == 2 and not ops["RANGE"] and not ops["BATCH_MATMUL"]


def test_what_is_missing_on_both_sides(tmp_path: Path) -> None:
    """Pads of half of what is missing to a multiple, and the image between them, from one vector of sizes."""
    g = Graph()
    sides = [g.size("x", 2), g.size("x", 3)]
    sixteen, two = g.ints(16, scalar=True), g.ints(2, scalar=True)
    missing = [g.op("Mod", g.op("Neg", s), sixteen) for s in sides]
    before = [g.op("Div", m, two) for m in missing]
    after = [g.op("Sub", m, b) for m, b in zip(missing, before, strict=True)]
    x = conv(g, g.op("Pad", "x", g.vector(0, 0, *before, 0, 0, *after), mode="reflect"), 3, 3)
    for axis, (begin, size) in enumerate(zip(before, sides, strict=True), 2):
        ends = (g.op("Unsqueeze", e, g.ints(0)) for e in (begin, g.op("Add", begin, size)))
        x = g.op("Slice", x, *ends, g.ints(axis))
    proto = network(g, g.op("Add", x, "x"), IMAGE)
    ops = check(proto, [{"x": normal(2, 3, *s)} for s in ((21, 37), (32, 33), (10, 16))], tmp_path, 3.2)
    assert ops["FLOOR_MOD"] == 1 and ops["PACK"] == 0 and ops["CAST"] == 0 and ops.total() <= 18


def test_signals_and_back(tmp_path: Path) -> None:
    """A long filter by way of a spectrum, whose real and imaginary parts are never put together."""
    g = Graph()
    length = g.size("x", 1)
    wide = g.op("Unsqueeze", g.op("Pad", "x", g.vector(0, 0, 0, length)), g.ints(2))
    spectrum = g.op("DFT", wide, axis=1, onesided=1)
    re, im = (g.op("Gather", spectrum, g.ints(i, scalar=True), axis=2) for i in range(2))
    turned = g.op("Sub", g.op("Mul", re, re), g.op("Mul", im, im)), g.op("Mul", re, im)
    again = g.op("Concat", *(g.op("Unsqueeze", t, g.ints(2)) for t in turned), axis=2)
    y = g.op("Slice", g.op("DFT", again, axis=1), g.ints(0), g.ints(4), g.ints(1))
    proto = network(g, y, {"x": (["b", "t"], FLOAT)})
    ops = check(proto, [{"x": normal(2, t)} for t in (9, 16, 5)], tmp_path, 6)
    assert not ops["REAL"] and not ops["IMAG"] and not ops["BITCAST"] and not ops["SELECT_V2"]


def test_positions_that_are_floats_take_one_op(tmp_path: Path) -> None:
    g = Graph()
    limit = g.op("Cast", g.size("x", 1), to=FLOAT)
    places = g.op("Range", g.number(0.0), limit, g.number(1.0))
    proto = network(g, g.op("Mul", "x", places), {"x": ([2, "t"], FLOAT)})
    ops = check(proto, [{"x": normal(2, t)} for t in (9, 4)], tmp_path, 9)
    assert ops["RANGE"] == 1 and not ops["MAXIMUM"] and not ops["SELECT_V2"]


@pytest.mark.parametrize("batch", [1, "b"])
def test_the_last_step_takes_one_op(batch: int | str, tmp_path: Path) -> None:
    g = Graph()
    y = g.op("Gather", g.op("Mul", "x", "x"), g.ints(-1, scalar=True), axis=1)
    proto = network(g, y, {"x": ([batch, "t", 3], FLOAT)})
    ops = check(proto, [{"x": normal(1, t, 3)} for t in (9, 1)], tmp_path, 1)
    assert ops["STRIDED_SLICE"] == 1 and not ops["SHAPE"]


def test_windows_that_fit_tell_how_many_there_are(tmp_path: Path) -> None:
    """A model computes how many windows a signal has, rounded towards zero: a division of what windows leave."""
    g = Graph()
    w = g.floats(4, 2, 4)
    windows = g.op("Transpose", g.op("Conv", "x", w, strides=[2]), perm=[0, 2, 1])
    left = g.op("Sub", g.size("x", 2), g.ints(4, scalar=True))
    count = g.op("Add", g.op("Div", left, g.ints(2, scalar=True)), g.ints(1, scalar=True))
    y = g.op("Transpose", g.op("Reshape", windows, g.vector(g.size("x", 0), count, -1, 2)), perm=[0, 2, 1, 3])
    proto = network(g, y, {"x": (["b", 2, "t"], FLOAT)})
    ops = check(proto, [{"x": normal(b, 2, t)} for b, t in ((2, 9), (1, 4), (3, 16))], tmp_path, 1.8)
    assert not ops["FLOOR_DIV"] and not ops["MAXIMUM"] and ops["GATHER"] <= 1


def test_one_row_is_repeated_to_a_shape_in_view(tmp_path: Path) -> None:
    g = Graph()
    y = g.op("MatMul", "x", g.floats(4, 8))
    best = g.op("ReduceMax", y, axes=[1], keepdims=1)
    tiled = g.op("Tile", best, g.vector(1, g.size("x", 1), 1))
    proto = network(g, g.op("Concat", y, tiled, axis=2), {"x": (["b", "t", 4], FLOAT)})
    ops = check(proto, [{"x": normal(b, t, 4)} for b, t in ((2, 9), (1, 4))], tmp_path, 1.4)
    assert ops["SHAPE"] == 1 and not ops["GATHER"] and not ops["TILE"]


def test_windows_of_an_adaptive_pool(tmp_path: Path) -> None:
    """Their bounds are computed by way of floats, and a grid of their places is picked at once: torch's exporter."""
    g = Graph()
    grid: list[str] = []
    for axis, places in ((0, [2, -1, 1, 1]), (1, [2, -1])):
        size = g.size("x", axis)
        bound = g.op("Div", g.op("Cast", g.op("Mul", size, g.ints(0, 1)), to=FLOAT), g.number(2))
        whole = g.op("Mul", g.op("Sign", bound), g.op("Floor", g.op("Abs", bound)))
        first = g.op("Unsqueeze", g.op("Cast", whole, to=TensorProto.INT64), g.ints(1))
        inside = g.positions(g.op("Div", size, g.ints(2, scalar=True)))
        grid.append(g.op("Reshape", g.op("Add", first, inside), g.ints(*places)))
    shape = g.op("Shape", g.op("Add", *grid))
    numbers = [g.op("Unsqueeze", g.op("Expand", places, shape), g.ints(-1)) for places in grid]
    picked = g.op("GatherND", "x", g.op("Concat", *numbers, axis=-1))
    proto = network(g, g.op("ReduceMean", picked, axes=[1, 3], keepdims=0), {"x": (["h", "w", 3], FLOAT)})
    ops = check(proto, [{"x": normal(h, w, 3)} for h, w in ((6, 4), (2, 9), (5, 7))], tmp_path, 8)
    assert not ops["GATHER_ND"] and not ops["BROADCAST_TO"] and not ops["CAST"] and not ops["SELECT_V2"]


def test_what_quotients_leave_is_a_remainder(tmp_path: Path) -> None:
    """Frames that a strided convolution lacks at the end, as EnCodec computes them."""
    g = Graph()
    left = g.op("Sub", g.size("x", 1), g.ints(1, scalar=True))
    frames, windows = (g.op("Div", left, g.ints(n, scalar=True)) for n in (2, 8))
    whole = g.op("Add", g.op("Mul", windows, g.ints(4, scalar=True)), g.ints(3, scalar=True))
    pads = g.vector(0, 0, 0, 0, g.op("Sub", whole, frames), 0)
    proto = network(g, g.op("Pad", "x", pads), {"x": (["b", "t", 3], FLOAT)})
    ops = check(proto, [{"x": normal(b, t, 3)} for b, t in ((2, 9), (1, 1), (3, 16), (1, 13))], tmp_path, 8)
    assert ops["FLOOR_DIV"] == ops["FLOOR_MOD"] == ops["PAD"] == 1 and ops.total() <= 8


def test_states_of_layers_are_one_vector(tmp_path: Path) -> None:
    g = Graph()
    y = g.op("Conv", "x", g.floats(16, 4, 3), pads=[1, 1], strides=[2])
    y = g.op("Transpose", y, perm=[2, 0, 1])
    for _ in range(2):
        y = g.op("Squeeze", g.op("LSTM", y, g.floats(1, 64, 16), g.floats(1, 64, 16), hidden_size=16), g.ints(1))
    proto = network(g, g.op("Transpose", y, perm=[1, 2, 0]), {"x": (["b", 4, "t"], FLOAT)})
    ops = check(proto, [{"x": normal(b, 4, t)} for b, t in ((2, 9), (1, 1), (3, 5))], tmp_path, 1.4)
    assert ops["FILL"] == 2
