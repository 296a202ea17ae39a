"""Run a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mlconv.commands.arguments import data_option, expect_option, limit_options, model_options, threads_option
from mlconv.commands.group import Command, options_of
from mlconv.commands.stdio import say
from mlconv.commands.targets import options_named
from mlconv.diagnostics.text import printable

if TYPE_CHECKING:
    from mlconv.driver.options import Options
    from mlconv.driver.running import Ran
    from mlconv.runtime.measures import Limits


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@data_option
@expect_option
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
@limit_options
@options_named("extern", "library")
@model_options
def run(
    model: str,
    data: str,
    expect: str,
    data_of_old: str | None,
    output: str | None,
    seed: int,
    backend: str,
    threads: int,
    rtol: float,
    atol: float,
    min_snr: float,
    **settings: object,
) -> None:
    """Run MODEL, a model file or a native object: as native code where it can be, else on the reference interpreter.

    With --expect, outputs are compared as `mlconv verify` does; exit code 3 where they differ.
    """
    from mlconv.commands.console import report_arrays
    from mlconv.driver.answers import check_given
    from mlconv.driver.running import run_model
    from mlconv.runtime.measures import limits_of

    given = data or data_of_old or ""
    check_given(given, expect)
    own = options_of(settings)
    ran = run_model(model, given, output, seed, own, backend, threads)
    if ran.note:
        say(f"note: {printable(ran.note)}", err=True)
    say("\n".join(report_arrays(outputs) for outputs in ran.runs))
    if expect:
        _compare(model, ran, expect, limits_of(rtol, atol, min_snr), own)


def _compare(model: str, ran: Ran, expect: str, limits: Limits, options: Options) -> None:
    """Prints how far outputs are from given answers.  Raises ConversionError where they differ."""
    from mlconv.commands.verify_report import report_outputs
    from mlconv.driver.verification import held_to_answers

    found = held_to_answers(model, ran, expect, limits, options)
    say(report_outputs(found))
    if not found.ok:
        raise found.error()
