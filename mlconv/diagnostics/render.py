"""Diagnostics as text: human (for a terminal), concise (one line each), json (one object a line), github (workflow
commands), sarif 2.1.0, junit, gitlab (Code Quality), markdown (for the page of a job).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict

from mlconv.diagnostics.engine import Diagnostic, Severity
from mlconv.diagnostics.group import Group, fingerprint, group, kinds
from mlconv.diagnostics.human import Paint, human, plain
from mlconv.diagnostics.project_paths import Found, found_at, project_path
from mlconv.diagnostics.sarif import sarif
from mlconv.diagnostics.source_spans import SourceSpans, View
from mlconv.diagnostics.text import json_text, printable, printable_diagnostic

DEFAULT_LIMIT = 20  # causes in the human form


def concise(d: Diagnostic, paint: Paint = plain, spans: SourceSpans | None = None) -> str:
    """`file:line:col: MLC0401: message`; the node path stands in for a place that is not known."""
    stack = (spans or SourceSpans()).stack(d).spans
    place = f"{stack[0].file}:{stack[0].line}:{stack[0].column}" if stack else d.node or "<model>"
    return f"{place}: {d.code.id}: {d.message}" + (f" [{d.model}]" if d.model else "")


class CallerData(TypedDict):
    """A frame around the place of a finding."""

    file: str
    line: int
    column: int | None
    function: str


class DiagnosticData(TypedDict):
    """A finding as data; None of what is not known.  source: the text of the line.  fingerprint: the same from run to
    run, of a finding at the same place.
    """

    code: str
    severity: str
    message: str
    model: str
    file: str | None
    line: int | None
    column: int | None
    end_column: int | None
    function: str | None
    source: str | None
    node: str
    op: str
    why: list[str]
    callers: list[CallerData]
    hidden_frames: int
    notes: list[str]
    help: str
    fingerprint: str


def as_data(d: Diagnostic, spans: SourceSpans | None = None) -> DiagnosticData:
    """The fields of a JSON line; docs/diagnostics.md describes them."""
    stack = (spans or SourceSpans()).stack(d)
    first = stack.spans[0] if stack.spans else None
    return {
        "code": d.code.id,
        "severity": d.severity.value,
        "message": d.message,
        "model": d.model,
        "file": first.file if first else None,
        "line": first.line if first else None,
        "column": first.column or None if first else None,
        "end_column": first.end_column or None if first else None,
        "function": first.function if first else None,
        "source": first.text or None if first else None,
        "node": d.node,
        "op": d.op,
        "why": list(d.why),
        "callers": [
            {"file": p.file, "line": p.line, "column": p.column or None, "function": p.function}
            for p in stack.spans[1:]
        ],
        "hidden_frames": stack.hidden,
        "notes": list(d.notes),
        "help": d.help,
        "fingerprint": fingerprint(d),
    }


def json_line(d: Diagnostic, paint: Paint = plain, spans: SourceSpans | None = None) -> str:
    return json_text(as_data(d, spans))


def github(d: Diagnostic, paint: Paint = plain, spans: SourceSpans | None = None) -> str:
    """A workflow command; data and properties escaped as the runner wants them.  It names the line of the source where
    one is known, also of a file outside of the project: the log shows it, whether or not there is a file to mark.
    """
    shown = spans or SourceSpans()
    place, stack = found_at(d, shown), shown.stack(d).spans
    if place.span is None and stack and stack[0].line > 0:
        place = Found(project_path(stack[0].file, shown.view), stack[0], stack[1:])
    level = {"error": "error", "warning": "warning"}.get(d.severity.value, "notice")
    properties = {
        "file": place.path or None,
        "line": place.span.line if place.span else None,
        "col": (place.span.column if place.span else 0) or None,
        "endColumn": (place.span.end_column if place.span else 0) or None,
        "title": d.code.id,
    }
    listed = ",".join(f"{k}={_escape(str(v), ':,')}" for k, v in properties.items() if v is not None)
    where = ", ".join(f"{k} {v}" for k, v in (("node", d.node), ("model", d.model)) if v)
    text = d.message + (f" ({where})" if where else "") + (f"\nhelp: {d.help}" if d.help else "")
    return f"::{level} {listed}::{_escape(text, '')}"


def _escape(text: str, also: str) -> str:
    out = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    for c in also:
        out = out.replace(c, f"%{ord(c):02X}")
    return out


LINE_RENDERERS: dict[str, Callable[[Diagnostic, Paint, SourceSpans | None], str]] = {
    "concise": concise,
    "json": json_line,
    "github": github,
}


def render(
    diagnostics: Sequence[Diagnostic],
    form: str,
    version: str,
    paint: Paint = plain,
    view: View | None = None,
    models: Sequence[str] = (),
    facts: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """All diagnostics of a run in one of `FORMATS`.  models: all that were looked at, which reports by model list too
    where nothing was found.  facts: what else a page of Markdown says of each.
    """
    spans = SourceSpans(view or View())
    if form == "sarif":
        return sarif(diagnostics, version, spans, models)
    if form == "gitlab":
        from mlconv.diagnostics.gitlab import gitlab

        return gitlab(diagnostics, spans)
    if form != "json":
        diagnostics = [printable_diagnostic(d) for d in diagnostics]
    if form in ("junit", "markdown"):
        return _by_model(diagnostics, form, spans, models, facts)
    groups = group(diagnostics)
    if form == "human":
        return _report(groups, paint, spans)
    kept = _limited(groups, spans.view.limit)
    allowed = {id(d) for g in kept for d in g.members}
    lines = [LINE_RENDERERS[form](d, paint, spans) for d in diagnostics if id(d) in allowed]
    if len(kept) < len(groups) and form == "concise":
        lines.append(_left_out(groups[len(kept) :]))
    return "\n".join(lines)


def _by_model(
    diagnostics: Sequence[Diagnostic],
    form: str,
    spans: SourceSpans,
    models: Sequence[str],
    facts: Mapping[str, Mapping[str, str]] | None,
) -> str:
    from mlconv.diagnostics.junit import junit
    from mlconv.diagnostics.markdown import markdown

    shown = [printable(model) for model in models]
    if form == "junit":
        return junit(diagnostics, spans, shown)
    return markdown(diagnostics, spans, shown, {printable(model): of for model, of in (facts or {}).items()})


def _limited(groups: list[Group], limit: int) -> list[Group]:
    """The first causes, errors before warnings before notes when some must go."""
    if not limit or len(groups) <= limit:
        return groups
    order = [Severity.ERROR, Severity.WARNING, Severity.NOTE]
    return sorted(groups, key=lambda g: order.index(g.first.severity))[:limit]


def _left_out(groups: Sequence[Group]) -> str:
    places = sum(len(g.members) for g in groups)
    return f"{len(groups)} further causes in {places} places are not shown; --max-diagnostics 0 shows all"


def _report(groups: list[Group], paint: Paint, spans: SourceSpans) -> str:
    """The human form of all groups, with a last line that sums up when there is more than one problem."""
    known: set[str] = set()
    kept = _limited(groups, spans.view.limit)
    parts = [human(g.first, paint, spans, g.members[1:], known) for g in kept]
    if len(kept) < len(groups):
        parts.append(_left_out([g for g in groups if g not in kept]))
    total = sum(len(g.members) for g in groups)
    failing = [g for g in groups if g.first.severity is Severity.ERROR]
    if total > 1 and failing:
        errors = sum(len(g.members) for g in failing)
        parts.append(paint(f"{errors} error{'s' * (errors != 1)}: ", "bold") + _sums(failing))
    return "\n\n".join(parts)


def _sums(groups: Sequence[Group]) -> str:
    totals: dict[str, int] = {}
    for g in groups:
        totals[kinds(g.members)] = totals.get(kinds(g.members), 0) + len(g.members)
    counted = [f"{count} x {name}" for name, count in totals.items()]
    return ", ".join(counted[:8]) + (f" and {len(counted) - 8} more" if len(counted) > 8 else "")
