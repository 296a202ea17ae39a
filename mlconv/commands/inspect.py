"""What is in a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import click

from mlconv.commands.arguments import completing, model_options, page_option
from mlconv.commands.group import Command, context_for, options_of
from mlconv.commands.stdio import say
from mlconv.commands.terminal import on_terminal
from mlconv.diagnostics.text import json_text
from mlconv.driver.context import BUILT_IN, Context
from mlconv.driver.options import Options

if TYPE_CHECKING:
    from mlconv.driver.views.seen import Seen


class Shown(NamedTuple):
    """What a view says: as data, and the text of it."""

    facts: object
    text: Callable[[], str]


class Asked:
    """A model, and what is to be shown of it; it is read once for all views that look at its ops."""

    def __init__(
        self, model: str, options: Options, context: Context, target: str, match: str, top: int | None, statistics: bool
    ) -> None:
        self.model, self.options, self.context, self.target = model, options, context, target
        self.match, self.top, self.statistics = match, top, statistics

    @cached_property
    def seen(self) -> Seen:
        from mlconv.driver.views.seen import Seen

        return Seen(self.model, self.options, self.context)


def _object(asked: Asked) -> Shown:
    """A native object: its model interface, whatever is asked for of that."""
    from mlconv.commands.inspect_report import report_object
    from mlconv.driver.views.objects import inspect_object

    facts = inspect_object(asked.model, asked.options)
    return Shown(facts, lambda: report_object(facts))


def _interface(asked: Asked) -> Shown:
    from mlconv.commands.inspect_report import report_inspection
    from mlconv.driver.inspection import inspect_model

    facts = inspect_model(asked.model, asked.options)
    return Shown(facts, lambda: report_inspection(facts))


def _memory(asked: Asked) -> Shown:
    from mlconv.commands.memory_report import report_memory
    from mlconv.driver.memory_facts import memory_facts

    facts = memory_facts(asked.model, asked.options, asked.target)
    return Shown(facts, lambda: report_memory(facts))


def _nodes(asked: Asked) -> Shown:
    from mlconv.commands.views_report import report_nodes
    from mlconv.driver.views.nodes import nodes_view

    facts = nodes_view(asked.seen, asked.match, asked.top)
    return Shown(facts, lambda: report_nodes(facts))


def _tensors(asked: Asked) -> Shown:
    from mlconv.commands.views_report import report_tensors
    from mlconv.driver.views.tensors import tensors_view

    facts = tensors_view(asked.seen, asked.match, asked.top, asked.statistics)
    return Shown(facts, lambda: report_tensors(facts))


def _sizes(asked: Asked) -> Shown:
    from mlconv.commands.views_report import report_sizes
    from mlconv.driver.views.sizes import sizes_view

    facts = sizes_view(asked.seen, asked.match, asked.top)
    return Shown(facts, lambda: report_sizes(facts))


def _quantization(asked: Asked) -> Shown:
    from mlconv.commands.views_report import report_quantization
    from mlconv.driver.views.quantization import quantization_view

    facts = quantization_view(asked.seen, asked.match, asked.top)
    return Shown(facts, lambda: report_quantization(facts))


def _delegates(asked: Asked) -> Shown:
    from mlconv.commands.views_report import report_delegates
    from mlconv.driver.views.delegates import delegates_view

    facts = delegates_view(asked.seen, asked.match, asked.top)
    return Shown(facts, lambda: report_delegates(facts))


VIEWS: Mapping[str, Callable[[Asked], Shown]] = {
    "interface": _interface,
    "nodes": _nodes,
    "tensors": _tensors,
    "sizes": _sizes,
    "memory": _memory,
    "quantization": _quantization,
    "delegates": _delegates,
}


def _shown(asked: Asked, views: Sequence[str]) -> dict[str, Shown]:
    """Raises ConversionError UsageError for views that native objects do not have."""
    from mlconv.driver.objects import looks_like_object

    if not looks_like_object(asked.model):
        return {name: VIEWS[name](asked) for name in views}
    from mlconv.diagnostics import Code, ConversionError

    others = [name for name in views if name not in _OF_OBJECTS]
    if others:
        raise ConversionError(
            Code.UsageError,
            f"a native object has no {others[0]} to show: its code has no ops any more",
            help=f"--show {' or '.join(_OF_OBJECTS)}, or give the model that it was made of",
        )
    return {name: _object(asked) for name in views}


_OF_OBJECTS = ("interface", "sizes")


def _parse_views(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """A,B,C, each a view."""
    names = tuple(dict.fromkeys(n.strip() for n in value.split(",")))
    for name in names:
        if name not in VIEWS:
            raise click.BadParameter(f"{name!r} is none of {', '.join(VIEWS)}")
    return names


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@click.option(
    "--show",
    "views",
    default="interface",
    show_default=True,
    metavar="VIEW,...",
    shell_complete=completing(lambda ctx: VIEWS, many=True),
    callback=_parse_views,
    help=f"What to show: {', '.join(VIEWS)}.",
)
@click.option(
    "--match",
    default="",
    metavar="SELECT",
    help="Only ops of a kind (Conv), with a name (encoder/*), or of lines (model.py:120-145).",
)
@click.option("--top", type=click.IntRange(1), metavar="N", help="Only so many, the largest first.")
@click.option("--statistics", is_flag=True, help="tensors: read the constants, and tell of their numbers.")
@click.option(
    "--to",
    "target",
    default="native",
    show_default=True,
    metavar="TARGET",
    help=f"The target whose memory is shown: {', '.join(t.name for t in BUILT_IN.targets.all() if t.schedules)}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@page_option("--html", "Write the graph as a page, with what would become of each op on the target of --to.")
@model_options
def inspect(
    model: str,
    views: tuple[str, ...],
    match: str,
    top: int | None,
    statistics: bool,
    target: str,
    as_json: bool,
    html: str,
    **settings: object,
) -> None:
    """Show inputs, outputs, ops and parameters of MODEL, or what --show names."""
    from mlconv.commands.console import stages

    context = context_for(settings, target)
    options = options_of(settings, context, (target,))
    if html:
        from mlconv.driver.report.model import write_model_page

        write_model_page(model, options, target, html)
    with stages(enabled=not as_json) as on_stage:
        on_stage("read")
        shown = _shown(Asked(model, options, context, target, match, top, statistics), views)
    if as_json:
        one = len(shown) == 1
        data = next(iter(shown.values())).facts if one else {name: part.facts for name, part in shown.items()}
        say(json_text(data, indent=1))
    else:
        say(on_terminal("\n\n".join(part.text() for part in shown.values())))
