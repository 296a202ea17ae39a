"""What `mlconv run` prints."""

from __future__ import annotations

import math
from typing import TypedDict

from mlconv.commands.tables import duration_text
from mlconv.commands.verify_report import ComparisonData, comparison_data, report_outputs
from mlconv.diagnostics.text import printable
from mlconv.driver.running import Ran
from mlconv.driver.verification import Comparison
from mlconv.ir.constants import Array

_BACKENDS = {"native": "native code", "reference": "the reference interpreter"}


class ArrayData(TypedDict):
    """An output.  min, mean, max: of its numbers; None of what has none, or none that is finite."""

    name: str
    dtype: str
    shape: list[int]
    min: float | None
    mean: float | None
    max: float | None


class RunData(TypedDict):
    """backend: `native` or `reference`.  seconds, outputs: of each run.  comparison: with what was expected."""

    version: int
    model: str
    backend: str
    seconds: list[float]
    outputs: list[list[ArrayData]]
    notes: list[str]
    comparison: ComparisonData | None


def report_run(ran: Ran, threads: int, found: Comparison | None) -> str:
    """Outputs of each run, what it ran on, and how long it took.  found: beside what was expected."""
    lines = [_array_line(name, array) for outputs in ran.runs for name, array in outputs.items()]
    runs = f"{len(ran.runs)} runs" if len(ran.runs) > 1 else "ran"
    workers = f", {threads} threads" if threads > 1 and ran.backend == "native" else ""
    lines.append(f"{runs} on {_BACKENDS[ran.backend]}{workers}: {duration_text(sum(ran.seconds))}")
    return "\n".join([*lines, *([] if found is None else [report_outputs(found)])])


def _array_line(name: str, array: Array) -> str:
    text = f"{printable(name)}  {array.dtype}{list(array.shape)}"
    if array.size and array.dtype.kind in "fiu":
        text += f"  min {array.min():.6g}  mean {array.mean():.6g}  max {array.max():.6g}"
    return text


def run_data(model: str, ran: Ran, found: Comparison | None) -> RunData:
    return {
        "version": 1,
        "model": model,
        "backend": ran.backend,
        "seconds": ran.seconds,
        "outputs": [[_array(name, array) for name, array in outputs.items()] for outputs in ran.runs],
        "notes": [*ran.notes],
        "comparison": None if found is None else comparison_data(found),
    }


def _array(name: str, array: Array) -> ArrayData:
    known = array.size and array.dtype.kind in "fiu"
    low, mean, high = (float(x) for x in (array.min(), array.mean(), array.max())) if known else [math.nan] * 3
    return {
        "name": name,
        "dtype": str(array.dtype),
        "shape": [*array.shape],
        "min": low if math.isfinite(low) else None,
        "mean": mean if math.isfinite(mean) else None,
        "max": high if math.isfinite(high) else None,
    }
