"""Models with variables: each sample begins with what these hold first of all, on all targets alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from mlconv.passes.state import begin_anew
from mlconv.provenance.locations import NameLocation
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import linear, network

STATE = TensorType(DType.F32, (1, 6))
FIRST = random(1, 6, seed=9)
SAMPLES = [{"x": random(1, 8, seed=k)} for k in range(6)]


def recurrent() -> Module:
    """A step whose state is multiplied, too."""

    def build(e: CoreBuilder, x: Value) -> Value:
        block = x.owner
        builder = Builder(block, NameLocation("state"))  # type: ignore[arg-type]
        held = builder.emit(core.ReadVariable(variable="held", of=STATE)).y
        held = e.clamp(e.add(linear(e, x, 6), e.matmul(held, e.constant(random(6, 6, seed=5)))), -4.0, 4.0)
        builder.emit(core.AssignVariable(held, variable="held"))
        return linear(e, held, 5, seed=8)

    module = network((1, 8), build)
    module.main.facts.variables = {"held": make_const(FIRST)}
    return module


def layers(result: Any) -> list[tuple[object, ...]]:
    return [(a.op, a.scheme, a.scale, a.zero_point) for a in result.quantization.layers if a.op == "core.matmul"]


@pytest.mark.parametrize("path", [False, True])
def test_all_targets(path: bool, tmp_path: Path) -> None:
    """Samples need not say what variables hold; what is written goes on from call to call as the model does."""
    given: Any = SAMPLES
    if path:
        given = str(tmp_path / "x.npz")
        np.savez(given, x=np.stack([s["x"][0] for s in SAMPLES]))
    found = [
        mlconv.quantize(
            recurrent(), t, tmp_path / f"{t}.{t}", scheme="int8", calibration=given, verify=True, measure=True
        )
        for t in ("tflite", "native", "onnx")
    ]
    first, *others = map(layers, found)
    assert len(first) == 3 and all(scheme == "int8" for _, scheme, *_ in first)
    assert all(first == other for other in others)
    for result in found:
        assert result.quantization is not None and 25 < (result.quantization.outputs[0].snr or 0) < 70


def test_samples_may_say_what_variables_hold(tmp_path: Path) -> None:
    wide = [{**s, "held": 3 * s["x"][:, :6]} for s in SAMPLES]
    scales = []
    for i, given in enumerate((SAMPLES, wide)):
        result = mlconv.quantize(recurrent(), "native", tmp_path / f"m{i}.o", scheme="int8", calibration=given)
        scales.append(layers(result)[-1])
    assert scales[0] != scales[1]


def test_runs_that_begin_anew() -> None:
    module = recurrent()
    state: dict[str, np.ndarray] = {}
    want = run_function(module.main, SAMPLES[0], state)
    begin_anew(module.main)
    for _ in range(2):
        np.testing.assert_array_equal(run_function(module.main, SAMPLES[0])["y"], want["y"])
