"""Sequences of which some steps do not count: those that do are brought together, so that a recurrent layer sees no
others, and its outputs are laid out again.

A step that does not count leaves states as they are, and repeats the output before it.
Source: `rnn` of keras/src/backend/tensorflow/rnn.py.
"""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects import core
from mlconv.importers.keras.call import Call
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType


class Ran(NamedTuple):
    """y: outputs of all steps, in the order of time, [steps, batch, ...].  last: that of the step that was done last.
    states: behind it, [batch, ...].
    """

    y: Value
    last: Value
    states: list[Value]


class Counted:
    """mask: bool [batch, steps], which steps count.  backwards: the last step comes first.

    lengths: int32 [batch], how many steps of each row count.
    """

    def __init__(self, n: Call, mask: Value, backwards: bool) -> None:
        if n.rank(mask) != 2:
            raise n.unknown(f"a mask {mask.tensor}")
        self.mask, self.backwards = n.cast(mask, DType.BOOL), backwards
        counts = n.cast(self.mask, DType.I32)
        self.lengths = n.sum(counts, [1])
        self.done = n.y(core.CumSum(counts, axis=1, reverse=backwards))

    def together(self, n: Call, x: Value) -> Value:
        """Steps of x [batch, steps, ...] that count, in the order in which they are done; others stand behind them."""
        steps = n.dim(x, 1)
        count = n.constant(steps, DType.I32) if isinstance(steps, int) else n.scalar(n.cast(steps, DType.I32))
        place = n.cast(n.arange(steps), DType.I32)
        first = n.where(self.mask, count, 0)
        key = n.add(place, first) if self.backwards else n.sub(first, place)
        limit = n.constant(steps, DType.I64) if isinstance(steps, int) else n.scalar(steps)
        order = n.emit(core.TopK(key, limit, axis=1, index_dtype=DType.I32)).indices
        return n.y(core.Gather(x, order, axis=1, batch_dims=1))

    def apart(self, n: Call, y: Value, zeros: bool) -> Value:
        """Outputs [steps, batch, ...] of steps that are together, at the steps [batch, steps, ...] that they are of.

        zeros: steps that do not count give zeros, else what the step before gave, zeros where there is none.
        """
        place = n.maximum(n.sub(self.done, 1), 0)
        there = self.mask if zeros else n.less(0, self.done)
        return self._taken(n, y, place, there)

    def last(self, n: Call, y: Value, zeros: bool) -> Value:
        """The output [batch, ...] of the step that is done last."""
        at = 0 if self.backwards else -1
        place = n.expand_dims(n.maximum(n.sub(self.lengths, 1), 0), 1)
        there = n.slice_axis(self.mask, 1, at, at + 1 or None) if zeros else n.expand_dims(n.less(0, self.lengths), 1)
        return n.squeeze(self._taken(n, y, place, there), 1)

    def _taken(self, n: Call, y: Value, place: Value, there: Value) -> Value:
        rank = n.rank(y)
        by_row = n.transpose(y, [1, 0, *range(2, rank)])
        taken = n.y(core.Gather(by_row, place, axis=1, batch_dims=1))
        return n.where(n.expand_dims(there, *range(2, rank)), taken, 0.0)
