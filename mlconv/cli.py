"""The command line.  Each command parses, calls the driver and maps the result to an exit code.

Exit codes: 0 done, 1 conversion failed, 2 usage, 3 a gate failed (verification), 4 internal error (with a reproducer).
"""

from __future__ import annotations

import gc
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

import mlconv
from mlconv.commands.arguments import (
    data_option,
    debug_options,
    model_options,
    native_options,
    parse_mesh,
    parse_path,
    parse_rules,
    parse_targets,
    target_options,
    threads_option,
    verify_options,
)
from mlconv.commands.reporting import claim_report, conclude, files_of_run, path_map_of, show
from mlconv.commands.stdio import lost, prepare, say
from mlconv.diagnostics.text import json_text, printable
from mlconv.formats.files import CHANGING

if TYPE_CHECKING:
    from mlconv.driver.options import Options


class _Command(click.Command):
    """A command: its own help may be lost, its errors name its model, and its report can be written."""

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        try:
            return super().make_context(*args, **settings)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise lost(error) from error

    def invoke(self, ctx: click.Context) -> Any:
        from mlconv.diagnostics import naming

        given = ctx.params.get("model") or ctx.params.get("file") or ctx.params.get("models") or ""
        with naming(given if isinstance(given, str) else given[0] if len(given) == 1 else ""):
            claim_report(ctx)
            return super().invoke(ctx)


class _Group(click.Group):
    """The one boundary where every exception becomes a message and an exit code."""

    command_class = _Command

    def main(self, *args: Any, **settings: Any) -> Any:
        """Also what click prints itself, of help, versions and wrong usage, may be lost."""
        try:
            return super().main(*args, **settings)
        except OSError as error:
            say(f"error[MLC0007]: {lost(error).diagnostic.message}", err=True)
            sys.exit(1)

    def invoke(self, ctx: click.Context) -> Any:
        from mlconv.diagnostics import ConversionError

        try:
            return super().invoke(ctx)
        except ConversionError as error:
            ctx.exit(conclude(ctx, error))
        except (click.exceptions.Exit, click.ClickException, click.Abort, BrokenPipeError):
            raise
        except MemoryError:
            say("error[MLC0204]: not enough memory for this model", err=True)
            ctx.exit(1)
        except Exception as error:  # noqa: BLE001  the boundary: no user sees a traceback
            _internal_error(error)
            ctx.exit(4)


def _internal_error(error: Exception) -> None:
    """Says what happened in one line and leaves the details in a file."""
    from mlconv.driver.reproducer import write_reproducer

    say(f"error[MLC0901]: internal error: {type(error).__name__}: {printable(str(error))}", err=True)
    try:
        note = f"details and the command to run again are in {write_reproducer(error)}"
    except OSError as e:
        note = f"details could not be written: {e.strerror}"
    say(f"  = note: {note}\n  = more: mlconv explain MLC0901", err=True)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mlconv.__version__, prog_name="mlconv")
def main() -> None:
    """Convert trained models: TensorFlow, Keras, ONNX and HLO to TFLite, HLO, StableHLO and native objects.

    \b
    mlconv convert model.onnx --to tflite
    mlconv check model.onnx --to tflite,hlo
    mlconv inspect model.pb
    """


@main.command()
@click.argument("model", type=click.Path())
@click.option(
    "--to", "target", type=click.Choice(("tflite", "hlo", "stablehlo", "native")), required=True, help="What to write."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Where to write; by default beside the model. - is standard output, for tflite and stablehlo.",
)
@click.option(
    "--io-layout", type=click.Choice(("keep", "nhwc")), default="keep", help="Layout of image inputs and outputs."
)
@click.option(
    "--fold-limit",
    type=click.IntRange(min=0),
    default=1 << 20,
    show_default=True,
    metavar="BYTES",
    help="Largest growth by one constant folding.",
)
@click.option(
    "--reduce-float64", is_flag=True, help="TFLite: compute float64 in float32 where it has no kernel for it."
)
@target_options
@click.option("--strip-locations", is_flag=True, help="Write no lines of source into the output; node names stay.")
@click.option(
    "--weights",
    type=click.Choice(("inline", "parameters", "file")),
    default="inline",
    help="HLO: weights as literals, or as parameters. Native code: in the object, or in a file beside it.",
)
@click.option("--mesh", callback=parse_mesh, metavar="AXIS=N,...", help="HLO: axes of a device mesh.")
@click.option(
    "--shard-rule",
    "shard_rules",
    multiple=True,
    callback=parse_rules,
    metavar="NAMES=AXIS,...",
    help="HLO: mesh axes of tensors. Repeatable.",
)
@native_options
@click.option(
    "--io-json", is_flag=True, help="Also write names, types and shapes of inputs and outputs as ARTIFACT.io.json."
)
@verify_options
@debug_options
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@model_options
def convert(model: str, target: str, output: str | None, as_json: bool, **settings: Any) -> None:
    """Convert MODEL and check the result."""
    from mlconv.commands.console import report_conversion, stages
    from mlconv.commands.streams import streamed
    from mlconv.driver import conversion

    ctx = click.get_current_context()
    options = _options({**settings, "path_map": path_map_of(ctx)})
    options.check_targets((target,), _given(ctx))
    with stages(enabled=not as_json) as on_stage, streamed(target, output, options) as path:
        result = conversion.convert(
            model, target, path, options, on_stage=on_stage, emit=lambda text: say(text, err=True)
        )
    show(ctx, result.diagnostics)
    say(report_conversion(result, as_json, options.time_passes), err=output == "-")


def _given(ctx: click.Context) -> set[str]:
    """Names of the options that the user wrote."""
    return {name for name in ctx.params if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT}


def _options(settings: dict[str, Any]) -> Options:
    from mlconv.driver.options import Options

    return Options(**settings, files=files_of_run(click.get_current_context()))


@main.command()
@click.argument("model", type=click.Path())
@click.option("--memory", is_flag=True, help="Show where native code keeps the values: the plan of its arena.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@model_options
def inspect(model: str, memory: bool, as_json: bool, **settings: Any) -> None:
    """Show inputs, outputs, ops and parameters of MODEL."""
    from mlconv.commands.console import report_inspection, report_memory
    from mlconv.driver.inspection import inspect_model, memory_plan

    if memory:
        planned = memory_plan(model, _options(settings))
        say(json_text(planned, indent=1) if as_json else report_memory(planned))
        return
    facts = inspect_model(model, _options(settings))
    say(json_text(facts, indent=1) if as_json else report_inspection(facts))


@main.command()
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
@model_options
def run(
    model: str,
    data: str,
    data_of_old: str | None,
    output: str | None,
    seed: int,
    backend: str,
    threads: int,
    **settings: Any,
) -> None:
    """Run MODEL, a model file or a native object: as native code where it can be, else on the reference interpreter."""
    from mlconv.commands.console import report_arrays
    from mlconv.driver.running import run_model

    ran = run_model(model, data or data_of_old or "", output, seed, _options(settings), backend, threads)
    if ran.note:
        say(f"note: {printable(ran.note)}", err=True)
    say("\n".join(report_arrays(outputs) for outputs in ran.runs))


@main.command()
@click.argument("model", type=click.Path())
@click.option("--rounds", type=click.IntRange(min=1), default=30, show_default=True, help="Runs to take the median of.")
@threads_option
@click.option("--cpu", default="", metavar="NAME", help="Instruction set; by default the best of this machine.")
@click.option("--tune", is_flag=True, help="Choose tiles, strips, blocks and bands by timing on this machine.")
@click.option(
    "--tune-cache",
    type=click.Path(),
    callback=parse_path,
    metavar="FILE",
    help="Keep what was chosen, and take them from there.",
)
@click.option("--top", type=click.IntRange(min=1), default=30, show_default=True, help="Ops and lines to show.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, with all ops in order.")
@model_options
def bench(model: str, rounds: int, threads: int, top: int, as_json: bool, **settings: Any) -> None:
    """Time MODEL as native code: by op and by line of source, with percents of what this machine could do."""
    from mlconv.commands.console import report_bench
    from mlconv.driver.bench import bench_model

    facts = bench_model(model, _options(settings), rounds, threads)
    say(json_text(facts, indent=1) if as_json else report_bench(facts, top))


@main.command()
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option(
    "--to",
    "targets",
    callback=parse_targets,
    metavar="A,B",
    help="Targets: tflite, hlo, stablehlo, native.  [default: tflite]",
)
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="NAME|FILE",
    help="Rules of a device: tflite-micro, edgetpu, or a TOML file. Repeatable.",
)
@click.option(
    "--baseline", type=click.Path(), metavar="FILE", help="Known problems: only new ones are reported and fail."
)
@click.option(
    "--write-baseline", type=click.Path(), metavar="FILE", help="Write the problems that there are now, and succeed."
)
@target_options
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@model_options
def check(
    models: tuple[str, ...],
    targets: tuple[str, ...],
    profiles: tuple[str, ...],
    baseline: str | None,
    write_baseline: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Say what converting MODELS would say, for each target, without converting.

    Exit code 1 when something is refused.
    """
    from mlconv.commands.reporting import claim_baselines, conclude_check
    from mlconv.driver.check import check_models

    ctx = click.get_current_context()
    claim_baselines(ctx, baseline, write_baseline)
    reports = check_models(models, targets or (() if profiles else ("tflite",)), profiles, _options(settings))
    ctx.exit(conclude_check(ctx, reports, as_json, baseline, write_baseline))


@main.command()
@click.argument("file", type=click.Path())
@click.option("--pipeline", default="", metavar="PASSES", help="Passes, e.g. 'canonicalize,fold{limit=1024},layout'.")
@click.option("-o", "--output", type=click.Path(), help="Where to write; standard output without it.")
@click.option("--locations/--no-locations", default=True, help="Print source locations.")
@click.option("--verify-each", is_flag=True, help="Check the IR after every pass.")
@click.option("--time-passes", is_flag=True, help="Print the time of every pass.")
@model_options
def opt(
    file: str, pipeline: str, output: str | None, locations: bool, verify_each: bool, time_passes: bool, **settings: Any
) -> None:
    """Run passes over FILE (IR text, or a model) and print the IR."""
    from mlconv.driver.running import optimize_text

    text, timings = optimize_text(file, pipeline, locations, verify_each, _options(settings), output)
    if output is None:
        say(text, nl=False)
    if time_passes:
        for name, seconds in timings.items():
            say(f"{seconds * 1e3:9.2f} ms  {name}", err=True)


@main.command()
@click.argument("code")
def explain(code: str) -> None:
    """Explain a diagnostic by its code, such as MLC0401."""
    from mlconv.diagnostics.explain import explain as page

    say(page(code))


def run_process() -> None:
    """The `mlconv` program: one command, then the process ends.  Collections took a quarter of the time of large
    graphs, and nothing needs them here.
    """
    gc.disable()
    prepare()
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _leave)
    if CHANGING:
        signal.signal(CHANGING, _input_changes)
    try:
        main(prog_name="mlconv")
    finally:
        if CHANGING:  # all is written; the interpreter gives handlers back before it closes files
            signal.signal(CHANGING, signal.SIG_IGN)


def _input_changes(number: int, frame: Any) -> None:
    """What was read of the file may be of two versions of it."""
    from mlconv.diagnostics import Code, ConversionError

    raise ConversionError(Code.FileDamaged, "an input file is being changed by another process")


def _leave(number: int, frame: Any) -> None:
    """Ends as an interrupt does: temporary files go on the way out, which no further signal disturbs."""
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        other = getattr(signal, name, None)
        if other is not None and signal.getsignal(other) is _leave:
            signal.signal(other, _wait)
    if CHANGING:
        signal.signal(CHANGING, _wait)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _wait(number: int, frame: Any) -> None:
    """The process is ending."""
