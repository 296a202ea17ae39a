"""What `mlconv simplify` says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

from mlconv.commands.verify_report import rendered
from mlconv.diagnostics.text import printable

if TYPE_CHECKING:
    from mlconv.driver.simplification import Simplification
    from mlconv.runtime.measures import Measure

_HEAD = ("operator", "before", "after", "")


def report_simplification(found: Simplification) -> str:
    """A table of operators, and lines of bytes, rules, verification and time."""
    before, after = found.ops_before, found.ops_after
    names = sorted({*before, *after}, key=lambda name: (-before.get(name, 0), name))
    rows = [[name, str(before.get(name, 0)), str(after.get(name, 0)), _change(found, name)] for name in names]
    rows.append(["all", str(sum(before.values())), str(sum(after.values())), ""])
    share = found.bytes_after / found.bytes_before - 1 if found.bytes_before else 0.0
    rules = ", ".join(f"{name} {count}" for name, count in found.rules.items()) or "none"
    lines = [
        rendered(_HEAD, rows),
        "",
        printable(f"{found.source}: {found.bytes_before} bytes"),
        printable(f"{found.output}: {found.bytes_after} bytes ({share:+.1%})"),
        f"rules: {rules}",
        printable(_verified(found)),
        "time: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in found.timings.items()),
    ]
    return "\n".join(lines)


def _change(found: Simplification, name: str) -> str:
    difference = found.ops_after.get(name, 0) - found.ops_before.get(name, 0)
    return f"{difference:+d}" if difference else ""


def _verified(found: Simplification) -> str:
    checked = found.checked
    if not checked.runs:
        return "not verified"
    worst = max((m.max_relative for m in checked.outputs), default=0.0)
    without = f", without {', '.join(checked.aside)}" if checked.aside else ""
    runs = f"{checked.runs} {'run' if checked.runs == 1 else 'runs'}"
    return f"verified on {checked.runtime}{without}: {runs}, largest relative difference {worst:.2g}"


class Change(TypedDict):
    """A number of both models."""

    before: int
    after: int


class OpChange(TypedDict):
    """How many ops of each kind both models have."""

    before: dict[str, int]
    after: dict[str, int]


class OutputData(TypedDict):
    """An output of both models.  Numbers that are infinite are None."""

    name: str
    verdict: str
    max_abs: float | None
    relative: float | None


class CheckedData(TypedDict):
    """How both models were compared.  aside: nodes that were left out.  why: nothing was run."""

    runtime: str
    runs: int
    aside: list[str]
    why: str
    outputs: list[OutputData]


class SimplificationData(TypedDict):
    """rules: how often each was applied.  seconds: by stage."""

    version: int
    source: str
    output: str
    format: str
    ops: OpChange
    nodes: Change
    bytes: Change
    rules: dict[str, int]
    seconds: dict[str, float]
    verification: CheckedData


def simplification_data(found: Simplification) -> SimplificationData:
    """The same as data.  Numbers that are infinite are null."""
    checked = found.checked
    return {
        "version": 1,
        "source": found.source,
        "output": found.output,
        "format": found.format,
        "ops": {"before": dict(found.ops_before), "after": dict(found.ops_after)},
        "nodes": {"before": sum(found.ops_before.values()), "after": sum(found.ops_after.values())},
        "bytes": {"before": found.bytes_before, "after": found.bytes_after},
        "rules": dict(found.rules),
        "seconds": {name: round(seconds, 3) for name, seconds in found.timings.items()},
        "verification": {
            "runtime": checked.runtime,
            "runs": checked.runs,
            "aside": list(checked.aside),
            "why": checked.why,
            "outputs": [_measure(m) for m in checked.outputs],
        },
    }


def _measure(m: Measure) -> OutputData:
    return {
        "name": m.name,
        "verdict": m.verdict.value,
        "max_abs": m.max_abs if math.isfinite(m.max_abs) else None,
        "relative": m.max_relative if math.isfinite(m.max_relative) else None,
    }
