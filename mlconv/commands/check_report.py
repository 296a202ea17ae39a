"""What `mlconv check` prints: a table for each target, or the same as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlconv.commands.console import size_text
from mlconv.commands.tables import Listing, fitted
from mlconv.diagnostics import Code, Severity
from mlconv.diagnostics.source_spans import View
from mlconv.diagnostics.text import printable
from mlconv.driver.check import STATUSES, CheckReport, OpRow, SourceNodeFacts, TargetReport
from mlconv.driver.quantized_check import QuantRow
from mlconv.provenance.locations import frames

_PLACES = 2
_OPS = 3


def report_check(report: CheckReport, view: View) -> str:
    """The tables.  A row: op, count, status, what it becomes, the first places."""
    source = ", ".join(str(report.source[k]) for k in ("format", "producer") if report.source.get(k))
    lines = [f"{printable(report.path)}: {printable(source) or 'IR text'}, checked in {report.seconds:.2f} s"]
    for target in report.targets:
        lines += ["", _verdict(target), *_estimate(target), *_table(target, view), *_quantization(target)]
    return "\n".join(lines)


def _verdict(target: TargetReport) -> str:
    counts = ", ".join(f"{target.count(s)} {s}" for s in STATUSES if target.count(s)) or "no ops"
    errors = {d.code for d in target.diagnostics if d.severity is Severity.ERROR}
    said = "ok" if not errors else "OVER BUDGET" if errors == {Code.BudgetExceeded} else "REFUSED"
    return f"{printable(target.target)}: {said} ({counts})"


def _estimate(target: TargetReport) -> list[str]:
    """What was estimated for a budget."""
    found = target.estimate
    if found is None:
        return []
    time = "" if found.seconds is None else f", at least {found.seconds * 1e3:.4g} ms for a call"
    return [f"  about {size_text(found.bytes)}{time}"]


def _table(target: TargetReport, view: View) -> list[str]:
    return _aligned(
        [(printable(r.op), str(len(r.nodes)), r.status, _becomes(r), _places(r, view)) for r in target.rows]
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    return fitted(None, rows, frozenset({1}), "  ")


def _quantization(target: TargetReport) -> list[str]:
    """What would be quantized: ops that compute numbers, by status and reason."""
    found = target.quantization
    if found is None:
        return []
    done, products = found.products
    lines = [f"  {found.scheme}: {done} of {products} products are quantized"]
    lines += [f"  rule {printable(use.rule)}: {use.ops} ops" for use in found.rules]
    rows = [
        (row.op.removeprefix("core."), str(len(row.layers)), row.status, printable(row.reason), _layer_places(row))
        for row in found.rows
    ]
    return [*lines, *_aligned(rows)]


def _layer_places(row: QuantRow) -> str:
    return _first(printable(layer.place) for layer in row.layers)


def _first(found: Iterable[str]) -> str:
    """The first different places, and how many more there are."""
    return Listing.of(list(dict.fromkeys(found)), _PLACES)


def _becomes(row: OpRow) -> str:
    listed = [
        f"{count} {printable(name)}" if count != len(row.nodes) else printable(name)
        for name, count in row.becomes.most_common()
    ]
    return Listing.of(listed, _OPS)


def _where(node: SourceNodeFacts, view: View) -> str:
    stack = frames(node.location)
    return printable(f"{view.shown(stack[0].file)}:{stack[0].line}" if stack else node.node)


def _places(row: OpRow, view: View) -> str:
    return _first(_where(n, view) for n in row.nodes)
