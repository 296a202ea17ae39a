"""Quantize as far as a metric of your own allows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

images = np.random.default_rng(1).random((24, 1, 8, 8), dtype=np.float32)
model = mlconv.load(MODELS / "digits_cnn.onnx")
labels = [int(next(iter(model.run({"image": image[None]}).values())).argmax()) for image in images]
samples = [{"image": image[None], "label": np.array(label)} for image, label in zip(images, labels, strict=True)]


def margin(outputs: Mapping[str, NDArray[Any]], sample: Mapping[str, NDArray[Any]]) -> float:
    """How far the right class is ahead of all others."""
    scores = next(iter(outputs.values())).ravel()
    right = int(sample["label"])
    return float(scores[right] - np.delete(scores, right).max())


with TemporaryDirectory() as folder:
    result = mlconv.quantize(
        MODELS / "digits_cnn.onnx",
        output=Path(folder) / "digits.tflite",
        calibration=[{"image": image[None]} for image in images],
        max_drop=0.05,
        metric=margin,
        evaluation=samples,
    )
assert result.quantization is not None and result.quantization.budget is not None
budget = result.quantization.budget
print(f"{budget.metric}: {budget.float_score:.4f} before, {budget.score:.4f} now; {len(budget.kept)} layers kept")
