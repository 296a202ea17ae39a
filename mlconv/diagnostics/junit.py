"""Diagnostics as JUnit XML: each problem is a failed test case; a run without errors is one that passed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mlconv.diagnostics.engine import Diagnostic, Severity
from mlconv.diagnostics.human import human
from mlconv.diagnostics.source_spans import SourceSpans

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(diagnostics: Sequence[Diagnostic], spans: SourceSpans | None = None) -> str:
    """One suite; warnings and notes are cases that passed, with their text as output."""
    spans = spans or SourceSpans()
    errors = sum(d.severity is Severity.ERROR for d in diagnostics)
    suites = Element("testsuites", tests=str(len(diagnostics) or 1), failures=str(errors))
    suite = SubElement(
        suites,
        "testsuite",
        name="mlconv",
        tests=str(len(diagnostics) or 1),
        failures=str(errors),
        errors="0",
        skipped="0",
    )
    if not diagnostics:
        SubElement(suite, "testcase", classname="mlconv", name="no problems")
    for d in diagnostics:
        stack = spans.stack(d).spans
        place = {"file": stack[0].file, "line": str(stack[0].line)} if stack else {}
        place = place or ({"file": _clean(d.model)} if d.model else {})
        case = SubElement(
            suite, "testcase", {"classname": f"mlconv.{d.code.id}", "name": _clean(d.node or d.message), **place}
        )
        text = _clean(human(d, spans=spans))
        if d.severity is Severity.ERROR:
            SubElement(case, "failure", type=d.code.id, message=_clean(d.message)).text = text
        else:
            SubElement(case, "system-out").text = text
    indent(suites, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites, encoding="unicode")


def _clean(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
