"""Write an ONNX model with fewer nodes and the same results."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"

with TemporaryDirectory() as folder:
    done = mlconv.simplify(MODELS / "digits_cnn.onnx", Path(folder) / "simple.onnx")
print(done)
print(f"compared on {done.checked.runtime}, {done.checked.runs} runs; rules: {done.rules}")
