"""What `mlconv build` prints."""

from __future__ import annotations

from typing import TypedDict

from mlconv.commands.console import size_text
from mlconv.commands.tables import fitted
from mlconv.diagnostics import Severity
from mlconv.diagnostics.render import DiagnosticData, as_data
from mlconv.diagnostics.text import printable
from mlconv.driver.projects.bounds import Held
from mlconv.driver.projects.building import BUILT, FAILED, FRESH, STALE, BuildReport, Built

_UNITS = {"snr": " dB", "agreement": "", "error": "", "ops": " ops"}


def report_build(report: BuildReport) -> str:
    """A table of conversions, and how many of them became what."""
    rows = [
        [printable(one.name), one.state, size_text(one.size) if one.size else "-", _time(one), printable(_remark(one))]
        for one in report.conversions
    ]
    lines = (
        fitted(["conversion", "state", "size", "time", ""], rows, numbers=frozenset({2, 3}), texts=True) if rows else []
    )
    counts = [f"{report.count(state)} {state}" for state in (BUILT, FRESH, STALE, FAILED) if report.count(state)]
    return "\n".join([*lines, f"{', '.join(counts) or 'nothing to build'}, {report.seconds:.2f} s"])


def _time(one: Built) -> str:
    return f"{one.seconds:.2f} s" if one.seconds else "-"


def _remark(one: Built) -> str:
    if one.state == FRESH:
        return one.output
    broken = [bound_text(held) for held in one.bounds if not held.ok]
    if one.state == BUILT:
        return one.output
    errors = [d.message for d in one.diagnostics if d.severity is Severity.ERROR] if one.state == FAILED else []
    return "; ".join(broken) or next(iter(errors), one.why)


def bound_text(held: Held) -> str:
    """A bound that is broken and what was found, with their unit."""
    return f"{held.name} {quantity_text(held.name, held.value)}, bound {quantity_text(held.name, held.limit)}"


def quantity_text(name: str, value: float) -> str:
    if name == "size":
        return size_text(value)
    if name == "time":
        return f"{value * 1e3:.3g} ms"
    return f"{value:.4g}{_UNITS[name]}"


def build_page(report: BuildReport) -> str:
    """One page for all of them."""
    from mlconv.pages.page import page_of

    data = build_data(report)
    return page_of("build", f"{len(report.conversions)} conversions", f"of {report.path}", {"build": data})


class HeldData(TypedDict):
    """A bound.  value: what was found; None where it could not be."""

    name: str
    limit: float
    value: float | None
    ok: bool


class BuiltData(TypedDict):
    """A conversion.  state: `up to date`, `stale`, `built` or `failed`.  why: it was stale.  size: bytes."""

    name: str
    model: str
    target: str
    output: str
    state: str
    why: str
    seconds: float
    size: int
    ops: int
    bounds: list[HeldData]
    diagnostics: list[DiagnosticData]


class BuildData(TypedDict):
    """project: the path of its file."""

    project: str
    ok: bool
    seconds: float
    conversions: list[BuiltData]


def build_data(report: BuildReport) -> BuildData:
    return {
        "project": report.path,
        "ok": report.ok,
        "seconds": report.seconds,
        "conversions": [
            {
                "name": one.name,
                "model": one.model,
                "target": one.target,
                "output": one.output,
                "state": one.state,
                "why": one.why,
                "seconds": one.seconds,
                "size": one.size,
                "ops": one.ops,
                "bounds": [
                    {"name": h.name, "limit": h.limit, "value": h.value if h.value == h.value else None, "ok": h.ok}
                    for h in one.bounds
                ],
                "diagnostics": [as_data(d) for d in one.diagnostics],
            }
            for one in report.conversions
        ],
    }
