"""What is in a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import click

from mlconv.commands.arguments import model_options
from mlconv.commands.group import Command, context_for, options_of
from mlconv.commands.stdio import say
from mlconv.diagnostics.text import json_text
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options


class Shown(NamedTuple):
    """What a view says: as data, and the text of it."""

    facts: object
    text: Callable[[], str]


def _interface(model: str, options: Options, to: str) -> Shown:
    """Inputs, outputs, ops and parameters."""
    from mlconv.commands.inspect_report import report_inspection
    from mlconv.driver.inspection import inspect_model

    facts = inspect_model(model, options)
    return Shown(facts, lambda: report_inspection(facts))


def _memory(model: str, options: Options, to: str) -> Shown:
    """Where a target keeps the values while it runs, in the source's order of ops and in its own."""
    from mlconv.commands.memory_report import report_memory
    from mlconv.driver.memory_facts import memory_facts

    facts = memory_facts(model, options, to)
    return Shown(facts, lambda: report_memory(facts))


VIEWS = {"interface": _interface, "memory": _memory}


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@click.option(
    "--show",
    "view",
    type=click.Choice(tuple(VIEWS)),
    default="interface",
    show_default=True,
    help="memory: where the values are kept, and the peak before and after ops are ordered.",
)
@click.option(
    "--to",
    "target",
    default="native",
    show_default=True,
    metavar="TARGET",
    help=f"The target whose memory is shown: {', '.join(t.name for t in BUILT_IN.targets.all() if t.schedules)}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@model_options
def inspect(model: str, view: str, target: str, as_json: bool, **settings: object) -> None:
    """Show inputs, outputs, ops and parameters of MODEL, or what --show names."""
    context = context_for(settings, target)
    shown = VIEWS[view](model, options_of(settings, context, (target,)), target)
    say(json_text(shown.facts, indent=1) if as_json else shown.text())
