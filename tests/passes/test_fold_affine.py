"""Batch normalization behind an activation goes into the dense layer or the convolution that reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onnx import helper

import mlconv
from mlconv.dialects import core
from mlconv.ir.core import Value
from tests.support.graphs import Graph, kinds, run_keeping_numbers
from tests.support.litert import run_litert
from tests.support.onnx_models import model, save, value

PIPELINE = "fold-batch-norm,fold{limit=4096},dce"
Layer = Callable[[Graph, Value], Value]


def normalized(g: Graph, x: Value, *shape: int) -> Value:
    """A scale and a shift that are not close to 1 and 0."""
    return g.e(core.Add(g.e(core.Mul(x, g.noise(*shape))), g.noise(*shape)))


def activated(*shape: int) -> tuple[Graph, Value]:
    g = Graph(shape)
    return g, g.e(core.Tanh(g.xs[0]))


def conv(g: Graph, x: Value, channels: int, pads: int = 0, groups: int = 1, layout: str = "N01C") -> Value:
    inputs = (x.tensor.shape or ())[layout.index("C")]
    assert isinstance(inputs, int)
    sizes = {"0": 3, "1": 3, "I": inputs // groups, "O": channels}
    order = "01IO" if layout == "N01C" else "OI01"
    attributes = {"strides": (1, 1), "pads": ((pads, pads),) * 2, "dilations": (1, 1), "groups": groups}
    layouts = {"x_layout": layout, "w_layout": order, "y_layout": layout}
    return g.e(core.Conv(x, g.noise(*(sizes[c] for c in order)), g.noise(channels), **attributes, **layouts))


@pytest.mark.parametrize("is_turned", [False, True])
def test_dense_layers(is_turned: bool) -> None:
    g, x = activated(3, 8)
    w = g.noise(5, 8) if is_turned else g.noise(8, 5)
    y = g.e(core.Add(g.e(core.MatMul(normalized(g, x, 8), w, transpose_b=is_turned)), g.noise(5)))
    assert kinds(run_keeping_numbers(g.finish(y), PIPELINE)) == ["tanh", "matmul", "add"]


def test_other_ways_to_write_it() -> None:
    """(x - mean) / deviation, and a constant minus x."""
    g, x = activated(2, 3, 8)
    standard = g.e(core.Div(g.e(core.Sub(x, g.noise(8))), g.noise(1)))
    y = g.e(core.MatMul(g.e(core.Sub(g.noise(1, 1, 8), standard)), g.noise(8, 4)))
    assert kinds(run_keeping_numbers(g.finish(y), PIPELINE)) == ["tanh", "matmul", "add"]


@pytest.mark.parametrize("shape", [(4, 1, 1), (1, 1, 3), (4, 2, 3)])
def test_flattened_images(shape: tuple[int, ...]) -> None:
    g, x = activated(2, 4, 2, 3)
    flat = g.e(core.Reshape(normalized(g, x, *shape), g.ints(2, 24)))
    y = g.e(core.MatMul(flat, g.noise(24, 5)))
    assert kinds(run_keeping_numbers(g.finish(y), PIPELINE)) == ["tanh", "reshape", "matmul", "add"]


@pytest.mark.parametrize("layout", ["N01C", "NC01"])
def test_convolutions(layout: str) -> None:
    g, x = activated(2, 6, 6, 6)
    channels = (6,) if layout == "N01C" else (6, 1, 1)
    y = conv(g, normalized(g, x, *channels), 4, layout=layout)
    assert kinds(run_keeping_numbers(g.finish(y), PIPELINE)) == ["tanh", "conv"]


def padded(g: Graph, x: Value) -> Value:
    return conv(g, normalized(g, x, 8), 4, pads=1)


def in_groups(g: Graph, x: Value) -> Value:
    return conv(g, normalized(g, x, 8), 4, groups=2)


def of_other_sizes(g: Graph, x: Value) -> Value:
    return conv(g, normalized(g, x, 6, 6, 8), 4)


def scaled_alone(g: Graph, x: Value) -> Value:
    return g.e(core.MatMul(g.e(core.Mul(x, g.noise(8))), g.noise(8, 4)))


def read_twice(g: Graph, x: Value) -> Value:
    y = normalized(g, x, 8)
    return g.e(core.Concat([g.e(core.MatMul(y, g.noise(8, 8))), y], axis=3))


def of_shared_weights(g: Graph, x: Value) -> Value:
    w = g.noise(8, 8)
    return g.e(core.MatMul(g.e(core.Tanh(g.e(core.MatMul(normalized(g, x, 8), w)))), w))


def of_a_normalization(g: Graph, x: Value) -> Value:
    centred = g.e(core.Sub(x, g.e(core.ReduceMean(x, axes=(3,), keepdims=True))))
    variance = g.e(core.ReduceMean(g.e(core.Mul(centred, centred)), axes=(3,), keepdims=True))
    y = g.e(core.Mul(centred, g.e(core.Rsqrt(variance))))
    return g.e(core.MatMul(normalized(g, y, 8), g.noise(8, 4)))


def far_from_zero(g: Graph, x: Value) -> Value:
    """A shift that large parts of the sum would cancel."""
    return g.e(
        core.MatMul(g.e(core.Mul(g.e(core.Add(x, g.const(np.full(8, 1e3, np.float32)))), g.noise(8))), g.noise(8, 4))
    )


STAYS = [
    far_from_zero,
    padded,
    in_groups,
    of_other_sizes,
    scaled_alone,
    read_twice,
    of_shared_weights,
    of_a_normalization,
]


@pytest.mark.parametrize("layer", STAYS)
def test_what_stays(layer: Layer) -> None:
    g, x = activated(2, 6, 6, 8)
    module = g.finish(layer(g, x))
    before = kinds(module)
    assert kinds(run_keeping_numbers(module, PIPELINE)) == before


@pytest.mark.parametrize("scheme", ["int8-weights", "int4", "dynamic-range", "int8"])
def test_weights_alone_that_are_rounded_keep_their_scales(scheme: str, tmp_path: Path) -> None:
    """Scales of inputs would be in weights that have one scale for all of them."""
    rng = np.random.default_rng(0)
    spread = (10.0 ** rng.uniform(-1, 1, 32)).astype(np.float32)
    arrays = {"w": rng.standard_normal((32, 32)), "v": rng.standard_normal((32, 32)), "t": rng.standard_normal(32)}
    initializers = {k: a.astype(np.float32) for k, a in arrays.items()} | {"s": spread, "i": 1 / spread}
    initializers["w"] = initializers["w"] * initializers.pop("i")
    nodes = [("MatMul", "x", "w", "a"), ("Relu", "a", "b"), ("Mul", "b", "s", "c"), ("Add", "c", "t", "d")]
    made = [
        helper.make_node(kind, list(names[:-1]), [names[-1]]) for kind, *names in [*nodes, ("MatMul", "d", "v", "y")]
    ]
    proto = model(made, [value("x", [4, 32])], [value("y", [4, 32])], initializers)
    proto.ir_version = 9
    path = save(tmp_path, proto)
    samples = rng.standard_normal((16, 4, 32)).astype(np.float32)
    np.savez(tmp_path / "s.npz", x=samples.reshape(64, 32))
    static = {"calibration": str(tmp_path / "s.npz")} if scheme == "int8" else {}
    mlconv.convert(path, "tflite", tmp_path / "m.tflite", quantize=scheme, **static)
    want = onnxruntime.InferenceSession(str(path)).run(None, {"x": samples[0]})[0]
    (got,) = run_litert((tmp_path / "m.tflite").read_bytes(), [samples[0]])
    ratio = 20 * np.log10(np.linalg.norm(want) / np.linalg.norm(got - want))
    assert ratio > {"int8": 30, "int4": 14}.get(scheme, 36)
