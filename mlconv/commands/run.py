"""Run a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mlconv.commands.arguments import data_option, expect_option, limit_options, model_options, threads_option
from mlconv.commands.group import Command, options_of
from mlconv.commands.reporting import is_quiet, tell
from mlconv.commands.stdio import say
from mlconv.commands.targets import options_named
from mlconv.diagnostics.text import json_text, printable

if TYPE_CHECKING:
    from mlconv.driver.options import Options
    from mlconv.driver.running import Ran
    from mlconv.driver.verification import Comparison
    from mlconv.runtime.images import ImageForm
    from mlconv.runtime.measures import Limits


def _image_form(ctx: click.Context, parameter: click.Parameter, value: str | None) -> ImageForm | None:
    """A callback."""
    from mlconv.runtime.images import ImageForm

    return ImageForm.parse(value) if value else None


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@data_option
@expect_option
@click.option("--input", "data_of_old", type=click.Path(), hidden=True)
@click.option(
    "--images",
    callback=_image_form,
    metavar="FORM",
    help="How images of --data become inputs: 'size=224x224 mean=A,B,C std=A,B,C layout=nchw'.",
)
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
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@model_options
def run(
    model: str,
    data: str,
    expect: str,
    data_of_old: str | None,
    images: ImageForm | None,
    output: str | None,
    seed: int,
    backend: str,
    threads: int,
    rtol: float,
    atol: float,
    min_snr: float,
    as_json: bool,
    **settings: object,
) -> None:
    """Run MODEL, a model file or a native object: as native code where it can be, else on the reference interpreter.

    DATA is an .npz or .safetensors file with an array for each input, an .npy or an image for a model with one, or a
    folder of such files, each a run. With --expect, outputs are compared as `mlconv verify` does; exit code 3 where
    they differ.
    """
    from mlconv.commands.console import stages
    from mlconv.commands.run_report import report_run, run_data
    from mlconv.driver.answers import check_given
    from mlconv.driver.running import run_model
    from mlconv.runtime.measures import limits_of

    given = data or data_of_old or ""
    check_given(given, expect)
    own = options_of(settings)
    with stages(enabled=not as_json) as on_stage:
        ran = run_model(model, given, output, seed, own, backend, threads, images, on_stage)
    for note in () if as_json or is_quiet(click.get_current_context()) else ran.notes:
        say(f"note: {printable(note)}", err=True)
    found = _compared(model, ran, expect, limits_of(rtol, atol, min_snr), own) if expect else None
    tell(
        json_text(run_data(model, ran, found), indent=1) if as_json else report_run(ran, threads, found), asked=as_json
    )
    if found is not None and not found.ok:
        raise found.error()


def _compared(model: str, ran: Ran, expect: str, limits: Limits, options: Options) -> Comparison:
    """How far outputs are from given answers."""
    from mlconv.driver.verification import held_to_answers

    return held_to_answers(model, ran, expect, limits, options)
