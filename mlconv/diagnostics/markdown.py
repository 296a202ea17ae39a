"""Diagnostics as Markdown, for the page of a job: a table of models, and the problems of each by cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlconv.diagnostics.engine import Diagnostic, Severity
from mlconv.diagnostics.group import Group, group, kinds
from mlconv.diagnostics.project_paths import by_model, found_at, project_path
from mlconv.diagnostics.source_spans import SourceSpans

_MOST = 50  # causes of one model: a page of GitHub holds 1 MiB
_PLACES = 3
_ACTIVE = r"""\`*_{}[]()<>#+!|~@&:"'"""


def markdown(
    diagnostics: Sequence[Diagnostic],
    spans: SourceSpans | None = None,
    models: Sequence[str] = (),
    facts: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """models: all that were looked at.  facts: further columns by model and heading (what each target says)."""
    spans = spans or SourceSpans()
    found = by_model(diagnostics, models) or {"": []}
    facts = facts or {}
    heads = list(dict.fromkeys(head for of_model in facts.values() for head in of_model))
    lines = ["## mlconv", "", _row(["model", *map(escaped, heads), "problems"]), _row(["---"] * (len(heads) + 2))]
    for model, listed in found.items():
        columns = [escaped(facts.get(model, {}).get(head, "")) for head in heads]
        lines.append(_row([_name(model, spans), *columns, _counted(listed)]))
    for model, listed in found.items():
        if listed:
            lines += ["", f"### {_name(model, spans)}", *_causes(group(listed), spans)]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Text that Markdown takes as it is: a character reference never begins a structure (CommonMark 0.31, 2.5)."""
    return "".join(f"&#{ord(c)};" if c in _ACTIVE else c for c in text)


def _row(columns: Sequence[str]) -> str:
    return f"| {' | '.join(columns)} |"


def _name(model: str, spans: SourceSpans) -> str:
    return f"<code>{escaped(project_path(model, spans.view))}</code>" if model else "all"


def _counted(listed: Sequence[Diagnostic]) -> str:
    counts = ((s.value, sum(d.severity is s for d in listed)) for s in Severity)
    return ", ".join(f"{count} {name}{'s' * (count > 1)}" for name, count in counts if count) or "none"


def _causes(groups: Sequence[Group], spans: SourceSpans) -> list[str]:
    lines: list[str] = []
    for found in groups[:_MOST]:
        lines += ["", *_cause(found, spans)]
    if len(groups) > _MOST:
        lines += ["", f"{len(groups) - _MOST} further causes are not shown."]
    return lines


def _cause(found: Group, spans: SourceSpans) -> list[str]:
    """A list item: message, places, help, and the line of source as a block of code."""
    d = found.first
    lines = [f"- **{d.severity.value} {d.code.id}** {escaped(d.message)}"]
    places = list(dict.fromkeys(_place(member, spans) for member in found.members))
    more = f" and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    lines.append(f"  - at {', '.join(places[:_PLACES])}{more} ({escaped(kinds(found.members))})")
    place = found_at(d, spans)
    if place.span and place.span.text:
        lines += [f"  - <code>{escaped(place.span.text.strip())}</code>"]
    lines += [f"  - {escaped(d.help)}"] if d.help else []
    return lines


def _place(d: Diagnostic, spans: SourceSpans) -> str:
    place = found_at(d, spans)
    text = f"{place.path}:{place.span.line}" if place.span else d.node or place.path
    return f"<code>{escaped(text)}</code>" if text else "the model"
