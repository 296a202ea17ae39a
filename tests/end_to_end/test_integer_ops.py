"""Each op over integers of the corpus' quantized models, and of those that are quantized here, on the integers that it
has there: native code of every instruction set gives those of the interpreter, and so does LiteRT.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.rounded_base import OverIntegers
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.pipeline import source_pipeline, standard_pipeline
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value, Yield, clone_op
from mlconv.ir.module import Function, Module, clone_module
from mlconv.ir.types import TensorType
from mlconv.passes.base import PassContext
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite import edit
from mlconv.runtime.native import load_native
from tests.support.litert import file_bytes, run_litert, to_tfl
from tests.support.native import CPUS, to_object

Array = np.ndarray[Any, Any]
# name, shape of its input (of all in TFLite files; as it is where empty), the least number of ops over integers
NETS = [
    ("digits_torch_cnn_qdq_u8", (1, 1, 8, 8), 3),
    ("digits_torch_cnn_qdq_s8_pc", (1, 1, 8, 8), 3),
    ("digits_torch_cnn_qop_u8", (1, 1, 8, 8), 3),
    ("digits_torch_cnn_dynamic", (1, 1, 8, 8), 3),
    ("mnist_dynamic_quant", (1, 1, 28, 28), 3),
    ("gru_legacy_op14_qdq_u8", (2, 5, 8), 1),
    ("wine_mlp_dynamic", (3, 13), 3),
    ("wine_mlp_qdq_s8", (3, 13), 2),
    ("wine_mlp_qdq_s8_pc_sym", (3, 13), 2),
    ("wine_mlp_qdq_u8", (3, 13), 2),
    ("wine_mlp_qop_u8", (3, 13), 2),
    ("resnet18w16_legacy_op11_qdq_s8_pc", (1, 3, 64, 64), 25),
    ("resnet18w16_legacy_op11_qop_u8", (1, 3, 64, 64), 25),
    ("unet_legacy_op17_qdq_u8", (1, 3, 32, 48), 10),
    ("vit_tiny_legacy_qdq_u8", (1, 3, 32, 32), 20),
    ("bert_tiny_legacy_op14_qdq_s8", (1, 16), 10),
    ("tflite/digits_cnn_int8", (1, 8, 8, 1), 5),
    ("tflite/digits_cnn_int16", (1, 8, 8, 1), 5),
    ("tflite/hello_world_int8", (2, 1), 3),
    ("tflite/k3_conv1d_misc_tfl_int8", (1, 24, 5), 15),
    ("tflite/k3_mobilenetv2_035_tfl_int8", (1, 96, 96, 3), 60),
    ("tflite/micro_speech_quantized", (), 3),
    ("tflite/mlperf_kws_int8", (1, 49, 10, 1), 12),
    ("tflite/mnist_lstm_int8", (), 1),
    ("tflite/mobilenet_v1_025_quant", (), 30),
    ("tflite/waves_lstm_int8", (1, 40, 1), 500),
    ("tflite/digits_cnn_dynamic", (1, 8, 8, 1), 1),
    ("tflite/k3_bert_mini_tfl_dynamic", (1, 16), 1),
    ("tflite/waves_lstm_dynamic", (1, 40, 1), 1),
]
FLOATS = [
    ("saved_model/digits_cnn", (1, 8, 8, 1)),
    ("onnx/digits_torch_cnn.onnx", (1, 1, 8, 8)),
    ("saved_model/k2_mlperf_strww", (1, 30, 1, 40)),
    ("saved_model/mlperf_kws", (1, 49, 10, 1)),
    ("graphdef/waves_lstm__frozen.pb", (1, 40, 1)),
    ("onnx/wine_mlp.onnx", (3, 13)),
]
"""Jobs of the corpus."""
LOOSE = (core.QuantResize, core.QuantConvTranspose)
"""What LiteRT computes otherwise, and products of two activations: one step on 5 % of the values at most."""


def over_integers(path: Path, shape: tuple[int, ...]) -> Module:
    """What all passes on core ops make of a file, for TFLite."""
    names = list(mlconv.load(path).module.main.input_names)
    shaped = names if path.suffix == ".tflite" else names[:1]
    module = mlconv.load(path, shapes=dict.fromkeys(shaped, shape) if shape else {}).module
    target = BUILT_IN.target("tflite")
    for passes in (source_pipeline(module, Options(), BUILT_IN), standard_pipeline(Options(), target)):
        engine = DiagnosticEngine()
        run_pipeline(module, parse_pipeline(passes), Instruments(context=PassContext(engine)))
        engine.raise_errors()
    return module


def inputs_of(module: Module) -> dict[str, Array]:
    rng = np.random.default_rng(3)
    made = {}
    for value in module.main.inputs:
        shape = value.tensor.static_shape()
        if value.tensor.dtype.is_float:
            made[value.name] = rng.standard_normal(shape).astype(value.tensor.dtype.numpy)
        else:
            made[value.name] = rng.integers(0, 2, shape).astype(value.tensor.dtype.numpy)
    return made


def is_over_integers(op: Op) -> bool:
    return isinstance(op, (OverIntegers, core.IntegerConv, core.IntegerMatMul))


def observed(module: Module, inputs: dict[str, Array]) -> tuple[list[Op], dict[Value, Array]]:
    """The ops, and the integers of what they read and make."""
    function = module.main
    ops = [op for op in function.block.ops if is_over_integers(op)]
    values = list(dict.fromkeys(v for op in ops for v in (*op.inputs, *op.results)))
    edit.set_operands(function.block.terminator, values)
    function.output_names = [f"v{i}" for i in range(len(values))]
    found = run_function(function, inputs)
    return ops, {v: np.asarray(found[f"v{i}"]) for i, v in enumerate(values)}


def apart(ops: list[Op]) -> tuple[Module, list[Value]]:
    """The ops side by side; what they read, besides constants, are inputs."""
    reads = [v for op in ops for v in op.inputs if not isinstance(v.producer, core.Constant)]
    types = [TensorType(v.tensor.element, v.tensor.shape) for v in reads]
    function = Function.create("main", types, [f"in{i}" for i in range(len(types))], NameLocation("f"))
    builder, made, at = Builder(function.block, NameLocation("op")), list[Value](), 0
    for op in ops:
        mapping = {}
        for value in op.inputs:
            if isinstance(value.producer, core.Constant):
                mapping[value] = builder.emit(clone_op(value.producer, {})).results[0]
            else:
                mapping[value], at = function.inputs[at], at + 1
        made += builder.emit(clone_op(op, mapping)).results
    builder.emit(Yield(made))
    function.output_names = [f"out{i}" for i in range(len(made))]
    return Module([function]), reads


def is_loose(op: Op) -> bool:
    two = isinstance(op, core.QuantMatMul) and not isinstance(op.b.producer, core.Constant)
    leaky = isinstance(op, core.QuantTable) and op.function == "leaky_relu"
    return two or leaky or isinstance(op, LOOSE)


@pytest.mark.share(6)
@pytest.mark.parametrize(("name", "shape", "least"), NETS, ids=[row[0] for row in NETS])
def test_each_op(name: str, shape: tuple[int, ...], least: int, corpus: Path, tmp_path: Path) -> None:
    kind = "tflite" if name.startswith("tflite/") else "onnx"
    check(over_integers(corpus / "models" / kind / f"{name.split('/')[-1]}.{kind}", shape), least, tmp_path)


@pytest.mark.share(6)
@pytest.mark.parametrize("scheme", ["int8", "int16x8"])
@pytest.mark.parametrize(("name", "shape"), FLOATS, ids=[row[0] for row in FLOATS])
def test_each_op_of_ours(name: str, shape: tuple[int, ...], scheme: str, corpus: Path, tmp_path: Path) -> None:
    source = corpus / "models" / name
    (x,) = mlconv.load(source).module.main.inputs
    samples = [{x.name: a} for a in np.random.default_rng(4).standard_normal((8, *shape)).astype(x.tensor.dtype.numpy)]
    made = tmp_path / "m.tflite"
    mlconv.convert(source, "tflite", made, quantize=scheme, calibration=samples, shapes={x.name: shape})
    check(over_integers(made, ()), 1, tmp_path)


def check(module: Module, least: int, tmp_path: Path) -> None:
    ops, values = observed(module, inputs_of(module))
    assert len(ops) >= least
    alone, reads = apart(ops)
    arrays = [values[v] for v in reads]
    wanted = [values[v] for op in ops for v in op.results]
    for cpu in CPUS:
        path = to_object(alone, tmp_path / f"{cpu}.o", cpu)
        found = load_native(path).run({f"in{i}": a for i, a in enumerate(arrays)})
        for op, want, got in zip(ops, wanted, found.values(), strict=True):
            np.testing.assert_array_equal(got, want, err_msg=f"{cpu}: {op.describe()}")
    for op, want, got in zip(ops, wanted, run_litert(file_bytes(to_tfl(clone_module(alone))), arrays), strict=True):
        off = np.abs(got.astype(np.int64) - want.astype(np.int64))
        allowed = (0.05, 1) if is_loose(op) else (0.0, 0)
        assert np.mean(off > 0) <= allowed[0] and off.max(initial=0) <= allowed[1], op.describe()
