"""What quantization loses: sums that observers give, against the reference interpreter; causes; the report."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield, clone_block, walk
from mlconv.ir.dims import Dim
from mlconv.ir.module import Function, Module, clone_module
from mlconv.provenance.locations import CallStack, FileLocation, NameLocation
from mlconv.quantize.collect import Collector, Compile
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.report import Layer, Report, decibels
from mlconv.quantize.select import Selector, selecting
from mlconv.rewrite.core_builder import CoreBuilder
from tests.quantize.test_calibrate import native
from tests.support.modules import random
from tests.support.networks import Build, collector, conv, interpreted, layer_norm, linear, network, relu, turns
from tests.support.npz import npz

SHAPE = (1, 5, 6, 8)
SAMPLES = [{"x": random(*SHAPE, seed=s)} for s in range(3)]


def quantized(module: Module, scheme: str, with_: Collector, **recipe: object) -> tuple[Module, Report]:
    """A copy that is quantized, and what was measured."""
    copy = clone_module(module)
    for op in walk(copy.main.block):
        op.location = op.location or copy.main.location
    asked = dataclasses.replace(Recipe.of(scheme), **recipe)  # type: ignore[arg-type]
    quantizer = Quantizer(asked, with_, measures=True)
    quantizer.quantize(copy)
    return copy, quantizer.report


def measured(build: Build, scheme: str = "int8", compile_: Compile = interpreted, **recipe: object) -> Report:
    return quantized(network(SHAPE, build), scheme, collector(SAMPLES, compile_), **recipe)[1]


def of(report: Report, op: str) -> Layer:
    return next(layer for layer in report.layers if layer.op == f"core.{op}")


def ratio(wanted: list[np.ndarray], got: list[np.ndarray]) -> float:
    pairs = [(x.astype(np.float64), y) for x, y in zip(wanted, got, strict=True)]
    found = decibels(sum(float((x**2).sum()) for x, _ in pairs), sum(float(((x - y) ** 2).sum()) for x, y in pairs))
    assert found is not None
    return found


@pytest.mark.share(6)
@pytest.mark.parametrize("compile_", [native, interpreted])
@pytest.mark.parametrize("scheme", ["int8", "int16x8", "int8-weights", "dynamic-range", "float16", "int4"])
def test_ratios(scheme: str, compile_: Compile) -> None:
    """Those of outputs are those of the model as it runs; a first layer's own loss is all that there is."""
    module = network(SHAPE, lambda e, x: linear(e, relu(e, conv(e, x, 8)), 16))
    after, report = quantized(module, scheme, collector(SAMPLES, compile_), equalize=False)
    before = [run_function(module.main, s)["y"] for s in SAMPLES]
    then = [run_function(after.main, s)["y"] for s in SAMPLES]
    (output,) = report.outputs
    assert report.measured == 3 and output.name == "y"
    assert output.snr == pytest.approx(ratio(before, then), abs=0.2)
    first, last = of(report, "conv"), of(report, "matmul")
    assert first.snr == pytest.approx(first.network_snr, abs=0.01)
    assert last.network_snr == pytest.approx(output.snr, abs=0.01 if last.fused else 0.5) and last.snr is not None
    assert last.snr > last.network_snr - 0.5
    least = {"int8": 25, "int16x8": 35, "int8-weights": 35, "dynamic-range": 30, "float16": 60, "int4": 10}[scheme]
    assert least < last.network_snr < 100
    assert last.fused == ([] if scheme == "float16" else ["core.add"])


def test_own_loss() -> None:
    """What a layer of integers makes of the rounded floats that it read before."""
    module = network(SHAPE, lambda e, x: relu(e, conv(e, relu(e, conv(e, x, 8)), 4)))
    after, report = quantized(module, "int8", collector(SAMPLES, interpreted), equalize=False)
    second = [layer for layer in report.layers if layer.op == "core.conv"][1]
    first_before, first_after = (
        next(op.y for op in walk(f.block) if isinstance(op, core.Clamp)) for f in (module.main, after.main)
    )
    cut = Function("part", after.main.block, ["y"], location=after.main.location)
    floats, own = [], []
    for sample in SAMPLES:
        inner = run_function(Module([with_output(module, first_before)]).main, sample)["y"]
        rounding = first_after.users[0]
        assert isinstance(rounding, core.Quantize)
        numbers = rounding.element.dequantize(rounding.element.quantize(inner))
        floats.append(run_function(module.main, sample)["y"])
        own.append(run_from(cut, rounding.y.users[0].results[0], numbers))
    assert second.snr == pytest.approx(ratio(floats, own), abs=0.05)


def with_output(module: Module, value: Value) -> Function:
    """A function that gives one of its values."""
    copy: dict[Value, Value] = {}
    block = clone_block(module.main.block, copy)
    block.terminator.set_operands([copy[value]])
    return Function("part", block, ["y"], location=module.main.location)


def run_from(function: Function, start: Value, numbers: np.ndarray) -> np.ndarray:
    """The output of a function where a value in it is given."""
    copy: dict[Value, Value] = {}
    block = clone_block(function.block, copy)
    argument = block.add_argument(start.type, "start")
    copy[start].replace_by(argument)
    made = Function("rest", block, ["y"], location=function.location)
    (x, _) = block.arguments
    return np.asarray(run_function(made, {x.name: SAMPLES[0]["x"], "start": numbers})["y"])


def dominated(e: CoreBuilder, x: Value) -> Value:
    """One channel in eight is a hundred times the others."""
    return conv(e, conv(e, x, 8, scale=np.array([100, 1, 1, 1, 1, 1, 1, 1])), 4)


def shared(e: CoreBuilder, x: Value) -> Value:
    """Small numbers beside large ones, of one scale."""
    small, large = conv(e, e.mul(x, 0.01), 4), conv(e, x, 4)
    return conv(e, e.concat([small, large], 3), 4)


def biased(e: CoreBuilder, x: Value) -> Value:
    """Weights whose biases do not fit into 32 bits."""
    attributes = {"strides": (1, 1), "pads": ((0, 0), (0, 0)), "dilations": (1, 1)}
    weights = np.full((1, 1, 8, 4), 1e-7, np.float32) * random(1, 1, 8, 4)
    return e.y(core.Conv(x, e.constant(weights.astype(np.float32)), e.constant(random(4) * 100), **attributes))


@pytest.mark.parametrize(
    ("build", "cause", "text"),
    [
        (dominated, "channels", "one channel dominates"),
        (shared, "scale", "reach"),
        (lambda e, x: conv(e, x, 4), "rounding", "rounding of"),
    ],
)
def test_causes(build: Build, cause: str, text: str) -> None:
    report = measured(build, equalize=False)
    worst = report.worst_first()[0]
    own = next(c for c in worst.causes if c.cause != "earlier")
    assert own.cause == cause and text in own.text, worst
    assert sum(c.share for c in worst.causes) <= 1 + 1e-9


def test_causes_of_weights() -> None:
    """Four bits are told from eight, one scale from many, and biases that take all bits."""
    weights = [c for c in of(measured(lambda e, x: conv(e, x, 4), "int4"), "conv").causes if c.cause == "weights"]
    assert weights and "4 bits" in weights[0].text
    one = dataclasses.replace(Recipe.of("int8").scheme, block=-1)
    unlike = np.array([1, 1e-3, 1e-3, 1e-3])
    report = measured(lambda e, x: conv(e, x, 4, scale=unlike), scheme=one.name, equalize=False)
    assert of(report, "conv").causes
    causes = {c.cause: c for c in of(measured(biased), "conv").causes}
    assert "bias" in causes or "rounding" in causes


def test_peaks() -> None:
    peaks = [{"x": random(*SHAPE, seed=s)} for s in range(40)]
    peaks[1]["x"][0, 2, 3] = 400.0
    module = network(SHAPE, lambda e, x: conv(e, x, 4))
    _, report = quantized(module, "int8", collector(peaks, interpreted), equalize=False)
    layer = of(report, "conv")
    assert any(c.cause == "outliers" for c in layer.causes), layer.causes


def test_saturation() -> None:
    """Numbers at the outermost integers that a clamp or a function has put there are no loss; those beyond are."""
    for build in (relu, lambda e, x: e.tanh(e.mul(x, 100.0)), lambda e, x: e.sigmoid(e.mul(x, 100.0))):
        report = measured(lambda e, x, build=build: conv(e, build(e, conv(e, x, 8)), 4))
        found = [layer.saturation for layer in report.layers if layer.saturation is not None]
        assert found and max(found) < 0.01


def looped(e: CoreBuilder, x: Value) -> Value:
    """Three turns of state = tanh(state @ w)."""
    flat, w = e.reshape(x, [30, 8]), e.constant(random(8, 8))
    return turns(e, flat, 3, lambda inner, state: inner.tanh(inner.matmul(state, w)))


def branched(e: CoreBuilder, x: Value) -> Value:
    """One of two products."""
    cond = e.less(e.sum(x, (0, 1, 2, 3)), 0.0)
    regions = []
    for seed in (1, 2):
        block = Block([])
        inner = CoreBuilder(Builder(block, e.builder.location))
        inner.emit(Yield([inner.matmul(x, inner.constant(random(8, 8, seed=seed)))]))
        regions.append(Region(block))
    return e.y(core.If(cond, then=regions[0], orelse=regions[1]))


@pytest.mark.share(4)
@pytest.mark.parametrize("compile_", [native, interpreted])
@pytest.mark.parametrize("scheme", ["int8", "int16x8", "dynamic-range", "int8-weights"])
@pytest.mark.parametrize("build", [looped, branched])
def test_in_regions(build: Build, scheme: str, compile_: Compile) -> None:
    """Layers in loops and branches have losses of all turns and ways; outputs are those of the network."""
    module = network(SHAPE, build)
    after, report = quantized(module, scheme, collector(SAMPLES, compile_))
    products = [layer for layer in report.layers if layer.op == "core.matmul"]
    assert all(p.snr is not None and p.network_snr is not None and p.snr > 20 for p in products)
    before, then = ([run_function(m.main, s)["y"] for s in SAMPLES] for m in (module, after))
    assert report.outputs[0].snr == pytest.approx(ratio(before, then), abs=0.2)
    if build is looped:
        assert products[0].network_snr < products[0].snr + 0.01
    assert not any(layer.op in ("core.while", "core.if") for layer in report.layers)


def test_sizes_that_are_open() -> None:
    module = network((Dim.symbol("n"), 5, 6, 8), lambda e, x: layer_norm(e, linear(e, x, 3)))
    samples = [{"x": random(2, 5, 6, 8)}, *SAMPLES]
    _, report = quantized(module, "int8", collector(samples, native))
    layer = of(report, "matmul")
    assert layer.snr is not None and layer.macs == 5 * 6 * 8 * 3
    assert {layer.op for layer in report.floats()} >= {"core.sqrt", "core.div"}
    assert all(layer.reason and layer.bytes for layer in report.floats())


def test_few_samples_do() -> None:
    module = network(SHAPE, lambda e, x: conv(e, x, 4))
    many = [{"x": random(*SHAPE, seed=s)} for s in range(150)]
    _, report = quantized(module, "int8", collector(many, native))
    assert report.samples == 150 and report.measured == 50
    _, report = quantized(module, "float16", collector(many, native))
    assert report.measured == 64  # nothing was calibrated, and nobody has counted them


def test_selectors_of_reports() -> None:
    """What a report says selects the op, whatever its name looks like."""
    (op,) = [op for op in network(SHAPE, lambda e, x: conv(e, x, 4)).walk() if isinstance(op, core.Conv)]
    for name in ("conv", "core.conv", "a[0]/*", "model.py:12", "x=y", "[a:12", "encoder/layer_0/conv"):
        op.location = NameLocation(name)
        selector = Selector.parse(selecting(op))
        assert selector.matches(op) and selector.glob, name
        op.location = NameLocation("other")
        assert not selector.matches(op)
    op.location = CallStack((FileLocation("net.py", 7),))
    assert selecting(op) == "net.py:7" and Selector.parse("net.py:7").matches(op)


def test_the_result_of_the_python_function(models: Path, tmp_path: Path) -> None:
    images = npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2)
    shapes = {"image": (1, 1, 8, 8)}
    plain, full = (
        mlconv.quantize(
            models / "digits_cnn.onnx",
            output=tmp_path / f"{measure}.tflite",
            calibration=[{"image": x} for x in images],
            shapes=shapes,
            measure=measure,
        )
        for measure in (False, True)
    )
    assert (tmp_path / "False.tflite").read_bytes() == (tmp_path / "True.tflite").read_bytes()
    assert plain.quantization is not None and full.quantization is not None
    assert plain.quantization.measured == 0 and full.quantization.measured == len(images)
    data = full.quantization.data()
    assert data == json.loads(json.dumps(data))
    assert data["source_bytes"] == (models / "digits_cnn.onnx").stat().st_size
    assert data["output_bytes"] == (tmp_path / "True.tflite").stat().st_size
    assert 0 < data["stored_bytes"] < 0.5 * data["float_bytes"]
    assert data["products"] == {"integers": 4, "all": 4}
    full.quantization.write_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == full.quantization.html()
    ratios = [layer["snr"] for layer in data["layers"] if layer["scale"] is not None]
    assert ratios and all(30 < r < 60 for r in ratios)


def test_what_helps_helps() -> None:
    """The option that a report gives for its worst layer betters that layer's own ratio."""
    module = network(SHAPE, shared)
    _, before = quantized(module, "int8", collector(SAMPLES, interpreted), equalize=False)
    worst = before.worst_first()[0]
    option = next(c.help for c in worst.causes if c.cause != "earlier")
    assert option.startswith("--quantize-rule ")
    asked = Recipe.of("int8", [option.removeprefix("--quantize-rule ").strip("'")])
    _, after = quantized(module, "int8", collector(SAMPLES, interpreted), equalize=False, rules=asked.rules)
    bettered = next(layer for layer in after.layers if layer.node == worst.node)
    assert worst.snr is not None and bettered.snr is not None and bettered.snr > worst.snr + 6


def test_weights_are_not_helped_by_more_bits_of_activations() -> None:
    """16 bits of activations have weights of 8 bits, too."""
    layer = of(measured(lambda e, x: conv(e, x, 4), "int16x8"), "conv")
    (weights,) = (c for c in layer.causes if c.cause == "weights")
    assert weights.share > 0.9 and weights.help.endswith("=float")
    layer = of(measured(lambda e, x: conv(e, x, 4), "int8"), "conv")
    assert all(c.help.endswith("=float") for c in layer.causes if c.cause == "weights")
