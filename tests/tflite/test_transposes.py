"""How often what is written moves axes: groups of channels, channel shuffles and heads of detectors as exporters write
them, for images with channels first, at fixed and at open sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support.onnx_models import model, value
from tests.support.open_networks import Graph, check

CHANNELS, GROUPS = 12, 3


def convolution(g: Graph, x: str, channels: int = CHANNELS, out: int = CHANNELS, **attributes: object) -> str:
    return g.op("Conv", x, g.floats(out, channels, 3, 3), g.floats(out), pads=[1, 1, 1, 1], **attributes)


def group_norm(g: Graph, x: str) -> str:
    """As torch's exporter writes it: instances of groups."""
    g.weights["ones"], g.weights["zeros"] = np.ones(GROUPS, np.float32), np.zeros(GROUPS, np.float32)
    y = g.op("Reshape", x, g.ints(0, GROUPS, -1))
    y = g.op("InstanceNormalization", y, "ones", "zeros")
    y = g.op("Reshape", y, g.op("Shape", x))
    return g.op("Add", g.op("Mul", y, g.floats(CHANNELS, 1, 1)), g.floats(CHANNELS, 1, 1))


def normalized(g: Graph) -> str:
    y = g.op("Relu", group_norm(g, convolution(g, "x")))
    return convolution(g, g.op("Relu", group_norm(g, convolution(g, y))))


def normalized_rows(g: Graph) -> str:
    """Of as many rows as data decide."""
    large = g.op("Greater", g.op("ReduceMax", "x", axes=[0, 1, 3], keepdims=0), g.number(1.0))
    y = g.op("Relu", group_norm(g, convolution(g, g.op("Compress", "x", large, axis=2))))
    return convolution(g, g.op("Relu", group_norm(g, convolution(g, y))))


def shuffled(g: Graph) -> str:
    """Two units with a channel shuffle each."""
    y = convolution(g, "x")
    for _ in range(2):
        batch, height, width = (g.size(y, axis) for axis in (0, 2, 3))
        y = g.op("Reshape", y, g.vector(batch, GROUPS, CHANNELS // GROUPS, height, width))
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3, 4]), g.vector(batch, CHANNELS, height, width))
        y = g.op("Relu", convolution(g, y, CHANNELS // GROUPS, group=GROUPS))
    return y


def heads(g: Graph) -> str:
    """Anchors of two levels, one row for each."""
    rows = []
    for level in range(2):
        y = convolution(g, g.op("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2]) if level else "x", out=8)
        batch, height, width = (g.size(y, axis) for axis in (0, 2, 3))
        y = g.op("Reshape", y, g.vector(batch, -1, 4, height, width))
        rows.append(g.op("Reshape", g.op("Transpose", y, perm=[0, 3, 4, 1, 2]), g.vector(batch, -1, 4)))
    return g.op("Concat", *rows, axis=1)


def upscaled(g: Graph) -> str:
    """As torch writes `pixel_shuffle`: channels of the convolution in front are ordered by its filters."""
    return g.op("DepthToSpace", convolution(g, "x"), blocksize=2, mode="CRD")


def upscaled_activations(g: Graph) -> str:
    y = g.op("LeakyRelu", g.op("Mul", convolution(g, "x"), g.floats(1)), alpha=0.2)
    return g.op("DepthToSpace", y, blocksize=2, mode="CRD")


def tokens(g: Graph) -> str:
    """A mixer: a product over places, one over channels."""
    x = g.op("Reshape", "x", g.ints(0, CHANNELS, 48))
    y = g.op("Add", g.op("MatMul", g.op("Transpose", x, perm=[0, 2, 1]), g.floats(CHANNELS, 20)), g.floats(20))
    y = g.op("MatMul", g.op("Relu", y), g.floats(20, CHANNELS))
    y = g.op("Transpose", g.op("Add", y, g.floats(CHANNELS)), perm=[0, 2, 1])
    return g.op("MatMul", g.op("Add", x, y), g.floats(48, 7))


def talking_heads(g: Graph) -> str:
    """Heads are mixed before softmax, by a product, and behind it, by a convolution."""
    keys = g.op("Transpose", "x", perm=[0, 1, 3, 2])
    y = g.op("Transpose", g.op("MatMul", "x", keys), perm=[0, 2, 3, 1])
    y = g.op("Add", g.op("MatMul", y, g.floats(CHANNELS, CHANNELS)), g.floats(CHANNELS))
    y = g.op("Softmax", g.op("Transpose", y, perm=[0, 3, 1, 2]), axis=-1)
    y = g.op("Conv", y, g.floats(CHANNELS, CHANNELS, 1, 1), g.floats(CHANNELS))
    return g.op("MatMul", y, "x")


def pooled_by_attention(g: Graph) -> str:
    """Pixels are weighed by their softmax (global context)."""
    y = convolution(g, "x")
    batch = g.size(y, 0)
    weights = g.op("Conv", y, g.floats(1, CHANNELS, 1, 1), g.floats(1))
    weights = g.op("Softmax", g.op("Reshape", weights, g.vector(batch, 1, -1)), axis=2)
    pixels = g.op("Reshape", y, g.vector(batch, 1, CHANNELS, -1))
    context = g.op("MatMul", pixels, g.op("Unsqueeze", weights, g.ints(3)))
    return convolution(g, g.op("Add", y, g.op("Reshape", context, g.vector(batch, CHANNELS, 1, 1))))


def selected(g: Graph) -> str:
    """Two branches with shares of their sum, as SKNet has them by channels and ResNeSt by a transpose."""
    branches = [convolution(g, "x"), convolution(g, "x")]
    pooled = g.op("GlobalAveragePool", g.op("Add", *branches))
    batch = g.size(pooled, 0)
    shares = g.op("Conv", pooled, g.floats(2 * CHANNELS, CHANNELS, 1, 1), g.floats(2 * CHANNELS))
    shares = g.op("Softmax", g.op("Reshape", shares, g.vector(batch, 2, CHANNELS, 1, 1)), axis=1)
    stacked = g.op("Concat", *(g.op("Unsqueeze", y, g.ints(1)) for y in branches), axis=1)
    y = g.op("ReduceSum", g.op("Mul", stacked, shares), g.ints(1), keepdims=0)
    shares = g.op("Conv", g.op("GlobalAveragePool", y), g.floats(2 * CHANNELS, CHANNELS, 1, 1))
    shares = g.op("Transpose", g.op("Reshape", shares, g.vector(batch, 1, 2, CHANNELS)), perm=[0, 2, 1, 3])
    shares = g.op("Reshape", g.op("Softmax", shares, axis=1), g.vector(batch, 2 * CHANNELS, 1, 1))
    return convolution(g, g.op("Mul", g.op("Concat", y, y, axis=1), shares), 2 * CHANNELS)


def steps_first(g: Graph) -> str:
    """Rows looked up and multiplied with steps in front, as XLNet has them: they may come in any order."""
    places = g.op("Cast", g.op("Abs", g.op("ReduceMean", "x", axes=[1], keepdims=0)), to=TensorProto.INT64)
    places = g.op("Transpose", g.op("Reshape", places, g.ints(0, -1)), perm=[1, 0])
    heads = g.op("Einsum", g.op("Gather", g.floats(4, 6), places), g.floats(6, 2, 3), equation="ibh,hnd->ibnd")
    return g.op("Transpose", g.op("Tanh", heads), perm=[1, 0, 2, 3])


def experts(g: Graph) -> str:
    """Matrices that are looked up for each row, several a row: the row is multiplied with each where it lies."""
    scores = g.op("Mul", g.op("Abs", g.op("ReduceMean", "x", axes=[1, 3], keepdims=0)), g.number(8.0))
    weights = g.op("Gather", g.floats(4, CHANNELS, 5), g.op("Cast", scores, to=TensorProto.INT64))
    return g.op("Einsum", g.op("ReduceMean", "x", axes=[2, 3], keepdims=0), weights, equation="bi,bkij->bkj")


NETWORKS: list[tuple[Callable[[Graph], str], int]] = [
    (normalized, 2),
    (normalized_rows, 2),
    (shuffled, 4),
    (heads, 1),
    (upscaled, 2),
    (upscaled_activations, 2),
    (tokens, 0),
    (talking_heads, 0),
    (pooled_by_attention, 2),
    (selected, 2),
    (steps_first, 0),
    (experts, 0),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("network", "transposes"), NETWORKS, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize("sizes", ["fixed", "batch", "open"])
def test_transposes(network: Callable[[Graph], str], transposes: int, sizes: str, tmp_path: Path) -> None:
    """One for an image that comes or goes with channels first, and one for each shuffle."""
    g = Graph()
    g.nodes.append(helper.make_node("Identity", [network(g)], ["y"]))
    shape = {"fixed": [2, CHANNELS, 6, 8], "batch": ["b", CHANNELS, 6, 8], "open": ["b", CHANNELS, "h", "w"]}[sizes]
    proto = model(g.nodes, [value("x", shape)], [value("y")], g.weights)
    rng = np.random.default_rng(3)
    drawn = {"fixed": [(2, CHANNELS, 6, 8)], "batch": [(2, CHANNELS, 6, 8), (3, CHANNELS, 6, 8)]}
    cases = drawn.get(sizes, [(2, CHANNELS, 6, 8), (1, CHANNELS, 10, 4)])
    ops = check(proto, [{"x": rng.standard_normal(s).astype(np.float32)} for s in cases], tmp_path, allowed=3)
    assert ops["TRANSPOSE"] <= transposes


def test_channels_that_are_weighed_stay_last(tmp_path: Path) -> None:
    """What a pool leaves of an image has one layout in all orders: no op is there to name another."""
    g = Graph()
    y = convolution(g, "x")
    weight = g.op("Conv", g.op("GlobalAveragePool", y), g.floats(4, CHANNELS, 1, 1), g.floats(4))
    weight = g.op("Conv", g.op("Relu", weight), g.floats(CHANNELS, 4, 1, 1), g.floats(CHANNELS))
    y = convolution(g, g.op("Mul", y, g.op("HardSigmoid", weight, alpha=1 / 6)))
    g.nodes.append(helper.make_node("Identity", [y], ["y"]))
    proto = model(g.nodes, [value("x", ["b", CHANNELS, 6, 8])], [value("y")], g.weights)
    x = np.random.default_rng(4).standard_normal((3, CHANNELS, 6, 8)).astype(np.float32)
    ops = check(proto, [{"x": x}], tmp_path)
    assert ops == {"TRANSPOSE": 2, "CONV_2D": 4, "MEAN": 1, "MINIMUM": 1, "MUL": 1}


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("sizes", [(2, 5), ("b", "t")], ids=["unrolled", "loop"])
@pytest.mark.parametrize("lengths", [False, True])
def test_layers_of_batches(
    kind: str, direction: str, sizes: tuple[int | str, int | str], lengths: bool, tmp_path: Path
) -> None:
    """Recurrent layers between transposes, as torch writes `batch_first`: loops take and write the steps of each batch
    where they lie.
    """
    g, hidden, gates = Graph(), 3, {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
    x, count = g.op("Transpose", "x", perm=[1, 0, 2]), 2 if direction == "bidirectional" else 1
    for width in (4, count * hidden):
        weights = [g.floats(count, gates * hidden, n) for n in (width, hidden)]
        given = [x, *weights, g.floats(count, 2 * gates * hidden), *(["lengths"] if lengths else [])]
        y = g.op(kind, *given, hidden_size=hidden, direction=direction)
        x = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.ints(0, 0, -1))
    g.nodes.append(helper.make_node("Transpose", [x], ["y"], perm=[1, 0, 2]))
    inputs = [value("x", [*sizes, 4])]
    if lengths:
        inputs.append(helper.make_tensor_value_info("lengths", TensorProto.INT32, [sizes[0]]))
    rng, feeds = np.random.default_rng(5), []
    for batch, time in [(2, 5)] if isinstance(sizes[0], int) else [(2, 5), (3, 7), (1, 1)]:
        feed = {"x": rng.standard_normal((batch, time, 4)).astype(np.float32)}
        feeds.append(feed | ({"lengths": rng.integers(1, time + 1, batch).astype(np.int32)} if lengths else {}))
    ops = check(model(g.nodes, inputs, [value("y")], g.weights), feeds, tmp_path)
    assert "TRANSPOSE" not in ops
