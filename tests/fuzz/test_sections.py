"""Sections of damaged files: refused, or numbers that add up; never anything else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import ConversionError
from mlconv.formats.wire_sections import ONNX, TENSORFLOW, sections_of
from mlconv.importers.tflite.about import about_tflite
from mlconv.importers.tflite.sections import tflite_sections


def mutants(data: bytes, count: int) -> list[bytes]:
    draw = np.random.default_rng(5)
    found = [data[: int(draw.integers(1, len(data)))] for _ in range(count // 4)]
    for _ in range(count):
        changed = bytearray(data)
        for at in draw.integers(0, min(len(data), 4000), 3):
            changed[at] = int(draw.integers(0, 256))
        found.append(bytes(changed))
    return found


@pytest.mark.parametrize(
    ("model", "tables", "root"), [("digits_cnn.onnx", ONNX, "ModelProto"), ("digits_cnn.pb", TENSORFLOW, "GraphDef")]
)
def test_messages(model: str, tables: dict[str, dict[int, str]], root: str, models: Path) -> None:
    data = (models / model).read_bytes()
    assert sum(sections_of(data, tables, root).values()) == len(data)
    refused = 0
    for mutant in mutants(data, 150):
        try:
            assert sum(sections_of(mutant, tables, root).values()) == len(mutant)
        except ConversionError:
            refused += 1
    assert refused > 20


def test_flatbuffers(models: Path, tmp_path: Path) -> None:
    output = tmp_path / "m.tflite"
    mlconv.convert(models / "digits_cnn.onnx", "tflite", output)
    data = output.read_bytes()
    assert sum(tflite_sections(str(output)).values()) == len(data)
    for mutant in mutants(data, 120):
        output.write_bytes(mutant)
        try:
            about_tflite(str(output))
            found = tflite_sections(str(output))
        except ConversionError:
            continue
        assert not found or sum(found.values()) == len(mutant)
