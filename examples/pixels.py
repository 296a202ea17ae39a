"""Put normalization and layout into a model, so that raw pixels go in."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

with mlconv.temporary_artifact(
    MODELS / "digits_cnn.onnx",
    to="native",
    shapes={"image": (1, 1, 8, 8)},
    layouts={"image": "nhwc"},
    means={"image": 0.0},
    stds={"image": 255.0},
    input_types={"image": "uint8"},
) as made:
    model = mlconv.load_native(made.output)
    print(model)
    pixels = np.random.default_rng(0).integers(0, 256, (1, 8, 8, 1), dtype=np.uint8)
    raw = model.run({"image": pixels})
floats = pixels.transpose(0, 3, 1, 2).astype(np.float32) / 255
for name, array in mlconv.load(MODELS / "digits_cnn.onnx").run({"image": floats}).items():
    print(f"{name}: off by {np.abs(array - raw[name]).max():.1e}")
    np.testing.assert_allclose(raw[name], array, rtol=1e-3, atol=1e-5)
