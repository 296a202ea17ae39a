"""Tune the kernels of models."""

from __future__ import annotations

import click

from mlconv.commands.arguments import calibration_options, jobs_option, model_options, recipe_options, scheme_option
from mlconv.commands.group import Command, options_of
from mlconv.commands.reporting import tell
from mlconv.commands.targets import options_named


@click.command(cls=Command)
@click.argument("models", nargs=-1, required=True, type=click.Path(), metavar="MODEL...")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    default="tune.json",
    show_default=True,
    metavar="FILE",
    help="Where to keep what was chosen; what it holds of this processor is not timed again.",
)
@jobs_option("Processes that time kernels, or the scheduler of a dask cluster of machines like this one.")
@scheme_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@calibration_options
@recipe_options
@options_named("cpu", "extern", "library")
@model_options
def tune(models: tuple[str, ...], output: str, jobs: str, as_json: bool, **settings: object) -> None:
    """Choose register tiles, column tiles, blocks and row tiles of the native code of MODELs by timing them on this
    machine, in advance.

    `mlconv convert --to native --tune-cache FILE` takes what was chosen, and times nothing. Kernels whose sizes are
    known at run time are left as they are: name sizes with --shape, as for the conversion. So with --quantize, where
    the conversion has it.
    """
    from mlconv.commands.console import stages
    from mlconv.commands.tune_report import report_tuning
    from mlconv.diagnostics.text import json_text
    from mlconv.driver.tuning import tune as tuned

    with stages(enabled=not as_json) as on_stage:
        found = tuned(models, output, options_of(settings), jobs, on_stage)
    tell(json_text(found, indent=1) if as_json else report_tuning(found), asked=as_json)
