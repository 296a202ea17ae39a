"""Attention of many rows: lanes are rows of q, which is transposed, so that keys are read as they lie."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.routines.attention_tiles import Line, Masks, RowTile
from mlconv.codegen.kernels.routines.code import Code
from mlconv.codegen.kernels.transposed_tiles import transposed
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.text import Carried
from mlconv.codegen.llvm.types import Value, zero
from mlconv.dialects.kernel.row_attention import MANY_ROWS, RowAttention
from mlconv.ir.dims import Size

_QUAD = 4  # lanes of 128 bits
_VECTORS = 2  # of rows that are multiplied at once


class ManyRows(RowTile):
    """Emits what is done with a tile of `MANY_ROWS`.  turned: where q lies, [element][row]; keys: that are multiplied
    at once."""

    def __init__(self, c: Code, p: Sequence[Value], given: RowAttention) -> None:
        super().__init__(c, p, given, MANY_ROWS)
        self.keys, self.summed = (8 if self.registers > 16 else 6), 6

    def _scores(self, q: Sequence[Line], parts: Sequence[tuple[Value, Size]], masks: Masks, scores: Value) -> None:
        turned = self._place(scores, self.b.number(self.given.scores))
        self._turn(q, turned)
        super()._scores([Line(turned)], parts, masks, scores)
        for lines, is_chosen in zip(masks, (False, True), strict=True):
            if lines:
                self._mask_all(lines, is_chosen, scores)

    def _turn(self, q: Sequence[Line], turned: Value) -> None:
        """Rows of q, transposed."""
        lanes = self.lanes

        def block(at: Value) -> None:
            for begin in range(0, self.rows, lanes):
                rows = [self._load(line.base, at, line.more) for line in q[begin : begin + lanes]]
                for i, column in enumerate(transposed(self.b, rows, min(_QUAD, lanes))):
                    store(self.b, self.dtype, column, self._place(turned, at, self.rows, i * self.rows + begin))

        self.b.each(0, self.given.depth, lanes, block)

    def _score(self, q: Sequence[Line], keys: Value, count: int, masks: Masks, at: Value, scores: Value) -> None:
        b, given, wide = self.b, self.given, _VECTORS * self.lanes
        for begin in range(0, self.rows, wide):
            starts = range(begin, min(self.rows, begin + wide), self.lanes)

            def step(k: Value, sums: Carried, starts: range = starts) -> Carried:
                here = [load(b, self.dtype, self._place(q[0].base, k, self.rows, n), self.lanes) for n in starts]
                there = [
                    self.product.spread(b, self._place(keys, k, 1, i * given.depth), self.lanes) for i in range(count)
                ]
                pairs = [(key, x) for key in there for x in here]
                return [self.product.added(b, x, key, s) for (key, x), s in zip(pairs, sums, strict=True)]

            nothing: Carried = [zero(self.wide)] * (count * len(starts))
            found = b.loop(0, given.depth, 1, nothing, step)
            for i, total in enumerate(found):
                key, part = divmod(i, len(starts))
                if given.factor != 1:
                    total = b.fmul(total, self.scalars.literal(self.dtype, given.factor))
                store(b, self.dtype, total, self._place(scores, at, self.rows, key * self.rows + starts[part]))

    # -- masks -------------------------------------------------------------------------------------

    def _mask_all(self, lines: Sequence[Value], is_chosen: bool, scores: Value) -> None:
        """Numbers added to all scores, or in place of them."""
        b, total = self.b, self.given.total
        if len(lines) == 1:

            def key(k: Value) -> None:
                number = self.product.spread(b, self._place(lines[0], k), self.lanes)
                for begin in range(0, self.rows, self.lanes):
                    self._replace(self._place(scores, k, self.rows, begin), number, is_chosen)

            b.each(0, total, 1, key)
            return

        def block(k: Value) -> None:
            for begin in range(0, self.rows, self.lanes):
                rows = [self._load(line, k, 0) for line in lines[begin : begin + self.lanes]]
                for i, numbers in enumerate(transposed(b, rows, min(_QUAD, self.lanes))):
                    self._replace(self._place(scores, k, self.rows, i * self.rows + begin), numbers, is_chosen)

        def alone(k: Value) -> None:
            for row, line in enumerate(lines):
                self._replace(
                    self._place(scores, k, self.rows, row), load(b, self.dtype, self._place(line, k)), is_chosen
                )

        whole = total // self.lanes * self.lanes
        b.each(0, whole, self.lanes, block)
        if whole != total:
            b.each(whole, total, 1, alone)

    def _replace(self, place: Value, numbers: Value, is_chosen: bool) -> None:
        """Scores at a place, of as many lanes as there are numbers."""
        b = self.b
        score = load(b, self.dtype, place, numbers.type.lanes)
        made = b.select(b.fcmp("ord", numbers, numbers), numbers, score) if is_chosen else b.fadd(score, numbers)
        store(b, self.dtype, made, place)
