"""Quantized modules: borders, biases, profiles, weights of 4 bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import onnxruntime
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.exporters.tflite.model import Quantization
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import module
from tests.support.onnx_files import check, op_types, run, to_onnx
from tests.support.tfl_files import TflFile

RNG = np.random.default_rng(5)
X = RNG.standard_normal((2, 3, 6, 6)).astype(np.float32)
SCALES = (0.01, 0.02, 0.03, 0.04)
NCHW = {"x_layout": "NC01", "w_layout": "OI01", "y_layout": "NC01"}


def _const(b: Builder, value: Any, element: QuantType | None = None, dtype: DType | None = None) -> Value:
    return b.emit(core.Constant(value=make_const(np.asarray(value), dtype), element=element)).y


def convolution(b: Builder, x: Value, zero: int = 3) -> list[Value]:
    """A convolution and its limit between borders, as a calibrated module has it."""
    weights = RNG.integers(-127, 128, (4, 3, 3, 3)).astype(np.int8)
    w = b.emit(core.Dequantize(_const(b, weights, QuantType.of(DType.I8, SCALES, 0, 0)))).y
    q = b.emit(core.Quantize(x, element=QuantType.of(DType.I8, 0.05, zero))).y
    bias = _const(b, RNG.standard_normal(4).astype(np.float32))
    numbers = b.emit(core.Dequantize(q)).y
    window = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1)}
    y = b.emit(core.Conv(numbers, w, bias, **window, **NCHW)).y
    y = b.emit(core.Clamp(y, lo=0.0, hi=np.inf)).y
    out = b.emit(core.Quantize(y, element=QuantType.of(DType.I8, 0.1, -128 if zero else 0))).y
    return [b.emit(core.Dequantize(out)).y]


@pytest.mark.parametrize("profile", ["ort", "tensorrt", "openvino"])
def test_a_convolution_is_quantized_for_its_runtime(profile: str) -> None:
    zero = 0 if profile == "tensorrt" else 3
    model = check(module(lambda b, x: convolution(b, x, zero), [X]), [X], tolerance=0.11, onnx_profile=profile)
    assert op_types(model)[-5:] == ["DequantizeLinear", "Conv", "Relu", "QuantizeLinear", "DequantizeLinear"]
    made = {n.output[0]: n.op_type for n in model.graph.node}
    read = [made.get(name) for n in model.graph.node if n.op_type == "Conv" for name in n.input]
    bias = None if profile == "tensorrt" else "DequantizeLinear"  # its parser refuses one of int32
    assert read == ["DequantizeLinear", "DequantizeLinear", bias]
    stored = {i.name: i.data_type for i in model.graph.initializer}
    points = {stored[n.input[2]] for n in model.graph.node if n.op_type == "QuantizeLinear"}
    assert points == {onnx.TensorProto.UINT8 if profile == "ort" else onnx.TensorProto.INT8}


@pytest.mark.parametrize("shape", [(6, 5), (2, 6, 5)])
def test_a_product_behind_an_input_of_int8(shape: tuple[int, ...]) -> None:
    """With stored weights and a sum behind it, of any number of axes: ONNX Runtime opens the file."""
    element = QuantType.of(DType.I8, 0.05, 3)
    w = RNG.integers(-127, 128, (5, 4)).astype(np.int8)
    function = Function.create("main", [TensorType(element, shape)], ["x"], NameLocation("f"))
    b = Builder(function.block, NameLocation("op"))
    weights = b.emit(core.Dequantize(_const(b, w, QuantType.of(DType.I8, SCALES, 0, 1)))).y
    y = b.emit(core.MatMul(b.emit(core.Dequantize(function.inputs[0])).y, weights)).y
    y = b.emit(core.Add(y, _const(b, RNG.standard_normal(4).astype(np.float32)))).y
    b.emit(Yield([y]))
    function.output_names = ["y"]
    m = Module([function])
    x = RNG.integers(-128, 128, shape).astype(np.int8)
    (want,) = run_function(m.main, {"x": x}).values()
    model = to_onnx(m, opset=21)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (got,) = session.run(None, {"x": x})
    np.testing.assert_allclose(got, want, rtol=0.02, atol=0.02 * np.abs(want).max())  # x is rounded to 8 bits anew


def in_between(weights: np.ndarray, op: str, bias: bool) -> Module:
    """A product of floats whose operand and result are integers, and what a target makes of its weights.  op: Conv,
    MatMul.
    """

    def make(b: Builder, x: Value) -> list[Value]:
        element = QuantType.of(DType.I8, 0.02, 3)
        numbers = b.emit(core.Dequantize(b.emit(core.Quantize(x, element=element)).y)).y
        w = _const(b, weights)
        if op == "MatMul":
            y = b.emit(core.MatMul(numbers, w)).y
        else:
            y = b.emit(core.Conv(numbers, w, strides=(1, 1), pads=((1, 1), (1, 1)), dilations=(1, 1), **NCHW)).y
        shape = (4, 1, 1) if op == "Conv" else (4,)
        y = b.emit(core.Add(y, _const(b, np.arange(4, dtype=np.float32).reshape(shape)))).y if bias else y
        out = b.emit(core.Quantize(b.emit(core.Clamp(y, lo=0.0, hi=np.inf)).y, element=QuantType.of(DType.I8, 0.01))).y
        return [b.emit(core.Dequantize(out)).y]

    return module(make, [X if op == "Conv" else X[0, 0]])


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("op", ["Conv", "MatMul"])
def test_weights_that_are_floats_stay_floats(op: str, bias: bool) -> None:
    """With filters of very different sizes, ONNX Runtime's own quantization of weights loses the small ones."""
    spread = np.float32([1, 0.1, 0.01, 0.001])
    shape = (6, 4) if op == "MatMul" else (3, 3, 3, 4)
    w = RNG.standard_normal(shape).astype(np.float32) * spread
    m = in_between(w if op == "MatMul" else np.ascontiguousarray(w.transpose(3, 2, 0, 1)), op, bias)
    x = X if op == "Conv" else X[0, 0]
    model = check(m, [x], tolerance=0.0101)  # a step
    (exact,) = run_function(m.main, {"in0": x}).values()
    off = np.abs(run(model, [x])[0] - exact) > 1e-4
    assert off.mean() < 0.01
    assert ("Sum" in op_types(model)) == (op == "Conv" or bias)
    assert "Sum" not in op_types(to_onnx(m, onnx_profile="openvino"))


def test_zero_points_that_a_runtime_does_not_take() -> None:
    """Of the file's own quantization: it cannot be made another."""
    with pytest.raises(ConversionError) as error:
        to_onnx(module(convolution, [X]), onnx_profile="tensorrt")
    found = error.value.diagnostics
    assert {d.code for d in found} == {Code.TargetLacksType}
    assert "has 3" in str(error.value) and "--quantize int8" in found[0].help


@pytest.mark.parametrize("storage", [DType.U8, DType.I16])
def test_storage_that_a_runtime_does_not_take(storage: DType) -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        q = b.emit(core.Quantize(x, element=QuantType.of(storage, 0.05))).y
        return [b.emit(core.Dequantize(q)).y]

    with pytest.raises(ConversionError, match=f"int8 and int4 alone, .* is {storage.display}") as error:
        to_onnx(module(make, [X]), onnx_profile="tensorrt")
    assert {d.code for d in error.value.diagnostics} == {Code.TargetLacksType}


def test_a_stored_bias_is_a_float_for_tensorrt() -> None:
    """As a file for another runtime has it."""

    def make(b: Builder, x: Value) -> list[Value]:
        bias = _const(b, np.asarray([3, -5, 7, 900], np.int32), QuantType.of(DType.I32, SCALES, 0, 0))
        return [b.emit(core.Add(x, b.emit(core.Dequantize(bias)).y)).y]

    model = check(module(make, [X[:, :, :, :4]]), [X[:, :, :, :4]], onnx_profile="tensorrt")
    assert op_types(model) == ["Add"]


def test_a_bias_is_int32_with_the_product_of_the_scales() -> None:
    model = to_onnx(module(convolution, [X]))
    tensors = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    made = {n.output[0]: n for n in model.graph.node}
    conv = next(n for n in model.graph.node if n.op_type == "Conv")
    bias = made[conv.input[2]]
    assert bias.op_type == "DequantizeLinear" and tensors[bias.input[0]].dtype == np.int32
    np.testing.assert_allclose(tensors[bias.input[1]], np.float32(0.05) * np.asarray(SCALES, np.float32), rtol=1e-6)


def test_weights_without_a_sign() -> None:
    """ONNX Runtime sums products of uint8 exactly on every processor, without being asked."""
    m = module(convolution, [X])
    model = to_onnx(m, unsigned_weights=True)
    types = {i.name: i.data_type for i in model.graph.initializer}
    made = {n.output[0]: n for n in model.graph.node}
    conv = next(n for n in model.graph.node if n.op_type == "Conv")
    assert {types[name] for i in (0, 1) for name in made[conv.input[i]].input if name in types} == {
        onnx.TensorProto.UINT8,
        onnx.TensorProto.FLOAT,
    }
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"in0": X})
    (wanted,) = run_function(m.main, {"in0": X}).values()
    assert np.abs(found - wanted).max() <= 0.11
    with pytest.raises(ConversionError):
        to_onnx(module(convolution, [X]), unsigned_weights=True, onnx_profile="tensorrt")


@pytest.mark.parametrize("zero", [None, 0, 5])
def test_factors_without_a_sign(zero: int | None) -> None:
    """Products of plain integers, too."""
    x = np.arange(12, dtype=np.uint8).reshape(3, 4) * 21

    def make(b: Builder, v: Value) -> list[Value]:
        w = b.emit(core.Constant(value=make_const(np.arange(-10, 10, dtype=np.int8).reshape(4, 5) * 12))).y
        point = None if zero is None else b.emit(core.Constant(value=make_const(np.asarray(zero, np.int8)))).y
        return [b.emit(core.IntegerMatMul(v, w, b_zero=point)).y]

    model = check(module(make, [x]), [x], unsigned_weights=True)
    assert {i.data_type for i in model.graph.initializer} == {onnx.TensorProto.UINT8}


def test_weights_of_7_bits() -> None:
    model = check(module(convolution, [X]), [X], tolerance=0.5, reduce_range=True)
    weights = [onnx.numpy_helper.to_array(i) for i in model.graph.initializer if i.data_type == onnx.TensorProto.INT8]
    assert max(int(np.abs(w.astype(int)).max()) for w in weights if w.ndim == 4) <= 63


def four_bits(b: Builder, x: Value, storage: DType = DType.I4, zeros: bool = False) -> list[Value]:
    """A product with weights of 4 bits, a scale for each 16 rows and one for those that are left."""
    low, high = (-8, 8) if storage is DType.I4 else (0, 16)
    values = RNG.integers(low, high, (x.tensor.static_shape()[1], 6)).astype(storage.numpy)
    scales = make_const((RNG.random((2, 6)) + 0.1).astype(np.float32))
    points = make_const(RNG.integers(low, high, (2, 6)).astype(storage.numpy), storage) if zeros else 0
    quant = QuantType(storage, DType.F32, Blocked(0, 16), scales, points)
    w = b.emit(core.Dequantize(_const(b, values, quant, storage))).y
    return [b.emit(core.MatMul(x, w)).y]


@pytest.mark.parametrize("storage", [DType.I4, DType.U4])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("products", ["dequantize", "matmulnbits"])
def test_weights_of_4_bits_in_blocks(storage: DType, zeros: bool, products: str) -> None:
    a = RNG.standard_normal((3, 32)).astype(np.float32)
    m = module(lambda b, x: four_bits(b, x, storage, zeros), [a])
    model = check(m, [a], tolerance=1e-3, int4_products=products)
    if products == "matmulnbits":
        assert op_types(model) == ["MatMulNBits"]
    else:
        assert op_types(model) == ["DequantizeLinear", "MatMul"]
        assert model.opset_import[0].version == 21


def looped(b: Builder, x: Value) -> list[Value]:
    """Three turns of state = state @ w, with w of 4 bits, a scale for each 16 rows."""
    location = b.location
    e = CoreBuilder(b)
    start = e.constant(0, DType.I64)
    cond, body = Block([start.type, x.type]), Block([start.type, x.type])
    inner = CoreBuilder(Builder(cond, location))
    inner.emit(Yield([inner.less(cond.arguments[0], 3)]))
    inner = CoreBuilder(Builder(body, location))
    quant = QuantType(DType.I4, DType.F32, Blocked(0, 16), make_const(np.full((2, 32), 0.01, np.float32)))
    values = RNG.integers(-8, 8, (32, 32)).astype(np.int8)
    w = inner.y(core.Dequantize(_const(inner.builder, values, quant, DType.I4)))
    inner.emit(Yield([inner.add(body.arguments[0], 1), inner.matmul(body.arguments[1], w)]))
    return [e.emit(core.While([start, x], cond=Region(cond), body=Region(body))).results[1]]


def test_weights_in_loops_are_initializers_of_the_body() -> None:
    """ONNX Runtime makes a product of few bits of them there, and does not look for their scales around the loop."""
    a = RNG.standard_normal((3, 32)).astype(np.float32)
    model = check(module(looped, [a]), [a], tolerance=1e-3)
    (loop,) = (n for n in model.graph.node if n.op_type == "Loop")
    body = loop.attribute[0].g
    (border,) = (n for n in body.node if n.op_type == "DequantizeLinear")
    own = {i.name for i in body.initializer}
    assert set(filter(None, border.input)) <= own and not own & {i.name for i in model.graph.initializer}


def read_in_turns(b: Builder, x: Value) -> list[Value]:
    """Three turns that each add a row of stored integers, which are turned and given another shape first."""
    location, e = b.location, CoreBuilder(b)
    stored = e.y(core.Quantize(x, element=QuantType.of(DType.I8, 0.05, 3)))
    rows = e.reshape(e.transpose(e.y(core.Dequantize(stored)), (1, 0, 2)), [3, 8])
    start, zeros = e.constant(0, DType.I64), e.constant(np.zeros(8, np.float32))
    cond, body = Block([start.type, zeros.type]), Block([start.type, zeros.type])
    inner = CoreBuilder(Builder(cond, location))
    inner.emit(Yield([inner.less(cond.arguments[0], 3)]))
    inner = CoreBuilder(Builder(body, location))
    row = inner.y(core.Gather(rows, body.arguments[0], axis=0))
    inner.emit(Yield([inner.add(body.arguments[0], 1), inner.add(body.arguments[1], row)]))
    return [e.emit(core.While([start, zeros], cond=Region(cond), body=Region(body))).results[1]]


def test_what_loops_read_is_moved_as_integers() -> None:
    """ONNX Runtime ends the process where a border stands in front of what is moved for a subgraph."""
    a = RNG.standard_normal((2, 3, 4)).astype(np.float32)
    model = check(module(read_in_turns, [a]), [a], tolerance=1e-6)
    makers = {name: node for node in model.graph.node for name in node.output}
    moved = [n for n in model.graph.node if n.op_type in ("Transpose", "Reshape")]
    assert [makers[n.input[0]].op_type for n in moved] == ["QuantizeLinear", "Transpose"]


def test_float16_weights_stay_float16() -> None:
    def make(b: Builder, x: Value) -> list[Value]:
        w = _const(b, RNG.standard_normal((6, 4)).astype(np.float16))
        return [b.emit(core.MatMul(x, b.emit(core.Cast(w, dtype=DType.F32)).y)).y]

    a = RNG.standard_normal((3, 6)).astype(np.float32)
    model = check(module(make, [a]), [a])
    assert op_types(model) == ["Cast", "MatMul"]
    assert model.graph.initializer[0].data_type == onnx.TensorProto.FLOAT16


def test_bfloat16_goes_in_and_out() -> None:
    x = np.asarray([1.5, -2.0, 3.25], DType.BF16.numpy)
    m = module(lambda b, v: [b.emit(core.Add(v, v)).y], [x])
    (y,) = run(to_onnx(m), [x])
    np.testing.assert_array_equal(y.astype(np.float32), [3.0, -4.0, 6.5])


@pytest.mark.parametrize(("opset", "profile"), [(17, "ort"), (21, "ort"), (21, "openvino")])
def test_onnx_runtime_takes_moved_int8_inputs(opset: int, profile: Literal["ort", "openvino"], tmp_path: Path) -> None:
    """From opset 21 on it refuses what it makes of a border that is moved by itself (1.31)."""
    weights = RNG.integers(-127, 128, (8, 3, 3, 4)).astype(np.int8)
    file = TflFile()
    x = file.tensor("int8", (1, 6, 6, 4), quant=(0.05, 3), name="x")
    w = file.constant(weights, Quantization(tuple(0.01 + 0.001 * i for i in range(8)), (0,) * 8))
    y = file.tensor("int8", (1, 4, 4, 8), quant=(0.5, -2))
    file.op("CONV_2D", [x, w], [y], {"padding": 1, "stride_w": 1, "stride_h": 1}, version=3)
    file.interface([x], [y])
    path, made = tmp_path / "m.tflite", tmp_path / "m.onnx"
    path.write_bytes(file.content())
    mlconv.convert(path, to="onnx", output=made, opset=opset, onnx_profile=profile)
    values = RNG.integers(-128, 128, (1, 6, 6, 4)).astype(np.int8)
    (expected,) = mlconv.load(path).run({"x": values}).values()
    (got,) = onnxruntime.InferenceSession(made).run(None, {"x": values})
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("products", ["dequantize", "matmulnbits"])
def test_a_short_last_block(zeros: bool, products: str) -> None:
    a = np.random.default_rng(5).standard_normal((3, 27)).astype(np.float32)
    m = module(lambda b, x: four_bits(b, x, DType.U4, zeros), [a])
    model = check(m, [a], tolerance=1e-3, int4_products=products)
    assert op_types(model) == (["MatMulNBits"] if products == "matmulnbits" else ["DequantizeLinear", "MatMul"])
