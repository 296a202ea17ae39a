"""Compare two models."""

from __future__ import annotations

import click

from mlconv.commands.arguments import data_option, expect_option, limit_options, model_options
from mlconv.commands.group import Command, options_of
from mlconv.commands.reporting import tell
from mlconv.commands.targets import options_named
from mlconv.diagnostics.text import json_text

BACKENDS = ("auto", "litert", "litert-reference", "onnxruntime", "xla", "tensorflow", "native", "reference")
_BACKEND_HELP = (
    "What {} runs on: by default the runtime of its format where it is installed, else mlconv's interpreter."
)


@click.command(cls=Command)
@click.argument("model", type=click.Path(), metavar="A")
@click.argument("other", type=click.Path(), metavar="[B]", required=False)
@data_option
@expect_option
@click.option("--backend-a", type=click.Choice(BACKENDS), default="auto", help=_BACKEND_HELP.format("A"))
@click.option("--backend-b", type=click.Choice(BACKENDS), default="auto", help=_BACKEND_HELP.format("B"))
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random inputs.")
@click.option(
    "--runs",
    type=click.IntRange(1, 1000),
    show_default="1; 3 in turn of models with variables",
    help="Runs with random inputs.",
)
@click.option(
    "--per-layer",
    is_flag=True,
    help="Also compare values inside, and name the first op whose result differs by more than what it reads does.",
)
@limit_options
@options_named("library")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@model_options
def verify(
    model: str,
    other: str | None,
    data: str,
    expect: str,
    backend_a: str,
    backend_b: str,
    seed: int,
    runs: int | None,
    per_layer: bool,
    rtol: float,
    atol: float,
    min_snr: float,
    as_json: bool,
    **settings: object,
) -> None:
    """Run A and B, models or artifacts of any format, on the same inputs, and compare what they give; or hold A to the
    outputs that --expect names.

    Exit code 3 where outputs differ.
    """
    from mlconv.commands.console import stages
    from mlconv.commands.verify_report import comparison_data, report_comparison
    from mlconv.driver.verification import Asked, verify
    from mlconv.runtime.measures import limits_of

    limits = limits_of(rtol, atol, min_snr)
    asked = Asked(data, expect, seed, runs, limits, (backend_a, backend_b), per_layer)
    with stages(enabled=not as_json) as on_stage:
        found = verify(model, other, asked, options_of(settings), on_stage)
    tell(json_text(comparison_data(found), indent=1) if as_json else report_comparison(found), asked=as_json)
    if not found.ok:
        raise found.error()
