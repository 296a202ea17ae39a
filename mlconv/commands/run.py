"""Run a model."""

from __future__ import annotations

import click

from mlconv.commands.arguments import data_option, model_options, threads_option
from mlconv.commands.group import Command, options_of
from mlconv.commands.stdio import say
from mlconv.commands.targets import options_named
from mlconv.diagnostics.text import printable


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@data_option
@click.option("--input", "data_of_old", type=click.Path(), hidden=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Write the outputs to an .npz, or to a folder of them when --data is a folder.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random inputs.")
@click.option(
    "--backend",
    type=click.Choice(("auto", "native", "reference")),
    default="auto",
    help="Native code, or the reference interpreter.",
)
@threads_option
@options_named("extern", "library")
@model_options
def run(
    model: str,
    data: str,
    data_of_old: str | None,
    output: str | None,
    seed: int,
    backend: str,
    threads: int,
    **settings: object,
) -> None:
    """Run MODEL, a model file or a native object: as native code where it can be, else on the reference interpreter."""
    from mlconv.commands.console import report_arrays
    from mlconv.driver.running import run_model

    ran = run_model(model, data or data_of_old or "", output, seed, options_of(settings), backend, threads)
    if ran.note:
        say(f"note: {printable(ran.note)}", err=True)
    say("\n".join(report_arrays(outputs) for outputs in ran.runs))
