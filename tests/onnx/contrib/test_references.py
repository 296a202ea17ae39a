"""Operators of com.microsoft that no CPU of ONNX Runtime runs, against NumPy; and what it runs wrongly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from tests.onnx.contrib.cases import SEEDS, Array, build, compare, judged, real, run_target, whole
from tests.onnx.contrib.references import CASES
from tests.onnx.rows import Row
from tests.support.onnx_models import save


@pytest.mark.parametrize("name", CASES)
def test_random_cases(name: str, tmp_path: Path) -> None:
    for seed in range(SEEDS):
        case = CASES[name](np.random.default_rng(seed))
        proto, inputs = build(case.row)
        found = list(mlconv.load(save(tmp_path, proto)).run(inputs).values())
        for want, got in zip(case.expected, found, strict=True):
            compare(want, got, case.row.tolerance, case.steps)


@pytest.mark.share(4)
@pytest.mark.parametrize("target", ["tflite", "native", "hlo"])
@pytest.mark.parametrize("name", CASES)
def test_on_targets(name: str, target: str, tmp_path: Path) -> None:
    case = CASES[name](np.random.default_rng(2))
    proto, inputs = build(case.row)
    path = save(tmp_path, proto)
    if not inputs:  # all of it is constant
        return
    for want, got in zip(case.expected, run_target(path, inputs, target, tmp_path), strict=True):
        compare(want, got.reshape(want.shape), 1e-4, case.steps)


def test_codes_of_4_bits_that_are_not_transposed(tmp_path: Path) -> None:
    """MatMulBnb4 with transB 0 is a times w, where ONNX Runtime's CPUs multiply by the transpose of what lies there."""
    rng = np.random.default_rng(0)
    n, k = 6, 32
    weights: list[Array | None] = [whole(rng, n * k // 2), real(rng, n * k // 16, low=0.05, high=1)]
    attributes = {"K": k, "N": n, "block_size": 16, "quant_type": 1}
    name = "com.microsoft:MatMulBnb4"
    _, _, (transposed,) = judged(Row(name, [np.eye(k, dtype=np.float32), *weights], attributes), tmp_path)
    a = real(rng, 3, n)
    proto, inputs = build(Row(name, [a, *weights], {**attributes, "transB": 0}, constants=(1, 2)))
    (found,) = mlconv.load(save(tmp_path, proto)).run(inputs).values()
    compare(a @ transposed.T, found, 1e-5, 0)
