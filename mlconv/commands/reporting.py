"""Options of how diagnostics are reported, and the reporting itself: to the terminal, to standard output for machines,
to a file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

import mlconv
from mlconv.commands.sections import Command, option, together
from mlconv.commands.stdio import OutputLostError, say
from mlconv.commands.terminal import on_terminal
from mlconv.diagnostics.text import FORMATS

if TYPE_CHECKING:
    from mlconv.diagnostics import ConversionError, Diagnostic
    from mlconv.diagnostics.source_spans import View
    from mlconv.formats.run_files import RunFiles

T = TypeVar("T")

FOR_PEOPLE = ("human", "concise")
_WHOLE = ("sarif", "junit", "gitlab", "markdown")
"""Forms that say something of a run without problems, too."""
_ROLES = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "cyan"},
    "bold": {"bold": True},
    "dim": {"fg": "blue"},
}
_META = "mlconv.commands.reporting."


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


def _parse_outputs(
    ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """FILE, or FORM=FILE for one of `FORMATS`; the form of FILE alone is empty: that of --diagnostics-format."""
    found = []
    for text in values:
        form, sign, path = text.partition("=")
        form, path = (form, path) if sign and form in FORMATS else ("", text)
        if not path:
            raise click.BadParameter(f"{text!r} names no file")
        found.append((form, path))
    return _keep(ctx, parameter, tuple(found))


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
    _option(
        "-v",
        "--verbose",
        count=True,
        callback=_keep_asked,
        help="Say what is done, what came of it, and how long it took; -vv: pass by pass.",
    ),
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
        multiple=True,
        callback=_parse_outputs,
        metavar="[FORM=]FILE",
        help="Write problems to FILE, in the form of --diagnostics-format or another one. Repeatable.",
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


def verbosity(ctx: click.Context | None) -> int:
    """1 where each stage is told of, 2 where each pass is, too."""
    return int(ctx.meta.get(_META + "verbose", 0)) if ctx is not None and not is_quiet(ctx) else 0


def colour_of(ctx: click.Context) -> str:
    """auto, always or never."""
    asked: str = ctx.meta.get(_META + "color", "auto")
    return asked


def tell(text: str, asked: bool = False, err: bool = False) -> None:
    """Print a report.  asked: it is what was asked for, and not only said."""
    if asked or not is_quiet(click.get_current_context()):
        say(on_terminal(text, err), err=err)


def claim_report(ctx: click.Context) -> None:
    """A report that cannot be written is known before the work.  Raises ConversionError OutputNotWritable."""
    if outputs_of(ctx):
        from pathlib import Path

        from mlconv.formats.atomic import check_target

        for number, (_, output) in enumerate(outputs_of(ctx)):
            check_target(Path(output), files_of_run(ctx), _purpose(number))


def outputs_of(ctx: click.Context) -> tuple[tuple[str, str], ...]:
    """Forms and paths of the files that problems are written to."""
    found: tuple[tuple[str, str], ...] = ctx.meta.get(_META + "diagnostics_output", ())
    return found


def _purpose(number: int) -> str:
    """What a file of problems is for: no two are written to one."""
    return "the report" if number == 0 else f"report {number + 1}"


def terminal_form(ctx: click.Context) -> str:
    """The human one where --diagnostics-format is that of a file."""
    return "human" if any(not form for form, _ in outputs_of(ctx)) else report_format(ctx)


def models_of(ctx: click.Context) -> tuple[str, ...]:
    """The models that the command is given."""
    given = [ctx.params.get(name) or () for name in ("model", "file", "models")]
    return tuple(dict.fromkeys(path for found in given for path in ([found] if isinstance(found, str) else found)))


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
        ctx.meta[_META + "diagnostics_format"] = "human" if isinstance(other, OutputLostError) else report_format(ctx)
        ctx.meta.pop(_META + "diagnostics_output", None)
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


def show(
    ctx: click.Context, diagnostics: list[Diagnostic], facts: Mapping[str, Mapping[str, str]] | None = None
) -> None:
    """Diagnostics to standard error, machine formats to standard output or to the files that were named; nothing when
    there are none.  facts: what else a page of Markdown says of each model.
    """
    for number, (form, output) in enumerate(outputs_of(ctx)):
        from mlconv.diagnostics.source_spans import source_files
        from mlconv.formats.atomic import write_text

        form = form or report_format(ctx)
        text = _text(ctx, diagnostics, form, False, facts)
        files_of_run(ctx).read(source_files(diagnostics, view_of(ctx, form)), "source that the report shows")
        write_text(output, f"{text}\n", files_of_run(ctx), _purpose(number))
    form = terminal_form(ctx)
    people = form in FOR_PEOPLE
    if people and is_quiet(ctx):
        diagnostics = [d for d in diagnostics if d.severity.value == "error"]
    if diagnostics or form in _WHOLE:
        colour = people and _has_colour(ctx)
        text = _text(ctx, diagnostics, form, colour, facts)
        say(on_terminal(text, err=True) if people else text, err=people, color=colour or None)


def _text(
    ctx: click.Context,
    diagnostics: list[Diagnostic],
    form: str,
    colour: bool,
    facts: Mapping[str, Mapping[str, str]] | None,
) -> str:
    from mlconv.diagnostics.human import plain
    from mlconv.diagnostics.render import render

    paint = _paint if colour else plain
    return render(diagnostics, form, mlconv.__version__, paint, view_of(ctx, form), models_of(ctx), facts)


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
