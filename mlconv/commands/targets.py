"""Options of targets on the command line, made of the fields of their option classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, fields
from typing import Any

import click

from mlconv.commands.arguments import parse_path
from mlconv.commands.sections import Command, option, together
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


extra_options = option(
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


def _with(command: Command, wanted: Callable[[Field[object]], bool]) -> Command:
    having: dict[str, list[tuple[Target, Field[object]]]] = {}
    for target in BUILT_IN.targets.all():
        for setting in fields(target.options):
            if wanted(setting):
                having.setdefault(setting.name, []).append((target, setting))
    of_one = [found for found in having.values() if len(found) == 1]
    of_several = [found for found in having.values() if len(found) > 1]
    sections = {found[0][0].name: f"Options of target {found[0][0].name}" for found in of_one}
    for name, section in reversed(sections.items()):
        command = together(*(_option(found) for found in of_one if found[0][0].name == name), section=section)(command)
    return together(*map(_option, of_several), section="Options of several targets")(command)


def _option(found: list[tuple[Target, Field[object]]]) -> Callable[[Command], Command]:
    """One option, of all targets that have it."""
    setting = found[0][1]
    shown = setting.metadata
    help_ = _help(found)
    choices = list(dict.fromkeys(choice for _, own in found for choice in own.metadata["choices"]))
    names = (f"--{flag_of(setting)}", setting.name)
    if setting.default is False:
        return option(*names, is_flag=True, help=help_)
    if choices:
        return option(*names, type=click.Choice(choices), default=setting.default, help=help_)
    if shown["parse"] is not None:
        parse = _parsed(shown["parse"], shown["many"])
        return option(*names, multiple=shown["many"], callback=parse, metavar=shown["metavar"], help=help_)
    if shown["is_path"]:
        return option(*names, type=click.Path(), callback=parse_path, metavar=shown["metavar"], help=help_)
    return option(*names, default=setting.default, metavar=shown["metavar"], help=help_)


def _help(found: list[tuple[Target, Field[object]]]) -> str:
    """What each target says of the option, with the targets' names where there are several."""
    said: dict[str, list[str]] = {}
    for target, own in found:
        said.setdefault(own.metadata["help"], []).append(target.name)
    if len(found) == 1:
        return "".join(f"{text[:1].upper()}{text[1:]}" for text in said)
    return " ".join(f"{', '.join(names)}: {text}" for text, names in said.items())


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
