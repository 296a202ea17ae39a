"""Softmax of masked numbers: a scale for the mask leaves no integers to the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import network

SHAPE = (6, 16)


def weighed(e: CoreBuilder, x: Value) -> Value:
    scores = e.matmul(x, e.constant(np.eye(16, dtype=np.float32)))
    return e.matmul(e.y(core.Softmax(scores, axis=1)), e.constant(random(16, 5, seed=2)))


@pytest.mark.parametrize(("mask", "scheme"), [(0.0, "int16x8"), (-1e9, "float")])
def test_masked_softmax(mask: float, scheme: str, tmp_path: Path) -> None:
    samples = [{"x": random(*SHAPE, seed=k)} for k in range(4)]
    for sample in samples:
        sample["x"][:, ::4] += np.float32(mask)
    out = tmp_path / "m.tflite"
    result = mlconv.quantize(network(SHAPE, weighed), "tflite", out, scheme="int16x8", calibration=samples)
    assert result.quantization is not None
    (softmax,) = (a for a in result.quantization.layers if a.op == "core.softmax")
    assert softmax.scheme == scheme and ("reads a mask" in softmax.reason) == (scheme == "float")
