"""What is known of the values of an ONNX model, by the names that the file has for them, which no other value has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlconv.diagnostics import DiagnosticEngine
from mlconv.importers.onnx.model import import_file
from mlconv.importers.onnx.read import OnnxFile
from mlconv.ir.module import Function
from mlconv.legalize.from_onnx import op_table, opset_of
from mlconv.rewrite import Rules
from mlconv.simplifiers.facts import Fact, Noting


def facts_of(
    file: OnnxFile, inputs: Sequence[str], shapes: Mapping[str, Sequence[int | str]]
) -> tuple[dict[str, Fact], Function]:
    """Facts by the names of values, subgraphs included, and the function that the graph was, for its inputs' types.

    inputs: of the graph, with initializers that a caller may replace.  Raises ConversionError for a file that cannot
    be read.
    """
    engine = DiagnosticEngine()
    main = import_file(file, engine, inputs, None, shapes).main
    engine.raise_errors()
    watched = _Watched(engine)
    for value in main.inputs:
        watched.note(value.name, value)
    watched.run(main.block)
    return watched.facts, main


class _Watched(Noting):
    def __init__(self, engine: DiagnosticEngine) -> None:
        super().__init__(op_table(), engine, opset_of, None, Rules())
        self.facts = {}
