"""Run a model file on arrays, and compare with the answers that its framework gave."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

with np.load(MODELS / "digits_cnn.npz") as arrays:
    image, scores = arrays["image"], arrays["scores"]
with mlconv.load(MODELS / "digits_cnn.pb") as model:
    print(model)
    outputs = model.run({"image": image})
for name, array in outputs.items():
    print(f"{name}: {array.shape}, off by {np.abs(array - scores).max():.1e}")
    np.testing.assert_allclose(array, scores, rtol=1e-3, atol=1e-5)
