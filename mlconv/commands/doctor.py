"""What there is, and what this machine can do with it."""

from __future__ import annotations

import click

from mlconv.commands.group import Command
from mlconv.commands.stdio import say


@click.command(cls=Command)
@click.option("--targets", is_flag=True, help="Targets alone.")
@click.option("--formats", is_flag=True, help="Source formats alone.")
@click.option("--plugin", "plugins", multiple=True, metavar="NAME", help="Load an installed plug-in. Repeatable.")
def doctor(targets: bool, formats: bool, plugins: tuple[str, ...]) -> None:
    """List targets, source formats and plug-ins, and say what this machine can do with each."""
    from mlconv.driver.context import context_of
    from mlconv.driver.plugins import installed

    context, everything = context_of(plugins), not (targets or formats)
    if targets or everything:
        say("targets")
        for target in context.targets.all():
            say(f"  {target.name:<12} {target.label}: {target.status()}")
    if formats or everything:
        say("formats")
        for form in context.formats.all():
            say(f"  {form.name:<12} {form.label}: {form.status()}")
    if everything:
        say("plug-ins")
        for plugin in installed().values():
            has = "; ".join(f"{group} {', '.join(names)}" for group, names in plugin.places.items())
            say(f"  {plugin.name:<12} {plugin.version}: {has}")
