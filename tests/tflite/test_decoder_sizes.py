"""Decoders with a cache, as `torch.export` writes them: sizes that are several symbols, heads of keys that queries
share, positions that go on behind the cache.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.support.onnx_models import model, value
from tests.support.open_networks import Arrays, Graph, check

HEADS, SHARED, DEPTH = 4, 2, 8
WIDTH = HEADS * DEPTH
CACHES = ("keys_0", "values_0", "keys_1", "values_1")


def all_positions(g: Graph) -> tuple[str, str, str]:
    """Those of the new rows, those of all rows, and how many the latter are."""
    new, past = g.size("ids", 1), g.size("keys_0", 2)
    total = g.op("Add", past, new)
    return g.op("Add", g.positions(new), past), g.positions(total), total


def angles(g: Graph, places: str) -> tuple[str, str]:
    """Cosines and sines [1, 1, s, depth] of positions."""
    g.weights["rates"] = (0.1 ** np.arange(DEPTH // 2)).astype(np.float32)
    column = g.op("Cast", g.op("Unsqueeze", places, g.ints(0, 2)), to=TensorProto.FLOAT)
    half = g.op("Mul", column, "rates")
    both = g.op("Concat", half, half, axis=-1)
    return g.op("Unsqueeze", g.op("Cos", both), g.ints(1)), g.op("Unsqueeze", g.op("Sin", both), g.ints(1))


def turned(g: Graph, x: str, cosine: str, sine: str) -> str:
    """Rotary embedding of x [b, h, s, depth]."""
    front, back = (g.op("Slice", x, g.ints(a), g.ints(b), g.ints(3)) for a, b in ((0, DEPTH // 2), (DEPTH // 2, DEPTH)))
    other = g.op("Concat", g.op("Neg", back), front, axis=-1)
    return g.op("Add", g.op("Mul", x, cosine), g.op("Mul", other, sine))


def visible(g: Graph, new: str, every: str, total: str) -> str:
    """An additive mask [b, 1, s, t] of what lies behind, and of the front of a mask that may be longer."""
    seen = g.op("Cast", "mask", to=TensorProto.BOOL)
    rows, columns = (
        g.op("Unsqueeze", g.positions(g.size("ids", 0)), g.ints(1, 2, 3)),
        g.op("Unsqueeze", every, g.ints(0)),
    )
    shape = g.vector(g.size("ids", 0), 1, 1, total)
    parts = [g.op("Unsqueeze", g.op("Expand", p, shape), g.ints(-1)) for p in (rows, columns)]
    kept = g.op("GatherND", seen, g.op("Concat", *parts, axis=-1))
    causal = g.op("LessOrEqual", columns, g.op("Unsqueeze", new, g.ints(0, 1, 3)))
    return g.op("Where", g.op("And", causal, kept), g.number(0.0), g.number(-30.0))


def heads(g: Graph, x: str, count: int) -> str:
    shape = g.vector(g.size("ids", 0), g.size("ids", 1), -1, DEPTH)
    y = g.op("Reshape", g.op("MatMul", x, g.floats(WIDTH, count * DEPTH)), shape)
    return g.op("Transpose", y, perm=[0, 2, 1, 3])


def shared(g: Graph, x: str) -> str:
    """Each head as often as queries share it."""
    batch, length = g.size(x, 0), g.size(x, 2)
    y = g.op("Expand", g.op("Unsqueeze", x, g.ints(2)), g.vector(batch, SHARED, HEADS // SHARED, length, DEPTH))
    return g.op("Reshape", y, g.vector(batch, HEADS, length, DEPTH))


def decoder(layers: int) -> onnx.ModelProto:
    """Each cache has a symbol of its own for how long it is; the mask has one for its batch."""
    g = Graph()
    x = g.op("Gather", g.floats(50, WIDTH), "ids", axis=0)
    new, every, total = all_positions(g)
    cosine, sine = angles(g, new)
    mask = visible(g, new, every, total)
    for i in range(layers):
        q, k, v = (heads(g, x, n) for n in (HEADS, SHARED, SHARED))
        k = g.op("Concat", f"keys_{i}", turned(g, k, cosine, sine), axis=2)
        v = g.op("Concat", f"values_{i}", v, axis=2)
        keys = g.op("Transpose", shared(g, k), perm=[0, 1, 3, 2])
        scores = g.op("Softmax", g.op("Add", g.op("MatMul", turned(g, q, cosine, sine), keys), mask), axis=-1)
        y = g.op("Transpose", g.op("MatMul", scores, shared(g, v)), perm=[0, 2, 1, 3])
        y = g.op("Reshape", y, g.vector(g.size("ids", 0), g.size("ids", 1), WIDTH))
        x = g.op("Add", x, g.op("MatMul", y, g.floats(WIDTH, WIDTH)))
        x = g.op("Add", x, g.op("Relu", g.op("MatMul", x, g.floats(WIDTH, WIDTH))))
    g.nodes.append(helper.make_node("Identity", [x], ["y"]))
    inputs = [value("ids", ["b", "s"], TensorProto.INT64), value("mask", ["mb", "mt"], TensorProto.INT64)]
    inputs += [value(name, ["b", SHARED, f"t_{name}", DEPTH]) for name in CACHES[: 2 * layers]]
    return model(g.nodes, inputs, [value("y")], g.weights)


def step(batch: int, past: int, new: int, longer: int, layers: int) -> Arrays:
    """Inputs.  longer: of how many more rows the mask tells."""
    rng = np.random.default_rng(past + 10 * new)
    total = past + new + longer
    mask = (np.arange(total) >= rng.integers(0, 2, (batch, 1))).astype(np.int64)
    caches = {
        name: rng.standard_normal((batch, SHARED, past, DEPTH)).astype(np.float32) for name in CACHES[: 2 * layers]
    }
    return {"ids": rng.integers(0, 50, (batch, new)), "mask": mask, **caches}


@pytest.mark.long
@pytest.mark.parametrize("layers", [1, 2])
def test_decoder(layers: int, tmp_path: Path) -> None:
    cases = [step(2, 5, 3, 0, layers), step(1, 17, 1, 4, layers), step(3, 2, 9, 0, layers), step(2, 0, 6, 1, layers)]
    ops = check(decoder(layers), cases, tmp_path, allowed=1.45 if layers == 1 else 1.25)
    assert ops["SHAPE"] == 2 and ops["PACK"] == 1  # all caches are as long
    assert not ops["BROADCAST_TO"] and not ops["SLICE"] and not ops["EXPAND_DIMS"] and not ops["GATHER_ND"]
    assert ops["RANGE"] == 2 and ops["GATHER"] <= 6 + 2 * layers
