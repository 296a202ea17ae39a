"""Images of any size that a model brings to a size of its own, as torchvision's detectors do: the shorter side to one
number, the longer one to another at most, then to a multiple.  Native code knows how large they are at most.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto

from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.onnx_models import model, value
from tests.support.open_networks import Graph

SHORT, LONG, MULTIPLE = 24.0, 40.0, 16.0


def transformed(g: Graph) -> str:
    """x as torchvision's transform writes it: sizes by floats."""
    sides = g.op("Slice", g.op("Shape", "x"), g.ints(2), g.ints(4), g.ints(0))
    least, most = (
        g.op("Cast", g.op(kind, sides, keepdims=0), to=TensorProto.FLOAT) for kind in ("ReduceMin", "ReduceMax")
    )
    factors = [g.op("Mul", g.op("Reciprocal", v), g.number(to)) for v, to in ((least, SHORT), (most, LONG))]
    factor = g.op("Min", *factors)
    scaled, missing = [], []
    for axis in (2, 3):
        side = g.op("Floor", g.op("Mul", g.op("Cast", g.size("x", axis), to=TensorProto.FLOAT), factor))
        scaled.append(g.op("Cast", g.op("Unsqueeze", side, g.ints(0)), to=TensorProto.INT64))
    front = g.op("Slice", g.op("Shape", "x"), g.ints(0), g.ints(2), g.ints(0))
    x = g.op("Resize", "x", "", "", g.op("Concat", front, *scaled, axis=0), mode="linear")
    for axis in (2, 3):
        side = g.size(x, axis)
        whole = g.op(
            "Mul",
            g.op("Ceil", g.op("Div", g.op("Cast", side, to=TensorProto.FLOAT), g.number(MULTIPLE))),
            g.number(MULTIPLE),
        )
        missing.append(g.op("Sub", g.op("Cast", whole, to=TensorProto.INT64), side))
    return g.op("Pad", x, g.vector(0, 0, 0, 0, 0, 0, *missing))


def test_images_of_any_size(tmp_path: Path) -> None:
    g = Graph()
    x = transformed(g)
    for inner in (3, 4):
        x = g.op("Relu", g.op("Conv", x, g.floats(4, inner, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2]))
    g.weights["twice"] = np.asarray([1, 1, 2, 2], np.float32)
    x = g.op("Resize", x, "", "twice", mode="nearest")
    g.nodes.append(onnx.helper.make_node("Identity", [x], ["y"]))
    proto = model(g.nodes, [value("x", ["b", 3, "h", "w"])], [value("y", None)], g.weights, 17)
    feeds = [{"x": numbers(*s)} for s in ((1, 3, 20, 30), (2, 3, 64, 17), (1, 3, 100, 100), (1, 3, 7, 90))]
    agree_at_all_sizes(proto, feeds, tmp_path, 1e-4)
    interface = json.loads((tmp_path / "m.io.json").read_text())
    assert "count" in json.dumps(interface["outputs"])
