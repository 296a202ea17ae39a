"""Tables of positions, made for any length, that are looked up at the same positions whatever the length is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.passes.known_places import places_of
from mlconv.runtime.litert import run_tflite
from tests.support.modules import module
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference
from tests.support.open_networks import Graph, check, converted, ops_of

RNG = np.random.default_rng(11)
LAST = 6  # of the positions that are looked up, beside -5


def _network(first: int, places: list[int], offset: int) -> onnx.ModelProto:
    """x times sines of positions: a table from `first * n` to `2 * n`, at `places` behind `offset * n`."""
    g = Graph()
    n = g.size("x", 1)
    table = g.op("Range", *(g.op("Mul", n, g.ints(k, scalar=True)) for k in (first, 2)), g.ints(1, scalar=True))
    angles = g.op("Mul", g.op("Unsqueeze", g.op("Cast", table, to=1), g.ints(1)), g.floats(1, 4, scale=1.0))
    rows = g.op("Concat", g.op("Sin", angles), g.op("Cos", angles), axis=1)
    at = g.op("Add", g.ints(*places), g.op("Mul", n, g.ints(offset, scalar=True)))
    found = g.op("Transpose", g.op("MatMul", g.op("Gather", rows, at, axis=0), g.floats(8, 8)), perm=[1, 0])
    y = g.op("MatMul", "x", found)
    return model(g.nodes, [value("x", ["b", "n", 8])], [value(y, ["b", "n", len(places)])], g.weights)


def _case(n: int) -> dict[str, np.ndarray]:
    return {"x": RNG.standard_normal((2, n, 8)).astype(np.float32)}


def test_rows_at_known_positions_are_constants(tmp_path: Path) -> None:
    """All of the table is left out, and what is computed of its rows, as where the length is pinned."""
    proto = _network(-2, [LAST, *map(int, RNG.integers(-5, LAST, 6)), -5], 2)
    ops = check(proto, [_case(n) for n in (7, 4, 19)], tmp_path, 1.0)
    assert not {"SIN", "RANGE", "GATHER", "SELECT_V2"} & ops.keys()


def test_positions_that_grow_with_the_length_are_looked_up(tmp_path: Path) -> None:
    """Distances from another end than that of the table are other numbers for each length."""
    path = save(tmp_path, proto := _network(-1, [3, 1, 0, 2], 2))
    out = converted(path, tmp_path)
    assert ops_of(out)["SIN"] == 1
    for case in (_case(n) for n in (4, 9)):
        (want,), (got,) = run_reference(proto, case), run_tflite(str(out), case, "serving_default").values()
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("places", [[-7, -1], [-3, 0]])
def test_positions_that_may_count_from_the_end(places: list[int], tmp_path: Path) -> None:
    """Below the front of the table, at small lengths, they are counted from its end."""
    path = save(tmp_path, proto := _network(-2, places, 2))
    out = converted(path, tmp_path)
    for case in (_case(n) for n in (2, 3, 12)):
        (want,), (got,) = run_reference(proto, case), run_tflite(str(out), case, "serving_default").values()
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("count", "known"), [(20, True), (20_000, False)])
def test_only_some_ops_tell_places(count: int, known: bool) -> None:
    """However many sums stand behind one another."""
    made: list[Value] = []

    def make(b: Builder, x: Value) -> Value:
        at = b.emit(core.Constant(value=make_const(np.arange(3)))).y
        one = b.emit(core.Constant(value=make_const(np.asarray([2])))).y
        for _ in range(count):
            at = b.emit(core.Add(at, one)).y
        made.append(at)
        return at

    module(make, [RNG.random(4).astype(np.float32)])
    found = places_of(made[0])
    assert (found is not None) is known
    if found is not None:
        np.testing.assert_array_equal(found.numbers + found.size, np.arange(3) + 2 * count)
