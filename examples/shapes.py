"""Pin sizes, or keep them open within a range."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

path = MODELS / "digits_cnn.onnx"
for size in (4, "1..32", "batch"):
    with mlconv.temporary_artifact(path, to="native", shapes={"image": (size, 1, 8, 8)}) as made:
        model = mlconv.load_native(made.output)
        print(size, "gives", model)
        rows = 4 if size == 4 else 7
        outputs = model.run({"image": np.zeros((rows, 1, 8, 8), np.float32)})
        assert all(array.shape[0] == rows for array in outputs.values())
