"""Trained models, quantized: their scores, their sizes, and what is said about them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.quantize.evaluate import Outside
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.runtime.onnx_runtime import opened, run_session
from tests.support.cli import call
from tests.support.litert import run_litert
from tests.support.modules import random
from tests.support.networks import Build, conv, network, turns
from tests.support.npz import npz
from tests.support.onnx_models import model, save, value
from tests.support.thinning import thinned

MODELS = {"digits_cnn": (0, 3, 1, 2), "digits_rnn": (0, 1, 2), "digits_transformer": (0, 1, 2)}
# scheme, largest error over the largest score
SCHEMES = {"int8": 0.2, "int16x8": 0.1, "dynamic-range": 0.1, "int8-weights": 0.1, "float16": 2e-3, "float": 1e-4}


@pytest.fixture(scope="module")
def data(models: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Calibration data of each model."""
    folder = tmp_path_factory.mktemp("data")
    found = {}
    for name, order in MODELS.items():
        found[name] = folder / f"{name}.npz"
        np.savez(found[name], image=npz(models / f"{name}.npz")["image"].transpose(order))
    return found


def convert(
    name: str, models: Path, data: dict[str, Path], out: Path, to: str = "tflite", **more: object
) -> mlconv.Result:
    shapes = {"image": npz(data[name])["image"][:1].shape}
    return mlconv.convert(
        models / f"{name}.onnx", to, out, calibration=str(data[name]), shapes=shapes, verify_each=True, **more
    )


@pytest.mark.share(6)
@pytest.mark.parametrize(("name", "scheme"), thinned(3, MODELS, SCHEMES))
def test_scores(name: str, scheme: str, models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    """Near those of the model, on LiteRT and in native code, which agree to a step."""
    result = convert(name, models, data, tmp_path / "m.tflite", quantize=scheme)
    convert(name, models, data, tmp_path / "m.o", "native", quantize=scheme)
    native = mlconv.load_native(tmp_path / "m.o")
    images, wanted = npz(data[name])["image"], npz(models / f"{name}.npz")["scores"]
    content = (tmp_path / "m.tflite").read_bytes()
    here = np.concatenate([run_litert(content, [x[None]])[0] for x in images])
    there = np.concatenate([native.run({"image": x[None]})["scores"] for x in images])
    largest = np.abs(wanted).max()
    assert np.abs(here - wanted).max() <= SCHEMES[scheme] * largest
    assert np.abs(here - there).max() <= 0.02 * largest
    assert (here.argmax(1) == wanted.argmax(1)).sum() >= 9
    report = result.quantization
    assert report is not None and report.scheme == scheme
    done, products = report.counted()
    static = scheme in ("int8", "int16x8")
    assert done == 0 if scheme == "float" else products - (0 if static else 2) <= done <= products


@pytest.mark.share(4)
@pytest.mark.parametrize("name", MODELS)
def test_sizes(name: str, models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    sizes = {
        s: convert(name, models, data, tmp_path / "m.tflite", quantize=s).size_bytes
        for s in ("float", "float16", "int8", "dynamic-range")
    }
    assert sizes["float16"] < sizes["float"] and max(sizes["int8"], sizes["dynamic-range"]) < 0.75 * sizes["float"]


def test_same_bytes(models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    images = npz(data["digits_cnn"])["image"]
    convert("digits_cnn", models, data, tmp_path / "a.tflite", quantize="int8")
    made = mlconv.quantize(
        models / "digits_cnn.onnx",
        output=tmp_path / "b.tflite",
        calibration=[{"image": x} for x in images],
        shapes={"image": (1, 1, 8, 8)},
    )
    assert made.quantization is not None and made.quantization.samples == len(images)
    assert (tmp_path / "a.tflite").read_bytes() == (tmp_path / "b.tflite").read_bytes()


def test_verified(models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    """The artifact is held to the quantized module."""
    for to in ("tflite", "native"):
        result = convert("digits_cnn", models, data, tmp_path / f"m.{to}", to, quantize="int8", verify=True)
        assert result.verification and all(found["ok"] for found in result.verification)


@pytest.mark.share(6)
@pytest.mark.parametrize("to", ["tflite", "native", "hlo", "onnx"])
@pytest.mark.parametrize("scheme", ["int8-io-int8", "int8-io-uint8"])
def test_verified_with_integers_outside(
    scheme: str, to: str, models: Path, data: dict[str, Path], tmp_path: Path
) -> None:
    """Samples are numbers, which go into an artifact as its integers; so are arrays that are given, of uint8, too."""
    np.savez(tmp_path / "bytes.npz", image=(npz(data["digits_cnn"])["image"][:1] > 0.5).astype(np.uint8))
    settings = {"scheme": scheme, "calibration": str(data["digits_cnn"]), "shapes": {"image": (1, 1, 8, 8)}}
    for more in ({}, {"data": str(tmp_path / "bytes.npz")}, {"verify_with": "source"}):
        result = mlconv.quantize(
            models / "digits_cnn.onnx", to, tmp_path / f"m.{to}", verify=True, **settings, **more  # type: ignore[arg-type]
        )  # fmt: skip
        assert result.verification and all(found["ok"] for found in result.verification)
        assert result.inputs[0]["dtype"] == scheme.rpartition("-")[2]


@pytest.mark.parametrize("scheme", ["int8-io-int8", "int8-io-uint8"])
def test_bytes_in_front_of_integers_of_16_bits(scheme: str, tmp_path: Path) -> None:
    """An input is rounded to bytes of its range where the model has it in 16 bits."""
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("Conv", ["d", "w"], ["y"]),
    ]
    arrays = {"s": np.float32(2e-4), "z": np.uint16(30000), "w": random(4, 3, 1, 1)}
    path = save(tmp_path, model(nodes, [value("x", [1, 3, 6, 6])], [value("y")], arrays, 21))
    samples = [random(1, 3, 6, 6, seed=s) for s in range(4)]
    mlconv.quantize(path, "native", tmp_path / "m.o", scheme=scheme, calibration=samples)
    loaded = mlconv.load_native(tmp_path / "m.o")
    facts = loaded.facts["inputs"][0]
    assert facts["dtype"] == scheme.rpartition("-")[2]
    step = (max(x.max() for x in samples) - min(x.min() for x in samples)) / 255
    assert facts["quantization"]["scales"][0] == pytest.approx(step, rel=1e-3)


@pytest.mark.share(4)
@pytest.mark.parametrize("scheme", ["int8", "int8-io-int8"])
@pytest.mark.parametrize("name", MODELS)
def test_zero_points_of_0(name: str, scheme: str, models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    """TensorRT takes no others: scales come from the largest magnitudes, those of softmax and sigmoid too."""
    result = convert(name, models, data, tmp_path / "m.onnx", "onnx", quantize=scheme, onnx_profile="tensorrt")
    model = onnx.load(tmp_path / "m.onnx")
    stored = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    borders = [n for n in model.graph.node if n.op_type in ("QuantizeLinear", "DequantizeLinear")]
    points = [stored[n.input[2]] for n in borders if len(n.input) > 2]
    assert {n.op_type for n in borders} == {"QuantizeLinear", "DequantizeLinear"}
    assert points and not any(p.any() for p in points) and {p.dtype.kind for p in points} == {"i"}
    assert result.quantization is not None and {layer.zero_point for layer in result.quantization.layers} <= {0, None}
    images, wanted = npz(data[name])["image"], npz(models / f"{name}.npz")["scores"]
    if scheme == "int8":
        session = opened(str(tmp_path / "m.onnx"))
        got = np.concatenate([run_session(session, {"image": x[None]})["scores"] for x in images])
        assert np.abs(got - wanted).max() <= SCHEMES[scheme] * np.abs(wanted).max()
        assert (got.argmax(1) == wanted.argmax(1)).sum() >= 9


@pytest.mark.share(4)
@pytest.mark.parametrize("name", MODELS)
def test_weights_taken_as_uint8(name: str, models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    """What docs/quantization.md names for processors without VNNI, at ONNX Runtime's own level of optimization."""
    convert(name, models, data, tmp_path / "m.onnx", "onnx", quantize="int8")
    options, plain = onnxruntime.SessionOptions(), onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    sessions = [
        onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), o, providers=["CPUExecutionProvider"])
        for o in (options, plain)
    ]
    image = npz(data[name])["image"][:1]
    exact, floats = (session.run(None, {"image": image})[0] for session in sessions)
    assert np.abs(exact - floats).max() <= 0.05 * np.abs(floats).max()


def test_what_has_no_zero_point_of_0(models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as error:
        convert(
            "digits_cnn", models, data, tmp_path / "m.onnx", "onnx", quantize="int8-io-uint8", onnx_profile="tensorrt"
        )
    assert error.value.code is Code.TargetLacksType and "int8-io-int8" in error.value.diagnostic.help


def test_integers_for_an_input_of_integers_are_stored_ones() -> None:
    quant = QuantType.of(DType.I8, 0.5, 3)
    outside = Outside({"x": quant}, {"y": quant})
    stored, numbers = np.int8([-3, 4]), np.float32([-3.0, 0.5])
    for sample in (stored, numbers):
        np.testing.assert_array_equal(outside.taken({"x": sample})["x"], stored)
    np.testing.assert_array_equal(outside.given({"y": stored})["y"], numbers)
    np.testing.assert_array_equal(outside.given({"y": numbers})["y"], numbers)


def test_verified_with_another_layout(models: Path, tmp_path: Path) -> None:
    """Inputs are transposed once, whoever runs them."""
    images = npz(models / "digits_cnn.npz")["image"]
    np.savez(tmp_path / "one.npz", image=images[:1].transpose(0, 3, 1, 2))
    for more in ({}, {"data": str(tmp_path / "one.npz")}, {"verify_with": "source"}):
        result = mlconv.quantize(
            models / "digits_cnn.onnx", "native", tmp_path / "m.o", scheme="int8-io-int8", calibration=images,
            shapes={"image": (1, 1, 8, 8)}, io_layout="nhwc", verify=True, **more
        )  # fmt: skip
        assert result.verification and all(found["ok"] for found in result.verification)


@pytest.mark.share(6)
@pytest.mark.parametrize(("scheme", "dtype"), [("int8-io-int8", np.int8), ("int8-io-uint8", np.uint8)])
@pytest.mark.parametrize("name", MODELS)
def test_inputs_and_outputs_of_integers(
    name: str, scheme: str, dtype: type, models: Path, data: dict[str, Path], tmp_path: Path
) -> None:
    """The same scores as with floats outside, to a step, on LiteRT and in native code."""
    result = convert(name, models, data, tmp_path / "m.tflite", quantize=scheme)
    convert(name, models, data, tmp_path / "f.tflite", quantize="int8")
    convert(name, models, data, tmp_path / "m.o", "native", quantize=scheme)
    native, images = mlconv.load_native(tmp_path / "m.o"), npz(data[name])["image"]
    (outside, out) = (native.facts[kind][0]["quantization"] for kind in ("inputs", "outputs"))
    assert result.inputs[0]["dtype"] == result.outputs[0]["dtype"] == np.dtype(dtype).name
    bounds = np.iinfo(dtype)
    for x in images:
        stored = np.clip(np.rint(x[None] / outside["scales"][0]) + outside["zero_points"][0], bounds.min, bounds.max)
        (here,) = run_litert((tmp_path / "m.tflite").read_bytes(), [stored.astype(dtype)])
        there = native.run({"image": stored.astype(dtype)})["scores"]
        (floats,) = run_litert((tmp_path / "f.tflite").read_bytes(), [x[None]])
        assert here.dtype == there.dtype == dtype
        assert np.abs(here.astype(int) - there).max() <= 1
        numbers = (here.astype(np.float32) - out["zero_points"][0]) * out["scales"][0]
        assert np.abs(numbers - floats).max() <= 1.01 * out["scales"][0] + 0.02 * np.abs(floats).max()


def test_report(models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    result = convert(
        "digits_transformer", models, data, tmp_path / "m.tflite", quantize="int8", quantize_rules=("softmax=float",)
    )
    report = result.quantization
    assert report is not None
    assert [(use.rule, use.ops) for use in report.rules] == [("softmax=float", 2)]
    floats = {layer.op: layer.reason for layer in report.layers if layer.scheme == "float"}
    assert floats["core.sqrt"] == "it has no form over integers" and floats["core.sub"] == "stands among ops of floats"
    for layer in report.layers:
        is_table = layer.op == "core.gelu"  # lowering made it one, between others' integers
        assert layer.scheme == "float" or is_table or (layer.scale is not None and layer.node)
    ran = call(
        "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "n.tflite",
        "--quantize", "int8", "--calibration", data["digits_cnn"], "--quantize-rule", "conv=int16x8",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    assert (
        "int8: 4 of 4 products, calibrated with 10 samples" in ran.output and "rule conv=int16x8: 3 ops" in ran.output
    )
    ran = call(
        "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "n.tflite",
        "--quantize", "int8", "--calibration", data["digits_cnn"], "--json",
    )  # fmt: skip
    assert json.loads(ran.stdout)["quantization"]["layers"]


def test_int8_alone(models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as error:
        convert("digits_transformer", models, data, tmp_path / "m.tflite", quantize="int8", require_int8=True)
    assert error.value.code is Code.FloatsLeft and len(error.value.diagnostics) > 3
    assert not (tmp_path / "m.tflite").exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"quantize": "int8", "calibration": ""}, Code.CalibrationMissing),
        ({"quantize": "int8", "calibration": []}, Code.CalibrationMissing),
        ({"quantize": "int8", "quantize_rules": ("nothing/*=float",)}, Code.RuleMatchesNothing),
        ({"quantize": "int9"}, Code.UsageError),
        ({"quantize": "int8", "granularity": "row"}, Code.UsageError),
        (
            {"quantize": "int8", "max_drop": 0.1, "metric": "agreement", "evaluation": "random:3"},
            Code.UsageError,
        ),
        ({}, Code.UsageError),
    ],
)
def test_refused(options: dict[str, object], code: Code, models: Path, data: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.convert(
            models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite",
            **{"calibration": str(data["digits_cnn"]), **options},
        )  # fmt: skip
    assert error.value.code is code


def test_a_rule_that_needs_samples(tmp_path: Path) -> None:
    """Its scheme is named, and not that of all other ops."""
    module = network((1, 4, 6, 8), dead)
    with pytest.raises(ConversionError, match="scheme int16x8 needs ranges") as error:
        mlconv.quantize(module, "tflite", tmp_path / "m.tflite", scheme="dynamic-range", rules="conv=int16x8")
    assert error.value.code is Code.CalibrationMissing


@pytest.mark.parametrize(
    ("bad", "code", "message"),
    [
        (np.full((1, 8, 8), np.nan, np.float32), Code.QuantizationInvalid, "not finite: input 'image'"),
        (np.full((1, 8, 8), -np.inf), Code.QuantizationInvalid, "not finite: input 'image'"),
        (np.full((1, 8, 8), 3e38, np.float32), Code.QuantizationInvalid, "not finite: %r1"),
        (np.full((1, 8, 8), 1e300), Code.TypeMismatch, "input 'image' takes float32, what is given has float64"),
    ],
)
@pytest.mark.parametrize("scheme", ["int8", "dynamic-range"])
def test_numbers_that_are_not_finite(
    scheme: str, bad: np.ndarray, code: Code, message: str, models: Path, tmp_path: Path
) -> None:
    """They are an error that says where they were met, and no warning."""
    samples = [{"image": np.zeros((1, 8, 8), np.float32)}, {"image": bad}]
    with pytest.raises(ConversionError) as error:
        mlconv.quantize(models / "digits_cnn.onnx", "tflite", tmp_path / "m.tflite", scheme=scheme, calibration=samples)
    assert error.value.code is code and message in str(error.value)


def test_one_rule(tmp_path: Path) -> None:
    result = mlconv.quantize(
        network((1, 4, 6, 8), dead),
        "tflite",
        tmp_path / "m.tflite",
        calibration=[{"x": random(1, 4, 6, 8)}],
        rules="conv=float",
    )
    assert result.quantization is not None and [use.rule for use in result.quantization.rules] == ["conv=float"]


def dead(e: CoreBuilder, x: Value) -> Value:
    """Weights that are all 0, with a bias that integers of 32 bits must hold."""
    attributes = {"strides": (1, 1), "pads": ((0, 0), (0, 0)), "dilations": (1, 1)}
    return e.y(core.Conv(x, e.constant(np.zeros((1, 1, 8, 4), np.float32)), e.constant(random(4)), **attributes))


def padded(e: CoreBuilder, x: Value) -> Value:
    """A filler of rank 0 among the integers, and one value twice."""
    y = e.pad(conv(e, x, 4), [(0, 0), (1, 1), (1, 1), (0, 0)])
    return e.concat([y, y], 3)


def solid(e: CoreBuilder, x: Value) -> Value:
    """Three axes of an image, which kernels over integers do not have."""
    attributes = {"strides": (1,) * 3, "pads": ((0, 0),) * 3, "dilations": (1,) * 3}
    layouts = {"x_layout": "N012C", "w_layout": "012IO", "y_layout": "N012C"}
    return e.y(
        core.Conv(e.reshape(x, [1, 2, 2, 6, 8]), e.constant(random(2, 2, 2, 8, 3)), None, **attributes, **layouts)
    )


def beyond(e: CoreBuilder, x: Value) -> Value:
    """Shares from 0 to 1, whose scale is fixed, are moved, and then stand beside larger numbers and constants."""
    share = e.reshape(e.sigmoid(conv(e, x, 4)), [1, 24, 4])
    y = e.concat([e.reshape(conv(e, x, 4), [1, 24, 4]), share], 2)
    return e.concat([y, e.concat([share, e.constant(np.full((1, 24, 4), 3, np.float32))], 2)], 2)


def parts(e: CoreBuilder, x: Value) -> Value:
    """Halves of channels are convolved, added and joined."""
    halves = e.emit(core.Split(conv(e, x, 8), sizes=(4, 4), axis=3)).ys
    y = e.add(halves[1], conv(e, halves[1], 4))
    return conv(e, e.concat([halves[0], halves[1], y], 3), 4)


def tied(e: CoreBuilder, x: Value) -> Value:
    """Weights that are read in front of a loop and in it, as what they make is."""
    w = e.constant(random(8, 8) * 0.1)
    first = e.matmul(e.reshape(x, [24, 8]), w)
    return turns(e, first, 50, lambda inner, state: inner.add(inner.matmul(inner.clamp(state, 0.0), w), first))


@pytest.mark.share(6)
@pytest.mark.parametrize("scheme", ["int8", "int16x8", "dynamic-range", "int4"])
@pytest.mark.parametrize("build", [beyond, dead, padded, parts, solid, tied], ids=lambda build: build.__name__)
def test_odd_networks(build: Build, scheme: str, tmp_path: Path) -> None:
    module = network((1, 4, 6, 8), build)
    samples = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(4)]
    want = run_function(module.main, samples[0])["y"]
    for to in ("tflite", "native"):
        out = tmp_path / f"m.{to}"
        result = mlconv.quantize(module, to, out, scheme=scheme, calibration=samples, verify=True, verify_each=True)
        assert all(found["ok"] for found in result.verification)
    (got,) = run_litert((tmp_path / "m.tflite").read_bytes(), [samples[0]["x"]])
    assert np.abs(got - want).max() <= (0.2 if scheme == "int4" else 0.05) * np.abs(want).max()


@pytest.mark.parametrize("more", [{}, {"scheme": "int4"}, {"scheme": "auto"}, {"measure": True}, {"evaluation": True}])
def test_iterators_of_samples(more: dict[str, object], tmp_path: Path) -> None:
    """However many passes it takes, they are as good as lists."""
    samples = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(3)]
    for name, given in (("a", samples), ("b", iter(samples))):
        asked = {**more, "calibration": given}
        if "evaluation" in more:
            asked |= {"evaluation": given, "metric": "fidelity", "max_drop": 1.0}
        mlconv.quantize(network((1, 4, 6, 8), dead), "tflite", tmp_path / name, **asked)  # type: ignore[arg-type]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_is_in_front_of_the_first_product_is_integers_where_inputs_are(tmp_path: Path) -> None:
    """Pixels are scaled and shifted as integers, and nothing computes with floats."""
    module = network((1, 6, 6, 3), lambda e, x: conv(e, e.add(e.mul(x, 1 / 127.5), -1.0), 4))
    samples = [{"x": np.round(np.abs(random(1, 6, 6, 3, seed=s)) * 80).clip(0, 255)} for s in range(4)]
    samples[0]["x"][0, 0, 0] = (0, 128, 255)
    result = mlconv.quantize(module, "tflite", tmp_path / "m.tflite", scheme="int8-io-uint8", calibration=samples)
    assert set(result.ops) <= {"tfl.MUL", "tfl.ADD", "tfl.CONV_2D", "tfl.PAD", "tfl.QUANTIZE"}
    floats = mlconv.quantize(module, "tflite", tmp_path / "f.tflite", scheme="int8", calibration=samples)
    assert {layer.op for layer in floats.quantization.layers if layer.scheme == "float"} == {"core.mul", "core.add"}  # type: ignore[union-attr]
    want = run_function(module.main, samples[0])["y"]
    (given,), (made,) = result.inputs, result.outputs
    assert given["dtype"] == made["dtype"] == "uint8"
    (got,) = run_litert((tmp_path / "m.tflite").read_bytes(), [samples[0]["x"].astype(np.uint8)])
    codes = got.astype(np.float32)
    low, high = want.min(), want.max()
    line = np.polyfit(codes.reshape(-1), want.reshape(-1), 1)
    assert np.abs(np.polyval(line, codes) - want).max() < 0.03 * (high - low)


@pytest.mark.parametrize("storage", [np.uint8, np.int8])
def test_a_source_that_is_quantized_in_part(storage: type, tmp_path: Path) -> None:
    """What the source rounds is rounded once, to its scale: all targets give the same numbers, as far from the source
    as the weights are.
    """
    rng = np.random.default_rng(4)
    scale, zero = np.float32(0.02), storage(0 if storage is np.uint8 else -128)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Relu", ["m"], ["r"]),
        helper.make_node("QuantizeLinear", ["r", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"]),
    ]
    weights = (rng.standard_normal((16, 24)) * 0.3).astype(np.float32)
    made = model(
        nodes,
        [value("x", [64, 16])],
        [value("y", [64, 24])],
        {"w": weights, "s": np.asarray(scale), "z": np.asarray(zero)},
    )
    made.ir_version = 8
    save(tmp_path, made)
    x = rng.standard_normal((64, 16)).astype(np.float32)
    given: dict[str, object] = {"quantize": "int8", "calibration": {"x": x}}
    for target, suffix in (("onnx", "q.onnx"), ("native", "o"), ("tflite", "tflite")):
        mlconv.convert(tmp_path / "m.onnx", target, tmp_path / f"m.{suffix}", **given)  # type: ignore[arg-type]
    written = onnx.load(tmp_path / "m.q.onnx")
    kinds = [node.op_type for node in written.graph.node]
    assert kinds.count("QuantizeLinear") == 2
    scales = [onnx.numpy_helper.to_array(t) for t in written.graph.initializer]
    assert any(s.shape == () and s.dtype == np.float32 and s == scale for s in scales)
    (want,) = run_session(opened(str(tmp_path / "m.onnx")), {"x": x}).values()
    (exact,) = run_session(opened(str(tmp_path / "m.q.onnx"), optimizes=False), {"x": x}).values()
    (native,) = mlconv.load_native(tmp_path / "m.o").run({"x": x}).values()
    (lite,) = run_litert((tmp_path / "m.tflite").read_bytes(), [x])
    np.testing.assert_array_equal(native, lite)
    assert np.mean(np.abs(exact - native) > scale / 2) < 0.005
    assert np.abs(native - want).max() < 0.1
