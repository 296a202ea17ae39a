"""Quantized ONNX files as native code: the integers of the interpreter, no larger weights, scales in the interface."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.pipeline import source_pipeline, standard_pipeline
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.printer import print_module
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType
from mlconv.passes.base import PassContext
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.provenance.locations import NameLocation
from mlconv.runtime.native import load_native
from tests.support.native import CPUS

# name, shape of its input
NETS = [
    ("digits_torch_cnn_qdq_u8", (2, 1, 8, 8)),
    ("digits_torch_cnn_qdq_s8_pc", (2, 1, 8, 8)),
    ("digits_torch_cnn_qop_u8", (2, 1, 8, 8)),
    ("wine_mlp_qdq_s8_pc_sym", (3, 13)),
    ("wine_mlp_qop_u8", (3, 13)),
    ("resnet18w16_legacy_op11_qdq_s8_pc", (1, 3, 64, 64)),
    ("resnet18w16_legacy_op11_qop_u8", (2, 3, 64, 64)),
    ("unet_legacy_op17_qdq_u8", (1, 3, 32, 48)),
    ("vit_tiny_legacy_qdq_u8", (1, 3, 32, 32)),
]


def over_integers(path: Path) -> Module:
    """What all passes on core ops make of a file."""
    module = mlconv.load(path).module
    for passes in (
        source_pipeline(module, Options(), BUILT_IN),
        standard_pipeline(Options(), BUILT_IN.target("native")),
    ):
        engine = DiagnosticEngine()
        run_pipeline(module, parse_pipeline(passes), Instruments(context=PassContext(engine)))
        engine.raise_errors()
    return module


def initializer_bytes(path: Path) -> int:
    tensors = onnx.load(str(path)).graph.initializer
    return sum(onnx.numpy_helper.to_array(t).nbytes for t in tensors)


@pytest.mark.share(12)
@pytest.mark.parametrize(("name", "shape"), NETS)
def test_quantized_files(name: str, shape: tuple[int, ...], corpus: Path, tmp_path: Path) -> None:
    source = corpus / "models" / "onnx" / f"{name}.onnx"
    module = over_integers(source)
    inputs = {module.main.inputs[0].name: np.random.default_rng(3).standard_normal(shape).astype(np.float32)}
    (want,) = run_function(module.main, inputs).values()
    for cpu in CPUS:
        made = tmp_path / f"{cpu}.o"
        mlconv.convert(source, "native", made, cpu=cpu, pool=True, weights="file", verify_each=True)
        for threads in (1, 2):
            (got,) = load_native(made, threads).run(inputs).values()
            np.testing.assert_array_equal(got, want)
        assert made.with_suffix(".weights.bin").stat().st_size <= 1.1 * initializer_bytes(source)


def test_the_interface_has_scales(tmp_path: Path) -> None:
    x, y = QuantType.of(DType.I8, 0.5, 3), QuantType.of(DType.I8, 1.0, -5)
    function = Function.create("main", [TensorType(x, (2, 3))], ["x"], NameLocation("f"))
    builder = Builder(function.block, NameLocation("op"))
    (number,) = function.inputs
    made = builder.emit(core.QuantBinary(number, number, kind="add", element=y, lo=-128, hi=127)).y
    builder.emit(Yield([made]))
    function.output_names = ["y"]
    (tmp_path / "m.mlir").write_text(print_module(Module([function]), inline=True))
    mlconv.convert(tmp_path / "m.mlir", "native", tmp_path / "m.o")
    facts = json.loads((tmp_path / "m.io.json").read_text())
    found = [facts[side][0]["quantization"] for side in ("inputs", "outputs")]
    assert [(q["scales"], q["zero_points"]) for q in found] == [([0.5], [3]), ([1.0], [-5])]
