"""Channels brought to like ranges: the same floats, by powers of two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.commands.quantize_report import report_quantization
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize import equalize as equalization
from mlconv.quantize.absorb import Way
from mlconv.quantize.calibrate import calibrated
from mlconv.quantize.collect import Collector
from mlconv.quantize.equalize import Equalized, equalize, wanted
from mlconv.quantize.saved import Findings, keys_of
from mlconv.quantize.unchanged import ANSWERS, equalized
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import Build, collector, conv, interpreted, layer_norm, linear, network, relu

SCALE = (10.0 ** np.linspace(-2, 2, 8)).astype(np.float32)


def depthwise(e: CoreBuilder, x: Value) -> Value:
    return conv(e, relu(e, conv(e, relu(e, conv(e, x, 8, scale=SCALE)), 8, groups=8)), 4, size=1)


def bounded(e: CoreBuilder, x: Value) -> Value:
    return conv(e, e.clamp(conv(e, x, 8, scale=SCALE), 0.0, 1e6), 4)


def pooled(e: CoreBuilder, x: Value) -> Value:
    y = relu(e, conv(e, x, 8, scale=SCALE))
    two = {"window": (2, 2), "strides": (2, 2), "pads": ((0, 0), (0, 0)), "dilations": (1, 1)}
    y = e.y(core.MaxPool(y, **two))
    return linear(e, e.mean(y, (1, 2)), 3)


def normalized(e: CoreBuilder, x: Value) -> Value:
    gain = e.constant(SCALE)
    return linear(e, e.mul(layer_norm(e, x), gain), 4)


def gated(e: CoreBuilder, x: Value) -> Value:
    y = e.mul(linear(e, x, 8), e.constant(SCALE))
    return linear(e, e.mul(y, e.sigmoid(linear(e, x, 8, seed=5))), 4)


def heads(e: CoreBuilder, x: Value) -> Value:
    """Values of attention: through transpositions and reshapes, to the product behind it."""

    def split(v: Value) -> Value:
        return e.transpose(e.reshape(v, [4, 6, 2, 4]), (0, 2, 1, 3))

    v = e.reshape(x, [4, 6, 8])
    value = e.matmul(v, e.constant(random(8, 8) * SCALE))
    scores = e.matmul(split(linear(e, v, 8)), split(linear(e, v, 8, seed=5)), transpose_b=True)
    mixed = e.matmul(e.y(core.Softmax(scores, axis=3)), split(value))
    return linear(e, e.reshape(e.transpose(mixed, (0, 2, 1, 3)), [4, 6, 8]), 4)


def joined(e: CoreBuilder, x: Value) -> Value:
    """Channels of two convolutions, whose ranges differ as wholes, too, side by side and pooled."""
    parts = [relu(e, conv(e, x, 8, scale=SCALE)), relu(e, conv(e, x, 6, size=1, scale=np.float32(100)))]
    two = {"window": (2, 2), "strides": (2, 2), "pads": ((0, 0), (0, 0)), "dilations": (1, 1)}
    return conv(e, e.y(core.MaxPool(e.concat(parts, 3), **two)), 4)


def dense(e: CoreBuilder, x: Value) -> Value:
    """What is normalized and convolved joins what it was made of, twice."""
    y = conv(e, x, 8, scale=SCALE)
    for _ in range(2):
        width = (y.tensor.shape or ())[-1]
        assert isinstance(width, int)
        more = conv(e, relu(e, conv(e, y, width, size=1, groups=width)), 4, scale=np.float32(10))
        y = e.concat([y, more], 3)
    return conv(e, relu(e, conv(e, y, 16, size=1, groups=16)), 4)


def values(e: CoreBuilder, x: Value, left: bool) -> Value:
    """Values of attention, of which a product has rows or columns, and which the last product reads."""
    rows = e.reshape(x, [1, 24, 8])
    shares = e.reshape(e.y(core.Softmax(e.matmul(rows, rows, transpose_b=True), axis=2)), [1, 1, 24, 24])
    made = e.matmul(rows, e.constant(random(8, 8) * np.geomspace(0.01, 1, 8, dtype=np.float32)))
    each = e.transpose(e.reshape(made, [1, 24, 2, 4]), (0, 2, 3, 1))
    if left:
        y = e.transpose(e.matmul(each, shares, transpose_b=True), (0, 3, 1, 2))
    else:
        y = e.transpose(e.matmul(shares, each, transpose_b=True), (0, 2, 1, 3))
    return e.matmul(e.reshape(y, [1, 24, 8]), e.constant(random(8, 8, seed=1)))


NETS: dict[str, tuple[Build, int]] = {
    "values of rows": (lambda e, x: values(e, x, True), 1),
    "values of columns": (lambda e, x: values(e, x, False), 1),
    "depthwise": (depthwise, 2),
    "bounded": (bounded, 1),
    "pooled": (pooled, 1),
    "normalized": (normalized, 1),
    "gated": (gated, 1),
    "heads": (heads, 1),
    "joined": (joined, 2),
    "dense": (dense, 6),
}


@pytest.mark.parametrize("name", NETS)
def test_equalized(name: str) -> None:
    build, count = NETS[name]
    module = network((1, 4, 6, 8), build)
    samples = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(4)]
    before = [run_function(module.main, s)["y"] for s in samples]
    ranges = calibrated(module.main, wanted(module.main), collector(samples, interpreted))
    worst = max(spread(r.high) for r in ranges.values() if r.axis is not None)
    done = equalize(module.main, ranges)
    assert done.number == count
    after = [run_function(module.main, s)["y"] for s in samples]
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-5 * np.abs(a).max())
    again = calibrated(module.main, wanted(module.main), collector(samples, interpreted))
    for value, span in ranges.items():
        if value in again and value not in done.stale:
            np.testing.assert_allclose(span.high, again[value].high, rtol=1e-4, atol=1e-5)
    assert max(spread(r.high) for r in again.values() if r.axis is not None) < worst / 4


def squeezed(e: CoreBuilder, x: Value) -> Value:
    """Squeeze and excitation: the gates are near 1/2 for all channels."""
    y = relu(e, conv(e, x, 8, scale=SCALE))
    gates = linear(e, e.mean(y, (1, 2)), 8)
    gates = e.clamp(e.add(e.mul(gates, e.constant(np.float32(1e-6))), e.constant(np.float32(0.5))), 0.0, 1.0)
    return conv(e, e.mul(y, e.reshape(gates, [1, 1, 1, 8])), 4)


def test_gates_stay_like_one_another() -> None:
    module = network((1, 4, 6, 8), squeezed)
    ranges = calibrated(module.main, wanted(module.main), collector([{"x": random(1, 4, 6, 8)}], interpreted))
    gates = [op.y for op in module.main.block.ops if isinstance(op, core.Clamp)][-1]
    assert spread(ranges[gates].high) < 1.1
    done = equalize(module.main, ranges)
    assert not done.limits and gates not in done.values
    assert spread(ranges[gates].high) < 1.1


def fan(e: CoreBuilder, x: Value) -> Value:
    """Results of convolutions are joined one after another."""
    y = conv(e, x, 4)
    for n in range(16):
        y = e.concat([y, conv(e, x, 4, scale=np.float32(0.4 + 0.1 * n))], 3)
    return conv(e, relu(e, conv(e, y, 68, size=1, groups=68)), 4)


def test_channels_that_are_joined_do_not_grow() -> None:
    """Each of them finds the largest of all; the first ones would be left behind."""
    module = network((1, 4, 6, 8), fan)
    ranges = calibrated(module.main, wanted(module.main), collector([{"x": random(1, 4, 6, 8)}], interpreted))
    last = [op.y for op in module.main.block.ops if isinstance(op, core.Concat)][-1]
    largest = np.maximum(-ranges[last].low, ranges[last].high).max()
    equalize(module.main, ranges)
    found = np.maximum(-ranges[last].low, ranges[last].high)
    assert largest / 2 <= found.min() and found.max() <= largest


def spread(numbers: np.ndarray) -> float:
    live = np.abs(numbers[numbers > 1e-6])
    return float(live.max() / np.median(live)) if live.size else 1.0


def test_a_limit_that_calibration_reaches_stays() -> None:
    module = network((1, 4, 6, 8), lambda e, x: conv(e, e.clamp(conv(e, x, 8, scale=SCALE), 0.0, 6.0), 4))
    samples = [{"x": random(1, 4, 6, 8)}]
    ranges = calibrated(module.main, wanted(module.main), collector(samples, interpreted))
    assert equalize(module.main, ranges).number == 0


def test_a_limit_stays_where_it_costs_nothing() -> None:
    module = network((1, 4, 6, 8), bounded)
    samples = [{"x": random(1, 4, 6, 8)}]
    ranges = calibrated(module.main, wanted(module.main), collector(samples, interpreted))
    assert equalize(module.main, ranges, unlimits=False).number == 0
    (clamp,) = (op for op in module.main.block.ops if isinstance(op, core.Clamp))
    done = equalize(module.main, ranges)
    assert done.limits == {clamp: 1e6} and clamp.hi == np.inf
    done.undo()
    assert clamp.hi == 1e6


def uneven(e: CoreBuilder, x: Value) -> Value:
    """Filters of one channel, then a convolution whose weights differ by input channel."""
    y = conv(e, relu(e, conv(e, relu(e, conv(e, x, 8, scale=SCALE)), 8, groups=8)), 8)
    first = y.producer
    assert isinstance(first, core.Conv)
    weights = const_of(first.w)
    assert weights is not None
    size = np.float32([1, 4, 0.25, 16, 1, 2, 1, 8]).reshape([8 if c == "I" else 1 for c in first.w_layout])
    return e.y(core.Conv(first.x, e.constant(weights.view() * size), first.bias, **first.attributes))


def test_weights_alone() -> None:
    """Where activations stay floats, input channels of weights come to like sizes; ranges of activations do not count,
    and filters of one channel need nothing.
    """
    module = network((1, 4, 6, 8), uneven)
    eliminate_dead_code(module.main.block)
    samples = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(4)]
    before = [run_function(module.main, s)["y"] for s in samples]
    last = module.main.block.outputs[0].producer
    assert isinstance(last, core.Conv)
    ranges = calibrated(module.main, wanted(module.main), collector(samples, interpreted))
    assert equalize(module.main, ranges, unlimits=False, stored=True).values == [last.x]
    for sample, y in zip(samples, before, strict=True):
        np.testing.assert_allclose(run_function(module.main, sample)["y"], y, rtol=1e-5, atol=1e-5 * np.abs(y).max())
    found = const_of(last.w)
    assert found is not None
    axes = tuple(i for i, c in enumerate(last.w_layout) if c != "I")
    sizes = np.sqrt(np.square(found.view().astype(np.float64)).mean(axis=axes))
    assert sizes.max() < 3 * sizes.min()


def test_products_of_matrices_go_by_activations() -> None:
    """They may round what they read when they run."""
    samples = [{"x": random(1, 4, 6, 8)}]
    scales = []
    for stored in (False, True):
        module = network((1, 4, 6, 8), gated)
        ranges = calibrated(module.main, wanted(module.main), collector(samples, interpreted))
        done = equalize(module.main, ranges, stored=stored)
        scales.append([const_of(c.op.operands[c.operand]) for c in done.changes])
    plain, those = ([c.view() for c in found if c is not None] for found in scales)
    assert plain and all(np.array_equal(a, b) for a, b in zip(plain, those, strict=True))


def test_what_changes_outputs_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """That part alone; a run from what was saved decides the same."""

    def build(e: CoreBuilder, x: Value) -> Value:
        y = x
        for seed in range(3):
            y = relu(e, conv(e, y, 8, scale=SCALE, seed=seed))
        return conv(e, y, 4)

    samples = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(2)]
    carry_out = equalization._carry_out

    def wrong(way: Way, factors: np.ndarray, divided: Value, done: Equalized) -> None:
        is_wrong = factors.size == 8 and way.sinks[0].op is broken
        carry_out(Way(sinks=way.sinks[:-1]) if is_wrong else way, factors, divided, done)

    module = network((1, 4, 6, 8), build)
    broken = [op for op in module.main.block.ops if isinstance(op, core.Conv)][1]
    before = [run_function(module.main, s)["y"] for s in samples]
    monkeypatch.setattr(equalization, "_carry_out", wrong)
    found = collector(samples, interpreted)
    found.kept = Findings()
    ranges = calibrated(module.main, wanted(module.main), found, answers=ANSWERS)
    done, back = equalized(module.main, ranges, True, found, "undone-equalized")
    assert (done.number, len(back)) == (2, 1) and back[0].producer is not None
    for sample, y in zip(samples, before, strict=True):
        np.testing.assert_allclose(run_function(module.main, sample)["y"], y, rtol=1e-5, atol=1e-5 * np.abs(y).max())
    assert [k for k in found.kept.arrays if k[0].startswith("undone")] == [
        ("undone-equalized", keys_of(module.main)[back[0]])
    ]
    again = network((1, 4, 6, 8), build)
    reused = Collector(None, found.pool, saved=found.kept)
    saved = calibrated(again.main, wanted(again.main), reused)
    done, back = equalized(again.main, saved, True, reused, "undone-equalized")
    assert (done.number, len(back)) == (2, 1)


@pytest.mark.parametrize("scheme", ["int8", "int8-weights"])
def test_limits_that_go_are_reported(scheme: str, tmp_path: Path) -> None:
    """Samples that reach them later are computed otherwise, where activations are integers alone."""
    module = network((1, 4, 6, 8), bounded)
    samples = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(4)]
    result = mlconv.quantize(module, "native", tmp_path / "m.o", scheme=scheme, calibration=samples)
    report = result.quantization
    assert report is not None
    gone = [layer for layer in report.layers if layer.limit is not None]
    assert report.limits == len(gone) == (scheme == "int8") and report.data()["limits"] == report.limits
    text = report_quantization(result, report, 5, [])
    assert ("approximate" in text and "was 1e+06" in text) == bool(gone)
    assert all(layer.limit == 1e6 and layer.node in text for layer in gone) and '"limit"' in report.html()


def test_a_limit_stays_where_a_rule_leaves_floats(tmp_path: Path) -> None:
    """Numbers that samples never had are cut off as the model does it, channel by channel."""
    module = network((1, 4, 6, 8), bounded)
    samples = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(4)]
    beyond = {"x": 1e7 * random(1, 4, 6, 8, seed=9)}
    expected = run_function(module.main, beyond)["y"]
    rules = ["*=float"]
    result = mlconv.quantize(module, "native", tmp_path / "m.o", scheme="int8", calibration=samples, rules=rules)
    assert result.quantization is not None and result.quantization.equalized == 1
    y = mlconv.load_native(tmp_path / "m.o").run(beyond)["y"]
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_what_others_read_is_left_alone() -> None:
    def build(e: CoreBuilder, x: Value) -> Value:
        y = relu(e, conv(e, x, 8, scale=SCALE))
        return e.add(conv(e, y, 8), y)

    module = network((1, 4, 6, 8), build)
    samples = [{"x": random(1, 4, 6, 8)}]
    assert (
        equalize(module.main, calibrated(module.main, wanted(module.main), collector(samples, interpreted))).number == 0
    )


def attention(e: CoreBuilder, x: Value, transposed: bool) -> Value:
    """Scores of queries and keys [1, heads, rows, 4], some of whose channels are a hundred times larger."""
    rows = e.reshape(x, [1, 24, 8])
    sides = []
    for seed, large in ((1, 3), (2, 6)):
        scale = np.ones(8, np.float32)
        scale[large] = 100.0
        made = e.matmul(rows, e.constant(random(8, 8, seed=seed) * scale))
        made = e.add(made, e.constant(random(8, seed=seed + 2) * scale))
        sides.append(e.transpose(e.reshape(made, [1, 24, 2, 4]), (0, 2, 1, 3)))
    keys = sides[1] if transposed else e.transpose(sides[1], (0, 1, 3, 2))
    return e.matmul(e.mul(sides[0], e.constant(np.float32(0.5))), keys, transpose_b=transposed)


def scaled_halves(e: CoreBuilder, x: Value) -> Value:
    """Scores of two halves of the channels [1, heads, rows, 8], which numbers alone scale, as torch's
    scaled_dot_product_attention does.
    """
    scale = np.ones(16, np.float32)
    scale[[3, 14]] = 100.0
    a, b = e.emit(core.Split(e.mul(x, e.constant(scale)), sizes=(8, 8), axis=3)).ys
    half = e.constant(np.float32(0.5))
    return e.matmul(e.mul(a, half), e.mul(e.transpose(b, (0, 1, 3, 2)), half))


@pytest.mark.parametrize(
    ("build", "channels"),
    [
        (lambda e, x: attention(e, x, False), 8),
        (lambda e, x: attention(e, x, True), 8),
        (scaled_halves, 16),
    ],
    ids=["keys", "transposed", "numbers"],
)
def test_queries_and_keys(build: Build, channels: int) -> None:
    """Their product is the same, and both have channels of like ranges."""
    module = network((1, 4, 6, channels), build)
    samples = [{"x": random(1, 4, 6, channels, seed=s)} for s in range(4)]
    before = [run_function(module.main, s)["y"] for s in samples]
    (product,) = (op for op in module.main.block.ops if isinstance(op, core.MatMul) and op.a.tensor.rank == 4)
    sides = {product.a: None, product.b: None}
    ranges = calibrated(module.main, {**sides, **wanted(module.main)}, collector(samples, interpreted))
    known = dict(ranges)
    done = equalize(module.main, ranges)
    assert done.number == 1 and all(value in done.stale or ranges[value] is not known[value] for value in sides)
    for sample, y in zip(samples, before, strict=True):
        np.testing.assert_allclose(run_function(module.main, sample)["y"], y, rtol=1e-5, atol=1e-5 * np.abs(y).max())
    after = calibrated(module.main, sides, collector(samples, interpreted))
    for value in sides:
        assert after[value].whole[1] < known[value].whole[1] / 4


def apart(module: Module, folder: Path) -> Path:
    """A file whose nodes have constants of their own."""
    mlconv.convert(module, "onnx", folder / "apart.onnx")
    model = onnx.load(folder / "apart.onnx")
    held = {i.name: i for i in model.graph.initializer}
    del model.graph.initializer[:]
    for node in model.graph.node:
        for k, name in enumerate(node.input):
            if name in held:
                node.input[k] = f"{name}.{len(model.graph.initializer)}"
                model.graph.initializer.add().CopyFrom(held[name])
                model.graph.initializer[-1].name = node.input[k]
    onnx.save(model, folder / "apart.onnx")
    return folder / "apart.onnx"


@pytest.mark.parametrize("copies", [False, True])
def test_layers_that_share_weights_go_on_sharing_them(copies: bool, tmp_path: Path) -> None:
    """Their values are divided alike, though their ranges differ; an int8 file has their integers once.  So it is where
    each has constants of its own that hold the same.
    """

    def build(e: CoreBuilder, x: Value) -> Value:
        columns = np.geomspace(0.002, 0.2, 64, dtype=np.float32)
        w, v, bias = (e.constant(a * columns) for a in (random(64, 64), random(64, 64, seed=1).T, random(64, seed=2)))
        for _ in range(3):
            x = e.add(x, e.matmul(relu(e, e.add(e.matmul(x, w), bias)), v))
        return x

    model = apart(network((1, 4, 64), build), tmp_path) if copies else network((1, 4, 64), build)
    samples = [{"x": random(1, 4, 64, seed=s)} for s in range(4)]
    result = mlconv.quantize(model, "tflite", tmp_path / "m.tflite", scheme="int8", calibration=samples)
    assert result.quantization is not None and result.quantization.equalized == 3
    assert (tmp_path / "m.tflite").stat().st_size < 2 * 64 * 64 + 10_000


@pytest.mark.parametrize("scheme", ["int8", "dynamic-range", "int16x8", "int4"])
def test_a_layer_that_follows_itself_keeps_its_weights(scheme: str, tmp_path: Path) -> None:
    """Its first copy and its last one would have other factors; those of layers around it change."""

    def build(e: CoreBuilder, x: Value) -> Value:
        columns = np.geomspace(0.002, 0.2, 128, dtype=np.float32)
        first, then, again = (e.constant(random(128, 128, seed=s) * columns) for s in range(3))
        x = relu(e, e.matmul(relu(e, e.matmul(x, first)), then))
        for _ in range(4):
            x = relu(e, e.matmul(x, again))
        return e.matmul(x, e.constant(random(128, 4, seed=5)))

    samples = [{"x": random(1, 4, 128, seed=s)} for s in range(4)]
    path = tmp_path / "m.tflite"
    result = mlconv.quantize(network((1, 4, 128), build), "tflite", path, scheme=scheme, calibration=samples)
    assert result.quantization is not None and result.quantization.equalized >= 1
    assert path.stat().st_size < 3 * 128 * 128 // (2 if scheme == "int4" else 1) + 12_000


@pytest.mark.parametrize("copies", [False, True])
def test_attention_that_shares_weights_goes_on_sharing_them(copies: bool, tmp_path: Path) -> None:
    """Queries and keys of all layers are balanced alike."""

    def build(e: CoreBuilder, x: Value) -> Value:
        columns = np.geomspace(0.01, 1, 64, dtype=np.float32)
        q, k = (e.constant(random(64, 64, seed=s) * c) for s, c in enumerate((columns, columns[::-1])))
        for _ in range(3):
            scores = e.matmul(e.matmul(x, q), e.matmul(x, k), transpose_b=True)
            x = e.add(x, e.matmul(e.y(core.Softmax(e.mul(scores, 0.1), axis=-1)), x))
        return x

    model = apart(network((1, 8, 64), build), tmp_path) if copies else network((1, 8, 64), build)
    samples = [{"x": random(1, 8, 64, seed=s)} for s in range(4)]
    result = mlconv.quantize(model, "tflite", tmp_path / "m.tflite", scheme="int8", calibration=samples)
    assert result.quantization is not None and result.quantization.equalized >= 3
    assert (tmp_path / "m.tflite").stat().st_size < 2 * 64 * 64 + 12_000


def test_weights_that_are_all_zero_are_stored_once(tmp_path: Path) -> None:
    """Whatever the scales are that their layers need."""

    def build(e: CoreBuilder, x: Value) -> Value:
        for i in range(4):
            y = linear(e, x, 64, seed=3 * i)
            zeros = e.constant(np.zeros((64, 64), np.float32))
            x = e.add(x, e.add(e.matmul(relu(e, y), zeros), e.constant(random(64, seed=i))))
        return x

    module = network((1, 4, 64), build)
    samples = [{"x": random(1, 4, 64, seed=s)} for s in range(4)]
    mlconv.quantize(module, "tflite", tmp_path / "m.tflite", scheme="int8", calibration=samples)
    assert (tmp_path / "m.tflite").stat().st_size < 5 * 64 * 64 + 14_000
