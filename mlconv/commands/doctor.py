"""What there is, and what this machine can do with it."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, NotRequired, TypedDict

import click

import mlconv
from mlconv.commands.group import Command
from mlconv.commands.reporting import report_options
from mlconv.commands.stdio import say
from mlconv.commands.tables import folded
from mlconv.commands.terminal import on_terminal
from mlconv.driver.installed import PackageFacts, installed_packages

if TYPE_CHECKING:
    from mlconv.exporters.target import Target


class MachineData(TypedDict):
    """A `MachineRow`."""

    arch: str
    name: str
    needs: str
    used_for: str
    here: bool


class TargetData(TypedDict):
    """machines: that code is made for, where that is asked for."""

    name: str
    label: str
    status: str
    machines: NotRequired[list[MachineData]]


class FormatData(TypedDict):
    """status: what this machine can do with files of a format."""

    name: str
    label: str
    status: str


class PluginData(TypedDict):
    """places: names of what it has, by group."""

    name: str
    version: str
    places: dict[str, list[str]]


class ProgramData(TypedDict):
    """What runs."""

    mlconv: str
    python: str
    system: str


DoctorData = TypedDict(
    "DoctorData",
    {
        "program": ProgramData,
        "packages": list[PackageFacts],
        "targets": list[TargetData],
        "formats": list[FormatData],
        "plug-ins": list[PluginData],
    },
    total=False,
)
"""All groups, or those that are asked for."""


@click.command(cls=Command)
@click.option("--targets", is_flag=True, help="Targets alone, with the machines that they make code for.")
@click.option("--formats", is_flag=True, help="Source formats alone.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option("--plugin", "plugins", multiple=True, metavar="NAME", help="Load an installed plug-in. Repeatable.")
@report_options
def doctor(targets: bool, formats: bool, as_json: bool, plugins: tuple[str, ...]) -> None:
    """List targets, the machines that they make code for, source formats, packages with their versions, and plug-ins,
    and say what this machine can do with each.
    """
    from mlconv.diagnostics.text import json_text

    found = _found(plugins, targets, formats)
    say(json_text(found, indent=1) if as_json else on_terminal("\n".join(_lines(found))))


def _found(plugins: tuple[str, ...], targets: bool, formats: bool) -> DoctorData:
    """By group, all or those that are asked for."""
    from mlconv.driver.context import context_of
    from mlconv.driver.plugins import installed

    context, everything = context_of(plugins), not (targets or formats)
    found: DoctorData = {}
    if everything:
        found["program"] = _program()
        found["packages"] = list(installed_packages())
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


def _program() -> ProgramData:
    system = f"{platform.system()} {platform.machine()}"
    return {"mlconv": mlconv.__version__, "python": platform.python_version(), "system": system}


def _target(target: Target, machines: bool) -> TargetData:
    facts: TargetData = {"name": target.name, "label": target.label, "status": target.status()}
    rows: list[MachineData] = []
    for arch, name, needs, used_for, here in target.machines() if machines else ():
        rows.append({"arch": arch, "name": name, "needs": needs, "used_for": used_for, "here": here})
    return {**facts, "machines": rows} if rows else facts


def _lines(found: DoctorData) -> list[str]:
    """Groups under their names."""
    lines: list[str] = []
    if "program" in found:
        program = found["program"]
        lines.append(f"mlconv {program['mlconv']}, Python {program['python']}, {program['system']}")
    if "packages" in found:
        lines += ["packages", *(line for row in found["packages"] for line in _package(row))]
    if "targets" in found:
        lines.append("targets")
        for target in found["targets"]:
            lines += [f"  {target['name']:<12} {target['label']}: {target['status']}"]
            lines += _table(target.get("machines", []))
    if "formats" in found:
        lines += ["formats", *(f"  {row['name']:<12} {row['label']}: {row['status']}" for row in found["formats"])]
    if "plug-ins" in found:
        lines += ["plug-ins", *map(_plugin, found["plug-ins"])]
    return lines


def _package(row: PackageFacts) -> list[str]:
    """What it enables, or would."""
    text = row["enables"] if row["version"] else f"not installed: {row['enables']} ({row['install']})"
    return folded(f"  {row['name']:<15} {row['version'] or '-':<11} {text}", " " * 30)


def _plugin(row: PluginData) -> str:
    has = "; ".join(f"{group} {', '.join(names)}" for group, names in row["places"].items())
    return f"  {row['name']:<12} {row['version']}: {has}"


def _table(rows: list[MachineData]) -> list[str]:
    """Machines in columns; the features that a row needs in a line of their own."""
    return [
        line
        for r in rows
        for line in (
            f"    {r['arch']:<10} {r['name']:<12} {'here' if r['here'] else '-':<5} {r['used_for']}",
            f"    {'':<28} needs {r['needs']}",
        )
    ]
