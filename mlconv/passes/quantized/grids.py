"""Floats that are rounded to integers before anything is computed of them."""

from __future__ import annotations

from collections.abc import Iterator

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType

_SAME = (core.Transpose, core.Reshape, core.Squeeze, core.ExpandDims, core.MaxPool)
"""Ops that give the same when numbers are rounded in front of them as when they are rounded behind."""


def grid_of(value: Value) -> QuantType | None:
    """The integers that all uses of a value round it to, by one scale; none where there is a use that does not."""
    found: set[QuantType] = set()
    for op in _readers(value):
        if not isinstance(op, core.Quantize):
            return None
        found.add(op.element)
    grid = next(iter(found)) if len(found) == 1 else None
    return grid if grid is not None and grid.is_per_tensor else None


def scale_of(value: Value) -> QuantType | None:
    """What plain integers stand for, by one scale: those of the quantized tensor that they are made from, or that all
    of their uses take them for; none where these do not say it.
    """
    made = value.producer
    while isinstance(made, _SAME):
        made = made.inputs[0].producer
    if isinstance(made, core.StorageCast):
        found = {made.x.tensor.quant}
    else:
        found = {op.y.tensor.quant if isinstance(op, core.StorageCast) else None for op in _readers(value)}
    quant = found.pop() if len(found) == 1 else None
    return quant if quant is not None and quant.is_per_tensor else None


def _readers(value: Value) -> Iterator[Op]:
    """What reads a value, behind ops that give the same."""
    left = [value]
    while left:
        for op in left.pop().users:
            if isinstance(op, _SAME):
                left += op.results
            else:
                yield op


def note_grids(function: Function) -> None:
    """Put what inputs are rounded to among the facts of a function, before the ops go that say so."""
    for value in function.inputs:
        grid = grid_of(value)
        if grid is not None:
            function.facts.grids[value.name] = grid
