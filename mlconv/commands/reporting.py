"""Options of how diagnostics are reported, and the reporting itself: to the terminal, to standard output for machines,
to a file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

import mlconv
from mlconv.commands.sections import Command, option, together
from mlconv.commands.stdio import OutputLostError, say
from mlconv.diagnostics.text import FORMATS

if TYPE_CHECKING:
    from mlconv.diagnostics import ConversionError, Diagnostic
    from mlconv.diagnostics.source_spans import View
    from mlconv.driver.check import CheckReport
    from mlconv.formats.run_files import RunFiles

T = TypeVar("T")

_FOR_PEOPLE = ("human", "concise")
_ROLES = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan"},
    "bold": {"bold": True},
    "dim": {"fg": "blue"},
}
_META = "mlconv.commands.reporting."
_REPORT, _BASELINE = "the report", "the baseline"


def _paint(text: str, role: str) -> str:
    return click.style(text, **_ROLES[role])  # type: ignore[arg-type]


def _keep(ctx: click.Context, parameter: click.Parameter, value: T) -> T:
    ctx.meta[_META + (parameter.name or "")] = value
    return value


def _parse_map(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for text in values:
        old, sign, new = text.partition("=")
        if not (sign and old):
            raise click.BadParameter(f"{text!r} is not FROM=TO")
        pairs.append((old, new))
    return _keep(ctx, parameter, tuple(pairs))


def _option(*names: str, callback: Callable[..., object] = _keep, **settings: Any) -> Callable[[Command], Command]:
    return option(*names, callback=callback, is_eager=True, expose_value=False, **settings)


def _keep_asked(ctx: click.Context, parameter: click.Parameter, value: T) -> T:
    """As `_keep`, for options that may stand in front of the command as well as behind it: the one that was written
    counts.
    """
    if ctx.get_parameter_source(parameter.name or "") is not click.core.ParameterSource.DEFAULT:
        _keep(ctx, parameter, value)
    return value


def _keep_colour(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    _keep_asked(ctx, parameter, value)
    ctx.color = ctx.find_root().color = {"always": True, "never": False}.get(colour_of(ctx))
    return value


voice_options = together(
    _option("-v", "--verbose", is_flag=True, callback=_keep_asked, help="Say what is done, and how long it takes."),
    _option("-q", "--quiet", is_flag=True, callback=_keep_asked, help="Print errors, and what was asked for, alone."),
    _option(
        "--color",
        type=click.Choice(("auto", "always", "never")),
        default="auto",
        show_default=True,
        callback=_keep_colour,
        help="Whether texts have colours; auto: on a terminal where NO_COLOR is not set.",
    ),
    section="Messages",
)
"""How much is said, and how; in front of a command or behind it."""

report_options = together(
    _option("--diagnostics-format", type=click.Choice(FORMATS), default="human", help="How problems are printed."),
    _option(
        "--diagnostics-output",
        type=click.Path(),
        metavar="FILE",
        help="Write problems to FILE, and the human form to the terminal.",
    ),
    _option(
        "--max-diagnostics",
        type=click.IntRange(min=0),
        metavar="N",
        help="Causes to show, 0 for all; 20 in the human form.",
    ),
    _option("--full-stacks", is_flag=True, help="Show every recorded Python frame."),
    _option(
        "--path-map",
        multiple=True,
        callback=_parse_map,
        metavar="FROM=TO",
        help="Replace a prefix of recorded source paths. Repeatable.",
    ),
    _option(
        "--source-root",
        multiple=True,
        type=click.Path(),
        metavar="DIR",
        help="Show source lines of files below DIR too. Repeatable.",
    ),
    voice_options,
    section="Messages",
)
"""Options of every command that may report problems.  They are kept in the context: errors are reported where no
command is left.
"""


def is_quiet(ctx: click.Context | None) -> bool:
    """Whether nothing is said but errors and what was asked for."""
    return ctx is not None and bool(ctx.meta.get(_META + "quiet"))


def is_verbose(ctx: click.Context | None) -> bool:
    """Whether each stage is told of."""
    return ctx is not None and bool(ctx.meta.get(_META + "verbose")) and not is_quiet(ctx)


def colour_of(ctx: click.Context) -> str:
    """auto, always or never."""
    asked: str = ctx.meta.get(_META + "color", "auto")
    return asked


def tell(text: str, asked: bool = False, err: bool = False) -> None:
    """Print a report.  asked: it is what was asked for, and not only said."""
    if asked or not is_quiet(click.get_current_context()):
        say(text, err=err)


def claim_report(ctx: click.Context) -> None:
    """A report that cannot be written is known before the work.  Raises ConversionError OutputNotWritable."""
    output = ctx.meta.get(_META + "diagnostics_output")
    if output is not None:
        from pathlib import Path

        from mlconv.formats.atomic import check_target

        check_target(Path(output), files_of_run(ctx), _REPORT)


def files_of_run(ctx: click.Context) -> RunFiles:
    """What the command reads and writes."""
    from mlconv.formats.run_files import RunFiles

    files: RunFiles = ctx.meta.setdefault(_META + "files", RunFiles())
    return files


def exit_code(error: ConversionError) -> int:
    """2 usage, 3 a gate, 4 internal; else 1."""
    return error.code.exit_status


def conclude(ctx: click.Context, error: ConversionError) -> int:
    """Report what ended a run; the exit code.  When the report cannot be written, that is told too."""
    from mlconv.diagnostics import ConversionError

    found = list(error.diagnostics) or [error.diagnostic]
    if isinstance(error, OutputLostError):
        ctx.meta[_META + "diagnostics_format"] = "human"
    try:
        show(ctx, found)
    except ConversionError as other:
        ctx.meta.pop(_META + "diagnostics_output", None)
        ctx.meta[_META + "diagnostics_format"] = "human" if isinstance(other, OutputLostError) else report_format(ctx)
        told = {(d.code, d.message) for d in found}
        show(ctx, [*found, *(d for d in (other.diagnostic,) if (d.code, d.message) not in told)])
    return exit_code(error)


def keep_format(ctx: click.Context, form: str) -> None:
    """The form of a report of a command whose options could not be read."""
    ctx.meta[_META + "diagnostics_format"] = form


def report_format(ctx: click.Context) -> str:
    form: str = ctx.meta.get(_META + "diagnostics_format", "human")
    return form


def path_map_of(ctx: click.Context) -> tuple[tuple[str, str], ...]:
    pairs: tuple[tuple[str, str], ...] = ctx.meta.get(_META + "path_map", ())
    return pairs


def source_roots_of(ctx: click.Context) -> tuple[str, ...]:
    """Folders whose Python files may be shown."""
    roots: tuple[str, ...] = ctx.meta.get(_META + "source_root", ())
    return roots


def view_of(ctx: click.Context, form: str) -> View:
    """The view that the options of a run ask for."""
    from mlconv.diagnostics.render import DEFAULT_LIMIT
    from mlconv.diagnostics.source_spans import View

    limit = ctx.meta.get(_META + "max_diagnostics")
    if limit is None:
        limit = DEFAULT_LIMIT if form == "human" else 0
    return View(limit, bool(ctx.meta.get(_META + "full_stacks")), path_map_of(ctx), _folder(), source_roots_of(ctx))


def _folder() -> str:
    """The current folder; empty when it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def show(ctx: click.Context, diagnostics: list[Diagnostic]) -> None:
    """Diagnostics to standard error, machine formats to standard output or to the file that was named; nothing when
    there are none.
    """
    form = report_format(ctx)
    output = ctx.meta.get(_META + "diagnostics_output")
    if output is not None:
        from mlconv.diagnostics.source_spans import source_files
        from mlconv.formats.atomic import write_text

        text = _text(ctx, diagnostics, form, colour=False)
        files_of_run(ctx).read(source_files(diagnostics, view_of(ctx, form)), "source that the report shows")
        write_text(output, f"{text}\n", files_of_run(ctx), _REPORT)
        form = "human"
    people = form in _FOR_PEOPLE
    if people and is_quiet(ctx):
        diagnostics = [d for d in diagnostics if d.severity.value == "error"]
    if diagnostics or form in ("sarif", "junit"):
        colour = people and _has_colour(ctx)
        say(_text(ctx, diagnostics, form, colour), err=people, color=colour or None)


def claim_baselines(ctx: click.Context, baseline: str | None, write_baseline: str | None) -> None:
    """Take note of the files of known problems, before the work.  Raises ConversionError OutputNotWritable."""
    from pathlib import Path

    from mlconv.formats.atomic import check_target

    if baseline is not None:
        files_of_run(ctx).read([baseline], _BASELINE)
    if write_baseline is not None:
        check_target(Path(write_baseline), files_of_run(ctx), _BASELINE)


def conclude_check(
    ctx: click.Context, reports: list[CheckReport], as_json: bool, baseline: str | None, write_baseline: str | None
) -> int:
    """Print checks and their problems, those of the baseline left out; the exit code.

    The table goes to standard output, but to standard error when a machine format has that.
    """
    from mlconv.commands.baseline import baseline_text, only_new, read_baseline
    from mlconv.commands.check_report import check_data, report_check
    from mlconv.diagnostics import Severity
    from mlconv.diagnostics.text import json_text
    from mlconv.formats.atomic import write_text

    found = list(dict.fromkeys(d for report in reports for d in report.diagnostics))
    new = only_new(found, read_baseline(baseline)) if baseline is not None else found
    if write_baseline is not None:
        write_text(
            write_baseline,
            baseline_text([d for d in found if d.severity is Severity.ERROR]),
            files_of_run(ctx),
            _BASELINE,
        )
    view = view_of(ctx, report_format(ctx))
    machine = report_format(ctx) not in _FOR_PEOPLE and ctx.meta.get(_META + "diagnostics_output") is None
    show(ctx, new)
    if as_json:
        data = [check_data(report, view) for report in reports]
        text = json_text(data[0] if len(data) == 1 else data, indent=1)
    else:
        text = "\n\n".join(report_check(report, view) for report in reports)
    known = len(found) - len(new)
    say(text + (f"\n\n{known} known problems are in the baseline" if known and not as_json else ""), err=machine)
    failed = any(d.severity is Severity.ERROR for d in new)
    return 1 if failed and write_baseline is None else 0


def _text(ctx: click.Context, diagnostics: list[Diagnostic], form: str, colour: bool) -> str:
    from mlconv.diagnostics.human import plain
    from mlconv.diagnostics.render import render

    return render(diagnostics, form, mlconv.__version__, _paint if colour else plain, view_of(ctx, form))


def _has_colour(ctx: click.Context) -> bool:
    """As it was asked for; else standard error is a terminal that shows colours and NO_COLOR is not set, which rich
    knows both.
    """
    asked = colour_of(ctx)
    if asked != "auto":
        return asked == "always"
    if not sys.stderr.isatty():
        return False
    from rich.console import Console

    console = Console(stderr=True)
    return console.is_terminal and not console.no_color and console.color_system is not None
