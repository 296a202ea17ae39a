"""Casts that have no form."""

from __future__ import annotations

from mlconv.diagnostics import Code, DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.dtypes import DType
from tests.support.litert import data
from tests.support.lowering import lower
from tests.support.modules import module


def test_a_cast_to_what_tflite_does_not_hold_is_refused() -> None:
    """Numbers of 4 bits have no range in numpy."""
    m = module(lambda b, x: b.emit(core.Cast(x, dtype=DType.I4, saturate=True)).y, [data("float32", 3)])
    engine = DiagnosticEngine()
    lower(m, "tflite", engine)
    assert [d.code for d in engine.diagnostics] == [Code.TargetLacksType]
