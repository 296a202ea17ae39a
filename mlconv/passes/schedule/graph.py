"""What orders of ops differ in: buffers with the ops that make and read them, and what must come before what.

Ops are numbers in an order that works, which is called the source order.  The memory that lives behind some ops is
that of the buffers which these have made and others still read: it depends on which ops have run, not on their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Buffer(NamedTuple):
    """size: bytes.  maker: the op that makes it, or -1 for one that is there at the start.  readers: the ops that read
    it, in order, each once.  kept: it lives to the end.
    """

    size: int
    maker: int
    readers: tuple[int, ...] = ()
    kept: bool = False


class Graph(NamedTuple):
    """needs: the ops that each op must follow.  work: bytes that each takes while it runs, besides buffers.  over:
    buffers that the results of each take the place of, where nobody reads them afterwards: each is an operand that is
    as large as the result.
    """

    buffers: Sequence[Buffer]
    needs: Sequence[tuple[int, ...]]
    work: Sequence[int]
    over: Sequence[tuple[int, ...]]

    @property
    def size(self) -> int:
        """How many ops there are."""
        return len(self.needs)

    def made(self) -> list[list[int]]:
        """The buffers that each op makes."""
        out: list[list[int]] = [[] for _ in range(self.size)]
        for i, buffer in enumerate(self.buffers):
            if buffer.maker >= 0:
                out[buffer.maker].append(i)
        return out

    def read(self) -> list[list[int]]:
        """The buffers that each op reads."""
        out: list[list[int]] = [[] for _ in range(self.size)]
        for i, buffer in enumerate(self.buffers):
            for reader in buffer.readers:
                out[reader].append(i)
        return out

    def renumbered(self, order: Sequence[int]) -> Graph:
        """The same graph whose source order is another one."""
        at = [0] * self.size
        for position, op in enumerate(order):
            at[op] = position
        return Graph(
            [
                b._replace(maker=at[b.maker] if b.maker >= 0 else -1, readers=tuple(sorted(at[r] for r in b.readers)))
                for b in self.buffers
            ],
            [tuple(sorted(at[n] for n in self.needs[op])) for op in order],
            [self.work[op] for op in order],
            [self.over[op] for op in order],
        )


class Use(NamedTuple):
    """Bytes in use while each op of an order runs, and behind it."""

    during: list[int]
    after: list[int]


def use(graph: Graph, order: Iterable[int]) -> Use:
    """What an order takes, op by op."""
    made, read = graph.made(), graph.read()
    left = [len(b.readers) for b in graph.buffers]
    live = sum(b.size for b in graph.buffers if b.maker < 0 and (b.kept or b.readers))
    out = Use([], [])
    for op in order:
        for i in read[op]:
            left[i] -= 1
        new = sum(graph.buffers[i].size for i in made[op])
        gone = [i for i in (*read[op], *made[op]) if not left[i] and not graph.buffers[i].kept]
        over = sum(graph.buffers[i].size for i in graph.over[op] if i in gone)
        out.during.append(live + new + graph.work[op] - over)
        live += new - sum(graph.buffers[i].size for i in gone)
        out.after.append(live)
    return out


def peak(graph: Graph, order: Iterable[int]) -> int:
    """The most bytes that are in use while an op of an order runs."""
    return max(use(graph, order).during, default=0)


def least(graph: Graph) -> int:
    """A bound below the peak of every order: what some op needs by itself, with the buffers that always live."""
    made, read = graph.made(), graph.read()
    always = {i for i, b in enumerate(graph.buffers) if b.maker < 0 and b.kept}
    base = sum(graph.buffers[i].size for i in always)
    bound = 0
    for op in range(graph.size):
        near = sum(graph.buffers[i].size for i in {*made[op], *read[op]} - always)
        over = sum(graph.buffers[i].size for i in graph.over[op] if not graph.buffers[i].kept)
        bound = max(bound, base + near + graph.work[op] - over)
    return bound
