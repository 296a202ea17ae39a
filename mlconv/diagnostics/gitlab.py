"""Diagnostics as a Code Quality report of GitLab ("Code Quality report format", docs of GitLab CI): a list of objects,
of which each has a fingerprint of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics.engine import Diagnostic, Severity
from mlconv.diagnostics.group import fingerprints
from mlconv.diagnostics.project_paths import found_at
from mlconv.diagnostics.source_spans import SourceSpans
from mlconv.diagnostics.text import Json, json_text

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def gitlab(diagnostics: Sequence[Diagnostic], spans: SourceSpans | None = None) -> str:
    """Paths are relative to the project's root; a finding without a line is at the first of the model file, as GitLab
    wants one.
    """
    spans = spans or SourceSpans()
    names = fingerprints(diagnostics)
    return json_text([_issue(d, name, spans) for d, name in zip(diagnostics, names, strict=True)], indent=1)


def _issue(d: Diagnostic, name: str, spans: SourceSpans) -> dict[str, Json]:
    place = found_at(d, spans)
    where = f" (node {d.node})" if d.node else ""
    return {
        "description": f"{d.code.id}: {d.message}{where}" + (f"; {d.help}" if d.help else ""),
        "check_name": d.code.id,
        "fingerprint": name,
        "severity": _SEVERITIES[d.severity],
        "location": {"path": place.path or ".", "lines": {"begin": place.span.line if place.span else 1}},
    }
