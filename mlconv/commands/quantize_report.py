"""What `mlconv quantize` prints."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.commands.console import report_conversion, size_text
from mlconv.commands.speed_report import short, speed_lines
from mlconv.commands.tables import fitted
from mlconv.diagnostics.text import printable
from mlconv.driver.result import Result
from mlconv.quantize.report import Layer, Report

_HEAD = ("own dB", "net dB", "saturated", "range", "scheme", "op", "where", "cause")
_MOST_HINTS = 5
_GOOD_DB = 40.0  # a layer's own ratio that more bits do not need to better


def report_quantization(result: Result, report: Report, top: int, files: Sequence[str]) -> str:
    """The conversion; layers, those that lose most by themselves first; what helps; what stays float."""
    lines = [report_conversion(result, as_json=False, timings=False), *_summary(report)]
    if report.speed is not None:
        lines += ["", *speed_lines(report.speed, top)]
    if report.measured:
        lines += ["", *_layers(report, top)]
    floats = report.floats()
    if floats:
        lines += ["", *_floats(floats, top)]
    lines += [f"report: {printable(path)}" for path in files]
    return "\n".join(lines)


def _summary(report: Report) -> list[str]:
    lines = []
    if report.float_bytes:
        lines.append(f"  weights: {size_text(report.float_bytes)} become {size_text(report.stored_bytes)}")
    if not report.measured:
        needed = "that takes --measure, and samples rather than what was saved of them"
        reason = needed if report.samples else "without samples nothing is run"
        return [*lines, f"  losses were not measured: {reason}"]
    outputs = ", ".join(f"{printable(output.name)} {decibels_text(output.snr)}" for output in report.outputs)
    return [*lines, f"  signal to noise, {report.measured} samples: {outputs or 'no output of floats'}"]


def decibels_text(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.1f} dB"


def _layers(report: Report, top: int) -> list[str]:
    measured = [layer for layer in report.worst_first() if layer.network_snr is not None or layer.snr is not None]
    rows = [_row(layer) for layer in measured[:top]]
    lines = fitted(_HEAD, rows, texts=True)
    if len(measured) > top:
        lines.append(f"and {len(measured) - top} layers more: --top N")
    return [*lines, *_hints(measured[:top])]


def _row(layer: Layer) -> tuple[str, ...]:
    cause = layer.causes[0] if layer.causes else None
    span = "-" if layer.low is None or layer.high is None else f"[{layer.low:.3g}, {layer.high:.3g}]"
    return (
        "-" if layer.snr is None else f"{layer.snr:.1f}",
        "-" if layer.network_snr is None else f"{layer.network_snr:.1f}",
        "-" if layer.saturation is None else f"{layer.saturation:.2%}" if layer.saturation else "0",
        span,
        layer.scheme,
        layer.op.removeprefix("core."),
        short(layer.place),
        "-" if cause is None else f"{cause.share:.0%} {printable(cause.text)}",
    )


def _hints(layers: Sequence[Layer]) -> list[str]:
    """What the worst layers' own losses are helped by."""
    found: dict[str, None] = {}
    for layer in layers:
        if found and (layer.snr is None or layer.snr > _GOOD_DB):
            continue
        own = [cause for cause in layer.causes if cause.cause != "earlier" and cause.help]
        if own:
            found.setdefault(f"  {printable(own[0].help)}")
    shown = [*found][:_MOST_HINTS]
    return ["what helps, the worst first:", *shown] if shown else []


def _floats(layers: Sequence[Layer], top: int) -> list[str]:
    """Ops that compute with floats, by op and reason."""
    groups: dict[tuple[str, str], list[Layer]] = {}
    for layer in layers:
        groups.setdefault((layer.op.removeprefix("core."), layer.reason), []).append(layer)
    rows = [
        (str(len(of)), op, cost_text(of), short(of[0].place), printable(reason)) for (op, reason), of in groups.items()
    ]
    head = f"{len(layers)} {'op computes' if len(layers) == 1 else 'ops compute'} with floats: {cost_text(layers)}"
    lines = [head, *fitted(("ops", "op", "cost", "where", "why"), rows[:top], texts=True)]
    return [*lines, f"and {len(rows) - top} more: --top N"] if len(rows) > top else lines


def cost_text(layers: Sequence[Layer]) -> str:
    """Multiplications with additions, and bytes of floats; unknown where shapes are open."""
    if any(layer.macs is None or layer.bytes is None for layer in layers):
        return "cost unknown, shapes are open"
    macs, size = sum(layer.macs or 0 for layer in layers), sum(layer.bytes or 0 for layer in layers)
    return f"{macs / 1e6:.4g} M multiply-adds, {size_text(size)}" if macs else size_text(size)
