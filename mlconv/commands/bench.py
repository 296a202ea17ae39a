"""Time a model as native code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mlconv.commands.arguments import (
    MAX_THREADS,
    data_option,
    expect_option,
    limit_options,
    model_options,
    parse_names,
    parse_path,
)
from mlconv.commands.group import Command, options_of
from mlconv.commands.reporting import tell
from mlconv.commands.targets import options_named
from mlconv.diagnostics.text import json_text

if TYPE_CHECKING:
    from mlconv.driver.bench_inputs import Given
    from mlconv.driver.options import Options

MAX_BATCH = 1 << 20


def _counts(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Numbers, with commas between them."""
    number = click.IntRange(1, MAX_THREADS if param.name == "threads" else MAX_BATCH)
    return tuple(int(number(part, param, ctx)) for part in text.split(",")) if text is not None else ()


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@data_option
@expect_option
@click.option("--rounds", type=click.IntRange(min=1), default=30, show_default=True, help="Calls that are timed.")
@click.option("--warm-up", type=click.IntRange(min=0), default=3, show_default=True, help="Calls before, not timed.")
@click.option(
    "--threads",
    callback=_counts,
    metavar="N,...",
    default="1",
    show_default=True,
    help="Threads of native code; several numbers, as in 1,2,4, print how time falls with them.",
)
@click.option(
    "--batch",
    "batches",
    callback=_counts,
    metavar="N,...",
    help="Samples of a call, as in 1,8,32: how time grows with them, where inputs have an open first axis.",
)
@click.option(
    "--compare",
    "peers",
    callback=parse_names,
    metavar="RUNTIME,...",
    help="Time other runtimes in the same rounds: litert, onnxruntime; installed, for all that are.",
)
@click.option(
    "--trace",
    callback=parse_path,
    type=click.Path(),
    metavar="FILE.json",
    help="Write when each kernel and thread ran in one call, in Trace Event form, which Perfetto opens.",
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
    warm_up: int,
    threads: tuple[int, ...],
    batches: tuple[int, ...],
    peers: tuple[str, ...],
    trace: str,
    rtol: float,
    atol: float,
    min_snr: float,
    top: int,
    as_json: bool,
    **settings: object,
) -> None:
    """Time MODEL as native code: by op and by line of source, with percents of what this machine could do.

    A native object (model.o) is timed as it is, as a whole; --shape says how large inputs are whose sizes it leaves
    open.

    Calls of one thread are timed by the processor's time, those of several on the wall.

    The first arrays of --data are timed; what it gives for all of them is held to --expect, as `mlconv verify` does:
    exit code 3 where it differs.
    """
    from mlconv.driver.bench_inputs import Given
    from mlconv.driver.objects import is_object
    from mlconv.runtime.measures import limits_of

    given, options = Given(data, expect, limits_of(rtol, atol, min_snr)), options_of(settings)
    if is_object(model):
        if batches or peers or trace:
            raise click.UsageError(f"--batch, --compare and --trace are of models, {model} is native code")
        _print_object(model, options, rounds, threads, warm_up, given, as_json)
        return
    if (batches or len(threads) > 1) and (peers or trace):
        raise click.UsageError("--compare and --trace are of one number of threads, and one batch")
    if batches:
        if len(threads) > 1 or data:
            raise click.UsageError("--batch goes with one number of threads, and with random inputs")
        _print_batches(model, options, rounds, threads[0], batches, warm_up, as_json)
    elif len(threads) > 1:
        _print_curve(model, options, rounds, threads, given, top, as_json)
    else:
        from mlconv.commands.bench_report import report_bench
        from mlconv.commands.console import stages
        from mlconv.driver.bench import Timing, bench_model

        timing = Timing(rounds, threads[0], warm_up, peers, trace)
        with stages(enabled=not as_json) as on_stage:
            facts = bench_model(model, options, timing, given=given, on_stage=on_stage)
        tell(json_text(facts, indent=1) if as_json else report_bench(facts, top, trace), asked=as_json)


def _print_object(
    model: str, options: Options, rounds: int, threads: tuple[int, ...], warm_up: int, given: Given, as_json: bool
) -> None:
    from mlconv.commands.bench_report import report_object
    from mlconv.commands.console import stages
    from mlconv.driver.bench_objects import bench_object

    with stages(enabled=not as_json) as on_stage:
        found = bench_object(model, options, rounds, threads, warm_up, asked=given, on_stage=on_stage)
    tell(json_text(found, indent=1) if as_json else report_object(found), asked=as_json)


def _print_batches(
    model: str, options: Options, rounds: int, threads: int, batches: tuple[int, ...], warm_up: int, as_json: bool
) -> None:
    from mlconv.commands.bench_report import report_batches
    from mlconv.commands.console import stages
    from mlconv.driver.bench_batches import bench_batches

    with stages(enabled=not as_json) as on_stage:
        found = bench_batches(model, options, rounds, threads, batches, warm_up, on_stage=on_stage)
    tell(json_text(found, indent=1) if as_json else report_batches(found), asked=as_json)


def _print_curve(
    model: str, options: Options, rounds: int, threads: tuple[int, ...], given: Given, top: int, as_json: bool
) -> None:
    from mlconv.commands.bench_report import report_curve
    from mlconv.commands.console import stages
    from mlconv.driver.bench_threads import bench_threads

    with stages(enabled=not as_json) as on_stage:
        curve = bench_threads(model, options, rounds, threads, given=given, on_stage=on_stage)
    tell(json_text(curve, indent=1) if as_json else report_curve(curve, top), asked=as_json)
