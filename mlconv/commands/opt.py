"""Passes over IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from mlconv.commands.arguments import debug_options, model_options
from mlconv.commands.group import Command, context_for, options_of
from mlconv.commands.reporting import show
from mlconv.commands.stdio import say

if TYPE_CHECKING:
    from mlconv.diagnostics.render import DiagnosticData


class OptData(TypedDict):
    """text: the IR, where it is not written to a file.  seconds: by pass.  rewrites: how often each was made."""

    text: str | None
    output: str | None
    seconds: dict[str, float]
    rewrites: dict[str, int]
    diagnostics: list[DiagnosticData]


@click.command(cls=Command)
@click.argument("file", type=click.Path(), required=False)
@click.option("--pipeline", default="", metavar="PASSES", help="Passes, e.g. 'canonicalize,fold{limit=1024},layout'.")
@click.option("--list", "as_list", is_flag=True, help="Show all passes with their options, and nothing else.")
@click.option("-o", "--output", type=click.Path(), help="Where to write; standard output without it.")
@click.option("--locations/--no-locations", default=True, help="Print source locations.")
@click.option("--inline-constants", is_flag=True, help="Print data of files too, not where they are.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@debug_options
@model_options
def opt(
    file: str | None,
    pipeline: str,
    as_list: bool,
    output: str | None,
    locations: bool,
    inline_constants: bool,
    as_json: bool,
    **settings: object,
) -> None:
    """Run passes over FILE (IR text, or a model) and print the IR.

    A pipeline that begins with check-schemas, from-onnx, from-tf or from-hlo starts at the ops of the file, others at
    core ops.
    """
    from mlconv.commands.console import pass_report
    from mlconv.diagnostics.render import as_data
    from mlconv.diagnostics.text import json_text
    from mlconv.driver.running import TextForm, optimize_text
    from mlconv.passes.pipeline import list_passes, pass_names

    context = context_for(settings, passes=pass_names(pipeline))
    if as_list:
        say(list_passes(context.passes))
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    options = options_of(settings, context)
    text = TextForm(locations, inline_constants)
    done = optimize_text(file, pipeline, text, options, output, context, lambda ir: say(ir, nl=False, err=True))
    show(click.get_current_context(), done.diagnostics)
    if as_json:
        data: OptData = {
            "text": done.text if output is None else None,
            "output": output,
            "seconds": dict(done.timings),
            "rewrites": dict(done.counts),
            "diagnostics": [as_data(d) for d in done.diagnostics],
        }
        say(json_text(data, indent=1))
    elif output is None:
        say(done.text, nl=False)
    if options.time_passes:
        say("\n".join(pass_report(done.timings, done.counts)), err=True)
