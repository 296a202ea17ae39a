"""Build the conversions of a project, or what a certificate describes."""

from __future__ import annotations

from collections.abc import Iterable

import click

from mlconv.commands.arguments import completing, jobs_option, page_option
from mlconv.commands.group import Command
from mlconv.commands.reporting import conclude, files_of_run, report_options, show, tell

_REPORT = "the build report"


def _names(ctx: click.Context) -> Iterable[str]:
    """Of the project's conversions; none where its file is wrong, which building says."""
    from mlconv.diagnostics import ConversionError
    from mlconv.driver.projects.reading import Project

    try:
        return Project.read(ctx.params.get("project")).conversions
    except ConversionError:
        return ()


@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completing(_names))
@click.option(
    "-f",
    "--file",
    "project",
    type=click.Path(),
    metavar="FILE",
    help="The project's file; by default mlconv.toml or pyproject.toml, here or in the nearest folder above.",
)
@jobs_option("Processes that convert, or the scheduler of a dask cluster; the artifacts are the same.")
@click.option("--check", is_flag=True, help="Build nothing; exit code 3 where something is stale.")
@page_option("--report", "Write a page of all conversions.")
@click.option(
    "--from",
    "certificate",
    type=click.Path(),
    metavar="CERTIFICATE",
    help="Build again, byte for byte, what `mlconv convert --certificate` or a build certified.",
)
@click.option("-o", "--output", type=click.Path(), help="With --from: another name for the artifact.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@report_options
def build(
    names: tuple[str, ...],
    project: str | None,
    jobs: str,
    check: bool,
    report: str,
    certificate: str | None,
    output: str | None,
    as_json: bool,
    **settings: object,
) -> None:
    """Build the conversions of a project that are stale: those called NAME, or like it, and those whose
    artifacts they read; all without names.

    What is stale is told by contents: of the model, of all that is read beside it, of the artifact; by options, bounds,
    and the version of mlconv.  Exit code 3 where an artifact breaks its bounds.
    """
    ctx = click.get_current_context()
    if certificate is not None:
        _rebuild(certificate, output, as_json)
        return
    if output is not None:
        raise click.UsageError("-o goes with --from: a project's file says where artifacts go")
    from pathlib import Path

    from mlconv.commands.build_report import build_data, report_build
    from mlconv.commands.console import stages
    from mlconv.diagnostics.text import json_text
    from mlconv.driver.projects.building import build as build_project
    from mlconv.formats.atomic import check_target, write_text

    if report:
        check_target(Path(report), files_of_run(ctx), _REPORT)
    with stages(enabled=not as_json) as on_stage:
        found = build_project(project, names, jobs, check, on_stage)
    if report:
        from mlconv.commands.build_report import build_page

        write_text(report, build_page(found), files_of_run(ctx), _REPORT)
    tell(json_text(build_data(found), indent=1) if as_json else report_build(found), asked=as_json)
    if not found.ok:
        ctx.exit(conclude(ctx, found.error()))
    show(ctx, found.diagnostics)


def _rebuild(certificate: str, output: str | None, as_json: bool) -> None:
    """The model and all that was read beside it must be the files that the certificate names; exit code 3 where one is
    not, or where a written file has other bytes.
    """
    from mlconv.commands.console import report_conversion
    from mlconv.driver.rebuilding import rebuild

    result = rebuild(certificate, output)
    show(click.get_current_context(), result.diagnostics)
    tell(report_conversion(result, as_json, False), asked=as_json)
