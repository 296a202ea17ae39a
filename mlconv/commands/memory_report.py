"""What values take on a target, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlconv.commands.console import size_text
from mlconv.commands.tables import fitted
from mlconv.diagnostics.text import amount, printable_data

if TYPE_CHECKING:
    from mlconv.driver.memory_facts import BufferFacts, MemoryFacts, PeakFacts


def report_memory(facts: MemoryFacts) -> str:
    """The arena before and after ops are ordered, what is in it at its peaks, and all of its buffers: one line for
    each, in the order of the calls.
    """
    facts = printable_data(facts)
    before, after = facts["source_order"], facts
    lines = [
        f"{facts['path']}: arena on {facts['target']} {_size(after['arena_bytes'])}, "
        f"{_change(before['arena_bytes'], after['arena_bytes'])}; "
        f"weights {size_text(facts['weight_bytes'])}, {amount(len(facts['buffers']), 'buffer')}"
    ]
    if before["peak"] is not None and before["peak"] != after["peak"]:
        lines += _peak("peak in the source's order", before["peak"])
    if after["peak"] is not None:
        lines += _peak("peak", after["peak"])
    rows = [(str(b["offset"]), str(b["size"]), f"{b['first']}..{b['last']}", *_writer(b)) for b in facts["buffers"]]
    return "\n".join([*lines, *(fitted(("offset", "size", "calls", "op", "where"), rows) if rows else [])])


def _change(before: int | str, after: int | str) -> str:
    """How the arena compares with that of the source's order."""
    if before == after:
        return "as in the source's order"
    text = f"{_size(before)} in the source's order"
    if isinstance(before, int) and isinstance(after, int) and before:
        text += f" ({(after / before - 1) * 100:+.1f}%)"
    return text


def _peak(what: str, peak: PeakFacts) -> list[str]:
    rows = [(str(b["size"]), *_writer(b)) for b in sorted(peak["buffers"], key=lambda b: -_number(b["size"]))]
    head = f"{what}: {size_text(peak['bytes'])} in use while call {peak['call']} runs"
    return [head, *fitted(("size", "op", "where"), rows, indent="  ")]


def _number(size: int | str) -> int:
    return size if isinstance(size, int) else 0


def _writer(buffer: BufferFacts) -> tuple[str, str]:
    """The op that writes a buffer, and where that comes from."""
    return buffer["op"] or "(input)", buffer["line"] or buffer["node"]


def _size(size: int | str) -> str:
    return size_text(size) if isinstance(size, int) else f"{size} B"
