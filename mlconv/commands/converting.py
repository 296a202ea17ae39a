"""What commands that convert a model share: their options, and the conversion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from mlconv.commands.arguments import (
    completing,
    debug_options,
    form_options,
    quantize_options,
    reading_options,
    verify_options,
)
from mlconv.commands.group import context_for, given, options_of
from mlconv.commands.reporting import path_map_of, report_options, show, source_roots_of
from mlconv.commands.sections import Command, option, together
from mlconv.commands.stdio import say
from mlconv.commands.targets import extra_options, parsed_options, target_options
from mlconv.diagnostics.text import printable
from mlconv.driver.context import BUILT_IN

if TYPE_CHECKING:
    from mlconv.driver.context import Context
    from mlconv.driver.options import Options
    from mlconv.driver.result import OnFailed, Result
    from mlconv.exporters.target import Target


def _target_option(otherwise: str = "", **settings: bool) -> Callable[[Command], Command]:
    """otherwise: what is taken where none is named."""
    text = f"What to write: {', '.join(BUILT_IN.targets.names)}{otherwise}."
    return option(
        "--to",
        "target",
        metavar="TARGET",
        shell_complete=completing(lambda ctx: BUILT_IN.targets.names),
        help=text,
        **settings,
    )


target_option = _target_option(required=True)


def conversion_options(*own: Command) -> Callable[[Command], Command]:
    """The model, where it goes, and how it becomes what.  own: options of one command."""
    return together(
        click.argument("model", type=click.Path()),
        option(
            "-o",
            "--output",
            type=click.Path(),
            help="Where to write; by default beside the model. - is standard output, for tflite and stablehlo.",
        ),
        _target_option("; by default what the suffix of -o says"),
        *own,
        option(
            "--certificate",
            type=click.Path(),
            default="",
            help="Also write where the artifact came from, as an in-toto statement with SLSA's provenance.",
        ),
        option(
            "--io-json",
            is_flag=True,
            help="Also write names, types and shapes of inputs and outputs as ARTIFACT.io.json.",
        ),
        option("--strip-locations", is_flag=True, help="Write no lines of source into the output; node names stay."),
        option("--json", "as_json", is_flag=True, help="Print the report as JSON."),
        reading_options,
        together(
            form_options,
            option(
                "--io-layout",
                type=click.Choice(("keep", "nhwc")),
                default="keep",
                help="Layout of all image inputs and outputs.",
            ),
            section="Inputs and outputs of the result",
        ),
        quantize_options,
        verify_options,
        target_options,
        together(extra_options, section="Options of several targets"),
        together(
            option(
                "--fold-limit",
                type=click.IntRange(min=0),
                default=1 << 20,
                show_default=True,
                metavar="BYTES",
                help="Largest growth by one constant folding.",
            ),
            debug_options,
            section="Passes",
        ),
        report_options,
    )


def target_of(ctx: click.Context, target: str | None, output: str | None) -> str:
    """The target that is named, or that the suffix of the output belongs to.  Raises MissingParameter."""
    if target is not None:
        return target
    from mlconv.driver.projects.reading import target_by_suffix

    found = target_by_suffix(output or "", BUILT_IN.targets.all())
    if not found:
        named = next(parameter for parameter in ctx.command.params if parameter.name == "target")
        said = f"the name {printable(output)} says no target, and --to is missing" if output else None
        raise click.MissingParameter(said, ctx=ctx, param=named)
    return found


def asked_of(
    ctx: click.Context, target: str, target_settings: tuple[str, ...], settings: Mapping[str, object]
) -> tuple[Context, Target, Options]:
    """What there is, the target, and the options of the command that runs, checked."""
    context = context_for(settings, target)
    chosen = context.target(target)
    named = parsed_options(target_settings, chosen)
    where = {"path_map": path_map_of(ctx), "source_roots": source_roots_of(ctx)}
    options = options_of({**settings, **where}, context, (target,), named)
    options.check_targets((chosen,), context, given(ctx))
    return context, chosen, options


def converted(
    model: str,
    target: str | None,
    output: str | None,
    target_settings: tuple[str, ...],
    as_json: bool,
    settings: Mapping[str, object],
    on_failed: OnFailed | None = None,
) -> Result:
    """Convert as the options of the command that runs say, and report what was found on the way.  on_failed: is told of
    an error before it is raised.
    """
    from mlconv.commands.console import stages
    from mlconv.commands.streams import STANDARD_OUTPUT, streamed
    from mlconv.runtime.blas import load_without_threads

    load_without_threads()  # before anything loads numpy
    from mlconv.driver import conversion

    ctx = click.get_current_context()
    target = target_of(ctx, target, output)
    context, chosen, options = asked_of(ctx, target, target_settings, settings)
    with stages(enabled=not as_json) as on_stage, streamed(chosen, output, options) as path:
        result = conversion.convert(
            model,
            target,
            path,
            options,
            on_stage=on_stage,
            emit=lambda text: say(text, err=True),
            context=context,
            on_failed=on_failed,
        )
    if output == STANDARD_OUTPUT:  # and not the file that its bytes were in
        result.output = STANDARD_OUTPUT
        if result.quantization is not None:
            result.quantization.output = STANDARD_OUTPUT
    show(ctx, result.diagnostics)
    return result
