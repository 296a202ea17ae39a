"""Where buffers lie: offsets in one arena, so that those that live at the same time are apart."""

from __future__ import annotations

import bisect
import collections
import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from mlconv.ir.core import Value
from mlconv.ir.dims import Size, ceildiv, maximum
from mlconv.ir.estimates import estimate

ALIGNMENT = 64
_STRETCH = 64  # ops
_MANY_MEETINGS = 20_000_000  # pairs of buffers of the same stretch: packing by size looks at each of them


@overload
def aligned(n: int) -> int: ...
@overload
def aligned(n: Size) -> Size: ...
def aligned(n: Size) -> Size:
    return ceildiv(n, ALIGNMENT) * ALIGNMENT


@dataclass(eq=False, slots=True)
class Buffer:
    """Memory of some values.  born, dies: positions of ops.  yielded: the result of the block that it is the memory of,
    or -1; at: offset, when in the arena.

    owned: made in this block, so that it may be given away.
    """

    size: Size
    born: int
    dies: int
    values: list[Value]
    owned: bool = True
    yielded: int = -1
    at: Size = 0


def pack(buffers: Sequence[Buffer]) -> Size:
    """Give buffers offsets; returns the end.

    Largest first, at the lowest offset that is free during the whole life, or in the order of births, where that takes
    less; behind them those whose sizes are known at run time.
    """
    fixed = [b for b in buffers if isinstance(b.size, int)]
    end = pack_in_order(fixed)
    if end > _least(fixed) and _meetings(fixed) <= _MANY_MEETINGS:
        offsets = [b.at for b in fixed]
        by_size = pack_by_size(fixed)
        if by_size > end:
            for buffer, offset in zip(fixed, offsets, strict=True):
                buffer.at = offset
        end = min(end, by_size)
    return _pack_by_turns([b for b in buffers if not isinstance(b.size, int)], end)


def pack_by_size(buffers: list[Buffer]) -> int:
    """Offsets of buffers of fixed size; returns the end."""
    # by stretches of time, so that only buffers of about the same time are looked at
    taken: dict[int, list[tuple[int, int, int, int]]] = {}
    end = 0
    for size, buffer in sorted(
        ((aligned(b.size), b) for b in buffers if isinstance(b.size, int)), key=lambda p: (-p[0], p[1].born)
    ):
        offset = 0
        stretches = range(buffer.born // _STRETCH, buffer.dies // _STRETCH + 1)
        near = {
            place
            for s in stretches
            for place in taken.get(s, ())
            if place[2] <= buffer.dies and buffer.born <= place[3]
        }
        for low, high, _, _ in sorted(near):
            if low < offset + size and offset < high:
                offset = high
        for s in stretches:
            taken.setdefault(s, []).append((offset, offset + size, buffer.born, buffer.dies))
        buffer.at = offset
        end = max(end, offset + size)
    return end


def _pack_by_turns(buffers: list[Buffer], start: int) -> Size:
    """Buffers of sizes that are known at run time share a slot when their lives do not meet; a slot is as large
    as its largest.  Returns the end.
    """
    slots: list[list[Buffer]] = []
    for buffer in sorted(buffers, key=lambda b: (-estimate(b.size), b.born)):
        slot = next((p for p in slots if _is_free(p, buffer)), None)
        if slot is None:
            slots.append([buffer])
        else:
            bisect.insort(slot, buffer, key=_born)
    at: Size = start
    for slot in slots:
        size: Size = 0
        for buffer in slot:
            buffer.at = at
            size = maximum(size, aligned(buffer.size))
        at = at + size
    return at


def _least(buffers: list[Buffer]) -> int:
    """What buffers of fixed size that live at the same time take, wherever they lie."""
    changes: collections.Counter[int] = collections.Counter()
    for buffer in buffers:
        size = aligned(buffer.size) if isinstance(buffer.size, int) else 0
        changes[buffer.born] += size
        changes[buffer.dies + 1] -= size
    return max(itertools.accumulate(changes[at] for at in sorted(changes)), default=0)


def _meetings(buffers: list[Buffer]) -> int:
    """About how many pairs of buffers live in the same stretch of time, counted once for each stretch."""
    changes: collections.Counter[int] = collections.Counter()
    for buffer in buffers:
        changes[buffer.born // _STRETCH] += 1
        changes[buffer.dies // _STRETCH + 1] -= 1
    total = living = before = 0
    for stretch in sorted(changes):
        total += living * living * (stretch - before)
        living, before = living + changes[stretch], stretch
    return total


def pack_in_order(buffers: list[Buffer]) -> int:
    """Offsets of buffers of fixed size in the order of their births, the largest first of those born together, at the
    lowest offset that is free then; fast for very many long lives too.  Returns the end.
    """
    end = 0
    holes: list[tuple[int, int]] = []  # (begin, end), in order, none next to another
    living: list[tuple[int, int, int]] = []  # (dies, begin, end)
    for buffer in sorted(buffers, key=lambda b: (b.born, -estimate(b.size))):
        size = aligned(buffer.size) if isinstance(buffer.size, int) else 0
        while living and living[0][0] < buffer.born:
            _, low, high = heapq.heappop(living)
            _give_back(holes, low, high)
        at = next((i for i, (low, high) in enumerate(holes) if high - low >= size), None)
        if at is None:
            low = holes.pop()[0] if holes and holes[-1][1] == end else end  # what is free there counts
            end = low + size
        else:
            low, high = holes[at]
            holes[at : at + 1] = [(low + size, high)] if high - low > size else []
        buffer.at = low
        heapq.heappush(living, (buffer.dies, low, low + size))
    return end


def _give_back(holes: list[tuple[int, int]], low: int, high: int) -> None:
    """A hole, joined with those next to it."""
    if low == high:
        return
    at = bisect.bisect_left(holes, (low, high))
    if at < len(holes) and holes[at][0] == high:
        high = holes.pop(at)[1]
    if at and holes[at - 1][1] == low:
        at -= 1
        low = holes.pop(at)[0]
    holes.insert(at, (low, high))


def _born(buffer: Buffer) -> int:
    return buffer.born


def _is_free(slot: list[Buffer], buffer: Buffer) -> bool:
    """No life in a slot, whose lives do not meet and are in order, meets that of the buffer."""
    at = bisect.bisect_left(slot, buffer.born, key=_born)
    return (at == 0 or slot[at - 1].dies < buffer.born) and (at == len(slot) or buffer.dies < slot[at].born)
