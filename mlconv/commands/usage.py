"""Wrong usage as an error like any other: with a code, in the form that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import click

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import nearest
from mlconv.diagnostics.text import FORMATS

_FORMAT = "--diagnostics-format"
_TARGET = "target"
_ALIKE = 0.7  # of options, which all begin with two dashes


def usage_error(error: click.UsageError) -> ConversionError:
    """What was wrong on the command line, and what to type instead."""
    ctx = error.ctx
    path = ctx.command_path if ctx is not None else "mlconv"
    help_ = _suggestion(error) or f"see {path} --help"
    return ConversionError(Code.UsageError, _message(error), help=help_, notes=_usage(ctx))


def _message(error: click.UsageError) -> str:
    """In the words of click, as a part of a sentence."""
    if isinstance(error, click.MissingParameter) and error.param is not None:
        if error.message:
            return error.message
        kind = error.param.param_type_name
        return f"{kind} {error.param.get_error_hint(error.ctx)} is missing".replace("'", "")
    if isinstance(error, (click.NoSuchOption, click.exceptions.NoSuchCommand)):
        text = error.message
    else:
        text = error.format_message()
    text = text if text.endswith("..") else text.removesuffix(".")
    return text[:1].lower() + text[1:]


def _suggestion(error: click.UsageError) -> str:
    ctx = error.ctx
    if isinstance(error, click.exceptions.NoSuchCommand) and ctx is not None and isinstance(ctx.command, click.Group):
        return _nearest(error.command_name, ctx.command.list_commands(ctx))
    if isinstance(error, click.NoSuchOption) and ctx is not None:
        known = [name for parameter in ctx.command.get_params(ctx) for name in parameter.opts if name.startswith("-")]
        return _nearest(error.option_name, known, _ALIKE)
    if isinstance(error, click.MissingParameter) and error.param is not None and error.param.name == _TARGET:
        return _how_targets_are_named(error.param)
    return ""


def _nearest(name: str, known: Iterable[str], alike: float = 0.6) -> str:
    """alike: how much of both has to be the same."""
    found = nearest(name, known, alike=alike)
    return f"did you mean {found[0]}?" if found else ""


def _how_targets_are_named(parameter: click.Parameter) -> str:
    from mlconv.driver.context import BUILT_IN

    if parameter.required:
        return f"name one of {', '.join(BUILT_IN.targets.names)}"
    suffixes = ", ".join(target.suffix for target in BUILT_IN.targets.all())
    return f"name a target with --to, or a file with -o that ends as its artifacts do: {suffixes}"


def _usage(ctx: click.Context | None) -> tuple[str, ...]:
    if ctx is None:
        return ()
    return (re.sub(r"\s+", " ", ctx.get_usage()).replace("Usage:", "usage:").strip(),)


def format_in(arguments: Sequence[str]) -> str:
    """The form of messages that a command line asks for which could not be read as a whole."""
    found = "human"
    for text, following in pairwise([*arguments, ""]):
        flag, sign, value = text.partition("=")
        asked = (value if sign else following) if flag == _FORMAT else ""
        found = asked if asked in FORMATS else found
    return found
