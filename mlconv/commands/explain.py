"""Pages of diagnostics, and what ops are."""

from __future__ import annotations

from typing import TypedDict

import click

from mlconv.commands.arguments import completing
from mlconv.commands.group import Command
from mlconv.commands.reporting import report_options
from mlconv.commands.reports import REPORTS
from mlconv.commands.stdio import say
from mlconv.commands.terminal import on_terminal


class ExplainData(TypedDict):
    """what: a code, or an op.  page: in Markdown, of a code; the declaration, of an op."""

    what: str
    page: str


def _codes(ctx: click.Context) -> list[str]:
    from mlconv.diagnostics import Code

    return [code.id for code in Code]


@click.command(cls=Command)
@click.argument("what", metavar="CODE|OP", required=False, shell_complete=completing(_codes))
@click.option(
    "--schema",
    metavar="NAME",
    shell_complete=completing(lambda ctx: REPORTS),
    help=f"Print the JSON Schema of a report: {', '.join(REPORTS)}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option("--plugin", "plugins", multiple=True, metavar="NAME", help="An installed plug-in to load. Repeatable.")
@report_options
def explain(what: str | None, schema: str | None, as_json: bool, plugins: tuple[str, ...]) -> None:
    """Explain a diagnostic by its code, such as MLC0401, or an op of any level by its name, such as core.conv,
    tfl.CONV_2D, tf.Conv2D, or onnx.Clip@11 for version 11 of the operator set; or print the schema of a report.
    """
    from mlconv.diagnostics.explain import explain as page
    from mlconv.diagnostics.text import json_text

    if (what is None) == (schema is None):
        raise click.UsageError("name a code or an op, or a schema with --schema")
    if schema is not None:
        from mlconv.commands.schemas import schema as schema_of

        say(json_text(schema_of(schema), indent=1))
    elif what is not None:
        text = _op(what, plugins) if "." in what else page(what)
        found: ExplainData = {"what": what, "page": text}
        say(json_text(found, indent=1) if as_json else on_terminal(text, below=0))


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
