"""The long form of a diagnostic, for people at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.diagnostics.engine import Diagnostic
from mlconv.diagnostics.group import kinds
from mlconv.diagnostics.source_spans import SourceSpan, SourceSpans

Paint = Callable[[str, str], str]  # (text, role) to text; roles: error, warning, note, bold, dim

_CALLERS = 3
_PLACES = 3


def plain(text: str, role: str) -> str:
    return text


def human(
    d: Diagnostic,
    paint: Paint = plain,
    spans: SourceSpans | None = None,
    others: Sequence[Diagnostic] = (),
    known: set[str] | None = None,
) -> str:
    """The long form: message, source line, then facts one to a line.

    others: further diagnostics of the same cause, named by place only.  known: notes printed before, which are left
    out.
    """
    spans = spans or SourceSpans()
    severity = d.severity.value
    lines = [f"{paint(f'{severity}[{d.code.id}]', severity)}{paint(': ' + d.message, 'bold')}"]
    stack = spans.stack(d)
    if stack.spans:
        lines += _excerpt(stack.spans[0], paint)
    facts = [("file", d.model)] if d.model else []
    facts += [("node", f"{d.node}  {d.op}".strip()) if d.node or d.op else ("", "")]
    facts += [("all", _everywhere(d, others, spans))] if others else []
    facts += [("why", w) for w in d.why]
    facts += [("help", d.help)] if d.help else []
    callers = stack.spans[1:]
    shown = callers if spans.view.full_stacks else callers[:_CALLERS]
    facts += [("note", f"called from {_at(p)}{_inside(p)}") for p in shown]
    left = [
        f"{n} {kind} frame{'s' * (n > 1)}"
        for n, kind in ((len(callers) - len(shown), "more user"), (stack.hidden, "library"))
        if n
    ]
    facts += (
        [
            (
                "note",
                f"{' and '.join(left)} hidden; --full-stacks shows "
                f"{'it' if left[0].startswith('1 ') and len(left) == 1 else 'them'}",
            )
        ]
        if left
        else []
    )
    facts += [("note", n) for n in d.notes if known is None or n not in known]
    facts.append(("more", f"mlconv explain {d.code.id}"))
    if known is not None:
        known.update(d.notes)
    return "\n".join(
        lines + [f"  {paint('=', 'dim')} {paint(k + ':', 'bold')} {' ' * (4 - len(k))}{v}" for k, v in facts if k]
    )


def _at(p: SourceSpan) -> str:
    return f"{p.file}:{p.line}" + (f":{p.column}" if p.column else "")


def _inside(p: SourceSpan) -> str:
    return f" in {p.function}" if p.function else ""


def _everywhere(d: Diagnostic, others: Sequence[Diagnostic], spans: SourceSpans) -> str:
    """`37 x onnx.Gelu, first at net.py:12, then net.py:20, net.py:31 and 34 more`"""
    first, *rest = (_where(o, spans) for o in (d, *others))
    distinct = [w for w in dict.fromkeys(rest) if w != first]
    more = len(distinct) - _PLACES
    then = f", then {', '.join(distinct[:_PLACES])}" if distinct else ""
    return (
        f"{1 + len(others)} x {kinds((d, *others))}, first at "
        f"{first}{then}{f' and {more} more places' if more > 0 else ''}"
    )


def _where(d: Diagnostic, spans: SourceSpans) -> str:
    stack = spans.stack(d)
    return f"{stack.spans[0].file}:{stack.spans[0].line}" if stack.spans else d.node or "<model>"


def _excerpt(p: SourceSpan, paint: Paint) -> list[str]:
    lines = [f"  {paint('-->', 'dim')} {_at(p)}{_inside(p)}"]
    if not p.text.strip():
        return lines
    number, bar = str(p.line), paint("|", "dim")
    lines += [f"{' ' * len(number)} {bar}", f"{number} {bar} {p.text}"]
    if p.mark is not None:
        before = "".join("\t" if c == "\t" else " " for c in p.text[: p.mark.start])
        lines.append(f"{' ' * len(number)} {bar} {before}{paint('^' * (p.mark.end - p.mark.start), 'error')}")
    if p.changed:
        lines.append(
            f"  {paint('=', 'dim')} {paint('note:', 'bold')} the file "
            f"on disk differs; this is the line that the model recorded"
        )
    return lines
