"""What all commands share: the command class, the one boundary of errors, options."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from mlconv.commands.reporting import claim_report, conclude, files_of_run, keep_format
from mlconv.commands.sections import format_sections
from mlconv.commands.stdio import lost, say
from mlconv.diagnostics.text import printable

if TYPE_CHECKING:
    from mlconv.driver.context import Context
    from mlconv.driver.options import Options


_NUMBERS = (click.types.IntParamType, click.types.FloatParamType)


class Command(click.Command):
    """A command: its own help may be lost, its errors name its model, and its report can be written."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            if parameter.metavar is None and isinstance(parameter.type, _NUMBERS) and not _is_flag(parameter):
                parameter.metavar = "N" if isinstance(parameter.type, click.types.IntParamType) else "X"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:  # the parser of options does not say whose they are
            error.ctx = error.ctx or ctx
            raise

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        given = tuple(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise lost(error) from error
        except click.UsageError as error:
            if parent is not None:
                from mlconv.commands.usage import format_in

                keep_format(parent, format_in(given))
            raise error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        format_sections(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> object:
        from mlconv.diagnostics import naming

        if "" in (ctx.params.get("model"), ctx.params.get("other"), *(ctx.params.get("models") or ())):
            raise click.UsageError("the name of a model is empty", ctx)
        given = ctx.params.get("model") or ctx.params.get("file") or ctx.params.get("models") or ""
        with naming(given if isinstance(given, str) else given[0] if len(given) == 1 else ""):
            claim_report(ctx)
            return super().invoke(ctx)


def _is_flag(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count)


class Group(click.Group):
    """The one boundary where every exception becomes a message and an exit code."""

    command_class = Command

    def __init__(self, *args: Any, modules: Mapping[str, Mapping[str, str]], **settings: Any) -> None:
        """modules: of `mlconv.commands`, each with the command of its name, and what help says of it, by heading."""
        super().__init__(*args, **settings)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for commands in self.modules.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = getattr(import_module(f"mlconv.commands.{cmd_name}"), cmd_name)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        format_sections(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, self.list_commands(ctx)))
        for heading, commands in self.modules.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{longest}}", text) for name, text in commands.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            ctx = error.ctx or click.Context(self, info_name=info_name)
            raise click.exceptions.Exit(_refuse(ctx, error)) from error

    def main(self, *args: Any, **settings: Any) -> Any:
        """Also what click prints itself, of help, versions and wrong usage, may be lost."""
        try:
            return super().main(*args, **settings)
        except OSError as error:
            failure = lost(error)
            say(f"error[{failure.code.id}]: {failure.diagnostic.message}", err=True)
            sys.exit(failure.code.exit_status)

    def invoke(self, ctx: click.Context) -> object:
        from mlconv.diagnostics import Code, ConversionError

        try:
            return super().invoke(ctx)
        except ConversionError as error:
            ctx.exit(conclude(ctx, error))
        except click.UsageError as error:
            ctx.exit(_refuse(ctx, error))
        except (click.exceptions.Exit, click.ClickException, click.Abort, BrokenPipeError):
            raise
        except MemoryError:
            say(f"error[{Code.TensorTooLarge.id}]: not enough memory for this model", err=True)
            ctx.exit(Code.TensorTooLarge.exit_status)
        except Exception as error:  # noqa: BLE001  the boundary: no user sees a traceback
            from mlconv.runtime.own_functions import blamed

            known = blamed(error)
            if known is not None:
                ctx.exit(conclude(ctx, known))
            _internal_error(error)
            ctx.exit(Code.InternalError.exit_status)


def _refuse(ctx: click.Context, error: click.UsageError) -> int:
    """Report wrong usage; the exit code."""
    from mlconv.commands.usage import usage_error

    return conclude(ctx, usage_error(error))


def _internal_error(error: Exception) -> None:
    """Says what happened in one line and leaves the details in a file."""
    from mlconv.diagnostics import Code
    from mlconv.driver.reproducer import write_reproducer

    code = Code.InternalError.id
    say(f"error[{code}]: internal error: {type(error).__name__}: {printable(str(error))}", err=True)
    try:
        note = f"details and the command to run again are in {write_reproducer(error)}"
    except OSError as e:
        note = f"details could not be written: {e.strerror}"
    say(f"  = note: {note}\n  = more: mlconv explain {code}", err=True)


def given(ctx: click.Context) -> set[str]:
    """Names of the options that the user wrote."""
    return {name for name in ctx.params if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT}


def context_for(settings: Mapping[str, Any], target: str = "", passes: Iterable[str] = ()) -> Context:
    """Targets, formats and passes that there are, with those of the plug-ins that the command names, or that have what
    it names.
    """
    from mlconv.driver.context import context_of

    ctx = click.get_current_context()
    paths = [ctx.params.get(name) or () for name in ("model", "file", "models")]
    listed = [path for found in paths for path in ([found] if isinstance(found, str) else found)]
    return context_of((*settings["config"].plugins, *settings["plugins"]), target, listed, passes)


def options_of(
    settings: Mapping[str, Any],
    context: Context | None = None,
    targets: Sequence[str] = ("native",),
    named: Mapping[str, object] | None = None,
) -> Options:
    """The options of the command that runs: the defaults, those of the file that it names, those that the user wrote.
    targets: whose options of the file count.  named: options of targets that the user wrote by their names.
    """
    from mlconv.driver.options import Options

    ctx = click.get_current_context()
    context, config = context or context_for(settings), settings["config"]
    config.check(context)
    files = files_of_run(ctx)
    if config.path:
        files.read([config.path])
    written = given(ctx)
    own = {name: value for name, value in config.of_targets(targets, context).items() if name not in written}
    plugins = (*config.plugins, *settings["plugins"])
    unsaid = context.target_options - written - Options.__dataclass_fields__.keys()
    values = {name: value for name, value in settings.items() if name != "config" and name not in unsaid}
    return Options().with_settings({**values, **own, **(named or {}), "plugins": plugins, "files": files}, context)
