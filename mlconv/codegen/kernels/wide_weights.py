"""Weights of bytes as words of 16 bits on the stack, where they are multiplied with many rows: they are widened once,
part by part, not for every register tile.

Those of a panel lie in pairs of places, [place / 2][columns][2]: of a group of four the first and the third, then the
others, in the order in which x is laid out.
"""

from __future__ import annotations

from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, I16, Value
from mlconv.dialects.kernel import PANEL, Gemm

_ROOM = 64 << 10  # bytes on the stack
_GROUP = 4  # places of bytes that lie side by side
PAIR = 2  # places of words that are multiplied at once
_PIECES = (8, 4, 2, 1)  # columns that are widened at once
_ROWS, _PANELS = 24, 4  # rows and panels for which it pays


def panels_at_once(problem: Gemm, depth: int, rows: int) -> int:
    """How many panels of weights are widened at a time, for a product of so many rows: all, or equal parts, for each of
    which x is laid out again; 0 where it does not pay.  depth: stored places of a column.
    """
    whole, tail = divmod(problem.indexing.channels, PANEL)
    most = _ROOM // (depth * PANEL * I16.size)
    if problem.weight_strides != (0, 0) or rows < _ROWS or (tail and whole >= most):
        return 0
    if tail or whole <= most:
        return whole + (tail > 0)
    return max((n for n in range(_PANELS, most + 1) if whole % n == 0), default=0)


class WideWeights:
    """Some panels of one problem, whose x is laid out in the order of words."""

    def __init__(self, b: Builder, problem: Gemm, dots: Dots, panels: int) -> None:
        self.b, self.dots, self.depth, self.panels = b, dots, problem.stored_depth, panels
        self.tail = problem.indexing.channels % PANEL
        self.whole = panels - (self.tail > 0)
        self.size = (self.whole * PANEL + self.tail) * self.depth

    def lay(self, weights: Value, number: Value) -> Value:
        """Part `number` of the weights, widened; where it lies."""
        b = self.b
        room = b.room(I16, self.size + PAIR * PANEL)  # vectors of the last columns are read as if they were whole
        weights = b.offset(weights, I8, number, self.size)
        if self.whole:
            b.each(0, self.whole * self.depth // _GROUP, 1, lambda i: self._group(weights, room, i, PANEL))
        if self.tail:
            start = self.whole * PANEL * self.depth
            last, there = b.moved(weights, I8, start), b.moved(room, I16, start)
            b.each(0, self.depth // _GROUP, 1, lambda i: self._group(last, there, i, self.tail))
        return room

    def _group(self, weights: Value, room: Value, number: Value, columns: int) -> None:
        """Four places of all columns of a panel."""
        b, start = self.b, 0
        source = b.offset(weights, I8, number, columns * _GROUP)
        target = b.offset(room, I16, number, columns * _GROUP)
        for piece in _PIECES:
            while columns - start >= piece:
                place = b.moved(source, I8, start * _GROUP)
                for turn in range(self.dots.turns):
                    (words,) = self.dots.weights(b, place, piece, piece, _GROUP, turn)
                    b.store(words, b.moved(target, I16, (turn * columns + start) * PAIR), I16.align)
                start += piece

    def column(self, pointer: Value, columns: int) -> Value:
        """A pair of places of so many columns, as words."""
        return self.b.load(I16.of_lanes(PAIR * columns), pointer, I16.align)
