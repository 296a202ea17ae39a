"""Quantize a model, convert it to a target, and say what that costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlconv.commands.arguments import SCHEMES, parse_path
from mlconv.commands.converting import conversion_options, converted
from mlconv.commands.group import Command
from mlconv.commands.reporting import files_of_run, tell
from mlconv.diagnostics import Code

if TYPE_CHECKING:
    from mlconv.driver.result import Failed
    from mlconv.quantize.report import Report

_WHAT = "the quantization report"
_FORMS = (".html", ".json")


def parse_reports(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Files whose suffixes say their forms."""
    for path in values:
        if not path.endswith(_FORMS):
            raise click.BadParameter(f"{path!r} ends in none of {', '.join(_FORMS)}")
    return values


@click.command(cls=Command)
@conversion_options(
    click.option(
        "--scheme",
        "--quantize",
        "quantize",
        default="int8",
        show_default=True,
        callback=parse_path,
        metavar="SCHEME|FILE.toml",
        help=f"How numbers are stored and computed: {SCHEMES}.",
    ),
    click.option(
        "--report",
        "reports",
        multiple=True,
        callback=parse_reports,
        type=click.Path(),
        metavar="FILE",
        help="Write the report of all layers as a page (.html) or as data (.json). Repeatable.",
    ),
    click.option(
        "--measure/--no-measure",
        default=True,
        show_default=True,
        help="Run the quantized model beside the model, and say what each layer loses, and why.",
    ),
    click.option("--top", type=click.IntRange(min=1), default=15, show_default=True, help="Layers to show."),
)
def quantize(
    model: str,
    target: str | None,
    output: str | None,
    target_settings: tuple[str, ...],
    reports: tuple[str, ...],
    top: int,
    as_json: bool,
    **settings: object,
) -> None:
    """Quantize MODEL, convert it to a target, and report what each layer loses."""
    from mlconv.commands.quantize_report import report_quantization
    from mlconv.diagnostics.text import json_text
    from mlconv.formats.atomic import check_target, write_text

    files = files_of_run(click.get_current_context())
    for path in reports:
        check_target(Path(path), files, _WHAT)

    def write(report: Report) -> None:
        for path in reports:
            text = report.html() if path.endswith(".html") else json_text(report.data(), indent=1) + "\n"
            write_text(path, text, files, _WHAT)

    def on_failed(failed: Failed) -> None:
        if failed.error.code is Code.AccuracyLost and failed.result.quantization is not None:
            write(failed.result.quantization)
        elif failed.error.code is not Code.OutputNotWritable:
            for path in (path for path in reports if path.endswith(".html")):
                failed.write_page(path, _WHAT)

    result = converted(model, target, output, target_settings, as_json, settings, on_failed)
    report = result.quantization
    assert report is not None
    write(report)
    tell(
        json_text(report.data(), indent=1) if as_json else report_quantization(result, report, top, reports),
        asked=as_json,
        err=output == "-",
    )
