"""What there is, and what this machine can do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

import click

from mlconv.commands.group import Command
from mlconv.commands.stdio import say

if TYPE_CHECKING:
    from mlconv.exporters.target import Target


class _Machine(TypedDict):
    """A `MachineRow`."""

    arch: str
    name: str
    needs: str
    used_for: str
    here: bool


class _Row(TypedDict):
    """A target, a format or a plug-in."""

    name: str
    label: NotRequired[str]
    status: NotRequired[str]
    machines: NotRequired[list[_Machine]]
    version: NotRequired[str]
    places: NotRequired[dict[str, list[str]]]


DoctorData = TypedDict(
    "DoctorData", {"targets": list[_Row], "formats": list[_Row], "plug-ins": list[_Row]}, total=False
)
"""What was asked for, or all."""


@click.command(cls=Command)
@click.option("--targets", is_flag=True, help="Targets alone, with the machines that they make code for.")
@click.option("--formats", is_flag=True, help="Source formats alone.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option("--plugin", "plugins", multiple=True, metavar="NAME", help="Load an installed plug-in. Repeatable.")
def doctor(targets: bool, formats: bool, as_json: bool, plugins: tuple[str, ...]) -> None:
    """List targets, the machines that they make code for, source formats and plug-ins, and say what this machine can do
    with each.
    """
    from mlconv.diagnostics.text import json_text

    found = _found(plugins, targets, formats)
    if as_json:
        say(json_text(found, indent=1))
        return
    for group, rows in found.items():
        say(group)
        for row in rows:
            say(_line(row))
            for line in _table(row.get("machines", [])):
                say(line)


def _found(plugins: tuple[str, ...], targets: bool, formats: bool) -> dict[str, list[_Row]]:
    """By group, all or those that are asked for."""
    from mlconv.driver.context import context_of
    from mlconv.driver.plugins import installed

    context, everything = context_of(plugins), not (targets or formats)
    found: dict[str, list[_Row]] = {}
    if targets or everything:
        found["targets"] = [_target(t, targets) for t in context.targets.all()]
    if formats or everything:
        found["formats"] = [{"name": f.name, "label": f.label, "status": f.status()} for f in context.formats.all()]
    if everything:
        found["plug-ins"] = [
            {"name": p.name, "version": p.version, "places": {group: list(names) for group, names in p.places.items()}}
            for p in installed().values()
        ]
    return found


def _target(target: Target, machines: bool) -> _Row:
    facts: _Row = {"name": target.name, "label": target.label, "status": target.status()}
    rows: list[_Machine] = []
    for arch, name, needs, used_for, here in target.machines() if machines else ():
        rows.append({"arch": arch, "name": name, "needs": needs, "used_for": used_for, "here": here})
    return {**facts, "machines": rows} if rows else facts


def _line(row: _Row) -> str:
    if "status" in row:
        return f"  {row['name']:<12} {row['label']}: {row['status']}"
    has = "; ".join(f"{group} {', '.join(names)}" for group, names in row["places"].items())
    return f"  {row['name']:<12} {row['version']}: {has}"


def _table(rows: list[_Machine]) -> list[str]:
    """Machines in columns; the features that a row needs in a line of their own."""
    return [
        line
        for r in rows
        for line in (
            f"    {r['arch']:<10} {r['name']:<12} {'here' if r['here'] else '-':<5} {r['used_for']}",
            f"    {'':<28} needs {r['needs']}",
        )
    ]
