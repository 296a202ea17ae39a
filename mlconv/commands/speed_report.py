"""What `mlconv quantize` prints of schemes that were chosen by time."""

from __future__ import annotations

from mlconv.commands.console import WIDEST
from mlconv.commands.tables import fitted
from mlconv.diagnostics.text import printable
from mlconv.quantize.report import LayerTimes, Speed


def speed_lines(speed: Speed, top: int) -> list[str]:
    """All schemes; then layers, those that take longest first, with what they take and lose by scheme."""
    head = f"by time on {printable(speed.machine)}: {speed.chosen}; {speed.why}"
    rows = [
        (
            each.scheme,
            f"{each.milliseconds:.4g}",
            "-" if each.score is None else f"{each.score:.6g}",
            "-" if each.worse is None else f"{each.worse:.3g}",
            "not scored: a faster one was good enough" if each.met is None else "within" if each.met else "too much",
        )
        for each in speed.schemes
    ]
    lines = [head, *fitted(("scheme", "ms", "score", "worse by", "the limit"), rows, texts=True)]
    if speed.raced:
        raced = ", ".join(f"{name} {milliseconds:.4g} ms" for name, milliseconds in speed.raced.items())
        lines.append(f"as they are written, in turn: {raced}")
    return [*lines, "", *_layers(speed, top)]


def _layers(speed: Speed, top: int) -> list[str]:
    """Milliseconds of a layer's kernels, and own dB behind a slash where they were measured."""
    names = [each.scheme for each in speed.schemes]
    layers = sorted(speed.layers, key=lambda layer: -layer.milliseconds[speed.chosen])
    rows = [(short(layer.select), layer.scheme, *(_cell(layer, name) for name in names)) for layer in layers[:top]]
    lines = fitted(("layer", "scheme", *(f"{name} ms/dB" for name in names)), rows)
    return [*lines, f"and {len(layers) - top} layers more: --top N"] if len(layers) > top else lines


def _cell(layer: LayerTimes, name: str) -> str:
    ratio = layer.snr.get(name)
    return f"{layer.milliseconds[name]:.3g}" + ("" if ratio is None else f"/{ratio:.0f}")


def short(text: str) -> str:
    """The end of a long name, which tells more than its beginning."""
    shown = printable(text)
    return shown if len(shown) <= WIDEST else "..." + shown[3 - WIDEST :]
