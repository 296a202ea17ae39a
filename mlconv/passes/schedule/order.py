"""Orders of the least peak for whole graphs: cut into parts, of which those with the highest peaks are searched first.

A graph is cut behind each op that all others are before or behind, since every order passes through there.  What lies
between two cuts and is longer than a part may be is cut where the source order has the least memory in use; then once
more in the middle of those parts, so that ops may pass the borders of the first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mlconv.passes.schedule.graph import Graph, Use, least, use
from mlconv.passes.schedule.greedy import greedy
from mlconv.passes.schedule.search import Part, search

LONGEST = 128  # ops of a part
SMALL = 14  # ops of a part that is searched in full
WIDTHS = (8, 32)  # sets that go on from each level of a search: first few, for a bound, then more
_TRIES = 110_000  # how often an op is put behind a set of others, and for each op of a graph:
_TRIES_OF_OP = 20


class Stretch(NamedTuple):
    """Positions in an order, from `start` to before `stop`."""

    start: int
    stop: int


class Ordered(NamedTuple):
    """peak: in bytes.  exact: no order has a lower one."""

    order: list[int]
    peak: int
    exact: bool


def cuts(graph: Graph) -> list[int]:
    """Where every order has run the same ops: positions behind ops that all others must precede or follow."""
    n = graph.size
    first = [n] * n  # who needs an op, the first one
    for i in range(n - 1, -1, -1):
        for need in graph.needs[i]:
            first[need] = i
    earliest = list(itertools.accumulate((max(needs, default=-1) for needs in reversed(graph.needs)), min, initial=n))
    found, open_until = [], -1
    for i in range(n):
        # the ops before i lead to it where each has a follower among them and i; those behind it, the other way round
        if open_until <= i <= earliest[n - 1 - i]:
            found.append(i + 1)
        open_until = max(open_until, first[i])
    return found


def parts(graph: Graph, in_use: Use, longest: int = LONGEST, is_shifted: bool = False) -> Iterator[Stretch]:
    """The source order in stretches.  in_use: what it takes.  is_shifted: stretches that are too long are cut elsewhere
    than else.
    """
    start = 0
    for stop in dict.fromkeys([*cuts(graph), graph.size]):
        step = longest // 2 if is_shifted and stop - start > longest else longest
        while stop - start > longest:
            nearest = range(start + max(step // 2, 1), start + step + 1)
            middle = min(nearest, key=lambda position: (in_use.after[position - 1], position))
            yield Stretch(start, middle)
            start, step = middle, longest
        if stop > start:
            yield Stretch(start, stop)
        start = stop


def ordered(graph: Graph, floor: int | None = None, longest: int = LONGEST) -> Ordered:
    """An order whose peak is at most that of the source order, the least where parts are small or have few branches.

    floor: peaks up to there need no better order; by default the least that any can have.  Linear in ops: the sets that
    are looked at are bounded by their number.
    """
    bound = least(graph) if floor is None else floor
    found = _Searched(graph, bound, longest)
    exact = found.round(False)
    if any(s.stop - s.start > longest for s in _spans(graph)):
        found.round(True)
        exact = False
    top = max(use(graph, found.order).during, default=0)
    return Ordered(found.order, top, exact or top <= bound)


def candidates(graph: Graph) -> Iterator[list[int]]:
    """Orders that may need less memory than that of the source, which is not among them: one that is better where the
    peak is, one that begins with the greedy order, and one with the least peak of each part.
    """
    source = list(range(graph.size))
    seen, is_better = [source], False
    if len(cuts(graph)) == graph.size:
        return  # there is no other order
    start = greedy(graph)
    for of, base, floor in ((graph, source, None), (graph.renumbered(start), start, None), (graph, source, 0)):
        if floor == 0 and not is_better:
            break  # a higher floor lets more orders be alike, so that more were looked at, and none is better
        found = [base[i] for i in ordered(of, floor).order]
        is_better = is_better or (of is graph and found != source)
        if found not in seen:
            seen.append(found)
            yield found


def _spans(graph: Graph) -> Iterator[Stretch]:
    """The stretches between cuts."""
    return itertools.starmap(Stretch, itertools.pairwise([0, *cuts(graph), graph.size]))


class _Searched:
    """An order that gets better."""

    def __init__(self, graph: Graph, floor: int, longest: int) -> None:
        self.source, self.floor, self.longest = graph, floor, longest
        self.order = list(range(graph.size))
        self.tries = _TRIES + _TRIES_OF_OP * graph.size

    def round(self, is_shifted: bool) -> bool:
        """Search each part whose peak is above the others' best; whether all that matter were searched in full."""
        graph = self.source.renumbered(self.order)
        in_use = use(graph, range(graph.size))
        stretches = list(parts(graph, in_use, self.longest, is_shifted))
        near = _near(graph, stretches)
        tops = [max(in_use.during[s.start : s.stop]) for s in stretches]
        base = sum(b.size for b in graph.buffers if b.maker < 0 and (b.kept or b.readers))
        exact = True
        order = list(self.order)
        for at in sorted(range(len(stretches)), key=lambda i: (-tops[i], i)):
            if tops[at] <= self.floor:
                break
            stretch = stretches[at]
            live = in_use.after[stretch.start - 1] if stretch.start else base
            best, is_best = self._part(Part(graph, *stretch, live, near[at]), tops[at])
            for i, op in enumerate(best):
                order[stretch.start + i] = self.order[stretch.start + op]
            exact = exact and is_best
        self.order = order
        return exact

    def _part(self, part: Part, top: int) -> tuple[list[int], bool]:
        """The order of a part, and whether none is better; the floor rises to its peak."""
        best, exact = list(range(part.count)), False
        for width in (*WIDTHS, *([1 << SMALL] if part.count <= SMALL else [])):
            found = search(part, self.floor, top, width, self.tries)
            self.tries -= found.tried
            best, top = (found.order, found.peak) if found.order else (best, top)
            exact = found.exact or top <= self.floor
            if exact:
                break
        self.floor = max(self.floor, top)
        return best, exact


def _near(graph: Graph, stretches: Sequence[Stretch]) -> list[list[int]]:
    """The buffers that ops of each stretch make or read."""
    at = [k for k, s in enumerate(stretches) for _ in range(s.start, s.stop)]
    out: list[list[int]] = [[] for _ in stretches]
    for i, buffer in enumerate(graph.buffers):
        touching = ((buffer.maker,) if buffer.maker >= 0 else ()) + buffer.readers
        for k in dict.fromkeys(at[op] for op in touching):
            out[k].append(i)
    return out
