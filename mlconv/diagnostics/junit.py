"""Diagnostics as JUnit XML: a suite for each model, where each problem is a failed test case; a model without errors is
one that passed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mlconv.diagnostics.engine import Diagnostic, Severity
from mlconv.diagnostics.human import human
from mlconv.diagnostics.project_paths import by_model, found_at, project_path
from mlconv.diagnostics.source_spans import SourceSpans

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(diagnostics: Sequence[Diagnostic], spans: SourceSpans | None = None, models: Sequence[str] = ()) -> str:
    """models: all that were looked at.  Warnings and notes are cases that passed, with their text as output."""
    spans = spans or SourceSpans()
    found = by_model(diagnostics, models) or {"": []}
    suites = Element("testsuites", {"name": "mlconv", **_counts(*found.values())})
    for model, listed in found.items():
        name = _clean(project_path(model, spans.view)) if model else "mlconv"
        suite = SubElement(suites, "testsuite", {"name": name, "errors": "0", "skipped": "0", **_counts(listed)})
        if not listed:
            where = {"file": name} if model else {}
            SubElement(suite, "testcase", {"classname": "mlconv", "name": "no problems", **where})
        for d in listed:
            _case(suite, d, spans)
    indent(suites, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites, encoding="unicode")


def _counts(*models: Sequence[Diagnostic]) -> dict[str, str]:
    """Of the cases of some models; one without problems has one case."""
    errors = sum(d.severity is Severity.ERROR for listed in models for d in listed)
    return {"tests": str(sum(max(len(listed), 1) for listed in models)), "failures": str(errors)}


def _case(suite: Element, d: Diagnostic, spans: SourceSpans) -> None:
    place = found_at(d, spans)
    where = {"file": _clean(place.path)} if place.path else {}
    where.update({"line": str(place.span.line)} if place.span else {})
    case = SubElement(
        suite, "testcase", {"classname": f"mlconv.{d.code.id}", "name": _clean(d.node or d.message), **where}
    )
    text = _clean(human(d, spans=spans))
    if d.severity is Severity.ERROR:
        SubElement(case, "failure", type=d.code.id, message=_clean(d.message)).text = text
    else:
        SubElement(case, "system-out").text = text


def _clean(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
