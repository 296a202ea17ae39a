"""Convert a model to a target."""

from __future__ import annotations

import click

from mlconv.commands.arguments import page_option, scheme_option
from mlconv.commands.converting import conversion_options, converted
from mlconv.commands.group import Command
from mlconv.commands.reporting import tell
from mlconv.diagnostics.text import printable


@click.command(cls=Command)
@conversion_options(
    scheme_option,
    page_option("--report", "Write a page that says what became of every op, at which line, and what it costs."),
)
def convert(
    model: str,
    target: str | None,
    output: str | None,
    target_settings: tuple[str, ...],
    as_json: bool,
    **settings: object,
) -> None:
    """Convert MODEL and check the result."""
    from mlconv.commands.console import report_conversion

    result = converted(model, target, output, target_settings, as_json, settings)
    text = report_conversion(result, as_json, bool(settings["time_passes"]))
    page = "" if as_json or not settings["report"] else f"\nreport: {printable(str(settings['report']))}"
    tell(text + page, asked=as_json, err=output == "-")
