"""Convert several models at once: the same bytes as one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mlconv

MODELS = Path(__file__).parent.parent / "testdata" / "models"


def converted(job: tuple[str, str]) -> bytes:
    name, target = job
    with mlconv.temporary_artifact(MODELS / name, to=target) as made:
        return Path(made.output).read_bytes()


jobs = [(name, target) for name in ("digits_cnn.onnx", "digits_rnn.pb") for target in ("tflite", "onnx", "native")]
with ThreadPoolExecutor(4) as pool:
    together = list(pool.map(converted, jobs))
for job, data in zip(jobs, together, strict=True):
    assert data == converted(job)
    print(*job, f"{len(data)} bytes")
