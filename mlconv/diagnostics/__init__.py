"""Diagnostics: stable codes, the error that carries one, and the engine that collects them."""

from mlconv.diagnostics.codes import Code, Family
from mlconv.diagnostics.engine import ConversionError, Diagnostic, DiagnosticEngine, Severity, naming

__all__ = ["Code", "ConversionError", "Diagnostic", "DiagnosticEngine", "Family", "Severity", "naming"]
