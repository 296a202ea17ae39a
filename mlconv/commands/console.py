"""What the command line prints when all goes well: reports and progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from mlconv.commands.reporting import is_quiet, verbosity
from mlconv.diagnostics.text import amount, json_text, printable, printable_data

if TYPE_CHECKING:
    from mlconv.driver.pipeline import OnStage
    from mlconv.driver.result import Result
    from mlconv.driver.types import TypeFacts
    from mlconv.exporters.target import FileSizes
    from mlconv.quantize.report import Report

_MOST_LIMITS = 5  # layers that lost a limit, by name
WIDEST = 44  # characters of a column; a wider cell moves the rest of its line


@contextmanager
def stages(enabled: bool) -> Iterator[OnStage]:
    """Names the running stage on a terminal once the work has taken a second, with how far it is where it tells;
    silent in a pipe.  With --verbose each stage is a line, with its time, wherever that goes, and with two each pass.
    """
    from mlconv.commands.progress import Lines, Stages

    ctx = click.get_current_context(silent=True)
    if verbosity(ctx):
        shown: Lines | Stages = Lines(time.monotonic, passes=verbosity(ctx) > 1)
    elif enabled and sys.stderr.isatty() and not is_quiet(ctx):
        shown = Stages(time.monotonic, watched=True)
    else:
        yield lambda name: None
        return
    try:
        yield shown
    finally:
        shown.stop()


def size_text(size: float) -> str:
    """Bytes in a unit that gives up to four digits."""
    value, unit = float(size), "B"
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def _quantization_lines(report: Report | None) -> list[str]:
    """What was quantized, in a line, and one for each rule."""
    if report is None:
        return []
    done, products = report.counted()
    text = f"  {report.scheme}: {done} of {products} products"
    if not products:
        text += ": the model has none that computes with floats"
    if report.samples:
        text += f", calibrated with {amount(report.samples, 'sample')}, {amount(report.equalized, 'value')} equalized"
    elif report.is_blind:
        text += "; weights are rounded to the nearest: with --calibration less is lost"
    if report.clips:
        text += f", ranges {report.ranges}"
    if not report.is_portable:
        text += f", with the ops of {report.profile}: integers differ on other targets"
    rules = (printable(f"  rule {use.rule}: {amount(use.ops, 'op')}") for use in report.rules)
    lines = [text, *_equalization(report), *rules]
    budget = report.budget
    if budget is not None:
        lines.append(
            f"  {printable(budget.metric)} {budget.score:.6g}, of the model {budget.float_score:.6g}; "
            f"{len(budget.kept)} of {budget.layers} layers {'in more bits' if report.speed is None else 'by rules'}, "
            f"{amount(budget.trials, 'way')} tried"
        )
    return lines


def _equalization(report: Report) -> list[str]:
    """What equalization did to the model, and what it could not do."""
    lines = []
    if report.limits:
        found = report.approximate()
        layers = ", ".join(f"{layer.place} (was {layer.limit:g})" for layer in found[:_MOST_LIMITS])
        more = f" and {len(found) - _MOST_LIMITS} more" if len(found) > _MOST_LIMITS else ""
        number = amount(report.limits, "layer")
        text = f"  approximate: upper limits that no sample reached are gone from {number}: {layers}{more}"
        lines.append(printable(text))
    if report.taken_back:
        lines.append(f"  equalization of {report.taken_back} values was taken back: outputs changed")
    return lines


def report_conversion(result: Result, as_json: bool, timings: bool) -> str:
    if as_json:
        from mlconv.diagnostics.render import as_data

        facts = {k: v for k, v in asdict(result).items() if k != "diagnostics"}
        return json_text({**facts, "diagnostics": [as_data(d) for d in result.diagnostics]}, indent=1)
    total = sum(result.timings.values())
    ops = sum(result.ops.values())
    inputs, outputs, verification = map(printable_data, (result.inputs, result.outputs, result.verification))
    where = "standard output" if result.output == "-" else printable(result.output)
    counts = f"{amount(ops, 'op')}, {amount(result.transposes, 'transpose')}"
    lines = [f"{where}: {size_text(result.size_bytes)}, {counts}, {total:.2f} s"]
    lines += _size_lines(result.sizes)
    for kind, values in (("input", inputs), ("output", outputs)):
        lines += [f"  {kind:<6} {v['name']}  {type_text(v)}" for v in values]
    lines += [
        f"  verified {v['output']}: largest error {v['max_abs']:.3g} ({v['relative']:.2g} of the largest value)"
        for v in verification
    ]
    lines += _elsewhere_lines(result)
    lines += _quantization_lines(result.quantization)
    if timings:
        for name, seconds in result.timings.items():
            lines.append(f"  {seconds * 1e3:9.2f} ms  {name}")
            if name == "optimize":
                lines += [f"  {line}" for line in pass_report(result.pass_timings, result.pass_statistics)]
    return "\n".join(lines)


def _elsewhere_lines(result: Result) -> list[str]:
    """Who computes what, where other libraries take part."""
    ops: dict[str, list[str]] = {}
    for one in printable_data(result.computed_elsewhere):
        ops.setdefault(f"{one['function']} computes {one['op']}", []).append(one["line"] or one["node"])
    lines = [f"  {what}: {_some(places)}" for what, places in ops.items()]
    if result.unverified:
        lines.append(f"  not verified, for nothing else knows what they do: {_some(printable_data(result.unverified))}")
    return lines


def _some(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _size_lines(sizes: FileSizes) -> list[str]:
    """Parts of the artifact, and all of them beside the model's weights."""
    if not sizes.parts:
        return []
    total = sum(sizes.parts.values())
    ratio = f"; {total / sizes.model_weights:.2f} of the model's weights" if sizes.model_weights else ""
    return [f"  {', '.join(f'{name} {size_text(size)}' for name, size in sizes.parts.items())}{ratio}"]


def pass_report(timings: Mapping[str, float], counts: Mapping[str, int]) -> list[str]:
    """Lines of the times of passes, and of how often each rewrite was made."""
    width = len(f"{0:9.2f} ms")
    return [
        *(f"{seconds * 1e3:9.2f} ms  {name}" for name, seconds in timings.items()),
        *(f"{count:>{width - 3}} x   {name}" for name, count in counts.items() if count),
    ]


def type_text(facts: TypeFacts) -> str:
    shape = "*" if facts["shape"] is None else ",".join(map(str, facts["shape"]))
    return f"{facts['dtype']}[{shape}]"
