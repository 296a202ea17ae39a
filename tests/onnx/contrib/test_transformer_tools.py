"""What ONNX Runtime's transformer optimizer, quantizers and graph optimizations write of a small BERT: its numbers in
the interpreter, TFLite and native code.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime import quantization
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_model

import mlconv
from tests.onnx.contrib.bert import HEADS, HIDDEN, Array, bert, samples
from tests.onnx.contrib.cases import run_target
from tests.support.onnx_runtimes import session_for

OPTIONS = {"DefaultTensorType": onnx.TensorProto.FLOAT}  # the quantizer does not infer types of com.microsoft
Write = Callable[[Path, Path], None]


class Samples(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Eight random sentences."""

    def __init__(self) -> None:
        self.left = samples(8)

    def get_next(self) -> dict[str, Array] | None:
        return self.left.pop() if self.left else None


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert") / "plain.onnx"
    onnx.save(bert(), path)
    return path


@pytest.fixture(scope="module")
def fused(plain: Path) -> Path:
    """With the fusions that the optimizer itself makes, without those of the runtime."""
    options = FusionOptions("bert")
    options.enable_shape_inference = False  # which needs a package that is not installed
    made = optimize_model(str(plain), "bert", HEADS, HIDDEN, optimization_options=options, opt_level=0)
    path = plain.with_name("fused.onnx")
    made.save_model_to_file(str(path))
    return path


def ops(path: Path) -> set[str]:
    return {n.op_type for n in onnx.load(path).graph.node if n.domain == "com.microsoft"}


def check(path: Path, folder: Path, tolerance: float) -> None:
    """tolerance: as a part of the largest number."""
    inputs = samples(1)[0]
    (want,) = session_for(onnx.load(path)).run(None, inputs)
    (own,) = mlconv.load(path).run(inputs).values()
    (lite,), (code,) = (run_target(path, inputs, target, folder) for target in ("tflite", "native"))
    for got in (own, lite, code):
        assert np.abs(got.reshape(want.shape) - want).max() <= tolerance * np.abs(want).max()


def optimized(source: Path, made: Path) -> None:
    """What a session makes of a model for itself."""
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(made)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    onnxruntime.InferenceSession(str(source), options)


def dynamic(source: Path, made: Path) -> None:
    quantization.quantize_dynamic(source, made, reduce_range=True, extra_options=OPTIONS)


def static(source: Path, made: Path, form: str) -> None:
    quantization.quantize_static(
        source,
        made,
        Samples(),
        quant_format=quantization.QuantFormat[form],
        activation_type=quantization.QuantType.QUInt8,
        reduce_range=True,
        extra_options=OPTIONS,
    )


def test_fused(fused: Path, tmp_path: Path) -> None:
    assert ops(fused) == {"Attention", "SkipLayerNormalization", "BiasGelu"}
    check(fused, tmp_path, 1e-5)


def test_optimized_by_the_runtime(plain: Path, tmp_path: Path) -> None:
    optimized(plain, tmp_path / "o.onnx")
    assert {"FusedMatMul", "SkipLayerNormalization"} <= ops(tmp_path / "o.onnx")
    check(tmp_path / "o.onnx", tmp_path, 1e-5)


QUANTIZED: dict[str, tuple[str, Write, set[str], float]] = {
    "dynamic": ("fused", dynamic, {"QAttention"}, 1e-3),
    "QDQ": ("fused", lambda a, b: static(a, b, "QDQ"), {"Attention"}, 0.02),
    "QOperator": ("plain", lambda a, b: static(a, b, "QOperator"), {"QLinearAdd"}, 0.05),
}


@pytest.mark.share(6)
@pytest.mark.parametrize("runtime", [False, True], ids=["", "optimized"])
@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized(name: str, runtime: bool, plain: Path, fused: Path, tmp_path: Path) -> None:
    """As it is written, and as the runtime optimizes that."""
    source, write, expected, tolerance = QUANTIZED[name]
    made = tmp_path / "q.onnx"
    write(fused if source == "fused" else plain, made)
    assert expected <= ops(made)
    if runtime:
        optimized(made, tmp_path / "o.onnx")
        made = tmp_path / "o.onnx"
    check(made, tmp_path, tolerance)
