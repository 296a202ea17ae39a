"""What two models differ in, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlconv.commands.console import size_text
from mlconv.commands.tables import fitted
from mlconv.diagnostics.text import amount, printable_data

if TYPE_CHECKING:
    from mlconv.driver.differences import ChangedOp, ChangedWeight, Differences, OpFacts, Size

_FIRST = 12


def report_differences(found: Differences, whole: bool) -> str:
    """Sizes, then what differs, each kind with its number.  whole: all of it, not the first twelve of each kind."""
    found = printable_data(found)
    a, b = found["a"], found["b"]
    lines = [
        f"{a['path']} ({_size(a)})",
        f"{b['path']} ({_size(b)}){_growth(a['bytes'], b['bytes'])}",
        f"{found['matched']} ops are the same ops"
        + ("" if found["level"] == "source" else ", compared as ops of core: the formats differ"),
    ]
    limit = None if whole else _FIRST
    for title, rows in (
        ("interface", [(text,) for text in found["interface"]]),
        ("removed", [_op(op) for op in found["removed"]]),
        ("added", [_op(op) for op in found["added"]]),
        ("changed", [row for op in found["changed"] for row in _changes(op)]),
        ("weights", [_weight(w) for w in found["weights"]]),
    ):
        if not rows:
            continue
        count = len({row[:2] for row in rows}) if title == "changed" else len(rows)
        lines.append(f"{title}: {count}")
        lines += fitted(None, rows[:limit], indent="  ")
        if limit is not None and len(rows) > limit:
            lines.append(f"  and {len(rows) - limit} more (--all lists them)")
    if not any(found[key] for key in ("interface", "removed", "added", "changed", "weights")):
        lines.append("no differences")
    return "\n".join(lines)


def _size(facts: Size) -> str:
    ops, parameters = amount(facts["ops"], "op"), amount(facts["parameters"], "parameter")
    sizes = size_text(facts["bytes"]), size_text(facts["parameter_bytes"])
    return f"{facts['format']}, {sizes[0]}, {ops}, {parameters} in {sizes[1]}"


def _growth(before: int, after: int) -> str:
    return f", {(after / before - 1) * 100:+.1f}%" if before and before != after else ""


def _op(op: OpFacts) -> tuple[str, ...]:
    return op["op"], op["name"], op["line"]


def _changes(op: ChangedOp) -> list[tuple[str, ...]]:
    return [(op["op"], op["name"], change, op["line"]) for change in op["changes"]]


def _weight(weight: ChangedWeight) -> tuple[str, ...]:
    text = weight["change"] or f"{weight['changed']} of {weight['elements']} elements"
    if weight["max_abs"] is not None:
        text += f", at most {weight['max_abs']:.3g}"
    if weight["relative"] is not None:
        percent = weight["relative"] * 100
        text += f", {percent:.2g}% as root mean square" if percent < 100 else f", {percent:.0f}% as root mean square"
    return weight["name"], weight["op"], text
