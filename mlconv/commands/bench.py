"""Time a model as native code."""

from __future__ import annotations

import click

from mlconv.commands.arguments import model_options, threads_option
from mlconv.commands.group import Command, options_of
from mlconv.commands.stdio import say
from mlconv.commands.targets import options_named
from mlconv.diagnostics.text import json_text


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@click.option("--rounds", type=click.IntRange(min=1), default=30, show_default=True, help="Runs to take the median of.")
@threads_option
@options_named("cpu", "tune", "tune_cache", "extern", "library")
@click.option("--top", type=click.IntRange(min=1), default=30, show_default=True, help="Ops and lines to show.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, with all ops in order.")
@model_options
def bench(model: str, rounds: int, threads: int, top: int, as_json: bool, **settings: object) -> None:
    """Time MODEL as native code: by op and by line of source, with percents of what this machine could do."""
    from mlconv.commands.console import report_bench
    from mlconv.driver.bench import bench_model

    facts = bench_model(model, options_of(settings), rounds, threads)
    say(json_text(facts, indent=1) if as_json else report_bench(facts, top))
