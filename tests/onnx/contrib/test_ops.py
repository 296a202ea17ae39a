"""Operators of com.microsoft against ONNX Runtime: random cases on the interpreter, some of them on each target."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.onnx.contrib.attentions import OPS as ATTENTIONS
from tests.onnx.contrib.cases import SEEDS, check, check_target
from tests.onnx.contrib.fused import OPS as FUSED
from tests.onnx.contrib.quantized import OPS as QUANTIZED
from tests.onnx.contrib.transformers import OPS as TRANSFORMERS

OPS = {**ATTENTIONS, **TRANSFORMERS, **QUANTIZED, **FUSED}
ON_TARGETS = {"tflite": (0, 7), "native": (1, 5), "hlo": (3,)}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", OPS)
def test_random_cases(name: str, tmp_path: Path) -> None:
    for seed in range(SEEDS):
        check(OPS[name], seed, tmp_path)


@pytest.mark.share(6)
@pytest.mark.parametrize(("name", "target"), [(name, target) for name, op in OPS.items() for target in op.targets])
def test_on_targets(name: str, target: str, tmp_path: Path) -> None:
    for seed in ON_TARGETS[target]:
        check_target(OPS[name], seed, target, tmp_path)
