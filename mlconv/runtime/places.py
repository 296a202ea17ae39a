"""Which inputs of a function say where something is looked up: runtimes refuse places that a table does not have, or
take others, as native code does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.ir.traits import Plumbing, has_trait

_BY_AXIS = (core.Gather, core.GatherElements)


class Table(NamedTuple):
    """An axis of `size` elements, of which places from `low` may be asked for.  op: looks up in it."""

    op: Op
    low: int
    size: int

    def check(self, places: Array, what: str) -> None:
        """Raises ConversionError ShapeMismatch."""
        if not places.size:
            return
        least, most = int(places.min()), int(places.max())
        if self.low <= least and most < self.size:
            return
        worst = most if most >= self.size else least
        raise ConversionError(
            Code.ShapeMismatch,
            f"{what} has {worst}, and {self.op.describe()} looks that up in {self.size} elements",
            location=self.op.location,
            help=f"give numbers from {self.low} to {self.size - 1}",
        )


def table_of(input_: Value) -> Table | None:
    """The smallest table that all numbers of an input are looked up in, with nothing in front but casts of integers and
    what moves them.
    """
    if not input_.tensor.dtype.is_int:
        return None
    return min(_tables(input_), key=lambda table: table.size, default=None)


def tables_of(function: Function) -> dict[str, Table]:
    """By input."""
    found = {v.name: table_of(v) for v in function.inputs}
    return {name: table for name, table in found.items() if table is not None}


def _tables(value: Value) -> Iterator[Table]:
    seen, rest = {value}, [value]
    while rest:
        value = rest.pop()
        for op, i in value.uses:
            size = op.inputs[0].tensor.shape if isinstance(op, _BY_AXIS) and i == 1 else None
            if size is not None and isinstance(op, _BY_AXIS) and isinstance(count := size[op.axis], int):
                yield Table(op, 0 if isinstance(op, core.Gather) and op.from_start else -count, count)
            elif i == 0 and has_trait(op, Plumbing) and op.results[0].tensor.dtype.is_int and op.results[0] not in seen:
                seen.add(op.results[0])
                rest.append(op.results[0])
