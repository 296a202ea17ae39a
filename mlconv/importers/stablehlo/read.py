"""Files of StableHLO: which form they have, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine, Severity
from mlconv.importers.initial_state import bind_state_beside
from mlconv.importers.loaded import LoadedModel
from mlconv.importers.stablehlo.bytecode import MAGIC, read_bytecode
from mlconv.importers.stablehlo.exported import module_range
from mlconv.importers.stablehlo.graph import state_rows, to_function
from mlconv.importers.stablehlo.ir import MlirModule
from mlconv.ir.constants import SourceFile


def import_stablehlo(path: str, shapes: Mapping[str, Sequence[int | str]], engine: DiagnosticEngine) -> LoadedModel:
    """Read a file.  Raises ConversionError InputNotReadable, FileDamaged and what its contents raise."""
    found = read_module(path)
    module, lost = to_function(found, shapes)
    rows = state_rows(found, module.main)
    if lost:
        message = f"how {', '.join(lost)} is cut over devices is not kept"
        why = "the sharding names parts of mesh axes, or another mesh"
        engine.add(Diagnostic(Code.VariantUnsupported, message, Severity.NOTE, notes=(why,)))
    module.source["path"] = path
    bind_state_beside(module.main, rows, path)
    return LoadedModel(module)


def read_module(path: str) -> MlirModule:
    """The module of a file, of whichever form."""
    file = SourceFile(path)
    data = file.map()
    if data[:4] == MAGIC:
        return read_bytecode(file)
    exported = module_range(data)
    if exported is not None and data[exported[0] : exported[0] + 4] == MAGIC:
        begin, length = exported
        if begin + length > len(data):
            raise ConversionError(Code.FileDamaged, f"{path} ends before the module that it holds does")
        return read_bytecode(file, begin, length)
    from mlconv.importers.stablehlo.text_module import parse

    try:
        text = bytes(data).decode()
    except UnicodeDecodeError as e:
        raise ConversionError(Code.TextNotUtf8, f"{path} is not UTF-8 text: {e.reason} at byte {e.start}") from e
    return parse(text)
