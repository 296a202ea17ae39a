"""Convert a model to a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mlconv.commands.arguments import page_option, scheme_option
from mlconv.commands.converting import conversion_options, converted
from mlconv.commands.group import Command
from mlconv.commands.reporting import tell
from mlconv.commands.stdio import say
from mlconv.diagnostics import Code
from mlconv.diagnostics.text import printable

if TYPE_CHECKING:
    from mlconv.driver.result import Failed


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

    page = "" if as_json or not settings["report"] else f"report: {printable(str(settings['report']))}"

    def on_failed(failed: Failed) -> None:
        if page and failed.error.code is not Code.OutputNotWritable:
            say(page, err=True)

    result = converted(model, target, output, target_settings, as_json, settings, on_failed)
    text = report_conversion(result, as_json, bool(settings["time_passes"]))
    tell("\n".join(filter(None, (text, page))), asked=as_json, err=output == "-")
