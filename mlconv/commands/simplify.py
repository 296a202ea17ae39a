"""Simplify a model."""

from __future__ import annotations

import click

from mlconv.commands.arguments import data_option, model_options, parse_names
from mlconv.commands.group import Command, options_of
from mlconv.commands.reporting import show, tell
from mlconv.diagnostics.text import json_text


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@click.option(
    "-o", "--output", type=click.Path(), help="Where to write; by default STEM.simplified.SUFFIX beside the model."
)
@click.option(
    "--skip",
    callback=parse_names,
    metavar="RULE,...",
    help="Rules that are left out; the report names those that were applied.",
)
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@model_options
def simplify(
    model: str, output: str | None, skip: tuple[str, ...], data: str, as_json: bool, **settings: object
) -> None:
    """Simplify MODEL, an ONNX or TFLite file: fewer nodes, the same results.

    What is written is of the same format, with the same inputs, outputs, operator sets and notes.  Both models are run
    on the same inputs before the file takes its name; nothing is written where they differ.
    """
    from mlconv.commands.console import stages
    from mlconv.commands.simplify_report import report_simplification, simplification_data
    from mlconv.driver import simplification

    options = options_of(settings)
    with stages(enabled=not as_json) as on_stage:
        found = simplification.simplify(model, output, skip=skip, data=data, options=options, on_stage=on_stage)
    show(click.get_current_context(), found.diagnostics)
    tell(json_text(simplification_data(found), indent=1) if as_json else report_simplification(found), asked=as_json)
