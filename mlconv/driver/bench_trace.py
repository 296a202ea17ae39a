"""A call of native code in Trace Event form, which Perfetto and Chromium's about:tracing open.

Source: "Trace Event Format" (Google, 2016): complete events, ph = "X", times in microseconds.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict

import numpy as np

from mlconv.driver.inprocess import InProcess
from mlconv.ir.constants import Array

_PROCESS = 1
_CALL, _OPS = 0, 1  # rows; those of threads follow


class TracedOp(NamedTuple):
    """A kernel of the call."""

    name: str
    node: str
    line: str


class Event(TypedDict, total=False):
    """args: what is shown of one that is clicked on."""

    name: str
    cat: str
    ph: str
    ts: float
    dur: float
    pid: int
    tid: int
    args: Mapping[str, object]


class Recorded(NamedTuple):
    """A call, in nanoseconds of the monotonic clock.  started, ended: as the caller sees it.  stamps: before the first
    kernel, and behind each.  threads: when each worked.
    """

    started: int
    ended: int
    stamps: Array
    threads: Sequence[Array]


def recorded_call(made: InProcess, inputs: Mapping[str, Array], calls: int) -> Recorded:
    """The one of several calls whose time is the median."""
    model, found = made.model, list[Recorded]()
    for _ in range(calls):
        if model.trace is not None:
            model.trace.clear()
        started = time.perf_counter_ns()
        model.run(inputs)
        ended = time.perf_counter_ns()
        stamps = model.stamps[:, 0] * 1_000_000_000 + model.stamps[:, 1]
        found.append(Recorded(started, ended, stamps, model.trace.spans() if model.trace is not None else []))
    return sorted(found, key=lambda one: one.ended - one.started)[len(found) // 2]


def trace_events(call: Recorded, ops: Sequence[TracedOp], model: str) -> list[Event]:
    """A row of the call with what is done around its kernels, a row of kernels, and a row for each thread.  Spans of
    the first row add up to the call.
    """
    stamps, origin = [int(x) for x in call.stamps], call.started
    events = [_named(model, "process_name", _CALL), _named("call", "thread_name", _CALL)]
    events.append(_named("kernels", "thread_name", _OPS))
    first, last = (stamps[0], stamps[-1]) if len(stamps) > 1 else (call.ended, call.ended)
    for name, begin, end in (
        ("inputs", call.started, first),
        ("kernels", first, last),
        ("outputs", last, call.ended),
    ):
        events.append(_span(name, "call", begin - origin, end - begin, _CALL, {}))
    for op, begin, end in zip(ops, stamps, stamps[1:], strict=False):
        events.append(_span(op.name, "kernel", begin - origin, end - begin, _OPS, {"node": op.node, "line": op.line}))
    for number, spans in enumerate(call.threads):
        row = _OPS + 1 + number
        events.append(_named(f"thread {number}", "thread_name", row))
        places = np.searchsorted(call.stamps, spans[:, 0], side="right") - 1
        for (begin, end), place in zip(spans.tolist(), places.tolist(), strict=True):
            op = ops[min(max(place, 0), len(ops) - 1)]
            events.append(_span(op.name, "task", begin - origin, end - begin, row, {"node": op.node, "line": op.line}))
    return events


def _span(name: str, kind: str, begin: int, length: int, row: int, told: Mapping[str, object]) -> Event:
    """begin, length: in nanoseconds."""
    return {
        "name": name,
        "cat": kind,
        "ph": "X",
        "ts": begin / 1e3,
        "dur": length / 1e3,
        "pid": _PROCESS,
        "tid": row,
        "args": told,
    }


def _named(name: str, what: str, row: int) -> Event:
    """A row's name."""
    return {"name": what, "ph": "M", "pid": _PROCESS, "tid": row, "args": {"name": name}}
