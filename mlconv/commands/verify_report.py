"""What `mlconv verify` says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from mlconv.diagnostics.text import printable

if TYPE_CHECKING:
    from mlconv.driver.layering import Layers
    from mlconv.driver.verification import Comparison, SideFacts
    from mlconv.runtime.measures import Measure

_HEAD = ("output", "max abs", "relative", "cosine", "SNR dB", "top-1", "steps", "verdict")
_LAYER_HEAD = ("op", "line", "max abs", "own dB", "all dB", "")
_WIDTH, _LAYERS = 80, 5


def report_comparison(found: Comparison) -> str:
    """What ran on what, names that differ, and a table with a row for each output."""
    from mlconv.runtime.pairing import plain_name

    lines = [f"{printable(side.path)} on {side.runtime}, {side.seconds:.2f} s" for side in (found.a, found.b)]
    inputs = "given inputs" if found.seed is None else f"random inputs, seed {found.seed}"
    lines.append(f"{found.runs} {'run' if found.runs == 1 else 'runs'} with {inputs}")
    named = (*found.inputs, *((m.name, m.other) for m in found.outputs))
    lines += [printable(f"  {a} is taken for {b}") for a, b in named if plain_name(a) != plain_name(b)]
    lines += ["", report_outputs(found)]
    return "\n".join([*lines, *(_layer_lines(found.layers) if found.layers is not None else ())])


def report_outputs(found: Comparison) -> str:
    """A table with a row for each output, and what it does not tell of those that hold."""
    table = rendered(_HEAD, [_row(m) for m in found.outputs])
    return "\n".join([table, *(printable(f"{m.name}: {m.why}") for m in found.outputs if m.verdict.ok and m.why)])


def _layer_lines(layers: Layers) -> list[str]:
    """The layers that are off, and those that lose most by themselves, in order."""
    from mlconv.driver.layering import line_of, place_of

    report = layers.report
    worst = sorted(report.layers, key=lambda layer: layer.own_db)[:_LAYERS]
    shown = [layer for layer in report.layers if layer.why or layer in worst]
    counted = (
        f"{len(report.layers)} of {report.values} values of {layers.reference} have counterparts in {layers.other}"
    )
    if not report.layers:
        return ["", printable(f"{counted}: nothing can be said of layers")]
    rows = [
        [
            place_of(layer),
            line_of(layer),
            f"{layer.max_abs:.3g}",
            f"{layer.own_db:.1f}",
            f"{layer.total_db:.1f}",
            ("first that differs" if layer is report.first else "differs") if layer.why else "",
        ]
        for layer in shown
    ]
    if any(row[1] for row in rows):
        return ["", printable(counted), "", rendered(_LAYER_HEAD, rows, 2)]
    return ["", printable(counted), "", rendered((_LAYER_HEAD[0], *_LAYER_HEAD[2:]), [[r[0], *r[2:]] for r in rows])]


def rendered(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """A table that folds its texts where it would be wider than a terminal of 80 columns.  texts: columns in front that
    are such; the last one has a few words, which stay in one line.
    """
    import io

    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for name in head:
        numeric = name not in (*head[:texts], head[-1])
        table.add_column(
            name,
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=name not in head[:texts],
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


class PairData(TypedDict):
    """Names of one input in both models."""

    a: str
    b: str


class SideData(TypedDict):
    """A model, and what it ran on."""

    path: str
    runtime: str
    seconds: float


class MeasureData(TypedDict):
    """An output of both models.  Numbers that are infinite are None."""

    a: str
    b: str
    verdict: str
    max_abs: float | None
    max_relative: float | None
    cosine: float | None
    snr_db: float | None
    top1: float | None
    steps: float | None
    place: list[int]
    why: str


class LayerData(TypedDict):
    """A value inside both models.  own_db: of what the op loses by itself; total_db: up to there."""

    op: str
    node: str
    nodes: list[str]
    line: str
    value: str
    max_abs: float | None
    own_db: float | None
    total_db: float | None
    why: str


class LayersData(TypedDict):
    """values: that were compared.  first: number of the row of the first op that differs."""

    reference: str
    other: str
    values: int
    first: int | None
    rows: list[LayerData]


class ComparisonData(TypedDict):
    """seed: of random inputs."""

    version: int
    ok: bool
    a: SideData
    b: SideData
    runs: int
    seed: int | None
    inputs: list[PairData]
    outputs: list[MeasureData]
    layers: LayersData | None


def comparison_data(found: Comparison) -> ComparisonData:
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
        "layers": None if found.layers is None else _layers(found.layers),
    }


def _layers(layers: Layers) -> LayersData:
    from mlconv.driver.layering import line_of, nodes_of
    from mlconv.provenance.locations import first_name

    report = layers.report
    rows: list[LayerData] = [
        {
            "op": layer.op.name,
            "node": first_name(layer.location),
            "nodes": [*nodes_of(layer)],
            "line": line_of(layer),
            "value": layer.value.name,
            "max_abs": finite(layer.max_abs),
            "own_db": finite(layer.own_db),
            "total_db": finite(layer.total_db),
            "why": layer.why,
        }
        for layer in report.layers
    ]
    first = None if report.first is None else report.layers.index(report.first)
    return {"reference": layers.reference, "other": layers.other, "values": report.values, "first": first, "rows": rows}


def _side(side: SideFacts) -> SideData:
    return {"path": side.path, "runtime": side.runtime, "seconds": side.seconds}


def _measure(m: Measure) -> MeasureData:
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
