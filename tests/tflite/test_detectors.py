"""Parts of detectors whose image is brought to a size that floats tell: unknown sizes are read once, and places of what
is found are counted in 32 bits.
"""

from __future__ import annotations

from pathlib import Path

from onnx import TensorProto

from tests.support.open_networks import Graph, check
from tests.tflite.test_small_networks import conv, network, normal

FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64
SIDES = ((21, 37), (32, 16), (9, 11))


def _resized(g: Graph) -> str:
    """The shorter side is 16 pixels, as torchvision's transform computes it."""
    sides = [g.op("Cast", g.size("x", axis), to=FLOAT) for axis in (2, 3)]
    scale = g.op("Div", g.number(16.0), g.op("Min", *sides))
    told = [g.op("Cast", g.op("Floor", g.op("Mul", side, scale)), to=INT) for side in sides]
    options = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    return g.op("Resize", "x", "", "", g.vector(1, 3, *told), **options)


def test_a_computed_size_is_filled_up_to_a_multiple(tmp_path: Path) -> None:
    g = Graph()
    image = _resized(g)
    missing = []
    for axis in (2, 3):
        size, eight = g.size(image, axis), g.ints(8, scalar=True)
        whole = g.op("Mul", g.op("Div", g.op("Add", size, g.ints(7, scalar=True)), eight), eight)
        missing.append(g.op("Sub", whole, size))
    padded = g.op("Pad", image, g.vector(0, 0, 0, 0, 0, 0, *missing))
    proto = network(g, conv(g, padded, 3, 4, 2), {"x": ([1, 3, "h", "w"], FLOAT)})
    ops = check(proto, [{"x": normal(1, 3, *s)} for s in SIDES], tmp_path, 8)
    assert ops["FLOOR_DIV"] + ops["FLOOR_MOD"] == 1 and ops["STRIDED_SLICE"] <= 2 and ops.total() <= 29


def test_rows_of_what_is_found(tmp_path: Path) -> None:
    """Places in a flattened map, divided by the number of classes rounded down, as torch's exporter writes it."""
    g = Graph()
    x = _resized(g)
    scores = g.op("Reshape", conv(g, x, 3, 4), g.ints(-1))
    places = g.op("Transpose", g.op("NonZero", g.op("Greater", scores, g.number(0.0))), perm=[1, 0])
    places = g.op("Squeeze", places, g.ints(1))
    most = g.op("ReduceMin", g.vector(g.size(places, 0), 5), keepdims=0)
    g.op("TopK", g.op("Gather", scores, places, axis=0), g.op("Unsqueeze", most, g.ints(0)))
    g.nodes[-1].output.append("best")
    found = g.op("Gather", places, "best", axis=0)
    zero, classes = g.ints(0, scalar=True), g.ints(4, scalar=True)
    quotient, rest = g.op("Div", found, classes), g.op("Mod", found, classes)
    unlike = g.op("Xor", g.op("Less", found, zero), g.op("Less", classes, zero))
    inexact = g.op("And", unlike, g.op("Not", g.op("Equal", rest, zero)))
    rows = g.op("Where", inexact, g.op("Sub", quotient, g.ints(1, scalar=True)), quotient)
    taken = g.op("Gather", g.op("Reshape", conv(g, x, 3, 16), g.ints(-1, 4)), rows, axis=0)
    proto = network(g, taken, {"x": ([1, 3, "h", "w"], FLOAT)})
    ops = check(proto, [{"x": normal(1, 3, *s)} for s in SIDES], tmp_path, 4)
    assert not ops["ROUND"] and not ops["SELECT_V2"] and not ops["LESS"] and not ops["LOGICAL_AND"]
    assert not ops["REDUCE_MIN"] and ops["CAST"] <= 6
