"""What quantizes floats at run time, as ONNX Runtime's `quantize_dynamic` writes it, is as small a TFLite file, and
native weights.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from ai_edge_litert import interpreter as litert
from onnx import numpy_helper
from onnxruntime import quantization

import mlconv
from mlconv.runtime.litert import run_tflite
from mlconv.runtime.native import load_native
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import session_for
from tests.support.open_networks import Graph

WIDTH, ROWS = 48, 16


def dense(g: Graph, x: str, n: int, m: int) -> str:
    return g.op("Add", g.op("MatMul", x, g.floats(n, m, scale=0.1)), g.floats(m))


def encoder(g: Graph) -> str:
    y = "x"
    for _ in range(3):
        heads = [dense(g, y, WIDTH, WIDTH) for _ in range(3)]
        scores = g.op("Softmax", g.op("MatMul", heads[0], g.op("Transpose", heads[1], perm=[0, 2, 1])), axis=-1)
        y = g.op("Tanh", g.op("Add", y, dense(g, g.op("MatMul", scores, heads[2]), WIDTH, WIDTH)))
        y = g.op("Tanh", g.op("Add", y, dense(g, g.op("Relu", dense(g, y, WIDTH, 96)), 96, WIDTH)))
    return y


def inverted_residuals(g: Graph) -> str:
    y = g.op("Reshape", "x", g.ints(1, 3, 16, 16))
    y = g.op("Relu", g.op("Conv", y, g.floats(16, 3, 3, 3), g.floats(16), pads=[1] * 4))
    for _ in range(4):
        wide = g.op("Relu", g.op("Conv", y, g.floats(64, 16, 1, 1, scale=0.1), g.floats(64)))
        wide = g.op("Sigmoid", g.op("Conv", wide, g.floats(64, 1, 3, 3), g.floats(64), pads=[1] * 4, group=64))
        y = g.op("Add", y, g.op("Conv", wide, g.floats(16, 64, 1, 1, scale=0.1), g.floats(16)))
    return y


def recurrent(g: Graph) -> str:
    y = g.op("Reshape", "x", g.ints(ROWS, 1, WIDTH))
    for _ in range(4):
        weights = g.floats(1, 4 * WIDTH, WIDTH), g.floats(1, 4 * WIDTH, WIDTH), g.floats(1, 8 * WIDTH)
        y = g.op("Squeeze", g.op("LSTM", y, *weights, hidden_size=WIDTH), g.ints(1))
    return y


@pytest.mark.share(2)
@pytest.mark.parametrize("weights", ["QInt8", "QUInt8"])
@pytest.mark.parametrize("network", [encoder, inverted_residuals, recurrent])
def test_dynamic(network: object, weights: str, tmp_path: Path) -> None:
    assert callable(network)
    g = Graph()
    result = network(g)
    proto = model(g.nodes, [value("x", [1, ROWS, WIDTH])], [value(result)], g.weights)
    proto.ir_version = 9
    kind = getattr(quantization.QuantType, weights)
    source = tmp_path / "q.onnx"  # of 7 bits, as ONNX Runtime adds products of 8 with saturation on AVX2
    quantization.quantize_dynamic(save(tmp_path, proto), source, weight_type=kind, reduce_range=True)
    x = np.random.default_rng(2).standard_normal((1, ROWS, WIDTH)).astype(np.float32)
    (want,) = session_for(onnx.load(source)).run(None, {"x": x})
    mlconv.convert(source, "tflite", tmp_path / "m.tflite")
    mlconv.convert(source, "native", tmp_path / "m.o", weights="file", cpu="x86-64-v3")
    assert (tmp_path / "m.tflite").stat().st_size <= 1.1 * source.stat().st_size + 16_384
    initializers = sum(numpy_helper.to_array(v).nbytes for v in onnx.load(source).graph.initializer)
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.1 * initializers
    kernels = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    plain = litert.Interpreter(str(tmp_path / "m.tflite"), experimental_op_resolver_type=kernels)
    made = [
        run_tflite(str(tmp_path / "m.tflite"), {"x": x}, "serving_default"),
        plain.get_signature_runner()(x=x),
        load_native(tmp_path / "m.o").run({"x": x}),
        mlconv.load(tmp_path / "m.tflite").run({"x": x}),
    ]
    for (got,) in (outputs.values() for outputs in made):
        assert np.abs(got - want).max() <= 0.02 * np.abs(want).max()
