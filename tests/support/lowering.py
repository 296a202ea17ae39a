"""Core ops to those of a target, by the target's own pipeline."""

from __future__ import annotations

from typing import Any

from mlconv.diagnostics import ConversionError, DiagnosticEngine
from mlconv.driver.context import BUILT_IN
from mlconv.ir.module import Module
from mlconv.passes.base import PassContext
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline


def lower(module: Module, target: str, engine: DiagnosticEngine | None = None, **options: Any) -> DiagnosticEngine:
    """Lower in place; errors stay in the engine, which is returned.  options: of the target."""
    found = BUILT_IN.target(target)
    engine = engine or DiagnosticEngine()
    passes = parse_pipeline(found.pipeline(found.options.of(options)))
    try:
        run_pipeline(module, passes, Instruments(context=PassContext(engine)))
    except ConversionError as error:
        if not engine.has_errors:
            engine.error(error)
    return engine
