"""Convert an ONNX model to TFLite, verified, and say what came out."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

with TemporaryDirectory() as folder:
    result = mlconv.convert(MODELS / "digits_cnn.onnx", "tflite", Path(folder) / "digits.tflite", verify=True)
    print(result)
    print("inputs:", [f"{port['name']} {port['dtype']}{port['shape']}" for port in result.inputs])
    print("ops:", ", ".join(f"{count} {name}" for name, count in result.ops.items()))
