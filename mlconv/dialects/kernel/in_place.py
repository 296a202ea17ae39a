"""Whether a chain of products may write its result where its first factor lies."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.kernel.attributes import ConvChain, Depthwise, Gemm, RowBuffer, known


def writes_over(stages: Sequence[Gemm | Depthwise], buffers: Sequence[RowBuffer]) -> bool:
    """Done in order, by one thread: each line of the result is written when no later line reads what it lies over.

    The first stage reads no more than one line of x for one of its own, and what it has made stays in the buffers.
    """
    first, last = stages[0], stages[-1]
    x, out = first.indexing.x, last.indexing.out
    columns, run = known(first.indexing.rows)[2], first.run
    (offset, down, aside), (at, below, beside) = (
        known((x.offset, *x.strides[1:])),
        known((out.offset, *out.strides[1:3])),
    )
    window = zip(first.indexing.window, known(first.indexing.window_strides), strict=True)
    width = (columns - 1) * aside + sum((n - 1) * stride for n, stride in window) + run
    if offset or at or width > down or last.indexing.borders:
        return False
    line, size = down * first.types.x.itemsize, last.types.result.itemsize
    (lines,), (made, wide) = known(first.indexing.rows[1:2]), known(last.indexing.rows[1:])
    written = (wide - 1) * beside + last.indexing.channels
    done = [_done(buffers, r + 1, lines) for r in range(made)]
    return all((r * below + written) * size <= line * read or read == lines for r, read in enumerate(done))


def is_in_place(chain: ConvChain) -> bool:
    """A chain that one thread does, whose first operand nothing else of it reads."""
    others = [n for numbers in chain.numbers for n in numbers]
    return (
        chain.alone and chain.numbers[0][0] == 0 and others.count(0) == 1 and writes_over(chain.stages, chain.buffers)
    )


def _done(buffers: Sequence[RowBuffer], end: int, lines: int) -> int:
    """Lines of the first stage that are done when the last one has done `end` of its."""
    for t in reversed(buffers):
        high = end * t.step + t.start - t.step + t.reach
        end = max(0, min(high, t.top + t.lines) - t.top)
    return min(end, lines)
