"""Rows of tables of positions that are looked up at the same positions whatever the size is:
`f(range(-2*n, 2*n))[2*n + k]` is `f(k)`, which is known.

Relative positions of attention are written so, whose table is made for any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.module import Function
from mlconv.ir.shapes import static
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.traits import Elementwise
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import remake

_MOST: Final = 32  # ops that make a table, or places
_LARGEST: Final = 1 << 16  # places
_WIDE: Final = 32  # bits of a place


class Places(NamedTuple):
    """Numbers, with a size added to each."""

    numbers: Array
    size: Size

    @property
    def first(self) -> Size:
        return self.size + int(self.numbers.min())

    @property
    def last(self) -> Size:
        return self.size + int(self.numbers.max())


def compute_at_known_places(function: Function) -> int:
    """Rows of positions that are known are computed of these; returns how many times they were looked up."""
    found = 0
    for op in function.block.ops:
        if not isinstance(op, core.Gather) or op.axis or op.batch_dims or op.y.tensor.shape is None:
            continue
        places = _in_range(op, function.facts.where)
        assert op.block is not None and op.location is not None
        rows = None if places is None else _Rows(places, CoreBuilder(Builder(op.block, op.location, op))).of(op.x)
        if rows is not None:
            edit.rename(rows, op.y.name)
            edit.replace_uses(op.y, rows)
            found += 1
    return found


def places_of(value: Value, most: int = _MOST) -> Places | None:
    """Numbers, and a size that is added to them, of a vector; None of others.  most: ops behind one another that tell
    it.
    """
    op, whole = value.producer, const_of(value)
    if whole is not None:
        fits = 0 < whole.size <= _LARGEST and whole.dtype.is_int
        return Places(whole.view().reshape(-1).astype(np.int64), 0) if fits else None
    if isinstance(op, core.Reshape | core.ExpandDims | core.Squeeze | core.Cast):
        fits = value.tensor.dtype.is_int and value.tensor.dtype.bits >= _WIDE
        return places_of(op.x, most - 1) if most and fits else None
    if not isinstance(op, core.Add) or not most:
        return None
    for x, more in ((op.a, known_ints(op.b)), (op.b, known_ints(op.a))):
        found = places_of(x, most - 1) if more is not None and len(more) == 1 and more[0] is not None else None
        if found is not None and more is not None and more[0] is not None:
            return Places(found.numbers, found.size + more[0])
    return None


def _in_range(op: core.Gather, facts: SizeFacts) -> Places | None:
    """Places along an axis of an open size that are certain to lie in it, from the front."""
    size = (op.x.tensor.shape or (0,))[0]
    if op.indices.tensor.rank != 1 or isinstance(size, int):
        return None
    places = places_of(op.indices)
    if places is None:
        return None
    is_inside = holds(places.first, ">=", 0, facts) and holds(size, ">", places.last, facts)
    return places if is_inside else None


@dataclass(eq=False, repr=False)
class _Rows:
    """What a table has at some places, computed of positions."""

    places: Places
    e: CoreBuilder
    made: dict[Value, Value | None] = field(default_factory=dict)

    def of(self, value: Value) -> Value | None:
        """These rows of a value; None where they are not told by positions that are known."""
        if value not in self.made:
            few, self.made[value] = len(self.made) < _MOST, None
            self.made[value] = self._computed(value) if few else None
        return self.made[value]

    def _computed(self, value: Value) -> Value | None:
        op, shape = value.producer, value.tensor.shape or ()
        if isinstance(op, core.Range):
            return self._positions(op)
        if not shape or static(shape[1:]) is None or not isinstance(op, OpDef) or len(op.results) != 1:
            return None
        if isinstance(op, core.Reshape | core.ExpandDims):
            rows = self.of(op.x) if (op.x.tensor.shape or (0,))[0] == shape[0] else None
            return (
                None if rows is None else self.e.reshape(rows, [len(self.places.numbers), *(static(shape[1:]) or ())])
            )
        if op.axis == 0 if isinstance(op, core.Concat) else Elementwise not in op.spec.traits:
            return None
        operands = [self._operand(v, shape) for v in op.inputs]
        whole = [v for v in operands if v is not None]
        if len(whole) < len(op.operands):
            return None
        return self.e.y(remake(op, whole))

    def _operand(self, value: Value, shape: Sequence[Size]) -> Value | None:
        """As it is where all rows meet the same of it."""
        own = value.tensor.shape
        if own is not None and (len(own) < len(shape) or own[0] == 1):
            return value if isinstance(value.producer, core.Constant) else None
        return self.of(value)

    def _positions(self, op: core.Range) -> Value | None:
        start, step = known_ints(op.start), known_ints(op.step)
        if not start or not step or start[0] is None or not isinstance(step[0], int) or not op.y.tensor.dtype.is_int:
            return None
        first = start[0] + self.places.size * step[0]
        if not isinstance(first, int):
            return None
        return self.e.constant(self.places.numbers * step[0] + first, op.y.tensor.dtype)
