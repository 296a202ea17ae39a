"""The order of a part of a graph with the least peak: dynamic programming over the sets of ops that have run.

A set has one amount of memory behind it, so that of all orders of its ops the one with the least peak is enough
(Held and Karp's argument; Ahn et al. 2020, "Ordering chaos", for networks).  Sets are made level by level, by how many
ops they have.  An op that fits below the peak so far and leaves no more memory than it found is run at once: it frees
at least as much the later it runs, so that no order is better which delays it.  Where a level has more sets than the
width, those with the lowest peak and then the least memory go on: the result is exact as long as none was left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.passes.schedule.graph import Graph


class Found(NamedTuple):
    """order: empty where no better one was found.  peak: in bytes, at least the floor.  exact: no order is better.
    tried: how often an op was put behind a set of others.
    """

    order: list[int]
    peak: int
    exact: bool
    tried: int


class _State(NamedTuple):
    """ops: those that have run, as bits.  ready: ops that may be next, in order.  before: what has run, op by op, the
    last first.
    """

    ops: int
    peak: int
    live: int
    ready: tuple[int, ...]
    before: tuple[int, object] | None


class Part:
    """A stretch of the source order, to be ordered by itself: the ops before it have run, those behind it have not.

    live: bytes in use in front of it.  tried: how often an op was put behind a set of others.  may_shrink: by op,
    whether it leaves no more memory than it found behind some of the others.  Ops are numbers from its start.
    """

    def __init__(self, graph: Graph, start: int, stop: int, live: int, near: Sequence[int]) -> None:
        """near: the buffers that ops of the part make or read."""
        self.count, self.live, self.tried = stop - start, live, 0
        self.needs = [sum(1 << n - start for n in graph.needs[i] if n >= start) for i in range(start, stop)]
        self.followers: list[list[int]] = [[] for _ in range(self.count)]
        for i in range(start, stop):
            for n in graph.needs[i]:
                if n >= start:
                    self.followers[n - start].append(i - start)
        self.rise = [0] * self.count
        self.work = list(graph.work[start:stop])
        freed: list[dict[int, int]] = [{} for _ in range(self.count)]  # bytes by readers as bits
        over: list[dict[int, int]] = [{} for _ in range(self.count)]
        for i in near:
            self._add(graph, i, start, stop, freed, over)
        self.freed, self.over = ([[*found.items()] for found in by_op] for by_op in (freed, over))
        frees = [sum(found.values()) for found in freed]
        self.may_shrink = [rise <= most for rise, most in zip(self.rise, frees, strict=True)]

    def _add(
        self,
        graph: Graph,
        i: int,
        start: int,
        stop: int,
        freed: list[dict[int, int]],
        over: list[dict[int, int]],
    ) -> None:
        """Note what a buffer takes, and when it is freed."""
        buffer = graph.buffers[i]
        inside = [r - start for r in buffer.readers if start <= r < stop]
        is_made = start <= buffer.maker < stop
        if is_made:
            self.rise[buffer.maker - start] += buffer.size
        if buffer.kept or (buffer.readers and buffer.readers[-1] >= stop):
            return
        readers = sum(1 << r for r in inside)
        for op in inside or ([buffer.maker - start] if is_made else []):
            freed[op][readers] = freed[op].get(readers, 0) + buffer.size
            if i in graph.over[start + op]:
                over[op][readers] = over[op].get(readers, 0) + buffer.size

    def run(self, op: int, ops: int, live: int) -> tuple[int, int]:
        """Bytes in use while an op runs behind others, and behind it."""
        self.tried += 1
        left = ~(ops | 1 << op)
        during = behind = live + self.rise[op]
        for readers, size in self.freed[op]:
            if not readers & left:
                behind -= size
        for readers, size in self.over[op]:
            if not readers & left:
                during -= size
        return during + self.work[op], behind

    def next(self, op: int, ops: int, ready: tuple[int, ...]) -> tuple[int, ...]:
        """The ops that may be next behind one of those that might have been; ops: with it."""
        at = ready.index(op)
        rest = ready[:at] + ready[at + 1 :]
        needs = self.needs
        new = [f for f in self.followers[op] if needs[f] & ops == needs[f]]
        return tuple(sorted((*rest, *new))) if new else rest


def _after(part: Part, state: _State, op: int) -> _State:
    """What is behind an op, and behind all that may as well run at once."""
    ops, top, live, ready, before = state
    may_shrink, run = part.may_shrink, part.run
    during, live = run(op, ops, live)
    while True:
        top = during if during > top else top
        ops, before = ops | 1 << op, (op, before)
        ready = part.next(op, ops, ready)
        for candidate in ready:
            if may_shrink[candidate]:
                during, behind = run(candidate, ops, live)
                if during <= top and behind <= live:
                    op, live = candidate, behind
                    break
        else:
            return _State(ops, top, live, ready, before)


def search(part: Part, floor: int, below: int, width: int, limit: int) -> Found:
    """The best order of a part whose peak is lower than `below`, if there is one and it is found.

    floor: peaks up to there count the same.  width: sets that go on from each level.  limit: how often an op may be put
    behind a set of others.
    """
    first = tuple(i for i in range(part.count) if not part.needs[i])
    levels: list[dict[int, _State]] = [{} for _ in range(part.count + 1)]
    levels[0][0] = _State(0, floor, part.live, first, None)
    part.tried, exact = 0, True
    for level in levels[:-1]:
        states = list(level.values())
        level.clear()
        if len(states) > width:
            states = sorted(states, key=_promise)[:width]
            exact = False
        for state in states:
            if part.tried > limit:
                return Found([], below, False, part.tried)
            for op in state.ready:
                made = _after(part, state, op)
                if made.peak < below:
                    _keep(levels[made.ops.bit_count()], made)
    final = next(iter(levels[-1].values()), None)
    if final is None:
        return Found([], below, exact, part.tried)
    return Found(_order(final), final.peak, exact, part.tried)


def _promise(state: _State) -> tuple[int, int]:
    return state.peak, state.live


def _keep(level: dict[int, _State], state: _State) -> None:
    """Of two orders of the same ops, the one with the lower peak; the first of those that are alike."""
    known = level.get(state.ops)
    if known is None or state.peak < known.peak:
        level[state.ops] = state


def _order(state: _State) -> list[int]:
    found = []
    link: object = state.before
    while isinstance(link, tuple):
        op, link = link
        found.append(op)
    return found[::-1]
