"""What `mlconv inspect` prints for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from mlconv.commands.console import size_text, type_text
from mlconv.commands.tables import fitted, folded
from mlconv.diagnostics.text import amount, printable_data

if TYPE_CHECKING:
    from mlconv.driver.inspection import Inspection
    from mlconv.driver.views.objects import ObjectFacts

_FIRST = 16  # entries of metadata


def report_inspection(facts: Inspection) -> str:
    """Inputs, outputs, signatures and metadata, then the kinds of ops."""
    facts = printable_data(facts)
    named = ", ".join(filter(None, (facts["format"] or "IR text", facts["producer"])))
    files = f" in {len(facts['files'])} files" if len(facts["files"]) > 1 else ""
    lines = [f"{facts['path']}: {named}, {size_text(facts['bytes'])}{files}"]
    for kind, values in (("input", facts["inputs"]), ("output", facts["outputs"])):
        lines += [f"  {kind:<6} {v['name']}  {type_text(v)}" for v in values]
    entries = facts["entries"]
    if len(entries) > 1 or any(e["key"] not in facts["signatures"] for e in entries):
        for entry in entries:
            ports = f"{', '.join(entry['inputs'])} -> {', '.join(entry['outputs'])}"
            lines += folded(f"  signature {entry['key']}: {ports}", "    ")
    for name, value in list(_entries(facts["metadata"]))[:_FIRST]:
        lines += folded(f"  {name}: {value}", "    ")
    lines.append(
        f"  {amount(facts['parameters'], 'parameter')}, {size_text(facts['parameter_bytes'])}; "
        f"{amount(sum(facts['ops'].values()), 'op')}"
    )
    width = max((len(n) for n in facts["ops"]), default=0)
    lines += [
        f"    {name:<{width}}  {count}" for name, count in sorted(facts["ops"].items(), key=lambda t: (-t[1], t[0]))
    ]
    return "\n".join(lines)


def _entries(metadata: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names and values of all that is there, those of objects behind theirs."""
    for name, value in metadata.items():
        if isinstance(value, dict):
            yield from _entries(value, f"{prefix}{name}.")
        elif isinstance(value, list) and any(isinstance(v, dict) for v in value):
            for i, item in enumerate(value):
                yield from _entries(item if isinstance(item, dict) else {"": item}, f"{prefix}{name}[{i}].")
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield f"{prefix}{name}".rstrip("."), " ".join(text.split())


def report_object(facts: ObjectFacts) -> str:
    """How an object is called, what machine it is for, and what its bytes are."""
    facts = printable_data(facts)
    sets = ", ".join(facts["cpus"])
    lines = [
        f"{facts['path']}: native object, ABI version {facts['version']}, {size_text(facts['bytes'])}",
        *folded(f"  {facts['triple']}, code for {sets}", "    "),
        f"  entry  {facts['entry']}",
    ]
    for kind, values in (("input", facts["inputs"]), ("output", facts["outputs"])):
        for v in values:
            nbytes = "" if v["bytes"] is None else f"  {v['bytes']} bytes"
            lines.append(f"  {kind:<6} {v['name']}  {type_text(v)}{nbytes}")
    if facts["dimensions"]:
        lines.append(f"  sizes known at run time: {', '.join(facts['dimensions'])}")
    workspace = "known at run time" if facts["workspace_bytes"] is None else size_text(facts["workspace_bytes"])
    lines.append(f"  workspace {workspace}, aligned to {facts['alignment']}")
    where = "in the object" if facts["weights"] is None else f"in {facts['weights']['path']}"
    lines.append(f"  weights {size_text(facts['weight_bytes'])} {where}; all else {size_text(facts['code_bytes'])}")
    more = [("variables", facts["state"]), ("symbols", facts["symbols"]), ("other libraries", facts["foreign"])]
    for name, listed in more:
        lines += folded(f"  {name}: {', '.join(listed)}", "    ") if listed else []
    rows = [(str(size), name) for name, size in sorted(facts["sections"].items(), key=lambda t: (-t[1], t[0]))]
    return "\n".join([*lines, *(f"  {line}" for line in fitted(("bytes", "section"), rows, frozenset({0})))])
