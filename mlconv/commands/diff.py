"""What two models differ in."""

from __future__ import annotations

import click

from mlconv.commands.arguments import model_options, parse_names
from mlconv.commands.group import Command, options_of
from mlconv.commands.reporting import tell
from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.text import json_text

GATES = ("interface", "ops", "weights", "any")


def _gates(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    names = parse_names(ctx, parameter, value)
    unknown = [name for name in names if name not in GATES]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(GATES)}")
    return names


@click.command(cls=Command)
@click.argument("model", type=click.Path(), metavar="A")
@click.argument("other", type=click.Path(), metavar="B")
@click.option(
    "--fail-on",
    "gates",
    callback=_gates,
    metavar="WHAT,...",
    help=f"Exit code 3 where the two differ in one of: {', '.join(GATES)}.",
)
@click.option("--all", "whole", is_flag=True, help="List all that differs, not the first of each.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@model_options
def diff(model: str, other: str, gates: tuple[str, ...], whole: bool, as_json: bool, **settings: object) -> None:
    """Say what two models differ in: ops, weights, interface, sizes.

    A and B may be of any format.  Ops that were added, removed or changed are told by their names, by what they do to
    what they read, and by their order.
    """
    from mlconv.commands.console import stages
    from mlconv.commands.diff_report import report_differences
    from mlconv.driver.differences import differences, differs

    with stages(enabled=not as_json) as on_stage:
        on_stage("compare")
        found = differences(model, other, options_of(settings))
    tell(json_text(found, indent=1) if as_json else report_differences(found, whole), asked=as_json)
    failed = [gate for gate in gates if differs(found, gate)]
    if failed:
        what = "in something" if failed == ["any"] else f"in {', '.join(failed)}"
        raise ConversionError(Code.ModelsDiffer, f"{other} differs from {model} {what}, which --fail-on names")
