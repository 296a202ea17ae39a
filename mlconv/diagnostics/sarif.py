"""Diagnostics as a SARIF 2.1.0 log (OASIS, sarif-v2.1.0-os)."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from mlconv.diagnostics.codes import Code
from mlconv.diagnostics.engine import Diagnostic
from mlconv.diagnostics.group import fingerprints
from mlconv.diagnostics.source_spans import SourceSpan, SourceSpans
from mlconv.diagnostics.text import Json, json_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(diagnostics: Sequence[Diagnostic], version: str, spans: SourceSpans | None = None) -> str:
    """A log of one run.  Columns count Unicode characters; callers are related locations; fingerprints stay over runs
    and machines.
    """
    spans = spans or SourceSpans()
    codes = sorted({d.code for d in diagnostics}, key=lambda c: c.name)
    index = {code: i for i, code in enumerate(codes)}
    names = fingerprints(diagnostics)
    results = [_result(d, index[d.code], name, spans) for d, name in zip(diagnostics, names, strict=True)]
    rules = [_rule(c) for c in codes]
    run = {
        "tool": {"driver": {"name": "mlconv", "version": version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _rule(code: Code) -> dict[str, Json]:
    from mlconv.diagnostics.explain import explain

    return {
        "id": code.id,
        "shortDescription": {"text": code.title},
        "help": {"text": explain(code.id), "markdown": explain(code.id)},
    }


def _result(d: Diagnostic, rule: int, name: str, spans: SourceSpans) -> dict[str, Json]:
    stack = spans.stack(d).spans
    text = (
        d.message
        + (f"\nnode: {d.node}" if d.node else "")
        + "".join(f"\nwhy: {w}" for w in d.why)
        + (f"\nhelp: {d.help}" if d.help else "")
    )
    result: dict[str, Json] = {
        "ruleId": d.code.id,
        "ruleIndex": rule,
        "level": d.severity.value,
        "message": {"text": text},
        "partialFingerprints": {"mlconvProblem/v1": name},
    }
    model: dict[str, Json] = {"physicalLocation": {"artifactLocation": {"uri": _uri(d.model)}}} if d.model else {}
    location: dict[str, Json] = dict(_place(stack[0])) if stack else model
    logical = [{"fullyQualifiedName": d.node, "kind": "node"}] if d.node else []
    logical += [{"name": stack[0].function, "kind": "function"}] if stack and stack[0].function else []
    if logical:
        location["logicalLocations"] = logical
    if location:
        result["locations"] = [location]
    if len(stack) > 1:
        result["relatedLocations"] = [
            {
                "id": i,
                "message": {"text": "called from here" + (f", in {p.function}" if p.function else "")},
                **_place(p),
            }
            for i, p in enumerate(stack[1:], 1)
        ]
    if d.op or d.notes or d.model:
        result["properties"] = {"model": d.model, "op": d.op, "notes": list(d.notes)}
    return result


def _place(p: SourceSpan) -> dict[str, Json]:
    """A physical location.  A region is left out where the line is not a valid one (lines count from 1)."""
    physical: dict[str, Json] = {"artifactLocation": {"uri": _uri(p.file)}}
    if p.line > 0:
        region: dict[str, Json] = {"startLine": p.line}
        region.update({"startColumn": p.column} if p.column else {})
        region.update({"endColumn": p.end_column} if p.end_column else {})
        region.update({"snippet": {"text": p.text}} if p.text else {})
        physical["region"] = region
    return {"physicalLocation": physical}


def _uri(path: str) -> str:
    """A path as a URI reference: absolute ones get the file scheme."""
    forward = path.replace("\\", "/")
    if forward.startswith("/"):
        return "file://" + quote(forward, errors="surrogateescape")
    return (
        "file:///" + quote(forward, safe="/:", errors="surrogateescape")
        if forward[1:3] == ":/"
        else quote(forward, errors="surrogateescape")
    )
