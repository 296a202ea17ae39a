"""What `mlconv check --json` prints."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from mlconv.diagnostics.render import DiagnosticData, as_data
from mlconv.diagnostics.source_spans import SourceSpans, View
from mlconv.driver.check import STATUSES, CheckReport, OpRow, TargetReport
from mlconv.driver.quantized_check import QuantizationCheck
from mlconv.provenance.locations import frames


class PlaceData(TypedDict):
    """A node of the source, at its line; None of what is not known."""

    node: str
    file: str | None
    line: int | None


class OpRowData(TypedDict):
    """All ops of one kind and status."""

    op: str
    status: str
    count: int
    becomes: dict[str, int]
    places: list[PlaceData]


class ProductsData(TypedDict):
    """Products that are quantized, and all."""

    integers: int
    all: int


class LayerPlace(TypedDict):
    """A layer, at its line."""

    node: str
    line: str


class RuleData(TypedDict):
    """How many ops a rule matched."""

    rule: str
    ops: int


class QuantRowData(TypedDict):
    """Ops of one kind, status and reason."""

    op: str
    status: str
    reason: str
    count: int
    places: list[LayerPlace]


class QuantizationData(TypedDict):
    """What would be quantized."""

    scheme: str
    products: ProductsData
    rules: list[RuleData]
    ops: list[QuantRowData]


class EstimateData(TypedDict):
    """Of an artifact.  seconds: the least that a call takes, where it was asked for."""

    bytes: int
    seconds: float | None


class TargetData(TypedDict):
    """What one target says.  counts: of ops by status.  estimate: of the artifact, where there is a budget."""

    target: str
    ok: bool
    counts: dict[str, int]
    ops: list[OpRowData]
    diagnostics: list[DiagnosticData]
    quantization: NotRequired[QuantizationData]
    estimate: NotRequired[EstimateData]


class CheckData(TypedDict):
    """source: facts of the file."""

    path: str
    source: dict[str, str | int | float]
    seconds: float
    ok: bool
    targets: list[TargetData]


def check_data(report: CheckReport, view: View) -> CheckData:
    """The report as plain data; docs/diagnostics.md describes it."""
    spans = SourceSpans(view)
    return {
        "path": report.path,
        "source": report.source,
        "seconds": round(report.seconds, 3),
        "ok": all(t.ok for t in report.targets),
        "targets": [_target(t, view, spans) for t in report.targets],
    }


def _target(t: TargetReport, view: View, spans: SourceSpans) -> TargetData:
    found: TargetData = {
        "target": t.target,
        "ok": t.ok,
        "counts": {s: t.count(s) for s in STATUSES},
        "ops": [
            {
                "op": r.op,
                "status": r.status,
                "count": len(r.nodes),
                "becomes": dict(r.becomes),
                "places": _places(r, view),
            }
            for r in t.rows
        ],
        "diagnostics": [as_data(d, spans) for d in t.diagnostics],
    }
    if t.quantization is not None:
        found["quantization"] = _quantization(t.quantization)
    if t.estimate is not None:
        found["estimate"] = {"bytes": t.estimate.bytes, "seconds": t.estimate.seconds}
    return found


def _quantization(found: QuantizationCheck) -> QuantizationData:
    done, products = found.products
    return {
        "scheme": found.scheme,
        "products": {"integers": done, "all": products},
        "rules": [{"rule": use.rule, "ops": use.ops} for use in found.rules],
        "ops": [
            {
                "op": row.op,
                "status": row.status,
                "reason": row.reason,
                "count": len(row.layers),
                "places": [{"node": layer.node, "line": layer.line} for layer in row.layers],
            }
            for row in found.rows
        ],
    }


def _places(row: OpRow, view: View) -> list[PlaceData]:
    found: list[PlaceData] = []
    for node in row.nodes:
        stack = frames(node.location)
        file, line = (view.shown(stack[0].file), stack[0].line) if stack else (None, None)
        found.append({"node": node.node, "file": file, "line": line})
    return found
