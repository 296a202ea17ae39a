"""Compile a model to native code for the length of a block, and call it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

image = np.random.default_rng(0).random((1, 1, 8, 8), dtype=np.float32)
path, shapes = MODELS / "digits_cnn.onnx", {"image": (1, 1, 8, 8)}
with mlconv.temporary_artifact(path, to="native", shapes=shapes) as made:
    compiled = mlconv.load_native(made.output)
    print(compiled)
    fast = compiled.run({"image": image})
exact = mlconv.load(path).run({"image": image})
for name, array in fast.items():
    print(f"{name}: off the reference interpreter by {np.abs(array - exact[name]).max():.1e}")
    np.testing.assert_allclose(array, exact[name], rtol=1e-3, atol=1e-5)
