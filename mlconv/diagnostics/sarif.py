"""Diagnostics as a SARIF 2.1.0 log (OASIS, sarif-v2.1.0-os), as GitHub's code scanning takes it ("SARIF support for
code scanning", github/docs).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import quote

from mlconv.diagnostics.codes import Code
from mlconv.diagnostics.engine import Diagnostic
from mlconv.diagnostics.group import fingerprints
from mlconv.diagnostics.project_paths import by_model, found_at, is_inside, model_file, project_path
from mlconv.diagnostics.source_spans import SourceSpan, SourceSpans, View
from mlconv.diagnostics.text import Json, json_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RUNS = 20
"""Runs of one file that GitHub takes ("Validating your SARIF file")."""

_ABOUT = "urn:mlconv"  # as in certificates: the project has no address that holds wherever it is hosted
_ROOT = "%SRCROOT%"
_LONGEST = 1024  # characters of a description that GitHub shows


def sarif(
    diagnostics: Sequence[Diagnostic], version: str, spans: SourceSpans | None = None, models: Sequence[str] = ()
) -> str:
    """A log with one run for each model, whose category is the model: a later log of some models leaves what was told
    of others.

    models: all that were looked at; a run without results says that those of before are gone.  Columns count Unicode
    characters; callers are related locations; fingerprints stay over runs and machines.
    """
    spans = spans or SourceSpans()
    found = by_model(diagnostics, models) or {"": []}
    return json_text(
        {
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [_run(model, listed, version, spans) for model, listed in found.items()],
        },
        indent=1,
    )


def _run(model: str, diagnostics: Sequence[Diagnostic], version: str, spans: SourceSpans) -> dict[str, Json]:
    codes = sorted({d.code for d in diagnostics}, key=lambda c: c.id)
    index = {code: i for i, code in enumerate(codes)}
    names = fingerprints(diagnostics)
    path = project_path(model, spans.view) if model else ""
    # GitHub reads `id` as "category/run", the run being what stands behind the last slash: none, so that the log of a
    # day replaces that of the day before.
    run: dict[str, Json] = {
        "tool": {
            "driver": {
                "name": "mlconv",
                "semanticVersion": version,
                "version": version,
                "informationUri": _ABOUT,
                "rules": [_rule(code) for code in codes],
            }
        },
        "automationDetails": {
            "id": "/".join(
                part for part in ("mlconv", quote(path, safe="/", errors="surrogateescape").strip("/")) if part
            )
            + "/",
            "description": {"text": f"mlconv, of the model {path}" if path else "mlconv"},
        },
        # without `uri`: it would be another one on every machine (appendix F.2)
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the project: where mlconv was called."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, index[d.code], name, spans) for d, name in zip(diagnostics, names, strict=True)],
    }
    if model:
        run["artifacts"] = [{"location": _artifact(model_file(model, spans.view)), "roles": ["analysisTarget"]}]
    return run


def _rule(code: Code) -> dict[str, Json]:
    """With the text of its page.  A run has those of its results: pages quote messages that tools look for in logs."""
    from mlconv.diagnostics.explain import explain

    page = explain(code.id)
    cause, remedy = (
        page.partition(f"## {part}\n")[2].partition("\n## ")[0].strip() for part in ("Cause", "What to do")
    )
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": _sentence(code.title)},
        "fullDescription": {"text": _sentence(" ".join(cause.split())[:_LONGEST])},
        "help": {"text": f"{cause}\n\n{remedy}", "markdown": page},
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "tags": [code.family.about],
            "precision": "very-high",
            "problem": {"severity": "error"},
        },
    }


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text[: _LONGEST - 1]}."


def _result(d: Diagnostic, rule: int, name: str, spans: SourceSpans) -> dict[str, Json]:
    place = found_at(d, spans)
    text = (
        d.message
        + (f"\nnode: {d.node}" if d.node else "")
        + "".join(f"\nwhy: {w}" for w in d.why)
        + (f"\nhelp: {d.help}" if d.help else "")
    )
    location: dict[str, Json] = {"physicalLocation": _physical(place.path or ".", place.span)}
    if place.span is None and (size := _size(place.path, spans.view)):
        # of all of a file, in bytes: it is no text, and GitHub's upload reads files of which lines are told
        location = {
            "physicalLocation": {**_physical(place.path, None), "region": {"byteOffset": 0, "byteLength": size}}
        }
    marks: dict[str, Json] = {"mlconvProblem/v1": name}
    if place.span is None:
        # GitHub's upload tells results of one rule apart by a hash of the line, which it computes itself where there is
        # one: of a model file it has no other than this (github/codeql-action, src/fingerprints.ts).
        marks["primaryLocationLineHash"] = name
    result: dict[str, Json] = {
        "ruleId": d.code.id,
        "ruleIndex": rule,
        "level": d.severity.value,
        "message": {"text": text},
        "partialFingerprints": marks,
        "locations": [location],
    }
    function = place.span.function if place.span else ""
    logical = [{"fullyQualifiedName": d.node, "kind": "node"}] if d.node else []
    logical += [{"name": function, "kind": "function"}] if function else []
    if logical:
        location["logicalLocations"] = logical
    if place.callers:
        said = "called from here" if place.span else "at this line"
        result["relatedLocations"] = [
            {
                "id": i,
                "message": {"text": said + (f", in {p.function}" if p.function else "")},
                "physicalLocation": _physical(project_path(p.file, spans.view), p),
            }
            for i, p in enumerate(place.callers, 1)
        ]
    if d.op or d.notes or d.model:
        result["properties"] = {"model": d.model, "op": d.op, "notes": list(d.notes)}
    return result


def _physical(path: str, span: SourceSpan | None) -> dict[str, Json]:
    """Of a line whose columns are not known, the region is the whole line."""
    physical: dict[str, Json] = {"artifactLocation": _artifact(path)}
    if span is not None and span.line > 0:
        first = span.column or 1
        last = span.end_column or (len(span.text) + 1 if span.text and not span.column else first)
        region: dict[str, Json] = {
            "startLine": span.line,
            "startColumn": first,
            "endLine": span.line,
            "endColumn": max(first, last),
        }
        region.update({"snippet": {"text": span.text}} if span.text else {})
        physical["region"] = region
    return physical


def _size(path: str, view: View) -> int:
    """Bytes of a file of the project; 0 where there is none."""
    try:
        return os.path.getsize(os.path.join(view.folder, path)) if path else 0
    except (OSError, ValueError):
        return 0


def _artifact(path: str) -> dict[str, Json]:
    return {"uri": uri(path), "uriBaseId": _ROOT} if is_inside(path) else {"uri": uri(path)}


def uri(path: str) -> str:
    """A path of `project_path` as a URI reference: absolute ones get the file scheme."""
    quoted = quote(path, safe="/", errors="surrogateescape")
    if path.startswith("/"):
        return "file://" + quoted
    return "file:///" + quote(path, safe="/:", errors="surrogateescape") if path[1:3] == ":/" else quoted
