"""`mlconv verify --per-layer` of real networks and their quantized files: no alarm."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.ir.constants import Array
from tests.support.npz import npz


def case(corpus: Path, name: str) -> tuple[Path, dict[str, Array]]:
    """A model, and the first inputs of its golden."""
    rows = json.loads((corpus / "manifest.json").read_text())["models"]
    row = next(r for r in rows if r["name"] == name)
    golden = npz(corpus / row["golden"])
    return corpus / row["path"], {port["name"]: golden[f"c0_in{i}"] for i, port in enumerate(row["inputs"])}


@pytest.mark.parametrize(
    ("name", "to", "has_nan"),
    [
        ("whisper_tiny_decoder", "tflite", True),  # a variance of 1 is like its root, and one for many numbers
    ],
)
def test_no_alarm(corpus: Path, tmp_path: Path, name: str, to: str, has_nan: bool) -> None:
    path, x = case(corpus, name)
    rng, spread = np.random.default_rng(zlib.crc32(name.encode())), {k: 0.05 * v.std() for k, v in x.items()}
    samples = [
        {k: v + rng.normal(0, spread[k], v.shape).astype(v.dtype) if v.dtype.kind == "f" else v for k, v in x.items()}
        for _ in range(8)
    ]
    if has_nan:
        next(v for v in x.values() if v.dtype.kind == "f").reshape(-1)[7] = np.nan
    np.savez(tmp_path / "x.npz", **x)
    shapes = {name: v.shape for name, v in x.items()}
    mlconv.quantize(path, to, tmp_path / f"m.{to}", calibration=samples, shapes=shapes)
    found = mlconv.verify(path, tmp_path / f"m.{to}", data=tmp_path / "x.npz", per_layer=True, shapes=shapes)
    assert found.ok, found.problem
