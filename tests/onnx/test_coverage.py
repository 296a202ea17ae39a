"""The tables against the installed onnx package: schemas are current, and every inference operator has a legalization
or a known reason.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import defs, helper

from mlconv.diagnostics import DiagnosticEngine
from mlconv.importers.onnx.model import import_onnx
from mlconv.legalize import from_onnx
from mlconv.legalize.from_onnx.constraints import RANKS
from mlconv.legalize.from_onnx.schema_table import SCHEMAS
from tests.support.onnx_models import model, save, value
from tools.onnx_schema_table import table

# Operators without a legalization, by reason.
STRINGS = {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"}
CODECS = {"ImageDecoder"}


def test_schema_table_covers_the_package() -> None:
    for name, (least, most, attributes, kinds) in table().items():
        known_least, known_most, known, known_kinds = SCHEMAS[name]
        assert known_least <= least
        assert most <= known_most
        assert set(attributes.split()) <= set(known.split())
        assert all(set(a) <= set(b) for a, b in zip(kinds.split(), known_kinds.split(), strict=True))


def test_ranks_are_of_inputs_that_operators_have() -> None:
    """The table of ranks names operators with rules, and no more inputs than they have."""
    assert set(RANKS) <= set(from_onnx.op_table().names)
    for name, ranks in RANKS.items():
        if name in SCHEMAS:
            assert len(ranks.replace(" ...", "").split()) <= SCHEMAS[name][1]


def test_every_operator_has_a_legalization() -> None:
    operators = {s.name for s in defs.get_all_schemas_with_history() if s.domain == ""}
    missing = operators - set(from_onnx.op_table().names) - STRINGS - CODECS
    assert missing == set()


@pytest.mark.parametrize(
    ("inputs", "attributes", "words"), [(["x", "x"], {}, "at most 1"), (["x"], {"slope": 0.1}, "no attribute 'slope'")]
)
def test_surplus_is_refused(inputs: list[str], attributes: dict[str, float], words: str, tmp_path: Path) -> None:
    node = helper.make_node("Relu", inputs, ["y"], **attributes)
    engine = DiagnosticEngine()
    from_onnx.legalize(import_onnx(save(tmp_path, model([node], [value("x", [2])], [value("y")]))).module, engine)
    assert words in engine.diagnostics[0].message
