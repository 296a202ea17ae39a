"""Time a model as native code."""

from __future__ import annotations

import click

from mlconv.commands.arguments import MAX_THREADS, data_option, expect_option, limit_options, model_options
from mlconv.commands.group import Command, options_of
from mlconv.commands.stdio import say
from mlconv.commands.targets import options_named
from mlconv.diagnostics.text import json_text


def _counts(ctx: click.Context, param: click.Parameter, text: str) -> tuple[int, ...]:
    """Numbers of threads, with commas between them."""
    number = click.IntRange(1, MAX_THREADS)
    return tuple(int(number(part, param, ctx)) for part in text.split(","))


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@data_option
@expect_option
@click.option("--rounds", type=click.IntRange(min=1), default=30, show_default=True, help="Runs to take the median of.")
@click.option(
    "--threads",
    callback=_counts,
    metavar="INTEGERS",
    default="1",
    show_default=True,
    help="Threads of native code; several numbers, as in 1,2,4, print how time falls with them.",
)
@limit_options
@options_named("cpu", "tune", "tune_cache", "extern", "library")
@click.option("--top", type=click.IntRange(min=1), default=30, show_default=True, help="Ops and lines to show.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, with all ops in order.")
@model_options
def bench(
    model: str,
    data: str,
    expect: str,
    rounds: int,
    threads: tuple[int, ...],
    rtol: float,
    atol: float,
    min_snr: float,
    top: int,
    as_json: bool,
    **settings: object,
) -> None:
    """Time MODEL as native code: by op and by line of source, with percents of what this machine could do.

    The first arrays of --data are timed; what it gives for all of them is held to --expect, as `mlconv verify` does:
    exit code 3 where it differs.
    """
    from mlconv.driver.bench_inputs import Given
    from mlconv.runtime.measures import limits_of

    given = Given(data, expect, limits_of(rtol, atol, min_snr))
    if len(threads) > 1:
        from mlconv.commands.bench_report import report_curve
        from mlconv.driver.bench_threads import bench_threads

        curve = bench_threads(model, options_of(settings), rounds, threads, given=given)
        say(json_text(curve, indent=1) if as_json else report_curve(curve, top))
        return
    from mlconv.commands.bench_report import report_bench
    from mlconv.driver.bench import bench_model

    facts = bench_model(model, options_of(settings), rounds, threads[0], given=given)
    say(json_text(facts, indent=1) if as_json else report_bench(facts, top))
