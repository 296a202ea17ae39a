"""Pages of diagnostics, and what ops are."""

from __future__ import annotations

import click

from mlconv.commands.group import Command
from mlconv.commands.stdio import say


@click.command(cls=Command)
@click.argument("what", metavar="CODE|OP")
@click.option("--plugin", "plugins", multiple=True, metavar="NAME", help="An installed plug-in to load. Repeatable.")
def explain(what: str, plugins: tuple[str, ...]) -> None:
    """Explain a diagnostic by its code, such as MLC0401, or an op of any level by its name, such as core.conv,
    tfl.CONV_2D, tf.Conv2D, or onnx.Clip@11 for version 11 of the operator set.
    """
    from mlconv.diagnostics.explain import explain as page

    say(_op(what, plugins) if "." in what else page(what))


def _op(what: str, plugins: tuple[str, ...]) -> str:
    """Raises ConversionError UsageError for an op that no dialect has."""
    from mlconv.diagnostics import Code, ConversionError
    from mlconv.driver.context import context_of

    dialects = context_of(plugins, dialects=[what.partition(".")[0]]).dialects
    name, _, version = what.partition("@")
    if version and not version.isdecimal():
        raise ConversionError(Code.UsageError, f"version {version!r} of {name} is no number")
    declared = dialects.op_class(name)
    if declared is not None and declared.spec is not None:
        return declared.spec.text
    schema = dialects.schema(name, int(version or 0))
    if schema is None:
        raise ConversionError(Code.UsageError, f"there is no op {what!r} in {', '.join(dialects.places)}")
    return str(schema)
