"""Ask what each target would say of a model, within budgets, without converting."""

from __future__ import annotations

from pathlib import Path

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

report = mlconv.check(
    MODELS / "digits_transformer.onnx",
    to=["tflite", "onnx", "native"],
    profiles=["tflite-micro"],
    shapes={"image": (1, 8, 8)},
    max_size={"tflite": 64_000},
    max_time=1e-3,
    core=(100e9, 15e9),
)
print(report)
for target in report.targets:
    refused = [diagnostic.message for diagnostic in target.diagnostics]
    print(target.target, target.estimate, refused[:2] or "takes all of it")
