"""The command line.  Each command parses, calls the driver and maps the result to an exit code.

Exit codes: 0 done, 1 conversion failed, 2 usage, 3 a gate failed (verification), 4 internal error (with a reproducer).
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

import mlconv
from mlconv.reporting import path_map_of, report_options, show

if TYPE_CHECKING:
    from mlconv.diagnostics import ConversionError
    from mlconv.options import Options

class _Group(click.Group):
    """The one boundary where every exception becomes a message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        from mlconv.diagnostics import ConversionError

        try:
            return super().invoke(ctx)
        except ConversionError as error:
            show(ctx, list(error.diagnostics) or [error.diagnostic])
            ctx.exit(_exit_code(error))
        except (click.exceptions.Exit, click.ClickException, click.Abort):
            raise
        except MemoryError:
            click.echo("error[MLC0204]: not enough memory for this model", err=True)
            ctx.exit(1)
        except Exception as error:  # noqa: BLE001  the boundary: no user sees a traceback
            _internal_error(error)
            ctx.exit(4)


def _exit_code(error: ConversionError) -> int:
    family = error.code.name[3:5]
    return {"07": 3, "08": 2, "09": 4}.get(family, 1)


def _internal_error(error: Exception) -> None:
    """Says what happened in one line and leaves the details in a file."""
    from mlconv.reproducer import write_reproducer

    path = write_reproducer(error)
    click.echo(f"error[MLC0901]: internal error: {type(error).__name__}: {error}", err=True)
    click.echo(f"  = note: details and the command to run again are in {path}\n  = more: mlconv explain MLC0901", err=True)


def _parse_shapes(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, tuple[int | str, ...]]:
    """NAME=1,224,224,3; names may hold `=`; an empty right side is a scalar; sizes may be names and ranges."""
    shapes: dict[str, tuple[int | str, ...]] = {}
    for text in values:
        name, sign, dims = text.rpartition("=")
        if not sign or not name:
            raise click.BadParameter(f"{text!r} is not NAME=SIZE,SIZE,...")
        parts = [d.strip() for d in dims.split(",")] if dims.strip() else []
        shapes[name] = tuple(int(d) if d.lstrip("-").isdecimal() else d for d in parts)
    return shapes


def _parse_mesh(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[tuple[str, int], ...]:
    """data=4,model=2."""
    axes = []
    for part in (value or "").split(",") if value else ():
        name, _, size = part.partition("=")
        if not name or not size.isdecimal():
            raise click.BadParameter(f"{part!r} is not AXIS=N")
        axes.append((name, int(size)))
    return tuple(axes)


def _parse_rules(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """PATTERN=AXIS,-,AXIS."""
    rules = []
    for text in values:
        pattern, sign, axes = text.rpartition("=")
        if not sign or not pattern:
            raise click.BadParameter(f"{text!r} is not PATTERN=AXIS,...")
        rules.append((pattern, tuple(axes.split(",")) if axes else ()))
    return tuple(rules)


def _names(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(n for n in (value or "").split(",") if n)


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of every command that reads a model."""
    for option in (
        click.option(
            "--shape", "shapes", multiple=True, callback=_parse_shapes, metavar="NAME=D,D,...",
            help="Sizes of an input: numbers, -1 (dynamic), names, ranges like 1..32 or N:1..32. Repeatable."
        ),
        click.option("--tag-set", "tags", callback=_names, metavar="A,B", help="Tags of a SavedModel's meta graph; serve by default."),
        click.option("--signature", metavar="NAME", help="Signature of a SavedModel; several separated by commas, or '*' for all."),
        click.option("--import", "imports", multiple=True, metavar="MODULE", help="Module with the custom objects of a Keras file. Repeatable."),
        click.option("--outputs", callback=_names, metavar="A,B", help="Outputs, if other than the model's own (node or node:0)."),
        click.option("--inputs", callback=_names, metavar="A,B", help="Inputs, if other than the model's own (node or node:0)."),
    ):
        command = option(command)
    return report_options(command)


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
@click.option("--to", "target", type=click.Choice(("tflite", "hlo", "stablehlo", "native")), required=True, help="What to write.")
@click.option("-o", "--output", type=click.Path(), help="Where to write; by default beside the model, with the target's suffix.")
@click.option("--io-layout", type=click.Choice(("keep", "nhwc")), default="keep", help="Layout of image inputs and outputs.")
@click.option("--allow-custom-ops", is_flag=True, help="Keep ops that TFLite lacks as custom ops.")
@click.option("--allow-select-ops", is_flag=True, help="Keep TensorFlow ops that TFLite lacks as Select (Flex) ops.")
@click.option("--fold-limit", type=int, default=1 << 20, show_default=True, metavar="BYTES", help="Largest growth of the model by one constant folding.")
@click.option("--reduce-float64", is_flag=True, help="Compute float64 in float32 where the target has no kernel for it.")
@click.option("--strip-locations", is_flag=True, help="Write no lines of source into the output; node names stay.")
@click.option(
    "--weights", type=click.Choice(("inline", "parameters", "file")), default="inline",
    help="HLO: weights as literals, or as parameters. Native code: in the object, or in a file beside it."
)
@click.option("--mesh", callback=_parse_mesh, metavar="AXIS=N,...", help="HLO: axes of a device mesh.")
@click.option("--shard-rule", "shard_rules", multiple=True, callback=_parse_rules, metavar="NAMES=AXIS,...", help="HLO: mesh axes of tensors. Repeatable.")
@click.option("--target", "machine", default="", metavar="TRIPLE", help="Native code: the machine, e.g. aarch64-linux-gnu; by default this one.")
@click.option("--cpu", default="", metavar="NAME", help="Native code: one instruction set; by default all of the target, chosen among at run time.")
@click.option("--features", default="", metavar="+A,-B", help="Native code: features of LLVM to add or leave out.")
@click.option("--tune", is_flag=True, help="Native code: choose tiles, strips, blocks and bands by timing on this machine.")
@click.option("--tune-cache", type=click.Path(), default="", metavar="FILE", help="Native code: keep what was chosen, and take them from there.")
@click.option("--pool", is_flag=True, help="Native code: with a small thread pool.")
@click.option("--shared", is_flag=True, help="Native code: also MODEL.so, by cc or ld.")
@click.option("--archive", is_flag=True, help="Native code: also MODEL.a.")
@click.option("--example", is_flag=True, help="Native code: also MODEL.example.c, a program that calls it.")
@click.option("--self-test", is_flag=True, help="Native code: also MODEL.test.c and its data, a program that checks it on recorded inputs.")
@click.option("--io-json", is_flag=True, help="Also write names, types and shapes of inputs and outputs as MODEL.io.json.")
@click.option("--verify", is_flag=True, help="Run the result against the reference interpreter on random inputs.")
@click.option("--verify-each", is_flag=True, help="Check the IR after every pass.")
@click.option("--time-passes", is_flag=True, help="Print the time of every stage.")
@click.option("--print-ir-after", metavar="REGEX", default="", help="Print the IR after passes whose name matches.")
@click.option("--dump-ir", metavar="DIR", default="", help="Write the IR after every pass into a folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@model_options
def convert(model: str, target: str, output: str | None, as_json: bool, **settings: Any) -> None:
    """Convert MODEL and check the result."""
    from mlconv import driver
    from mlconv.console import report_conversion, stages

    options = _options({**settings, "path_map": path_map_of(click.get_current_context())})
    with stages(enabled=not as_json) as on_stage:
        result = driver.convert(model, target, output, options, on_stage=on_stage, emit=lambda text: click.echo(text, err=True))
    show(click.get_current_context(), result.diagnostics)
    click.echo(report_conversion(result, as_json, options.time_passes))


def _options(settings: dict[str, Any]) -> Options:
    from mlconv.options import Options

    return Options(**settings)


@main.command()
@click.argument("model", type=click.Path())
@click.option("--memory", is_flag=True, help="Show where native code keeps the values: the plan of its arena.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@model_options
def inspect(model: str, memory: bool, as_json: bool, **settings: Any) -> None:
    """Show inputs, outputs, ops and parameters of MODEL."""
    from mlconv.console import report_inspection, report_memory
    from mlconv.inspection import inspect_model, memory_plan

    if memory:
        planned = memory_plan(model, _options(settings))
        click.echo(json.dumps(planned, indent=1) if as_json else report_memory(planned))
        return
    facts = inspect_model(model, _options(settings))
    click.echo(json.dumps(facts, indent=1) if as_json else report_inspection(facts))


@main.command()
@click.argument("model", type=click.Path())
@click.option("--input", "inputs_file", type=click.Path(), help="An .npz with an array for each input; random inputs without it.")
@click.option("-o", "--output", type=click.Path(), help="Write the outputs to an .npz.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of random inputs.")
@click.option("--backend", type=click.Choice(("auto", "native", "reference")), default="auto", help="Native code, or the reference interpreter.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads of native code.")
@model_options
def run(model: str, inputs_file: str | None, output: str | None, seed: int, backend: str, threads: int, **settings: Any) -> None:
    """Run MODEL, a model file or a native object: as native code where it can be, else on the reference interpreter."""
    from mlconv.console import report_arrays
    from mlconv.running import run_model

    ran = run_model(model, inputs_file, output, seed, _options(settings), backend, threads)
    if ran.note:
        click.echo(f"note: {ran.note}", err=True)
    click.echo(report_arrays(ran.outputs))


@main.command()
@click.argument("model", type=click.Path())
@click.option("--rounds", type=click.IntRange(min=1), default=30, show_default=True, help="Runs to take the median of.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads of native code.")
@click.option("--cpu", default="", metavar="NAME", help="Instruction set; by default the best of this machine.")
@click.option("--tune", is_flag=True, help="Choose tiles, strips, blocks and bands by timing on this machine.")
@click.option("--tune-cache", type=click.Path(), default="", metavar="FILE", help="Keep what was chosen, and take them from there.")
@click.option("--top", type=click.IntRange(min=1), default=30, show_default=True, help="Ops and lines to show.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON, with all ops in order.")
@model_options
def bench(model: str, rounds: int, threads: int, top: int, as_json: bool, **settings: Any) -> None:
    """Time MODEL as native code: by op and by line of source, with percents of what this machine could do."""
    from mlconv.bench import bench_model
    from mlconv.console import report_bench

    facts = bench_model(model, _options(settings), rounds, threads)
    click.echo(json.dumps(facts, indent=1) if as_json else report_bench(facts, top))


def _targets(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    from mlconv.options import TARGETS

    names = _names(ctx, parameter, value)
    unknown = [n for n in names if n not in TARGETS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is not a target; targets are {', '.join(TARGETS)}")
    return names


@main.command()
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option("--to", "targets", callback=_targets, metavar="A,B", help="Targets: tflite, hlo, stablehlo, native.  [default: tflite]")
@click.option("--profile", "profiles", multiple=True, metavar="NAME|FILE", help="Rules of a device: tflite-micro, edgetpu, or a TOML file. Repeatable.")
@click.option("--baseline", type=click.Path(), metavar="FILE", help="Known problems: only new ones are reported and fail.")
@click.option("--write-baseline", type=click.Path(), metavar="FILE", help="Write the problems that there are now, and succeed.")
@click.option("--allow-custom-ops", is_flag=True, help="Keep ops that TFLite lacks as custom ops.")
@click.option("--allow-select-ops", is_flag=True, help="Keep TensorFlow ops that TFLite lacks as Select (Flex) ops.")
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
    from mlconv.check import check_models
    from mlconv.reporting import conclude_check

    reports = check_models(models, targets or (() if profiles else ("tflite",)), profiles, _options(settings))
    ctx = click.get_current_context()
    ctx.exit(conclude_check(ctx, reports, as_json, baseline, write_baseline))


@main.command()
@click.argument("file", type=click.Path())
@click.option("--pipeline", default="", metavar="PASSES", help="Passes, e.g. 'canonicalize,fold{limit=1024},layout'.")
@click.option("-o", "--output", type=click.Path(), help="Where to write; standard output without it.")
@click.option("--locations/--no-locations", default=True, help="Print source locations.")
@click.option("--verify-each", is_flag=True, help="Check the IR after every pass.")
@click.option("--time-passes", is_flag=True, help="Print the time of every pass.")
@model_options
def opt(file: str, pipeline: str, output: str | None, locations: bool, verify_each: bool, time_passes: bool, **settings: Any) -> None:
    """Run passes over FILE (IR text, or a model) and print the IR."""
    from mlconv.running import optimize_text

    text, timings = optimize_text(file, pipeline, locations, verify_each, _options(settings))
    if output is None:
        click.echo(text, nl=False)
    else:
        with click.open_file(output, "w", encoding="utf-8") as f:
            f.write(text)
    if time_passes:
        for name, seconds in timings.items():
            click.echo(f"{seconds * 1e3:9.2f} ms  {name}", err=True)


@main.command()
@click.argument("code")
def explain(code: str) -> None:
    """Explain a diagnostic by its code, such as MLC0401."""
    from mlconv.diagnostics.explain import explain as page

    click.echo(page(code))


def run_process() -> None:
    """The `mlconv` program: one command, then the process ends.  Collections took a quarter of the time of large graphs, and nothing needs them here."""
    gc.disable()
    main(prog_name="mlconv")
