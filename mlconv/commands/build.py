"""Build what a certificate describes."""

from __future__ import annotations

import click

from mlconv.commands.group import Command
from mlconv.commands.reporting import report_options, show
from mlconv.commands.stdio import say


@click.command(cls=Command)
@click.option(
    "--from",
    "certificate",
    type=click.Path(),
    required=True,
    metavar="CERTIFICATE",
    help="What `mlconv convert --certificate` wrote.",
)
@click.option("-o", "--output", type=click.Path(), help="Another name for the artifact.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@report_options
def build(certificate: str, output: str | None, as_json: bool, **settings: object) -> None:
    """Build again what a certificate describes, byte for byte.

    The model and all that was read beside it must be the files that the certificate names; exit code 3 where one is
    not, or where a written file has other bytes.
    """
    from mlconv.commands.console import report_conversion
    from mlconv.driver.rebuilding import rebuild

    result = rebuild(certificate, output)
    show(click.get_current_context(), result.diagnostics)
    say(report_conversion(result, as_json, False))
