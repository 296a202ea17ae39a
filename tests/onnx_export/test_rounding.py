"""Groups of 8 bits on ONNX Runtime give the integers of LiteRT's kernels, fused or not; they are read as they were."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import numpy as np
import onnx
import onnxruntime
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.dialects.core.rounding_tables import LIMITS
from mlconv.driver.context import BUILT_IN
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module, clone_module
from mlconv.ir.quant import QuantType
from mlconv.passes.base import PassContext
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import Array, module
from tests.support.onnx_files import to_onnx

RNG = np.random.default_rng(11)
ALL = np.arange(-128, 128).astype(np.int8)
Body = Callable[[CoreBuilder, Value], Value]
LEVELS = onnxruntime.GraphOptimizationLevel


def between(body: Body, x: QuantType, y: QuantType, integers: Array, inner: bool = False) -> Module:
    """What lies between two borders; the integers come in and go out.  inner: made of numbers in front, so that targets
    may store them as they like.
    """

    def make(b: Builder, given: Value) -> list[Value]:
        e = CoreBuilder(b)
        q = e.y(core.StorageCast(given, element=x))
        if inner:
            q = e.y(core.Quantize(e.y(core.Abs(e.y(core.Dequantize(q)))), element=x))
        made = e.y(core.Quantize(body(e, e.y(core.Dequantize(q))), element=y))
        if inner:
            return [e.y(core.Dequantize(made))]
        return [e.y(core.StorageCast(made, element=y.storage))]

    return module(make, [integers])


def lowered(m: Module) -> Module:
    copy = clone_module(m)
    passes = parse_pipeline(f"quant-lower{{{BUILT_IN.target('tflite').quantized_ops}}},cse,dce")
    run_pipeline(copy, passes, Instruments(context=PassContext()))
    return copy


def on_ort(model: onnx.ModelProto, integers: Array, level: LEVELS, path: pathlib.Path) -> tuple[Array, list[str]]:
    """What comes out, and the operators that ran."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 4
    options.optimized_model_filepath = str(path)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"in0": integers})
    return found, [node.op_type for node in onnx.load(path).graph.node]


def leaky(alpha: float) -> Body:
    return lambda e, x: e.y(core.LeakyRelu(x, alpha=alpha))


def pool(window: tuple[int, int], **more: object) -> Body:
    attributes = {"strides": (2, 2), "pads": ((0, 0), (0, 0)), "dilations": (1, 1), "layout": "NC01"} | more
    return lambda e, x: e.y(core.AvgPool(x, window=window, **attributes))  # type: ignore[arg-type]


def turned(e: CoreBuilder, x: Value) -> Value:
    return e.transpose(x, (0, 2, 3, 1))


def limit(name: str) -> Body:
    """As the kernel of a builtin of TFLite gives it."""
    return lambda e, x: e.y(core.Clamp(x, lo=LIMITS[name][0], hi=LIMITS[name][1], kernel=name))


X = QuantType.of(DType.I8, 0.0371, -17)
IMAGE = RNG.integers(-128, 128, (1, 3, 12, 12)).astype(np.int8)
CASES = {
    "leaky": (leaky(0.1), X, QuantType.of(DType.I8, 0.0207, 9), ALL, ["QLinearLeakyRelu"]),
    "leaky-ties": (leaky(0.25), X, QuantType.of(DType.I8, 0.0742, 9), ALL, ["QLinearLeakyRelu"]),
    "leaky-below": (leaky(-0.3), X, QuantType.of(DType.I8, 0.0742, 9), ALL, ["QLinearLeakyRelu"]),
    "other-scale": (lambda e, x: x, X, QuantType.of(DType.I8, 0.0503, 4), ALL, None),
    "turned": (turned, X, QuantType.of(DType.I8, 0.0503, 4), IMAGE, None),
    "relu6": (limit("relu6"), QuantType.of(DType.I8, 0.06, -17), QuantType.of(DType.I8, 0.04, -100), ALL, None),
    "relu-ties": (limit("relu"), QuantType.of(DType.I8, 0.02, 5), QuantType.of(DType.I8, 0.04, -7), ALL, None),
    "hard-swish": (
        lambda e, x: e.y(core.HardSwish(x)),
        QuantType.of(DType.I8, 0.0405, -57),
        QuantType.of(DType.I8, 0.0385, -112),
        ALL,
        None,
    ),
    "mean-of-4": (pool((2, 2)), X, X, IMAGE, ["QLinearAveragePool"]),
    "mean-of-15": (pool((5, 3)), X, X, IMAGE, ["QLinearAveragePool"]),
    "mean-at-edges": (pool((3, 3), pads=((1, 1), (1, 1))), X, X, IMAGE, ["QLinearAveragePool"]),
    "mean-up": (pool((2, 2), halves="up"), X, X, IMAGE, ["QLinearAveragePool"]),
    "mean-with-edges": (
        pool((2, 2), pads=((1, 1), (1, 1)), count_include_pad=True),
        QuantType.of(DType.I8, 0.0371),
        QuantType.of(DType.I8, 0.0371),
        IMAGE,
        ["QLinearAveragePool"],
    ),
}


@pytest.mark.parametrize("profile", ["ort", "openvino"])
@pytest.mark.parametrize("level", [LEVELS.ORT_DISABLE_ALL, LEVELS.ORT_ENABLE_ALL])
@pytest.mark.parametrize("name", CASES)
def test_integers_are_those_of_the_kernels(name: str, level: LEVELS, profile: str, tmp_path: pathlib.Path) -> None:
    body, x, y, integers, fused = CASES[name]
    m = between(body, x, y, integers)
    (wanted,) = run_function(lowered(m).main, {"in0": integers}).values()
    found, ops = on_ort(to_onnx(m, onnx_profile=profile), integers, level, tmp_path / "m.onnx")
    assert np.array_equal(found, wanted)
    if fused is not None and level is LEVELS.ORT_ENABLE_ALL:
        assert ops == fused


def test_scales_and_slopes_stay_what_they_were() -> None:
    """To half of what a factor of 8 bits leaves out."""
    for name, (body, x, y, integers, _) in CASES.items():
        model = to_onnx(between(body, x, y, integers))
        known = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
        scales = {float(known[n.input[1]]) for n in model.graph.node if "quantize" in n.op_type.lower()}
        for scale in scales:
            near = min(abs(scale / float(q.scales.view()) - 1) for q in (x, y))
            assert near < 1 / 256, name
    (slope,) = (n.attribute[0].f for n in to_onnx(between(*CASES["leaky"][:4])).graph.node if n.op_type == "LeakyRelu")
    assert slope == pytest.approx(0.1, rel=1 / 64) and slope != np.float32(0.1)


@pytest.mark.parametrize(("profile", "roundings"), [("ort", 2), ("openvino", 3)])
def test_scales_of_what_is_joined(profile: str, roundings: int, tmp_path: pathlib.Path) -> None:
    """ONNX Runtime's QLinearConcat brings tensors to one scale with a table each: a rounding in front is none."""
    y = QuantType.of(DType.I8, 0.0503, 4)

    def join(e: CoreBuilder, x: Value) -> Value:
        return e.concat([e.y(core.Dequantize(e.y(core.Quantize(x, element=y)))), x], 0)

    m = between(join, X, y, ALL, inner=True)
    model = to_onnx(m, onnx_profile=profile)
    assert sum(n.op_type == "QuantizeLinear" for n in model.graph.node) == roundings
    (wanted,) = run_function(lowered(m).main, {"in0": ALL}).values()
    found, ops = on_ort(model, ALL, LEVELS.ORT_ENABLE_ALL, tmp_path / "m.onnx")
    assert np.array_equal(found, wanted) and ("QLinearConcat" in ops) == (profile == "ort")


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("relu")])
@pytest.mark.parametrize("profile", ["ort", "openvino"])
def test_files_are_read_back_as_they_were(name: str, profile: str, tmp_path: pathlib.Path) -> None:
    body, x, y, integers, _ = CASES[name]
    m = between(body, x, y, integers, inner=True)
    path = tmp_path / "m.onnx"
    onnx.save(to_onnx(m, onnx_profile=profile), path)
    before, after = lowered(m), lowered(mlconv.load(path).module)
    assert sorted(op.name for op in after.walk()) == sorted(op.name for op in before.walk())
    numbers = [next(iter(run_function(one.main, {"in0": integers}).values())) for one in (before, after)]
    assert np.array_equal(*numbers)


WIDE = QuantType.of(DType.I16, 0.00031)
WIDE_IMAGE = RNG.integers(-(1 << 15), 1 << 15, (64, 4, 16, 16)).astype(np.int16)


def filtered(e: CoreBuilder, x: Value, most: float = 9.0) -> Value:
    """most: of the biases."""
    weights = RNG.integers(-127, 128, (6, 4, 3, 3)).astype(np.int8)
    element = QuantType.of(DType.I8, np.linspace(0.003, 0.011, 6).astype(np.float32), axis=0)
    w = e.y(core.Dequantize(e.y(core.Constant(value=make_const(weights), element=element))))
    bias = e.constant(np.linspace(-most, most, 6).astype(np.float32))
    form = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1)}
    return e.y(core.Conv(x, w, bias, **form, x_layout="NC01", w_layout="OI01", y_layout="NC01"))


def squared(e: CoreBuilder, x: Value) -> Value:
    return e.y(core.MatMul(x, e.y(core.Dequantize(e.transpose(x.producer.x, (0, 1, 3, 2))))))  # type: ignore[union-attr]


def with_reverse(e: CoreBuilder, x: Value) -> Value:
    return e.add(x, e.y(core.Dequantize(e.transpose(x.producer.x, (0, 1, 3, 2)))))  # type: ignore[union-attr]


WIDE_CASES = {
    "conv": (filtered, QuantType.of(DType.I16, 0.00079)),
    "bias-beyond-int32": (lambda e, x: filtered(e, x, 1e5), QuantType.of(DType.I16, 4.0)),
    "matmul": (squared, QuantType.of(DType.I16, 0.0071)),
    "mean-of-4": (pool((2, 2)), WIDE),
    "mean-at-edges": (pool((3, 2), pads=((1, 1), (0, 0))), WIDE),
    "sum": (with_reverse, QuantType.of(DType.I16, 0.00062)),
}


@pytest.mark.parametrize("name", WIDE_CASES)
def test_integers_of_16_bits_are_those_of_the_kernels(name: str, tmp_path: pathlib.Path) -> None:
    """To a step of one in 200, which is what sums of float32 lose: factors of 15 bits, and halves, were up to 25 %."""
    body, y = WIDE_CASES[name]
    m = between(body, WIDE, y, WIDE_IMAGE)
    (wanted,) = run_function(lowered(m).main, {"in0": WIDE_IMAGE}).values()
    model = to_onnx(m)
    found, _ = on_ort(model, WIDE_IMAGE, LEVELS.ORT_ENABLE_ALL, tmp_path / "m.onnx")
    steps = np.abs(found.astype(np.int64) - wanted)
    assert steps.max() <= 1 and np.mean(steps) <= 0.005
    onnx.save(model, tmp_path / "again.onnx")
    again = lowered(mlconv.load(tmp_path / "again.onnx").module)
    assert np.array_equal(next(iter(run_function(again.main, {"in0": WIDE_IMAGE}).values())), wanted)


def test_a_convolution_that_computes_with_floats_keeps_its_scales(tmp_path: pathlib.Path) -> None:
    """Between scales that no kernel takes: no target has its factors of 15 bits."""
    m = between(filtered, WIDE, QuantType.of(DType.I16, 1e3), WIDE_IMAGE)
    model = to_onnx(m)
    (wanted,) = run_function(m.main, {"in0": WIDE_IMAGE}).values()
    found, _ = on_ort(model, WIDE_IMAGE, LEVELS.ORT_ENABLE_ALL, tmp_path / "m.onnx")
    known = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    assert any(np.array_equal(v, np.linspace(0.003, 0.011, 6).astype(np.float32)) for v in known.values())
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("name", WIDE_CASES)
def test_integers_of_16_bits_are_read_under_one_scale(name: str, tmp_path: pathlib.Path) -> None:
    """A second scale of the same integers is another tensor in a file of TFLite."""
    body, y = WIDE_CASES[name]
    m = between(body, WIDE, y, WIDE_IMAGE, inner=True)
    onnx.save(to_onnx(m), tmp_path / "m.onnx")
    before, after = lowered(m), lowered(mlconv.load(tmp_path / "m.onnx").module)
    assert sorted(op.name for op in after.walk()) == sorted(op.name for op in before.walk())


def shifted(storage: DType, steps: float, one_scale: bool) -> tuple[Body, QuantType, QuantType]:
    """A convolution whose largest bias is so many steps of its sums."""
    x, size = QuantType.of(storage, 0.0371), 0.0041
    y = QuantType.of(storage, 0.0371 * size * steps / (100 if storage is DType.I8 else 20_000))
    biases = (np.asarray([1, -0.61, 3e-3, 0.017, -2e-5, 0]) * steps * 0.0371 * size).astype(np.float32)
    scales = size if one_scale else np.linspace(size, 3 * size, 6).astype(np.float32)
    element = QuantType.of(DType.I8, scales, axis=None if one_scale else 0)

    def body(e: CoreBuilder, value: Value) -> Value:
        filters = np.random.default_rng(2).integers(-127, 128, (6, 4, 3, 3)).astype(np.int8)
        w = e.y(core.Dequantize(e.y(core.Constant(value=make_const(filters), element=element))))
        form = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1), "w_layout": "OI01"}
        return e.y(core.Conv(value, w, e.constant(biases), **form, x_layout="NC01", y_layout="NC01"))

    return body, x, y


@pytest.mark.parametrize("one_scale", [True, False])
@pytest.mark.parametrize(
    ("storage", "steps"), [(DType.I8, 3e6), (DType.I8, 2e9), (DType.I16, 3e6), (DType.I16, 2e9), (DType.I16, 1e11)]
)
def test_biases_are_read_back_as_they_were(
    storage: DType, steps: float, one_scale: bool, tmp_path: pathlib.Path
) -> None:
    """Those that int32 does not hold, too: of float32 numbers, 24 bits are not 0."""
    integers = RNG.integers(-128, 128, (1, 4, 8, 8)).astype(storage.numpy)
    m = between(*shifted(storage, steps, one_scale), integers, inner=True)
    onnx.save(to_onnx(m), tmp_path / "m.onnx")
    (before,), (after,) = (
        [op for op in each.walk() if isinstance(op, core.QuantConv)]
        for each in (lowered(m), lowered(mlconv.load(tmp_path / "m.onnx").module))
    )
    found = [op.bias.producer.value.view() for op in (before, after)]  # type: ignore[union-attr]
    assert np.abs(found[0]).max() > steps / 2 and np.array_equal(*found)


def test_a_file_of_onnx_keeps_its_parameters(tmp_path: pathlib.Path) -> None:
    """It is to compute what it computed."""
    source, again = tmp_path / "m.onnx", tmp_path / "n.onnx"
    nodes = [
        onnx.helper.make_node("DequantizeLinear", ["in0", "s", "z"], ["a"]),
        onnx.helper.make_node("LeakyRelu", ["a"], ["b"], alpha=0.1),
        onnx.helper.make_node("QuantizeLinear", ["b", "t", "u"], ["out"]),
    ]
    ports = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.INT8, [256]) for n in ("in0", "out")]
    numbers = {"s": np.float32(0.0371), "z": np.int8(-17), "t": np.float32(0.0207), "u": np.int8(9)}
    known = [onnx.numpy_helper.from_array(np.asarray(v), k) for k, v in numbers.items()]
    graph = onnx.helper.make_graph(nodes, "g", ports[:1], ports[1:], known)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), source)
    mlconv.convert(source, "onnx", again)
    (slope,) = (n.attribute[0].f for n in onnx.load(again).graph.node if n.op_type == "LeakyRelu")
    assert slope == np.float32(0.1)


@pytest.mark.parametrize("inner", [False, True])
def test_softmax_in_steps_of_a_255th(inner: bool, tmp_path: pathlib.Path) -> None:
    """ONNX Runtime makes 254ths of them: a quarter of the integers were a step off."""
    x, y = QuantType.of(DType.I8, 0.05), QuantType.of(DType.I8, np.float32(1 / 255), -128)
    integers = RNG.integers(-128, 128, (64, 8)).astype(np.int8)
    m = between(lambda e, v: e.y(core.Softmax(v, axis=1)), x, y, integers, inner=inner)
    (wanted,) = run_function(m.main, {"in0": integers}).values()
    found, _ = on_ort(to_onnx(m), integers, LEVELS.ORT_ENABLE_ALL, tmp_path / "m.onnx")
    parts = 255 if inner else 1
    assert np.array_equal(np.rint(found * parts), np.rint(wanted * parts))


def test_verification_holds_files_to_the_integers_of_kernels(tmp_path: pathlib.Path) -> None:
    """A quarter of means of four numbers are halves, which the numbers themselves round to even."""
    m = between(pool((2, 2)), X, X, IMAGE, inner=True)
    samples = [{"in0": IMAGE}]
    more = {"calibration": samples, "verify": True, "rtol": 0.0, "atol": 1e-6}
    result = mlconv.quantize(m, "onnx", tmp_path / "m.onnx", scheme="int8", **more)
    assert result.verification and all(row["max_abs"] == 0 for row in result.verification)
