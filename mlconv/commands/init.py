"""Write a project's file."""

from __future__ import annotations

from typing import TypedDict

import click

from mlconv.commands.arguments import model_options, parse_names
from mlconv.commands.group import Command, options_of
from mlconv.commands.reporting import tell
from mlconv.diagnostics.text import amount, json_text, printable
from mlconv.driver.context import BUILT_IN


class InitData(TypedDict):
    """path: of the file.  conversions: names of those that are not refused."""

    path: str
    conversions: list[str]


@click.command(cls=Command)
@click.argument("models", nargs=-1, required=True, type=click.Path(), metavar="MODEL...")
@click.option(
    "-f",
    "--file",
    "path",
    type=click.Path(),
    default="mlconv.toml",
    show_default=True,
    metavar="FILE",
    help="The file to write, which must not be there.",
)
@click.option(
    "--to",
    "targets",
    callback=parse_names,
    metavar="A,B",
    help=f"Targets: {', '.join(BUILT_IN.targets.names)}.  [default: tflite,native]",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
@model_options
def init(models: tuple[str, ...], path: str, targets: tuple[str, ...], as_json: bool, **settings: object) -> None:
    """Write a project file for MODELs by looking at them: a conversion of each to each target, with the options that it
    may want.

    What a target refuses is written as a comment that says why.
    """
    from mlconv.driver.projects.proposing import propose

    names = propose(models, targets, path, options_of(settings))
    if as_json:
        tell(json_text({"path": path, "conversions": names}, indent=1), asked=True)
        return
    made = f"{amount(len(names), 'conversion')} ({', '.join(names)}); mlconv build makes them"
    tell(f"{printable(path)}: {made if names else 'no conversion: it says what each target refuses'}")
