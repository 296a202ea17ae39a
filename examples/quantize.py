"""Quantize a model to int8 with samples, and list the layers that lose most."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

images = np.random.default_rng(0).random((32, 1, 8, 8), dtype=np.float32)
with TemporaryDirectory() as folder:
    result = mlconv.quantize(
        MODELS / "digits_cnn.onnx",
        to="tflite",
        output=Path(folder) / "digits.tflite",
        scheme="int8",
        calibration=[{"image": image[None]} for image in images],
        measure=True,
    )
report = result.quantization
assert report is not None
print(report)
for layer in report.worst_first()[:3]:
    print(f"{layer.node}: {layer.scheme}, {layer.snr:.1f} dB" if layer.snr else f"{layer.node}: {layer.reason}")
