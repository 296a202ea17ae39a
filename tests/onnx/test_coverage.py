"""The tables against the installed onnx package: schemas are current, and every inference operator has a legalization or a known reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import defs, helper

from mlconv.diagnostics import DiagnosticEngine
from mlconv.importers.onnx.model import import_onnx
from mlconv.legalize import from_onnx
from mlconv.legalize.from_onnx.schema_table import SCHEMAS
from tests.onnx.build import model, save, value
from tools.onnx_schema_table import table

# Operators without a legalization, by reason.
STRINGS = {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"}
CODECS = {"ImageDecoder"}


def test_schema_table_covers_the_package() -> None:
    for name, (most, attributes) in table().items():
        known_most, known, known_kinds = SCHEMAS[name]
        assert most <= known_most
        assert set(attributes.split()) <= set(known.split())


def test_every_operator_has_a_legalization() -> None:
    operators = {s.name for s in defs.get_all_schemas_with_history() if s.domain == ""}
    missing = operators - set(from_onnx.op_table().names) - STRINGS - CODECS
    assert missing == set()


@pytest.mark.parametrize(("inputs", "attributes", "words"), [(["x", "x"], {}, "at most 1"), (["x"], {"slope": 0.1}, "no attribute 'slope'")])
def test_surplus_is_refused(inputs: list[str], attributes: dict[str, float], words: str, tmp_path: Path) -> None:
    node = helper.make_node("Relu", inputs, ["y"], **attributes)
    engine = DiagnosticEngine()
    from_onnx.legalize(import_onnx(save(tmp_path, model([node], [value("x", [2])], [value("y")]))), engine)
    assert words in engine.diagnostics[0].message
