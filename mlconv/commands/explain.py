"""Pages of diagnostics."""

from __future__ import annotations

import click

from mlconv.commands.group import Command
from mlconv.commands.stdio import say


@click.command(cls=Command)
@click.argument("code")
def explain(code: str) -> None:
    """Explain a diagnostic by its code, such as MLC0401."""
    from mlconv.diagnostics.explain import explain as page

    say(page(code))
