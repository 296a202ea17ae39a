"""Options under headings of the help text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]
"""A function that options are added to."""


class Option(click.Option):
    """An option that help lists under a heading; one without a heading is the command's own."""

    section: str = ""


def option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """`click.option` of an option that may stand under a heading."""
    return click.option(*names, cls=Option, **settings)


def together(*options: Command, section: str = "") -> Callable[[Command], Command]:
    """Options in the order in which help lists them.  section: the heading of those that have none yet."""

    def decorate(command: Command) -> Command:
        known = len(_parameters(command))
        for one in reversed(options):
            command = one(command)
        for parameter in _parameters(command)[known:]:
            if isinstance(parameter, Option):
                parameter.section = parameter.section or section
        return command

    return decorate


def _parameters(command: Command) -> list[click.Parameter]:
    """What was added so far."""
    found: list[click.Parameter] = getattr(command, "__click_params__", [])
    return found


def format_sections(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Options by heading, the command's own first."""
    rows: dict[str, list[tuple[str, str]]] = {"": []}
    for parameter in command.get_params(ctx):
        record = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
        if record is not None:
            rows.setdefault(parameter.section if isinstance(parameter, Option) else "", []).append(record)
    for section, records in rows.items():
        if records:
            with formatter.section(section or "Options"):
                formatter.write_dl(records)
