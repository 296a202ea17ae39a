"""Completion in a shell."""

from __future__ import annotations

from typing import TypedDict

import click

from mlconv.commands.group import Command
from mlconv.commands.reporting import report_options
from mlconv.commands.stdio import say

_SHELLS = ("bash", "zsh", "fish")


class CompletionData(TypedDict):
    """script: what the shell reads."""

    shell: str
    script: str


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(_SHELLS), metavar="SHELL")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@report_options
def completion(shell: str, as_json: bool) -> None:
    """Print a script that completes commands, options and targets in SHELL.

    \b
    bash: mlconv completion bash > ~/.local/share/bash-completion/completions/mlconv
    zsh:  mlconv completion zsh > "${fpath[1]}/_mlconv"
    fish: mlconv completion fish > ~/.config/fish/completions/mlconv.fish
    """
    from click.shell_completion import get_completion_class

    from mlconv.diagnostics.text import json_text

    root = click.get_current_context().find_root()
    completer = get_completion_class(shell)
    assert completer is not None
    script = completer(root.command, {}, "mlconv", "_MLCONV_COMPLETE").source()
    found: CompletionData = {"shell": shell, "script": script}
    say(json_text(found, indent=1) if as_json else script)
