"""Options of targets on the command line, made of the fields of their option classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, fields
from typing import Any

import click

from mlconv.commands.arguments import parse_path
from mlconv.commands.reporting import Command
from mlconv.driver.context import BUILT_IN
from mlconv.exporters.target import Target, flag_of, value_of


def target_options(command: Command) -> Command:
    """All options of all targets."""
    return _with(command, lambda option: True)


def lowering_options(command: Command) -> Command:
    """Those that say how a model becomes ops of a target, and not how these are written."""
    return _with(command, lambda option: bool(option.metadata["lowers"]))


def options_named(*names: str) -> Callable[[Command], Command]:
    """Some options, by the names of their fields."""
    return lambda command: _with(command, lambda option: option.name in names)


extra_options = click.option(
    "-O",
    "--option",
    "target_settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the target by its name, for those of plug-ins. Repeatable.",
)


def parsed_options(texts: Sequence[str], target: Target) -> dict[str, object]:
    """Values of `NAME=VALUE` texts, by field.  Raises BadParameter."""
    known = {flag_of(f): f for f in fields(target.options)}
    found: dict[str, object] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in known:
            listed = ", ".join(known) or "none"
            raise click.BadParameter(f"target {target.name} has no option {name!r}; it has {listed}")
        option = known[name]
        try:
            found[option.name] = value_of(option, value if "=" in text or option.default is not False else "true")
        except ValueError as error:
            raise click.BadParameter(f"{text!r}: {error}") from error
    return found


def _with(command: Command, wanted: Callable[[Field[Any]], bool]) -> Command:
    having: dict[str, list[tuple[Target, Field[Any]]]] = {}
    for target in BUILT_IN.targets.all():
        for option in fields(target.options):
            if wanted(option):
                having.setdefault(option.name, []).append((target, option))
    for found in reversed(having.values()):
        command = _option(found)(command)
    return command


def _option(found: list[tuple[Target, Field[Any]]]) -> Callable[[Command], Command]:
    """One option, of all targets that have it."""
    option = found[0][1]
    shown = option.metadata
    help_ = " ".join(dict.fromkeys(f"{target.label}: {own.metadata['help']}" for target, own in found))
    choices = list(dict.fromkeys(choice for _, own in found for choice in own.metadata["choices"]))
    names = (f"--{flag_of(option)}", option.name)
    if option.default is False:
        return click.option(*names, is_flag=True, help=help_)
    if choices:
        return click.option(*names, type=click.Choice(choices), default=option.default, help=help_)
    if shown["parse"] is not None:
        parse = _parsed(shown["parse"], shown["many"])
        return click.option(*names, multiple=shown["many"], callback=parse, metavar=shown["metavar"], help=help_)
    if shown["is_path"]:
        return click.option(*names, type=click.Path(), callback=parse_path, metavar=shown["metavar"], help=help_)
    return click.option(*names, default=option.default, metavar=shown["metavar"], help=help_)


def _parsed(parse: Callable[[str], object], many: bool) -> Callable[..., object]:
    """A callback that makes values of texts."""

    def callback(ctx: click.Context, parameter: click.Parameter, value: Any) -> object:
        texts: Iterable[str] = value if many else () if value is None else (value,)
        try:
            found = tuple(map(parse, texts))
        except ValueError as error:
            raise click.BadParameter(str(error)) from error
        return found if many else found[0] if found else ()

    return callback
