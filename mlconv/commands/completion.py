"""Completion in a shell."""

from __future__ import annotations

import click

from mlconv.commands.group import Command
from mlconv.commands.reporting import report_options
from mlconv.commands.stdio import say

_SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(_SHELLS), metavar="SHELL")
@report_options
def completion(shell: str) -> None:
    """Print a script that completes commands, options and targets in SHELL.

    \b
    bash: mlconv completion bash > ~/.local/share/bash-completion/completions/mlconv
    zsh:  mlconv completion zsh > "${fpath[1]}/_mlconv"
    fish: mlconv completion fish > ~/.config/fish/completions/mlconv.fish
    """
    from click.shell_completion import get_completion_class

    root = click.get_current_context().find_root()
    completer = get_completion_class(shell)
    assert completer is not None
    say(completer(root.command, {}, "mlconv", "_MLCONV_COMPLETE").source())
