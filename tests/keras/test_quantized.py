"""Layers that Keras quantizes: weights stay integers of as many bits on each target, and numbers those of Keras."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

import mlconv
from mlconv.runtime.litert import run_tflite

_WRITE = """
import keras
import numpy as np
from keras import layers as L
from keras.quantizers import AbsMaxQuantizer
from keras.src.quantizers.quantization_config import Int4QuantizationConfig, Int8QuantizationConfig

def net():
    ids = keras.Input((6,), dtype="int32", name="x")
    table = L.ReversibleEmbedding(300, 64)
    y = L.MultiHeadAttention(4, 16)(table(ids), table(ids))
    y = L.EinsumDense("abc,cde->abde", output_shape=(None, 3, 64), bias_axes="de", activation="tanh")(y)
    y = L.EinsumDense("abcd,cde->abe", output_shape=(None, 64), bias_axes="e")(y)
    return keras.Model(ids, table(L.Dense(64)(y), reverse=True))

given = np.random.default_rng(0).integers(0, 300, (2, 6)).astype("int32")
configs = {
    "columns": Int4QuantizationConfig(block_size=None),
    "blocks": Int4QuantizationConfig(block_size=32),
    "inputs": Int4QuantizationConfig(activation_quantizer=AbsMaxQuantizer(axis=-1), block_size=None),
    "bytes": Int8QuantizationConfig(activation_quantizer=None),
}
for name, config in configs.items():
    keras.utils.set_random_seed(1)
    model = net()
    model.quantize(config=config)
    model.export(name, verbose=False)
    size = sum(w.numpy().nbytes for w in model.weights)
    np.savez(name + ".npz", given=given, found=np.asarray(model(given)), size=size)
"""


@pytest.mark.long
def test_weights_stay_integers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-c", _WRITE]
    subprocess.run(
        command, check=True, capture_output=True, timeout=600, env={**os.environ, "KERAS_BACKEND": "tensorflow"}
    )
    for name in ("columns", "blocks", "inputs", "bytes"):
        kept = np.load(f"{name}.npz")
        given, size = {"x": kept["given"]}, int(kept["size"])
        mlconv.convert(name, to="tflite", output="m.tflite")
        mlconv.convert(name, to="onnx", output="m.onnx")
        mlconv.convert(name, to="native", output="m.o", weights="file")
        for found in (run_tflite("m.tflite", given, "serving_default"), mlconv.load_native("m.o").run(given)):
            (y,) = found.values()
            step = np.abs(kept["found"]).max() / 127 if name == "inputs" else 0  # what rounding moves by
            np.testing.assert_allclose(y, kept["found"], rtol=1e-4, atol=1e-5 + 4 * step)
        ops = 5 << 12 if name == "inputs" else 1 << 14  # nine layers quantize what they are given
        assert Path("m.tflite").stat().st_size <= 1.1 * size + ops
        assert Path("m.weights.bin").stat().st_size <= 1.1 * size + 300 * 64  # the table and what it is multiplied with
        kinds = {
            i.data_type for i in onnx.load("m.onnx").graph.initializer if len(i.dims) > 1 and np.prod(i.dims) > 1 << 10
        }
        assert kinds <= {TensorProto.INT8 if name == "bytes" else TensorProto.INT4, TensorProto.FLOAT}
        assert TensorProto.FLOAT not in kinds or name == "blocks"  # scales
