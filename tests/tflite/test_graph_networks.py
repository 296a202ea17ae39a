"""Graph networks, whose nodes and edges are of any number, as TFLite files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto

from tests.support.onnx_models import model, value
from tests.support.open_networks import Arrays, Graph, check

SIZES = ((5, 11), (9, 4), (3, 20))


def _cases() -> list[Arrays]:
    """Nodes, and edges that name them from the front and from the end, some twice."""
    rng = np.random.default_rng(11)
    return [
        {"x": rng.standard_normal((n, 4)).astype(np.float32), "edges": rng.integers(-n, n, (2, m))} for n, m in SIZES
    ]


def _mean_of_neighbours(reduction: str) -> onnx.ModelProto:
    g = Graph()
    source, target = (g.op("Gather", "edges", g.ints(i, scalar=True), axis=0) for i in (0, 1))
    n = g.vector(g.size("x", 0))
    ones = g.op("ConstantOfShape", g.op("Shape", target), value=onnx.numpy_helper.from_array(np.ones(1, np.float32)))
    zeros = g.op("ConstantOfShape", n)
    degree = g.op("Max", g.op("ScatterElements", zeros, target, ones, axis=0, reduction=reduction), g.number(1.0))
    sent = g.op("Div", g.op("Gather", "x", source), g.op("Unsqueeze", g.op("Gather", degree, target), g.ints(1)))
    places = g.op("Unsqueeze", target, g.ints(1))
    none = g.op("ConstantOfShape", g.op("Shape", "x"))
    everywhere = g.op("Expand", places, g.op("Shape", sent))
    summed = g.op("ScatterElements", none, everywhere, sent, axis=0, reduction=reduction)
    g.op("Add", summed, "x")
    g.nodes[-1].output[0] = "y"
    inputs = [value("x", ["n", 4]), value("edges", [2, "m"], TensorProto.INT64)]
    return model(g.nodes, inputs, [value("y", ["n", 4])], g.weights, opset=18)


def test_places_are_counted_from_the_front_once(tmp_path: Path) -> None:
    """Sources and targets each, whatever picks and adds up at them; they are cast before they are tuples."""
    ops = check(_mean_of_neighbours("add"), _cases(), tmp_path, allowed=1.5)
    assert ops["LESS"] == ops["SELECT_V2"] == 2 and ops["CAST"] == 1 and ops["SCATTER_ND"] == 2, ops
    assert ops["RESHAPE"] == 2, ops


def test_places_of_the_largest_are_no_tuples(tmp_path: Path) -> None:
    """Segments are numbered by what was cast, without an axis of size 1 in between."""
    ops = check(_mean_of_neighbours("max"), _cases(), tmp_path, allowed=1.5)
    assert ops["LESS"] == ops["SELECT_V2"] == 2 and ops["RESHAPE"] == 1, ops
