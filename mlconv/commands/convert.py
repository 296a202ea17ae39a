"""Convert a model to a target."""

from __future__ import annotations

from typing import Any

import click

from mlconv.commands.arguments import (
    debug_options,
    model_options,
    native_options,
    parse_mesh,
    parse_rules,
    target_options,
    verify_options,
)
from mlconv.commands.group import Command, given, options_of
from mlconv.commands.reporting import path_map_of, show
from mlconv.commands.stdio import say


@click.command(cls=Command)
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
    options = options_of({**settings, "path_map": path_map_of(ctx)})
    options.check_targets((target,), given(ctx))
    with stages(enabled=not as_json) as on_stage, streamed(target, output, options) as path:
        result = conversion.convert(
            model, target, path, options, on_stage=on_stage, emit=lambda text: say(text, err=True)
        )
    show(ctx, result.diagnostics)
    say(report_conversion(result, as_json, options.time_passes), err=output == "-")
