"""Pages of diagnostics, and what ops are."""

from __future__ import annotations

import click

from mlconv.commands.group import Command
from mlconv.commands.stdio import say


@click.command(cls=Command)
@click.argument("what", metavar="CODE|OP")
def explain(what: str) -> None:
    """Explain a diagnostic by its code, such as MLC0401, or an op of any level by its name, such as core.conv,
    tfl.CONV_2D, tf.Conv2D, or onnx.Clip@11 for version 11 of the operator set.
    """
    from mlconv.diagnostics.explain import explain as page

    say(_op(what) if "." in what else page(what))


def _op(what: str) -> str:
    """Raises ConversionError UsageError for an op that no dialect has."""
    from mlconv.diagnostics import Code, ConversionError
    from mlconv.dialects import DIALECTS

    name, _, version = what.partition("@")
    if version and not version.isdecimal():
        raise ConversionError(Code.UsageError, f"version {version!r} of {name} is no number")
    declared = DIALECTS.op_class(name)
    if declared is not None and declared.spec is not None:
        return declared.spec.text
    schema = DIALECTS.schema(name, int(version or 0))
    if schema is None:
        raise ConversionError(Code.UsageError, f"there is no op {what!r} in {', '.join(DIALECTS.places)}")
    return str(schema)
