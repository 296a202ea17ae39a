"""Scores of keys by distance, which are picked along rows and turned (DeBERTa)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.support.onnx_models import model, save, value
from tests.support.open_networks import Graph, check, converted, ops_of

HEADS, ROWS = 2, 9
RNG = np.random.default_rng(5)


def _scores(low: int, high: int, turns: bool = True) -> onnx.ModelProto:
    """x times its own scores by distance: row j has one for each of some distances, of which column i takes one."""
    g = Graph()
    b, n = g.size("x", 0), g.size("x", 1)
    at = g.positions(n)
    apart = g.op("Sub", g.op("Unsqueeze", at, g.ints(1)), g.op("Unsqueeze", at, g.ints(0)))
    held = g.op("Max", g.op("Min", apart, g.ints(high, scalar=True)), g.ints(low, scalar=True))
    root = g.op("Sqrt", g.op("Mul", g.op("Cast", g.op("Abs", held), to=1), g.number(2.0)))
    near = g.op("Cast", g.op("Floor", root), to=onnx.TensorProto.INT64)
    places = g.op("Where", g.op("Greater", apart, g.ints(0, scalar=True)), near, g.op("Add", near, g.ints(3)))
    heads = g.op("Transpose", g.op("Reshape", "x", g.vector(b, n, HEADS, 4)), perm=[0, 2, 1, 3])
    rows = g.op("MatMul", heads, g.floats(HEADS, 4, ROWS))
    found = g.op("GatherElements", rows, g.op("Expand", places, g.vector(b, HEADS, n, n)), axis=3)
    weights = g.op("Softmax", g.op("Transpose", found, perm=[0, 1, 3, 2]) if turns else found, axis=-1)
    mixed = g.op("Transpose", g.op("MatMul", weights, heads), perm=[0, 2, 1, 3])
    y = g.op("Reshape", mixed, g.vector(b, n, HEADS * 4))
    return model(g.nodes, [value("x", ["b", "n", HEADS * 4])], [value(y)], g.weights)


def _cases(*sizes: tuple[int, int]) -> list[dict[str, np.ndarray]]:
    return [{"x": RNG.standard_normal((b, n, HEADS * 4)).astype(np.float32)} for b, n in sizes]


@pytest.mark.parametrize(("low", "high"), [(-5, 5), (-3, 6), (-7, 1)])
def test_places_are_turned(low: int, high: int, tmp_path: Path) -> None:
    """Nothing but heads is transposed, with a length that a run tells, and with one that is known."""
    ops = check(_scores(low, high), _cases((2, 6), (1, 17), (3, 1)), tmp_path, 4)
    assert ops["TRANSPOSE"] == ops_of(tmp_path / "pinned.tflite")["TRANSPOSE"] == 2
    assert not ops["BROADCAST_TO"]


def test_places_outside_of_a_row_are_picked_where_they_are(tmp_path: Path) -> None:
    """What lies behind a row is refused, not read of the next one."""
    proto = _scores(-45, 45)
    check(proto, _cases((2, 6), (1, 8)), tmp_path, 4)
    assert ops_of(tmp_path / "open.tflite")["TRANSPOSE"] == 3


def test_what_is_not_turned_stays(tmp_path: Path) -> None:
    assert ops_of(converted(save(tmp_path, _scores(-5, 5, turns=False)), tmp_path))["TRANSPOSE"] == 2
