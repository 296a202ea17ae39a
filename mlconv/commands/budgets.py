"""Options of what an artifact may take."""

from __future__ import annotations

import re

import click

_SIZES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "": 1}
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_NUMBER = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([a-zA-Z]*)")


def parse_sizes(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, int]:
    """A callback: [TARGET=]BYTES, by target."""
    return {name: round(number) for name, number in _parsed(values, _SIZES).items()}


def parse_times(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    """A callback: [TARGET=]TIME, in seconds by target."""
    return _parsed(values, _TIMES)


def _parsed(values: tuple[str, ...], units: dict[str, float] | dict[str, int]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in values:
        name, _, amount = text.rpartition("=")
        match = _NUMBER.fullmatch(amount.strip())
        factor = None if match is None else units.get(match[2].lower())
        if match is None or factor is None:
            raise click.BadParameter(f"{text!r} is not an amount in {', '.join(unit for unit in units if unit)}")
        if name in found:
            raise click.BadParameter(f"the budget of {name or 'all targets'} is given twice")
        found[name] = float(match[1]) * factor
    return found


def _parse_machine(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """GFLOPS,GBS: operations and bytes per second."""
    if value is None:
        return None
    numbers = [_NUMBER.fullmatch(part.strip()) for part in value.split(",")]
    found = [float(m[1]) * 1e9 for m in numbers if m is not None and not m[2]]
    if len(found) != 2 or len(numbers) != 2 or not all(found):
        raise click.BadParameter(f"{value!r} is not GFLOPS,GBS, such as 100,15")
    return found[0], found[1]


machine_option = click.option(
    "--machine",
    callback=_parse_machine,
    metavar="GFLOPS,GBS",
    help="One core that --max-time is for: 1e9 float operations and bytes per second; measured here without it.",
)
