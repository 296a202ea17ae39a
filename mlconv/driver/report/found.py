"""Diagnostics as pages have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from mlconv.diagnostics import Diagnostic
from mlconv.driver.report.places import Places


class Finding(TypedDict):
    """place: a stack of `Places`."""

    code: str
    severity: str
    message: str
    node: str
    op: str
    place: int
    why: list[str]
    help: str
    notes: list[str]


def findings(diagnostics: Iterable[Diagnostic], places: Places) -> list[Finding]:
    return [
        {
            "code": d.code.id,
            "severity": d.severity.value,
            "message": d.message,
            "node": d.node,
            "op": d.op,
            "place": places.number(d.location),
            "why": list(d.why),
            "help": d.help,
            "notes": list(d.notes),
        }
        for d in diagnostics
    ]
