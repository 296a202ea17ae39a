"""What is in a model."""

from __future__ import annotations

import click

from mlconv.commands.arguments import model_options
from mlconv.commands.group import Command, options_of
from mlconv.commands.stdio import say
from mlconv.diagnostics.text import json_text


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@click.option("--memory", is_flag=True, help="Show where native code keeps the values: the plan of its arena.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@model_options
def inspect(model: str, memory: bool, as_json: bool, **settings: object) -> None:
    """Show inputs, outputs, ops and parameters of MODEL."""
    from mlconv.commands.console import report_inspection, report_memory
    from mlconv.driver.inspection import inspect_model, memory_plan

    if memory:
        planned = memory_plan(model, options_of(settings))
        say(json_text(planned, indent=1) if as_json else report_memory(planned))
        return
    facts = inspect_model(model, options_of(settings))
    say(json_text(facts, indent=1) if as_json else report_inspection(facts))
