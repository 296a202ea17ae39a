"""What is known of the tensors of a TFLite file, by their names."""

from __future__ import annotations

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.importers.format import LoadRequest
from mlconv.importers.tflite_format import FORMAT
from mlconv.legalize.from_hlo import op_table as hlo_table
from mlconv.legalize.from_tf import op_table as tf_table
from mlconv.legalize.from_tfl import op_table
from mlconv.legalize.from_tfl.node import TflConversion
from mlconv.rewrite import Rules
from mlconv.simplifiers.facts import Fact, Noting


def facts_of(path: str) -> dict[str, Fact]:
    """Nothing of a file that cannot be imported, which may have what only its runtime knows."""
    engine = DiagnosticEngine()
    try:
        module = FORMAT.load(path, LoadRequest(engine, signature="*")).module
    except ConversionError:
        return {}
    watched = _Watched(engine)
    for function in module.functions:
        watched.run(function.block)
    return watched.facts


class _Watched(Noting, TflConversion):
    def __init__(self, engine: DiagnosticEngine) -> None:
        super().__init__(op_table(), engine, None, Rules(), tf_table(), hlo_table())
        self.facts = {}
