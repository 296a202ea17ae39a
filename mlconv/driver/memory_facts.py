"""What the values of a model take on a target, in the order of its source and in that of the artifact."""

from __future__ import annotations

from typing import TypedDict

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.driver.context import context_of
from mlconv.driver.options import Options
from mlconv.driver.pipeline import instruments, parts_of
from mlconv.driver.running import load_any
from mlconv.exporters.memory import Held, MemoryUse, Peak, peak_of
from mlconv.ir.dims import Size
from mlconv.passes.pipeline import parse_pipeline, run_pipeline


class BufferFacts(TypedDict):
    """first, last: the calls that write it first and read it last.  op, node, line: what writes it."""

    offset: int | str
    size: int | str
    first: int
    last: int
    op: str
    node: str
    line: str


class PeakFacts(TypedDict):
    """The call while which the most bytes are in use, and the buffers that are."""

    call: int
    bytes: int
    buffers: list[BufferFacts]


class OrderFacts(TypedDict):
    """What one order of the ops takes; a size that is known at run time is its expression.  peak: none where sizes are
    known at run time.
    """

    arena_bytes: int | str
    peak: PeakFacts | None


class MemoryFacts(OrderFacts):
    """In the order of the artifact, with all buffers.  source_order: in that of the source."""

    path: str
    target: str
    weight_bytes: int
    source_order: OrderFacts
    buffers: list[BufferFacts]


def memory_facts(path: str, options: Options, to: str) -> MemoryFacts:
    """Where an artifact of a model keeps its values.  Raises ConversionError: UsageError for a target of which that is
    not known.
    """
    context = context_of(options.plugins, to, [path])
    target = context.target(to)
    options.check_targets((target,), context)
    if not target.schedules:
        having = " or ".join(t.name for t in context.targets.all() if t.schedules)
        raise ConversionError(
            Code.UsageError, f"where {target.label} keeps values is not known", help=f"ask for {having}"
        )
    module = load_any(path, options).module
    parts = parts_of(module, options, target, context)
    lowering = [p for p in parse_pipeline(str(parts), context.passes) if not p.reads_weights]
    at = next((i for i, p in enumerate(lowering) if p.name == target.schedules), len(lowering))
    watch = instruments(options, DiagnosticEngine(), context)
    run_pipeline(module, lowering[:at], watch)
    before = target.memory(module, context.kernels)
    run_pipeline(module, lowering[at:], watch)
    after = target.memory(module, context.kernels)
    if before is None or after is None:
        raise ConversionError(
            Code.UsageError,
            f"where {target.label} keeps the values of this model is decided when it runs",
            help="pin sizes with --shape NAME=D,D,...",
        )
    return {
        "path": path,
        "target": to,
        **_order(after),
        "weight_bytes": after.weights,
        "source_order": _order(before),
        "buffers": [_buffer(b) for b in after.buffers],
    }


def _order(use: MemoryUse) -> OrderFacts:
    return {"arena_bytes": plain_size(use.arena), "peak": peak_facts(peak_of(use.buffers))}


def peak_facts(peak: Peak | None) -> PeakFacts | None:
    """A peak as plain data."""
    if peak is None:
        return None
    return {"call": peak.call, "bytes": peak.size, "buffers": [_buffer(b) for b in peak.buffers]}


def _buffer(held: Held) -> BufferFacts:
    return {
        "offset": plain_size(held.offset),
        "size": plain_size(held.size),
        "first": held.first,
        "last": held.last,
        "op": held.op,
        "node": held.node,
        "line": held.line,
    }


def plain_size(size: Size) -> int | str:
    """A size that is known at run time is its expression."""
    return size if isinstance(size, int) else str(size)
