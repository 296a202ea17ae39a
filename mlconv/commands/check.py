"""What a conversion would say."""

from __future__ import annotations

import click

from mlconv.commands.arguments import (
    completing,
    form_options,
    model_options,
    parse_names,
    recipe_options,
    scheme_option,
    verify_each_option,
)
from mlconv.commands.budgets import machine_option, parse_sizes, parse_times
from mlconv.commands.group import Command, context_for, options_of
from mlconv.commands.targets import lowering_options
from mlconv.driver.context import BUILT_IN


@click.command(cls=Command)
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option(
    "--to",
    "targets",
    callback=parse_names,
    metavar="A,B",
    shell_complete=completing(lambda ctx: BUILT_IN.targets.names, many=True),
    help=f"Targets: {', '.join(BUILT_IN.targets.names)}.  [default: tflite]",
)
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="NAME|FILE",
    help="Rules of a device: tflite-micro, tflite-gpu, nnapi, edgetpu, or a TOML file. Repeatable.",
)
@click.option(
    "--baseline", type=click.Path(), metavar="FILE", help="Known problems: only new ones are reported and fail."
)
@click.option(
    "--write-baseline", type=click.Path(), metavar="FILE", help="Write the problems that there are now, and succeed."
)
@click.option(
    "--max-size",
    "sizes",
    multiple=True,
    callback=parse_sizes,
    metavar="[TARGET=]BYTES",
    help="What an artifact may take, as 250KB, 4MB or 4MiB: estimated, exit code 3. Repeatable.",
)
@click.option(
    "--max-time",
    "times",
    multiple=True,
    callback=parse_times,
    metavar="[TARGET=]TIME",
    help="What a call may take, as 5ms, 800us or 2s: the least that one core could, exit code 3. Repeatable.",
)
@machine_option
@form_options
@lowering_options
@scheme_option
@recipe_options
@verify_each_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@model_options
def check(
    models: tuple[str, ...],
    targets: tuple[str, ...],
    profiles: tuple[str, ...],
    baseline: str | None,
    write_baseline: str | None,
    sizes: dict[str, int],
    times: dict[str, float],
    machine: tuple[float, float] | None,
    as_json: bool,
    **settings: object,
) -> None:
    """Say what converting MODELS would say, for each target, without converting.

    Exit code 1 when something is refused, 3 when no more than a budget is exceeded.
    """
    from mlconv.commands.check_conclusion import claim_baselines, conclude_check
    from mlconv.commands.console import stages
    from mlconv.driver.budget import Budget
    from mlconv.driver.budget import machine as roofline
    from mlconv.driver.check import check_models
    from mlconv.driver.files import distinct, model_of

    ctx = click.get_current_context()
    claim_baselines(ctx, baseline, write_baseline)
    wanted, context = targets or (() if profiles else ("tflite",)), context_for(settings)
    options = options_of(settings, context, wanted or ("tflite",))
    budget = Budget(sizes, times, None if machine is None else roofline(machine))
    paths = distinct(map(model_of, models))
    ctx.params["models"] = tuple(paths)  # what reports are of
    with stages(enabled=not as_json) as on_stage:
        reports = check_models(paths, wanted, profiles, options, context, budget, on_stage)
    ctx.exit(conclude_check(ctx, reports, as_json, baseline, write_baseline))
