"""What a function moves through memory when each of its ops reads all operands from there and writes all results to
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from mlconv.driver.report.graph import computes
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType

_MOST_POINTS = 400  # of a curve; each stands for the most of several ops
ALIASES = frozenset({"kernel.alias"})  # results are where operands are


class TrafficFacts(TypedDict):
    """buffers: values that ops make.  read, written: bytes, with those of constants and inputs; bodies of loops count
    once.  peak: most bytes of results that are still to be read while an op runs.  curve: that, along the ops.  None
    where sizes are known at run time alone.
    """

    ops: int
    buffers: int
    read: int | None
    written: int | None
    peak: int | None
    curve: list[int]


def traffic_of(function: Function) -> TrafficFacts:
    """Of the function's own block and all bodies in it; the peak is that of its own block."""
    every = [op for op in walk(function.block) if _computes(op)]
    buffers = sum(len(op.results) for op in every)
    read, written = (_sum(op.inputs for op in every), _sum(op.results for op in every))
    curve = _live([op for op in function.block.ops if _computes(op)])
    return {
        "ops": len(every),
        "buffers": buffers,
        "read": read,
        "written": written,
        "peak": max(curve, default=0) if curve is not None else None,
        "curve": thinned(curve or []),
    }


def _computes(op: Op) -> bool:
    return computes(op) and op.name not in ALIASES


def _bytes(value: Value) -> int | None:
    kind = value.type
    size = kind.size if isinstance(kind, TensorType) else None
    return kind.dtype.packed_bytes(size) if isinstance(kind, TensorType) and isinstance(size, int) else None


def _sum(groups: Iterable[Iterable[Value]]) -> int | None:
    sizes = [_bytes(value) for values in groups for value in values]
    fixed = [size for size in sizes if size is not None]
    return sum(fixed) if len(fixed) == len(sizes) else None


def _live(ops: list[Op]) -> list[int] | None:
    """Bytes of results that are alive while each op runs, in the order of the ops."""
    at = {op: i for i, op in enumerate(ops)}
    changes = [0] * (len(ops) + 1)
    for i, op in enumerate(ops):
        for value in op.results:
            size = _bytes(value)
            if size is None:
                return None
            # what a body reads, or the function gives back, lives to the end
            last = max((at.get(user, len(ops) - 1) for user in _readers(value)), default=i)
            changes[i] += size
            changes[last + 1] -= size
    live, found = 0, []
    for change in changes[:-1]:
        live += change
        found.append(live)
    return found


def _readers(value: Value) -> Iterable[Op]:
    """Those of other names of it, too."""
    waiting = [value]
    while waiting:
        for user, _ in waiting.pop().uses:
            if user.name in ALIASES:
                waiting.extend(user.results)
            else:
                yield user


def thinned(curve: list[int]) -> list[int]:
    """At most so many points as a chart shows, each the most of those that it stands for."""
    step = -(-len(curve) // _MOST_POINTS) or 1
    return [max(curve[i : i + step]) for i in range(0, len(curve), step)]
