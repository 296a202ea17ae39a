"""What `mlconv verify` says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlconv.diagnostics.text import Json, printable

if TYPE_CHECKING:
    from mlconv.driver.verification import Comparison, SideFacts
    from mlconv.runtime.measures import Measure

_HEAD = ("output", "max abs", "relative", "cosine", "SNR dB", "top-1", "steps", "verdict")
_WIDTH = 80


def report_comparison(found: Comparison) -> str:
    """What ran on what, names that differ, and a table with a row for each output."""
    from mlconv.runtime.pairing import plain_name

    lines = [f"{printable(side.path)} on {side.runtime}, {side.seconds:.2f} s" for side in (found.a, found.b)]
    inputs = "given inputs" if found.seed is None else f"random inputs, seed {found.seed}"
    lines.append(f"{found.runs} {'run' if found.runs == 1 else 'runs'} with {inputs}")
    named = (*found.inputs, *((m.name, m.other) for m in found.outputs))
    lines += [printable(f"  {a} is taken for {b}") for a, b in named if plain_name(a) != plain_name(b)]
    return "\n".join([*lines, "", rendered(_HEAD, [_row(m) for m in found.outputs])])


def rendered(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that folds its first and its last column where it would be wider than a terminal of 80 columns."""
    import io

    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1), show_edge=False)
    for name in head:
        numeric = name not in (head[0], head[-1])
        table.add_column(
            name,
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=numeric,
            min_width=5 if numeric else 8,
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    out = io.StringIO()
    Console(file=out, width=_WIDTH, color_system=None, highlight=False, legacy_windows=False).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _row(m: Measure) -> list[str]:
    return [
        m.name,
        f"{m.max_abs:.3g}",
        f"{m.max_relative:.2g}",
        f"{m.cosine:.6f}",
        f"{m.snr_db:.1f}",
        "" if m.top1 is None else f"{m.top1:.0%}",
        "" if m.steps is None else f"{m.steps:.2g}",
        m.verdict.value,
    ]


def comparison_data(found: Comparison) -> dict[str, Json]:
    """The same as data.  Numbers that are infinite are null."""
    return {
        "version": 1,
        "ok": found.ok,
        "a": _side(found.a),
        "b": _side(found.b),
        "runs": found.runs,
        "seed": found.seed,
        "inputs": [{"a": a, "b": b} for a, b in found.inputs],
        "outputs": [_measure(m) for m in found.outputs],
    }


def _side(side: SideFacts) -> dict[str, Json]:
    return {"path": side.path, "runtime": side.runtime, "seconds": side.seconds}


def _measure(m: Measure) -> dict[str, Json]:
    return {
        "a": m.name,
        "b": m.other,
        "verdict": m.verdict.value,
        "max_abs": finite(m.max_abs),
        "max_relative": finite(m.max_relative),
        "cosine": finite(m.cosine),
        "snr_db": finite(m.snr_db),
        "top1": m.top1,
        "steps": m.steps,
        "place": list(m.place),
        "why": m.why,
    }


def finite(x: float) -> float | None:
    """JSON has no infinities."""
    return x if math.isfinite(x) else None
