"""Find the pass that changes numbers."""

from __future__ import annotations

import click

from mlconv.commands.arguments import (
    data_option,
    expect_option,
    form_options,
    limit_options,
    model_options,
    quantize_options,
    scheme_option,
)
from mlconv.commands.converting import asked_of, target_option
from mlconv.commands.group import Command
from mlconv.commands.reporting import tell
from mlconv.commands.targets import extra_options, target_options


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@target_option
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Where to write a small model that shows the fault, as IR text with an .npz of inputs; by default beside the "
    "model, as STEM.bisect.mlir.",
)
@data_option
@expect_option
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random inputs.")
@limit_options
@form_options
@target_options
@extra_options
@scheme_option
@quantize_options
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@model_options
def bisect(
    model: str,
    target: str,
    output: str | None,
    data: str,
    expect: str,
    seed: int,
    rtol: float,
    atol: float,
    min_snr: float,
    target_settings: tuple[str, ...],
    as_json: bool,
    **settings: object,
) -> None:
    """Find the first pass of a conversion of MODEL that changes what it computes, and the op.

    The module behind each pass, and the artifact, are run on the same inputs. With --expect, the model and the artifact
    are held to given answers, too. Exit code 3 where a fault is found.
    """
    import os

    from mlconv.commands.bisect_report import bisection_data, report_bisection, written_arguments
    from mlconv.commands.console import stages
    from mlconv.diagnostics.text import json_text
    from mlconv.driver.bisection import Expected
    from mlconv.driver.bisection import bisect as search
    from mlconv.driver.reduction import reduce
    from mlconv.runtime.measures import limits_of

    ctx = click.get_current_context()
    context, _, options = asked_of(ctx, target, target_settings, settings)
    with stages(enabled=not as_json) as on_stage:
        expected = Expected(expect, limits_of(rtol, atol, min_snr))
        found = search(model, target, options, data, seed, on_stage, context, expected)
        reduced = None
        if found.stage is not None:
            on_stage("reduce")
            path = output or f"{os.path.splitext(model.rstrip('/'))[0]}.bisect.mlir"
            reduced = reduce(found, path, options, written_arguments(ctx), context)
    tell(
        json_text(bisection_data(found, reduced), indent=1) if as_json else report_bisection(found, reduced),
        asked=as_json,
    )
    if found.stage is not None or found.wrong_answers:
        raise found.error()
