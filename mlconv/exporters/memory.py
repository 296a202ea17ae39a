"""What the values of an artifact take while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from mlconv.ir.dims import Size


class Held(NamedTuple):
    """A part of the arena.  offset, size: in bytes.  first, last: the calls (counted from 0) that write it first and
    read it last.  op, node, line: what writes it; empty for an input.
    """

    offset: Size
    size: Size
    first: int
    last: int
    op: str
    node: str
    line: str


class MemoryUse(NamedTuple):
    """arena, weights: in bytes.  buffers: in the arena, by the calls that write them."""

    arena: Size
    weights: int
    buffers: list[Held]


class Peak(NamedTuple):
    """The call while which the most bytes are in use, the first of those, and what is in them."""

    call: int
    size: int
    buffers: list[Held]


def peak_of(buffers: Sequence[Held]) -> Peak | None:
    """Where the most memory is in use; none without buffers, and where sizes are known at run time.  Bytes that two
    buffers have, one after the other while a call runs, count once.
    """
    fixed = [(b.offset, b.size, b) for b in buffers if isinstance(b.offset, int) and isinstance(b.size, int)]
    if not fixed or len(fixed) < len(buffers):
        return None
    changes: dict[int, int] = {}
    for _, size, held in fixed:
        changes[held.first] = changes.get(held.first, 0) + size
        changes[held.last + 1] = changes.get(held.last + 1, 0) - size
    total, sums = 0, []
    for call in sorted(changes):
        total += changes[call]
        sums.append((total, call))
    best = Peak(0, 0, [])
    for total, call in sorted(sums, key=lambda s: (-s[0], s[1])):
        if total < best.size:  # counted once they are not more
            break
        living = [b for b in buffers if b.first <= call <= b.last]
        used = _joined([(low, low + size) for low, size, b in fixed if b.first <= call <= b.last])
        if (used, -call) > (best.size, -best.call):
            best = Peak(call, used, living)
    return best


def curve_of(buffers: Sequence[Held]) -> list[int]:
    """Bytes of the buffers in use while each call runs; none where sizes are known at run time."""
    fixed = [(b.first, b.last, b.size) for b in buffers if isinstance(b.size, int)]
    if not fixed or len(fixed) < len(buffers):
        return []
    changes = [0] * (max(last for _, last, _ in fixed) + 2)
    for first, last, size in fixed:
        changes[first] += size
        changes[last + 1] -= size
    return list(accumulate(changes))[:-1]


def _joined(spans: list[tuple[int, int]]) -> int:
    """Bytes in at least one of the spans."""
    total = end = 0
    for low, high in sorted(spans):
        total += max(0, high - max(low, end))
        end = max(end, high)
    return total
